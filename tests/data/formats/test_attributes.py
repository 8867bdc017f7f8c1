"""Attributes of records beside long ratings: joined by id, by role,
and only where somebody names them.
"""

from collections import Counter
from pathlib import Path

import pytest

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.roles import ColumnSpec
from ratingpriv.data.formats.reading import Source, detect
from ratingpriv.data.table import RatingTable

RATINGS = "user,item,rating\nb,x,1\na,x,2\na,y,5\nc,x,1\nd,y,3\n"
USERS = (
    "id,age,job,pay,town\na,30,nurse,10,Ulm\nb,40,clerk,20,Bonn\nc,40,,NA,Bonn\n"
    "zz,99,pilot,90,Kiel\n"
)


def write(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return write(tmp_path, RATINGS, "ratings.csv"), write(tmp_path, USERS, "users.csv")


def values_of(table: RatingTable, name: str) -> dict[str, object]:
    """Return what each record has on a quasi-identifier or sensitive issue."""
    ids = table.record_ids.to_list()
    for quasi in table.quasi:
        if quasi.name == name:
            values = quasi.values.to_list()
            return {
                one: values[code] if code >= 0 else None
                for one, code in zip(ids, quasi.codes, strict=True)
            }
    column = table.sensitive_column(name)
    said = [
        (column.labels[int(value)] if column.labels else value) if there else None
        for value, there in zip(column.values, column.present, strict=True)
    ]
    return dict(zip(ids, said, strict=True))


def test_joined_by_record_id(files: tuple[Path, Path]) -> None:
    """A record without attributes has none, and nothing of the others comes in."""
    table = ratingpriv.read(
        files[0], attributes=files[1], quasi=["age", "town"], sensitive=["pay", "job"]
    )
    ages = {"b": 40, "a": 30, "c": 40, "d": None}
    assert {
        one: None if v is None else float(str(v)) for one, v in values_of(table, "age").items()
    } == ages
    assert values_of(table, "town") == {"b": "Bonn", "a": "Ulm", "c": "Bonn", "d": None}
    assert values_of(table, "pay") == {"b": 20.0, "a": 10.0, "c": None, "d": None}
    assert values_of(table, "job") == {"b": "clerk", "a": "nurse", "c": None, "d": None}
    assert all("Kiel" not in column.values.to_list() for column in table.quasi)
    assert (table.n_records, table.n_ratings) == (4, 5)
    plain = ratingpriv.read(files[0])
    assert table.origin.sha256 != plain.origin.sha256
    assert table.indices.tolist() == plain.indices.tolist()


def test_what_nobody_names_is_not_there(files: tuple[Path, Path]) -> None:
    table = ratingpriv.read(files[0], attributes=files[1], quasi=["age"])
    assert [column.name for column in table.quasi] == ["age"]
    assert (table.sensitive, table.carried) == ((), ())
    assert table.roles is not None
    assert ("age", "quasi") in table.roles.columns
    with pytest.raises(ParameterError, match="attributes"):
        ratingpriv.read(files[0], attributes=files[1])


def test_roles_and_recodes_of_a_codebook(files: tuple[Path, Path]) -> None:
    book = Codebook(
        columns={"age": ColumnSpec(role="quasi", within=10.0), "t*": ColumnSpec(role="carry")}
    )
    table = ratingpriv.read(files[0], attributes=files[1], codebook=book)
    assert [(column.name, column.within) for column in table.quasi] == [("age", 10.0)]
    assert [column.name for column in table.carried] == ["town"]
    assert table.carried[0].to_list() == ["Bonn", "Ulm", "Bonn", None]
    wrong = Codebook(columns={"age": ColumnSpec(role="rating")})
    with pytest.raises(DataError, match="role rating of the attribute"):
        ratingpriv.read(files[0], attributes=files[1], codebook=wrong)


def test_a_verdict_counts_them_in(files: tuple[Path, Path]) -> None:
    """Records b and c agree on all; a town apart they are alone."""
    free = ratingpriv.audit(ratingpriv.read(files[0], only=["x"]), k=2, epsilon=1, nulls="wildcard")
    assert free.satisfied
    bound = ratingpriv.read(files[0], attributes=files[1], quasi=["town"], only=["x"])
    assert not ratingpriv.audit(bound, k=2, epsilon=1).satisfied


def test_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    ratings, users = files
    other = write(tmp_path, "id,age\nq,1\nr,2\n", "other.csv")
    with pytest.raises(DataError, match="none of these records"):
        ratingpriv.read(ratings, attributes=other, quasi=["age"])
    nameless = write(tmp_path, "q1,age\n1,30\n2,40\n", "nameless.csv")
    with pytest.raises(DataError, match="attributes without record ids"):
        ratingpriv.read(ratings, attributes=nameless, quasi=["age"])
    twice = write(tmp_path, "id,age\na,30\na,40\n", "twice.csv")
    with pytest.raises(DataError, match="second time"):
        ratingpriv.read(ratings, attributes=twice, quasi=["age"])
    with pytest.raises(ParameterError, match="attributes"):
        ratingpriv.read(ratings, quasi=["age"])
    with pytest.raises(ParameterError, match="rename the column"):
        ratingpriv.read(
            ratings, attributes=write(tmp_path, "id,x\na,1\nb,2\n", "x.csv"), quasi=["x"]
        )
    with pytest.raises(ParameterError, match="a role for a column"):
        ratingpriv.read(ratings, attributes=users, quasi=["aeg"])


def movielens(folder: Path) -> Path:
    folder.mkdir()
    write(
        folder,
        "".join(f"{n % 9 + 1}\t{n % 7 + 1}\t{n % 5 + 1}\t88125094{n % 10}\n" for n in range(60)),
        "u.data",
    )
    users = "".join(
        f"{n}|{20 + n % 3}|{'MF'[n % 2]}|{('writer', 'other')[n % 2]}|1000{n}\n"
        for n in range(1, 10)
    )
    write(folder, users, "u.user")
    return folder


def test_movielens_users_are_found(tmp_path: Path) -> None:
    folder = movielens(tmp_path / "ml")
    claim = detect(Source(folder))[1]
    assert "u.user (age, gender, occupation, zip)" in claim.reason
    how = {"duplicates": "first"}
    plain = ratingpriv.read(folder, **how)
    assert (plain.quasi, plain.sensitive, plain.roles) == ((), (), None)
    for place in (folder, folder / "u.data"):
        table = ratingpriv.read(place, quasi=["age", "gender"], sensitive=["occupation"], **how)
        assert [column.name for column in table.quasi] == ["age", "gender"]
        assert values_of(table, "gender") == {str(n): "MF"[n % 2] for n in range(1, 10)}
        assert table.sensitive_column("occupation").nominal
        assert table.n_ratings == plain.n_ratings
    with pytest.raises((DataError, ParameterError)):
        ratingpriv.read(folder, quasi=["income"], **how)


def test_the_real_movielens(test_data: Path) -> None:
    folder = test_data / "ml-100k"
    table = ratingpriv.read(folder, quasi=["age", "gender"], sensitive=["occupation"])
    judged = [line.split("|") for line in (folder / "u.user").read_text().splitlines()]
    assert Counter(values_of(table, "occupation").values()) == Counter(row[3] for row in judged)
    ages = values_of(table, "age")
    assert all(float(str(ages[row[0]])) == float(row[1]) for row in judged)


@pytest.mark.parametrize(
    ("cells", "nominal"), [("flu,-99", True), ("3,-99", False), (",-99", False)]
)
def test_a_missing_code_does_not_say_what_an_attribute_is(tmp_path, cells, nominal):
    (tmp_path / "l.csv").write_text("user,item,rating\na,q,1\nb,q,1\n")
    first, second = cells.split(",")
    (tmp_path / "a.csv").write_text(f"user,ill\na,{first}\nb,{second}\n")
    said = {"attributes": tmp_path / "a.csv", "sensitive": ["ill"], "null": ["-99"]}
    assert ratingpriv.read(tmp_path / "l.csv", **said).sensitive[0].nominal is nominal
