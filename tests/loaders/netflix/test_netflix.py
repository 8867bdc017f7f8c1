"""Netflix Prize files and folders; line numbers in errors; dates."""

import datetime
from pathlib import Path

import pytest
from loaders.files import write

import ratingpriv
from ratingpriv.base.errors import DataError
from ratingpriv_loaders import netflix

NAME = "combined_data_1.txt"
ONE = "1:\n1488844,3,2005-09-06\n822109,5,2005-05-13\n"
TWO = "2:\n822109,4,2004-02-29\n7,1,1999-12-31\n"


def cells(table: ratingpriv.RatingTable) -> set[tuple[object, ...]]:
    return set(table.to_long("polars").rows())


EXPECTED = {
    ("1488844", "1", 3.0, datetime.date(2005, 9, 6)),
    ("822109", "1", 5.0, datetime.date(2005, 5, 13)),
    ("822109", "2", 4.0, datetime.date(2004, 2, 29)),
    ("7", "2", 1.0, datetime.date(1999, 12, 31)),
}


@pytest.mark.parametrize(
    "files",
    [
        {"combined_data_1.txt": ONE + TWO},
        {"combined_data_1.txt": (ONE + TWO).replace("\n", "\r\n").strip()},
        {"combined_data_1.first20movies.txt": ONE + "\n" + TWO},
        {"combined_data_1.txt": ONE, "combined_data_2.txt": TWO},
        {"mv_0000002.txt": TWO, "mv_0000001.txt": ONE},
        {
            "training_set/mv_0000001.txt": ONE,
            "training_set/mv_0000002.txt": TWO,
            "probe.txt": "1:\n7\n",
        },
    ],
)
def test_files_and_folders(
    tmp_path: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, newline="")
    places = [tmp_path, *([tmp_path / name for name in files] if len(files) == 1 else [])]
    for place in places:
        names: list[str] = []
        table = ratingpriv.read(place, on_detect=lambda loader, claim: names.append(loader.name))  # noqa: B023
        assert names == ["netflix"]
        assert cells(table) == EXPECTED
        assert table.record_ids.to_list() == ["1488844", "822109", "7"]
        assert table.issues == ("1", "2")
        assert table.origin.sha256 is not None


def test_small_pieces_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, ONE + TWO, NAME)
    for size in range(1, 30):
        monkeypatch.setattr(netflix.bytestream, "chunks", _in_pieces(path, size))
        assert (
            cells(netflix.NetflixLoader().load(netflix.Source(path), netflix.ReadOptions()))
            == EXPECTED
        )


def _in_pieces(path: Path, size: int):  # type: ignore[no-untyped-def]
    data = path.read_bytes()
    return lambda source, encoding, *chunk: (
        (data[at : at + size], at + size) for at in range(0, len(data), size)
    )


@pytest.mark.parametrize(
    "text", ["1:\n30878\n2647871\n", "1:\r\n1046323,2005-12-19\r\n", "1:\n2:\n30878\n"]
)
@pytest.mark.parametrize("named", [{}, {"format": "netflix"}])
def test_probe_and_qualifying_files_have_no_ratings(tmp_path, text, named):
    (tmp_path / "probe.txt").write_text(text)
    with pytest.raises(DataError, match="without ratings") as caught:
        ratingpriv.read(tmp_path / "probe.txt", **named)
    assert (caught.value.problems[0].line, caught.value.total) == (1, 1)


def test_every_problem_with_its_line(tmp_path: Path) -> None:
    bad = (
        "x,1,2005-01-01\n07,1,2005-01-01\n5,x,2005-01-01\n5,1,2005-02-29\n5,1\n"
        "nonsense\n\n9,9,2005-01-01\n"
    )
    path = write(tmp_path, ONE + bad, NAME)
    with pytest.raises(DataError) as caught:
        ratingpriv.read(path, format="netflix", scale=(1, 5))
    assert [problem.line for problem in caught.value.problems] == [4, 5, 6, 7, 8, 9, 11]
    assert caught.value.problems[3].cell == "5,1,2005-02-29"
    assert "822109" not in str(caught.value)


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({NAME: "5,1,2005-02-28\n" + ONE}, "line 1: found something else, expected 'movie:'"),
        ({NAME: ONE + "\n822109,5,2005-05-13\n"}, r"line 5.*line 3"),
        ({NAME: ONE, "mv_0000001.txt": ONE}, "both combined_data"),
    ],
    ids=["a rating before any movie", "twice", "both kinds in one folder"],
)
def test_refused(tmp_path: Path, files: dict[str, str], found: str) -> None:
    for name, text in files.items():
        write(tmp_path, text, name)
    with pytest.raises(DataError, match=found):
        ratingpriv.read(tmp_path if len(files) > 1 else tmp_path / NAME, format="netflix")


@pytest.mark.parametrize(
    "text", ["1:\n1046323;2005-12-19\n", "1:\nx\n", "id,a\nx,1\n", "1,2,2005-01-01\n"]
)
def test_other_text_is_not_claimed(tmp_path: Path, text: str) -> None:
    from ratingpriv.data.formats.reading import ReadOptions, Source

    path = write(tmp_path, text, NAME)
    assert netflix.NetflixLoader().detect(Source(path), ReadOptions()) is None
    assert netflix.NetflixLoader().detect(Source(tmp_path), ReadOptions()) is None


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("2005-02-29", False), ("2100-02-29", False), ("2005-13-01", False), ("2005-00-10", False),
        ("2005-1-011", False), ("2005-1-1", False), ("1969-12-31", False), ("2149-01-01", False),
        ("2005-01-01,", False), ("2005-01-01 ", False), ("1970-01-01", True), ("2148-12-31", True),
        ("2004-02-29", True), ("2005-01-32", False),
    ],
)  # fmt: skip
def test_dates(tmp_path: Path, text: str, good: bool) -> None:
    path = write(tmp_path, f"{ONE}5,1,{text}\n", NAME)
    if good:
        times = ratingpriv.read(path, format="netflix").timestamps
        assert times is not None
        assert str(times[-1]) == text
        return
    with pytest.raises(DataError, match="line 4: found something else"):
        ratingpriv.read(path, format="netflix")
