"""The fewest records to suppress for every k: against networkx, and the knees."""

import itertools

import networkx as nx
import numpy as np
import polars as pl
import pytest

from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.recommend import SuppressionStep as Step
from ratingpriv.proximity.pairs import pairs
from ratingpriv.studies.recommend import knees_of, pareto_front, staircase

ONE = Resources(1, None, None)


def table_of(seed, n, p=3, missing=0.1, top=5):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, top + 1, (n, p)).astype(float)
    values[rng.random((n, p)) < missing] = np.nan
    frame = pl.DataFrame({f"q{j}": values[:, j] for j in range(p)}).fill_nan(None)
    return RatingTable.from_wide(frame, scale=(1, top))


def edges(table, epsilon, nulls):
    return [
        (int(a), int(b))
        for block in pairs(table, epsilon, nulls=nulls)
        for a, b in zip(block.left, block.right, strict=True)
    ]


@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
@pytest.mark.parametrize("epsilon", [0, 1, 2])
def test_against_networkx(epsilon, nulls):
    for seed in range(3):
        table = table_of(seed, 120, 4)
        graph = nx.Graph(edges(table, epsilon, nulls))
        graph.add_nodes_from(range(120))
        core = nx.core_number(graph)
        found = staircase(table, epsilon, nulls, ONE, most=1)
        assert found.complete
        assert [(step.k, step.suppressed) for step in found.steps] == sorted(
            {(at + 1, sum(number < at for number in core.values())) for at in set(core.values())}
        )


def test_the_list_ends_beyond_a_twentieth():
    table = table_of(1, 200, 4)
    found = staircase(table, 1, "strict", ONE)
    gone = [step.suppressed for step in found.steps]
    assert not found.complete
    assert gone[-1] > 10 >= gone[-2]


def test_a_single_outsider_is_a_knee():
    rows = [[5, 5], *[[1, 1]] * 9, *[[1, 2]] * 9]
    table = RatingTable.from_wide(pl.DataFrame(rows, schema=["a", "b"], orient="row"), scale=(1, 5))
    found = staircase(table, 0, "strict", ONE)
    assert [(step.k, step.suppressed) for step in found.steps] == [(1, 0), (9, 1)]
    assert found.complete
    assert found.knees == [Step(9, 1)]


def test_knees_are_the_vertices_of_the_hull():
    points = [(0, 1), (1, 85), (2, 88), (3, 102), (4, 103), (9, 131), (40, 140), (41, 141)]
    *found, last = knees_of([Step(k, gone) for gone, k in points])
    assert last == Step(141, 41)
    assert knees_of([Step(1, 0), Step(2, 1), Step(3, 2)]) == (Step(3, 2),)  # none on the line
    assert [(step.suppressed, step.k) for step in found] == [(1, 85), (3, 102), (9, 131)]

    def on_top(x, y):  # no chord between two other points passes above or through it
        return not any(
            a[0] < x < b[0] and a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]) >= y
            for a, b in itertools.combinations(points, 2)
        )

    assert [p for p in points[1:-1] if on_top(*p)] == [(s.suppressed, s.k) for s in found]


def beats(other, row):
    pairs = list(zip(other, row, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def test_the_front_against_its_definition():
    rng = np.random.default_rng(0)
    for _ in range(30):
        rows = rng.integers(0, 4, (12, 3)).tolist()
        assert pareto_front(rows) == [not any(beats(other, row) for other in rows) for row in rows]
    assert pareto_front([[1, 2], [1, 2], [2, 2], [0, 3]]) == [True, True, False, True]
    assert pareto_front([]) == []
