"""Recommender error: how well held-out ratings are predicted by who learned from the release [CTWY10, §7].

RMSE = sqrt(Σ (r̂ - r)² / number of held-out ratings), r̂ clipped to the scale, from the model P0
(:mod:`ratingpriv.utility.prediction`). The paper's table of RMSEs is of Netflix and of another model: compare
with the references beside ours, not with it.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.coding import Rows, narrowed, relevelled, without
from ratingpriv.data.table.table import identical_ratings
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.prediction import FACTORS, RatingModel, biases
from ratingpriv.utility.result import Measured, not_measured
from ratingpriv.utility.tables import issues_by_name, records_by_id

_NO_RATINGS = "no rating could be held out: a record keeps one, and is in both"


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Ratings held out: of whom (in either table), of what, which; ``all`` counts suppressed records too."""

    records: NDArray[np.int64]
    released: NDArray[np.int64]
    issues: NDArray[np.int64]
    truth: NDArray[np.float64]
    all: int


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

    For a release that is there already: ratings of the original are held out, stratified by record; the same
    cells (record, issue) are taken out of the release, and out of the records that are identical to that one,
    which were given the same rating; the model learns from what is left and predicts them. So release =
    original gives the original's own error. What is left was still made with the held-out ratings at hand, so
    that an error below the original's is no gain; the paper anonymises the rest.

    Ratings of suppressed records are not predicted, and counted. Draws are by record id and name of issue:
    all releases of one original get the same, and the order of records and issues changes nothing but
    rounding. Needs a pairing. Details: ``documents.utility.MeasuredRecommender``.
    """
    original, release = pair.original, pair.release
    if pair.pairing is None:
        return not_measured("it is not known which released record is which original one")
    if release.n_ratings == 0:
        return not_measured("the release has no ratings to learn from")
    identical, of_release = identical_ratings(release), records_of(release).astype(np.int64)
    by_record, by_issue = records_by_id(original), issues_by_name(original)
    errors = []
    for run in range(runs):
        resources.report("predicting held-out ratings", run, runs)
        gone = held_out(original, share, rng, by_record=by_record, by_issue=by_issue)
        records, issues = records_of(original)[gone].astype(np.int64), original.indices[gone].astype(np.int64)
        paired = pair.pairing[records] >= 0  # of records that the release has
        records, issues, count = records[paired], issues[paired], len(records)
        truth = original.levels[original.codes[gone]][paired]
        cells = _Cells(records, pair.pairing[records], issues, truth, count)
        if not len(cells.truth):
            return not_measured(_NO_RATINGS)
        # what the release has in each cell, NaN for nothing
        own, wanted = of_release * release.n_issues + release.indices, cells.released * release.n_issues
        wanted = wanted + cells.issues
        entries = np.minimum(np.searchsorted(own, wanted), max(len(own) - 1, 0))
        direct = np.where(own[entries] == wanted, release.levels[release.codes[entries]], np.nan)
        # what was held out, and what identical records were given for it, is hidden from who learns
        alike = identical[of_release] * release.n_issues + release.indices
        hidden = np.isin(alike, identical[cells.released] * release.n_issues + cells.issues)
        left = leave_out(release, hidden)
        if left.n_ratings == 0:
            return not_measured("the release has no other ratings to learn from")
        learned = RatingModel.fit(left, factors=factors)
        errors.append(_errors(cells, original, leave_out(original, gone), learned, direct))
    by_name = {name: np.array([error[name] for error in errors]) for name in errors[0]}
    direct = by_name["direct"][~np.isnan(by_name["direct"])]
    names = ("held_out", "predicted", "global_mean", "issue_mean", "biases")
    error = float(direct.mean()) if len(direct) else None
    details = {
        "factors": factors,
        "share": share,
        "runs": runs,
        **{name: float(by_name[name].mean()) for name in names},
        "direct": {"rmse": error, "coverage": float(by_name["coverage"].mean())},
    }
    words = f"RMSE of held-out ratings, mean and range of {runs} runs"
    return Measured.of_runs(by_name["model"], words, details)


def rmse(truth: NDArray[np.float64], predicted: NDArray[np.float64], table: RatingTable) -> float:
    """Return the root of the mean squared error, predictions clipped to the scale of ``table``; n >= 1."""
    if table.scale is not None:
        predicted = np.clip(predicted, table.scale.minimum, table.scale.maximum)
    return float(np.sqrt(np.mean((predicted - truth) ** 2)))


def _errors(
    cells: _Cells, original: RatingTable, rest: RatingTable, learned: RatingModel, direct: NDArray[np.float64]
) -> dict[str, float]:
    """Return the errors of one run, and how many ratings they are about."""
    count = np.bincount(rest.indices, minlength=rest.n_issues)
    total = np.bincount(rest.indices, weights=rest.values, minlength=rest.n_issues)
    mean = float(rest.values.mean()) if rest.n_ratings else 0.0
    of_issue = np.where(count > 0, total / np.maximum(count, 1), mean)[cells.issues]
    released = ~np.isnan(direct)

    def error(predicted: NDArray[np.float64]) -> float:
        return rmse(cells.truth, predicted, original)

    return {
        "model": error(learned.predicted(cells.released, cells.issues)),
        "global_mean": error(np.full(len(cells.truth), mean)),
        "issue_mean": error(of_issue),
        "biases": error(biases(rest).predicted(cells.records, cells.issues)),
        "direct": rmse(cells.truth[released], direct[released], original) if released.any() else np.nan,
        "coverage": float(released.mean()),
        "held_out": cells.all,
        "predicted": len(cells.truth),
    }


def held_out(
    table: RatingTable,
    share: float,
    rng: np.random.Generator,
    *,
    by_record: NDArray[np.int64],
    by_issue: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Draw a share 0..1 of the ratings, stratified by record, bool (n_ratings,).

    Of a record with c ratings ⌊c · share⌋ or one more are drawn, so that it is c · share on average, and
    c - 1 at most: each record that has ratings keeps one. ``by_record`` and ``by_issue`` are positions in the
    order in which is drawn: the same ratings are drawn of a table with records and issues in another order.
    """
    record = _ranks(by_record)[records_of(table)]
    issue = _ranks(by_issue)[table.indices]
    counts = np.diff(table.indptr)[by_record]
    many = np.minimum(np.floor(counts * share + rng.random(len(counts))), np.maximum(counts - 1, 0))
    order = np.lexsort((issue, record))  # the draws come in this order
    chosen = order[np.lexsort((rng.random(len(order)), record[order]))]
    rank = np.arange(len(chosen)) - np.repeat(np.cumsum(counts) - counts, counts)
    drawn = np.zeros(table.n_ratings, dtype=bool)
    drawn[chosen] = rank < np.repeat(many, counts)
    return drawn


def leave_out(table: RatingTable, gone: NDArray[np.bool_]) -> RatingTable:
    """Return ``table`` without some of its ratings, bool (n_ratings,); its scale stays what it was."""
    rows, levels = relevelled(
        without(Rows(table.indptr, table.indices, table.codes, None), gone), table.levels
    )
    return dataclasses.replace(
        table,
        indptr=rows.indptr,
        indices=rows.indices,
        codes=narrowed(rows.codes, len(levels)),
        levels=levels,
        timestamps=None if table.timestamps is None else table.timestamps.filter(pl.Series(~gone)),
    )


def records_of(table: RatingTable) -> NDArray[np.int32]:
    """Return the record of each rating, int32 (n_ratings,)."""
    return np.repeat(np.arange(table.n_records, dtype=np.int32), np.diff(table.indptr))


def _ranks(order: NDArray[np.int64]) -> NDArray[np.int64]:
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks
