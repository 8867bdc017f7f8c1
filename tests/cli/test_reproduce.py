"""``ratingpriv reproduce``: what it writes and says, and with which exit code."""

import csv
import json

import pytest

from ratingpriv.studies.papers import reproducing
from ratingpriv.studies.papers.figure import Measured, figure_of, series
from ratingpriv.studies.papers.judging import Finding

PANEL = {
    "x": "k",
    "y": "error",
    "x_label": "k",
    "y_label": "error, %",
    "quotations": [{"words": "It rises.", "place": "p. 1", "judge": "judged"}],
}
CONTENT = {
    "title": "Cost is $1",
    "source": "[SWLZ11, Fig. 0]",
    "kind": "trivial",
    "data": ["survey"],
    "panels": [{"name": "a", **PANEL}, {"name": "b", **PANEL, "form": "bars"}],
}
ABSENT = {**CONTENT, "data": ["netflix"]}


def trivial(panel, data, settings, setting):
    if panel.name == "a":
        draw = float(setting.stream("f-1").random())
        line = series(
            "=ours", [1, 2], [draw, None], low=[0, None], high=[1, None], data="survey", panel="a"
        )
        return Measured(
            [line], {"": {"judged": Finding(False, "it falls", "the ends")}}, ["Noted."]
        )
    bars = series("=ours", ["2/2", "6/8"], [1.0, 2.0], note="a note", panel="b")
    return Measured([bars], {"": {"judged": Finding(None, "1 point", "one point has no slope")}})


@pytest.fixture(autouse=True)
def figures(monkeypatch):
    """Two figures of a trivial kind, one of them without data."""
    monkeypatch.setitem(reproducing.KINDS, "trivial", trivial)
    known = {"f-1": figure_of("f-1", CONTENT), "f-2": figure_of("f-2", ABSENT)}
    monkeypatch.setattr(reproducing, "figure_names", lambda: tuple(known))
    monkeypatch.setattr(reproducing, "figure", known.__getitem__)


def test_each_figure_is_written_whole_and_the_same_again(cli, tmp_path):
    names = {"f-1.svg", "f-1.pdf", "f-1.csv", "f-1.json", "figures.md"}
    before = {}
    for folder in (tmp_path / "a", tmp_path / "b"):
        found = cli("reproduce", "all", "--seed", 3, "-o", folder, "--quiet")
        assert found.exit_code == 0, found.stderr
        written = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert written.keys() == names
        assert b">6/8<" in written["f-1.svg"]  # bars have names, not numbers
        made = {
            name: content
            for name, content in written.items()
            if name.endswith(("svg", "pdf", "csv"))
        }
        assert made == (before or made)
        before = made
    rows = list(csv.DictReader(before["f-1.csv"].decode().splitlines()))
    assert [row["y"] for row in rows][1:] == ["", "1.0", "2.0"]
    assert rows[0]["series"] == "'=ours"
    assert json.loads((tmp_path / "a" / "f-1.json").read_text())["figures"][0]["made"] is True
    page = (tmp_path / "a" / "figures.md").read_text()
    assert "does not hold" in page
    assert "Not made: there are no data for it: netflix." in page


def test_the_page_says_for_each_panel_what_holds_and_why(cli):
    found = cli("reproduce", "f-1", "--quick")
    assert found.stdout.startswith("f-1: 1 does not hold, 1 cannot be said\n")
    text = " ".join(found.stdout.split())
    assert (
        '(a) survey: DOES NOT HOLD. Paper: "It rises." (p. 1) Ours: it falls Why: the ends' in text
    )
    assert "(b) survey: CANNOT BE SAID." in text
    assert "quick run" in text
    assert "Noted." in text


def test_nothing_made_is_no_success(cli, monkeypatch):
    monkeypatch.setattr(reproducing, "figure_names", lambda: ("f-2",))
    found = cli("reproduce", "all", "--json")
    assert found.exit_code == 1
    assert cli("reproduce", "f-2").exit_code == 2


def test_files_that_are_there_stay(cli, tmp_path):
    (tmp_path / "f-1.csv").write_text("mine")
    assert cli("reproduce", "f-1", "-o", tmp_path).exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["f-1.csv"]
    assert cli("reproduce", "f-1", "-o", tmp_path, "--force").exit_code == 0
    assert (tmp_path / "f-1.csv").read_text() != "mine"
    assert cli("reproduce", "f-1", "-o", tmp_path / "f-1.csv").exit_code == 2


def test_which_measurements_a_journal_gave_is_said(cli, tmp_path, monkeypatch):
    def kept(panel, data, settings, setting):
        setting.measured(("f-1", panel.name), lambda: {"y": 1.5}, dict)
        return trivial(panel, data, settings, setting)

    monkeypatch.setitem(reproducing.KINDS, "trivial", kept)
    asked = ("reproduce", "f-1", "--journal", tmp_path / "j")
    assert json.loads(cli(*asked, "--json").stdout)["figures"][0]["from_journal"] == []
    ended = cli(*asked, "-o", tmp_path / "out", "--json")
    assert json.loads(ended.stdout)["figures"][0]["from_journal"] == [
        '["f-1", "a"]',
        '["f-1", "b"]',
    ]
    said = "not measured in this run: 2 measurements"
    assert said in " ".join(cli(*asked).stdout.split())
    assert said in (tmp_path / "out/figures.md").read_text()
