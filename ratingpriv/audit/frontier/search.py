"""The search behind the frontier: one engine pass an ε, and as few of them as an exact answer needs.

Where very many ε matter and the table is small enough to look at all its pairs, that is done once instead, by
:class:`ratingpriv.audit.frontier.sweep.Sweep`; the answers are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.aggregates import Aggregates
from ratingpriv.audit.bounds import largest_k
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.result import FrontierParameters, FrontierRow, Interval
from ratingpriv.audit.frontier.sweep import Sweep
from ratingpriv.audit.judging import Judged
from ratingpriv.audit.result import AuditParameters
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import SENSITIVE_NULLS
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.neighbourhoods import ENGINES, Neighbourhoods, meets_k, neighbourhoods

__all__ = [
    "Scan",
    "Scanner",
    "audit_parameters",
    "feasible_set",
    "intervals_of",
    "row_of",
    "smallest_for_k",
]

_ALL = Resources()
_SURE = 1e-9
"""Relative distance from l² within which a bound in float64 decides nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """What one engine pass found at ``row.epsilon``; ``holds``: the verdict under each rule."""

    row: FrontierRow
    holds: dict[str, bool]
    found: Neighbourhoods


class Scanner:
    """Scans a table at one ε after the other.

    Attributes
    ----------
    unprotected : from this ε on nothing is protected, see :class:`Candidates`
    sweep : what looks at all pairs of the table at once
    rules : rules for sensitive nulls that can differ: one where every sensitive rating is known
    rows : the rows of all ε scanned, by ε
    """

    def __init__(
        self,
        table: RatingTable,
        parameters: FrontierParameters,
        resources: Resources,
        candidates: Candidates,
    ) -> None:
        self.table, self.parameters, self.resources = table, parameters, resources
        self.unprotected = candidates.unprotected
        self.sweep = Sweep(table, parameters, candidates, resources)
        known = all(bool(column.present.all()) for column in table.numeric_sensitive)
        self.rules: tuple[str, ...] = (parameters.sensitive_nulls,) if known else SENSITIVE_NULLS
        self.rows: dict[float, FrontierRow] = {}
        self._holds: dict[float, dict[str, bool]] = {}

    def at(self, epsilon: float) -> Scan:
        """Pass over the table once, at ``epsilon``."""
        resources = self.resources
        found = neighbourhoods(
            self.table, epsilon, nulls=self.parameters.nulls,
            sensitive=[column.name for column in self.table.numeric_sensitive], threads=resources.threads,
            memory=resources.memory, progress=resources.progress,
        )  # fmt: skip
        return self._judged(found)

    def scan(self, epsilons: Sequence[float]) -> None:
        """Find the rows at ``epsilons``, ascending, that are not in ``rows`` yet."""
        epsilons = [epsilon for epsilon in epsilons if epsilon not in self.rows]
        swept = self.sweep.neighbourhoods(epsilons)
        for place, epsilon in enumerate(epsilons, start=1):
            if swept is None:
                self.at(epsilon)
                self.resources.report("scanning distances", place, len(epsilons))
            else:
                self._judged(next(swept))

    def _judged(self, found: Neighbourhoods) -> Scan:
        epsilon = found.epsilon
        asked = audit_parameters(self.parameters, epsilon, numeric=bool(found.moments))
        row, holds = row_of(Aggregates.of(Judged.of(found, asked)), self.parameters, self.unprotected)
        self.rows[epsilon], self._holds[epsilon] = row, holds
        return Scan(row, holds, found)

    def by_rule[T](self, answers: Mapping[str, T]) -> dict[str, T]:
        """Return an answer for each rule, where only ``rules`` have one: the same, if they cannot differ."""
        return {rule: answers.get(rule, answers[self.rules[0]]) for rule in SENSITIVE_NULLS}

    def verdicts(self, epsilons: Sequence[float], rule: str) -> list[bool]:
        """Return whether the given k and l hold at each ε, all of which were scanned."""
        return [self._holds[epsilon][rule] for epsilon in epsilons]

    def meets(self, found: Neighbourhoods, rule: str) -> NDArray[np.bool_]:
        """Return which records meet the given k and l, bool (n_records,)."""
        return self.sweep.meets(found.sizes, found.moments, rule)


