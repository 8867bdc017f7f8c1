"""Before anything is written: exact counts, refusals with numbers and ways out."""

import numpy as np
import polars as pl
import pytest
from golden.tables import build, table1, table2
from hypothesis import given
from hypothesis import strategies as st
from naive import proximity
from properties.strategies import tables
from queries.cases import with_quasi

from ratingpriv import RatingTable
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table.parts import QuasiColumn
from ratingpriv_loaders.graph.slices import StoredQuasi, slices


@given(
    tables(),
    st.sampled_from([0.0, 1.0, 6.0]),
    st.sampled_from(["strict", "wildcard"]),
    st.integers(2, 5),
)
def test_pairs_are_counted_exactly(table: RatingTable, epsilon: float, nulls: str, k: int) -> None:
    near = proximity.neighbourhoods(table, epsilon, nulls)
    pairs = proximity.pairs(table, epsilon, nulls)
    every = slices(table, "all", epsilon=epsilon, nulls=nulls)
    assert every.spec.pairs == len(pairs)
    some = slices(table, "some", epsilon=epsilon, nulls=nulls, edges="at-risk", k=k)
    wanted = [pair for pair in pairs if len(near[pair[0]]) < k or len(near[pair[1]]) < k]
    assert some.spec.pairs == len(wanted)
    found = [
        pair
        for block in some.pairs()
        for pair in zip(
            block.left.tolist(), block.right.tolist(), block.distance.tolist(), strict=True
        )
    ]
    assert found == wanted
    assert some.at_risk is not None
    assert some.at_risk.tolist() == [len(one) < k for one in near]


def test_the_spec_of_a_worked_example() -> None:
    spec = slices(table2(), "t2", epsilon=3, ratings=True).spec
    assert (spec.records, spec.groups, spec.issues, spec.pairs) == (6, 2, 4, 7)
    assert spec.ratings == 12 + 6
    assert slices(table2(), "t2", epsilon=3).spec.ratings == 6
    assert (spec.scale_min, spec.scale_max, spec.epsilon_max) == (1, 7, 3)


def test_too_many_pairs_are_refused_with_numbers_and_ways_out() -> None:
    table = build([(1,)] * 30 + [(5,)])
    with pytest.raises(ParameterError) as caught:
        slices(table, "t", epsilon=0, max_edges=100)
    message = str(caught.value)
    assert "435 pairs" in message
    assert "at most 100" in message
    for way in ("`max_edges=435`", "`epsilon`", "`issues=", "`edges='at-risk'`", "`offline`"):
        assert way in message
    assert slices(table, "t", epsilon=0, max_edges=435).spec.pairs == 435
    assert slices(table, "t", epsilon=0, max_edges=None).spec.pairs == 435
    assert slices(table, "t", epsilon=0, max_edges=0, edges="at-risk", k=2).spec.pairs == 0


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"epsilon": -1}, "epsilon"),
        ({"edges": "some"}, "edges"),
        ({"edges": "at-risk"}, "k"),
        ({"edges": "at-risk", "k": 1}, "k"),
        ({"k": 3}, "k"),
        ({"max_edges": -1}, "max_edges"),
        ({"nulls": "maybe"}, "nulls"),
        ({"dataset": ""}, "dataset"),
        ({"dataset": "x" * 201}, "dataset"),
    ],
)
def test_arguments_out_of_range(wrong: dict[str, object], name: str) -> None:
    arguments = {"dataset": "t", "epsilon": 1.0, **wrong}
    with pytest.raises(ParameterError) as caught:
        slices(table1(), **arguments)  # type: ignore[arg-type]
    assert caught.value.name == name


def test_slices_are_small_and_complete() -> None:
    table = build([(1,)] * 10, [[1, None] * 5])
    prepared = slices(table, "t", epsilon=0, ratings=True)
    assert [len(batch.ids) for batch in prepared.records(4)] == [4, 4, 2]
    records = [[0, 2, 4], [6, 8], [0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    assert [batch.records.tolist() for batch in prepared.ratings(3)] == records
    blocks = list(prepared.pairs(7))
    assert max(map(len, blocks)) <= 7
    assert sum(map(len, blocks)) == 45


def test_the_fingerprint_tells_data_apart() -> None:
    def fingerprint(table: RatingTable, **options: object) -> str:
        return slices(table, "t", epsilon=1, **options).spec.fingerprint  # type: ignore[arg-type]

    base = build([(1, 2), (2, 2)], [(1, None)])
    others = [
        build([(1, 2), (2, 1)], [(1, None)]),
        build([(1, 2), (2, None)], [(1, None)]),
        build([(1, 2), (2, 2)], [(1, 0)]),
        build([(1, 2), (2, 2)], [(2, None)]),
        base.replace(record_ids=pl.Series("record", ["t1", "t3"])),
        base.replace(issues=("a", "b")),
        *(
            base.replace(
                quasi=(QuasiColumn("region", np.array(codes, np.int32), pl.Series(values)),)
            )
            for codes, values in (([0, 1], ["n", "s"]), ([0, 1], ["s", "n"]), ([1, 0], ["n", "s"]))
        ),
    ]
    assert len({fingerprint(table) for table in [base, *others]}) == 10
    assert fingerprint(base) == fingerprint(build([(1, 2), (2, 2)], [(1, None)]))
    assert (
        len({fingerprint(base), fingerprint(base, key=b"k" * 16), fingerprint(base, key=b"l" * 16)})
        == 3
    )


def test_a_null_of_a_quasi_identifier_allows_a_null_only() -> None:
    said = StoredQuasi(with_quasi()).of_records(0, 9)
    for ranges in zip(said["quasiLeast"], said["quasiCode"], said["quasiMost"], strict=True):
        for least, code, most in zip(*ranges, strict=True):
            assert least <= code <= most
            assert code >= 0 or least == most == -1
    assert any(-1 in codes for codes in said["quasiCode"])
