"""(b,l)-diversity: the golden table, enumeration on few issues, and what is refused or not decided."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from golden.tables import build
from hypothesis import given
from hypothesis import strategies as st
from naive import diversity as naive
from naive.quasi_groups import quasi_column
from numpy.typing import NDArray

from ratingpriv import RatingTable
from ratingpriv.anonymize.predictive import diversity
from ratingpriv.anonymize.predictive.diversity import (
    Diversified,
    check_diversity,
    coverage_of,
    diversified,
    refuse_beyond_groups,
)
from ratingpriv.anonymize.predictive.predictive import predictive
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, ResourceError, TargetNotReachedError

# u1: a5 b3; u2: b4; u3: a1 c2; u4: c4
GOLDEN = build([[5, 3, None], [None, 4, None], [1, None, 2], [None, None, 4]], scale=(1, 5))
PAIRS = np.array([0, 0, 1, 1], dtype=np.int32)


def widened(table: RatingTable, labels: list[int], b: int, l: int, seed: int = 0) -> Diversified:  # noqa: E741
    return diversified(np.array(labels, np.int32), table, b=b, l=l, rng=np.random.default_rng(seed))


@st.composite
def grouped(draw: st.DrawFn) -> tuple[RatingTable, list[int]]:
    """A table of at most 8 issues, many of them unrated, and groups of its records."""
    issues = draw(st.integers(1, 8))
    row = st.lists(st.sampled_from([None, None, 1, 5]), min_size=issues, max_size=issues)
    rows = draw(st.lists(row, min_size=1, max_size=10))
    t = draw(st.integers(1, min(5, len(rows))))
    labels = draw(st.permutations([i % t for i in range(len(rows))]))
    return build(rows, scale=(1, 5)), list(labels)


def test_golden() -> None:
    assert coverage_of(PAIRS, GOLDEN).tolist() == [[True, True, False], [True, False, True]]
    one = diversified(PAIRS, GOLDEN, b=1, l=2, rng=np.random.default_rng(0))
    assert one.added.tolist() == [[0, 2], [1, 1]]  # c to the first group, b to the second; a is in both
    assert one.coverage.all()
    assert one.satisfied is True
    assert check_diversity(one.coverage, GOLDEN, 2, 2) is True  # then {a, b} and {a, c} are in both, too
    before = coverage_of(PAIRS, GOLDEN)
    assert [check_diversity(before, GOLDEN, b, 2) for b in (1, 2)] == [False, False]


@given(case=grouped(), b=st.integers(1, 4), l=st.integers(1, 5), data=st.data())
def test_it_holds_by_enumeration(
    case: tuple[RatingTable, list[int]],
    b: int,
    l: int,  # noqa: E741
    data: st.DataObject,
) -> None:
    table, labels = case
    own = naive.covered(labels, table)
    if l > len(own):
        with pytest.raises(TargetNotReachedError, match=f"at most {len(own)}"):
            widened(table, labels, b, l)
        return
    made = widened(table, labels, b, l, data.draw(st.integers(0, 3)))
    coverage = coverage_of(np.array(labels, np.int32), table)
    assert [set(np.flatnonzero(row).tolist()) for row in coverage] == own
    least = naive.least_groups(own, table, b)
    assert check_diversity(coverage, table, b, l) is (least is None or least >= l)
    # what was added, and nothing else, is what coverage has more
    for group, issue in made.added.tolist():
        assert not coverage[group, issue]
        coverage[group, issue] = True
    assert (coverage == made.coverage).all()
    after = naive.least_groups([set(np.flatnonzero(row).tolist()) for row in coverage], table, b)
    assert made.satisfied is True
    assert after is None or after >= l
    assert len({tuple(pair) for pair in made.added.tolist()}) == len(made.added)
    if least is None or least >= l:
        assert not len(made.added)


@given(case=grouped(), l=st.integers(1, 5))
def test_single_issues_get_exactly_what_they_lack(case: tuple[RatingTable, list[int]], l: int) -> None:  # noqa: E741
    table, labels = case
    own = naive.covered(labels, table)
    if l > len(own):
        return
    counts = [sum(issue in group for group in own) for issue in range(table.n_issues)]
    lacking = sum(max(0, l - count) for count in counts if count)
    assert len(widened(table, labels, 1, l).added) == lacking


def test_a_pair_gets_the_groups_that_lack_least() -> None:
    # {a, b} is rated together in group 0 only; group 2 has b, groups 1 and 3 have neither
    table = build([[1, 1, None], [None, None, 1], [None, 1, None], [None, None, 1]], scale=(1, 5))
    for seed in range(5):
        made = widened(table, [0, 1, 2, 3], 2, 2, seed)
        assert made.added.tolist() == [[2, 0]]
    third = {tuple(map(tuple, widened(table, [0, 1, 2, 3], 2, 3, seed).added.tolist())) for seed in range(20)}
    assert third == {((1, 0), (1, 1), (2, 0)), ((2, 0), (3, 0), (3, 1))}  # ties at random


@pytest.mark.parametrize("seed", range(5))
def test_of_equally_good_groups_the_least_draw_decides(seed: int) -> None:
    table = build([[1, 1, None]] + [[None, None, 1]] * 5, scale=(1, 5))
    least = 1 + int(np.argmin(np.random.default_rng(seed).random(6)[1:]))
    assert widened(table, list(range(6)), 2, 2, seed).added.tolist() == [[least, 0], [least, 1]]


def test_a_set_that_is_helped_already_is_not_drawn_for() -> None:
    # {a, b} and {a, c} bring all three to the second group, where {b, c} then is as well
    table = build([[1, 1, 1, None], [None, None, None, 1]], scale=(1, 5))
    rng, twin = np.random.default_rng(0), np.random.default_rng(0)
    made = diversified(np.array([0, 1], np.int32), table, b=2, l=2, rng=rng)
    assert made.added.tolist() == [[1, 0], [1, 1], [1, 2]]
    twin.random((2, 2))  # two sets, two groups
    assert rng.random() == twin.random()


def test_an_addition_helps_no_other_group() -> None:
    # {a, b} brings a to the second group; {a, c} still needs c there, or a in the third
    table = build([[1, 1, None], [1, None, 1], [None, 1, None], [None, None, 1]], scale=(1, 5))
    for seed in range(5):
        made = widened(table, [0, 0, 1, 2], 2, 2, seed)
        assert made.satisfied is True
        assert made.added.tolist() in ([[1, 0], [1, 2]], [[1, 0], [2, 0]])


def test_single_issues_come_before_the_sets_that_hold_them() -> None:
    # c is in the first group alone: alone any other may get it, though the second has a and b already
    table = build([[1, 1, 1, None], [1, 1, None, None], [None, None, None, 1]], scale=(1, 5))
    added = [widened(table, [0, 1, 2], 3, 2, seed).added.tolist() for seed in range(10)]
    assert [[1, 2]] in added
    assert any([2, 2] in pairs for pairs in added)


def test_the_same_seed_adds_the_same_and_an_order_of_records_nothing() -> None:
    rng = np.random.default_rng(1)
    rows = [[1 if x < 0.2 else None for x in row] for row in rng.random((40, 12))]
    table, labels = build(rows, scale=(1, 5)), np.arange(40, dtype=np.int32) % 8
    one = widened(table, labels.tolist(), 2, 6, 3)
    order = rng.permutation(40)
    other = widened(table.take(order), labels[order].tolist(), 2, 6, 3)
    assert len(one.added)
    assert (one.added == other.added).all()


def test_pairs_are_found_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    rows = [[1 if x < 0.3 else None for x in row] for row in rng.random((20, 11))]
    table, labels = build(rows, scale=(1, 5)), [i % 4 for i in range(20)]
    whole = widened(table, labels, 2, 4)
    monkeypatch.setattr(diversity, "_BLOCK", 3)
    monkeypatch.setattr(diversity, "_ROWS", 2)
    assert (widened(table, labels, 2, 4).added == whole.added).all()


@pytest.mark.parametrize("block", [1, 2, 4, 5])
def test_a_pair_beyond_the_first_block_gets_its_own_issues(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diversity, "_BLOCK", block)
    table = build([[1, None, None, None, 1, 1], [None, None, None, None, 1, None]], scale=(1, 5))
    assert widened(table, [0, 1], 2, 2).added.tolist() == [[1, 0], [1, 5]]


def test_progress_is_told_every_256_issues() -> None:
    told: list[tuple[str, int, int | None]] = []
    resources = Resources(progress=lambda what, done, total: told.append((what, done, total)))
    everything, table = np.ones((1, 600), dtype=np.bool_), build([[1] * 600], scale=(1, 5))
    assert check_diversity(everything, table, 2, 1, resources=resources) is True
    assert told == [("pairs of issues", done, 600) for done in (256, 512, 600)]


@pytest.mark.deep
def test_pairs_are_counted_exactly_beyond_2_to_the_24_groups() -> None:
    """A float of 32 bits is never 2^24 + 1."""
    coverage = np.ones((2**24 + 2, 2), dtype=np.bool_)
    coverage[0, 0] = coverage[1, 1] = False  # each issue lies in 2^24 + 1 groups, both in 2^24
    table = build([[1, 1]], scale=(1, 5))
    assert check_diversity(coverage, table, 2, 2**24 + 1) is False


def test_beyond_the_budget_nothing_is_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    table = build([[1, 1, 1, 1, None], [1, 1, None, None, 1]], scale=(1, 5))
    assert widened(table, [0, 1], 3, 2).satisfied is True
    monkeypatch.setattr(diversity, "BUDGET", 5)
    made = widened(table, [0, 1], 3, 2)
    assert made.satisfied is None
    assert "not decided" in made.reason
    assert not len(made.added)
    assert (made.coverage == coverage_of(np.array([0, 1], np.int32), table)).all()
    everything = np.ones((2, 5), dtype=np.bool_)
    assert check_diversity(everything, table, 3, 2) is None
    assert check_diversity(everything, table, 2, 2) is True  # pairs are always decided
    assert (
        check_diversity(coverage_of(np.array([0, 1], np.int32), table), table, 3, 2) is False
    )  # c is in one


@pytest.mark.parametrize("b", [1, 2])
def test_single_issues_and_pairs_need_no_budget(b: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diversity, "BUDGET", 1)
    assert widened(GOLDEN, [0, 0, 1, 1], b, 2).satisfied is True
    assert check_diversity(np.ones((2, 3), dtype=np.bool_), GOLDEN, b, 2) is True


def test_what_is_not_decided_has_more_than_ten_million_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diversity, "_short_sets", lambda *_: None)
    reason = widened(GOLDEN, [0, 0, 1, 1], 2, 2).reason
    assert "the sets of 2 issues that are rated together" in reason
    assert "(more than 10,000,000)" in reason


def test_each_set_is_looked_at_once_and_larger_ones_are_not_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    table = build([[1, 1, 1, 1, None], [1, 1, None, None, 1]], scale=(1, 5))
    everything = np.ones((2, 5), dtype=np.bool_)
    monkeypatch.setattr(diversity, "BUDGET", 5 + 8 + 5)  # issues, pairs and triples
    assert check_diversity(everything, table, 3, 2) is True
    assert widened(table, [0, 1], 3, 2).satisfied is True
    monkeypatch.setattr(diversity, "BUDGET", 5 + 8 + 4)
    assert check_diversity(everything, table, 3, 2) is None
    # of four issues rated together every three are in two groups, all four in one
    rows = [[1, 1, 1, 1], [1, 1, 1, None], [1, 1, None, 1], [1, None, 1, 1], [None, 1, 1, 1]]
    labels = [0, 1, 2, 3, 4]
    assert not len(widened(build(rows, scale=(1, 5)), labels, 3, 2).added)
    assert len(widened(build(rows, scale=(1, 5)), labels, 4, 2).added) == 1


def test_nothing_rated_together_is_said() -> None:
    made = widened(GOLDEN, [0, 0, 1, 1], 3, 2)
    assert made.satisfied is True
    assert made.reason == "no record rates 3 issues: there is nothing to cover"
    assert made.added.shape == (0, 2)
    made = widened(build([[None, None]] * 2, scale=(1, 5)), [0, 1], 1, 1)
    assert made.reason == "no record rates an issue: there is nothing to cover"


@pytest.mark.parametrize(
    ("b", "what"),
    [(1, "every issue that is rated lies"), (2, "every 2 issues that one record rates lie")],
)
def test_what_holds_is_said(b: int, what: str) -> None:
    assert widened(GOLDEN, [0, 0, 1, 1], b, 2).reason == f"{what} in at least 2 of 2 groups"


@pytest.mark.parametrize(
    "labels", [[0, 0, 1], [0, 0, 1, -1], [0, 0, 2, 2], [[0, 0, 1, 1]]], ids=["few", "left", "empty", "shape"]
)
def test_labels_that_are_none_are_refused(labels: Any) -> None:
    with pytest.raises(ParameterError, match="labels"):
        coverage_of(np.array(labels, dtype=np.int32), GOLDEN)


def test_the_first_group_of_nobody_is_named() -> None:
    with pytest.raises(ParameterError, match=r"'nobody in group 1', expected records in groups 0\.\.3$"):
        coverage_of(np.array([0, 0, 3, 3], dtype=np.int32), GOLDEN)


@pytest.mark.parametrize(("b", "l"), [(0, 2), (2, 0), (1.5, 2)])
def test_numbers_that_are_none_are_refused(b: Any, l: Any) -> None:  # noqa: E741
    with pytest.raises(ParameterError):
        widened(GOLDEN, [0, 0, 1, 1], b, l)
    with pytest.raises(ParameterError):
        check_diversity(coverage_of(PAIRS, GOLDEN), GOLDEN, b, l)
    with pytest.raises(ParameterError):
        widened(build([[None, None]] * 2, scale=(1, 5)), [0, 1], b, l)  # though there is nothing to cover


def test_more_groups_than_there_are_is_refused_with_its_proof() -> None:
    with pytest.raises(TargetNotReachedError, match=r"l = 3 .* proved: .* 2 groups"):
        widened(GOLDEN, [0, 0, 1, 1], 1, 3)
    refuse_beyond_groups(2, 2)
    assert check_diversity(coverage_of(PAIRS, GOLDEN), GOLDEN, 1, 3) is False


def test_ratings_of_records_that_are_not_released_count() -> None:
    original = build([[1, 1, None, None]] * 4 + [[None, 1, 1, None]], scale=(1, 5))
    kept = original.take(np.arange(4))
    made = diversified(PAIRS, kept, b=2, l=2, rng=np.random.default_rng(0), original=original)
    assert made.added.tolist() == [[0, 2], [1, 2]]  # who knows the fifth record's ratings finds groups, too
    assert naive.least_groups([set(np.flatnonzero(row)) for row in made.coverage], original, 2) == 2
    assert made.satisfied is True
    assert check_diversity(coverage_of(PAIRS, kept), original, 2, 2) is False
    region = quasi_column("region", ["n"] * 3 + ["x"])  # whose last one can be in no group
    table = build([[1, 1, None, None]] * 3 + [[None, 1, 1, None]], scale=(1, 5)).replace(quasi=(region,))
    release = predictive(table, k=3, rng=0, threads=1, bins=1, diversity=(2, 1))
    assert release.kept.tolist() == [0, 1, 2]
    assert (np.diff(release.table.indptr) == 3).all()
    other = build([[1, 1]] * 4)
    with pytest.raises(ParameterError, match="original: found '2 issues', expected the 4"):
        diversified(PAIRS, kept, b=1, l=1, rng=np.random.default_rng(0), original=other)


def test_another_tables_coverage_is_refused() -> None:
    with pytest.raises(ParameterError, match="groups x 3 issues"):
        check_diversity(np.ones((2, 4), dtype=np.bool_), GOLDEN, 1, 1)


def test_memory_is_refused_with_numbers() -> None:
    drawn: NDArray[Any] = np.random.default_rng(0).random((30, 200))
    table = build([[1 if x < 0.25 else None for x in row] for row in drawn], scale=(1, 5))
    labels = np.arange(30, dtype=np.int32) % 10
    with pytest.raises(ResourceError, match="MiB are needed"):
        diversified(
            labels, table, b=2, l=9, rng=np.random.default_rng(0), resources=Resources(memory=1 << 14)
        )


def test_the_bytes_that_are_needed_are_just_enough() -> None:
    # 5 bytes for each of 4 groups x 3 issues, 28 for each of the 3 pairs in one group only
    coverage = np.array([[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.bool_)
    table = build([[1, 1, 1]], scale=(1, 5))
    needed = 5 * 12 + 28 * 3
    assert check_diversity(coverage, table, 2, 2, resources=Resources(memory=needed)) is False
    with pytest.raises(ResourceError):
        check_diversity(coverage, table, 2, 2, resources=Resources(memory=needed - 1))


def test_the_mebibytes_that_are_needed_and_allowed_are_said() -> None:
    everything = np.ones((1050, 500), dtype=np.bool_)  # 2.5 MiB
    table = build([[1] * 500], scale=(1, 5))
    said = "pairs of 500 issues in 1,050 groups: 2 MiB are needed, and 1 MiB allowed"
    with pytest.raises(ResourceError, match=said):
        check_diversity(everything, table, 2, 2, resources=Resources(memory=3 << 19))


class Vast(np.ndarray[Any, Any]):
    """A small array that says it is of 2^30 cells."""

    size = property(lambda self: 1 << 30)


def test_4_gibibytes_are_allowed_where_no_limit_is_given() -> None:
    everything = np.ones((2, 3), dtype=np.bool_).view(Vast)
    with pytest.raises(ResourceError, match="5,120 MiB are needed, and 4,096 MiB allowed"):
        check_diversity(everything, GOLDEN, 2, 2)
