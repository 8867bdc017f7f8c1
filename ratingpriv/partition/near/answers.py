"""What records are compared on, laid out as a matrix: codes that decide who is near,
numbers that say how.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratingpriv.base.errors import ResourceError
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.near.arrays import Answers, Codes, Ints, Numbers
from ratingpriv.partition.near.marks import marks_of
from ratingpriv.proximity.fixed_rules import comparison_table, equal_classes, near_codes
from ratingpriv.proximity.hamming import hamming_groups

MEMORY = 1 << 30
_ROUNDED = 1e-18  # squares of numbers with SD 1 that are below come of rounding
_CELL = 40  # bytes that a cell takes, working memory included


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The records of a table, ready to be grouped.

    Attributes
    ----------
    answers : of all records, ratings and quasi-identifiers
    classes : int64 (n,); records of different classes are in no common group
    """

    answers: Answers
    classes: Ints

    @classmethod
    def of(cls, table: RatingTable, epsilon: float, nulls: str, memory: int | None) -> Compared:
        """Lay a table out; ``nulls``: "strict" or "wildcard".

        ResourceError: it does not fit ``memory``.
        """
        compared = comparison_table(table, epsilon, nulls)
        n, p = compared.n_records, compared.n_issues
        if n * p * _CELL > (memory or MEMORY):
            raise ResourceError(
                f"{n:,} records on {p:,} items need {n * p * _CELL >> 20:,} MiB, more than the "
                f"{(memory or MEMORY) >> 20:,} MiB allowed; select fewer items "
                f"(`issues='top:20'`), or allow "
                "more `memory`"
            )
        row = np.repeat(np.arange(n), np.diff(compared.indptr))
        codes = np.full((n, p), -1, dtype=np.int32)
        codes[row, compared.indices] = compared.codes
        reach = near_codes(compared, epsilon)[1].astype(np.int32)
        if nulls == "strict":
            classes = hamming_groups(compared).group_of.astype(np.int64)
        else:
            complete_columns = [
                column for column in table.quasi if not bool((column.codes < 0).any())
            ]
            classes_found = equal_classes(complete_columns)
            classes = np.zeros(n, dtype=np.int64) if classes_found is None else classes_found
        numbers = _standardised(table, compared, codes)
        complete = (codes >= 0).all(axis=1)
        return cls(Answers(codes, numbers, reach, complete, *marks_of(codes, reach)), classes)

    def parts(self) -> list[Ints]:
        """Return the records of each class, ascending, by the first."""
        order = np.argsort(self.classes, kind="stable")
        return (
            np.split(order, np.flatnonzero(np.diff(self.classes[order])) + 1) if len(order) else []
        )


def _standardised(table: RatingTable, compared: RatingTable, codes: Codes) -> Numbers:
    """Return what has numbers with mean 0 and SD 1: ratings, quasi-identifiers with a tolerance."""
    numbers = np.zeros(codes.shape)
    rated = len(table.issues)
    quasi = {column.name: column for column in table.quasi}
    for place, name in enumerate(compared.issues):
        present = codes[:, place] >= 0
        if place < rated:
            values = table.levels[codes[present, place]]
        elif quasi[name].within is not None:
            values = quasi[name].values.to_numpy()[quasi[name].codes[present]]
        else:
            continue
        if len(values):
            varied = values.min() < values.max()
            numbers[present, place] = (values - values.mean()) / values.std() if varied else 0.0
    return numbers


def scatter(answers: Answers, labels: Ints) -> float:
    """Return the scatter within groups as a share of that of all who are in one: 0 (equal) to 1.

    Sums of squared distances from the mean of the known values, of each group and of all, over the
    columns that are numbers. 0 where nobody differs.
    """
    placed = labels >= 0
    if not placed.any():
        return 0.0
    numbers, present = answers.numbers[placed], answers.codes[placed] >= 0
    of = np.unique(labels[placed], return_inverse=True)[1]
    within = total = 0.0
    for x, here in zip(numbers.T, present.T, strict=True):
        x, groups = x[here], of[here]
        if len(x) == 0:
            continue
        count = np.bincount(groups)
        mean = np.bincount(groups, weights=x) / np.maximum(count, 1)
        within += float(((x - mean[groups]) ** 2).sum())
        total += float(((x - x.mean()) ** 2).sum())
    return within / total if total > _ROUNDED * len(of) else 0.0
