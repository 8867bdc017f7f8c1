"""Assembling: from ratings or rows to records, in any cutting; what is refused; bytes and back."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import mixed_rules
from properties.strategies import epsilons, mixed_tables, tables
from spark.emulated import assembled, profile_of

from ratingpriv import RatingTable
from ratingpriv.comparison.levels import null_separates
from ratingpriv.errors import ParameterError
from ratingpriv.proximity.amounts import measure
from ratingpriv.spark.assembling import assemble_long, assemble_wide
from ratingpriv.spark.plan import (
    Comparison,
    Profile,
    QuasiValues,
    SensitiveValues,
    ValueCounts,
    compare,
    long_schema,
)
from ratingpriv.spark.rows import decode, encode
from ratingpriv.spark.session.refusals import refusal, refused
from ratingpriv.table import Scale


def long_of(*rows: tuple[str | None, int | None, float | None]) -> pa.RecordBatch:
    """Ratings as the step takes them."""
    return pa.record_batch([list(column) for column in zip(*rows, strict=True)], schema=long_schema())


def two_issues(**more: Any) -> Comparison:
    return compare(Profile(("x", "y"), np.array([1.0, 2.0, 3.0]), Scale(1, 3, True), 4, 5, **more), 1)


@settings(max_examples=20 * DEPTH, deadline=None)
@given(mixed_tables(most_sensitive=2), epsilons, st.sampled_from([1, 2, 5, 1000]))
def test_both_layouts_and_all_cuttings_give_the_same_records(
    table: RatingTable, epsilon: float, size: int
) -> None:
    try:
        by = compare(profile_of(table), epsilon)
    except ParameterError:
        return
    whole = assembled(table, by, size=10**6)
    assert whole.equals(assembled(table, by, size=size).combine_chunks())
    assert whole.sort_by("record").equals(assembled(table, by, long=False, size=size).sort_by("record"))


@settings(max_examples=30 * DEPTH, deadline=None)
@given(st.one_of(tables(), mixed_tables()), epsilons)
def test_keys_and_codes_say_who_is_near_whom(table: RatingTable, epsilon: float) -> None:
    """By the definition, pair by pair: keys are equal, and each code is in the other's range."""
    try:
        by = compare(profile_of(table), epsilon)
    except ParameterError:
        return
    kind = np.dtype(by.code_type)
    rows = [
        (row["key"], np.frombuffer(row["codes"], dtype=kind).tolist())
        for row in assembled(table, by).to_pylist()
    ]
    found = [
        [
            u
            for u, (other_key, other) in enumerate(rows)
            if key == other_key and all(by.lo[a] <= b <= by.hi[a] for a, b in zip(mine, other, strict=True))
        ]
        for key, mine in rows
    ]
    assert found == mixed_rules.neighbourhoods(table, epsilon)


@pytest.mark.parametrize("many", [False, True], ids=["bitmap", "list"])
@settings(max_examples=20 * DEPTH, deadline=None)
@given(mixed_tables(), epsilons)
def test_bytes_and_back(many: bool, table: RatingTable, epsilon: float) -> None:
    profile = profile_of(table)
    if many:  # so many issues that a key lists them
        names = tuple(f"more {i}" for i in range(300))
        profile = Profile(
            (*profile.issues, *names), profile.levels, profile.scale, table.n_records, table.n_ratings,
            quasi=profile.quasi,
        )  # fmt: skip
    try:
        by = compare(profile, epsilon)
    except ParameterError:
        return
    rng = np.random.default_rng(0)
    n, p, moving = 7, len(by.issues), len(by.moving_quasi)
    rated = (rng.random((n, by.n_places)) < 0.4) | by.complete | (not by.by_support)
    rated[:, p:] |= not by.by_support
    if not (by.rated or by.by_support):
        rated[:, :p] = False
    if not (len(by.lo) and len(by.levels)):
        rated[:, : p + moving * (not len(by.lo))] = False
    places = np.nonzero(rated)[1]
    codes = rng.integers(0, max(len(by.lo), 1), len(places))
    codes[places < p] = codes[places < p] if by.rated else -1
    equal = rng.integers(0, 3, (n, len(by.equal_quasi)))
    indptr = np.concatenate(([0], np.cumsum(rated.sum(axis=1))))
    key, own = encode(by, indptr, places, codes, equal)
    again = decode(by, key, own)
    assert again.indptr.tolist() == indptr.tolist()
    assert again.places.tolist() == places.tolist()
    assert again.codes.tolist() == codes.tolist()
    assert again.equal.tolist() == equal.tolist()
    part = decode(by, key.slice(2, 3), own.slice(2, 3))
    assert part.places.tolist() == places[indptr[2] : indptr[5]].tolist()
    assert len(decode(by, key.slice(0, 0), own.slice(0, 0)).places) == 0


