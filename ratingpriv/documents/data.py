"""What the data are: files, their columns, what was read of them; ``ratingpriv.describe/1``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256


class Tool(Document):
    """What made this document."""

    version: str  #: Version of ratingpriv.
    command: str | None  #: The command as typed, secrets hidden; null where a Python program made it.


class Contract(Document, tag_field="schema"):
    """A document for itself: its first key is ``schema``, the class's tag; the second what made it."""

    tool: Tool


class Caution(Document):
    """Something to know before relying on the result."""

    #: For programs; never changes its meaning, and new ones may be added.
    code: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
    message: str  #: For people; may be reworded.
    #: Of a reservation: what a verdict that holds says with it; empty where it changes nothing of this one.
    but: str | UnsetType = UNSET


class Selection(Document):
    """Which part of the data this is."""

    issues: Count  #: Non-sensitive issues that were looked at.
    of_issues: Count  #: Non-sensitive issues that the data have, dropped ones included.
    records: Count  #: Records that were looked at.
    of_records: Count  #: Records that the data have.
    #: What issues or records were drawn with; null where nothing was drawn, or not with one known seed.
    seed: Count | None
    dropped: list[str]  #: Names left out with --drop, sensitive ones included.


class Scale(Document):
    """Ends of the rating scale."""

    min: float  #: Smallest rating.
    max: float  #: Largest rating.


class QuasiIdentifier(Document):
    """A column that others may know, and when two of its values count as the same."""

    name: str  #: Name of the column.
    #: equal: the same value; within: numbers that differ by at most so much.
    rule: Literal["equal", "within"]
    #: The most by which two records may differ; there with the rule within only.
    within: Amount | UnsetType = UNSET
    #: How its values were recoded, in words; not there where they are as read.
    recoded: str | UnsetType = UNSET


class Roles(Document):
    """What each column was taken for; null where no roles were given and the format decides."""

    columns: dict[str, list[str]]  #: By role, the names of its columns, in the order of the data.
    codebook: Sha256 | None  #: SHA-256 of the codebook; null where there was none.
    #: Columns that were taken for quasi-identifiers on nobody's word: called like an attribute of a person,
    #: or of two values beside questions of four steps or more.
    guessed: list[str]


class EqualRecords(Document):
    """The same records counted as equal: at epsilon 0, with all other rules the same.

    Null where that was not counted.
    """

    max_k: Positive  #: The largest k.
    unique: Count  #: Records that no other is equal to.
    #: Records with fewer than k equal ones, themselves included; null where no k was asked for.
    violators: Count | None


_ACCEPTED = (
    "Codes of the reservations of this result that were accepted: with all of them the verdict is a yes."
)
_EQUAL = (
    "The same records counted as equal: at epsilon 0, with all other rules the same; null where that was not "
    "counted."
)
_QUASI = (
    "Quasi-identifiers: known attributes of the persons, and when two records are the same on one, whatever "
    "epsilon is."
)
_CARRIED = "Names of the columns that are released though nobody audited them."
_SELECTED = "Null where nothing was left out of the data; otherwise the result is about this part only."

# keys that mean the same wherever they stand
AcceptedCodes = Annotated[list[str], Meta(description=_ACCEPTED)]
CarriedColumns = Annotated[list[str], Meta(description=_CARRIED)]
CountedAsEqual = Annotated[EqualRecords | None, Meta(description=_EQUAL)]
QuasiIdentifiers = Annotated[list[QuasiIdentifier], Meta(description=_QUASI)]
SelectedPart = Annotated[Selection | None, Meta(description=_SELECTED)]


class DatasetShape(Document):
    """What was looked at."""

    name: str  #: The data as they were named: a path, <stdin>, a data frame, or a dataset of a store.
    records: Count  #: Records after selection and sampling.
    issues: Count  #: Non-sensitive issues.
    sensitive: list[str]  #: Names of the sensitive issues.
    #: Those among the sensitive issues whose values are words, of which an SD says nothing.
    nominal: list[str]
    ratings: Count  #: Ratings of the non-sensitive issues.
    scale: Scale | None  #: Null where nothing is rated and nothing was declared.
    quasi: QuasiIdentifiers
    carried: CarriedColumns
    roles: Roles | None
    sha256: Sha256 | None  #: Of the bytes that were read, null for a data frame.


class MultilineCells(Document):
    """Cells of a text that span lines: what accounts for its lines beside its records."""

    cells: Count  #: Quoted cells over more than one line.
    longest: Count  #: How many lines the longest of them spans; 0 without any.


class GroupSize(Document):
    """How many groups have one size."""

    size: Positive
    groups: Positive


class AuditedDataset(DatasetShape):
    """What was looked at."""

    hamming_groups: Count  #: Groups of records that rate exactly the same issues.
    singleton_hamming_groups: Count  #: How many of these groups have one record.
    hamming_group_sizes: list[GroupSize]  #: How many of these groups have each size, ascending.
    multiline: MultilineCells | None  #: Cells that span lines; null where no text was read, as from a store.
    previews: Count  #: Rows left out that a survey tool marks as previews of the survey, nobody's answers.


