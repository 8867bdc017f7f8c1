"""Text: wide, long, MovieLens, Netflix, in odd encodings, packed and damaged."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import warnings
import zipfile
from pathlib import Path

import pyarrow as pa

from fuzz.judging import judged
from fuzz.mutations import TEXTS, damaged, either
from fuzz.samples import asked, long_text, movielens_text, netflix_text, wide_text

__all__ = ["KINDS", "packed"]

ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "utf-7", "cp1252", "latin-1", "ascii", "cp437",
    "shift_jis", "gb18030",
    "euc_kr", "iso2022_jp", "hz", "big5", "koi8-r", "base64", "hex", "rot13", "zlib", "bz2", "uu", "quopri",
    "idna", "punycode",
    "undefined", "unicode_escape", "raw_unicode_escape", "charmap", "mbcs", "oem", "nonsense", "", " ",
    "utf8\x00", "utf\n8",
    "../x", "x" * 2000, "é", "palmos", "cp65001", "UTF_8", "u8", "ptcp154", "utf-16-be", "utf-32-le",
    "\ud800",
)  # fmt: skip


def _encoded(rng: random.Random, text: str) -> tuple[bytes, list[str]]:
    """Return the text as bytes, and what is said of its encoding."""
    usual = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.7:
        return usual, []
    given = rng.choice(ENCODINGS)
    data = usual
    if rng.random() < 0.5:
        try:
            data = text.encode(given, "replace")
        except (LookupError, UnicodeError, ValueError):
            data = usual
    return data, either(rng, 4, ["--set", f"encoding={given}"], 1, [])


def _tried(rng: random.Random, called: str, data: bytes, options: list[str], other: bytes = b"") -> str:
    if rng.random() < 0.4:
        data = damaged(rng, data, other)
    from_stdin = rng.random() < 0.1
    if not from_stdin:
        Path(called).write_bytes(data)
    args, outputs = asked(rng, "-" if from_stdin else called, *options)
    return judged(args, stdin=data if from_stdin else b"", outputs=outputs).word


def _wide(rng: random.Random) -> str:
    text = wide_text(rng)
    data, options = _encoded(rng, text)
    if rng.random() < 0.1:
        options += [
            "--format",
            rng.choice(("delimited", "movielens", "netflix", "parquet", rng.choice(TEXTS))),
        ]
    return _tried(rng, rng.choice(("d.csv", "d.csv", "d.txt", "d.tsv")), data, options)


def _long(rng: random.Random) -> str:
    data, options = _encoded(rng, long_text(rng))
    return _tried(rng, "d.csv", data, options)


def _movielens(rng: random.Random) -> str:
    called, text = movielens_text(rng)
    options = either(rng, 2, [], 1, ["--format", "movielens"])
    return _tried(rng, called, text.encode("utf-8", "surrogatepass"), options)


def _netflix(rng: random.Random) -> str:
    text = netflix_text(rng)
    options = either(rng, 2, [], 1, ["--format", "netflix"])
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.2:
        Path("set").mkdir()
        for number, part in enumerate(text.split(":\n")[:3], 1):
            Path("set", f"mv_000000{number}.txt").write_bytes(
                f"{number}:\n{part}".encode("utf-8", "surrogatepass")
            )
        args, outputs = asked(rng, "set", *options)
        return judged(args, outputs=outputs).word
    return _tried(rng, "combined_data_1.txt", data, options)


def packed(rng: random.Random, data: bytes) -> tuple[str, bytes]:
    """Return the data packed in one of many ways, with a name."""
    match rng.randrange(12):
        case 0:
            return "d.csv.gz", gzip.compress(data, mtime=0)
        case 1:
            half = len(data) // 2
            return "d.csv.gz", gzip.compress(data[:half], mtime=0) + gzip.compress(
                data[half:], mtime=0
            ) + rng.choice((b"", b"\0" * 9, b"x"))
        case 2 | 3:
            return "d.csv.zst", pa.compress(data, "zstd", asbytes=True)
        case 4:
            return "d.csv.xz", lzma.compress(data)
        case 5:
            return "d.csv.lzma", lzma.compress(data, format=lzma.FORMAT_ALONE)
        case 6:
            return "d.csv.bz2", bz2.compress(data)
        case 7:
            return "d.csv.lz4", pa.compress(data, "lz4", asbytes=True)
        case _:
            return "d.zip", _zip(rng, data)


def _zip(rng: random.Random, data: bytes) -> bytes:
    file = io.BytesIO()
    warnings.simplefilter("ignore")  # a name twice
    how = rng.choice(
        (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    )
    with zipfile.ZipFile(file, "w", how) as archive:
        for number in range(either(rng, 1, 0, 10, 1, 1, 2)):
            called = rng.choice(
                ("d.csv", "a/b.csv", "../d.csv", "é.csv", "x" * 60000, "d\x01.csv", "__MACOSX/a", "dir/")
            )
            with archive.open(zipfile.ZipInfo(called), "w", force_zip64=rng.random() < 0.2) as member:
                member.write(data if number == 0 else b"x")
    content = bytearray(file.getvalue())
    if rng.random() < 0.4:  # a field of a header: version, flags, method, CRC, sizes, lengths
        signature = rng.choice((b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"))
        at = content.find(signature)
        if at >= 0:
            place = at + 4 + rng.randrange(26 if signature != b"PK\x05\x06" else 18)
            if place < len(content):
                content[place] = rng.choice((0, 1, 2, 8, 9, 12, 14, 20, 45, 95, 98, 99, 128, 255))
    return bytes(content)


def _packed(rng: random.Random) -> str:
    text = rng.choice((wide_text, long_text, netflix_text))(rng, 0.0)
    called, data = packed(rng, text.encode())
    if rng.random() < 0.2:
        called = rng.choice(("d.csv", "d.zip", "d.gz", "d.parquet", "d"))
    _, other = packed(rng, text.encode())
    return _tried(rng, called, data, [], other)


KINDS = {"wide": _wide, "long": _long, "movielens": _movielens, "netflix": _netflix, "packed": _packed}
