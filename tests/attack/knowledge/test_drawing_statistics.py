"""What is drawn follows the stated distribution.

Each test counts at least 20,000 draws with one fixed seed and compares them with what is expected
by χ². It rejects above dof + 7·sqrt(2·dof), which a right implementation exceeds for fewer than one
seed in 1,000.
"""

import math

import numpy as np
import pytest
from attack.attack_tables import dated_table, draw

from ratingpriv.attack.knowledge import drawing as module
from ratingpriv.attack.knowledge.drawing import Dating

ISSUES = 10
RECORDS = 10_000
FIRST, LAST, DAY = 12_000, 12_050, 12_020


def fits(counts, shares, spread=1.0):
    """χ² test; ``spread`` is the variance of a count over that of a multinomial one."""
    counts, shares = np.asarray(counts, float), np.asarray(shares, float)
    assert counts.sum() >= 20_000
    expected = counts.sum() * shares / shares.sum()
    statistic = ((counts - expected) ** 2 / expected).sum() / spread
    dof = len(counts) - 1
    return statistic <= dof + 7 * math.sqrt(2 * dof)


@pytest.fixture(scope="module")
def table():
    """Everybody rates every issue with 3 on one day; two more records stretch scale and dates."""
    everybody = dict.fromkeys(range(ISSUES), (3, DAY))
    ends = [{0: (1, FIRST), 1: (2, DAY)}, {0: (5, LAST), 1: (4, DAY)}]
    return dated_table([everybody] * RECORDS + ends, issues=ISSUES)


def drawn(table, **arguments):
    return draw(table, targets=np.arange(RECORDS), rng=7, **arguments)


def test_known_issues_are_uniform(table):
    aux = drawn(table, known=4).auxiliary
    counts = np.bincount(aux.issues, minlength=ISSUES)
    # 4 of 10 without replacement: a count's variance is n·p·(1 - p), not 4n·(1/10)·(9/10)
    assert fits(counts, np.ones(ISSUES), spread=(0.4 * 0.6) / (0.4 * 0.9))


def test_which_are_wrong_is_uniform(table):
    marked = drawn(table, known=5, wrong=2).wrong.reshape(-1, 5)
    assert fits(marked.sum(axis=0), np.ones(5), spread=(0.4 * 0.6) / (0.4 * 0.8))


@pytest.mark.parametrize("wrong", [0, 4])
def test_ratings_are_uniform_within_the_error_and_wrong_ones_beyond_it(table, wrong):
    aux = drawn(table, known=4, wrong=wrong, rating_error=1).auxiliary
    counts = np.array([(aux.ratings == level).sum() for level in (1, 2, 3, 4, 5)])
    possible = np.array([bool(wrong), not wrong, not wrong, not wrong, bool(wrong)])
    assert counts[~possible].sum() == 0
    assert fits(counts[possible], np.ones(possible.sum()))


@pytest.mark.parametrize("wrong", [0, 4])
def test_dates_are_uniform_within_the_error_and_wrong_ones_beyond_it(table, wrong):
    aux = drawn(table, known=4, wrong=wrong, date_error=3).auxiliary
    days = np.arange(FIRST, LAST + 1)
    possible = (np.abs(days - DAY) <= 3) != bool(wrong)
    counts = np.bincount((aux.dates - FIRST).astype(int), minlength=len(days))
    assert counts[~possible].sum() == 0
    assert fits(counts[possible], np.ones(possible.sum()))


def instants_fit(table, *, wrong):
    """Dates of a table with instants: uniform over time, counted in twentieths."""
    aux = drawn(table, known=4, wrong=4 if wrong else 0, date_error=3).auxiliary
    low, high = (FIRST, LAST) if wrong else (DAY - 3, DAY + 3)
    edges = np.linspace(low, high, 21)
    blind = (
        np.clip(np.minimum(edges[1:], DAY + 3) - np.maximum(edges[:-1], DAY - 3), 0, None) * wrong
    )
    counts, _ = np.histogram(aux.dates, edges)
    seen = np.diff(edges) - blind > 1e-9
    return counts.sum() == len(aux.dates) and fits(counts[seen], (np.diff(edges) - blind)[seen])


