"""About how many ratings a target made: which records could be theirs,
and what knowing it is worth.
"""

from fractions import Fraction

import numpy as np
import pytest
from attack.attack_tables import auxiliary, dated_table, draw
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st

from ratingpriv.attack import scoreboard, scoreboard_rh
from ratingpriv.attack.knowledge.auxiliary import approximate_counts, count_bounds
from ratingpriv_loaders.synthetic.generators import sparse_ratings

pytestmark = pytest.mark.small


def lengths(*numbers):
    """Records that rate so many issues, all of them equally."""
    most = max(numbers)
    records = [dict.fromkeys(range(number), (3, None)) for number in numbers]
    return dated_table(records, issues=most, stamps="none")


def test_ten_fourteen_and_sixteen_stay():
    """c̃ = 14 ± 50 %: 14 / 1.5 = 9.33 <= |supp| <= 14 / 0.5 = 28."""
    bounds = count_bounds(np.array([14.0]), 0.5)
    assert bounds.tolist() == [[10, 28]]
    table = lengths(10, 14, 16, 30)
    aux = auxiliary([{0: (3, None)}], [1], counts=bounds.tolist())
    found = scoreboard_rh(table, aux)
    assert found.n_candidates.tolist() == [3]
    assert set(found.candidates[0].tolist()) - {-1} == {0, 1, 2}
    assert set(scoreboard(table, aux).candidates[0].tolist()) - {-1} == {0, 1, 2}
    assert scoreboard(table, aux).entropy_bits[0] == np.log2(3)


@settings(max_examples=200 * DEPTH)
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 0.99]),
    st.sampled_from([-1, 0, 1]),
)
def test_the_true_count_is_always_within(count, error, end):
    """At both ends, whatever rounding makes of c (1 ± h) / (1 ± h)."""
    low, high = count_bounds(np.array([count * (1 + end * error)]), error)[0]
    assert low <= count <= high


@settings(max_examples=200 * DEPTH)
@given(st.integers(1, 2000), st.sampled_from(["0.1", "0.25", "0.5", "0.75"]))
def test_bounds_are_those_of_fractions(count, error):
    h = Fraction(error)
    low, high = count_bounds(np.array([float(count)]), float(error))[0]
    assert low == -((-Fraction(count) / (1 + h)) // 1)
    assert high == (Fraction(count) / (1 - h)) // 1


def test_counts_are_off_by_up_to_the_error():
    counts = np.full(4000, 100)
    known = approximate_counts(counts, 0.5, np.random.default_rng(1))
    assert 50 <= known.min() < 51
    assert 149 < known.max() <= 150
    assert abs(known.mean() - 100) < 2  # a standard error of 0.46
    assert approximate_counts(counts, 0.0, np.random.default_rng(1)).tolist() == [100.0] * 4000


def test_the_target_always_passes_in_its_own_table():
    table = sparse_ratings(400, 60, 6000, rng=2)
    drawn = draw(table, known=3, knows_count=0.3, rng=4)
    own = np.diff(table.indptr)[drawn.auxiliary.targets]
    assert np.all((drawn.auxiliary.counts[:, 0] <= own) & (own <= drawn.auxiliary.counts[:, 1]))
    assert drawn.parameters["knows_count"] == 0.3
    others = draw(table, known=3, rng=4).auxiliary
    assert others.counts is None
    assert others.issues.tolist() == drawn.auxiliary.issues.tolist()


def test_a_record_of_another_length_is_ruled_out():
    """In a release the own record may have lost ratings: then the adversary is misled,
    and that is told.
    """
    table = lengths(3, 9, 10)
    aux = auxiliary([{0: (3, None)}], [0], counts=[(8, 12)])
    for attack in (scoreboard, scoreboard_rh):
        found = attack(table, aux)
        assert found.n_candidates[0] == 2
        assert found.entropy_bits[0] == np.inf
        assert np.isnan(found.rank_true[0])
        assert 0 not in found.candidates[0]
    nobody = auxiliary([{0: (3, None)}], [0], counts=[(4, 8)])
    for attack in (scoreboard, scoreboard_rh):
        found = attack(table, nobody)
        assert (found.n_candidates[0], found.best[0], found.shannon_bits[0]) == (0, -1, 0)