def test_a_record_goes_on_over_any_number_of_batches() -> None:
    table = build([[1, 2, 3, 4, 5]] * 2 + [[None] * 5, [5, None, 1, None, 2]], scale=(1, 5))
    by = compare(profile_of(table), 1)
    whole = assembled(table, by, size=1000)
    assert whole.num_rows == 4
    assert whole.equals(assembled(table, by, size=1).combine_chunks())
    assert list(assemble_long(iter([]), by)) == []


@pytest.mark.parametrize("size", [1, 2, 100])
def test_a_rating_that_is_there_twice_is_refused_wherever_a_batch_ends(size: int) -> None:
    for value in (2.0, None):
        batch = long_of(
            ("a", 0, 1.0), ("b", None, None), ("b", 0, 1.0), ("b", 1, 1.0), ("b", 1, value), ("c", 0, 1.0)
        )
        with pytest.raises(ParameterError, match="a second rating of an issue by the same record") as caught:
            list(assemble_long((batch.slice(at, size) for at in range(0, 6, size)), two_issues()))
        assert "'b'" not in str(caught.value)


def test_that_a_record_exists_may_be_said_any_number_of_times() -> None:
    rows = [("a", None, None)] * 50 + [("a", 1, 2.0), ("b", None, None)]
    for size in (1, 7, 100):
        batch = long_of(*rows)
        found = list(assemble_long((batch.slice(at, size) for at in range(0, 52, size)), two_issues()))
        assert [row["record"] for one in found for row in one.to_pylist()] == ["a", "b"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(None, 0, 1.0)], "a record without an id"),
        ([("a", 0, 1.5)], "a value that was not there"),
        ([("a", 0, 4.0)], "a value that was not there"),
        ([("a", 0, float("nan"))], "a value that was not there"),
        ([("a", 2, 7.0)], "a value that was not there"),
    ],
)
def test_what_the_profile_does_not_have_is_refused(rows: list[Any], message: str) -> None:
    by = two_issues(sensitive=(ValueCounts("s", np.array([5.0]), np.array([1])),))
    with pytest.raises(ParameterError, match=message) as caught:
        list(assemble_long([long_of(*rows)], by))
    assert "1.5" not in str(caught.value), "no cell is shown"
    wide = pa.record_batch({"record": ["a", None], "c0": [1.0, 9.0], "c1": [None, 1.0], "c2": [None, 5.0]})
    with pytest.raises(ParameterError):
        list(assemble_wide([wide.slice(1)], by))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("b", 0, 1.0), ("a", 0, 1.0)], "not sorted by record"),
        ([("a", 1, 1.0), ("a", 0, 1.0)], "not sorted by issue"),
        ([("a", 9, 1.0)], "an issue is 9"),
    ],
)
def test_rows_that_no_shuffle_gives_are_errors(rows: list[Any], message: str) -> None:
    for size in (1, 2):
        batch = long_of(*rows)
        with pytest.raises(ValueError, match=message):
            list(assemble_long((batch.slice(at, size) for at in range(0, len(rows), size)), two_issues()))


