"""Hashes of a table: of everything in it, or of who answered what."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from ratingpriv.data.table.table import RatingTable


def fingerprint(table: RatingTable) -> str:
    """Return a hash of everything of ``table`` that a release or a measure of it depends on."""

    def parts() -> Iterator[object]:
        scale = table.scale
        yield None if scale is None else [scale.minimum, scale.maximum, scale.declared]
        yield list(table.issues)
        yield from (table.indptr, table.indices, table.codes, table.levels)
        yield list(map(str, table.record_ids))
        for column in table.sensitive:
            yield from (column.name, column.values, column.present, column.labels)
        for quasi in table.quasi:
            yield from (
                quasi.name,
                quasi.codes,
                quasi.values.to_list(),
                quasi.within,
                quasi.recoded,
            )
        for series in (*table.carried, *(() if table.timestamps is None else (table.timestamps,))):
            yield from (series.name, [str(value) for value in series])

    return _sha256(parts())


def answers_sha256(table: RatingTable) -> str:
    """Return a hash of who answered what, hexadecimal: of ids,
    and of every column but those carried.
    """

    def parts() -> Iterator[object]:
        yield from (list(map(str, table.record_ids)), list(table.issues))
        yield from (table.indptr, table.indices, np.ascontiguousarray(table.values))
        for secret in table.sensitive:
            values = np.where(secret.present, secret.values, np.nan)
            yield from (secret.name, values, list(secret.labels or ()))
        for column in table.quasi:
            texts = pl.Series([*column.values.cast(pl.String).to_list(), None], dtype=pl.String)
            places = pl.Series(column.codes.astype(np.int64) % len(texts))
            yield from (column.name, texts.gather(places).to_list())

    return _sha256(parts())


def _sha256(parts: Iterable[object]) -> str:
    """Return the hash of arrays and of what JSON can say, each after its length."""
    digest = hashlib.sha256()
    for part in parts:
        content = (
            part.tobytes() if isinstance(part, np.ndarray) else json.dumps(part).encode("ascii")
        )
        digest.update(len(content).to_bytes(8))
        digest.update(content)
    return digest.hexdigest()
