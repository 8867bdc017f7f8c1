"""No line is lost: what cannot be read of the data, or of files beside them,
is refused by file and line.

A line of the attributes that was left out unsaid made its record like the others that have none:
SATISFIED.
"""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import ratingpriv
from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.formats.describing import describe, describe_raw
from ratingpriv.data.formats.reading import Source, detect, read
from ratingpriv.data.table import Joined, RatingTable
from ratingpriv.graph import ingest, open_store

RATINGS = "user,item,rating\n1,a,3\n2,a,3\n3,a,3\n4,a,3\n"
WHOLE = "user,age,city\n1,20,x\n2,30,Bern\n3,20,x\n4,60,Wien\n"
DAMAGED = {
    "a delimiter in a cell": (
        "user,city,age\n1,x,20\n2,Bern, CH,30\n3,x,20\n4,Wien, AT,60\n",
        [3, 5],
    ),
    "quotes escaped by a backslash": (
        'user,age,city\n1,20,x\n2,30,"a \\"b\\""\n3,20,x\n4,60,y\n',
        [3],
    ),
    "short lines": ("user,age,city\n1,20,x\n2,30\n3,20,x\n4\n", [3, 5]),
    "a quote that is never closed": ('user,age,city\n1,20,x\n2,30,"y\n3,20,x\n4,60,y\n', [3]),
    "a stray quote over a line": ('user,age,city\n1,20,x\n2,30,"y\n3,20,y"\n4,60,y\n', [3]),
    "a stray quote over lines": ('user,city,age\n1,"x,20\n2,y,30\n3,x",20\n4,y,60\n', [2]),
    "a decimal comma": ("user,age,pay\n1,20,5\n2,30,5,5\n3,20,5\n4,60,7\n", [3]),
    "delimiters at some ends": ("user,age,city\n1,20,x\n2,30,y,\n3,20,x\n4,60,z,\n", [3, 5]),
    "what stands behind the last column": ("user,age,\n1,20,\n2,30,\n3,20,\n4,60,x\n", [1]),
    "statistics below": (
        "user,age,city\n1,20,x\n2,20,x\n3,20,x\n4,20,x\nMean,20,\nSD,0,\n",
        [6, 7],
    ),
    "a record twice": ("user,age,city\n1,20,x\n2,20,x\n3,20,x\n4,20,x\n4,60,x\n", [6]),
    "no record": ("user,age,city\n1,20,x\n2,20,x\n3,20,x\n,20,x\n", [5]),
    "a decimal sign of two kinds": ("user;age\n1;20,5\n2;20,5\n3;20.5\n4;20,5\n", [2]),
}


@pytest.fixture
def ratings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(RATINGS)
    return Path("d.csv")


def lines_of(error: DataError, file: str) -> list[int | None]:
    assert {problem.file for problem in error.problems} == {file}
    return [problem.line for problem in error.problems]


@pytest.mark.parametrize("kind", DAMAGED)
def test_attributes_are_refused_by_line(ratings: Path, kind: str) -> None:
    text, lines = DAMAGED[kind]
    Path("u.csv").write_text(text)
    with pytest.raises(DataError) as caught:
        ratingpriv.read(ratings, attributes="u.csv", quasi=["age"])
    assert lines_of(caught.value, "u.csv") == lines
    if kind in ("a record twice", "no record"):
        return  # nobody has said yet what the ids are
    with pytest.raises(DataError) as caught:
        describe("u.csv")
    assert lines_of(caught.value, "u.csv") == lines


def test_lines_and_cells_that_cannot_be_read_are_told_together(ratings: Path) -> None:
    Path("u.csv").write_text("user,pay\n1,5\n2,5,x\n3,five\n4,5\n")
    with pytest.raises(DataError) as caught:
        ratingpriv.read(ratings, attributes="u.csv", sensitive=["pay"])
    assert lines_of(caught.value, "u.csv") == [3, 4]


USERS = {
    "u.user": ("u.data", "{}\t7\t3\t97830076{}\n", "{}|{}|F|writer|1000{}\n"),
    "users.dat": ("ratings.dat", "{}::7::3::97830076{}\n", "{}::F::{}::10::1000{}\n"),
}


@pytest.mark.parametrize("name", USERS)
@pytest.mark.parametrize("damage", ["more", "fewer", "quote"])
def test_the_users_of_movielens_are_refused_by_line(tmp_path: Path, name: str, damage: str) -> None:
    file, rating, user = USERS[name]
    (tmp_path / file).write_text("".join(rating.format(n, n) for n in range(1, 5)))
    lines = [user.format(n, 20 + n % 2, n) for n in range(1, 5)]
    assert not ratingpriv.read(
        _written(tmp_path / name, lines).parent, quasi=["age"]
    ).joined.missing  # type: ignore[union-attr]
    delimiter = "|" if "|" in user else "::"
    lines[1] = {
        "more": lines[1].replace("\n", f"{delimiter}x\n"),
        "fewer": lines[1].rpartition(delimiter)[0] + "\n",
        "quote": '"2"' + lines[1],
    }[damage]
    with pytest.raises(DataError) as caught:
        ratingpriv.read(_written(tmp_path / name, lines).parent, quasi=["age"])
    assert lines_of(caught.value, str(tmp_path / name)) == [2]
    assert ratingpriv.read(tmp_path).n_records == 4  # what nobody names is not read


