"""Figures of utility: releases made, measured and judged; tiny data."""

from dataclasses import replace

import numpy as np
import pytest
from figure_making import run

from ratingpriv.studies.papers import curves
from ratingpriv.studies.papers.data import genders_of
from ratingpriv.studies.papers.figure import Setting, figure
from ratingpriv.utility.measures import MEASURES, Measure
from ratingpriv.utility.result import not_measured

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
    pair = curves.release("ml-100k", "paper", (3, 1.0, 100.0), 40, setting)
    assert pair is curves.release("ml-100k", "paper", (3, 1.0, 100.0), 40, setting)
    ids, released = pair.original.record_ids.to_list(), pair.release.record_ids.to_list()
    assert [released[at] for at in pair.pairing] == ids
    assert curves.release("ml-100k", "paper", (99, 1.0, 100.0), 40, setting) is None
    part = curves.original("ml-100k", 40, 50.0, setting)
    assert part.record_ids.to_list() == ids[:12]
    assert part.sensitive[0].values.tolist() == pair.original.sensitive[0].values.tolist()[:12]


def test_genders_go_with_the_people(folder, tmp_path):
    setting = Setting({"ml-100k": folder}, quick=True)
    known = curves._genders("ml-100k", 40, setting)
    ids = [int(one) for one in curves.original("ml-100k", 40, 100.0, setting).record_ids]
    assert known.to_list() == [None if one == 24 else "FM"[one % 2] for one in ids]
    assert genders_of("survey", setting) is None
    (folder / "u.user").unlink()
    outcome = run(figure("swlp10-16"), setting)
    assert {one.holds for one in outcome.judgements} == {None}
    assert any("nothing beside these data" in one.why for one in outcome.judgements)


def test_what_was_not_measured_is_said(folder, monkeypatch):
    nothing = Measure(lambda pair, **more: not_measured("there is nothing"))
    monkeypatch.setitem(MEASURES, "centroid", nothing)
    found = run(only("swlp10-17", "b"), Setting({"ml-100k": folder}, quick=True))
    assert found.series[0].y == [None, None]
    assert [judgement.holds for judgement in found.judgements] == [None]
    assert "ml-100k, paper's method: there is nothing" in found.notes


def only(name, panel, **more):
    """One panel of a figure on ml-100k, its quick settings changed."""
    one = figure(name)
    quick = {panel: {**one.quick[panel], **more}}
    return replace(
        one,
        panels=tuple(each for each in one.panels if each.name == panel),
        quick=quick,
        data=("ml-100k",),
    )


def test_releases_in_which_nothing_was_changed_show_nothing(folder):
    setting = Setting({"ml-100k": folder}, quick=True)
    assert not curves.unchanged(curves.release("ml-100k", "paper", (3, 1.0, 100.0), 40, setting))
    found = run(only("swlp10-17", "c", k=1), setting)
    assert [judgement.holds for judgement in found.judgements] == [None]
    assert "at 2 of 2 points" in found.notes[-1]
