"""The frontier: which k, ε and l are within reach of a table as it is.

::

    question               answer
    ε given                the largest k, min |N(t)|, and the largest l, min SD(N(t)): one pass,
                           exact
    k given                the smallest ε by neighbourhoods: bisection, sound because |N| grows with
                           ε
    l given                *every* ε that does: not one interval in general, as the least SD may
                           rise and fall
    none of them given     all of it, for each ε at which anything changes
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from msgspec import structs

from ratingpriv.audit.cautions import cautions
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.recodes import search_recodes
from ratingpriv.audit.frontier.result import Frontier, FrontierParameters, Interval
from ratingpriv.audit.frontier.search import Search
from ratingpriv.audit.verdict import describe
from ratingpriv.base import checks
from ratingpriv.base.cautions import Caution
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import SENSITIVE_NULLS
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.recoding import levels_of
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.frontier import FrontierRow, SmallestEpsilon
from ratingpriv.proximity.neighbourhoods import equal_records
from ratingpriv.proximity.reservations import idle_questions

ROWS = 100
"""So many distances are shown at most; where more matter, some of them are. The answers regard
all.
"""


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

    Implements [SWLZ11, §5.2] by neighbourhoods, the definition, and beside it by partition. Departs
    from it where l is given: the least SD over all neighbourhoods is not monotone in ε, so the
    paper's bisection can miss every ε that does, and can end at one below which none does although
    there are some. All candidates are decided here. The paper's bisection is
    :mod:`ratingpriv.studies.papers.bisection`.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    k : how many records each neighbourhood shall have; finds the smallest ε
    l : the SD that every sensitive issue shall have in every neighbourhood; finds every ε that does
    epsilon : one or several distances: the rows are then these, and k and l are judged at them.
        None: every distance at which anything changes
    partition : whether partitions into groups of k records (2, without a k) are searched for too;
        that can take much longer than the rest
    nulls, sensitive_nulls : as for :func:`ratingpriv.audit.verdict.audit`; sets of ε are given
        under both rules for sensitive nulls
    accept : as for :func:`ratingpriv.audit.verdict.audit`
    rows : the most distances to show, beside up to 100 at which an answer begins or ends
    recode : a codebook: also search the levels of its hierarchies, and its bands, for recodes that
        reach k. The table was read as :func:`ratingpriv.data.codebook.recoding.as_it_is` says
    threads, memory, progress : as for the audit

    Raises
    ------
    ParameterError
        An argument is out of range; the table has no records; ``l`` is given, but no issue is
        sensitive; with ``recode``, there is no k, or an l (which a coarser recode may lose), or
        nothing has levels.
    DataError
        A value that occurs is not in a hierarchy.
    """
    rules: dict[str, Any] = {"nulls": nulls, "sensitive_nulls": sensitive_nulls}
    settings: dict[str, Any] = {"epsilon": epsilon, "accept": accept}
    parameters = FrontierParameters(k=k, l=l, partition=partition, **settings, **rules)
    rows = checks.whole_number("rows", rows, 2)
    resources = Resources(threads, memory, progress)
    levels = [] if recode is None else _ladders(table, parameters, recode)
    target = parameters.target(0.0)
    target.check_data(
        table.n_records, sensitive=bool(table.sensitive), numeric=bool(table.numeric_sensitive)
    )
    search = Search(table, parameters, resources)
    candidates, rule = search.candidates, parameters.sensitive_nulls
    everything = None if parameters.epsilon else candidates.listed(rows)
    shown: Sequence[float] = parameters.epsilon or everything or candidates.sampled(rows)
    # the answers are read off these, or narrowed down
    if everything is not None or parameters.l is None:
        search.scan(shown)
    smallest: SmallestEpsilon | None = None
    holding: dict[str, tuple[Interval, ...]] = {}
    feasible: dict[str, tuple[Interval, ...]] = {}
    if parameters.has_target and parameters.epsilon is None:
        holding = search.holding(everything)
        feasible = {name: protecting(held, candidates) for name, held in holding.items()}
        smallest = smallest_of(holding[rule], feasible[rule], candidates)
        shown = sorted({*_ends(holding), *shown})
    search.scan(shown)
    scanned = [search.rows[epsilon] for epsilon in shown]
    if parameters.partition:
        scanned = search.with_partitions(scanned)
    if parameters.partition and smallest is not None:
        complete = everything is not None
        smallest, scanned = _by_partition(search, smallest, scanned, complete=complete)
    recodes = None
    if recode is not None:

        def smallest_at(recoded: RatingTable) -> float | None:
            how = {**rules, "threads": threads, "memory": memory}
            return frontier(recoded, k=k, epsilon=epsilon, rows=2, **how).answer

        least = 0.0 if parameters.epsilon is None else parameters.epsilon[0]
        recodes = search_recodes(table, levels, smallest_at, least=least)
    dataset = describe(table)
    result = Frontier(
        dataset=dataset,
        parameters=parameters,
        rows=tuple(scanned),
        complete=everything is not None,
        smallest_epsilon=smallest,
        feasible=feasible.get(rule),
        feasible_by_rule=feasible,
        cautions=(),
        equal=equal_records(table, parameters.k, parameters.nulls, resources),
        recodes=recodes,
    )
    cautioned = parameters.target(_cautioned(result, table) or 0.0)
    of_target = cautions(table, dataset, cautioned, None, k=parameters.k)
    return replace(result, cautions=(*of_target, *frontier_cautions(result, holding, candidates)))


def _ladders(table: RatingTable, parameters: FrontierParameters, recode: Codebook) -> list[Any]:
    """Return the levels of the quasi-identifiers that have some."""
    check_recode(parameters)
    ladders = (levels_of(column, recode) for column in table.quasi)
    return [ladder for ladder in ladders if ladder is not None]


