"""The frontier: which k, ε and l are within reach of a table as it is.

::

    question               answer
    ε given                the largest k, min |N(t)|, and the largest l, min SD(N(t)): one pass, exact
    k given                the smallest ε by neighbourhoods: bisection, sound because |N| grows with ε
    l given                *every* ε that does: not one interval in general, see :func:`feasible_set`
    none of them given     all of it, for each ε at which anything changes
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Unpack

from ratingpriv.audit.cautions import cautions
from ratingpriv.audit.frontier.by_partition import (
    PartitionSearch,
    smallest_by_partition,
    with_partitions,
)
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.recodes import Recodes, search_recodes
from ratingpriv.audit.frontier.result import (
    Frontier,
    FrontierParameters,
    FrontierRow,
    Interval,
    SmallestEpsilon,
    answer_of,
)
from ratingpriv.audit.frontier.search import Scanner, feasible_set, intervals_of, smallest_for_k
from ratingpriv.audit.verdict import describe
from ratingpriv.base import checks
from ratingpriv.base.cautions import Caution, checked_codes
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import SENSITIVE_NULLS, Target
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.recoding import Levels, levels_of
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.neighbourhoods import equal_records
from ratingpriv.proximity.reservations import Counted, covered_questions, question_cautions

ROWS = 100
"""So many distances are shown at most; where more matter, some of them are. The answers regard all."""


@takes_frames
def frontier(
    table: TableLike,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    epsilon: float | Sequence[float] | None = None,
    partition: bool = False,
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    accept: Sequence[str] = (),
    rows: int = ROWS,
    recode: Codebook | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **columns: Unpack[ColumnWords],
) -> Frontier:
    """Find which k, ε and l hold for ``table`` as it is.

    Implements [SWLZ11, §5.2] by neighbourhoods, the definition, and beside it by partition. Departs from it
    where l is given: the least SD over all neighbourhoods is not monotone in ε, so the paper's bisection can
    miss every ε that does, and can end at one below which none does although there are some. All candidates
    are decided here. The paper's bisection is :mod:`ratingpriv.studies.papers.bisection`.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    k : how many records each neighbourhood shall have; finds the smallest ε
    l : the SD that every sensitive issue shall have in every neighbourhood; finds every ε that does
    epsilon : one or several distances: the rows are then these, and k and l are judged at them. None: every
        distance at which anything changes
    partition : whether partitions into groups of k records (2, without a k) are searched for too; that can
        take much longer than the rest
    nulls, sensitive_nulls : as for :func:`ratingpriv.audit.verdict.audit`; sets of ε are given under both
        rules for sensitive nulls
    accept : as for :func:`ratingpriv.audit.verdict.audit`
    rows : so many distances are shown at most, beside up to 100 at which an answer begins or ends
    recode : a codebook: also search the levels of its hierarchies, and its bands, for recodes that reach k.
        The table was read as :func:`ratingpriv.data.codebook.recoding.as_it_is` says
    threads, memory, progress : as for the audit

    Raises
    ------
    ParameterError
        An argument is out of range; the table has no records; ``l`` is given, but no issue is sensitive; with
        ``recode``, there is no k, or an l (which a coarser recode may lose), or nothing has levels.
    DataError
        A value that occurs is not in a hierarchy.
    """
    parameters = check_parameters(
        k=k, l=l, epsilon=epsilon, partition=partition, nulls=nulls, sensitive_nulls=sensitive_nulls,
        accept=accept,
    )  # fmt: skip
    rows = checks.whole_number("rows", rows, 2)
    resources = Resources(threads, memory, progress)
    levels = None if recode is None else _levels(table, parameters, recode)
    target = parameters.target(0.0)
    target.check_data(table.n_records, sensitive=bool(table.sensitive), numeric=bool(table.numeric_sensitive))
    candidates = Candidates(table, parameters.nulls)
    scanner = Scanner(table, parameters, resources, candidates)
    scanned, complete = _scan(scanner, candidates, rows)
    smallest: SmallestEpsilon | None = None
    holding: dict[str, tuple[Interval, ...]] = {}
    by_rule: dict[str, tuple[Interval, ...]] = {}
    if parameters.has_target and parameters.epsilon is None:
        holding = _feasible(scanner, candidates, scanned, complete=complete)
        scanned = _with_ends(scanner, scanned, holding)
        by_rule, smallest = feasible_and_smallest(holding, candidates, parameters.sensitive_nulls)
    if parameters.partition:
        search = PartitionSearch(table, parameters, resources)
        scanned = with_partitions(scanned, search)
        if smallest is not None:
            first = next((row.epsilon for row in scanned if row.max_k >= (parameters.k or 1)), None)
            start = None if parameters.k is None else first
            at, proved = smallest_by_partition(scanned, search, None if complete else candidates, start)
            smallest = _with_partition(smallest, at, candidates, proved=proved)
            if at is not None and all(row.epsilon != at for row in scanned):
                more = sorted([*scanned, scanner.at(at)], key=lambda row: row.epsilon)
                scanned = with_partitions(more, search)
    dataset, answer = describe(table), answer_of(smallest, scanned)
    recodes = None if levels is None else _recodes(table, parameters, levels, resources)
    return Frontier(
        dataset=dataset,
        parameters=parameters,
        rows=tuple(scanned),
        complete=complete,
        smallest_epsilon=smallest,
        feasible=by_rule.get(parameters.sensitive_nulls),
        feasible_by_rule=by_rule,
        cautions=(
            *cautions(table, dataset, target, None, k=parameters.k, more=bool(parameters.l)),
            *frontier_cautions(parameters, holding, scanned, candidates, answer, complete=complete),
            *covering(table, parameters, scanned, answer),
        ),
        equal=equal_records(table, parameters.k, parameters.nulls, resources),
        recodes=recodes,
    )


def check_parameters(
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    epsilon: float | Sequence[float] | None = None,
    partition: bool = False,
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    accept: Sequence[str] = (),
) -> FrontierParameters:
    """Return the parameters of :func:`frontier`, checked as it checks them; worth doing before a long read.

    Raises
    ------
    ParameterError
        The first argument that is out of range.
    """
    if epsilon is not None:
        given = list(epsilon) if isinstance(epsilon, Sequence) else [epsilon]
        if not given:
            raise ParameterError("epsilon", "none", "at least one distance, or nothing at all for every one")
        epsilon = tuple(sorted({checks.non_negative_number("epsilon", value) for value in given}))
    target = Target(k=1 if k is None else k, epsilon=0.0, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls)
    return FrontierParameters(
        k=None if k is None else target.k,
        l=target.l,
        epsilon=epsilon,
        partition=checks.flag("partition", partition),
        nulls=target.nulls,
        sensitive_nulls=target.sensitive_nulls,
        accept=checked_codes(accept),
    )


def check_recode(parameters: FrontierParameters) -> None:
    """Refuse parameters with which no recodes are searched for.

    Raises
    ------
    ParameterError
        There is no k, or an l.
    """
    if parameters.l is not None:
        raise ParameterError("l", parameters.l, "no l with recodes: a coarser one can lose it")
    if parameters.k is None:
        raise ParameterError("k", None, "a k to be reached by recodes")


def _levels(table: RatingTable, parameters: FrontierParameters, codebook: Codebook) -> list[Levels]:
    check_recode(parameters)
    levels = [levels_of(column, codebook) for column in table.quasi]
    return [column for column in levels if column is not None]


def _recodes(
    table: RatingTable, parameters: FrontierParameters, levels: list[Levels], resources: Resources
) -> Recodes:
    """Search the lattice; a table's smallest ε is the answer of a frontier of its own."""

    def smallest(recoded: RatingTable) -> float | None:
        result = frontier(
            recoded, k=parameters.k, epsilon=parameters.epsilon, partition=False, nulls=parameters.nulls,
            sensitive_nulls=parameters.sensitive_nulls, rows=2, threads=resources.threads,
            memory=resources.memory,
        )  # fmt: skip
        if result.smallest_epsilon is not None:
            return result.smallest_epsilon.neighbourhood
        return next((row.epsilon for row in result.rows if row.satisfied), None)

    least = 0.0 if parameters.epsilon is None else parameters.epsilon[0]
    return search_recodes(table, levels, smallest, least=least)


