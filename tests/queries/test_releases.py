"""A release beside its original: comparisons answer as defined,
and nothing half-loaded is ever compared.
"""

import contextlib
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from golden.tables import build, table2

from queries.cases import EMBEDDED, expect, load_as, params_of, told
from queries.oracle import Case, agree
from queries.release_oracle import RELEASE_EXPECTED, Released, changes, near_by
from queries.runs import decompose
from ratingpriv import RatingTable
from ratingpriv.base.errors import LoadFailedError, ParameterError, UnknownDatasetError
from ratingpriv.base.keys import Key
from ratingpriv.graph import ingest, running
from ratingpriv.graph.releases import announce_release, link_release
from ratingpriv.graph.running import GraphStore
from ratingpriv_loaders.graph.slices import load, slices

RELEASE = build(
    [(3, 6, None), (5, 7, None), (5, 6, None), (1, None, 5), (1, 2, 5)],
    [(6, 4, 1, 1, 5)],
    scale=(1, 7),
)
"""Table 2 without t2; t3, t5 and t6 were changed, and the last two have changed places."""

BECAME = [0, None, 1, 2, 4, 3]
KEY = Key(
    tuple(f"t{i + 1}" for i in range(6)), tuple(None if u is None else f"t{u + 1}" for u in BECAME)
)


def put(
    store: GraphStore, name: str, table: RatingTable, epsilon: float = 3.0, **options: Any
) -> None:
    load(slices(table, name, epsilon=epsilon, **{"ratings": True, **options}), store)


@pytest.fixture
def original(store: GraphStore) -> Iterator[str]:
    name = f"test {uuid.uuid4().hex[:12]}"
    put(store, name, table2())
    yield name
    with contextlib.suppress(UnknownDatasetError):
        store.drop(name)


def release(
    store: GraphStore, name: str, key: Key | None = KEY, table: RatingTable = RELEASE
) -> Any:
    return ingest(table, store, dataset=name, run="run", epsilon=3.0, release_key=key).release


def ask(store: GraphStore, query_id: str, name: str, **params: Any) -> list[tuple[Any, ...]]:
    return told(
        store, query_id, **params_of(query_id, dataset=name, run="run", epsilon=2.0, **params)
    )


def ask_unguarded(
    store: GraphStore, query_id: str, name: str, **params: Any
) -> list[tuple[Any, ...]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "check_named", lambda *_: ((), ()))
        return ask(store, query_id, name, **params)


def case() -> Released:
    return Released(Case(table2(), 3.0), Case(RELEASE, 3.0), BECAME, 2.0)


def check(store: GraphStore, name: str) -> None:
    for query_id, wanted in RELEASE_EXPECTED.items():
        rows = wanted(case())
        if query_id == "anonymize/releases":
            rows = [(row[0], f"{name}/run", *row[2:]) for row in rows]
        expect(rows, store, query_id, **params_of(query_id, dataset=name, run="run", epsilon=2.0))


def test_before_and_after(store: GraphStore, original: str) -> None:
    info = release(store, original)
    assert (info.records, info.linked, info.withheld, info.distorted) == (5, True, 1, True)
    check(store, original)
    for t, id_ in enumerate(KEY.original):
        if BECAME[t] is not None:
            assert agree(ask(store, "anonymize/changes", original, record=id_), changes(case(), t))
        assert agree(ask(store, "browse/before-after", original, record=id_), near_by(case(), t))
    ((*nothing, problem),) = ask(store, "anonymize/changes", original, record="t2")
    assert (problem, any(nothing)) == ("the record was withheld", False)
    assert (
        store.run("audit/degree-check", dataset=f"{original}/run", k=2, epsilon=2.0).rows[0][1] == 5
    )


def test_once_more_is_the_same(store: GraphStore, original: str) -> None:
    for _ in range(2):
        release(store, original)
    link_release(store, original, "run", KEY)
    check(store, original)


def test_without_its_key_nobody_is_told(store: GraphStore, original: str) -> None:
    release(store, original)
    assert not release(store, original, None).linked  # the links of the load before are gone
    for query_id in ("anonymize/distortion", "anonymize/distortion-by-record"):
        with pytest.raises(ParameterError, match="with its key"):
            ask(store, query_id, original)
        ((*nothing, problem),) = ask_unguarded(store, query_id, original)
        assert (problem.startswith("the release was ingested without its key"), any(nothing)) == (
            True,
            False,
        )
    assert not ask_unguarded(store, "browse/before-after", original, record="t1")
    assert agree(
        ask(store, "anonymize/clustering", original),
        RELEASE_EXPECTED["anonymize/clustering"](case()),
    )
    assert ask(store, "anonymize/releases", original) == [
        ("run", f"{original}/run", True, False, None, 5, None, None)
    ]


