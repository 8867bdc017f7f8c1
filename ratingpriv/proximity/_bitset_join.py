"""The grouped-column bitset join: which members are within ε of each query, 512 members at a time.

The members of a chunk are the bits of eight 64-bit words. A *token* stands for one rating (or for
the ratings of a few fused issues at once) and names a row of the chunk's table: the set of members
that are proximate on those issues. A query is a list of tokens, and its neighbours in the chunk are
the AND of its tokens' sets:

    N(query) & chunk = table[token 1] & table[token 2] & ...

Queries are sorted, so that runs of equal first tokens share one AND, and a run whose AND is empty
is skipped. Where levels were binned (more levels than a table can hold), the sets are supersets and
every bit is verified.

Groups of at most 64 records are joined by `_word_join.py`.

Arrays in, arrays out; see `_arrays.py` for what they are and `_join.py` for where they come from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.bitsets import and_rows, any_bit, common, common_to_three, popcount
from ratingpriv.base.compute.compiling import kernel, part
from ratingpriv.proximity._word_join import compatible
from ratingpriv.proximity.arrays import (
    CHUNK,
    STEP,
    WORDS,
    Amounts,
    Ints,
    Layout,
    Lists,
    Queries,
    Ranges,
    Rows,
    Sides,
    Space,
    Tally,
    Words,
)


@kernel
def tokenize(
    rows: Rows,
    ranges: Ranges,
    layout: Layout,
    queries: Queries,
    groups: Ints,
    position: Ints,
    factor: Ints,
) -> None:
    """Write the tokens of every slot of ``groups`` (aligned rows); a slot's further tokens stay 0.

    ``position`` and ``factor``, int64 (most issues of a group,), are working memory.
    """
    for g in groups:
        width, fuse, offset = layout.width[g], layout.fuse[g], layout.rank_at[g]
        for i in range(width):
            rank = layout.rank[offset + i]
            last = (rank // fuse + 1) * fuse - 1
            position[rank] = i
            # the first most
            factor[rank] = ranges.bins ** ((last if last < width else width - 1) - rank)
        radix = ranges.bins**fuse
        for slot in range(queries.first[g], queries.stop[g]):
            start, token = (
                np.uint64(rows.indptr[queries.record[slot]]),
                np.uint64(queries.ptr[slot]),
            )
            first, value = 0, np.int64(1)
            while first < width:
                last = first + fuse if first + fuse < width else width
                held = value
                for rank in range(first, last):
                    code = rows.codes[start + np.uint64(position[np.uint64(rank)])]
                    held += factor[np.uint64(rank)] * ranges.bin[np.uint64(code)]
                queries.tokens[token] = held
                first, value, token = last, value + radix, token + np.uint64(1)


@part
def _fill_table(g: int, first: int, count: int, sides: Sides, space: Space) -> None:
    """Fill the table for the chunk of ``count`` members from slot ``first``.

    Row 0 holds all of them.
    """
    rows, ranges, layout, members = sides.rows, sides.ranges, sides.layout, sides.members
    table, sets, near = space.table, space.sets, space.scratch
    width, fuse, base, bins = layout.width[g], layout.fuse[g], layout.rank_at[g], ranges.bins
    unit, last = np.uint64(1), ranges.rated_bins - 1
    null = np.uint64(ranges.null)
    words = (count + 63) >> 6  # further words stay 0 in row 0, and so in every row
    for word in range(WORDS):
        table[0, word] = np.uint64(0)
    for i in range(count):
        table[0, i >> 6] |= unit << np.uint64(i & 63)
    for row in range(width * bins):
        for word in range(words):
            sets[row, word] = np.uint64(0)
    # rows lie anywhere in memory: ask for all before the first is waited for
    for i in range(count):
        space.who[i] = rows.indptr[members.record[first + i]]
    touched = 0
    for i in range(count):
        if space.who[i] < len(rows.codes):
            touched += rows.codes[space.who[i]]
    space.who[CHUNK] = touched
    for i in range(count):  # sets: who rated what
        bit = unit << np.uint64(i & 63)
        start = space.who[i]
        for entry in range(start, rows.indptr[members.record[first + i] + 1]):
            code = np.uint64(rows.codes[np.uint64(entry)])  # unsigned, as in _narrow
            if code < null:
                position = (
                    np.uint64(entry - start) if rows.aligned else np.uint64(rows.indices[entry])
                )
                issue_row = np.uint64(layout.rank[np.uint64(base) + position]) * np.uint64(bins)
                sets[issue_row + np.uint64(ranges.bin[code]), np.uint64(i >> 6)] |= bit
    for issue in range(width):  # sets: who rated that, or lower
        for b in range(issue * bins + 1, issue * bins + last + 1):
            for word in range(words):
                sets[b, word] |= sets[b - 1, word]
    row, radix = 1, bins**fuse
    # fuse issues k, k + 1, ... by ANDing every combination of their sets
    for k in range(0, width, fuse):
        size = 1
        and_rows(table, row, table, 0, table, 0)
        for issue in range(k, k + fuse if k + fuse < width else width):
            for b in range(bins):  # near: who is near to b
                low, high = issue * bins + ranges.bin_lo[b] - 1, issue * bins + ranges.bin_hi[b]
                for word in range(words):
                    held = sets[high, word]
                    if ranges.bin_lo[b] > 0:
                        held &= ~sets[low, word]
                    # who rated nothing is near; b > last: a null's bin
                    if b > last or not ranges.known:
                        held |= ~sets[issue * bins + last, word]
                    near[1 + b, word] = held
            for c in range(size - 1, -1, -1):  # downwards: row c is written over last
                for b in range(bins - 1, -1, -1):
                    and_rows(table, row + c * bins + b, table, row + c, near, 1 + b)
            size *= bins
        row += radix


@part
def _fill_planes(first: int, count: int, amounts: Amounts, planes: Words) -> None:
    """Turn the marks of a chunk's members into one bitset a plane."""
    unit = np.uint64(1)
    for plane in range(len(planes)):
        for word in range(WORDS):
            planes[plane, word] = np.uint64(0)
    for i in range(count):
        for m in range(amounts.marks.shape[1]):
            marks = amounts.marks[first + i, m]
            while marks:
                low = marks & (~marks + unit)
                planes[64 * m + np.int64(popcount(low - unit)), i >> 6] |= unit << np.uint64(i & 63)
                marks ^= low