def _scan(scanner: Scanner, candidates: Candidates, rows: int) -> tuple[list[FrontierRow], bool]:
    """Scan the distances to be shown; return their rows, and whether they are all that matter."""
    listed: Sequence[float] | None = scanner.parameters.epsilon
    complete = False
    if listed is None:
        listed = candidates.listed(rows)
        complete = listed is not None
    epsilons = candidates.sampled(rows) if listed is None else listed
    scanner.scan(epsilons)
    return [scanner.rows[epsilon] for epsilon in epsilons], complete


def _feasible(
    scanner: Scanner, candidates: Candidates, rows: Sequence[FrontierRow], *, complete: bool
) -> dict[str, tuple[Interval, ...]]:
    """Return every ε at which the given k and l hold, under each rule for sensitive nulls."""
    parameters = scanner.parameters
    if complete:
        epsilons = [row.epsilon for row in rows]
        return scanner.by_rule(
            {rule: intervals_of(epsilons, scanner.verdicts(epsilons, rule)) for rule in scanner.rules}
        )
    start: float | None = 0.0
    if parameters.k is not None:
        start = smallest_for_k(
            scanner.table, parameters.k, candidates, parameters.nulls, scanner.resources, rows
        )
    if start is None:
        return dict.fromkeys(SENSITIVE_NULLS, ())
    if parameters.l is None:
        return dict.fromkeys(SENSITIVE_NULLS, (Interval(start, None),))
    return scanner.by_rule(feasible_set(scanner, candidates, start))


