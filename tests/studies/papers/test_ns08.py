"""The figures of [NS08] and [CTWY10, Fig. 4]: made on small data, and judged as their rules say."""

import math
from dataclasses import replace

import numpy as np
import pytest
from attack.attack_tables import run as attacked
from figure_making import run
from msgspec.structs import replace as changed

from ratingpriv import attack
from ratingpriv.attack.intervals import wilson
from ratingpriv.base.compute.resources import Resources
from ratingpriv.studies.papers.attacks import Knowledge, Mean, Point, fits, point_of, values_of
from ratingpriv.studies.papers.data import table_of
from ratingpriv.studies.papers.figure import Setting, figure
from ratingpriv.studies.papers.judging import findings

OURS = [*(f"ns08-{number}" for number in range(1, 13)), "ns08-table", "ctwy10-4"]
KNOWN = Knowledge(6, 8, 0, 0, 14, "uniform", None)
ATTACKS = [name for name in OURS if figure(name).kind == "attack"]
MOVIES = Resources(threads=1)


@pytest.fixture(scope="module")
def quick():
    return Setting(quick=True, resources=MOVIES)


@pytest.mark.parametrize("name", OURS)
def test_it_is_made_on_synthetic_data(name, quick):
    one = figure(name)
    made = run(one, quick)
    panels = {panel.name: panel for panel in one.panels}
    assert {series.panel for series in made.series} == panels.keys()
    for series in made.series:
        assert series.data in ("sparse", "")
        assert any(value is not None for value in series.y)
        if series.low and series.high:
            for low, value, high in zip(series.low, series.y, series.high, strict=True):
                assert low <= value <= high
        if "%" in panels[series.panel].y_label:
            assert all(0 <= value <= 100 for value in series.y)
    assert run(one, Setting(quick=True, resources=MOVIES)).series == made.series


def test_40_targets_decide_nothing(quick):
    for name in ATTACKS:
        made = run(figure(name), quick).judgements
        assert {(one.holds, one.paper) for one in made} == {
            (None, figure(name).panels[0].statement)
        }


def test_a_point_is_the_attack_that_anybody_can_make(quick):
    knowledge = Knowledge(2, 3, 1, 1, 14, "not-top:5", 0.5)
    settings = {"targets": 40, "phi": 1.5}
    point = point_of("sparse", knowledge, settings, quick)
    table = table_of("sparse", quick)
    asked = {
        "known": 4,
        "wrong": 1,
        "unrated": 1,
        "rating_error": 1,
        "date_error": 14,
        "items": "not-top:5",
    }
    order = quick.stream("targets", "sparse").permutation(120)
    fewer = {
        str(issue)
        for issue in np.argsort(-np.bincount(table.indices, minlength=40), kind="stable")[:5]
    }
    able = [
        r for r in order.tolist() if len({str(i) for i in table.support(r).tolist()} - fewer) >= 3
    ]
    targets = sorted(able[:40])
    found = attack(
        table, algorithm="scoreboard-rh", targets=targets, knows_count=0.5, **asked, rng=0
    ).attack
    assert (point.targets, point.eligible, point.records) == (
        found.measures.targets,
        len(able),
        120,
    )
    for mine, its in (
        (point.identified, found.measures.success),
        (point.both, found.measures.both_right),
    ):
        assert (mine.rate, mine.low, mine.high, mine.of) == (its.rate, its.low, its.high, its.of)
    assert point.bits.rate == pytest.approx(found.measures.entropy_bits.mean)
    missed = attacked(table, targets=targets, knows_count=0.5, **asked, rng=0)
    bits = missed.attacked.entropy_bits[missed.attacked.best != missed.auxiliary.targets]
    assert point.bits_of_missed.rate == pytest.approx(np.minimum(bits, math.log2(120)).mean())
    assert point.bits_of_missed.of == len(bits)
    assert point_of("sparse", knowledge, settings, quick) == point


def test_what_cannot_be_known_is_said_and_not_measured(quick):
    table = table_of("survey", quick)  # no dates, 6 issues
    assert "no dates" in fits(table, KNOWN)
    assert "6 films" in fits(table, changed(KNOWN, date_error=None, items="not-top:100"))
    assert fits(table, changed(KNOWN, date_error=None)) == ""
    one = replace(figure("ns08-4"), data=("survey",))
    made = run(one, quick)
    assert made.series == []
    assert [(found.holds, found.why, found.data) for found in made.judgements] == [
        (None, "its ratings have no dates", "survey")
    ]


