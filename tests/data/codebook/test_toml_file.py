"""Codebooks in TOML: what they say, and what is wrong in them, in which line."""

import hashlib
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ratingpriv
from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.files.toml_file import line_of, parse_toml, read_codebook, toml_text
from ratingpriv.data.codebook.options import ReadOptions, with_codebook
from ratingpriv.data.codebook.roles import ROLES, ColumnSpec

SURVEY = """\
[data]
path = "survey.csv"
missing = [-99, "N/A", 9.5]
scale = "1:5"
decimal-comma = true

[columns.ResponseId]
role = "id"

[columns."Q2_*"]   # patterns
role = "rating"
labels = [
    "no",
    "so so",
    "yes",
]

[columns.age]
role = "quasi"
band = 10
top = 80.5

[columns.income]
role = "quasi"
within = 5e3

[columns.pay]
role = "sensitive"
scale = "1:7"

[audit]
k = 5
epsilon = 0.5
"""


def test_what_it_says(written):
    path = written(SURVEY)
    book = read_codebook(path)
    assert book.columns == {
        "ResponseId": ColumnSpec(role="id"),
        "Q2_*": ColumnSpec(role="rating", labels=("no", "so so", "yes")),
        "age": ColumnSpec(role="quasi", band=10, top=80.5),
        "income": ColumnSpec(role="quasi", within=5000),
        "pay": ColumnSpec(role="sensitive", scale=(1, 7)),
    }
    assert book.missing == ("-99", "N/A", "9.5")
    assert book.data == {"path": "survey.csv", "scale": (1, 5), "decimal-comma": True}
    assert book.commands == {"audit": {"k": 5, "epsilon": "0.5"}}
    assert (book.place, book.sha256) == (path, hashlib.sha256(SURVEY.encode()).hexdigest())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k = 1", "line 1: found an unknown table ([k])"),
        ("data = 1", "line 1: found 1 ([data]), expected a table: [data]"),
        ("[colums.a]\nrole = 'id'", "did you mean columns?"),
        (
            "[columns]\na = 'id'",
            "line 2: found 'id' ([columns.a]), expected a table: [columns.NAME]",
        ),
        ("\n[columns.a]\nrol = 'id'", "line 3: found an unknown key ([columns.a] rol)"),
        (
            "[columns.a]\nrole = 'ratin'",
            "line 2: found 'ratin' ([columns.a] role), expected one of id, ",
        ),
        ("[columns.a]\nrole = 'ratin'", "did you mean rating?"),
        ("[columns.a]\nrole = ['id']", "found a list"),
        ("[columns.a]\nrole = 'quasi'\nband = '10'", "line 3: found '10' ([columns.a] band)"),
        ("[columns.a]\nrole = 'quasi'\nband = 0", "expected a number above 0"),
        ("[columns.a]\nrole = 'quasi'\nband = true", "found true"),
        ("[columns.a]\nrole = 'quasi'\nband = inf", "found inf"),
        ("[columns.a]\nrole = 'quasi'\ntop = 1e-400", "expected a number of at most 15 digits"),
        (
            "[columns.a]\nrole = 'quasi'\ntop = 9007199254740993",
            "expected a number of at most 15 digits",
        ),
        ("[columns.a]\nrole = 'quasi'\nwithin = -1", "expected a number >= 0"),
        ("[columns.a]\nrole = 'quasi'\nlevel = 1.0\nmap = 'x'", "expected a whole number >= 0"),
        ("[columns.a]\nscale = '5:1'", 'expected "MIN:MAX"'),
        ("[columns.a]\nscale = [1, 5]", 'expected "MIN:MAX"'),
        ("[columns.a]\nlabels = ['a', 'a']", "expected a list of two or more different words"),
        ("[columns.a]\nmissing = [true]", "expected a list of different texts or numbers"),
        ("[columns.a.b]\nrole = 'id'", 'a name with a dot stands in quotes: [columns."a.b"]'),
        ("[columns.a]\nrole = 'rating'\nband = 3", "line 3: found band of a column of role rating"),
        (
            "[columns.a]\nrole = 'quasi'\nband = 3\nwithin = 2",
            "line 3: found band together with within",
        ),
        ("[columns.a]\nrole = 'quasi'\nmap = 'no.csv'", "expected a hierarchy"),
        ("[data]\ndecimal_comma = true", "did you mean decimal-comma?"),
        ("[data]\nheader = 'yes'", "expected true or false"),
        ("[data]\nlayout = 'wde'", "did you mean wide?"),
        ("[data]\npath = ''", "expected a text"),
        ("a = [", "no TOML"),
        ("[columns.a b]", '[columns."Q 2"]'),
        ("[columns.a]\nrole='id'\n[columns.a]\nrole='id'", "no TOML (Cannot declare"),
        ("x = " + "[" * 5000, "codebook in TOML"),
        ("x = " + "9" * 5000, "no TOML (a whole number of more than 4,300 digits), expected"),
        (
            "[columns.a]\nrole = 1979-05-27",
            "line 2: found the date or time 1979-05-27 ([columns.a] role)",
        ),
        (b"\xff\xfe", "no text in UTF-8"),
    ],
)
def test_what_is_wrong_is_said(written, text, message):
    with pytest.raises(DataError) as caught:
        read_codebook(written(text))
    assert message in str(caught.value)
    assert str(caught.value).count("\n") == 0


