"""Counts, sums and squares of a sensitive issue in neighbourhoods.

Exact verdicts on SDs [SWLZ11, Eq. 3].

With g records, Q of them not null, sum S1 and sum of squares S2 of the non-null values::

    paper:   SD² = (S2 - S1²/Q + (g - Q)·(S1/Q)²) / g     a null contributes mean²
    ignore:  SD² = (S2 - S1²/Q) / Q                       nulls left out

and SD = +inf where Q = 0: there is nothing to learn, any l is satisfied.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.target import SENSITIVE_NULLS

_NEAR = 1e-9  # relative distance below which float64 is not trusted with a verdict
_WHOLE = 2.0**61  # what float64 takes for less is less than 2**63
_BLUR = 1e-13  # relative error that sums of a few numbers in float64 may have, with room to spare
_ROUNDING = 2.0**-51  # twice what each number more can add to it, in whatever order they are added
_WRITTEN = 2.0**-52  # of the shift, what two decimals of its size lose by being float64


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveMoments:
    """What is known of one sensitive issue in the neighbourhood of every record.

    Values are ``(number + shift) / 10**decimals``. On a decimal grid numbers are integers and every
    verdict is exact; otherwise ``decimals`` is 0, sums are float64, and an SD that float64 cannot
    tell from l does not satisfy it: the safe side. ``known`` is Q, how many values are not null;
    ``sums`` and ``squares`` are those of the numbers; the shift is taken off before, so that they
    stay small.
    """

    name: str
    known: NDArray[np.int64]
    sums: NDArray[np.int64] | NDArray[np.float64]
    squares: NDArray[np.int64] | NDArray[np.float64]
    shift: float = 0
    decimals: int = 0

    @property
    def exact(self) -> bool:
        """Whether sums are integers, so that verdicts are exact."""
        return self.sums.dtype.kind == "i"

    def part(self, where: slice | NDArray[np.int64]) -> SensitiveMoments:
        """Return those of some of the neighbourhoods: of a slice (without a copy),
        or of positions.
        """
        return dataclasses.replace(
            self, known=self.known[where], sums=self.sums[where], squares=self.squares[where]
        )

    def by_rule[T](self, sizes: NDArray[np.int64], answer: Callable[[str], T]) -> dict[str, T]:
        """Return what ``answer`` says of each rule for nulls,
        asked once where no rating is null.
        """
        if self.known is sizes or np.array_equal(self.known, sizes):
            return dict.fromkeys(SENSITIVE_NULLS, answer(SENSITIVE_NULLS[0]))
        return {rule: answer(rule) for rule in SENSITIVE_NULLS}

    def sd(self, sizes: NDArray[np.int64], rule: str) -> NDArray[np.float64]:
        """Return the SD of every neighbourhood of ``sizes`` records,
        +inf where every value is null.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            sd = np.sqrt(self._variance(sizes, rule)) / 10.0**self.decimals
        return np.where(self.known == 0, np.inf, sd)

    def at_least(
        self,
        l: float,  # noqa: E741
        sizes: NDArray[np.int64],
        rule: str,
    ) -> NDArray[np.bool_]:
        """Return whether SD ≥ ``l`` for every neighbourhood, bool (n,).

        ``l`` is taken as the decimal it prints as. Where float64 cannot tell, integers decide:
        under "paper" ``Q²·S2 + (g - 2Q)·S1² >= l²·g·Q²``.
        """
        bound = checks.sd_bound("l", l)
        if bound == 0:
            return np.ones(len(self.known), dtype=np.bool_)
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = self._variance(sizes, rule)
        needed = (bound * 10.0**self.decimals) ** 2
        certain = variance if self.exact else variance - self._blur(variance, sizes)
        holds: NDArray[np.bool_] = (self.known == 0) | (certain >= needed)
        if self.exact:
            scale = np.maximum(self._magnitude(True), needed)
            # no NaN is: something is known
            near = np.flatnonzero(np.abs(variance - needed) <= _NEAR * scale)
            square = (Fraction(Decimal(repr(bound))) * 10**self.decimals) ** 2
            cases, number = self._cases(near, sizes)
            verdicts = [self._fraction(case, rule) >= square for case in cases]
            holds[near] = np.array(verdicts, dtype=bool)[number]
        return holds

    def largest_l(self, sizes: NDArray[np.int64], rule: str) -> float | None:
        """Return the largest float64 l that every neighbourhood satisfies.

        None if any l is satisfied.

        Of those that :meth:`at_least` takes: 0, or 1e-100 to 1e100.
        """
        informed = np.flatnonzero(self.known > 0)
        if len(informed) == 0:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = self._variance(sizes, rule)
        if not self.exact:
            least = (variance - self._blur(variance, sizes))[informed].min()
            largest = math.nextafter(float(np.sqrt(max(least, 0.0))), 0)
            return 0.0 if largest < checks.LEAST_SD else min(largest, 1 / checks.LEAST_SD)
        variance = variance[informed]
        least = variance.min()
        near = informed[variance - least <= _NEAR * (self._magnitude(True)[informed] + least)]
        smallest = min(self._fraction(case, rule) for case in self._cases(near, sizes)[0])
        smallest /= 100**self.decimals
        l = math.sqrt(smallest)  # noqa: E741
        while Fraction(Decimal(repr(l))) ** 2 > smallest:
            l = math.nextafter(l, 0)  # noqa: E741
        while Fraction(Decimal(repr(above := math.nextafter(l, math.inf)))) ** 2 <= smallest:
            l = above  # noqa: E741
        return l

    def spread_error(self, share: float) -> NDArray[np.float64]:
        """Return what the sum SS of squared deviations may be off by,
        beside ``share`` of it, float64 (n,).

        Numbers that are off by δ move it by up to 2·√(SS·Q)·δ + Q·δ²; 2·√(SS·Q)·δ <= share·SS +
        Q·δ²/share.
        """
        return np.asarray(self.known * (1 / share + 1) * self._number_error() ** 2)

    def _number_error(self) -> float:
        """Return how far off a number may be: float64's differences
        are not those of the decimals written.
        """
        return 0.0 if self.exact else _WRITTEN * abs(float(self.shift))

    def _variance(self, sizes: NDArray[np.int64], rule: str) -> NDArray[np.float64]:
        """Return SD² on the grid, float64 (n,); NaN where nothing is known."""
        checks.choice("rule", rule, SENSITIVE_NULLS)
        n_known = self.known.astype(np.float64)
        mean = self.sums / n_known
        spread = np.maximum(self.squares - self.sums * mean, 0.0)
        # modulo 2**64, and so exact where it is less: float64 loses all of a small spread
        if self.exact:
            scaled = self.known * self.squares - self.sums**2
            spread = np.where(spread * n_known < _WHOLE, scaled / n_known, spread)
        if rule == "ignore":
            return np.asarray(spread / n_known)
        return np.asarray((spread + (sizes - self.known) * (mean + self.shift) ** 2) / sizes)

    def _magnitude(self, shifted: bool | NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the size of the terms that cancel in :meth:`_variance`,
        the shift among them or not.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            magnitude = (self.squares + 2.0 * self.sums**2.0 / self.known) / self.known
        return np.asarray(magnitude + np.where(shifted, float(self.shift) ** 2, 0.0))

    def _blur(self, variance: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how much SD² from sums in float64 may be off, float64 (n,).

        A null brings the shift in.

        Sums of Q numbers are off by less than Q·2^-53 of what they would be without signs, in any
        order, and 2·abs(S1)·√(Q·S2) <= S1² + Q·S2: SD² is off by at most (Q + 4)·2^-52 of
        :meth:`_magnitude`. Where every number is off by δ, so is the SD.
        """
        relative = np.maximum(_BLUR, _ROUNDING * self.known)
        delta = self._number_error()
        with np.errstate(invalid="ignore"):
            represented = (2.0 * np.sqrt(variance) + delta) * delta
        return np.asarray(relative * self._magnitude(sizes > self.known) + represented)

    def _cases(
        self, records: NDArray[np.int64], sizes: NDArray[np.int64]
    ) -> tuple[list[tuple[int, int, int, int]], NDArray[np.int64]]:
        """Return the distinct (g, Q, sum, squares) of ``records``,
        and which one each record has.
        """
        columns = np.stack((sizes, self.known, self.sums, self.squares))[:, records]
        distinct, number = np.unique(columns, axis=1, return_inverse=True)
        return [tuple(map(int, case)) for case in distinct.T], number.ravel()  # type: ignore[misc]

    def _fraction(self, case: tuple[int, int, int, int], rule: str) -> Fraction:
        """Return SD² on the grid of one (g, Q, sum, squares), exactly."""
        g, n_known, total, squares = case
        if rule == "ignore":
            return Fraction(n_known * squares - total**2, n_known**2)
        shift = int(self.shift)
        squares += 2 * shift * total + n_known * shift**2
        total += n_known * shift
        return Fraction(n_known**2 * squares + (g - 2 * n_known) * total**2, n_known**2 * g)
