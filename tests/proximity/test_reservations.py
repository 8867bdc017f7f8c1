"""What is due beside every verdict because of what was asked, by its code and in its words."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from golden.tables import build

from ratingpriv.audit.parameters import AuditParameters
from ratingpriv.base.reservations import RESERVATIONS
from ratingpriv.data.table import AnswerRange, Joined, Scale
from ratingpriv.data.table.parts import Roles, Spellings
from ratingpriv.proximity.reservations import of_columns, reservations, reservations_of


def named(*names: str) -> list[SimpleNamespace]:
    return [SimpleNamespace(name=name) for name in names]


def data(
    records=3,
    issues=2,
    ratings=6,
    levels=(1, 2, 5),
    quasi=(),
    carried=(),
    guessed=(),
    scale=None,
    uncounted=(),
    repeats=(),
    ranges=None,
    lacks_quasi=False,
    joined=None,
    unsaid=None,
    idle=(),
    sensitive=(),
):
    return SimpleNamespace(
        n_records=records, n_issues=issues, n_ratings=ratings, levels=np.array(levels, dtype=float),
        quasi=named(*quasi), carried=named(*carried), guessed=guessed, scale=scale,
        uncounted=uncounted,
        repeats=repeats, answer_ranges=ranges_of(ranges or {}), lacks_quasi=lacks_quasi,
        joined=joined, spellings=None, unsaid=unsaid, idle_quasi=idle, sensitive=sensitive,
    )  # fmt: skip


def ranges_of(ends):
    """Answers by question: least, largest, and whether there is one of every record."""
    return {
        name: AnswerRange(*one, *([True] if len(one) == 2 else [])) for name, one in ends.items()
    }


def due(of, nulls="strict", k=2, epsilon=1.0, **demands):
    asked = AuditParameters(k=k or 1, epsilon=epsilon, nulls=nulls, **demands)
    return list(reservations(of, asked, k=k))


def said(of, nulls="strict", k=2, epsilon=1.0, **demands):
    return {one.code: one.message for one in due(of, nulls, k, epsilon, **demands)}


@pytest.mark.parametrize(
    ("of", "nulls", "k", "codes"),
    [
        (data(), "strict", None, []),
        (data(), "strict", 2, []),
        (data(), "strict", 1, ["k-asks-nothing"]),
        (data(), "wildcard", 2, []),
        (data(ratings=5), "wildcard", 2, ["nulls-wildcard"]),
        (data(lacks_quasi=True), "wildcard", 2, ["nulls-wildcard"]),
        (data(lacks_quasi=True), "strict", 2, []),
        (data(ratings=5), "strict", 2, []),
        (data(issues=0, ratings=0, levels=()), "wildcard", 2, ["no-answers"]),
        (data(issues=0, ratings=0, levels=(), quasi=("age",)), "strict", 2, ["no-ratings"]),
        (data(issues=1, ratings=3, quasi=("age",)), "strict", 2, []),
        (data(levels=(), ratings=0), "strict", 2, ["no-answers"]),
        (data(issues=0, levels=(), ratings=0), "strict", 2, ["no-answers"]),
        (data(quasi=("age", "sex"), idle=("sex",)), "strict", 2, ["quasi-asks-nothing"]),
        (data(levels=(3,)), "strict", 2, []),
        (data(carried=("note",)), "strict", 2, ["carried-columns"]),
    ],
)
def test_what_is_due(of, nulls, k, codes):
    assert list(said(of, nulls, k)) == codes


@pytest.mark.parametrize(
    ("ratings", "quasi", "nulls", "left"),
    [
        (6, (), "strict", ""),
        (6, (), "wildcard", ""),
        (5, (), "wildcard", ""),
        (5, (), "strict", ", and only which items are rated distinguishes records"),
        (6, ("age", "zip"), "strict", ", and only age, zip distinguish records"),
        (5, ("age",), "strict", ", and only which items are rated and age distinguish records"),
        (5, ("age",), "wildcard", ", and only age distinguishes records"),
    ],
)
def test_an_epsilon_over_the_whole_range(ratings, quasi, nulls, left):
    of = data(ratings=ratings, quasi=quasi)
    assert "epsilon-covers-range" not in said(of, nulls, epsilon=3.999)
    message = said(of, nulls, epsilon=4.0)["epsilon-covers-range"]
    assert message == (
        f"epsilon 4 covers the whole range of ratings (1 to 5): any two ratings are "
        f"indistinguishable{left}. " + RESERVATIONS["epsilon-covers-range"].remedy
    )


@pytest.mark.parametrize(
    ("ranges", "epsilon", "said"),
    [
        ({"a": (1, 2), "b": (1, 5)}, 1, "1 of 2 items distinguishes no records at epsilon 1"),
        ({"a": (1, 2), "b": (0, 1)}, 1, "2 of 2 items distinguish no records at epsilon 1"),
        (
            {"a": (0.6, 0.8), "b": (1, 5)},
            0.2,
            "1 of 2 items distinguishes no records at epsilon 0.2",
        ),
        ({"a": (1, 2), "b": (1, 5)}, 0.5, None),
        ({"a": (1, 2), "b": (1, 5)}, 0, None),
        (
            {"a": (1, 2, False), "b": (1, 5)},
            1,
            "1 of 2 items distinguishes no records at epsilon 1",
        ),
        ({"a": (3, 3), "b": (1, 5)}, 1, "1 of 2 items distinguishes no records at epsilon 1"),
        ({"a": (3, 3), "b": (1, 5)}, 0, "1 of 2 items distinguishes no records at epsilon 0"),
        # who answered it is told apart from who did not
        ({"a": (3, 3, False), "b": (1, 5)}, 1, None),
        ({}, 1, None),
    ],
)
def test_questions_within_epsilon_are_told(ranges, epsilon, said):
    told = [one.reservation for one in due(data(ranges=ranges), epsilon=epsilon)]
    assert told == ([] if said is None else [said])


def test_where_the_ranges_are_not_known_that_is_told():
    of = data()
    of.answer_ranges = None
    assert list(said(of)) == list(said(of, epsilon=0.0)) == ["epsilon-covers-questions"]
    of = data(quasi=("age",))
    of.idle_quasi = None
    assert list(said(of)) == ["quasi-asks-nothing"]
    assert list(said(data(ranges={"a": (1, 2), "b": (1, 5)}), epsilon=4.0)) == [
        "epsilon-covers-range"
    ]


def test_what_the_store_is_told_comes_back():
    table = build([(0, 1, 3)] * 30 + [(1, 5, 4)] * 30).replace(
        roles=Roles((("email", "identifier"),))
    )
    table.origin.details["repeats"] = (("email", 2, 4),)
    table = table.replace(origin=table.origin.spelled(Spellings.of({"": 2, "NA": 1})))
    told = json.loads(reservations_of(table, 1))
    assert told["answers"] == {"issue 1": [0, 1, True], "issue 3": [3, 4, True]}
    assert told["idle_quasi"] == []
    assert [one["code"] for one in told["cautions"]] == ["null-spellings", "identifier-repeats"]
    assert told["lacks_quasi"] is False


@pytest.mark.parametrize(
    ("guessed", "first"),
    [
        (("age",), "'age': taken for a quasi-identifier and"),
        (("age", "zip"), "'age', 'zip': taken for quasi-identifiers and"),
    ],
)
def test_columns_that_were_guessed(guessed, first):
    (found,) = of_columns(data(guessed=guessed))
    assert (found.code, found.message.startswith(first)) == ("roles-guessed", True)
    assert found.message.endswith(RESERVATIONS["roles-guessed"].remedy)


@pytest.mark.parametrize(
    ("fit", "told"),
    [
        (Joined(4, 2, 3, 1), {"attributes-missing": ("2 of the 4 records", "1 of the 3 records")}),
        (Joined(4, 2, 2, 0), {"attributes-missing": ("2 of the 4 records",)}),
        (Joined(4, 0, 9, 5), {"attributes-unused": ("5 of the 9 records",)}),
        (Joined(4, 0, 4, 0), {}),
    ],
)
def test_records_and_attributes_that_do_not_fit_are_counted(fit, told):
    found = said(data(joined=fit))
    assert set(found) == set(told)
    assert all(words in found[code] for code, expected in told.items() for words in expected)


@pytest.mark.parametrize(
    ("nulls", "epsilon", "left"),
    [
        ("strict", 4.0, ", and only which items are rated distinguishes records"),
        ("strict", 5.0, ""),  # = r: a null is as near as a rating may be
        ("known", 5.0, ", and only which items are rated distinguishes records"),
        ("wildcard", 5.0, ""),
    ],
)
def test_which_issues_are_rated_tells_records_apart_below_r(nulls, epsilon, left):
    found = said(data(ratings=5, scale=Scale(1, 5, declared=True)), nulls, epsilon=epsilon)
    assert f"any two ratings are indistinguishable{left}. " in found["epsilon-covers-range"]
    assert ("epsilon-reaches-null-distance" in found) is (nulls == "strict" and epsilon == 5)


def test_columns_that_are_not_counted_are_named():
    names = [f"c{i}" for i in range(14)]
    assert said(data(uncounted=names[:2]))["columns-not-counted"].startswith(
        "not counted: 'c0', 'c1', as direct identifiers or dropped. A file with these columns "
    )
    few, many = (said(data(uncounted=names[:n]))["columns-not-counted"] for n in (12, 14))
    assert "'c10', 'c11', as" in few
    assert "'c4', 'c5' ... (14 in all), as" in many
    assert (
        "ann@" not in said(data(uncounted=["ann@example.org"]))["columns-not-counted"]
    )  # a cell, by its looks
