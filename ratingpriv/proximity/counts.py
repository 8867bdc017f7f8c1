"""How often each known value of a sensitive issue occurs in neighbourhoods:
what an adversary would guess.

Of the Q known (non-null) values of a neighbourhood, with counts c1..cd of its d distinct values::

    largest share  max(c) / Q
    entropy        log2(Q) - (c1·log2(c1) + ... + cd·log2(cd)) / Q   in bits

and, where it is asked for, the distance of their distribution from that in all records, for
t-closeness.
Of all records, W know one of the m values, w1..wm times; with di = ci/Q - wi/W it is::

    ordered values   (|d1| + |d1 + d2| + ... + |d1 + ... + d(m-1)|) / (m - 1)
    words            (|d1| + ... + |dm|) / 2

Distinct l-diversity asks for d ≥ L, entropy l-diversity for an entropy ≥ log L: Machanavajjhala,
Kifer, Gehrke, Venkitasubramaniam: l-Diversity, ACM TKDD 2007. A null is no value: where nothing is
known (Q = 0) there is nothing to learn, and every demand counts as met, as for SDs (`moments.py`).

Counts are integers, so shares and distinct values are compared exactly. Entropies that float64
cannot tell from log L are compared exactly too: 1:1:1 has an entropy of log 3, whatever float64
makes of its logarithm.
"""

from __future__ import annotations

import dataclasses
import decimal
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

NEAR = 1e-9  # distance in bits below which float64 is not trusted to compare entropies
# shares of at most so many values differ by 2**-52 or not at all: float64 tells them apart
_APART = 1 << 26
_LARGEST = 1 << 62  # whole numbers below it, and sums and differences of two, fit int64
_CELLS = 1 << 22  # counts that are laid out at once
_TABLE = 1 << 20  # counts up to this many have their logarithms in a table
_PRECISE = decimal.Context(prec=60)
_TIE = Decimal("1e-45")  # logarithms to 60 digits that are closer are compared as integers


