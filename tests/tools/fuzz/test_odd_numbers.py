"""The short form of the fuzz of tables and certificates, and what its long form found."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from depth import DEPTH

import ratingpriv
from fuzz import certificates, tables
from ratingpriv.partition.partitioning import partition

FAR = "id,q\na,100000000000000\nb,-0.001\nc,100000000000000\nd,-0.001\n"
"""Two ratings are 100000000000000.001 apart, and 100000000000000 in float64."""

TINY = "id,q\na,1234567.1\nb,-1e-10\nc,1234567.1\nd,-1e-10\n"


@pytest.mark.parametrize(("text", "epsilon"), [(FAR, 1e14), (TINY, 1234567.1)])
def test_decimals_whose_float64_difference_is_another(tmp_path, text, epsilon):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    table = ratingpriv.read(tmp_path / "t.csv", format="delimited", layout="wide", id="id", ratings=["q"])
    for engine in ("slicing", "pairwise"):
        assert not ratingpriv.audit(table, k=3, epsilon=epsilon, engine=engine).satisfied
        assert ratingpriv.audit(table, k=2, epsilon=epsilon, engine=engine).satisfied
    assert not partition(table, k=3, epsilon=epsilon).found
    found = ratingpriv.frontier(table, k=4, partition=False)
    assert [row.epsilon for row in found.rows if row.satisfied] == []  # only where nothing is protected


@pytest.mark.parametrize("epsilon", [1e-12, 2e-12])
def test_ties_of_many_places_are_exact(tmp_path, epsilon):
    (tmp_path / "t.csv").write_text("id,q\na,2e-12\nb,3e-12\nc,1e-12\nd,4e-12\n", encoding="utf-8")
    table = ratingpriv.read(tmp_path / "t.csv", format="delimited", layout="wide", id="id")
    assert ratingpriv.audit(table, k=2, epsilon=epsilon).satisfied
    assert ratingpriv.audit(table, k=3, epsilon=epsilon).satisfied == (epsilon == 2e-12)


@pytest.mark.deep
def test_tables_of_odd_numbers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ends = Counter(tables.attempt(random.Random(f"short:{number}")) for number in range(80 * DEPTH))
    assert ends["right"] > 70 * DEPTH
    assert ends["too strict"] < 5 * DEPTH


def test_edited_certificates(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ends: Counter[str] = Counter()
    for number in range(10 * DEPTH):
        ends += certificates.edited(random.Random(f"short:{number}"))
    assert ends.total() == 10 * DEPTH * certificates.EDITS
    assert min(ends["right"], ends["wrong"], ends["refused"]) > 0
    assert not ends["missed"]
