"""Decides for a few records whether they fall apart into cliques of k or more: complete search.

Implements k-decomposability [SWLP10, §4.3] by its definition, so that "impossible" is proved and
not guessed. The problem is one of exact cover. The search stops after a number of steps, and then
says "unknown".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable, SensitiveColumn
from ratingpriv.proximity.amounts import measure
from ratingpriv.proximity.fixed_rules import comparison_table, equal_classes, near_codes
from ratingpriv.proximity.levels import null_separates

MOST_STEPS = 100_000
"""Steps of the search, about, that are taken in a tenth of a second or two."""

_DEEPEST = 400  # records; the search goes one call deeper for each
_CELLS = 1 << 21  # comparisons that are held in memory at once


@dataclass(frozen=True, slots=True)
class Solution:
    """The cliques, as ascending positions, ordered by their first.

    None unless ``status`` is "found".

    Else it is "impossible" (proved) or "unknown" (the steps were used up).
    """

    status: str
    sets: tuple[tuple[int, ...], ...]
    steps: int


def solve(
    table: RatingTable,
    positions: NDArray[np.int64],
    k: int,
    epsilon: float,
    *,
    l: float | None = None,  # noqa: E741
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    most_steps: int = MOST_STEPS,
) -> Solution:
    """Partition the records at ``positions`` into cliques of at least ``k``,
    or prove that there is no way.

    Implements k-decomposability [SWLP10, §4.3]; with ``l`` every clique also has an SD of at least
    l on every sensitive issue [SWLZ11, Def. 4.3]. For many calls on one table, make an
    :class:`ExactSolver`.
    """
    target = Target(k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls)
    return ExactSolver(table, target).solve(positions, most_steps=most_steps)


class ExactSolver:
    """Solves many components of one table."""

    def __init__(self, table: RatingTable, target: Target) -> None:
        self._k = target.k
        self._adjacency = Adjacency(table, target.epsilon, target.nulls)
        self._diversity = (
            None
            if target.l is None
            else Diversity(table.numeric_sensitive, target.l, target.sensitive_nulls)
        )

    def solve(self, positions: NDArray[np.int64], *, most_steps: int = MOST_STEPS) -> Solution:
        """Return what the search finds for the records at ``positions``, int64 (m,), distinct."""
        records = np.sort(np.asarray(positions, dtype=np.int64))
        if len(records) == 0:
            return Solution("found", (), 0)
        if len(records) < self._k:
            return Solution("impossible", (), 0)
        adjacent = self._adjacency.matrix(records)
        if int(adjacent.sum(axis=1).min()) < self._k:
            return Solution("impossible", (), 0)
        packed = np.packbits(adjacent, axis=1, bitorder="little")
        bits = [int.from_bytes(row.tobytes(), "little") for row in packed]
        search = _Search(bits, self._k, self._diversity, records.tolist(), most_steps)
        if adjacent.all() and search.diverse((1 << len(records)) - 1):
            return Solution("found", (tuple(records.tolist()),), 0)
        if len(records) > _DEEPEST:
            return Solution("unknown", (), 0)
        try:
            cliques = search.cover((1 << len(records)) - 1)
        except _OutOfStepsError:
            return Solution("unknown", (), search.steps)
        if cliques is None:
            return Solution("impossible", (), search.steps)
        sets = sorted(
            tuple(int(records[member]) for member in _members(clique)) for clique in cliques
        )
        return Solution("found", tuple(sets), search.steps)


class _OutOfStepsError(Exception):
    pass


class _Search:
    """Sets of records are the bits of an int; ``adjacent``: the records proximate with each,
    and itself.
    """

    def __init__(
        self,
        adjacent: list[int],
        k: int,
        diversity: Diversity | None,
        records: list[int],
        most_steps: int,
    ) -> None:
        self._adjacent, self._k, self._records = adjacent, k, records
        self._diversity, self._most_steps = diversity, most_steps
        self._failed: set[int] = set()
        self._known: dict[int, bool] = {}
        # records that nothing tells apart: in a set, one is as good as the other
        answers = [() if diversity is None else diversity.profile(record) for record in records]
        number: dict[object, int] = {}
        self._twin = [
            number.setdefault(pair, len(number)) for pair in zip(adjacent, answers, strict=True)
        ]
        self.steps = 0

    def diverse(self, clique: int) -> bool:
        """Whether a set has SDs of at least l."""
        if self._diversity is None:
            return True
        if clique not in self._known:
            self._known[clique] = self._diversity.holds(
                [self._records[i] for i in _members(clique)]
            )
        return self._known[clique]

    def cover(self, rest: int) -> list[int] | None:
        """Return disjoint cliques that make up ``rest``, or None if there are none."""
        parts: list[int] = []
        while rest:  # the connected parts, smallest first member first
            part, edge = 0, rest & -rest
            while edge:
                part |= edge
                reached = 0
                for i in _members(edge):
                    reached |= self._adjacent[i]
                edge = reached & rest & ~part
            parts.append(part)
            rest &= ~part
        if not all(map(self._possible, parts)):
            return None
        cover: list[int] = []
        for part in parts:
            cliques = self._cover_connected(part)
            if cliques is None:
                return None
            cover += cliques
        return cover

    def _possible(self, part: int) -> bool:
        """Whether the bounds leave hope for a connected set."""
        if part in self._failed or part.bit_count() < self._k:
            return False
        if any((self._adjacent[i] & part).bit_count() < self._k for i in _members(part)):
            return False
        # Corollary 4.1 holds for partitions where no sensitive null counts
        everybody = [self._records[i] for i in _members(part)]
        return self._diversity is None or not self._diversity.rules_out(everybody)

    def _cover_connected(self, part: int) -> list[int] | None:
        # the record with the fewest ways out comes first
        pivot = min(_members(part), key=lambda i: (self._adjacent[i] & part).bit_count())
        # a clique of 2k or more is two cliques; with an SD to keep it may have to stay whole
        most = part.bit_count() if self._diversity is not None else 2 * self._k - 1
        for clique in self._cliques(1 << pivot, self._adjacent[pivot] & part & ~(1 << pivot), most):
            others = self.cover(part & ~clique) if self.diverse(clique) else None
            if others is not None:
                return [clique, *others]
        self._failed.add(part)
        return None

    def _cliques(self, clique: int, candidates: int, most: int) -> Iterator[int]:
        """Give the cliques of k..most records: ``clique`` and some of ``candidates``,
        largest first.
        """
        self.steps += 1
        if self.steps > self._most_steps:
            raise _OutOfStepsError
        size = clique.bit_count()
        if size + candidates.bit_count() < self._k:
            return
        if size < most:
            left, tried = candidates, set()
            while left:
                bit = left & -left
                i = bit.bit_length() - 1
                left ^= bit
                if self._twin[i] in tried:
                    continue
                tried.add(self._twin[i])
                yield from self._cliques(clique | bit, left & self._adjacent[i], most)
        if size >= self._k:
            yield clique


def _members(records: int) -> list[int]:
    """Return the bits that are set, ascending."""
    members = []
    while records:
        low = records & -records
        members.append(low.bit_length() - 1)
        records ^= low
    return members


def _dense_codes(table: RatingTable, positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return codes, int64 (m, n_issues), on the issues that any of the records rates; -1:
    not rated.
    """
    width = table.indptr[positions + 1] - table.indptr[positions]
    entries = np.repeat(table.indptr[positions] - np.cumsum(width) + width, width) + np.arange(
        width.sum()
    )
    issues, column = np.unique(table.indices[entries], return_inverse=True)
    codes = np.full((len(positions), len(issues)), -1, dtype=np.int64)
    codes[np.repeat(np.arange(len(positions)), width), column] = table.codes[entries]
    return codes


