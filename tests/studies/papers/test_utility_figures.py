"""Figures of utility: releases made, measured and judged; tiny data."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from ratingpriv.studies.papers import releases
from ratingpriv.studies.papers.data import genders_of
from ratingpriv.studies.papers.figure import Quotation, Setting
from ratingpriv.studies.papers.kinds import utility
from ratingpriv.studies.papers.kinds.running import run
from ratingpriv.studies.papers.specs.reading import figure, figure_names
from ratingpriv.utility.measured import not_measured
from ratingpriv.utility.pair import Pair

pytestmark = pytest.mark.deep

FIGURES = ["swlp10-15", "swlp10-16", "swlp10-17", "swlp10-18"]


@pytest.fixture
def folder(tmp_path):
    """A small ml-100k with people."""
    draw = np.random.default_rng(2)
    lines = [
        f"{u}\t{i}\t{draw.integers(1, 6)}\t881250949"
        for u in range(1, 25)
        for i in range(1, 6)
        if (u + i) % 4
    ]
    (tmp_path / "u.data").write_text("\n".join(lines) + "\n")
    people = [f"{u}|30|{'FM'[u % 2]}|other|00000" for u in range(1, 24)]
    (tmp_path / "u.user").write_text("\n".join(people) + "\n")
    return tmp_path


def test_the_issues_figures_are_there():
    assert [name for name in figure_names() if figure(name).kind == "utility"] == FIGURES


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_made(name, folder):
    setting = Setting({"ml-100k": folder}, quick=True)
    outcome = run(figure(name), setting)
    drawn = {series.label for series in outcome.series}
    assert {"paper's method (ml-100k)", "our default (ml-100k)"} <= drawn
    assert all(series.y and None not in series.y for series in outcome.series), outcome
    again = run(figure(name), Setting({"ml-100k": folder}, quick=True))
    assert again == outcome


def test_releases_are_paired_and_kept(folder):
    setting = Setting({"ml-100k": folder}, quick=True)
    pair = releases.release("ml-100k", "paper", 3, 1.0, setting, records=40)
    assert pair is releases.release("ml-100k", "paper", 3, 1.0, setting, records=40)
    ids, released = pair.original.record_ids.to_list(), pair.release.record_ids.to_list()
    assert [released[at] for at in pair.pairing] == ids
    assert releases.release("ml-100k", "paper", 99, 1.0, setting, records=40) is None
    part = releases.original("ml-100k", 40, 50.0, setting)
    assert part.record_ids.to_list() == ids[:12]
    assert part.sensitive[0].values.tolist() == pair.original.sensitive[0].values.tolist()[:12]


def test_genders_go_with_the_people(folder, tmp_path):
    setting = Setting({"ml-100k": folder}, quick=True)
    known = releases.genders("ml-100k", 40, setting)
    ids = [int(one) for one in releases.original("ml-100k", 40, 100.0, setting).record_ids]
    assert known.to_list() == [None if one == 24 else "FM"[one % 2] for one in ids]
    assert genders_of("survey", setting) is None
    (folder / "u.user").unlink()
    outcome = run(figure("swlp10-16"), setting)
    assert {one.holds for one in outcome.judgements} == {None}
    assert any("nothing beside these data" in one.why for one in outcome.judgements)


def judged(rule, series, targets, pairs=False):
    drawn = {label: utility.Series("a", label, tuple(x), tuple(y)) for label, (x, y) in series.items()}
    panel = utility.Panel("a", "k", "y", "k", "y", (Quotation("It is so.", "p. 1", (rule,)),))
    found = utility._judged(panel, utility._Kind("m"), rule, "d", targets, drawn, pairs)
    return [one.holds for one in found]


def test_statements_are_judged_on_the_papers_method():
    ks = [(10, 2.0, 100.0), (20, 2.0, 100.0)]
    x = (10.0, 20.0)
    assert judged("below 15", {"paper": (x, (9.0, 14.0)), "ours": (x, (90.0, 90.0))}, ks) == [True]
    assert judged("below 15", {"paper": (x, (9.0, 16.0)), "ours": (x, (1.0, 1.0))}, ks) == [False]
    assert judged("rises", {"paper": (x, (9.0, 16.0))}, ks) == [True]
    assert judged("near", {"paper": (x, (9.0, 10.0)), "original": (x, (9.5, 10.0))}, ks) == [True]
    assert judged("near", {"paper": (x, (9.0, None)), "original": (x, (9.5, 10.0))}, ks) == [None]
    assert judged("bounded", {"paper": (x, (1.0, 1.1)), "ε/2": (x, (1.0, 1.0))}, ks) == [False]
    assert judged("bounded", {"paper": (x, (1.0, 0.9)), "ε/2": (x, (1.0, 1.0))}, ks) == [True]
    assert judged("raised", {"paper": (x, (1.0, 0.9)), "original": (x, (0.1, 0.9))}, ks) == [False]
    assert judged("about 75", {"paper": (x, (71.0, 80.0))}, ks) == [True]
    assert judged("about 75", {"paper": (x, (69.0, 80.0))}, ks) == [False]


def test_pairs_are_judged_over_k_for_each_epsilon():
    targets = [(20, 1.0, 100.0), (20, 2.0, 100.0), (30, 1.0, 100.0), (30, 2.0, 100.0)]
    series = {"paper": (("a", "b", "c", "d"), (1.0, 5.0, 2.0, 4.0))}
    assert judged("rises", series, targets, pairs=True) == [True, False]


def test_what_was_not_measured_is_said(folder, monkeypatch):
    module = SimpleNamespace(centroid=lambda pair, **more: not_measured("there is nothing"))
    monkeypatch.setitem(sys.modules, "ratingpriv.utility.centroid", module)
    setting = Setting({"ml-100k": folder}, quick=True)
    one = figure("swlp10-17")
    wanted = one.settings_for(setting)["panels"]["b"]
    series, found, notes = utility._panel(one.panel("b"), wanted, "ml-100k", 40, setting)
    assert series[0].y == (None, None)
    assert [judgement.holds for judgement in found] == [None]
    assert "ml-100k, paper's method: there is nothing" in notes


def test_releases_in_which_nothing_was_changed_show_nothing(folder):
    setting = Setting({"ml-100k": folder}, quick=True)
    table = releases.original("ml-100k", 40, 100.0, setting)
    assert releases.unchanged(releases.released(table, "paper", 1, 1.0, setting))
    assert not releases.unchanged(releases.released(table, "paper", 3, 1.0, setting))
    one = figure("swlp10-17")
    wanted = {**one.settings_for(setting)["panels"]["c"], "k": 1}
    _, found, notes = utility._panel(one.panel("c"), wanted, "ml-100k", 40, setting)
    assert [judgement.holds for judgement in found] == [None]
    assert "at 2 of 2 points" in notes[-1]


def test_half_levels_of_epsilon_mean_nothing(folder, monkeypatch):
    monkeypatch.setattr(utility, "_panel", lambda *args: ([], [], []))
    notes = run(figure("swlp10-15"), Setting({"ml-100k": folder})).notes
    assert any("1.5 is the same as ε = 1" in note for note in notes)


def test_a_worthless_release_is_beside_it(folder):
    table = releases.original("ml-100k", 40, 100.0, Setting({"ml-100k": folder}, quick=True))
    same, lost = releases.without_worth(Pair(table, table), Setting())
    assert same.release is table
    assert lost.release.n_ratings == table.n_ratings
