"""``ratingpriv.audit/1``: the verdict, and who is at risk; ``explain/1``: by which few ratings one is."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.documents import data
from ratingpriv.documents.demands import Gate, Target
from ratingpriv.documents.form import Amount, AtLeastOne, Count, Document, Positive, Share


class AuditParameters(Target):
    """What was requested."""

    engine: str  #: What counted neighbourhoods: slicing, pairwise, cypher or spark.
    max_share: Share | None  #: The largest share of one sensitive value that was allowed.
    sensitive_kind: Literal["interval", "nominal"]  #: Whether sensitive ratings are numbers or codes.
    distinct: Positive | None  #: How many distinct values were required.
    entropy: AtLeastOne | None  #: L of entropy l-diversity that was required.


class Tolerance(Document):
    """Null unless at-most was given."""

    #: The share of records that may break the verdict before the gate fails.
    at_most: Annotated[float, Meta(ge=0, lt=1)]
    share: Share  #: The share that does.
    within: bool  #: Whether that is at most as much, exactly.


class KEpsilonVerdict(Document):
    """The verdict for k."""

    satisfied: bool  #: Whether every neighbourhood has at least k records.
    max_k: Count  #: The largest k for which that holds.
    violators: Count  #: Records with a smaller neighbourhood.

    def __bool__(self) -> bool:
        """Whether it is satisfied."""
        return self.satisfied


class DiversityVerdict(Document):
    """The verdict for l of one rule."""

    satisfied: bool  #: Whether it holds.
    #: For each sensitive issue the largest l that holds, null where every l does.
    max_l: dict[str, Amount | None]
    violators: Count  #: Records or neighbourhoods that break it.


class ByRule(Document):
    """The same under each rule for sensitive nulls."""

    paper: DiversityVerdict
    ignore: DiversityVerdict


class KEpsilonLVerdict(DiversityVerdict):
    """The verdict for k and l together; null without l."""

    by_rule: ByRule


class MaxShareVerdict(Document):
    """The verdict on the largest share; null unless requested."""

    satisfied: bool  #: Whether it holds.
    #: For each sensitive issue the smallest share that holds, null where any does.
    smallest: dict[str, Share | None]
    violators: Count  #: Records or neighbourhoods that break it.


class DistinctVerdict(Document):
    """The verdict on distinct values; null unless requested."""

    satisfied: bool  #: Whether it holds.
    #: For each sensitive issue the largest number that holds, null where any does.
    largest: dict[str, Amount | None]
    violators: Count  #: Records or neighbourhoods that break it.


class EntropyVerdict(DistinctVerdict):
    """The verdict on entropy; null unless requested."""

    #: For each sensitive issue the largest L that holds, null where any does.
    largest: dict[str, Amount | None]


class IssueInference(Document):
    """What can be inferred about one sensitive issue."""

    neighbourhoods: Count  #: Neighbourhoods with a known value.
    largest_share: Share | None  #: The largest share of one value among the known ones.
    record: str | None  #: A record whose neighbourhood it is.
    distinct: Positive | None  #: The fewest distinct known values.
    entropy: Amount | None  #: The least entropy in bits.
    entropy_l: AtLeastOne | None  #: The largest L of entropy l-diversity that holds.
    agreeing: Count  #: Neighbourhoods of two or more whose known values are all the same.
    alone: Count  #: Neighbourhoods of one record whose value is known.


class PickRisk(Document):
    """The chance of a pick at random among the records within ε of the exact ratings."""

    prosecutor_max: Share  #: Largest 1 / neighbourhood size.
    marketer: Share  #: Mean of 1 / neighbourhood size.
    share_below_k: Share  #: Share of records whose neighbourhood has fewer than k records.


class SizeCount(Document):
    """How many records have a neighbourhood of one size."""

    size: Positive
    records: Positive


class NeighbourhoodSizes(Document):
    """A record counts in its own neighbourhood."""

    min: Count
    median: Amount
    mean: Amount
    max: Count
    pairs: Count | None  #: Unordered pairs of proximate records; null under known, which has none.
    histogram: list[SizeCount]  #: How many records have a neighbourhood of each size, ascending.


class RecordCount(Document):
    """How many records are left with so few that fit."""

    left: Positive
    records: Positive


class Exposure(Document):
    """What is left to an adversary whose knowledge is off by up to an error."""

    error: Amount  #: How far knowledge may be off.
    nulls: Literal["strict", "wildcard", "known"]  #: The rule for unanswered questions.
    expected: Share  #: Mean chance that a pick among the records that fit is right.
    expected_low: Share  #: Lower end of its interval.
    expected_high: Share  #: Upper end of its interval.
    worst: Count  #: The fewest records that some knowledge was found to leave.
    certain: Count  #: Records of which some knowledge was found to fit nobody else.
    exact: bool  #: Whether all three are exact.
    expected_exact: bool  #: Whether all knowledge was enumerated.
    worst_exact: bool  #: Whether it is proved that no knowledge leaves fewer.
    certain_exact: bool  #: Whether it is proved that there are no others.
    records: Count  #: Records that were examined.
    of_records: Count  #: Of how many.
    samples: Count  #: Draws of knowledge for each record whose knowledge was not enumerated.
    seed: Count | None  #: What they were drawn from.
    step: Amount | None  #: Knowledge takes multiples of it; null where any number.
    scale_declared: bool  #: Whether knowledge ends with the scale.
    #: How many records have some knowledge found that leaves so few, ascending.
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
    """What so many random known ratings of a record give away."""

    m: Positive
    #: Mean share of the choices that leave fewer than k; null where nobody has so many ratings.
    below_k: Share | None
    below_k_low: Share | None  #: Lower end of its interval.
    below_k_high: Share | None  #: Upper end of its interval.
    pick: Share | None  #: Mean chance that a pick among the records left is right.
    pick_low: Share | None  #: Lower end of its interval.
    pick_high: Share | None  #: Upper end of its interval.
    records: Count  #: Records with so many ratings.
    too_few: Count  #: Records with fewer, which are in no mean.
    draws: Count  #: Choices drawn of each record; 0 where all were gone through.
    exact: bool  #: Whether all were.
    seed: Count | None  #: What they were drawn from; null where none were.


class KnownVerdict(Document):
    """The verdict against any m known ratings; not there unless it was requested."""

    m: Positive  #: How many ratings may be known, at most.
    k: Positive  #: How many records these shall leave, at least.
    #: Records within so much of exact knowledge are left; null where knowledge is off.
    epsilon: Amount | None
    error: Amount | None  #: Knowledge is off by up to so much; null where it is exact.
    items: str | None  #: Of what alone ratings can be known, such as top:100; null where of anything.
    #: Whether it holds; null where the budget ended before that was known, which is never a yes.
    satisfied: bool | None
    proved_m: Count  #: Up to how many known ratings everything was looked at. Of more nothing is claimed.
    exact: bool  #: Whether that is m.
    below_k: list[BelowK]  #: For each number of known ratings, whom some so many narrow down.
    largest_k: list[LargestK]  #: The largest k where the search knows it.
    without_ratings: Count  #: Records without a rating, which are never at risk by this definition.
    random: list[RandomKnown]  #: What random known ratings give away, which is a mean and no promise.


class Violator(Document):
    """A record at risk."""

    record: str  #: Id as in the data.
    size: Positive  #: Of its neighbourhood.
    sd: dict[str, Amount | None] | None  #: SD of each sensitive issue; null of nominal ones.
    share: dict[str, Share | None]  #: Largest share of one value.
    distinct: dict[str, Positive | None]  #: Distinct values.
    entropy: dict[str, Amount | None]  #: Entropy in bits.


class Audit(data.Contract, tag="ratingpriv.audit/1"):
    """What an audit found: the verdict, and who is at risk."""

    dataset: data.AuditedDataset
    selection: data.SelectedPart
    parameters: AuditParameters
    #: The verdict: whether every record meets all that was requested; no tolerance changes it.
    satisfied: bool
    n_violators: Count  #: Records that break it.
    tolerance: Tolerance | None
    k_epsilon: KEpsilonVerdict
    k_epsilon_l: KEpsilonLVerdict | None
    max_share: MaxShareVerdict | None
    distinct: DistinctVerdict | None
    entropy: EntropyVerdict | None
    equal: data.CountedAsEqual
    inference: dict[str, IssueInference]  #: What neighbourhoods give away of each sensitive issue.
    risk: PickRisk
    neighbourhood_sizes: NeighbourhoodSizes
    exposure: Exposure | None  #: Null unless --exposure was given.
    violators: list[Violator]  #: Records that break the verdict, worst first, cut by --show.
    warnings: list[str]  #: Sentences to read before relying on the result.
    cautions: list[data.Caution]  #: The same with codes for programs.
    accepted: data.AcceptedCodes
    known: KnownVerdict | UnsetType = UNSET
    gate: Gate | UnsetType = UNSET


class IdentifyingSet(Document):
    """Some of the record's ratings that leave fewer than k records, none of which can be left out."""

    issues: list[str]  #: What they are ratings of.
    left: Positive  #: How many records rate all of these within epsilon of the record, itself included.


