"""What a notebook shows: well-formed, escaped, in Python's words,
and of nobody the id or an answer.
"""

import dataclasses
import re

import matplotlib as mpl
import polars as pl
import pytest
from house.checkout import modules
from markup_reading import Markup

import ratingpriv
from ratingpriv.anonymize import verify, write_release
from ratingpriv.audit.frontier.result import Frontier
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.formats.describing import describe
from ratingpriv.data.table import RatingTable
from ratingpriv.report import notebook
from ratingpriv.report.pages import KINDS, page_of
from ratingpriv.report.text import render

HOSTILE = "<script>alert(1)</script><section>\"'&<img src=x onerror=alert(1)>"


def table(name=HOSTILE):
    columns = {
        "who": [f"SECRET{n}" for n in range(6)],
        f"q{name}": [1, 1, 2, 5, 4, 4],
        "b": [1, None, 2, 5, 5, 4],
    }
    columns[f"pay{name}"] = [1, 5, 1, 5, 2, 4]
    frame = pl.DataFrame(columns)
    return RatingTable.from_wide(frame, id="who", sensitive=[f"pay{name}"], scale=(1, 5), name=name)


def results(folder):
    data = table()
    yield data
    yield ratingpriv.audit(data, k=3, epsilon=1, l=0.5, exposure=1)
    yield ratingpriv.frontier(data, k=2, epsilon=[1, 2], partition=False)
    yield ratingpriv.partition(data, k=2, epsilon=4)
    made = ratingpriv.anonymize(data, "suppress", k=2, epsilon=1)
    yield made
    released = write_release(made, folder / "release.csv", rng=1)
    yield released
    yield verify(released.path)
    yield ratingpriv.utility(data, made.table, truth="ids", measures=["bias", "information_loss"])
    yield ratingpriv.attack(data, made.table, truth="ids", known=1)
    yield ratingpriv.exposure(data, error=1)
    yield ratingpriv.recommend(data, found_at_most=0.5, method="suppress")
    data.to_wide().write_csv(folder / "data.csv")
    yield describe(folder / "data.csv")


def test_every_result_is_shown_well_formed_and_escaped_and_names_nobody(tmp_path, monkeypatch):
    seen = set()
    picture = notebook._picture
    for result in results(tmp_path):
        some = isinstance(result, Frontier)  # drawing is slow; the pictures have tests of their own
        monkeypatch.setattr(notebook, "_picture", picture if some else lambda _: "")
        shown = result._repr_html_()
        page = Markup(shown)
        seen.add(type(result).__name__)
        assert page.open == [], type(result)
        assert "<script" not in shown
        assert {"script", "img", "iframe", "link"}.isdisjoint(page.tags)
        assert not [name for name, _ in page.attributes if name.startswith("on")]
        links = [value for name, value in page.attributes if name in ("href", "src", "xlink:href")]
        assert all(value.startswith("#") for value in links)
        said = page.text
        assert "SECRET" not in said, type(result)
        assert not re.search(r"(?<![\w-])--[a-z]", said), type(result)  # no option of a shell
        assert "ratingpriv audit" not in said
        assert page.tags.count("h3") == 1
        assert page.tags.count("svg") == some
    of_commands = {"Environment", "Experimented", "IdentifyingSets", "Reproduction"}
    assert seen == set(KINDS) - of_commands


def test_whatever_is_displayed_has_a_page():
    sources = [
        path.read_text(encoding="utf-8")
        for name, path in modules().items()
        if "ratingpriv." in name
    ]
    shown = {
        name
        for text in sources
        for name in re.findall(r"^class (\w+)\((?:Displayed|Result)\b", text, re.MULTILINE)
    }
    shown.remove("Result")  # the class of all that have a verdict
    # which names a person's answers
    assert shown == set(KINDS) - {"Environment", "IdentifyingSets"}


def test_options_are_parameters_in_a_notebook():
    data = table("small")
    said = render(notebook.in_python(page_of(ratingpriv.audit(data, k=3, epsilon=1))), width=1000)
    met = ratingpriv.anonymize(data, "suppress", k=2, epsilon=1).audit
    assert "Exposure (`exposure=1`) measures that" in render(
        notebook.in_python(page_of(met)), width=1000
    )
    assert "Next" not in said
    assert "--show" not in said


def test_the_best_that_could_be_made_is_not_called_a_release():
    made = ratingpriv.anonymize(table("small"), "suppress", k=2, epsilon=1)
    assert "MADE, not written: a release of small that is (k = 2, epsilon = 1)-anon" in render(
        page_of(made)
    )
    best = dataclasses.replace(made, audit=ratingpriv.audit(made.table, k=6, epsilon=1))
    assert "NOT SATISFIED: small is not (k = 6" in render(page_of(best))
    assert "Every record has at least" not in render(page_of(best))


def test_plot_draws_into_axes_that_are_given():
    figure = mpl.figure.Figure()
    axes = figure.add_subplot()
    found = ratingpriv.frontier(table("small"), k=2, partition=False)
    assert found.plot(ax=axes) is axes
    assert found.plot(ax=figure.add_subplot(), kind="frontier")
    with pytest.raises(ParameterError, match="kind"):
        found.plot(ax=axes, kind="pie")
    with pytest.raises(ParameterError):
        table("small").plot(ax=axes)
