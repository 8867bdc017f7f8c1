"""The clustering coefficient [SWLP10, §5.4]: golden, plain loops, networkx, in every null rule."""

import networkx
import numpy as np
import polars as pl
import pytest
from golden.tables import build, table2
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import utility as naive
from properties.strategies import NULLS, epsilons, mixed_tables, tables, without_ratings
from utility.releases import ONE, reordered

from ratingpriv.base.compute import compiling
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import QuasiColumn
from ratingpriv.proximity.pairs import pairs
from ratingpriv.utility import clustering
from ratingpriv.utility._clustering import Neighbours, Ratings, Space, count_triangles
from ratingpriv.utility.clustering import clustering_coefficient, local_clustering
from ratingpriv.utility.pair import Pair

pytestmark = pytest.mark.small


def rng(seed=0):
    return np.random.default_rng(seed)


def local(table, epsilon, nulls="strict", resources=ONE):
    return local_clustering(table, epsilon, nulls, rng=rng(), resources=resources)


def measured(table, resources=ONE, **settings):
    return clustering_coefficient(Pair(table, table), rng=rng(), resources=resources, **settings)


def graph(table, epsilon, nulls="strict"):
    found = networkx.Graph()
    found.add_nodes_from(range(table.n_records))
    for block in pairs(table, epsilon, nulls=nulls):
        found.add_edges_from(zip(block.left.tolist(), block.right.tolist(), strict=True))
    return found


@pytest.mark.parametrize(
    ("epsilon", "value"), [(1, 0), (2, (2 / 3 + 1 + 2 / 3 + 1) / 6), (3, 4 / 6)]
)
def test_golden(epsilon, value):
    assert measured(table2(), epsilon=epsilon).value == pytest.approx(value)


def test_pairs_triangles_and_the_mean_over_those_of_two_neighbours():
    found = measured(table2(), epsilon=2)
    assert (found.details["pairs"], found.details["triangles"], found.details["sampled"]) == (
        6,
        2,
        None,
    )
    assert found.details["of_two_neighbours"] == pytest.approx((2 / 3 + 1 + 2 / 3 + 1) / 4)
    assert measured(table2(), epsilon=0).details["of_two_neighbours"] is None


@settings(max_examples=25)
@given(st.one_of(tables(10, 4, 0), mixed_tables(10)), epsilons, st.sampled_from(NULLS))
def test_equal_to_plain_loops_under_every_rule(table, epsilon, nulls):
    table = table.replace(quasi=())
    found = local(table, epsilon, nulls)
    assert found.coefficients == pytest.approx(naive.local_clustering(table, epsilon, nulls))
    twin = local(reordered(table, 3), epsilon, nulls)
    assert sorted(twin.triangles.tolist()) == sorted(found.triangles.tolist())


@settings(max_examples=25)
@given(mixed_tables(12), epsilons, st.sampled_from(NULLS))
def test_quasi_identifiers_keep_records_apart(table, epsilon, nulls):
    """Against networkx on the pairs that the engine lists, which has its own twins."""
    expected = networkx.clustering(graph(table, epsilon, nulls))
    assert local(table, epsilon, nulls).coefficients == pytest.approx(
        [expected[i] for i in range(len(expected))]
    )


def test_who_differs_on_a_quasi_identifier_is_no_neighbour():
    table = build([(1,), (1,), (1,), (2,)], scale=(1, 5))
    assert measured(table, epsilon=1).value == 1
    quasi = QuasiColumn("sex", np.array([0, 0, 0, 1], dtype=np.int32), pl.Series(["f", "m"]))
    assert measured(table.replace(quasi=(quasi,)), epsilon=1).value == 0.75


def survey(n, issues=6, seed=0, share=1.0):
    drawn = rng(seed)
    factor = drawn.normal(size=(n, 1))
    rated = np.clip(np.round(3 + factor + 0.7 * drawn.normal(size=(n, issues))), 1, 5)
    some = drawn.random((n, issues)) < share
    rows = [
        [x if there else None for x, there in zip(*both, strict=True)]
        for both in zip(rated, some, strict=True)
    ]
    return build(rows, scale=(1, 5))


@pytest.mark.parametrize(("nulls", "share"), [("strict", 1.0), ("wildcard", 0.9)])
def test_networkx_agrees_where_neighbours_fill_more_than_a_block(share, nulls):
    table = survey(700, share=share)
    found = local(table, 2, nulls)
    if share == 1:
        assert found.degrees.max() > 512
    drawn = rng(1).choice(700, 3, replace=False).tolist()
    expected = networkx.clustering(graph(table, 2, nulls), drawn)
    assert found.coefficients[drawn] == pytest.approx([expected[i] for i in drawn])
    more = local(table, 2, nulls, Resources(threads=3))
    assert np.array_equal(more.triangles, found.triangles)


def test_many_levels_are_compared_pair_by_pair(monkeypatch):
    table = survey(80, share=0.9)
    expected = [local(table, 1, nulls).triangles.tolist() for nulls in NULLS]
    monkeypatch.setattr(clustering, "_ROWS", 3)
    assert [local(table, 1, nulls).triangles.tolist() for nulls in NULLS] == expected
    assert max(map(max, expected)) > 0


@pytest.mark.skipif(compiling.switched("NUMBA_DISABLE_JIT"), reason="nothing is compiled")
def test_both_forms_of_the_kernel_agree():
    table = survey(40)
    begin, end = np.arange(0, 1600, 40), np.arange(40, 1601, 40)
    found = np.tile(np.arange(40, dtype=np.int32), 40)
    neighbours = Neighbours(np.arange(40), begin, end, found)
    low, high = np.array([0, 0, 1, 2, 3]), np.array([1, 2, 3, 4, 4])
    ratings = Ratings(table.indptr, table.indices, table.codes, True, 6, low, high)
    answers = []
    for form in (count_triangles.run_plain, count_triangles.run_compiled):
        triangles = np.zeros(40, dtype=np.int64)
        space = Space(*(np.empty((size, 8), dtype=np.uint64) for size in (30, 30, 2)))
        form(0, 40, neighbours, ratings, space, triangles)
        answers.append(triangles.tolist())
    assert answers[0] == answers[1]


def test_above_the_memory_or_too_much_work_a_sample_is_stated(monkeypatch):
    table = survey(400)
    whole = measured(table, epsilon=2)
    found = measured(table, Resources(threads=1, memory=50_000), epsilon=2)
    assert found.details["sampled"] == 100
    assert "sample of 100 of 400 records" in found.of
    assert (found.details["pairs"], found.details["triangles"]) == (None, None)
    assert found.low < whole.value < found.high
    exact = local(table, 2).coefficients
    part = local(table, 2, resources=Resources(threads=1, memory=50_000))
    assert part.coefficients == pytest.approx(exact[part.records])
    monkeypatch.setattr(clustering, "_WORK", 1000)
    assert measured(table, epsilon=2).details["sampled"] == 100


def test_what_cannot_be_measured():
    assert "epsilon" in measured(table2()).reason
    nobody = table2().take(np.array([], dtype=np.int64))
    assert measured(nobody, epsilon=1).reason == "the release has no records"
    with pytest.raises(ParameterError, match="asymmetric"):
        measured(table2(), epsilon=1, nulls="known")
    bare = without_ratings(table2())
    assert measured(bare, epsilon=1).value == 1  # six records that nothing tells apart
