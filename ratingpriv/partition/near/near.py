"""Groups of at least k records that are cliques, with least scatter: who answered alike is together.

Farthest first and nearest to the mean: microaggregation [Domingo-Ferrer and Mateo-Sanz, TKDE 2002]. Ours:
groups are cliques of the proximity graph, missing answers may match anything, and the demands.
"""

from __future__ import annotations

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.near.demands import Demands, Judge
from ratingpriv.partition.near.least import Search, candidates, checked_share, refuse_few
from ratingpriv.partition.near.made import NULLS, NearGroups, made


def near_groups(
    table: RatingTable,
    k: int,
    epsilon: float,
    *,
    nulls: str = "exchange",
    max_share: float | None = None,
    distinct: int | None = None,
    entropy: float | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    sensitive_nulls: str = "paper",
    judge: Judge | None = None,
    withhold_at_most: float = 0.5,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> NearGroups:
    """Put the records of ``table`` into cliques of at least ``k`` with little scatter.

    In each group any two known values of an item differ by at most ``epsilon``, of a quasi-identifier by what
    its rule allows. Nothing is drawn: the same data give the same groups. That a record is left out is no
    proof that it has to be.

    Parameters
    ----------
    table : the ratings
    k : records of a group at least, >= 2
    epsilon : the largest distance >= 0 of two ratings of an item in a group
    nulls : "exchange" or "fill": a missing value matches anything; "strict": all of a group have the same
        values missing
    max_share, distinct, entropy, l, sensitive_nulls : what every group shall meet on every sensitive issue,
        as in :func:`ratingpriv.audit`
    judge : asked of finished groups which are good; the others are left out
    withhold_at_most : the share of records that may be left out, 0 to 1
    threads, memory, progress : as in :func:`ratingpriv.partition`; one thread does it all

    Raises
    ------
    ParameterError
        An argument is out of range; there are fewer than 2k records; no groups can meet a demand; more are
        left out than may be.
    ResourceError
        A matrix of records and items does not fit the memory.
    """
    checks.choice("nulls", nulls, NULLS)
    most = checked_share("withhold_at_most", withhold_at_most)
    target = Target(k=k, epsilon=epsilon, l=l, sensitive_nulls=sensitive_nulls)
    demands = Demands(
        max_share=max_share, distinct=distinct, entropy=entropy, l=l, sensitive_nulls=sensitive_nulls,
        judge=judge,
    )  # fmt: skip
    refuse_few(table, target.k)
    demands.refuse_impossible(table)
    resources = Resources(threads, memory, progress)
    found = made(table, target, nulls, demands, resources)
    if found.left_out_share <= most:
        return found
    out = f"{found.left_out} of {table.n_records} records left out at {in_full(target.epsilon)}"
    larger = [each for each in candidates(table) if each > target.epsilon]
    search, place = Search.of(table, larger, target, nulls, demands, most, resources)
    remedy = "ask for fewer items or a smaller `k`"
    if place is not None:
        at = f"at `epsilon={in_full(larger[place])}` {search.found[place].left_out} are"
        remedy = f"{at}; or {remedy}"
    raise ParameterError("epsilon", epsilon, f"an ε that leaves at most {most:.4g} out ({out})", remedy)
