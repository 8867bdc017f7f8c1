"""``ratingpriv.attack/2``: what an adversary who knows a few ratings can find."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.data import CarriedColumns, Caution, QuasiIdentifiers, Roles, SelectedPart, Tool
from ratingpriv.documents.demands import MeanInterval, Rate, Requirement
from ratingpriv.documents.form import Amount, Count, Difference, Document, Number, Positive, Sha256, Share


class AttackedDataset(Document):
    """What was attacked."""

    name: str
    records: Count
    issues: Count
    ratings: Count
    dates: bool  #: Whether there are any.
    sha256: Sha256 | None  #: Of the bytes that were read.
    quasi: QuasiIdentifiers
    carried: CarriedColumns
    #: What each column was taken for; null where no roles were given and the format decides.
    roles: Roles | None


class AttackParameters(Document):
    """The algorithm, and how the knowledge came about."""

    algorithm: str  #: The strongest, or the one that was chosen.
    top: Count
    seed: Count | None  #: What was drawn with; null where nothing was.
    theta: Share | None
    interval: Literal["wilson", "clopper-pearson"]
    confidence: Share
    dates: bool | UnsetType = UNSET
    rho0: Amount | UnsetType = UNSET
    d0: Amount | UnsetType = UNSET
    phi: Amount | UnsetType = UNSET
    alpha: Amount | UnsetType | None = UNSET
    rating_tolerance: Amount | UnsetType | None = UNSET
    date_tolerance: Amount | UnsetType | None = UNSET
    adversary: str | UnsetType = UNSET
    aux: str | UnsetType = UNSET  #: Name of the file of known ratings.
    targets: Count | Literal["all"] | list[str] | UnsetType = UNSET
    short: str | UnsetType = UNSET
    known: Count | Literal["all"] | UnsetType = UNSET
    wrong: Count | UnsetType = UNSET
    unrated: Count | UnsetType = UNSET
    rating_error: Amount | UnsetType = UNSET
    date_error: Amount | UnsetType | None = UNSET
    items: str | UnsetType = UNSET
    knows_count: Amount | UnsetType | None = UNSET
    knows: list[str] | UnsetType = UNSET  #: The quasi-identifiers that the adversary knows.


class ReidentificationRisk(Document):
    """Mean and largest probability of the true record."""

    expected: MeanInterval
    worst: Share | None


class Bits(Document):
    """Residual entropy in bits."""

    median: Amount | None
    lower_quartile: Amount | None
    upper_quartile: Amount | None
    mean: Amount | None
    of: Count
    prior: Amount


class EqualError(Document):
    """Where both errors are about equally frequent."""

    threshold: Amount
    rate: Share


class Predicted(Document):
    """How often the likeliest value is the true one."""

    correct: MeanInterval
    baseline: MeanInterval
    error: Amount | None
    baseline_error: Amount | None
    missing: Count


class SensitiveInference(Document):
    """What is said of values that were not known: the sensitive ones by issue, and ratings."""

    sensitive: dict[str, Predicted]
    unknown_ratings: Predicted


class PrecisionRecall(Document):
    """Precision and recall where scores below a threshold name nobody."""

    threshold: Amount
    precision: Share | None
    recall: Share | None
    false_positive: Share | None


class Candidate(Document):
    """One of the records that fit best; null where it is the target's own, which is not named."""

    record: str | None
    score: float
    probability: Share


class AttackedRecord(Document):
    """What was found of one target."""

    target: str
    match: str | None
    coin: bool
    correct: bool | None
    chance: Share | None
    eccentricity: Amount | None
    entropy_bits: Amount | None
    rank: Amount | None
    profile: bool | None
    match_when_absent: bool | None
    candidates: list[Candidate]
    similarity: Share | UnsetType | None = UNSET
    inferred: dict[str, Share | None] | UnsetType = UNSET


class LostKnowledge(Document):
    """Known ratings of withheld records, which nobody finds again."""

    ratings: Count
    of: Count
    targets: Count


class Reidentification(Document):
    """How often an adversary is right, and how sure."""

    success: Rate  #: The record that was named is the target's.
    wrong_match: Rate  #: Another one was named.
    false_positive: Rate  #: A record was named although the target's own was taken out.
    no_match: Rate  #: None was named.
    both_right: Rate  #: Right, and none once the target's own was taken out.
    profile: Rate  #: The best candidates are identical, the target's among them.
    rating_profile: Rate  #: The same, sensitive values left aside.
    similar: Rate | None  #: The record that was named is similar enough; null without --theta.
    baseline: Share  #: The random-guess baseline 1/n.
    lift: Amount | None  #: Success divided by the baseline.
    top: dict[Number, MeanInterval]  #: The mean probability that the target is among so many best candidates.
    risk: ReidentificationRisk
    entropy_bits: Bits
    equal_error: EqualError | None
    inference: SensitiveInference | None  #: What is said of values that were not known; null where not asked.


class SuiteRelease(Reidentification, kw_only=True):
    """The same algorithm on the release."""

    success_of_released: Rate


class WholeRecord(Document):
    """The strongest adversary: knows every rating of a person, exactly, and which ratings are missing."""

    #: Equal records are looked for; where there are none, the nearest ones.
    algorithm: Literal["equal-rows", "nearest-row"]
    success: Rate  #: Of all records; a point where all were attacked, null where the search is too dear.
    records: Count  #: How many the file has.
    distinct: Count  #: Different ones among them, in all that can be known.
    at_most: Share  #: The share of records that no adversary exceeds: distinct / records, proved.


