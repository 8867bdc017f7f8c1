"""What the data are: files, their columns, what was read of them; ``ratingpriv.describe/1``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256, meaning


class Tool(Document):
    __doc__ = "What made this document."

    version: Annotated[str, meaning("Version of ratingpriv.")]
    command: Annotated[
        str | None,
        meaning("The command as typed, secrets hidden; null where a Python program made it."),
    ]


class Contract(Document, tag_field="schema"):
    __doc__ = (
        "A document for itself: its first key is ``schema``, the class's tag; the second "
        "what made it."
    )

    tool: Tool


class Caution(Document):
    __doc__ = "Something to know before relying on the result."

    code: Annotated[
        str,
        Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$"),
        meaning("For programs; never changes its meaning, and new ones may be added."),
    ]
    message: Annotated[str, meaning("For people; may be reworded.")]
    but: Annotated[
        str | UnsetType,
        meaning(
            "Of a reservation: what a verdict that holds says with it; empty where it changes "
            "nothing of "
            "this one."
        ),
    ] = UNSET


class Selection(Document):
    __doc__ = "Which part of the data this is."

    issues: Annotated[Count, meaning("Non-sensitive items that were looked at.")]
    of_issues: Annotated[
        Count, meaning("Non-sensitive items that the data have, dropped ones included.")
    ]
    records: Annotated[Count, meaning("Records that were looked at.")]
    of_records: Annotated[Count, meaning("Records that the data have.")]
    seed: Annotated[
        Count | None,
        meaning(
            "What items or records were drawn with; null where nothing was drawn, or not with "
            "one known "
            "seed."
        ),
    ]
    dropped: Annotated[
        list[str],
        meaning("Names dropped with --drop, sensitive items and columns of a long file included."),
    ]


class Scale(Document):
    __doc__ = "Ends of the rating scale."

    min: Annotated[float, meaning("Smallest rating.")]
    max: Annotated[float, meaning("Largest rating.")]


class QuasiIdentifier(Document):
    __doc__ = "A column that others may know, and when two of its values count as the same."

    name: Annotated[str, meaning("Name of the column.")]
    rule: Annotated[
        Literal["equal", "within"],
        meaning("equal: the same value; within: numbers that differ by at most so much."),
    ]
    within: Annotated[
        Amount | UnsetType,
        meaning("The most by which two records may differ; there with the rule within only."),
    ] = UNSET
    recoded: Annotated[
        str | UnsetType,
        meaning("How its values were recoded, in words; not there where they are as read."),
    ] = UNSET


class Roles(Document):
    __doc__ = (
        "What each column was taken for; null where no roles were given and the format decides."
    )

    columns: Annotated[
        dict[str, list[str]],
        meaning("By role, the names of its columns, in the order of the data."),
    ]
    codebook: Annotated[
        Sha256 | None, meaning("SHA-256 of the codebook; null where there was none.")
    ]
    guessed: Annotated[
        list[str],
        meaning(
            "Columns that were taken for quasi-identifiers by a guess: called like an attribute "
            "of a person, or of two values beside items of four steps or more."
        ),
    ]


class EqualRecords(Document):
    __doc__ = """The same records counted as equal: at epsilon 0, with all other rules the same.

    Null where that was not counted.
    """

    max_k: Annotated[Positive, meaning("The largest k.")]
    unique: Annotated[Count, meaning("Records that no other is equal to.")]
    violators: Annotated[
        Count | None,
        meaning(
            "Records with fewer than k equal ones, themselves included; null where no k was "
            "asked for."
        ),
    ]


_ACCEPTED = (
    "Codes of the reservations of this result that were accepted: with all of them the "
    "verdict is a yes."
)
_EQUAL = (
    "The same records counted as equal: at epsilon 0, with all other rules the same; null where "
    "that was not "
    "counted."
)
_QUASI = (
    "Quasi-identifiers: known attributes of the persons, and when two records are the same on "
    "one, whatever "
    "epsilon is."
)
_CARRIED = "Names of the columns that are released without an audit."
_SELECTED = "Null where all data were used; otherwise the result is about this part only."

# keys that mean the same wherever they stand
AcceptedCodes = Annotated[list[str], Meta(description=_ACCEPTED)]
CarriedColumns = Annotated[list[str], Meta(description=_CARRIED)]
CountedAsEqual = Annotated[EqualRecords | None, Meta(description=_EQUAL)]
QuasiIdentifiers = Annotated[list[QuasiIdentifier], Meta(description=_QUASI)]
SelectedPart = Annotated[Selection | None, Meta(description=_SELECTED)]


class DatasetShape(Document):
    __doc__ = "What was looked at."

    name: Annotated[
        str,
        meaning(
            "The data as they were named: a path, <stdin>, a data frame, or a dataset of a store."
        ),
    ]
    records: Annotated[Count, meaning("Records after selection and sampling.")]
    issues: Annotated[Count, meaning("Non-sensitive items.")]
    sensitive: Annotated[list[str], meaning("Names of the sensitive items.")]
    nominal: Annotated[
        list[str],
        meaning(
            "Those among the sensitive items whose values are words, of which an SD says nothing."
        ),
    ]
    ratings: Annotated[Count, meaning("Ratings of the non-sensitive items.")]
    scale: Annotated[Scale | None, meaning("Null where nothing is rated and nothing was declared.")]
    quasi: QuasiIdentifiers
    carried: CarriedColumns
    roles: Roles | None
    sha256: Annotated[Sha256 | None, meaning("Of the bytes that were read, null for a data frame.")]


class MultilineCells(Document):
    __doc__ = "Cells of a text that span lines: what accounts for its lines beside its records."

    cells: Annotated[Count, meaning("Quoted cells over more than one line.")]
    longest: Annotated[Count, meaning("How many lines the longest of them spans; 0 without any.")]


class GroupSize(Document):
    __doc__ = "How many groups have one size."

    size: Annotated[Positive, meaning("Records in a group.")]
    groups: Annotated[Positive, meaning("Groups of this size.")]


class AuditedDataset(DatasetShape):
    __doc__ = "What was looked at."

    hamming_groups: Annotated[
        Count,
        meaning(
            "Groups of records that rate exactly the same items, and are the same on the "
            "quasi-identifiers "
            "that have to be equal."
        ),
    ]
    singleton_hamming_groups: Annotated[
        Count,
        meaning(
            "How many of these groups have one record. Under the rule strict, with ε below the "
            "scale's "
            "maximum, such a record is isolated, whatever it rated."
        ),
    ]
    hamming_group_sizes: Annotated[
        list[GroupSize],
        meaning("How many of these groups have each size, ascending."),
    ]
    multiline: Annotated[
        MultilineCells | None,
        meaning("Cells that span lines; null where no text was read, as from a store."),
    ]
    previews: Annotated[
        Count,
        meaning(
            "Rows not read that a survey tool marks as previews of the survey, which are no "
            "records."
        ),
    ]


class ReadColumn(Document):
    __doc__ = "How one column is read."

    role: Annotated[
        Literal["rating", "quasi", "sensitive", "carry"], meaning("The role of the column.")
    ]
    kind: Annotated[
        Literal["nominal"] | UnsetType,
        meaning("Of a sensitive one whose values are categories."),
    ] = UNSET
    within: Annotated[
        Amount | UnsetType,
        meaning("The most by which two records may differ; without it they must be equal."),
    ] = UNSET
    labels: Annotated[
        Annotated[list[str], Meta(min_length=2)] | UnsetType,
        meaning("Words that stand for 1, 2, ..."),
    ] = UNSET


class ReadOptions(Document):
    __doc__ = (
        "How a release is read: the format, and the options of ratingpriv.read that are not "
        "as usual."
    )

    format: Annotated[str, meaning("Name of the format.")]
    layout: Annotated[
        Literal["long", "wide"] | UnsetType,
        meaning("One row per rating, or one per record."),
    ] = UNSET
    id: Annotated[str | UnsetType, meaning("Column of record ids.")] = UNSET
    issue: Annotated[str | UnsetType, meaning("Column of items.")] = UNSET
    rating: Annotated[str | UnsetType, meaning("Column of ratings.")] = UNSET
    timestamp: Annotated[str | UnsetType, meaning("Column of times.")] = UNSET
    sensitive: Annotated[list[str] | UnsetType, meaning("Names of sensitive items.")] = UNSET
    columns: Annotated[
        dict[str, ReadColumn] | UnsetType,
        meaning(
            "What single columns are, where they are no plain numbers on a scale; only an empty "
            "cell means missing then."
        ),
    ] = UNSET
    only: Annotated[list[str] | UnsetType, meaning("Items that are kept.")] = UNSET
    scale: Annotated[tuple[float, float] | UnsetType, meaning("Smallest and largest rating.")] = (
        UNSET
    )
    sensitive_scale: Annotated[
        dict[str, tuple[float, float]] | UnsetType,
        meaning("Smallest and largest rating of sensitive items that have a scale of their own."),
    ] = UNSET
    null: Annotated[list[str] | UnsetType, meaning("Texts that mean missing.")] = UNSET
    delimiter: Annotated[str | UnsetType, meaning("What stands between columns.")] = UNSET
    encoding: Annotated[str | UnsetType, meaning("A codec's name.")] = UNSET
    multiline: Annotated[
        bool | UnsetType,
        meaning(
            "Whether quoted cells over lines that look like rows are meant; a release has no "
            "stray quote."
        ),
    ] = UNSET
    header: Annotated[bool | UnsetType, meaning("Whether the first line names the columns.")] = (
        UNSET
    )
    timestamps: Annotated[bool | UnsetType, meaning("Whether times are read.")] = UNSET


class StoredScale(Scale):
    __doc__ = "Ends of the rating scale."

    declared: Annotated[bool, meaning("Whether a user declared it.")]


class StoredDataset(Document):
    __doc__ = "A dataset of a graph store."

    name: Annotated[str, meaning("Its name in the store.")]
    complete: Annotated[bool, meaning("Whether it can be queried.")]
    loading: Annotated[bool, meaning("Whether a load is under way or broken off.")]
    loaded: Annotated[dict[str, Count] | None, meaning("How far a load is, by kind.")]
    records: Annotated[Count, meaning("Records.")]
    issues: Annotated[Count, meaning("Items, sensitive ones included.")]
    ratings: Annotated[Count, meaning("Ratings.")]
    hamming_groups: Annotated[
        Count, meaning("Groups of records that rated exactly the same items.")
    ]
    pairs: Annotated[Count, meaning("Unordered pairs of proximate records.")]
    epsilon_max: Annotated[Amount, meaning("Pairs up to this distance are there.")]
    nulls: Annotated[Literal["strict", "wildcard"], meaning("The rule for missing ratings.")]
    edges: Annotated[Literal["all", "at-risk"], meaning("All pairs, or those of records at risk.")]
    k: Annotated[Positive | None, meaning("The k of the records at risk.")]
    scale: StoredScale | None
    selection: SelectedPart
    quasi: QuasiIdentifiers
    all_ratings: Annotated[bool, meaning("Whether it holds non-sensitive ratings, too.")]
    pseudonymized: Annotated[bool, meaning("Whether ids were replaced.")]
    created_at: Annotated[str, meaning("When the load began, ISO 8601.")]
    sha256: Annotated[Sha256 | None, meaning("Of the data file.")]
    tool: Annotated[str, meaning("What wrote it.")]


class DescribedFile(Document):
    __doc__ = "What was described."

    name: Annotated[str, meaning("The file, as it was named.")]
    format: Annotated[str, meaning("The loader that read it.")]
    records: Annotated[Count, meaning("Records of the file.")]
    multiline: Annotated[
        MultilineCells | None,
        meaning("Cells that span lines; null where the file is no text."),
    ]
    previews: Annotated[
        Count,
        meaning(
            "Rows not read that a survey tool marks as previews of the survey, which are no "
            "records."
        ),
    ]


class ColumnRoles(Document):
    __doc__ = "How many columns are proposed for each role."

    id: Annotated[Count, meaning("Columns of record ids.")]
    identifier: Annotated[Count, meaning("Direct identifiers, which no release has.")]
    rating: Annotated[Count, meaning("Items.")]
    quasi: Annotated[Count, meaning("Quasi-identifiers.")]
    sensitive: Annotated[Count, meaning("Sensitive items.")]
    carry: Annotated[Count, meaning("Columns that are released without an audit.")]
    drop: Annotated[Count, meaning("Columns that are not read.")]


class DescribedColumn(Document):
    __doc__ = "One column: what it holds, and what it is taken for."

    name: Annotated[str, meaning("Name of the column.")]
    position: Annotated[Positive, meaning("Its number in the file.")]
    role: Annotated[
        Literal["id", "identifier", "rating", "quasi", "sensitive", "carry", "drop"],
        meaning("The role proposed."),
    ]
    why: Annotated[str, meaning("The reason, without any value of the data.")]
    codebook: Annotated[dict[str, Any], meaning("What a codebook would say of the column.")]
    type: Annotated[
        Literal[
            "whole numbers",
            "numbers",
            "text",
            "numbers and text",
            "dates",
            "yes or no",
            "empty",
            "not read",
        ],
        meaning("What its cells hold."),
    ]
    distinct: Annotated[
        Count | None, meaning("Different values; null where the column was not read.")
    ]
    answers: Annotated[
        Count | None, meaning("Cells with a value; null where the column was not read.")
    ]
    missing: Annotated[
        Count | None, meaning("Cells without one; null where the column was not read.")
    ]
    min: Annotated[
        float | None,
        meaning(
            "The least number, of ratings, quasi-identifiers and sensitive columns; else null."
        ),
    ]
    max: Annotated[float | None, meaning("The greatest number, likewise.")]
    question: Annotated[str | None, meaning("What was asked, where the format tells.")]
    examples: Annotated[list[str], meaning("A few values, where they were asked for.")]


class Description(Contract, tag="ratingpriv.describe/1"):
    __doc__ = "What each column of a file seems to be, as a proposal."

    dataset: DescribedFile
    roles: ColumnRoles
    columns: Annotated[list[DescribedColumn], meaning("Every column, in the file's order.")]
    cautions: Annotated[list[Caution], meaning("What to know before relying on it.")]
