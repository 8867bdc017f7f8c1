"""GREEDY: the compiled one makes the groups of its plain twin, on every path,
with the same ties.
"""

import naive.partition
import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table2
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import NULLS, epsilons, tables

from benchmarks.partition import numpy_greedy
from ratingpriv import RatingTable
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError
from ratingpriv.base.target import Target
from ratingpriv.partition.greedy import listing as _listing
from ratingpriv.partition.greedy.greedy import ORDERS, Grouping, greedy, sensitive_needs
from ratingpriv.partition.greedy.listing import Listing
from ratingpriv.partition.groups import UNPLACED, Groups
from ratingpriv.partition.index import index as _packing

SCANNED = {"_SORT": 0, "_SCANNED": 0}
LISTED = {"_LARGE": 0, "_CHEAP": 1}
PATHS = {
    "as it is": {},
    "scanned": SCANNED,
    "listed": SCANNED | LISTED,
    "listed where few are near": SCANNED | {"_LARGE": 0, "_CHEAP": 3},
    "listed a few at a time": SCANNED | LISTED | {"_ROOM": 4},
    "sorted, distances measured": SCANNED | {"_FEW_DISTANCES": 0},
    "one word packed, the rest compared": {"MOST_WORDS": 1},
    "scanned, one word packed": SCANNED | {"MOST_WORDS": 1},
    "listed, one word packed": SCANNED | LISTED | {"MOST_WORDS": 1},
}


def patched(patch: pytest.MonkeyPatch, values: dict[str, int]) -> None:
    for name, value in values.items():
        patch.setattr(_listing if hasattr(_listing, name) else _packing, name, value)


def naive_groups(table: RatingTable, k: int, epsilon: float, **options: object) -> Groups:
    return Groups.of_labels(np.array(naive.partition.greedy(table, k, epsilon, **options)))  # type: ignore[arg-type]


def grouped(table: RatingTable, k: int, epsilon: float, resources: Resources) -> Grouping:
    target = Target(k=k, epsilon=epsilon)
    packed = _packing.pack_table(table, epsilon, "strict", k)
    listing = Listing(table, target, packed, None, resources)
    return Grouping(listing, sensitive_needs(table, None, "paper"))


def wide(n: int, p: int, levels: int, seed: int, missing: float = 0.0) -> RatingTable:
    rng = np.random.default_rng(seed)
    answers = np.clip(rng.normal(levels / 2, levels / 5, (n, p)).round(), 1, levels)
    gone = rng.random((n, p)) < missing
    return build(
        [
            [None if g else a for a, g in zip(x, y, strict=True)]
            for x, y in zip(answers, gone, strict=True)
        ]
    )


@pytest.mark.small
@pytest.mark.parametrize("path", PATHS)
@given(
    table=tables(most_records=14), k=st.integers(1, 5), epsilon=epsilons,
    nulls=st.sampled_from(NULLS),
    order=st.sampled_from(ORDERS), join=st.booleans(),
)  # fmt: skip
@settings(max_examples=25 * DEPTH)
def test_equals_the_plain_twin_on_every_path(path, table, k, epsilon, nulls, order, join):
    with pytest.MonkeyPatch.context() as patch:
        patched(patch, PATHS[path])
        found = greedy(table, k, epsilon, order=order, nulls=nulls, join=join)
    twin = naive_groups(table, k, epsilon, order=order, nulls=nulls, join=join)
    assert found.labels.tolist() == twin.labels.tolist()


@pytest.mark.parametrize(("k", "epsilon"), [(3, 1), (4, 2)])
@pytest.mark.parametrize("room", [1 << 25, 5000])
def test_candidates_that_were_listed_make_the_groups_of_a_numpy_greedy(
    monkeypatch, k, epsilon, room
):
    """All at once, or a few seeds at a time. The judge compares with everybody."""
    table = wide(1400, 6, 5, 4)
    patched(monkeypatch, SCANNED | LISTED | {"_ROOM": room})
    answers = table.values.reshape(1400, 6).astype(np.int8)
    found, twin = (
        greedy(table, k, epsilon, join=False),
        Groups.of_labels(numpy_greedy(answers, k, epsilon)),
    )
    assert found.count > 100
    assert found.labels.tolist() == twin.labels.tolist()


