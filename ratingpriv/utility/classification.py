"""Classification: how well a target is predicted by who learned from the release [SWLP10, §5.3, Fig. 16].

The paper reports "75 %" and not of which class, so the target has to be named; and 75 % can be what guessing
always the same would give, so the majority's share stands beside it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.utility.measured import Measured, not_measured
from ratingpriv.utility.naive_bayes import CLASSIFIERS, NaiveBayes, features
from ratingpriv.utility.pair import Anonymise, Pair
from ratingpriv.utility.pairing import pair_of
from ratingpriv.utility.tables.levels import levels_of, nearest_level
from ratingpriv.utility.tables.ordering import issues_by_name, records_by_id

__all__ = ["Target", "classification", "separate_classification", "target_of"]

_MOST_RECORDS = 2000  # in either part, as in the paper
_MOST_WEIGHTS = 1 << 26  # classes x issues x levels


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """What is to be predicted: the class of each record.

    Attributes
    ----------
    name : its name
    kind : "issue", "sensitive", "quasi", "carried" or "column" (read for this purpose)
    classes : the distinct values, ascending: numbers or texts
    codes : int64 (n_records,), positions in ``classes``; -1 where a record has none
    """

    name: str
    kind: str
    classes: tuple[Any, ...]
    codes: NDArray[np.int64]


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

    Protocol "release", ours: the paper anonymises training and test set separately, and a release is there
    already. Each trial draws two parts of min(2000, ⌊n/2⌋) of the n records that have the target and are
    in both; it trains on the released ratings of the first, and predicts the second from its *original*
    ratings (beside it: from its released ones). Right is what the original says. Training takes the target
    from the release, where it is one of its issues or sensitive issues, and else from the original: it is an
    attribute of the persons. Records whose target the release lacks do not train. The original's
    non-sensitive issues but the target predict; a null says nothing (:mod:`ratingpriv.utility.naive_bayes`).

    Draws are by record id: the order of records and issues changes nothing, and releases of one original
    that suppress nobody get the same draws.

    Parameters
    ----------
    pair : needs a pairing
    target : the name of an issue, sensitive issue, quasi-identifier or carried column of the original; or
        the column itself, one value for each of the original's records (null: not known). None: not measured
    classifier : one of :data:`ratingpriv.utility.naive_bayes.CLASSIFIERS`
    trials : how many trials, >= 1

    Returns
    -------
    value : the mean share of test records whose class is predicted; ``low`` and ``high`` the range
    details : target, classifier, protocol, trials, part (records in either), records, classes (how many);
        training_target ("release" or "original"), majority (the share of the most frequent class: what
        guessing it always gives), balanced_accuracy (the mean of the classes' shares), and released_rows
        (both, predicting from released ratings)

    Raises
    ------
    ParameterError
        The original has no such target, or an argument is out of range.
    """
    classifier = checks.choice("classifier", classifier, CLASSIFIERS)
    trials = checks.whole_number("trials", trials, 1)
    if target is None:
        return not_measured("no target was named that is to be predicted")
    wanted = target_of(pair.original, target)
    if pair.pairing is None:
        return not_measured("it is not known which released record is which original one")
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
    used = _used(pair.original, wanted, pair.issues_added)
    rows = features(pair.original, records, used, levels, classifier)
    released_rows = features(pair.release, released, used, levels, classifier)
    there = pair.pairing[known] >= 0
    place = np.cumsum(there) - 1
    found = np.empty((trials, 4))
    for trial in range(trials):
        resources.report("classifying", trial, trials)
        drawn = rng.permutation(len(known))
        drawn = place[drawn[there[drawn]]]
        training, test = drawn[:part], drawn[part : 2 * part]
        training = training[taught[training] >= 0]
        model = NaiveBayes.trained(released_rows[training], taught[training], of, levels, classifier)
        found[trial, :2] = _right(truth[test], model.predicted(rows[test]))
        found[trial, 2:] = _right(truth[test], model.predicted(released_rows[test]))
    released_mean = found[:, 2:].mean(axis=0).tolist()
    return _measured(found, {
        "target": wanted.name, "classifier": classifier, "protocol": "release", "trials": trials,
        "part": part, "records": len(records), "classes": of, "training_target": taught_by,
        "majority": int(counts.max()) / len(records),
        "released_rows": {"accuracy": released_mean[0], "balanced_accuracy": released_mean[1]},
    })  # fmt: skip


