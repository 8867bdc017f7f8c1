"""``ratingpriv.attack/2``: what an adversary who knows a few ratings can find."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.data import (
    CarriedColumns,
    Caution,
    QuasiIdentifiers,
    Roles,
    SelectedPart,
    Tool,
)
from ratingpriv.documents.demands import MeanInterval, Rate, Requirement
from ratingpriv.documents.form import (
    Amount,
    Count,
    Difference,
    Document,
    Number,
    Positive,
    Sha256,
    Share,
    meaning,
)


class AttackedDataset(Document):
    __doc__ = "What was attacked."

    name: Annotated[
        str,
        meaning(
            "The data as they were named: a path, <stdin>, a data frame, or a dataset of a store."
        ),
    ]
    records: Annotated[Count, meaning("Records, the candidates of the adversary.")]
    issues: Annotated[Count, meaning("Non-sensitive items.")]
    ratings: Annotated[Count, meaning("Ratings of the non-sensitive items.")]
    dates: Annotated[bool, meaning("Whether ratings have dates.")]
    sha256: Annotated[Sha256 | None, meaning("Of the bytes that were read; null for a data frame.")]
    quasi: QuasiIdentifiers
    carried: CarriedColumns
    roles: Annotated[
        Roles | None,
        meaning(
            "What each column was taken for; null where no roles were given and the format decides."
        ),
    ]


class AttackParameters(Document):
    __doc__ = "The algorithm, and how the knowledge came about."

    algorithm: Annotated[
        str,
        meaning(
            "The strongest algorithm, which succeeds most often (with a release: on the release), "
            "or the "
            "one that was chosen. Success and the other keys beside `suite` are its measures."
        ),
    ]
    top: Annotated[Count, meaning("How many of the best candidates are kept for each target.")]
    seed: Annotated[Count | None, meaning("Seed of what was drawn; null where nothing was.")]
    theta: Annotated[
        Share | None,
        meaning(
            "Similarity from which on a named record counts as `similar`; null where none was "
            "given."
        ),
    ]
    interval: Annotated[
        Literal["wilson", "clopper-pearson"], meaning("How intervals of rates are computed.")
    ]
    confidence: Annotated[Share, meaning("Confidence of the intervals.")]
    dates: Annotated[
        bool | UnsetType,
        meaning("Whether dates are compared; only of scoreboard-rh and its relatives."),
    ] = UNSET
    rho0: Annotated[
        Amount | UnsetType,
        meaning(
            "Width of the kernel of rating differences, in units of the ratings; only of "
            "scoreboard-rh and "
            "its relatives."
        ),
    ] = UNSET
    d0: Annotated[
        Amount | UnsetType,
        meaning(
            "Width of the kernel of date differences, in days; only of scoreboard-rh and its "
            "relatives."
        ),
    ] = UNSET
    phi: Annotated[
        Amount | UnsetType,
        meaning("Eccentricity from which on a record is named; only of scoreboard-rh."),
    ] = UNSET
    alpha: Annotated[
        Amount | UnsetType | None,
        meaning(
            "Score above which a record is in the matching set; only of scoreboard and "
            "matching-set."
        ),
    ] = UNSET
    rating_tolerance: Annotated[
        Amount | UnsetType | None,
        meaning(
            "Ratings that differ by at most this agree; null: agreement is graded by the "
            "difference. Only "
            "of scoreboard and matching-set."
        ),
    ] = UNSET
    date_tolerance: Annotated[
        Amount | UnsetType | None,
        meaning(
            "Dates that differ by at most this many days agree; null: dates are not compared. "
            "Only of "
            "scoreboard and matching-set."
        ),
    ] = UNSET
    adversary: Annotated[
        str | UnsetType,
        meaning("Name of the adversary that was chosen; not there where none was."),
    ] = UNSET
    aux: Annotated[
        str | UnsetType,
        meaning(
            "Name of the file of known ratings; the keys of drawn knowledge are not there then."
        ),
    ] = UNSET
    targets: Annotated[
        Count | Literal["all"] | list[str] | UnsetType,
        meaning("How many records are attacked, all of them, or their ids."),
    ] = UNSET
    short: Annotated[
        str | UnsetType,
        meaning("What happens to targets with fewer ratings than are to be known: skip or refuse."),
    ] = UNSET
    known: Annotated[
        Count | Literal["all"] | UnsetType,
        meaning(
            "How many ratings of a target are known, the wrong and the unrated ones included; or "
            "all of them."
        ),
    ] = UNSET
    wrong: Annotated[Count | UnsetType, meaning("How many of the known ratings are wrong.")] = UNSET
    unrated: Annotated[
        Count | UnsetType,
        meaning("How many of the known ratings are of items that the target did not rate."),
    ] = UNSET
    rating_error: Annotated[
        Amount | UnsetType, meaning("The error of a known rating is at most this.")
    ] = UNSET
    date_error: Annotated[
        Amount | UnsetType | None,
        meaning("The error of a known date is at most this many days; null: no date is known."),
    ] = UNSET
    items: Annotated[
        str | UnsetType,
        meaning(
            "Which ratings can be known: uniform (any), rarest (the target's least rated items) or "
            "not-top:N (without the N most rated items)."
        ),
    ] = UNSET
    knows_count: Annotated[
        Amount | UnsetType | None,
        meaning(
            "The number of a target's ratings is known within this share; null: it is not known."
        ),
    ] = UNSET
    knows: Annotated[
        list[str] | UnsetType,
        meaning("Names of the quasi-identifiers that the adversary knows, exactly."),
    ] = UNSET


class ReidentificationRisk(Document):
    __doc__ = "Mean and largest probability of the true record."

    expected: MeanInterval
    worst: Annotated[
        Share | None,
        meaning("Largest probability of a true record; null where nothing was measured."),
    ]


class Bits(Document):
    __doc__ = "Residual entropy in bits."

    median: Annotated[Amount | None, meaning("Median of the targets; null where none counts.")]
    lower_quartile: Annotated[
        Amount | None,
        meaning("Lower quartile of the targets; null where none counts."),
    ]
    upper_quartile: Annotated[
        Amount | None,
        meaning("Upper quartile of the targets; null where none counts."),
    ]
    mean: Annotated[Amount | None, meaning("Mean of the targets; null where none counts.")]
    of: Annotated[Count, meaning("Targets that count: those whose record is among the candidates.")]
    prior: Annotated[
        Amount,
        meaning("Bits that an adversary without knowledge lacks: log2 of the number of records."),
    ]


class EqualError(Document):
    __doc__ = "Where both errors are about equally frequent."

    threshold: Annotated[
        Amount,
        meaning(
            "The eccentricity φ at which the two errors, missing a target and naming a record "
            "for an "
            "absent one, are nearest to equal."
        ),
    ]
    rate: Annotated[Share, meaning("The larger of the two errors there.")]


class Predicted(Document):
    __doc__ = "How often the likeliest value is the true one."

    correct: Annotated[
        MeanInterval,
        meaning(
            "How often the likeliest value is the true one; of m equally likely values, 1/m "
            "counts. The "
            "interval takes all ratings of a target as one observation."
        ),
    ]
    baseline: Annotated[MeanInterval, meaning("The same for the commonest value of the item.")]
    error: Annotated[
        Amount | None,
        meaning(
            "Mean distance of the expected value from the truth, in units of the ratings; null "
            "where "
            "nothing was predicted."
        ),
    ]
    baseline_error: Annotated[
        Amount | None,
        meaning("The same for the mean of the item; null where nothing was predicted."),
    ]
    missing: Annotated[
        Count,
        meaning(
            "True values that could not be predicted because the release does not have their "
            "item; they "
            "count as not correct."
        ),
    ]


class SensitiveInference(Document):
    __doc__ = "What is said of values that were not known: the sensitive ones by item, and ratings."

    sensitive: Annotated[
        dict[str, Predicted],
        meaning(
            "By name, each sensitive item. On a release the truth is that of the original data."
        ),
    ]
    unknown_ratings: Annotated[
        Predicted,
        meaning("All other ratings of the targets that the adversary does not know, together."),
    ]


class PrecisionRecall(Document):
    __doc__ = "Precision and recall where scores below a threshold name no record."

    threshold: Annotated[Amount, meaning("The eccentricity φ from which on a record is named.")]
    precision: Annotated[
        Share | None,
        meaning("Of the records that are named, the share that is the target's."),
    ]
    recall: Annotated[Share | None, meaning("Of the targets, the share that is named correctly.")]
    false_positive: Annotated[
        Share | None,
        meaning(
            "Of the targets whose own record was taken out, the share for which a record is "
            "named; null "
            "where that was not tried."
        ),
    ]


class Candidate(Document):
    __doc__ = (
        "One of the records that fit best; null where it is the target's own, which is not named."
    )

    record: Annotated[str | None, meaning("Id of the record.")]
    score: Annotated[float, meaning("Its score, by the algorithm.")]
    probability: Annotated[Share, meaning("Its probability among all candidates.")]


class AttackedRecord(Document):
    __doc__ = "What the attack found of one target."

    target: Annotated[str, meaning("Id of the target.")]
    match: Annotated[
        str | None,
        meaning("Id of the record that was named; null where none was, or a coin decides."),
    ]
    coin: Annotated[
        bool,
        meaning(
            "Whether a coin decides between equally good records; `match` and `correct` are "
            "null then."
        ),
    ]
    correct: Annotated[
        bool | None,
        meaning(
            "Whether the named record is the target's; null where that is not known, or a coin "
            "decides."
        ),
    ]
    chance: Annotated[
        Share | None,
        meaning(
            "Probability that the named record is the target's; null where the target's record is "
            "not known."
        ),
    ]
    eccentricity: Annotated[
        Amount | None,
        meaning(
            "Distance of the best score from the second, in SDs of all scores; null where the "
            "algorithm "
            "has none."
        ),
    ]
    entropy_bits: Annotated[
        Amount | None,
        meaning(
            "Residual entropy: the bits that the adversary still lacks; null where the target's "
            "record is "
            "no candidate."
        ),
    ]
    rank: Annotated[
        Amount | None,
        meaning(
            "Expected rank of the target's record, ties broken at random; null where it is no "
            "candidate."
        ),
    ]
    profile: Annotated[
        bool | None,
        meaning(
            "Whether the profile is disclosed, as in `profile` of the attack; null where the "
            "target's "
            "record is not known."
        ),
    ]
    match_when_absent: Annotated[
        bool | None,
        meaning(
            "Whether a record was named once the target's own was taken out; null where that was "
            "not tried."
        ),
    ]
    candidates: Annotated[
        list[Candidate], meaning("The records of the highest scores, the best first.")
    ]
    similarity: Annotated[
        Share | UnsetType | None,
        meaning(
            "Similarity of the named record with the target's own; null where none was named. "
            "Only there "
            "with theta."
        ),
    ] = UNSET
    inferred: Annotated[
        dict[str, Share | None] | UnsetType,
        meaning(
            "By sensitive item, the probability that the predicted value is the true one; null "
            "where the "
            "target has no value."
        ),
    ] = UNSET


class LostKnowledge(Document):
    __doc__ = (
        "What the adversary knows of items that the release does not have: no record can "
        "agree with it."
    )

    ratings: Annotated[Count, meaning("Known ratings of items that the release does not have.")]
    of: Annotated[Count, meaning("Of how many known ratings.")]
    targets: Annotated[
        Count, meaning("Targets of which no known rating is of an item of the release.")
    ]


class Reidentification(Document):
    __doc__ = "How often an adversary is right, and how sure."

    success: Annotated[
        Rate,
        meaning(
            "The named record is the target's; of m equally good records that a coin decides "
            "between, 1/m "
            "counts."
        ),
    ]
    wrong_match: Annotated[Rate, meaning("Another record was named.")]
    false_positive: Annotated[
        Rate, meaning("A record was named although the target's own was taken out.")
    ]
    no_match: Annotated[Rate, meaning("None was named.")]
    both_right: Annotated[
        Rate,
        meaning(
            "The named record is the target's, and none was named once the target's own was "
            "taken out."
        ),
    ]
    profile: Annotated[
        Rate,
        meaning(
            "Profile disclosure: the records of the highest score are identical in all ratings and "
            "sensitive values (dates are not compared), and one is the target's, whether or not "
            "one was "
            "named."
        ),
    ]
    rating_profile: Annotated[
        Rate,
        meaning(
            "The same without the sensitive values: every released rating of the target is "
            "disclosed."
        ),
    ]
    similar: Annotated[
        Rate | None,
        meaning(
            "The named record has at least the similarity theta with the target's own record in "
            "the data; "
            "of several with the highest score the least similar counts. Null without theta."
        ),
    ]
    baseline: Annotated[Share, meaning("The random baseline 1/n.")]
    lift: Annotated[
        Amount | None,
        meaning("Success divided by the baseline; null where nothing was measured."),
    ]
    top: Annotated[
        dict[Number, MeanInterval],
        meaning(
            "For the 1, 5 and 10 best candidates: the mean probability that the target is "
            "among them."
        ),
    ]
    risk: ReidentificationRisk
    entropy_bits: Bits
    equal_error: EqualError | None
    inference: Annotated[
        SensitiveInference | None,
        meaning(
            "What the adversary's probabilities over all candidates say of values that were not "
            "known; "
            "null where not asked."
        ),
    ]


class SuiteRelease(Reidentification, kw_only=True):
    __doc__ = "The same algorithm on the release."

    success_of_released: Annotated[
        Rate, meaning("Success among the targets whose records are released.")
    ]


class WholeRecord(Document):
    __doc__ = (
        "The strongest adversary: knows every rating of a person, exactly, and which "
        "ratings are missing."
    )

    algorithm: Annotated[
        Literal["equal-rows", "nearest-row"],
        meaning("Equal records are looked for; where there are none, the nearest ones."),
    ]
    success: Annotated[
        Rate,
        meaning(
            "Of all records; a point where all were attacked, null where the search is too dear."
        ),
    ]
    records: Annotated[Count, meaning("How many the file has.")]
    distinct: Annotated[Count, meaning("Different ones among them, in all that can be known.")]
    at_most: Annotated[
        Share,
        meaning("The share of records that no adversary exceeds: distinct / records, proved."),
    ]


class ReleaseAttack(SuiteRelease, kw_only=True):
    __doc__ = "The same measures on the release."

    dataset: AttackedDataset
    selection: SelectedPart
    targets: Annotated[
        Count,
        meaning("How many targets were judged; a suppressed one counts as not re-identified."),
    ]
    precision_recall: Annotated[
        list[PrecisionRecall] | None,
        meaning("For thresholds, ascending and at most 21; null for scoreboard and matching-set."),
    ]
    warnings: Annotated[list[str], meaning("Sentences to read before relying on the result.")]
    cautions: Annotated[list[Caution], meaning("The same with codes for programs.")]
    released: Annotated[Count, meaning("Judged targets whose record is released.")]
    withheld: Annotated[Count, meaning("Judged targets whose record is suppressed.")]
    lost_knowledge: LostKnowledge
    whole_record: WholeRecord
    per_target: Annotated[list[AttackedRecord] | UnsetType, meaning("A row a target.")] = UNSET


class SuccessDifference(Document):
    __doc__ = "Success after minus before."

    rate: Annotated[
        Difference | None,
        meaning(
            "The difference; null where nothing was measured, and the interval is -1 to 1 then."
        ),
    ]
    low: Annotated[Difference, meaning("Lower end of its interval.")]
    high: Annotated[Difference, meaning("Upper end of its interval.")]
    both: Annotated[
        Amount, meaning("Targets that are re-identified before and after, an expected number.")
    ]
    before_only: Annotated[
        Amount, meaning("Targets that are re-identified before only, an expected number.")
    ]
    after_only: Annotated[
        Amount, meaning("Targets that are re-identified after only, an expected number.")
    ]
    neither: Annotated[
        Amount,
        meaning("Targets that are re-identified neither before nor after, an expected number."),
    ]
    p_value: Annotated[
        Share | None,
        meaning(
            "Of the sign test, which is McNemar's exact test without coins; 1 where no target "
            "changed."
        ),
    ]


class SuiteAttack(Reidentification, kw_only=True):
    __doc__ = "One algorithm of the suite."

    algorithm: Annotated[str, meaning("Name of the algorithm.")]
    release: SuiteRelease | UnsetType = UNSET
    difference: SuccessDifference | UnsetType = UNSET


class SweepPoint(Document):
    __doc__ = "One setting of what the adversary knows, with the strongest algorithm there."

    known: Annotated[
        Count | Literal["all"],
        meaning("How many ratings of a target are known, or all of them."),
    ]
    wrong: Annotated[Count, meaning("How many of these are wrong.")]
    unrated: Annotated[
        Count, meaning("How many of these are of items that the target did not rate.")
    ]
    rating_error: Annotated[Amount, meaning("The error of a known rating is at most this.")]
    date_error: Annotated[
        Amount | None,
        meaning("The error of a known date is at most this many days; null: no date is known."),
    ]
    items: Annotated[str, meaning("Which ratings can be known, as in `parameters`.")]
    knows_count: Annotated[
        Amount | None,
        meaning(
            "The number of a target's ratings is known within this share; null: it is not known."
        ),
    ]
    algorithm: Annotated[str, meaning("The strongest algorithm at this setting.")]
    targets: Annotated[Count, meaning("How many targets were judged; 0: nothing was measured.")]
    could_not_attack: Annotated[
        Count, meaning("Targets of which too little is known; they are in no rate.")
    ]
    success: Rate
    false_positive: Rate
    no_match: Rate
    both_right: Rate
    profile: Rate
    expected_risk: MeanInterval
    entropy_bits: Bits
    similar: Rate | UnsetType = UNSET


class CurvePoint(Document):
    __doc__ = "The share of records whose nearest neighbour is at least so similar."

    similarity: Annotated[Share, meaning("The similarity, 0 to 1.")]
    share: Annotated[
        Share,
        meaning("Share of the examined records whose nearest neighbour is at least that similar."),
    ]


class Sparsity(Document):
    __doc__ = "Similarity to the nearest neighbour."

    rating_tolerance: Annotated[
        Amount | None,
        meaning(
            "Ratings that differ by at most this are similar; null: any two ratings of an item are."
        ),
    ]
    date_tolerance: Annotated[
        Amount | None,
        meaning(
            "Dates that differ by at most this many days are similar; null: dates are not compared."
        ),
    ]
    records: Annotated[Count, meaning("Records that were examined.")]
    rated: Annotated[Count, meaning("Records with a rating; the others have no similarity.")]
    sampled: Annotated[
        bool, meaning("Whether only a sample of the records with ratings was examined.")
    ]
    quartiles: Annotated[
        tuple[Share, Share, Share] | None,
        meaning(
            "Lower quartile, median and upper quartile of the similarity; null where no record "
            "was examined."
        ),
    ]
    curve: list[CurvePoint]


class Theorem1(Document):
    __doc__ = "False matches at one number of known ratings, and their bound."

    known: Annotated[Positive, meaning("How many ratings of a target are known, exactly.")]
    delta: Annotated[Share, meaning("The δ of the theorem.")]
    bound: Annotated[Amount, meaning("The theorem's bound n(1 − δ)^m, at most 1.")]
    measured: Annotated[
        Rate,
        meaning(
            "Share of targets with a false match: a record that agrees with what is known and "
            "with less "
            "than 1 − δ of the target's ratings."
        ),
    ]
    by_similarity: Annotated[
        Rate,
        meaning(
            "The same where the similarity over the ratings of both records is at most 1 − δ; the "
            "bound "
            "does not hold for it."
        ),
    ]
    could_not_attack: Annotated[Count, meaning("Targets with fewer ratings; they are in no rate.")]


class AttackGate(Document):
    __doc__ = "Only where limits were set."

    passed: Annotated[
        bool,
        meaning(
            "Whether every limit is surely kept. With `fail_above`: whether the intervals of "
            "success, "
            "profile and rating_profile end below it, for every attack."
        ),
    ]
    fail_above: Annotated[
        Share | UnsetType, meaning("What is found must surely not be above it.")
    ] = UNSET
    required: Annotated[list[Requirement] | UnsetType, meaning("The limits.")] = UNSET


class GuessedSensitive(Document):
    __doc__ = "How often a sensitive column is inferred, as shares of the people in groups."

    name: Annotated[str, meaning("Name of the sensitive column.")]
    by_group: Annotated[
        Share,
        meaning("By the commonest value of the person's group, the person's own included."),
    ]
    without_own: Annotated[Share, meaning("By the commonest value of the others of the group.")]
    half_known: Annotated[
        Share,
        meaning("By the commonest of the rest of the group where half of the others are known."),
    ]
    assigned: Annotated[
        Share,
        meaning("By the commonest value of the group that the adversary puts the person into."),
    ]
    commonest: Annotated[Share, meaning("By the commonest value of all.")]


class GroupTables(Document):
    __doc__ = """What an adversary finds who computes the groups of a release by swap, which takes
    no key.

    All ratings of a person are known.
    """

    people: Annotated[Positive, meaning("How many people are in groups.")]
    groups: Annotated[Positive, meaning("How many groups there are.")]
    attacked: Annotated[Positive, meaning("How many of them the adversary put into a group.")]
    right_group: Annotated[Share, meaning("Share of those that were put into their own group.")]
    found: Annotated[
        Share,
        meaning(
            "Groups / people: the bound of who is found in a group, of its slots. No measure: "
            "all of a "
            "group can be read where it agrees."
        ),
    ]
    guessed: Annotated[list[GuessedSensitive], meaning("For each sensitive column.")]
    agreeing: Annotated[
        dict[str, Share],
        meaning("For each column the share of people whose group has one value."),
    ]
    all_agree: Annotated[
        Share,
        meaning("Share of people whose group agrees on every item: all of it is told."),
    ]
    own_row: Annotated[
        Share,
        meaning("Share of people whose own row of items stands among the rows of their group."),
    ]


class Attack(Reidentification, kw_only=True, tag_field="schema", tag="ratingpriv.attack/2"):
    __doc__ = "What an adversary who knows a few ratings can find."

    tool: Tool
    dataset: AttackedDataset
    selection: SelectedPart
    parameters: AttackParameters
    targets: Annotated[Count, meaning("How many targets were judged.")]
    precision_recall: Annotated[
        list[PrecisionRecall] | None,
        meaning("For thresholds, ascending and at most 21; null for scoreboard and matching-set."),
    ]
    could_not_attack: Annotated[
        Count, meaning("Targets of whom too little is known; they are in no rate.")
    ]
    reasons: Annotated[dict[str, Count], meaning("How many those are, by reason.")]
    warnings: Annotated[list[str], meaning("Sentences to read before relying on the result.")]
    cautions: Annotated[list[Caution], meaning("The same with codes for programs.")]
    suite: Annotated[list[SuiteAttack], meaning("A row an algorithm.")]
    whole_record: Annotated[
        WholeRecord,
        meaning("Measured always, whatever the adversary of the suite knows."),
    ]
    per_target: Annotated[list[AttackedRecord] | UnsetType, meaning("A row a target.")] = UNSET
    release: ReleaseAttack | UnsetType = UNSET
    difference: Annotated[
        SuccessDifference | UnsetType,
        meaning("The same targets on the release and on the data; only there with a release."),
    ] = UNSET
    sweep: Annotated[
        list[SweepPoint] | UnsetType,
        meaning(
            "One setting after the other of what the adversary knows; `expected_risk` is "
            "`risk.expected` "
            "there."
        ),
    ] = UNSET
    sparsity: Sparsity | UnsetType = UNSET
    theorem_1: Annotated[
        list[Theorem1] | UnsetType,
        meaning(
            "False matches at each number of known ratings, and their bound; only there with "
            "sparsity."
        ),
    ] = UNSET
    groups: Annotated[
        GroupTables | UnsetType,
        meaning("What the groups of a release by swap tell; only there with its key."),
    ] = UNSET
    gate: AttackGate | UnsetType = UNSET
