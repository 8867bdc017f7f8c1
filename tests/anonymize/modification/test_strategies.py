"""The papers' data modification [SWLP10, §4.5]: its examples,
and its errata with their counterexamples.
"""

import numpy as np
import pytest
from golden.tables import build
from hypothesis import given
from hypothesis import strategies as st
from naive import proximity

from ratingpriv.anonymize.modification.changes import changed_table, no_changes
from ratingpriv.anonymize.modification.paper_strategy import modified as modified_issue
from ratingpriv.anonymize.modification.paper_strategy import modify_as_the_paper
from ratingpriv.base.errors import ParameterError
from ratingpriv.partition.distortion.windows import choose_windows, measure
from ratingpriv.partition.groups import Groups

pytestmark = pytest.mark.small


def paper_issue(values, epsilon, smallest, largest):
    """(What becomes of one issue's ratings, by how much their sum changed) [SWLP10, §4.5]."""
    out = np.clip(modified_issue(values, epsilon)[0], smallest, largest)
    return out, float(out.sum() - values.sum())


def modified(rows, epsilon, *, scale=(1, 7), fabricate=True):
    table = build(rows, scale=scale)
    by = measure(table, epsilon)
    groups = Groups.of_labels(np.zeros(len(rows), dtype=np.int64))
    windows = choose_windows(table, by, *groups.arranged(), fabricate=fabricate)
    changes = no_changes(table, by.numbers)
    notes = modify_as_the_paper(table, windows, by, changes, fabricate=fabricate)
    after = changed_table(table, changes, by.unit)
    return after.to_wide("polars").drop("record").rows(), notes, after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([(5, 6, None), (2, 5, None), (4, 7, None), (5, 6, None)],  # matrix 3: integer, n even
         [(5, 5, None), (3, 5, None), (3, 7, None), (5, 7, None)]),
        # matrix 4: integer, n odd; by rank {3,3,4,5,5} and {5,5,6,7,7} (text and matrix disagree on
        # t1)
        ([(5, 6), (2, 5), (4, 7), (5, 6), (4, 6)], [(5, 5), (3, 5), (3, 7), (5, 6), (4, 7)]),
        ([(5, 6), (2, 5), (4, 6)], [(5, 7), (3, 5), (3, 5)]),  # matrix 5: fraction, ρ at most ε
        # matrix 6: ρ above ε; the first column sums to 15, not 13: the centroid is 15/4, ρ is 3,
        # which fits
        ([(5, 6), (2, 5), (4, 7), (4, 5)], [(4, 6), (4, 6), (3, 5), (4, 6)]),
        ([(5, 6), (1, 5), (3, 6)], [(4, 7), (2, 5), (3, 5)]),  # mixed
    ],
)  # fmt: skip
def test_the_matrices_of_the_paper(before, after):
    rows, notes, _ = modified(before, 2)
    assert (rows, notes) == (after, ())


def test_erratum_epsilon_1_and_n_even_goes_to_the_centroid():
    """The paper's t_c - 1 and t_c + 1 are 2 apart,
    which is no clique at ε = 1 [SWLP10, Case 2.1.1].
    """
    out, changed = paper_issue(np.array([5.0, 2.0, 4.0, 5.0]), 1, 1, 7)
    assert (out.tolist(), changed) == ([4, 4, 4, 4], 0)
    assert (4 + 1) - (4 - 1) > 1
    assert paper_issue(np.array([5.0, 2.0, 4.0, 5.0]), 2, 1, 7)[0].tolist() == [5, 3, 3, 5]


def test_erratum_the_strategies_can_leave_the_scale():
    """t_c + 1 above r, t_c - 1 below the minimum, and ⌊t_c⌋ + ρ above r: shifted,
    and the sum is reported.
    """
    assert [x.tolist() for x in paper_issue(np.array([7.0, 7.0]), 2, 1, 7)[:1]] == [[6, 7]]
    assert paper_issue(np.array([7.0, 7.0]), 2, 1, 7)[1] == -1
    assert paper_issue(np.array([1.0, 1.0]), 2, 1, 7)[1] == 1
    after, changed = paper_issue(np.array([7.0, 7.0, 6.0]), 2, 1, 7)
    assert (after.tolist(), changed) == ([7, 6, 6], -1)
    rows, (note,), _ = modified([(7, 1), (7, 5)], 2, scale=(1, 7))
    assert rows[0][0] == 6
    assert "left the scale in 1 cases" in note
    assert "changes sums by -1 in all" in note


def test_erratum_epsilon_0_and_a_fraction_cannot_keep_the_sum():
    rows, (note,), _ = modified([(1,), (2,), (5,)], 0)
    assert rows == [(3,), (3,), (3,)]
    assert note.startswith("with ε = 0")
    assert "1 were rounded, which changes sums by +1 in all" in note


def test_a_clique_stays_as_it_is():
    rows = [(7, 1), (7, 2)]
    assert modified(rows, 1)[0] == rows  # [SWLP10, §4.5, Case 1]


def test_a_null_counts_0_in_the_centroid_and_is_filled():
    rows, _, _ = modified([(5,), (4,), (None,)], 2)
    assert rows == [(4,), (3,), (2,)]  # 9/3 = 3, by rank: the null is the least
    rows, _, _ = modified([(5,), (4,), (None,)], 2, fabricate=False)
    assert rows == [(None,), (None,), (None,)]
    rows, _, _ = modified([(5, 5), (None, 5), (None, 5), (None, 5)], 2)
    assert [row[0] for row in rows] == [None] * 4  # filling would cost no less


def test_decimals_are_counted_in_steps():
    rows, _, _ = modified([(0.5,), (1.5,), (4.0,)], 1, scale=(0.5, 5))
    assert rows == [(1.9,), (2.0,), (2.1,)]


def test_real_ratings_are_refused():
    with pytest.raises(ParameterError, match="strategy"):
        modified([(1 / 3,), (2.0,)], 0.1, scale=(0, 7))


cells = st.one_of(st.none(), st.integers(1, 5))


@given(st.lists(st.tuples(cells, cells), min_size=2, max_size=8), st.integers(0, 4), st.booleans())
def test_every_result_is_a_clique_on_the_scale(rows, epsilon, fabricate):
    after, notes, table = modified(rows, epsilon, scale=(1, 5), fabricate=fabricate)
    found = proximity.ratings(table)
    for a in found:
        for b in found:
            assert proximity.proximate(table, a, b, epsilon, "strict")
    assert all(cell is None or 1 <= cell <= 5 for row in after for cell in row)
    if not any(None in row for row in rows) and not notes:
        for j in range(2):
            assert sum(row[j] or 0 for row in after) == sum(row[j] or 0 for row in rows)
