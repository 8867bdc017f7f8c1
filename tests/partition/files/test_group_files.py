"""Groups to a file and back; every problem of a file is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from golden.tables import table2

from ratingpriv.errors import DataError, OutputError
from ratingpriv.partition.files.groups import read_groups, write_groups
from ratingpriv.partition.groups import Groups

GROUPS = Groups.of_labels(np.array([0, 0, 1, 1, -1, -1]))


def test_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    write_groups(GROUPS, table2(), path)
    assert path.read_text(encoding="utf-8") == "record,group\nt1,0\nt2,0\nt3,1\nt4,1\nt5,\nt6,\n"
    assert read_groups(path, table2()).labels.tolist() == GROUPS.labels.tolist()


def test_any_order_and_any_names(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("record,group\nt6,\nt4,red\nt1,blue\nt2,blue\nt3,red\nt5,\n", encoding="utf-8")
    assert read_groups(path, table2()).labels.tolist() == GROUPS.labels.tolist()


def test_an_existing_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match="exists"):
        write_groups(GROUPS, table2(), path)
    assert path.read_text(encoding="utf-8") == "mine"


def test_every_problem_is_named(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("record,group\nt1,0\nt9,0\nt1,1\nt2,0,7\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_groups(path, table2())
    assert [(p.line, p.found) for p in caught.value.problems] == [(3, "t9"), (4, "t1"), (5, "3 values")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an empty file"),
        ("a,b\n", "found a,b, expected the header record,group"),
        ("record,group\nt1,0\n", "no row for 5 records"),
        ("\udc80", "UTF-8"),
    ],
)
def test_files_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "groups.csv"
    path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
    with pytest.raises(DataError, match=message):
        read_groups(path, table2())
    with pytest.raises(DataError, match="No such file"):
        read_groups(tmp_path / "none.csv", table2())