class ReadColumn(Document):
    """How one column is read."""

    role: Literal["rating", "quasi", "sensitive", "carry"]
    kind: Literal["nominal"] | UnsetType = UNSET  #: Of a sensitive one whose values are categories.
    #: The most by which two records may differ; without it they must be equal.
    within: Amount | UnsetType = UNSET
    labels: Annotated[list[str], Meta(min_length=2)] | UnsetType = UNSET  #: Words that stand for 1, 2, ...


class ReadOptions(Document):
    """How a release is read: the format, and the options of ratingpriv.read that are not as usual."""

    format: str  #: Name of the format.
    layout: Literal["long", "wide"] | UnsetType = UNSET  #: A row a rating, or a row a record.
    id: str | UnsetType = UNSET  #: Column of record ids.
    issue: str | UnsetType = UNSET  #: Column of issues.
    rating: str | UnsetType = UNSET  #: Column of ratings.
    timestamp: str | UnsetType = UNSET  #: Column of times.
    sensitive: list[str] | UnsetType = UNSET  #: Names of sensitive issues.
    #: What single columns are, where they are no plain numbers on a scale; an empty cell alone means
    #: unanswered then.
    columns: dict[str, ReadColumn] | UnsetType = UNSET
    only: list[str] | UnsetType = UNSET  #: Issues that are kept.
    scale: tuple[float, float] | UnsetType = UNSET  #: Smallest and largest rating.
    #: Smallest and largest rating of sensitive issues that have a scale of their own.
    sensitive_scale: dict[str, tuple[float, float]] | UnsetType = UNSET
    null: list[str] | UnsetType = UNSET  #: Texts that mean unanswered.
    delimiter: str | UnsetType = UNSET  #: What stands between columns.
    encoding: str | UnsetType = UNSET  #: A codec's name.
    #: Whether quoted cells over lines that look like rows are meant; a release has no stray quote.
    multiline: bool | UnsetType = UNSET
    header: bool | UnsetType = UNSET  #: Whether the first line names the columns.
    timestamps: bool | UnsetType = UNSET  #: Whether times are read.


class StoredScale(Scale):
    """Ends of the rating scale."""

    declared: bool  #: Whether a user declared it.


class StoredDataset(Document):
    """A dataset of a graph store."""

    name: str  #: Its name in the store.
    complete: bool  #: Whether it can be queried.
    loading: bool  #: Whether a load is under way or broken off.
    loaded: dict[str, Count] | None  #: How far a load is, by kind.
    records: Count  #: Records.
    issues: Count  #: Issues, sensitive ones included.
    ratings: Count  #: Ratings.
    hamming_groups: Count  #: Groups of records that rate exactly the same issues.
    pairs: Count  #: Unordered pairs of proximate records.
    epsilon_max: Amount  #: Pairs up to this distance are there.
    nulls: Literal["strict", "wildcard"]  #: The rule for unanswered questions.
    edges: Literal["all", "at-risk"]  #: All pairs, or those of records at risk.
    k: Positive | None  #: The k of the records at risk.
    scale: StoredScale | None
    selection: SelectedPart
    quasi: QuasiIdentifiers
    all_ratings: bool  #: Whether it holds non-sensitive ratings, too.
    pseudonymized: bool  #: Whether ids were replaced.
    created_at: str  #: When the load began, ISO 8601.
    sha256: Sha256 | None  #: Of the data file.
    tool: str  #: What wrote it.


class DescribedFile(Document):
    """What was described."""

    name: str
    format: str  #: The loader that read it.
    records: Count
    multiline: MultilineCells | None  #: Cells that span lines; null where the file is no text.
    previews: Count  #: Rows left out that a survey tool marks as previews of the survey, nobody's answers.


class ColumnRoles(Document):
    """How many columns are proposed for each role."""

    id: Count
    identifier: Count
    rating: Count
    quasi: Count
    sensitive: Count
    carry: Count
    drop: Count


class DescribedColumn(Document):
    """One column: what it holds, and what it is taken for."""

    name: str
    position: Positive  #: Its number in the file.
    role: Literal["id", "identifier", "rating", "quasi", "sensitive", "carry", "drop"]  #: The role proposed.
    why: str  #: The reason, without any value of the data.
    codebook: dict[str, Any]  #: What a codebook would say of the column.
    #: What its cells hold.
    type: Literal[
        "whole numbers", "numbers", "text", "numbers and text", "dates", "yes or no", "empty", "not read"
    ]
    distinct: Count | None  #: Different values; null where the column was not read.
    answers: Count | None  #: Cells with a value; null where the column was not read.
    missing: Count | None  #: Cells without one; null where the column was not read.
    min: float | None  #: The least number, of ratings, quasi-identifiers and sensitive columns; else null.
    max: float | None  #: The greatest number, likewise.
    question: str | None  #: What was asked, where the format tells.
    examples: list[str]  #: A few values, where they were asked for.


class Description(Contract, tag="ratingpriv.describe/1"):
    """What each column of a file seems to be, as a proposal."""

    dataset: DescribedFile
    roles: ColumnRoles
    columns: list[DescribedColumn]  #: Every column, in the file's order.
    cautions: list[Caution]  #: What to know before relying on it.
