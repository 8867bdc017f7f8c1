"""What the strategies of [SWLP10, §4.4-4.5] say that cannot be,
and what their examples cost at least.
"""

import itertools

import numpy as np
import pytest

from ratingpriv.anonymize.modification.paper_strategy import modified as modified_issue

pytestmark = pytest.mark.small


def modified(ratings, epsilon, scale=(1, 9)):
    out = np.clip(modified_issue(np.array(ratings, dtype=float), epsilon)[0], *scale)
    return out.tolist(), out.sum() - sum(ratings)


@pytest.mark.parametrize("n", [3, 5, 7, 9])
def test_case_2_1_2_counts_to_n_plus_1(n):
    # "the first (n-1)/2 ratings ... the n/2 th ... and the remaining (n+1)/2 ratings"
    assert (n - 1) // 2 + 1 + (n + 1) // 2 == n + 1
    after, change = modified([4] * (n - 1) + [4 + n], 2)  # the centroid is 5
    assert [after.count(value) for value in (4, 5, 6)] == [(n - 1) // 2, 1, (n - 1) // 2]
    assert change == 0


def test_case_2_2_2_adds_1_and_not_p():
    # r = p·ε + s, "p is added to the first p × ε ratings, and s is added to the last rating". At p
    # = 2 the sum grows by p·p·ε + s where it has to grow by r
    ratings, epsilon = [3, 3, 3, 3, 3, 8], 2
    floor, r = divmod(sum(ratings), len(ratings))
    p, s = divmod(r, epsilon)
    assert (floor, r, p, s) == (3, 5, 2, 1)

    def by_the_text(added):
        return (
            [floor + added] * (p * epsilon)
            + [floor] * (len(ratings) - p * epsilon - 1)
            + [floor + s]
        )

    assert sum(by_the_text(p)) - sum(ratings) == p * p * epsilon + s - r == 4
    assert sum(by_the_text(1)) == sum(ratings)
    assert modified(ratings, epsilon) == (by_the_text(1), 0)


BEFORE = [(5, 6), (2, 5), (4, 7), (5, 6), (4, 6)]
TEXT = [(5, 5), (3, 5), (4, 7), (5, 6), (3, 7)]
MATRIX = [(3, 6), (3, 5), (4, 7), (5, 6), (3, 7)]


def test_example_4s_text_and_matrix_disagree_on_t1_only():
    assert [i for i, (one, other) in enumerate(zip(TEXT, MATRIX, strict=True)) if one != other] == [
        0
    ]
    # the text keeps the sums, the matrix does not
    sums = [sum(column) for column in zip(*BEFORE, strict=True)]
    assert [sum(column) for column in zip(*TEXT, strict=True)] == sums == [20, 30]
    assert [sum(column) for column in zip(*MATRIX, strict=True)] == [18, 31]
    # and goes by rank: who rated less never ends with more
    for issue in (0, 1):
        ratings = [row[issue] for row in BEFORE]
        assert sorted(modified(ratings, 2)[0]) == sorted(row[issue] for row in TEXT)
        assert by_rank(ratings, [row[issue] for row in TEXT])
    assert not by_rank([row[0] for row in BEFORE], [row[0] for row in MATRIX])


def by_rank(before, after):
    pairs = itertools.permutations(zip(before, after, strict=True), 2)
    return all(
        one_after <= other_after for (one, one_after), (other, other_after) in pairs if one < other
    )


def least_distortion(column, epsilon, scale):
    """The least Σ|x - x'| (null as 0) that makes one issue's ratings pairwise ε-proximate,
    by trying all.
    """
    values = range(scale[0], scale[1] + 1)
    return min(
        sum(abs((x or 0) - (y or 0)) for x, y in zip(column, after, strict=True))
        for after in [(None,) * len(column), *itertools.product(values, repeat=len(column))]
        if None in after or max(after) - min(after) <= epsilon
    )


def test_case_3s_example_costs_8_and_not_10():
    # Table 2, k = 3, ε = 2: t5 and t6 borrow t2. Erasing issue 2 costs 5, filling issue 3 with 5
    # costs 5
    t2, t5, t6 = (2, 5, None), (1, None, 5), (2, None, 6)
    columns = list(zip(t2, t5, t6, strict=True))
    assert [least_distortion(column, 2, (1, 7)) for column in columns] == [0, 4, 4]
    # issue 2: 5, ∅, ∅ to 3, 1, 1. Issue 3: ∅, 5, 6 to 3, 5, 5. Both fill with ratings that the
    # group has not
    assert abs(5 - 3) + 1 + 1 == 3 + abs(6 - 5) == 4


def test_a_filled_rating_may_be_cheaper_outside_the_groups_own():
    assert least_distortion((3, None, 4), 2, (1, 5)) == 2
    own = [after for after in itertools.product((3, 4), repeat=3) if max(after) - min(after) <= 2]
    assert min(abs(3 - a) + b + abs(4 - c) for a, b, c in own) == 3
