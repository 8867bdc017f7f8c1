"""Loops over the distances of pairs: many ε at once, and every ε of an interval. Arrays in, arrays out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled, kernel, part

type Floats = NDArray[np.float64]
type Ints = NDArray[np.int64]


class Rows(NamedTuple):
    """Rows that are compared with each other, each of one record or of several that are equal."""

    rated: Floats  # (issues, rows), NaN where null
    fixed: Ints  # (columns, rows): codes of quasi-identifiers, and those that are proximate to each
    low_code: Ints
    high_code: Ints
    matches: bool  # a null of these matches anything
    weight: Ints  # (rows,) how many records a row stands for


class Held(NamedTuple):
    """What the records of rows, or neighbourhoods, have of the sensitive issues; (issues, rows)."""

    known: Ints
    sums: NDArray[Any]
    squares: NDArray[Any]


class Segments(NamedTuple):
    """From when to just before when a query fails, or where float64 cannot tell: with the neighbourhood."""

    starts: Floats
    ends: Floats
    doubtful: NDArray[np.bool_]  # whether float64 cannot tell, else it is sure to fail
    size: Ints
    held: Held


_SURE = 1e-9
"""Of the terms that cancel: squares (sum² / known is no more) and the shift's. Float64 loses far less."""


@part
def _fill(rows: Rows, t: int, far: Floats) -> None:
    """Write the distance of row ``t`` and every row; inf where a quasi-identifier keeps them apart."""
    rated, fixed = rows.rated, rows.fixed
    for u in range(len(far)):
        far[u] = 0.0
    for j in range(len(rated)):
        own = rated[j, t]
        if own == own:
            for u in range(len(far)):
                apart = abs(rated[j, u] - own)
                if apart > far[u]:  # never of a null
                    far[u] = apart
    for j in range(len(fixed)):
        low, high = rows.low_code[j, t], rows.high_code[j, t]
        for u in range(len(far)):
            code = fixed[j, u]
            if not (low <= code <= high or (rows.matches and code < 0)):
                far[u] = np.inf


@kernel
def scan_edges(
    rows: Rows, held: Held, first: int, last: int, edges: Floats, guide: Ints, scale: float, far: Floats,
    sizes: Ints, near: Held,
) -> None:  # fmt: skip
    """Add up the rows within each of ``edges`` (ascending) of rows ``first`` to ``last`` (not included).

    ``guide[(d - edges[0]) * scale]`` is at most the position of the first edge >= d. Written: ``sizes``
    (rows, edges), and ``near`` (rows, issues, edges), zero before.
    """
    weight, known, sums, squares = rows.weight, held.known, held.sums, held.squares
    cells, width = len(guide), len(edges)
    for t in range(first, last):
        _fill(rows, t, far)
        for u in range(len(far)):
            d = far[u]
            if d > edges[width - 1]:
                continue
            e = 0
            if d > edges[0]:
                e = guide[int(min((d - edges[0]) * scale, cells - 1.0))]
                while edges[e] < d:
                    e += 1
            sizes[t, e] += weight[u]
            for c in range(len(known)):
                near.known[t, c, e] += known[c, u]
                near.sums[t, c, e] += sums[c, u]
                near.squares[t, c, e] += squares[c, u]
        for e in range(1, width):
            sizes[t, e] += sizes[t, e - 1]
            for c in range(len(known)):
                near.known[t, c, e] += near.known[t, c, e - 1]
                near.sums[t, c, e] += near.sums[t, c, e - 1]
                near.squares[t, c, e] += near.squares[t, c, e - 1]


@part
def _holds(size: int, known: int, total: Any, squares: Any, needed: float, shift: float, paper: bool) -> int:
    """Return whether a neighbourhood's SD² is at least ``needed``: 1, 0, or -1 where float64 cannot tell.

    The formulas of :class:`ratingpriv.proximity.moments.SensitiveMoments`.
    """
    if known == 0:
        return 1
    mean = total / np.float64(known)
    spread = squares - total * mean
    found = (spread + (size - known) * (mean + shift) ** 2) / size if paper else spread / known
    blur = _SURE * (squares / known + shift * shift)
    if found >= needed + blur:
        return 1
    return 0 if found < needed - blur else -1


@part
def _bounded(
    size: int, known: int, total: Any, squares: Any, most: int, most_known: int, needed: float, shift: float,
    paper: bool,
) -> bool:  # fmt: skip
    """Return whether it is sure that SD² stays at least ``needed`` until there are ``most`` records.

    The sum of squared deviations only grows, and so does what it is divided by; a null only adds to it.
    """
    if known == 0:  # any l is met until something is known
        return most_known == 0
    mean = total / np.float64(known)
    spread = squares - total * mean - _SURE * squares
    divided: float = spread / most if paper else spread / most_known
    return divided >= needed + _SURE * (needed + shift * shift)


