"""The numbers by which the small program judges a certificate: each at its limit,
and just beyond.
"""

import dataclasses
from pathlib import Path

import naive.moments
import polars as pl
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.quasi_groups import quasi_column

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.base.target import Target
from ratingpriv.partition import certificate_check
from ratingpriv.partition.certificate import write_certificate
from ratingpriv.partition.certificate_check import CertificateCheck, check_certificate
from ratingpriv.partition.partitioning import partition

SOME = [(1, 4, None), (2, 4, None), (1, 5, None), (2, 5, None)]


def checked(folder: Path, table: RatingTable, **asked: object) -> CertificateCheck:
    """Find groups of all the records together, and check what was found."""
    path = folder / "c.json"
    write_certificate(partition(table, **{"k": 2, "epsilon": 1, **asked}), table, path, force=True)  # type: ignore[arg-type]
    return check_certificate(path, table)


def wrong(table: RatingTable, **asked: object) -> list[str]:
    """What is wrong with a group of all records."""
    number = certificate_check._as_numbers(table.levels.tolist())
    members = list(range(table.n_records))
    parts = [slice(table.indptr[t], table.indptr[t + 1]) for t in members]
    numbers = [[number(level) for level in table.levels[table.codes[part]]] for part in parts]
    rows = [
        dict(zip(table.indices[part].tolist(), row, strict=True))
        for part, row in zip(parts, numbers, strict=True)
    ]
    target = Target(**{"k": 2, "epsilon": 1, **asked})  # type: ignore[arg-type]
    return list(certificate_check._wrong(rows, members, target, table, number, "it"))


hidden = st.lists(
    st.none() | st.integers(1, 5) | st.sampled_from([0.1, 2.5]), min_size=2, max_size=6
)


@given(
    hidden, hidden, st.sampled_from([0, 0.4, 0.5, 1, 1.5, 2]), st.sampled_from(["paper", "ignore"])
)
@settings(max_examples=200 * DEPTH)
def test_an_sd_is_held_to_l_exactly(first, second, l, rule):  # noqa: E741
    n = min(len(first), len(second))
    table = build([(1,)] * n, [first[:n], second[:n]])
    expected = [
        f"it: an SD below {l:g} on {column.name}"
        for column in table.sensitive
        if not naive.moments.at_least(naive.moments.values(column, range(n)), l, rule)
    ]
    assert wrong(table, k=1, l=l, sensitive_nulls=rule) == expected


def test_an_sd_of_exactly_l_is_enough():
    assert wrong(build([(1,), (1,)], [(1, 5)]), l=2) == []
    assert wrong(build([(1,), (1,)], [(1, 5)]), l=2.000000000001) == [
        "it: an SD below 2 on issue 2"
    ]


def test_supports_have_to_be_equal_where_nulls_are_far():
    """A null is as far from a rating as the scale's maximum; at 0 and below as from nothing."""
    rows = [(1, 4), (1, None)]
    apart = ["it: its records do not rate the same items"]
    for scale, epsilon, told in (
        ((1, 5), 4.9, apart), ((1, 5), 5, []), ((1, 5), 6, []), ((0, 5), 4, apart),
        ((0, 1), 0.5, apart),
        ((0.25, 1), 1, []), ((-5, 0), 9, apart), ((-9, -1), 9, apart), ((0, 0.5), 0.5, []),
    ):  # fmt: skip
        low, high = scale
        table = build(
            [tuple(None if x is None else high for x in row) for row in rows], scale=(low, high)
        )
        assert wrong(table, epsilon=epsilon) == told, (scale, epsilon)
        assert wrong(table, epsilon=epsilon, nulls="wildcard") == []


@pytest.mark.parametrize("ages", [[30.0, None, None], [30.0, 30.0, None], [None, 30.0, None]])
def test_a_quasi_identifier_that_some_have_tells_them_from_others(ages):
    frame = pl.DataFrame({"id": ["a", "b", "c"], "q": [1, 1, 1], "age": ages})
    table = ratingpriv.read(frame, id="id", scale=(1, 5), quasi=["age"])
    assert wrong(table) == ["it: some of its records have no age, and others have"]
    assert wrong(table, nulls="wildcard") == []
    for same in ([None] * 3, [30.0] * 3):
        frame = frame.with_columns(pl.Series("age", same, dtype=pl.Float64))
        assert wrong(ratingpriv.read(frame, id="id", scale=(1, 5), quasi=["age"])) == []


FULL = build([(1, 4), (2, 4)], scale=(1, 5))
AGED = FULL.replace(quasi=(quasi_column("age", [30, 31], 4.0),))
HALF = FULL.replace(quasi=(quasi_column("age", [None, 30], 4.0),))


@pytest.mark.parametrize(
    ("table", "asked", "reserved"),
    [
        (build(SOME, scale=(1, 5)), {}, ("epsilon-covers-questions",)),
        (build(SOME, scale=(1, 5)), {"epsilon": 3.999}, ("epsilon-covers-questions",)),
        (build(SOME, scale=(1, 5)), {"epsilon": 4}, ("epsilon-covers-range",)),
        (
            build(SOME, scale=(1, 5)),
            {"epsilon": 5},
            ("epsilon-covers-range", "epsilon-reaches-null-distance"),
        ),
        (
            build(SOME, scale=(1, 5)),
            {"nulls": "wildcard"},
            ("nulls-wildcard", "epsilon-covers-questions"),
        ),
        (build(SOME, scale=(1, 5)), {"k": 1}, ("k-asks-nothing", "epsilon-covers-questions")),
        (build([(3, 3), (3, 3)], scale=(1, 5)), {}, ("epsilon-covers-questions",)),
        # who answered what
        (build([(3, None), (3, None), (None, 3), (None, 3)], scale=(1, 5)), {}, ()),
        (build([(None, None)] * 2, scale=(1, 5)), {"epsilon": 3}, ("no-answers",)),
        (FULL, {"nulls": "wildcard"}, ("epsilon-covers-questions",)),
        (AGED, {"nulls": "wildcard"}, ("quasi-asks-nothing", "epsilon-covers-questions")),
        (
            AGED.replace(quasi=(quasi_column("age", [None, 30], 4.0),)),
            {"nulls": "wildcard"},
            ("nulls-wildcard", "epsilon-covers-questions"),
        ),
        (HALF, {}, ("epsilon-covers-questions",)),
    ],
)
def test_what_protects_nobody_is_said(tmp_path, table, asked, reserved):
    check = checked(tmp_path, table, **asked)
    assert check.standing.reserved == reserved
    assert not (check.right and reserved)


def test_a_hash_is_compared_where_both_are_known(tmp_path):
    plain = build(SOME, scale=(1, 5))
    named = plain.replace(origin=dataclasses.replace(plain.origin, sha256="0" * 64))
    path = tmp_path / "c.json"
    for table in (plain, named):
        write_certificate(partition(table, k=2, epsilon=1), table, path, force=True)
        for data in (plain, named):
            assert check_certificate(path, data).hash_compared == (table is named and data is named)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("a" * 60, "a" * 60), ("a" * 61, "a" * 57 + "..."), ("a\nb", "a\\nb"), ("é", "é"), (7, "7")],
)
def test_names_are_shown_on_one_line_and_cut(name, shown):
    assert certificate_check._shown(name) == shown
