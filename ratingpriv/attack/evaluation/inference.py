"""Attribute inference: what the candidates have in common is learned of a target, whoever of them it is.

Each sensitive issue, and each rating of the target that was not known, is predicted by the adversary's
probabilities over all candidates (Π): by the likeliest value, and by the mean. Beside it stands what anybody
predicts who sees the table and knows nothing of the target: the column's own mode, and its mean. Measured
against the target's values in the original. [ours; the adversary knows that the target is in the data, and
the target's record is among the candidates, as everywhere in an attack.]

* Null is no value: whoever did not answer has no weight, and a target's null is not predicted.
* Several likeliest values: the prediction is one of them at random, correct in 1 of so many cases.
* No weight on anybody who answered: the column's own mode and mean.
* A released rating that is no level of the original is read as the nearest one, halves upwards; as the
  nearest whole number where the original's ratings are whole.
* A rating of an issue that the release does not have cannot be predicted: it counts as not correct, and in no
  mean error. A sensitive issue that the release does not have is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.evaluation.judging import Judging
from ratingpriv.attack.evaluation.profile import Persons, places_of
from ratingpriv.attack.intervals import Mean
from ratingpriv.attack.knowledge.auxiliary import entries_of
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.parts import SensitiveColumn
from ratingpriv.documents.attack import SensitiveInference
from ratingpriv.documents.making import document_of

_EQUAL = 1e-9  # of the larger: sums of weights that differ by less are equal
_RATINGS = 1 << 22  # of the issues that are counted together
_ROWS = 1 << 17  # levels of issues that are counted together
_KEPT = 1 << 23  # ratings whose lists are kept from one group of targets to the next


@dataclass(frozen=True, slots=True)
class Inferred:
    """How well values are predicted.

    Attributes
    ----------
    correct : mean chance that the likeliest value is the true one. The interval treats a target's ratings as
        one observation
    baseline : the same of the column's own mode, for the same targets
    error, baseline_error : mean |prediction - truth| of the means; None where nothing was predicted
    missing : how many true values could not be predicted, as the table does not have their issue
    """

    correct: Mean
    baseline: Mean
    error: float | None
    baseline_error: float | None
    missing: int = 0

    @property
    def above_baseline(self) -> bool:
        """Whether even the interval's lower end is above the baseline."""
        return self.baseline.rate is not None and self.correct.low > self.baseline.rate


