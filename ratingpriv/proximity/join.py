"""Preparing the joins of `_bitset_join` and `_word_join`: groups, distinct rows,
issue order, tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import short
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity import _bitset_join as _kernels
from ratingpriv.proximity import short_join
from ratingpriv.proximity.arrays import BY_PAIR, BY_WORD, STEP, Layout, Queries, Ranges, Rows
from ratingpriv.proximity.classes import Classes, identical_rows
from ratingpriv.proximity.fixed_rules import comparison_table, near_codes
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.levels import null_separates


@dataclass(frozen=True, slots=True)
class Limits:
    """Where the engine switches; tests move them to force every path on small tables."""

    direct: int = 64  # groups of at most so many records (64 at most) have no tokens
    # of those, with more pairs of records for an issue and bin: by word, else by record
    word: float = 0.25
    fuse: int = 400  # groups of at least so many records get fused issues
    # groups of at least so many records are sorted, and their identical rows collapsed
    sort: int = 5000
    radix: int = 128  # rows of a chunk's table that one token may take, whatever the group's size
    # records for whom a chunk's table may have a row more: as many queries pay for it
    share: int = 32
    table: int = 16_384  # rows of a chunk's table, about (64 bytes each, for each thread)
    # most levels told apart in the table; with more, they are binned and hits are verified
    bins: int = 128
    # a group with at least so much work (queries x chunks) is split between threads
    split: int = 200_000
    # pairs are listed in the order of records where so many visits to a chunk find one
    dense: float = 2
    # rows of eight words that NumPy ANDs before compiled code is loaded, 10 to 20 ns each
    short: float = 20_000_000
    queries: int = 1 << 24  # numbers by query that a thread adds up together for a split group
    work: int = 800_000  # below so much work everything stays on one thread


@dataclass(frozen=True, slots=True)
class Join:
    """Everything the kernel needs but the amounts.

    ``slot_of`` is the slot that answers for a record; ``multiplicity`` how many records a slot
    stands for, None if always one; a record of any group but ``groups`` is its own only neighbour.
    """

    rows: Rows
    ranges: Ranges
    layout: Layout
    records: Queries
    slot_of: NDArray[np.int64]
    multiplicity: NDArray[np.int64] | None
    groups: NDArray[np.int64]
    limits: Limits


def prepare(
    table: RatingTable,
    epsilon: float,
    nulls: str,
    *,
    collapse: bool = True,
    limits: Limits | None = None,
) -> Join | Classes:
    """Choose how to find the neighbours in ``table``, and lay the data out for it.

    ``collapse``: whether one slot may stand for several identical records.
    """
    limits = limits or Limits()
    table = comparison_table(table, epsilon, nulls)
    lo, hi = near_codes(table, epsilon)
    separates = null_separates(table.scale, epsilon, nulls)
    everything = len(lo) == 0 or (lo[-1] == 0 and hi[0] == len(hi) - 1)
    n, p, dense = (
        table.n_records,
        table.n_issues,
        table.n_ratings == table.n_records * table.n_issues,
    )
    known_alone = nulls == "known" and not dense
    if not separates and (len(lo) == 0 or (everything and not known_alone)):
        return Classes(np.zeros(n, dtype=np.int64), min(n, 1))
    if not separates:  # all are compared with all
        everybody, bounds, width = np.arange(n), np.array([0, n]), np.array([p])
        with_null = _ranges(lo, hi, table.codes, not dense, known_alone, limits)
        if dense:
            rows = _rows(table.indptr, table.codes)
            return _lay_out(rows, with_null, everybody, bounds, width, collapse, limits)
        tokens = -(-p // _fuse(with_null.bins, p, n, limits))
        if tokens <= 2 * table.n_ratings / n and p * with_null.bins <= limits.table:
            codes = np.full(n * p, with_null.null, dtype=np.min_scalar_type(with_null.null))
            codes[np.repeat(np.arange(n) * p, np.diff(table.indptr)) + table.indices] = table.codes
            rows = _rows(np.arange(n + 1) * p, codes)
            return _lay_out(rows, with_null, everybody, bounds, width, collapse, limits)
        rows = _rows(table.indptr, table.codes, table.indices)
        return _lay_out_sparse(
            rows, _ranges(lo, hi, table.codes, False, known_alone, limits), p, limits
        )
    groups = hamming_groups(table)
    if everything:
        return Classes(groups.group_of, len(groups.sizes))
    if np.array_equal(lo, hi):
        return identical_rows(table, groups.order, groups.starts)
    order, starts, width = groups.order, groups.starts, groups.support_sizes
    del groups  # a number a record less while tokens are sorted
    rows = _rows(table.indptr, table.codes)
    ranges = _ranges(lo, hi, table.codes, False, False, limits)
    return _lay_out(rows, ranges, order, starts, width, collapse, limits)


def _rows(
    indptr: NDArray[np.int64], codes: NDArray[Any], indices: NDArray[np.int32] | None = None
) -> Rows:
    """Put rows as the kernels take them: of few types (uint8 or uint32, read-only),
    as each is compiled.
    """
    aligned = indices is None
    if indices is None:
        indices = np.empty(0, dtype=np.int32)
    codes = codes if codes.dtype == np.uint8 else codes.astype(np.uint32)
    arrays = indptr, indices, codes
    for array in arrays:
        array.flags.writeable = False
    return Rows(*arrays, aligned)


def _ranges(
    lo: NDArray[np.int64],
    hi: NDArray[np.int64],
    codes: NDArray[Any],
    with_null: bool,
    known: bool,
    limits: Limits,
) -> Ranges:
    """Describe proximity by code and by bin; with a null as the last code if ``with_null``."""
    levels = len(lo)
    exact = levels + with_null <= limits.bins
    bins = np.arange(levels)
    if not exact:  # bins with about equal numbers of ratings
        wanted = max(2, limits.bins - with_null)
        counts = np.bincount(codes, minlength=levels)
        before = np.cumsum(counts) - counts
        bins = np.unique(before * wanted // max(int(counts.sum()), 1), return_inverse=True)[1]
    n_bins = int(bins[-1]) + 1
    first, last = (
        np.searchsorted(bins, np.arange(n_bins)),
        np.searchsorted(bins, np.arange(n_bins), side="right") - 1,
    )
    bin_lo, bin_hi = bins[lo[first]], bins[hi[last]]
    if with_null:  # a query's null matches every rating and every null
        lo, hi = np.append(lo, 0), np.append(hi, levels)
        bins, bin_lo, bin_hi = (
            np.append(bins, n_bins),
            np.append(bin_lo, 0),
            np.append(bin_hi, n_bins - 1),
        )
        n_bins += 1
    lo32, hi32, bins32, bin_lo32, bin_hi32 = (
        a.astype(np.int32) for a in (lo, hi, bins, bin_lo, bin_hi)
    )
    return Ranges(
        lo32, hi32, bins32, bin_lo32, bin_hi32, n_bins, n_bins - with_null, levels, exact, known
    )


def _fuse(bins: int, width: int, members: int, limits: Limits) -> int:
    """Return how many issues of ``bins`` bins one token can hold in a
    group of so many ``members``.
    """
    fuse = 1
    while fuse < width:
        radix, table = bins ** (fuse + 1), -(-width // (fuse + 1)) * bins ** (fuse + 1)
        if table > limits.table or (
            radix > limits.radix and table > members // max(limits.share, 1)
        ):
            break
        fuse += 1
    return fuse


def _padded(tokens: NDArray[np.int64], steps: bool) -> NDArray[np.int64]:
    """Return the places that so many tokens take: 2 and some; those left over match all.

    ``steps``: numbers that vary from query to query are made multiples of STEP, as what they lead
    to cannot be predicted.
    """
    rest = np.maximum(tokens - 2, 1)
    return 2 + (STEP * -(-rest // STEP) if steps else rest)


def _lay_out(
    rows: Rows,
    ranges: Ranges,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    width: NDArray[np.int64],
    collapse: bool,
    limits: Limits,
) -> Join:
    """Lay out aligned groups: group g is ``order[starts[g]:starts[g + 1]]``
    and rates ``width[g]`` issues.

    ``order``, int64, becomes the records of the slots: it is changed.
    """
    n, sizes = len(order), np.diff(starts)
    groups = np.flatnonzero(sizes > 1)
    fuse = np.full(len(sizes), BY_PAIR)
    joined = sizes > max(min(limits.direct, 64), 1)
    fuse[joined] = 1
    fuse[~joined & (sizes * sizes > limits.word * width * ranges.bins)] = BY_WORD
    wide = joined & (sizes >= limits.fuse)
    for w in np.unique(width[wide]):
        fuse[wide & (width == w)] = _fuse(ranges.bins, int(w), 0, limits)
    for g in np.flatnonzero(wide & (sizes > limits.radix * limits.share)):  # these may pay for more
        fuse[g] = _fuse(ranges.bins, int(width[g]), int(sizes[g]), limits)
    big = np.flatnonzero(joined & (sizes >= limits.sort))
    longest = int(width.max(initial=0))
    parts = [np.arange(longest, dtype=np.int32)]
    rank_at = np.zeros(len(sizes), dtype=np.int64)
    for g in big:
        rank_at[g] = sum(map(len, parts))
        members = order[starts[g] : starts[g + 1]]
        parts.append(ranks(most_selective_first(rows, ranges, members, int(width[g]))))
    layout = Layout(width.astype(np.int64), fuse, rank_at, np.concatenate(parts))
    stride = _padded(np.where(fuse > 0, -(-width // np.maximum(fuse, 1)), 0), False)
    stride[(sizes < 2) | (fuse == BY_WORD)] = 0
    ptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.repeat(stride, sizes), out=ptr[1:])
    single = np.arange(1, n + 1, dtype=np.int32)
    records = Queries(
        starts[:-1].astype(np.int64),
        starts[1:].astype(np.int64),
        order,
        ptr,
        np.zeros(ptr[-1], dtype=np.uint32),
        single,
        single.copy(),
    )
    with_tokens = np.flatnonzero(fuse > 0)
    if len(with_tokens):
        if short(len(records.tokens), limits.short):
            short_join.tokenize(rows, ranges, layout, records, with_tokens)
        else:
            token_slots, factor = np.empty((2, longest), dtype=np.int64)
            _kernels.tokenize(rows, ranges, layout, records, with_tokens, token_slots, factor)
    slot_of = np.empty(n, dtype=np.int64)
    slot_of[records.record] = np.arange(n)
    multiplicity = None
    for g in big:
        times = sort_group(int(g), int(stride[g]), records, slot_of, collapse and ranges.exact)
        if times is not None:
            multiplicity = np.ones(n, dtype=np.int64) if multiplicity is None else multiplicity
            multiplicity[starts[g] : starts[g] + len(times)] = times
    return Join(rows, ranges, layout, records, slot_of, multiplicity, groups, limits)


def _lay_out_sparse(rows: Rows, ranges: Ranges, issues: int, limits: Limits) -> Join:
    """Lay out one group whose rows are not aligned; tokens are the ratings.

    Those of popular issues first, as who did not rate an issue matches it; under ``known`` nobody
    else does, and those of rare issues first.
    """
    n, rated = len(rows.indptr) - 1, np.diff(rows.indptr)
    popularity = np.bincount(rows.indices, minlength=issues)
    rank = ranks(np.argsort(popularity if ranges.known else -popularity, kind="stable"))
    record = np.repeat(np.arange(n), rated)
    token = 1 + rank[rows.indices].astype(np.int64) * ranges.bins + ranges.bin[rows.codes]
    span = issues * ranges.bins + 1
    token = np.sort(record * span + token) - record * span
    ptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(_padded(rated, True), out=ptr[1:])
    tokens = np.zeros(ptr[-1], dtype=np.uint32)
    tokens[np.repeat(ptr[:-1] - rows.indptr[:-1], rated) + np.arange(len(token))] = token
    single = np.arange(1, n + 1, dtype=np.int32)
    bounds, everybody = np.array([0, n]), np.arange(n)
    records = Queries(
        bounds[:1].copy(), bounds[1:].copy(), everybody, ptr, tokens, single, single.copy()
    )
    layout = Layout(
        np.array([issues]), np.ones(1, dtype=np.int64), np.zeros(1, dtype=np.int64), rank
    )
    return Join(
        rows,
        ranges,
        layout,
        records,
        everybody,
        None,
        np.zeros(min(n - 1, 1), dtype=np.int64),
        limits,
    )


def select(records: Queries, wanted: NDArray[np.bool_]) -> tuple[Queries, NDArray[np.int64]]:
    """Keep only the slots in ``wanted``, bool (n_slots,); return them and their old slots."""
    before = np.zeros(len(wanted) + 1, dtype=np.int64)
    np.cumsum(wanted, out=before[1:])
    slots = np.flatnonzero(wanted)
    ends = (before[end[slots]].astype(np.int32) for end in (records.end1, records.end2))
    remaining = Queries(
        before[records.first],
        before[records.stop],
        records.record[slots],
        *_tokens(records, slots),
        *ends,
    )
    return remaining, slots


def _tokens(
    records: Queries, slots: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return ptr and tokens of some slots, in their order."""
    lengths = np.diff(records.ptr)[slots]
    ptr = np.zeros(len(slots) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ptr[1:])
    return ptr, records.tokens[
        np.repeat(records.ptr[slots] - ptr[:-1], lengths) + np.arange(ptr[-1])
    ]