@part
def _narrow(
    near: Words,
    h: int,
    shared: Words,
    table: Words,
    tokens: NDArray[np.uint32],
    token: Any,
    end: Any,
) -> int:
    """AND ``shared[0]`` with the sets of ``tokens[at:end]``, at least one, to ``near[h]``;
    count the bits.
    """
    unit = np.uint64(1)  # unsigned: no index can be negative, so none is checked for it
    if end - token == unit:
        return int(and_rows(near, h, shared, 0, table, tokens[token]))
    and_rows(near, h, shared, 0, table, tokens[token])
    token += unit
    while end - token > np.uint64(STEP):
        for _ in range(STEP - 2):
            and_rows(near, h, near, h, table, tokens[token])
            token += unit
        if not and_rows(near, h, near, h, table, tokens[token]):
            return 0
        token += unit
    while end - token > unit:
        and_rows(near, h, near, h, table, tokens[token])
        token += unit
    return int(and_rows(near, h, near, h, table, tokens[token]))


@part
def _count(
    near: Words, shared: Words, table: Words, tokens: NDArray[np.uint32], token: Any, end: Any
) -> int:
    """Return what :func:`_narrow` does; nothing is written for few tokens,
    and row 0 of ``near`` for many.
    """
    unit, two = np.uint64(1), np.uint64(2)
    if end - token == two:
        return int(common_to_three(shared, 0, table, tokens[token], table, tokens[token + unit]))
    if end - token == unit:
        return int(common(shared, 0, table, tokens[token]))
    if end - token > np.uint64(STEP):
        return int(_narrow(near, 0, shared, table, tokens, token, end))
    and_rows(near, 0, shared, 0, table, tokens[token])
    token += unit
    while end - token > two:
        and_rows(near, 0, near, 0, table, tokens[token])
        token += unit
    return int(common_to_three(near, 0, table, tokens[token], table, tokens[token + unit]))


