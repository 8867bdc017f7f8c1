"""Modification: ratings changed as little as we can find, until a privacy target is met [SWLP10]."""

from __future__ import annotations

import numpy as np

from ratingpriv import checks
from ratingpriv.anonymize.modification.groupings import GROUPINGS, first_draft
from ratingpriv.anonymize.modification.plan import Asked, Draft, Outcome, carry_out
from ratingpriv.anonymize.modification.repair_by_copying import repair_by_copies
from ratingpriv.anonymize.modification.repair_by_merging import repair
from ratingpriv.anonymize.result import Anonymized, AnonymizeParameters
from ratingpriv.audit.bounds import sd_ceiling
from ratingpriv.audit.verdict import check_data, check_parameters
from ratingpriv.distortion.windows import measure
from ratingpriv.errors import TargetNotReachedError
from ratingpriv.progress import Progress
from ratingpriv.table import RatingTable

__all__ = ["GROUPINGS", "STRATEGIES", "modify"]

STRATEGIES = ("window", "paper")
"""window: the least change that makes a group alike; paper: the centroid rules of [SWLP10, §4.5]."""


def modify(
    table: RatingTable,
    *,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741 -- the theory's word
    strategy: str = "window",
    grouping: str = "distortion",
    fabricate: bool = True,
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    rng: int | np.random.Generator = 0,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Anonymized:
    """Change ratings until the records are (k,ε)-, or with ``l`` (k,ε,l)-anonymous; all records are released.

    Sensitive ratings are never changed. No rating leaves the scale; whole numbers stay whole, decimals keep
    their grid. A table that meets the target already is returned unchanged.

    Parameters
    ----------
    table : n records
    k, epsilon, l, nulls, sensitive_nulls : the target, as for :func:`ratingpriv.audit.verdict.audit`
    strategy : what becomes of a group. "window": the least change in Σ |x - x'| that makes it a clique, see
        :mod:`ratingpriv.distortion.windows`; "paper": [SWLP10, §4.5], see
        :mod:`ratingpriv.anonymize.modification.strategies`
    grouping : who is made alike. "distortion": records that have k neighbours among themselves stay
        untouched, see :mod:`ratingpriv.anonymize.modification.anchoring`, and each of the others is moved
        next to k-1 of them or grouped with others at risk, whatever costs least, see
        :mod:`ratingpriv.anonymize.modification.grouping`; with the strategy "paper" they are grouped.
        "partition": the
        cliques of :func:`ratingpriv.partition.partitioning.partition`, the others put where they cost least.
        "paper": [SWLP10, §4.4], merging and borrowing
    fabricate : whether a null may become a rating. Without, an issue that only some of a group rate is erased
    rng : seed or generator; the same one gives the same release, whatever the number of threads
    threads, memory, progress : as for the audit

    Returns
    -------
    Anonymized
        ``audit`` was made of the records as they are released.

    Raises
    ------
    ParameterError
        An argument is out of range; the ratings do not suit the strategy "paper".
    ResourceError
        The table is too large to look for groups in within ``memory``.
    TargetNotReachedError
        k is more than there are records, or no release with this l was found; the message has the proof if
        there is one, and what is within reach instead. ``best`` is the best attempt, or None.
    """
    target = check_parameters(k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls)
    checks.choice("strategy", strategy, STRATEGIES)
    checks.choice("grouping", grouping, GROUPINGS)
    check_data(target, table.n_records, sensitive=bool(table.sensitive))
    if threads is not None:
        threads = checks.whole_number("threads", threads, 1)
    if memory is not None:
        memory = checks.whole_number("memory", memory, 1)
    seed = None if isinstance(rng, np.random.Generator) else checks.whole_number("rng", rng, 0)
    random = checks.generator(rng)
    asked = Asked(target, strategy, grouping, bool(fabricate), threads, memory, progress)
    if target.k > table.n_records:
        raise TargetNotReachedError(
            f"k = {target.k} is more than the {table.n_records} records there are: no modification can help, "
            f"proved; the largest k within reach is {table.n_records}"
        )
    _refuse_impossible(table, asked)
    by = measure(table, target.epsilon, nulls=target.nulls)
    outcome = carry_out(table, by, Draft.of_groups(np.full(table.n_records, -1, dtype=np.int64)), asked)
    if outcome.audit.satisfied:
        return _result(outcome, asked, seed, optimal=True, statement=_UNCHANGED)
    outcome = best = carry_out(table, by, first_draft(table, by, asked, random), asked)
    if not outcome.audit.satisfied:
        copied = repair_by_copies(table, by, outcome, asked, random)
        if copied is None or table.n_records <= _SMALL:
            outcome, best = repair(table, by, outcome, asked, random)
        if copied is not None and (not outcome.audit.satisfied or _total(copied) < _total(outcome)):
            outcome = copied
    if not outcome.audit.satisfied:
        raise _not_reached(best, asked, seed)
    return _result(outcome, asked, seed, optimal=False, statement=_statement(outcome, asked))


_SMALL = 5000  # records up to which both kinds of repair are tried
_UNCHANGED = "the records meet the target as they are: nothing was changed, and no less can be"


def _total(outcome: Outcome) -> float:
    return outcome.distortion.total


def _statement(outcome: Outcome, asked: Asked) -> str:
    grouped, moved = int(np.count_nonzero(outcome.groups.labels >= 0)), len(outcome.draft.moved)
    parts = []
    if grouped:
        how = (
            "each at the least cost for that group, proved"
            if asked.strategy == "window"
            else "by the papers' strategies, which do not aim at the least cost"
        )
        parts.append(f"{grouped} records were made alike in {outcome.groups.count} groups, {how}")
    if moved:
        who = "1 record was" if moved == 1 else f"{moved} records were"
        parts.append(f"{who} moved next to records that stay as they are")
    return "; ".join(parts) + ". Who goes with whom was chosen by a heuristic: a better choice may exist"


def _result(outcome: Outcome, asked: Asked, seed: int | None, *, optimal: bool, statement: str) -> Anonymized:
    target = asked.target
    return Anonymized(
        table=outcome.table,
        kept=np.arange(outcome.table.n_records),
        groups=outcome.groups,
        method="modify",
        parameters=AnonymizeParameters(
            k=target.k, epsilon=target.epsilon, l=target.l, nulls=target.nulls,
            sensitive_nulls=target.sensitive_nulls, seed=seed, strategy=asked.strategy,
            grouping=asked.grouping, fabricate=asked.fabricate,
        ),
        distortion=outcome.distortion,
        optimal=optimal,
        statement=statement,
        audit=outcome.audit,
        notes=outcome.notes,
    )  # fmt: skip


def _refuse_impossible(table: RatingTable, asked: Asked) -> None:
    """Raise TargetNotReachedError where a bound proves that no modification reaches l."""
    l, rule = asked.target.l, asked.target.sensitive_nulls  # noqa: E741 -- the theory's word
    if l is None:
        return
    ceilings = {column.name: sd_ceiling(column, sensitive_nulls=rule) for column in table.sensitive}
    name = min(ceilings, key=lambda name: ceilings[name])
    if ceilings[name] < l:
        raise TargetNotReachedError(
            f"l = {l:g} is out of reach, proved: sensitive ratings are never changed, and no group of these "
            f"records has an SD above {ceilings[name]:g} on {name} (Popoviciu's bound); ask for an l of at "
            f"most {ceilings[name]:g}, which may still be too much"
        )


def _not_reached(best: Outcome, asked: Asked, seed: int | None) -> TargetNotReachedError:
    target, found = asked.target, best.audit
    reached = "" if found.k_epsilon_l is None else ", ".join(
        f"{name}: {'any' if top is None else f'{top:.4g}'}" for name, top in found.k_epsilon_l.max_l.items()
    )  # fmt: skip
    words = f"k = {target.k}, epsilon = {target.epsilon:g}" + (
        "" if target.l is None else f", l = {target.l:g}"
    )
    return TargetNotReachedError(
        f"no release with {words} was found, which proves nothing: groups were merged until all records were "
        f"one. The best attempt leaves {found.n_violators} records at risk; with this k and epsilon it has a "
        f"largest k of {found.k_epsilon.max_k}"
        + (f" and a largest l of {reached}" if reached else "")
        + "; ask for these, or withhold records instead",
        _result(
            best, asked, seed, optimal=False, statement="the target was NOT reached; this is the best attempt"
        ),
    )
