"""Attribute inference: what the candidates have in common is learned of a target,
whoever of them it is.

Each sensitive issue, and each rating of the target that was not known, is predicted by the
adversary's probabilities over all candidates (Π): by the likeliest value, and by the mean. Beside
it stands what anybody predicts who sees the table and knows nothing of the target: the column's own
mode, and its mean. Measured against the target's values in the original. [ours; the adversary knows
that the target is in the data, and the target's record is among the candidates, as everywhere in an
attack.]

* Null is no value: whoever did not answer has no weight, and a target's null is not predicted.
* Several likeliest values: the prediction is one of them at random, correct in 1 of so many cases.
* No weight on anybody who answered: the column's own mode and mean.
* A released rating that is no level of the original is read as the nearest one, halves upwards; as
  the nearest whole number where the original's ratings are whole.
* A rating of an issue that the release does not have cannot be predicted: it counts as not correct,
  and in no mean error. A sensitive issue that the release does not have is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.intervals import Judging
from ratingpriv.attack.knowledge.auxiliary import Persons, entries_of, places_of
from ratingpriv.base.compute.parallel import portions
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.attack import Predicted, SensitiveInference
from ratingpriv.documents.making import document_of

_EQUAL = 1e-9  # of the larger: sums of weights that differ by less are equal
_RATINGS = 1 << 22  # of the issues that are counted together
_LEVEL = 32  # what each level of an issue costs there, in ratings
_KEPT = 1 << 23  # ratings whose lists are kept from one group of targets to the next


@dataclass(frozen=True, slots=True, eq=False)
class Inference:
    """What was inferred of T targets: of each sensitive issue of the table,
    and of all unknown ratings.

    ``correct`` is the mean chance that the likeliest value is the true one (the interval treats a
    target's ratings as one observation), ``baseline`` the same of the column's own mode, for the
    same targets; ``error`` and ``baseline_error`` are the mean |prediction - truth| of the means,
    None where nothing was predicted; ``missing`` is how many true values could not be, as the table
    does not have their issue.

    ``chances`` are, for each sensitive issue, float64 (T,), those that the prediction is correct;
    NaN where the target has no value.
    """

    sensitive: Mapping[str, Predicted]
    unknown: Predicted
    chances: Mapping[str, NDArray[np.float64]]

    def to_dict(self) -> dict[str, Any]:
        """Return ``inference`` of ``ratingpriv.attack/2``."""
        return document_of(SensitiveInference, self, unknown_ratings=self.unknown)


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """Who has which value in some columns of L values each: one row a column and value.

    ``values`` are float64 (L,), ascending, ``members`` sparse (columns * L, n_records) ones,
    ``own`` float64 (columns, L), how many have each value.
    """

    values: NDArray[np.float64]
    members: Any
    own: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        columns: int,
        values: NDArray[np.float64],
        row: NDArray[Any],
        record: NDArray[Any],
        records: int,
    ) -> _Lists:
        """Count and keep who has value ``row`` (column * L + value); both (m,)."""
        from scipy.sparse import coo_array

        shape = (columns * len(values), records)
        members = coo_array((np.ones(len(row)), (row, record)), shape=shape).tocsr()
        own_counts = (
            np.bincount(row, minlength=shape[0]).reshape(columns, len(values)).astype(np.float64)
        )
        return cls(values, members, own_counts)

    def predict(
        self,
        weights: NDArray[np.float64],
        column: NDArray[Any],
        target: NDArray[Any],
        truth: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Predict ``column`` of ``target``, both (m,), where ``truth`` is right, by Π,
        (n_records, targets).

        Returns float64 (4, m): the chance that the likeliest value is right, the same of the
        column's own mode, the error of the mean, and of the column's own mean; errors NaN where
        nobody has a value.
        """
        # the weight on each value of each cell; where there is none on anybody, the column's own
        # mix
        counted = (self.members @ weights).reshape(*self.own.shape, weights.shape[1])[
            column, :, target
        ]
        own_counts = self.own[column]
        nobody = ~(counted.sum(axis=1) > 0)
        counted[nobody] = own_counts[nobody]
        position = np.searchsorted(self.values, truth).clip(max=len(self.values) - 1)
        right = self.values[position] == truth
        chances, errors = [], []
        for mix in (counted, own_counts):
            most = mix.max(axis=1, keepdims=True)
            likeliest = (mix >= most * (1 - _EQUAL)) & (most > 0)  # a random one of these is named
            hit = likeliest[np.arange(len(position)), position] & right
            chances.append(hit / np.maximum(likeliest.sum(axis=1), 1))
            with np.errstate(invalid="ignore", divide="ignore"):
                errors.append(np.abs((mix * self.values).sum(axis=1) / mix.sum(axis=1) - truth))
        return np.stack([*chances, *errors])


class Inferring:
    """Predictions about the judged ``persons`` from the table of ``index``,
    group after group, added up.
    """

    def __init__(self, index: Index, persons: Persons) -> None:
        original, table = persons.table, index.table
        self._index, self._persons = index, persons
        self._place = places_of(original, table)
        self._values, self._read = _levels(original, table)
        true = {column.name: column for column in original.sensitive}
        self._sensitive = [(one, true[one.name]) for one in table.sensitive if one.name in true]
        self._columns = []
        for column, _ in self._sensitive:
            values, row = np.unique(column.values[column.present], return_inverse=True)
            who = np.flatnonzero(column.present)
            self._columns.append(_Lists.of(1, values, row, who, table.n_records))
        count = len(persons.records)
        self._chances = np.full((4, len(self._sensitive), count), np.nan)
        self._sums = np.zeros((4, count))
        self._numbers, self._predicted = np.zeros((2, count), dtype=np.int64)
        self._missing = 0
        self._lists = list(self._read_lists()) if table.n_ratings <= _KEPT else None

    def add(self, targets: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Predict for ``targets`` (m,), Π being ``weights``, float64 (n_records, m),
        up to a factor each.
        """
        weights = np.ascontiguousarray(weights)
        people = self._persons.records[targets]
        for number, ((_, true), lists) in enumerate(
            zip(self._sensitive, self._columns, strict=True)
        ):
            answered = np.flatnonzero(true.present[people])
            answers = np.array([[0.0], [0.0], [np.nan], [np.nan]])  # where nobody has a value
            if len(lists.values) and len(answered):
                zeros = np.zeros(len(answered), dtype=np.int64)
                answers = lists.predict(weights, zeros, answered, true.values[people[answered]])
            self._chances[:, number, targets[answered]] = answers

        # the ratings that are not known: those whose (target, issue) is not among what is known
        table, auxiliary = self._persons.table, self._persons.auxiliary
        owner, entries = entries_of(table.indptr, people)
        issues = table.indices[entries].astype(np.int64)
        whose, places = entries_of(auxiliary.indptr, targets)
        of_known = (whose * table.n_issues + auxiliary.issues[places])[
            auxiliary.issues[places] >= 0
        ]
        unknown = ~np.isin(owner * table.n_issues + issues, of_known)
        owner, places = owner[unknown], self._place[issues[unknown]]
        truth = table.levels[table.codes[entries[unknown]]]
        np.add.at(self._numbers, targets[owner], 1)
        self._missing += int(np.count_nonzero(places < 0))
        for first, last, lists in self._lists or self._read_lists():
            here = np.flatnonzero((places >= first) & (places < last))
            if len(here) and len(self._values):
                predicted = lists.predict(weights, places[here] - first, owner[here], truth[here])
                for sums, values in zip(self._sums, predicted, strict=True):
                    np.add.at(sums, targets[owner[here]], np.nan_to_num(values))
                np.add.at(self._predicted, targets[owner[here]], ~np.isnan(predicted[2]))

    def result(self, judging: Judging) -> Inference:
        """Return what was found."""
        sensitive, chances = {}, {}
        for number, (column, _) in enumerate(self._sensitive):
            correct, correct_alone, *errors = self._chances[:, number]
            has_value = ~np.isnan(correct)
            chances[column.name] = correct
            error, own_error = (
                float(np.nanmean(e)) if (~np.isnan(e)).any() else None for e in errors
            )
            rate, baseline = (
                judging.mean(correct[has_value]),
                judging.mean(correct_alone[has_value]),
            )
            sensitive[column.name] = Predicted(rate, baseline, error, own_error, 0)
        some, predicted = np.maximum(self._numbers, 1), int(self._predicted.sum())
        rate, baseline = (
            judging.mean((sums / some).clip(0, 1), self._numbers) for sums in self._sums[:2]
        )
        error, own_error = (
            float(sums.sum()) / predicted if predicted else None for sums in self._sums[2:]
        )
        return Inference(
            sensitive, Predicted(rate, baseline, error, own_error, self._missing), chances
        )

    def _read_lists(self) -> Iterator[tuple[int, int, _Lists]]:
        """Yield (first issue, last issue + 1, who has which rating of them),
        few ratings at a time.
        """
        index, levels = self._index, max(len(self._values), 1)
        for first, last in portions(
            index.indptr[1:] + _LEVEL * levels * np.arange(1, len(index.indptr)), _RATINGS
        ):
            part = slice(int(index.indptr[first]), int(index.indptr[last]))
            column = np.repeat(np.arange(last - first), np.diff(index.indptr[first : last + 1]))
            row = column * levels + self._read[index.codes[part]]
            lists = _Lists.of(
                last - first, self._values, row, index.records[part], index.table.n_records
            )
            yield first, last, lists


def _levels(
    original: RatingTable, table: RatingTable
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the levels, and as which of them each level of ``table`` is read,
    int64 (n_levels,).
    """
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
