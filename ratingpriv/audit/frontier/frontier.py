"""The frontier: which k, ε and l are within reach of a table as it is.

::

    question               answer
    ε given                the largest k, min |N(t)|, and the largest l, min SD(N(t)): one pass, exact
    k given                the smallest ε by neighbourhoods: bisection, sound because |N| grows with ε
    l given                *every* ε that does: not one interval in general, see :func:`feasible_set`
    nothing given          all of it, for each ε at which anything changes
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ratingpriv import checks
from ratingpriv.audit.cautions import cautions
from ratingpriv.audit.frontier.by_partition import PartitionSearch, smallest_by_partition, with_partitions
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.paper import bisect_as_the_paper
from ratingpriv.audit.frontier.result import (
    BisectionStep,
    Frontier,
    FrontierParameters,
    FrontierRow,
    Interval,
    SmallestEpsilon,
)
from ratingpriv.audit.frontier.search import Asked, Scanner, feasible_set, intervals_of, smallest_for_k
from ratingpriv.audit.result import AuditParameters
from ratingpriv.audit.verdict import NULLS, SENSITIVE_NULLS, check_data, describe
from ratingpriv.errors import ParameterError
from ratingpriv.progress import Progress
from ratingpriv.table import RatingTable

__all__ = ["METHODS", "ROWS", "check_parameters", "frontier"]

METHODS = ("exact", "paper")
"""Our search, and the paper's bisection by slicing's partition [SWLZ11, §5.2.2-5.2.3], to compare with."""

ROWS = 100
"""So many distances are shown at most; where more matter, some of them are. The answers look at all."""

_PAPER_K = 2


def frontier(
    table: RatingTable,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    epsilon: float | Sequence[float] | None = None,
    method: str = "exact",
    partition: bool = True,
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    rows: int = ROWS,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """Find which k, ε and l hold for ``table`` as it is.

    Implements [SWLZ11, §5.2] by neighbourhoods, the definition, and beside it by partition. Departs from it
    where l is given: the least SD over all neighbourhoods is not monotone in ε, so the paper's bisection can
    miss every ε that does, and can end at one below which none does although there are some. All candidates
    are decided here.

    Parameters
    ----------
    table : the ratings
    k : how many records each neighbourhood shall have; asks for the smallest ε
    l : the SD that every sensitive issue shall have in every neighbourhood; asks for every ε that does
    epsilon : one or several distances: the rows are then these, and k and l are judged at them. None: every
        distance at which anything changes
    method : "exact", or "paper" for the paper's bisection, labelled as such
    partition : whether partitions into groups of k records (2, if no k was asked for) are looked for too;
        that can take much longer than the rest
    nulls, sensitive_nulls : as for :func:`ratingpriv.audit.verdict.audit`; sets of ε are given under both
        rules for sensitive nulls
    rows : so many distances are shown at most
    threads, memory, progress : as for the audit

    Raises
    ------
    ParameterError
        An argument is out of range; the table has no records; ``l`` is given, but no issue is sensitive; with
        method "paper", nothing was asked for, or the scale has no maximum above 0.
    """
    asked = check_parameters(
        k=k, l=l, epsilon=epsilon, method=method, partition=partition, nulls=nulls,
        sensitive_nulls=sensitive_nulls,
    )  # fmt: skip
    rows = checks.whole_number("rows", rows, 2)
    usual = AuditParameters(asked.k or 1, 0.0, asked.l, asked.nulls, asked.sensitive_nulls, "slicing")
    check_data(usual, table.n_records, sensitive=bool(table.sensitive))
    candidates = Candidates(table, asked.nulls)
    needed = Asked(asked.k, asked.l, asked.sensitive_nulls)
    scanner = Scanner(table, needed, asked.nulls, threads, memory, progress)
    found, complete = _scan(scanner, candidates, asked, rows)
    smallest: SmallestEpsilon | None = None
    bisection: tuple[BisectionStep, ...] | None = None
    by_rule: dict[str, tuple[Interval, ...]] = {}
    search = PartitionSearch(table, needed, asked.nulls, threads, memory, progress)
    if needed.anything and asked.epsilon is None:
        by_rule = _feasible(scanner, candidates, found, complete=complete)
        first = by_rule[asked.sensitive_nulls]
        smallest = SmallestEpsilon(first[0].start if first else None, None, False)
        if asked.method == "exact":
            found = _shown(scanner, found, by_rule)
    if asked.method == "paper":
        at, bisection = bisect_as_the_paper(
            table, asked.k or _PAPER_K, asked.l, asked.nulls, asked.sensitive_nulls, progress
        )
        neighbourhood = smallest.neighbourhood if smallest is not None else None
        smallest = SmallestEpsilon(neighbourhood, at, False)
    elif asked.partition:
        found = with_partitions(found, search)
        if smallest is not None:
            start = None if asked.k is None else _first_with(found, asked.k)
            at, proved = smallest_by_partition(
                found, search, None if complete else candidates, start, _teller(progress, "partitioning")
            )
            smallest = SmallestEpsilon(smallest.neighbourhood, at, proved)
            if at is not None and all(row.epsilon != at for row in found):
                scanner.look(at)
                found = with_partitions(_rows_and(scanner, found, at), search)
    dataset = describe(table)
    return Frontier(
        dataset=dataset,
        parameters=asked,
        rows=tuple(found),
        complete=complete,
        smallest_epsilon=smallest,
        feasible=by_rule.get(asked.sensitive_nulls),
        feasible_by_rule=by_rule,
        bisection=bisection,
        warnings=(*cautions(table, dataset, usual, {}), *_warnings(asked, by_rule, len(found), complete)),
    )


def check_parameters(
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    epsilon: float | Sequence[float] | None = None,
    method: str = "exact",
    partition: bool = True,
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
) -> FrontierParameters:
    """Return what :func:`frontier` is asked, checked as it checks it; worth doing before a long read.

    Raises
    ------
    ParameterError
        The first argument that is out of range.
    """
    if epsilon is not None:
        named = list(epsilon) if isinstance(epsilon, Sequence) else [epsilon]
        if not named:
            raise ParameterError("epsilon", "none", "at least one distance, or nothing at all for every one")
        epsilon = tuple(sorted({checks.non_negative_number("epsilon", value) for value in named}))
    asked = FrontierParameters(
        k=None if k is None else checks.whole_number("k", k, 1),
        l=None if l is None else checks.non_negative_number("l", l),
        epsilon=epsilon,
        method=checks.choice("method", method, METHODS),
        partition=bool(partition),
        nulls=checks.choice("nulls", nulls, NULLS),
        sensitive_nulls=checks.choice("sensitive_nulls", sensitive_nulls, SENSITIVE_NULLS),
    )
    if asked.method == "paper":
        if asked.k is None and asked.l is None:
            raise ParameterError("method", "paper", "k or l to bisect for", "name one of them")
        if asked.epsilon is not None:
            raise ParameterError("method", "paper", "no epsilon: the bisection looks for it")
    return asked


def _scan(
    scanner: Scanner, candidates: Candidates, asked: FrontierParameters, rows: int
) -> tuple[list[FrontierRow], bool]:
    """Look at the distances to be shown; return their rows, and whether they are all that matter."""
    listed: Sequence[float] | None = asked.epsilon
    complete = False
    if listed is None:
        listed = candidates.listed(rows)
        complete = listed is not None
    told = _teller(scanner.progress, "scanning distances", None if listed is None else len(listed))
    found = []
    for place, epsilon in enumerate(candidates.sampled(rows) if listed is None else listed, start=1):
        found.append(scanner.look(epsilon).row)
        told(place)
    return found, complete


def _feasible(
    scanner: Scanner, candidates: Candidates, found: Sequence[FrontierRow], *, complete: bool
) -> dict[str, tuple[Interval, ...]]:
    """Return every ε that does, under each rule for sensitive nulls."""
    asked = scanner.asked
    if complete:
        epsilons = [row.epsilon for row in found]
        by_rule = {rule: intervals_of(epsilons, scanner.verdicts(epsilons, rule)) for rule in scanner.rules}
        return {rule: by_rule.get(rule, by_rule[asked.rule]) for rule in SENSITIVE_NULLS}
    start: float | None = 0.0
    if asked.k is not None:
        start = smallest_for_k(
            scanner.table, asked.k, candidates, scanner.nulls, scanner.threads, scanner.progress, found
        )
    if start is None:
        return dict.fromkeys(SENSITIVE_NULLS, ())
    if asked.l is None:
        return dict.fromkeys(SENSITIVE_NULLS, (Interval(start, None),))
    told = _teller(scanner.progress, "deciding every distance")
    by_rule = feasible_set(scanner, candidates, start, told)
    return {rule: by_rule.get(rule, by_rule[asked.rule]) for rule in SENSITIVE_NULLS}


def _shown(
    scanner: Scanner, found: Sequence[FrontierRow], by_rule: dict[str, tuple[Interval, ...]]
) -> list[FrontierRow]:
    """Return the rows, those among them at which an answer begins or ends."""
    ends = [end for intervals in by_rule.values() for i in intervals for end in (i.start, i.below)]
    for epsilon in ends:
        if epsilon is not None and epsilon not in scanner.rows:
            scanner.look(epsilon)
    wanted = {row.epsilon for row in found} | {end for end in ends if end is not None}
    return [scanner.rows[epsilon] for epsilon in sorted(wanted)]


def _rows_and(scanner: Scanner, found: Sequence[FrontierRow], epsilon: float) -> list[FrontierRow]:
    """Return the rows with the one at ``epsilon`` among them."""
    return sorted([*found, scanner.rows[epsilon]], key=lambda row: row.epsilon)


def _first_with(found: Sequence[FrontierRow], k: int) -> float | None:
    return next((row.epsilon for row in found if row.max_k >= k), None)


def _teller(progress: Progress | None, what: str, total: int | None = None) -> Callable[[int], None]:
    """Return what tells ``progress`` how many are done."""

    def tell(done: int) -> None:
        if progress is not None:
            progress(what, done, total)

    return tell


def _warnings(
    asked: FrontierParameters, by_rule: dict[str, tuple[Interval, ...]], shown: int, complete: bool
) -> list[str]:
    """Return what to know before relying on it, in sentences."""
    said = []
    chosen = by_rule.get(asked.sensitive_nulls, ())
    if asked.epsilon is None and not complete:
        said.append(
            f"rows: more distances matter than are shown; {shown} of them are. The smallest epsilon and "
            "the set of those that do are exact all the same"
        )
    if len(chosen) > 1 or (chosen and chosen[-1].below is not None):
        said.append(
            "l: the epsilons that do are not simply all from the smallest on. A larger distance adds records "
            "to a neighbourhood and can make its sensitive ratings more alike"
        )
    if by_rule and by_rule["paper"] != by_rule["ignore"]:
        said.append(
            "sensitive nulls: the two rules for unknown sensitive ratings allow different epsilons. The "
            "paper's rule counts an unknown rating as if it added variety; the careful reading is "
            "--sensitive-nulls ignore"
        )
    if asked.method == "paper":
        said.append(
            "method paper: this is the paper's bisection by slicing's partition. It can miss a smaller "
            "epsilon, and, with l, every epsilon that does; --method exact decides them all"
        )
    return said