def _with_ends(
    scanner: Scanner, rows: Sequence[FrontierRow], by_rule: dict[str, tuple[Interval, ...]]
) -> list[FrontierRow]:
    """Return the rows, and those at which an answer begins or ends; :data:`ROWS` of these at most, spread."""
    met = {end for intervals in by_rule.values() for i in intervals for end in (i.start, i.below)}
    ends = sorted(end for end in met if end is not None)
    if len(ends) > ROWS:
        ends = [ends[place * (len(ends) - 1) // (ROWS - 1)] for place in range(ROWS)]
    scanner.scan(ends)
    return [scanner.rows[epsilon] for epsilon in sorted({*ends, *(row.epsilon for row in rows)})]


def feasible_and_smallest(
    holding: Mapping[str, tuple[Interval, ...]], candidates: Candidates, rule: str
) -> tuple[dict[str, tuple[Interval, ...]], SmallestEpsilon]:
    """Return the ε that protect, under each rule for sensitive nulls, and the smallest one under ``rule``.

    Parameters
    ----------
    holding : every ε at which the given k and l hold, whether it protects or not, under each rule
    """
    by_rule = {one: _protecting(all_of, candidates.unprotected) for one, all_of in holding.items()}
    holds, feasible = holding[rule], by_rule[rule]
    return by_rule, SmallestEpsilon(
        feasible[0].start if feasible else None,
        None,
        False,
        _no_use(holds[0].start, candidates) if holds and not feasible else None,
    )


def _protecting(intervals: tuple[Interval, ...], unprotected: float | None) -> tuple[Interval, ...]:
    """Return the intervals without the ε from ``unprotected`` on, at which nothing is protected."""
    if unprotected is None:
        return intervals
    return tuple(
        Interval(one.start, unprotected if one.below is None else min(one.below, unprotected))
        for one in intervals
        if one.start < unprotected
    )


def _no_use(epsilon: float, candidates: Candidates) -> str:
    """Say why an ε that does is no answer."""
    return f"{in_full(epsilon)} does, but {_nothing_protected(candidates)}"


def _nothing_protected(candidates: Candidates) -> str:
    """Say what makes a distance useless, and from which one on."""
    why = (
        "any two ratings are indistinguishable"
        if candidates.unprotected == candidates.span
        else "a missing rating keeps nobody apart any more (r of the scale)"
    )
    return (
        f"from epsilon {in_full(candidates.unprotected or 0.0)} on {why}: this protects {candidates.nothing}"
    )


def _with_partition(
    smallest: SmallestEpsilon | None, at: float | None, candidates: Candidates, *, proved: bool
) -> SmallestEpsilon:
    """Add the smallest ε by partition, unless nothing is protected there."""
    neighbourhood, reason = (None, None) if smallest is None else (smallest.neighbourhood, smallest.reason)
    if at is not None and candidates.unprotected is not None and at >= candidates.unprotected:
        return SmallestEpsilon(neighbourhood, None, proved, reason or _no_use(at, candidates))
    return SmallestEpsilon(neighbourhood, at, proved, reason)


def covering(
    data: Counted, parameters: FrontierParameters, rows: Sequence[FrontierRow], answer: float | None
) -> Iterator[Caution]:
    """Yield which questions tell nobody apart at the answer, or from the first row on at which any does."""
    if not parameters.has_target and data.issue_ranges is not None:
        ranges = data.issue_ranges
        shown = (row.epsilon for row in rows if row.protection)
        answer = next((epsilon for epsilon in shown if covered_questions(ranges, epsilon)), None)
    if answer is not None:
        yield from question_cautions(data, answer)


def _other_rule(parameters: FrontierParameters, rows: Sequence[FrontierRow], answer: float | None) -> str:
    """Return that the answer is none by the other rule for sensitive nulls, where that is so."""
    l, rule = parameters.l, parameters.sensitive_nulls  # noqa: E741
    other = next(one for one in SENSITIVE_NULLS if one != rule)
    largest = next((row.max_l_by_rule[other] for row in rows if row.epsilon == answer), {})
    if l is None or all(one is None or one >= l for one in largest.values()):
        return ""
    return f"only by the rule {rule} for missing sensitive ratings, NOT by {other}"


def frontier_cautions(
    parameters: FrontierParameters,
    by_rule: Mapping[str, tuple[Interval, ...]],
    rows: Sequence[FrontierRow],
    candidates: Candidates,
    answer: float | None = None,
    *,
    complete: bool,
) -> Iterator[Caution]:
    """Yield what to know before relying on it, beside the cautions of an audit; ``by_rule`` are all ε."""
    feasible = by_rule.get(parameters.sensitive_nulls, ())
    shown = len(rows)
    if not all(row.protection for row in rows):
        yield Caution("no-protection", f"no protection: {_nothing_protected(candidates)}")
    if parameters.epsilon is None and not complete:
        yield Caution(
            "rows-incomplete",
            f"rows: more distances matter than are shown; {shown} of them are. The smallest epsilon and "
            "the set of those that do are exact all the same",
        )
    if len(feasible) > 1 or (feasible and feasible[-1].below is not None):
        yield Caution(
            "feasible-not-monotone",
            "l: the epsilons that do are not simply all from the smallest on. A larger distance adds records "
            "to a neighbourhood and can make its sensitive ratings more uniform",
        )
    other = _other_rule(parameters, rows, answer)
    if other or (by_rule and by_rule["paper"] != by_rule["ignore"]):
        yield Caution(
            "sensitive-nulls-feasible",
            "sensitive nulls: the two rules for unknown sensitive ratings allow different epsilons. The "
            "paper's rule counts an unknown rating as if it added variety; the careful reading is "
            "`sensitive_nulls='ignore'`",
            but=other,
        )
