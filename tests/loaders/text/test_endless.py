"""Input without an end, or that becomes so when it is unpacked,
is refused after a bounded part of it.

The limits are small here.
"""

import gzip
import itertools
import zipfile
from pathlib import Path

import pytest

import ratingpriv
from ratingpriv.base.compute import resources
from ratingpriv.base.errors import DataError, ResourceError
from ratingpriv.base.inputs import small_text
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.sources import Source, Spool
from ratingpriv_loaders.text import bytestream

LONG = 1 << 16


class Endless:
    """A stream that begins with one text and goes on with another for ever;
    ``given`` bytes were read.
    """

    def __init__(self, start: bytes, again: bytes) -> None:
        self.rest, self.again, self.given = start, again * (65536 // len(again) + 1), 0

    def read(self, size: int) -> bytes:
        while len(self.rest) < size:
            self.rest += self.again
        piece, self.rest = self.rest[:size], self.rest[size:]
        self.given += size
        return piece


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bytestream, "LONGEST_LINE", LONG)


@pytest.mark.parametrize(
    ("start", "again", "found", "how"),
    [
        (b"", b"\0", "a NUL byte", {}),
        (b"", bytes(range(200, 256)), "which is not utf-8 text", {}),
        (b"", b"a", "a line of more than 65,536 bytes", {}),
        (b"id,a\n", b"1", "a line of more than 65,536 bytes", {}),
        (b'id,a\n"', b"1", "a quoted cell that is never closed", {}),
        (b"", b"1,", "a line of more than 65,536 bytes", {}),
        (b"", b"\n", "a file of empty lines", {}),
        (b"id,a\n", b"\xff", "which is not utf-8 text", {}),
        (b"1:\n1,2,2005-01-01\n", b"1", "a line of more than 65,536 bytes", {}),
        (b"", b"\0", "a file that is no Parquet", {"format": "parquet"}),
    ],
)
def test_endless_streams(start: bytes, again: bytes, found: str, how: dict[str, str]) -> None:
    stream = Endless(start, again)
    with pytest.raises(DataError, match=found):
        ratingpriv.read(Source("-", stream), **how)
    assert stream.given <= 4 * bytestream.CHUNK


def test_a_line_that_is_just_short_enough_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    name = "x" * (LONG - 3)
    path.write_text(f"id,{name}\n1,2\n")
    assert ratingpriv.read(path).issues == (name,)
    path.write_text(f"id,{name}x\n1,2\n")
    with pytest.raises(DataError, match="line 1: found a line of more than 65,536 bytes"):
        ratingpriv.read(path)


def test_packed_texts(tmp_path: Path) -> None:
    endless = b"id,a\n" + b"1" * (4 << 20)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(endless))
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", endless)
    for name in ("a.csv.gz", "a.zip"):
        with pytest.raises(DataError, match="line 2: found a line of more than 65,536 bytes"):
            ratingpriv.read(tmp_path / name)
    for method in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2):
        with zipfile.ZipFile(tmp_path / "odd.zip", "w", method) as archive:
            archive.writestr("a.csv", endless)
        with pytest.raises(DataError, match="which may become any size"):
            ratingpriv.read(tmp_path / "odd.zip")
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as archive:
        archive.write(tmp_path / "a.zip", "a.zip")
    with pytest.raises(DataError, match="a packed file inside a packed file"):
        ratingpriv.read(tmp_path / "outer.zip")


def test_too_many_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_names, "MOST_COLUMNS", 50)
    rows = [",".join(f"q{number}" for number in range(51)), ",".join("1" * 51)]
    (tmp_path / "a.csv").write_text("\n".join(rows) + "\n")
    with pytest.raises(DataError, match="found 51 columns, expected at most 50"):
        ratingpriv.read(tmp_path / "a.csv")


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(Spool, "IN_MEMORY", 1000)
    usage = type("Usage", (), {"free": 10, "total": 1000})
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
    rows = itertools.cycle([b"1,2,3\n"])
    stream = Endless(b"", next(rows))
    with pytest.raises(ResourceError, match="set TMPDIR to a folder on a larger disk"):
        ratingpriv.read(Source("-", stream))
    assert stream.given < 1 << 27
    assert not list(tmp_path.iterdir())


def test_memory_that_is_nearly_used_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = tmp_path / "meminfo"
    memory.write_text("MemTotal: 9000000 kB\nMemAvailable: 102400 kB\nSwapFree: 102400 kB\n")
    path = tmp_path / "a.csv"
    path.write_text("id,a\n1,2\n")
    monkeypatch.setattr(resources, "_MEMORY", memory)
    with pytest.raises(ResourceError, match="200 MiB of memory and swap are left"):
        ratingpriv.read(path)
    memory.write_text("MemAvailable: 102400 kB\nSwapFree: 1024000 kB\n")
    assert ratingpriv.read(path).n_records == 1
    memory.write_text("nothing known\n")
    assert ratingpriv.read(path).n_records == 1


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device on this system")
def test_small_files_that_have_no_end() -> None:
    with pytest.raises(OSError, match="a file of more than 16 MiB"):
        small_text("/dev/zero")
