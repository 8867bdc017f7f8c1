"""What has a registry is listed there alone: everybody else walks it."""

import ast

import pytest
from house.checkout import ROOT, modules

from ratingpriv.attack.algorithms import algorithm
from ratingpriv.attack.algorithms.algorithm import ALGORITHMS
from ratingpriv.documents.utility import MEASURED
from ratingpriv.proximity.demands import DEMANDS
from ratingpriv.utility import measures
from ratingpriv.utility.measures import MEASURES


def lists_of(known, text, least):
    """Return the lines of a source in which a list, tuple,
    set or dict has so many of the known names.
    """
    lines = []
    for node in ast.walk(ast.parse(text)):
        parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", ())
        names = {part.value for part in parts if isinstance(part, ast.Constant)}
        if len(names & {*known}) >= least:
            lines.append(node.lineno)
    return lines


def lists_of_demands(text):
    """Return those with all demands."""
    return lists_of(DEMANDS, text, len(DEMANDS))


def test_measures_stand_in_one_order():
    """What their values mean, with their keys, and the functions that measure them."""
    assert [*MEASURED] == [*MEASURES]


def test_no_source_lists_measures():
    """What is good of a measure, whether it is measured of every release and how it is drawn
    stands in its document type.
    """
    sources = {name: path for name, path in modules().items() if name != measures.__name__}
    found = {
        name: lists_of(MEASURES, path.read_text(encoding="utf-8"), 2)
        for name, path in sources.items()
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_no_source_lists_algorithms():
    found = {
        name: lists_of(ALGORITHMS, path.read_text(encoding="utf-8"), 2)
        for name, path in modules().items()
        if name != algorithm.__name__
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_no_source_lists_the_demands():
    found = {
        name: lists_of_demands(path.read_text(encoding="utf-8")) for name, path in modules().items()
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_no_template_lists_the_demands():
    for path in (ROOT / "ratingpriv/report/templates").rglob("*.jinja"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            assert not all(name in line for name in DEMANDS), (
                f"{path.name}:{number} lists the demands"
            )


@pytest.mark.parametrize("form", ["({})", "[{}]", "{{{}}}", "dict.fromkeys(({}, 'l'))"])
def test_a_list_of_demands_is_found(form):
    assert lists_of_demands(form.format(", ".join(map(repr, DEMANDS))))
    assert lists_of_demands(repr(dict.fromkeys(DEMANDS)))
    assert not lists_of_demands(form.format("'distinct', 'other'"))
