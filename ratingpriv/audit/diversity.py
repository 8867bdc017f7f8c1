"""(k,ε,l)-anonymity [SWLZ11, Def. 4.3]: verdicts on the SD in neighbourhoods,
and what bounds an SD.

[SWLZ11, Lemma 4.2, Cor. 4.1] are true for a *partition* without sensitive nulls, or where nulls are
ignored. Not for overlapping neighbourhoods, so "l > SD(T), hence no solution" is no argument about
(k,ε,l)-anonymity; not under the paper's rule for nulls either. [SWLZ11, Thm 4.2] is true without
sensitive nulls (Popoviciu); :func:`sd_ceiling` is right with them, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ratingpriv.base import checks
from ratingpriv.data.table import SensitiveColumn


@dataclass(frozen=True, slots=True)
class DiversityVerdict:
    """(k,ε,l)-anonymity under one null rule for sensitive ratings [SWLZ11, Def. 4.3]."""

    # whether every neighbourhood has k records and an SD of at least l on every sensitive issue
    satisfied: bool
    # for each sensitive issue the largest float64 l that holds; None where any does (nothing is
    # known)
    max_l: Mapping[str, float | None]
    violators: int  # records whose neighbourhood is too small or too uniform

    def __bool__(self) -> bool:
        """Whether it is satisfied."""
        return self.satisfied


@dataclass(frozen=True, slots=True)
class LVerdict(DiversityVerdict):
    """The verdict under the rule of the parameters, and in ``by_rule`` under both,
    "paper" and "ignore".
    """

    by_rule: Mapping[str, DiversityVerdict] = field(default_factory=dict)


def sd_ceiling(column: SensitiveColumn, *, sensitive_nulls: str = "paper") -> float:
    """Return what no group's SD can exceed on this sensitive issue; +inf where nothing is known.

    Implements [SWLZ11, Thm 4.2] (Popoviciu): SD <= (max - min)/2 where every rating is known, or
    unknown ones are ignored. Under the paper's rule a null counts s̄², so the group's variance is a
    weighted mean of the known ratings' variance and s̄²; the bound is then max((max - min)/2, max
    |s|). With nulls (max - min)/2 alone is exceeded: 5, 5 and a null have the SD 2.89.
    """
    checks.choice("sensitive_nulls", sensitive_nulls, ("paper", "ignore"))
    nulls = not column.present.all()
    values = column.values[column.present] if nulls else column.values
    if len(values) == 0:
        return math.inf
    low, high = float(values.min()), float(values.max())
    spread = high / 2 - low / 2
    return max(spread, abs(low), abs(high)) if nulls and sensitive_nulls == "paper" else spread
