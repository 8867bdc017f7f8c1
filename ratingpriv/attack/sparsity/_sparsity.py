"""Kernels of the nearest-neighbour similarity: arrays in, arrays out."""

from __future__ import annotations

from typing import Any

from ratingpriv.base.compute.compiling import compiled

__all__ = ["false_matches", "nearest", "work"]

_compiled = compiled(fastmath=False, error_model="numpy")


@_compiled
def work(indptr: Any, indices: Any, supports: Any, visits: Any) -> None:
    """Write to ``visits``, int64 (n_records,), how many entries the lists of each record's issues have."""
    for record in range(len(visits)):
        total = 0
        for at in range(indptr[record], indptr[record + 1]):
            total += supports[indices[at]]
        visits[record] = total


@_compiled
def nearest(
    positions: Any, indptr: Any, indices: Any, codes: Any, dates: Any, starts: Any, rows: Any,
    column_codes: Any, column_dates: Any, low: Any, high: Any, tolerance: Any, agreeing: Any, shared: Any,
    touched: Any, similarity: Any, neighbour: Any,
) -> None:  # fmt: skip
    """Find for each of ``positions`` the other record that is most similar, ties by position.

    Plainly: ``max over s of sum_i Sim(r_i, s_i) / |supp(r) or supp(s)|``. ``agreeing`` and ``shared`` are
    zeros of one cell a record, and are left so; ``touched`` has room for every record. Ratings do not matter
    where ``low`` is empty, dates where ``column_dates`` is.
    """
    with_codes, with_dates = len(low) > 0, len(column_dates) > 0
    for place in range(len(positions)):
        record = positions[place]
        own = indptr[record + 1] - indptr[record]
        found = 0
        for at in range(indptr[record], indptr[record + 1]):
            issue = indices[at]
            for other in range(starts[issue], starts[issue + 1]):
                row = rows[other]
                if shared[row] == 0:
                    touched[found] = row
                    found += 1
                shared[row] += 1
                same = True
                if with_codes:
                    code = column_codes[other]
                    same = low[codes[at]] <= code and code <= high[codes[at]]
                if with_dates and same:
                    same = abs(column_dates[other] - dates[at]) <= tolerance  # False where one is NaN
                if same:
                    agreeing[row] += 1
        best, who = 0.0, -1
        for number in range(found):
            row = touched[number]
            if row != record and agreeing[row] > 0:
                union = own + indptr[row + 1] - indptr[row] - shared[row]
                value = agreeing[row] / union
                if value > best or (value == best and row < who):
                    best, who = value, row
            agreeing[row] = 0
            shared[row] = 0
        similarity[place] = best
        neighbour[place] = who


@_compiled
def false_matches(
    positions: Any, indptr: Any, indices: Any, codes: Any, known: Any, starts: Any, rows: Any,
    column_codes: Any, low: Any, high: Any, least: Any, agreed: Any, agreeing: Any, shared: Any, touched: Any,
    by_support: Any, by_similarity: Any,
) -> None:  # fmt: skip
    """Tell for each of ``positions`` whether a record that agrees on all that is known is a false match.

    ``known`` marks ratings of the table. A false match agrees on less than ``least`` of the target's ratings
    (``by_support``), or its similarity over both supports is at most that (``by_similarity``). ``agreed``,
    ``agreeing`` and ``shared`` are zeros of one cell a record, and are left so.
    """
    for place in range(len(positions)):
        record = positions[place]
        own = indptr[record + 1] - indptr[record]
        found, asked = 0, 0
        for at in range(indptr[record], indptr[record + 1]):
            issue = indices[at]
            asked += known[at]
            for other in range(starts[issue], starts[issue + 1]):
                row = rows[other]
                if shared[row] == 0:
                    touched[found] = row
                    found += 1
                shared[row] += 1
                code = column_codes[other]
                if low[codes[at]] <= code and code <= high[codes[at]]:
                    agreeing[row] += 1
                    agreed[row] += known[at]
        for number in range(found):
            row = touched[number]
            if row != record and agreed[row] == asked:
                union = own + indptr[row + 1] - indptr[row] - shared[row]
                if agreeing[row] < least * own:
                    by_support[place] = True
                if agreeing[row] <= least * union:
                    by_similarity[place] = True
            agreed[row] = 0
            agreeing[row] = 0
            shared[row] = 0
