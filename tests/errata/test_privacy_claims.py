"""What the papers say of a verdict and of a release,
and what refutes it [SWLZ11, §4; SWLP10, §1, 3, 5].
"""

import itertools

import networkx as nx
import numpy as np
import pytest
from golden.tables import build, table1, table2

from ratingpriv import audit
from ratingpriv.audit.k_epsilon import theorem_4_1_estimate

pytestmark = pytest.mark.small


def fits(records, knowledge, error):
    """The records that knowledge off by at most ``error`` on every issue may be of."""
    return [
        who
        for who, ratings in records.items()
        if all(
            abs(rating - known) <= error for rating, known in zip(ratings, knowledge, strict=True)
        )
    ]


def fewest(records, error, scale=range(1, 6)):
    """For each record the fewest that any knowledge of it leaves,
    over every knowledge on the scale.
    """
    width = len(next(iter(records.values())))
    return {
        who: min(
            len(fits(records, knowledge, error))
            for knowledge in itertools.product(scale, repeat=width)
            if who in fits(records, knowledge, error)
        )
        for who in records
    }


def test_not_everybody_is_identifiable_with_at_most_1_in_k():
    # SWLZ11 §4.2, SWLP10 §1.2 and §3: "no individual is identifiable with the probability greater
    # than 1/k". But ann 3 and bob 2 are (2,1)-anonymous, and knowledge 4 of ann, off by 1, fits
    # nobody else
    records = {"ann": (3,), "bob": (2,)}
    result = audit(build(list(records.values()), scale=(1, 5)), k=2, epsilon=1)
    assert result.satisfied
    assert result.sizes.tolist() == [2, 2]
    assert fits(records, (4,), 1) == ["ann"]
    assert fewest(records, 1) == {"ann": 1, "bob": 1}
    # what holds: exact knowledge, every record within ε accepted; or knowledge off by e and e + ε
    # accepted
    assert fits(records, (3,), 1) == ["ann", "bob"]
    for knowledge in (2, 3, 4):
        assert len(fits(records, (knowledge,), 2)) == 2


@pytest.mark.parametrize("seed", range(5))
def test_accepting_every_record_within_error_and_epsilon_leaves_the_neighbourhood(seed):
    # theory §2: knowledge off by at most e leaves |N(t)| records to whoever accepts all within e +
    # ε
    rng = np.random.default_rng(seed)
    rows = rng.integers(1, 6, (8, 2)).tolist()
    sizes = audit(build(rows, scale=(1, 5)), k=1, epsilon=1).sizes
    records = dict(enumerate(map(tuple, rows)))
    for who, knowledge in itertools.product(records, itertools.product(range(1, 6), repeat=2)):
        if who in fits(records, knowledge, 2):
            assert len(fits(records, knowledge, 3)) >= sizes[who]


def test_a_larger_epsilon_is_no_better_protection():
    # SWLZ11 §4.2: "The larger the k and ε are, the better protection it will provide". Of 1 and 5
    # everything that is off by at most 1 is told apart, and they are (2,4)-anonymous. A larger ε is
    # a weaker
    # demand
    records = {"ann": (1,), "bob": (5,)}
    table = build(list(records.values()), scale=(1, 5))
    assert [audit(table, k=2, epsilon=epsilon).satisfied for epsilon in (3, 4)] == [False, True]
    for who, knowledge in itertools.product(records, range(1, 6)):
        if who in fits(records, (knowledge,), 1):
            assert fits(records, (knowledge,), 1) == [who]


# SWLZ11, Lemma 4.1 and Theorem 4.1: the papers' own examples


def largest_neighbourhood(table, positions):
    return int(audit(table.take(np.array(positions)), k=1, epsilon=1).sizes.max())


def estimate(table, parts):
    """Theorem 4.1's number at ε = 1, with the part that the theorem says to take."""
    best = max(parts, key=lambda part: largest_neighbourhood(table, part) / len(part))
    everybody = range(table.n_records)
    return theorem_4_1_estimate(
        largest_neighbourhood(table, everybody), len(best), table.n_records
    ).value


def test_theorem_4_1_is_refuted_by_its_own_example():
    # §5.2.1 takes G1 = {t1..t4} of Table 2, but 3/4 is not the largest share: {t5, t6} has 2/2
    parts = [[0, 1, 2, 3], [4, 5]]
    assert [largest_neighbourhood(table2(), part) for part in parts] == [3, 2]
    assert estimate(table2(), parts) == 1  # ⌈3·2/6⌉
    assert audit(table2(), k=2, epsilon=1).satisfied  # "one (2, 1)-anonymity solution"
    assert theorem_4_1_estimate(3, 4, 6).value == 2  # with the wrong part, as printed


def test_theorem_4_1_takes_the_wrong_part_of_table_1_too():
    # §4.3 takes {t1, t2, t3} with 2/3; {t4, t5} has 2/2, so the number is ⌈2·2/5⌉ = 1 and not
    # ⌈2·3/5⌉ = 2
    assert estimate(table1(), [[0, 1, 2], [3, 4]]) == 1
    assert audit(table1(), k=1, epsilon=1).k_epsilon.max_k == 1


def test_lemma_4_1s_example_has_the_numbers_of_epsilon_1():
    # "in our example with ε = 5": maxsize(G1) = 2, maxsize(T) = 2. At ε = 5 both are 3
    assert audit(table1(), k=1, epsilon=1).sizes.max() == 2
    assert audit(table1(), k=1, epsilon=5).sizes.max() == 3
    first = table1().take(np.array([0, 1, 2]))
    assert [int(audit(first, k=1, epsilon=epsilon).sizes.max()) for epsilon in (1, 5)] == [2, 3]


# SWLP10, §5.3-5.4


def test_the_sd_of_a_release_is_not_bounded_by_half_epsilon():
    # "With the parameter ε, the standard deviation is bounded by ε/2": within a clique only
    ratings = [1, 1, 5, 5]
    assert audit(build([(rating,) for rating in ratings], scale=(1, 5)), k=2, epsilon=0).satisfied
    assert np.std(ratings) == 2
    assert max(np.std(ratings[:2]), np.std(ratings[2:])) == 0


def test_a_clustering_coefficient_of_1_is_not_a_complete_graph():
    # "it does not reach to 1, the trivial case when the graph becomes fully connected"
    cliques = nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(3))
    assert nx.average_clustering(cliques) == 1
    assert not nx.is_connected(cliques)


def test_a_random_class_is_predicted_once_in_five():
    # Fig. 16 has 75 %. The only class that is described, income, is drawn at random from 1..5: any
    # prediction is right for one in five of all equally likely draws
    for prediction in itertools.product(range(1, 6), repeat=3):
        draws = list(itertools.product(range(1, 6), repeat=3))
        right = sum(p == d for draw in draws for p, d in zip(prediction, draw, strict=True))
        assert right * 5 == 3 * len(draws)
