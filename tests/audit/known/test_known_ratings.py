"""(k,ε) against any m known ratings: golden examples, the definition over all subsets,
laws, budgets.
"""

import itertools
from functools import partial

import json_contracts
import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from known_samples import CUBE, RING, TABLE_1, TABLE_2, TABLE_3, N, table_of, tables
from naive import known as naive

import ratingpriv
from ratingpriv import ParameterError
from ratingpriv.audit import known
from ratingpriv.audit.known import known_ratings, singling, verdict
from ratingpriv.audit.known.literals import literals_of, ratings_of, windows_of
from ratingpriv.audit.known.search import BUDGET, Search
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.errors import ResourceError


@pytest.mark.parametrize(
    ("rows", "how", "smallest"),
    [
        (TABLE_1, {"k": 2, "epsilon": 1}, [1, 0, 0, 0, 0]),
        (TABLE_1, {"k": 3, "epsilon": 4}, [1, 1, 0, 1, 1]),
        (TABLE_2, {"k": 2, "epsilon": 1}, [0, 0, 0, 0, 0, 0]),
        (TABLE_2, {"k": 3, "epsilon": 1}, [0, 2, 0, 1, 1, 1]),
        (TABLE_2, {"k": 3, "epsilon": 2}, [0, 0, 0, 0, 1, 1]),
        (TABLE_3, {"k": 3, "epsilon": 1}, [0, 2, 0, 2, 2, 2, 2, 2]),
        (TABLE_3, {"k": 2, "epsilon": 0}, [1, 1, 1, 2, 1, 2, 1, 2]),
        (CUBE, {"k": 2, "epsilon": 0}, [3] * 8),
        (CUBE, {"k": 3, "epsilon": 0}, [2] * 8),
        (RING, {"k": 4, "epsilon": 1}, [2, 0, 2, 0, 0, 2, 0, 2]),
        (RING, {"k": 4, "error": 1}, [2] * 8),
        ([[3], [2]], {"k": 2, "epsilon": 1}, [0, 0]),
        ([[3], [2]], {"k": 2, "error": 1}, [1, 1]),
        (TABLE_2, {"k": 2, "error": 1}, [2, 1, 0, 1, 1, 1]),
    ],
)
def test_golden_examples(rows, how, smallest):
    scale = (0, 2) if rows is RING else (1, 5) if len(rows) == 2 else (1, 7)
    found = known_ratings(table_of(rows, scale), m=3 if rows is not RING else 2, **how)
    assert found.smallest_m.tolist() == smallest
    assert found.satisfied == (not any(smallest))
    assert found.exact


def searched(table, k, within, m, *, sharp, kernel, large, threads):
    windows = windows_of(table, None if sharp else within, within if sharp else None)
    memory = 0 if kernel == "list" else 1 << 20
    literals = literals_of(table, windows, centred=not sharp, memory=memory)
    assert literals.lists() == (kernel == "list" and table.n_ratings > 0)
    run = Run(threads, None, "test")
    search = Search(ratings_of(table), windows, literals, k, m, run, large=large)
    search.go_through(BUDGET, "record" if kernel == "list" else kernel)
    issues = [literals.issue[row[row >= 0]].tolist() for row in search.witness]
    return search.smallest.tolist(), search.fewest.tolist(), issues


@given(
    table=tables(),
    k=st.integers(1, 4),
    within=st.sampled_from([0.0, 1.0, 2.0, 4.0]),
    m=st.integers(1, 4),
    sharp=st.booleans(),
)
@settings(max_examples=25 * DEPTH)
def test_every_way_gives_what_all_subsets_give(table, k, within, m, sharp):
    expected = [naive.smallest(table, t, k, within, m, sharp=sharp) for t in range(table.n_records)]
    for kernel, large, threads in (
        ("record", BUDGET, 1),
        ("cell", BUDGET, 1),
        ("record", -1, 2),
        ("cell", -1, 2),
        ("list", BUDGET, 1),
        ("list", -1, 2),
    ):
        smallest, fewest, issues = searched(
            table, k, within, m, sharp=sharp, kernel=kernel, large=large, threads=threads
        )
        assert [*zip(smallest, fewest, map(tuple, issues), strict=True)] == expected, (
            kernel,
            large,
        )


