"""Figures and their files: what is read, how a kind is called,
and that every judge can be understood.
"""

import ast
import builtins

import msgspec
import pytest

from ratingpriv.base.errors import ParameterError
from ratingpriv.documents.reproduce import Panel, Quotation
from ratingpriv.studies.papers import reproducing
from ratingpriv.studies.papers.figure import (
    Measured,
    Setting,
    figure,
    figure_names,
    figure_of,
    series,
)
from ratingpriv.studies.papers.judging import WORDS
from ratingpriv.studies.papers.measurement import SERIES

CONTENT = {
    "title": "A line",
    "source": "[SWLZ11, Fig. 0]",
    "kind": "trivial",
    "data": ["survey"],
    "settings": {"upto": 9, "by": 1},
    "quick": {"upto": 2},
    "panels": [
        {
            "name": "a",
            "x": "x",
            "y": "y",
            "x_label": "x",
            "y_label": "y",
            "quotations": [
                {
                    "words": "It rises.",
                    "place": "p. 1",
                    "judge": "finding(upto > 5, str(upto), 'it is far')",
                }
            ],
        }
    ],
}
KNOWN = {
    "attack": {"at", "percent", "mean", "shares", "FEW"},
    "bins": {"sizes", "enough", "real", "virtual"},
    "counts": {"exactly", "at_least", "largest", "people", "films", "numbers", "all", "shares"},
    "nearest": {"above", "sampled", "FEW"},
    "rank_bits": {"rows", "shown", "prior"},
    "timing": set(SERIES),
    "utility": {"paper", "original", "majority", "bound"},
}
"""What each kind measures, by name."""


def trivial(panel, data, settings, setting):
    numbers = [float(x) for x in range(0, settings["upto"], settings["by"])]
    return Measured([series("line", numbers, numbers, panel=panel.name)], {"": settings})


@pytest.fixture(autouse=True)
def kind(monkeypatch):
    """A kind "trivial"; gives what sets another function for it."""
    monkeypatch.setitem(reproducing.KINDS, "trivial", trivial)
    return lambda function: monkeypatch.setitem(reproducing.KINDS, "trivial", function)


def made(content=CONTENT, setting=None):
    (found,) = reproducing.making(
        [figure_of("swlz11-0", content)], setting or Setting(), needed=True
    )
    return found


def test_a_kind_is_run_with_its_quick_settings():
    quotation = Quotation("It rises.", "p. 1", [])
    assert made().panels == [
        Panel(
            "a",
            "x",
            "y",
            "x",
            "y",
            '"It rises." (p. 1)',
            [quotation],
            "",
            "lines",
            "linear",
            "linear",
        )
    ]
    assert made().series[0].x == [float(x) for x in range(9)]
    assert [(one.holds, one.data) for one in made().judgements] == [(True, "survey")]
    quick = made(setting=Setting(quick=True))
    assert quick.series[0].x == [0.0, 1.0]
    assert [one.holds for one in quick.judgements] == [False]


@pytest.mark.parametrize("values", [{}, {"": {}}])
def test_every_panel_has_a_judgement_whatever_was_measured(kind, values):
    """What a judge speaks of may not have been measured."""
    kind(lambda *_: Measured((), values, absent="not much", why="it was dark"))
    found = [(one.panel, one.ours, one.holds, one.why) for one in made().judgements]
    assert found == [("a", "not much", None, "it was dark")]


def test_what_is_undecided_holds_neither_nor_not(kind):
    kind(lambda *_: Measured((), {"": {"upto": 9}}, undecided="it was a rehearsal"))
    assert [(one.ours, one.holds, one.why) for one in made().judgements] == [
        ("9", None, "it was a rehearsal")
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"panels": [{"name": "a", "quotations": []}]},
        {"panels": [{**CONTENT["panels"][0], "form": "pie"}]},
        {"panels": [{**CONTENT["panels"][0], "z": 1}]},
    ],
)
def test_a_panel_that_is_wrong_is_refused(change):
    with pytest.raises(msgspec.ValidationError):
        figure_of("swlz11-0", {**CONTENT, **change})


@pytest.mark.parametrize("name", figure_names())
def test_every_judge_speaks_of_what_its_kind_measures(name):
    """A name that is not there is taken for a curve that could not be measured."""
    one = figure(name)
    for panel in one.panels:
        assert one.statements[panel.name]
        for statement in one.statements[panel.name]:
            nodes = list(ast.walk(ast.parse(f"({statement.judge})")))
            names = {node for node in nodes if isinstance(node, ast.Name)}
            bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
            bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
            used = {node.id for node in names} - bound - set(dir(builtins)) - set(WORDS)
            assert used <= KNOWN[one.kind]


def test_an_unknown_figure_is_refused():
    with pytest.raises(ParameterError, match="figure"):
        figure("swlz11-99")


def test_streams_are_named():
    draws = [
        Setting(seed=seed).stream(*names).random()
        for seed, names in ((1, "ab"), (1, "ac"), (2, "ab"))
    ]
    assert len(set(draws)) == 3
    assert Setting(seed=1).stream("a", "b").random() == draws[0]


def test_absent_data_are_refused_or_named(tmp_path):
    one = figure_of("swlz11-0", {**CONTENT, "data": ["netflix"]})
    with pytest.raises(ParameterError, match="netflix"):
        list(reproducing.making([one], Setting(), needed=True))
    (absent,) = reproducing.making([one], Setting(), needed=False)
    assert not absent.made
    assert "netflix" in absent.reason
    with pytest.raises(ParameterError, match="there"):
        reproducing.reproduce("all", data={"ml-100k": tmp_path / "none"})
