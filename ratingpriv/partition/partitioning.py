"""The driver: a partition into cliques of at least k records, found by several ways or proved impossible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.cautions import checked_codes
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.description import TableDescription
from ratingpriv.partition.greedy.greedy import ORDERS, neighbourhood_sizes
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.impossible import too_few_neighbours, too_uniform
from ratingpriv.partition.result import PartitionParameters, PartitionResult
from ratingpriv.partition.strategies import Found, search
from ratingpriv.partition.verifying import Verification, verify
from ratingpriv.proximity.neighbourhoods import EqualRecords, equal_records
from ratingpriv.proximity.reservations import reservations

METHODS = ("auto", "greedy", "slicing", "exact")
"""auto: greedy in several orders, adjusted, and complete search of small components; greedy: that alone;
slicing: the papers' slicing with prune-and-adjust [SWLZ11, §5.2-5.3]; exact: complete search alone."""


@takes_frames
def partition(
    table: TableLike,
    *,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741 -- the theory's word
    method: str = "auto",
    order: str = "position",
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    exact_up_to: int = 20,
    accept: Sequence[str] = (),
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **columns: Unpack[ColumnWords],
) -> PartitionResult:
    """Search for a k-decomposition of ``table``: a partition into cliques of at least ``k`` records.

    Implements k-decomposability [SWLP10, §4.3], with ``l`` for (k,ε,l) [SWLZ11, Def. 4.3]. A partition that
    is found proves (k,ε)-anonymity [SWLP10, Cor. 1]; that none is found proves nothing, unless
    ``proved_impossible`` says so, and then the table may still be (k,ε)-anonymous by neighbourhoods.

    With "auto" there are never fewer groups than the plain greedy by position makes, unless a partition of
    all records needs fewer. Tables of more than 200,000 records get one order only.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    k : records of a group at least, >= 1
    epsilon : the rating distance >= 0 within which ratings are indistinguishable; not differential privacy's
    l : the SD that every sensitive issue shall have in every group, >= 0; None asks for none
    method : "auto", "greedy", "slicing" or "exact"
    order : seeds of the greedy by "position" or "fewest" neighbours; "auto" tries both
    nulls : "strict" [SWLZ11, Eq. 1] or "wildcard" (a null matches anything)
    sensitive_nulls : "paper": a sensitive null counts s̄² [SWLZ11, Eq. 3]; "ignore": it is left out
    exact_up_to : components of at most so many records are searched completely ("auto" and "exact")
    accept : codes of reservations that change what a result says (:data:`ratingpriv.base.cautions.BUTS`), and
        with which it is a yes to you all the same: ``standing.passes``
    threads : how many threads; None: as many as this process has cores
    memory : bytes that temporary arrays may take, about; None: 1 GiB
    progress : called now and then with how far the work is, from the calling thread

    Raises
    ------
    ParameterError
        An argument is out of range; the table has no records; ``l`` is given, but no issue is sensitive;
        the method is "exact", and a component is larger.
    ResourceError
        Nulls match anything, and the groups on so many issues do not fit the memory.
    """
    parameters = PartitionParameters(
        k=k,
        epsilon=epsilon,
        l=l,
        method=checks.choice("method", method, METHODS),
        order=checks.choice("order", order, ORDERS),
        nulls=nulls,
        sensitive_nulls=sensitive_nulls,
        exact_up_to=checks.whole_number("exact_up_to", exact_up_to, 0),
        accept=checked_codes(accept),
    )
    numeric = bool(table.numeric_sensitive)
    parameters.check_data(table.n_records, sensitive=bool(table.sensitive), numeric=numeric)
    resources = Resources(threads, memory, progress)
    sizes = neighbourhood_sizes(table, parameters, resources)
    reason = too_few_neighbours(table, sizes, parameters) or too_uniform(table, parameters)
    outcome = search(table, parameters, sizes, resources)
    if parameters.epsilon > 0:
        equal = equal_records(table, parameters.k, parameters.nulls, resources)
    else:
        equal = EqualRecords.of(sizes, parameters.k)
    return _result(table, parameters, outcome, reason or outcome.reason, equal)


def _result(
    table: RatingTable,
    parameters: PartitionParameters,
    outcome: Found,
    reason: str | None,
    equal: EqualRecords,
) -> PartitionResult:
    """Verify what was found; groups that fail, as a float may at a hair's breadth, are none."""
    groups = Groups.of_labels(outcome.labels)
    verification = _verified(table, parameters, groups)
    broken = ~(verification.cliques & verification.diverse) | (verification.sizes < parameters.k)
    if broken.any():
        groups = Groups.of_labels(np.where(_in(groups.labels, broken), -1, groups.labels))
        verification = _verified(table, parameters, groups)
    complete = len(groups.unplaced) == 0
    return PartitionResult(
        dataset=TableDescription.of(table),
        parameters=parameters,
        found=complete and verification.valid,
        proved_impossible=reason is not None,
        reason=reason,
        groups=groups,
        min_size=verification.min_size,
        max_size=verification.max_size,
        min_sd=verification.min_sd,
        withheld=len(groups.unplaced),
        method=outcome.how,
        verification=verification,
        record_ids=table.record_ids,
        cautions=tuple(
            reservations(table, parameters.nulls, parameters.k, parameters.epsilon, more=bool(parameters.l))
        ),
        equal=equal,
    )


def _verified(table: RatingTable, target: Target, groups: Groups) -> Verification:
    return verify(
        table, groups, target.k, target.epsilon, target.l, nulls=target.nulls,
        sensitive_nulls=target.sensitive_nulls,
    )  # fmt: skip


def _in(labels: NDArray[np.int64], broken: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each record is in a group that is broken."""
    placed = labels >= 0
    inside = np.zeros(len(labels), dtype=np.bool_)
    inside[placed] = broken[labels[placed]]
    return inside
