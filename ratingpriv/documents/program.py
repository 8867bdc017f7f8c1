"""What the program says of itself: checks, errors, runs, and the parts of a report."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from ratingpriv.documents.data import Tool
from ratingpriv.documents.form import Count, Document, Positive, Sha256


class Check(Document):
    """One thing that was tried."""

    name: str
    works: bool
    seen: str


class Doctor(Document):
    """Whether everything needed is installed and computes correctly.

    Attributes
    ----------
    schema : Name and version of this form.
    healthy : Whether every check works.
    facts : Python, platform, cores, memory.
    versions : Null for what is missing.
    """

    schema: Literal["ratingpriv.doctor/1"]
    tool: Tool
    healthy: bool
    facts: dict[str, str]
    versions: dict[str, str | None]
    loaders: list[str]
    generators: list[str]
    checks: list[Check]


class Problem(Document):
    """What is wrong: where, what was found, what was expected, what to do.

    Attributes
    ----------
    parameter : The option or parameter; null where it is about data.
    column : A name, or a number from 1.
    found : What is there, in words.
    cell : What stands in the data; null unless --show-cells was given.
    remedy : What to do.
    """

    parameter: str | None
    file: str | None
    line: Positive | None
    column: str | int | None
    found: str
    cell: str | None
    expected: str
    remedy: str | None


class ErrorReport(Document):
    """What went wrong, where --json was typed.

    Attributes
    ----------
    schema : Name and version of this form.
    code : For programs; never changes its meaning, and new ones may be added.
    message : What standard error says.
    problems : The first problems that were found.
    total : How many there are in all.
    store : Address of the store that failed, without credentials.
    exit_code : What the command ends with.
    """

    schema: Literal["ratingpriv.error/1"]
    tool: Tool
    code: Annotated[str, Meta(pattern="^[a-z]+(_[a-z]+)*$")]
    message: str
    problems: list[Problem]
    total: Count
    store: str | None
    exit_code: Annotated[int, Meta(ge=1, le=255)]


ReportPart = Annotated[
    str, Meta(pattern="^(audit|audit_release|frontier|attack|utility|recommend|anonymize|verify)$")
]


class Report(Document):
    """What a report was made of: the documents of everything that was measured.

    Attributes
    ----------
    schema : Name and version of this form.
    satisfied : Whether the release, or else the data, is as anonymous as requested, and its manifest valid
        where there is one.
    documents : The documents, exact as they are for the team, by their part: audit, audit_release (the audit
        of the release), frontier, attack, utility, recommend, anonymize, verify. Each keeps the schema that
        it names.
    """

    schema: Literal["ratingpriv.report/1"]
    tool: Tool
    satisfied: bool
    documents: dict[ReportPart, dict[str, Any]]


class HashedFile(Document):
    """A file and its hash.

    Attributes
    ----------
    file : The file or folder, from the codebook's folder.
    sha256 : Of its bytes; of a folder, of the names and hashes of its files. Null where there is none.
    """

    file: str
    sha256: Sha256 | None


RunState = Literal["planned", "running", "done", "kept", "stale", "left_out", "failed", "interrupted"]
"""Of a step: kept is finished earlier and unchanged, stale finished earlier, of other inputs."""


class RunStep(Document):
    """A step of the file, and what became of it.

    Attributes
    ----------
    name : The command.
    gate : Whether the run ends with 1 where it does.
    state : What became of it.
    exit_code : The command's; null where it did not run.
    verdict : The first line of its text, or its error; null where it did not run.
    fingerprint : SHA-256 of what its result depends on; null where it did not run.
    command : The command line, for a shell in the codebook's folder.
    inputs : What it read, the codebook apart.
    files : What it wrote.
    """

    name: str
    gate: bool
    state: RunState
    exit_code: int | None
    verdict: str | None
    fingerprint: Sha256 | None
    command: str
    inputs: list[HashedFile]
    files: list[HashedFile]


class Run(Document):
    """What a run of several commands did, and what became of each.

    Attributes
    ----------
    schema : Name and version of this form.
    codebook : The file that says what is run.
    data : The data, by their path from the codebook's folder.
    output : The folder of the results, from the codebook's.
    exit_code : What the run ended with; null where it has not ended, or was only planned.
    steps : In the order in which they are run.
    """

    schema: Literal["ratingpriv.run/1"]
    tool: Tool
    codebook: HashedFile
    data: HashedFile
    output: str
    exit_code: int | None
    steps: list[RunStep]