def _written(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(lines))
    return path


def test_nobody_gets_the_columns_while_there_are_problems(tmp_path: Path) -> None:
    path = _written(tmp_path / "d.csv", ["id,q1\n", "a,1\n", "b,2,3\n"])
    options = ReadOptions()
    raw = detect(Source(path), options)[0].raw(Source(path), options)  # type: ignore[attr-defined]
    for use in (lambda: raw.columns, lambda: describe_raw(raw, options)):
        with pytest.raises(DataError, match="line 3"):
            use()
    with pytest.raises(DataError, match="line 3"):
        dataclasses.replace(raw, unread=(("q1", "drop"),)).columns  # noqa: B018
    again, problems = raw.taken(7)
    assert (len(again.columns), problems.total) == (2, 1)
    assert not again.taken(7)[1]


# -- records without attributes


@pytest.fixture
def missing(ratings: Path) -> RatingTable:
    Path("u.csv").write_text("user,age\n1,20\n3,20\n9,20\n")
    return ratingpriv.read(ratings, attributes="u.csv", quasi=["age"])


RESULTS = {
    "audit": lambda table: ratingpriv.audit(table, k=2, epsilon=1),
    "frontier": lambda table: ratingpriv.frontier(table, k=2),
    "partition": lambda table: ratingpriv.partition(table, k=2, epsilon=1),
    "attack": lambda table: ratingpriv.attack(table, targets=2),
}


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_records_without_attributes_are_counted_in_every_result(
    missing: RatingTable, result
) -> None:
    assert missing.joined == Joined(records=4, missing=2, rows=3, unused=1)
    cautions = {one["code"]: one["message"] for one in result(missing).to_dict()["cautions"]}
    assert cautions["attributes-missing"].startswith("2 of the 4 records that were read")
    assert "1 of the 3 records of the file of attributes" in cautions["attributes-missing"]


def test_a_part_of_the_records_and_a_store_remember_them(missing: RatingTable) -> None:
    part = missing.take(np.arange(2))
    with open_store("embedded::memory:") as store:
        ingest(part, store, dataset="d", epsilon=1)
        for result in (
            ratingpriv.audit(part, k=2, epsilon=1),
            ratingpriv.audit_stored(store.dataset("d"), k=2, epsilon=1),
        ):
            (said,) = [one.message for one in result.cautions if one.code == "attributes-missing"]
            assert said.startswith("2 of the 4 records that were read")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (WHOLE, None),
        (WHOLE + "5,20,x\n", "attributes-unused"),
        ("user,age\n2,20\n1,20\n3,20\n", "attributes-missing"),
        ("user,age\n2,20\n1,20\n3,20\n04,20\n", "attributes-missing"),
        ("user,age\n2,20\n1,20\n3,20\n4,\n", None),
        ("user,age\n4,20\n", "attributes-missing"),
    ],
)
def test_which_of_the_two_do_not_fit(ratings: Path, text: str, code: str | None) -> None:
    Path("u.csv").write_text(text)
    table = ratingpriv.read(ratings, attributes="u.csv", quasi=["age"])
    with open_store("embedded::memory:") as store:
        ingest(table, store, dataset="d", epsilon=1)
        stored = ratingpriv.audit_stored(store.dataset("d"), k=2, epsilon=1)
    for result in (ratingpriv.audit(table, k=2, epsilon=1), stored):
        found = [one.code for one in result.cautions if one.code.startswith("attributes-")]
        assert found == ([code] if code else [])


# -- the cases


def test_the_other_cases(test_data: Path) -> None:
    folder = test_data / "cases"
    with pytest.raises(DataError) as caught:
        read(folder / "ml-m1", quasi=["age"])
    assert lines_of(caught.value, str(folder / "ml-m1" / "users.dat")) == [2, 4]
    assert not ratingpriv.audit(read(folder / "ml-m2", quasi=["age"]), k=2, epsilon=1).satisfied
    pay = read(
        folder / "backslash-long.csv",
        attributes=folder / "backslash-a_pay_ok.csv",
        sensitive=["pay"],
    )
    assert not ratingpriv.audit(pay, k=2, epsilon=1, l=2).satisfied
    for name, lines in (("backslash-ragged.csv", [3, 4]), ("backslash-d_total.csv", [5])):
        with pytest.raises(DataError) as caught:
            describe(folder / name)
        assert lines_of(caught.value, str(folder / name)) == lines
    with pytest.raises(DataError, match="line 5: found a line of statistics"):
        read(folder / "csv-maxrow.csv")
    with pytest.raises(DataError, match="row names"):
        read(folder / "csv-writetable.txt")
    assert read(folder / "csv-comment.csv").n_records == 2
