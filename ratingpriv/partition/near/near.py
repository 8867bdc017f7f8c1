"""Groups of at least k records that are cliques, with least scatter:
who answered alike is together.

Farthest first and nearest to the mean: microaggregation [Domingo-Ferrer and Mateo-Sanz, TKDE 2002].
Ours: groups are cliques of the proximity graph, missing answers may match anything, and the
demands.
"""

from __future__ import annotations

from typing import Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.near.least import candidates, checked_share, first_serving
from ratingpriv.partition.near.made import NearGrouping, NearGroups, made

MOST_LEFT_OUT = 0.5
"""Of the records so many may be left out at a given ε: less than half of the people is another data
set.
"""


def near_groups(
    table: RatingTable,
    k: int,
    epsilon: float,
    *,
    withhold_at_most: float = MOST_LEFT_OUT,
    **how: Any,
) -> NearGroups:
    """Put the records of ``table`` into cliques of at least ``k`` with little scatter.

    In each group any two known values of an item differ by at most ``epsilon``, of a
    quasi-identifier by what its rule allows. Nothing is drawn: the same data give the same groups.
    That a record is left out is no proof that it has to be.

    Parameters
    ----------
    table : the ratings
    k : records of a group at least, >= 2
    epsilon : the largest distance >= 0 of two ratings of an item in a group
    withhold_at_most : the share of records that may be left out, 0 to 1
    nulls : "exchange" (the default) or "fill": a missing value matches anything; "strict": all of a
        group have the same values missing
    l, sensitive_nulls, and :class:`ratingpriv.proximity.demands.CountedDemands` : what every group
    shall meet on every sensitive issue, as in :func:`ratingpriv.audit`; None, the default: nothing
    judge : asked of finished groups which are good; the others are left out
    give_up_beyond : where more records are in no group once groups are grown, nothing more is tried
    threads, memory, progress : as in :func:`ratingpriv.partition`; one thread does it all

    Raises
    ------
    ParameterError
        An argument is out of range; there are fewer than 2k records; no groups can meet a demand;
        more are left out than may be.
    TargetNotReachedError
        It was given up.
    ResourceError
        A matrix of records and items does not fit the memory.
    """
    grouping = NearGrouping.of(k, epsilon, **how)
    most = checked_share("withhold_at_most", withhold_at_most)
    grouping.refuse_impossible(table)
    groups = made(table, grouping)
    if groups.left_out_share <= most:
        return groups
    out = f"{groups.left_out} of {table.n_records} records suppressed at {in_full(groups.epsilon)}"
    raise ParameterError(
        "epsilon",
        epsilon,
        f"an ε that leaves at most {most:.4g} out ({out})",
        larger(table, grouping, most),
    )


def larger(table: RatingTable, grouping: NearGrouping, most: float) -> str:
    """Return a remedy where more are left out than a share of ``most``:
    the larger ε that serves, if any.
    """
    every = [each for each in candidates(table) if each > grouping.target.epsilon]
    index, tried = first_serving(table, grouping, every, most)
    others = "select fewer items, or ask for a smaller `k`"
    if index is None:
        return f"no ε below the range does; {others}"
    return f"`epsilon={in_full(every[index])}` leaves {tried[index].left_out:,} out; or {others}"
