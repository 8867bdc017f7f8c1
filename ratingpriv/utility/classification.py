"""Classification: how well a target is predicted by who learned from the release [SWLP10, §5.3, Fig. 16].

The paper reports "75 %" and not of which class, so the target has to be named; and 75 % can be what guessing
always the same would give, so the majority's share stands beside it.
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
from ratingpriv.utility.naive_bayes import CLASSIFIERS, NaiveBayes, features
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.result import Measured, not_measured
from ratingpriv.utility.tables import issues_by_name, levels_of, nearest_level, records_by_id

_MOST_RECORDS = 2000  # in either part, as in the paper
_MOST_WEIGHTS = 1 << 26  # classes x issues x levels


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """What is to be predicted: the class of each record."""

    name: str
    kind: str  # "issue", "sensitive", "quasi", "carried" or "column" (read for this purpose)
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
    """Return how often naive Bayes that learned from the release predicts a target. Higher is better.

    Protocol "release", ours: the paper anonymises training and test set apart, and here a release is there
    already. Each trial draws two parts of min(2000, ⌊n/2⌋) of the n records that have the target and are
    in both; it trains on the released ratings of the first, and predicts the second from its *original*
    ratings (beside it: from its released ones). Right is what the original says. Training takes the target
    from the release, where it is one of its issues or sensitive issues, and else from the original: it is an
    attribute of the persons. Records whose target the release lacks do not train. The original's
    non-sensitive issues but the target predict; a null says nothing (:mod:`ratingpriv.utility.naive_bayes`).

    Draws are by record id: the order of records and issues changes nothing, and releases of one original
    that suppress nobody get the same draws. Needs a pairing. ``target`` is a column of the original by its
    name, or itself, one value for each record (null: not known). Details:
    ``documents.measures.MeasuredClassification``.
    """
    classifier = checks.choice("classifier", classifier, CLASSIFIERS)
    if target is None:
        return not_measured("no target was named that is to be predicted")
    wanted = target_of(pair.original, target)
    if pair.pairing is None:
        return not_measured("it is not known which released record is which original one")
    # drawn by id among all who have the target, released or not: releases of one original share the draws
    by_id = records_by_id(pair.original)
    known = by_id[wanted.codes[by_id] >= 0]
    records = known[pair.pairing[known] >= 0]
    released = pair.pairing[records]
    part = min(_MOST_RECORDS, len(records) // 2)
    truth = wanted.codes[records]
    counts = np.bincount(truth, minlength=1)
    if part == 0 or np.count_nonzero(counts) < 2:
        return not_measured(f"{len(records)} records in both have the target, not two classes of it")
    of, levels = len(wanted.classes), levels_of(pair.original)
    if not len(levels) or of * pair.original.n_issues * len(levels) > _MOST_WEIGHTS:
        size = f"{of} classes x {pair.original.n_issues} issues x {len(levels)} levels"
        return not_measured(f"nothing can be learned on {size}")
    taught, taught_by = _taught(pair, wanted, records)
    if not (taught >= 0).any():
        return not_measured("the release has nothing of the target")
    # the original's issues predict (the last are added), but not the target
    used = issues_by_name(pair.original)
    used = used[used < pair.original.n_issues - pair.issues_added]
    used = used[[pair.original.issues[issue] != wanted.name for issue in used]]
    rows = features(pair.original, records, used, levels, classifier)
    released_rows = features(pair.release, released, used, levels, classifier)
    in_release = pair.pairing[known] >= 0
    place = np.cumsum(in_release) - 1
    scores = np.empty((trials, 4))
    for trial in range(trials):
        resources.report("classifying", trial, trials)
        drawn = rng.permutation(len(known))
        drawn = place[drawn[in_release[drawn]]]
        training, test = drawn[:part], drawn[part : 2 * part]
        training = training[taught[training] >= 0]
        model = NaiveBayes.trained(released_rows[training], taught[training], of, levels, classifier)
        scores[trial, :2] = _right(truth[test], model.predicted(rows[test]))
        scores[trial, 2:] = _right(truth[test], model.predicted(released_rows[test]))
    released_accuracy, released_balanced = scores[:, 2:].mean(axis=0).tolist()
    details = {
        "target": wanted.name, "classifier": classifier, "protocol": "release", "trials": trials,
        "part": part, "records": len(records), "classes": of, "training_target": taught_by,
        "majority": int(counts.max()) / len(records),
        "released_rows": {"accuracy": released_accuracy, "balanced_accuracy": released_balanced},
        "balanced_accuracy": float(scores[:, 1].mean()),
    }  # fmt: skip
    words = f"share of test records whose class is predicted, mean and range of {trials} trials"
    return Measured.of_runs(scores[:, 0], words, details)


def target_of(table: RatingTable, target: str | pl.Series) -> Target:
    """Return the class of each record of ``table``, by the ``target`` of :func:`classification`."""
    if isinstance(target, pl.Series):
        if len(target) != table.n_records:
            raise ParameterError("target", len(target), f"{table.n_records} values, one for each record")
        return _of_values(target.name, "column", target)
    if target in table.issues:
        codes = np.full(table.n_records, -1, dtype=np.int64)
        entries = np.flatnonzero(table.indices == table.issues.index(target))
        codes[np.searchsorted(table.indptr, entries, side="right") - 1] = table.codes[entries]
        return _coded(target, "issue", table.levels.tolist(), codes)
    for column in table.sensitive:
        if column.name == target:
            if column.labels is not None:
                codes = np.where(column.present, column.values, -1).astype(np.int64)
                return _coded(target, "sensitive", column.labels, codes)
            values = pl.Series(column.values).set(pl.Series(~column.present), None)
            return _of_values(target, "sensitive", values)
    for quasi in table.quasi:
        if quasi.name == target:
            return _coded(target, "quasi", quasi.values.to_list(), quasi.codes.astype(np.int64))
    for carried in table.carried:
        if carried.name == target:
            return _of_values(target, "carried", carried)
    expected = "the name of an issue, sensitive issue, quasi-identifier or carried column"
    raise ParameterError("target", target, expected, "or give the column itself")


def _of_values(name: str, kind: str, values: pl.Series) -> Target:
    """Return the target that a column is; NaN is none."""
    if values.dtype.is_float():
        values = values.fill_nan(None)
    classes = values.drop_nulls().unique().sort().to_list()
    place = {value: code for code, value in enumerate(classes)}
    codes = np.array([-1 if value is None else place[value] for value in values.to_list()], dtype=np.int64)
    return Target(name, kind, tuple(classes), codes)


def _coded(name: str, kind: str, values: Any, codes: NDArray[np.int64]) -> Target:
    """Return the target whose records have positions in ``values``, distinct, -1 where none."""
    occurring = np.unique(codes[codes >= 0]).tolist()
    occurring.sort(key=lambda code: values[code])
    place = np.full(len(values) + 1, -1, dtype=np.int64)
    place[occurring] = np.arange(len(occurring))  # the last, that of -1, stays -1
    return Target(name, kind, tuple(values[code] for code in occurring), place[codes])


def _taught(pair: Pair, wanted: Target, records: NDArray[np.int64]) -> tuple[NDArray[np.int64], str]:
    """Return the classes of paired records for training, -1 where there is none, and who says so."""
    release, name = pair.release, wanted.name
    of_release = wanted.kind == "issue" or (
        wanted.kind == "sensitive" and any(column.name == name for column in release.sensitive)
    )
    if not of_release or pair.pairing is None:
        return wanted.codes[records], "original"
    taught = target_of(release, name)
    if wanted.kind == "issue" and taught.classes:  # a mean of ratings is read as the nearest
        renamed = nearest_level(np.array(wanted.classes), np.array(taught.classes))
    else:
        place = {value: code for code, value in enumerate(wanted.classes)}
        renamed = np.array([place.get(value, -1) for value in taught.classes], dtype=np.int64)
    return np.append(renamed, -1)[taught.codes[pair.pairing[records]]], "release"


def _right(truth: NDArray[np.int64], predicted: NDArray[np.int64]) -> tuple[float, float]:
    """Return accuracy and balanced accuracy (over the classes that occur)."""
    right = truth == predicted
    of_class = np.bincount(truth)
    occurring = of_class > 0
    recalled = np.bincount(truth, weights=right)[occurring] / of_class[occurring]
    return float(right.mean()), float(recalled.mean())
