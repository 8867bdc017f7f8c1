"""Bounds on k and l: those that are true, and one diagnostic of the papers that is not a bound.

=================================  ==================================================================
[SWLZ11, Lemma 4.1]                **false**: joining parts may raise maxsize(G)/|G| above every part's
[SWLZ11, Thm 4.1]                  **not a bound**: see :func:`theorem_4_1_estimate`
[SWLZ11, Lemma 4.2, Cor. 4.1]      true for a *partition* without sensitive nulls, or where nulls are ignored:
                                   :func:`sd_floor_of_union`, :func:`partition_can_reach`. Not for overlapping
                                   neighbourhoods, so "l > SD(T), hence no solution" is no argument about
                                   (k,ε,l)-anonymity; not under the paper's rule for sensitive nulls either
[SWLZ11, Thm 4.2]                  true without sensitive nulls (Popoviciu): :func:`sd_ceiling`, which is also
                                   right with them
=================================  ==================================================================

``tests/audit/test_bounds.py`` shows each false one by a counterexample.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import SensitiveColumn


def largest_k(sizes: NDArray[np.int64]) -> int:
    """Return the largest k for which (k,ε)-anonymity holds: the smallest neighbourhood.

    The true bound that replaces [SWLZ11, Thm 4.1]: k <= min over t of |N(t)|, and it is reached.
    ``sizes`` : int64 (n,), n >= 1.
    """
    if len(sizes) == 0:
        raise ParameterError("sizes", "none", "at least one neighbourhood size")
    return int(np.min(sizes))


def sd_floor_of_union(part_sds: Iterable[float]) -> float:
    """Return what the SD of a whole cannot fall below, given the SDs of the parts of a *partition* of it.

    Implements [SWLZ11, Lemma 4.2]: SD(S) >= min SD(S_i), by the law of total variance. True where every
    sensitive rating is known, or unknown ones are ignored (a part without a known rating has SD +inf and says
    nothing). **Not** true for sets that overlap, as neighbourhoods do, and **not** under the paper's rule for
    sensitive nulls.
    """
    sds = [float(sd) for sd in part_sds]
    if not sds or any(math.isnan(sd) or sd < 0 for sd in sds):
        raise ParameterError("part_sds", sds, "the SDs (>= 0) of at least one part")
    return min(sds)


def partition_can_reach(l: float, total_sd: float) -> bool:  # noqa: E741 -- the theory's word
    """Whether a partition may exist whose groups all have an SD of at least ``l``; False is a proof of none.

    Implements [SWLZ11, Cor. 4.1]: were every SD(S_i) >= l, SD(T) >= l would follow. Says nothing about
    (k,ε,l)-anonymity, whose neighbourhoods overlap, and holds as far as :func:`sd_floor_of_union` does.

    Parameters
    ----------
    l : the SD that each group shall have
    total_sd : SD of the whole table's sensitive ratings; +inf where none is known
    """
    return checks.non_negative_number("l", l) <= total_sd


def sd_ceiling(column: SensitiveColumn, *, sensitive_nulls: str = "paper") -> float:
    """Return what no group's SD can exceed on this sensitive issue; +inf where nothing is known.

    Implements [SWLZ11, Thm 4.2] (Popoviciu): SD <= (max - min)/2 where every rating is known, or unknown ones
    are ignored. Under the paper's rule a null counts s̄², so the group's variance is a weighted mean of the
    known ratings' variance and s̄²; the bound is then max((max - min)/2, max |s|). With nulls (max - min)/2
    alone is exceeded: 5, 5 and a null have the SD 2.89.
    """
    checks.choice("sensitive_nulls", sensitive_nulls, ("paper", "ignore"))
    nulls = not column.present.all()
    known = column.values[column.present] if nulls else column.values
    if len(known) == 0:
        return math.inf
    low, high = float(known.min()), float(known.max())
    spread = high / 2 - low / 2
    return max(spread, abs(low), abs(high)) if nulls and sensitive_nulls == "paper" else spread


@dataclass(frozen=True, slots=True)
class SizeEstimate:
    """A diagnostic of the papers, never to be shown without its ``warning``."""

    value: int
    warning: str


def theorem_4_1_estimate(maxsize: int, group: int, records: int) -> SizeEstimate:
    """Return [SWLZ11, Thm 4.1]'s ⌈maxsize(T)·|G_j|/|T|⌉, with the warning that it bounds nothing.

    The paper has k <= this number. It is not so: four identical records split into four groups of one give
    ⌈4·1/4⌉ = 1, yet the table is (4,ε)-anonymous. The true bound is :func:`largest_k`.

    Parameters
    ----------
    maxsize : size of the largest neighbourhood in the table T
    group : records in the group G_j
    records : records in T
    """
    maxsize = checks.whole_number("maxsize", maxsize, 1)
    group = checks.whole_number("group", group, 1)
    records = checks.whole_number("records", records, 1)
    if max(maxsize, group) > records:
        raise ParameterError(
            "records", records, f"at least the larger of maxsize {maxsize} and group {group}"
        )
    return SizeEstimate(
        value=-(-maxsize * group // records),
        warning=(
            "Theorem 4.1's number is not a bound on k: the table can be (k,ε)-anonymous for a larger k, and "
            "need not be for this one. The true bound is the smallest neighbourhood"
        ),
    )
