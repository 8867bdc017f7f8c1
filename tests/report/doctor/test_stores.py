"""Which stores the doctor tries, and what it says of one that is not there."""

from __future__ import annotations

import ratingpriv.graph.connect
from ratingpriv.report.doctor.stores import store_checks


def test_none_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (memory,) = store_checks(environ={})
    assert memory.works
    assert memory.name == "embedded store"


def test_those_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    absent = tmp_path / "absent.grafeo"
    environ = {
        "RATINGPRIV_STORE": f"embedded:{absent}",
        "NEO4J_URI": "bolt://127.0.0.1:1",
        "NEO4J_USERNAME": "neo4j",
        "NEO4J_PASSWORD": "secret-word",
    }
    memory, store, neo4j = store_checks(environ=environ)
    assert memory.works
    assert (store.name, store.works) == ("store", False)
    assert not absent.exists()  # looking makes nothing
    assert (neo4j.name, neo4j.works) == ("NEO4J_URI", False)
    assert "secret-word" not in neo4j.seen


def test_one_that_is_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    uri = f"embedded:{tmp_path / 'a.grafeo'}"
    ratingpriv.graph.connect.open_store(uri, mode="write").close()
    (_, store) = store_checks(uri, environ={})
    assert store.works
    assert "0 datasets" in store.seen


def test_whatever_goes_wrong_is_the_finding(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("no such luck")

    monkeypatch.setattr(ratingpriv.graph.connect, "open_store", broken)
    (memory, _) = store_checks("embedded:a.grafeo", environ={})
    assert memory.seen == "RuntimeError: no such luck"
    assert not memory.works
