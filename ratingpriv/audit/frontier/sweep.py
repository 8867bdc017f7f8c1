"""Many ε by one look at every pair, for ratings with many distances; exact [SWLZ11, Def. 4.1-4.3].

A pass of the engine answers one ε. Where hundreds or millions matter, the distances of a record to
all others are sorted instead, O(n² (p + log n)) in all and never stored: its neighbours are added
up in that order, and each place in it is a neighbourhood, from its distance to the next. Equal
records are one row with a weight, and where a null separates, only the rows of a Hamming group
meet.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.result import FrontierParameters
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.amounts import measure
from ratingpriv.proximity.arrays import CHUNK
from ratingpriv.proximity.classes import identical_rows
from ratingpriv.proximity.fixed_rules import allowed_codes, with_own_issues
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.join import Limits
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.neighbourhoods import Neighbourhoods

_MEMORY = 1 << 30  # bytes that working arrays may take where nothing is said
_LAID_OUT = 32  # bytes that a rating takes while it is laid out as float64
# Costs in comparisons of two ratings, about a nanosecond each (measured on 300 to 19,719 records of
# 3 to 50 issues, whole numbers and real ones).
_PAIR = 8  # what a pair costs beside its ratings
_RATING = 8  # what laying out a rating costs a pass of the engine
_VISIT = 32  # what a pass pays for a query at a chunk of members
_VERIFIED = 1 / 6  # of all pairs: those that a pass verifies where it bins the levels
# a look that costs no more comes first, as kernels may be plain Python on so little
_GLANCE = 4_000_000
_BATCH = 1 << 15  # pairs that are looked at together
_SURE = 1e-9  # of the terms that cancel in an SD²: float64 loses far less

type _Floats = NDArray[np.float64]
type _Ints = NDArray[np.int64]
type _Held = list[tuple[_Ints, NDArray[Any], NDArray[Any]]]
"""What rows, or neighbourhoods, have of each sensitive column: how many are known, their sums,
squares.
"""


class Failing:
    """Distances of [low, high) at which some record misses k or l, as disjoint [start,
    end), ascending.
    """

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self._starts = self._ends = np.empty(0)

    def add(self, starts: _Floats, ends: _Floats) -> None:
        """Add intervals, in any order, that may overlap."""
        starts, ends = np.concatenate((self._starts, starts)), np.concatenate((self._ends, ends))
        order = np.argsort(starts, kind="stable")
        starts, reached = starts[order], np.maximum.accumulate(ends[order])
        first: _Ints = np.flatnonzero(
            np.append(np.ones(len(starts[:1]), bool), starts[1:] > reached[:-1])
        )
        self._starts = starts[first]
        self._ends = reached[np.append(first[1:], len(starts))[: len(first)] - 1]

    def left(self) -> tuple[float, float]:
        """Return from where to where it may still hold, [low, high).

        The same twice where nowhere.
        """
        low, high = self.low, self.high
        if len(self._starts):
            low = float(self._ends[0]) if self._starts[0] <= low else low
            high = float(self._starts[-1]) if self._ends[-1] >= high else high
        return (low, high) if low < high else (low, low)

    def changes(self) -> list[tuple[float, bool]]:
        """Return (from which distance on, whether it holds), ascending from ``low``,
        up to ``high``.
        """
        state_at = {self.low: True}
        for start, end in zip(self._starts.tolist(), self._ends.tolist(), strict=True):
            state_at[start] = False
            if end < self.high:
                state_at[end] = True
        return sorted(state_at.items())


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows ``first`` to ``last`` (not included) of a form, which are compared with each other."""

    first: int
    last: int
    rated: _Floats  # (issues, rows), NaN where null
    # (columns, rows): codes of quasi-identifiers, and those that are proximate to each
    fixed: _Ints
    low: _Ints
    high: _Ints

    def distances(self, rows: _Ints, *, matches: bool) -> _Floats:
        """Return those of some rows to all, (some, rows):
        inf where a quasi-identifier keeps them apart.

        ``matches`` : whether a null of these matches anything.
        """
        far = np.zeros((len(rows), self.last - self.first))
        for rated in self.rated:
            apart = np.abs(rated - rated[rows, None])
            # the first skips nulls
            (np.fmax if np.isnan(rated).any() else np.maximum)(far, apart, out=far)
        for codes, low, high in zip(self.fixed, self.low, self.high, strict=True):
            near = (low[rows, None] <= codes) & (codes <= high[rows, None])
            far[~(near | (codes < 0) if matches else near)] = np.inf
        return far


