"""Synthetic data: the model is the one that is stated.

Each check is a function of a table, with its sample size and threshold, that a right table passes and a wrong
one, planted below it, fails. Seeds are fixed: a check passes or fails for good; thresholds leave several
standard errors.
"""

from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest

from ratingpriv_loaders.synthetic.generators import likert_survey, sparse_ratings
from ratingpriv_loaders.synthetic.sparse import Sampler


def wide_answers(table):
    return table.to_wide("polars").drop(table.origin.record_name).to_numpy().astype(float)


def share_missing(table):
    """10000 x 20 cells: standard error 0.001 at 0.25; the threshold is 6 of them."""
    return abs(1 - table.n_ratings / (table.n_records * table.n_issues) - 0.25) < 0.006


def test_missing():
    assert share_missing(likert_survey(10_000, 20, missing=0.25, rng=0))
    assert not share_missing(likert_survey(10_000, 20, missing=0.27, rng=0))
    table = likert_survey(10_000, 2, sensitive_missing=0.25, rng=0)
    for column in table.sensitive:  # standard error 0.0043
        assert abs(column.present.mean() - 0.75) < 0.026
    assert table.n_ratings == 20_000


def number_of_factors(answers):
    """Count eigenvalues of the correlation matrix above 1.25.

    5000 x 24 answers: noise alone reaches (1 + sqrt(24/5000))**2 = 1.14 [Marchenko-Pastur]; a factor with
    eight loadings of 0.5 and more gives 2 and more.
    """
    return int((np.linalg.eigvalsh(np.corrcoef(answers.T)) > 1.25).sum())


@pytest.mark.parametrize("factors", [1, 2, 3, 4])
def test_factors(factors):
    answers = wide_answers(likert_survey(5000, 24, factors=factors, sensitive=(), rng=factors))
    assert number_of_factors(answers) == factors
    rng = np.random.default_rng(0)
    unrelated = np.column_stack([rng.permutation(column) for column in answers.T])
    assert number_of_factors(unrelated) == 0


def items_of_a_factor_go_together(answers):
    """5000 x 12 answers, 3 factors: items j and j + 3 share a factor, with correlation 0.25 * 0.9 and more.

    Those that do not have at most about 2 * 0.8 * 0.2 + 0.2**2 = 0.36, and 0 on average. Compared: means of
    the 18 pairs that share one and the 48 that do not, with standard errors below 0.015.
    """
    found, factor = np.corrcoef(answers.T), np.arange(12) % 3
    same = (factor[:, None] == factor) & ~np.eye(12, dtype=bool)
    return found[same].mean() - found[factor[:, None] != factor].mean() > 0.15


def test_items_of_a_factor_go_together():
    answers = wide_answers(likert_survey(5000, 12, sensitive=(), rng=0))
    assert items_of_a_factor_go_together(answers)
    assert not items_of_a_factor_go_together(answers[:, np.random.default_rng(0).permutation(12)])
    assert not items_of_a_factor_go_together(
        wide_answers(likert_survey(5000, 12, factors=1, sensitive=(), rng=0))
    )


def sensitive_depends_on_factors(answers, sensitive):
    """R squared of a regression on 20 answers of 5000 records above 0.15.

    The factors explain 0.36 of the propensity, and the answers know most of the factors. Were they
    independent, R squared would be 20/5000 = 0.004 on average.
    """
    centred = answers - answers.mean(axis=0)
    target = sensitive - sensitive.mean()
    left = target - centred @ np.linalg.lstsq(centred, target, rcond=None)[0]
    return 1 - (left**2).sum() / (target**2).sum() > 0.15


def test_sensitive_issues_depend_on_the_factors():
    table = likert_survey(5000, 20, rng=0)
    answers = table.drop(["income", "health"]).to_wide("polars").drop("record").to_numpy().astype(float)
    for column in table.sensitive:
        assert sensitive_depends_on_factors(answers, column.values)
        shuffled = np.random.default_rng(0).permutation(column.values)
        assert not sensitive_depends_on_factors(answers, shuffled)


def middle_is_as_stated(values):
    """P(3 of 1..5) = P(|x| < 1/2) = 0.3829 where d = 0; 40000 records: standard error 0.0024, threshold 5."""
    return abs((values == 3).mean() - 0.3829) < 0.012


def test_answers_are_spread_as_stated():
    incomes = likert_survey(40_000, 1, rng=0).sensitive_column("income").values
    assert middle_is_as_stated(incomes)
    assert not middle_is_as_stated(np.random.default_rng(0).integers(1, 6, 40_000))  # all levels alike


