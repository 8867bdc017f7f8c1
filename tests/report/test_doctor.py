"""The doctor's findings; none of these tests starts Spark: tests/spark has one that does."""

import importlib
import os
import subprocess
import sys

import pytest

import ratingpriv.graph.connect
from ratingpriv.base.compute import compiling
from ratingpriv.report import doctor
from ratingpriv.report.doctor import Check, examine, kernel_cache_check, spark_check, store_checks
from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render


@pytest.fixture
def no_spark(monkeypatch):
    """Try no Spark."""
    monkeypatch.setattr(doctor, "spark_check", lambda: Check("spark", True, "not tried"))


def test_what_is_missing_is_named(no_spark, monkeypatch):
    monkeypatch.setattr(doctor, "DEPENDENCIES", ("numpy", "no-such-package"))
    found = examine()
    assert found.versions["no-such-package"] is None
    assert not found.healthy
    assert "missing: no-such-package" in render(page_of(found))


def test_a_wrong_result_is_a_failed_check(no_spark, monkeypatch):
    package = importlib.import_module("ratingpriv.audit")  # ratingpriv.audit is the function
    real = package.audit
    monkeypatch.setattr(package, "audit", lambda table, **more: real(table, **{**more, "epsilon": 0}))
    failed = [check for check in examine().checks if not check.works and check.name.startswith("worked")]
    assert len(failed) == 2
    assert "expected 3, 3, 3, 2, 2" in failed[0].seen


@pytest.mark.parametrize(("name", "room"), [("loaders", "reading"), ("generators", "generating")])
def test_a_broken_plugin_is_a_failed_check(no_spark, monkeypatch, name, room):
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


# ---- Spark ----


@pytest.fixture
def there(monkeypatch):
    """Have pyspark installed, and nothing of Spark's in the environment."""
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: object())
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    monkeypatch.delenv("JAVA_HOME", raising=False)


NEW = 'openjdk version "21.0.2" 2024'


def test_spark_is_not_tried_where_it_cannot_be(there, monkeypatch, tmp_path):
    monkeypatch.setattr(subprocess, "run", None)
    monkeypatch.setenv("SPARK_REMOTE", "sc://somewhere")
    assert "SPARK_REMOTE" in spark_check().seen
    monkeypatch.delenv("SPARK_REMOTE")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install Java 17" in spark_check().seen
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: None)
    assert spark_check().works
    assert "not installed, optional" in spark_check().seen


@pytest.mark.parametrize(
    ("version", "program", "works", "seen"),
    [
        ('java version "1.8.0_392"', "", False, "Spark 4 wants 17"),
        ('openjdk version "11.0.1" 2018', "", False, "Spark 4 wants 17"),
        (NEW, "print('all is well')", True, "all is well (Java 21"),
        (NEW, "print('no'); raise SystemExit(1)", False, "no (Java 21"),
        (NEW, "raise SystemExit(1)", False, "without a word"),
        (NEW, "import time; time.sleep(60)", False, "no session within"),
    ],
)
def test_the_trial(there, tmp_path, monkeypatch, version, program, works, seen):
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho '{version}' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr(doctor, "_TRIAL", (sys.executable, "-c", program))
    monkeypatch.setattr(doctor, "_PATIENCE", 60 if "sleep" not in program else 0.5)
    found = spark_check()
    assert found.works is works
    assert seen in found.seen


# ---- graph stores ----


def test_those_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    absent = tmp_path / "absent.grafeo"
    environ = {
        "RATINGPRIV_STORE": f"embedded:{absent}", "NEO4J_URI": "bolt://127.0.0.1:1",
        "NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": "secret-word",
    }  # fmt: skip
    ratingpriv.graph.connect.open_store(f"embedded:{tmp_path / 'a.grafeo'}", mode="write").close()
    assert "0 datasets" in list(store_checks(f"embedded:{tmp_path / 'a.grafeo'}", environ={}))[1].seen
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