def test_no_file(tmp_path):
    for path in (tmp_path / "no.toml", tmp_path, "a\0b"):
        with pytest.raises(DataError, match="expected a codebook"):
            read_codebook(path)


def test_a_large_file_is_not_read(tmp_path):
    path = tmp_path / "large.toml"
    with path.open("wb") as file:
        file.truncate((16 << 20) + 1)
    with pytest.raises(DataError, match="16 MiB"):
        read_codebook(path)


def test_a_hierarchy_lies_beside_the_codebook(written):
    written("Bern;West;Europe\n", "h.csv")
    path = written("[columns.city]\nrole = 'quasi'\nmap = 'h.csv'\nlevel = 2\n")
    assert read_codebook(path).files() == [path.parent / "h.csv"]
    for level, message in (
        ("", "expected level, which of them"),
        ("level = 3", "a level from 0 to 2"),
    ):
        with pytest.raises(DataError, match=message):
            read_codebook(written(f"[columns.city]\nrole = 'quasi'\nmap = 'h.csv'\n{level}\n"))


def test_lines_of_other_spellings():
    assert line_of("columns.age.role = 'id'", ("columns", "age", "role")) == 1
    assert line_of("[columns]\n'a=b' = { role = 'x' }", ("columns", "a=b")) == 2
    assert line_of('x = """\n[data]\n"""\n[data]', ("data",)) == 4
    assert (
        line_of("[columns.a]\r\nlabels = [\r\n1,\r\n]\r\nrole = 2", ("columns", "a", "role")) == 5
    )
    assert line_of("[columns.a]\nlabels = [\n1,\n]", ("columns", "a", "labels")) == 2
    assert line_of("[columns.a]\nlabels = 1", ("columns", "a", "role")) == 1
    assert line_of("a = 1", ("data",)) is None


# ---- options of reading ----


def test_data_options_are_those_of_the_codebook(written):
    book = read_codebook(
        written(
            "[data]\nformat = 'delimited'\ndelimiter = ';'\nmissing = [0]\ndrop = ['c']\n"
            "scale = '1:9'\nattributes = 'a.csv'\nduplicates = 'first'\n"
        )
    )
    filled = with_codebook(ReadOptions(codebook=book, drop=("d",), null=("-",), scale=(1, 5)))
    assert (filled.delimiter, filled.null, filled.drop) == (";", ("0", "-"), ("c", "d"))
    assert (filled.scale, filled.duplicates) == ((1, 5), "first")
    assert filled.attributes == book.place.parent / "a.csv"


def test_reading_by_a_codebook(written):
    data = written("a;b\n1;0\n2;3\n", "data.csv")
    book = written("[data]\nformat = 'delimited'\ndelimiter = ';'\nmissing = [0]\nscale = '1:5'\n")
    table = ratingpriv.read(data, codebook=book)
    assert (table.n_ratings, table.scale.maximum) == (3, 5)
    with pytest.raises(ValueError, match="format: found 'nonsense'"):
        ratingpriv.read(data, codebook=written("[data]\nformat = 'nonsense'\n"))


# ---- writing ----

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
WORDS = st.lists(NAMES.map(str.strip).filter(bool), min_size=2, max_size=4, unique=True).map(tuple)
NUMBERS = st.one_of(
    st.integers(-(10**15), 10**15).map(float), st.decimals(-999, 999, places=3).map(float)
).map(lambda number: number + 0.0)
SPECS = st.one_of(
    st.builds(ColumnSpec, role=st.sampled_from(ROLES), missing=WORDS),
    st.builds(ColumnSpec, role=st.just("rating"), labels=WORDS),
    st.builds(ColumnSpec, role=st.just("quasi"), top=NUMBERS, band=NUMBERS.filter(lambda x: x > 0)),
    st.builds(
        ColumnSpec, role=st.just("sensitive"), scale=st.tuples(st.just(-1000.5), NUMBERS.map(abs))
    ),
)
BOOKS = st.builds(
    Codebook,
    columns=st.dictionaries(NAMES, SPECS, max_size=4),
    missing=WORDS,
    data=st.fixed_dictionaries(
        {"path": NAMES, "drop": WORDS, "header": st.booleans(), "scale": st.just((0.5, 7.0))}
    ),
    commands=st.just({"audit": {"k": 5}}),
)


@given(BOOKS, st.dictionaries(NAMES, st.lists(st.text(max_size=9), max_size=2), max_size=2))
def test_what_is_written_is_read_to_the_same(book, comments):
    text = toml_text(book, comments, opening=["made\nby x"])
    read = parse_toml(text, "x")
    assert text.isprintable() or all(sign.isprintable() or sign == "\n" for sign in text)
    assert {
        name: spec for name, spec in read.columns.items() if spec != ColumnSpec()
    } == book.columns
    assert set(read.columns) == {*book.columns, *comments}
    assert (read.missing, read.data, read.commands) == (book.missing, book.data, book.commands)
    tomllib.loads(text)


def test_comments_stand_under_the_header():
    book = Codebook(columns={"a b": ColumnSpec(role="rating")})
    text = toml_text(
        book, {"a b": ["looks like a rating"], "c": ["nobody knows"]}, opening=["of x.csv"]
    )
    assert text == (
        '# of x.csv\n\n[columns."a b"]\n# looks like a rating\nrole = "rating"\n\n'
        "[columns.c]\n# nobody knows\n"
    )
