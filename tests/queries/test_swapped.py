"""A release by swap in a store: groups, not people, are tied;
what is asked of them equals plain loops.
"""

import uuid
from typing import Any

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive import proximity

from queries.cases import EMBEDDED, ON_ENGINES, told, unguarded
from ratingpriv import RatingTable
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.graph import ingest
from ratingpriv.graph.running import GraphStore
from ratingpriv_loaders.graph.slices import load, slices

TABLE = build(
    [(1, 2), (2, 2), (1, 3), (5, None), (4, 5), (5, 4), (3, 3)],
    [(1, 2, 3, 4, 5, 1, None)],
    scale=(1, 5),
)
GROUPS = [[0, 1, 2], [3, 4, 5]]  # the last one is left out


def swapped(table: RatingTable, groups: list[list[int]], seed: int) -> tuple[RatingTable, Key]:
    """Permute every column within each group, and the records of all."""
    rng = np.random.default_rng(seed)
    kept = rng.permutation([t for group in groups for t in group])
    after = table.take(kept)
    cells = [
        [row.get(issue) for issue in range(table.n_issues)] for row in proximity.ratings(after)
    ]
    (secret,) = after.sensitive
    values = [
        float(v) if there else None for v, there in zip(secret.values, secret.present, strict=True)
    ]
    places = [[int(np.flatnonzero(kept == t)[0]) for t in group] for group in groups]
    for own in places:
        for issue in range(table.n_issues):
            moved = [cells[place][issue] for place in rng.permutation(own)]
            for place, value in zip(own, moved, strict=True):
                cells[place][issue] = value
        for place, value in zip(own, [values[at] for at in rng.permutation(own)], strict=True):
            values[place] = value
    release = build(cells, [values], scale=(1, 5))
    ids, new = table.record_ids.to_list(), release.record_ids.to_list()
    became = {
        t: new[place]
        for group, own in zip(groups, places, strict=True)
        for t, place in zip(group, own, strict=True)
    }
    tied = [
        {"original": [ids[t] for t in group], "released": sorted(new[place] for place in own)}
        for group, own in zip(groups, places, strict=True)
    ]
    return release, Key(tuple(ids), tuple(became.get(t) for t in range(len(ids))), {"groups": tied})


def put_swapped(
    store: GraphStore,
    original: RatingTable = TABLE,
    groups: list[list[int]] = GROUPS,
    *,
    seed: int = 0,
    name: str | None = None,
    run: str = "s",
    epsilon: float = 3.0,
    **changed: Any,
) -> str:
    """Load a table, unless it is there as ``name``, and a release of it by swap.

    Return its name.
    """
    if name is None:
        name = f"test {uuid.uuid4().hex[:12]}"
        load(slices(original, name, epsilon=epsilon, nulls="wildcard", ratings=True), store)
    release, key = swapped(original, groups, seed)
    given: dict[str, Any] = {"table": release, "release_key": key, **changed}
    ingest(
        given.pop("table"), store, dataset=name, run=run, epsilon=epsilon, nulls="wildcard", **given
    )
    return name


def ask(store: GraphStore, query_id: str, name: str, **params: Any) -> list[tuple[Any, ...]]:
    return told(store, query_id, dataset=name, run="s", **params)


def check(store: GraphStore, name: str, table: RatingTable, groups: list[list[int]]) -> None:
    """Hold every answer about the groups to plain loops over the table."""
    ids, rows = table.record_ids.to_list(), proximity.ratings(table)
    within = {t: (number, len(group)) for number, group in enumerate(groups) for t in group}
    wanted = [
        (ids[t], t, *place, None)
        for t, place in sorted(within.items(), key=lambda one: (one[1], one[0]))
    ]
    wanted += [(ids[t], t, None, None, None) for t in range(len(ids)) if t not in within]
    assert ask(store, "anonymize/swapped", name) == wanted
    (secret,) = table.sensitive
    tables, farthest = 0, None
    for group in groups:
        tables += bool(np.any(secret.present[group]))
        for issue in range(table.n_issues):
            known = [float(rows[t][issue]) for t in group if issue in rows[t]]
            tables += bool(known)
            farthest = max([farthest or 0.0, max(known) - min(known)]) if known else farthest
    (found,) = ask(store, "anonymize/swap-check", name)
    assert found == (len(groups), min(map(len, groups)), tables, 0, farthest, None)
    text = "MATCH (r:Record {dataset: $released}) RETURN r.id AS id, r.position AS position"
    after = dict(store.run(text, released=f"{name}/s").rows)
    for number, group in enumerate(groups):
        drawn = store.run("browse/swapped", dataset=name, run="s", group=number).dicts()
        before = [row["r"]["properties"]["id"] for row in drawn if row["side"] == "before"]
        assert before == [ids[t] for t in sorted(group)]
        released = [row["r"]["properties"]["id"] for row in drawn if row["side"] == "after"]
        assert len(released) == len(group)
        assert [after[id_] for id_ in released] == sorted(after[id_] for id_ in released)
        pairs = sum(len(row["pairs"]) for row in drawn if row["side"] == "before")
        near = [
            proximity.distance(table, rows[a], rows[b], "wildcard")
            for a in group
            for b in group
            if a < b
        ]
        assert pairs == sum(far is not None and far <= 3.0 for far in near)


