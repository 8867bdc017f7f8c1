"""A release from the desk: made, verified from the written file, reported;
what to give and what to keep.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratingpriv.anonymize.methods import METHODS, method_target
from ratingpriv.anonymize.release.releasing import Publish, make_release
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.with_original import read_with_original
from ratingpriv.audit.result import AuditParameters
from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import read_key
from ratingpriv.base.reservations import FOUND_AT_MOST
from ratingpriv.base.unfinished import finishing
from ratingpriv.data.formats.writing import choose_format
from ratingpriv.data.table import RatingTable
from ratingpriv.desk.columns import Columns
from ratingpriv.desk.jobs import Job
from ratingpriv.desk.protection import Choice
from ratingpriv.report.overview.measuring import Measuring, report
from ratingpriv.report.overview.overview import report_html
from ratingpriv.report.plain import write_text

NAMES = ("release", "manifest", "report")
"""What a release consists of, by which its files are asked for."""

_MOST = 1000  # releases of one file


@dataclass(frozen=True)
class Made:
    """A release that was made, and what became of it.

    Attributes
    ----------
    choice, method, accepted : what was asked for
    document : the result of anonymize as a document
    valid : whether the written file was verified
    passes : whether its verdict holds and leaves nothing open that was not accepted
    sentences : what it leaves open
    files : the three files to give, by NAMES
    key : the file to keep
    """

    choice: Choice
    method: str
    accepted: bool
    document: Mapping[str, Any]
    valid: bool
    passes: bool
    sentences: tuple[str, ...]
    files: Mapping[str, Path]
    key: Path

    def __bool__(self) -> bool:
        """Return whether it is good, without anything left open."""
        return self.kind == "good"

    @property
    def found(self) -> float | None:
        """The share of people found at most: by proof, or by the strongest attack; None:
        not known.
        """
        attack = self.document["attack"]
        success = attack["success"]
        if success["rate"] is None and attack["at_most"] > FOUND_AT_MOST:
            return None
        return float(min(attack["at_most"], 1.0 if success["rate"] is None else success["high"]))

    @property
    def kind(self) -> str:
        """Good only where the file is valid, nothing is left open, and few enough are found."""
        if not self.valid:
            return "bad"
        return (
            "good"
            if self.passes and self.found is not None and self.found <= FOUND_AT_MOST
            else "open"
        )

    def serves(self, choice: Choice) -> bool:
        """Whether it is what was chosen."""
        targets = [(one.k, one.epsilon, one.l, one.m) for one in (self.choice, choice)]
        return targets[0] == targets[1]


def make(
    table: RatingTable, columns: Columns, choice: Choice, method: str, *, accepted: bool, job: Job
) -> Made:
    """Make a release beside the data, verify it from its file, and write its report.

    What was begun is removed where anything fails, is cancelled, or ends the program.

    ``accepted`` : whether the reservation was accepted that missing values match anything
    """
    method = checks.choice("method", method, METHODS)
    options: dict[str, Any] = {"m": choice.m} if choice.m else {}
    target_words: dict[str, Any] = {"k": choice.k, "epsilon": choice.epsilon, "l": choice.l}
    target = method_target(method, options, nulls=None, sensitive_nulls="paper", **target_words)
    suffix = _suffix(columns.path, table)
    accept = ("nulls-wildcard",) if accepted else ()
    with _place(columns) as (folder, key):
        publish = Publish(path=folder / f"release{suffix}", key=key, accept=accept)
        job.step("making the release")
        made = make_release(table, method, target, publish, resources=job.resources)
        job.step("verifying the written file")
        checked = verify(made.path, accept=accept, progress=job.report)
        job.step("writing the report")
        page = folder / "report.html"
        demand = AuditParameters(
            nulls=target.nulls, sensitive_nulls=target.sensitive_nulls, **target_words
        )
        measuring = Measuring(skip=("exposure",))
        documents = report(
            table,
            read_with_original(made.path, original=table),
            target=demand,
            truth=read_key(key),
            accept=accept,
            measuring=measuring,
            resources=job.resources,
        )
        write_text(report_html(documents), page, force=False, private=False)
        job.step("")  # the last moment to cancel
        return Made(
            choice=choice,
            method=method,
            accepted=accepted,
            document=made.to_dict(),
            valid=checked.valid,
            passes=made.standing.passes,
            sentences=made.standing.sentences,
            files=dict(zip(NAMES, (made.path, made.manifest_path, page), strict=True)),
            key=key,
        )


@contextlib.contextmanager
def _place(columns: Columns) -> Iterator[tuple[Path, Path]]:
    """Give a new folder for a release, and a name for its key; both are removed if the block fails.

    Nothing is written over: a second release has a number, and so has its key.
    """
    complete, name = False, columns.path.name
    for number in range(1, _MOST):
        ending = "" if number == 1 else f"-{number}"
        folder = columns.place / f"{name}.release{ending}"
        key = columns.place / f"{name}.key{ending}.json"
        if not folder.exists() and not key.exists():
            break

    def undo() -> None:
        if not complete:
            for path in (*(folder.iterdir() if folder.is_dir() else ()), key):
                path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                folder.rmdir()

    with finishing(undo):
        folder.mkdir()
        yield folder, key
        complete = True


def _suffix(path: Path, table: RatingTable) -> str:
    """Return the suffix of a release: the file's own where it can be written, else .csv."""
    try:
        choose_format(table, f"release{path.suffix}", None)
    except ParameterError:
        return ".csv"
    return path.suffix
