"""Withholding records: the optimum against every set and NetworkX, the greedy choice,
what cannot be had.
"""

import itertools

import networkx as nx
import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table1, table2
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive import proximity, quasi_groups
from naive import suppress as naive
from properties.strategies import NULLS, epsilons, tables
from remaining_samples import SORTED

from ratingpriv.anonymize.methods import suppress
from ratingpriv.anonymize.suppression import suppress as suppressing
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.data.table import SensitiveColumn
from ratingpriv.proximity import remaining as peeling
from ratingpriv.proximity.join import Limits, prepare
from ratingpriv.proximity.pairs import pairs

pytestmark = pytest.mark.small


def ids(found):
    return found.table.record_ids.to_list()


# ---- (k,ε): the optimum ----


def test_table_1_loses_the_one_record_without_a_neighbour():
    found = suppress(table1(), k=2, epsilon=1)
    assert ids(found) == ["t2", "t3", "t4", "t5"]
    assert found.kept.tolist() == [1, 2, 3, 4]
    assert found.optimal
    assert "the fewest records are suppressed, proved: 1 of 5" in found.statement
    assert found.satisfied
    assert (found.distortion.records_withheld, found.distortion.total) == (1, 0)
    assert (found.method, found.groups) == ("suppress", None)
    found = suppress(table2(), k=2, epsilon=1)
    assert (found.kept.tolist(), found.optimal) == (list(range(6)), True)


def graph_of(table, edges):
    graph = nx.Graph()
    graph.add_nodes_from(range(table.n_records))
    graph.add_edges_from(edges)
    return graph


@given(
    table=tables(most_sensitive=0),
    k=st.integers(1, 8),
    epsilon=epsilons,
    nulls=st.sampled_from(NULLS),
)
@settings(max_examples=80 * DEPTH)
def test_equal_to_networkx(table, k, epsilon, nulls):
    graph = graph_of(table, ((a, b) for a, b, _ in proximity.pairs(table, epsilon, nulls)))
    assert released(table, k=k, epsilon=epsilon, nulls=nulls) == set(nx.k_core(graph, k - 1))


@pytest.mark.parametrize("limits", [SORTED, Limits(bins=4)])
@pytest.mark.parametrize("levels", [4, 40])
def test_equal_to_networkx_on_every_path_of_the_engine(monkeypatch, limits, levels):
    def forced(table, epsilon, nulls, *, collapse):
        return prepare(table, epsilon, nulls, collapse=collapse, limits=limits)

    monkeypatch.setattr(peeling, "prepare", forced)
    rng = np.random.default_rng(levels)
    ratings = rng.integers(1, levels, (700, 3)).astype(object)
    ratings[rng.random((700, 3)) < 0.1] = None
    table = build(ratings.tolist(), scale=(1, levels))
    blocks = [np.stack([block.left, block.right], axis=1) for block in pairs(table, levels / 8)]
    graph = graph_of(table, np.concatenate(blocks).tolist())
    core = np.array(list(nx.core_number(graph).values()))
    for k in sorted({2, 4, int(np.median(core)) + 1, int(core.max()) + 1}):
        found = suppress(table, k=k, epsilon=levels / 8)
        assert found.kept.tolist() == np.flatnonzero(core >= k - 1).tolist()


def test_chains_go_one_by_one():
    rng = np.random.default_rng(0)
    # two chains whose ends go one after the other, up to a crowd in the middle of one of them; and
    # some alone
    ratings = [*range(40), *[20] * 5, *range(100, 130), *(rng.integers(300, 900, 20) * 7).tolist()]
    table = build([(float(rating),) for rating in rng.permutation(ratings)])
    graph = graph_of(table, ((a, b) for a, b, _ in proximity.pairs(table, 1)))
    assert released(table, k=3, epsilon=1) == set(nx.k_core(graph, 2))


def released(table, **asked):
    try:
        found = suppress(table, **asked)
    except TargetNotReachedError:
        return set()
    assert found.satisfied
    return set(found.kept.tolist())


# ---- what cannot be had ----


