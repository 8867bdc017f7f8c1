"""Batches as rows of the ``load/`` statements, and as plain Python values."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ratingpriv.graph.store import GroupBatch, IssueBatch, PairBatch, RatingBatch, RecordBatch

__all__ = ["group_rows", "issue_rows", "pair_rows", "rating_rows", "record_rows"]


def issue_rows(batch: IssueBatch, start: int, stop: int, offset: int) -> list[dict[str, Any]]:
    """Return issues ``start:stop`` of ``batch``; the first has position ``offset``."""
    pairs = zip(batch.names[start:stop], batch.sensitive[start:stop], strict=True)
    rows: list[dict[str, Any]] = [
        {"name": name, "position": offset + place, "sensitive": bool(sensitive)}
        for place, (name, sensitive) in enumerate(pairs)
    ]
    for row, labels in zip(rows, (batch.labels or ())[start:stop], strict=False):
        if labels is not None:
            row["labels"] = list(labels)
    return rows


def group_rows(batch: GroupBatch, start: int, stop: int, offset: int) -> list[dict[str, Any]]:
    """Return Hamming groups ``start:stop`` of ``batch``; the first has id ``offset``."""
    pairs = zip(batch.sizes[start:stop].tolist(), batch.support_sizes[start:stop].tolist(), strict=True)
    rows: list[dict[str, Any]] = [
        {"id": offset + place, "size": size, "supportSize": s} for place, (size, s) in enumerate(pairs)
    ]
    return _with(rows, batch.quasi, start, stop)


def record_rows(batch: RecordBatch, start: int, stop: int, offset: int) -> list[dict[str, Any]]:
    """Return records ``start:stop`` of ``batch``; the first has position ``offset``."""
    pairs = zip(batch.ids[start:stop], batch.groups[start:stop].tolist(), strict=True)
    rows: list[dict[str, Any]] = [
        {
            "id": id_.item() if isinstance(id_, np.generic) else id_,
            "position": offset + place,
            "hammingGroup": group,
        }
        for place, (id_, group) in enumerate(pairs)
    ]
    if batch.at_risk is not None:
        for row, at_risk in zip(rows, batch.at_risk[start:stop].tolist(), strict=True):
            row["atRisk"] = at_risk
    return _with(rows, batch.quasi, start, stop)


def _with(
    rows: list[dict[str, Any]], more: Sequence[Mapping[str, Any]] | None, start: int, stop: int
) -> list[dict[str, Any]]:
    if more is not None:
        for row, properties in zip(rows, more[start:stop], strict=True):
            row.update(properties)
    return rows


def rating_rows(batch: RatingBatch, start: int, stop: int) -> list[dict[str, Any]]:
    """Return ratings ``start:stop`` of ``batch``."""
    rows: list[dict[str, Any]] = [
        {"record": record, "issue": issue, "properties": {"rating": rating}}
        for record, issue, rating in zip(
            batch.records[start:stop].tolist(),
            batch.issues[start:stop].tolist(),
            batch.ratings[start:stop].tolist(),
            strict=True,
        )
    ]
    if batch.timestamps is not None:
        for row, timestamp in zip(rows, batch.timestamps[start:stop], strict=True):
            if timestamp is not None:
                row["properties"]["timestamp"] = timestamp
    return rows


def pair_rows(batch: PairBatch, start: int, stop: int) -> list[dict[str, Any]]:
    """Return pairs ``start:stop`` of ``batch``, those of one left end together, to look it up once."""
    if start == stop:
        return []
    left = batch.left[start:stop]
    cuts = [0, *(np.flatnonzero(np.diff(left)) + 1).tolist(), stop - start]
    right, distance = batch.right[start:stop].tolist(), batch.distance[start:stop].tolist()
    ends = left[cuts[:-1]].tolist()
    return [
        {"left": ends[place], "right": right[a:b], "distance": distance[a:b]}
        for place, (a, b) in enumerate(itertools.pairwise(cuts))
    ]
