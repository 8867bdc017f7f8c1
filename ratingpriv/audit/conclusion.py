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


def conclude(
    sums: Aggregates,
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
    sums : of all records
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
    _check(sums, dataset, worst)
    parameters, sizes = sums.parameters, sums.sizes
    by_rule = {
        rule: DiversityVerdict(
            satisfied=not violators,
            max_l={issue.name: issue.max_l[rule] for issue in sums.issues if issue.max_l},
            violators=violators,
        )
        for rule, violators in sums.by_rule.items()
    }
    inference = {
        issue.name: summarise(
            issue, None if records is None else records.first_with(issue.name, issue.largest, issue.known)
        )
        for issue in sums.issues
    }
    demands = judge(sums.demands, inference)
    small = sizes.below(parameters.k)
    return AuditResult(
        dataset=dataset,
        parameters=parameters,
        n_violators=sums.violators,
        k_epsilon=KVerdict(not small, largest_k(sizes.sizes), small),
        k_epsilon_l=_with_both_rules(by_rule, parameters.sensitive_nulls) if by_rule else None,
        risk=risk_of(sizes, parameters.k),
        neighbourhood_sizes=SizeSummary(
            min=int(sizes.sizes[0]),
            median=sizes.median,
            mean=sizes.mean,
            max=int(sizes.sizes[-1]),
            pairs=sums.pairs,
            histogram=sizes.entries,
        ),
        cautions=(
            *cautions(data, dataset, parameters, sums, k=parameters.k, more=parameters.asks_more),
            *inference_cautions(sums.issues, parameters.k, parameters.max_share),
        ),
        equal=equal,
        inference=inference,
        max_share=demands.get("max_share"),
        distinct=demands.get("distinct"),
        entropy=demands.get("entropy"),
        records=records,
        worst=worst,
    )


def _check(sums: Aggregates, dataset: AuditedDataset, worst: WorstRecords | None) -> None:
    """Raise ValueError where something was lost, or counted twice."""
    if sums.n_records != dataset.records:
        raise ValueError(f"neighbourhoods of {sums.n_records} records were summed up, not {dataset.records}")
    if tuple(issue.name for issue in sums.issues) != dataset.sensitive or any(
        not issue.counted or (issue.entropy_l is None and issue.neighbourhoods > 0) for issue in sums.issues
    ):
        raise ValueError("the values of the sensitive issues were not counted: nothing can be said of them")
    if worst is None:
        return
    given = {issue.name: (issue.largest, issue.known) if issue.known else None for issue in sums.issues}
    if len(worst.violators) != min(worst.limit, sums.violators) or given != {
        name: None if share is None else share[:2] for name, share in worst.given_away.items()
    }:
        raise ValueError("the worst records were not taken from those that were summed up")


def _with_both_rules(by_rule: dict[str, DiversityVerdict], rule: str) -> LVerdict:
    chosen = by_rule[rule]
    return LVerdict(chosen.satisfied, chosen.max_l, chosen.violators, by_rule)
