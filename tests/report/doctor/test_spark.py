"""What the doctor says of Spark, without starting it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ratingpriv.report.doctor import spark


@pytest.fixture
def there(monkeypatch):
    """Have pyspark installed, and nothing of Spark's in the environment."""
    monkeypatch.setattr(spark.importlib.util, "find_spec", lambda name: object())
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    monkeypatch.delenv("JAVA_HOME", raising=False)


def java(tmp_path, monkeypatch, said):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "java"
    program.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))


def test_spark_is_optional(monkeypatch):
    monkeypatch.setattr(spark.importlib.util, "find_spec", lambda name: None)
    found = spark.spark_check()
    assert found.works
    assert "not installed, optional" in found.seen


def test_no_java(there, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install Java 17" in spark.spark_check().seen
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert not spark.spark_check().works


@pytest.mark.parametrize("said", ['java version "1.8.0_392"', 'openjdk version "11.0.1" 2018'])
def test_an_old_java(there, tmp_path, monkeypatch, said):
    java(tmp_path, monkeypatch, said)
    assert "Spark 4 wants 17" in spark.spark_check().seen


@pytest.mark.parametrize(
    ("program", "works", "seen"),
    [
        ("print('all is well')", True, "all is well (Java 21"),
        ("print('no'); raise SystemExit(1)", False, "no (Java 21"),
        ("raise SystemExit(1)", False, "without a word"),
        ("import time; time.sleep(60)", False, "no session within"),
    ],
)
def test_the_trial(there, tmp_path, monkeypatch, program, works, seen):
    java(tmp_path, monkeypatch, 'openjdk version "21.0.2" 2024')
    monkeypatch.setattr(spark, "_TRIAL", (sys.executable, "-c", program))
    monkeypatch.setattr(spark, "_PATIENCE", 60 if "sleep" not in program else 0.5)
    found = spark.spark_check()
    assert found.works is works
    assert seen in found.seen


def test_a_session_elsewhere_is_not_tried(there, monkeypatch):
    monkeypatch.setenv("SPARK_REMOTE", "sc://somewhere")
    monkeypatch.setattr(subprocess, "run", None)
    assert "SPARK_REMOTE" in spark.spark_check().seen