@given(table=tables(), k=st.integers(1, 4), epsilon=st.sampled_from([0.0, 1.0, 2.0]))
@settings(max_examples=20 * DEPTH)
def test_all_ratings_known_is_the_audit_of_known_ratings(table, k, epsilon):
    k = min(k, table.n_records)
    rated = np.diff(table.indptr) > 0
    audit = ratingpriv.audit(table, k=k, epsilon=epsilon, nulls="known")
    found = known_ratings(table, k=k, epsilon=epsilon, m=5)
    assert (found.smallest_m[rated] == 0).tolist() == (audit.sizes[rated] >= k).tolist()


def test_a_witness_leaves_what_it_says():
    found = known_ratings(table_of(TABLE_3, (1, 7)), k=2, epsilon=0, m=2)
    assert found.witness(3) == {"q0": 5.0, "q1": 6.0}
    assert found.fewest[3] == 1
    with pytest.raises(ParameterError):
        known_ratings(table_of(TABLE_2), k=2, epsilon=1).witness(0)


def test_beyond_the_budget_nothing_is_claimed(monkeypatch):
    table = table_of(CUBE * 3)
    whole = known_ratings(table, k=4, epsilon=0, m=3)
    monkeypatch.setattr(verdict, "BUDGET", 1)
    cut = known_ratings(table, k=4, epsilon=0, m=3)
    assert (whole.satisfied, whole.proved_m, whole.below(2), whole.below(3)) == (False, 3, 0, 24)
    assert (cut.satisfied, cut.exact, cut.proved_m) == (None, False, 0)
    with pytest.raises(ParameterError):
        cut.below(1)
    assert cut.to_dict()["below_k"] == []


def test_what_a_document_and_a_frame_say():
    found = known_ratings(table_of([[3, 1], [3, 1], [5, N], [N, N]]), k=2, epsilon=0, m=2)
    content = found.to_dict()
    assert content["below_k"] == [
        {"m": 1, "records": 1, "share": 0.25},
        {"m": 2, "records": 1, "share": 0.25},
    ]
    assert content["largest_k"] == [{"m": 1, "k": 1}, {"m": 2, "k": 1}]
    assert content["without_ratings"] == 1
    assert found.to_frame()["smallest_m"].to_list() == [None, None, 1, None]


@pytest.mark.parametrize(
    "how",
    [
        {"k": 2, "epsilon": 1, "m": 0},
        {"k": 2, "epsilon": 1, "error": 1},
        {"k": 2},
        {"k": 7, "epsilon": 1},
        {"k": 2, "epsilon": -1},
    ],
)
def test_what_is_refused(how):
    with pytest.raises(ParameterError):
        known_ratings(table_of(TABLE_2), **how)


def test_lists_take_the_place_of_sets_that_do_not_fit():
    table = table_of(np.random.default_rng(0).integers(1, 6, (30, 20)).tolist())
    sets, lists = (
        known_ratings(table, k=3, epsilon=0, m=3, memory=memory) for memory in (None, 9000)
    )
    assert (sets._literals.lists(), lists._literals.lists()) == (False, True)
    assert sets.to_frame().equals(lists.to_frame())
    assert sets.to_dict() == lists.to_dict()
    assert [sets.witness(t) for t in range(30)] == [lists.witness(t) for t in range(30)]
    assert set(sets.smallest_m.tolist()) >= {2}
    with pytest.raises(ResourceError):
        known_ratings(table, k=3, epsilon=0, m=3, memory=1000)


@pytest.mark.parametrize("kernel", ["record", "cell", "list"])
@pytest.mark.parametrize(("levels", "memory"), [(5, 9500), (2, 6700)])
def test_parts_that_fit_one_at_a_time_give_the_same(levels, memory, kernel):
    """With two levels nobody is singled out by fewer than three:
    lists below a literal outgrow its owners.
    """
    table = table_of(np.random.default_rng(1).integers(1, levels + 1, (30, 6)).tolist())
    windows = windows_of(table, 0.0, None)
    literals = literals_of(table, windows, centred=True, memory=0 if kernel == "list" else 1 << 20)
    found = []
    for most in (1 << 20, literals.fits.nbytes + literals.owners.nbytes + memory):
        search = Search(
            ratings_of(table), windows, literals, 3, 3, Run(1, None, "test"), memory=most
        )
        search.go_through(BUDGET, "record" if kernel == "list" else kernel)
        found.append((search.smallest.tolist(), search.fewest.tolist(), search.witness.tolist()))
    assert found[0] == found[1]
    assert levels == 5 or set(found[0][0]) >= {3}


def test_quasi_identifiers_are_refused():
    with pytest.raises(ParameterError):
        known_ratings(pl.DataFrame({"q1": [1, 2], "age": [30, 31]}), k=2, epsilon=1, quasi=["age"])


