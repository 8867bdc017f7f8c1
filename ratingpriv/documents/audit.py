"""``ratingpriv.audit/1``: what an audit found: the verdict, and who is at risk."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.documents.data import AuditedDataset, Caution, EqualRecords, Selection, Tool
from ratingpriv.documents.demands import Gate
from ratingpriv.documents.form import Amount, AtLeastOne, Count, Document, Positive, Share


class AuditParameters(Document):
    """What was requested.

    Attributes
    ----------
    k : The k that was requested.
    epsilon : The rating distance that was requested; no differential-privacy budget.
    l : The l that was requested, null where none was.
    nulls : The rule for unanswered questions.
    sensitive_nulls : The rule for unknown sensitive ratings.
    engine : What counted neighbourhoods: slicing, pairwise, cypher or spark.
    max_share : The largest share of one sensitive value that was allowed.
    sensitive_kind : Whether sensitive ratings are numbers or codes.
    distinct : How many distinct values were required.
    entropy : L of entropy l-diversity that was required.
    """

    k: Positive
    epsilon: Amount
    l: Amount | None  # noqa: E741 -- the theory's word
    nulls: Literal["strict", "wildcard", "known"]
    sensitive_nulls: Literal["paper", "ignore"]
    engine: str
    max_share: Share | None
    sensitive_kind: Literal["interval", "nominal"]
    distinct: Positive | None
    entropy: AtLeastOne | None


class Tolerance(Document):
    """Null unless at-most was given.

    Attributes
    ----------
    at_most : The share of records that may break the verdict before the gate fails.
    share : The share that does.
    within : Whether that is at most as much, exactly.
    """

    at_most: Annotated[float, Meta(ge=0, lt=1)]
    share: Share
    within: bool


class KEpsilonVerdict(Document):
    """The verdict for k.

    Attributes
    ----------
    satisfied : Whether every neighbourhood has at least k records.
    max_k : The largest k for which that holds.
    violators : Records with a smaller neighbourhood.
    """

    satisfied: bool
    max_k: Count
    violators: Count


class DiversityVerdict(Document):
    """The verdict for l of one rule.

    Attributes
    ----------
    satisfied : Whether it holds.
    max_l : For each sensitive issue the largest l that holds, null where every l does.
    violators : Records or neighbourhoods that break it.
    """

    satisfied: bool
    max_l: dict[str, Amount | None]
    violators: Count


class ByRule(Document):
    """The same under each rule for sensitive nulls."""

    paper: DiversityVerdict
    ignore: DiversityVerdict


class KEpsilonLVerdict(DiversityVerdict):
    """The verdict for k and l together; null without l."""

    by_rule: ByRule


class MaxShareVerdict(Document):
    """The verdict on the largest share; null unless requested.

    Attributes
    ----------
    satisfied : Whether it holds.
    smallest : For each sensitive issue the smallest share that holds, null where any does.
    violators : Records or neighbourhoods that break it.
    """

    satisfied: bool
    smallest: dict[str, Share | None]
    violators: Count


class DistinctVerdict(Document):
    """The verdict on distinct values; null unless requested.

    Attributes
    ----------
    satisfied : Whether it holds.
    largest : For each sensitive issue the largest number that holds, null where any does.
    violators : Records or neighbourhoods that break it.
    """

    satisfied: bool
    largest: dict[str, Amount | None]
    violators: Count


class EntropyVerdict(Document):
    """The verdict on entropy; null unless requested.

    Attributes
    ----------
    satisfied : Whether it holds.
    largest : For each sensitive issue the largest L that holds, null where any does.
    violators : Records or neighbourhoods that break it.
    """

    satisfied: bool
    largest: dict[str, Amount | None]
    violators: Count


class IssueInference(Document):
    """What can be inferred about one sensitive issue.

    Attributes
    ----------
    neighbourhoods : Neighbourhoods with a known value.
    largest_share : The largest share of one value among the known ones.
    record : A record whose neighbourhood it is.
    distinct : The fewest distinct known values.
    entropy : The least entropy in bits.
    entropy_l : The largest L of entropy l-diversity that holds.
    agreeing : Neighbourhoods of two or more whose known values are all the same.
    alone : Neighbourhoods of one record whose value is known.
    """

    neighbourhoods: Count
    largest_share: Share | None
    record: str | None
    distinct: Positive | None
    entropy: Amount | None
    entropy_l: AtLeastOne | None
    agreeing: Count
    alone: Count


class PickRisk(Document):
    """The chance of a pick at random among the records within ε of the exact ratings.

    Attributes
    ----------
    prosecutor_max : Largest 1 / neighbourhood size.
    marketer : Mean of 1 / neighbourhood size.
    share_below_k : Share of records whose neighbourhood has fewer than k records.
    """

    prosecutor_max: Share
    marketer: Share
    share_below_k: Share


class SizeCount(Document):
    """How many records have a neighbourhood of one size."""

    size: Positive
    records: Positive


class NeighbourhoodSizes(Document):
    """A record counts in its own neighbourhood.

    Attributes
    ----------
    pairs : Unordered pairs of proximate records; null under known, which has none.
    histogram : How many records have a neighbourhood of each size, ascending.
    """

    min: Count
    median: Amount
    mean: Amount
    max: Count
    pairs: Count | None
    histogram: list[SizeCount]


class RecordCount(Document):
    """How many records are left with so few that fit."""

    left: Positive
    records: Positive


class Exposure(Document):
    """What is left to an adversary whose knowledge is off by up to an error.

    Attributes
    ----------
    error : How far knowledge may be off.
    nulls : The rule for unanswered questions.
    expected : Mean chance that a pick among the records that fit is right.
    expected_low : Lower end of its interval.
    expected_high : Upper end of its interval.
    worst : The fewest records that some knowledge was found to leave.
    certain : Records of which some knowledge was found to fit nobody else.
    exact : Whether all three are exact.
    expected_exact : Whether all knowledge was enumerated.
    worst_exact : Whether it is proved that no knowledge leaves fewer.
    certain_exact : Whether it is proved that there are no others.
    records : Records that were examined.
    of_records : Of how many.
    samples : Draws of knowledge for each record whose knowledge was not enumerated.
    seed : What they were drawn from.
    step : Knowledge takes multiples of it; null where any number.
    scale_declared : Whether knowledge ends with the scale.
    fewest_left : How many records have some knowledge found that leaves so few, ascending.
    """

    error: Amount
    nulls: Literal["strict", "wildcard", "known"]
    expected: Share
    expected_low: Share
    expected_high: Share
    worst: Count
    certain: Count
    exact: bool
    expected_exact: bool
    worst_exact: bool
    certain_exact: bool
    records: Count
    of_records: Count
    samples: Count
    seed: Count | None
    step: Amount | None
    scale_declared: bool
    fewest_left: list[RecordCount]


class BelowK(Document):
    """How many records some so many known ratings narrow down to fewer than k."""

    m: Positive
    records: Count
    share: Share


class LargestK(Document):
    """The largest k that any so many known ratings leave."""

    m: Positive
    k: Positive


class RandomKnown(Document):
    """What so many random known ratings of a record give away.

    Attributes
    ----------
    below_k : Mean share of the choices that leave fewer than k; null where nobody has so many ratings.
    below_k_low : Lower end of its interval.
    below_k_high : Upper end of its interval.
    pick : Mean chance that a pick among the records left is right.
    pick_low : Lower end of its interval.
    pick_high : Upper end of its interval.
    records : Records with so many ratings.
    too_few : Records with fewer, which are in no mean.
    draws : Choices drawn of each record; 0 where all were gone through.
    exact : Whether all were.
    seed : What they were drawn from; null where none were.
    """

    m: Positive
    below_k: Share | None
    below_k_low: Share | None
    below_k_high: Share | None
    pick: Share | None
    pick_low: Share | None
    pick_high: Share | None
    records: Count
    too_few: Count
    draws: Count
    exact: bool
    seed: Count | None


class KnownVerdict(Document):
    """The verdict against any m known ratings; not there unless it was requested.

    Attributes
    ----------
    m : How many ratings may be known, at most.
    k : How many records these shall leave, at least.
    epsilon : Records within so much of exact knowledge are left; null where knowledge is off.
    error : Knowledge is off by up to so much; null where it is exact.
    items : Of what alone ratings can be known, such as top:100; null where of anything.
    satisfied : Whether it holds; null where the budget ended before that was known, which is never a yes.
    proved_m : Up to how many known ratings everything was looked at. Of more nothing is claimed.
    exact : Whether that is m.
    below_k : For each number of known ratings, whom some so many narrow down.
    largest_k : The largest k where the search knows it.
    without_ratings : Records without a rating, which are never at risk by this definition.
    random : What random known ratings give away, which is a mean and no promise.
    """

    m: Positive
    k: Positive
    epsilon: Amount | None
    error: Amount | None
    items: str | None
    satisfied: bool | None
    proved_m: Count
    exact: bool
    below_k: list[BelowK]
    largest_k: list[LargestK]
    without_ratings: Count
    random: list[RandomKnown]


class Violator(Document):
    """A record at risk.

    Attributes
    ----------
    record : Id as in the data.
    size : Of its neighbourhood.
    sd : SD of each sensitive issue; null of nominal ones.
    share : Largest share of one value.
    distinct : Distinct values.
    entropy : Entropy in bits.
    """

    record: str
    size: Positive
    sd: dict[str, Amount | None] | None
    share: dict[str, Share | None]
    distinct: dict[str, Positive | None]
    entropy: dict[str, Amount | None]


class Audit(Document):
    """What an audit found: the verdict, and who is at risk.

    Attributes
    ----------
    schema : Name and version of this form.
    selection : Null where nothing was left out of the data; otherwise the result is about this part only.
    satisfied : The verdict: whether every record meets all that was requested; no tolerance changes it.
    n_violators : Records that break it.
    equal : The same records counted as equal: at epsilon 0, with all other rules the same; null where that
        was not counted.
    inference : What neighbourhoods give away of each sensitive issue.
    exposure : Null unless --exposure was given.
    violators : Records that break the verdict, worst first, cut by --show.
    warnings : Sentences to read before relying on the result.
    cautions : The same with codes for programs.
    accepted : Codes of the reservations of this result that were accepted: with all of them accepted, a but
        is a yes.
    """

    schema: Literal["ratingpriv.audit/1"]
    tool: Tool
    dataset: AuditedDataset
    selection: Selection | None
    parameters: AuditParameters
    satisfied: bool
    n_violators: Count
    tolerance: Tolerance | None
    k_epsilon: KEpsilonVerdict
    k_epsilon_l: KEpsilonLVerdict | None
    max_share: MaxShareVerdict | None
    distinct: DistinctVerdict | None
    entropy: EntropyVerdict | None
    equal: EqualRecords | None
    inference: dict[str, IssueInference]
    risk: PickRisk
    neighbourhood_sizes: NeighbourhoodSizes
    exposure: Exposure | None
    violators: list[Violator]
    warnings: list[str]
    cautions: list[Caution]
    accepted: list[str]
    known: KnownVerdict | UnsetType = UNSET
    gate: Gate | UnsetType = UNSET
