"""Templates over documents: what the data say is no marker,
and what a template gets wrong is no page.
"""

import copy
import math

import polars as pl
import pytest
from jinja2 import UndefinedError

from ratingpriv import audit
from ratingpriv.data.table import RatingTable
from ratingpriv.report.as_json import json_text
from ratingpriv.report.page import Command, Table
from ratingpriv.report.pages import page
from ratingpriv.report.templating import html_template, templates

pytestmark = pytest.mark.small

MARKERS = [
    "## x",
    "- x",
    "$ x",
    "> x",
    "|| a | b",
    "| a | b",
    "#",
    "-+ x",
    "a\n- b",
    "a\r## b",
    "{{ 7 * 7 }}",
]


@pytest.fixture(scope="module")
def document():
    frame = pl.DataFrame(
        {"who": ["a", "b", "c"], "one": [1, 1, 5], "two": [2, 2, 3], "pay": [1, 2, 3]}
    )
    table = RatingTable.from_wide(frame, id="who", sensitive=["pay"], scale=(1, 5), name="data.csv")
    return audit(table, k=2, epsilon=1, exposure=1).to_dict(20)


def shape(made):
    """What stands where, without the texts."""
    items = [[type(item) for item in section.items] for section in made.sections]
    tables = [
        item for section in made.sections for item in section.items if isinstance(item, Table)
    ]
    return items, [(len(one.columns), [len(row) for row in one.rows], one.right) for one in tables]


@pytest.mark.parametrize("text", MARKERS)
def test_what_the_data_say_is_no_marker(document, text):
    usual, odd = page(document), copy.deepcopy(document)
    odd["dataset"] |= {"name": text, "sensitive": [text]}
    odd["inference"] = {text: odd["inference"]["pay"]}
    for one in odd["violators"]:
        one |= {"record": text, "sd": {text: None}, "share": {text: None}, "distinct": {text: None}}
    made = page(odd, data=text)
    assert shape(made) == shape(usual)
    shown = text.replace("\n", r"\n").replace("\r", r"\r")
    assert f": {shown} is not (k = 2" in made.headline
    (table,) = (
        item for section in made.sections for item in section.items if isinstance(item, Table)
    )
    assert table.rows[0][0] == shown
    assert table.columns[-1] == f"SD of {shown}"
    commands = [
        item.line
        for section in made.sections
        for item in section.items
        if isinstance(item, Command)
    ]
    assert commands
    assert all(line.startswith("ratingpriv ") for line in commands)


def test_a_template_that_says_none_or_a_key_that_is_not_there_makes_no_page(document):
    with pytest.raises(UndefinedError, match="sensitive"):
        page({**document, "dataset": {}})
    with pytest.raises(TypeError, match="None"):
        page({**document, "dataset": {**document["dataset"], "name": None}})


def test_every_template_compiles_and_what_escapes_is_never_kept():
    names = templates().list_templates()
    assert "partition.jinja" in names
    for name in names:
        templates().get_template(name)
    escaping = html_template("report.html.jinja").environment
    assert escaping.autoescape is True
    assert escaping.bytecode_cache is None


def test_json_keeps_other_letters_and_refuses_what_is_none():
    assert json_text({"a": "∅"}) == '{\n  "a": "∅"\n}\n'
    assert json_text({"a": "∅"}, ascii_only=True) == '{\n  "a": "\\u2205"\n}\n'
    with pytest.raises(ValueError, match="JSON"):
        json_text({"a": math.inf})
