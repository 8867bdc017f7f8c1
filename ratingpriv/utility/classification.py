"""Classification: how well a target is predicted by who learned from
the release [SWLP10, §5.3, Fig. 16].

The paper reports "75 %" and not of which class, so the target has to be named; and 75 % can be what
guessing always the same would give, so the majority's share stands beside it.

The paper used Weka's naive Bayes. Scikit-learn's forms have no nulls, which is why this is ours: a
null says nothing, in training and in prediction. Both classifiers are linear in what a record's
ratings are written as: score(c) = prior(c) + Σ features · weights(c).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.result import Measured, not_measured
from ratingpriv.utility.tables import (
    columns_beside_ratings,
    issues_by_name,
    levels_of,
    nearest_level,
    records_by_id,
)

CLASSIFIERS = ("categorical", "gaussian")
"""Ratings as levels, each with a probability of its own, or as numbers that are normally
distributed.
"""

_TIE = 1e-9  # scores so near are equal but for rounding
_CONSTANT = 1e-12  # of the square of the scale's range: a variance below it is none
_MOST_RECORDS = 2000  # in either part, as in the paper
_MOST_WEIGHTS = 1 << 26  # classes x issues x levels


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """What is to be predicted: the class of each record."""

    name: str
    classes: tuple[Any, ...]  # the distinct values, ascending: numbers or texts
    codes: NDArray[np.int64]  # (n_records,), positions in ``classes``; -1 where a record has none


def classification(
    pair: Pair,
    *,
    rng: np.random.Generator,
    resources: Resources,
    target: str | pl.Series | None = None,
    classifier: str = "categorical",
    trials: int = 50,
) -> Measured:
    """Return how often naive Bayes that learned from the release predicts a target.

    Higher is better.

    Protocol "release", ours: the paper anonymises training and test set apart, and here a release
    is there already. Each trial draws two parts of min(2000, ⌊n/2⌋) of the n records that have the
    target and are in both; it trains on the released ratings of the first, and predicts the second
    from its *original* ratings (beside it: from its released ones). Right is what the original
    says. Training takes the target from the release, where it is one of its issues or sensitive
    issues, and else from the original: it is an attribute of the persons. Records whose target the
    release lacks do not train. The original's non-sensitive issues but the target predict; a null
    says nothing.

    Draws are by record id: the order of records and issues changes nothing, and releases of one
    original that suppress nobody get the same draws. Needs a pairing. ``target`` is a column of the
    original by its name, or itself, one value for each record (null: not known). Details:
    ``documents.utility.MeasuredClassification``.
    """
    classifier = checks.choice("classifier", classifier, CLASSIFIERS)
    if target is None:
        return not_measured("no target was named that is to be predicted")
    wanted = target_of(pair.original, target)
    if pair.pairing is None:
        return not_measured("it is not known which released record is which original one")
    # drawn by id among all who have the target, released or not: releases of one original share the
    # draws
    by_id = records_by_id(pair.original)
    records_known = by_id[wanted.codes[by_id] >= 0]
    records = records_known[pair.pairing[records_known] >= 0]
    released = pair.pairing[records]
    part = min(_MOST_RECORDS, len(records) // 2)
    truth = wanted.codes[records]
    counts = np.bincount(truth, minlength=1)
    if part == 0 or np.count_nonzero(counts) < 2:
        return not_measured(
            f"{len(records)} records in both have the target, not two classes of it"
        )
    of, levels = len(wanted.classes), levels_of(pair.original)
    if not len(levels) or of * pair.original.n_issues * len(levels) > _MOST_WEIGHTS:
        size = f"{of} classes x {pair.original.n_issues} items x {len(levels)} levels"
        return not_measured(f"nothing can be learned on {size}")
    taught, taught_by = wanted.codes[records], "original"
    if isinstance(target, str) and _is_released(pair, target):
        taught, taught_by = _taught(pair.release, wanted)[released], "release"
    if not (taught >= 0).any():
        return not_measured("the release has nothing of the target")
    # the original's issues predict (the last are added), but not the target
    used = issues_by_name(pair.original)
    used = used[used < pair.original.n_issues - pair.issues_added]
    used = used[[pair.original.issues[issue] != wanted.name for issue in used]]
    rows = features(pair.original, records, used, levels, classifier)
    released_rows = features(pair.release, released, used, levels, classifier)
    in_release = pair.pairing[records_known] >= 0
    released_rank = np.cumsum(in_release) - 1
    scores = np.empty((trials, 4))
    for trial in range(trials):
        resources.report("classifying", trial, trials)
        drawn = rng.permutation(len(records_known))
        drawn = released_rank[drawn[in_release[drawn]]]
        training, test = drawn[:part], drawn[part : 2 * part]
        training = training[taught[training] >= 0]
        model = NaiveBayes.trained(
            released_rows[training], taught[training], of, levels, classifier
        )
        scores[trial, :2] = _right(truth[test], model.predicted(rows[test]))
        scores[trial, 2:] = _right(truth[test], model.predicted(released_rows[test]))
    released_accuracy, released_balanced = scores[:, 2:].mean(axis=0).tolist()
    details = {
        "target": wanted.name,
        "classifier": classifier,
        "protocol": "release",
        "trials": trials,
        "part": part,
        "records": len(records),
        "classes": of,
        "training_target": taught_by,
        "majority": int(counts.max()) / len(records),
        "released_rows": {"accuracy": released_accuracy, "balanced_accuracy": released_balanced},
        "balanced_accuracy": float(scores[:, 1].mean()),
    }
    words = f"share of test records whose class is predicted, mean and range of {trials} trials"
    return Measured.of_runs(scores[:, 0], words, details)


def target_of(table: RatingTable, target: str | pl.Series) -> Target:
    """Return the class of each record of ``table``, by ``target`` of :func:`classification`;
    NaN is none.
    """
    if isinstance(target, pl.Series):
        name, values = target.name, target
        if len(values) != table.n_records:
            raise ParameterError(
                "target", len(values), f"{table.n_records} values, one for each record"
            )
    elif target in table.issues:
        entries = np.flatnonzero(table.indices == table.issues.index(target))
        ratings = np.full(table.n_records, np.nan)
        ratings[np.searchsorted(table.indptr, entries, side="right") - 1] = table.values[entries]
        name, values = target, pl.Series(ratings)
    elif target in (columns := columns_beside_ratings(table)):
        name, values = target, columns[target]
    else:
        expected = "the name of an item, sensitive item, quasi-identifier or carried column"
        raise ParameterError("target", target, expected, "or give the column itself")
    if values.dtype.is_float():
        values = values.fill_nan(None)
    classes = values.drop_nulls().unique().sort().to_list()
    code_of = {value: code for code, value in enumerate(classes)}
    codes = np.array(
        [-1 if value is None else code_of[value] for value in values.to_list()], dtype=np.int64
    )
    return Target(name, tuple(classes), codes)


def _is_released(pair: Pair, name: str) -> bool:
    """Whether the release has a target of its own to learn: an issue,
    or a sensitive one in both.
    """
    sensitive = (
        {column.name for column in table.sensitive} for table in (pair.original, pair.release)
    )
    return name in pair.original.issues or name in set.intersection(*sensitive)


def _taught(release: RatingTable, wanted: Target) -> NDArray[np.int64]:
    """Return the class that each record of the release is of, int64 (n_records,),
    -1 where it has none.
    """
    taught = target_of(release, wanted.name)
    if wanted.name in release.issues and taught.classes:  # a mean of ratings is read as the nearest
        renamed = nearest_level(np.array(wanted.classes), np.array(taught.classes))
    else:
        code_of = {value: code for code, value in enumerate(wanted.classes)}
        renamed = np.array([code_of.get(value, -1) for value in taught.classes], dtype=np.int64)
    return np.append(renamed, -1)[taught.codes]


def _right(truth: NDArray[np.int64], predicted: NDArray[np.int64]) -> tuple[float, float]:
    """Return accuracy and balanced accuracy (over the classes that occur)."""
    right = truth == predicted
    of_class = np.bincount(truth)
    occurring = of_class > 0
    recalled = np.bincount(truth, weights=right)[occurring] / of_class[occurring]
    return float(right.mean()), float(recalled.mean())


# ---- naive Bayes ----


@dataclass(frozen=True, slots=True, eq=False)
class NaiveBayes:
    """A trained classifier."""

    prior: NDArray[np.float64]  # (C,); log P(c)
    weights: NDArray[np.float64]  # (width of the features, C)

    @classmethod
    def trained(
        cls,
        rows: Any,
        classes: NDArray[np.int64],
        of: int,
        levels: NDArray[np.float64],
        classifier: str,
    ) -> NaiveBayes:
        """Train on records of known classes.

        P(c) = (n_c + 1) / (n + C). ``categorical``: P(x_j = v | c) = (n_cjv + 1) / (n_cj + L).
        ``gaussian``: mean and variance of issue j in class c, with one more observation per class
        that has the issue's mean and variance in all classes, so that no variance is 0; an issue of
        which all ratings are equal says nothing. ``rows`` are the :func:`features` of the n
        training records, ``classes`` int64 (n,), 0.. C-1, ``of`` C.
        """
        from scipy.sparse import csr_array

        n = len(classes)
        member = csr_array((np.ones(n), (classes, np.arange(n))), shape=(of, n))
        sums = (member @ rows).toarray()
        prior = np.log((np.bincount(classes, minlength=of) + 1) / (n + of))
        if classifier == "categorical":
            counts = sums.reshape(of, -1, len(levels))
            weights = np.log((counts + 1) / (counts.sum(axis=2, keepdims=True) + len(levels)))
            return cls(prior, weights.reshape(of, -1).T)
        return cls(prior, _gaussian(sums.reshape(of, 3, -1), levels).reshape(of, -1).T)

    def predicted(self, rows: Any) -> NDArray[np.int64]:
        """Return the likeliest class of each row of :func:`features`, int64;
        ties go to the first class.
        """
        scores = rows @ self.weights + self.prior
        best = scores >= scores.max(axis=1, keepdims=True) - _TIE
        return np.argmax(best, axis=1)


def features(
    table: RatingTable,
    records: NDArray[np.int64],
    issues: NDArray[np.int64],
    levels: NDArray[np.float64],
    classifier: str,
) -> Any:
    """Return what a classifier sees of some records, scipy.sparse.csr_array (len(records), width).

    ``categorical``: a column a level of each issue, 1 where the record's rating is this level (or
    nearest to it); ``gaussian``: three columns an issue, for whether it is rated, the rating and
    its square. Columns are in the order of ``issues``; ``levels`` float64 (L,), ascending, L >= 1,
    are the original's.
    """
    from scipy.sparse import csr_array, hstack

    column_of = np.full(table.n_issues, -1, dtype=np.int64)
    column_of[issues] = np.arange(len(issues))
    column = column_of[table.indices]
    remaining = column >= 0
    indptr = np.concatenate(([0], np.cumsum(remaining)))[table.indptr]
    column, values = column[remaining], table.values[remaining]
    if classifier == "categorical":
        column = column * len(levels) + nearest_level(levels, values)
        shape = (table.n_records, len(issues) * len(levels))
        return csr_array((np.ones(len(column)), column, indptr), shape=shape)[records]
    values = values - levels.mean()  # nearer to 0, where squares lose less
    shape = (table.n_records, len(issues))
    powers = [
        csr_array((values**power, column, indptr), shape=shape)[records] for power in range(3)
    ]
    return hstack(powers, format="csr")


def _gaussian(sums: NDArray[np.float64], levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights (C, 3, n) for sums (C, 3, n) of ones, ratings and their squares."""
    every = sums.sum(axis=0)
    count = np.maximum(every[0], 1)
    mean, square = every[1] / count, every[2] / count
    variance = square - mean**2
    varies = variance > _CONSTANT * max(float(levels[-1] - levels[0]), 1.0) ** 2
    n = sums[:, 0] + 1
    means, squares = (sums[:, 1] + mean) / n, (sums[:, 2] + square) / n
    variances = np.where(varies, squares - means**2, 1.0)
    weights = np.empty_like(sums)
    weights[:, 0] = -0.5 * (np.log(2 * np.pi * variances) + means**2 / variances)
    weights[:, 1] = means / variances
    weights[:, 2] = -0.5 / variances
    return np.where(varies, weights, 0.0)