def point(knowledge, identified=0.5, *, of=1000, both=0.5, bits=2.0, missed=3.0, records=None):
    shares = (Mean(rate, *wilson(rate * of, of), of) for rate in (identified, both))
    means = (Mean(mean, mean, mean, of) for mean in (bits, missed))
    return Point(knowledge, *shares, 0.9, *means, 10.0, of, of, records or of)


def known(right, of, date_error=14, **more):
    return changed(KNOWN, right=right, known=of, date_error=date_error, **more)


def held(name, *points):
    said = figure(name).statements[""]
    return [found.holds for one in said for found in findings(one.judge, values_of(points))]


def test_fig_4_needs_the_papers_share():
    assert held("ns08-4", point(known(6, 8), 0.99), point(known(2, 2, 3), 0.4)) == [True, False]
    assert held("ns08-4", point(known(6, 8), 0.9)) == [False]
    assert held("ns08-4", point(known(6, 8), 1.0, of=99)) == []  # too few to say
    assert held("ns08-4", point(known(6, 8, 3), 1.0)) == []  # not what the paper speaks of


def test_figs_10_to_12():
    curve = [
        point(known(4, 4, unrated=number), rate) for number, rate in ((0, 0.6), (1, 0.5), (2, 0.4))
    ]
    assert held("ns08-10", *curve) == [True]
    assert held("ns08-10", *curve[:2], point(known(4, 4, unrated=2), 0.58)) == [False]
    assert held("ns08-10", curve[0]) == []
    rare = known(2, 2, None, items="not-top:100")
    assert held("ns08-11", point(rare, bits=4.9)) == [True]
    assert held("ns08-11", point(rare, bits=5.1)) == [False]
    plain, counted = point(known(2, 2), 0.2), known(2, 2, knows_count=0.5)
    assert held("ns08-12", plain, point(counted, 0.41)) == [True]
    assert held("ns08-12", plain, point(counted, 0.39)) == [False]


def test_movielens_jumps_at_20_and_rates_less_that_is_rare(test_data):
    setting = Setting({"ml-100k": test_data / "ml-100k"}, resources=MOVIES)
    jump = run(replace(figure("ns08-2"), data=("ml-100k",)), setting)
    assert [one.holds for one in jump.judgements] == [True]
    assert jump.series[0].y[17:21] == [0, 0, 32, 24]
    table = run(replace(figure("ns08-table"), data=("ml-100k",)), setting)
    assert [one.holds for one in table.judgements] == [True, False, False]
    assert table.judgements[2].ours.endswith(": 65.1 % / 22.5 % / 10.9 %")
    tail = run(replace(figure("ns08-3"), data=("ml-100k",)), setting)
    assert "737" in tail.judgements[0].ours


@pytest.mark.deep
def test_bins_vary_less_around_virtual_centres_on_movielens(test_data):
    """[CTWY10, Fig. 4]: the shape, 31 bins, 20 seeds."""
    setting = Setting({"ml-100k": test_data / "ml-100k"}, resources=MOVIES)
    made = run(replace(figure("ctwy10-4"), data=("ml-100k",)), setting)
    assert [one.holds for one in made.judgements] == [True, True]
    for series in made.series:
        assert sum(series.y) == 31


def test_a_part_of_netflix_without_a_header_is_read(tmp_path):
    part = tmp_path / "part.txt"
    part.write_text("8,573364,1.0\n8,2149668,3.0\n17,573364,5.0\n")
    table = table_of("netflix", Setting({"netflix": part}))
    assert table.issues == ("8", "17")
    assert table.record_ids.to_list() == ["573364", "2149668"]
    assert table.n_ratings == 3


def test_a_part_of_the_papers_data_decides_nothing_of_them(tmp_path):
    part = tmp_path / "part.txt"
    rows = [f"{film},{person},{1 + film % 5}\n" for person in range(120) for film in range(1, 30)]
    part.write_text("".join(rows))
    setting = Setting({"netflix": part}, resources=MOVIES, quick=True)
    for name in ("ns08-1", "ns08-2", "ns08-3", "ns08-table"):
        made = run(replace(figure(name), data=("netflix",)), setting)
        assert {one.holds for one in made.judgements} == {None}
        assert all("of 480,189 people" in one.why for one in made.judgements), name
