"""``ratingpriv demo``: a two-minute tour on made-up data."""

from __future__ import annotations

import contextlib
import dataclasses
import shlex
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ratingpriv.cli.demo.graph import STORE, show_graph
from ratingpriv.cli.demo.release import FILES, show_releases
from ratingpriv.cli.options.shared import ForceOption, TalkOptions
from ratingpriv.cli.synthesize import SURVEY
from ratingpriv.errors import OutputError

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditResult

__all__ = [
    "ISSUES",
    "RECORDS",
    "SEED",
    "SENSITIVE",
    "K",
    "run",
]

RECORDS, ISSUES, SEED, K = 2000, 8, 1, 5
SENSITIVE = ("income", "health")


def run(
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="DIR", help="Keep the survey and the results in this folder."),
    ] = None,
    force: ForceOption = False,
    *,
    talking: TalkOptions,
) -> int:
    """Take a two-minute tour on a made-up survey.

    Makes a survey, audits it for several k, epsilon and l, puts it into a graph and asks that, makes releases
    of it, attacks them, and explains what comes out. Exits with 0.
    """
    from ratingpriv.audit import audit
    from ratingpriv.formats.generating import generators
    from ratingpriv.formats.reading import ReadOptions, read
    from ratingpriv.report.as_json import write_json
    from ratingpriv.report.audit import audit_page
    from ratingpriv.report.per_record import write_per_record
    from ratingpriv.report.text import render

    talk = talking.talk
    with _folder(output, force=force) as folder, talk.progress() as progress:
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
        _say(
            "1. A survey",
            f"{written.records:,} made-up people answered {written.issues} questions and told two sensitive "
            f"things, {' and '.join(written.sensitive)}. The model: {written.model}; seed {written.seed}. "
            "You hold such a file and want to publish it without names. Is that enough?",
        )
        table = read(survey, options=ReadOptions(sensitive=SENSITIVE, progress=progress))
        if output is None:  # a temporary path tells nobody anything
            survey = Path(survey.name)
            table = table.replace(origin=dataclasses.replace(table.origin, name=survey.name))

        exact = audit(table, k=K, epsilon=0, progress=progress)
        _show(exact, "2. An adversary who knows the answers exactly", survey, f"--k {K} --epsilon 0")
        _say(
            None,
            f"{_unique(exact)} of {written.records:,} people gave answers that nobody else gave. Who knows "
            "those answers, from a talk over lunch or another data set, finds the person, and reads off what "
            "is sensitive.",
        )

        near = audit(table, k=K, epsilon=1, progress=progress)
        _show(near, "3. An adversary who may be off by one", survey, f"--k {K} --epsilon 1")
        _say(
            None,
            "Epsilon is how far off that knowledge may be, a distance between ratings; it is not the epsilon "
            f"of differential privacy. At a distance of 1, {_unique(near)} people are still unique, and "
            f"{near.k_epsilon.violators:,} have fewer than {K} people like them, themselves included.",
        )

        fewer = table.issues[: ISSUES // 2]
        narrow = table.select_issues(fewer)
        less = audit(narrow, k=K, epsilon=1, progress=progress)
        chosen = f"--issues {','.join(fewer)}"
        _show(less, "4. Publishing half of the questions", survey, f"--k {K} --epsilon 1 {chosen}")
        _say(
            None,
            f"With {len(fewer)} questions the smallest neighbourhood has {less.neighbourhood_sizes.min:,} "
            f"people, so k up to {less.k_epsilon.max_k:,} holds. Each question left out can only make "
            "neighbourhoods larger.",
        )

        diverse = audit(narrow, k=K, epsilon=1, l=0.5, progress=progress)
        _show(diverse, "5. Hidden in a crowd that agrees", survey, f"--k {K} --epsilon 1 --l 0.5 {chosen}")
        _say(None, _about_diversity(diverse))

        show_graph(
            table,
            folder,
            k=max(K, near.neighbourhood_sizes.min + 1),
            epsilon=1.0,
            shown_in=Path() if output is None else folder,
            write=sys.stdout.write,
            say=_say,
            progress=progress,
        )

        show_releases(
            table,
            folder,
            k=K,
            survey=survey,
            shown_in=Path() if output is None else folder,
            sensitive=SENSITIVE,
            force=force,
            write=sys.stdout.write,
            say=_say,
            progress=progress,
        )

        sys.stdout.write("\n" + render(audit_page(near, show=5)) + "\n")
        _say(
            "9. Your turn",
            "That was the whole page for step 3. Now: ratingpriv audit YOUR.csv --k 5 --epsilon 1 "
            "--sensitive COLUMN. It exits with 0 if satisfied and 1 if not; --json is for programs; "
            "ratingpriv audit --help has the rest.",
        )
        if output is not None:
            write_json(near.to_dict(), folder / "audit.json", force=force)
            write_per_record(near, folder / "per-record.csv", force=force)
            _say(
                None,
                f"Kept in {folder}: survey.csv, audit.json and per-record.csv, the last two of step 3, "
                f"{STORE}, the graph of step 6, and the releases of step 7 with their manifests and keys.",
            )
        else:
            _say(
                None,
                "The survey was temporary; ratingpriv demo --output DIR keeps it, to try the commands on.",
            )
    return 0


@contextlib.contextmanager
def _folder(output: str | None, *, force: bool) -> Iterator[Path]:
    """Give the folder to write to: the one asked for, made if need be, or a temporary one."""
    if output is None:
        with tempfile.TemporaryDirectory(prefix="ratingpriv-demo-") as temporary:
            yield Path(temporary)
        return
    from ratingpriv.files import check_writable

    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: found a file, expected a folder; choose another name")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("survey.csv", "audit.json", "per-record.csv", STORE, *FILES):
        check_writable(folder / name, force=force)
    yield folder


def _show(result: AuditResult, title: str, survey: Path, options: str) -> None:
    """Print a step's title, the command that repeats it, and its verdict."""
    sensitive = " ".join(f"--sensitive {name}" for name in SENSITIVE)
    command = f"ratingpriv audit {shlex.quote(str(survey))} {options} {sensitive}"
    verdict = "SATISFIED" if result.satisfied else f"NOT SATISFIED, by {result.n_violators:,} records"
    sys.stdout.write(f"\n{title}\n\n    $ {command}\n    {verdict}\n\n")


def _say(title: str | None, text: str) -> None:
    if title is not None:
        sys.stdout.write(f"\n{title}\n\n")
    sys.stdout.write(textwrap.fill(text, 78, initial_indent="  ", subsequent_indent="  ") + "\n")
    sys.stdout.flush()


def _unique(result: AuditResult) -> str:
    return f"{int((result.sizes == 1).sum()):,}"


def _about_diversity(result: AuditResult) -> str:
    if result.k_epsilon_l is None:
        raise AssertionError("audited without l")
    least = ", ".join(
        f"{name} {value:.2f}" for name, value in result.k_epsilon_l.max_l.items() if value is not None
    )
    start = (
        "A crowd does not help whose members all have the same income: finding the crowd is enough. So l "
        "asks for variety, a standard deviation of the sensitive answers in every neighbourhood. "
    )
    if result.satisfied:
        return f"{start}Here the least varied neighbourhoods still have {least}."
    return f"{start}Here the least varied neighbourhoods have only {least}."
