"""The graph in NetworkX, GraphML and Parquet is the one that the plain loops find."""

from pathlib import Path

import networkx as nx
import polars as pl
import pytest
from golden.tables import build, table1, table3
from hypothesis import given
from hypothesis import strategies as st
from naive import proximity
from properties.strategies import tables

from ratingpriv import RatingTable
from ratingpriv.base.errors import OutputError, ParameterError
from ratingpriv.graph.export import to_networkx, write_graphml, write_parquet

NAMES = [
    'quo"te',
    "back`tick",
    "new\nline",
    "a\rb",
    "<&>",
    "MATCH (n) DETACH DELETE n",
    "🙂",
    "x" * 10_000,
]


def named() -> RatingTable:
    frame = pl.DataFrame({"id": NAMES, "a": [1, 1, 2, 2, 5, 5, None, None]})
    return RatingTable.from_wide(frame, id="id", scale=(1, 5))


@given(tables(), st.sampled_from([0.0, 0.2, 1.0, 6.0]), st.sampled_from(["strict", "wildcard"]))
def test_networkx(table: RatingTable, epsilon: float, nulls: str) -> None:
    graph = to_networkx(table, epsilon, nulls=nulls)
    ids = table.record_ids.to_list()
    assert list(graph.nodes) == ids
    found = {frozenset((a, b)): distance for a, b, distance in graph.edges(data="distance")}
    assert found == {
        frozenset((ids[a], ids[b])): far for a, b, far in proximity.pairs(table, epsilon, nulls)
    }
    groups = dict(graph.nodes(data="hamming_group"))
    numbered = enumerate(proximity.hamming_groups(table))
    assert groups == {ids[record]: number for number, group in numbered for record in group}


def test_a_worked_example_in_networkx() -> None:
    graph = to_networkx(table1(), 1)
    assert sorted(graph.edges(data="distance")) == [("t2", "t3", 1.0), ("t4", "t5", 1.0)]
    assert graph.nodes["t5"] == {"position": 4, "hamming_group": 1}
    assert (graph.graph["epsilon"], graph.graph["nulls"]) == (1.0, "strict")
    with pytest.raises(ParameterError):
        to_networkx(table1(), -1)


@pytest.mark.parametrize("make", [table3, named, lambda: build([(1,), (5,)])])
def test_graphml(make: object, tmp_path: Path) -> None:
    table: RatingTable = make()  # type: ignore[operator]
    wanted = to_networkx(table, 1)
    assert write_graphml(table, 1, tmp_path / "g.graphml") == wanted.number_of_edges()
    found = nx.read_graphml(tmp_path / "g.graphml")
    by_name = nx.relabel_nodes(found, dict(found.nodes(data="record")))
    assert set(by_name.nodes) == set(wanted.nodes)
    assert nx.utils.edges_equal(by_name.edges(data="distance"), wanted.edges(data="distance"))
    assert dict(by_name.nodes(data="size")) == {
        name: degree + 1 for name, degree in wanted.degree()
    }


def test_parquet(tmp_path: Path) -> None:
    table = named()
    assert write_parquet(table, 1, tmp_path / "pairs.parquet", tmp_path / "records.parquet") == 8
    pairs, records = (
        pl.read_parquet(tmp_path / name) for name in ("pairs.parquet", "records.parquet")
    )
    wanted = [(NAMES[a], NAMES[b], far) for a, b, far in proximity.pairs(table, 1)]
    assert pairs.rows() == wanted
    assert records["record"].to_list() == NAMES
    assert records["hamming_group"].to_list() == [0] * 6 + [1] * 2


def test_whole_numbers_stay_whole_numbers(tmp_path: Path) -> None:
    table = RatingTable.from_wide(pl.DataFrame({"id": [7, 3], "a": [1, 1]}), id="id")
    write_parquet(table, 0, tmp_path / "pairs.parquet")
    assert pl.read_parquet(tmp_path / "pairs.parquet").rows() == [(7, 3, 0.0)]
    write_graphml(table, 0, tmp_path / "g.graphml")
    assert dict(nx.read_graphml(tmp_path / "g.graphml").nodes(data="record")) == {"n0": 7, "n1": 3}


def test_nothing_is_overwritten_and_nothing_half_written(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("precious")
    for write in (write_graphml, write_parquet):
        with pytest.raises(OutputError):
            write(table1(), 1, tmp_path / "there")
    assert (tmp_path / "there").read_text() == "precious"
    odd = RatingTable.from_wide(pl.DataFrame({"id": ["a", "b\x01"], "a": [1, 1]}), id="id")
    with pytest.raises(OutputError, match=r"x01.*Parquet"):
        write_graphml(odd, 1, tmp_path / "odd.graphml")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
