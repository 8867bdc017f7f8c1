"""What the program says of itself: checks, errors, runs, and the parts of a report."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from ratingpriv.documents.data import Contract
from ratingpriv.documents.form import Count, Document, Positive, Sha256


class Check(Document):
    """One thing that was tried."""

    name: str
    works: bool
    seen: str


class Doctor(Contract, tag="ratingpriv.doctor/1"):
    """Whether everything needed is installed and computes correctly."""

    healthy: bool  #: Whether every check works.
    facts: dict[str, str]  #: Python, platform, cores, memory.
    versions: dict[str, str | None]  #: Null for what is missing.
    loaders: list[str]
    generators: list[str]
    checks: list[Check]


class Problem(Document):
    """What is wrong: where, what was found, what was expected, what to do."""

    parameter: str | None  #: The option or parameter; null where it is about data.
    file: str | None
    line: Positive | None
    column: str | int | None  #: A name, or a number from 1.
    found: str  #: What is there, in words.
    cell: str | None  #: What stands in the data; null unless --show-cells was given.
    expected: str
    remedy: str | None  #: What to do.


class ErrorReport(Contract, tag="ratingpriv.error/1"):
    """What went wrong, where --json was typed."""

    #: For programs; never changes its meaning, and new ones may be added.
    code: Annotated[str, Meta(pattern="^[a-z]+(_[a-z]+)*$")]
    message: str  #: What standard error says.
    problems: list[Problem]  #: The first problems that were found.
    total: Count  #: How many there are in all.
    store: str | None  #: Address of the store that failed, without credentials.
    exit_code: Annotated[int, Meta(ge=1, le=255)]  #: What the command ends with.


ReportPart = Annotated[
    str, Meta(pattern="^(audit|audit_release|frontier|attack|utility|recommend|anonymize|verify)$")
]


class Report(Contract, tag="ratingpriv.report/1"):
    """What a report was made of: the documents of everything that was measured."""

    #: Whether the release, or else the data, is as anonymous as requested, and its manifest valid where there
    #: is one.
    satisfied: bool
    #: The documents, exact as they are for the team, by their part: audit, audit_release (the audit of the
    #: release), frontier, attack, utility, recommend, anonymize, verify. Each keeps the schema that it names.
    documents: dict[ReportPart, dict[str, Any]]


class HashedFile(Document):
    """A file and its hash."""

    file: str  #: The file or folder, from the codebook's folder.
    #: Of its bytes; of a folder, of the names and hashes of its files. Null where there is none.
    sha256: Sha256 | None


RunState = Literal["planned", "running", "done", "kept", "stale", "left_out", "failed", "interrupted"]
"""Of a step: kept is finished earlier and unchanged, stale finished earlier, of other inputs."""


class RunStep(Document, frozen=False):
    """A step of the file, and what became of it; it is filled in as the run goes on."""

    name: str  #: The command.
    gate: bool  #: Whether the run ends with 1 where it does.
    state: RunState  #: What became of it.
    exit_code: int | None  #: The command's; null where it did not run.
    verdict: str | None  #: The first line of its text, or its error; null where it did not run.
    fingerprint: Sha256 | None  #: SHA-256 of what its result depends on; null where it did not run.
    command: str  #: The command line, for a shell in the codebook's folder.
    inputs: list[HashedFile]  #: What it read, the codebook apart.
    files: list[HashedFile]  #: What it wrote.


class Run(Contract, tag="ratingpriv.run/1"):
    """What a run of several commands did, and what became of each."""

    codebook: HashedFile  #: The file that says what is run.
    data: HashedFile  #: The data, by their path from the codebook's folder.
    output: str  #: The folder of the results, from the codebook's.
    exit_code: int | None  #: What the run ended with; null where it has not ended, or was only planned.
    steps: list[RunStep]  #: In the order in which they are run.
