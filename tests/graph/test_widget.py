"""A query drawn in a notebook by Neo4j's own library: what the graph is, and whom it names."""

import re

import numpy as np
import polars as pl
import pytest

import ratingpriv
from ratingpriv.base.errors import ParameterError
from ratingpriv.graph import ingest, open_store, widget

RATINGS = np.array([[5, 4], [5, 4], [4, 4], [1, 1]])


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    where = f"embedded:{tmp_path_factory.mktemp('widget') / 's.grafeo'}"
    frame = {"id": ["anna-7", "ben-7", "cleo-7", "dora-7"], "a": RATINGS[:, 0], "b": RATINGS[:, 1]}
    table = ratingpriv.read(pl.DataFrame(frame), id="id")
    ingest(table, where, dataset="four", epsilon=1)
    return where


def shown(address: str, name: str, **params) -> list[str]:
    with open_store(address, mode="read") as store:
        page = widget(store, name, **params)
    return re.findall(r'"is": ?"([^"]*)"', page.data)


def test_what_is_missing_is_suggested_and_nobody_is_named(address):
    said = shown(address, "browse/at-risk", k=2)
    assert said == ["record; 1 record in its neighbourhood, itself included; at risk"]


def test_records_are_named_where_it_is_asked_for(address):
    assert not any("-7" in one for one in shown(address, "browse/record-and-near"))
    assert any("dora-7" in one for one in shown(address, "browse/record-and-near", ids=True))


@pytest.mark.parametrize("name", ["partition/merge", "audit/degree-check"])
def test_what_draws_nothing_is_refused(address, name):
    with pytest.raises(ParameterError):
        shown(address, name)


def test_an_extra_that_is_not_installed_is_named(address, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ParameterError, match=r"ratingpriv\[widget\]"):
        shown(address, "browse/at-risk")
