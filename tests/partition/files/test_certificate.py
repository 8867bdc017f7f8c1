"""Certificates: what holds is confirmed; whatever is changed is noticed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from depth import DEPTH
from golden.tables import build, table2
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import NULLS, epsilons, tables

from ratingpriv import RatingTable
from ratingpriv.errors import DataError, ParameterError
from ratingpriv.partition.files.certificate import certificate, write_certificate
from ratingpriv.partition.files.certificate_check import check_certificate
from ratingpriv.partition.partitioning import partition


@given(table=tables(), k=st.integers(1, 3), epsilon=epsilons, nulls=st.sampled_from(NULLS),
       rule=st.sampled_from(["paper", "ignore"]))  # fmt: skip
@settings(max_examples=30 * DEPTH)
def test_what_was_found_is_confirmed(
    tmp_path_factory: pytest.TempPathFactory,
    table: RatingTable,
    k: int,
    epsilon: float,
    nulls: str,
    rule: str,
) -> None:
    path = tmp_path_factory.mktemp("certificates") / "c.json"
    l = 0.5 if table.sensitive else None  # noqa: E741
    found = partition(table, k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=rule)
    write_certificate(found, table, path)
    check = check_certificate(path, table)
    assert check.holds, check.problems
    assert (check.everybody, check.groups, check.withheld) == (found.found, found.n_groups, found.withheld)


def changed(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """A certificate of table 2 in {t1..t4}, {t5, t6}, changed."""
    content = certificate(partition(table2(), k=2, epsilon=3, l=2), table2())
    change(content)
    path = tmp_path / "c.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "k": (lambda c: c["parameters"].update(k=3), "group 1: 2 records, fewer than 3"),
    "epsilon": (lambda c: c["parameters"].update(epsilon=2), "group 0: a range of more than 2 on issue 1"),
    "l": (lambda c: c["parameters"].update(l=2.1), "group 1: an SD below 2.1 on issue 4"),
    "swap": (
        lambda c: (c["groups"][0]["records"].append("t5"), c["groups"][1]["records"].remove("t5")),
        "group 0: its records do not rate the same issues",
    ),
    "lost": (lambda c: c["groups"][0]["records"].remove("t2"), "1 records of the data are not in"),
    "twice": (lambda c: c["withheld"].append("t2"), "withheld: its record no. 1 is duplicated"),
    "unknown": (
        lambda c: c["groups"][0]["records"].append("t9"),
        r"group 0: its record no. \d is not in the data",
    ),
    "range": (lambda c: c["groups"][1]["ranges"].update({"issue 1": [1, 1]}), "group 1: the ranges stated"),
    "list": (lambda c: c["groups"][1]["records"].append(["t1"]), r"group 1: its record no. \d is not in"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_is_changed_is_noticed(tmp_path: Path, name: str) -> None:
    change, message = CHANGES[name]
    check = check_certificate(changed(tmp_path, change), table2())
    assert not check.holds
    with pytest.raises(AssertionError, match=message):
        raise AssertionError("; ".join(check.problems))


def test_other_data_is_noticed(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda _: None)
    assert check_certificate(path, table2()).holds
    other = build(
        [(3, 6, None), (2, 5, None), (4, 7, None), (6, 6, None), (1, None, 5), (2, None, 6)],
        [(6, 1, 4, 1, 1, 5)], scale=(1, 7),
    )  # fmt: skip
    assert not check_certificate(path, other).holds


@pytest.mark.parametrize("text", ["", "{}", '{"schema": "ratingpriv.audit/1"}', "[1]", "nothing"])
def test_files_that_are_no_certificate(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="expected a certificate"):
        check_certificate(path, table2())
    with pytest.raises(DataError, match="No such file"):
        check_certificate(tmp_path / "none.json", table2())


def test_a_certificate_is_of_its_table() -> None:
    with pytest.raises(ParameterError, match="the 6 records of the result"):
        certificate(partition(table2(), k=2, epsilon=1), build([(1,)]))