def nothing_is_compared(store: GraphStore, name: str) -> None:
    for query_id in ("anonymize/distortion", "anonymize/distortion-by-record"):
        ((*nothing, problem),) = ask_unguarded(store, query_id, name)
        assert problem
        assert not any(nothing)
    for query_id, more in (("anonymize/clustering", {}), ("browse/before-after", {"record": "t1"})):
        assert not ask_unguarded(store, query_id, name, **more)
        with pytest.raises(ParameterError, match="run: found 'run', expected a release"):
            ask(store, query_id, name, **more)
    assert not any(row[2] for row in ask(store, "anonymize/releases", name))


STEPS: dict[str, Callable[[GraphStore, str], Any]] = {
    "announced": lambda store, name: announce_release(store, name, "run"),
    "loaded": lambda store, name: put(store, f"{name}/run", RELEASE),
    "dropped": lambda store, name: store.drop(f"{name}/run"),
}


@EMBEDDED
@pytest.mark.parametrize("step", STEPS)
def test_nothing_half_loaded_is_compared(store: GraphStore, original: str, step: str) -> None:
    release(store, original)
    STEPS[step](store, original)
    nothing_is_compared(store, original)
    release(store, original)
    check(store, original)


def test_it_goes_with_its_original(store: GraphStore, original: str) -> None:
    name = original
    release(store, name)
    decompose(store, name, 2, 1.0)
    # a successor: what was made of the former one is not of this one
    put(store, name, table2(), 2.0)
    assert not store.run("anonymize/releases", dataset=name).rows
    assert not store.run("partition/runs/list", dataset=name).rows
    with pytest.raises(UnknownDatasetError):
        store.dataset(f"{name}/run")
    release(store, name)
    decompose(store, name, 2, 1.0)
    store.drop(name)
    for gone in (name, f"{name}/run"):
        assert all(not sum(store.one("load/counted", key=gone)[0]) for _ in "x")
        with pytest.raises(UnknownDatasetError):
            store.dataset(gone)
    put(store, name, table2())
    nothing_is_compared(store, name)
    assert not store.run("partition/runs/list", dataset=name).rows
    store.drop(name)


OTHERS = [
    Key(KEY.original[:-1], KEY.released[:-1]),
    Key((*KEY.original[:-1], "t9"), KEY.released),
    Key(KEY.original, ("t9", *KEY.released[1:])),
    Key(KEY.original, (None, *KEY.released[1:])),
]


@pytest.mark.parametrize("key", OTHERS)
@EMBEDDED
def test_the_key_of_something_else(store: GraphStore, original: str, key: Key) -> None:
    with pytest.raises(ParameterError, match="key"):
        release(store, original, key)
    nothing_is_compared(store, original)


def test_what_cannot_be_linked(embedded_store: GraphStore) -> None:
    store, name = embedded_store, f"test {uuid.uuid4().hex[:12]}"
    with pytest.raises(UnknownDatasetError):
        announce_release(store, name, "run")
    put(store, name, table2())
    for run in ("", "x" * 101, "a\0b"):
        with pytest.raises(ParameterError, match="run"):
            announce_release(store, name, run)
    release(store, name)
    with pytest.raises(LoadFailedError, match="5 of 0 links"):
        link_release(store, name, "run", None)  # it has links already: load it anew without
    store.drop(name)
    load_as(store, Case(table2(), 3.0))
    put(store, name, table2(), key=b"0" * 32)
    with pytest.raises(ParameterError, match="pseudonym_key"):
        release(store, name)
    store.drop(name)


def test_without_ratings_there_are_links_and_no_distortion(embedded_store: GraphStore) -> None:
    store, name = embedded_store, f"test {uuid.uuid4().hex[:12]}"
    put(store, name, table2(), ratings=False)
    assert not release(store, name).distorted
    ((*nothing, problem),) = ask(store, "anonymize/distortion", name)
    assert ("--ratings" in problem, any(nothing)) == (True, False)
    assert ask(store, "anonymize/releases", name) == [
        ("run", f"{name}/run", True, True, None, 5, 1, None)
    ]
    assert len(ask(store, "browse/before-after", name, record="t1")) > 2
    store.drop(name)
