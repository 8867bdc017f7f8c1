"""Recommender error: how well held-out ratings are predicted by who learned from the release [CTWY10, §7].

RMSE = sqrt(Σ (r̂ - r)² / number of held-out ratings), r̂ clipped to the scale, from the model P0
(:mod:`ratingpriv.utility.prediction`). The paper's table of RMSEs is of Netflix and of another model: compare
with the references beside ours, not with it.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.table import identical_ratings
from ratingpriv.utility.held_out import held_out, leave_out, records_of
from ratingpriv.utility.measured import Measured, not_measured
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.prediction import FACTORS, RatingModel, biases
from ratingpriv.utility.tables import issues_by_name, records_by_id

_NO_RATINGS = "no rating could be held out: a record keeps one, and is in both"


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
    rounding.

    Parameters
    ----------
    pair : needs a pairing
    factors : how many factors the model has, at most, >= 0
    share : the share of the ratings that is held out, between 0 and 1
    runs : how many times, >= 1

    Returns
    -------
    value : the mean RMSE over the runs, in units of the ratings; ``low`` and ``high`` the range
    details : factors, share, runs; held_out and predicted, ratings a run on average; global_mean,
        issue_mean, biases: RMSE of predictions from the rest of the *original* by its mean, by its issues'
        means, and by the model without factors; direct: rmse of the held-out ratings against what the
        release has in their cells (made from them: this is distortion, no prediction), and coverage, the
        share of them where it has something; rmse is null where it has nothing
    """
    factors, share, runs = _checked(factors, share, runs)
    if pair.pairing is None:
        return not_measured("it is not known which released record is which original one")
    if pair.release.n_ratings == 0:
        return not_measured("the release has no ratings to learn from")
    errors = []
    identical = identical_ratings(pair.release)
    for gone, rest in _splits(pair.original, share, rng, runs, resources):
        cells = _cells(pair.original, pair.pairing, gone)
        if not len(cells.truth):
            return not_measured(_NO_RATINGS)
        # what was held out, and what identical records were given for it, is hidden from who learns
        direct = _released(pair.release, cells)
        release = leave_out(pair.release, _of_identical(pair.release, identical, cells))
        if release.n_ratings == 0:
            return not_measured("the release has no other ratings to learn from")
        learned = RatingModel.fit(release, factors=factors)
        errors.append(_errors(cells, pair.original, rest, learned, direct))
    return _measured(errors, factors, share, runs)


def rmse(truth: NDArray[np.float64], predicted: NDArray[np.float64], table: RatingTable) -> float:
    """Return the root of the mean squared error, predictions clipped to the scale of ``table``; n >= 1."""
    if table.scale is not None:
        predicted = np.clip(predicted, table.scale.minimum, table.scale.maximum)
    return float(np.sqrt(np.mean((predicted - truth) ** 2)))


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Ratings held out: of whom (in either table), of what, which; ``all`` counts suppressed records too."""

    records: NDArray[np.int64]
    released: NDArray[np.int64]
    issues: NDArray[np.int64]
    truth: NDArray[np.float64]
    all: int


def _checked(factors: int, share: float, runs: int) -> tuple[int, float, int]:
    share = checks.non_negative_number("share", share)
    if not 0 < share < 1:
        raise ParameterError("share", share, "a number between 0 and 1")
    return checks.whole_number("factors", factors, 0), share, checks.whole_number("runs", runs, 1)


def _splits(
    table: RatingTable, share: float, rng: np.random.Generator, runs: int, resources: Resources
) -> Any:
    """Give, a run, the ratings held out, bool (n_ratings,), and the table without them."""
    by_record, by_issue = records_by_id(table), issues_by_name(table)
    for run in range(runs):
        resources.report("predicting held-out ratings", run, runs)
        gone = held_out(table, share, rng, by_record=by_record, by_issue=by_issue)
        yield gone, leave_out(table, gone)


def _cells(original: RatingTable, pairing: NDArray[np.int64], gone: NDArray[np.bool_]) -> _Cells:
    """Return the ratings held out of records that the release has."""
    records = records_of(original)[gone].astype(np.int64)
    issues, truth = (
        original.indices[gone].astype(np.int64),
        original.levels[original.codes[gone]],
    )
    released = pairing[records]
    there = released >= 0
    return _Cells(records[there], released[there], issues[there], truth[there], len(truth))


def _of_identical(release: RatingTable, identical: NDArray[np.int64], cells: _Cells) -> NDArray[np.bool_]:
    """Return which ratings of the release are in a cell, or in that of an identical record, bool."""
    own = identical[records_of(release)] * release.n_issues + release.indices
    return np.isin(own, identical[cells.released] * release.n_issues + cells.issues)


def _released(release: RatingTable, cells: _Cells) -> NDArray[np.float64]:
    """Return what the release has in each cell, NaN for nothing."""
    own = records_of(release).astype(np.int64) * release.n_issues + release.indices
    wanted = cells.released * release.n_issues + cells.issues
    at = np.minimum(np.searchsorted(own, wanted), max(len(own) - 1, 0))
    there = own[at] == wanted
    return np.where(there, release.levels[release.codes[at]], np.nan)


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


def _measured(measured: list[dict[str, float]], factors: int, share: float, runs: int) -> Measured:
    by_name = {name: np.array([run[name] for run in measured]) for name in measured[0]}
    mean = {name: float(values.mean()) for name, values in by_name.items()}
    direct = by_name["direct"][~np.isnan(by_name["direct"])]
    names = ("held_out", "predicted", "global_mean", "issue_mean", "biases")
    details = {
        "factors": factors,
        "share": share,
        "runs": runs,
        **{name: mean[name] for name in names},
        "direct": {"rmse": float(direct.mean()) if len(direct) else None, "coverage": mean["coverage"]},
    }
    words = f"RMSE of held-out ratings, mean and range of {runs} runs"
    return Measured.of_runs(by_name["model"], words, details)
