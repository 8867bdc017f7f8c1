"""Sparsity of a sample and of the whole: Definition 1 and Theorem 5 of [NS08]."""

import itertools
from fractions import Fraction

import pytest
from golden.tables import build
from naive.sparsity import nearest_similarities, similarity

from ratingpriv.attack.sparsity import sparsity

pytestmark = pytest.mark.small


def same(one, other):
    return one == other


def share_near(records, epsilon):
    """P over the records that the nearest other one has a similarity
    above ε [NS08, Def. 1, with ∃].
    """
    found = nearest_similarities(records, same)
    return Fraction(sum(best > epsilon for _, best, _ in found), max(len(found), 1))


def test_theorem_5_is_false():
    # claim: if D is not (ε,δ)-sparse, a random 1/λ-subset is not (ε, δγ/λ)-sparse with probability
    # >= 1 - γ
    epsilon, delta, gamma, chance = Fraction(1, 2), Fraction(1, 6), Fraction(1, 2), Fraction(1, 10)
    records = [{0: 1, 1: 1}, {0: 1, 1: 1}, {2: 1}, {3: 1}, {4: 1}, {5: 1}]  # one near pair
    assert share_near(records, epsilon) == Fraction(2, 6) > delta
    not_sparse = Fraction(0)
    for kept in itertools.product((False, True), repeat=6):
        sample = [record for record, keep in zip(records, kept, strict=True) if keep]
        weight = chance ** sum(kept) * (1 - chance) ** (6 - sum(kept))
        if share_near(sample, epsilon) > delta * gamma * chance:
            not_sparse += weight
    assert not_sparse == Fraction(1, 100)  # both of the pair are drawn
    assert not_sparse < 1 - gamma


def test_theorem_5_is_false_for_subsets_of_a_fixed_size_too():
    # two of twenty records: both of the pair in 1 of 190
    pair = sum(set(kept) == {0, 1} for kept in itertools.combinations(range(20), 2))
    assert Fraction(pair, 190) < Fraction(1, 2)


def test_definition_1_needs_there_is_and_not_for_all():
    # two pairs of twins: everybody has a twin, nobody is near everybody else
    rows = [(1, None), (1, None), (None, 5), (None, 5)]
    records = [{i: rating for i, rating in enumerate(row) if rating} for row in rows]
    for_all = sum(
        all(
            similarity(one, other, same) > Fraction(1, 2)
            for j, other in enumerate(records)
            if i != j
        )
        for i, one in enumerate(records)
    )
    assert for_all == 0  # "(1/2, 0)-sparse"
    assert share_near(records, Fraction(1, 2)) == 1
    assert sparsity(build(rows, scale=(1, 5)), rating_tolerance=0).delta(0.5).rate == 1
