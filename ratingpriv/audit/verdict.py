"""The audit: every neighbourhood's size and diversity against k, ε and l."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.audit.cautions import Audited, cautions
from ratingpriv.audit.result import (
    AuditedDataset,
    AuditParameters,
    AuditResult,
    DiversityVerdict,
    KVerdict,
    LVerdict,
    SizeSummary,
)
from ratingpriv.audit.risk import risk_of
from ratingpriv.errors import ParameterError
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.levels import NULL_RULES as NULLS
from ratingpriv.proximity.moments import SENSITIVE_NULLS
from ratingpriv.proximity.neighbourhoods import ENGINES, Neighbourhoods, neighbourhoods
from ratingpriv.table import RatingTable

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ENGINES",
    "NULLS",
    "SENSITIVE_NULLS",
    "audit",
    "check_data",
    "check_parameters",
    "conclude",
    "describe",
]


def audit(
    table: RatingTable,
    *,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741 -- the theory's word
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    engine: str = "slicing",
    threads: int | None = None,
    memory: int | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> AuditResult:
    """Decide exactly whether ``table`` is (k,ε)- and, with ``l``, (k,ε,l)-anonymous, and who is at risk.

    Implements [SWLZ11, Def. 4.2 and 4.3] by neighbourhoods: N(t) is t with every record that differs from it
    by at most ε on every non-sensitive issue.

    Parameters
    ----------
    table : the ratings
    k : how many records each neighbourhood shall have, a whole number >= 1; more than there are records is
        plainly not satisfied
    epsilon : the rating distance >= 0 within which two ratings count as alike. It is *not* the ε of
        differential privacy
    l : the SD that every sensitive issue shall have in every neighbourhood, >= 0; None asks for none
    nulls : "strict": a null is r, the scale's maximum, away from every rating [SWLZ11, Eq. 1];
        "wildcard": a null matches anything
    sensitive_nulls : "paper": a sensitive null counts s̄² [SWLZ11, Eq. 3]; "ignore": it is left out. With
        ``l`` both verdicts are in the result
    engine : "slicing" (compiled) or "pairwise" (the papers' O(n²p) baseline); the numbers are the same
    threads : how many threads; None: one for each available core
    memory : bytes that the engine may use for its working arrays; None: its default
    progress : called with (what is being done, units done, units in all or None) as long work goes on

    Raises
    ------
    ParameterError
        An argument is out of range; the table has no records; ``l`` is given, but no issue is sensitive.
    """
    asked = check_parameters(
        k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls, engine=engine
    )
    if threads is not None:
        threads = checks.whole_number("threads", threads, 1)
    if memory is not None:
        memory = checks.whole_number("memory", memory, 1)
    check_data(asked, table.n_records, sensitive=bool(table.sensitive))
    found = neighbourhoods(
        table,
        asked.epsilon,
        nulls=asked.nulls,
        engine=asked.engine,
        threads=threads,
        memory=memory,
        progress=progress,
    )
    return conclude(found, asked, describe(table), table, table.record_ids)


def check_data(asked: AuditParameters, records: int, *, sensitive: bool) -> None:
    """Raise ParameterError where data of ``records`` records cannot be audited for what is asked."""
    if records == 0:
        raise ParameterError("table", "no records", "at least one record")
    if asked.l is not None and not sensitive:
        raise ParameterError(
            "l",
            asked.l,
            "data with a sensitive issue",
            "name one (sensitive=[...] or --sensitive COL), or leave l out",
        )


def conclude(
    found: Neighbourhoods,
    asked: AuditParameters,
    dataset: AuditedDataset,
    data: Audited,
    record_ids: pl.Series,
) -> AuditResult:
    """Draw the verdicts from the neighbourhoods, whichever engine counted them.

    Parameters
    ----------
    found : sizes, and moments of every sensitive issue, of the records in their order
    asked : what was asked
    dataset : what is said of the data
    data : what the cautions look at
    record_ids : polars Series (n,), Int64 or String
    """
    large = found.sizes >= asked.k
    diverse = (
        {rule: _diverse(found, asked.l, rule) for rule in SENSITIVE_NULLS} if asked.l is not None else {}
    )
    satisfied = large & diverse[asked.sensitive_nulls] if diverse else large
    by_rule = {rule: _diversity_verdict(found, large & holds, rule) for rule, holds in diverse.items()}
    return AuditResult(
        dataset=dataset,
        parameters=asked,
        k_epsilon=KVerdict(bool(large.all()), int(found.sizes.min()), int(np.count_nonzero(~large))),
        k_epsilon_l=_with_both_rules(by_rule, asked.sensitive_nulls) if by_rule else None,
        risk=risk_of(found.sizes, asked.k),
        neighbourhood_sizes=_summarise(found),
        warnings=cautions(data, dataset, asked, {r: large & d for r, d in diverse.items()}),
        record_ids=record_ids,
        sizes=found.sizes,
        satisfied_by_record=satisfied,
        _sd={moments.name: moments.sd(found.sizes, asked.sensitive_nulls) for moments in found.moments},
    )


def check_parameters(
    *,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741 -- the theory's word
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    engine: str = "slicing",
) -> AuditParameters:
    """Return what :func:`audit` is asked, checked as it checks it; worth doing before a long read.

    Raises
    ------
    ParameterError
        The first argument that is out of range.
    """
    return AuditParameters(
        k=checks.whole_number("k", k, 1),
        epsilon=checks.non_negative_number("epsilon", epsilon),
        l=None if l is None else checks.non_negative_number("l", l),
        nulls=checks.choice("nulls", nulls, NULLS),
        sensitive_nulls=checks.choice("sensitive_nulls", sensitive_nulls, SENSITIVE_NULLS),
        engine=checks.choice("engine", engine, ENGINES),
    )


def _diverse(found: Neighbourhoods, l: float, rule: str) -> NDArray[np.bool_]:  # noqa: E741
    """Whether each neighbourhood's SD is at least ``l`` on every sensitive issue; bool (n,)."""
    holds = np.ones(len(found.sizes), dtype=np.bool_)
    for moments in found.moments:
        holds &= moments.at_least(l, found.sizes, rule)
    return holds


def _diversity_verdict(found: Neighbourhoods, holds: NDArray[np.bool_], rule: str) -> DiversityVerdict:
    return DiversityVerdict(
        satisfied=bool(holds.all()),
        max_l={moments.name: moments.largest_l(found.sizes, rule) for moments in found.moments},
        violators=int(np.count_nonzero(~holds)),
    )


def _with_both_rules(by_rule: dict[str, DiversityVerdict], rule: str) -> LVerdict:
    chosen = by_rule[rule]
    return LVerdict(chosen.satisfied, chosen.max_l, chosen.violators, by_rule)


def describe(table: RatingTable) -> AuditedDataset:
    """Return what is said of ``table`` beside a result."""
    groups = hamming_groups(table)
    return AuditedDataset(
        name=table.origin.name,
        records=table.n_records,
        issues=table.n_issues,
        sensitive=tuple(column.name for column in table.sensitive),
        ratings=table.n_ratings,
        scale=table.scale,
        hamming_groups=len(groups.sizes),
        singleton_hamming_groups=int(np.count_nonzero(groups.sizes == 1)),
        sha256=table.origin.sha256,
    )


def _summarise(found: Neighbourhoods) -> SizeSummary:
    sizes, records = np.unique(found.sizes, return_counts=True)
    return SizeSummary(
        min=int(sizes[0]),
        median=float(np.median(found.sizes)),
        mean=float(found.sizes.mean()),
        max=int(sizes[-1]),
        pairs=int(found.pairs),
        histogram=tuple((int(size), int(count)) for size, count in zip(sizes, records, strict=True)),
    )