def test_a_null_where_the_profile_has_none_is_refused() -> None:
    profile = Profile(("x", "y"), np.array([-9.0, 1.0]), Scale(-9, 1, True), 2, 4)
    by = compare(profile, 2)
    assert by.complete
    assert not by.by_support
    with pytest.raises(ParameterError, match="leaves an issue unrated"):
        list(assemble_long([long_of(("a", 0, 1.0), ("b", 0, 1.0), ("b", 1, 1.0))], by))


def test_words_come_as_words_or_as_their_positions() -> None:
    profile = Profile(
        ("x",), np.array([1.0]), Scale(1, 2, True), 3, 3,
        sensitive=(ValueCounts("s", np.array([0.0, 2.0]), np.array([1, 1]), ("no", "never", "yes")),),
        quasi=(QuasiValues("region", ("south", "north")),),
    )  # fmt: skip
    by = compare(profile, 0.5)
    words = {
        "record": ["a", "b", "c"],
        "c0": [1.0, 1.0, 1.0],
        "c1": ["north", None, "south"],
        "c2": ["yes", "no", None],
    }
    numbers = {**words, "c1": [1.0, None, 0.0], "c2": [2.0, 0.0, None]}
    found = [pa.Table.from_batches(assemble_wide([pa.record_batch(one)], by)) for one in (words, numbers)]
    assert found[0].equals(found[1])
    assert found[0].column("s0").to_pylist() == [1, 0, None]
    assert len(set(found[0].column("key").to_pylist())) == 3, "a null equals a null only"
    for column, word in (("c1", "west"), ("c2", "maybe"), ("c2", "never")):
        with pytest.raises(ParameterError, match="a value that was not there"):
            list(assemble_wide([pa.record_batch({**words, column: [word, word, word]})], by))


def test_rules_without_keys_are_refused_with_the_reason() -> None:
    profile = Profile(("x", "y"), np.array([-9.0, 1.0]), Scale(-9, 1, True), 2, 3)
    for nulls in ("wildcard", "known"):
        with pytest.raises(ParameterError, match=r"nothing tells apart which records can meet"):
            compare(profile, 0, nulls)
    with pytest.raises(ParameterError, match="keeps nobody apart"):
        compare(profile, 1)
    with pytest.raises(ParameterError):
        compare(profile, 0, "no rule")
    with pytest.raises(ParameterError):
        compare(profile, -1)


@settings(max_examples=30 * DEPTH, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([0.1, -2.5, 1990, 0, 3, 1 / 3, 1e9, 999999999]),
            st.floats(-1e12, 1e12, allow_nan=False),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_sensitive_numbers_are_those_of_one_machine(values: list[float]) -> None:
    column = build([[1]] * len(values), [values]).sensitive[0]
    known, counts = np.unique(column.values, return_counts=True)
    found, expected = SensitiveValues.of(ValueCounts("s", known, counts)), measure(column)
    assert (found.exact, found.shift, found.decimals) == (expected.exact, expected.shift, expected.decimals)
    at = np.searchsorted(known, column.values)
    assert found.numbers[at].tolist() == expected.numbers.tolist()


def test_an_error_of_a_step_is_found_in_the_text_of_a_worker() -> None:
    error = refusal("the data", "a thing; with \"quotes\" and 'others'\nand a line", "another", "do this")
    try:
        raise error
    except ParameterError:
        text = f"org.apache.spark.SparkException: aborted\n{traceback.format_exc()}\n\tat org.apache"
    again = refused(text)
    assert again is not None
    assert (str(again), again.name) == (str(error), "the data")
    assert refused("ratingpriv refused: [not json") is None
    assert refused("anything") is None


def test_a_null_separates_as_on_one_machine() -> None:
    for scale in (None, Scale(-3, 0, True), Scale(1, 5, True)):
        for epsilon in (0.0, 4.0, 5.0, 9.0):
            profile = Profile(("x",), np.array([1.0, 5.0]) if scale else np.empty(0), scale, 0, 0)
            assert compare(profile, epsilon).by_support == null_separates(scale, epsilon, "strict")
