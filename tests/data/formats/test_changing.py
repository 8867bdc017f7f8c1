"""The hash of a table is that of the bytes it was read from, however the file changes meanwhile.

Somebody changes the file before the n-th time it is opened, for every n there is. What comes out is
a message, or a table and a hash that belong together: they are those of one of two copies that
nobody touched.
"""

import contextlib
import gzip
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
from release_samples import anonymized, survey

import ratingpriv
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import DataError
from ratingpriv.data.formats import reading
from ratingpriv.data.formats.sources import Source

BEFORE = "id,a,b\nx,1,2\ny,3,4\n"
AFTER = "id,a,b\nx,5,5\ny,3,4\n"
TAB = "1\t2\t3\t881250949\n2\t2\t4\t881250949\n"
MOVIE = "1:\n1,3,2005-09-06\n2,4,2005-09-06\n"


def delimited(path: Path, text: str) -> None:
    path.write_text(text)


def packed(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def zipped(path: Path, text: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a.csv"), text)


def parquet(path: Path, text: str) -> None:
    pl.read_csv(text.encode()).write_parquet(path)


def folder_of(
    name: str, text: str, write: Callable[[Path, str], None]
) -> Callable[[Path, str], None]:
    """A folder of a file that changes and another that does not."""

    def put(path: Path, changed: str) -> None:
        path.mkdir(exist_ok=True)
        for place, content in ((name.format(1), changed), (name.format(2), text)):
            write(path / "new", content)
            (path / "new").replace(path / place)

    return put


KINDS: dict[str, tuple[Callable[[Path, str], None], str, str]] = {
    "a.csv": (delimited, BEFORE, AFTER),
    "a.csv.gz": (packed, BEFORE, AFTER),
    "a.zip": (zipped, BEFORE, AFTER),
    "a.parquet": (parquet, BEFORE, AFTER),
    "parts": (
        folder_of("{}.parquet", BEFORE.replace("x", "p").replace("y", "q"), parquet),
        BEFORE,
        AFTER,
    ),
    "netflix": (
        folder_of("mv_{}.txt", "2:\n1,1,2005-09-06\n", delimited),
        MOVIE,
        MOVIE + "3,1,2005-09-07\n",
    ),
    "u.data": (delimited, TAB, TAB + "3\t2\t1\t881250949\n"),
}


@contextlib.contextmanager
def changing(at: int, change: Callable[[], None]) -> Iterator[list[int]]:
    """Call ``change`` before the file is opened for the ``at``-th time; gives how often it was."""
    opened = [0]

    def before(real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **more: object) -> object:
            opened[0] += 1
            if opened[0] == at + 1:
                change()
            return real(*args, **more)

        return call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", before(Path.open))
        patch.setattr(pq.ParquetFile, "__init__", before(pq.ParquetFile.__init__))
        patch.setattr(os, "fstat", before(os.fstat))
        # in the midst of it
        patch.setattr(reading, "PROGRESS", before(lambda *_: None), raising=False)
        yield opened


def told(path: Path) -> tuple[str | None, list[object]]:
    table = ratingpriv.read(path, progress=getattr(reading, "PROGRESS", None))
    return table.origin.sha256, table.to_wide().rows()


@pytest.mark.parametrize(
    ("held", "how"), [(True, "written"), (False, "written"), (False, "renamed")]
)
@pytest.mark.parametrize("kind", list(KINDS))
def test_hash_and_content_belong_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, how: str, held: bool
) -> None:
    if not held:
        monkeypatch.setattr(Source, "SMALL", 0)
    write, before, after = KINDS[kind]
    copies = {}
    for name, text in (("before", before), ("after", after)):
        (tmp_path / name).mkdir()
        write(tmp_path / name / kind, text)
        copies[told(tmp_path / name / kind)[0]] = told(tmp_path / name / kind)[1]
    assert len(copies) == 2
    path = tmp_path / kind

    def change() -> None:
        new = tmp_path / "after" / kind
        if path.is_dir():
            for part in new.iterdir():
                put(part, path / part.name)
        else:
            put(new, path)

    def put(new: Path, old: Path) -> None:
        if how == "written":
            old.write_bytes(new.read_bytes())
            return
        shutil.copy(new, tmp_path / "copy")
        (tmp_path / "copy").replace(old)

    seen = []
    for at in range(100):
        write(path, before)
        with changing(at, change) as opened:
            try:
                sha256, rows = told(path)
            except DataError as error:
                seen.append("changed while" in str(error))
            else:
                assert copies[sha256] == rows, at
        if opened[0] <= at:
            break
    assert at > 1
    if not held and kind != "netflix":
        assert any(seen)


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("kind", list(KINDS))
def test_a_file_that_is_removed_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, held: bool
) -> None:
    """The whole table, or a message that names what was read; never a part of the table."""
    if not held:
        monkeypatch.setattr(Source, "SMALL", 0)
    write, before, _ = KINDS[kind]
    path = tmp_path / kind

    def remove() -> None:
        (min(path.iterdir()) if path.is_dir() else path).unlink()

    write(path, before)
    whole, said = told(path), []
    for at in range(100):
        write(path, before)
        with changing(at, remove) as opened:
            try:
                assert told(path) == whole, at
            except DataError as error:
                said.append(str(error))
        if opened[0] <= at:
            break
    assert at > 1
    assert said
    assert [message for message in said if kind not in message] == []


def test_verify_reads_the_bytes_that_it_hashed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = survey(tmp_path)
    release = tmp_path / "r.csv"
    written = write_release(anonymized(table, [0, 1, 2, 3]), release)
    good, real = release.read_bytes(), Source.sha256
    bad = good.replace(b",4,", b",1,", 1)
    assert bad != good

    def swap(source: Source, *files: object) -> str:
        digest = real(source, *files)
        (tmp_path / "bad").write_bytes(bad)
        (tmp_path / "bad").replace(release)
        return digest

    monkeypatch.setattr(Source, "sha256", swap)
    found = verify(release)
    assert (found.sha256, found.valid) == (written.sha256, True)  # of the bytes that were there
    monkeypatch.setattr(Source, "SMALL", 0)
    release.write_bytes(good)
    with pytest.raises(DataError, match="changed while it was read"):
        verify(release)
    monkeypatch.setattr(Source, "sha256", real)
    assert not verify(release).valid
