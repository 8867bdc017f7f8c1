"""The doctor's findings."""

import importlib
import os

import pytest

import ratingpriv.graph.connect
from ratingpriv.base.compute import compiling
from ratingpriv.report import doctor
from ratingpriv.report.doctor import examine, kernel_cache_check, store_checks
from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(doctor, "DEPENDENCIES", ("numpy", "no-such-package"))
    found = examine()
    assert found.versions["no-such-package"] is None
    assert not found.healthy
    assert "missing: no-such-package" in render(page_of(found))


def test_a_wrong_result_is_a_failed_check(monkeypatch):
    package = importlib.import_module("ratingpriv.audit")  # ratingpriv.audit is the function
    real = package.audit
    monkeypatch.setattr(
        package, "audit", lambda table, **more: real(table, **{**more, "epsilon": 0})
    )
    failed = [
        check for check in examine().checks if not check.works and check.name.startswith("worked")
    ]
    assert len(failed) == 2
    assert "expected 3, 3, 3, 2, 2" in failed[0].seen


@pytest.mark.parametrize(("name", "room"), [("loaders", "reading"), ("generators", "generating")])
def test_a_broken_plugin_is_a_failed_check(monkeypatch, name, room):
    def broken():
        raise ImportError("no such module")

    monkeypatch.setattr(f"ratingpriv.data.formats.{room}.{name}", broken)
    failed = {check.name: check.seen for check in examine().checks if not check.works}
    assert "no such module" in failed[name]


# ---- compiled kernels that are kept ----

compiled = pytest.mark.skipif(compiling.switched("NUMBA_DISABLE_JIT"), reason="nothing is kept")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder that is looked at."""
    from numba.core import config

    from ratingpriv.base.compute import cache

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    found = cache.cache_folder()
    found.mkdir(mode=0o700)
    return found


@compiled
def test_kernels_are_counted(folder):
    (folder / "x.kernel").touch()
    assert kernel_cache_check() == f"{folder} can be written to, and holds 1 compiled kernels"


@compiled
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no modes here")
def test_a_cache_that_others_can_write_fails(folder):
    folder.chmod(0o777)
    found = kernel_cache_check()
    assert not found.works
    assert f"{folder} is not used, as others can write to it" in found.seen


def test_spark_is_optional_and_needs_java(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setenv("SPARK_REMOTE", "sc://somewhere")
    assert "SPARK_REMOTE" in found_of_spark().seen
    monkeypatch.delenv("SPARK_REMOTE")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not found_of_spark().works
    assert "install Java 17" in found_of_spark().seen
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: None)
    assert found_of_spark().works
    assert "not installed, optional" in found_of_spark().seen


def found_of_spark():
    return doctor._try("spark", doctor._spark)


# ---- graph stores ----


def test_those_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    absent = tmp_path / "absent.grafeo"
    environ = {
        "RATINGPRIV_STORE": f"embedded:{absent}", "NEO4J_URI": "bolt://127.0.0.1:1",
        "NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": "secret-word",
    }  # fmt: skip
    ratingpriv.graph.connect.open_store(f"embedded:{tmp_path / 'a.grafeo'}", mode="write").close()
    assert (
        "0 datasets" in list(store_checks(f"embedded:{tmp_path / 'a.grafeo'}", environ={}))[1].seen
    )
    memory, store, neo4j = store_checks(environ=environ)
    assert (memory.name, memory.works) == ("embedded store", True)
    assert (store.name, store.works) == ("store", False)
    assert not absent.exists()  # looking makes nothing
    assert (neo4j.name, neo4j.works) == ("NEO4J_URI", False)
    assert "secret-word" not in neo4j.seen


def test_whatever_goes_wrong_is_the_finding(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("no such luck")

    monkeypatch.setattr(ratingpriv.graph.connect, "open_store", broken)
    (memory, _) = store_checks("embedded:a.grafeo", environ={})
    assert memory.seen == "RuntimeError: no such luck"
    assert not memory.works
