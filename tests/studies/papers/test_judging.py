"""The rules by which a curve is judged, on curves made by hand."""

import math

import pytest

from ratingpriv.studies.papers.judging import (
    Curve,
    below,
    falls,
    falls_then_rises,
    near,
    rises,
    within,
)


def curve(*y, noise=0.0):
    x = tuple(float(at) for at in range(1, len(y) + 1))
    return Curve(x, y, tuple(v - noise for v in y), tuple(v + noise for v in y))


@pytest.mark.parametrize(
    ("y", "noise", "holds"),
    [
        ((1, 2, 3, 4), 0.1, True),
        ((1, 3, 2, 4), 0.1, True),  # a wobble on the way
        ((4, 3, 2, 1), 0.1, False),
        ((1, 2, 3, 4), 1.5, None),  # the ranges of the ends touch
        ((1, 1, 1, 1), 0.0, None),
        ((2, 9, 1, 1, 3), 0.1, False),  # only the ends rise
        ((1,), 0.0, None),
    ],
)
def test_rising_and_its_mirror(y, noise, holds):
    assert rises(curve(*y, noise=noise)).holds is holds
    assert falls(curve(*reversed(y), noise=noise)).holds is holds


@pytest.mark.parametrize(
    ("y", "noise", "holds"),
    [
        ((3, 1, 2), 0.1, True),
        ((3, 2, 1), 0.1, False),  # it only falls
        ((1, 2, 3), 0.1, False),  # it only rises
        ((3, 1, 2), 0.6, None),  # whether it rises again is not clear, nor that it ends below
        ((1, 1, 1), 0.0, None),
        ((3, 1), 0.0, None),
    ],
)
def test_falling_and_rising(y, noise, holds):
    assert falls_then_rises(curve(*y, noise=noise)).holds is holds


def test_rising_steadily_is_judged_at_every_step():
    wobbly = curve(3, 1, 5, 4, 6, noise=0.1)
    assert falls_then_rises(wobbly).holds is True
    assert falls_then_rises(wobbly, steadily=True).holds is False
    assert falls_then_rises(curve(3, 1, 5, 4.9, 6, noise=0.1), steadily=True).holds is True


def test_bounds():
    assert below(curve(1, 2), 3).holds is True
    assert below(curve(1, 4), 3).holds is False
    assert below(curve(1, 2.95, noise=0.1), 3).holds is None
    assert below(curve(9, 2), 3, at=-1).holds is True
    assert below(curve(1, 3), 3).holds is False  # "below" is not "at most"


def test_near():
    assert near(curve(1, 2), curve(1, 2.1), 0.1).holds is True
    assert near(curve(1, 2), curve(1, 3), 0.1).holds is False
    assert near(curve(0.0), curve(0.0), 0.1).holds is True


@pytest.mark.parametrize(
    ("y", "noise", "low", "high", "holds"),
    [
        ((3, 3.2, 2.5), 0.1, 2, 4, True),
        ((3, 3.2, 9), 0.1, 2, 4, False),  # the median ratio is 3.2
        ((5, 5, 5), 0.1, 2, 4, False),
        ((3, 3.2, 3.9), 0.2, 2, 4, None),  # the range of the last reaches over 4
        ((2, 2), 0.1, 1, math.inf, True),
        ((0.6, 2, 9), 0.1, 1, math.inf, False),  # slower at one point is not faster at every one
        ((0.95, 2, 9), 0.1, 1, math.inf, None),
    ],
)
def test_ratios_are_judged_point_by_point(y, noise, low, high, holds):
    assert within(curve(*y, noise=noise) / curve(*[1] * len(y)), low, high).holds is holds


def test_ratios_to_nothing():
    # noise around 0
    assert within(curve(1, 2, 3) / curve(0.1, 0.1, 1, noise=0.1), 2, 4).holds is None
    assert within(curve(9, 2, 3) / curve(1, 0.1, 1, noise=0.1), 2, 4).holds is False
    assert within(curve(1, 2) / curve(0, 0), 2, 4).holds is None
    assert (curve(1, 2) / curve(0, 1)).high[0] == math.inf
