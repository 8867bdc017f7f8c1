"""Many ε by one look at every pair, for ratings with many distances; exact [SWLZ11, Def. 4.1-4.3].

A pass of the engine answers one ε. Where hundreds or millions matter, the distance of every pair is worked
out once instead, O(n² p) and never stored: pairs are added up by the ε that are asked for
(:meth:`Sweep.neighbourhoods`), or each record's neighbours are added in the order of their distances
(:meth:`Sweep.failing`). Equal records are one row with a weight, and where a null separates, only the rows of
a Hamming group meet.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.frontier._sweep import Held, Rows, Segments, scan_edges, sweep
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.result import FrontierParameters
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.amounts import Measured, measure
from ratingpriv.proximity.fixed_rules import allowed_codes
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.neighbourhoods import Neighbourhoods

COMPARISONS = 100_000_000_000
"""So many ratings are compared, about a minute's work, to show rows; beyond it, each is an engine pass."""

_MEMORY = 1 << 30  # bytes that working arrays may take where nothing is said
_LAID_OUT = 32  # bytes that a rating takes while it is laid out as float64
_GUIDE = 1 << 12
_BUCKETS = 128
_SEGMENTS = 1 << 16  # that a task may find before it stops to hand them over
_PAIR = 8  # what a pair costs beside its ratings, in ratings
_WORTH = 16  # from so many distances on one look at all pairs costs less than a pass of the engine for each
_TASK = 1 << 26  # comparisons of a task

type _Floats = NDArray[np.float64]
type _Ints = NDArray[np.int64]


class Failing:
    """Distances of [low, high) at which some record misses k or l, as disjoint [start, end), ascending."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self._starts = self._ends = np.empty(0)

    def add(self, starts: _Floats, ends: _Floats) -> None:
        """Add intervals, in any order, that may overlap."""
        starts, ends = np.concatenate((self._starts, starts)), np.concatenate((self._ends, ends))
        order = np.argsort(starts, kind="stable")
        starts, reached = starts[order], np.maximum.accumulate(ends[order])
        first: _Ints = np.flatnonzero(np.append(np.ones(len(starts[:1]), bool), starts[1:] > reached[:-1]))
        self._starts = starts[first]
        self._ends = reached[np.append(first[1:], len(starts))[: len(first)] - 1]

    def left(self) -> tuple[float, float]:
        """Return from where to where it may still hold, [low, high); the same twice where nowhere."""
        low, high = self.low, self.high
        if len(self._starts):
            low = float(self._ends[0]) if self._starts[0] <= low else low
            high = float(self._starts[-1]) if self._ends[-1] >= high else high
        return (low, high) if low < high else (low, low)

    def changes(self) -> list[tuple[float, bool]]:
        """Return (from which distance on, whether it holds), ascending from ``low``, up to ``high``."""
        found = {self.low: True}
        for start, end in zip(self._starts.tolist(), self._ends.tolist(), strict=True):
            found[start] = False
            if end < self.high:
                found[end] = True
        return sorted(found.items())


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows ``first`` to ``last`` (not included) of a form, which are compared with each other."""

    first: int
    last: int
    rows: Rows

    @property
    def cost(self) -> int:
        """What comparing one row with all costs, in comparisons."""
        return (self.last - self.first) * (len(self.rows.rated) + len(self.rows.fixed) + _PAIR)


@dataclass(frozen=True, slots=True)
class _Amounts:
    """Sensitive columns, all exact or none, and what the records of each row have of them."""

    columns: tuple[Measured, ...]
    held: Held

    def of(self, group: _Group) -> Held:
        return Held(*(one[:, group.first : group.last] for one in self.held))

    def moments(self, held: Held, chosen: _Ints) -> list[SensitiveMoments]:
        """Return some of the neighbourhoods as moments, one a column."""
        known, sums, squares = (one[:, chosen] for one in held)
        return [
            SensitiveMoments(column.name, known[c], sums[c], squares[c], column.shift, column.decimals)
            for c, column in enumerate(self.columns)
        ]


@dataclass(frozen=True, slots=True)
class _Form:
    """The table as it is compared on one side of r; ``groups``: those of two rows and more."""

    row_of: _Ints
    weight: _Ints
    groups: list[_Group]
    kinds: tuple[_Amounts, ...]