class Adjacency:
    """Compares a few records of a table at a time.

    What does not depend on the records is done once.
    """

    def __init__(self, table: RatingTable, epsilon: float, nulls: str) -> None:
        self._table = table = comparison_table(table, epsilon, nulls)
        self._lo, self._hi = near_codes(table, epsilon)
        self._class = equal_classes(table.quasi)
        self._separates = null_separates(table.scale, epsilon, nulls)

    def matrix(self, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether records ``positions[i]`` and ``positions[j]`` are ε-proximate,
        bool (m, m).
        """
        codes = _dense_codes(self._table, positions)
        rated, m = codes >= 0, len(positions)
        alike = np.ones((m, m), dtype=bool)  # on the quasi-identifiers that are classes
        if self._class is not None:
            alike = np.equal.outer(self._class[positions], self._class[positions])
        if len(self._lo) == 0:
            return alike
        low, high = self._lo[np.where(rated, codes, 0)], self._hi[np.where(rated, codes, 0)]
        adjacent = np.empty((m, m), dtype=bool)
        rows = max(1, _CELLS // max(codes.size, 1))
        for first in range(0, m, rows):
            block = slice(first, first + rows)
            # a rating and a null part two records where nulls separate; two nulls never do
            within = (codes[None] >= low[block, None]) & (codes[None] <= high[block, None])
            both = rated[None] & rated[block, None]
            proximate = np.where(
                both, within, (rated[None] == rated[block, None]) | (not self._separates)
            )
            adjacent[block] = proximate.all(axis=2)
        return adjacent & alike


class Diversity:
    """Answers SD ≥ l for one set of records after another, exactly,
    as the decimals they print as.
    """

    def __init__(
        self,
        columns: Sequence[SensitiveColumn],
        l: float,  # noqa: E741
        rule: str,
    ) -> None:
        self._square = Fraction(Decimal(repr(checks.sd_bound("l", l)))) ** 2
        self._rule = rule
        self._columns = [(column, measure(column)) for column in columns]
        self._profiles: dict[int, tuple[int | Fraction | None, ...]] = {}

    def profile(self, record: int) -> tuple[int | Fraction | None, ...]:
        """Return what the record answered, None for a null.

        Those with one profile can change places.

        A column on a decimal grid is added up in whole numbers of it, others in fractions.
        """
        if record not in self._profiles:
            self._profiles[record] = tuple(
                None
                if not column.present[record]
                else int(numbers.numbers[record]) + int(numbers.shift)
                if numbers.exact
                else Fraction(Decimal(repr(float(column.values[record]))))
                for column, numbers in self._columns
            )
        return self._profiles[record]

    def holds(self, records: Sequence[int]) -> bool:
        """Return whether every SD is at least l."""
        return not any(self._short(records, self._rule, nulls_count=True))

    def rules_out(self, records: Sequence[int]) -> bool:
        """Whether no partition of these records can have every SD at least l [SWLZ11, Cor. 4.1].

        By the law of total variance, which needs that no sensitive null counts.
        """
        return any(self._short(records, "ignore", nulls_count=self._rule == "ignore"))

    def _short(self, records: Sequence[int], rule: str, *, nulls_count: bool) -> Iterator[bool]:
        """Yield of each column whether its SD is below l.

        Of those with nulls only if ``nulls_count``.
        """
        answers = zip(*map(self.profile, records), strict=True)
        for (_, numbers), column in zip(self._columns, answers, strict=True):
            present = [number for number in column if number is not None]
            if present and (nulls_count or len(present) == len(column)):
                yield _variance(present, len(column), rule) < self._square * 100**numbers.decimals


def _variance(numbers: Sequence[int | Fraction], size: int, rule: str) -> Fraction:
    """Return SD² of a set of ``size`` records of which some answered
    ``numbers`` [SWLZ11, Eq. 3].
    """
    count, total, squares = len(numbers), sum(numbers), sum(number * number for number in numbers)
    if rule == "ignore":
        return Fraction(count * squares - total**2) / count**2
    # a null adds mean²: Q²·S2 + (g - 2Q)·S1², over g·Q²
    return Fraction(count**2 * squares + (size - 2 * count) * total**2) / (count**2 * size)