def test_groups_are_tied_and_nobody_to_a_record(store: GraphStore) -> None:
    name = put_swapped(store)
    try:
        check(store, name, TABLE, GROUPS)
        text = "MATCH (:Record {dataset: $dataset})-[l:RELEASED_AS]->() RETURN count(l) AS n"
        assert store.run(text, dataset=name).single() == (0,)
        assert ask_releases(store, name) == [("s", f"{name}/s", True, False, 2, 6, 1, None)]
        with pytest.raises(ParameterError, match="ties groups of people to groups of records"):
            store.run("anonymize/distortion", dataset=name, run="s")
        put_swapped(store, name=name, seed=1)  # replaced: no group of the former is left
        check(store, name, TABLE, GROUPS)
    finally:
        store.drop(name)
    left = store.run(
        "MATCH (g:SwapGroup) WHERE g.dataset STARTS WITH $of RETURN count(g) AS n", of=name
    )
    assert left.single() == (0,)


def ask_releases(store: GraphStore, name: str) -> list[tuple[Any, ...]]:
    return told(store, "anonymize/releases", dataset=name)


@ON_ENGINES
def test_a_group_whose_values_are_others_is_counted(store: GraphStore) -> None:
    release, _ = swapped(TABLE, GROUPS, 0)
    cells = [[row.get(issue) for issue in range(2)] for row in proximity.ratings(release)]
    cells[0][0] = 5 if cells[0][0] != 5 else 1
    (secret,) = release.sensitive
    other = build(cells, [secret.values.tolist()], scale=(1, 5))
    name = put_swapped(store, table=other)
    try:
        ((*_, changed, _, problem),) = ask(store, "anonymize/swap-check", name)
        assert changed >= 1
        assert problem is None
    finally:
        store.drop(name)


@ON_ENGINES
def test_without_its_key_there_are_no_groups(store: GraphStore) -> None:
    name = put_swapped(store, release_key=None)
    try:
        for query_id in ("anonymize/swapped", "anonymize/swap-check"):
            with pytest.raises(ParameterError, match="by swap, with its key"):
                store.run(query_id, dataset=name, run="s")
            ((*nothing, problem),) = unguarded(store, query_id, dataset=name, run="s")
            assert "has no groups" in problem
            assert not any(nothing)
        assert not unguarded(store, "browse/swapped", dataset=name, run="s", group=0)
    finally:
        store.drop(name)


def _twice(tied: list[dict[str, list[str]]]) -> None:
    tied[1]["original"][0] = tied[0]["original"][0]


def _elsewhere(tied: list[dict[str, list[str]]]) -> None:
    tied[0]["released"][0] = tied[1]["released"][0]


def _left_out(tied: list[dict[str, list[str]]]) -> None:
    tied[0]["original"][0] = "t7"


@EMBEDDED
@pytest.mark.parametrize("break_it", [_twice, _elsewhere, _left_out])
def test_groups_of_other_records_are_refused(store: GraphStore, break_it: Any) -> None:
    release, key = swapped(TABLE, GROUPS, 0)
    break_it(key.facts["groups"])
    name = put_swapped(store)
    try:
        with pytest.raises(ParameterError, match="groups of other records"):
            ingest(
                release,
                store,
                dataset=name,
                run="s",
                epsilon=3.0,
                nulls="wildcard",
                release_key=key,
            )
        with pytest.raises(ParameterError, match="loaded to its end"):
            store.run("anonymize/swapped", dataset=name, run="s")
    finally:
        store.drop(name)