class Sweep:
    """Looks at all pairs of a table."""

    def __init__(
        self, table: RatingTable, parameters: FrontierParameters, candidates: Candidates, resources: Resources
    ) -> None:
        self._table, self._parameters, self._candidates = table, parameters, candidates
        self._k = 1 if parameters.k is None else parameters.k
        self._l = 0.0 if parameters.l is None else parameters.l
        self._resources = resources
        self._memory = _MEMORY if resources.memory is None else resources.memory
        self._columns = [measure(column) for column in table.numeric_sensitive]
        self._forms: dict[bool, _Form | None] = {}

    def neighbourhoods(self, epsilons: Sequence[float]) -> Iterator[Neighbourhoods] | None:
        """Return the neighbourhoods at each of ``epsilons``, ascending; None where that is no gain."""
        if len(epsilons) < _WORTH:
            return None
        passes: list[tuple[_Form, list[float]]] = []
        for side in (True, False):
            some = [epsilon for epsilon in epsilons if self._separates(epsilon) is side]
            form = self._form(side) if some else None
            cost = 0 if form is None else sum(one.cost * (one.last - one.first) for one in form.groups)
            if form is not None and cost <= COMPARISONS:
                each = 8 * len(form.weight) * (1 + 3 * len(self._columns))
                batch = max(1, self._memory // (2 * each))
                passes += [(form, some[first : first + batch]) for first in range(0, len(some), batch)]
            elif some:
                return None
        return itertools.chain.from_iterable(self._at(form, some) for form, some in passes)

    def changes(self, start: float, rule: str) -> list[tuple[float, bool]] | None:
        """Return for every ε from ``start`` to below the top whether all records have k and l, as changes.

        A change is (the candidate from which on it is so, whether they do). None where there is no room.
        """
        r, top = self._candidates.r, self._candidates.top
        ends = [start, *([r] if r is not None and start < r < top else ()), *([top] if start < top else ())]
        everybody, changes = np.arange(self._table.n_records), []
        for low, high in itertools.pairwise(ends):
            part = self.failing(low, high, everybody, rule)
            if part is None:
                return None
            changes += part
        return changes

    def failing(self, low: float, high: float, records: _Ints, rule: str) -> list[tuple[float, bool]] | None:
        """Return the changes of ``records`` from ``low`` to below ``high``, between which r does not lie."""
        form = self._form(self._separates(low))
        if form is None:
            return None
        reach = self._candidates.reach(low)
        failing = Failing(reach, np.nextafter(self._candidates.reach_below(high), np.inf))
        for amounts in form.kinds:
            self._look(form, amounts, np.unique(form.row_of[records]), rule, failing)
        return [(low if at == reach else self._candidates.value(at), good) for at, good in failing.changes()]

    def meets(self, sizes: _Ints, moments: Sequence[SensitiveMoments], rule: str) -> NDArray[np.bool_]:
        """Return which neighbourhoods have k and, in every issue of ``moments``, l; bool (n,)."""
        meets = sizes >= self._k
        for one in moments:
            meets &= one.at_least(self._l, sizes, rule)
        return meets

    # ---- how the table is compared ----

    def _separates(self, epsilon: float) -> bool:
        """Return whether a null keeps records apart at ``epsilon``: only Hamming groups are compared."""
        return self._parameters.nulls == "strict" and not self._candidates.null_reached(epsilon)

    def _form(self, separates: bool) -> _Form | None:
        """Return the rows as they are compared; None where there is no room, or numbers are too long."""
        if separates not in self._forms:
            self._forms[separates] = self._laid_out(separates)
        return self._forms[separates]

    def _laid_out(self, separates: bool) -> _Form | None:
        table, numbers = self._table, self._candidates.numbers()
        n, more = table.n_records, 3 * len(table.quasi) * table.n_records
        if numbers is None or (table.n_ratings + more) * _LAID_OUT > self._memory:
            return None
        if separates:
            grouping = hamming_groups(table, threads=self._resources.threads)
            order, starts = grouping.order, grouping.starts
        elif (n * table.n_issues + more) * _LAID_OUT > self._memory:
            return None
        else:
            order, starts = np.arange(n), np.array([0, n])
        matches = self._parameters.nulls == "wildcard"
        own = np.stack([column.codes for column in table.quasi]).astype(np.int64) if table.quasi else None
        allowed = [allowed_codes(column) for column in table.quasi]
        row_of, groups, rows = np.empty(n, dtype=np.int64), [], 0
        for first, last in itertools.pairwise(starts.tolist()):
            members = order[first:last]
            if len(members) == 1:
                row_of[members], rows = rows, rows + 1
                continue
            if separates:  # they rate the same issues
                width = int(table.indptr[members[0] + 1] - table.indptr[members[0]])
                rated = numbers[table.codes[table.indptr[members] + np.arange(width)[:, None]]]
            else:
                rated = np.full((table.n_issues, n), np.nan)
                record = np.repeat(np.arange(n), np.diff(table.indptr))
                rated[table.indices, record] = numbers[table.codes]
            fixed = np.empty((0, len(members)), dtype=np.int64) if own is None else own[:, members]
            distinct, inverse = _distinct(rated, fixed)
            row_of[members] = rows + inverse
            if len(distinct) > 1:
                fixed = fixed[:, distinct]
                low = np.full(fixed.shape, -1)  # of a null: from a null to any code, or to nulls alone
                high = np.full(fixed.shape, np.iinfo(np.int64).max if matches else -1)
                for j, (lows, highs) in enumerate(allowed):
                    known = fixed[j] >= 0
                    low[j, known], high[j, known] = lows[fixed[j, known]], highs[fixed[j, known]]
                rated, weight = np.ascontiguousarray(rated[:, distinct]), np.bincount(inverse)
                groups.append(
                    _Group(rows, rows + len(distinct), Rows(rated, fixed, low, high, matches, weight))
                )
            rows += len(distinct)
        amounts = []
        for exact in (True, False):
            columns = tuple(column for column in self._columns if column.exact is exact)
            if columns or (exact and not self._columns):
                three = np.zeros((3, len(columns), rows), dtype=np.int64 if exact else np.float64)
                for c, column in enumerate(columns):
                    for at, values in enumerate((column.present, column.numbers, column.numbers**2)):
                        np.add.at(three[at, c], row_of, values.astype(three.dtype))
                amounts.append(_Amounts(columns, Held(three[0].astype(np.int64), three[1], three[2])))
        return _Form(row_of, np.bincount(row_of, minlength=rows), groups, tuple(amounts))

    # ---- many distances at once ----

    def _at(self, form: _Form, epsilons: Sequence[float]) -> Iterator[Neighbourhoods]:
        """Yield the neighbourhoods at a few distances, by one look at all pairs."""
        edges, position = np.unique(
            [self._candidates.reach(epsilon) for epsilon in epsilons], return_inverse=True
        )
        span = float(edges[-1] - edges[0])
        scale = _GUIDE / span if span > 0 and _GUIDE / span < 1e300 else 0.0
        cells = np.minimum(((edges - edges[0]) * scale).astype(np.int64), _GUIDE - 1)
        guide = np.searchsorted(cells, np.arange(_GUIDE), side="left")
        n, width = len(form.weight), len(edges)
        sizes = np.empty((n, width), dtype=np.int64)
        moments: dict[str, tuple[NDArray[Any], ...]] = {}

        def piece(group: _Group, held: Held, near: Held, first: int, last: int) -> Callable[[int], None]:
            here = slice(group.first, group.last)
            written = sizes[here], Held(*(array[here] for array in near))
            looked = group.rows, held, first, last, edges, guide, scale
            return lambda _: scan_edges(*looked, np.empty(group.last - group.first), *written)

        for amounts in form.kinds:
            shape = (n, len(amounts.columns), width)
            sizes[:] = form.weight[:, None]  # what is equal; rows that are compared begin with nothing
            near = Held(
                *(np.repeat(array.T[:, :, None], width, axis=2).reshape(shape) for array in amounts.held)
            )
            for group in form.groups:
                for counts in (sizes, *near):
                    counts[group.first : group.last] = 0
            tasks = [
                ((last - first) * group.cost, piece(group, amounts.of(group), near, first, last))
                for group in form.groups
                for first, last in _pieces(group.last - group.first, group.cost)
            ]
            self._run("scanning distances", tasks)
            moments |= {
                column.name: tuple(array[:, c] for array in near) for c, column in enumerate(amounts.columns)
            }
        for e, epsilon in zip(position.tolist(), epsilons, strict=True):
            columns = []
            for column in self._columns:
                known, sums, squares = (array[form.row_of, e] for array in moments[column.name])
                columns.append(
                    SensitiveMoments(column.name, known, sums, squares, column.shift, column.decimals)
                )
            yield Neighbourhoods(
                epsilon, self._parameters.nulls, "slicing", sizes[form.row_of, e], tuple(columns)
            )

    def _run(self, what: str, tasks: list[tuple[int, Callable[[int], None]]]) -> None:
        run = Run(self._resources.threads, self._resources.progress, what)
        run.total = sum(units for units, _ in tasks)
        run(tasks)

    # ---- every distance of an interval ----

    def _look(self, form: _Form, amounts: _Amounts, rows: _Ints, rule: str, failing: Failing) -> None:
        """Add to ``failing`` where the neighbourhoods of ``rows`` miss k or, in these columns, l."""
        lock = threading.Lock()
        needed = np.array([(self._l * 10.0**column.decimals) ** 2 for column in amounts.columns])
        shift = np.array([float(column.shift) for column in amounts.columns])
        issues, kind = len(amounts.columns), amounts.held.sums.dtype

        def piece(group: _Group, queries: _Ints) -> Callable[[int], None]:
            held, most = amounts.of(group), group.last - group.first + 1  # segments of one query

            def task(_: int) -> None:
                left = queries
                while len(left):
                    with lock:
                        low, high = failing.left()
                    if low == high:
                        return
                    room = most + min(_SEGMENTS, most * len(left))
                    starts, ends, doubtful = np.empty(room), np.empty(room), np.empty(room, dtype=np.bool_)
                    near = Held(*(np.empty((issues, room), dtype=one) for one in (np.int64, kind, kind)))
                    out = Segments(starts, ends, doubtful, np.empty(room, dtype=np.int64), near)
                    asked = (left, needed, shift, self._k, rule == "paper", low, high, _BUCKETS)
                    done, count = sweep(group.rows, held, *asked, out)
                    fails = ~out.doubtful[:count]
                    open_ = np.flatnonzero(~fails)
                    if len(open_):
                        moments = amounts.moments(near, open_)
                        fails[open_] = ~self.meets(out.size[open_], moments, rule)
                    left = left[done:]
                    with lock:
                        failing.add(starts[:count][fails], ends[:count][fails])

            return task

        tasks = []
        for group in form.groups:
            here = slice(*np.searchsorted(rows, (group.first, group.last)))
            for first, last in _pieces(len(rows[here]), group.cost):
                queries = rows[here][first:last] - group.first
                tasks.append(((last - first) * group.cost, piece(group, queries)))
        self._run("deciding every distance", tasks)
        # rows that are compared with no other: what they have holds, or fails, at every distance
        alone = np.ones(len(form.weight), dtype=np.bool_)
        for group in form.groups:
            alone[group.first : group.last] = False
        rows = rows[alone[rows]]
        if not self.meets(form.weight[rows], amounts.moments(amounts.held, rows), rule).all():
            failing.add(np.array([failing.low]), np.array([failing.high]))


def _distinct(rated: _Floats, fixed: _Ints) -> tuple[_Ints, _Ints]:
    """Return (a column of each kind, which kind each column is of): columns that are equal bit by bit."""
    both = np.ascontiguousarray(np.concatenate((rated, fixed.astype(np.float64))).T)
    if both.shape[1] == 0:
        return np.zeros(1, dtype=np.int64), np.zeros(len(both), dtype=np.int64)
    keys = both.view(np.dtype((np.void, both.itemsize * both.shape[1]))).ravel()
    _, place, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return place, inverse


def _pieces(queries: int, cost: int) -> Iterator[tuple[int, int]]:
    """Yield 0..queries in ranges, each a task of some tenths of a second."""
    step = max(1, _TASK // cost)
    return ((first, min(first + step, queries)) for first in range(0, queries, step))