class Contribution(Document):
    """How much one rating does."""

    issue: str
    rating: float  #: The record's.
    share: Share  #: Of the sets, how many it is in.


class Blanks(Document):
    """Ratings without which nothing that is known of the record leaves fewer than k; null where not found."""

    issues: list[str]  #: What they are ratings of; as few as were found.
    proved: bool  #: Whether no fewer will do.
    #: Other records that fall below k, or by fewer known ratings, once this record fits them no more; null
    #: where that was not decided, which is never a zero.
    knock_on: Count | None


class Explanation(data.Contract, tag="ratingpriv.explain/1"):
    """Which few known ratings narrow one record down. It names a person's answers."""

    dataset: data.DatasetShape
    selection: data.Selection | None  #: Null where nothing was left out of the data.
    record: str  #: Id as in the data.
    k: Positive  #: Fewer records than these are looked for.
    epsilon: Amount  #: Records within so much of each known rating are left.
    m: Positive  #: How many ratings are known, at most.
    ratings: Count  #: How many the record has.
    sets: list[IdentifyingSet]  #: The minimal sets, the smaller ones first.
    #: Whether these are all; otherwise there are more than are kept, and nothing is said of the rest.
    complete: bool
    contribution: list[Contribution]  #: Of each rating that is in a set, the largest share first.
    blanks: Blanks | None