def _ends(holding: Mapping[str, tuple[Interval, ...]]) -> list[float]:
    """Return the distances at which an answer begins or ends; so many of them at most, spread."""
    met = {end for held in holding.values() for i in held for end in (i.start, i.below)}
    ends = sorted(end for end in met if end is not None)
    if len(ends) > ROWS:
        ends = [ends[index * (len(ends) - 1) // (ROWS - 1)] for index in range(ROWS)]
    return ends


def _by_partition(
    search: Search, smallest: SmallestEpsilon, scanned: list[FrontierRow], *, complete: bool
) -> tuple[SmallestEpsilon, list[FrontierRow]]:
    """Return the smallest ε with that by partition, and the rows with its own among them."""
    threshold, proved = search.smallest_by_partition(scanned, complete=complete)
    smallest = structs.replace(smallest, partition=threshold, partition_proved=proved)
    if threshold is None:
        return smallest, scanned
    candidates = search.candidates
    if candidates.unprotected is not None and threshold >= candidates.unprotected:
        reason = smallest.reason or _protects_nothing(threshold, candidates)
        smallest = structs.replace(smallest, partition=None, reason=reason)
    shown = [row.epsilon for row in scanned]
    if threshold not in shown:
        search.scan([threshold])
        scanned = search.with_partitions([search.rows[one] for one in sorted([*shown, threshold])])
    return smallest, scanned


def _cautioned(result: Frontier, table: RatingTable) -> float | None:
    """Return the ε that cautions are of: the answer,
    or the first shown at which a question is idle.
    """
    if result.parameters.has_target:
        return result.answer
    ranges = table.answer_ranges
    shown = (row.epsilon for row in result.rows if row.protection)
    return next((distance for distance in shown if idle_questions(ranges, distance)), None)


def check_recode(parameters: FrontierParameters) -> None:
    """Refuse parameters with which no recodes are searched for."""
    if parameters.l is not None:
        raise ParameterError("l", parameters.l, "no l with recodes: a coarser one can lose it")
    if parameters.k is None:
        raise ParameterError("k", None, "a k to be reached by recodes")


def protecting(intervals: Sequence[Interval], candidates: Candidates) -> tuple[Interval, ...]:
    """Return the intervals without the ε at which nothing is protected."""
    end = candidates.unprotected
    if end is None:
        return tuple(intervals)
    return tuple(
        Interval(interval.start, end if interval.below is None else min(interval.below, end))
        for interval in intervals
        if interval.start < end
    )


def smallest_of(
    holds: Sequence[Interval], feasible: Sequence[Interval], candidates: Candidates
) -> SmallestEpsilon:
    """Return the smallest ε that protects, of all that do.

    Or why none of those that hold is an answer.
    """
    if feasible or not holds:
        return SmallestEpsilon(feasible[0].start if feasible else None, None, False, None)
    return SmallestEpsilon(None, None, False, _protects_nothing(holds[0].start, candidates))


def _protects_nothing(reached: float, candidates: Candidates) -> str:
    """Return why the smallest ε that reaches a target is no answer."""
    return f"epsilon {in_full(reached)} reaches it, but {_nothing_protected(candidates)}"


def _useless(candidates: Candidates) -> str:
    """Say what makes a distance useless, and from which one on."""
    why = (
        "any two ratings are indistinguishable"
        if candidates.unprotected == candidates.span
        else "a missing rating separates no records (r of the scale)"
    )
    return f"from epsilon {in_full(candidates.unprotected or 0.0)} on {why}"


def _nothing_protected(candidates: Candidates) -> str:
    """Say that, and what it protects."""
    return f"{_useless(candidates)}: this protects {candidates.nothing}"


def frontier_cautions(
    found: Frontier, holding: Mapping[str, tuple[Interval, ...]], candidates: Candidates
) -> Iterator[Caution]:
    """Yield what to know before relying on it, beside the cautions of an audit;
    ``holding`` are all ε.
    """
    parameters, rows, answer = found.parameters, found.rows, found.answer
    rule, l = parameters.sensitive_nulls, parameters.l  # noqa: E741
    held = holding.get(rule, ())
    if not all(row.protection for row in rows):
        # without quasi-identifiers the two would say the same
        of_ratings = candidates.nothing == "nothing"
        useless = _useless(candidates) if of_ratings else _nothing_protected(candidates)
        yield Caution("no-protection", f"no protection: {useless}")

    if parameters.epsilon is None and not found.complete:
        yield Caution(
            "rows-incomplete",
            f"rows: {len(rows)} distances are shown, and more matter. The smallest epsilon and the "
            "intervals in which the target holds are exact all the same",
        )
    if len(held) > 1 or (held and held[-1].below is not None):
        yield Caution(
            "feasible-not-monotone",
            "l: the target does not hold at every epsilon above the smallest. A larger distance "
            "adds records to a neighbourhood and can make its sensitive ratings more uniform",
        )
    other = next(other_rule for other_rule in SENSITIVE_NULLS if other_rule != rule)
    largest = next((row.max_l_by_rule[other] for row in rows if row.epsilon == answer), {})
    fails = l is not None and any(most is not None and most < l for most in largest.values())
    if fails or (holding and holding["paper"] != holding["ignore"]):
        yield Caution.due(
            "sensitive-nulls-feasible",
            "missing sensitive ratings: the two rules for them allow different epsilons. The "
            "paper's rule counts an unknown rating as if it added variety",
            reservation=f"only by the rule {rule} for missing sensitive ratings, NOT by {other}"
            if fails
            else "",
        )