def audit_parameters(parameters: FrontierParameters, epsilon: float, *, numeric: bool) -> AuditParameters:
    """Return what neighbourhoods at ``epsilon`` are held to; ``numeric``: whether some issue has an SD."""
    return AuditParameters(
        k=parameters.k or 1,
        epsilon=epsilon,
        l=parameters.l or 0.0 if numeric else parameters.l,
        nulls=parameters.nulls,
        sensitive_nulls=parameters.sensitive_nulls,
        engine=ENGINES[0],
    )


def row_of(
    found: Aggregates, parameters: FrontierParameters, unprotected: float | None
) -> tuple[FrontierRow, dict[str, bool]]:
    """Return what holds at the ε of ``found``, and whether the given k and l hold under each rule.

    Parameters
    ----------
    found : of all records, held to :func:`audit_parameters`
    unprotected : from this ε on nothing is protected; None: there is none
    """
    epsilon = found.parameters.epsilon
    large = not found.sizes.below(found.parameters.k)
    holds = {rule: large and not found.by_rule.get(rule, 0) for rule in SENSITIVE_NULLS}
    largest_l = {
        rule: {one.name: one.max_l[rule] for one in found.issues if one.max_l} for rule in SENSITIVE_NULLS
    }
    protects = unprotected is None or epsilon < unprotected
    rule = parameters.sensitive_nulls
    row = FrontierRow(
        epsilon=epsilon,
        max_k=largest_k(found.sizes.sizes),
        max_l=largest_l[rule],
        max_l_by_rule=largest_l,
        singletons=found.sizes.below(2),
        pairs=found.pairs or 0,
        satisfied=protects and holds[rule] if parameters.has_target else None,
        protection=protects,
    )
    return row, holds


def smallest_for_k(
    table: RatingTable,
    k: int,
    candidates: Candidates,
    nulls: str,
    resources: Resources = _ALL,
    known: Sequence[FrontierRow] = (),
) -> float | None:
    """Return the smallest ε at which every neighbourhood has ``k`` records; None if none does.

    The largest of the records' distances to their (k-1)-th nearest [SWLZ11, §5.2.2]. Neighbourhoods only grow
    with ε, so bisection is sound, and it ends between two neighbouring candidates: exact, real-valued ratings
    included. Rows that are ``known`` already narrow it down.
    """

    def meets(epsilon: float) -> bool:
        return meets_k(table, k, epsilon, nulls=nulls, threads=resources.threads, progress=resources.progress)

    short = [row.epsilon for row in known if row.max_k < k]
    enough = [row.epsilon for row in known if row.max_k >= k]
    if 0.0 in enough or (0.0 not in short and meets(0.0)):
        return 0.0
    if candidates.top in short or (not enough and not meets(candidates.top)):
        return None
    low, high = max(short, default=0.0), min(enough, default=candidates.top)
    while (middle := candidates.middle(low, high)) is not None:
        if meets(middle):
            high = middle
        else:
            low = middle
    return high


def feasible_set(scanner: Scanner, candidates: Candidates, start: float) -> dict[str, tuple[Interval, ...]]:
    """Return every ε ≥ ``start`` at which the given k and l hold, as intervals, under each rule.

    The least SD may rise and fall as ε grows, so bisection would be unsound. The candidates are cut in two
    again and again until, between two that were scanned, nothing is left or everything is decided:
    neighbourhoods there lie between those at the two ends, which bounds their SDs (see :func:`_decided`), or
    the records that are left open are few enough to add their neighbours one by one. No ε is left out.
    ``start`` is the smallest ε that can serve (that of k).
    """
    low, high = scanner.at(start), scanner.at(candidates.top)
    points = {rule: {scan.row.epsilon: scan.holds[rule] for scan in (low, high)} for rule in scanner.rules}
    pending, scans = [(low, high)], 2
    while pending:
        low, high = pending.pop()
        middle = candidates.middle(low.row.epsilon, high.row.epsilon)
        left = [rule for rule in scanner.rules if not _decided(scanner, low, high, rule)]
        if middle is None or not left:
            continue
        swept = {rule: _swept(scanner, low, high, rule) for rule in left}
        if None not in swept.values():
            for rule, changes in swept.items():
                points[rule].update(changes or ())
            continue
        between = scanner.at(middle)
        scans += 1
        for rule in scanner.rules:
            points[rule][middle] = between.holds[rule]
        scanner.resources.report("deciding every distance", scans, None)
        pending += [(between, high), (low, between)]  # the lower half first: few scans wait at a time
    return {
        rule: intervals_of(*zip(*sorted(verdicts.items()), strict=True)) for rule, verdicts in points.items()
    }


