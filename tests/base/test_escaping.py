"""Text of the data in what people read: one line, no formulas, no data taken for names."""

import csv
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv.base.errors import DataError, OutputError, ParameterError, Problem, StoreError
from ratingpriv.base.escaping import csv_safe, looks_like_data, printable, shown_name

EVIL = "a\nb\rc\x1b[2Kd\u2028e\u0085f\u202eg\u200bh\x00i\x07"


@given(st.text())
def test_printable_is_one_line_that_hides_and_turns_nothing(text: str) -> None:
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    assert not [char for char in shown if unicodedata.category(char)[0] in "CZ" and char != " "]
    assert shown == text or not text.isprintable()


@pytest.mark.parametrize(
    "error",
    [
        DataError(Problem(EVIL, EVIL, EVIL, EVIL, 3, EVIL, EVIL)),
        ParameterError(EVIL, EVIL, EVIL, EVIL, cell=EVIL), OutputError(EVIL),
        StoreError(EVIL, EVIL, EVIL),
    ],
)  # fmt: skip
def test_an_error_is_one_line(error: DataError | ParameterError | OutputError | StoreError) -> None:
    for message in (str(error), error.with_cells()):
        assert message.isprintable()


def test_cells_are_shown_when_asked_for_and_cut() -> None:
    problem = Problem("f", "text", "a number", "correct it", 3, "a", "x" * 90)
    assert str(problem) == "f, line 3, column a: found text, expected a number; correct it"
    assert problem.with_cell() == (
        f"f, line 3, column a: found text ('{'x' * 77}...'), expected a number; correct it"
    )
    error = DataError([problem, Problem("f", "nothing", "something")], 9)
    assert str(error).split("\n")[1:] == [
        "f: found nothing, expected something",
        "... and 7 more problems of this file",
    ]
    assert error.with_cells().split("\n")[1:] == str(error).split("\n")[1:]
    named = Problem("f", "text", "a number", column="ann@example.org")
    assert str(named) == "f: found text, expected a number"
    assert "column ann@example.org" in named.with_cell()
    assert (
        ParameterError("truth", "a key", "another", cell="ann")
        .with_cells()
        .endswith("another ('ann')")
    )


@pytest.mark.parametrize(
    ("name", "is_data"),
    [
        *(
            (name, True)
            for name in ("ann@example.org", "203.0.113.7", "2001:db8:0:1::7", "0123456")
        ),
        *((name, True) for name in ("1984-05-06", "+49 89 1234567", "x" * 201)),
        *(
            (name, False)
            for name in (
                "q1",
                "issue 4",
                "Wie zufrieden sind Sie mit 3.5?",
                "pay 2024",
                "1-5",
                "B07",
            )
        ),
    ],
)
def test_a_cell_or_a_question_for_a_name(name: str, is_data: bool) -> None:
    assert looks_like_data(name) is is_data
    assert shown_name(name, 3) == ("column 3" if is_data else repr(name))
    assert (name in shown_name(name)) is not is_data


def formula(cell: str) -> bool:
    """Whether a spreadsheet takes a cell for a formula, in the words of OWASP."""
    return cell.lstrip(" ")[:1] in tuple("=+-@\t\r＝＋－＠") and not number(cell)


def number(cell: str) -> bool:
    try:
        return (
            float(cell) == float(cell)
            and cell.isascii()
            and "_" not in cell
            and cell == cell.strip()
        )
    except ValueError:
        return False


@given(st.text(st.sampled_from("=+-@\t\r\n ,;|\"'a1.e＝"), max_size=12))
def test_no_cell_is_a_formula_whatever_separates_cells(text: str) -> None:
    safe = csv_safe(text)
    if not number(text):
        assert not formula(safe)
        for separator in ",;|\n":  # who takes another separator, and knows no quotes
            assert not [
                part for part in safe.split(separator)[1:] if formula(part) and part[:1] != " "
            ]
    assert safe.replace("'", "") == text.replace("'", "")
    file = io.StringIO(newline="")
    csv.writer(file).writerow([safe, "x"])
    assert next(csv.reader(io.StringIO(file.getvalue(), newline=""))) == [safe, "x"]


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("-2+3", "'-2+3"), ("+x", "'+x"),
        ("\t=1", "'\t'=1"),
        (" =1", "' =1"), ("a;=1", "a;'=1"), ('"=1"', '"\'=1"'), ("-5", "-5"),
        ("+3.5e-2", "+3.5e-2"),
        (-5, -5), (None, None), ("ok - fine", "ok - fine"), ("a=b", "a=b"),
    ],
)  # fmt: skip
def test_formulas_and_numbers(cell: object, safe: object) -> None:
    assert csv_safe(cell) == safe
