"""Batches as rows of the ``load/`` statements, and what an engine answers as plain Python values."""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ratingpriv.graph.store import GroupBatch, IssueBatch, PairBatch, RatingBatch, RecordBatch

_ZEROS = re.compile(r"(?:(\.\d*?[1-9])|\.)0+(?!\d)")


class GraphNode(dict[str, Any]):
    """A node as plain values, ``{"labels": [...], "properties": {...}}``; ``key`` tells it from others."""

    __slots__ = ("key",)

    def __init__(self, key: object, labels: Sequence[str], properties: Mapping[str, Any]) -> None:
        super().__init__(labels=sorted(labels), properties=properties)
        self.key = str(key)


class GraphRelationship(dict[str, Any]):
    """A relationship as plain values, ``{"type": ..., "properties": {...}}``; it knows its two nodes."""

    __slots__ = ("end", "key", "start")

    def __init__(
        self, key: object, start: object, end: object, kind: str, properties: Mapping[str, Any]
    ) -> None:
        super().__init__(type=kind, properties=properties)
        self.key, self.start, self.end = str(key), str(start), str(end)


def as_text(value: Any) -> Any:
    """Return a date or a time as ISO 8601 says it, bytes in hexadecimal; any other value as it is."""
    if isinstance(value, datetime.date | datetime.time):
        return time_text(value.isoformat())
    if isinstance(value, datetime.timedelta):
        return duration_text(0, value.days, value.seconds * 10**9 + value.microseconds * 1000)
    if isinstance(value, bytes | bytearray):
        return value.hex()
    return value


def time_text(text: str) -> str:
    """Return a time of ISO 8601 without zeros at the end of its seconds; engines differ in them."""
    return _ZEROS.sub(r"\1", text)


def duration_text(months: int, days: int, nanoseconds: int) -> str:
    """Return a duration as ISO 8601 says it, in months, days and seconds, as Neo4j does."""
    seconds, rest = divmod(abs(nanoseconds), 10**9)
    sign = "-" if nanoseconds < 0 else ""
    exact = f"{sign}{seconds}" + (f".{rest:09d}".rstrip("0") if rest else "")
    parts = (f"{months}M" if months else "") + (f"{days}D" if days else "")
    return f"P{parts}" + (f"T{exact}S" if nanoseconds or not parts else "")


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
    if batch.sizes is not None:
        for row, sizes in zip(rows, batch.sizes[start:stop].tolist(), strict=True):
            row["sizes"] = sizes
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