@ON_ENGINES
def test_random_releases(store: GraphStore) -> None:
    @settings(
        max_examples=12 * DEPTH if store.engine == "embedded" else 4,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(st.data())
    def equal_the_loops(data: st.DataObject) -> None:
        cell = st.one_of(st.none(), st.integers(1, 5))
        rows = data.draw(st.lists(st.tuples(cell, cell, cell), min_size=4, max_size=9))
        secret = data.draw(st.lists(cell, min_size=len(rows), max_size=len(rows)))
        order = data.draw(st.permutations(range(len(rows))))
        cut = data.draw(st.integers(1, len(rows) - 1))
        left = data.draw(st.integers(0, len(rows) - cut - 1))
        groups = [list(order[:cut]), list(order[cut : len(rows) - left])]
        table = build(rows, [secret], scale=(1, 5))
        name = put_swapped(store, table, groups, seed=data.draw(st.integers(0, 9)))
        try:
            check(store, name, table, groups)
        finally:
            store.drop(name)

    equal_the_loops()


def grouped(data: st.DataObject, records: int) -> list[list[int]]:
    """Two groups of some of the records, as one release has them."""
    order = data.draw(st.permutations(range(records)))
    cut = data.draw(st.integers(1, records - 1))
    left = data.draw(st.integers(0, records - cut - 1))
    return [list(order[:cut]), list(order[cut : records - left])]


def intersections(
    groups: list[list[int]], others: list[list[int]], records: int
) -> dict[Any, list[int]]:
    """The records of each group of one release that are in each of another; None: in no group."""
    found: dict[Any, list[int]] = {}
    for t in range(records):
        where = [
            next((n for n, group in enumerate(of) if t in group), None) for of in (groups, others)
        ]
        if where != [None, None]:
            found.setdefault(tuple(where), []).append(t)
    return found


def check_two(
    store: GraphStore, name: str, groups: list[list[int]], others: list[list[int]]
) -> None:
    ids = TABLE.record_ids.to_list()
    wanted = intersections(groups, others, TABLE.n_records)
    said = [
        (
            *where,
            *(
                None if n is None else len(of[n])
                for n, of in zip(where, (groups, others), strict=True)
            ),
            len(some),
            ids[some[0]] if len(some) == 1 else None,
            None,
        )
        for where, some in wanted.items()
    ]
    found = ask(store, "audit/two-releases", name, other="t")
    assert sorted(found, key=str) == sorted(said, key=str)
    assert [row[4] for row in found] == sorted(row[4] for row in found)
    drawn = store.run("browse/two-releases", dataset=name, run="s", other="t").dicts()
    places = [(len(some), t, where) for where, some in wanted.items() for t in some]
    assert [(row["together"], row["r"]["properties"]["position"]) for row in drawn] == [
        (many, t) for many, t, _ in sorted(places, key=lambda one: one[:2])
    ]
    for row, (_, _, where) in zip(drawn, sorted(places, key=lambda one: one[:2]), strict=True):
        assert tuple(row[side] and row[side]["properties"]["id"] for side in ("g", "h")) == where
        assert len(row["lines"]) == sum(one is not None for one in where)


@ON_ENGINES
def test_two_releases_of_the_same_people(store: GraphStore) -> None:
    @settings(max_examples=10 * DEPTH if store.engine == "embedded" else 4)
    @given(st.data())
    def equal_the_loops(data: st.DataObject) -> None:
        groups, others = grouped(data, TABLE.n_records), grouped(data, TABLE.n_records)
        name = put_swapped(store, TABLE, groups)
        try:
            put_swapped(store, TABLE, others, name=name, run="t", seed=1)
            check_two(store, name, groups, others)
        finally:
            store.drop(name)

    equal_the_loops()


@ON_ENGINES
def test_who_is_left_alone_by_one_person_more(store: GraphStore) -> None:
    """Groups that differ by one person: the difference of their tables is that person's row."""
    name = put_swapped(store, TABLE, [[0, 1, 2], [3, 4, 5, 6]])
    try:
        put_swapped(store, TABLE, [[0, 1, 2], [3, 4, 5]], name=name, run="t")
        rows = ask(store, "audit/two-releases", name, other="t")
        assert rows[0] == (1, None, 4, None, 1, "t7", None)
        assert [row[5] for row in rows[1:]] == [None, None]
        put_swapped(store, TABLE, [[0, 1, 2], [3, 4, 5]], name=name, run="t", release_key=None)
        with pytest.raises(ParameterError, match="by swap, with its key"):
            ask(store, "audit/two-releases", name, other="t")
        (row,) = unguarded(store, "audit/two-releases", dataset=name, run="s", other="t")
        assert "has no groups" in row[-1]
        assert not unguarded(store, "browse/two-releases", dataset=name, run="s", other="t")
    finally:
        store.drop(name)
