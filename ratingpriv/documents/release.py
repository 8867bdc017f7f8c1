"""What a release is, beside the data it was made of: its manifest, its key,
and what verifying it finds.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.documents import data
from ratingpriv.documents.attack import GroupTables
from ratingpriv.documents.audit import KnownVerdict
from ratingpriv.documents.demands import Gate, ReleaseTarget, Shares, Target
from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256, Share, meaning
from ratingpriv.documents.verdicts import GroupDemands


class Method(GroupDemands):
    __doc__ = "How a release was made; an option that the method does not have is null."

    name: Annotated[str, meaning("Name of the method.")]
    seed: Annotated[
        Count | None,
        meaning(
            "Seed of its random numbers, as --seed gave it; null where it has none or does not "
            "tell it, or "
            "where it came from the operating system."
        ),
    ]
    strategy: Annotated[str | None, meaning("How it moves ratings.")]
    grouping: Annotated[str | None, meaning("The grouping that was taken.")]
    fabricate: Annotated[bool | None, meaning("Whether it may impute ratings.")]
    fill: Annotated[str | None, meaning("How it imputes.")]
    scheme: Annotated[str | None, meaning("What a group is given: pure or padded.")]
    labels: Annotated[str | None, meaning("What becomes of a group's mean: rounded or exact.")]
    diversity: Annotated[
        tuple[Positive, Positive] | None,
        meaning("b and l: every b items that a record rates together are in at least l groups."),
    ]
    factors: Annotated[Count | None, meaning("Factors of the model that predicts, at most.")]
    bins: Annotated[
        int | str | None, meaning("Bins that records are sorted into: a number, or auto.")
    ]
    centres: Annotated[str | None, meaning("What the centre of a bin is: virtual or real.")]
    optimal: Annotated[
        bool, meaning("Whether nothing better exists, in the sense of the statement.")
    ]
    statement: Annotated[str, meaning("What is claimed, in a sentence.")]
    keep_at_least: Annotated[
        Share | UnsetType,
        meaning("Share of the ratings that blank had to keep; only where one was named."),
    ] = UNSET
    swap_nulls: Annotated[
        Literal["exchange", "fill", "strict"] | UnsetType,
        meaning("What swap makes of missing values."),
    ] = UNSET
    withhold_at_most: Annotated[
        Share | UnsetType,
        meaning("Share of the people that swap may suppress, where given."),
    ] = UNSET


class ReleaseVerification(Document):
    __doc__ = "An audit of what was made."

    satisfied: Annotated[bool, meaning("Whether the target holds.")]
    read_from: Annotated[Literal["the written file", "memory"], meaning("What was audited.")]
    largest_k: Annotated[Count, meaning("The largest k that holds.")]
    largest_l: Annotated[
        dict[str, Amount | None] | None,
        meaning("For each sensitive item the largest l that holds; null without l."),
    ]
    highest_risk: Annotated[Share, meaning("Largest 1 / neighbourhood size.")]
    average_risk: Annotated[Share, meaning("Mean of 1 / neighbourhood size.")]
    violators: Annotated[Count, meaning("Records that break the target.")]
    known: Annotated[
        KnownVerdict | UnsetType,
        meaning(
            "The verdict against any few known ratings, where that is the target: the one that "
            "counts. The "
            "rest is then about an adversary who knows all ratings of a record."
        ),
    ] = UNSET


class PredictiveGroups(Document):
    __doc__ = "Groups of identical records."

    count: Annotated[Positive, meaning("How many groups there are.")]
    smallest: Annotated[Positive, meaning("Records of the smallest.")]
    largest: Annotated[Positive, meaning("Records of the largest.")]


class LinkConfidence(Document):
    __doc__ = """
    How likely a released rating is one that the person gave: the share of its group that rated the
    item.

    Over all released ratings.
    """

    edges: Annotated[Count, meaning("Released ratings.")]
    real: Annotated[Count, meaning("Those whose person rated the item.")]
    mean: Annotated[Share | None, meaning("Mean of the confidence; null without released ratings.")]
    percentile_95: Annotated[
        Share | None, meaning("Its 95th percentile; null without released ratings.")
    ]
    largest: Annotated[Share | None, meaning("Its largest value; null without released ratings.")]
    above: Annotated[
        Share | None,
        meaning(
            "Share of released ratings with a confidence above 1/k; null without released ratings."
        ),
    ]
    above_twice: Annotated[
        Share | None,
        meaning("Share with a confidence above 2/k; null without released ratings."),
    ]
    certain: Annotated[Count, meaning("Released ratings of items that all of the group rated.")]


class ExactMeans(Document):
    __doc__ = (
        "What exact means prove of how many rated; null where they are rounded, or the "
        "ratings no decimals."
    )

    cells: Annotated[Count, meaning("Items of groups.")]
    prove_two: Annotated[Count, meaning("Those that prove that at least two rated.")]
    prove_all: Annotated[Count, meaning("Those that prove that all of the group rated.")]


class Diversity(Document):
    __doc__ = """Every b items that somebody rated together are in at least l groups.

    Null where that was not asked for.
    """

    b: Annotated[Positive, meaning("How many items, rated together by a record.")]
    l: Annotated[Positive, meaning("In how many groups these are, at least.")]
    added_cells: Annotated[Count, meaning("Items that were added to groups for that.")]


class Predictive(Document):
    __doc__ = """What the ratings of a release by predictive disclose, counted in the original.

    Only there for this method.
    """

    groups: PredictiveGroups
    link_confidence: LinkConfidence
    exact_means: ExactMeans | None
    diversity: Diversity | None


class LevelLeft(Document):
    __doc__ = "How many ratings of one value are kept."

    rating: Annotated[float, meaning("The value of the rating.")]
    before: Annotated[Positive, meaning("How many there were.")]
    kept: Annotated[Share, meaning("Share of them that is left.")]


class Blanked(Document):
    __doc__ = "What blanks took, counted in the original. Only there for the method blank."

    blanks: Annotated[Count, meaning("Ratings that are suppressed.")]
    kept: Annotated[
        Share | None, meaning("Share of the ratings that is left; null where there were none.")
    ]
    levels: Annotated[list[LevelLeft], meaning("By rating, the lowest first.")]
    records_emptied: Annotated[Count, meaning("Records that have lost their last rating.")]
    issues_emptied: Annotated[Count, meaning("Items that have lost theirs.")]


class Swapped(Document):
    __doc__ = "What a release by swap tells, for its publisher. Only there for this method."

    groups: Annotated[Positive, meaning("How many groups of people exchanged their values.")]
    smallest: Annotated[Positive, meaning("People of the smallest group.")]
    largest: Annotated[Positive, meaning("People of the largest group.")]
    scatter: Annotated[Share, meaning("Squares within groups as a share of all squares.")]
    nulls: Annotated[
        Literal["exchange", "fill", "strict"], meaning("What became of missing values.")
    ]
    tables: GroupTables
    constant: Annotated[
        list[str],
        meaning("Quasi-identifiers that have one value in each group, and so stand as they are."),
    ]
    smaller: Annotated[
        Amount | None,
        meaning("The next smaller ε that was tried; null where ε was given, or is the smallest."),
    ]
    smaller_left_out: Annotated[Count | None, meaning("How many records that one suppresses.")]


class QuasiCost(Document):
    __doc__ = (
        "What became of quasi-identifiers; only there where there are any. Nothing else "
        "counts them."
    )

    cells: Annotated[Count, meaning("Their values in the input, suppressed records included.")]
    changed: Annotated[Count, meaning("Numbers that were moved; no category ever is.")]
    erased: Annotated[Count, meaning("Suppressed values.")]
    records_touched: Annotated[Count, meaning("Released records with one of these.")]
    withheld: Annotated[Count, meaning("Values of suppressed records.")]
    moved: Annotated[
        Amount, meaning("Sum of the moves, each as a share of the range of its column.")
    ]


class WholeDistortion(Document):
    __doc__ = """What the release costs; means are rounded.

    What is counted in the input is null for swap: it would tell which values stood beside each
    other there.
    """

    total: Annotated[
        Amount | None,
        meaning(
            "Information loss (L1): the sum of all differences between old and new ratings, a "
            "missing one "
            "counted as 0."
        ),
    ]
    changed: Annotated[Count | None, meaning("Cells with another rating now.")]
    filled: Annotated[Count | None, meaning("Imputed cells.")]
    erased: Annotated[Count | None, meaning("Suppressed cells of released records.")]
    records_touched: Annotated[Count | None, meaning("Released records with a modified cell.")]
    records_withheld: Annotated[Count, meaning("Suppressed records.")]
    ratings: Annotated[Count | None, meaning("Ratings of the input.")]
    cells: Annotated[Count, meaning("Records × items of the input.")]
    ratings_withheld: Annotated[Count | None, meaning("Ratings of suppressed records.")]
    mean_before: Annotated[float | None, meaning("Mean rating of the input; null without ratings.")]
    mean_after: Annotated[
        float | None, meaning("Mean rating of the release; null without ratings.")
    ]
    mean_filled: Annotated[float | None, meaning("Mean of the imputed ratings; null without any.")]
    sd_filled: Annotated[Amount | None, meaning("SD of the imputed ratings; null without any.")]
    shares: Shares | None
    quasi: QuasiCost | UnsetType = UNSET


class StatedUtility(Document):
    __doc__ = "A measure as a manifest states it, beside the original's and the random baseline's."

    value: Annotated[
        float | None,
        meaning(
            "The measure, which a limit is compared with; null where there is none, and then "
            "`reason` says "
            "why."
        ),
    ]
    low: Annotated[
        float | None,
        meaning("Lower end of an interval or range around it; null where there is none."),
    ]
    high: Annotated[
        float | None, meaning("Upper end of that interval or range; null where there is none.")
    ]
    original: Annotated[
        float | None,
        meaning("The same measure of the original itself; null where it could not be measured."),
    ]
    worthless: Annotated[
        float | None,
        meaning(
            "The same of a release in which every rating is a random one of its item; null where "
            "it could "
            "not be measured."
        ),
    ]
    reason: Annotated[
        str | UnsetType,
        meaning("Why there is no value; not there where there is one."),
    ] = UNSET


class ManifestRelease(Document):
    __doc__ = "The release."

    file: Annotated[str, meaning("Name of the released file.")]
    sha256: Annotated[Sha256, meaning("Of its bytes.")]


class ManifestRecords(Document):
    __doc__ = "Records released and suppressed."

    released: Annotated[Count, meaning("Released records.")]
    withheld: Annotated[Count, meaning("Suppressed records.")]


class LeftOut(Document):
    __doc__ = """How many columns of the input are in no release, by role; their names are not told.

    Null where no roles were given.
    """

    identifier: Annotated[Count, meaning("Direct identifiers.")]
    drop: Annotated[Count, meaning("Dropped columns.")]


class ManifestInput(Document):
    __doc__ = "Proves later which input it was."

    sha256: Annotated[None, meaning("Always null: the hash of the input is not published.")]
    why: Annotated[str, meaning("Why the hash is not published, in a sentence.")]
    commitment: Annotated[
        Sha256 | None,
        meaning("SHA-256 of `nonce:input_sha256` of the key; null without a key."),
    ]


class Signature(Document):
    __doc__ = "Of everything else that it says; only where it was signed."

    algorithm: Annotated[str, meaning("Name of the algorithm.")]
    public_key_sha256: Annotated[Sha256, meaning("Which key checks it.")]
    value: Annotated[str, Meta(pattern="^[0-9a-f]+$"), meaning("The signature, in hex.")]


class Manifest(Document, kw_only=True, tag_field="schema", tag="ratingpriv.manifest/1"):
    __doc__ = "What a release claims, in public."

    release: ManifestRelease
    parameters: ReleaseTarget
    method: Method
    ids: Annotated[Literal["shuffle", "strip", "keep"], meaning("What became of ids and order.")]
    records: ManifestRecords
    issues: Annotated[Count, meaning("Non-sensitive items.")]
    sensitive: Annotated[list[str], meaning("Names of sensitive items.")]
    nominal: Annotated[
        list[str], meaning("Names of those sensitive ones whose values are categories.")
    ]
    quasi: data.QuasiIdentifiers
    recoded: Annotated[
        dict[str, str],
        meaning("How the values of quasi-identifiers were recoded, in words, by name."),
    ]
    carried: data.CarriedColumns
    left_out: LeftOut | None
    distortion: WholeDistortion
    utility: Annotated[
        dict[str, StatedUtility] | UnsetType,
        meaning(
            "Measures of utility that the publisher states, by name, in two digits, without seed "
            "and details; not there unless published. They cannot be checked without the original."
        ),
    ] = UNSET
    verification: ReleaseVerification
    read: Annotated[
        data.ReadOptions,
        meaning("How the release is read; nothing but what the writer of its format states."),
    ]
    cautions: Annotated[list[data.Caution], meaning("The same with codes for programs.")]
    found_at_most: Annotated[
        Annotated[float, Meta(gt=0, lt=1)] | UnsetType,
        meaning(
            "The share of records above which `cautions` has `found`: the publisher's threshold, "
            "at most "
            "0.09."
        ),
    ] = UNSET
    accepted: data.AcceptedCodes | UnsetType = UNSET
    input: ManifestInput
    versions: Annotated[dict[str, str], meaning("Versions of what made it, by name.")]
    signature: Signature | UnsetType = UNSET
    replaces: Annotated[
        Manifest | UnsetType | None,
        meaning(
            "The manifest of the release that was being replaced, if that was broken off. It is "
            "not looked "
            "at."
        ),
    ] = UNSET


class KeyRecord(Document):
    __doc__ = "Which released record is whose; null where it was suppressed."

    original: Annotated[str | int, meaning("Id in the input.")]
    released: Annotated[
        str | int | None, meaning("Id in the release; null where it was suppressed.")
    ]


class KeyGroup(Document):
    __doc__ = "People who exchanged their values: a group of a release by swap."

    original: Annotated[list[str | int], meaning("Ids in the input.")]
    released: Annotated[
        list[str | int],
        meaning("Ids of the records put together from their values, in no order."),
    ]


class ReleaseKey(Document, tag_field="schema", tag="ratingpriv.key/1"):
    __doc__ = "Which released record is which original one; never published."

    records_sha256: Annotated[
        Sha256,
        meaning(
            "SHA-256 of the pairs as JSON without blanks and in ASCII, such as "
            '[["ann",3],["bob",null]]: a '
            "key that was edited or shuffled, or has none, is refused."
        ),
    ]
    records: Annotated[list[KeyRecord], meaning("One for each record of the input, in its order.")]
    release_sha256: Annotated[Sha256 | UnsetType, meaning("Of the release.")] = UNSET
    input_sha256: Annotated[Sha256 | UnsetType | None, meaning("Of the input.")] = UNSET
    nonce: Annotated[str | UnsetType | None, meaning("Of the manifest's commitment.")] = UNSET
    ids: Annotated[
        Literal["shuffle", "strip", "keep"] | UnsetType,
        meaning("What became of ids and order."),
    ] = UNSET
    seed: Annotated[
        Count | UnsetType | None,
        meaning("Of the order; null where it came from the operating system."),
    ] = UNSET
    method_seed: Annotated[
        Count | UnsetType | None,
        meaning("Of the changes; null where nothing was drawn."),
    ] = UNSET
    groups: Annotated[list[KeyGroup] | UnsetType, meaning("Of a release by swap.")] = UNSET
    nulls: Annotated[
        Literal["exchange", "fill", "strict"] | UnsetType,
        meaning("What swap made of missing values."),
    ] = UNSET
    permutation: Annotated[
        dict[str, list[int]] | UnsetType,
        meaning(
            "By column of a release by swap: for each of `records` that was released, in their "
            "order, the position in the input, from 0, of the record whose value it has; -1 where "
            "that was suppressed."
        ),
    ] = UNSET
    answers_sha256: Annotated[
        Sha256 | UnsetType,
        meaning("Of the ratings by record, by which swap recognises the same data."),
    ] = UNSET


class Claimed(Target):
    __doc__ = "What the manifest claims."

    sensitive: Annotated[list[str], meaning("Names of the sensitive items.")]
    quasi: data.QuasiIdentifiers
    carried: data.CarriedColumns
    scale: Annotated[
        tuple[float, float] | None,
        meaning("Smallest and largest rating; null where none is stated."),
    ]
    records: Annotated[Count, meaning("Released records.")]
    accepted: data.AcceptedCodes
    m: Annotated[
        Positive | UnsetType,
        meaning(
            "Any at most so many known ratings leave k records; not there where all are known."
        ),
    ] = UNSET


class Found(Target):
    __doc__ = "An audit of the file."

    satisfied: Annotated[bool, meaning("Whether the file keeps the target.")]
    violators: Annotated[Count, meaning("Records that break the target.")]
    largest_k: Annotated[Count, meaning("The largest k that holds.")]
    largest_l: Annotated[
        dict[str, Amount | None] | None,
        meaning("For each sensitive item the largest l that holds; null without l."),
    ]
    equal: data.CountedAsEqual
    highest_risk: Annotated[Share, meaning("Largest 1 / neighbourhood size.")]
    cautions: Annotated[list[data.Caution], meaning("The same with codes for programs.")]
    known: Annotated[
        KnownVerdict | UnsetType,
        meaning(
            "The verdict against any few known ratings, where that is what is claimed or "
            "demanded: the one "
            "that counts. The rest is then about an adversary who knows all ratings of a record."
        ),
    ] = UNSET


class ReadingColumns(Document):
    __doc__ = "What each column was taken for."

    record: Annotated[str | int | None, meaning("Column of record ids; null where rows have none.")]
    issue: Annotated[str | int | None, meaning("Column of items of a long file; else null.")]
    rating: Annotated[str | int | None, meaning("Column of ratings of a long file; else null.")]
    timestamp: Annotated[str | int | None, meaning("Column of times; null where there is none.")]


class ByTheWordOf(Document):
    __doc__ = "Who said so."

    columns: Annotated[
        Literal["file", "receiver", "manifest"],
        meaning(
            "Of the roles of columns, whose word it is: that of the file itself, the receiver "
            "or the "
            "manifest."
        ),
    ]
    quasi: Annotated[
        Literal["file", "receiver", "manifest"],
        meaning(
            "Of all that is said of columns beside plain ratings, whose word it is: that of "
            "the file "
            "itself, the receiver or the manifest."
        ),
    ]
    sensitive: Annotated[
        Literal["file", "receiver", "manifest"],
        meaning(
            "Of the sensitive items, whose word it is: that of the file itself, the receiver or "
            "the manifest."
        ),
    ]
    scale: Annotated[
        Literal["file", "receiver", "manifest"],
        meaning(
            "Of the scale, whose word it is: that of the file itself, the receiver or the manifest."
        ),
    ]


class Reading(Document):
    __doc__ = "How a release was read."

    format: Annotated[str, meaning("Name of the format.")]
    layout: Annotated[Literal["long", "wide"], meaning("One row per rating, or one per record.")]
    columns: ReadingColumns
    header: Annotated[
        bool | None,
        meaning(
            "Whether the first line names the columns; null where the format has no such choice."
        ),
    ]
    delimiter: Annotated[
        str | None, meaning("What stands between columns; null where the format decides.")
    ]
    encoding: Annotated[str | None, meaning("A codec's name; null where the format decides.")]
    null: Annotated[list[str], meaning("Texts that mean missing, beside an empty cell.")]
    sensitive: Annotated[list[str], meaning("Names of sensitive items.")]
    nominal: Annotated[list[str], meaning("Names of those whose values are categories.")]
    quasi: data.QuasiIdentifiers
    carried: data.CarriedColumns
    words: Annotated[
        list[str],
        meaning("Names of the columns whose words were put in order by what was said of them."),
    ]
    scale: data.StoredScale | None
    by_the_word_of: ByTheWordOf


class ReadBack(Document):
    __doc__ = "How the file was read."

    claim: Annotated[Reading | None, meaning("For the claim.")]
    demand: Annotated[Reading | None, meaning("For what was demanded.")]


class SignatureCheck(Document):
    __doc__ = "Who wrote the manifest, as far as that was checked."

    signed: Annotated[bool, meaning("Whether the manifest has one.")]
    checked: Annotated[bool, meaning("Whether a public key was given.")]
    valid: Annotated[
        bool | None, meaning("Whether it is by that key; null where it was not checked.")
    ]
    public_key_sha256: Annotated[Sha256 | None, meaning("Of the key that was given.")]


class Recounted(Document):
    __doc__ = "A release by swap, counted again beside its original and its key."

    groups: Annotated[Count, meaning("How many groups the key has.")]
    tables: Annotated[Count, meaning("Group tables that were counted: of each group each column.")]
    unchanged: Annotated[Count, meaning("Those that are the same in the release.")]
    left_out: Annotated[Count, meaning("People of the original who are in no group.")]


class Verification(data.Contract, tag="ratingpriv.verify/1"):
    __doc__ = "Whether a release is what its manifest claims."

    valid: Annotated[bool, meaning("Whether there is no problem.")]
    release: Annotated[str, meaning("The file.")]
    release_sha256: Annotated[Sha256, meaning("Of its bytes.")]
    is_the_manifests: Annotated[bool, meaning("Whether the manifest names that hash.")]
    as_written: Annotated[
        bool | None,
        meaning(
            "Whether the file is, byte for byte, what is written here of the table that was "
            "counted; null "
            "where it was not read."
        ),
    ]
    claimed: Claimed
    found: Annotated[
        Found | None,
        meaning("The file, counted again for the claim; null where it is another one."),
    ]
    demanded: Annotated[
        Found | None, meaning("The same for what was demanded; null where nothing was.")
    ]
    read: ReadBack
    signature: SignatureCheck
    stated_not_checked: Annotated[
        dict[str, Any],
        meaning(
            "What only the publisher states, under the manifest's keys: release.file, "
            "records.withheld, method, distortion, utility, recoded, left_out, input, versions, "
            "and keys beside the contract."
        ),
    ]
    problems: Annotated[list[str], meaning("What is wrong.")]
    warnings: Annotated[
        list[str], meaning("What makes the claim, or what was demanded, a small one.")
    ]
    cautions: Annotated[
        list[data.Caution],
        meaning(
            "Those of the audits for the claim and for the demand, and what the manifest says "
            "of its "
            "input, with codes."
        ),
    ]
    accepted: Annotated[
        data.AcceptedCodes, meaning("Codes of the reservations that the receiver accepted.")
    ]
    recounted: Annotated[
        Recounted | UnsetType,
        meaning("What the original and the key show; not there where they were not given."),
    ] = UNSET
    gate: Gate | UnsetType = UNSET
