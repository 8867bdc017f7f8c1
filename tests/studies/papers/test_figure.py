"""Figures, their files, and how a kind is found and held to its contract."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from ratingpriv.base.errors import ParameterError
from ratingpriv.studies.papers import reproducing
from ratingpriv.studies.papers.figure import Figure, Judgement, Outcome, Panel, Quotation, Series, Setting
from ratingpriv.studies.papers.kinds.running import run
from ratingpriv.studies.papers.specs.reading import figure, figure_names, figure_of

CONTENT = {
    "title": "A line",
    "source": "[SWLZ11, Fig. 0]",
    "kind": "trivial",
    "data": ["survey"],
    "settings": {"upto": 9},
    "quick": {"upto": 2},
    "panels": [
        {
            "name": "a",
            "x": "x",
            "y": "y",
            "x_label": "x",
            "y_label": "y",
            "quotations": [{"words": "It rises.", "place": "p. 1"}],
        }
    ],
}


def trivial(figure: Figure, setting: Setting) -> Outcome:
    upto = figure.settings_for(setting)["upto"]
    numbers = tuple(float(x) for x in range(upto))
    judged = Judgement("a", "It rises.", f"from 0 to {upto - 1}", True, "the last is above the first")
    return Outcome((Series("a", "line", numbers, numbers),), (judged,))


@pytest.fixture
def kind(monkeypatch):
    """A place for the function of a kind "trivial"."""
    module = ModuleType("ratingpriv.studies.papers.kinds.trivial")
    module.__spec__ = ModuleSpec(module.__name__, None)
    module.run = trivial
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def test_every_figure_can_be_read():
    for name in figure_names():
        one = figure(name)
        assert one.name == name
        assert all(panel.statement for panel in one.panels)


def test_a_kind_is_run_with_its_quick_settings(kind):
    one = figure_of("swlz11-0", CONTENT)
    assert one.panels[0] == Panel("a", "x", "y", "x", "y", (Quotation("It rises.", "p. 1"),))
    assert run(one, Setting()).series[0].x == tuple(float(x) for x in range(9))
    assert run(one, Setting(quick=True)).series[0].x == (0.0, 1.0)


def test_a_panel_without_a_judgement_is_refused(kind):
    kind.run = lambda figure, setting: Outcome((), ())
    with pytest.raises(ParameterError, match="judgements"):
        run(figure_of("swlz11-0", CONTENT), Setting())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"colour": "red"}, "key of swlz11-0"),
        ({"source": ""}, "source of swlz11-0"),
        ({"panels": [{"name": "a"}]}, "x of a panel"),
        ({"panels": CONTENT["panels"] * 2}, "different names"),
        ({"panels": [{**CONTENT["panels"][0], "form": "pie"}]}, "form of a panel"),
        ({"panels": [{**CONTENT["panels"][0], "y_scale": "cubic"}]}, "scale of a panel"),
        ({"panels": [{**CONTENT["panels"][0], "z": 1}]}, "key of a panel"),
        ({"panels": [{**CONTENT["panels"][0], "quotations": []}]}, "quotations of a panel"),
        ({"panels": [{**CONTENT["panels"][0], "quotations": [{"words": "It."}]}]}, "place of a quotation"),
    ],
)
def test_a_file_that_is_wrong_is_refused(change, said):
    with pytest.raises(ParameterError, match=said):
        figure_of("swlz11-0", {**CONTENT, **change})


def test_an_unknown_kind_or_figure_is_refused():
    with pytest.raises(ParameterError, match="kind"):
        run(figure_of("swlz11-0", {**CONTENT, "kind": "nothing"}), Setting())
    with pytest.raises(ParameterError, match="figure"):
        figure("swlz11-99")


def test_series_are_as_long_as_their_x():
    with pytest.raises(ParameterError, match="2 values"):
        Series("a", "line", (1.0, 2.0), (1.0,))


def test_streams_are_named():
    draws = [Setting(seed=seed).stream(*names).random() for seed, names in ((1, "ab"), (1, "ac"), (2, "ab"))]
    assert len(set(draws)) == 3
    assert Setting(seed=1).stream("a", "b").random() == draws[0]


def test_absent_data_are_refused_or_named(kind, tmp_path):
    one = figure_of("swlz11-0", {**CONTENT, "data": ["netflix"]})
    with pytest.raises(ParameterError, match="netflix"):
        list(reproducing.making([one], Setting(), needed=True))
    (absent,) = reproducing.making([one], Setting(), needed=False)
    assert absent.outcome is None
    assert "netflix" in absent.reason
    with pytest.raises(ParameterError, match="there"):
        reproducing.reproduce("all", data={"ml-100k": tmp_path / "none"})