@dataclass(frozen=True, slots=True)
class _Form:
    """The table as it is compared on one side of r.

    ``groups`` are those of two rows and more; ``alone`` says which rows are in none of them.
    """

    row_of: _Ints  # (records,) the row of each
    weight: _Ints  # (rows,) how many records it stands for
    alone: NDArray[np.bool_]  # (rows,)
    groups: list[_Group]
    held: _Held

    @property
    def comparisons(self) -> int:
        """What a look at all pairs of its groups costs."""
        return sum(
            (g.last - g.first) ** 2 * (len(g.rated) + len(g.fixed) + _PAIR) for g in self.groups
        )

    @property
    def visits(self) -> int:
        """How many visits of a query to a chunk a pass of the engine makes, about."""
        direct, rows = Limits().direct, [group.last - group.first for group in self.groups]
        return sum(n * (max(n // 8, 1) if n <= direct else -(-n // CHUNK)) for n in rows)


class Sweep:
    """Looks at all pairs of a table."""

    def __init__(
        self,
        table: RatingTable,
        parameters: FrontierParameters,
        candidates: Candidates,
        resources: Resources,
    ) -> None:
        self._table, self._parameters, self._candidates = table, parameters, candidates
        self._k = 1 if parameters.k is None else parameters.k
        self._l = 0.0 if parameters.l is None else parameters.l
        self._resources = resources
        self._memory = _MEMORY if resources.memory is None else resources.memory
        self._columns = [measure(column) for column in table.numeric_sensitive]
        self._forms: dict[bool, _Form | None] = {}

    def neighbourhoods(self, epsilons: Sequence[float]) -> Iterator[Neighbourhoods] | None:
        """Return the neighbourhoods at each of ``epsilons``, ascending.

        None where that is no gain.
        """
        if not self.pays(epsilons):
            return None
        passes = [
            (form, some[first : first + batch])
            for form, some, batch in self._looks(epsilons)
            for first in range(0, len(some), batch)
        ]
        return itertools.chain.from_iterable(self._at(form, some) for form, some in passes)

    def pays(self, epsilons: Sequence[float]) -> bool:
        """Return whether looking at all pairs costs less than a pass
        of the engine at each of ``epsilons``.

        False where there is no room for it.
        """
        if len(epsilons) < 2:
            return False
        looks = self._looks(epsilons)
        if sum(len(some) for _, some, _ in looks) < len(epsilons):
            return False
        binned = len(self._table.levels) > Limits().bins
        sweep = by_passes = 0.0
        for form, some, batch in looks:
            look = form.comparisons
            sweep += look * -(-len(some) // batch)
            # the others are a grouping
            apart = sum(0 < epsilon < self._candidates.span for epsilon in some)
            each = (
                _RATING * self._table.n_ratings + _VISIT * form.visits + binned * _VERIFIED * look
            )
            by_passes += each * apart
        return sweep <= max(by_passes, _GLANCE)

    def _looks(self, epsilons: Sequence[float]) -> list[tuple[_Form, list[float], int]]:
        """Return each form that there is room for, its ``epsilons``,
        and how many of them a look answers.
        """
        looks = []
        for side in (True, False):
            some = [epsilon for epsilon in epsilons if self._separates(epsilon) is side]
            form = self._form(side) if some else None
            if form is not None:
                each = 8 * len(form.weight) * (1 + 3 * len(self._columns))
                looks.append((form, some, max(1, self._memory // (2 * each))))
        return looks

    def changes(self, start: float, rule: str) -> list[tuple[float, bool]] | None:
        """Return for every ε from ``start`` on whether all records have k and l, as changes.

        A change is (the candidate from which on it is so, whether they do). Nothing is said of the
        top where a null separates until then. None where there is no room.
        """
        r, top = self._candidates.r, self._candidates.top
        ends = [
            start,
            *([r] if r is not None and start < r < top else ()),
            top if r == top else math.inf,
        ]
        everybody, changes = np.arange(self._table.n_records), []
        for low, high in itertools.pairwise(sorted(set(ends))):
            part = self.failing(low, high, everybody, rule)
            if part is None:
                return None
            changes += part
        return changes

    def failing(
        self, low: float, high: float, records: _Ints, rule: str
    ) -> list[tuple[float, bool]] | None:
        """Return the changes of ``records`` from ``low`` to below ``high``,
        between which r does not lie.
        """
        # k = 2, ε from 0 to 1, a record with others at 0.3 and 0.7:
        #   0 <= ε < 0.3: it is alone, this fails
        #   0.3 <= ε: two records, and three from 0.7 on
        form = self._form(self._separates(low))
        if form is None:
            return None
        reach, lock = self._candidates.reach(low), threading.Lock()
        failing = Failing(
            reach, math.nextafter(self._candidates.reach(math.nextafter(high, 0)), math.inf)
        )

        def add(_: _Ints, far: _Floats, sizes: _Ints, held: _Held) -> None:
            with lock:
                first, last = failing.left()
            starts = np.maximum(far, first)
            ends = np.full_like(far, last)  # each neighbourhood is one up to the next distance
            np.minimum(far[:, 1:], last, out=ends[:, :-1])
            misses = self._misses(sizes, held, rule, starts < ends)
            if misses.any():
                with lock:
                    failing.add(starts[misses], ends[misses])

        rows = np.unique(form.row_of[records])
        alone = rows[form.alone[rows]]
        held = [(k[alone], s[alone], q[alone]) for k, s, q in form.held]
        if self._misses(form.weight[alone], held, rule, np.ones(len(alone), dtype=np.bool_)).any():
            # they have as much at each
            failing.add(np.array([failing.low]), np.array([failing.high]))
        self._look("deciding every distance", form, rows, add)
        return [
            (low if epsilon == reach else self._candidates.value(epsilon), good)
            for epsilon, good in failing.changes()
        ]

    def _misses(
        self, sizes: _Ints, held: _Held, rule: str, asked: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return which neighbourhoods, of those asked for,
        have fewer than k records or an SD below l.
        """
        misses = asked & (sizes < self._k)
        for column, amounts in zip(self._columns, held, strict=True):
            moments = SensitiveMoments(column.name, *amounts, column.shift, column.decimals)
            unsure = (
                asked
                & ~misses
                & ~surely_kept((self._l * 10.0**column.decimals) ** 2, moments, sizes, rule)
            )
            if unsure.any():
                n_known, sums, squares = (amount[unsure] for amount in amounts)
                moments = dataclasses.replace(moments, known=n_known, sums=sums, squares=squares)
                misses[unsure] = ~moments.at_least(self._l, sizes[unsure], rule)
        return misses

    def _at(self, form: _Form, epsilons: Sequence[float]) -> Iterator[Neighbourhoods]:
        """Yield the neighbourhoods at a few distances, by one look at all pairs."""
        reaches = np.array([self._candidates.reach(epsilon) for epsilon in epsilons])

        # rows that are alone have as much at each
        def everywhere(amount: NDArray[Any]) -> NDArray[Any]:
            return np.repeat(amount[:, None], len(reaches), axis=1)

        sizes, near = (
            everywhere(form.weight),
            [tuple(map(everywhere, amounts)) for amounts in form.held],
        )

        def keep(rows: _Ints, far: _Floats, size: _Ints, held: _Held) -> None:
            last = np.stack([np.searchsorted(row, reaches, side="right") for row in far]) - 1
            sizes[rows] = np.take_along_axis(size, last, axis=1)
            for kept_amounts, amounts in zip(near, held, strict=True):
                for array, amount in zip(kept_amounts, amounts, strict=True):
                    array[rows] = np.take_along_axis(amount, last, axis=1)

        self._look("scanning distances", form, np.arange(len(form.weight)), keep)
        for e, epsilon in enumerate(epsilons):
            moments = []
            for column, amounts in zip(self._columns, near, strict=True):
                n_known, sums, squares = (array[form.row_of, e] for array in amounts)
                moments.append(
                    SensitiveMoments(
                        column.name, n_known, sums, squares, column.shift, column.decimals
                    )
                )
            size = sizes[form.row_of, e]
            yield Neighbourhoods(epsilon, self._parameters.nulls, "slicing", size, tuple(moments))

    # ---- how the table is compared ----

    def _look(
        self,
        what: str,
        form: _Form,
        rows: _Ints,
        look: Callable[[_Ints, _Floats, _Ints, _Held], None],
    ) -> None:
        """Call ``look`` with some of ``rows``, their distances to all, ascending,
        and what is within each.

        The last of equal distances has all that is.
        """
        matches = self._parameters.nulls == "wildcard"
        # how many are within is their place
        plain = not form.held and bool((form.weight == 1).all())

        def task(group: _Group, some: _Ints, _: int) -> None:
            far = group.distances(some - group.first, matches=matches)
            if plain:
                far.sort(axis=1)
                look(some, far, np.broadcast_to(np.arange(1, far.shape[1] + 1), far.shape), [])
                return
            order = np.argsort(far, axis=1)

            def within(amount: NDArray[Any]) -> NDArray[Any]:
                return np.cumsum(amount[group.first : group.last][order], axis=1)

            sizes = within(form.weight)
            held = [
                (
                    sizes if n_known is form.weight else within(n_known),
                    within(sums),
                    within(squares),
                )
                for n_known, sums, squares in form.held
            ]
            look(some, np.take_along_axis(far, order, axis=1), sizes, held)

        tasks = []
        for group in form.groups:
            pairs = rows[slice(*np.searchsorted(rows, (group.first, group.last)))]
            step = max(1, _BATCH // (group.last - group.first))
            for first in range(0, len(pairs), step):
                some = pairs[first : first + step]
                tasks.append((len(some) * (group.last - group.first), partial(task, group, some)))
        run = Run(self._resources.threads, self._resources.progress, what)
        run.total = sum(units for units, _ in tasks)
        run(tasks)

    def _separates(self, epsilon: float) -> bool:
        """Return whether a null keeps records apart at ``epsilon``:
        only Hamming groups are compared.
        """
        r = self._candidates.r
        return self._parameters.nulls == "strict" and (r is None or epsilon < r)

    def _form(self, separates: bool) -> _Form | None:
        """Return the rows as they are compared.

        None where there is no room, or numbers are too long.
        """
        if separates not in self._forms:
            self._forms[separates] = self._laid_out(separates)
        return self._forms[separates]

    def _laid_out(self, separates: bool) -> _Form | None:
        table, numbers = self._table, self._candidates.numbers()
        n, more = table.n_records, 3 * len(table.quasi) * table.n_records
        cells = table.n_ratings if separates else n * table.n_issues
        if numbers is None or (cells + more) * _LAID_OUT > self._memory:
            return None
        grouping = hamming_groups(table, threads=self._resources.threads)
        kinds = identical_rows(with_own_issues(table), grouping.order, grouping.starts).of
        first = np.unique(kinds, return_index=True)[1]  # a record of each kind
        if separates:  # rows of a group stand together
            first = first[np.argsort(grouping.group_of[first], kind="stable")]
            starts = np.flatnonzero(np.diff(grouping.group_of[first], prepend=-1, append=-1))
        else:
            starts = np.array([0, len(first)])
        row_of = np.empty(len(first), dtype=np.int64)
        row_of[kinds[first]] = np.arange(len(first))
        row_of = row_of[kinds]
        groups, alone = [], np.ones(len(first), dtype=np.bool_)
        for start, stop in itertools.pairwise(starts.tolist()):
            if stop - start > 1:
                groups.append(self._group(start, first[start:stop], numbers, separates=separates))
                alone[start:stop] = False

        def total(values: NDArray[Any]) -> NDArray[Any]:
            sums = np.zeros(len(first), dtype=values.dtype)
            np.add.at(sums, row_of, values)
            return sums

        weight = np.bincount(row_of, minlength=len(first))
        held = [
            (
                weight if column.present.all() else total(column.present.astype(np.int64)),
                total(column.numbers),
                total(column.numbers**2),
            )
            for column in self._columns
        ]
        return _Form(row_of, weight, alone, groups, held)

    def _group(self, start: int, records: _Ints, numbers: _Floats, *, separates: bool) -> _Group:
        """Return some records, each of a row of its own, as they are compared with each other."""
        table, count, matches = self._table, len(records), self._parameters.nulls == "wildcard"
        if separates:  # they rate the same issues
            width = int(table.indptr[records[0] + 1] - table.indptr[records[0]])
            rated = numbers[table.codes[table.indptr[records] + np.arange(width)[:, None]]]
        else:
            part = table.take(records)
            rated = np.full((table.n_issues, count), np.nan)
            rated[part.indices, np.repeat(np.arange(count), np.diff(part.indptr))] = numbers[
                part.codes
            ]
        fixed = np.empty((len(table.quasi), count), dtype=np.int64)
        low = np.full(fixed.shape, -1)  # of a null: from a null to any code, or to nulls alone
        high = np.full(fixed.shape, np.iinfo(np.int64).max if matches else -1)
        for j, column in enumerate(table.quasi):
            lows, highs = allowed_codes(column)
            fixed[j] = column.codes[records]
            fixed_items = fixed[j] >= 0
            low[j, fixed_items], high[j, fixed_items] = (
                lows[fixed[j, fixed_items]],
                highs[fixed[j, fixed_items]],
            )
        return _Group(start, start + count, rated, fixed, low, high)


def surely_kept(
    needed: float, moments: SensitiveMoments, sizes: _Ints, rule: str
) -> NDArray[np.bool_]:
    """Return where float64 is sure at a glance that SD² is at least ``needed``.

    Elsewhere it may be, too.
    """
    n_known, shift = moments.known, moments.shift
    with np.errstate(divide="ignore", invalid="ignore"):  # where nothing is known it is not sure
        mean = moments.sums / n_known
        spread = moments.squares - moments.sums * mean
        paper = (spread + (sizes - n_known) * (mean + shift) ** 2) / sizes
        spread_sd = paper if rule == "paper" else spread / n_known
        return np.asarray(spread_sd >= needed + _SURE * (moments.squares / n_known + shift * shift))