def slope(counts, best):
    """Slope of log(count) by log(rank) over the ``best`` largest counts."""
    counts = np.sort(counts)[::-1][:best]
    return np.polyfit(np.log(np.arange(1, best + 1)), np.log(counts), 1)[0]


def popularity_is_as_stated(table, exponent):
    """60000 ratings, three a record, of 500 issues: the 50 most popular have 100 ratings and more.

    Their counts have standard errors of at most 10%, the slope of 0.02. Drawing distinct issues flattens the
    head somewhat (the most popular of them is had by 30% of all), by less than 0.1.
    """
    counts = np.bincount(table.indices, minlength=table.n_issues)
    return abs(slope(counts, 50) + exponent) < 0.15


@pytest.mark.parametrize("exponent", [0.5, 0.9])
def test_popularity(exponent):
    table = sparse_ratings(20_000, 500, 60_000, popularity=exponent, activity=0, rng=0)
    assert popularity_is_as_stated(table, exponent)
    ignored = sparse_ratings(20_000, 500, 60_000, popularity=0, activity=0, rng=0)
    assert not popularity_is_as_stated(ignored, exponent)


def activity_is_as_stated(table, exponent):
    """The numbers are no sample: only rounding bends the law; of 2000 records the 200 most active; 0.02."""
    return abs(slope(np.diff(table.indptr), 200) + exponent) < 0.02


@pytest.mark.parametrize("exponent", [0.3, 0.6])
def test_activity(exponent):
    assert activity_is_as_stated(sparse_ratings(2000, 5000, 60_000, activity=exponent, rng=0), exponent)
    assert not activity_is_as_stated(sparse_ratings(2000, 5000, 60_000, activity=0, rng=0), exponent)


def neither_early_records_nor_early_issues_are_special(table):
    """Ranks are dealt at random: correlation of place and count, 5000 records or issues; 5 / sqrt(5000)."""
    activity, popularity = np.diff(table.indptr), np.bincount(table.indices, minlength=table.n_issues)
    return all(
        abs(np.corrcoef(np.arange(len(counts)), np.log(counts + 1))[0, 1]) < 0.07
        for counts in (activity, popularity)
    )


def test_ranks_are_dealt_at_random():
    table = sparse_ratings(5000, 5000, 100_000, rng=0)
    assert neither_early_records_nor_early_issues_are_special(table)
    assert not neither_early_records_nor_early_issues_are_special(
        table.take(np.argsort(-np.diff(table.indptr), kind="stable"))
    )


def has_effects(owners, ratings):
    """Variance of the means of 200 owners with 100 ratings each and more, above three times that of noise.

    An effect has variance 0.25, its rounding and cutting off at the ends make it some 0.2. Noise and the
    other effect leave a mean a variance of about 1.1/100.
    """
    numbers = np.bincount(owners)
    means = np.bincount(owners, ratings) / numbers
    return means.var() > 3 * (ratings.var() / numbers).mean()


def test_ratings_depend_on_record_and_issue():
    table = sparse_ratings(200, 200, 20_000, popularity=0, activity=0, rng=0)
    owners = np.repeat(np.arange(200), np.diff(table.indptr))
    shuffled = np.random.default_rng(0).permutation(table.values)
    for of in (owners, table.indices):
        assert has_effects(of, table.values)
        assert not has_effects(of, shuffled)


def test_dates_of_a_record_are_close():
    """Means of 1000 records with 10 ratings each: within a record, dates are 90 days apart, between 633."""
    table = sparse_ratings(1000, 100, 10_000, popularity=0, activity=0, rng=0)
    days = table.timestamps.to_physical().to_numpy().reshape(1000, 10)
    assert days.std(axis=1).mean() < 120
    assert np.random.default_rng(0).permutation(days.ravel()).reshape(1000, 10).std(axis=1).mean() > 400


def fills_the_stated_range(dates):
    """No date is outside, and of 60000 ratings by 3000 records some are within 30 days of each end.

    Some 40 records join in the first 30 days, and rate 6 issues each, on average, within 30 days.
    """
    first, last, days = datetime.date(2000, 1, 1), datetime.date(2005, 12, 31), datetime.timedelta(30)
    return first <= dates.min() <= first + days and last - days <= dates.max() <= last


def test_dates_are_in_the_stated_range():
    dates = sparse_ratings(3000, 100, 60_000, rng=0).timestamps
    assert dates.dtype == pl.Date
    assert fills_the_stated_range(dates)
    assert not fills_the_stated_range(dates.dt.offset_by("31d"))
    assert not fills_the_stated_range(dates.dt.offset_by("-31d"))
    assert sparse_ratings(30, 10, 60, dates=False, rng=0).timestamps is None


# -- distinct issues are drawn one after the other, by both ways to draw them

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