@compiled(error_model="numpy")
def sweep(
    table: Rows, held: Held, queries: Ints, needed: Floats, shift: Floats, k: int, paper: bool, low: float,
    high: float, most_buckets: int, out: Segments,
) -> tuple[int, int]:  # fmt: skip
    """Write for which ε, ``low`` <= ε < ``high``, the neighbourhood of a query row misses k or an SD.

    Pairs are put into buckets by distance, ``most_buckets`` where they are more than four times as many.
    Where the bounds of a bucket do not show that all neighbourhoods in it will do, its pairs are sorted and
    added one distance at a time. ``needed`` and ``shift`` are l² and the shift in steps of each issue's grid;
    ``paper``: by that rule for sensitive nulls, else by ``ignore``. Returns (how many queries are done, how
    many segments are written): not all are where segments are no more free.
    """
    # k = 2, ε from 0 to 1, a record with others at 0.3 and 0.7:
    #   0 <= ε < 0.3: it is alone, the segment from 0 to 0.3 is written
    #   0.3 <= ε: two records, and three from 0.7 on: nothing is written
    weight, known, sums, squares = table.weight, held.known, held.sums, held.squares
    starts, ends, doubtful = out.starts, out.ends, out.doubtful
    rows, issues = len(weight), len(known)
    far = np.empty(rows, dtype=np.float64)
    near, bucket_of = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    sorted_far = np.empty(rows, dtype=np.float64)
    sizes = np.empty(most_buckets, dtype=np.int64)
    knowns = np.empty((most_buckets, issues), dtype=np.int64)
    totals, powers = (
        np.empty((most_buckets, issues), sums.dtype),
        np.empty((most_buckets, issues), sums.dtype),
    )
    is_open = np.empty(most_buckets, dtype=np.bool_)
    now_known = np.empty(issues, dtype=np.int64)
    now_sums, now_squares = np.empty(issues, sums.dtype), np.empty(issues, sums.dtype)
    base_known = np.empty(issues, dtype=np.int64)
    base_sums, base_squares = np.empty(issues, sums.dtype), np.empty(issues, sums.dtype)
    count = 0
    for q in range(len(queries)):
        if count + rows + 1 > len(starts):
            return q, count
        t = queries[q]
        _fill(table, t, far)
        # who is near at ``low`` already, and who comes nearer than ``high``: an event each
        size, events = 0, 0
        base_known[:] = 0
        base_sums[:] = 0
        base_squares[:] = 0
        for u in range(rows):
            if far[u] <= low:
                size += weight[u]
                for c in range(issues):
                    base_known[c] += known[c, u]
                    base_sums[c] += sums[c, u]
                    base_squares[c] += squares[c, u]
            elif far[u] < high:
                near[events] = u
                events += 1
        many = events > 4 * most_buckets
        buckets = most_buckets if many else 1
        scale = buckets / (high - low)  # inf where they are that near: all go into the last bucket
        # what each bucket of distances adds
        sizes[:] = 0
        knowns[:] = 0
        totals[:] = 0
        powers[:] = 0
        for i in range(events):
            u = near[i]
            b = int(min((far[u] - low) * scale, buckets - 1.0))
            bucket_of[i] = b
            sizes[b] += weight[u]
            for c in range(issues):
                knowns[b, c] += known[c, u]
                totals[b, c] += sums[c, u]
                powers[b, c] += squares[c, u]
        # a bucket is open unless the bounds show that k and the SDs hold all through it
        base = size
        now_known[:] = base_known
        now_sums[:] = base_sums
        now_squares[:] = base_squares
        for b in range(buckets):
            sure = size >= k
            for c in range(issues):
                if not _bounded(
                    size, now_known[c], now_sums[c], now_squares[c], size + sizes[b],
                    now_known[c] + knowns[b, c], needed[c], shift[c], paper,
                ):  # fmt: skip
                    sure = False
                now_known[c] += knowns[b, c]
                now_sums[c] += totals[b, c]
                now_squares[c] += powers[b, c]
            size += sizes[b]
            is_open[b] = not sure
        # only events of open buckets are sorted
        left = 0
        for i in range(events):
            if is_open[bucket_of[i]]:
                near[left], bucket_of[left], sorted_far[left] = near[i], bucket_of[i], far[near[i]]
                left += 1
        order = np.argsort(sorted_far[:left])
        # the neighbourhood as it grows; `proved`: that it will do has been shown by the bounds already
        size, proved, since, position, start = base, False, low, 0, count
        now_known[:] = base_known
        now_sums[:] = base_sums
        now_squares[:] = base_squares
        for b in range(buckets + 1):
            if b < buckets and not is_open[b]:
                size += sizes[b]
                for c in range(issues):
                    now_known[c] += knowns[b, c]
                    now_sums[c] += totals[b, c]
                    now_squares[c] += powers[b, c]
                proved = True
                continue
            while True:
                at_end = b == buckets
                if not at_end and (position == left or bucket_of[order[position]] != b):
                    break
                until = high if at_end else sorted_far[order[position]]
                if not proved:
                    verdict = 1 if size >= k else 0
                    for c in range(issues):
                        if verdict != 0:
                            holds = _holds(
                                size, now_known[c], now_sums[c], now_squares[c], needed[c], shift[c], paper
                            )
                            if holds < verdict:
                                verdict = holds
                    if (
                        verdict == 0
                        and count > start
                        and not doubtful[count - 1]
                        and ends[count - 1] == since
                    ):
                        ends[count - 1] = until
                    elif verdict != 1:
                        starts[count], ends[count] = since, until
                        doubtful[count] = verdict != 0
                        out.size[count] = size
                        for c in range(issues):
                            out.held.known[c, count] = now_known[c]
                            out.held.sums[c, count] = now_sums[c]
                            out.held.squares[c, count] = now_squares[c]
                        count += 1
                if at_end:
                    break
                while position < left and sorted_far[order[position]] == until:
                    u = near[order[position]]
                    size += weight[u]
                    for c in range(issues):
                        now_known[c] += known[c, u]
                        now_sums[c] += sums[c, u]
                        now_squares[c] += squares[c, u]
                    position += 1
                proved, since = False, until
    return len(queries), count