def test_instants_are_uniform_too_and_days_are_rejected(monkeypatch):
    everybody = dict.fromkeys(range(ISSUES), (3, DAY))
    ends = [{0: (1, FIRST), 1: (2, DAY)}, {0: (5, LAST), 1: (4, DAY)}]
    instants = dated_table([everybody] * RECORDS + ends, issues=ISSUES, stamps="seconds")
    assert instants_fit(instants, wrong=False)
    assert instants_fit(instants, wrong=True)
    known = Dating.known
    monkeypatch.setattr(Dating, "known", lambda *arguments: np.floor(known(*arguments)))
    assert not instants_fit(instants, wrong=False)


def targets_fit(sample):
    counts = np.zeros(8)
    for seed in range(4000):
        counts[sample(seed)] += 1
    # 5 of 8 without replacement
    return fits(counts, np.ones(8), spread=(5 / 8 * 3 / 8) / (5 / 8 * 7 / 8))


def test_sampled_targets_are_uniform_and_others_are_rejected():
    eight = dated_table([{0: (3, DAY)}] * 8)
    assert targets_fit(lambda seed: module._targets(eight, 5, np.random.default_rng(seed)))
    weights = np.array([1.3, *[1] * 7]) / 8.3

    def favoured(seed):
        return np.random.default_rng(seed).choice(8, 5, replace=False, p=weights)

    assert not targets_fit(favoured)


def test_ties_of_the_rarest_are_broken_at_random(table):
    aux = drawn(table, known=4, items="rarest").auxiliary
    # issues 2..9 have the same raters and one or two fewer than issues 0 and 1
    counts = np.bincount(aux.issues, minlength=ISSUES)
    assert counts[:2].sum() == 0
    assert fits(counts[2:], np.ones(8), spread=(0.5 * 0.5) / (0.5 * 7 / 8))


def test_unrated_issues_are_drawn_in_proportion_to_their_support():
    """Issues of 30, 20 and 10 raters are 1/2, 1/3, 1/6 likely.

    A second is drawn among what is left.
    """
    rows = (
        [{0: (1, None)}] * 30
        + [{1: (1, None)}] * 20
        + [{2: (1, None)}] * 10
        + [{3: (1, None)}] * 25_000
    )
    table = dated_table(rows, issues=4, stamps="none")
    targets = np.arange(60, len(rows))
    drawn = draw(table, targets=targets, known=2, unrated=1, rng=5)
    counts = np.bincount(drawn.auxiliary.issues[drawn.unrated], minlength=4)
    assert counts[3] == 0
    assert fits(counts[:3], [3, 2, 1])
    assert not fits(counts[:3], [1, 1, 1])
    pairs = draw(table, targets=targets, known=3, unrated=2, rng=5)
    missing = np.bincount(
        3 - pairs.auxiliary.issues[pairs.unrated].reshape(-1, 2).sum(axis=1), minlength=3
    )
    p = np.array([1 / 2, 1 / 3, 1 / 6])
    chances = [p[a] * p[b] * (1 / (1 - p[a]) + 1 / (1 - p[b])) for a, b in ((1, 2), (0, 2), (0, 1))]
    assert fits(missing, chances)


def test_ratings_of_unrated_issues_are_any_level():
    rows = [{0: (1 + number % 5, None)} for number in range(50)] + [{1: (2, None)}] * 25_000
    table = dated_table(rows, issues=2, stamps="none")
    drawn = draw(table, targets=np.arange(50, len(rows)), known=2, unrated=1, rng=2)
    assert fits(
        np.bincount(drawn.auxiliary.ratings[drawn.unrated].astype(int), minlength=6)[1:], np.ones(5)
    )
