"""Synthetic data: the model is the one that is stated.

Each check holds of a right table and fails of a wrong one, planted beside it; its docstring has the
sample size and the threshold, which leaves several standard errors. Seeds are fixed: it passes or
fails for good.
"""

import datetime

import numpy as np
import pytest

from ratingpriv_loaders.synthetic.generators import likert_survey, sparse_ratings
from ratingpriv_loaders.synthetic.sparse import Sampler


def wide_answers(table):
    return (
        table.to_wide("polars")
        .drop("record", "income", "health", strict=False)
        .to_numpy()
        .astype(float)
    )


def shuffled(column):
    return np.random.default_rng(0).permutation(column)


def share_missing(present):
    """10000 x 20 cells: standard error 0.001 at 0.25; of 10000 sensitive ones 0.0043;
    six of them.
    """
    return abs(1 - present.mean() - 0.25) < 6 * (0.1875 / present.size) ** 0.5


def test_missing():
    for share in (0.25, 0.27):
        table = likert_survey(10_000, 20, missing=share, rng=0)
        present = np.arange(200_000) < table.n_ratings
        assert share_missing(present) == (share == 0.25)
    table = likert_survey(10_000, 2, sensitive_missing=0.25, rng=0)
    assert all(share_missing(column.present) for column in table.sensitive)
    assert table.n_ratings == 20_000


@pytest.mark.parametrize("factors", [1, 2, 3, 4])
def test_factors(factors):
    """Eigenvalues of the correlations above 1.25, and items j and j + factors go together.

    5000 x 24 answers: noise alone reaches (1 + sqrt(24/5000))**2 = 1.14 [Marchenko-Pastur]; a
    factor with eight loadings of 0.5 and more gives 2 and more. Items of one factor correlate by
    0.25 * 0.9 and more, others by 0 on average.
    """

    def number(answers):
        return int((np.linalg.eigvalsh(np.corrcoef(answers.T)) > 1.25).sum())

    answers = wide_answers(likert_survey(5000, 24, factors=factors, sensitive=(), rng=factors))
    assert number(answers) == factors
    assert number(np.random.default_rng(0).permuted(answers, axis=0)) == 0
    found, factor = np.corrcoef(answers.T), np.arange(24) % factors
    same = factor[:, None] == factor
    if factors > 1:
        assert found[same & ~np.eye(24, dtype=bool)].mean() - found[~same].mean() > 0.15


def test_sensitive_issues_depend_on_the_factors():
    """R squared of a regression on 20 answers of 5000 records above 0.15;
    0.004 if they were independent.

    The factors explain 0.36 of the propensity, and the answers know most of the factors.
    """

    def depends(target):
        target = target - target.mean()
        left = target - centred @ np.linalg.lstsq(centred, target, rcond=None)[0]
        return 1 - (left**2).sum() / (target**2).sum() > 0.15

    table = likert_survey(5000, 20, rng=0)
    answers = wide_answers(table)
    centred = answers - answers.mean(axis=0)
    for column in table.sensitive:
        assert depends(column.values)
        assert not depends(shuffled(column.values))


def test_answers_are_spread_as_stated():
    """P(3 of 1..5) = P(|x| < 1/2) = 0.3829 where d = 0; 40000 records:
    standard error 0.0024, five.
    """
    incomes = likert_survey(40_000, 1, rng=0).sensitive_column("income").values
    assert abs((incomes == 3).mean() - 0.3829) < 0.012


def slope(counts, best):
    """Slope of log(count) by log(rank) over the ``best`` largest counts."""
    counts = np.sort(counts)[::-1][:best]
    return np.polyfit(np.log(np.arange(1, best + 1)), np.log(counts), 1)[0]


@pytest.mark.parametrize("exponent", [0.5, 0.9])
def test_popularity(exponent):
    """60000 ratings, three a record, of 500 issues: the 50 most popular have 100 ratings and more.

    Their counts have standard errors of at most 10%, the slope of 0.02. Drawing distinct issues
    flattens the head somewhat (the most popular of them is had by 30% of all), by less than 0.1.
    """
    for stated in (exponent, 0):
        table = sparse_ratings(20_000, 500, 60_000, popularity=stated, activity=0, rng=0)
        counts = np.bincount(table.indices, minlength=table.n_issues)
        assert (abs(slope(counts, 50) + exponent) < 0.15) == (stated == exponent)


@pytest.mark.parametrize("exponent", [0.3, 0.6])
def test_activity(exponent):
    """The numbers are no sample: only rounding bends the law;
    of 2000 records the 200 most active.
    """
    for stated in (exponent, 0):
        table = sparse_ratings(2000, 5000, 60_000, activity=stated, rng=0)
        assert (abs(slope(np.diff(table.indptr), 200) + exponent) < 0.02) == (stated == exponent)


