"""What the program says of itself: checks, errors, runs, and the parts of a report."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from ratingpriv.documents.data import Contract
from ratingpriv.documents.form import Count, Document, Positive, Sha256, meaning


class Check(Document):
    __doc__ = "One thing that was tried."

    name: Annotated[str, meaning("What was tried.")]
    works: Annotated[bool, meaning("Whether it works.")]
    seen: Annotated[str, meaning("What was seen; where it does not work, what to do.")]


class Doctor(Contract, tag="ratingpriv.doctor/1"):
    __doc__ = "Whether everything needed is installed and computes correctly."

    healthy: Annotated[bool, meaning("Whether every check works.")]
    facts: Annotated[dict[str, str], meaning("Python, platform, cores, memory.")]
    versions: Annotated[dict[str, str | None], meaning("Null for what is missing.")]
    loaders: Annotated[list[str], meaning("Names of the loaders that are installed.")]
    generators: Annotated[list[str], meaning("Names of the generators that are installed.")]
    checks: Annotated[list[Check], meaning("Each thing that was tried, graph stores among them.")]


class Problem(Document):
    __doc__ = "What is wrong: where, what was found, what was expected, what to do."

    parameter: Annotated[
        str | None, meaning("The option or parameter; null where it is about data.")
    ]
    file: Annotated[str | None, meaning("The file that it is about; null where it is about none.")]
    line: Annotated[
        Positive | None,
        meaning("Line of the file, from 1, the header counts; null where it is about none."),
    ]
    column: Annotated[
        str | int | None,
        meaning("Column of the file: a name, or a number from 1; null where it is about none."),
    ]
    found: Annotated[str, meaning("What is there, in words.")]
    cell: Annotated[
        str | None, meaning("What stands in the data; null unless --show-cells was given.")
    ]
    expected: Annotated[str, meaning("What should be there, in words.")]
    remedy: Annotated[str | None, meaning("What to do; null where nothing is proposed.")]


class ErrorReport(Contract, tag="ratingpriv.error/1"):
    __doc__ = "What went wrong, where --json was typed."

    code: Annotated[
        str,
        Meta(pattern="^[a-z]+(_[a-z]+)*$"),
        meaning("For programs; never changes its meaning, and new ones may be added."),
    ]
    message: Annotated[str, meaning("What standard error says, one line per problem.")]
    problems: Annotated[
        list[Problem],
        meaning("The first problems that were found; empty where the message says everything."),
    ]
    total: Annotated[Count, meaning("How many there are in all.")]
    store: Annotated[
        str | None,
        meaning("Address of the graph store that failed, without credentials; else null."),
    ]
    exit_code: Annotated[int, Meta(ge=1, le=255), meaning("What the command ends with.")]


ReportPart = Annotated[
    str, Meta(pattern="^(audit|audit_release|frontier|attack|utility|recommend|anonymize|verify)$")
]


class Report(Contract, tag="ratingpriv.report/1"):
    __doc__ = "What a report was made of: the documents of everything that was measured."

    satisfied: Annotated[
        bool,
        meaning(
            "Whether the release, or else the data, is as anonymous as requested, and its "
            "manifest valid "
            "where there is one."
        ),
    ]
    documents: Annotated[
        dict[ReportPart, dict[str, Any]],
        meaning(
            "The documents, exact as they are for the team, by their part: audit, audit_release "
            "(the audit "
            "of the release), frontier, attack, utility, recommend, anonymize, verify. What "
            "was not "
            "measured is not there. Each keeps the schema that it names."
        ),
    ]


class HashedFile(Document):
    __doc__ = "A file and its hash."

    file: Annotated[str, meaning("The file or folder, from the codebook's folder.")]
    sha256: Annotated[
        Sha256 | None,
        meaning(
            "Of its bytes; of a folder, of the names and hashes of its files. Null where there "
            "is none."
        ),
    ]


RunState = Literal[
    "planned", "running", "done", "kept", "stale", "left_out", "failed", "interrupted"
]
"""Of a step: kept is finished earlier and unchanged, stale finished earlier, of other inputs."""


class RunStep(Document, frozen=False):
    __doc__ = "A step of the file, and what became of it; it is filled in as the run goes on."

    name: Annotated[str, meaning("The command.")]
    gate: Annotated[bool, meaning("Whether the run ends with 1 where it does.")]
    state: Annotated[
        RunState,
        meaning(
            "planned: not run; running: the process was killed; done; kept: finished earlier, and "
            "unchanged; stale: finished earlier, with other data or options; left_out: there is no "
            "release; failed; interrupted."
        ),
    ]
    exit_code: Annotated[int | None, meaning("The command's; null where it did not run.")]
    verdict: Annotated[
        str | None,
        meaning("The first line of its text, or its error; null where it did not run."),
    ]
    fingerprint: Annotated[
        Sha256 | None,
        meaning("SHA-256 of what its result depends on; null where it did not run."),
    ]
    command: Annotated[
        str,
        meaning(
            "The command line, for a shell in the codebook's folder; secrets are left to the "
            "codebook."
        ),
    ]
    inputs: Annotated[list[HashedFile], meaning("What it read, the codebook apart.")]
    files: Annotated[list[HashedFile], meaning("What it wrote.")]


class Run(Contract, tag="ratingpriv.run/1"):
    __doc__ = "What a run of several commands did, and what became of each."

    codebook: Annotated[HashedFile, meaning("The file that says what is run.")]
    data: Annotated[HashedFile, meaning("The data, by their path from the codebook's folder.")]
    output: Annotated[str, meaning("The folder of the results, from the codebook's.")]
    exit_code: Annotated[
        int | None,
        meaning("What the run ended with; null where it has not ended, or was only planned."),
    ]
    steps: Annotated[list[RunStep], meaning("In the order in which they are run.")]