@part
def _visit(
    start: int, stop: int, space: Space, queries: Queries, out_base: int, sizes: Ints
) -> tuple[int, int]:
    """Find who is near to the queries from ``start`` on,
    until ``stop`` or until ``space.near`` is full.

    Returns the next query and the number of hits: ``space.near[h]`` are near to query
    ``space.who[h]``.
    """
    table, shared, near = space.table, space.scratch, space.near
    tokens, ptr = queries.tokens, queries.ptr
    two = np.uint64(2)
    full, h = len(near) - 1, 0
    q: Any = start
    while q < stop and h < full:
        token1 = tokens[ptr[q]]
        run1: Any = np.int64(queries.end1[q])
        if run1 > stop:
            run1 = stop
        if not any_bit(table, token1):
            q = run1
        while q < run1 and h < full:
            token2 = tokens[ptr[q] + 1]
            run2: Any = np.int64(queries.end2[q])
            if run2 > stop:
                run2 = stop
            if not and_rows(shared, 0, table, token1, table, token2):
                q = run2
            while q < run2 and h < full:
                cursor_start = np.uint64(ptr[q])
                count = _narrow(
                    near, h, shared, table, tokens, cursor_start + two, np.uint64(ptr[q + 1])
                )
                # no branch on the count: whether it is 0 is hard to predict
                sizes[q - out_base] += count
                space.who[h] = q
                h += 1 if count > 0 else 0
                q += 1
    return q, h


@part
def _visit_all(
    start: int, stop: int, space: Space, queries: Queries, out_base: int, sizes: Ints
) -> None:
    """Count who is near to the queries from ``start`` to ``stop``,
    all of which have as many tokens.
    """
    table, shared, near, tokens = space.table, space.scratch, space.near, queries.tokens
    unit, two = np.uint64(1), np.uint64(2)
    first, stride = (
        np.uint64(queries.ptr[start]),
        np.uint64(queries.ptr[start + 1] - queries.ptr[start]),
    )
    begin, q, end = np.uint64(start), np.uint64(start), np.uint64(stop)
    while q < end:
        token = first + (q - begin) * stride
        token1 = tokens[token]
        run1 = np.uint64(queries.end1[q])
        if run1 > end:
            run1 = end
        if not any_bit(table, token1):
            q = run1
        while q < run1:
            token = first + (q - begin) * stride
            run2 = np.uint64(queries.end2[q])
            if run2 > end:
                run2 = end
            if and_rows(shared, 0, table, token1, table, tokens[token + unit]):
                while q < run2:
                    sizes[q - np.uint64(out_base)] += _count(
                        near, shared, table, tokens, token + two, token + stride
                    )
                    token += stride
                    q += unit
            q = run2


@part
def _verify(
    hits: int, first: int, rows: Rows, sides: Sides, space: Space, out_base: int, sizes: Ints
) -> None:
    """Strike out the members (of the chunk from slot ``first``) that are not near after all."""
    unit, queries, members = np.uint64(1), sides.queries, sides.members
    for h in range(hits):
        query = space.who[h]
        for word in range(WORDS):
            rest = space.near[h, word]
            while rest:
                low = rest & (~rest + unit)
                rest ^= low
                slot: Any = first + 64 * word + np.int64(popcount(low - unit))
                if not compatible(queries.record[query], members.record[slot], rows, sides.ranges):
                    space.near[h, word] ^= low
                    sizes[query - out_base] -= 1


@part
def _list(hits: int, first: int, sides: Sides, space: Space, out_base: int, lists: Any) -> None:
    """Add who is near and a later record, or everybody,
    to the lists of the queries or of the members.
    """
    cursor, neighbours, everybody, by_member = lists
    queries, members = sides.queries, sides.members
    near, held, unit, base = space.near, space.held, np.uint64(1), np.uint64(out_base)
    three, seven, many = np.uint64(3), np.uint64(7), np.uint64(0)
    for i in range(hits * WORDS):  # without a branch: nobody could tell which words hold somebody
        word = np.uint64(i)
        held[many] = word
        many += np.uint64(near[word >> three, word & seven] != np.uint64(0))
    for i in range(many):
        word = np.uint64(held[np.uint64(i)])
        rest, start = (
            near[word >> three, word & seven],
            np.uint64(first) + ((word & seven) << np.uint64(6)),
        )
        query = np.uint64(space.who[word >> three])
        record = queries.record[query]
        while rest:
            slot = start + np.uint64(popcount((rest & (~rest + unit)) - unit))
            rest &= rest - unit
            other = members.record[slot]
            owner = slot if by_member else query - base
            cursor_slot = np.uint64(cursor[owner])
            neighbours[cursor_slot] = record if by_member else other  # written in any case
            cursor[owner] = cursor_slot + np.uint64(
                everybody | (record > other if by_member else other > record)
            )


