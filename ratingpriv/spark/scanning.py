"""The frontier of a Spark DataFrame: which k and l hold at which ε, one pass over the records for each ε.

Where few distances occur (whole numbers, decimals) every one is scanned, and the answers are those of
:func:`ratingpriv.frontier.frontier` on one machine. Real-valued ratings have too many distances for a pass
each, and the bounds by which one machine skips most of them look at every record: these are refused, with
their number, unless distances are named.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.audit.aggregates import Aggregates
from ratingpriv.audit.cautions import cautions
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.frontier import (
    check_parameters,
    covering,
    feasible_and_smallest,
    frontier_cautions,
)
from ratingpriv.audit.frontier.result import (
    Frontier,
    FrontierParameters,
    Interval,
    SmallestEpsilon,
    answer_of,
)
from ratingpriv.audit.frontier.search import audit_parameters, intervals_of, row_of
from ratingpriv.codebook.checking import checked_options
from ratingpriv.compute.resources import Resources
from ratingpriv.errors import ParameterError
from ratingpriv.numbers import in_full
from ratingpriv.progress import Progress
from ratingpriv.spark.auditing import ENGINE, AuditedData, audited_dataset, summed_up
from ratingpriv.spark.plan import Comparison, compare, refuse_rule
from ratingpriv.spark.reading import Reading, read_frame
from ratingpriv.spark.running import Run
from ratingpriv.spark.session.cancelling import cancellable
from ratingpriv.spark.session.session import check_spark, failing
from ratingpriv.spark.session.work import folder_of_run
from ratingpriv.table import Scale
from ratingpriv.target import SENSITIVE_NULLS

__all__ = ["PASSES", "frontier"]

PASSES = 100
"""So many distances are scanned at most, a pass over the records for each."""

_STEPS = 5  # that a pass tells of


@cancellable
def frontier(
    df: Any,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    epsilon: float | Sequence[float] | None = None,
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    accept: Sequence[str] = (),
    passes: int = PASSES,
    issues: str | Sequence[str] | None = None,
    work: str | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    name: str = "table",
    sha256: str | None = None,
    **columns: Any,
) -> Frontier:
    """Find which k, ε and l hold for a Spark DataFrame, on its own session.

    Implements [SWLZ11, §5.2] by neighbourhoods, as :func:`ratingpriv.frontier.frontier` does with
    ``partition=False``; the result is the same, field by field.

    Parameters
    ----------
    df : a DataFrame of Spark 4, a row a rating or a row a record
    k, l, epsilon, sensitive_nulls, accept : as there; ``equal`` is None, as equal records are not counted
    nulls : "strict"
    passes : refuse more distances than this
    issues, work, memory, progress, name, sha256, columns : as for :func:`ratingpriv.spark.auditing.audit`

    Raises
    ------
    ParameterError
        An argument is out of range; more distances matter than ``passes``, and none are named; at one of them
        a null keeps nobody apart any more, but ratings do.
    DataError, OutputError, ResourceError
        As the audit.
    """
    parameters = check_parameters(
        k=k, l=l, epsilon=epsilon, partition=False, nulls=nulls, sensitive_nulls=sensitive_nulls,
        accept=accept,
    )  # fmt: skip
    passes = checks.whole_number("passes", passes, 2)
    resources = Resources(None, memory, progress)
    options = checked_options(None, columns)
    refuse_rule(0.0, parameters.nulls)
    check_spark()
    with failing(), folder_of_run(df.sparkSession, work) as folder:
        run = Run(df.sparkSession, folder, resources, 2)
        reading = read_frame(df, options, name=name, issues=issues, report=run.report)
        data = AuditedData.of(reading)
        numeric = any(not column.nominal for column in data.sensitive)
        target = parameters.target(0.0)
        target.check_data(data.n_records, sensitive=bool(data.sensitive), numeric=numeric)
        candidates = Candidates(_Rated.of(reading), parameters.nulls)
        epsilons, complete = _distances(parameters, candidates, passes)
        comparisons = [compare(reading.sketch.profile, one, parameters.nulls) for one in epsilons]
        run.steps += _STEPS * len(epsilons)
        scans = []
        groups: tuple[tuple[int, int], ...] = ()
        for number, (one, comparison) in enumerate(zip(epsilons, comparisons, strict=True)):
            scan, groups = _scan(run, reading, comparison, parameters, one, numeric, number, groups)
            scans.append(scan)
        run.report("done")
    rows, holds = [], []
    for found in scans:
        row, held = row_of(found, parameters, candidates.unprotected)
        rows.append(row)
        holds.append(held)
    holding: dict[str, tuple[Interval, ...]] = {}
    by_rule: dict[str, tuple[Interval, ...]] = {}
    smallest: SmallestEpsilon | None = None
    if parameters.has_target and parameters.epsilon is None:
        holding = {rule: intervals_of(epsilons, [one[rule] for one in holds]) for rule in SENSITIVE_NULLS}
        by_rule, smallest = feasible_and_smallest(holding, candidates, parameters.sensitive_nulls)
    dataset = audited_dataset(reading, groups, name=name, sha256=sha256)
    answer = answer_of(parameters, smallest, rows)
    return Frontier(
        dataset=dataset,
        parameters=parameters,
        rows=tuple(rows),
        complete=complete,
        smallest_epsilon=smallest,
        feasible=by_rule.get(parameters.sensitive_nulls),
        feasible_by_rule=by_rule,
        bisection=None,
        cautions=(
            *cautions(data, dataset, target, None, asked=parameters.k, more=bool(parameters.l)),
            *frontier_cautions(parameters, holding, rows, candidates, answer, complete=complete),
            *covering(data, parameters, rows, answer),
        ),
    )


def _distances(
    parameters: FrontierParameters, candidates: Candidates, passes: int
) -> tuple[Sequence[float], bool]:
    """Return the distances to scan, and whether they are all that matter."""
    if parameters.epsilon is not None:
        return parameters.epsilon, False
    listed = candidates.listed(passes)
    if listed is None:
        many = candidates.listed(1_000_000)
        found = "more than 1,000,000 distances" if many is None else f"{len(many):,} distances"
        raise ParameterError(
            "epsilon", None, f"distances to scan: {found} matter, and a pass over the records is made for "
            f"each of {passes} at most",
            "name some with `epsilon`, round the ratings, or search a sample on one machine",
        )  # fmt: skip
    return listed, True


def _scan(
    run: Run,
    reading: Reading,
    comparison: Comparison,
    parameters: FrontierParameters,
    epsilon: float,
    numeric: bool,
    number: int,
    groups: tuple[tuple[int, int], ...],
) -> tuple[Aggregates, tuple[tuple[int, int], ...]]:
    """Pass over the records once; return what was found, and the sizes of Hamming groups."""
    here = dataclasses.replace(run, folder=f"{run.folder}/{number}")
    asked = audit_parameters(parameters, epsilon, numeric=numeric, engine=ENGINE)
    here.report(f"assembling records for ε = {in_full(epsilon)}")
    members = here.members(here.assembled(reading, comparison))
    if not groups:
        groups = here.hamming_groups(reading, comparison, members)
    found = summed_up(here.results(members, comparison, comparison.records), comparison, asked)
    run._done = here._done
    return found, groups


@dataclass(frozen=True, slots=True)
class _Rated:
    """What decides which distances matter: a :class:`ratingpriv.audit.frontier.candidates.Rated`."""

    levels: NDArray[np.float64]
    codes: NDArray[np.int64]
    n_records: int
    n_issues: int
    n_ratings: int
    scale: Scale | None
    quasi: Sequence[object]

    @classmethod
    def of(cls, reading: Reading) -> _Rated:
        profile = reading.sketch.profile
        return cls(
            profile.levels, np.arange(len(profile.levels)), profile.records, len(profile.issues),
            profile.ratings, profile.scale, profile.quasi,
        )  # fmt: skip
