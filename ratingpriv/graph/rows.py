"""Batches as rows of the ``load/`` statements,
and what an engine answers as plain Python values.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ratingpriv.graph.store import (
    GroupBatch,
    GrownGroups,
    GrownRecords,
    IssueBatch,
    PairBatch,
    RatingBatch,
    RecordBatch,
)

_ZEROS = re.compile(r"(?:(\.\d*?[1-9])|\.)0+(?!\d)")


class GraphNode(dict[str, Any]):
    """A node as plain values, ``{"labels": [...], "properties": {...}}``;
    ``key`` tells it from others.
    """

    __slots__ = ("key",)

    def __init__(self, key: object, labels: Sequence[str], properties: Mapping[str, Any]) -> None:
        super().__init__(labels=sorted(labels), properties=properties)
        self.key = str(key)


class GraphRelationship(dict[str, Any]):
    """A relationship as plain values, ``{"type": ..., "properties": {...}}``;
    it knows its two nodes.
    """

    __slots__ = ("end", "key", "start")

    def __init__(
        self, key: object, start: object, end: object, kind: str, properties: Mapping[str, Any]
    ) -> None:
        super().__init__(type=kind, properties=properties)
        self.key, self.start, self.end = str(key), str(start), str(end)


def as_text(value: Any) -> Any:
    """Return a date or a time as ISO 8601 says it, bytes in hexadecimal.

    Any other value as it is.
    """
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


def _rows(start: int, stop: int, **columns: Any) -> list[dict[str, Any]]:
    """Return rows ``start:stop`` of columns as maps;
    to an engine a value that is None is no property.
    """
    parts = {name: column[start:stop] for name, column in columns.items() if column is not None}
    values = [part.tolist() if isinstance(part, np.ndarray) else part for part in parts.values()]
    return [dict(zip(parts, row, strict=True)) for row in zip(*values, strict=True)]


def issue_rows(batch: IssueBatch, start: int, stop: int, offset: int) -> list[dict[str, Any]]:
    """Return issues ``start:stop`` of ``batch``; the first has position ``offset``."""
    labels = batch.labels and [None if texts is None else list(texts) for texts in batch.labels]
    places = range(offset - start, offset - start + stop)
    return _rows(
        start, stop, name=batch.names, position=places, sensitive=batch.sensitive, labels=labels
    )


def group_rows(batch: GroupBatch, start: int, stop: int, offset: int) -> list[dict[str, Any]]:
    """Return Hamming groups ``start:stop`` of ``batch``; the first has id ``offset``."""
    ids, more = range(offset - start, offset - start + stop), batch.quasi or {}
    return _rows(start, stop, id=ids, size=batch.sizes, supportSize=batch.support_sizes, **more)


def record_rows(batch: RecordBatch, start: int, stop: int, offset: int) -> list[dict[str, Any]]:
    """Return records ``start:stop`` of ``batch``; the first has position ``offset``."""
    places, more = range(offset - start, offset - start + stop), batch.quasi or {}
    properties = {
        "hammingGroup": batch.groups,
        "sizes": batch.sizes,
        "atRisk": batch.at_risk,
        **more,
    }
    return _rows(start, stop, id=batch.ids, position=places, **properties)


def grown_group_rows(grown: GrownGroups, start: int, stop: int) -> list[dict[str, Any]]:
    """Return the groups ``start:stop`` that have more records now."""
    return _rows(start, stop, id=grown.ids, size=grown.sizes)


def grown_record_rows(grown: GrownRecords, start: int, stop: int) -> list[dict[str, Any]]:
    """Return the records ``start:stop`` that have other neighbourhoods now."""
    return _rows(start, stop, position=grown.positions, sizes=grown.sizes, **(grown.quasi or {}))


def ratings_said(batch: RatingBatch, start: int, stop: int) -> list[dict[str, Any]]:
    """Return the properties of the ratings ``start:stop`` of ``batch``."""
    return _rows(start, stop, rating=batch.ratings, timestamp=batch.timestamps)


def rating_rows(batch: RatingBatch, start: int, stop: int, _: int) -> list[dict[str, Any]]:
    """Return ratings ``start:stop`` of ``batch``."""
    rows = _rows(start, stop, record=batch.records, issue=batch.issues)
    sentences = ratings_said(batch, start, stop)
    return [
        {**row, "properties": properties} for row, properties in zip(rows, sentences, strict=True)
    ]


def pair_rows(batch: PairBatch, start: int, stop: int, _: int) -> list[dict[str, Any]]:
    """Return pairs ``start:stop`` of ``batch``, those of one left end together,
    to look it up once.
    """
    left, right, distance = (part[start:stop] for part in (batch.left, batch.right, batch.distance))
    cuts = [0, *(np.flatnonzero(np.diff(left)) + 1).tolist(), len(left)]
    return [
        {"left": int(left[a]), "right": right[a:b].tolist(), "distance": distance[a:b].tolist()}
        for a, b in itertools.pairwise(cuts)
    ]


ROWS: Mapping[str, Callable[[Any, int, int, int], list[dict[str, Any]]]] = {
    "issues": issue_rows,
    "groups": group_rows,
    "records": record_rows,
    "ratings": rating_rows,
    "pairs": pair_rows,
}
"""By the kind of a batch what makes rows ``start:stop`` of it, the first of them number
``offset``.
"""
