"""Levels and codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ratingpriv.data.table.building import coding
from ratingpriv.data.table.building.coding import (
    LevelEncoder,
    as_float,
    encode_levels,
    encode_with_nulls,
    repeats,
    rows_from_coordinates,
)

TYPES = [
    np.int8,
    np.uint8,
    np.int16,
    np.int32,
    np.int64,
    np.uint64,
    np.float32,
    np.float64,
    np.bool_,
]


def some(dtype) -> st.SearchStrategy:
    if np.dtype(dtype).kind == "f":
        narrow = st.integers(-20, 20).map(lambda number: number / 2)
        cells = narrow | st.floats(-1e6, 1e6, width=32) | st.just(-0.0)
    elif dtype == np.bool_:
        cells = st.booleans()
    else:
        info = np.iinfo(dtype)
        cells = st.integers(max(info.min, -(2**53)), min(info.max, 2**53)) | st.integers(0, 9)
    return hnp.arrays(dtype, st.integers(0, 30), elements=cells)


@given(st.sampled_from(TYPES).flatmap(some))
def test_levels_of_codes_are_the_values(values):
    levels, codes = encode_levels(values)
    assert np.array_equal(levels, np.unique(levels))
    assert np.array_equal(levels[codes].astype(values.dtype), values)
    assert set(codes.tolist()) == set(range(len(levels)))
    assert not np.signbit(levels[levels == 0]).any()


@given(st.lists(st.sampled_from([np.uint8, np.int64, np.float64]).flatmap(some), max_size=5))
def test_chunks_are_coded_as_the_whole(chunks):
    encoder = LevelEncoder()
    codes = [encoder.code(chunk) for chunk in chunks]
    whole = (
        np.concatenate([chunk.astype(np.float64) for chunk in chunks]) if chunks else np.empty(0)
    )
    levels, final = encoder.finish(np.concatenate([np.empty(0, dtype=np.uint8), *codes]))
    assert np.array_equal(levels, np.unique(whole + 0.0))
    assert np.array_equal(levels[final], whole)


def test_code_types_are_the_smallest(monkeypatch):
    monkeypatch.setattr(coding, "_BLOCK", 1000)  # of later blocks they may be wider
    for number, kind in (
        (256, np.uint8),
        (257, np.uint16),
        (65_536, np.uint16),
        (65_537, np.uint32),
    ):
        levels, codes = encode_levels(np.arange(number) / 7)
        assert codes.dtype == kind
        assert np.array_equal(codes, np.arange(number))
        assert len(levels) == number


def test_single_precision_means_the_shortest_decimal():
    values = np.array([0.1, 0.7, 2.5], dtype=np.float32)
    assert encode_levels(values)[0].tolist() == [0.1, 0.7, 2.5]
    assert as_float(values).tolist() == [0.1, 0.7, 2.5]
    assert encode_levels(values.astype(np.float16))[0].tolist() == [0.1, 0.7, 2.5]


def test_nulls_are_one_past_the_levels():
    known = np.array([True, False, True])
    levels, codes = encode_with_nulls(np.array([5.0, np.nan, 4.0]), known)
    assert levels.tolist() == [4, 5]
    assert codes.tolist() == [1, 2, 0]
    assert encode_with_nulls(np.arange(257.0), np.arange(257) > 0)[1].dtype == np.uint16


# -- coordinates to rows: both ways give what a plain loop gives


def naive(records, issues, n_records) -> tuple[list[int], list[int], list[int]]:
    """Return indptr, indices and order, by looking for each record's coordinates."""
    indptr, indices, order = [0], [], []
    for record in range(n_records):
        mine = [place for place in range(len(records)) if records[place] == record]
        mine.sort(key=lambda place: issues[place])  # stable
        order += mine
        indices += [issues[place] for place in mine]
        indptr.append(len(order))
    return indptr, indices, order


coordinates = st.tuples(
    st.lists(
        st.tuples(st.integers(0, 6), st.sampled_from([0, 1, 2, 3, 255, 256, 70_000])), max_size=120
    ),
    st.integers(7, 9),
)


@pytest.mark.parametrize("small", [1 << 18, 0], ids=["numpy", "scipy"])
@given(drawn=coordinates, ordered=st.booleans())
def test_rows_are_those_of_a_plain_loop(small, drawn, ordered):
    pairs, n = drawn
    records = np.array([record for record, _ in pairs], dtype=np.int32)
    issues = np.array([issue for _, issue in pairs], dtype=np.int32)
    codes = np.arange(len(pairs)).astype(np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coding, "_SMALL", small)
        patch.setattr(coding, "_BLOCK", 3)
        rows = rows_from_coordinates(records, issues, codes, n, ordered=ordered)
    indptr, indices, order = naive(records, issues, n)
    assert rows.indptr.tolist() == indptr
    assert rows.indices.tolist() == indices
    assert rows.codes.tolist() == codes[order].tolist()
    assert rows.indices.dtype == np.int32
    if ordered and rows.order is not None:
        assert rows.order.tolist() == order
    if rows.order is None and ordered:
        assert order == sorted(order)


@given(coordinates)
def test_repeats_are_entries_equal_to_the_one_before(drawn):
    pairs, n = drawn
    records, issues = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    rows = rows_from_coordinates(records, issues, np.zeros(len(pairs), dtype=np.uint8), n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coding, "_BLOCK", 2)
        found = repeats(rows).tolist()
    owners = np.repeat(np.arange(n), np.diff(rows.indptr))
    sorted_pairs = list(zip(owners.tolist(), rows.indices.tolist(), strict=True))
    expected = [i for i in range(1, len(pairs)) if sorted_pairs[i] == sorted_pairs[i - 1]]
    assert found == expected
