"""Parquet: every type of column in every place, odd names and files, damaged bytes."""

from __future__ import annotations

import datetime
import decimal
import io
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fuzz.judging import judged
from fuzz.mutations import TEXTS, damaged, either
from fuzz.samples import asked

__all__ = ["KIND", "attempt", "column", "written"]

KIND = "parquet"
_DAY = datetime.datetime(2005, 9, 6, 1, 2, 3)


def _whole(rng: random.Random, rows: int) -> list[int]:
    return [rng.randint(1, 5) for _ in range(rows)]


def column(rng: random.Random, rows: int, kind: str) -> pa.Array:
    """Return a column of a kind; ValueError or an ArrowException where this pyarrow has none."""
    whole = _whole(rng, rows)
    if kind in ("int8", "int32", "int64", "uint8", "uint64", "float32", "float64", "float16", "bool_"):
        values: list[Any] = [value % 2 == 0 for value in whole] if kind == "bool_" else list(whole)
        if kind.startswith("float") and rows and rng.random() < 0.2:
            values[0] = rng.choice((float("nan"), float("inf"), 1e155, 1e300, 0.1, -0.0, 5e-324))
        if kind in ("int64", "uint64") and rows and rng.random() < 0.2:
            values[0] = 2**63 - 1
        if rng.random() < 0.2:
            values = [None if rng.random() < 0.3 else value for value in values]
        return pa.array(values).cast(getattr(pa, kind)())
    match kind:
        case "decimal128":
            return pa.array([decimal.Decimal(value) for value in whole], pa.decimal128(38, 2))
        case "decimal256":
            return pa.array([decimal.Decimal(value) for value in whole], pa.decimal256(70, 2))
        case "string" | "large_string" | "string_view" | "binary" | "large_binary":
            texts = [
                rng.choice(TEXTS).replace("\ud800", "") if rng.random() < 0.1 else f"x{n}"
                for n in range(rows)
            ]
            return pa.array(texts).cast(getattr(pa, kind)())
        case "not_text":
            array = pa.array(
                [rng.choice((b"\xff", b"\xc3", b"a\x80", b"ok")) for _ in range(rows)], pa.binary()
            )
            return pa.Array.from_buffers(pa.string(), rows, array.buffers())
        case "dictionary":
            return pa.array([str(value) for value in whole]).dictionary_encode()
        case "dictionary_numbers":
            return pa.array(whole).dictionary_encode()
        case "null":
            return pa.nulls(rows)
        case "date32" | "date64":
            return pa.array([_DAY.date()] * rows, getattr(pa, kind)())
        case "timestamp":
            zone = rng.choice((None, "UTC", "Europe/Berlin", "Mars/Olympus", "+99:99", "", "x" * 40, "é"))
            return pa.array([rng.choice((0, 10**15, 2**63 - 1, -(2**63) + 1)) for _ in range(rows)]).cast(
                pa.timestamp(rng.choice(("s", "ms", "us", "ns")), zone)
            )
        case "time32":
            return pa.array(whole, pa.int32()).cast(pa.time32("s"))
        case "duration":
            return pa.array(whole, pa.duration(rng.choice(("s", "ns"))))
        case "interval":
            return pa.array([(1, 2, 3)] * rows, pa.month_day_nano_interval())
        case "list":
            return pa.array([[value] for value in whole])
        case "fixed_list":
            return pa.array([[1, 2]] * rows, pa.list_(pa.int64(), 2))
        case "struct":
            return pa.array([{"a": value} for value in whole], pa.struct([("a", pa.int64())]))
        case "map":
            return pa.array([[("a", 1)]] * rows, pa.map_(pa.string(), pa.int64()))
        case "fixed_binary":
            return pa.array([b"abcd"] * rows, pa.binary(4))
        case _:
            raise ValueError(kind)


