"""The verdicts drawn from what was found of the neighbourhoods, whichever engine counted them."""

from __future__ import annotations

from ratingpriv.audit.aggregates import Aggregates
from ratingpriv.audit.bounds import largest_k
from ratingpriv.audit.cautions import Audited, cautions
from ratingpriv.audit.inference import inference_cautions, judge, summarise
from ratingpriv.audit.records import AuditedRecords
from ratingpriv.audit.result import (
    AuditedDataset,
    AuditResult,
    DiversityVerdict,
    KVerdict,
    LVerdict,
    SizeSummary,
)
from ratingpriv.audit.risk import risk_of
from ratingpriv.audit.worst import WorstRecords
from ratingpriv.proximity.neighbourhoods import EqualRecords

__all__ = ["conclude"]


def conclude(
    found: Aggregates,
    dataset: AuditedDataset,
    data: Audited,
    *,
    records: AuditedRecords | None = None,
    worst: WorstRecords | None = None,
    equal: EqualRecords | None = None,
) -> AuditResult:
    """Draw the verdicts from what was found of the neighbourhoods, whichever engine counted them.

    Parameters
    ----------
    found : of all records
    dataset : what is said of the data
    data : what the cautions need to know of the data
    records : what was found about every record, where there is a list of them
    worst : the worst of them, where there is none
    equal : the records counted as equal

    Raises
    ------
    ValueError
        What was found is not of the records of ``dataset`` and its sensitive issues, or not of those in
        ``records`` or ``worst``: something was lost on the way, and no verdict must be drawn.
    """
    _check(found, dataset, worst)
    parameters, sizes = found.parameters, found.sizes
    by_rule = {
        rule: DiversityVerdict(
            satisfied=not violators,
            max_l={one.name: one.max_l[rule] for one in found.issues if one.max_l},
            violators=violators,
        )
        for rule, violators in found.by_rule.items()
    }
    inference = {
        one.name: summarise(
            one, None if records is None else records.first_with(one.name, one.largest, one.known)
        )
        for one in found.issues
    }
    demands = judge(found.demands, inference)
    small = sizes.below(parameters.k)
    return AuditResult(
        dataset=dataset,
        parameters=parameters,
        n_violators=found.violators,
        k_epsilon=KVerdict(not small, largest_k(sizes.sizes), small),
        k_epsilon_l=_with_both_rules(by_rule, parameters.sensitive_nulls) if by_rule else None,
        risk=risk_of(sizes, parameters.k),
        neighbourhood_sizes=SizeSummary(
            min=int(sizes.sizes[0]),
            median=sizes.median,
            mean=sizes.mean,
            max=int(sizes.sizes[-1]),
            pairs=found.pairs,
            histogram=sizes.entries,
        ),
        cautions=(
            *cautions(data, dataset, parameters, found, asked=parameters.k, more=parameters.asks_more),
            *inference_cautions(found.issues, parameters.k, parameters.max_share),
        ),
        equal=equal,
        inference=inference,
        max_share=demands.get("max_share"),
        distinct=demands.get("distinct"),
        entropy=demands.get("entropy"),
        records=records,
        worst=worst,
    )


def _check(found: Aggregates, dataset: AuditedDataset, worst: WorstRecords | None) -> None:
    """Raise ValueError where something was lost, or counted twice."""
    if found.n_records != dataset.records:
        raise ValueError(f"neighbourhoods of {found.n_records} records were summed up, not {dataset.records}")
    if tuple(one.name for one in found.issues) != dataset.sensitive or any(
        not one.counted or (one.entropy_l is None and one.neighbourhoods > 0) for one in found.issues
    ):
        raise ValueError("the values of the sensitive issues were not counted: nothing can be said of them")
    if worst is None:
        return
    given = {one.name: (one.largest, one.known) if one.known else None for one in found.issues}
    if len(worst.violators) != min(worst.limit, found.violators) or given != {
        name: None if one is None else one[:2] for name, one in worst.given_away.items()
    }:
        raise ValueError("the worst records were not taken from those that were summed up")


def _with_both_rules(by_rule: dict[str, DiversityVerdict], rule: str) -> LVerdict:
    chosen = by_rule[rule]
    return LVerdict(chosen.satisfied, chosen.max_l, chosen.violators, by_rule)
