"""MovieLens files and folders, told apart from other text by their contents."""

from pathlib import Path

import pytest
from loaders.files import write

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError

TAB = "196\t242\t3\t881250949\n186\t302\t3\t891717742\n196\t302\t5\t878887116\n"
COLONS = "1::1193::5::978300760\n1::661::3::978302109\n2::1193::4::978301968\n"
CSV = "userId,movieId,rating,timestamp\n1,1,4.0,964982703\n1,3,3.5,964981247\n7,1,0.5,964982224\n"


def heard(path: Path, **options: object) -> tuple[ratingpriv.RatingTable, str]:
    names: list[str] = []
    table = ratingpriv.read(
        path, on_detect=lambda loader, claim: names.append(loader.name), **options
    )
    return table, names[0]


@pytest.mark.parametrize(
    ("name", "text", "records", "issues", "ratings"),
    [
        ("u.data", TAB, ["196", "186"], ("242", "302"), [3.0, 5.0, 3.0]),
        ("ratings.dat", COLONS, ["1", "2"], ("1193", "661"), [5.0, 3.0, 4.0]),
        ("ratings.csv", CSV, ["1", "7"], ("1", "3"), [4.0, 3.5, 0.5]),
        ("renamed.txt", COLONS.replace("\n", "\r\n"), ["1", "2"], ("1193", "661"), [5.0, 3.0, 4.0]),
    ],
)
def test_files_and_folders(tmp_path, name, text, records, issues, ratings):
    path = tmp_path / name
    path.write_text(text, newline="")
    (tmp_path / "README").write_text("a folder as it comes")
    places = [path] if name == "renamed.txt" else [path, tmp_path]
    for place in places:
        table, loader = heard(place)
        assert loader == "movielens"
        assert table.record_ids.to_list() == records
        assert table.issues == issues
        assert table.values.tolist() == ratings
        assert table.timestamps is not None
        assert table.timestamps[0] == int(
            text.split("\n")[name == "ratings.csv"]
            .replace("::", ",")
            .replace("\t", ",")
            .split(",")[3]
        )
        assert table.origin.format == "movielens"
        assert table.origin.name == str(place)
        assert table.origin.sha256 is not None


@pytest.mark.parametrize(
    "text",
    [
        "userId,movieId,rating\n1,1,4.0\n",
        "id,a,b,c\n1,2,3,964982703\n",
        "1\t2\t3\t4\n4\t5\t1\t2\n",
        "196\t242\t3\t881250949\n186\t302\tx\t891717742\n",
        "196,242,3,881250949\n",
    ],
)
def test_other_text_is_not_claimed(tmp_path: Path, text: str) -> None:
    from ratingpriv.data.formats.reading import Source, detect

    path = write(tmp_path, text, "ratings.txt")
    assert detect(Source(path))[0].name == "delimited"


def test_described_columns_are_left_to_the_general_loader(tmp_path: Path) -> None:
    path = write(tmp_path, TAB, "u.data")
    with pytest.raises(DataError, match="the column '4', which nothing accounts for"):
        heard(path, id="2", issue="1", rating="3")
    table, loader = heard(path, id="2", issue="1", rating="3", drop=["4"])
    assert table.selection is not None
    assert table.selection.dropped == ("4",)
    assert loader == "delimited"
    assert table.record_ids.to_list() == ["242", "302"]
    with pytest.raises(ParameterError, match="the format movielens fixes it"):
        ratingpriv.read(path, format="movielens", id="2")


def test_broken_line_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, TAB + "1\t2\tx\t881250949\n5\t6\t1\n", "u.data")
    with pytest.raises(DataError) as caught:
        ratingpriv.read(path, format="movielens")
    assert [(problem.line, problem.column) for problem in caught.value.problems] == [
        (4, "rating"),
        (5, None),
    ]


def test_folder_with_two_copies_is_refused(tmp_path: Path) -> None:
    (tmp_path / "u.data").write_text(TAB)
    (tmp_path / "ratings.csv").write_text(CSV)
    with pytest.raises(DataError, match=r"u.data and ratings.csv"):
        ratingpriv.read(tmp_path)
