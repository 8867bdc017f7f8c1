"""Kernels for the SD of sensitive ratings in a group that grows [SWLZ11, Eq. 3].

Sums are float64 of small integers where ratings are decimals, and exact then. The tests are a hair
generous: who uses them verifies every finished group exactly (``verifying.py``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.bitsets import keep_common
from ratingpriv.base.compute.compiling import part, routine
from ratingpriv.partition.index._box import (
    fields_fit,
    fits,
    gather,
    keep_fitting,
    narrow,
    pack_box,
    unlimit,
)
from ratingpriv.partition.index._tree import lowest_bit
from ratingpriv.partition.index.arrays import (
    Candidates,
    Fields,
    Index,
    Rows,
    Sensitive,
    Sequence,
    Space,
    Task,
)

_HAIR = 1e-12


@part
def variance(g: Any, known: Any, total: Any, squares: Any, shift: Any, ignore: bool) -> Any:
    """Return SD² of g records; +inf where nothing is known."""
    if known == 0:
        return np.inf
    mean = total / known
    spread = max(squares - total * mean, 0.0)
    if ignore:
        return spread / known
    return (spread + (g - known) * (mean + shift) * (mean + shift)) / g


@part
def add_amounts(record: Any, step: Any, sensitive: Sensitive, sums: NDArray[np.float64]) -> None:
    """Count one more record (``step`` 1), or one less (-1)."""
    for q in range(len(sensitive.needed)):
        if sensitive.known[q, record]:
            x = sensitive.numbers[q, record]
            sums[q, 0] += step
            sums[q, 1] += step * x
            sums[q, 2] += step * x * x


@part
def clear_amounts(sensitive: Sensitive, sums: NDArray[np.float64]) -> None:
    """Begin anew."""
    for q in range(len(sensitive.needed)):
        for j in range(3):
            sums[q, j] = 0.0


@part
def diverse(g: Any, sensitive: Sensitive, sums: NDArray[np.float64]) -> bool:
    """Whether the SD of the g records counted is enough on every sensitive issue."""
    for q in range(len(sensitive.needed)):
        reached = variance(
            g, sums[q, 0], sums[q, 1], sums[q, 2], sensitive.shift[q], sensitive.ignore
        )
        if reached < sensitive.needed[q] * (1 - _HAIR):
            return False
    return True


@part
def diverse_with(
    record: Any, step: Any, g: Any, sensitive: Sensitive, sums: NDArray[np.float64]
) -> bool:
    """Whether the SD is still enough, a hair more even,
    with one record more (``step`` 1) or less (-1).
    """
    for q in range(len(sensitive.needed)):
        x = sensitive.numbers[q, record]
        n_known = 1.0 if sensitive.known[q, record] else 0.0
        reached = variance(
            g + step,
            sums[q, 0] + step * n_known,
            sums[q, 1] + step * x,
            sums[q, 2] + step * x * x,
            sensitive.shift[q],
            sensitive.ignore,
        )
        if reached < sensitive.needed[q] * (1 + _HAIR):
            return False
    return True


@part
def helps(record: Any, g: Any, sensitive: Sensitive, sums: NDArray[np.float64]) -> bool:
    """Whether one more record raises the SD of an issue on which it is not enough yet."""
    for q in range(len(sensitive.needed)):
        shift, ignore = sensitive.shift[q], sensitive.ignore
        now = variance(g, sums[q, 0], sums[q, 1], sums[q, 2], shift, ignore)
        if now < sensitive.needed[q] * (1 - _HAIR):
            x = sensitive.numbers[q, record]
            weight = 1.0 if sensitive.known[q, record] else 0.0
            then = variance(
                g + 1, sums[q, 0] + weight, sums[q, 1] + x, sums[q, 2] + x * x, shift, ignore
            )
            if then > now:
                return True
    return False


@routine
def _pick(i: Any, m: Any, rows: Rows, task: Task, space: Space) -> bool:
    """Make item i the m-th member, and the box what is within reach of it, too.

    Return whether it shrank.
    """
    record = task.record[i]
    space.pick[m] = i
    space.taken[i] = 1
    space.lent[m] = task.label[i]
    add_amounts(record, 1, task.sensitive, space.sums)
    return narrow(record, rows, space)


@routine
def _restore(m: Any, rows: Rows, fields: Fields, task: Task, space: Space) -> None:
    """Leave the working memory as it was."""
    for j in range(m):
        i = space.pick[j]
        space.taken[i] = 0
        if j == 0 or not rows.aligned:  # aligned, they all have the same places
            unlimit(task.record[i], rows, fields, space)
    clear_amounts(task.sensitive, space.sums)


@part
def _can_be_lent(i: Any, m: Any, task: Task, space: Space) -> bool:
    """Whether the clique that item i is in (if any) can do without it
    and what is picked from it already.

    With an l, a clique lends one record at a time, and only if its SD stays large enough.
    """
    label = task.label[i]
    if label < 0:
        return True
    spare = task.spare[label]
    for j in range(m):
        if space.lent[j] == label:
            spare -= 1 if len(task.sensitive.needed) == 0 else spare
    if spare <= 0:
        return False
    return diverse_with(task.record[i], -1, task.size[label], task.sensitive, task.sums[label])


@part
def _before(x: Any, y: Any, sequence: Sequence, space: Space) -> bool:
    """Whether the x-th that was found comes before the y-th: it is nearer,
    or as near and earlier.
    """
    if space.far[x] != space.far[y]:
        return bool(space.far[x] < space.far[y])
    return bool(sequence.place[space.found[x]] < sequence.place[space.found[y]])


@part
def _swap(x: Any, y: Any, space: Space) -> None:
    """Let the x-th and the y-th that were found change places."""
    i, far = space.found[x], space.far[x]
    space.found[x], space.far[x] = space.found[y], space.far[y]
    space.found[y], space.far[y] = i, far


@part
def _sink(root: Any, n: Any, sequence: Sequence, space: Space) -> None:
    """Let the root of a heap (the last comes first) sink to its place."""
    while 2 * root + 1 < n:
        child = 2 * root + 1
        if child + 1 < n and _before(child, child + 1, sequence, space):
            child += 1
        if not _before(root, child, sequence, space):
            return
        _swap(root, child, space)
        root = child


@routine
def _sort(n: Any, sequence: Sequence, space: Space) -> None:
    """Put what was found in order (heapsort: in place, and never slow)."""
    for back in range(n // 2):
        _sink(n // 2 - 1 - back, n, sequence, space)
    for back in range(n - 1):
        _swap(0, n - 1 - back, space)
        _sink(0, n - 1 - back, sequence, space)


@part
def _enough(m: Any, least: Any, task: Task, space: Space) -> bool:
    return bool(m >= least and diverse(m, task.sensitive, space.sums))


@part
def _wanted(i: Any, m: Any, task: Task, space: Space) -> bool:
    """Whether item i, in the box, is to be picked.

    Beyond ``task.most`` only what raises the SD is.
    """
    if not _can_be_lent(i, m, task, space):
        return False
    return m < task.most or helps(task.record[i], m, task.sensitive, space.sums)


@part
def _within(i: Any, t: Any, near: bool, whole: Any, index: Index, space: Space) -> bool:
    """Return what :func:`fits` does; nothing is called where ``whole`` rows are packed."""
    if not fields_fit(i, t, index.fields.guard[0], index.forest, space):
        return False
    return bool(whole) or fits(i, t, near, index, space)


@routine
def _take_found(
    n: Any, m: Any, t: Any, last: bool, listed: bool, index: Index, task: Task, space: Space
) -> Any:
    """Pick from what was found, in order, as long as more is needed.

    ``listed``: it is in order already. Return the number of members.
    """
    sequence, fields, near = index.sequence, index.fields, listed and not last
    whole = fields.width[t] == fields.packed[t]
    ordered = False
    position = 0
    while position < n and not _enough(m, task.most, task, space):
        if last and m + n - position < task.k:
            return m  # not enough are left
        if not ordered and not listed:
            best = position
            for x in range(position + 1, n):
                if _before(x, best, sequence, space):
                    best = x
            _swap(position, best, space)
        i = space.found[position]
        position += 1
        if ordered and not _within(i, t, near, whole, index, space):
            continue
        if not _wanted(i, m, task, space):
            continue
        narrower = _pick(i, m, index.rows, task, space)
        m += 1
        if not narrower:
            continue
        pack_box(t, near, fields, space)
        if not ordered:
            remaining = keep_fitting(position, n, t, near, index, space)
            if remaining > 16 and 2 * remaining > n - position:
                ordered = True  # from here on, each is tested once
                if not listed:
                    _sort(remaining, sequence, space)
            position, n = 0, remaining
    return m


@part
def _conditions(t: Any, rows: Rows, fields: Fields, space: Space) -> Any:
    """List the planes that items of the box are in or not in; return how many."""
    steps = len(rows.low) - 1
    n = 0
    for r in range(fields.width[t]):
        slot = np.int64(fields.place[fields.at[t] + r])
        low = max(space.lowest[slot], space.near[0, slot])
        high = min(space.highest[slot], space.near[1, slot])
        space.which[n], space.flips[n] = r * steps + low - 1, np.uint64(0)
        n += int(low > 0)  # no branches: which way they go would be anyone's guess
        space.which[n], space.flips[n] = r * steps + high, ~np.uint64(0)
        n += int(high < steps)
    return n


@routine
def _scan(m: Any, t: Any, index: Index, task: Task, space: Space) -> Any:
    """Pick in order of position; return the number of members."""
    rows, fields, forest, sequence = index.rows, index.fields, index.forest, index.sequence
    first, chunks = forest.first[t], (forest.size0[t] + 511) >> 9
    planes = fields.width[t] * (len(rows.low) - 1)
    conditions, changed = 0, True
    for chunk in range(chunks):
        for word in range(8):
            space.chunk[0, word] = sequence.live[sequence.chunk_at[t] + chunk, word]
        offset = sequence.plane_at[t] + chunk * planes
        word = 0
        while word < 8:
            if changed:
                conditions, changed = _conditions(t, rows, fields, space), False
            if not keep_common(
                space.chunk, 0, sequence.planes, offset, space.which, space.flips, conditions
            ):
                break
            while word < 8:
                items = space.chunk[0, word]
                if items == np.uint64(0):
                    word += 1
                    continue
                space.chunk[0, word] = items & (items - np.uint64(1))
                i = sequence.item[first + 512 * chunk + 64 * word + lowest_bit(items)]
                if not space.taken[i] and _wanted(i, m, task, space):
                    changed = _pick(i, m, rows, task, space)
                    m += 1
                    if _enough(m, task.most, task, space):
                        return m
                    if changed:  # of these items, some may be out of the box now
                        break
    return m


@part
def _mark(seed: Any, t: Any, index: Index, space: Space, candidates: Candidates) -> Any:
    """Mark a seed's candidates that are to be found: sets are in order of position, lists in any.

    Return how many there are, the seed included.
    """
    forest, record, unit = index.forest, index.record[seed], np.uint64(1)
    count: Any = 0
    first, node, moved = forest.first[t], forest.node1[t], len(candidates.item) > 0
    for entry in range(candidates.begin[record], candidates.end[record]):
        i = np.int64(candidates.near[entry])
        i = (candidates.item[i] if moved else i) - first
        bit = unit << np.uint64(i & 63)
        live = forest.live0[node + (i >> 6)] & bit
        space.marks[i >> 6] |= live
        space.marked[i >> 12] |= np.uint64(live != np.uint64(0)) << np.uint64(i >> 6 & 63)
        count += np.int64(live != np.uint64(0))
    return count


@part
def _unmark(t: Any, index: Index, space: Space) -> None:
    """Leave no marks."""
    for top in range((index.forest.size1[t] + 63) >> 6):
        words, space.marked[top] = space.marked[top], np.uint64(0)
        while words:
            space.marks[64 * top + lowest_bit(words)] = np.uint64(0)
            words &= words - np.uint64(1)


@part
def _gather_marked(t: Any, m: Any, last: bool, index: Index, space: Space) -> Any:
    """List marked items, not picked, in the box and near the seed or within the ``last`` radius.

    By position; return how many there are. The box of the seed alone holds all within the last.
    """
    forest, unit = index.forest, np.uint64(1)
    for j in range(m):
        i = space.pick[j] - forest.first[t]
        space.marks[i >> 6] &= ~(unit << np.uint64(i & 63))
    n: Any = 0
    for top in range((forest.size1[t] + 63) >> 6):
        words = space.marked[top]
        while words:
            word = 64 * top + lowest_bit(words)
            words &= words - unit
            items = space.marks[word]
            while items:
                space.found[n] = forest.first[t] + 64 * word + lowest_bit(items)
                items &= items - unit
                n += 1
    return n if last and m == 1 else keep_fitting(0, n, t, not last, index, space)


@routine
def search(
    seed: Any, index: Index, task: Task, space: Space, candidates: Candidates
) -> tuple[Any, bool]:
    """Grow a clique around ``seed`` until it has ``task.most``: its items are ``space.pick[:m]``.

    Returns m, and whether k are there.
    """
    rows, fields, sequence = index.rows, index.fields, index.sequence
    t = task.tree[seed]
    # by radius, in order of position within each: quick where distances are few; else all, and
    # sorted
    radii = len(sequence.radius) if sequence.by_radius[t] else 0
    record = task.record[seed]
    listed = radii > 0 and len(candidates.begin) > 0 and candidates.begin[record] >= 0
    if listed and _mark(seed, t, index, space, candidates) < task.k:
        _unmark(t, index, space)
        return 0, False
    _pick(seed, 0, rows, task, space)
    m = 1
    for c in range(max(radii, 1)):
        if _enough(m, task.most, task, space):
            break
        if radii > 1 and c == 0 and not sequence.twins[seed]:
            continue  # the first radius is 0
        last = c >= radii - 1
        if radii and not (listed and last):  # its own box says who is within the last
            start = rows.indptr[record]
            for entry in range(start, rows.indptr[record + 1]):
                slot = entry - start if rows.aligned else np.int64(rows.indices[entry])
                space.near[0, slot] = sequence.radius[c, 0, rows.codes[entry]]
                space.near[1, slot] = sequence.radius[c, 1, rows.codes[entry]]
            if not listed:
                m = _scan(m, t, index, task, space)
                continue
        pack_box(t, listed and not last, fields, space)
        if listed:
            n = _gather_marked(t, m, last, index, space)
        else:
            n = gather(t, seed, sequence.sign, index, space)
        m = _take_found(n, m, t, last, listed, index, task, space)
    if listed:
        _unmark(t, index, space)
    enough = _enough(m, task.k, task, space)
    _restore(m, rows, fields, task, space)
    return m, enough
