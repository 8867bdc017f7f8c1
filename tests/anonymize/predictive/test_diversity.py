"""(b,l)-diversity: the golden table, enumeration on few issues,
and what is refused or not decided.
"""

import numpy as np
import pytest
from golden.tables import build
from hypothesis import given
from hypothesis import strategies as st
from naive import diversity as naive
from naive.quasi_groups import quasi_column

from ratingpriv.anonymize.methods import predictive
from ratingpriv.anonymize.predictive import diversity
from ratingpriv.anonymize.predictive.diversity import check_diversity, coverage_of, diversified
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError, TargetNotReachedError

# u1: a5 b3; u2: b4; u3: a1 c2; u4: c4
GOLDEN = build([[5, 3, None], [None, 4, None], [1, None, 2], [None, None, 4]], scale=(1, 5))
PAIRS = [0, 0, 1, 1]
FOUR = build([[1, 1, 1, 1, None], [1, 1, None, None, 1]], scale=(1, 5))


def added(table, labels, b, l, seed=0, **more):  # noqa: E741
    of = np.array(labels, np.int32)
    return diversified(of, table, (b, l), np.random.default_rng(seed), **more).tolist()


def covered(table, labels, *pairs):
    coverage = coverage_of(np.array(labels, np.int32), table)
    for group, issue in pairs:
        assert not coverage[group, issue]
        coverage[group, issue] = True
    return coverage


def sparse(seed, *shape, share):
    drawn = np.random.default_rng(seed).random(shape)
    return build([[1 if x < share else None for x in row] for row in drawn], scale=(1, 5))


@st.composite
def grouped(draw):
    """A table of at most 8 issues, many of them unrated, and groups of its records."""
    issues = draw(st.integers(1, 8))
    row = st.lists(st.sampled_from([None, None, 1, 5]), min_size=issues, max_size=issues)
    rows = draw(st.lists(row, min_size=1, max_size=10))
    t = draw(st.integers(1, min(5, len(rows))))
    labels = draw(st.permutations([i % t for i in range(len(rows))]))
    return build(rows, scale=(1, 5)), list(labels)


def test_golden():
    before = covered(GOLDEN, PAIRS)
    assert before.tolist() == [[True, True, False], [True, False, True]]
    pairs = added(GOLDEN, PAIRS, 1, 2)
    assert pairs == [[0, 2], [1, 1]]  # c to the first group, b to the second; a is in both
    after = covered(GOLDEN, PAIRS, *pairs)
    assert after.all()
    assert check_diversity(after, GOLDEN, 2, 2) is True  # then {a, b} and {a, c} are in both, too
    assert [check_diversity(before, GOLDEN, b, 2) for b in (1, 2)] == [False, False]
    assert check_diversity(before, GOLDEN, 1, 3) is False  # than there are groups


@given(case=grouped(), b=st.integers(1, 4), l=st.integers(1, 5), data=st.data())
def test_it_holds_by_enumeration(
    case,
    b,
    l,  # noqa: E741
    data,
):
    table, labels = case
    own = naive.covered(labels, table)
    if l > len(own):
        with pytest.raises(TargetNotReachedError, match=f"proved: .* at most {len(own)}"):
            added(table, labels, b, l)
        return
    pairs = added(table, labels, b, l, data.draw(st.integers(0, 3)))
    before = covered(table, labels)
    assert [set(np.flatnonzero(row).tolist()) for row in before] == own
    least = naive.least_groups(own, table, b)
    assert check_diversity(before, table, b, l) is (least is None or least >= l)
    after = [set(np.flatnonzero(row).tolist()) for row in covered(table, labels, *pairs)]
    least_after = naive.least_groups(after, table, b)
    assert least_after is None or least_after >= l
    if least is None or least >= l:
        assert not pairs
    counts = [sum(issue in group for group in own) for issue in range(table.n_issues)]
    if b == 1:  # single issues get exactly what they lack
        assert len(pairs) == sum(max(0, l - count) for count in counts if count)


def test_a_pair_gets_the_groups_that_lack_least():
    # {a, b} is rated together in group 0 only; group 2 has b, groups 1 and 3 have neither
    table = build([[1, 1, None], [None, None, 1], [None, 1, None], [None, None, 1]], scale=(1, 5))
    for seed in range(5):
        assert added(table, [0, 1, 2, 3], 2, 2, seed) == [[2, 0]]
    third = {tuple(map(tuple, added(table, [0, 1, 2, 3], 2, 3, seed))) for seed in range(20)}
    assert third == {((1, 0), (1, 1), (2, 0)), ((2, 0), (3, 0), (3, 1))}  # ties at random
    table = build([[1, 1, None]] + [[None, None, 1]] * 5, scale=(1, 5))
    for seed in range(5):  # of equally good groups the least draw decides
        least = 1 + int(np.argmin(np.random.default_rng(seed).random(6)[1:]))
        assert added(table, range(6), 2, 2, seed) == [[least, 0], [least, 1]]


