"""Recodes: equal to their definitions on decimals, and never finer on a coarser level."""

from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.recoding import read_hierarchy, recoded
from ratingpriv.data.codebook.roles import ColumnSpec, clash
from ratingpriv.data.table.building.problems import Problems


def recode(values, *, place=None, **said):
    problems = Problems()
    dtype = pl.String if any(isinstance(value, str) for value in values) else pl.Float64
    made = recoded(
        pl.Series("x", values, dtype=dtype), ColumnSpec(**said), place=place, problems=problems
    )
    problems.raise_if_any()
    assert len(made) == len(values)
    return made.to_list()


@pytest.mark.parametrize(
    ("values", "said", "made"),
    [
        ([20, 29, 30, None], {"band": 10}, ["20-29", "20-29", "30-39", None]),
        ([0, 4, 5], {"band": 5}, ["0-4", "0-4", "5-9"]),
        ([3, 4], {"band": 1}, ["3", "4"]),
        ([0.3, 0.1, 0.35], {"band": 0.1}, ["[0.3, 0.4)", "[0.1, 0.2)", "[0.3, 0.4)"]),
        ([0.5, 1], {"band": 0.5}, ["[0.5, 1)", "[1, 1.5)"]),
        ([-1, 0, 9], {"band": 10}, ["[-10, 0)", "[0, 10)", "[0, 10)"]),
        ([1234567, 5e-300], {"band": 1e6}, ["[1000000, 2000000)", "[0, 1000000)"]),
        ([12, 80, 95], {"top": 80}, [12, 80, 80]),
        ([12, 18, 95], {"bottom": 18}, [18, 18, 95]),
        ([12, 25, 79, 85], {"bottom": 18, "top": 80, "band": 10}, ["<20", "20-29", "70-79", "80+"]),
        ([12, 85], {"bottom": 18, "top": 19, "band": 100}, ["*", "*"]),
        ([1499, 1500, 2500, -500], {"round": 1000}, [1000, 2000, 3000, 0]),
        ([0.15, 0.25, 0.35], {"round": 0.1}, [0.2, 0.3, 0.4]),
        ([84, 86], {"top": 85, "round": 10, "band": 10}, ["80-89", "90+"]),
        ([1, None], {}, [1, None]),
        ([None, None], {"band": 10}, [None, None]),
    ],
)
def test_values(values, said, made):
    assert recode(values, **said) == made


@pytest.mark.parametrize(
    ("values", "said", "message"),
    [
        (["a", None], {"band": 10}, "found text, expected numbers, as they are recoded (band=10)"),
        ([float("nan")], {"top": 10}, "NaN"),
        ([7.0], {"round": 0.333333333333333}, "more than 15 digits"),
    ],
)
def test_refusals(values, said, message):
    with pytest.raises(ValueError, match="column x") as caught:
        recode(values, **said)
    assert message in str(caught.value)


NUMBERS = st.decimals(min_value=-1000, max_value=1000, places=2).map(float)
WIDTHS = st.decimals(min_value="0.01", max_value=50, places=2).map(float)


def fraction(number):
    return Fraction(Decimal(repr(number)))


def ends(band):
    """The band's ends, as a reader takes it from its words."""
    if band.startswith("["):
        low, high = band[1:-1].split(", ")
        return Fraction(low), Fraction(high)
    low, _, high = band.partition("-")
    return Fraction(low), Fraction(high or low) + 1


@given(st.lists(NUMBERS, min_size=1, max_size=20), WIDTHS)
def test_bands_are_what_they_say(values, width):
    for value, band in zip(values, recode(values, band=width), strict=True):
        low, high = ends(band)
        assert low <= fraction(value) < high
        assert high - low == fraction(width)
        assert (low / fraction(width)).denominator == 1


@given(st.lists(NUMBERS, min_size=1, max_size=20), WIDTHS)
def test_rounding_is_to_the_nearest_multiple_halves_up(values, step):
    for value, made in zip(values, recode(values, round=step), strict=True):
        distance = fraction(value) - fraction(made)
        assert (fraction(made) / fraction(step)).denominator == 1
        assert -fraction(step) / 2 <= distance < fraction(step) / 2