@pytest.mark.parametrize(
    ("k", "epsilon", "words", "best"),
    [
        (6, 5,
        ("k = 6 is more than the 5 records there are", "k within reach is 3, with 2 of 5 "
                                                       "records"), 3),
        (3, 1,
        ("no part of the data, however small", "k within reach is 2, with 1 of 5 records "
                                               "suppressed",
                "`method='modify'` changes ratings and blanks cells"), 4),
    ],
)  # fmt: skip
def test_where_nobody_can_be_released_what_is_near_is_named(k, epsilon, words, best):
    with pytest.raises(TargetNotReachedError) as refused:
        suppress(table1(), k=k, epsilon=epsilon)
    assert [one for one in words if one not in str(refused.value)] == []
    assert refused.value.best.satisfied
    assert refused.value.best.table.n_records == best


@given(table=tables(most_records=6, most_sensitive=0), k=st.integers(2, 7), epsilon=epsilons)
@settings(max_examples=40 * DEPTH)
def test_the_nearest_that_is_named_is_within_reach(table, k, epsilon):
    try:
        suppress(table, k=k, epsilon=epsilon)
    except TargetNotReachedError as refused:
        best = refused.best
        assert best.satisfied
        assert best.parameters.k < k
        with pytest.raises(TargetNotReachedError):
            suppress(table, k=best.parameters.k + 1, epsilon=epsilon)


# ---- with l ----


def test_with_l_it_is_called_greedy_unless_proved():
    table = build([(1,)] * 6, [(1, 1, 1, 1, 5, 5)])
    found = suppress(table, k=2, epsilon=0, l=2)
    assert found.satisfied
    assert found.kept.size == 4  # 1, 1, 5, 5
    assert not found.optimal
    assert found.statement.startswith(
        "greedy: 2 of 6 records are suppressed. At least 0 have to be, by a bound"
    )


def test_with_l_nothing_chosen_is_an_optimum():
    # the last two agree and are far from all others: they must go whatever else is chosen
    table = build([(1,), (1,), (9,), (9,)], [(1, 5, 3, 3)])
    found = suppress(table, k=2, epsilon=1, l=2)
    assert found.kept.tolist() == [0, 1]
    assert found.optimal
    assert "proved: 2 of 4" in found.statement
    found = suppress(build([(1,)] * 3, [(2, 2, 2)]), k=2, epsilon=0, l=0)  # which asks for nothing
    assert (found.kept.tolist(), found.optimal) == ([0, 1, 2], True)


def test_l_above_every_bound_is_proved_impossible():
    words = r"k = 2, epsilon = 2, l = 2.6, proved: around no record.*issue 4: 2"
    with pytest.raises(TargetNotReachedError, match=words) as refused:
        suppress(table2(), k=2, epsilon=2, l=2.6)
    assert (refused.value.best.satisfied, refused.value.best.parameters.l) == (True, 0)


def test_the_audit_has_the_last_word(monkeypatch):
    """Whoever it finds too uniform goes, whatever the sums said."""
    table = build([(1,)] * 3 + [(5,)] * 3, [(1, 5, 3, 2, 2, 2)])
    everybody = np.ones(6, dtype=bool)
    monkeypatch.setattr(suppressing, "diversify", lambda *_: (everybody, everybody))
    found = suppress(table, k=2, epsilon=1, l=1)
    assert found.kept.tolist() == [0, 1, 2]
    assert found.satisfied
    assert not found.optimal


def test_what_the_end_did_not_need_is_put_back(monkeypatch):
    ratings = [4, 2, 5, 5, 1, 1, 1, 1, 3, 2, 3, 2, 5, 4]
    values = [4, 1, 1, 5, 2, 5, 4, 1, 3, 3, 3, 1, 4, 2]
    table = build([(rating,) for rating in ratings], [values])
    found = suppress(table, k=3, epsilon=1, l=1.4)
    assert found.satisfied
    assert found.kept.size == 12
    monkeypatch.setattr(suppressing, "_PUT_BACK", 0)
    assert suppress(table, k=3, epsilon=1, l=1.4).kept.size == 11


def test_a_group_of_nulls_satisfies_any_l():
    table = build([(1,), (1,), (1,), (9,), (9,)], [(1, 2, 3, None, None)])
    assert suppress(table, k=2, epsilon=1, l=50).kept.tolist() == [3, 4]