class ReleaseAttack(SuiteRelease, kw_only=True):
    """The same measures on the release."""

    dataset: AttackedDataset
    selection: SelectedPart
    targets: Count
    #: For thresholds, ascending; null where the algorithm has none.
    precision_recall: list[PrecisionRecall] | None
    warnings: list[str]  #: Sentences to read before relying on the result.
    cautions: list[Caution]  #: The same with codes for programs.
    released: Count
    withheld: Count
    lost_knowledge: LostKnowledge
    whole_record: WholeRecord
    per_target: list[AttackedRecord] | UnsetType = UNSET  #: A row a target.


class SuccessDifference(Document):
    """Success after minus before."""

    rate: Difference | None
    low: Difference
    high: Difference
    both: Amount
    before_only: Amount
    after_only: Amount
    neither: Amount
    p_value: Share | None  #: McNemar's, exact.


class SuiteAttack(Reidentification, kw_only=True):
    """One algorithm of the suite."""

    algorithm: str
    release: SuiteRelease | UnsetType = UNSET
    difference: SuccessDifference | UnsetType = UNSET


class SweepPoint(Document):
    """One setting of what the adversary knows, with the strongest algorithm there."""

    known: Count | Literal["all"]
    wrong: Count
    unrated: Count
    rating_error: Amount
    date_error: Amount | None
    items: str
    knows_count: Amount | None
    algorithm: str
    targets: Count
    could_not_attack: Count
    success: Rate
    false_positive: Rate
    no_match: Rate
    both_right: Rate
    profile: Rate
    expected_risk: MeanInterval
    entropy_bits: Bits
    similar: Rate | UnsetType = UNSET


class CurvePoint(Document):
    """The share of records whose nearest neighbour is at least so similar."""

    similarity: Share
    share: Share


class Sparsity(Document):
    """Similarity to the nearest neighbour."""

    rating_tolerance: Amount | None
    date_tolerance: Amount | None
    records: Count
    rated: Count
    sampled: bool
    quartiles: tuple[Share, Share, Share] | None
    curve: list[CurvePoint]


class Theorem1(Document):
    """False matches at one number of known ratings, and their bound."""

    known: Positive
    delta: Share
    bound: Amount
    measured: Rate
    by_similarity: Rate
    could_not_attack: Count


class AttackGate(Document):
    """Only where limits were set."""

    passed: bool  #: Whether every limit is surely kept.
    fail_above: Share | UnsetType = UNSET  #: What is found must surely not be above it.
    required: list[Requirement] | UnsetType = UNSET  #: The limits.


class GuessedSensitive(Document):
    """How often a sensitive column is guessed right, as shares of the people in groups."""

    name: str
    by_group: Share  #: By the commonest value of the person's group, the person's own included.
    without_own: Share  #: By the commonest value of the others of the group.
    half_known: Share  #: By the commonest of what is left of the group where half of the others are known.
    assigned: Share  #: By the commonest value of the group that the adversary puts the person into.
    commonest: Share  #: By the commonest value of all.


class GroupTables(Document):
    """What an adversary finds who computes the groups of a release by swap, which takes no key.

    All ratings of a person are known.
    """

    people: Positive  #: How many people are in groups.
    groups: Positive  #: How many groups there are.
    attacked: Positive  #: How many of them the adversary put into a group.
    right_group: Share  #: Share of those that were put into their own group.
    #: Groups / people: the bound of who is found in a group, of its slots. No measure: all of a group can be
    #: read where it agrees.
    found: Share
    guessed: list[GuessedSensitive]  #: For each sensitive column.
    agreeing: dict[str, Share]  #: For each column the share of people in whose group everybody has one value.
    all_agree: Share  #: Share of people whose group agrees on every item: all of it is told.
    own_row: Share  #: Share of people whose own row of items stands among the rows of their group.


class Attack(Reidentification, kw_only=True, tag_field="schema", tag="ratingpriv.attack/2"):
    """What an adversary who knows a few ratings can find."""

    tool: Tool
    dataset: AttackedDataset
    selection: SelectedPart
    parameters: AttackParameters
    targets: Count  #: How many targets were judged.
    #: For thresholds, ascending; null where the algorithm has none.
    precision_recall: list[PrecisionRecall] | None
    could_not_attack: Count  #: Targets of whom too little is known; they are in no rate.
    reasons: dict[str, Count]  #: How many those are, by reason.
    warnings: list[str]  #: Sentences to read before relying on the result.
    cautions: list[Caution]  #: The same with codes for programs.
    suite: list[SuiteAttack]  #: A row an algorithm.
    whole_record: WholeRecord  #: Measured always, whatever the adversary of the suite knows.
    per_target: list[AttackedRecord] | UnsetType = UNSET  #: A row a target.
    release: ReleaseAttack | UnsetType = UNSET
    difference: SuccessDifference | UnsetType = UNSET
    sweep: list[SweepPoint] | UnsetType = UNSET  #: A row a setting, with the strongest algorithm there.
    sparsity: Sparsity | UnsetType = UNSET
    theorem_1: list[Theorem1] | UnsetType = UNSET  #: False matches and their bound.
    #: What the groups of a release by swap tell; only there with its key.
    groups: GroupTables | UnsetType = UNSET
    gate: AttackGate | UnsetType = UNSET
