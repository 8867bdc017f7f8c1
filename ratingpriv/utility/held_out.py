"""Holding ratings out, to see how well they are predicted from the rest."""

from __future__ import annotations

import dataclasses

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.coding import Rows, narrowed, relevelled, without


def held_out(
    table: RatingTable,
    share: float,
    rng: np.random.Generator,
    *,
    by_record: NDArray[np.int64],
    by_issue: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Draw a share of the ratings, stratified by record, bool (n_ratings,).

    Of a record with c ratings ⌊c · share⌋ or one more are drawn, so that it is c · share on average, and
    c - 1 at most: each record that has ratings keeps one.

    Parameters
    ----------
    share : 0..1
    by_record, by_issue : positions of records and of issues in the order in which they are drawn from: the
        same ratings are drawn of a table with records and issues in another order
    """
    record = _ranks(by_record)[records_of(table)]
    issue = _ranks(by_issue)[table.indices]
    counts = np.diff(table.indptr)[by_record]
    many = np.minimum(np.floor(counts * share + rng.random(len(counts))), np.maximum(counts - 1, 0))
    order = np.lexsort((issue, record))  # the draws come in this order
    chosen = order[np.lexsort((rng.random(len(order)), record[order]))]
    rank = np.arange(len(chosen)) - np.repeat(np.cumsum(counts) - counts, counts)
    drawn = np.zeros(table.n_ratings, dtype=bool)
    drawn[chosen] = rank < np.repeat(many, counts)
    return drawn


def leave_out(table: RatingTable, gone: NDArray[np.bool_]) -> RatingTable:
    """Return ``table`` without some of its ratings, bool (n_ratings,); its scale stays what it was."""
    rows, levels = relevelled(
        without(Rows(table.indptr, table.indices, table.codes, None), gone), table.levels
    )
    return dataclasses.replace(
        table,
        indptr=rows.indptr,
        indices=rows.indices,
        codes=narrowed(rows.codes, len(levels)),
        levels=levels,
        timestamps=None if table.timestamps is None else table.timestamps.filter(pl.Series(~gone)),
    )


def records_of(table: RatingTable) -> NDArray[np.int32]:
    """Return the record of each rating, int32 (n_ratings,)."""
    return np.repeat(np.arange(table.n_records, dtype=np.int32), np.diff(table.indptr))


def _ranks(order: NDArray[np.int64]) -> NDArray[np.int64]:
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks
