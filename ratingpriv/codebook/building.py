"""From data as a file has them to the parts of a table: every column is read as its role says.

The one way to a wide table: cells of text are parsed once per distinct text, whatever column they are in; a
column that nobody named is taken for ratings only if it looks like ratings.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.codebook.cells import (
    BAD,
    INEXACT,
    NULL,
    NUMBER,
    NullTokens,
    ParsedCells,
    lean,
    parse_cells,
)
from ratingpriv.codebook.deciding import Decided, decided
from ratingpriv.codebook.options import ReadOptions
from ratingpriv.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.codebook.refusals import bad_rating, inexact_rating, text_column
from ratingpriv.errors import DataError, Problem
from ratingpriv.escaping import looks_like_data
from ratingpriv.table.building.columns import parts_from_columns
from ratingpriv.table.building.problems import Problems
from ratingpriv.table.parts import Origin, Parts, QuasiColumn, Roles, SensitiveColumn

__all__ = ["parts_of"]

_FEW = 21  # a rating scale rarely has more levels than this (Likert, stars, half stars, 0..20)


def parts_of(raw: RawData, options: ReadOptions, problems: Problems | None = None) -> Parts:
    """Return the parts of the table that ``raw`` is, as :func:`ratingpriv.codebook.applying.table_of`."""
    problems = Problems(options.max_problems) if problems is None else problems
    return _Building(raw, options, problems).parts()


class _Building:
    """One table on its way."""

    def __init__(self, raw: RawData, options: ReadOptions, problems: Problems) -> None:
        self._raw, self._options = raw, options
        self._file = raw.origin.name
        self._names = raw.names or (*(c.name for c in raw.columns), *(name for name, _ in raw.unread))
        known = {name: role for name, role in raw.unread if role == "identifier"}
        known.update({c.name: c.known_role for c in raw.columns if c.known_role is not None})
        self._said: Decided = decided(self._names, options, file=self._file, known=known)
        self._codebook = options.codebook
        self._nulls = NullTokens(options, () if self._codebook is None else self._codebook.missing)
        self._parsed: dict[int, tuple[ParsedCells, NDArray[Any], NDArray[np.bool_]]] = {}
        self._problems = problems
        self._read = {c.name: c for c in raw.columns}
        self._place = {name: place for place, name in enumerate(self._names, start=1)}

    def parts(self) -> Parts:
        """Return the parts."""
        said, raw, options = self._said, self._raw, self._options
        by_role: dict[str | None, list[RawColumn]] = {}
        for column in raw.columns:
            by_role.setdefault(said.role(column.name), []).append(column)
        undecided, ratings = by_role.get(None, []), by_role.get("rating", [])
        if self._nothing_said():
            self._refuse_long([*undecided])
        quasi = [self._quasi(column) for column in by_role.get("quasi", [])]
        carried = tuple(self._carried(column) for column in by_role.get("carry", []))
        nominal = [c for c in by_role.get("sensitive", []) if said.specs[c.name].kind == "nominal"]
        secret = {column.name: self._nominal(column) for column in nominal}
        numbers = [
            c
            for c in raw.columns
            if said.role(c.name) in (None, "rating", "sensitive") and c.name not in secret
        ]
        columns = self._numbers(numbers, undecided)
        issues = [*undecided, *ratings]
        scale, scales = self._scales([column.name for column in issues])
        dropped = [name for name in self._names if said.specs[name].role == "drop"]
        parts = parts_from_columns(
            columns,
            record_ids=self._ids(),
            records=raw.records,
            bare=bool(quasi),
            sensitive=[name for name in said.sensitive if name not in secret],
            drop=dropped,
            scale=scale,
            scales=scales,
            sensitive_scale=options.sensitive_scale,
            unread=[name for name in self._names if name in said.unwanted],
            origin=self._origin(),
            locate=raw.locate,
            problems=self._problems,
        )
        return dataclasses.replace(
            parts,
            sensitive=tuple(
                secret[name] if name in secret else next(c for c in parts.sensitive if c.name == name)
                for name in said.sensitive
            ),
            quasi=tuple(quasi),
            carried=carried,
            roles=self._roles(),
            origin=dataclasses.replace(parts.origin, order=self._order(parts, quasi, carried)),
        )

    def _nothing_said(self) -> bool:
        options = self._options
        said = (options.sensitive, options.scale, options.only, options.quasi, options.identifier,
                options.carry, options.ratings, options.keep)  # fmt: skip
        return options.layout is None and self._codebook is None and not any(said)

    def _origin(self) -> Origin:
        origin, record = self._raw.origin, self._said.id
        order = [
            c.name for c in self._raw.columns if self._said.role(c.name) not in ("id", "drop", "identifier")
        ]
        return dataclasses.replace(origin, record_name=record or origin.record_name, order=tuple(order))

    def _order(
        self, parts: Parts, quasi: Sequence[QuasiColumn], carried: Sequence[pl.Series]
    ) -> tuple[str, ...]:
        there = {*parts.issues, *self._said.sensitive, *(c.name for c in quasi), *(c.name for c in carried)}
        return tuple(c.name for c in self._raw.columns if c.name in there)

    def _roles(self) -> Roles | None:
        """Return the roles; None where there are ratings only, and nobody was asked what they are."""
        named = {*dict(self._raw.unread), *self._read}
        roles = []
        for name in self._names:
            role = self._said.role(name)
            if name in named:
                roles.append((name, role or "rating"))
        told = {"identifier", "quasi", "carry"}
        if self._codebook is None and not any(role in told for _, role in roles):
            return None
        return Roles(tuple(roles), None if self._codebook is None else self._codebook.sha256)

    # -- cells

    def _texts(self, column: RawColumn) -> tuple[ParsedCells, NDArray[Any], NDArray[np.bool_]]:
        """Return what the texts of a column mean: parsed, lean values, whether each is a number."""
        cells = _text_cells(column)
        found = self._parsed.get(id(cells.texts))
        if found is None:
            parsed = parse_cells(cells.texts, self._nulls)
            found = (parsed, lean(parsed.values), parsed.kinds == NUMBER)
            self._parsed[id(cells.texts)] = found
        missing = self._said.specs[column.name].missing
        if not missing:
            return found
        parsed, values, _ = found
        own = NullTokens(self._options, (*self._nulls.texts, *missing))
        gone = np.array([text in own for text in cells.texts.to_list()])
        kinds = np.where(gone, np.uint8(NULL), parsed.kinds)
        return ParsedCells(kinds, parsed.values), values, kinds == NUMBER

    def _typed(self, column: RawColumn) -> pl.Series:
        """Return a column that has types, its missing codes as nulls."""
        if isinstance(column.cells, TextCells):
            raise TypeError(column.name)
        cells = column.cells.alias(column.name)
        own = NullTokens(self._options, (*self._nulls.texts, *self._said.specs[column.name].missing))
        if cells.dtype.is_numeric():
            codes = sorted(own.numbers)
            return cells.set(cells.cast(pl.Float64).is_in(codes).fill_null(False), None) if codes else cells
        if cells.dtype == pl.String:
            distinct = cells.unique().drop_nulls()
            gone = [text for text in distinct.to_list() if text in own]
            return cells.set(cells.is_in(gone).fill_null(False), None) if gone else cells
        return cells

    def _ids(self) -> pl.Series | None:
        name = self._said.id
        if name is None:
            return None
        cells = self._read[name].cells
        if isinstance(cells, pl.Series):
            return cells.alias(name)
        ids = cells.texts.gather(cells.codes).alias(name)
        return ids.set(ids == "", None) if "" in cells.texts else ids

    # -- numbers

    def _numbers(self, columns: Sequence[RawColumn], undecided: Sequence[RawColumn]) -> list[pl.Series]:
        """Return a Series of numbers a column, null where not rated; what is wrong becomes a problem."""
        made = []
        cells: list[tuple[int, int, RawColumn]] = []
        for place, column in enumerate(columns):
            if isinstance(column.cells, pl.Series):
                made.append(self._typed(column))
                continue
            parsed, values, rated = self._texts(column)
            codes = _text_cells(column).codes
            if (parsed.kinds == BAD).any():
                self._note_bad(column, parsed, place, cells)
            if (inexact := parsed.kinds == INEXACT).any():
                self._note_inexact(column, np.flatnonzero(inexact[codes]))
            series = pl.Series(column.name, values[codes])
            absent = ~rated[codes]
            made.append(series.set(pl.Series(absent), None) if absent.any() else series)
        for row, _, column in sorted(cells, key=lambda cell: cell[:2]):
            text = _text_at(column, row)
            file, line, called = self._raw.locate(row, column.name)
            self._problems.add(bad_rating(text, file, line, called))
        return made

    def _note_inexact(self, column: RawColumn, rows: NDArray[np.int64]) -> None:
        def problem(row: int) -> Problem:
            file, line, called = self._raw.locate(row, column.name)
            return inexact_rating(_text_at(column, row), file, line, called)

        self._problems.at(rows, problem)

    def _note_bad(
        self, column: RawColumn, parsed: ParsedCells, place: int, single: list[tuple[int, int, RawColumn]]
    ) -> None:
        """Note cells of text: one problem for a column of mostly text, else one a cell, in file order."""
        cells = _text_cells(column)
        rows = np.flatnonzero((parsed.kinds == BAD)[cells.codes])
        rated = int(np.count_nonzero(parsed.kinds[cells.codes] != NULL))
        if len(rows) > 2 and len(rows) * 2 > rated:
            distinct = pl.Series(cells.codes[rows]).unique(maintain_order=True)
            file, line, called = self._raw.locate(int(rows[0]), column.name)
            self._problems.add(
                text_column(
                    called,
                    column.name,
                    cells.texts.gather(distinct.head(3)).to_list(),
                    len(rows),
                    rated,
                    line,
                    file,
                    ids=self._said.id is None and len(distinct) == self._raw.records,
                    sensitive=self._said.role(column.name) == "sensitive",
                )
            )
            return
        limit = self._problems.limit
        single.extend((row, place, column) for row in rows[:limit].tolist())
        self._problems.count(max(0, len(rows) - limit))

    def _scales(
        self, issues: Sequence[str]
    ) -> tuple[tuple[float, float] | None, Mapping[str, tuple[float, float]]]:
        """Return the declared scale of the table, and those of single columns; None: as found."""
        own = {name: scale for name in self._names if (scale := self._said.specs[name].scale) is not None}
        declared = [own.get(name, self._options.scale) for name in issues]
        if not own or not declared or any(scale is None for scale in declared):
            return self._options.scale, own
        ends = [scale for scale in declared if scale is not None]
        return (min(low for low, _ in ends), max(high for _, high in ends)), own

    def _refuse_long(self, columns: Sequence[RawColumn]) -> None:
        """Refuse to guess wide where the columns look like record, issue and rating of a long layout."""
        if not 2 <= len(columns) <= 4 or self._raw.records < 100:
            return
        distinct = [_n_distinct(column) for column in columns]
        few = [c.name for c, number in zip(columns, distinct, strict=True) if number <= _FEW]
        if len(few) != 1 or sum(number > 5 * _FEW for number in distinct) != len(columns) - 1:
            return
        counts = ", ".join(f"{number:,}" for number in distinct)
        found = f"columns of {counts} different values, by no known names"
        rating = self._place[few[0]] if looks_like_data(few[0]) else few[0]
        expected = f"ratings only, or a stated layout (column {rating} may be the rating of a long one)"
        remedy = "say `layout='long'` with `id`, `issue` and `rating` (names or numbers), or `layout='wide'`"
        _, line, _ = self._raw.locate(0, few[0])
        line = None if line is None else max(1, line - 1)
        raise DataError(Problem(self._file, found, expected, remedy, line))

    # -- columns that are no ratings

    def _values(self, column: RawColumn) -> pl.Series:
        """Return the cells as numbers where all of them are, else as text; null where missing."""
        cells = column.cells
        if isinstance(cells, pl.Series):
            typed = self._typed(column)
            if typed.dtype.is_numeric() or typed.dtype == pl.Boolean:
                return typed.cast(pl.Float64)
            return typed.cast(pl.String)
        parsed, _, _ = self._texts(column)
        kinds = parsed.kinds[cells.codes]
        texts = not np.all((kinds == NUMBER) | (kinds == NULL))
        series = (cells.texts.gather(cells.codes) if texts else pl.Series(parsed.values[cells.codes])).alias(
            column.name
        )
        null = kinds == NULL
        return series.set(pl.Series(null), None) if null.any() else series

    def _quasi(self, column: RawColumn) -> QuasiColumn:
        spec = self._said.specs[column.name]
        values = self._values(column)
        if spec.within is not None and values.dtype != pl.Float64:
            self._not_numbers(column, f"within = {spec.within:g}")
            values = pl.Series(column.name, [None] * len(values), dtype=pl.Float64)
        distinct, codes = _coded(values)
        return QuasiColumn(column.name, codes, distinct, spec.within)

    def _not_numbers(self, column: RawColumn, rule: str) -> None:
        file, _, called = self._raw.locate(0, column.name)
        remedy = f"leave out `{rule}`, so that its values have to be equal, or name texts that are missing"
        self._problems.add(Problem(file, "text", f"numbers, as its rule is {rule}", remedy, None, called))

    def _nominal(self, column: RawColumn) -> SensitiveColumn:
        values = self._values(column)
        distinct, codes = _coded(values)
        present = codes >= 0
        labels = [_shown(value) for value in distinct.to_list()]
        return SensitiveColumn(
            column.name, np.where(present, codes, 0).astype(np.float64), present, tuple(labels)
        )

    def _carried(self, column: RawColumn) -> pl.Series:
        cells = column.cells
        if isinstance(cells, pl.Series):
            return self._typed(column)
        parsed, _, _ = self._texts(column)
        series = cells.texts.gather(cells.codes).alias(column.name)
        null = parsed.kinds[cells.codes] == NULL
        return series.set(pl.Series(null), None) if null.any() else series


def _text_at(column: RawColumn, row: int) -> str:
    cells = _text_cells(column)
    return str(cells.texts[int(cells.codes[row])])


def _text_cells(column: RawColumn) -> TextCells:
    if not isinstance(column.cells, TextCells):
        raise TypeError(column.name)
    return column.cells


def _n_distinct(column: RawColumn) -> int:
    if isinstance(column.cells, pl.Series):
        return column.cells.n_unique()
    return len(np.unique(column.cells.codes))


def _coded(values: pl.Series) -> tuple[pl.Series, NDArray[np.int32]]:
    """Return (distinct values, numbers ascending, texts by first appearance; codes, -1 where null)."""
    distinct = values.drop_nulls().unique(maintain_order=True)
    if distinct.dtype == pl.Float64:
        distinct = distinct.sort()
    codes = values.replace_strict(
        distinct, pl.int_range(len(distinct), dtype=pl.Int32, eager=True), default=None, return_dtype=pl.Int32
    )
    return distinct, codes.fill_null(-1).to_numpy().astype(np.int32)


def _shown(value: Any) -> str:
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)