def _swept(scanner: Scanner, low: Scan, high: Scan, rule: str) -> list[tuple[float, bool]] | None:
    """Return what holds between two scans, as changes, from the neighbours of the records left open."""
    open_ = np.flatnonzero(~_sure(scanner, low, high, rule))
    return scanner.sweep.failing(low.row.epsilon, high.row.epsilon, open_, rule)


def intervals_of(epsilons: Sequence[float], holds: Sequence[bool]) -> tuple[Interval, ...]:
    """Return as intervals where it holds, each verdict being true up to the next ε; ascending."""
    intervals: list[Interval] = []
    start: float | None = None
    for epsilon, good in zip(epsilons, holds, strict=True):
        if good and start is None:
            start = epsilon
        elif not good and start is not None:
            intervals.append(Interval(start, epsilon))
            start = None
    return (*intervals, Interval(start, None)) if start is not None else tuple(intervals)


def _decided(scanner: Scanner, low: Scan, high: Scan, rule: str) -> bool:
    """Return whether the verdict at ``low`` is sure to hold for every ε below ``high``.

    For A ⊆ N ⊆ B the sum of squared deviations grows from A to B, and so does the number of records. Hence
    SS(A)/|B| ≤ SD²(N) ≤ SS(B)/|A|, to which, under the paper's rule, the nulls of B add at most max s² each.
    Neighbourhoods that are the same at both ends are the same between.
    """
    small, large = low.found.sizes, high.found.sizes
    same = small == large
    meets = scanner.meets(low.found, rule)
    if not low.holds[rule]:
        if np.any(same & ~meets):
            return True
        if scanner.parameters.k is not None and np.any(large < scanner.parameters.k):
            return True
        return any(np.any(upper < _needed(scanner, -1)) for _, upper in _bounds(scanner, low, high, rule))
    return bool(_sure(scanner, low, high, rule).all())


def _sure(scanner: Scanner, low: Scan, high: Scan, rule: str) -> NDArray[np.bool_]:
    """Return which records are sure to have k and l at every ε from ``low`` to below ``high``, bool (n,).

    |N| only grows: where there are k at ``low``, what is left open is whether an SD may fall.
    """
    small, large = low.found.sizes, high.found.sizes
    sure = small >= (scanner.parameters.k or 1)
    for lower, _ in _bounds(scanner, low, high, rule):
        sure &= lower >= _needed(scanner, 1)
    return np.asarray(sure | ((small == large) & scanner.meets(low.found, rule)))


def _needed(scanner: Scanner, side: int) -> float:
    """Return l² on the safe side: what a bound must be at least (1), or must be less than (-1)."""
    return (scanner.parameters.l or 0.0) ** 2 * (1 + side * _SURE)


def _bounds(
    scanner: Scanner, low: Scan, high: Scan, rule: str
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return for each sensitive issue what SD² between the two ends is at least and at most, float64 (n,)."""
    bounds = []
    for at_low, at_high, column in zip(
        low.found.moments, high.found.moments, scanner.table.numeric_sensitive, strict=True
    ):
        unit = 100.0**at_low.decimals
        spreads = []
        for moments, side in ((at_low, -1), (at_high, 1)):
            known = np.maximum(moments.known, 1).astype(np.float64)
            terms = moments.squares + moments.sums.astype(np.float64) ** 2 / known
            spread = moments.squares - moments.sums.astype(np.float64) ** 2 / known
            error = _SURE * terms + moments.spread_error(_SURE)
            spreads.append(np.maximum(spread + side * error, 0.0) / unit)
        if rule == "ignore":
            fewest, most = at_low.known, at_high.known
            extra = np.zeros(len(most))
        else:
            fewest, most = low.found.sizes, high.found.sizes
            largest = float(np.abs(column.values[column.present]).max(initial=0.0))
            extra = (most - at_high.known).astype(np.float64) * largest**2
        with np.errstate(divide="ignore", invalid="ignore"):
            # nothing known at the upper end: SD is +inf throughout; at the lower end only: it may be
            lower = np.where(at_high.known == 0, np.inf, spreads[0] / np.maximum(most, 1))
            upper = np.where(at_low.known == 0, np.inf, (spreads[1] + extra) / np.maximum(fewest, 1))
        bounds.append((lower, upper))
    return bounds
