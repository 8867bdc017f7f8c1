"""``ratingpriv demo``: a two-minute tour on synthetic data."""

from __future__ import annotations

import contextlib
import dataclasses
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ratingpriv.cli.demo.graph import STORE, show_graph
from ratingpriv.cli.demo.release import FILES, show_releases
from ratingpriv.cli.demo.tour import Tour, people
from ratingpriv.cli.options.declare import option
from ratingpriv.cli.options.general import ForceOption, GlobalOptions
from ratingpriv.cli.synthesize import SURVEY
from ratingpriv.errors import OutputError
from ratingpriv.report.plain import count
from ratingpriv.report.wording import not_meant

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditResult
    from ratingpriv.table import RatingTable

__all__ = ["ISSUES", "RECORDS", "SEED", "SENSITIVE", "K", "run"]

RECORDS, ISSUES, SEED, K = 500, 8, 1, 5
SENSITIVE = ("income", "health")


def run(
    output: Annotated[
        str | None,
        option(
            "--output",
            "-o",
            metavar="DIR",
            place="output",
            help="Keep the survey and the results in this folder.",
        ),
    ] = None,
    force: ForceOption = False,
    *,
    general: GlobalOptions,
) -> int:
    """Take a two-minute tour on a synthetic survey.

    Generates a survey, audits it for several k, epsilon and l, puts it into a graph and queries that, makes
    releases of it, attacks them, and explains what comes out. Exits with 0.

    Examples
    --------
    ratingpriv demo
    ratingpriv demo --output tour
    """
    from ratingpriv.formats.generating import generators
    from ratingpriv.formats.reading import ReadOptions, read
    from ratingpriv.report.as_json import write_json
    from ratingpriv.report.audit import audit_page
    from ratingpriv.report.per_record import write_per_record
    from ratingpriv.report.text import render

    with _folder(output, force=force) as folder, general.reporter.progress() as progress:
        tour = Tour(folder, output is not None, SENSITIVE, force, progress)
        survey = folder / "survey.csv"
        written = generators()[SURVEY].write(
            survey,
            records=RECORDS,
            issues=ISSUES,
            seed=SEED,
            force=force,
            progress=progress,
            sensitive=SENSITIVE,
        )
        tour.say(
            f"{written.records:,} synthetic people answered {written.issues} questions and two sensitive "
            f"ones, {' and '.join(written.sensitive)}. The model: {written.model}; seed {written.seed}. "
            "You hold such a file and want to publish it without names. Is that enough?",
            "1. A survey",
        )
        table = read(survey, options=ReadOptions(sensitive=SENSITIVE, progress=progress))
        if output is None:  # a temporary path means nothing to anybody
            survey = Path(survey.name)
            table = table.replace(origin=dataclasses.replace(table.origin, name=survey.name))
        name = shlex.quote(str(survey))
        near = _show_audits(tour, table, name)
        show_graph(tour, table, k=max(K, near.neighbourhood_sizes.min + 1), epsilon=1.0)
        show_releases(tour, table, survey=name, k=K)
        sys.stdout.write("\n" + render(audit_page(near, data=f"{name} {tour.columns}", show=5)) + "\n")
        tour.say(
            "That was the whole page for step 3. Now: ratingpriv audit YOUR.csv --k 5 --epsilon 1 "
            "--sensitive COLUMN. It exits with 0 if satisfied and 1 if not; --json is for programs; "
            "ratingpriv audit --help has the rest.",
            "9. Your turn",
        )
        if output is not None:
            write_json(near.to_dict(), folder / "audit.json", force=force)
            write_per_record(near, folder / "per-record.csv", force=force)
            tour.say(
                f"Kept in {folder}: survey.csv, audit.json and per-record.csv, the last two of step 3, "
                f"{STORE}, the graph of step 6, and the releases of step 7 with their manifests and keys."
            )
        else:
            tour.say(
                "The survey was temporary; ratingpriv demo --output DIR keeps it, to try the commands on."
            )
    return 0


def _show_audits(tour: Tour, table: RatingTable, survey: str) -> AuditResult:
    """Audit the survey four times; return the result of step 3."""
    exact = _audit(tour, table, survey, "2. An adversary who knows the answers exactly", epsilon=0)
    tour.say(
        f"{_unique(exact):,} of {table.n_records:,} people gave answers that nobody else gave. Who knows "
        "those answers, from a talk over lunch or another data set, finds "
        "the person, and reads off what is sensitive."
    )
    near = _audit(tour, table, survey, "3. People within one of each other", epsilon=1)
    tour.say(
        "Epsilon is a distance between ratings, and it is not the epsilon of differential privacy: people "
        f"whose answers differ by no more count as one another's crowd. At a distance of 1, "
        f"{people(_unique(near), 'is', 'are')} still alone, and "
        f"{people(near.k_epsilon.violators, 'has', 'have')} fewer than {K} people within that distance, "
        f"themselves included. {not_meant(K, 1)}"
    )
    fewer = table.issues[: ISSUES // 2]
    narrow, chosen = table.select_issues(fewer), f" --issues {','.join(fewer)}"
    less = _audit(tour, narrow, survey, "4. Publishing half of the questions", chosen, epsilon=1)
    tour.say(
        f"With {len(fewer)} questions the smallest neighbourhood has {less.neighbourhood_sizes.min:,} "
        f"people, so k up to {less.k_epsilon.max_k:,} holds. Each question left out can only make "
        "neighbourhoods larger."
    )
    diverse = _audit(tour, narrow, survey, "5. Hidden in a crowd that agrees", chosen, epsilon=1, l=0.5)
    tour.say(_about_diversity(diverse))
    return near


def _audit(
    tour: Tour, table: RatingTable, survey: str, title: str, chosen: str = "", **target: Any
) -> AuditResult:
    """Audit, and print the title, the command that repeats it, and the verdict."""
    from ratingpriv.audit import audit

    result = audit(table, k=K, **target, progress=tour.progress)
    verdict = "SATISFIED" if result.satisfied else f"NOT SATISFIED, by {count(result.n_violators, 'record')}"
    options = "".join(f" --{name} {value:g}" for name, value in target.items())
    sys.stdout.write(f"\n{title}\n")
    tour.command(f"audit {survey} --k {K}{options}{chosen}", verdict)
    return result


@contextlib.contextmanager
def _folder(output: str | None, *, force: bool) -> Iterator[Path]:
    """Give the folder to write to: ``output``, made if need be, or a temporary one."""
    if output is None:
        from ratingpriv.partial import partial_folder

        with partial_folder(Path(tempfile.gettempdir(), "ratingpriv-demo")) as temporary:
            yield temporary
        return
    from ratingpriv.files import check_writable
    from ratingpriv.report.markup.files import check_folder_name

    check_folder_name(output)
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: found a file, expected a folder; choose another name")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("survey.csv", "audit.json", "per-record.csv", STORE, *FILES):
        check_writable(folder / name, force=force)
    yield folder


def _unique(result: AuditResult) -> int:
    return int((result.sizes == 1).sum())


def _about_diversity(result: AuditResult) -> str:
    if result.k_epsilon_l is None:
        raise AssertionError("audited without l")
    least = ", ".join(
        f"{name} {value:.2f}" for name, value in result.k_epsilon_l.max_l.items() if value is not None
    )
    return (
        "A crowd does not help whose members all have the same income: finding the crowd is enough. So l "
        "requires variety, a standard deviation of the sensitive answers in every neighbourhood. "
        f"Here the least varied neighbourhoods {'still have' if result.satisfied else 'have only'} {least}. "
        "Variety does not prevent a good guess: the page also reports the largest share of one answer."
    )
