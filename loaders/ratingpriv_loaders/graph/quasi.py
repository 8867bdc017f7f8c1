"""What a store is told of quasi-identifiers: values for people, codes for the queries that compare records.

A Hamming group says the values of the columns that have to be equal, which all its records share; a record
says those that may differ. Beside them every record has three lists of whole numbers, an entry a column:
``quasiCode``, the code of its value (-1: null), and ``quasiLeast`` and ``quasiMost``, the codes that its rule
allows. So one Cypher text decides every rule exactly, for texts and decimals alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.graph.datasets import quasi_properties
from ratingpriv.proximity.fixed_rules import allowed_codes, equal_classes

if TYPE_CHECKING:
    from ratingpriv.data.table import RatingTable


class StoredQuasi:
    """The quasi-identifiers of a table as properties of its nodes: a column each, a null being None."""

    def __init__(self, table: RatingTable) -> None:
        self._columns = table.quasi
        self._properties = quasi_properties([column.described for column in table.quasi])
        self._values = [[*column.values.to_list(), None] for column in table.quasi]  # at -1: a null
        self._ranges = [allowed_codes(column) for column in table.quasi]
        self._classes = equal_classes(table.quasi)

    def types(self, label: str) -> dict[str, str]:
        """Return the properties that nodes of HammingGroup or Record may have, with their import types."""
        named = {
            self._properties[place]: "double" if self._columns[place].values.dtype == pl.Float64 else "string"
            for place in self._places(within=label == "Record")
        }
        if label == "Record":
            lists = dict.fromkeys(("quasiCode", "quasiLeast", "quasiMost"), "long[]")
            return {**named, "quasiValues": "string", **lists}
        return named if self._classes is None else {**named, "quasiClass": "long", "quasiValues": "string"}

    def of_groups(self, first: NDArray[np.int64]) -> dict[str, list[Any]]:
        """Return the properties of Hamming groups, by the position of a record of each."""
        equal = self._places(within=False)
        columns = self._named(first, equal)
        if self._classes is not None:
            columns["quasiClass"] = self._classes[first].tolist()
            columns["quasiValues"] = self._captions(first, equal)
        return columns

    def of_records(self, start: int, stop: int) -> dict[str, list[Any]]:
        """Return the properties of the records ``start:stop``."""
        positions = np.arange(start, stop)
        codes = [column.codes[start:stop] for column in self._columns]
        least, most = (
            [np.append(ends[end], -1)[own] for ends, own in zip(self._ranges, codes, strict=True)]
            for end in (0, 1)
        )
        return {
            **self._named(positions, self._places(within=True)),
            "quasiValues": self._captions(positions, list(range(len(self._columns)))),
            "quasiCode": np.column_stack(codes).tolist(),
            "quasiLeast": np.column_stack(least).tolist(),
            "quasiMost": np.column_stack(most).tolist(),
        }

    def _places(self, *, within: bool) -> list[int]:
        """Return the columns whose values may differ by a width, or those that have to be equal."""
        return [place for place, column in enumerate(self._columns) if (column.within is not None) == within]

    def _named(self, positions: NDArray[np.int64], places: list[int]) -> dict[str, list[Any]]:
        """Return the values of some columns at some positions, by property."""
        return {
            self._properties[place]: [
                self._values[place][code] for code in self._columns[place].codes[positions].tolist()
            ]
            for place in places
        }

    def _captions(self, positions: NDArray[np.int64], places: list[int]) -> list[str]:
        """Return the values of records in words, as ``age=20-29, region=?``."""
        columns = []
        for place in places:
            column = self._columns[place]
            words = [f"{value:.15g}" if isinstance(value, float) else value for value in self._values[place]]
            cells = [f"{column.name}={'?' if word is None else word}" for word in words]
            columns.append([cells[code] for code in column.codes[positions].tolist()])
        return [", ".join(cells) for cells in zip(*columns, strict=True)]