@pytest.mark.parametrize("words", [1, 2])
def test_a_radius_holds_on_issues_that_are_packed_second_or_not_at_all(monkeypatch, words):
    rng = np.random.default_rng(1)
    kinds = rng.integers(2, 4, (12, 24))
    answers = (
        kinds[rng.integers(0, 12, 400)]
        + rng.integers(-1, 2, (400, 24)) * (rng.random((400, 24)) < 0.1)
    ).astype(np.int8)
    patched(monkeypatch, SCANNED | LISTED | {"MOST_WORDS": words})
    found, twin = (
        greedy(build(answers.tolist()), 4, 2, join=False),
        Groups.of_labels(numpy_greedy(answers, 4, 2)),
    )
    assert found.count > 50
    assert found.labels.tolist() == twin.labels.tolist()


def test_threads_and_trees_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    table = wide(3000, 4, 5, 1)
    alone = greedy(table, 6, 1, threads=1)
    patched(monkeypatch, LISTED)
    together = greedy(table, 6, 1, threads=3)
    monkeypatch.setattr(_packing, "_SORT", 10**9)
    unsorted = greedy(table, 6, 1, threads=1)
    assert alone.count > 300
    assert alone.labels.tolist() == together.labels.tolist() == unsorted.labels.tolist()


def test_threads_borrow_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    table = wide(3000, 6, 5, 2)
    found = []
    for threads in (1, 3):
        patched(monkeypatch, LISTED)
        grouping = grouped(table, 8, 1, Resources(threads))
        seeds = grouping.in_order(None)
        grouping.make(seeds, "")
        grouping.join(seeds, "")
        assert grouping.borrow(seeds, "") > 0
        found.append(grouping.labels().tolist())
    assert found[0] == found[1]


def test_identical_rows_are_the_nearest() -> None:
    table = build([(1, 1), (2, 1), (1, 1), (2, 2), (1, 1)])
    # t1 takes t3 and t5, at distance 0, before t2, at distance 1; then t2 and t4 are two
    assert greedy(table, 3, 1).labels.tolist() == [0, 0, 0, 0, 0]
    assert greedy(table, 3, 1, join=False).labels.tolist() == [0, UNPLACED, 0, UNPLACED, 0]


def test_of_several_groups_the_one_with_the_nearest_farthest_member_is_joined():
    # {t1, t2} reaches from 0 to 1, {t3, t4} from 5 to 6; t5 = 3.5 is 3.5 and 2.5 away from the
    # farthest
    table = build([(0,), (1,), (5,), (6,), (3.5,)])
    assert greedy(table, 2, 3.5).labels.tolist() == [0, 0, 1, 1, 1]


def test_seeds_with_the_fewest_neighbours_first():
    # in the middle t1 has the most neighbours; taken first, it leaves t4 alone
    table = build([(2,), (1,), (3,), (4,)])
    assert greedy(table, 2, 1, join=False).labels.tolist() == [0, 0, 1, 1]
    table = build([(2,), (3,), (1,), (4,)])
    assert greedy(table, 2, 1, join=False).labels.tolist() == [0, 0, UNPLACED, UNPLACED]
    assert greedy(table, 2, 1, join=False, order="fewest").labels.tolist() == [0, 1, 0, 1]


def test_groups_on_too_many_issues_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    grouping = grouped(table2(), 2, 1, Resources(1, memory=10))
    grouping.make(grouping.in_order(None)[:2], "")
    with pytest.raises(ResourceError, match="select fewer items"):
        grouping.join(grouping.in_order(None), "")


@pytest.mark.parametrize("turned", [False, True])
def test_candidates_of_records_that_stand_by_the_items_they_rate(monkeypatch, turned):
    """Items have the numbers of records, and there is more than one tree."""
    rows = [(1, None), (2, None), (3, None), (3, None), (None, 1), (None, 2), (None, 3), (None, 3)]
    table = build([row[::-1] for row in rows] if turned else rows)
    patched(monkeypatch, SCANNED | LISTED)
    assert greedy(table, 2, 0).labels.tolist() == [-1, -1, 0, 0, -1, -1, 1, 1]
    assert greedy(table, 2, 1, join=False).labels.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
