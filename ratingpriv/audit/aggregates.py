"""What an audit is concluded from: sums over the records, which grow with the distinct sizes and not with n.

Counts add up, and the largest k, l and L that hold of all are the least of each part's. Everything is a whole
number, or the least of some float64, so the result is the same bit by bit in whichever order records come,
and whether equal ones are counted one by one or once with a weight.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.inference import as_decimal
from ratingpriv.audit.judging import Judged, blocks
from ratingpriv.audit.result import AuditParameters
from ratingpriv.base.tally import Histogram
from ratingpriv.base.target import SENSITIVE_NULLS
from ratingpriv.proximity.counts import SensitiveCounts, largest_entropy_l
from ratingpriv.proximity.moments import SensitiveMoments


@dataclass(frozen=True, slots=True)
class IssueAggregates:
    """What all neighbourhoods give away of one sensitive issue.

    Attributes
    ----------
    name : the issue
    max_l : for each rule for sensitive nulls the largest float64 l that holds, None where any does; empty
        without l, and for a nominal issue
    neighbourhoods : of how many records a value is known in their neighbourhood
    largest, known : of the neighbourhood in which one value has the largest share (of several that with the
        most known values): how many have it, of how many known; 0, 0 where nothing is known
    distinct, entropy : the fewest distinct values, the least entropy in bits; None where nothing is known
    entropy_l : the largest float64 L of entropy l-diversity that holds; None: any
    agreeing, alone : neighbourhoods with one distinct value only: those of two or more records, and of one
    above : those in which the largest share is above :func:`share_limit`
    counted : whether the values were counted; if not, nothing but ``max_l`` is known
    """

    name: str
    max_l: Mapping[str, float | None]
    neighbourhoods: int = 0
    largest: int = 0
    known: int = 0
    distinct: int | None = None
    entropy: float | None = None
    entropy_l: float | None = None
    agreeing: int = 0
    alone: int = 0
    above: int = 0
    counted: bool = True

    @property
    def share(self) -> Fraction | None:
        """The largest share of one value, None where nothing is known."""
        return Fraction(self.largest, self.known) if self.known else None

    def merge(self, other: IssueAggregates) -> IssueAggregates:
        """Return those of the records of both."""
        if (self.name, self.counted, [*self.max_l]) != (other.name, other.counted, [*other.max_l]):
            raise ValueError("aggregates of different issues do not merge")
        worst = max(self, other, key=lambda one: (-1 if one.share is None else one.share, one.known))
        return IssueAggregates(
            name=self.name,
            max_l={rule: _least(least, other.max_l[rule]) for rule, least in self.max_l.items()},
            neighbourhoods=self.neighbourhoods + other.neighbourhoods,
            largest=worst.largest,
            known=worst.known,
            distinct=_least(self.distinct, other.distinct),
            entropy=_least(self.entropy, other.entropy),
            entropy_l=_least(self.entropy_l, other.entropy_l),
            agreeing=self.agreeing + other.agreeing,
            alone=self.alone + other.alone,
            above=self.above + other.above,
            counted=self.counted,
        )


@dataclass(frozen=True, slots=True)
class Aggregates:
    """The sums of the neighbourhoods of some records.

    Attributes
    ----------
    parameters : what the neighbourhoods are held to
    sizes : how many records have a neighbourhood of which size; as many entries as there are distinct sizes:
        at most as many as records, and as the largest neighbourhood has records
    violators : records that break the verdict
    by_rule : with l, for each rule for sensitive nulls how many neighbourhoods are too small or too uniform
    differing : records on which the two rules for sensitive nulls disagree
    demands : for each further demand how many neighbourhoods do not meet it
    issues : one for each sensitive issue
    """

    parameters: AuditParameters
    sizes: Histogram
    violators: int
    by_rule: Mapping[str, int]
    differing: int
    demands: Mapping[str, int]
    issues: tuple[IssueAggregates, ...]

    @classmethod
    def of(cls, judged: Judged, weights: NDArray[np.int64] | None = None) -> Self:
        """Sum up neighbourhoods, as :meth:`Judged.of` holds them to parameters.

        Parameters
        ----------
        weights : int64 (n,), each >= 1: of how many equal records each neighbourhood is; None: of one
        """

        def number(holds: NDArray[np.bool_]) -> int:
            return _number(holds, weights)

        rules = {rule: judged.large & diverse for rule, diverse in judged.diverse.items()}
        return cls(
            parameters=judged.parameters,
            sizes=Histogram.of(judged.neighbourhoods.sizes, weights),
            violators=number(~judged.satisfied),
            by_rule={rule: number(~holds) for rule, holds in rules.items()},
            differing=number(np.logical_xor(*rules.values())) if rules else 0,
            demands={name: number(~holds) for name, holds in judged.demands.items()},
            issues=_issues(judged, weights),
        )

    @property
    def n_records(self) -> int:
        """How many records these are of."""
        return self.sizes.total

    @property
    def pairs(self) -> int | None:
        """Unordered ε-proximate pairs, where these are of all records; None: ``known`` has none."""
        return None if self.parameters.nulls == "known" else (self.sizes.sum - self.sizes.total) // 2


def share_limit(parameters: AuditParameters) -> Fraction:
    """Return the share of one value above which a caution is due: ``max_share``, or 1 - 1/k without one."""
    if parameters.max_share is None:
        return Fraction(parameters.k - 1, parameters.k)
    return as_decimal(parameters.max_share)


def _least[T: (int, float)](one: T | None, other: T | None) -> T | None:
    """Return the smaller one; None is above all."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _number(holds: NDArray[np.bool_], weights: NDArray[np.int64] | None) -> int:
    """Return of how many records something holds."""
    return int(np.count_nonzero(holds)) if weights is None else int(weights[holds].sum())