@dataclass(frozen=True, slots=True)
class Counting:
    """What is decided of the values of sensitive issues while they are counted."""

    entropy: Fraction | None = None  # an L: whether each entropy is at least log L, exactly
    distances: bool = False  # how far each distribution is from that in all records
    nominal: bool = False  # numbers are codes, too: their order means nothing


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """How often each value of a sensitive issue occurs in all records, int64 (n_values,),
    by size.
    """

    counts: NDArray[np.int64]
    ordered: bool  # numbers; False: words, all of them equally far from each other

    @property
    def unit(self) -> int:
        """By what times the known values a sum of :meth:`gaps` is divided to be a distance."""
        return int(self.counts.sum()) * (max(len(self.counts) - 1, 1) if self.ordered else 2)

    def as_codes(self) -> Whole:
        """Return the same where the order of the values means nothing."""
        return dataclasses.replace(self, ordered=False)

    def number(self, known: int) -> type[Any]:
        """Return the type of :meth:`gaps` of at most so many ``known`` values: int64,
        or Python's numbers.
        """
        return np.int64 if self.unit * known < _LARGEST else np.object_

    def gaps(self, counts: NDArray[np.int64]) -> NDArray[Any]:
        """Return the distance of each distribution times its known
        values and the ``unit``, exactly.

        ``counts`` : int64 (n_values, m). Whole numbers (m,), of the type :meth:`number`.
        """
        total, n_known = int(self.counts.sum()), counts.sum(axis=0)
        number = self.number(int(n_known.max(initial=0)))
        apart = counts.astype(number) * total - self.counts.astype(number)[
            :, None
        ] * n_known.astype(number)
        if self.ordered:
            apart = np.cumsum(apart, axis=0)[:-1]
        return np.asarray(np.abs(apart).sum(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveCounts:
    """The counts of one sensitive issue's values in the neighbourhood of every record, summed up.

    Attributes
    ----------
    known : int64 (n,); Q, the number of non-null values
    largest : int64 (n,); how many records have the commonest of them
    distinct : int64 (n,); the number of distinct known values
    entropy : float64 (n,), in bits; 0 where nothing is known
    least : the counts of the neighbourhoods with the least entropy, up to what float64 can tell
        apart, each sorted and divided by their greatest common divisor; none where nothing is known
        anywhere
    reaches : bool (n,); whether the entropy is at least log L, exactly; None where no L was asked
    gaps : (n,) whole numbers; the distance from the distribution in all records times ``known`` and
        ``unit``; None where it was not asked
    unit : see :class:`Whole`
    """

    name: str
    known: NDArray[np.int64]
    largest: NDArray[np.int64]
    distinct: NDArray[np.int64]
    entropy: NDArray[np.float64]
    least: tuple[tuple[int, ...], ...]
    reaches: NDArray[np.bool_] | None = None
    gaps: NDArray[Any] | None = None
    unit: int = 1

    def part(self, where: slice | NDArray[np.int64]) -> SensitiveCounts:
        """Return those of a slice of the neighbourhoods (no copy) or of positions;
        ``least`` stays of all.
        """
        return dataclasses.replace(
            self,
            known=self.known[where],
            largest=self.largest[where],
            distinct=self.distinct[where],
            entropy=self.entropy[where],
            reaches=None if self.reaches is None else self.reaches[where],
            gaps=None if self.gaps is None else self.gaps[where],
        )

    def share(self) -> NDArray[np.float64]:
        """Return the largest share of one value in every neighbourhood, float64 (n,).

        NaN: none is known.
        """
        with np.errstate(invalid="ignore"):
            return np.asarray(self.largest / self.known)

    def share_above(self, limit: Fraction) -> NDArray[np.bool_]:
        """Return whether the largest share is above ``limit``, exactly; bool (n,)."""
        above = np.asarray(self.largest > float(limit) * self.known)
        near = np.flatnonzero(np.abs(self.largest - float(limit) * self.known) <= NEAR * self.known)
        if len(near):
            pairs = np.stack((self.largest[near], self.known[near]))
            cases, which = np.unique(pairs, axis=1, return_inverse=True)
            exact = [
                top * limit.denominator > limit.numerator * n_known
                for top, n_known in cases.T.tolist()
            ]
            above[near] = np.array(exact, dtype=bool)[which.ravel()]
        return above

    def entropy_reached(self) -> NDArray[np.bool_]:
        """Return ``reaches``; ValueError where no L was asked: what was not decided is not met."""
        if self.reaches is None:
            raise ValueError("the counts were made without an L to decide entropies by")
        return self.reaches

    def farther(self, limit: Fraction) -> NDArray[np.bool_]:
        """Return whether the distance from the distribution in all is above ``limit``,
        exactly; bool (n,).

        ValueError where distances were not asked for: what was not measured is not met.
        """
        gaps, distance = self._measured(), self.distance()
        above = distance > float(limit)  # no value known: NaN, which is not above
        for index in np.flatnonzero(np.abs(distance - float(limit)) <= NEAR).tolist():
            bound = self.unit * int(self.known[index])
            above[index] = int(gaps[index]) * limit.denominator > limit.numerator * bound
        return above

    def distance(self) -> NDArray[np.float64]:
        """Return the distance of each distribution from that in all, float64 (n,).

        NaN: none is known.
        """
        gaps = self._measured()
        with np.errstate(invalid="ignore"):
            return np.asarray(gaps.astype(np.float64) / (np.float64(self.unit) * self.known))

    def largest_distance(self) -> Fraction | None:
        """Return the largest distance, exactly; None where nothing is known."""
        gaps, distance = self._measured(), self.distance()
        if not (self.known > 0).any():
            return None
        near = np.flatnonzero(distance >= np.nanmax(distance) * (1 - NEAR))
        cases = {(int(gaps[index]), int(self.known[index])) for index in near.tolist()}
        return max(Fraction(gap, self.unit * n_known) for gap, n_known in cases)

    def _measured(self) -> NDArray[Any]:
        if self.gaps is None:
            raise ValueError(
                "the counts were made without distances from the distribution in all records"
            )
        return self.gaps

    def largest_share(self) -> tuple[int, int]:
        """Return (largest, known) where the largest share is,
        of equal ones with the most known values.

        Compared exactly; (0, 0) where nothing is known.
        """
        informed = self.known > 0
        if not informed.any():
            return 0, 0
        share = np.where(informed, self.largest / np.maximum(self.known, 1), -1.0)
        if int(self.known.max()) <= _APART:
            index = int(np.argmax(np.where(share == share.max(), self.known, 0)))
            return int(self.largest[index]), int(self.known[index])
        near = share >= share.max() * (1 - NEAR)
        cases = {*zip(self.largest[near].tolist(), self.known[near].tolist(), strict=True)}
        return max(cases, key=lambda case: (Fraction(*case), case[1]))


class CountsBuilder:
    """Takes the counts of neighbourhoods, some at a time, and sums them up.

    ``places`` is how many neighbourhoods there are, equal ones counted once if the engine knows
    them; no count is larger than ``records``; ``whole`` is what all records hold, to measure
    distances from.
    """

    def __init__(
        self, name: str, places: int, records: int, asked: Counting, whole: Whole | None = None
    ) -> None:
        self._name, self._l = name, asked.entropy
        self._whole = whole.as_codes() if whole is not None and asked.nominal else whole
        self._gaps: NDArray[Any] = np.zeros(0, dtype=np.int64)
        if self._whole is not None:
            self._gaps = np.zeros(places, dtype=self._whole.number(records))
        self._known, self._largest, self._distinct = (
            np.zeros(places, dtype=np.int64) for _ in range(3)
        )
        self._entropy = np.zeros(places, dtype=np.float64)
        self._reaches = None if self._l is None else np.ones(places, dtype=np.bool_)
        numbers = np.arange(min(records, _TABLE) + 1, dtype=np.float64)
        numbers[0] = 1.0
        # one table for all records: whichever engine counted, equal counts have equal logarithms
        self._table = np.log2(numbers)
        self._least: dict[tuple[int, ...], float] = {}
        self._decided: dict[tuple[int, ...], bool] = {}

    def add(self, first: int, counts: NDArray[np.int64]) -> None:
        """Add the counts of the places from ``first`` on: ``counts``, int64 (n_values, m)."""
        m = counts.shape[1]
        n_known, distinct, sums = (
            np.zeros(m, dtype=np.int64),
            np.zeros(m, dtype=np.int64),
            np.zeros(m),
        )
        largest = np.zeros(m, dtype=np.int64)
        for each in counts:  # in the order of the values, as below: equal counts give equal floats
            n_known += each
            distinct += each > 0
            np.maximum(largest, each, out=largest)
            sums += each * self._log(each)
        if self._whole is not None:
            self._gaps[first : first + m] = self._whole.gaps(counts)
        some = np.flatnonzero(n_known) if m and n_known.min() == 0 else slice(None)
        places = np.arange(first, first + m)[some]

        def of(i: int) -> NDArray[np.int64]:
            column = counts[:, places[i] - first]
            return column[column > 0]

        self._sum_up(places, n_known[some], largest[some], distinct[some], sums[some], of)

    def add_sparse(
        self,
        places: NDArray[np.int64],
        row: NDArray[np.int64],
        code: NDArray[np.int64],
        counts: NDArray[np.int64],
    ) -> None:
        """Add counts that are not 0: of values ``code`` at ``places[row]``,
        rows and then codes ascending.
        """
        m = len(places)
        distinct = np.bincount(row, minlength=m)
        if self._whole is not None:
            self._measure(self._whole, places, row, code, counts)
        some = np.flatnonzero(distinct)
        if len(some) == 0:
            return
        first = (np.cumsum(distinct) - distinct)[some]
        n_known, largest = np.add.reduceat(counts, first), np.maximum.reduceat(counts, first)
        # one by one, in their order
        sums = np.bincount(row, weights=counts * self._log(counts), minlength=m)
        distinct = distinct[some]
        self._sum_up(
            places[some],
            n_known,
            largest,
            distinct,
            sums[some],
            lambda i: counts[first[i] : first[i] + distinct[i]],
        )

    def result(self, place_of: NDArray[np.int64]) -> SensitiveCounts:
        """Return what was added up, by record, with each one's place.

        It is not kept for another call.
        """
        # one after another: they are long
        for name in ("_known", "_largest", "_distinct", "_entropy"):
            setattr(self, name, getattr(self, name)[place_of])
        gaps = None if self._whole is None else self._gaps[place_of]
        reaches = None if self._reaches is None else self._reaches[place_of]
        least = tuple(sorted(self._least))
        n_known, largest, distinct = self._known, self._largest, self._distinct
        unit = 1 if self._whole is None else self._whole.unit
        return SensitiveCounts(
            self._name, n_known, largest, distinct, self._entropy, least, reaches, gaps, unit
        )

    def _measure(
        self,
        whole: Whole,
        places: NDArray[np.int64],
        row: NDArray[np.int64],
        code: NDArray[np.int64],
        counts: NDArray[np.int64],
    ) -> None:
        """Note distances, laying out the counts of some places at a time."""
        values = len(whole.counts)
        rows = max(1, _CELLS // max(values, 1))
        for first in range(0, len(places), rows):
            span = slice(*np.searchsorted(row, (first, first + rows)).tolist())
            dense = np.zeros((values, min(rows, len(places) - first)), dtype=np.int64)
            dense[code[span], row[span] - first] = counts[span]
            self._gaps[places[first : first + rows]] = whole.gaps(dense)

    def _log(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return log2 of ``counts``, of 0 for want of another one 0."""
        if len(counts) == 0 or int(counts.max()) < len(self._table):
            return self._table[counts]
        return np.asarray(np.log2(np.maximum(counts, 1).astype(np.float64)))

    def _sum_up(
        self,
        places: NDArray[np.int64],
        known: NDArray[np.int64],
        largest: NDArray[np.int64],
        distinct: NDArray[np.int64],
        sums: NDArray[np.float64],
        counts_of: Callable[[int], NDArray[np.int64]],
    ) -> None:
        """Note places with known values; ``sums`` are of c·log2(c),
        ``counts_of`` gives the counts of one.
        """
        if len(places) == 0:
            return
        entropy = np.maximum(self._log(known) - sums / known, 0.0)
        uniform = largest * distinct == known  # the entropy of d equal counts is log d
        entropy[uniform] = self._log(distinct[uniform])
        self._known[places], self._largest[places] = known, largest
        self._distinct[places], self._entropy[places] = distinct, entropy
        bound = min([float(entropy.min()), *self._least.values()]) + NEAR
        near = entropy <= bound
        equal = np.flatnonzero(near & uniform)
        for d, first in zip(
            *(part.tolist() for part in np.unique(distinct[equal], return_index=True)), strict=True
        ):
            self._least[(1,) * d] = float(entropy[equal[first]])
        for i in np.flatnonzero(near & ~uniform).tolist():
            self._least[_reduced(counts_of(i))] = float(entropy[i])
        self._least = {key: least for key, least in self._least.items() if least <= bound}
        if self._reaches is None or self._l is None:
            return
        needed = math.log2(self._l)
        holds = np.where(uniform, distinct >= math.ceil(self._l), entropy >= needed)
        for i in np.flatnonzero(~uniform & (np.abs(entropy - needed) <= NEAR)).tolist():
            key = _reduced(counts_of(i))
            if key not in self._decided:
                self._decided[key] = entropy_at_least(key, self._l)
            holds[i] = self._decided[key]
        self._reaches[places] = holds


def _reduced(counts: NDArray[np.int64]) -> tuple[int, ...]:
    """Return counts in ascending order without their common divisor: the entropy is the same."""
    return tuple(np.sort(counts // np.gcd.reduce(counts)).tolist())


def _entropy(counts: tuple[int, ...]) -> Decimal:
    """Return the entropy of ``counts``, each >= 1, in nats,
    to the digits of the current context.
    """
    total = sum(counts)
    return Decimal(total).ln() - sum((c * Decimal(c).ln() for c in counts), Decimal(0)) / total


def entropy_at_least(
    counts: tuple[int, ...],
    l: Fraction,  # noqa: E741 -- the theory's word
) -> bool:
    """Return whether the entropy of ``counts``, each >= 1, is at least log ``l``, exactly.

    That is ``Q**Q >= l**Q * c1**c1 * ... * cd**cd``. Logarithms to 60 digits decide where they can;
    else counts without their common divisor, as a billion equal records have no smaller entropy
    than one each.
    """
    if l <= 1:
        return True
    common = math.gcd(*counts)
    counts = tuple(c // common for c in counts)
    total = sum(counts)
    with decimal.localcontext(_PRECISE):
        above = _entropy(counts) - (Decimal(l.numerator).ln() - Decimal(l.denominator).ln())
    if abs(above) > _TIE:
        return above > 0
    left = (total * l.denominator) ** total
    right = l.numerator**total
    for c in counts:
        right *= c**c
    return bool(left >= right)


def largest_entropy_l(least: tuple[tuple[int, ...], ...]) -> float | None:
    """Return the largest float64 L, as the decimal it prints as,
    for which no entropy is below log L.

    ``least`` : counts whose entropies are the least; None where there are none: every L holds.
    """
    if not least:
        return None

    def holds(l: float) -> bool:  # noqa: E741
        exact = Fraction(Decimal(repr(l)))
        return all(entropy_at_least(counts, exact) for counts in least)

    with decimal.localcontext(_PRECISE):
        l = min(float(_entropy(counts).exp()) for counts in least)  # noqa: E741
    while not holds(l):
        l = math.nextafter(l, 0)  # noqa: E741
    while holds(above := math.nextafter(l, math.inf)):
        l = above  # noqa: E741
    return l
