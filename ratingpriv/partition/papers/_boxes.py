"""Compiled: records laid out in chunks of similar ones, and who lies in a box; arrays in, arrays out.

A *slot* is a record's place in the layout. A *box* gives for each issue the lowest and highest code that is
wanted. Rows are aligned where compared records rate the same issues: then a box has one range a place in the
row. Otherwise it has one an issue of the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.compute.compiling import compiled

__all__ = [
    "Chunks",
    "Rows",
    "collect",
    "farthest",
    "narrow",
    "remove",
    "remove_all",
    "slice_on",
    "sweep",
    "widen",
]

Whole = NDArray[np.int64]


class Rows(NamedTuple):
    """Ratings by slot, and what is within ε of what."""

    ptr: Whole  # (n + 1,)
    issues: NDArray[np.int32]  # (n_ratings,), or empty if aligned
    codes: NDArray[np.int32]  # (n_ratings,)
    lo: Whole  # (n_codes,) codes lo..hi are within ε
    hi: Whole
    aligned: bool


class Chunks(NamedTuple):
    """Slots by chunk; the living ones of chunk c are ``members[first[c]:first[c] + living[c]]``."""

    of: Whole  # (n,) the chunk of a slot
    first: Whole  # (n_chunks + 1,)
    living: Whole  # (n_chunks,)
    members: Whole  # (n,)
    place: Whole  # (n,) where a slot stands in members
    box_ptr: Whole  # (n_chunks + 1,) a chunk's ranges in low and high; empty if not aligned
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    group_first: Whole  # (n,) the chunks of a slot's group: group_first..group_stop
    group_stop: Whole


@compiled()
def narrow(rows: Rows, slot: int, low: Whole, high: Whole) -> None:
    """Cut a box down to what is within ε of a slot."""
    for entry in range(rows.ptr[slot], rows.ptr[slot + 1]):
        at = entry - rows.ptr[slot] if rows.aligned else rows.issues[entry]
        code = rows.codes[entry]
        low[at] = max(low[at], rows.lo[code])
        high[at] = min(high[at], rows.hi[code])


@compiled()
def widen(rows: Rows, slot: int, low: Whole, high: Whole) -> None:
    """Make a box unlimited again wherever a slot has narrowed it."""
    for entry in range(rows.ptr[slot], rows.ptr[slot + 1]):
        at = entry - rows.ptr[slot] if rows.aligned else rows.issues[entry]
        low[at], high[at] = 0, len(rows.lo)


@compiled()
def _inside(rows: Rows, slot: int, low: Whole, high: Whole) -> bool:
    for entry in range(rows.ptr[slot], rows.ptr[slot + 1]):
        at = entry - rows.ptr[slot] if rows.aligned else rows.issues[entry]
        code = rows.codes[entry]
        if code < low[at] or code > high[at]:
            return False
    return True


@compiled()
def collect(rows: Rows, chunks: Chunks, slot: int, low: Whole, high: Whole, out: Whole) -> tuple[int, int]:
    """Write to ``out`` the living slots, of the group of ``slot``, that lie in a box.

    Returns
    -------
    How many there are, and how many chunks and slots were looked at.
    """
    found, looked = 0, 0
    for chunk in range(chunks.group_first[slot], chunks.group_stop[slot]):
        if chunks.living[chunk] == 0:
            continue
        looked += 1
        apart = False
        base = chunks.box_ptr[chunk]
        for j in range(chunks.box_ptr[chunk + 1] - base):
            if chunks.high[base + j] < low[j] or chunks.low[base + j] > high[j]:
                apart = True
                break
        if apart:
            continue
        first = chunks.first[chunk]
        looked += chunks.living[chunk]
        for i in range(first, first + chunks.living[chunk]):
            if _inside(rows, chunks.members[i], low, high):
                out[found] = chunks.members[i]
                found += 1
    return found, looked


@compiled()
def remove(chunks: Chunks, slot: int) -> None:
    """Take a living slot out."""
    chunk = chunks.of[slot]
    chunks.living[chunk] -= 1
    last = chunks.first[chunk] + chunks.living[chunk]
    here, other = chunks.place[slot], chunks.members[last]
    chunks.members[here], chunks.members[last] = other, slot
    chunks.place[other], chunks.place[slot] = here, last


@compiled()
def remove_all(chunks: Chunks, slots: Whole) -> None:
    """Take living slots out."""
    for slot in slots:
        remove(chunks, slot)


@compiled()
def _distance(rows: Rows, a: int, b: int, numbers: NDArray[np.float64], unit: float, null: float) -> float:
    """Return the largest Dis over all issues [SWLZ11, Eq. 1]; ``null`` is that of a null and a rating."""
    most, apart = 0.0, False
    i, j, i_end, j_end = rows.ptr[a], rows.ptr[b], rows.ptr[a + 1], rows.ptr[b + 1]
    while i < i_end and j < j_end:
        if not rows.aligned and rows.issues[i] != rows.issues[j]:
            apart = True
            if rows.issues[i] < rows.issues[j]:
                i += 1
            else:
                j += 1
            continue
        most = max(most, abs(numbers[rows.codes[i]] - numbers[rows.codes[j]]))
        i += 1
        j += 1
    most /= unit
    return max(most, null) if apart or i < i_end or j < j_end else most


@compiled()
def farthest(
    rows: Rows, slots: Whole, others: Whole, numbers: NDArray[np.float64], unit: float, null: float, out: Any
) -> None:
    """Write the largest distance of each of ``slots`` to one of ``others`` to ``out``, float64."""
    for i in range(len(slots)):
        out[i] = 0.0
        for other in others:
            out[i] = max(out[i], _distance(rows, slots[i], other, numbers, unit, null))


@compiled()
def _sort(slots: Whole, far: NDArray[np.float64], rank: Whole, count: int) -> None:
    """Sort the first ``count`` slots by (far, rank), both ascending; heapsort, quick to compile."""
    for stop in range(2 * count - 1, 0, -1):
        # first the heap is built from its last parent up, then its top goes to the end, again and again
        if stop >= count:
            root, end = stop - count, count
        else:
            slots[0], slots[stop] = slots[stop], slots[0]
            far[0], far[stop] = far[stop], far[0]
            root, end = 0, stop
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and (
                far[child] < far[child + 1]
                or (far[child] == far[child + 1] and rank[slots[child]] < rank[slots[child + 1]])
            ):
                child += 1
            if far[root] > far[child] or (far[root] == far[child] and rank[slots[root]] > rank[slots[child]]):
                break
            slots[root], slots[child] = slots[child], slots[root]
            far[root], far[child] = far[child], far[root]
            root = child


@compiled()
def slice_on(
    rows: Rows,
    chunks: Chunks,
    seeds: Whole,
    rank: Whole,
    sign: int,
    numbers: NDArray[np.float64],
    unit: float,
    null: float,
    low: Whole,
    high: Whole,
    out: Whole,
    far: NDArray[np.float64],
    labels: Whole,
    next_seed: int,
    next_label: int,
    most_work: int,
) -> tuple[int, int]:
    """Go on slicing from seed number ``next_seed`` until done or ``most_work`` slots were looked at.

    Parameters
    ----------
    seeds : int64 (n,), slots in the order in which they are seeds
    rank : int64 (n,), the place of a slot in the order of candidates
    sign : 1: nearest candidates first, -1: farthest first, 0: by rank alone
    numbers, unit, null : what distances are made of
    low, high : an unlimited box; left as it was
    out, far : int64 and float64 (n,), scratch
    labels : int64 (n,), the set of each slot, -1 while it has none

    Returns
    -------
    The next seed's number, len(seeds) at the end, and the next label.
    """
    work = 0
    while next_seed < len(seeds) and work < most_work:
        seed = seeds[next_seed]
        next_seed += 1
        if labels[seed] >= 0:
            continue
        # the cube of side 2ε around the seed
        narrow(rows, seed, low, high)
        count, looked = collect(rows, chunks, seed, low, high, out)
        work += looked + count
        for i in range(count):
            far[i] = sign * _distance(rows, seed, out[i], numbers, unit, null) if sign != 0 else 0.0
        _sort(out, far, rank, count)
        # trimmed: a candidate stays if it is within ε of all that stayed before it (Helly: of their range)
        labels[seed] = next_label
        remove(chunks, seed)
        for i in range(count):
            slot = out[i]
            if slot != seed and _inside(rows, slot, low, high):
                labels[slot] = next_label
                remove(chunks, slot)
                narrow(rows, slot, low, high)
                work += 1
        widen(rows, seed, low, high)
        if not rows.aligned:
            for i in range(count):
                if labels[out[i]] == next_label:
                    widen(rows, out[i], low, high)
        next_label += 1
    return next_seed, next_label


@compiled()
def sweep(
    rows: Rows,
    chunks: Chunks,
    low: Whole,
    high: Whole,
    queue: Whole,
    labels: Whole,
    state: Whole,
    most_work: int,
) -> bool:
    """Go on labelling connected components until done (True) or ``most_work`` slots were looked at.

    ``state`` is int64 (4,): the next slot to begin at, the queue's first and end, the label. ``queue`` is
    int64 (n,), ``labels`` int64 (n,), -1 while not reached.
    """
    work = 0
    while work < most_work:
        if state[1] == state[2]:
            while state[0] < len(labels) and labels[state[0]] >= 0:
                state[0] += 1
            if state[0] == len(labels):
                return True
            labels[state[0]] = state[3]
            remove(chunks, state[0])
            queue[state[2]] = state[0]
            state[2] += 1
            state[3] += 1
        slot = queue[state[1]]
        state[1] += 1
        narrow(rows, slot, low, high)
        # whoever is reached is taken out, so that nobody is found twice
        count, looked = collect(rows, chunks, slot, low, high, queue[state[2] :])
        widen(rows, slot, low, high)
        for i in range(state[2], state[2] + count):
            labels[queue[i]] = labels[slot]
            remove(chunks, queue[i])
        state[2] += count
        work += looked + count
    return False
