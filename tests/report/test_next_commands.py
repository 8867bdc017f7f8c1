"""The commands that a page names next work when they are pasted."""

import shlex
import shutil

import pytest
from house.checkout import ROOT
from typer.testing import CliRunner

import ratingpriv
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.cli import app
from ratingpriv.report.page import Command
from ratingpriv.report.pages import page_of

DATA = "'my survey.csv' --sensitive pay --scale 1:5"


@pytest.fixture
def table(tmp_path, monkeypatch):
    shutil.copy(ROOT / "examples" / "survey.csv", tmp_path / "my survey.csv")
    monkeypatch.chdir(tmp_path)
    return ratingpriv.read("my survey.csv", sensitive=["pay"], scale=(1, 5), others="rating")


@pytest.fixture
def pasted():
    """Run every command of a page; gives their names and exit codes."""

    def run(page):
        lines = [
            item.line for part in page.sections for item in part.items if isinstance(item, Command)
        ]
        ended = {}
        for line in lines:
            program, name, *options = shlex.split(line)
            assert program == "ratingpriv"
            answer = CliRunner().invoke(app, [name, *options])
            assert answer.exit_code in (0, 1), (line, answer.output)
            ended[name] = answer.exit_code
        return ended

    return run


@pytest.mark.parametrize(
    ("ids", "key"), [("shuffle", "my survey.key"), ("keep", None), ("shuffle", None)]
)
def test_after_a_release(table, pasted, ids, key):
    from ratingpriv.anonymize import modify

    made = modify(table, k=5, epsilon=1)
    release = write_release(made, "my release.csv", original=table, key=key, ids=ids)
    attacked = {} if key is None and ids != "keep" else {"attack": 0}
    assert pasted(page_of(release, data=DATA)) == {
        "recommend": 1,
        "verify": 1,
        **attacked,
        "utility": 0,
    }


def test_after_the_others(table, pasted):
    assert pasted(page_of(ratingpriv.frontier(table, k=5, partition=False), data=DATA)) == {
        "audit": 0
    }
    assert pasted(page_of(ratingpriv.frontier(table, l=0.5, partition=False), data=DATA)) == {
        "audit": 1  # as above
    }
    not_found = page_of(ratingpriv.partition(table, k=5, epsilon=1), data=DATA)
    assert pasted(not_found) == {"audit": 1, "frontier": 0}
