"""``ratingpriv demo``: the tour runs, tells the truth, and its commands can be repeated."""

import importlib
import json
import re
import shlex
import tempfile
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from ratingpriv.cli import demo
from ratingpriv.cli.demo import FILES, script


@pytest.fixture(scope="module")
def toured(tmp_path_factory):
    """The tour with its files kept: its folder, and what it printed."""
    from ratingpriv.cli import app

    folder = tmp_path_factory.mktemp("demo") / "tour"
    ended = CliRunner().invoke(app, ["demo", "--output", str(folder)])
    assert ended.exit_code == 0, ended.stderr
    return folder, ended.stdout


@pytest.fixture
def short(monkeypatch):
    """A tour of the first stops only."""
    monkeypatch.setattr(demo, "script", lambda: script().partition("# 4.")[0])


def commands(text):
    """The commands as typed, each with the lines of its answer as one."""
    found = re.findall(r"^    \$ ratingpriv (.*)\n((?:    (?!\$).*\n)*)", text, re.MULTILINE)
    return [(line, " ".join(answer.split())) for line, answer in found]


@pytest.mark.documentation
def test_every_command_can_be_typed_and_gives_what_is_shown(cli, toured, tmp_path):
    folder, text = toured
    typed = commands(text)
    named = [shlex.split(line)[0] for line, _ in typed]
    assert named == [
        *("synthesize", "audit", "audit", "frontier", "partition", "audit", "audit", "ingest"),
        *("query", "query", "anonymize", "recommend", "anonymize", "verify", "attack", "report"),
        *("describe", "run", "desk"),
    ]
    slow = (r"--plot \S+", "")  # the pictures are looked at elsewhere
    for line, shown in typed[:-3]:
        line = re.sub(*slow, line.replace(str(folder), str(tmp_path)))
        if line.startswith("report"):
            line += " --skip utility"
        ended = cli(*shlex.split(line))
        assert ended.exit_code in (0, 1), ended.stderr
        given = " ".join(ended.stdout.split()).replace(str(tmp_path), str(folder))
        if not line.startswith(("attack", "report")):  # the exchange and the ids are drawn anew
            # long paths are broken
            assert "".join(given.split()).startswith("".join(shown.split())), line
    assert {path.name for path in tmp_path.iterdir()} == set(FILES) - {"frontier.svg", "attack.svg"}


def test_what_it_says_is_what_was_found(toured):
    folder, text = toured
    said = " ".join(text.split())
    audit = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    assert f"{audit['k_epsilon']['violators']:,} people have fewer than 5 people" in said
    frontier = json.loads((folder / "frontier.json").read_text(encoding="utf-8"))
    assert (
        f"{frontier['rows'][0]['singletons']} people gave ratings that no other person gave" in said
    )
    assert f"From {frontier['smallest_epsilon']['neighbourhood']:g} on" in said
    attack = json.loads((folder / "attack.json").read_text(encoding="utf-8"))
    found = [one["whole_record"]["success"]["rate"] for one in (attack, attack["release"])]
    rates = [f"{100 * rate:.1f}".removesuffix(".0") for rate in found]
    assert f"identifies {rates[0]} % in the survey" in said
    assert f"and {rates[1]} % in this one" in said
    assert found[0] > 0.9  # the tour ends with a release that protects
    assert found[1] <= 0.09
    assert all(one["name"] in said for one in attack["groups"]["guessed"])
    verdicts = {
        answer.partition(":")[0] for line, answer in commands(text) if line.startswith("audit")
    }
    assert verdicts == {"SATISFIED", "NOT SATISFIED"}  # a tour of one verdict is none


def test_what_it_keeps(toured):
    folder, text = toured
    assert {path.name for path in folder.iterdir()} == set(FILES)
    for name in ("frontier.svg", "attack.svg"):
        assert ElementTree.parse(folder / name).getroot().tag.endswith("svg")  # noqa: S314
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert report.startswith("<!DOCTYPE html>")
    assert "is (k = 11, epsilon = 2)-anonymous" in report
    assert "begin with" in " ".join(text.split())


def test_nothing_is_replaced_without_force(cli, tmp_path, short):
    assert cli("demo", "--output", tmp_path / "tour").exit_code == 0
    ended = cli("demo", "--output", tmp_path / "tour")
    assert ended.exit_code == 2
    assert "--force" in ended.stderr
    assert cli("demo", "--output", tmp_path / "tour", "--force").exit_code == 0
    (tmp_path / "file").touch()
    assert cli("demo", "--output", tmp_path / "file").exit_code == 2


def test_by_default_nothing_is_left(cli, tmp_path, monkeypatch, short):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    ended = cli("demo")
    assert ended.exit_code == 0, ended.stderr
    assert list(tmp_path.iterdir()) == []
    assert "$ ratingpriv audit survey.csv --k 5 --epsilon 0" in ended.stdout


@pytest.mark.parametrize(("stop", "code"), [(KeyboardInterrupt(), 130), (MemoryError(), 3)])
@pytest.mark.parametrize("there", [False, True])
@pytest.mark.usefixtures("short")
def test_a_tour_that_is_stopped_leaves_nothing(cli, tmp_path, monkeypatch, stop, code, there):
    """Stopped in its second command; what was in the folder stays."""
    module = importlib.import_module("ratingpriv.audit")

    def stopped(*args, **settings):
        assert (tmp_path / "new" / "tour" / "survey.csv").exists()
        raise stop

    monkeypatch.setattr(module, "audit", stopped)
    folder = tmp_path / "new" / "tour"
    if there:
        folder.mkdir(parents=True)
        (folder / "notes.txt").write_text("mine")
    ended = cli("demo", "-o", folder)
    assert ended.exit_code == code
    said = {130: "interrupted\n", 3: "error: out of memory"}[code]
    assert ended.stderr.startswith(f"ratingpriv: {said}")
    assert ended.stderr.count("\n") == 1
    left = ["new", "notes.txt", "tour"] if there else []
    assert sorted(path.name for path in tmp_path.rglob("*")) == left