@given(
    table=tables(most_records=4),
    k=st.integers(1, 3),
    epsilon=epsilons,
    l=st.sampled_from([0, 0.2, 0.5, 1, 1.3, 2]),
    nulls=st.sampled_from(NULLS),
    rule=st.sampled_from(["paper", "ignore"]),
)
@example(
    table=build([(1,), (1,), (1,)], [(5, 5, None)]),
    k=2,
    epsilon=0,
    l=2,
    nulls="strict",
    rule="ignore",
)
@settings(max_examples=120 * DEPTH)
def test_with_l_the_release_holds_and_the_claims_are_true(table, k, epsilon, l, nulls, rule):  # noqa: E741
    l = l if table.sensitive else None  # noqa: E741
    best = naive.largest_release(table, k, epsilon, l, nulls, rule)
    try:
        found = suppress(table, k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=rule)
    except TargetNotReachedError as refused:
        if "proved" in str(refused).split(";")[0] and "proves nothing" not in str(refused):
            assert best == [set()]
        return
    kept = set(found.kept.tolist())
    near = proximity.neighbourhoods(table, epsilon, nulls)
    assert naive.holds(table, near, kept, k, l, rule)
    assert found.satisfied
    if found.optimal:
        assert kept in best
    elif l is not None:
        least = int(found.statement.split("At least ")[1].split()[0])
        assert table.n_records - len(best[0]) >= least


def test_digits_lost_with_a_large_value_prove_nothing():
    ratings = [(2, 1), (1, 1), (1, 1), (3, 1)]  # the last one has too few neighbours, and goes
    kept = suppress(build(ratings, [(1 / 3, 7 / 3, 4 / 3, 1 / 7)]), k=3, epsilon=1, l=0.5).kept
    assert kept.tolist() == [0, 1, 2]
    with pytest.raises(TargetNotReachedError) as refused:
        suppress(build(ratings, [(1 / 3, 7 / 3, 4 / 3, 1e9 + 1 / 7)]), k=3, epsilon=1, l=0.5)
    assert "proves nothing: there may be one among 3 of 4 records" in str(refused.value)
    with pytest.raises(TargetNotReachedError, match="proved: around no record"):
        suppress(build(ratings, [(1, 1, 1, 1_000_000)]), k=3, epsilon=1, l=0.5)


# ---- quasi-identifiers: by all rules at once ----


@given(st.integers(0, 10**9), st.integers(2, 9), st.sampled_from(["strict", "wildcard"]),
       st.sampled_from([0.0, 1.0, 2.0, 4.0]), st.integers(2, 3))  # fmt: skip
@settings(max_examples=60 * DEPTH)
def test_the_largest_part_that_will_do_is_kept_as_it_is(seed, n, nulls, epsilon, k):
    table = quasi_groups.random_table(np.random.default_rng(seed), n)
    alike = quasi_groups.near(table, epsilon, nulls)

    def fine(part):
        return all(sum(alike[i][j] for j in part) >= k for i in part)

    parts = (part for size in range(n + 1) for part in itertools.combinations(range(n), size))
    most = max(filter(fine, parts), key=len)
    try:
        found = suppress(table, k=k, epsilon=epsilon, nulls=nulls)
    except TargetNotReachedError:
        assert most == ()
        return
    assert found.kept.tolist() == list(most)
    assert found.satisfied
    assert quasi_groups.values(found.table) == [quasi_groups.values(table)[i] for i in most]
    cost = found.distortion.quasi
    assert (cost.changed, cost.erased, cost.moved) == (0, 0, 0)
    cells = [sum(cell is not None for cell in row) for row in quasi_groups.values(table)]
    assert (cost.cells, cost.withheld) == (sum(cells), sum(cells) - sum(cells[i] for i in most))


def test_l_is_about_sensitive_numbers_only():
    table = quasi_groups.random_table(np.random.default_rng(3), 8, nulls=0.0, sensitive=True)
    diagnosis = SensitiveColumn("diagnosis", np.zeros(8), np.ones(8, dtype=bool), ("flu", "cold"))
    with_both = table.replace(sensitive=(diagnosis, *table.sensitive), quasi=())
    without = table.replace(quasi=())
    assert suppress(with_both, k=2, epsilon=2, l=0.5).kept.tolist() == suppress(
        without, k=2, epsilon=2, l=0.5
    ).kept.tolist()  # fmt: skip
    with pytest.raises(ParameterError, match="sensitive"):
        suppress(table.replace(sensitive=(diagnosis,)), k=2, epsilon=2, l=0.5)
