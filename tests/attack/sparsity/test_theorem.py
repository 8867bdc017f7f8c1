"""Theorem 1: the bound in figures, false matches against plain loops, where its words go wrong; 2 and 3."""

from __future__ import annotations

import math

import pytest
from attack.planting import crowd, long_table

from ratingpriv.attack.evaluation.suite import run
from ratingpriv.attack.knowledge.drawing import draw
from ratingpriv.attack.sparsity.sparsity import sparsity
from ratingpriv.attack.sparsity.theorem import false_match_bound, false_matches
from ratingpriv.errors import ParameterError


@pytest.mark.small
def test_the_bound_in_figures():
    # half a million records, 1 - δ = 1/2
    m = math.ceil(math.log2(50_000_000))  # Theorem 1: m >= (log n - log ε) / -log(1 - δ), ε = 0.01
    assert m == 26
    assert false_match_bound(500_000, m, delta=0.5) <= 0.01 < false_match_bound(500_000, m - 1, delta=0.5)
    assert false_match_bound(1000, 0, delta=0.3) == 1


def plain(table, known, delta, seed, tolerance):
    """False matches by loops over every pair of records."""
    rated = [
        dict(zip(table.support(r).tolist(), table.values[table.indptr[r] : table.indptr[r + 1]], strict=True))
        for r in range(table.n_records)
    ]
    known_of = draw(table, known=known, rng=seed).auxiliary
    by_support = by_similarity = 0
    for number, target in enumerate(known_of.targets.tolist()):
        issues = known_of.issues[known_of.indptr[number] : known_of.indptr[number + 1]].tolist()
        support = similarity = False
        for other in range(table.n_records):
            mine, its = rated[target], rated[other]
            same = {i for i in mine if i in its and abs(mine[i] - its[i]) <= tolerance}
            if other != target and all(issue in same for issue in issues):
                support |= len(same) < (1 - delta) * len(mine)
                similarity |= len(same) <= (1 - delta) * len(mine.keys() | its.keys())
        by_support += support
        by_similarity += similarity
    return by_support, by_similarity


@pytest.mark.parametrize("tolerance", [0, 1])
@pytest.mark.parametrize("known", [1, 2, 3])
def test_plain_loops_agree(known, tolerance):
    table = crowd(60, 12, 0.5)
    (found,) = false_matches(table, known, delta=0.4, rating_tolerance=tolerance, rng=3)
    assert (found.measured.count, found.by_similarity.count) == plain(table, known, 0.4, 3, tolerance)


def test_the_bound_holds():
    """In 10 random tables of 80 records the measured share never passes the bound: it is a union bound."""
    for seed in range(10):
        for found in false_matches(crowd(80, 25, 0.6, seed), (4, 8, 10), delta=0.5, rng=seed):
            assert found.measured.rate <= found.bound + 3 * math.sqrt(found.bound / 80)


def test_the_theorems_own_words_are_wrong():
    """A record that rates everything agrees with all on everything, and is similar to none [NS08, §3].

    By its words such a record is a false match, always in the matching set, where the bound allows 3 %: the
    theorem's Lemma 1 counts the target's ratings, the similarity of §3 those of both.
    """
    rows = [("glutton", f"i{j}", 1, 0) for j in range(200)]
    rows += [(f"r{i}", f"i{2 * i + j}", 1, 0) for i in range(50) for j in (0, 1)]
    (found,) = false_matches(long_table(rows), 2, delta=0.98)
    assert found.bound < 0.03
    assert found.by_similarity.count == 50
    assert found.measured.count == 0


@pytest.mark.small
def test_targets_with_too_few_ratings_are_counted():
    found = false_matches(long_table([("a", "x", 1, 0), ("a", "y", 1, 0), ("b", "x", 1, 0)]), (1, 2, 3))
    assert [one.could_not_attack for one in found] == [0, 1, 2]
    assert found[2].measured.rate is None
    assert found[0].to_dict()["measured"]["of"] == 2


@pytest.mark.small
@pytest.mark.parametrize(
    "bad",
    [
        lambda t: false_match_bound(0, 3, delta=0.1),
        lambda t: false_match_bound(10, 3, delta=0),
        lambda t: false_match_bound(10, -3, delta=0.5),
        lambda t: false_matches(t, 0),
        lambda t: false_matches(t, 1, delta=1),
        lambda t: false_matches(t, 1, rating_tolerance=-1),
        lambda t: false_matches(t, 1, targets=99),
    ],
)
def test_bad_arguments(bad):
    with pytest.raises(ParameterError):
        bad(long_table([("a", "x", 1, 0), ("b", "x", 1, 0)]))


def planted(records=60, core=8, own=8, twins=0):
    """Everybody rates ``core`` issues alike, and ``own`` that nobody else does but for the ``twins``."""
    rows = [(f"r{r}", f"core {i}", 3, 0) for r in range(records) for i in range(core)]
    rows += [(f"r{r}", f"own {max(r, twins - 1)} {i}", 4, 0) for r in range(records) for i in range(own)]
    return long_table(rows)


def test_theorems_2_and_3_on_planted_data():
    """[NS08, Theorems 2 and 3]: the share who is found, and the chance of a pick from the matching set."""
    n, epsilon, delta, k = 60, 0.1, 0.49, 4
    table = planted(n)
    assert sparsity(table, rating_tolerance=0).delta(1 - epsilon - delta).rate == 0  # nobody is near anybody
    whole = math.ceil(math.log(n / epsilon) / -math.log(1 - delta))
    found = run(table, known=whole, algorithm="scoreboard", rng=0).measures
    assert whole == 10
    assert found.success.rate >= 1 - epsilon
    few = math.ceil(math.log(n / (k - 1)) / -math.log(1 - delta))
    lineup = run(table, known=few, algorithm="matching-set", rng=0).measures
    assert few == 5
    assert lineup.success.rate >= 1 / k
    assert lineup.entropy_bits.mean <= math.log2(k)
    assert run(table, known=2, algorithm="matching-set", rng=0).measures.success.rate < 1  # the core alone


def test_theorem_2_needs_sparse_data():
    """With twins among the records nobody tells them apart, whatever is known: its premise is missing."""
    table = planted(60, twins=30)
    assert sparsity(table, rating_tolerance=0).delta(0.41).rate == 0.5
    assert run(table, known=10, algorithm="scoreboard", rng=0).measures.success.rate == 0.5