@given(st.lists(NUMBERS, unique=True, max_size=20), WIDTHS, NUMBERS)
def test_recodes_keep_the_order(values, width, top):
    values.sort()
    for said in ({"band": width}, {"round": width}, {"top": top}, {"top": top, "band": width}):
        made = recode(values, **said)
        distinct = list(dict.fromkeys(made))
        places = [distinct.index(one) for one in made]
        assert places == sorted(places)


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ({"band": 10, "map": "a.csv"}, "map"),
        ({"role": "quasi", "band": 10, "within": 2}, "band"),
        ({"role": "quasi", "map": "a", "within": 2}, "map"),
        ({"level": 2}, "level"),
        ({"top": 5, "bottom": 5}, "top"),
        ({"role": "rating", "band": 10}, "band"),
        ({"role": "identifier", "labels": ("a", "b")}, "labels"),
        ({"role": "sensitive", "band": 10}, "band"),
        ({"role": "sensitive", "kind": "nominal", "scale": (1, 5)}, "scale"),
        ({"labels": ("a", "b"), "scale": (1, 2)}, "scale"),
        ({"role": "quasi", "kind": "nominal"}, "kind"),
    ],
)
def test_what_does_not_fit_together(said, key):
    found = clash(ColumnSpec(**said))
    assert found is not None
    assert found[0] == key


# -- hierarchies: files of groups, level by level


@pytest.mark.parametrize(
    ("text", "levels", "of"),
    [
        ("value,group\nBern,West\nGraz,East\n", 1, ("West",)),
        ("Bern,West\nGraz,East\n", 1, ("West",)),
        ("Bern;West;Europe\nGraz;East;Europe\n", 2, ("West", "Europe")),
        ("value;level1;level2\r\nBern;West;*\r\n", 2, ("West", "*")),
        ('"Bern","a, b"\n', 1, ("a, b",)),
        ("\ufeffBern\tWest\n\n", 1, ("West",)),
    ],
)
def test_files(written, text, levels, of):
    found = read_hierarchy(written(text))
    assert (found.levels, found.groups["Bern"]) == (levels, of)
    assert "value" not in found.groups


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no values"),
        ("value,group\n", "no values"),
        ("a\nb\n", "line 1: found 1 cell"),
        ("a,b\nc,d,e\n", "line 2: found 3 cells, expected 2"),
        ("1,b\n1.0,c\n", "line 2, column 1: found a value a second time"),
        ("a;x;p\nb;x;q\n", "lies in two groups of level 2"),
        ('a,"b', "line 1, column 2: found a quoted cell that is never closed"),
        (b"a,b\n\xff\xfe,c", "line 2: found bytes that are no UTF-8"),
    ],
)
def test_bad_files(written, text, message):
    with pytest.raises(DataError) as caught:
        read_hierarchy(written(text))
    assert message in str(caught.value)


def test_every_bad_line_is_told(written):
    """A value whose line could not be read would be suppressed,
    or refused as one that the map lacks.
    """
    with pytest.raises(DataError) as caught:
        read_hierarchy(written('value,group\na,x\nb,x,y\n"c"d,x\ne,\na,z\nf\ng,NA\n'))
    assert [problem.line for problem in caught.value.problems] == [3, 4, 5, 6, 7, 8]


def test_no_file(tmp_path):
    with pytest.raises(DataError, match="check the path of map"):
        read_hierarchy(tmp_path / "no.csv")


def mapped(values, place, **said):
    problems = Problems()
    made = recoded(values, ColumnSpec(role="quasi", **said), place=place, problems=problems)
    problems.raise_if_any()
    return made.to_list()


def test_levels(written, tmp_path):
    written("Bern;West;Europe\nGraz;East;Europe\nRiad;Asia;Asia\n", "h.csv")
    book = tmp_path / "survey.toml"
    cities = pl.Series("city", ["Graz", None, "Riad"])
    assert mapped(cities, book, map="h.csv", level=0) == ["Graz", None, "Riad"]
    assert mapped(cities, book, map="h.csv", level=1) == ["East", None, "Asia"]
    assert mapped(cities, book, map="h.csv", level=2) == ["Europe", None, "Asia"]
    with pytest.raises(DataError, match="found 2 levels, expected level 3"):
        mapped(cities, book, map="h.csv", level=3)
    with pytest.raises(DataError, match="expected a stated level"):
        mapped(cities, book, map="h.csv")


def test_a_value_that_is_not_in_the_file_is_refused(written, tmp_path):
    path = written("Bern,West\n")
    with pytest.raises(DataError, match="no line for a value of the column") as caught:
        mapped(pl.Series("city", ["Graz", "Bern", "Graz"]), None, map=str(path))
    assert "Graz" not in str(caught.value)
    with pytest.raises(DataError, match="no line for 2 values"):
        mapped(pl.Series("city", ["Graz", "Wien", "Graz"]), None, map=str(path))


def test_numbers_are_found_however_they_are_written(written):
    path = written("01,low\n2.0,low\n3e0,high\n")
    numbers = pl.Series("x", [1.0, 2.0, 3.0, None])
    assert mapped(numbers, None, map=str(path)) == ["low", "low", "high", None]
    assert mapped(pl.Series("x", [1.0, 9.0]), None, map=str(path), top=3) == ["low", "high"]
