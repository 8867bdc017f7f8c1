"""Levels and codes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ratingpriv.data.table.building import coding
from ratingpriv.data.table.building.coding import LevelEncoder, as_float, encode_levels, encode_with_nulls

TYPES = [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, np.float32, np.float64, np.bool_]


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
    whole = np.concatenate([chunk.astype(np.float64) for chunk in chunks]) if chunks else np.empty(0)
    levels, final = encoder.finish(np.concatenate([np.empty(0, dtype=np.uint8), *codes]))
    assert np.array_equal(levels, np.unique(whole + 0.0))
    assert np.array_equal(levels[final], whole)


def test_code_types_are_the_smallest():
    for number, kind in ((256, np.uint8), (257, np.uint16), (65_536, np.uint16), (65_537, np.uint32)):
        levels, codes = encode_levels(np.arange(number) / 7)
        assert codes.dtype == kind
        assert np.array_equal(codes, np.arange(number))
        assert len(levels) == number


def test_blocks_may_need_wider_and_wider_codes(monkeypatch):
    monkeypatch.setattr(coding, "_BLOCK", 100)
    values = np.arange(300)[::-1] * 1e6
    levels, codes = encode_levels(values)
    assert np.array_equal(levels[codes], values)


def test_single_precision_means_the_shortest_decimal():
    values = np.array([0.1, 0.7, 2.5], dtype=np.float32)
    assert encode_levels(values)[0].tolist() == [0.1, 0.7, 2.5]
    assert as_float(values).tolist() == [0.1, 0.7, 2.5]
    assert encode_levels(values.astype(np.float16))[0].tolist() == [0.1, 0.7, 2.5]


def test_there_is_one_zero():
    for values in (np.array([-0.0]), np.array([-0.0, 1e9 / 7]), np.array([-0.0, 0.1], dtype=np.float32)):
        assert not np.signbit(as_float(values)[0])
        assert not np.signbit(encode_levels(values)[0][0])


def test_nulls_are_one_past_the_levels():
    known = np.array([True, False, True])
    levels, codes = encode_with_nulls(np.array([5.0, np.nan, 4.0]), known)
    assert levels.tolist() == [4, 5]
    assert codes.tolist() == [1, 2, 0]
    assert encode_with_nulls(np.arange(257.0), np.arange(257) > 0)[1].dtype == np.uint16