def in_order(records: Queries) -> Queries:
    """Put the slots of each group, each of one record, in the order of their records."""
    sizes = np.diff(np.append(records.first, len(records.record)))
    order = np.argsort(
        np.repeat(np.arange(len(sizes)) * len(records.record), sizes) + records.record
    )
    single = np.arange(1, len(order) + 1, dtype=np.int32)
    parts = records.record[order], *_tokens(records, order), single, single.copy()
    return Queries(records.first, records.stop, *parts)


_AT_ONCE = 2  # columns of tokens that are moved at once where they are
_MANY = 1 << 22


def most_selective_first(
    rows: Rows, ranges: Ranges, members: NDArray[np.int64], width: int
) -> NDArray[np.int32]:
    """Order issues so that each next one separates most of the (sampled)
    pairs that are still together.
    """
    pairs = min(8192, 256 + len(members) // 32)
    # decides speed, never results
    sample = np.random.default_rng(0).integers(0, len(members), (2, pairs))
    places = np.arange(width)
    a, b = (rows.codes[rows.indptr[members[side]][:, None] + places] for side in sample)
    apart = (~(((b >= ranges.lo[a]) & (b <= ranges.hi[a])) | (b >= ranges.null))).astype(np.float32)
    apart = np.ascontiguousarray(apart.T)
    order: list[int] = []
    together = np.ones(pairs, dtype=np.float32)
    while len(order) < width:
        separated = apart @ together  # whole numbers, far below 2**24
        separated[order] = -1
        best = int(separated.argmax())
        if separated[best] <= 0:
            order += [index for index in range(width) if index not in set(order)]
            break
        order.append(best)
        together *= 1 - apart[best]
    return np.array(order, dtype=np.int32)


def sort_group(
    g: int, stride: int, records: Queries, slot_of: NDArray[np.int64], collapse: bool
) -> NDArray[np.int64] | None:
    """Sort a group's slots by tokens, in place.

    Let one slot stand for identical rows where that pays.

    Returns how many rows each slot stands for then, int64 (slots that are left,); None: one each.
    """
    first, stop = int(records.first[g]), int(records.stop[g])
    tokens = records.tokens[records.ptr[first] : records.ptr[stop]].reshape(-1, stride)
    keys = _keys(tokens)
    order = np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys[::-1])
    together = stride if tokens.size < _MANY else _AT_ONCE  # all at once they would be there twice
    for some in range(0, stride, together):
        tokens[:, some : some + together] = tokens[order, some : some + together]
    members = records.record[first:stop]
    members[:] = members[order]
    new = np.ones(stop - first, dtype=bool)
    new[1:] = False
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    del keys, order, key, ordered
    times, slot = None, np.arange(first, stop)
    if collapse and 2 * np.count_nonzero(new) <= len(new):
        number = np.cumsum(new) - 1
        slot = first + number
        slot_of[members] = slot
        remaining = np.flatnonzero(new)
        members[: len(remaining)] = members[remaining]
        tokens[: len(remaining)] = tokens[remaining]
        times = np.bincount(number)
        records.stop[g] = stop = first + len(remaining)
        tokens = tokens[: len(remaining)]
    else:
        slot_of[members] = slot
    for end, ends in zip((records.end1, records.end2), run_ends(tokens), strict=True):
        end[first:stop] = first + ends
    return times


