"""The audit: every neighbourhood's size and diversity against k, ε and l."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.audit.bounds import largest_k
from ratingpriv.audit.cautions import Audited, cautions
from ratingpriv.audit.inference import as_decimal, inference_cautions, judge, summarise
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
from ratingpriv.codebook.python.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.compute.resources import Resources
from ratingpriv.exposure.measure import exposure as measure_exposure
from ratingpriv.progress import Progress
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.neighbourhoods import ENGINES, Neighbourhoods, neighbourhoods
from ratingpriv.table import RatingTable
from ratingpriv.tally import tally
from ratingpriv.target import SENSITIVE_NULLS

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ENGINES", "audit", "conclude", "describe"]


@checks.takes_random_state
@takes_frames
def audit(
    table: TableLike,
    *,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741 -- the theory's word
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    max_share: float | None = None,
    sensitive_kind: str = "interval",
    distinct: int | None = None,
    entropy: float | None = None,
    at_most: float | None = None,
    engine: str = "slicing",
    exposure: float | None = None,
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **columns: Unpack[ColumnWords],
) -> AuditResult:
    """Decide exactly whether ``table`` is (k,ε)- and, with ``l``, (k,ε,l)-anonymous, and who is at risk.

    Implements [SWLZ11, Def. 4.2 and 4.3] by neighbourhoods: N(t) is t with every record that differs from it
    by at most ε on every non-sensitive issue, and that meets the rule of every quasi-identifier with it.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.codebook.python.table_like.as_table` takes
    k : how many records each neighbourhood shall have, a whole number >= 1; more than there are records is
        plainly not satisfied
    epsilon : the rating distance >= 0 within which two ratings are indistinguishable. It is *not* the ε of
        differential privacy
    l : the SD that every sensitive issue shall have in every neighbourhood, >= 0; None asks for none
    nulls : "strict": a null is r, the scale's maximum, away from every rating [SWLZ11, Eq. 1];
        "wildcard": a null matches anything; "known": N(t) are the records that rate at least what t rates,
        each within ε, so that what t did not rate is unknown to the adversary [ours]
    sensitive_nulls : "paper": a sensitive null counts s̄² [SWLZ11, Eq. 3]; "ignore": it is left out. With
        ``l`` both verdicts are in the result
    max_share : the largest share that one value may have of a sensitive issue's known values in a
        neighbourhood, above 0 and at most 1; None asks for none. The shares are in the result in any case
    sensitive_kind : "interval": sensitive ratings are numbers; "nominal": they are codes, of which an SD says
        nothing, so that ``l`` is refused and no SD reported. Issues whose values are words are nominal in any
        case, and ``l`` does not cover them
    distinct : how many distinct known values each neighbourhood shall have on every sensitive issue; None
        asks for none [Machanavajjhala et al. 2007, distinct l-diversity]
    entropy : L >= 1: the entropy of the known values shall be at least log L in each; None asks for none
        [Machanavajjhala et al. 2007, entropy l-diversity]
    at_most : the share of records, from 0 to below 1, that may break any of this before a gate fails; the
        verdict stays what it is, and ``tolerance`` says whether they are within it. None: none
    engine : "slicing" (compiled) or "pairwise" (the papers' O(n²p) baseline); the numbers are the same
    exposure : also measure what is left to an adversary whose knowledge is off by up to so much, >= 0
        (:func:`ratingpriv.exposure.measure.exposure`); None does not
    rng : seed of what exposure draws where it is not enumerated, or a generator
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    threads : how many threads; None: one for each available core
    memory : bytes that the engine may use for its working arrays; None: its default
    progress : called with (what is being done, units done, units in all or None) as long work goes on

    Raises
    ------
    ParameterError
        An argument is out of range; the table has no records; ``l`` or another demand on sensitive issues is
        given, but no issue is sensitive; ``l`` is given with nominal ones.
    """
    parameters = AuditParameters(
        k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls, engine=engine,
        max_share=max_share, sensitive_kind=sensitive_kind, distinct=distinct, entropy=entropy,
        at_most=at_most,
    )  # fmt: skip
    checks.choice("engine", engine, ENGINES)
    if exposure is not None:
        exposure = checks.non_negative_number("exposure", exposure)
    resources = Resources(threads, memory, progress)
    parameters.check_data(
        table.n_records, sensitive=bool(table.sensitive), numeric=bool(table.numeric_sensitive)
    )
    found = neighbourhoods(
        table,
        parameters.epsilon,
        nulls=parameters.nulls,
        counts=True,
        entropy=None if parameters.entropy is None else as_decimal(parameters.entropy),
        engine=parameters.engine,
        threads=resources.threads,
        memory=resources.memory,
        progress=resources.progress,
    )
    result = conclude(found, parameters, describe(table), table, table.record_ids)
    if exposure is None:
        return result
    measured = measure_exposure(
        table,
        error=exposure,
        nulls=parameters.nulls,
        rng=rng,
        threads=resources.threads,
        memory=resources.memory,
        progress=resources.progress,
    )
    return dataclasses.replace(result, exposure=measured)


def conclude(
    found: Neighbourhoods,
    parameters: AuditParameters,
    dataset: AuditedDataset,
    data: Audited,
    record_ids: pl.Series,
) -> AuditResult:
    """Draw the verdicts from the neighbourhoods, whichever engine counted them.

    Parameters
    ----------
    found : sizes, and moments and counts of every sensitive issue, of the records in their order
    dataset : what is said of the data
    data : what the cautions need to know of the data
    record_ids : polars Series (n,), Int64 or String
    """
    if [one.name for one in found.counts] != [one.name for one in found.moments]:
        raise ValueError("the values of the sensitive issues were not counted: nothing can be said of them")
    large = found.sizes >= parameters.k
    numbers = tuple(one for one in found.moments if one.name not in _nominal(data, parameters))
    found = dataclasses.replace(found, moments=numbers)
    diverse = (
        {rule: _diverse(found, parameters.l, rule) for rule in SENSITIVE_NULLS}
        if parameters.l is not None
        else {}
    )
    satisfied = large & diverse[parameters.sensitive_nulls] if diverse else large
    inference = {counts.name: summarise(counts, found.sizes) for counts in found.counts}
    demands = judge(found.counts, inference, parameters.max_share, parameters.distinct, parameters.entropy)
    for _, holds in demands.values():
        satisfied = satisfied & holds
    by_rule = {rule: _diversity_verdict(found, large & holds, rule) for rule, holds in diverse.items()}
    return AuditResult(
        dataset=dataset,
        parameters=parameters,
        k_epsilon=KVerdict(bool(large.all()), largest_k(found.sizes), int(np.count_nonzero(~large))),
        k_epsilon_l=_with_both_rules(by_rule, parameters.sensitive_nulls) if by_rule else None,
        risk=risk_of(found.sizes, parameters.k),
        neighbourhood_sizes=_summarise(found),
        cautions=(
            *cautions(
                data, dataset, parameters, {r: large & d for r, d in diverse.items()}, asked=parameters.k
            ),
            *inference_cautions(found.counts, parameters.k, parameters.max_share),
        ),
        record_ids=record_ids,
        sizes=found.sizes,
        satisfied_by_record=satisfied,
        _sd={moments.name: moments.sd(found.sizes, parameters.sensitive_nulls) for moments in found.moments},
        inference=inference,
        max_share=demands["max_share"][0] if "max_share" in demands else None,
        distinct=demands["distinct"][0] if "distinct" in demands else None,
        entropy=demands["entropy"][0] if "entropy" in demands else None,
        _counts={counts.name: counts for counts in found.counts},
    )


def _nominal(data: Audited, parameters: AuditParameters) -> list[str]:
    """Return the sensitive issues of which an SD says nothing."""
    every = parameters.sensitive_kind == "nominal"
    return [column.name for column in data.sensitive if every or column.nominal]


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
    return AuditedDataset.of(table, hamming_group_sizes=tally(hamming_groups(table).sizes))


def _summarise(found: Neighbourhoods) -> SizeSummary:
    sizes = tally(found.sizes)
    return SizeSummary(
        min=sizes[0][0],
        median=float(np.median(found.sizes)),
        mean=float(found.sizes.mean()),
        max=sizes[-1][0],
        pairs=None if found.nulls == "known" else found.pairs,
        histogram=sizes,
    )
