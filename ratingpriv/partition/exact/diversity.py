"""Whether a few records differ enough on every sensitive issue [SWLZ11, Def. 4.3 and Eq. 3]."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.data.table import SensitiveColumn
from ratingpriv.proximity.amounts import Measured, measure
from ratingpriv.proximity.moments import SensitiveMoments


class Diversity:
    """Answers SD ≥ l for one set of records after another, exactly; l is taken as the decimal it prints as.

    A column on a decimal grid is added up in integers. For others the verdict is that of
    :meth:`SensitiveMoments.at_least`, which says no where float64 cannot tell.
    """

    def __init__(self, columns: Sequence[SensitiveColumn], l: float, rule: str) -> None:  # noqa: E741
        self._l = checks.sd_bound("l", l)
        self._square = Fraction(Decimal(repr(self._l))) ** 2
        self._rule = rule
        self._columns = [(column, measure(column)) for column in columns]

    def profile(self, position: int) -> tuple[object, ...]:
        """Return what the record answered; records with one profile can take each other's place."""
        return tuple(
            float(column.values[position]) if column.present[position] else None
            for column, _ in self._columns
        )

    def holds(self, positions: NDArray[np.int64]) -> tuple[bool, bool]:
        """Return (whether every SD is at least l, whether that is certain)."""
        certain = True
        for column, numbers in self._columns:
            if numbers.exact:
                if not self._exactly(numbers, positions, self._rule):
                    return False, True
            elif not self._safely(numbers, positions):
                certain &= not self._in_fractions(column, positions)
                return False, certain
        return True, True

    def rules_out(self, positions: NDArray[np.int64]) -> bool:
        """Whether no partition of these records can have every SD at least l [SWLZ11, Cor. 4.1].

        By the law of total variance, which needs that no sensitive null counts.
        """
        for _, numbers in self._columns:
            known = bool(numbers.present[positions].all())
            if numbers.exact and (known or self._rule == "ignore"):  # noqa: SIM102 -- two thoughts
                if not self._exactly(numbers, positions, "ignore"):
                    return True
        return False

    def _exactly(self, column: Measured, positions: NDArray[np.int64], rule: str) -> bool:
        numbers = [
            int(column.numbers[position]) + int(column.shift)
            for position in positions.tolist()
            if column.present[position]
        ]
        return not numbers or _variance(numbers, len(positions), rule) >= self._square * 100**column.decimals

    def _safely(self, column: Measured, positions: NDArray[np.int64]) -> bool:
        numbers = column.numbers[positions].astype(np.float64)
        moments = SensitiveMoments(
            column.name,
            np.array([int(column.present[positions].sum())]),
            np.array([numbers.sum()]),
            np.array([(numbers**2).sum()]),
            column.shift,
        )
        return bool(moments.at_least(self._l, np.array([len(positions)]), self._rule)[0])

    def _in_fractions(self, column: SensitiveColumn, positions: NDArray[np.int64]) -> bool:
        numbers = [
            Fraction(Decimal(repr(float(column.values[position]))))
            for position in positions.tolist()
            if column.present[position]
        ]
        return not numbers or _variance(numbers, len(positions), self._rule) >= self._square


def _variance(numbers: Sequence[int | Fraction], size: int, rule: str) -> Fraction:
    """Return SD² of a set of ``size`` records of which some answered ``numbers`` [SWLZ11, Eq. 3]."""
    known, total, squares = len(numbers), sum(numbers), sum(number * number for number in numbers)
    if rule == "ignore":
        return Fraction(known * squares - total**2) / known**2
    # a null adds mean²: Q²·S2 + (g - 2Q)·S1², over g·Q²
    return Fraction(known**2 * squares + (size - 2 * known) * total**2) / (known**2 * size)