def test_ranks_are_dealt_at_random():
    """Correlation of place and count, 5000 records or issues; 5 / sqrt(5000)."""
    table = sparse_ratings(5000, 5000, 100_000, rng=0)
    for counts in (np.diff(table.indptr), np.bincount(table.indices, minlength=table.n_issues)):
        assert abs(np.corrcoef(np.arange(len(counts)), np.log(counts + 1))[0, 1]) < 0.07


def test_ratings_depend_on_record_and_issue():
    """Variance of the means of 200 owners with 100 ratings each and more,
    above three times that of noise.

    An effect has variance 0.25, its rounding and cutting off at the ends make it some 0.2. Noise
    and the other effect leave a mean a variance of about 1.1/100.
    """

    def has_effects(owners, ratings):
        numbers = np.bincount(owners)
        means = np.bincount(owners, ratings) / numbers
        return means.var() > 3 * (ratings.var() / numbers).mean()

    table = sparse_ratings(200, 200, 20_000, popularity=0, activity=0, rng=0)
    for owners in (np.repeat(np.arange(200), np.diff(table.indptr)), table.indices):
        assert has_effects(owners, table.values)
        assert not has_effects(owners, shuffled(table.values))


def test_dates_of_a_record_are_close():
    """Means of 1000 records with 10 ratings each: within a record, dates are 90 days apart,
    between 633.
    """
    table = sparse_ratings(1000, 100, 10_000, popularity=0, activity=0, rng=0)
    days = table.timestamps.to_physical().to_numpy()
    assert (
        days.reshape(1000, 10).std(axis=1).mean()
        < 120
        < 400
        < shuffled(days).reshape(1000, 10).std(1).mean()
    )


def test_dates_are_in_the_stated_range():
    """No date is outside, and of 60000 ratings by 3000 records some
    are within 30 days of each end.
    """
    dates = sparse_ratings(3000, 100, 60_000, rng=0).timestamps
    first, last, days = (
        datetime.date(2000, 1, 1),
        datetime.date(2005, 12, 31),
        datetime.timedelta(30),
    )
    assert first <= dates.min() <= first + days < last - days <= dates.max() <= last
    assert sparse_ratings(30, 10, 60, dates=False, rng=0).timestamps is None


# -- distinct issues are drawn one after the other, by both ways to draw them

WEIGHTS = np.array([8.0, 4.0, 2.0, 1.0, 1.0])


def successive(number, had=(), probability=1.0):
    """Probability of each set of ``number`` issues drawn one after the other,
    by plain recursion.
    """
    if len(had) == number:
        return {frozenset(had): probability}
    found = {}
    left = [place for place in range(len(WEIGHTS)) if place not in had]
    for place in left:
        share = probability * WEIGHTS[place] / WEIGHTS[left].sum()
        for issues, p in successive(number, (*had, place), share).items():
            found[issues] = found.get(issues, 0) + p
    return found


def chi_squared(draws, number):
    """Chi squared of 20000 drawn sets of ``number`` of 5 issues against
    their exact probabilities.
    """
    sets, counts = np.unique(draws.reshape(-1, number), axis=0, return_counts=True)
    seen = {
        frozenset(one): count for one, count in zip(sets.tolist(), counts.tolist(), strict=True)
    }
    n = len(draws) // number
    return sum((seen.get(one, 0) - n * p) ** 2 / (n * p) for one, p in successive(number).items())


CRITICAL = 33.7
"""Chi squared of 9 degrees of freedom (ten sets of 2 or 3 of 5) is above this with probability
1e-4.
"""


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize(
    "rounds", [0, 1, 16], ids=["clocks finish", "one round, then clocks", "drawn again"]
)
@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
def test_issues_are_drawn_one_after_the_other(monkeypatch, number, rounds, many):
    monkeypatch.setattr("ratingpriv_loaders.synthetic.sparse._ROUNDS", rounds)
    sampler, numbers = Sampler(WEIGHTS), np.full(20_000, number, dtype=np.int32)
    sampler._few = 0 if many else 5
    assert chi_squared(sampler.draw(numbers, np.random.default_rng(number)), number) < CRITICAL
    # a sampler that takes the weights for their square roots, and one that ignores them
    for wrong in (np.sqrt(WEIGHTS), np.ones(5)):
        assert (
            chi_squared(Sampler(wrong).draw(numbers, np.random.default_rng(0)), number) > CRITICAL
        )


def test_records_that_draw_few_and_many_stay_apart():
    sampler, numbers = Sampler(np.ones(40)), np.array([1, 40, 3, 39, 2, 40, 1], dtype=np.int32)
    assert numbers.max() > sampler._few > numbers.min()
    for issues in np.split(
        sampler.draw(numbers, np.random.default_rng(0)), np.cumsum(numbers)[:-1]
    ):
        assert (np.diff(issues) > 0).all()
        assert 0 <= issues[0] <= issues[-1] < 40
