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
    """The quasi-identifiers of a table as properties of its nodes."""

    def __init__(self, table: RatingTable) -> None:
        self._columns = table.quasi
        self._properties = quasi_properties([column.described for column in table.quasi])
        self._values = [column.values.to_list() for column in table.quasi]
        self._ranges = [tuple(one.tolist() for one in allowed_codes(column)) for column in table.quasi]
        self._classes = equal_classes(table.quasi)

    def types(self, label: str) -> dict[str, str]:
        """Return the properties that nodes of HammingGroup or Record may have, with their import types."""
        named = {
            name: "double" if column.values.dtype == pl.Float64 else "string"
            for name, column in zip(self._properties, self._columns, strict=True)
            if (column.within is None) == (label == "HammingGroup")
        }
        if label == "Record":
            lists = dict.fromkeys(("quasiCode", "quasiLeast", "quasiMost"), "long[]")
            return {**named, "quasiValues": "string", **lists}
        return named if self._classes is None else {**named, "quasiClass": "long", "quasiValues": "string"}

    def of_groups(self, first: NDArray[np.int64]) -> list[dict[str, Any]]:
        """Return the properties of Hamming groups, by the position of a record of each."""
        equal = [place for place, column in enumerate(self._columns) if column.within is None]
        rows = self._named(first, equal)
        for row, position in zip(rows, first.tolist(), strict=True):
            if self._classes is not None:
                row["quasiClass"] = int(self._classes[position])
                row["quasiValues"] = self._caption(position, equal)
        return rows

    def of_records(self, start: int, stop: int) -> list[dict[str, Any]]:
        """Return the properties of the records ``start:stop``."""
        everything = list(range(len(self._columns)))
        within = [place for place in everything if self._columns[place].within is not None]
        rows = self._named(np.arange(start, stop), within)
        codes = [column.codes[start:stop].tolist() for column in self._columns]
        for place, row in enumerate(rows):
            own = [column[place] for column in codes]
            row["quasiValues"] = self._caption(start + place, everything)
            row["quasiCode"] = own
            for end, name in enumerate(("quasiLeast", "quasiMost")):
                allowed = zip(self._ranges, own, strict=True)
                row[name] = [-1 if code < 0 else ends[end][code] for ends, code in allowed]
        return rows

    def _named(self, positions: NDArray[np.int64], places: list[int]) -> list[dict[str, Any]]:
        """Return the values of some columns at some positions, by property; nulls have none."""
        rows: list[dict[str, Any]] = [{} for _ in range(len(positions))]
        for place in places:
            values, name = self._values[place], self._properties[place]
            codes = self._columns[place].codes[positions].tolist()
            for row, code in zip(rows, codes, strict=True):
                if code >= 0:
                    row[name] = values[code]
        return rows

    def _caption(self, position: int, places: list[int]) -> str:
        """Return the values of a record in words, as ``age=20-29, region=?``."""
        cells = []
        for place in places:
            column, code = self._columns[place], int(self._columns[place].codes[position])
            value = self._values[place][code] if code >= 0 else "?"
            text = f"{value:.15g}" if isinstance(value, float) else value
            cells.append(f"{column.name}={text}")
        return ", ".join(cells)
