"""What options say of columns: their types, and that none is ignored."""

import math

import polars as pl
import pytest

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.codebook.codebook import Codebook, matches, quasi_rule
from ratingpriv.data.codebook.merging import effective
from ratingpriv.data.codebook.options import ReadOptions, null_tokens
from ratingpriv.data.codebook.roles import NULL_TOKENS, ColumnSpec
from ratingpriv.data.formats.reading import loaders


@pytest.fixture
def rated(tmp_path):
    path = tmp_path / "rated.csv"
    path.write_text("user,item,stars\na,x,1\na,y,2\nb,x,3\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "option", ["quasi", "identifier", "carry", "keep", "sheet", "decimal_comma", "codebook"]
)
def test_a_loader_does_not_ignore_what_it_does_not_know(rated, option, monkeypatch):
    monkeypatch.setattr(type(loaders()["delimited"]), "takes", ())
    value = {
        "sheet": "a",
        "decimal_comma": True,
        "codebook": Codebook(columns={"item": ColumnSpec()}),
    }.get(option, "item")
    with pytest.raises(ParameterError, match=f"no `{option}` for data of the format delimited"):
        ratingpriv.read(rated, **{option: value})


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("quasi", 5), ("keep", [1]), ("sheet", 1), ("decimal_comma", "yes"), ("attributes", 3),
        ("codebook", {"columns": {}}), ("quasi", "age=-1"), ("id", 5), ("issue", [1]),
        ("rating", True),
        ("timestamp", {"a": 1}), ("layout", 5), ("delimiter", 5), ("delimiter", ""),
        ("encoding", [1]),
        ("encoding", ""), ("header", 5), ("header", ""), ("header", {"a": 1}), ("timestamps", None),
        ("null", {"a": 1}), ("only_null", {"a": 1}), ("sensitive_scale", ""),
        ("sensitive_scale", None),
        ("progress", 5),
    ],
)  # fmt: skip
def test_types_are_checked(rated, option, value):
    with pytest.raises(ParameterError, match=f"^{option}: (found|not given)"):
        ratingpriv.read(rated, **{option: value})
    with pytest.raises(ParameterError, match=f"^{option}: (found|not given)"):
        ratingpriv.read(rated, options=ReadOptions(**{option: value}))


@pytest.mark.parametrize(
    ("argument", "value"),
    [("format", 5), ("format", [1]), ("format", {"a": 1}), ("issues", 5), ("issues", ["x"]),
    ("options", 5),
     ("on_detect", 5)],
)  # fmt: skip
def test_arguments_beside_the_options_are_checked(rated, argument, value):
    with pytest.raises(ParameterError, match=f"^{argument}: (found|not given)"):
        ratingpriv.read(rated, **{argument: value})


def test_options_made_by_hand_may_have_lists(rated):
    # a text is one name, not letters
    named = ReadOptions(sensitive="x", ratings=["stars"], layout="long")
    assert ratingpriv.read(rated, options=named).sensitive[0].name == "x"


def test_a_column_has_one_role(rated):
    with pytest.raises(ParameterError, match="one role a column"):
        ratingpriv.read(rated, quasi="age", sensitive="age")
    with pytest.raises(ParameterError, match="one role a column"):
        ratingpriv.read(rated, quasi=["age", "age=2"])


def test_rules_of_quasi_identifiers():
    assert quasi_rule("age") == ("age", None)
    assert quasi_rule("age=5") == ("age", 5.0)
    assert quasi_rule("a=b=0.5") == ("a=b", 0.5)
    assert quasi_rule("a=b") == ("a=b", None)


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_what_may_differ_by_so_much_is_finite(value):
    frame = pl.DataFrame({"id": ["a", "b"], "age": [1.0, value], "q": [1, 2]})
    assert ratingpriv.read(frame, id="id", quasi="age").n_records == 2
    with pytest.raises(ParameterError):
        ratingpriv.read(frame, id="id", quasi="age=2")


def test_null_adds_and_only_null_replaces():
    assert null_tokens(ReadOptions()) == NULL_TOKENS
    assert null_tokens(ReadOptions(null=("-9",))) == (*NULL_TOKENS, "-9")
    assert null_tokens(ReadOptions(only_null=("-",))) == ("", "-")


@pytest.mark.parametrize(
    ("name", "pattern", "fits"),
    [
        ("Q2_1", "Q2_*", True), ("q2_1", "Q2_*", False), ("Q2_*", "Q2_*", True), ("a", "a", True),
        ("a[1]", "a[1]", True), ("a1", "a[1]", True), ("ab", "a", False),
    ],
)  # fmt: skip
def test_patterns(name, pattern, fits):
    assert matches(name, pattern) is fits


def test_one_rating_names_the_column_of_a_long_layout(rated):
    assert ratingpriv.read(rated, ratings="stars").n_issues == 2


def test_an_exact_name_beats_patterns():
    book = Codebook(
        columns={
            "Q*": ColumnSpec(role="rating", scale=(1, 5), missing=("9",)),
            "Q5": ColumnSpec(role="quasi", band=10),
            "Q6": ColumnSpec(scale=(1, 7)),
        }
    )
    assert book.spec_of("Q1") == ColumnSpec(role="rating", scale=(1, 5), missing=("9",))
    assert book.spec_of("Q5") == ColumnSpec(role="quasi", band=10)
    assert book.spec_of("Q6") == ColumnSpec(role="rating", scale=(1, 7), missing=("9",))
    assert book.spec_of("x") == ColumnSpec()


def test_options_beat_the_codebook():
    book = Codebook(
        columns={
            "age": ColumnSpec(role="quasi", within=5, band=10, missing=("99",)),
            "Q*": ColumnSpec(role="rating", scale=(1, 5)),
            "Q9": ColumnSpec(role="carry", labels=("a", "b")),
        },
        missing=("-1",),
    )
    said = ReadOptions(
        quasi=("age",), ratings=("Q9",), identifier=("*",), null=("-2",), drop=("x_*",)
    )
    with pytest.raises(ParameterError):  # a pattern of one role over names of others is two roles
        effective(book, ReadOptions(quasi=("age",), identifier=("age",)))
    said = ReadOptions(quasi=said.quasi, ratings=said.ratings, null=said.null, drop=said.drop)
    made = effective(book, said)
    assert made.columns["age"] == ColumnSpec(role="quasi", band=10, missing=("99",))
    assert made.columns["Q9"] == ColumnSpec(role="rating", labels=("a", "b"))
    assert made.columns["Q*"] == book.columns["Q*"]
    assert made.missing == ("-1", "-2")
    assert made.data["drop"] == ("x_*",)
    assert effective(book, ReadOptions(quasi=("age=2",))).columns["age"].within == 2
    assert effective(book, ReadOptions(carry=("Q*",))).columns["Q9"].role == "carry"


def test_ratings_of_a_wide_layout_do_not_make_it_long(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("id,a,b,c,d\n1,4,5,1,2\n2,4,5,1,3\n", encoding="utf-8")
    assert ratingpriv.read(path, ratings="a").origin.layout == "wide"
    (tmp_path / "few.csv").write_text("id,a,b\n1,4,5\n", encoding="utf-8")
    with pytest.raises(DataError, match="no issue column"):  # as few columns as a long layout has
        ratingpriv.read(tmp_path / "few.csv", ratings="a")
