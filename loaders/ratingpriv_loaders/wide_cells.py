"""What stands in the columns of a wide release: words of scales, attributes as they are, and how it is read.

What is no plain number has to be said to whoever reads the file: the role of each such column, and the words
of a scale in their order. All that is said is a codebook of the released columns, and of those only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.roles import ColumnSpec
from ratingpriv.data.formats.stating import may_be_word
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import attribute_columns

STATES = ("layout", "id", "sensitive", "columns", "only", "scale", "sensitive_scale")
"""What may be stated of how such a file is read."""


@dataclass(frozen=True, slots=True, eq=False)
class WideCells:
    """The columns of a wide release that are not written as numbers on a scale.

    Attributes
    ----------
    attributes : quasi-identifiers, nominal sensitive and carried columns by name, Series (n_records,)
    words : issues and numeric sensitive columns that are written as words, by name: the words of 1, 2, ...
    codebook : what a reader has to be told of the columns; None: nothing
    """

    attributes: Mapping[str, pl.Series]
    words: Mapping[str, tuple[str, ...]]
    codebook: Codebook | None

    @classmethod
    def of(cls, table: RatingTable, *, labels: str = "words") -> WideCells:
        """Return those of ``table``; ``labels="numbers"`` writes no words for ratings.

        An issue is written as words only if each of its ratings is one of 1, 2, ... that has a word.
        """
        words = {}
        known: Mapping[str, Sequence[str]] = table.origin.details.get("labels", {})
        if known and labels == "words":
            rated = _rated(table)
            for name, of_scale in known.items():
                if name in rated and _fit(rated[name], of_scale):
                    words[name] = tuple(of_scale)
        columns: dict[str, ColumnSpec] = {}
        for one in table.quasi:
            columns[one.name] = ColumnSpec(role="quasi", within=one.within)
        for secret in table.sensitive:
            if secret.nominal:
                columns[secret.name] = ColumnSpec(role="sensitive", kind="nominal")
        for carried in table.carried:
            columns[carried.name] = ColumnSpec(role="carry")
        for name, of_scale in words.items():
            role = "rating" if name in table.issues else "sensitive"
            columns[name] = ColumnSpec(role=role, labels=of_scale)
        return cls(attribute_columns(table), words, Codebook(columns=columns) if columns else None)


def _rated(table: RatingTable) -> dict[str, NDArray[np.float64]]:
    """Return the distinct ratings of each issue and numeric sensitive column."""
    pairs = np.unique(table.indices.astype(np.int64) * max(1, len(table.levels)) + table.codes)
    of_issue = pairs // max(1, len(table.levels))
    found = {
        name: table.levels[pairs[of_issue == place] % max(1, len(table.levels))]
        for place, name in enumerate(table.issues)
    }
    secret = {one.name: np.unique(one.values[one.present]) for one in table.sensitive if not one.nominal}
    return found | secret


def _fit(values: NDArray[np.float64], words: Sequence[str]) -> bool:
    """Whether every value has a word of its own, which nobody takes for a number or for unanswered."""
    if len(set(words)) < len(words) or len(words) < 2 or not all(map(may_be_word, words)):
        return False
    return bool(np.all((values == np.floor(values)) & (values >= 1) & (values <= len(words))))
