"""What the data are: files, their columns, what was read of them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256


class Tool(Document):
    """What made this document.

    Attributes
    ----------
    version : Version of ratingpriv.
    command : The command as typed, secrets hidden; null where a Python program made it.
    """

    version: str
    command: str | None


class Caution(Document):
    """Something to know before relying on the result.

    Attributes
    ----------
    code : For programs; never changes its meaning, and new ones may be added.
    message : For people; may be reworded.
    but : Of a code that can change what a verdict says: what follows SATISFIED, but; empty where it changes
        nothing of this one.
    """

    code: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
    message: str
    but: str | UnsetType = UNSET


class Selection(Document):
    """Which part of the data this is.

    Attributes
    ----------
    issues : Non-sensitive issues that were looked at.
    of_issues : Non-sensitive issues that the data have, dropped ones included.
    records : Records that were looked at.
    of_records : Records that the data have.
    seed : What issues or records were drawn with; null where nothing was drawn, or not with one known seed.
    dropped : Names left out with --drop, sensitive ones included.
    """

    issues: Count
    of_issues: Count
    records: Count
    of_records: Count
    seed: Count | None
    dropped: list[str]


class Scale(Document):
    """Ends of the rating scale.

    Attributes
    ----------
    min : Smallest rating.
    max : Largest rating.
    """

    min: float
    max: float


class QuasiIdentifier(Document):
    """A column that others may know, and when two of its values count as the same.

    Attributes
    ----------
    name : Name of the column.
    rule : equal: the same value; within: numbers that differ by at most so much.
    within : The most by which two records may differ; there with the rule within only.
    recoded : How its values were recoded, in words; not there where they are as read.
    """

    name: str
    rule: Literal["equal", "within"]
    within: Amount | UnsetType = UNSET
    recoded: str | UnsetType = UNSET


class Roles(Document):
    """What each column was taken for; null where no roles were given and the format decides.

    Attributes
    ----------
    columns : By role, the names of its columns, in the order of the data.
    codebook : SHA-256 of the codebook; null where there was none.
    guessed : Columns that were taken for quasi-identifiers on nobody's word: called like an attribute of a
        person, or of two values beside questions of four steps or more.
    """

    columns: dict[str, list[str]]
    codebook: Sha256 | None
    guessed: list[str]


class EqualRecords(Document):
    """The same records counted as equal: at epsilon 0, with all other rules the same.

    Null where that was not counted.

    Attributes
    ----------
    max_k : The largest k.
    unique : Records that no other is equal to.
    violators : Records with fewer than k equal ones, themselves included; null where no k was asked for.
    """

    max_k: Positive
    unique: Count
    violators: Count | None


class DatasetShape(Document):
    """What was looked at.

    Attributes
    ----------
    name : The data as they were named: a path, <stdin>, a data frame, or a dataset of a store.
    records : Records after selection and sampling.
    issues : Non-sensitive issues.
    sensitive : Names of the sensitive issues.
    nominal : Those among the sensitive issues whose values are words, of which an SD says nothing.
    ratings : Ratings of the non-sensitive issues.
    scale : Null where nothing is rated and nothing was declared.
    quasi : Quasi-identifiers: known attributes of the persons, and when two records are the same on one,
        whatever epsilon is.
    carried : Names of the columns that are released though nobody audited them.
    sha256 : Of the bytes that were read, null for a data frame.
    """

    name: str
    records: Count
    issues: Count
    sensitive: list[str]
    nominal: list[str]
    ratings: Count
    scale: Scale | None
    quasi: list[QuasiIdentifier]
    carried: list[str]
    roles: Roles | None
    sha256: Sha256 | None


class GroupSize(Document):
    """How many groups have one size."""

    size: Positive
    groups: Positive


class AuditedDataset(DatasetShape):
    """What was looked at.

    Attributes
    ----------
    hamming_groups : Groups of records that rate exactly the same issues.
    singleton_hamming_groups : How many of these groups have one record.
    hamming_group_sizes : How many of these groups have each size, ascending.
    """

    hamming_groups: Count
    singleton_hamming_groups: Count
    hamming_group_sizes: list[GroupSize]


class ReadColumn(Document):
    """How one column is read.

    Attributes
    ----------
    kind : Of a sensitive one whose values are categories.
    within : The most by which two records may differ; without it they must be equal.
    labels : Words that stand for 1, 2, ...
    """

    role: Literal["rating", "quasi", "sensitive", "carry"]
    kind: Literal["nominal"] | UnsetType = UNSET
    within: Amount | UnsetType = UNSET
    labels: Annotated[list[str], Meta(min_length=2)] | UnsetType = UNSET


class ReadOptions(Document):
    """How a release is read: the format, and the options of ratingpriv.read that are not as usual.

    Attributes
    ----------
    format : Name of the format.
    layout : A row a rating, or a row a record.
    id : Column of record ids.
    issue : Column of issues.
    rating : Column of ratings.
    timestamp : Column of times.
    sensitive : Names of sensitive issues.
    columns : What single columns are, where they are no plain numbers on a scale; an empty cell alone means
        unanswered then.
    only : Issues that are kept.
    scale : Smallest and largest rating.
    sensitive_scale : Smallest and largest rating of sensitive issues that have a scale of their own.
    null : Texts that mean unanswered.
    delimiter : What stands between columns.
    encoding : A codec's name.
    header : Whether the first line names the columns.
    timestamps : Whether times are read.
    """

    format: str
    layout: Literal["long", "wide"] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    issue: str | UnsetType = UNSET
    rating: str | UnsetType = UNSET
    timestamp: str | UnsetType = UNSET
    sensitive: list[str] | UnsetType = UNSET
    columns: dict[str, ReadColumn] | UnsetType = UNSET
    only: list[str] | UnsetType = UNSET
    scale: tuple[float, float] | UnsetType = UNSET
    sensitive_scale: dict[str, tuple[float, float]] | UnsetType = UNSET
    null: list[str] | UnsetType = UNSET
    delimiter: str | UnsetType = UNSET
    encoding: str | UnsetType = UNSET
    header: bool | UnsetType = UNSET
    timestamps: bool | UnsetType = UNSET


class StoredScale(Scale):
    """Ends of the rating scale.

    Attributes
    ----------
    declared : Whether a user declared it.
    """

    declared: bool


class StoredDataset(Document):
    """A dataset of a graph store.

    Attributes
    ----------
    name : Its name in the store.
    complete : Whether it can be queried.
    loading : Whether a load is under way or broken off.
    loaded : How far a load is, by kind.
    records : Records.
    issues : Issues, sensitive ones included.
    ratings : Ratings.
    hamming_groups : Groups of records that rate exactly the same issues.
    pairs : Unordered pairs of proximate records.
    epsilon_max : Pairs up to this distance are there.
    nulls : The rule for unanswered questions.
    edges : All pairs, or those of records at risk.
    k : The k of the records at risk.
    selection : Null where nothing was left out of the data; otherwise the result is about this part only.
    quasi : Quasi-identifiers: known attributes of the persons, and when two records are the same on one,
        whatever epsilon is.
    all_ratings : Whether it holds non-sensitive ratings, too.
    pseudonymized : Whether ids were replaced.
    created_at : When the load began, ISO 8601.
    sha256 : Of the data file.
    tool : What wrote it.
    """

    name: str
    complete: bool
    loading: bool
    loaded: dict[str, Count] | None
    records: Count
    issues: Count
    ratings: Count
    hamming_groups: Count
    pairs: Count
    epsilon_max: Amount
    nulls: Literal["strict", "wildcard"]
    edges: Literal["all", "at-risk"]
    k: Positive | None
    scale: StoredScale | None
    selection: Selection | None
    quasi: list[QuasiIdentifier]
    all_ratings: bool
    pseudonymized: bool
    created_at: str
    sha256: Sha256 | None
    tool: str
