"""The verdicts drawn from what was found of the neighbourhoods, whichever engine counted them."""

from __future__ import annotations

from ratingpriv.audit.cautions import cautions
from ratingpriv.audit.diversity import DiversityVerdict, LVerdict
from ratingpriv.audit.inference import inference_cautions, judge_demands, summarise
from ratingpriv.audit.judging import Aggregates
from ratingpriv.audit.k_epsilon import judge_sizes
from ratingpriv.audit.records import AuditedRecords, WorstRecords
from ratingpriv.audit.result import AuditedDataset, AuditResult
from ratingpriv.documents.audit import NeighbourhoodSizes, SizeCount
from ratingpriv.proximity.neighbourhoods import EqualRecords
from ratingpriv.proximity.reservations import Counted


def _refuse_lost(sums: Aggregates, dataset: AuditedDataset, worst: WorstRecords | None) -> None:
    """Raise ValueError where sums and worst records are not those of all records."""
    if sums.n_records != dataset.records:
        raise ValueError(
            f"neighbourhoods of {sums.n_records} records were summed up, not {dataset.records}"
        )
    if tuple(issue.name for issue in sums.issues) != dataset.sensitive or any(
        not issue.counted or (issue.entropy_l is None and issue.neighbourhoods > 0)
        for issue in sums.issues
    ):
        raise ValueError(
            "the values of the sensitive items were not counted: nothing can be said of them"
        )
    if worst is not None:
        given = {
            issue.name: (issue.largest, issue.known) if issue.known else None
            for issue in sums.issues
        }
        if len(worst.violators) != min(worst.limit, sums.violators) or given != {
            name: None if share is None else share[:2] for name, share in worst.given_away.items()
        }:
            raise ValueError("the worst records were not taken from those that were summed up")


def conclude(
    sums: Aggregates,
    dataset: AuditedDataset,
    data: Counted,
    *,
    records: AuditedRecords | None = None,
    worst: WorstRecords | None = None,
    equal: EqualRecords | None = None,
) -> AuditResult:
    """Draw the verdicts from the ``sums`` of all records of ``dataset``.

    ``data`` is what the cautions need to know, ``records`` what was found about every record;
    ``worst`` are the worst of them, where there is no list; ``equal`` the records counted as equal.
    ValueError where these are not of the same records: something was lost, or counted twice, and no
    verdict must be drawn.
    """
    parameters, sizes = sums.parameters, sums.sizes
    _refuse_lost(sums, dataset, worst)
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
            issue,
            None if records is None else records.first_with(issue.name, issue.largest, issue.known),
            None if records is None else records.farthest(issue.name, issue.distance),
        )
        for issue in sums.issues
    }
    k_verdict, risk = judge_sizes(sizes, parameters.k)
    l_verdict = None
    if by_rule:
        of = by_rule[parameters.sensitive_nulls]
        l_verdict = LVerdict(of.satisfied, of.max_l, of.violators, by_rule)
    return AuditResult(
        dataset=dataset,
        parameters=parameters,
        n_violators=sums.violators,
        k_epsilon=k_verdict,
        k_epsilon_l=l_verdict,
        risk=risk,
        neighbourhood_sizes=NeighbourhoodSizes(
            min=int(sizes.sizes[0]),
            median=sizes.median,
            mean=sizes.mean,
            max=int(sizes.sizes[-1]),
            pairs=sums.pairs,
            histogram=[SizeCount(size, records) for size, records in sizes.entries],
        ),
        cautions=(
            *cautions(data, dataset, parameters, sums, k=parameters.k),
            *inference_cautions(sums.issues, parameters.k, parameters.largest_share),
        ),
        equal=equal,
        inference=inference,
        demands=judge_demands(sums.demands, inference),
        records=records,
        worst=worst,
    )
