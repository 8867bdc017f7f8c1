"""The search behind the frontier: one engine pass an ε, and as few of them as an exact answer needs.

Where many ε matter, all pairs are looked at once instead, by
:class:`ratingpriv.audit.frontier.sweep.Sweep`; the answers are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ratingpriv.audit.aggregates import Aggregates
from ratingpriv.audit.bounds import largest_k
from ratingpriv.audit.frontier.candidates import LISTABLE, Candidates
from ratingpriv.audit.frontier.result import FrontierParameters, FrontierRow, Interval
from ratingpriv.audit.frontier.sweep import Sweep
from ratingpriv.audit.judging import Judged
from ratingpriv.audit.result import AuditParameters
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError
from ratingpriv.base.target import SENSITIVE_NULLS
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.neighbourhoods import ENGINES, Neighbourhoods, meets_k, neighbourhoods

LISTED = 100
"""So many candidates are scanned one by one, each by the engine."""

_ALL = Resources()


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

    def at(self, epsilon: float) -> FrontierRow:
        """Pass over the table once, at ``epsilon``."""
        resources = self.resources
        counted = neighbourhoods(
            self.table, epsilon, nulls=self.parameters.nulls,
            sensitive=[column.name for column in self.table.numeric_sensitive], threads=resources.threads,
            memory=resources.memory, progress=resources.progress,
        )  # fmt: skip
        return self._judged(counted)

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

    def _judged(self, neighbourhoods: Neighbourhoods) -> FrontierRow:
        epsilon = neighbourhoods.epsilon
        parameters = audit_parameters(self.parameters, epsilon, numeric=bool(neighbourhoods.moments))
        sums = Aggregates.of(Judged.of(neighbourhoods, parameters))
        row, holds = row_of(sums, self.parameters, self.unprotected)
        self.rows[epsilon], self._holds[epsilon] = row, holds
        return row

    def by_rule[T](self, answers: Mapping[str, T]) -> dict[str, T]:
        """Return an answer for each rule, where only ``rules`` have one: the same, if they cannot differ."""
        return {rule: answers.get(rule, answers[self.rules[0]]) for rule in SENSITIVE_NULLS}

    def verdicts(self, epsilons: Sequence[float], rule: str) -> list[bool]:
        """Return whether the given k and l hold at each ε, all of which were scanned."""
        return [self._holds[epsilon][rule] for epsilon in epsilons]


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
    sums: Aggregates, parameters: FrontierParameters, unprotected: float | None
) -> tuple[FrontierRow, dict[str, bool]]:
    """Return what holds at the ε of ``sums``, and whether the given k and l hold under each rule.

    Parameters
    ----------
    sums : of all records, held to :func:`audit_parameters`
    unprotected : from this ε on nothing is protected; None: there is none
    """
    epsilon = sums.parameters.epsilon
    large = not sums.sizes.below(sums.parameters.k)
    holds = {rule: large and not sums.by_rule.get(rule, 0) for rule in SENSITIVE_NULLS}
    largest_l = {
        rule: {issue.name: issue.max_l[rule] for issue in sums.issues if issue.max_l}
        for rule in SENSITIVE_NULLS
    }
    protects = unprotected is None or epsilon < unprotected
    rule = parameters.sensitive_nulls
    row = FrontierRow(
        epsilon=epsilon,
        max_k=largest_k(sums.sizes.sizes),
        max_l=largest_l[rule],
        max_l_by_rule=largest_l,
        singletons=sums.sizes.below(2),
        pairs=sums.pairs or 0,
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

    The least SD may rise and fall as ε grows, so bisection would be unsound. Few candidates are scanned, each
    by the engine; of many, one sweep over all pairs decides each. No ε is left out. ``start`` is the smallest
    ε that can serve (that of k).

    Raises
    ------
    ResourceError
        There are millions of candidates, and no room to lay the table out.
    """
    listed = candidates.listed(LISTED)
    if listed is None:
        scanner.scan([candidates.top])
        swept = {rule: scanner.sweep.changes(start, rule) for rule in scanner.rules}
        decided = {rule: dict(changes) for rule, changes in swept.items() if changes is not None}
        if len(decided) == len(swept):
            for rule, verdicts in decided.items():
                verdicts[candidates.top] = scanner.verdicts([candidates.top], rule)[0]
            return {
                rule: intervals_of(*zip(*sorted(verdicts.items()), strict=True))
                for rule, verdicts in decided.items()
            }
        listed = candidates.listed(LISTABLE)
    if listed is None:
        raise ResourceError(
            "memory: found millions of distances, and too little to compare all pairs in; raise `memory`, "
            "round the ratings, or name distances with `epsilon`"
        )
    listed = [epsilon for epsilon in listed if epsilon >= start]
    scanner.scan(listed)
    return {rule: intervals_of(listed, scanner.verdicts(listed, rule)) for rule in scanner.rules}


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
