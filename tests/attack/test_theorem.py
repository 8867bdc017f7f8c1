"""Theorem 1: the bound, false matches against plain loops, where its words go wrong;
Theorems 2 to 4.
"""

import itertools
import math

import numpy as np
import pytest
from attack.attack_tables import draw, run
from attack.planting import crowd, long_table

from ratingpriv.attack.sparsity import false_match_bound, false_matches, sparsity


@pytest.mark.small
def test_the_bound_in_figures():
    # half a million records, 1 - δ = 1/2
    m = math.ceil(math.log2(50_000_000))  # Theorem 1: m >= (log n - log ε) / -log(1 - δ), ε = 0.01
    assert m == 26
    assert (
        false_match_bound(500_000, m, delta=0.5)
        <= 0.01
        < false_match_bound(500_000, m - 1, delta=0.5)
    )
    assert false_match_bound(1000, 0, delta=0.3) == 1


def plain(table, known, delta, seed, tolerance):
    rated = [
        dict(
            zip(
                table.support(r).tolist(),
                table.values[table.indptr[r] : table.indptr[r + 1]],
                strict=True,
            )
        )
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
    assert (found.measured.count, found.by_similarity.count) == plain(
        table, known, 0.4, 3, tolerance
    )


def test_the_bound_holds():
    """In 10 random tables of 80 records the measured share never passes the bound:
    it is a union bound.
    """
    for seed in range(10):
        for found in false_matches(crowd(80, 25, 0.6, seed), (4, 8, 10), delta=0.5, rng=seed):
            assert found.measured.rate <= found.bound + 3 * math.sqrt(found.bound / 80)


def test_the_theorems_own_words_are_wrong():
    """A record that rates everything agrees with all on everything,
    and is similar to none [NS08, §3].

    By its words such a record is a false match, always in the matching set, where the bound allows
    3 %: the theorem's Lemma 1 counts the target's ratings, the similarity of §3 those of both.
    """
    rows = [("glutton", f"i{j}", 1, 0) for j in range(200)]
    rows += [(f"r{i}", f"i{2 * i + j}", 1, 0) for i in range(50) for j in (0, 1)]
    (found,) = false_matches(long_table(rows), 2, delta=0.98)
    assert found.bound < 0.03
    assert found.by_similarity.count == 50
    assert found.measured.count == 0


@pytest.mark.small
def test_targets_with_too_few_ratings_are_counted():
    found = false_matches(
        long_table([("a", "x", 1, 0), ("a", "y", 1, 0), ("b", "x", 1, 0)]), (1, 2, 3)
    )
    assert [one.could_not_attack for one in found] == [0, 1, 2]
    assert found[2].measured.rate is None
    assert found[0].measured.of == 2


# ---- Theorems 2 to 4: laws on data of known sparsity ----


def planted(records=60, core=8, own=8, twins=0):
    """Everybody rates ``core`` issues alike, and ``own`` that nobody
    else does but for the ``twins``.
    """
    rows = [(f"r{r}", f"core {i}", 3, 0) for r in range(records) for i in range(core)]
    rows += [
        (f"r{r}", f"own {max(r, twins - 1)} {i}", 4, 0) for r in range(records) for i in range(own)
    ]
    return long_table(rows)


def near(table, delta):
    """The share of records of which another one has 1 - δ or more of the ratings."""
    rated = [
        set(zip(table.support(r).tolist(), table.values[first:last].tolist(), strict=True))
        for r, (first, last) in enumerate(itertools.pairwise(table.indptr))
    ]
    close = [
        any(len(mine & its) >= (1 - delta) * len(mine) for r, its in enumerate(rated) if r != t)
        for t, mine in enumerate(rated)
    ]
    return sum(close) / len(close)


def noise(chance, of):
    """Three standard errors of a share of ``of``."""
    return 3 * math.sqrt(max(chance, 1 / of) / of)


TABLES = {
    "nobody is near": (lambda: planted(), 0.49, 0),
    "a small core": (lambda: planted(core=3, own=12), 0.7, 0),
    "6 of 60 are twins": (lambda: planted(twins=6), 0.49, 0.1),
    "half are twins": (lambda: planted(twins=30), 0.49, 0.5),
    "random": (lambda: crowd(80, 25, 0.6, 2), 0.5, 0.05),
}


@pytest.fixture(params=TABLES.values(), ids=TABLES.keys())
def sparse(request):
    make, delta, share = request.param
    table = make()
    assert near(table, delta) == share
    return table, delta, share


@pytest.mark.parametrize("known", [4, 8, 10])
def test_theorem_2(sparse, known):
    """[NS08, Theorem 2]: who has nobody near is found, but with the probability of a false match.

    Its words are 1 - ε, where ε is the share that is not sparse *and* the probability; both can go
    wrong.
    """
    table, delta, share = sparse
    bound = false_match_bound(table.n_records, known, delta=delta)
    found = run(table, known=known, algorithm="scoreboard", rng=0).measures
    assert found.success.rate >= (1 - share) * (1 - bound) - noise(bound, found.targets)
    if share == 0.5:
        assert found.success.rate == 0.5  # twins are never told apart, whatever is known


@pytest.mark.parametrize("k", [2, 4, 16])
def test_theorem_3(sparse, k):
    """[NS08, Theorem 3]: a pick from the matching set is right with 1/k,
    and log k bits are lacking.
    """
    table, delta, share = sparse
    known = math.ceil(math.log(table.n_records / (k - 1)) / -math.log(1 - delta))
    lineup = run(table, known=known, algorithm="matching-set", rng=0).measures
    assert lineup.success.rate >= (1 - share) / k - noise(1 / k, lineup.targets)
    most = (1 - share) * math.log2(k) + share * math.log2(table.n_records)
    assert lineup.entropy_bits.mean <= most


@pytest.mark.parametrize("known", [4, 8, 10])
def test_theorem_4(sparse, known):
    """[NS08, Theorem 4]: from a sample, who is in it is found,
    and of who is not nobody is named.
    """
    table, delta, _ = sparse
    sample = table.take(np.arange(0, table.n_records, 2))
    share = near(sample, delta)
    bound = false_match_bound(sample.n_records, known, delta=delta)
    found = run(sample, known=known, algorithm="scoreboard", rng=1).measures
    assert found.success.rate >= (1 - share) * (1 - bound) - noise(bound, found.targets)
    assert found.false_positive.rate <= share + (1 - share) * bound + noise(bound, found.targets)


def test_theorems_2_to_4_are_false_by_their_words():
    """Three who rate everything: by the similarity of §3 the data are sparse,
    and they always match.
    """
    rows = [(f"glutton {g}", f"i{j}", 1, 0) for g in range(3) for j in range(150)]
    rows += [(f"glutton {g}", f"own {g} {j}", 1, 0) for g in range(3) for j in range(300)]
    rows += [(f"r{i}", f"i{3 * i + j}", 1, 0) for i in range(50) for j in range(3)]
    table, epsilon, delta, known = long_table(rows), 0.06, 0.9, 3
    assert sparsity(table, rating_tolerance=0).delta(1 - epsilon - delta).rate <= epsilon
    # so many are known as the theorems ask for
    assert false_match_bound(53, known, delta=delta) <= epsilon
    picked = run(
        table, known=known, targets=list(range(3, 53)), algorithm="matching-set", rng=0
    ).measures
    assert picked.success.rate == 0.25 < 1 - epsilon  # Theorem 2
    assert picked.success.rate < 1 / 2  # Theorem 3, k = 2
    assert picked.entropy_bits.mean > math.log2(2)
    # Theorem 4: who is not in the sample matches, too
    assert picked.false_positive.rate == 1 > epsilon
