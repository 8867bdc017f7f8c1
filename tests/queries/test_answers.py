"""Every query answers on every store as the definitions and NetworkX do."""

import itertools
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from properties.strategies import tables

from queries.cases import ENGINES, ON_ENGINES, OURS, Loaded, expect, load_as, load_case, params_of
from queries.greedy_oracle import RUN_EXPECTED
from queries.known_oracle import KNOWN_EXPECTED
from queries.oracle import EXPECTED, Case
from queries.predictive_oracle import GROUPED_EXPECTED
from queries.release_oracle import RELEASE_EXPECTED
from ratingpriv import RatingTable, read
from ratingpriv.graph.catalogue import catalogue, query
from ratingpriv.graph.running import GraphStore

READS = [id for id in OURS if catalogue()[id].is_read and id in EXPECTED]  # noqa: A001


def questions(query_id: str, case: Case, dataset: str) -> Iterator[dict[str, Any]]:
    ids = case.ids
    epsilons = sorted({0.0, 1.0, case.epsilon_max / 2, case.epsilon_max})
    sensitive = case.numeric if query_id == "audit/sensitive-sd" else case.table.sensitive
    choices: dict[str, list[Any]] = {
        "epsilon": [epsilon for epsilon in epsilons if epsilon <= case.epsilon_max],
        "k": [1, 2, 3, len(ids) + 1],
        "l": [0.0, 1.5, 2.0, 2.5],
        "max_share": [1.0, 0.5, 0.3],
        "min_distinct": [1, 3],
        "min_entropy": [1.0, 2.0, 2.5],
        "record": [ids[0], ids[-1]],
        "records": [ids[:1], ids[:2], ids[:4], [*ids[:2], ids[0]], ids, []],
        "issue": [one.name for one in sensitive],
        "hamming_group": sorted({0, len(case.groups) - 1}),
        "first": [0, 1],
        "last": [1, len(ids)],
        "part": [0],
        "parts": [1],
    }
    names = [p.name for p in query(query_id).params if p.name not in ("dataset", "run")]
    for values in itertools.product(*(choices[name] for name in names)):
        yield {"dataset": dataset, **dict(zip(names, values, strict=True))}


def check(store: GraphStore, query_id: str, case: Case, params: dict[str, Any]) -> None:
    expect(EXPECTED[query_id](case, **params), store, query_id, **params)


def test_every_query_has_an_oracle() -> None:
    told_otherwise = {
        "audit/sizes-check",
        "browse/mark",
        "browse/mark-cliques",
        "browse/mark-reasons",
        "browse/unmark",
        "partition/runs/remove",
        "partition/borrowing-candidates",
        "partition/combining-candidates",
        "anonymize/changes",
        "browse/before-after",
        "browse/mended",  # test_partition.py
        "browse/predictive",
        "anonymize/swap-check",  # test_swapped.py
        "anonymize/swapped",
        "browse/swapped",
        "audit/two-releases",
        "browse/two-releases",
        *RUN_EXPECTED, *RELEASE_EXPECTED, *GROUPED_EXPECTED, *KNOWN_EXPECTED,
        *(name for name in OURS if catalogue()[name].is_step),
    }  # fmt: skip
    assert set(OURS) - told_otherwise == set(EXPECTED)


@pytest.mark.parametrize("query_id", sorted(READS))
def test_on_the_worked_examples(store: GraphStore, example: Loaded, query_id: str) -> None:
    dataset, case = example
    for params in questions(query_id, case, dataset):
        check(store, query_id, case, params)


def test_no_sd_is_more_than_that_of_the_decimals(
    store: GraphStore, loaded: Callable[..., Loaded]
) -> None:
    """Pairs two tenths apart, far from 0: float64 has up to 10^-6 more
    than an SD of a tenth for some.
    """
    lower = [Decimal(1_000_000_000 + 7 * pair) + Decimal(pair % 8) / 10 for pair in range(40)]
    sensitive = [float(value) for low in lower for value in (low, low + Decimal("0.2"))]
    dataset, _ = loaded(build([(pair,) for pair in range(40) for _ in "ab"], [sensitive]), 0.0)
    params = {"dataset": dataset, "k": 2, "epsilon": 0.0}
    for l, violators in ((0.0999, 0), (0.1 * (1 + 1e-9), 80), (0.2, 80)):  # noqa: E741
        ((_, *satisfied, _, _, _, _, paper, ignore, _),) = store.run(
            "audit/k-epsilon-l-check", l=l, **params
        )
        assert (paper, ignore, satisfied) == (violators, violators, [violators == 0] * 2)
        assert len(store.run("audit/k-epsilon-l-violators", l=l, **params)) == violators


@ON_ENGINES
@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
def test_on_random_tables(store: GraphStore, nulls: str) -> None:
    @settings(
        max_examples=25 * DEPTH if store.engine == "embedded" else 6,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(st.data(), tables(most_records=8))
    def all_queries(data: st.DataObject, table: RatingTable) -> None:
        epsilon = data.draw(st.sampled_from([0.0, 0.2, 1.0, 2.0, 6.0]))
        dataset, case = load_case(store, table, epsilon, nulls=nulls)
        try:
            for query_id in sorted(EXPECTED):
                asked = list(questions(query_id, case, dataset))
                for params in asked if len(asked) < 3 else data.draw(st.permutations(asked))[:2]:
                    check(store, query_id, case, params)
        finally:
            store.drop(dataset)

    all_queries()


@pytest.mark.deep
@pytest.mark.parametrize("query_id", sorted(set(EXPECTED) - {"browse/hamming-group"}))
def test_on_real_data(real_case: Loaded, real_store: GraphStore, query_id: str) -> None:
    dataset, case = real_case
    ids = case.ids
    issue = case.table.sensitive[0].name if case.table.sensitive else None
    changed = {"k": 5, "l": 1.0, "min_distinct": 3, "min_entropy": 2.5, "last": 20}
    params = params_of(
        query_id, dataset=dataset, record=ids[3], records=ids[:5], issue=issue, **changed
    )
    if "issue" in params and issue is None:
        pytest.skip("the data have no sensitive issue")
    check(real_store, query_id, case, params)


@pytest.fixture(scope="module", params=ENGINES)
def real_store(request: pytest.FixtureRequest) -> GraphStore:
    found: GraphStore = request.getfixturevalue(f"{request.param}_store")
    return found


@pytest.fixture(scope="module", params=["ml-100k", "op-big5"])
def real_case(request: pytest.FixtureRequest, real_store: GraphStore) -> Iterator[Loaded]:
    if request.param not in _REAL:
        folder = request.getfixturevalue("test_data") / request.param
        table = read(folder, issues="top:8") if request.param == "ml-100k" else big_five(folder)
        _REAL[request.param] = Case(table, 1.0)
    found = load_as(real_store, _REAL[request.param])
    yield found
    real_store.drop(found[0])


_REAL: dict[str, Case] = {}


def big_five(folder: Path) -> RatingTable:
    """400 people on the five first statements about extraversion; their age is sensitive."""
    personal = ["race", "engnat", "gender", "hand", "source", "country"]
    table = read(
        folder / "data.csv",
        sensitive=["age"],
        drop=personal,
        null=["0"],
        delimiter="\t",
        scale=(1, 5),
        sensitive_scale={"age": None},
    )
    return table.select_issues([f"E{i}" for i in range(1, 6)]).sample(400, rng=5)