@part
def _later(queries: Queries, start: int, stop: int, record: int) -> int:
    """Return where in ``start..stop`` queries, in the order of their records,
    are after ``record``.
    """
    while start < stop:
        middle = (start + stop) // 2
        if queries.record[middle] <= record:
            start = middle + 1
        else:
            stop = middle
    return start


@part
def _add(
    hits: int, first: int, amounts: Amounts, space: Space, out_base: int, tally: Tally
) -> None:
    """Add up the amounts of the members that are near: plane by plane,
    or one by one where they are few.
    """
    unit, n_planes, exact, real = np.uint64(1), len(amounts.weight), tally.exact, tally.real
    one_by_one = real.shape[1] > 0
    for h in range(hits):
        i = np.uint64(space.who[h] - out_base)
        if one_by_one or 16 * common(space.near, h, space.near, h) < n_planes:
            for word in range(WORDS):
                rest = space.near[h, word]
                while rest:
                    low = rest & (~rest + unit)
                    rest ^= low
                    slot: Any = np.uint64(first + 64 * word) + np.uint64(popcount(low - unit))
                    for x in range(np.uint64(exact.shape[1])):
                        exact[i, x] += amounts.exact[slot, x]
                    for x in range(np.uint64(real.shape[1])):
                        real[i, x] += amounts.real[slot, x]
        else:
            for f in range(len(amounts.family) - 1):
                # in registers; exact is memory at each turn
                a, b, c = np.int64(0), np.int64(0), np.int64(0)
                for j in range(amounts.family[f], amounts.family[f + 1]):
                    held = common(space.near, h, space.planes, j)
                    a += held * amounts.weight[j, 0]
                    b += held * amounts.weight[j, 1]
                    c += held * amounts.weight[j, 2]
                exact[i, np.uint64(3 * f)] += a
                exact[i, np.uint64(3 * f + 1)] += b
                exact[i, np.uint64(3 * f + 2)] += c


@kernel
def join(
    groups: Ints,
    chunks: Ints,
    span: tuple[int, int, int],
    sides: Sides,
    amounts: Amounts,
    space: Space,
    tally: Tally,
    check: Rows | None,
    lists: Lists | None,
) -> None:
    """Join the queries of ``groups`` with their members.

    Only ``chunks`` of members, or all where there are none (with several groups: always), and only
    query slots from..to of the ``span``, whose first row in ``tally``, which is added to, stands
    for its third number. ``check``: the rows, if hits have to be verified; with None, the code for
    it is not even compiled. With ``lists``, records are listed there instead of adding up amounts;
    if those are in order, only queries after a chunk's first member need to look at it, and what
    they are written to stays in the cache.
    """
    queries, members, sizes = sides.queries, sides.members, tally.sizes
    q_from, q_to, out_base = span
    for g in groups:
        start, stop, first, last = (
            queries.first[g],
            queries.stop[g],
            members.first[g],
            members.stop[g],
        )
        if start < q_from:
            start = q_from
        if stop > q_to:
            stop = q_to
        listed = check is not None or lists is not None
        listed = listed or tally.exact.shape[1] + tally.real.shape[1] > 0
        for c in range(len(chunks) if len(chunks) else (last - first + CHUNK - 1) // CHUNK):
            chunk = first + CHUNK * (chunks[c] if len(chunks) else c)
            count = last - chunk if last - chunk < CHUNK else CHUNK
            query = start
            if lists is not None:  # noqa: SIM102 -- the compiler leaves out what such a line guards
                if lists.ordered:
                    query = _later(queries, start, stop, members.record[chunk])
            if query == stop:
                continue
            _fill_table(g, chunk, count, sides, space)
            _fill_planes(chunk, count, amounts, space.planes)
            if lists is None:  # noqa: SIM102
                if sides.rows.aligned and not listed:  # only their number
                    _visit_all(start, stop, space, queries, out_base, sizes)
                    query = stop
            while query < stop:
                query, hits = _visit(query, stop, space, queries, out_base, sizes)
                if check is not None:
                    _verify(hits, chunk, check, sides, space, out_base, sizes)
                if lists is not None:
                    _list(hits, chunk, sides, space, out_base, lists)
                else:
                    _add(hits, chunk, amounts, space, out_base, tally)
