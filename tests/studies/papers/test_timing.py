"""Figures of time and memory: what is measured, and what is said of it. No clock is asserted."""

import contextlib
import io
import json
import math
import pickle
import sys
from types import SimpleNamespace

import msgspec
import pytest
from figure_making import run

import ratingpriv
from ratingpriv.base.compute import compiling
from ratingpriv.base.errors import ResourceError
from ratingpriv.studies.cells import journal_at
from ratingpriv.studies.papers import curves, measurement
from ratingpriv.studies.papers.figure import Setting, figure, figure_names
from ratingpriv.studies.papers.measurement import Cost, Work

FIGURES = [name for name in figure_names() if figure(name).kind == "timing"]


@pytest.fixture
def costs(monkeypatch):
    """Costs by a formula instead of a clock; gives what was asked for."""
    asked = []

    def measure(work, unit, runs):
        asked.append((work, unit, runs))
        factor = {"S": 1.0, "P": 3.0, "E": 0.1, "M": 5.0}[work.series]
        if unit == "mebibytes":
            factor = 6.0 / factor
        value = factor * work.table.n_records * (1 + abs(work.epsilon - 3)) / work.k
        return Cost((value, value * 1.01, value * 0.99)[:runs], work.l is None)

    monkeypatch.setattr(curves, "measure", measure)
    return asked


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_made(name, costs):
    setting = Setting(quick=True)
    outcome = run(figure(name), setting)
    assert all(None not in series.y for series in outcome.series)
    assert {one.holds for one in outcome.judgements} == {None}  # one run says nothing
    asked = len(costs)
    run(figure(name), setting)
    assert len(costs) == asked  # what is measured once is kept


def test_statements_are_judged_by_their_rules(costs, small, monkeypatch):
    monkeypatch.setattr(curves, "timed", lambda *args, **more: small)
    judged = {(one.panel, one.holds) for one in run(figure("swl10-2"), Setting()).judgements}
    # faster; three times, whatever the data; faster
    assert judged == {("a", True), ("a", None), ("b", True)}
    judged = {(one.panel, one.holds) for one in run(figure("swl10-1"), Setting()).judgements}
    assert judged == {("a", True), ("b", True)}
    (_, faster), (panel, three) = [
        (one.panel, one.holds)
        for one in run(figure("swlz11-5"), Setting()).judgements
        if one.panel == "b"
    ]
    assert (panel, faster, three) == ("b", True, True)
    for name in ("swlz11-7", "swlz11-8"):  # three times as much, which is neither less nor half
        assert {one.holds for one in run(figure(name), Setting()).judgements} == {False}


def test_parts_of_the_data_are_nested(costs):
    run(figure("swl10-1"), Setting(quick=True))
    few, all_of_them = (work.table for work, *_ in costs[:2])
    assert few.n_records == math.ceil(0.2 * all_of_them.n_records)
    assert few.record_ids.to_list() == all_of_them.record_ids.to_list()[: few.n_records]


def test_a_survey_is_taken_where_nothing_else_is(costs, small, monkeypatch, tmp_path):
    monkeypatch.setattr(curves, "timed", lambda *args, **more: small)

    def taken(*names):
        made = run(figure("swl10-1"), Setting(dict.fromkeys(names, tmp_path), quick=True))
        return list(dict.fromkeys(series.data for series in made.series))

    assert taken() == ["survey"]
    assert taken("ml-100k") == ["ml-100k"]
    assert taken("ml-100k", "big5", "survey") == ["big5", "ml-100k"]


def test_costs_of_a_journal_are_not_measured_again(costs, tmp_path):
    """Whole figures are of hours; what a killed run has measured is kept."""
    one = figure("swl10-1")
    with journal_at(tmp_path / "j", {}) as journal:
        first = run(one, Setting(quick=True, journal=journal))
    measured = len(costs)
    with journal_at(tmp_path / "j", {}) as journal:
        again = run(one, Setting(quick=True, journal=journal))
    assert again.from_journal
    assert msgspec.structs.replace(again, from_journal=[]) == first
    assert len(costs) == measured


# ---- the process ----


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.csv"
    rows = [f"r{i},{1 + i % 3},{1 + i // 3 % 3},{1 + i % 5}" for i in range(45)]
    path.write_text("id,a,b,pay\n" + "\n".join(rows) + "\n")
    return ratingpriv.read(path, sensitive=["pay"], scale=(1, 5))


@pytest.mark.deep
@pytest.mark.parametrize("series", measurement.SERIES)
def test_the_work_is_what_it_is_called(small, series, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "pinned", lambda _: contextlib.nullcontext())
    for k, expected in ((5, True), (46, False)):
        if series == "M" and k == 46:
            continue  # more than there are is refused
        work = pickle.dumps((Work(series, small, k, 1.0, 0.5 if series != "M" else None), True))
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(work)))
        measurement.main()
        found = json.loads(capsys.readouterr().out)
        assert found["satisfied"] is expected
        assert found["seconds"] > 0
        assert found["peak"] > 1 << 20


def test_memory_is_what_goes_beyond_an_empty_run(small, monkeypatch):
    def process(work, *, again=True, frugal=False):
        return {"seconds": 1.0, "peak": (5 << 20) + (again << 21), "satisfied": True}

    monkeypatch.setattr(measurement, "_in_a_process", process)
    assert measurement.measure(Work("S", small, 2, 1.0), "mebibytes", 3).runs == (2.0, 2.0, 2.0)
    assert measurement.measure(Work("S", small, 2, 1.0), "seconds", 2).runs == (1.0, 1.0)


def test_a_process_that_fails_is_named(small, monkeypatch):
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(ResourceError, match="slicing, as in the paper: its process ended with 1"):
        measurement.measure(Work("S", small, 2, 1.0), "seconds", 1)
