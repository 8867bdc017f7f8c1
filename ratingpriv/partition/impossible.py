"""What proves that no partition exists, before any is searched for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.numbers import in_full, rounded_down
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.verifying import group_moments
from ratingpriv.proximity.fixed_rules import comparison_table, equal_classes
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.levels import null_separates


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
    alike = f" that meet its rules on {_names(table)}" if table.quasi else ""
    found = "1 record" if sizes[t] == 1 else f"{int(sizes[t])} records"
    return (
        f"record no. {t + 1} has {found} within {in_full(target.epsilon)}{alike}, itself "
        f"included, fewer than {target.k}{more}"
    )


def too_uniform(table: RatingTable, target: Target) -> str | None:
    """Say which records have an SD below l together, so that no partition of them reaches l.

    The law of total variance [SWLZ11, Cor. 4.1]: where each group's SD is at least l, that of their union is,
    too. Groups do not cross Hamming groups where a null separates, nor, under strict, classes of records that
    agree on the quasi-identifiers that have to be equal. True without sensitive nulls, or where they are left
    out; the paper's rule for them breaks it, and then nothing is said.
    """
    if target.l is None:
        return None
    equal = [column for column in table.quasi if column.within is None] if target.nulls == "strict" else []
    agree = f"agree on {', '.join(column.name for column in equal)}"
    if null_separates(table.scale, target.epsilon, target.nulls):
        compared = comparison_table(table, target.epsilon, target.nulls)
        parts = Groups.of_labels(hamming_groups(compared).group_of)
        within = ", ".join(column.name for column in table.quasi if column.within is not None)
        same = f"rate the same issues{f' (and know the same of {within})' if within else ''}"
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
        moments = group_moments(column, parts)
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


def _names(table: RatingTable) -> str:
    return ", ".join(column.name for column in table.quasi)