def _issues(judged: Judged, weights: NDArray[np.int64] | None) -> tuple[IssueAggregates, ...]:
    """Sum up what neighbourhoods give away of each sensitive issue."""
    neighbourhoods, parameters = judged.neighbourhoods, judged.parameters
    moments = {one.name: one for one in neighbourhoods.moments}
    counts = {one.name: one for one in neighbourhoods.counts}
    limit = share_limit(parameters)
    issues = []
    for name in counts or moments:
        rules = SENSITIVE_NULLS if parameters.l is not None and name in moments else ()
        summed = nothing = IssueAggregates(name, dict.fromkeys(rules, None), counted=bool(counts))
        for block in blocks(len(neighbourhoods.sizes)):
            sizes, part = neighbourhoods.sizes[block], nothing
            if rules:
                part = dataclasses.replace(part, max_l=_largest_l(moments[name].part(block), sizes))
            if counts:
                weight = None if weights is None else weights[block]
                part = _given_away(part, counts[name].part(block), sizes, limit, weight)
            summed = summed.merge(part)
        if counts:
            summed = dataclasses.replace(summed, entropy_l=largest_entropy_l(counts[name].least))
        issues.append(summed)
    return tuple(issues)


def _largest_l(moments: SensitiveMoments, sizes: NDArray[np.int64]) -> dict[str, float | None]:
    return moments.by_rule(sizes, lambda rule: moments.largest_l(sizes, rule))


def _given_away(
    issue: IssueAggregates,
    counts: SensitiveCounts,
    sizes: NDArray[np.int64],
    limit: Fraction,
    weights: NDArray[np.int64] | None,
) -> IssueAggregates:
    """Add to what is known of an ``issue`` what its counts say."""
    known = counts.known > 0
    some = bool(known.any())
    uniform = counts.distinct == 1
    largest, of = counts.largest_share()
    return dataclasses.replace(
        issue,
        neighbourhoods=_number(known, weights),
        largest=largest,
        known=of,
        distinct=int(counts.distinct[known].min()) if some else None,
        entropy=float(counts.entropy[known].min()) if some else None,
        agreeing=_number(uniform & (sizes > 1), weights),
        alone=_number(uniform & (sizes == 1), weights),
        above=_number(counts.share_above(limit), weights),
    )