def test_an_audit_passes_by_the_verdict_that_was_asked_for():
    table = table_of(TABLE_3, (1, 7))
    whole = ratingpriv.audit(table, k=3, epsilon=1, nulls="known")
    one, two = (ratingpriv.audit(table, k=3, epsilon=1, known=m) for m in (1, 2))
    assert (whole.satisfied, one.satisfied, two.satisfied) == (False, False, False)
    assert (whole.held, one.held, two.held) == (False, True, False)
    assert one.standing.reserved == ("epsilon-covers-questions",)  # the third question, 5 and 6
    content = two.to_dict()
    assert content["known"]["below_k"][1] == {"m": 2, "records": 6, "share": 0.75}
    assert [chance["m"] for chance in content["known"]["random"]] == [1, 2]
    assert "known" not in whole.to_dict()
    assert json_contracts.faults(content) == []
    assert two.to_frame()["smallest_m"].to_list() == [None, 2, None, 2, 2, 2, 2, 2]


def test_what_can_be_known_is_what_the_verdict_is_of():
    audit = partial(ratingpriv.audit, table_of(TABLE_2, (1, 7)), k=3, epsilon=1, known=1)
    most, others, named = (
        audit(known_items=items) for items in ("top:1", "not-top:1", ["q1", "q2"])
    )
    assert most.known.smallest_m.tolist() == [0, 0, 0, 1, 0, 0]
    assert others.known.smallest_m.tolist() == named.known.smallest_m.tolist() == [0, 0, 0, 0, 1, 1]
    assert json_contracts.faults(most.to_dict()) == []
    assert [one.to_dict()["known"]["items"] for one in (most, named, audit())] == [
        "top:1",
        "q1,q2",
        None,
    ]
    off = audit(known_error=1)
    assert off.known.smallest_m.tolist() == [0, 1, 1, 1, 1, 1]
    assert (off.known.epsilon, off.known.random) == (None, ())


@pytest.mark.parametrize(
    "how",
    [
        {"nulls": "strict"},
        {"at_most": 0.5},
        {"known": None, "known_error": 1},
        {"known": None, "known_items": "top:1"},
        {"known_items": "q9"},
        {"known_items": "not-top:3"},
        {"known": 0},
    ],
)
def test_what_an_audit_refuses_beside_known_ratings(how):
    with pytest.raises(ParameterError):
        ratingpriv.audit(table_of(TABLE_2), k=2, epsilon=1, **{"known": 1, **how})


def singled_out(table, k, within, sharp):
    """By item: how many records it narrows down alone, and with another one, neither alone."""
    alone, paired = {}, {}
    for t in range(table.n_records):
        one, two = (naive.counts(table, t, m, within, sharp=sharp) for m in (1, 2))
        narrow = {items[0] for (items, _), left in one.items() if left < k}
        pairs = {items for (items, _), left in two.items() if left < k and not narrow & {*items}}
        for item in narrow:
            alone.setdefault(item, set()).add(t)
        for item in itertools.chain.from_iterable(pairs):
            paired.setdefault(item, set()).add(t)
    return {
        table.issues[item]: (len(alone.get(item, ())), len(paired.get(item, ())))
        for item in alone.keys() | paired.keys()
    }


@given(
    table=tables(),
    k=st.integers(1, 4),
    within=st.sampled_from([0.0, 1.0, 2.0]),
    sharp=st.booleans(),
)
@settings(max_examples=60 * DEPTH)
def test_items_that_single_out_are_those_of_all_pairs(table, k, within, sharp):
    k = min(k, table.n_records)
    how = {"error": within} if sharp else {"epsilon": within}
    found = known.singling_items(table, k=k, **how)
    expected = singled_out(table, k, within, sharp)
    assert {one.item: (one.alone, one.in_pairs) for one in found} == expected
    sums = [one.alone + one.in_pairs for one in found]
    assert sums == sorted(sums, reverse=True)


def test_pairs_are_not_counted_where_there_are_too_many(monkeypatch):
    table = table_of([(1, 1), (1, 1), (2, 1), (2, 2)])
    pairs = [one.in_pairs for one in known.singling_items(table, k=2, epsilon=0)]
    assert pairs == [1, 1]
    monkeypatch.setattr(singling, "_BUDGET", 1)
    assert [one.in_pairs for one in known.singling_items(table, k=2, epsilon=0)] == [None]
