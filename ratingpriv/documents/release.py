"""What a release is, beside the data it was made of: its manifest, its key, and what verifying it finds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.documents import data
from ratingpriv.documents.attack import GroupTables
from ratingpriv.documents.audit import KnownVerdict
from ratingpriv.documents.demands import Gate, ReleaseTarget, Shares, Target
from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256, Share


class Method(Document):
    """How a release was made."""

    name: str  #: Name of the method.
    seed: Count | None  #: Seed of its random numbers; null where it has none or does not tell it.
    strategy: str | None  #: How it moves ratings.
    grouping: str | None  #: The grouping that was taken.
    fabricate: bool | None  #: Whether it may impute ratings.
    fill: str | None  #: How it imputes.
    scheme: str | None  #: What a group is given: pure or padded.
    labels: str | None  #: What becomes of a group's mean: rounded or exact.
    #: b and l: every b issues that somebody rated together are in at least l groups.
    diversity: tuple[Positive, Positive] | None
    factors: Count | None  #: Factors of the model that predicts, at most.
    bins: int | str | None  #: Bins that records are sorted into: a number, or auto.
    centres: str | None  #: What the centre of a bin is: virtual or real.
    optimal: bool  #: Whether nothing better exists, in the sense of the statement.
    statement: str  #: What is claimed, in a sentence.
    #: Share of the ratings that was to be left by blank; only where one was named.
    keep_at_least: Share | UnsetType = UNSET
    #: What swap makes of missing values.
    swap_nulls: Literal["exchange", "fill", "strict"] | UnsetType = UNSET
    withhold_at_most: Share | UnsetType = UNSET  #: Share of the people that swap may leave out, where given.
    max_share: Share | UnsetType = UNSET  #: Demand on the groups of swap: largest share of a sensitive value.
    distinct: Positive | UnsetType = UNSET  #: Demand on the groups of swap: different sensitive values.
    entropy: Amount | UnsetType = UNSET  #: Demand on the groups of swap: exponential of the entropy.


class ReleaseVerification(Document):
    """An audit of what was made."""

    satisfied: bool  #: Whether the target holds.
    read_from: Literal["the written file", "memory"]  #: What was audited.
    largest_k: Count  #: The largest k that holds.
    #: For each sensitive issue the largest l that holds; null without l.
    largest_l: dict[str, Amount | None] | None
    highest_risk: Share  #: Largest 1 / neighbourhood size.
    average_risk: Share  #: Mean of 1 / neighbourhood size.
    violators: Count  #: Records that break the target.
    #: The verdict against any few known ratings, where that is the target: the one that counts. The rest is
    #: then about an adversary who knows all ratings of a record.
    known: KnownVerdict | UnsetType = UNSET


class PredictiveGroups(Document):
    """Groups of identical records."""

    count: Positive
    smallest: Positive  #: Records of the smallest.
    largest: Positive  #: Records of the largest.


class LinkConfidence(Document):
    """How likely a released rating is one that the person gave: the share of its group that rated the issue.

    Over all released ratings.
    """

    edges: Count  #: Released ratings.
    real: Count  #: Those whose person rated the issue.
    mean: Share | None
    percentile_95: Share | None
    largest: Share | None
    above: Share | None  #: Share of released ratings with a confidence above 1/k.
    above_twice: Share | None  #: Share with a confidence above 2/k.
    certain: Count  #: Released ratings of issues that everybody in the group rated.


class ExactMeans(Document):
    """What exact means prove of how many rated; null where they are rounded, or the ratings no decimals."""

    cells: Count  #: Issues of groups.
    prove_two: Count  #: Those that prove that at least two rated.
    prove_all: Count  #: Those that prove that everybody in the group rated.


class Diversity(Document):
    """Every b issues that somebody rated together are in at least l groups.

    Null where that was not asked for.
    """

    b: Positive
    l: Positive
    added_cells: Count  #: Issues that were added to groups for that.


class Predictive(Document):
    """What the ratings of a release by predictive give away, counted in the original.

    Only there for this method.
    """

    groups: PredictiveGroups
    link_confidence: LinkConfidence
    exact_means: ExactMeans | None
    diversity: Diversity | None


class LevelLeft(Document):
    """What is left of the ratings of one value."""

    rating: float
    before: Positive  #: How many there were.
    kept: Share  #: Share of them that is left.


class Blanked(Document):
    """What blanks took, counted in the original. Only there for the method blank."""

    blanks: Count  #: Ratings that are blank now.
    kept: Share | None  #: Share of the ratings that is left; null where there were none.
    levels: list[LevelLeft]  #: By rating, the lowest first.
    records_emptied: Count  #: Records that have lost their last rating.
    issues_emptied: Count  #: Issues that have.


class Swapped(Document):
    """What a release by swap tells, for its publisher. Only there for this method."""

    groups: Positive  #: How many groups of people exchanged their values.
    smallest: Positive  #: People of the smallest group.
    largest: Positive  #: People of the largest group.
    scatter: Share  #: Squares within groups as a share of all squares.
    nulls: Literal["exchange", "fill", "strict"]  #: What became of missing values.
    tables: GroupTables
    constant: list[str]  #: Quasi-identifiers that have one value in each group, and so stand as they are.
    smaller: Amount | None  #: The next smaller ε that was tried; null where ε was given, or is the smallest.
    smaller_left_out: Count | None  #: How many records that one leaves out.


class QuasiCost(Document):
    """What became of quasi-identifiers; only there where there are any. Nothing else counts them."""

    cells: Count  #: Their values in the input, suppressed records included.
    changed: Count  #: Numbers that were moved; no category ever is.
    erased: Count  #: Suppressed values.
    records_touched: Count  #: Released records with one of these.
    withheld: Count  #: Values of suppressed records.
    moved: Amount  #: Sum of the moves, each as a share of the range of its column.


class WholeDistortion(Document):
    """What the release costs; means are rounded.

    What is counted in the input is null for swap: it would tell which values stood beside each other there.
    """

    total: Amount | None  #: Information loss (L1).
    changed: Count | None
    filled: Count | None
    erased: Count | None
    records_touched: Count | None
    records_withheld: Count
    ratings: Count | None
    cells: Count
    ratings_withheld: Count | None
    mean_before: float | None
    mean_after: float | None
    mean_filled: float | None
    sd_filled: Amount | None
    shares: Shares | None
    quasi: QuasiCost | UnsetType = UNSET


class StatedUtility(Document):
    """A measure as a manifest states it, beside the original's and a worthless release's."""

    value: float | None  #: The measure; null where there is none, and then `reason` says why.
    low: float | None  #: The lower end of an interval or a range around it.
    high: float | None  #: The upper end.
    original: float | None  #: The same measure of the original itself.
    worthless: float | None  #: The same of a release in which every rating is a random one of its issue.
    reason: str | UnsetType = UNSET  #: Why there is no value.


class ManifestRelease(Document):
    """The release."""

    file: str  #: Name of the released file.
    sha256: Sha256  #: Of its bytes.


class ManifestRecords(Document):
    """Records released and suppressed."""

    released: Count
    withheld: Count


class LeftOut(Document):
    """How many columns of the input are in no release, by role; their names are not told.

    Null where no roles were given.
    """

    identifier: Count
    drop: Count


class ManifestInput(Document):
    """Proves later which input it was."""

    sha256: None  #: Not published.
    why: str
    commitment: Sha256 | None  #: SHA-256 of nonce:input_sha256 of the key.


class Signature(Document):
    """Of everything else that it says; only where it was signed."""

    algorithm: str  #: Name of the algorithm.
    public_key_sha256: Sha256  #: Which key checks it.
    value: Annotated[str, Meta(pattern="^[0-9a-f]+$")]  #: The signature, in hex.


class Manifest(Document, kw_only=True, tag_field="schema", tag="ratingpriv.manifest/1"):
    """What a release claims, for everybody."""

    release: ManifestRelease
    parameters: ReleaseTarget
    method: Method
    ids: Literal["shuffle", "strip", "keep"]  #: What became of ids and order.
    records: ManifestRecords
    issues: Count  #: Non-sensitive issues.
    sensitive: list[str]  #: Names of sensitive issues.
    nominal: list[str]  #: Names of those sensitive ones whose values are categories.
    quasi: data.QuasiIdentifiers
    recoded: dict[str, str]  #: How the values of quasi-identifiers were recoded, in words, by name.
    carried: data.CarriedColumns
    left_out: LeftOut | None
    distortion: WholeDistortion
    #: Measures of utility that the publisher states, by name, in two digits; nobody can check them without
    #: the original.
    utility: dict[str, StatedUtility] | UnsetType = UNSET
    verification: ReleaseVerification
    read: data.ReadOptions
    cautions: list[data.Caution]  #: The same with codes for programs.
    accepted: data.AcceptedCodes | UnsetType = UNSET
    input: ManifestInput
    versions: dict[str, str]  #: Of what made it.
    signature: Signature | UnsetType = UNSET
    #: The manifest of the release that was being replaced, if that was broken off.
    replaces: Manifest | UnsetType | None = UNSET


class KeyRecord(Document):
    """Which released record is whose; null where it was withheld."""

    original: str | int  #: Id in the input.
    released: str | int | None  #: Id in the release; null where it was suppressed.


class KeyGroup(Document):
    """People who exchanged their values: a group of a release by swap."""

    original: list[str | int]  #: Ids in the input.
    released: list[str | int]  #: Ids of the records put together from their values, in no order.


class ReleaseKey(Document, tag_field="schema", tag="ratingpriv.key/1"):
    """Which released record is which original one; never published."""

    records_sha256: Sha256  #: Of the pairs as JSON without blanks and in ASCII.
    records: list[KeyRecord]  #: One for each record of the input, in its order.
    release_sha256: Sha256 | UnsetType = UNSET  #: Of the release.
    input_sha256: Sha256 | UnsetType | None = UNSET  #: Of the input.
    nonce: str | UnsetType | None = UNSET  #: Of the manifest's commitment.
    ids: Literal["shuffle", "strip", "keep"] | UnsetType = UNSET  #: What became of ids and order.
    seed: Count | UnsetType | None = UNSET  #: Of the order; null where it came from the operating system.
    method_seed: Count | UnsetType | None = UNSET  #: Of the changes; null where nothing was drawn.
    groups: list[KeyGroup] | UnsetType = UNSET  #: Of a release by swap.
    nulls: Literal["exchange", "fill", "strict"] | UnsetType = UNSET  #: What swap made of missing values.
    #: By column of a release by swap: for each of `records` that was released, in their order, the position
    #: in the input, from 0, of the record whose value it has; -1 where that was blanked.
    permutation: dict[str, list[int]] | UnsetType = UNSET
    answers_sha256: Sha256 | UnsetType = UNSET  #: Of who answered what, by which swap knows the same data.


class Claimed(Target):
    """What the manifest claims."""

    sensitive: list[str]
    quasi: data.QuasiIdentifiers
    carried: data.CarriedColumns
    scale: tuple[float, float] | None
    records: Count
    accepted: data.AcceptedCodes
    #: Any at most so many known ratings leave k records; not there where all are known.
    m: Positive | UnsetType = UNSET


class Found(Target):
    """An audit of the file."""

    satisfied: bool
    violators: Count
    largest_k: Count
    largest_l: dict[str, Amount | None] | None  #: For each sensitive issue; null without l.
    equal: data.CountedAsEqual
    highest_risk: Share  #: Largest 1 / neighbourhood size.
    cautions: list[data.Caution]  #: The same with codes for programs.
    #: The verdict against any few known ratings, where that is what is claimed or demanded: the one that
    #: counts. The rest is then about an adversary who knows all ratings of a record.
    known: KnownVerdict | UnsetType = UNSET


class ReadingColumns(Document):
    """What each column was taken for."""

    record: str | int | None
    issue: str | int | None
    rating: str | int | None
    timestamp: str | int | None


class ByTheWordOf(Document):
    """Who said so."""

    columns: Literal["file", "receiver", "manifest"]
    quasi: Literal["file", "receiver", "manifest"]
    sensitive: Literal["file", "receiver", "manifest"]
    scale: Literal["file", "receiver", "manifest"]


class Reading(Document):
    """How a release was read."""

    format: str
    layout: Literal["long", "wide"]  #: A row a rating, or a row a record.
    columns: ReadingColumns
    header: bool | None
    delimiter: str | None
    encoding: str | None
    null: list[str]  #: Texts that mean unanswered.
    sensitive: list[str]  #: Names of sensitive issues.
    nominal: list[str]  #: Names of those whose values are categories.
    quasi: data.QuasiIdentifiers
    carried: data.CarriedColumns
    words: list[str]  #: Names of the columns whose words were put in order by what was said of them.
    scale: data.StoredScale | None
    by_the_word_of: ByTheWordOf


class ReadBack(Document):
    """How the file was read."""

    claim: Reading | None  #: For the claim.
    demand: Reading | None  #: For what was demanded.


class SignatureCheck(Document):
    """Who wrote the manifest, as far as that was checked."""

    signed: bool  #: Whether the manifest has one.
    checked: bool  #: Whether a public key was given.
    valid: bool | None  #: Whether it is by that key; null where it was not checked.
    public_key_sha256: Sha256 | None  #: Of the key that was given.


class Recounted(Document):
    """A release by swap, counted again beside its original and its key."""

    groups: Count  #: How many groups the key has.
    tables: Count  #: Group tables that were counted: of each group each column.
    unchanged: Count  #: Those that are the same in the release.
    left_out: Count  #: People of the original who are in no group.


class Verification(data.Contract, tag="ratingpriv.verify/1"):
    """Whether a release is what its manifest claims."""

    valid: bool  #: Whether there is no problem.
    release: str  #: The file.
    release_sha256: Sha256  #: Of its bytes.
    is_the_manifests: bool  #: Whether the manifest names that hash.
    #: Whether the file is, byte for byte, what is written here of the table that was counted; null where it
    #: was not read.
    as_written: bool | None
    claimed: Claimed
    found: Found | None  #: The file, counted again for the claim; null where it is another one.
    demanded: Found | None  #: The same for what was demanded; null where nothing was.
    read: ReadBack
    signature: SignatureCheck
    stated_not_checked: dict[str, Any]  #: What is the publisher's word alone, under the manifest's keys.
    problems: list[str]  #: What is wrong.
    warnings: list[str]  #: What makes the claim a small one.
    cautions: list[data.Caution]  #: The same with codes for programs.
    accepted: data.AcceptedCodes
    #: What the original and the key show; not there where they were not given.
    recounted: Recounted | UnsetType = UNSET
    gate: Gate | UnsetType = UNSET