def run_ends(tokens: NDArray[np.uint32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where the run of rows with a row's first token ends, and of its first two.

    Rows are sorted.
    """
    first, second = (np.ascontiguousarray(tokens[:, index]) for index in (0, 1))
    change1 = first[1:] != first[:-1]
    runs = []
    for change in (change1, change1 | (second[1:] != second[:-1])):
        ends = np.append(np.flatnonzero(change) + 1, len(tokens)).astype(np.int32)
        runs.append(np.repeat(ends, np.diff(ends, prepend=0)))
    return runs[0], runs[1]


def ranks(order: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the rank of each place from the places in order."""
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank


def _keys(tokens: NDArray[np.uint32]) -> list[NDArray[np.uint64]]:
    """Return numbers, the most significant first,
    that order and tell apart the rows of ``tokens``.
    """
    keys, key, room = [], np.zeros(len(tokens), dtype=np.uint64), 1 << 63
    for index in range(tokens.shape[1]):
        column = np.ascontiguousarray(tokens[:, index])
        low = column.min()
        spread = int(column.max()) - int(low) + 1
        if spread > room:
            keys.append(key)
            key, room = np.zeros(len(tokens), dtype=np.uint64), 1 << 63
        room //= spread
        key *= np.uint64(spread)
        key += column - low
    keys.append(key)
    return keys