@dataclass(frozen=True, slots=True, eq=False)
class Inference:
    """What was inferred of T targets.

    Attributes
    ----------
    sensitive : for each sensitive issue of the table
    unknown : of all ratings that were not known
    chances : for each sensitive issue the chance, float64 (T,), that the prediction is correct; NaN where the
        target has no value
    """

    sensitive: Mapping[str, Inferred]
    unknown: Inferred
    chances: Mapping[str, NDArray[np.float64]]

    def to_dict(self) -> dict[str, Any]:
        """Return ``inference`` of ``ratingpriv.attack/2``."""
        return document_of(SensitiveInference, self, unknown_ratings=self.unknown)


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """Who has which value in some columns of L values each: one row a column and value.

    Attributes
    ----------
    values : float64 (L,), ascending
    members : sparse (columns * L, n_records) of ones
    own : float64 (columns, L); how many have each value
    """

    values: NDArray[np.float64]
    members: Any
    own: NDArray[np.float64]

    @classmethod
    def of(
        cls, columns: int, values: NDArray[np.float64], row: NDArray[Any], record: NDArray[Any], records: int
    ) -> _Lists:
        """Count and keep who has value ``row`` (column * L + value); both (m,)."""
        from scipy.sparse import coo_array

        shape = (columns * len(values), records)
        members = coo_array((np.ones(len(row)), (row, record)), shape=shape).tocsr()
        own = np.bincount(row, minlength=shape[0]).reshape(columns, len(values)).astype(np.float64)
        return cls(values, members, own)

    def predict(
        self,
        weights: NDArray[np.float64],
        column: NDArray[Any],
        target: NDArray[Any],
        truth: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Predict some cells.

        Parameters
        ----------
        weights : float64 (n_records, targets); Π, up to a factor for each target
        column, target, truth : (m,); which column of which target is predicted, and what is right

        Returns
        -------
        four float64 (m,): the chance that the likeliest value is right, the same of the column's own mode,
        the error of the mean, and of the column's own mean; errors NaN where nobody has a value
        """
        # the weight on each value of each cell; where there is none on anybody, the column's own mix
        counted = (self.members @ weights).reshape(*self.own.shape, weights.shape[1])[column, :, target]
        own = self.own[column]
        nobody = ~(counted.sum(axis=1) > 0)
        counted[nobody] = own[nobody]
        place = np.searchsorted(self.values, truth).clip(max=len(self.values) - 1)
        place = np.where(self.values[place] == truth, place, -1)
        return (
            _chance(counted, place),
            _chance(own, place),
            self._error(counted, truth),
            self._error(own, truth),
        )

    def _error(self, weights: NDArray[np.float64], truth: NDArray[np.float64]) -> NDArray[np.float64]:
        whole = weights.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            error: NDArray[np.float64] = np.abs((weights * self.values).sum(axis=1) / whole - truth)
        return error


class Inferring:
    """Predictions for one group of targets after the other, added up.

    Parameters
    ----------
    index : the table that is attacked
    persons : who the targets are; judged ones are predicted
    """

    def __init__(self, index: Index, persons: Persons) -> None:
        original, table = persons.table, index.table
        self._index, self._persons = index, persons
        self._place = places_of(original, table)
        self._values, self._read = _levels(original, table)
        true = {column.name: column for column in original.sensitive}
        self._sensitive = [(one, true[one.name]) for one in table.sensitive if one.name in true]
        self._columns = [_column(column) for column, _ in self._sensitive]
        count = len(persons.records)
        self._chances = np.full((4, len(self._sensitive), count), np.nan)
        self._sums = np.zeros((4, count))
        self._numbers, self._predicted = np.zeros((2, count), dtype=np.int64)
        self._missing = 0
        self._blocks: list[tuple[int, int, _Lists]] | None = None

    def add(self, targets: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Predict for ``targets`` (m,), Π being ``weights``, float64 (n_records, m), up to a factor each."""
        weights = np.ascontiguousarray(weights)
        people = self._persons.records[targets]
        for number, ((_, true), lists) in enumerate(zip(self._sensitive, self._columns, strict=True)):
            answered = np.flatnonzero(true.present[people])
            if len(answered) == 0:
                continue
            if len(lists.values):
                zeros = np.zeros(len(answered), dtype=np.int64)
                answers = lists.predict(weights, zeros, answered, true.values[people[answered]])
            else:  # nobody has a value
                answers = (np.zeros(len(answered)),) * 2 + (np.full(len(answered), np.nan),) * 2
            self._chances[:, number, targets[answered]] = answers
        self._add_ratings(targets, people, weights)

    def result(self, judging: Judging) -> Inference:
        """Return what was found."""
        sensitive, chances = {}, {}
        for number, (column, _) in enumerate(self._sensitive):
            correct, own, error, own_error = self._chances[:, number]
            there = ~np.isnan(correct)
            chances[column.name] = correct
            sensitive[column.name] = Inferred(
                judging.mean(correct[there]),
                judging.mean(own[there]),
                _mean(error),
                _mean(own_error),
            )
        some = np.maximum(self._numbers, 1)
        correct, own = (judging.mean((sums / some).clip(0, 1), self._numbers) for sums in self._sums[:2])
        predicted = int(self._predicted.sum())
        error, own_error = (float(sums.sum()) / predicted if predicted else None for sums in self._sums[2:])
        unknown = Inferred(correct, own, error, own_error, self._missing)
        return Inference(sensitive, unknown, chances)

    def _add_ratings(
        self, targets: NDArray[np.int64], people: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> None:
        """Predict the ratings that are not known."""
        owner, issues, truth = self._unknown(targets, people)
        np.add.at(self._numbers, targets[owner], 1)
        places = self._place[issues]
        self._missing += int(np.count_nonzero(places < 0))
        for first, last, lists in self._lists():
            here = np.flatnonzero((places >= first) & (places < last))
            if len(here) == 0 or len(self._values) == 0:
                continue
            found = lists.predict(weights, places[here] - first, owner[here], truth[here])
            for sums, values in zip(self._sums, found, strict=True):
                np.add.at(sums, targets[owner[here]], np.nan_to_num(values))
            np.add.at(self._predicted, targets[owner[here]], ~np.isnan(found[2]))

    def _unknown(
        self, targets: NDArray[np.int64], people: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the unknown ratings of some targets: number of the target among them, issue, rating."""
        table, known = self._persons.table, self._persons.auxiliary
        owner, entries = entries_of(table.indptr, people)
        issues = table.indices[entries].astype(np.int64)
        told = known.only(targets)
        # an entry is known if its (target, issue) is among those told
        of_known = np.repeat(np.arange(len(targets)), told.known) * table.n_issues + told.issues
        of_known = of_known[told.issues >= 0]
        unknown = ~np.isin(owner * table.n_issues + issues, of_known)
        ratings = table.levels[table.codes[entries[unknown]]]
        return owner[unknown], issues[unknown], ratings

    def _lists(self) -> Iterator[tuple[int, int, _Lists]]:
        """Yield (first issue, last issue + 1, who has which rating of them), few ratings at a time."""
        if self._blocks is not None:
            yield from self._blocks
            return
        index, made = self._index, []
        keep = index.table.n_ratings <= _KEPT
        first, levels = 0, max(len(self._values), 1)
        while first < index.table.n_issues:
            last = int(np.searchsorted(index.indptr, index.indptr[first] + _RATINGS, side="right")) - 1
            last = min(max(last, first + 1), first + max(_ROWS // levels, 1), index.table.n_issues)
            part = slice(int(index.indptr[first]), int(index.indptr[last]))
            column = np.repeat(np.arange(last - first), np.diff(index.indptr[first : last + 1]))
            row = column * levels + self._read[index.codes[part]]
            lists = _Lists.of(last - first, self._values, row, index.records[part], index.table.n_records)
            if keep:
                made.append((first, last, lists))
            yield first, last, lists
            first = last
        if keep:
            self._blocks = made


def _chance(weights: NDArray[np.float64], values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the chance that a random one of the likeliest values is that at ``values``; -1: none is."""
    most = weights.max(axis=1, keepdims=True)
    likeliest = (weights >= most * (1 - _EQUAL)) & (most > 0)
    right = likeliest[np.arange(len(values)), values] & (values >= 0)
    chance: NDArray[np.float64] = right / np.maximum(likeliest.sum(axis=1), 1)
    return chance


def _levels(original: RatingTable, table: RatingTable) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the levels, and as which of them each level of ``table`` is read, int64 (n_levels,)."""
    levels, read = original.levels, table.levels.copy()
    if len(levels):
        other = ~np.isin(read, levels)
        if np.all(levels == np.floor(levels)):
            read[other] = np.floor(read[other] + 0.5)
        else:
            above = np.searchsorted(levels, read).clip(1, max(len(levels) - 1, 1))
            upper, lower = levels[above.clip(max=len(levels) - 1)], levels[above - 1]
            nearest = np.where(read - lower >= upper - read, upper, lower)
            read[other] = nearest[other]
    values = np.union1d(levels, read)
    return values, np.searchsorted(values, read).astype(np.int64)


def _column(column: SensitiveColumn) -> _Lists:
    values, row = np.unique(column.values[column.present], return_inverse=True)
    return _Lists.of(1, values, row, np.flatnonzero(column.present), len(column.values))


def _mean(values: NDArray[np.float64]) -> float | None:
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else None
