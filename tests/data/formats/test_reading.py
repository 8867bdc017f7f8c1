"""Finding the loader, options, sources: everything of ratingpriv.read
that is no format's own business.
"""

import gc
import hashlib
import io
import os
import threading
import warnings
from pathlib import Path

import pytest

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError, UnknownFormatError
from ratingpriv.data.formats import reading
from ratingpriv.data.formats.reading import Detection, ReadOptions, Source
from ratingpriv.data.formats.sources import Spool

WIDE = "id,a,b\nx,1,2\ny,3,\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    path.write_text(WIDE)
    return path


class Claimer:
    """A loader that claims everything with the given confidence."""

    description = "for tests"

    def __init__(self, name: str, confidence: float | None) -> None:
        self.name, self._confidence = name, confidence

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        return (
            None
            if self._confidence is None
            else Detection(self._confidence, f"{self.name} says so")
        )

    def load(self, source: Source, options: ReadOptions) -> ratingpriv.RatingTable:
        raise DataError(reading.Problem(source.name, self.name, "nothing"))


def install(monkeypatch: pytest.MonkeyPatch, *claimers: Claimer) -> None:
    monkeypatch.setattr(reading, "loaders", lambda: {claimer.name: claimer for claimer in claimers})


def test_loader_that_cannot_be_imported_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    good = EntryPoint(
        "delimited", "ratingpriv_loaders.text.loader:DelimitedLoader", "ratingpriv.loaders"
    )
    bad = EntryPoint("broken", "no_such_package:Loader", "ratingpriv.loaders")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [bad, good])
    with pytest.warns(UserWarning, match="broken"):
        assert list(reading.loaders.__wrapped__()) == ["delimited"]


def test_the_surest_loader_a_tie_and_no_claim(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, Claimer("one", 0.2), Claimer("two", 0.8), Claimer("three", None))
    loader, claim = reading.detect(Source(path))
    assert (loader.name, claim.reason) == ("two", "two says so")
    install(monkeypatch, Claimer("one", 0.8), Claimer("two", 0.8))
    with pytest.raises(UnknownFormatError, match="one says so"):
        ratingpriv.read(path)
    install(monkeypatch, Claimer("one", None))
    with pytest.raises(UnknownFormatError, match="`format`"):
        ratingpriv.read(path)


def test_format_overrides_detection(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, Claimer("one", 0.2), Claimer("two", 0.8))
    with pytest.raises(DataError, match="found one"):
        ratingpriv.read(path, format="one")
    with pytest.raises(ParameterError, match="one of the formats one, two"):
        ratingpriv.read(path, format="three")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sensitve": ["a"]}, "did you mean sensitive"),
        ({"layout": "tall"}, "long, wide"),
        ({"duplicates": "max"}, "refuse, first, last, mean"),
        ({"scale": (5, 1)}, "MIN below MAX"),
        ({"scale": "1:5"}, "a pair of numbers"),
        ({"max_problems": 0}, "whole number >= 1"),
        ({"options": ReadOptions(), "layout": "wide"}, "not both"),
    ],
)
def test_wrong_options(path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ratingpriv.read(path, **options)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(WIDE.encode())

    monkeypatch.setattr("sys.stdin", Stdin)
    table = ratingpriv.read("-")
    assert table.record_ids.to_list() == ["x", "y"]
    assert table.origin.name == "<stdin>"
    Stdin.buffer = io.BytesIO(b"id,a,b\nx,1,2\ny,3,z\nw,1,1\n")
    with pytest.raises(DataError, match="<stdin>, line 3, column b"):
        ratingpriv.read("-")


def test_large_standard_input_goes_through_a_temporary_file_without_a_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Spool, "IN_MEMORY", 100)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    data = b"0123456789" * 100
    source = Source("-", io.BytesIO(data))
    assert source.size is None
    with source.open() as one, source.open() as two:
        assert one.read(7) == data[:7]
        assert two.read() == data
        assert one.read() == data[7:]
        assert one.seek(-3, io.SEEK_END) == 997
        assert one.read() == data[-3:]
    assert source.size == 1000
    assert source.head == data
    assert source.sha256() == hashlib.sha256(data).hexdigest()
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_pipe_is_read_once_and_whole(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(WIDE,))
    writer.start()
    table = ratingpriv.read(pipe)
    writer.join()
    assert table.n_records == 2


def test_digest_of_a_folder_depends_on_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    (tmp_path / "b").write_text("2")
    whole = Source(tmp_path).sha256()
    assert Source(tmp_path).sha256([tmp_path / "a"]) != whole
    (tmp_path / "b").rename(tmp_path / "c")
    assert Source(tmp_path).sha256() != whole


def test_odd_paths(tmp_path: Path) -> None:
    for name in ("x" * 5000, "nul\0byte"):
        with pytest.raises(DataError):
            ratingpriv.read(tmp_path / name)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(DataError):
        ratingpriv.read(tmp_path / "loop")


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="a system without /dev/null")
def test_a_stream_is_closed_with_its_source():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(DataError, match="an empty file"):
            ratingpriv.read("/dev/null")
        gc.collect()
    assert [str(one.message) for one in said if one.category is ResourceWarning] == []
