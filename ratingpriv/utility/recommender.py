"""Recommender error: how well held-out ratings are predicted by who
learned from the release [CTWY10, §7].

RMSE = sqrt(Σ (r̂ - r)² / number of held-out ratings), r̂ clipped to the scale, from the model P0
(:mod:`ratingpriv.utility.prediction`). The paper's table of RMSEs is of Netflix and of another
model: compare with the references beside ours, not with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.table import identical_ratings
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.prediction import FACTORS, RatingModel, biases
from ratingpriv.utility.result import Measured, not_measured
from ratingpriv.utility.tables import issues_by_name, leave_out, moments_of, records_by_id


def recommender(
    pair: Pair,
    *,
    rng: np.random.Generator,
    resources: Resources,
    factors: int = FACTORS,
    share: float = 0.1,
    runs: int = 5,
) -> Measured:
    """Return the RMSE of ratings predicted from the release. Lower is better.

    For a release that is there already: ratings of the original are held out, stratified by record;
    the same cells (record, issue) are taken out of the release, and out of the records that are
    identical to that one, which were given the same rating; the model learns from what is left and
    predicts them. So release = original gives the original's own error. What is left was still made
    with the held-out ratings at hand, so that an error below the original's is no gain; the paper
    anonymises the rest.

    Ratings of suppressed records are not predicted, and counted. Draws are by record id and name of
    issue: all releases of one original get the same, and the order of records and issues changes
    nothing but rounding. Needs a pairing. Details: ``documents.utility.MeasuredRecommender``.
    """
    original, release = pair.original, pair.release
    if pair.pairing is None:
        return not_measured("it is not known which released record is which original one")
    if release.n_ratings == 0:
        return not_measured("the release has no ratings to train on")
    identical, of_release = identical_ratings(release), records_of(release).astype(np.int64)
    by_record, by_issue = records_by_id(original), issues_by_name(original)
    errors = []
    for run in range(runs):
        resources.report("predicting held-out ratings", run, runs)
        gone = held_out(original, share, rng, by_record=by_record, by_issue=by_issue)
        of_present = gone & (pair.pairing >= 0)[records_of(original)]
        cells = records_of(original)[of_present], original.indices[of_present]
        records, issues = (positions.astype(np.int64) for positions in cells)
        released, truth = pair.pairing[records], original.values[of_present]
        if not len(truth):
            return not_measured("no rating could be held out: a record keeps one, and is in both")
        # what the release has in each cell, NaN for nothing
        own, wanted = (
            of_release * release.n_issues + release.indices,
            released * release.n_issues + issues,
        )
        entries = np.minimum(np.searchsorted(own, wanted), max(len(own) - 1, 0))
        direct = np.where(own[entries] == wanted, release.levels[release.codes[entries]], np.nan)
        given = ~np.isnan(direct)
        # what was held out, and what identical records were given for it, is hidden from who learns
        alike = identical[of_release] * release.n_issues + release.indices
        left = leave_out(release, np.isin(alike, identical[released] * release.n_issues + issues))
        if left.n_ratings == 0:
            return not_measured("the release has no other ratings to train on")
        rest = leave_out(original, gone)
        moments, mean = moments_of(rest), float(rest.values.mean()) if rest.n_ratings else 0.0
        predicted = {
            "model": RatingModel.fit(left, factors=factors).predicted(released, issues),
            "global_mean": np.full(len(truth), mean),
            "issue_mean": np.where(moments.rated, moments.means, mean)[issues],
            "biases": biases(rest).predicted(records, issues),
        }
        error = {name: rmse(truth, values, original) for name, values in predicted.items()}
        error["direct"] = rmse(truth[given], direct[given], original) if given.any() else np.nan
        error |= {
            "coverage": float(given.mean()),
            "held_out": int(np.count_nonzero(gone)),
            "predicted": len(truth),
        }
        errors.append(error)
    by_name = {name: np.array([error[name] for error in errors]) for name in errors[0]}
    direct = by_name["direct"][~np.isnan(by_name["direct"])]
    names = ("held_out", "predicted", "global_mean", "issue_mean", "biases")
    details = {
        "factors": factors,
        "share": share,
        "runs": runs,
        **{name: float(by_name[name].mean()) for name in names},
        "direct": {
            "rmse": float(direct.mean()) if len(direct) else None,
            "coverage": float(by_name["coverage"].mean()),
        },
    }
    words = f"RMSE of held-out ratings, mean and range of {runs} runs"
    return Measured.of_runs(by_name["model"], words, details)


def rmse(truth: NDArray[np.float64], predicted: NDArray[np.float64], table: RatingTable) -> float:
    """Return the root of the mean squared error, predictions clipped to the scale of ``table``;
    n >= 1.
    """
    if table.scale is not None:
        predicted = np.clip(predicted, table.scale.minimum, table.scale.maximum)
    return float(np.sqrt(np.mean((predicted - truth) ** 2)))


def held_out(
    table: RatingTable,
    share: float,
    rng: np.random.Generator,
    *,
    by_record: NDArray[np.int64],
    by_issue: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Draw a share 0..1 of the ratings, stratified by record, bool (n_ratings,).

    Of a record with c ratings ⌊c · share⌋ or one more are drawn, so that it is c · share on
    average, and c - 1 at most: each record that has ratings keeps one. ``by_record`` and
    ``by_issue`` are positions in the order in which is drawn: the same ratings are drawn of a table
    with records and issues in another order.
    """
    record = np.argsort(by_record)[records_of(table)]
    issue = np.argsort(by_issue)[table.indices]
    counts = np.diff(table.indptr)[by_record]
    many = np.minimum(np.floor(counts * share + rng.random(len(counts))), np.maximum(counts - 1, 0))
    order = np.lexsort((issue, record))  # the draws come in this order
    chosen = order[np.lexsort((rng.random(len(order)), record[order]))]
    rank = np.arange(len(chosen)) - np.repeat(np.cumsum(counts) - counts, counts)
    drawn = np.zeros(table.n_ratings, dtype=bool)
    drawn[chosen] = rank < np.repeat(many, counts)
    return drawn


def records_of(table: RatingTable) -> NDArray[np.int32]:
    """Return the record of each rating, int32 (n_ratings,)."""
    return np.repeat(np.arange(table.n_records, dtype=np.int32), np.diff(table.indptr))
