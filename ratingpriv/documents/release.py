"""What a release is, beside the data it was made of."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.audit import KnownVerdict
from ratingpriv.documents.demands import Shares
from ratingpriv.documents.form import Amount, Count, Document, Positive, Share


class Method(Document):
    """How a release was made.

    Attributes
    ----------
    name : Name of the method.
    seed : Seed of its random numbers; null where it has none or does not tell it.
    strategy : How it moves ratings.
    grouping : The grouping that was taken.
    fabricate : Whether it may impute ratings.
    fill : How it imputes.
    scheme : What a group is given: pure or padded.
    labels : What becomes of a group's mean: rounded or exact.
    diversity : b and l: every b issues that somebody rated together are in at least l groups.
    factors : Factors of the model that predicts, at most.
    bins : Bins that records are sorted into: a number, or auto.
    centres : What the centre of a bin is: virtual or real.
    optimal : Whether nothing better exists, in the sense of the statement.
    statement : What is claimed, in a sentence.
    keep_at_least : Share of the ratings that was to be left by blank; only where one was named.
    """

    name: str
    seed: Count | None
    strategy: str | None
    grouping: str | None
    fabricate: bool | None
    fill: str | None
    scheme: str | None
    labels: str | None
    diversity: tuple[Positive, Positive] | None
    factors: Count | None
    bins: int | str | None
    centres: str | None
    optimal: bool
    statement: str
    keep_at_least: Share | UnsetType = UNSET


class ReleaseVerification(Document):
    """An audit of what was made.

    Attributes
    ----------
    satisfied : Whether the target holds.
    read_from : What was audited.
    largest_k : The largest k that holds.
    largest_l : For each sensitive issue the largest l that holds; null without l.
    highest_risk : Largest 1 / neighbourhood size.
    average_risk : Mean of 1 / neighbourhood size.
    violators : Records that break the target.
    known : The verdict against any few known ratings, where that is the target: the one that counts. The rest
        is then about an adversary who knows all ratings of a record.
    """

    satisfied: bool
    read_from: Literal["the written file", "memory"]
    largest_k: Count
    largest_l: dict[str, Amount | None] | None
    highest_risk: Share
    average_risk: Share
    violators: Count
    known: KnownVerdict | UnsetType = UNSET


class PredictiveGroups(Document):
    """Groups of identical records.

    Attributes
    ----------
    smallest : Records of the smallest.
    largest : Records of the largest.
    """

    count: Positive
    smallest: Positive
    largest: Positive


class LinkConfidence(Document):
    """How likely a released rating is one that the person gave: the share of its group that rated the issue.

    Over all released ratings.

    Attributes
    ----------
    edges : Released ratings.
    real : Those whose person rated the issue.
    above : Share of released ratings with a confidence above 1/k.
    above_twice : Share with a confidence above 2/k.
    certain : Released ratings of issues that everybody in the group rated.
    """

    edges: Count
    real: Count
    mean: Share | None
    percentile_95: Share | None
    largest: Share | None
    above: Share | None
    above_twice: Share | None
    certain: Count


class ExactMeans(Document):
    """What exact means prove of how many rated; null where they are rounded, or the ratings are no decimals.

    Attributes
    ----------
    cells : Issues of groups.
    prove_two : Those that prove that at least two rated.
    prove_all : Those that prove that everybody in the group rated.
    """

    cells: Count
    prove_two: Count
    prove_all: Count


class Diversity(Document):
    """Every b issues that somebody rated together are in at least l groups.

    Null where that was not asked for.

    Attributes
    ----------
    added_cells : Issues that were added to groups for that.
    """

    b: Positive
    l: Positive  # noqa: E741 -- the theory's word
    added_cells: Count


class Predictive(Document):
    """What the ratings of a release by predictive give away, counted in the original.

    Only there for this method.
    """

    groups: PredictiveGroups
    link_confidence: LinkConfidence
    exact_means: ExactMeans | None
    diversity: Diversity | None


class LevelLeft(Document):
    """What is left of the ratings of one value.

    Attributes
    ----------
    before : How many there were.
    kept : Share of them that is left.
    """

    rating: float
    before: Positive
    kept: Share


class Blanked(Document):
    """What blanks took, counted in the original. Only there for the method blank.

    Attributes
    ----------
    blanks : Ratings that are blank now.
    kept : Share of the ratings that is left; null where there were none.
    levels : By rating, the lowest first.
    records_emptied : Records that have lost their last rating.
    issues_emptied : Issues that have.
    """

    blanks: Count
    kept: Share | None
    levels: list[LevelLeft]
    records_emptied: Count
    issues_emptied: Count


class QuasiCost(Document):
    """What became of quasi-identifiers; only there where there are any. Nothing else counts them.

    Attributes
    ----------
    cells : Their values in the input, suppressed records included.
    changed : Numbers that were moved; no category ever is.
    erased : Suppressed values.
    records_touched : Released records with one of these.
    withheld : Values of suppressed records.
    moved : Sum of the moves, each as a share of the range of its column.
    """

    cells: Count
    changed: Count
    erased: Count
    records_touched: Count
    withheld: Count
    moved: Amount


class WholeDistortion(Document):
    """What the release costs; means are rounded.

    Attributes
    ----------
    total : Information loss (L1).
    """

    total: Amount
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
