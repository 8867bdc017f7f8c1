"""``ratingpriv demo``: a two-minute tour on synthetic data, made of commands that anybody can repeat."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from ratingpriv.cli.demo.graph import STORE, show_graph
from ratingpriv.cli.demo.release import RELEASED, show_releases
from ratingpriv.cli.demo.tour import SENSITIVE, Tour, people
from ratingpriv.cli.options.general import ForceOption, GlobalOptions
from ratingpriv.cli.options.values import output_file
from ratingpriv.errors import OutputError
from ratingpriv.report.plain import plural
from ratingpriv.report.wording import not_meant
from ratingpriv.unfinished import finishing

__all__ = ["FILES", "ISSUES", "RECORDS", "SEED", "K", "run"]

RECORDS, ISSUES, SEED, K = 500, 8, 1, 5

FILES = (
    "survey.csv", "audit.json", "per-record.csv", "frontier.json", "frontier.svg", "groups.csv", STORE,
    *RELEASED,
)  # fmt: skip
"""What the tour leaves in its folder."""


def run(
    output: Annotated[
        str | None,
        Option(
            "--output",
            "-o",
            metavar="DIR",
            parser=output_file,
            help="Keep the survey, the results, the pictures and the report in this folder.",
        ),
    ] = None,
    force: ForceOption = False,
    *,
    general: GlobalOptions,
) -> int:
    """Take a two-minute tour on a synthetic survey.

    Generates a survey, audits it for several k, epsilon and l, looks for what is within reach, puts it into
    a graph and queries that, makes releases of it, verifies and attacks them, and writes a report. Every
    command is shown as it can be typed. Exits with 0.

    Examples
    --------
    ratingpriv demo
    ratingpriv demo --output tour
    """
    with _folder(output, force=force) as folder:
        tour = Tour(folder)
        _make_survey(tour)
        smallest = _show_audits(tour)
        _show_reach(tour)
        _show_diversity(tour)
        show_graph(tour, smallest=smallest)
        show_releases(tour, k=K, known=ISSUES)
        tour.say(
            "Of a file of your own, exported from a survey tool, a spreadsheet or SPSS: let its columns be "
            "described, read and correct what is proposed in survey.toml, take the # off the lines at its "
            "end, and run all of this in one go:",
            "12. Your turn",
        )
        sys.stdout.write(
            "\n    $ ratingpriv describe YOUR_EXPORT -o survey.toml\n    $ ratingpriv run survey.toml\n"
        )
        if output is not None:
            tour.say(f"The files of this tour are in {output}: begin with {tour.at('report.html')}.")
        else:
            tour.say(
                "The files of this tour were temporary; ratingpriv demo --output DIR keeps them, with the "
                "pictures and the report, to try the commands on."
            )
    return 0


def _make_survey(tour: Tour) -> None:
    tour.say(
        f"{RECORDS:,} people answered {ISSUES} questions on a scale from 1 to 5 and two sensitive ones, "
        f"{' and '.join(SENSITIVE)}. They are synthetic, and the same each time:",
        "1. A survey",
    )
    survey = tour.at("survey.csv")
    tour.command(f"synthesize -o {survey} --records {RECORDS} --items {ISSUES} --seed {SEED}", lines=0)
    tour.say("You hold such a file and want to publish it without names. Is that enough?")


def _show_audits(tour: Tour) -> int:
    """Audit the whole survey; return the size of the smallest neighbourhood within 1."""
    survey = tour.at("survey.csv")
    tour.say(
        f"Has everybody at least {K - 1} others with the very same answers?",
        "2. An adversary who knows the answers exactly",
    )
    exact = tour.result(f"audit {survey} --k {K} --epsilon 0")
    alone = _alone(exact)
    tour.say(
        f"{people(alone, 'gave', 'gave').capitalize()} answers that nobody else gave. Who knows those, from "
        "a talk over lunch or another data set, finds the person, and reads off what is sensitive."
    )
    tour.say(
        "Epsilon is a distance between ratings (it is not the epsilon of differential privacy): people "
        "whose answers differ by no more count as one another's crowd.",
        "3. People within one of each other",
    )
    files = f"-o {tour.at('audit.json')} --per-record {tour.at('per-record.csv')}"
    near = tour.result(f"audit {survey} --k {K} --epsilon 1 {files}")
    tour.say(
        f"At a distance of 1, {people(_alone(near), 'is', 'are')} still alone, and "
        f"{people(near['k_epsilon']['violators'], 'has', 'have')} fewer than {K} people within that "
        f"distance, themselves included. {not_meant(K, 1)}"
    )
    return int(near["neighbourhood_sizes"]["min"])


def _show_reach(tour: Tour) -> None:
    survey = tour.at("survey.csv")
    tour.say(f"From which distance on does k = {K} hold?", "4. What is within reach")
    found = tour.result(
        f"frontier {survey} --k {K} -o {tour.at('frontier.json')} --plot {tour.at('frontier.svg')}"
    )
    smallest = found["smallest_epsilon"]["neighbourhood"]
    tour.say(
        f"From {smallest:g} on, with all questions. That is a lot on a scale from 1 to 5: two answers that "
        "far apart count as the same. frontier.svg shows every distance at which something changes."
    )
    tour.say(
        "Crowds overlap. Groups do not: can everybody be in one group of at least "
        f"{K}, all of them that near one another?",
        "5. Groups, and a proof",
    )
    groups = tour.command(
        f"partition {survey} --k {K} --epsilon {smallest:g} --groups {tour.at('groups.csv')}"
    )
    if groups.code == 0:
        tour.say("Yes: whoever has the groups can check that the crowds are large enough, without trust.")
    else:
        tour.say("None was found; that proves nothing unless the answer says so.")
    fewer = ",".join(f"q{number}" for number in range(1, ISSUES // 2 + 1))
    tour.say("Or publish less: half of the questions.", "6. Fewer questions")
    less = tour.result(f"audit {survey} --k {K} --epsilon 1 --items {fewer}")
    least = less["neighbourhood_sizes"]["min"]
    tour.say(
        f"Now the smallest crowd has {least:,} {plural(least, 'person', 'people')}. Each question left out "
        "can only make crowds larger."
    )


def _show_diversity(tour: Tour) -> None:
    fewer = ",".join(f"q{number}" for number in range(1, ISSUES // 2 + 1))
    tour.say(
        "A crowd does not help whose members all have the same income: finding the crowd is enough. So l "
        "requires variety: a standard deviation of the sensitive answers in every neighbourhood.",
        "7. Hidden in a crowd that agrees",
    )
    diverse = tour.result(f"audit {tour.at('survey.csv')} --k {K} --epsilon 1 --l 0.5 --items {fewer}")
    largest = diverse["k_epsilon_l"]["max_l"].items()
    least = ", ".join(f"{name} {value:.2f}" for name, value in largest if value is not None)
    have = "still have" if diverse["k_epsilon_l"]["satisfied"] else "have only"
    tour.say(
        f"The least varied neighbourhoods {have} {least}. Variety does not prevent a good guess: every audit "
        "also reports the largest share of one answer."
    )


@contextlib.contextmanager
def _folder(output: str | None, *, force: bool) -> Iterator[Path | None]:
    """Give the folder to write to, made if need be; or work in a temporary one, and give None."""
    if output is None:
        from ratingpriv.partial import partial_folder

        with (
            partial_folder(Path(tempfile.gettempdir(), "ratingpriv-demo")) as temporary,
            contextlib.chdir(temporary),
        ):
            yield None
        return
    from ratingpriv.files import check_writable
    from ratingpriv.report.markup.files import check_folder_name

    check_folder_name(output)
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: found a file, expected a folder; choose another name")
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        check_writable(folder / name, force=force)
    whole = False

    def undo() -> None:
        if not whole:  # half a tour is of no use
            _clear(folder)
            for one in made:
                with contextlib.suppress(OSError):
                    one.rmdir()

    with finishing(undo):
        _clear(folder)  # so that every command can be typed as it is shown
        yield folder
        whole = True


def _clear(folder: Path) -> None:
    for name in FILES:
        (folder / name).unlink(missing_ok=True)


def _alone(audit: dict[str, Any]) -> int:
    """Return how many records are alone in their neighbourhood."""
    return sum(int(one["records"]) for one in audit["neighbourhood_sizes"]["histogram"] if one["size"] == 1)
