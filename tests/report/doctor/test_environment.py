"""The doctor's findings."""

from __future__ import annotations

import importlib

import pytest

from ratingpriv.report.doctor import environment
from ratingpriv.report.doctor.check import Check
from ratingpriv.report.doctor.environment import Environment, examine
from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render


def test_here_the_worked_examples_come_out_right():
    found = {check.name: check for check in examine().checks}
    assert found["worked example, slicing"].works
    assert found["worked example, pairwise"].works
    assert found["dependencies"].works


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(environment, "DEPENDENCIES", ("numpy", "no-such-package"))
    found = examine()
    assert found.versions["no-such-package"] is None
    assert not found.healthy
    assert "missing: no-such-package" in render(page_of(found))


def test_a_wrong_result_is_a_failed_check(monkeypatch):
    package = importlib.import_module("ratingpriv.audit")  # ratingpriv.audit is the function
    real = package.audit
    monkeypatch.setattr(package, "audit", lambda table, **more: real(table, **{**more, "epsilon": 0}))
    failed = [check for check in examine().checks if not check.works and check.name.startswith("worked")]
    assert len(failed) == 2
    assert "expected 3, 3, 3, 2, 2" in failed[0].seen


@pytest.mark.parametrize("name", ["_loaders", "_generators"])
def test_a_broken_plugin_is_a_failed_check(monkeypatch, name):
    def broken():
        raise ImportError("no such module")

    monkeypatch.setattr(environment, name, broken)
    failed = {check.name: check.seen for check in examine().checks if not check.works}
    assert "no such module" in failed[name.removeprefix("_")]


def test_text_and_dict_say_the_same():
    found = Environment({"python": "3"}, {"a": None}, ("l",), (), (Check("x", False, "bad\x1b"),))
    text = render(page_of(found))
    assert "FAIL  x: bad\\x1b" in text
    assert text.startswith("1 of 1 checks failed.\n")
    assert found.to_dict()["checks"] == [{"name": "x", "works": False, "seen": "bad\x1b"}]
    assert found.to_dict()["healthy"] is False
