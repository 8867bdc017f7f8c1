"""The driver: a partition into cliques of at least k records,
found by several ways or proved impossible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full, rounded_down
from ratingpriv.base.progress import Progress
from ratingpriv.base.reservations import checked_codes
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.description import TableDescription
from ratingpriv.partition.greedy.greedy import ORDERS, neighbourhood_sizes
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.result import PartitionParameters, PartitionResult
from ratingpriv.partition.strategies import NEAR, search
from ratingpriv.partition.verifying import Verification, verify
from ratingpriv.proximity.amounts import label_moments, measure
from ratingpriv.proximity.fixed_rules import comparison_table, equal_classes
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.levels import null_separates
from ratingpriv.proximity.neighbourhoods import EqualRecords, equal_records
from ratingpriv.proximity.reservations import reservations

METHODS = ("auto", "greedy", "slicing", "exact")
"""auto: greedy in several orders, adjusted, and complete search of small components; greedy: that
alone; slicing: the papers' slicing with prune-and-adjust [SWLZ11, §5.2-5.3]; exact: complete search
alone.
"""


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
    """Search for a k-decomposition of ``table``:
    a partition into cliques of at least ``k`` records.

    Implements k-decomposability [SWLP10, §4.3], with ``l`` for (k,ε,l) [SWLZ11, Def. 4.3]. A
    partition that is found proves (k,ε)-anonymity [SWLP10, Cor. 1]; that none is found proves
    nothing, unless ``proved_impossible`` says so, and then the table may still be (k,ε)-anonymous
    by neighbourhoods.

    With "auto" there are never fewer groups than the plain greedy by position makes, unless a
    partition of all records needs fewer. Tables of more than 200,000 records get one order only.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    k : records of a group at least, >= 1
    epsilon : the rating distance >= 0 within which ratings are indistinguishable; not differential
        privacy's
    l : the SD that every sensitive issue shall have in every group, >= 0; None asks for none
    method : "auto", "greedy", "slicing" or "exact"
    order : seeds of the greedy by "position" or "fewest" neighbours; "auto" tries both. "near":
        groups of records with similar ratings (:func:`ratingpriv.partition.near_groups`); none are
        unplaced, or at least ``k``
    nulls : "strict" [SWLZ11, Eq. 1] or "wildcard" (a null matches anything)
    sensitive_nulls : "paper": a sensitive null counts s̄² [SWLZ11, Eq. 3]; "ignore": it is not
        counted
    exact_up_to : components of at most this many records are searched completely ("auto" and
        "exact")
    accept : codes of reservations that change what a result says
        (:mod:`ratingpriv.base.reservations`), and with which it is a yes to you all the same:
        ``standing.passes``
    threads : how many threads; None: as many as this process has cores
    memory : bytes that temporary arrays may take, about; None: 1 GiB
    progress : called now and then with how far the work is, from the calling thread

    Raises
    ------
    ParameterError
        An argument is out of range; the table has no records; ``l`` is given, but no issue is
        sensitive; the method is "exact", and a component is larger.
    ResourceError
        Nulls match anything, and the groups on so many issues do not fit the memory.
    """
    parameters = PartitionParameters(
        k=k,
        epsilon=epsilon,
        l=l,
        method=checks.choice("method", method, METHODS),
        order=checks.choice("order", order, (*ORDERS, NEAR)),
        nulls=nulls,
        sensitive_nulls=sensitive_nulls,
        exact_up_to=checks.whole_number("exact_up_to", exact_up_to, 0),
        accept=checked_codes(accept),
    )
    if parameters.order == NEAR and parameters.method not in ("auto", "greedy"):
        remedy = "leave `method` out, or choose another `order`"
        raise ParameterError("method", method, "auto or greedy with `order='near'`", remedy)
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

    def verified(groups: Groups) -> Verification:
        rules = {"nulls": parameters.nulls, "sensitive_nulls": parameters.sensitive_nulls}
        return verify(table, groups, parameters.k, parameters.epsilon, parameters.l, **rules)

    groups = Groups.of_labels(outcome.labels)
    verification = verified(groups)
    # groups that fail, as a float may at a hair's breadth, are none
    broken = ~(verification.cliques & verification.diverse) | (verification.sizes < parameters.k)
    if broken.any():
        lost = np.append(broken, True)[groups.labels]  # the last one: of those in none
        groups = Groups.of_labels(np.where(lost, -1, groups.labels))
        verification = verified(groups)
    reason = reason or outcome.reason
    return PartitionResult(
        dataset=TableDescription.of(table),
        parameters=parameters,
        found=len(groups.unplaced) == 0 and verification.valid,
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
        cautions=tuple(reservations(table, parameters, k=parameters.k)),
        equal=equal,
    )


def too_few_neighbours(table: RatingTable, sizes: NDArray[np.int64], target: Target) -> str | None:
    """Say which record cannot be in a clique of k: it has fewer than k neighbours, itself included.

    ``sizes`` : int64 (n_records,), |N(t)|. A clique with t lies in N(t).
    """
    alone = np.flatnonzero(sizes < target.k)
    if len(alone) == 0:
        return None
    t = int(alone[np.argmin(sizes[alone])])
    others = len(alone) - 1
    more = f"; {others} more {'has' if others == 1 else 'have'} too few" if others else ""
    names = ", ".join(column.name for column in table.quasi)
    alike = f" that meet its rules on {names}" if table.quasi else ""
    size_text = "1 record" if sizes[t] == 1 else f"{int(sizes[t])} records"
    return (
        f"record no. {t + 1} has {size_text} within {in_full(target.epsilon)}{alike}, itself "
        f"included, fewer than {target.k}{more}"
    )


def too_uniform(table: RatingTable, target: Target) -> str | None:
    """Say which records have an SD below l together, so that no partition of them reaches l.

    The law of total variance [SWLZ11, Cor. 4.1]: where each group's SD is at least l, that of their
    union is, too. Groups do not cross Hamming groups where a null separates, nor, under strict,
    classes of records that agree on the quasi-identifiers that have to be equal. True without
    sensitive nulls, or where they are left out; the paper's rule for them breaks it, and then
    nothing is said.
    """
    if target.l is None:
        return None
    equal = (
        [column for column in table.quasi if column.within is None]
        if target.nulls == "strict"
        else []
    )
    agree = f"agree on {', '.join(column.name for column in equal)}"
    if null_separates(table.scale, target.epsilon, target.nulls):
        compared = comparison_table(table, target.epsilon, target.nulls)
        parts = Groups.of_labels(hamming_groups(compared).group_of)
        within = ", ".join(column.name for column in table.quasi if column.within is not None)
        same = f"rate the same items{f' (and know the same of {within})' if within else ''}"
        where = "the {} records that " + same + (f" and {agree}" if equal else "") + " as no. {}"
    elif (classes := equal_classes(equal)) is not None:
        parts = Groups.of_labels(classes)
        where = f"the {{}} records that {agree} as no. {{}}"
    else:
        parts = Groups.of_labels(np.zeros(table.n_records, dtype=np.int64))
        where = "all {} records"
    sizes = parts.sizes
    for column in table.numeric_sensitive:
        if target.sensitive_nulls != "ignore" and not bool(column.present.all()):
            continue
        moments = label_moments(measure(column), parts.labels, parts.count)
        if not moments.exact:
            continue  # at_least says no where float64 cannot tell: that proves nothing
        short = np.flatnonzero(~moments.at_least(target.l, sizes, target.sensitive_nulls))
        if len(short):
            g = int(short[0])
            first = int(np.argmax(parts.labels == g))
            sd = float(moments.sd(sizes, target.sensitive_nulls)[g])
            who = where.format(int(sizes[g]), first + 1)
            return (
                f"{who} have an SD of {rounded_down(sd, 4)} on {column.name}; by the law of total "
                f"variance no partition of them has groups of SD {in_full(target.l)}"
            )
    return None
