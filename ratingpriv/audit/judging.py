"""Whether each neighbourhood meets what was asked of it, and what all of them come to.

Every comparison is exact, or misses on the safe side where sensitive ratings are no decimals. What
an audit is concluded from are sums over the records, which grow with the distinct sizes and not
with n: whole numbers, or the least of some float64, so that the result is the same bit by bit in
whichever order records come, and whether equal ones are counted one by one or once with a weight.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.parameters import AuditParameters
from ratingpriv.base.tally import Histogram
from ratingpriv.base.target import SENSITIVE_NULLS
from ratingpriv.proximity.counts import largest_entropy_l
from ratingpriv.proximity.demands import DEMANDS
from ratingpriv.proximity.neighbourhoods import Neighbourhoods

_BLOCK = 1 << 16
"""Records judged at once: what is worked out for them stays in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Neighbourhoods, and which of them meet what."""

    # sizes and counts; their ``moments`` only of the issues that have an SD
    neighbourhoods: Neighbourhoods
    parameters: AuditParameters  # what was asked
    large: NDArray[np.bool_]  # bool (n,); whether there are k records
    # bool (n,) for each rule for sensitive nulls; whether every SD is at least l; empty without l
    diverse: Mapping[str, NDArray[np.bool_]]
    # bool (n,) for each of DEMANDS that was made
    demands: Mapping[str, NDArray[np.bool_]]
    satisfied: NDArray[np.bool_]  # bool (n,); whether everything that was asked is met

    @classmethod
    def of(
        cls,
        neighbourhoods: Neighbourhoods,
        parameters: AuditParameters,
        nominal: Collection[str] = (),
    ) -> Judged:
        """Judge neighbourhoods; the sensitive issues named in ``nominal`` have words as values,
        and no SD.
        """
        names = [column.name for column in neighbourhoods.moments]
        if parameters.demands and [column.name for column in neighbourhoods.counts] != names:
            raise ValueError(
                "the values of the sensitive items were not counted: nothing can be said of them"
            )
        numeric = () if parameters.sensitive_kind == "nominal" else neighbourhoods.moments
        neighbourhoods = dataclasses.replace(
            neighbourhoods,
            moments=tuple(column for column in numeric if column.name not in nominal),
        )
        n, l = len(neighbourhoods.sizes), parameters.l  # noqa: E741
        large = neighbourhoods.sizes >= parameters.k
        diverse = {rule: np.ones(n, dtype=np.bool_) for rule in SENSITIVE_NULLS if l is not None}
        demands = {name: np.ones(n, dtype=np.bool_) for name in parameters.demands}
        for block in blocks(n) if diverse or demands else ():
            part = neighbourhoods.part(block)
            if l is not None:
                for moments in part.moments:
                    held = moments.by_rule(part.sizes, partial(moments.at_least, l, part.sizes))
                    for rule, holds in held.items():
                        diverse[rule][block] &= holds
            for counts in part.counts:
                for name, value in parameters.demands.items():
                    demands[name][block] &= DEMANDS[name].met(counts, value)
        met = [
            large,
            *demands.values(),
            *([diverse[parameters.sensitive_nulls]] if diverse else []),
        ]
        satisfied = met[0] if len(met) == 1 else np.logical_and.reduce(met)
        return cls(neighbourhoods, parameters, large, diverse, demands, satisfied)


@dataclass(frozen=True, slots=True)
class IssueAggregates:
    """What all neighbourhoods give away of one sensitive issue."""

    name: str  # the issue
    # for each rule for sensitive nulls the largest float64 l that holds, None where any does; empty
    # without l, and for a nominal issue
    max_l: Mapping[str, float | None]
    neighbourhoods: int = 0  # of how many records a value is known in their neighbourhood
    # of the neighbourhood in which one value has the largest share (of several that with the most
    # known values): how many have it, of how many known; 0, 0 where nothing is known
    largest: int = 0
    known: int = 0
    # the fewest distinct values, the least entropy in bits; None where nothing is known
    distinct: int | None = None
    entropy: float | None = None
    # the largest float64 L of entropy l-diversity that holds; None: any
    entropy_l: float | None = None
    # neighbourhoods with one distinct value only: those of two or more records, and of one
    agreeing: int = 0
    alone: int = 0
    above: int = 0  # those in which the largest share is above :func:`share_limit`
    # the largest distance from the distribution in all records; None: nothing is known, or it was
    # not asked
    distance: Fraction | None = None
    counted: bool = True  # whether the values were counted; if not, nothing but ``max_l`` is known

    @classmethod
    def of(cls, judged: Judged, name: str, weights: NDArray[np.int64] | None) -> IssueAggregates:
        """Sum up what neighbourhoods give away of an issue, in pieces."""
        parameters, neighbourhoods = judged.parameters, judged.neighbourhoods
        moments = next((moment for moment in neighbourhoods.moments if moment.name == name), None)
        counted = next((count for count in neighbourhoods.counts if count.name == name), None)
        rules = () if parameters.l is None or moments is None else SENSITIVE_NULLS
        summed = cls(name, dict.fromkeys(rules), counted=counted is not None)
        for block in blocks(len(neighbourhoods.sizes)):
            sizes, part = neighbourhoods.sizes[block], cls(name, {}, counted=counted is not None)
            if counted is not None:
                counts, weight = counted.part(block), None if weights is None else weights[block]
                informed, uniform = counts.known > 0, counts.distinct == 1
                some, (largest, of) = bool(informed.any()), counts.largest_share()
                part = cls(
                    name,
                    {},
                    neighbourhoods=_number(informed, weight),
                    largest=largest,
                    known=of,
                    distinct=int(counts.distinct[informed].min()) if some else None,
                    entropy=float(counts.entropy[informed].min()) if some else None,
                    agreeing=_number(uniform & (sizes > 1), weight),
                    alone=_number(uniform & (sizes == 1), weight),
                    above=_number(counts.share_above(parameters.share_limit), weight),
                    distance=None if counts.gaps is None else counts.largest_distance(),
                )
            if rules and moments is not None:
                here = moments.part(block)
                largest_l = here.by_rule(sizes, partial(here.largest_l, sizes))
                part = dataclasses.replace(part, max_l=largest_l)
            summed = summed.merge(part)
        if counted is None:
            return summed
        return dataclasses.replace(summed, entropy_l=largest_entropy_l(counted.least))

    @property
    def share(self) -> Fraction | None:
        """The largest share of one value, None where nothing is known."""
        return Fraction(self.largest, self.known) if self.known else None

    def merge(self, other: IssueAggregates) -> IssueAggregates:
        """Return those of the records of both."""
        if (self.name, self.counted, [*self.max_l]) != (other.name, other.counted, [*other.max_l]):
            raise ValueError("aggregates of different items do not merge")
        worst = max(
            self, other, key=lambda one: (-1 if one.share is None else one.share, one.known)
        )
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
            distance=max(
                (one.distance for one in (self, other) if one.distance is not None), default=None
            ),
            counted=self.counted,
        )


@dataclass(frozen=True, slots=True)
class Aggregates:
    """The sums of the neighbourhoods of some records."""

    parameters: AuditParameters  # what the neighbourhoods are held to
    # how many records have a neighbourhood of which size; as many entries as there are distinct
    # sizes: at most as many as records, and as the largest neighbourhood has records
    sizes: Histogram
    violators: int  # records that break the verdict
    # with l, for each rule for sensitive nulls how many neighbourhoods are too small or too uniform
    by_rule: Mapping[str, int]
    differing: int  # records on which the two rules for sensitive nulls disagree
    demands: Mapping[str, int]  # for each further demand how many neighbourhoods do not meet it
    issues: tuple[IssueAggregates, ...]  # one for each sensitive issue

    @classmethod
    def of(cls, judged: Judged, weights: NDArray[np.int64] | None = None) -> Self:
        """Sum up neighbourhoods; ``weights``: int64 (n,), of how many equal records each is;
        None: of one.
        """

        def number(holds: NDArray[np.bool_]) -> int:
            return _number(holds, weights)

        rules = {rule: judged.large & diverse for rule, diverse in judged.diverse.items()}
        moments = {moment.name for moment in judged.neighbourhoods.moments}
        names = [count.name for count in judged.neighbourhoods.counts] or moments
        return cls(
            parameters=judged.parameters,
            sizes=Histogram.of(judged.neighbourhoods.sizes, weights),
            violators=number(~judged.satisfied),
            by_rule={rule: number(~holds) for rule, holds in rules.items()},
            differing=number(np.logical_xor(*rules.values())) if rules else 0,
            demands={name: number(~holds) for name, holds in judged.demands.items()},
            issues=tuple(IssueAggregates.of(judged, name, weights) for name in names),
        )

    @property
    def n_records(self) -> int:
        """How many records these are of."""
        return self.sizes.total

    @property
    def pairs(self) -> int | None:
        """Unordered ε-proximate pairs, where these are of all records; None: ``known`` has none."""
        return (
            None if self.parameters.nulls == "known" else (self.sizes.sum - self.sizes.total) // 2
        )


def _least[T: (int, float)](one: T | None, other: T | None) -> T | None:
    """Return the smaller one; None is above all."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _number(holds: NDArray[np.bool_], weights: NDArray[np.int64] | None) -> int:
    """Return of how many records something holds."""
    return int(np.count_nonzero(holds)) if weights is None else int(weights[holds].sum())


def blocks(n: int) -> Iterator[slice]:
    """Yield 0..n in pieces that are worked on at once."""
    return (slice(first, min(first + _BLOCK, n)) for first in range(0, n, _BLOCK))