def separate_classification(
    original: RatingTable,
    anonymise: Anonymise,
    *,
    rng: np.random.Generator,
    resources: Resources,
    target: str | pl.Series,
    classifier: str = "categorical",
    trials: int = 50,
) -> Measured:
    """Return how often a target is predicted in one release by who learned from another [SWLP10, §5.3].

    Protocol "paper": each trial draws two parts of min(2000, ⌊n/2⌋) records that have the target, lets
    ``anonymise`` make a release of each, learns from the first and predicts the second from its released
    ratings. Suppressed records neither train nor are predicted. The target is the original's.

    Parameters
    ----------
    original, target, classifier, trials : as for :func:`classification`
    anonymise : makes a release, twice a trial; issues are matched by name

    Returns
    -------
    As :func:`classification`, without ``released_rows``; ``original`` is the accuracy of the same trials
    where nothing is anonymised
    """
    classifier = checks.choice("classifier", classifier, CLASSIFIERS)
    trials = checks.whole_number("trials", trials, 1)
    wanted = target_of(original, target)
    by_id = records_by_id(original)
    known = by_id[wanted.codes[by_id] >= 0]
    part = min(_MOST_RECORDS, len(known) // 2)
    counts, of, levels = (
        np.bincount(wanted.codes[known], minlength=1),
        len(wanted.classes),
        levels_of(original),
    )
    if part == 0 or of < 2 or not len(levels):
        return not_measured(f"{len(known)} records have the target, not two classes of it and ratings")
    used = _used(original, wanted)
    found, beside = np.empty((trials, 2)), np.empty((trials, 2))
    for trial in range(trials):
        resources.report("classifying", trial, trials)
        drawn = known[rng.permutation(len(known))][: 2 * part]
        for makes, into in ((anonymise, found), (_unchanged, beside)):
            classes, seen = [], []
            for records in (drawn[:part], drawn[part:]):
                release, pairing = _released(original.take(records), makes)
                there = pairing >= 0
                if not there.any():
                    return not_measured("a release has no record of its part")
                classes.append(wanted.codes[records[there]])
                seen.append(features(release, pairing[there], used, levels, classifier))
            model = NaiveBayes.trained(seen[0], classes[0], of, levels, classifier)
            into[trial] = _right(classes[1], model.predicted(seen[1]))
    measured = _measured(found, {
        "target": wanted.name, "classifier": classifier, "protocol": "paper", "trials": trials,
        "part": part, "records": len(known), "classes": of, "training_target": "original",
        "majority": int(counts.max()) / len(known),
    })  # fmt: skip
    return dataclasses.replace(measured, original=float(beside[:, 0].mean()))


def target_of(table: RatingTable, target: str | pl.Series) -> Target:
    """Return the class of each record of ``table``.

    Parameters
    ----------
    target : as for :func:`classification`

    Raises
    ------
    ParameterError
        There is no column of this name, or the column is not of this length.
    """
    if isinstance(target, pl.Series):
        if len(target) != table.n_records:
            raise ParameterError("target", len(target), f"{table.n_records} values, one for each record")
        return _of_values(target.name, "column", target)
    if target in table.issues:
        codes = np.full(table.n_records, -1, dtype=np.int64)
        mine = np.flatnonzero(table.indices == table.issues.index(target))
        codes[np.searchsorted(table.indptr, mine, side="right") - 1] = table.codes[mine]
        return _coded(target, "issue", table.levels.tolist(), codes)
    for column in table.sensitive:
        if column.name == target:
            if column.labels is not None:
                codes = np.where(column.present, column.values, -1).astype(np.int64)
                return _coded(target, "sensitive", column.labels, codes)
            return _of_values(target, "sensitive", pl.Series(column.values).set(
                pl.Series(~column.present), None
            ))  # fmt: skip
    for quasi in table.quasi:
        if quasi.name == target:
            return _coded(target, "quasi", quasi.values.to_list(), quasi.codes.astype(np.int64))
    for carried in table.carried:
        if carried.name == target:
            return _of_values(target, "carried", carried)
    raise ParameterError(
        "target", target, "the name of an issue, sensitive issue, quasi-identifier or carried column",
        "or give the column itself",
    )  # fmt: skip


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
    said = target_of(release, name)
    if wanted.kind == "issue" and said.classes:  # a mean of ratings is read as the nearest
        renamed = nearest_level(np.array(wanted.classes), np.array(said.classes))
    else:
        place = {value: code for code, value in enumerate(wanted.classes)}
        renamed = np.array([place.get(value, -1) for value in said.classes], dtype=np.int64)
    return np.append(renamed, -1)[said.codes[pair.pairing[records]]], "release"


def _right(truth: NDArray[np.int64], predicted: NDArray[np.int64]) -> tuple[float, float]:
    """Return accuracy and balanced accuracy (over the classes that occur)."""
    right = truth == predicted
    of_class = np.bincount(truth)
    there = of_class > 0
    recalled = np.bincount(truth, weights=right)[there] / of_class[there]
    return float(right.mean()), float(recalled.mean())


def _measured(found: NDArray[np.float64], details: dict[str, Any]) -> Measured:
    """Return the measure of trials (accuracy, balanced accuracy, ...), and what else there is to say."""
    accuracy = found[:, 0]
    return Measured(
        float(accuracy.mean()), float(accuracy.min()), float(accuracy.max()),
        f"share of test records whose class is predicted, mean and range of {len(found)} trials",
        {**details, "balanced_accuracy": float(found[:, 1].mean())},
    )  # fmt: skip


def _used(original: RatingTable, wanted: Target, added: int = 0) -> NDArray[np.int64]:
    """Return the positions of the issues that predict: the original's (the last are added) but the target."""
    by_name = issues_by_name(original)
    by_name = by_name[by_name < original.n_issues - added]
    return by_name[[original.issues[issue] != wanted.name for issue in by_name]]


def _unchanged(table: RatingTable) -> tuple[RatingTable, NDArray[np.int64]]:
    return table, np.arange(table.n_records)


def _released(part: RatingTable, anonymise: Anonymise) -> tuple[RatingTable, NDArray[np.int64]]:
    """Return the release of some records, over their issues and then its own, and who is who."""
    release, pairing = anonymise(part)
    if pairing.shape != (part.n_records,):
        raise ParameterError("anonymise", pairing.shape, f"a pairing of {part.n_records} records")
    return pair_of(part, release).release, pairing
