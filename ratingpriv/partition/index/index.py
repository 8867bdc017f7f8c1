"""Laying a table out for the kernels of this package: trees of packed records,
and of packed cliques.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.index import _box, _tree
from ratingpriv.partition.index.arrays import (
    MOST_WORDS,
    Cliques,
    Fields,
    Forest,
    Index,
    Ints,
    Rows,
    Sequence,
    Task,
)
from ratingpriv.proximity._hamming import hash_rows
from ratingpriv.proximity.fixed_rules import ComparisonTable, comparison_table, near_codes
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.levels import decimal_grid, null_distance, null_separates

_SORT = 1024  # trees of more items are put in an order that keeps similar ones together
_SCANNED = 1024  # trees of more items are scanned in order of position, chunk by chunk
_TOLD = 8  # issues, the most telling ones, that say which items are similar
_FEW_LEVELS = 64
_FEW_DISTANCES = 6
_FAR = 1e300  # where codes of quasi-identifiers are: beyond every rating


def pack_table(
    table: RatingTable, epsilon: float, nulls: str, least: int, *, grown: bool = True
) -> Index:
    """Lay ``table`` out; groups of fewer than ``least`` records that can be proximate are left out.

    ``grown``: whether cliques are to be grown from seeds, for which there are planes.
    """
    table = comparison_table(table, epsilon, nulls)
    rows = _rows(table, epsilon, nulls)
    if null_separates(table.scale, epsilon, nulls):
        hamming = hamming_groups(table)
        populated = hamming.sizes >= max(least, 1)
        record = hamming.order[np.repeat(populated, hamming.sizes)]
        sizes, width = hamming.sizes[populated], hamming.support_sizes[populated]
    else:
        record = np.arange(table.n_records if table.n_records >= max(least, 1) else 0)
        sizes, width = (
            np.array([value] * bool(len(record))) for value in (len(record), table.n_issues)
        )
    sizes, width = sizes.astype(np.int64), width.astype(np.int64)
    first = np.cumsum(sizes) - sizes
    fields = _fields(rows, record, first, sizes, width)
    per_word = 64 // fields.bits
    words = np.maximum(-(-fields.packed // per_word), 1)
    forest = _forest(sizes, words, points=rows.aligned)
    by_place, by_rank = np.arange(len(record)) - np.repeat(first, sizes), np.arange(len(record))
    radius = _radii(table, epsilon, rows)
    by_radius = (sizes > _SCANNED) & (len(radius) > 0) & grown
    by_position = record
    twins = (
        _may_have_twins(rows, record) if by_radius.any() else np.ones(len(record), dtype=np.bool_)
    )
    walked = np.where(by_radius, 0, sizes)  # where nodes are gone through
    _tree.pack(rows, fields, forest, record, sizes)
    record = record.copy()
    for t in np.flatnonzero((sizes > _SORT) & (walked > 0)):
        part = slice(int(first[t]), int(first[t] + sizes[t]))
        order = _sort_tree(forest, fields, int(t))
        record[part], twins[part] = record[part][order], twins[part][order]
        by_place[part] = order
        by_rank[int(first[t]) + order] = np.arange(part.start, part.stop)
    _tree.summarise(forest, fields, walked)
    scanned = np.where(by_radius, sizes, 0)
    chunks = -(-scanned // 512)
    planes, plane_at = _rows_of_eight(chunks * fields.width * max(len(rows.low) - 1, 0))
    live, chunk_at = _rows_of_eight(chunks)
    sequence = Sequence(
        planes, plane_at, live, chunk_at, by_place, by_rank, radius, by_radius, twins, 1
    )
    if len(live):
        _tree.fill_planes(rows, fields, by_position, first, scanned, sequence)
    tree, places = np.repeat(np.arange(len(sizes)), sizes), int(width.max(initial=1))
    return Index(rows, fields, forest, sequence, record, tree, places)


def _rows(table: RatingTable, epsilon: float, nulls: str) -> Rows:
    low, high = (codes.astype(np.int32) for codes in near_codes(table, epsilon))
    rated = (
        table.levels[: table.first_fixed] if isinstance(table, ComparisonTable) else table.levels
    )
    grid = decimal_grid(rated)
    numbers = (
        rated.astype(np.float64, copy=True) if grid is None else grid.numbers.astype(np.float64)
    )
    # distances are those of ratings: of other codes none is apart
    if len(rated) < len(table.levels):
        numbers = np.concatenate((numbers, np.full(len(table.levels) - len(rated), _FAR)))
    codes = table.codes.astype(np.uint32)  # one type, so that the kernels are compiled once
    codes.flags.writeable = False
    separates = null_separates(table.scale, epsilon, nulls)
    null = (null_distance(table.scale) or 0.0) if nulls == "strict" else 0.0
    aligned = separates or table.n_ratings == table.n_records * table.n_issues
    support = np.zeros(table.n_records, dtype=np.int64)
    if not aligned and null > 0:
        support = hamming_groups(table).group_of.astype(np.int64)
    return Rows(
        table.indptr, table.indices, codes, aligned, low, high,
        numbers, 1.0 if grid is None else 10.0**grid.decimals, float(null), support,
    )  # fmt: skip


def _fields(rows: Rows, record: Ints, first: Ints, sizes: Ints, width: Ints) -> Fields:
    """Choose which places of each tree are packed, and in what order."""
    bits = max(len(rows.low) - 1, 1).bit_length() + 1
    per_word = 64 // bits
    guard = sum(1 << (64 - bits * f - 1) for f in range(per_word))
    longest = int(width.max(initial=1))
    order_at = np.zeros(len(sizes), dtype=np.int64)
    orders = [np.arange(longest, dtype=np.int32)]
    for t in np.flatnonzero((sizes > _SORT) | (width > per_word * MOST_WORDS)):
        members = record[first[t] : first[t] + sizes[t]]
        order_at[t] = sum(map(len, orders))
        orders.append(_most_telling_first(rows, members, int(width[t])))
    ranks = [np.argsort(order, kind="stable").astype(np.int32) for order in orders]
    return Fields(
        bits,
        (1 << (bits - 1)) - 1,
        np.array([guard], dtype=np.uint64),
        width,
        np.minimum(width, per_word * MOST_WORDS),
        order_at,
        np.concatenate(orders),
        np.concatenate(ranks),
    )


def _most_telling_first(rows: Rows, members: Ints, width: int) -> NDArray[np.int32]:
    """Order places by how likely two of the members are apart there."""
    levels = len(rows.low)
    ratings = int((rows.indptr[members + 1] - rows.indptr[members]).sum())
    if width * levels > 4 * ratings + 1000:
        length = np.diff(rows.indptr)[members]
        entry = np.repeat(rows.indptr[members] - (np.cumsum(length) - length), length) + np.arange(
            ratings
        )
        column = (
            entry - np.repeat(rows.indptr[members], length) if rows.aligned else rows.indices[entry]
        )
        cells, counts = np.unique(
            column.astype(np.int64) * levels + rows.codes[entry], return_counts=True
        )
    else:
        counts = np.zeros(width * levels, dtype=np.int64)
        _tree.count_codes(rows, members, counts)
        cells = np.flatnonzero(counts)
        counts = counts[cells]
    column, code = np.divmod(cells, max(levels, 1))
    before = np.concatenate(([0], np.cumsum(counts)))
    near = (
        before[np.searchsorted(cells, column * levels + rows.high[code], side="right")]
        - before[np.searchsorted(cells, column * levels + rows.low[code], side="left")]
    )
    rated = np.bincount(column, weights=counts, minlength=width)
    together = np.bincount(column, weights=counts * near, minlength=width)
    return np.argsort(together - rated**2, kind="stable").astype(np.int32)


def _forest(sizes: Ints, words: Ints, *, points: bool) -> Forest:
    """Allocate trees whose items are all to be found."""
    size1 = -(-sizes // 64)
    size2 = -(-size1 // 64)
    at0, at1, at2, node1, node2 = (
        np.cumsum(total) - total
        for total in (sizes * words, size1 * words, size2 * words, size1, size2)
    )
    n0, n1, n2 = (int((size * words).sum()) for size in (sizes, size1, size2))
    return Forest(
        np.cumsum(sizes) - sizes, sizes, size1, size2, words, at0, at1, at2,
        np.zeros(n0, dtype=np.uint64), np.zeros(0 if points else n0, dtype=np.uint64),
        np.zeros(n1, dtype=np.uint64), np.zeros(n1, dtype=np.uint64),
        np.zeros(n2, dtype=np.uint64), np.zeros(n2, dtype=np.uint64),
        node1, node2, _all_live(sizes), _all_live(size1),
    )  # fmt: skip


def _all_live(sizes: Ints) -> NDArray[np.uint64]:
    """Return words of 64 bits, as many set as there are items, tree by tree."""
    words = -(-sizes // 64)
    live = np.full(int(words.sum()), ~np.uint64(0), dtype=np.uint64)
    rest = sizes % 64
    last = (np.cumsum(words) - 1)[rest > 0]
    live[last] = (np.uint64(1) << rest[rest > 0].astype(np.uint64)) - np.uint64(1)
    return live


def _sort_tree(forest: Forest, fields: Fields, t: int) -> Ints:
    """Put similar items of a tree side by side, as they are in the leaves of a k-d tree.

    Return the order.
    """
    from scipy.spatial import cKDTree

    size, words, start = int(forest.size0[t]), int(forest.words[t]), int(forest.at0[t])
    part = forest.upper0[start : start + size * words].reshape(words, size)
    n_levels, per_word = min(int(fields.packed[t]), _TOLD), 64 // fields.bits
    if n_levels == 0:
        return np.arange(size)
    codes = np.empty((size, n_levels))
    for r in range(n_levels):
        shift = np.uint64(64 - fields.bits * (r % per_word + 1))
        codes[:, r] = (part[r // per_word] >> shift) & np.uint64(fields.top)
    order: Ints = cKDTree(codes, leafsize=64, balanced_tree=False, compact_nodes=False).indices
    part[:] = part[:, order]
    if len(forest.lower0):
        lower = forest.lower0[start : start + size * words].reshape(words, size)
        lower[:] = lower[:, order]
    return order


def _rows_of_eight(counts: Ints) -> tuple[NDArray[np.uint64], Ints]:
    """Return empty sets of 512 by tree, uint64 (n, 8), each in one cache line,
    and each tree's first.
    """
    count = int(counts.sum())
    words = np.zeros(8 * count + 7, dtype=np.uint64)
    start = -words.ctypes.data % 64 // 8
    return words[start : start + 8 * count].reshape(count, 8), np.cumsum(counts) - counts


def _may_have_twins(rows: Rows, record: Ints) -> NDArray[np.bool_]:
    """Whether each of some records with aligned rows may have another one like it:
    one of the same hash.
    """
    hashes = np.empty(len(rows.indptr) - 1, dtype=np.uint64)
    hash_rows(rows.indptr, rows.codes, hashes, 0, len(hashes))
    _, number, times = np.unique(hashes[record], return_inverse=True, return_counts=True)
    return np.asarray(times[number] > 1)


def _radii(table: RatingTable, epsilon: float, rows: Rows) -> NDArray[np.int32]:
    """Return the codes within each distance up to ε, int32 (n_distances, 2, n_levels),
    if those are few.
    """
    levels = len(rows.low)
    none = np.zeros((0, 2, levels), dtype=np.int32)
    if not rows.aligned or not 0 < levels <= _FEW_LEVELS:
        return none
    apart = np.abs(rows.numbers[:, None] - rows.numbers) / rows.scale
    code = np.arange(levels)
    distances = np.unique(apart[(code >= rows.low[:, None]) & (code <= rows.high[:, None])])
    if len(distances) > _FEW_DISTANCES:
        return none
    near = apart <= distances[:, None, None]
    ends = near.argmax(axis=2), levels - 1 - near[:, :, ::-1].argmax(axis=2)
    return np.stack(ends, axis=1).astype(np.int32)


def pack_cliques(packed: Index, task: Task, count: int, memory: int) -> tuple[Cliques, Forest]:
    """Lay the first ``count`` cliques of ``task`` out, by tree,
    in lexical order where there are many.
    """
    grouped = np.flatnonzero(task.label >= 0)
    members = grouped[np.argsort(task.label[grouped], kind="stable")]
    sizes = np.bincount(task.label[grouped], minlength=count)
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    tree = packed.tree[members[bounds[:-1]]]
    order = np.argsort(tree, kind="stable")  # item -> number of making
    width = packed.fields.width[tree[order]]
    if 16 * int(width.sum()) > memory:
        raise ResourceError(
            f"{count} groups on up to {packed.places} items need {16 * int(width.sum()) >> 20} "
            f"MiB, more than the {memory >> 20} MiB allowed; select fewer items (top:20), or "
            "allow more memory"
        )
    in_tree = np.bincount(tree, minlength=len(packed.forest.first)).astype(np.int64)
    forest = _forest(in_tree, packed.forest.words, points=False)
    offsets = np.cumsum(width) - width
    nobody = np.iinfo(np.int32).max, -1  # the range of what nobody rates
    ranges = [np.full(int(width.sum()), end, dtype=np.int32) for end in nobody]
    cliques = Cliques(order.astype(np.int64), np.zeros(count, dtype=np.int64), offsets, *ranges)
    begin = bounds[:-1][order]
    _tree.box_of_cliques(members, begin, sizes[order], packed, cliques)
    _tree.pack_cliques(packed.fields, forest, cliques)
    for t in np.flatnonzero(in_tree > _SORT):
        some = slice(int(forest.first[t]), int(forest.first[t] + in_tree[t]))
        by = _sort_tree(forest, packed.fields, int(t))
        for values in (cliques.number, cliques.support, cliques.at):
            values[some] = values[some][by]
    _tree.summarise(forest, packed.fields, forest.size0)
    return cliques, forest


_STEPS = 1000  # records whose neighbours are listed between two checks for Ctrl-C


class RecordIndex:
    """The records of a table, to be found by what they are proximate with,
    until they are removed.
    """

    def __init__(self, table: RatingTable, epsilon: float, nulls: str) -> None:
        self._packed = packed = pack_table(table, epsilon, nulls, 1, grown=False)
        self._space = packed.space(0)
        self._item = np.empty(table.n_records, dtype=np.int64)
        self._item[packed.record] = np.arange(table.n_records)

    def remove(self, records: NDArray[np.int64]) -> None:
        """Let records be found no more."""
        _box.hide_all(self._item[records], self._packed.tree, self._packed.forest)

    def proximate_with_all(self, records: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the records, ascending, that are to be found and
        ε-proximate with each of ``records``.
        """
        packed, space = self._packed, self._space
        count = _box.proximate_with_all(self._item[records], packed, space)
        return np.sort(packed.record[space.found[:count]])

    def farthest(
        self, records: NDArray[np.int64], others: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the largest distance [SWLZ11, Eq. 1] of each of
        ``records`` to any of ``others``.
        """
        out = np.empty(len(records))
        _box.farthest(records, others, self._packed.rows, out)
        return out

    def components(self, resources: Resources) -> NDArray[np.int64]:
        """Return the component of each record, int64 (n_records,): the least position in it.

        Removes all.
        """
        packed, n = self._packed, len(self._item)
        labels, queue = np.full(n, -1, dtype=np.int64), np.empty(n, dtype=np.int64)
        state = np.zeros(4, dtype=np.int64)
        done = n == 0
        while not done:
            done = _box.reach(queue, labels, state, _STEPS, packed, self._space)
            resources.report("finding components", int(state[2]), n)
        least = np.full(int(state[3]), n, dtype=np.int64)
        np.minimum.at(least, labels, packed.record)
        return least[labels[self._item]]