KINDS_OF_COLUMN = (
    "int8", "int32", "int64", "uint8", "uint64", "float32", "float64", "float16", "bool_", "decimal128",
    "decimal256", "string", "large_string", "string_view", "binary", "large_binary", "not_text", "dictionary",
    "dictionary_numbers", "null", "date32", "date64", "timestamp", "time32", "duration", "interval", "list",
    "fixed_list", "struct", "map", "fixed_binary",
)  # fmt: skip


def written(arrays: list[pa.Array], names: list[str], **settings: Any) -> bytes:
    """Return a Parquet file."""
    file = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, names=names), file, **settings)
    return file.getvalue()


def _table(rng: random.Random) -> bytes:
    rows = rng.choice((0, 1, 3, 6, 6, 9))
    long = rng.random() < 0.5
    usual = ["string", "string", "int64", "timestamp"][: rng.choice((3, 4))] if long else [
        "int64", "int8", "float64", "uint8"
    ]  # fmt: skip
    names = ["user", "item", "rating", "date"] if long else ["id", "q1", "q2", "age"]
    arrays = []
    for kind in usual:
        chosen = rng.choice(KINDS_OF_COLUMN) if rng.random() < 0.12 else kind
        try:
            arrays.append(column(rng, rows, chosen))
        except (pa.ArrowException, ValueError, TypeError, OverflowError):
            arrays.append(column(rng, rows, "int64"))
    called = [
        rng.choice(TEXTS).replace("\ud800", "") if rng.random() < 0.04 else name
        for name in names[: len(arrays)]
    ]
    settings: dict[str, Any] = {
        "compression": rng.choice(("snappy", "gzip", "zstd", "none", "lz4", "brotli")),
        "row_group_size": rng.choice((1, 2, 1000)),
        "version": rng.choice(("1.0", "2.4", "2.6")),
        "data_page_version": rng.choice(("1.0", "2.0")),
        "use_dictionary": rng.random() < 0.5,
        "write_statistics": rng.random() < 0.8,
        "store_schema": rng.random() < 0.8,
    }
    try:
        return written(arrays, called, **settings)
    except (pa.ArrowException, ValueError):
        return written([pa.array(_whole(rng, rows)) for _ in called], called)


def attempt(rng: random.Random) -> str:
    data = _table(rng)
    match rng.randrange(12):
        case 0 | 1 | 2 | 3:
            data = damaged(rng, data, _table(rng))
        case 4 | 5:  # the footer alone: names, types, offsets, counts
            size = int.from_bytes(data[-8:-4], "little")
            start = max(4, len(data) - 8 - size)
            footer = bytearray(data[start:-8])
            for _ in range(rng.choice((1, 1, 2, 5))):
                if footer:
                    footer[rng.randrange(len(footer))] = rng.randrange(256)
            data = data[:start] + bytes(footer) + data[-8:]
        case 6:
            data = (
                data[:-8]
                + rng.choice((0, 1, 2**31, 2**32 - 1, len(data))).to_bytes(4, "little")
                + rng.choice((b"PAR1", b"PARE", b"PAR2"))
            )
        case 7:
            data = rng.choice(
                (b"PAR1", b"PAR1PAR1", b"PARE" + data[4:-4] + b"PARE", b"PAR1" + b"\0" * 8 + b"PAR1", b"")
            )
        case _:
            pass
    match either(rng, 9, "file", 1, "stdin", 2, "folder"):
        case "file":
            Path("d.parquet").write_bytes(data)
            args, outputs = asked(rng, "d.parquet")
            return judged(args, outputs=outputs).word
        case "stdin":
            args, outputs = asked(rng, "-")
            return judged(args, stdin=data, outputs=outputs).word
        case _:
            Path("set").mkdir()
            Path("set/a.parquet").write_bytes(data)
            Path("set/b.parquet").write_bytes(_table(rng))
            args, outputs = asked(rng, "set")
            return judged(args, outputs=outputs).word
