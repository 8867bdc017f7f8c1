"""Drawing distinct issues: both ways draw every set with the probability of drawing one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from ratingpriv_loaders.synthetic.sparse import Sampler

WEIGHTS = np.array([8.0, 4.0, 2.0, 1.0, 1.0])


def successive(weights, number):
    """Probability of each set of ``number`` issues drawn one after the other, by plain recursion."""
    found = {}

    def go(had, probability):
        if len(had) == number:
            found[frozenset(had)] = found.get(frozenset(had), 0) + probability
            return
        left = [place for place in range(len(weights)) if place not in had]
        for place in left:
            go((*had, place), probability * weights[place] / sum(weights[one] for one in left))

    go((), 1.0)
    return found


def chi_squared(draws, number, weights):
    """Chi squared of 20000 drawn sets of ``number`` of 5 issues against their exact probabilities."""
    expected = successive(weights, number)
    sets, counts = np.unique(draws.reshape(-1, number), axis=0, return_counts=True)
    seen = {frozenset(one): count for one, count in zip(sets.tolist(), counts.tolist(), strict=True)}
    n = len(draws) // number
    return sum((seen.get(one, 0) - n * p) ** 2 / (n * p) for one, p in expected.items())


CRITICAL = 33.7
"""Chi squared of 9 degrees of freedom (ten sets of 2 or 3 of 5) is above this with probability 1e-4."""


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("rounds", [0, 1, 16], ids=["clocks finish", "one round, then clocks", "drawn again"])
@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
def test_issues_are_drawn_one_after_the_other(monkeypatch, number, rounds, many):
    monkeypatch.setattr("ratingpriv_loaders.synthetic.sparse._ROUNDS", rounds)
    sampler, numbers = Sampler(WEIGHTS), np.full(20_000, number, dtype=np.int32)
    sampler._few = 0 if many else 5
    draws = sampler.draw(numbers, np.random.default_rng(number))
    assert chi_squared(draws, number, WEIGHTS) < CRITICAL
    # a sampler that takes the weights for their square roots, and one that ignores them
    for wrong in (np.sqrt(WEIGHTS), np.ones(5)):
        assert chi_squared(Sampler(wrong).draw(numbers, np.random.default_rng(0)), number, WEIGHTS) > CRITICAL


def test_records_that_draw_few_and_many_stay_apart():
    sampler, numbers = Sampler(np.ones(40)), np.array([1, 40, 3, 39, 2, 40, 1], dtype=np.int32)
    assert numbers.max() > sampler._few > numbers.min()
    for issues in np.split(sampler.draw(numbers, np.random.default_rng(0)), np.cumsum(numbers)[:-1]):
        assert (np.diff(issues) > 0).all()
        assert 0 <= issues[0] <= issues[-1] < 40
