"""Minimal identifying sets of one record, and the fewest cells to blank:
golden examples and brute force.
"""

import itertools

import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from known_samples import CUBE, TABLE_2, table_of, tables
from naive import known as naive

from ratingpriv import ParameterError
from ratingpriv.audit.known import identifying, identifying_sets, verdict
from ratingpriv.report.pages import page_of


def minimal(table, t, k, epsilon, m):
    """The sets without a smaller one in them, of all that leave fewer than k."""
    found = []
    for size in range(1, m + 1):
        for (issues, _), left in naive.counts(table, t, size, epsilon).items():
            if left < k and not any(set(smaller) <= set(issues) for smaller, _ in found):
                found.append((issues, left))
    return found


@pytest.mark.parametrize(
    ("t", "sets"),
    [
        (0, ()),
        (1, ((("q0", "q1"), 2),)),
        (2, ()),
        (3, ((("q0",), 2),)),
        (4, ((("q2",), 2),)),
        (5, ((("q2",), 2),)),
    ],
)
def test_golden_example(t, sets):
    found = identifying_sets(table_of(TABLE_2), t, k=3, epsilon=1)
    assert (found.sets, found.complete, found.proved) == (sets, True, True)
    assert len(found.blanks) == len(sets)


@given(table=tables(), data=st.data(), k=st.integers(1, 3), epsilon=st.sampled_from([0.0, 1.0]))
@settings(max_examples=25 * DEPTH)
def test_sets_and_blanks_are_those_of_brute_force(table, data, k, epsilon):
    t, k = data.draw(st.integers(0, table.n_records - 1)), min(k, table.n_records)
    found = identifying_sets(table, t, k=k, epsilon=epsilon, m=3)
    sets = minimal(table, t, k, epsilon, 3)
    assert [(tuple(f"q{issue}" for issue in issues), left) for issues, left in sets] == list(
        found.sets
    )
    rated = sorted({issue for issues, _ in found.sets for issue in issues})
    fewest = next(
        size
        for size in range(len(rated) + 1)
        if any(
            all(set(issues) & set(some) for issues, _ in found.sets)
            for some in itertools.combinations(rated, size)
        )
    )
    assert len(found.blanks) == fewest
    assert all(set(issues) & set(found.blanks) for issues, _ in found.sets)


def test_contributions_knock_on_and_the_limit(monkeypatch):
    found = identifying_sets(table_of([[3], [3], [3]]), 0, k=3, epsilon=0)
    assert (found.sets, found.knock_on) == ((), 0)
    found = identifying_sets(table_of([[3, 1], [3, 2], [2, 2], [2, 1]]), 1, k=2, epsilon=0, m=2)
    assert found.sets == ((("q0", "q1"), 1),)
    assert found.contribution == {"q0": 1.0, "q1": 1.0}
    assert found.knock_on == 1  # whoever shared the blanked rating is alone with it now
    monkeypatch.setattr(identifying, "_LIMIT", 1)
    cut = identifying_sets(table_of(CUBE), 0, k=8, epsilon=0)
    assert (cut.complete, cut.blanks, cut.proved) == (False, None, False)
    with pytest.raises(ParameterError):
        identifying_sets(table_of(CUBE), 8, k=2, epsilon=0)


def test_whom_it_would_harm_is_not_said_where_the_search_ended(monkeypatch):
    monkeypatch.setattr(verdict, "BUDGET", 1)
    found = identifying_sets(table_of([[3, 1], [3, 2], [2, 2], [2, 1]]), 1, k=2, epsilon=0, m=2)
    assert (len(found.blanks), found.knock_on) == (1, None)
    assert page_of(found).good is None
    assert identifying_sets(table_of(CUBE), 0, k=2, epsilon=0, blanks=False).blanks is None


def test_sets_that_were_cut_are_no_protection(monkeypatch):
    monkeypatch.setattr(identifying, "_LIMIT", 1)
    found = identifying_sets(table_of(CUBE), 0, k=2, epsilon=0)
    assert (found.sets, found.complete) == ((), False)
    assert page_of(found).headline.startswith("NOT DECIDED")
