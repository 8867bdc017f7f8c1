"""What a release is, beside the data it was made of."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.audit import KnownVerdict
from ratingpriv.documents.demands import Shares
from ratingpriv.documents.form import Amount, Count, Document, Positive, Share


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


class QuasiCost(Document):
    """What became of quasi-identifiers; only there where there are any. Nothing else counts them."""

    cells: Count  #: Their values in the input, suppressed records included.
    changed: Count  #: Numbers that were moved; no category ever is.
    erased: Count  #: Suppressed values.
    records_touched: Count  #: Released records with one of these.
    withheld: Count  #: Values of suppressed records.
    moved: Amount  #: Sum of the moves, each as a share of the range of its column.


class WholeDistortion(Document):
    """What the release costs; means are rounded."""

    total: Amount  #: Information loss (L1).
    changed: Count
    filled: Count
    erased: Count
    records_touched: Count
    records_withheld: Count
    ratings: Count
    cells: Count
    ratings_withheld: Count
    mean_before: float | None
    mean_after: float | None
    mean_filled: float | None
    sd_filled: Amount | None
    shares: Shares
    quasi: QuasiCost | UnsetType = UNSET
