"""Laws of known ratings [ours]: deleting and blanking, windows without a centre,
what attacks find.
"""

import numpy as np
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from known_samples import table_of, tables
from naive import known as naive

import ratingpriv
from ratingpriv.audit.known import known_ratings, unicity

SOME = {"k": st.integers(1, 4), "epsilon": st.sampled_from([0.0, 1.0, 2.0]), "m": st.integers(1, 3)}


def left(table, **demand):
    """How many ratings narrow each record down, and how many records they leave:
    larger is better.
    """
    found = known_ratings(table, **demand)
    return [(m or 99, few) for m, few in zip(found.smallest_m, found.fewest, strict=True)]


def rows_of(table):
    return [
        [naive.ratings(table, t).get(j) for j in range(table.n_issues)]
        for t in range(table.n_records)
    ]


@given(table=tables(), data=st.data(), **SOME)
@settings(max_examples=25 * DEPTH)
def test_without_an_issue_nobody_is_left_with_fewer(table, data, k, epsilon, m):
    gone = data.draw(st.integers(0, table.n_issues - 1))
    rows = [[None if j == gone else value for j, value in enumerate(row)] for row in rows_of(table)]
    demand = {"k": min(k, table.n_records), "epsilon": epsilon, "m": m}
    assert all(
        a >= b for a, b in zip(left(table_of(rows), **demand), left(table, **demand), strict=True)
    )


@given(table=tables(), data=st.data(), **SOME)
@settings(max_examples=25 * DEPTH)
def test_a_blanked_cell_never_harms_its_own_record(table, data, k, epsilon, m):
    rows = rows_of(table)
    t, j = (
        data.draw(st.integers(0, table.n_records - 1)),
        data.draw(st.integers(0, table.n_issues - 1)),
    )
    demand = {"k": min(k, table.n_records), "epsilon": epsilon, "m": m}
    before, rows[t][j] = left(table, **demand)[t], None
    assert left(table_of(rows), **demand)[t] >= before


def test_a_blanked_cell_and_a_deleted_record_can_harm_others():
    same = {"k": 3, "epsilon": 0, "m": 1}
    assert known_ratings(table_of([[3], [3], [3]]), **same).satisfied
    blanked = known_ratings(table_of([[None], [3], [3]]), **same)
    assert (blanked.smallest_m.tolist(), blanked.fewest.tolist()) == ([0, 1, 1], [0, 2, 2])
    assert not known_ratings(
        table_of([[3], [3]]), **{**same, "k": 2, "epsilon": 0}
    ).smallest_m.any()
    assert known_ratings(table_of([[3], [3], [4]]), **{**same, "k": 2}).smallest_m.tolist() == [
        0,
        0,
        1,
    ]


@pytest.mark.parametrize(
    ("algorithm", "mean"), [("scoreboard", "below_k"), ("matching-set", "pick")]
)
def test_random_known_ratings_are_what_an_attack_knows(algorithm, mean):
    rng = np.random.default_rng(3)
    ratings = np.where(rng.random((150, 12)) < 0.5, rng.integers(1, 6, (150, 12)), 0).tolist()
    table = table_of([[value or None for value in row] for row in ratings], (1, 5))
    exactly = {"rating_error": 0, "wrong": 0, "unrated": 0, "options": {"rating_tolerance": 1}}
    attacked = ratingpriv.attack(
        table, algorithm=algorithm, known=3, targets="all", confidence=0.99, **exactly
    )
    found, chance = attacked.to_dict()["success"], unicity(table, m=3, epsilon=1)
    assert chance.exact
    assert found["low"] <= getattr(chance, mean) <= found["high"]
    assert found["high"] - found["low"] < 0.25
    other = unicity(table, m=5, epsilon=1)  # a wrong number is told apart
    assert not found["low"] <= getattr(other, mean) <= found["high"]