def test_pairs_are_found_across_blocks(monkeypatch):
    table, labels = sparse(2, 20, 11, share=0.3), [i % 4 for i in range(20)]
    whole = added(table, labels, 2, 4)
    monkeypatch.setattr(diversity, "_ROWS", 2)
    beyond = build([[1, None, None, None, 1, 1], [None, None, None, None, 1, None]], scale=(1, 5))
    for block in range(1, 6):
        monkeypatch.setattr(diversity, "_BLOCK", block)
        assert added(table, labels, 2, 4) == whole
        assert added(beyond, [0, 1], 2, 2) == [[1, 0], [1, 5]]


def test_beyond_the_budget_nothing_is_promised(monkeypatch):
    everything = np.ones((2, 5), dtype=np.bool_)
    # issues, pairs and triples: each is looked at once
    monkeypatch.setattr(diversity, "BUDGET", 5 + 8 + 5)
    assert check_diversity(everything, FOUR, 3, 2) is True
    assert added(FOUR, [0, 1], 3, 2)
    monkeypatch.setattr(diversity, "BUDGET", 5 + 8 + 4)
    assert check_diversity(everything, FOUR, 3, 2) is None
    assert check_diversity(covered(FOUR, [0, 1]), FOUR, 3, 2) is False  # c is in one
    with pytest.raises(
        TargetNotReachedError, match=r"not decided: the sets of 3 items.*more than 17\)"
    ):
        added(FOUR, [0, 1], 3, 2)
    monkeypatch.setattr(diversity, "BUDGET", 1)
    for b in (1, 2):  # which are always decided
        assert check_diversity(everything, FOUR, b, 2) is True
        assert added(FOUR, [0, 1], b, 2)


def test_larger_sets_are_not_covered_by_smaller_ones():
    """Of four issues rated together every three are in two groups, all four in one."""
    rows = [[1, 1, 1, 1], [1, 1, 1, None], [1, 1, None, 1], [1, None, 1, 1], [None, 1, 1, 1]]
    assert not added(build(rows, scale=(1, 5)), range(5), 3, 2)
    assert len(added(build(rows, scale=(1, 5)), range(5), 4, 2)) == 1


def test_ratings_of_records_that_are_not_released_count():
    original = build([[1, 1, None, None]] * 4 + [[None, 1, 1, None]], scale=(1, 5))
    kept = original.take(np.arange(4))
    pairs = added(kept, PAIRS, 2, 2, original=original)
    assert pairs == [[0, 2], [1, 2]]  # who knows the fifth record's ratings finds groups, too
    assert check_diversity(covered(kept, PAIRS), original, 2, 2) is False
    region = quasi_column("region", ["n"] * 3 + ["x"])  # whose last one can be in no group
    table = build([[1, 1, None, None]] * 3 + [[None, 1, 1, None]], scale=(1, 5)).replace(
        quasi=(region,)
    )
    release = predictive(table, k=3, rng=0, threads=1, bins=1, diversity=(2, 1))
    assert release.kept.tolist() == [0, 1, 2]
    assert (np.diff(release.table.indptr) == 3).all()


def test_memory_is_refused_with_numbers():
    # 5 bytes for each of 4 groups x 3 issues, 28 for each of the 3 pairs in one group only
    coverage = np.array([[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.bool_)
    table, needed = build([[1, 1, 1]], scale=(1, 5)), 5 * 12 + 28 * 3
    assert check_diversity(coverage, table, 2, 2, resources=Resources(memory=needed)) is False
    with pytest.raises(ResourceError):
        check_diversity(coverage, table, 2, 2, resources=Resources(memory=needed - 1))
    # 2.5 MiB
    everything, table = np.ones((1050, 500), dtype=np.bool_), build([[1] * 500], scale=(1, 5))
    said = "pairs of 500 items in 1,050 groups: 2 MiB are needed, and 1 MiB allowed"
    with pytest.raises(ResourceError, match=said):
        check_diversity(everything, table, 2, 2, resources=Resources(memory=3 << 19))
