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

from ratingpriv.base.errors import Problem
from ratingpriv.base.escaping import looks_like_data
from ratingpriv.base.numbers import in_full
from ratingpriv.data.codebook.cells import (
    BAD,
    INEXACT,
    NULL,
    NUMBER,
    ParsedCells,
    bad_rating,
    inexact_rating,
    lean,
    text_column,
)
from ratingpriv.data.codebook.contents import Contents, levels_of, text_at, text_cells
from ratingpriv.data.codebook.deciding import Decided, decided
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.data.codebook.recoding import recode_words, recoded
from ratingpriv.data.codebook.recognition.identifiers import sense_of
from ratingpriv.data.codebook.recognition.long_ratings import refuse_logs
from ratingpriv.data.codebook.recognition.looks import (
    Doubts,
    Look,
    codes_look,
    labelled_look,
    look_of,
    plain_levels,
    text_look,
    unanswered_step,
)
from ratingpriv.data.codebook.recognition.side_by_side import Answers, looks_beside
from ratingpriv.data.codebook.recognition.text_scales import Understood, labelled
from ratingpriv.data.table.building.columns import parts_from_columns
from ratingpriv.data.table.building.finishing import Handling
from ratingpriv.data.table.building.problems import Place, Problems
from ratingpriv.data.table.parts import Origin, Parts, QuasiColumn, Roles, SensitiveColumn
from ratingpriv.data.table.table import RatingTable


def table_of(raw: RawData, options: ReadOptions) -> RatingTable:
    """Return the table that ``raw`` is: every column by the role that was said of it, or that it looks like.

    What options say beats the codebook, and that what the format knows. DataError with every problem: those
    of the file's lines; text where ratings should be; columns that look like something else than ratings.
    """
    return RatingTable.of(_Building(*raw.taken(options.max_problems), options).parts())


class _Building:
    """One table on its way."""

    def __init__(self, raw: RawData, problems: Problems, options: ReadOptions) -> None:
        self._raw, self._options = dataclasses.replace(raw, locate=self._located), options
        self._locate = raw.locate
        self._file = raw.origin.name
        self._names = raw.all_names
        self._said: Decided = decided(self._names, options, file=self._file, known=raw.known_roles)
        self._codebook = options.codebook
        missing = {name: spec.missing for name, spec in self._said.specs.items() if spec.missing}
        self._contents = Contents(options, missing)
        self._problems = problems
        self._doubts = Doubts(raw, self._said.id)
        self._labels: dict[str, tuple[str, ...]] = {}
        self._answers: list[Answers] = []
        self._guessed: tuple[str, ...] = ()
        self._word_scales: dict[str, tuple[float, float]] = {}
        self._read = {c.name: c for c in raw.columns}
        self._place = {name: place for place, name in enumerate(self._names, start=1)}

    def parts(self) -> Parts:
        """Return the parts."""
        said, raw, options = self._said, self._raw, self._options
        by_role: dict[str | None, list[RawColumn]] = {}
        for column in raw.columns:
            by_role.setdefault(said.role(column.name), []).append(column)
        undecided, ratings = by_role.get(None, []), by_role.get("rating", [])
        if options.silent:
            refuse_logs(self._raw, undecided, self._said.id)
        carried = tuple(self._contents.as_they_are(column) for column in by_role.get("carry", []))
        nominal = [c for c in by_role.get("sensitive", []) if said.specs[c.name].kind == "nominal"]
        secret = {column.name: self._nominal(column) for column in nominal}
        numbers = [
            c
            for c in raw.columns
            if said.role(c.name) in (None, "rating", "sensitive") and c.name not in secret
        ]
        columns = self._numbers(numbers)
        self._beside(numbers)
        columns = [series for series in columns if series.name not in self._guessed]
        quasi = [self._quasi(column) for column in raw.columns if self._said.role(column.name) == "quasi"]
        issues = [one for one in (*undecided, *ratings) if one.name not in self._guessed]
        scale, scales = self._scales([column.name for column in issues])
        for place, series in enumerate(columns):
            if self._said.specs[series.name].recodes and series.dtype.is_numeric():
                columns[place] = self._recoded(series.cast(pl.Float64))[0]
        made = {column.name for column in raw.columns if column.known_role == "drop"}  # no question
        dropped = [name for name in self._names if said.specs[name].role == "drop" and name not in made]
        parts = parts_from_columns(
            columns,
            Handling(
                sensitive=[name for name in said.sensitive if name not in secret],
                drop=dropped,
                scale=scale,
                scales=scales,
                sensitive_scale=options.sensitive_scale,
            ),
            record_ids=self._ids(),
            records=raw.records if quasi else None,
            unread=[name for name in self._names if name in said.unwanted],
            origin=dataclasses.replace(
                raw.origin, record_name=self._said.id or raw.origin.record_name, order=()
            ),
            locate=raw.locate,
            problems=self._problems,
        )
        return parts.replace(
            sensitive=tuple(
                secret[name] if name in secret else next(c for c in parts.sensitive if c.name == name)
                for name in said.sensitive
            ),
            quasi=tuple(quasi),
            carried=carried,
            roles=self._roles(by_role.get("identifier", [])),
            origin=dataclasses.replace(
                parts.origin,
                order=self._order(parts, quasi, carried),
                details=self._details(parts.origin),
            ),
        )

    def _details(self, origin: Origin) -> dict[str, Any]:
        """Return the origin's details with the words of scales, and how much the file declares missing."""
        missing = sum(sum(column.missing.values()) for column in self._raw.columns)
        spellings = self._contents.spelled(self._raw.columns, self._said.role)
        scales = self._own_scales()
        more = {"labels": self._labels, "declared_missing": missing, "spellings": spellings, "scales": scales}
        return {**origin.details, **{name: value for name, value in more.items() if value}}

    def _located(self, row: int, column: str) -> Place:
        """Say where a cell stands; a column whose name looks like data is called by its number."""
        file, line, called = self._locate(row, column)
        return Place(
            file, line, self._place[column] if called == column and looks_like_data(column) else called
        )

    def _order(
        self, parts: Parts, quasi: Sequence[QuasiColumn], carried: Sequence[pl.Series]
    ) -> tuple[str, ...]:
        there = {*parts.issues, *self._said.sensitive, *(c.name for c in quasi), *(c.name for c in carried)}
        return tuple(c.name for c in self._raw.columns if c.name in there)

    def _roles(self, identifiers: Sequence[RawColumn]) -> Roles | None:
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
        repeats = tuple(found for one in identifiers if (found := self._contents.repeats(one)) is not None)
        codebook = None if self._codebook is None else self._codebook.sha256
        return Roles(tuple(roles), codebook, self._guessed, repeats)

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

    def _numbers(self, columns: Sequence[RawColumn]) -> list[pl.Series]:
        """Return a Series of numbers a column, null where not rated; what is wrong becomes a problem."""
        made = []
        cells: list[tuple[int, int, RawColumn]] = []
        plain = self._plain(columns)
        for place, column in enumerate(columns):
            undecided = self._said.role(column.name) is None
            if isinstance(column.cells, pl.Series):
                made.append(self._typed_numbers(column, undecided=undecided))
                continue
            codes = column.cells.codes
            parsed, values, rated = self._contents.parsed(column)
            understood = None
            labels = self._said.specs[column.name].labels
            if labels or (parsed.kinds == BAD).any():
                used, _ = column.cells.used()
                bad = used[parsed.kinds[used] == BAD]
                if labels or len(bad):
                    understood, look = self._words(column, parsed, used)
                    if understood is not None:
                        parsed, values, rated = self._by_words(column, parsed, used, understood)
                    elif undecided and look is not None and self._is_text(column, parsed):
                        self._doubts.add(column, look, self._text_problem(column, parsed))
                        rated = np.zeros(len(rated), dtype=bool)
                        undecided = False
                    else:
                        self._note_bad(column, parsed, place, cells)
                        undecided = False
            levels, times = levels_of(column.cells, values, rated)
            if self._open_ended(column.name):
                self._look_for_codes(column, levels, int(times.sum()))
            kind = ""
            if undecided and not (plain and sense_of(column.name) is None):
                kind = self._look(column, levels, int(times.sum())).kind
            if not kind:
                self._answered(column.name, levels, times, understood)
            if kind != "name" and (inexact := parsed.kinds == INEXACT).any():
                self._note_inexact(column, np.flatnonzero(inexact[codes]))
            series = pl.Series(column.name, values[codes])
            absent = ~rated[codes]
            made.append(series.set(pl.Series(absent), None) if absent.any() else series)
        if self._second_header(cells):
            cells = []
        for row, _, column in sorted(cells, key=lambda cell: cell[:2]):
            text = text_at(column, row)
            file, line, called = self._raw.locate(row, column.name)
            self._problems.add(bad_rating(text, file, line, called))
        return made

    def _answered(
        self,
        name: str,
        levels: NDArray[np.float64],
        times: NDArray[np.int64],
        understood: Understood | None = None,
        *,
        truth: bool = False,
    ) -> None:
        """Note the answers of what looks like a rating, or is one by somebody's word."""
        said = self._said
        free = said.role(name) is None and name not in self._options.only
        if not free and said.role(name) not in (None, "rating"):
            return
        steps = 2 if truth else len(understood.words) if understood is not None else 0
        self._answers.append(Answers.of(name, levels, times, said.specs[name].scale, steps, free=free))

    def _beside(self, columns: Sequence[RawColumn]) -> None:
        """Take for quasi-identifiers what is no rating beside the others; note what nobody can say."""
        looks = looks_beside(self._answers, self._options.scale) if self._raw.called else {}
        for column in columns:
            look = looks.get(column.name)
            if look is not None and look.kind:
                self._doubts.add(column, look)
        self._guessed = tuple(
            c.name for c in columns if (look := looks.get(c.name)) is not None and not look.kind
        )
        self._said = self._said.with_role("quasi", self._guessed)
        self._labels = {name: words for name, words in self._labels.items() if name not in self._guessed}
        self._doubts.note(self._problems)

    def _second_header(self, cells: Sequence[tuple[int, int, RawColumn]]) -> bool:
        """Note a first row that has text in several columns of numbers: it belongs to the header."""
        texts = {text_at(column, row) for row, _, column in cells}
        if len(texts) < 2 or any(row for row, _, _ in cells) or self._raw.records < 2:
            return False
        file, line, _ = self._raw.locate(0, cells[0][2].name)
        found = f"text in {len(cells)} columns whose other cells are numbers, as in a second row of names"
        remedy = "delete the line if it is one, else correct it"
        self._problems.add(Problem(file, found, "one row of names, and records below it", remedy, line))
        return True

    def _plain(self, columns: Sequence[RawColumn]) -> bool:
        """Whether any column of the texts that are there looks like ratings, whatever cells it has."""
        seen: set[int] = set()
        for column in columns:
            if not isinstance(column.cells, TextCells) or id(column.cells.texts) in seen:
                continue
            seen.add(id(column.cells.texts))
            parsed, _, _ = self._contents.parsed(column)
            if not plain_levels(np.unique(parsed.values[parsed.kinds == NUMBER])):
                return False
        return True

    def _look(self, column: RawColumn, levels: NDArray[np.float64], answers: int) -> Look:
        """Note what is doubtful about numbers that nobody has called ratings, and return it."""
        look = look_of(column.name, levels, answers, scale=self._scale(column.name))
        if look.kind:
            self._doubts.add(column, look)
        return look

    def _open_ended(self, name: str) -> bool:
        """Whether a column is sensitive, and nobody has said how far its numbers go: a code raises its SD."""
        said = name in self._options.sensitive_scale or self._scale(name) is not None
        return self._said.role(name) == "sensitive" and not said

    def _look_for_codes(self, column: RawColumn, levels: NDArray[np.float64], answers: int) -> None:
        look = codes_look(levels, answers)
        if look is not None:
            self._doubts.add(column, look)

    def _typed_numbers(self, column: RawColumn, *, undecided: bool) -> pl.Series:
        """Return a column that has types, with a doubt noted where nobody has called it ratings."""
        series = self._contents.typed(column)
        if not (series.dtype.is_numeric() or series.dtype == pl.Boolean):
            return series
        there = series.drop_nulls()
        if len(there) and series.dtype.is_float() and not there.is_finite().all():
            return series  # which is a problem of its own
        found = there.cast(pl.Float64).alias("level").value_counts(name="times").sort("level")
        levels, times = found["level"].to_numpy(), found["times"].cast(pl.Int64).to_numpy()
        if self._open_ended(column.name):
            self._look_for_codes(column, levels, len(there))
        look = None
        if undecided and not (plain_levels(levels) and sense_of(column.name) is None and not column.labels):
            look = look_of(column.name, levels, len(there), scale=self._scale(column.name))
            if not look.kind and column.labels:
                look = labelled_look(column.name, column.labels, levels) or look
        if look is not None and look.kind:
            self._doubts.add(column, look)
        else:
            self._answered(column.name, levels, times, truth=series.dtype == pl.Boolean)
        return series

    def _scale(self, name: str) -> tuple[float, float] | None:
        return self._said.specs[name].scale or self._options.scale

    def _words(
        self, column: RawColumn, parsed: ParsedCells, used: NDArray[np.int64]
    ) -> tuple[Understood | None, Look | None]:
        """Return what the words of a column count, or else what it looks like."""
        cells = text_cells(column)
        there = used[parsed.kinds[used] != NULL]
        texts = cells.texts.gather(there).to_list()
        by_default = self._contents.unsaid_nulls(column, cells.texts.gather(used).to_list())
        labels = self._said.specs[column.name].labels
        if labels:
            return labelled([*texts, *(text for text in by_default if text in labels)], labels), None
        answers = int(np.count_nonzero(parsed.kinds[cells.codes] != NULL))
        look = text_look(column.name, texts, answers)
        if look.understood is not None and (step := unanswered_step(texts, by_default, answers)) is not None:
            look = step
        insisted = self._said.role(column.name) is not None and look.kind == "labelled"
        return (look.understood if insisted or not look.kind else None), look

    def _by_words(
        self, column: RawColumn, parsed: ParsedCells, used: NDArray[np.int64], understood: Understood
    ) -> tuple[ParsedCells, NDArray[Any], NDArray[np.bool_]]:
        """Return what the texts of a column mean where words count as numbers."""
        kinds, values = parsed.kinds.copy(), parsed.values.copy()
        texts = text_cells(column).texts
        for position in used.tolist():
            if kinds[position] != NULL or texts[position] in understood.values:
                kinds[position], values[position] = NUMBER, understood.values[texts[position]]
        if understood.words:
            self._labels[column.name] = understood.words
            if understood.full:
                self._word_scales[column.name] = (1.0, float(len(understood.words)))
        used_values = np.zeros_like(values)
        used_values[used] = values[used]
        return ParsedCells(kinds, values), lean(used_values), kinds == NUMBER

    def _is_text(self, column: RawColumn, parsed: ParsedCells) -> bool:
        """Whether most cells are text, so that it is the column that is none of ratings."""
        kinds = parsed.kinds[text_cells(column).codes]
        bad, rated = np.count_nonzero(kinds == BAD), np.count_nonzero(kinds != NULL)
        return bool(bad > 2 and bad * 2 > rated)

    def _text_problem(self, column: RawColumn, parsed: ParsedCells) -> Problem:
        """Return the problem of a single column of text."""
        cells = text_cells(column)
        kinds = parsed.kinds[cells.codes]
        rows = np.flatnonzero(kinds == BAD)
        distinct = pl.Series(cells.codes[rows]).unique(maintain_order=True)
        return text_column(
            Place(*self._raw.locate(int(rows[0]), column.name)),
            column.name,
            cells.texts.gather(distinct.head(3)).to_list(),
            len(rows),
            int(np.count_nonzero(kinds != NULL)),
            ids=self._said.id is None and len(distinct) == self._raw.records,
            sensitive=self._said.role(column.name) == "sensitive",
        )

    def _note_inexact(self, column: RawColumn, rows: NDArray[np.int64]) -> None:
        def problem(row: int) -> Problem:
            file, line, called = self._raw.locate(row, column.name)
            return inexact_rating(text_at(column, row), file, line, called)

        self._problems.at(rows, problem)

    def _note_bad(
        self, column: RawColumn, parsed: ParsedCells, place: int, single: list[tuple[int, int, RawColumn]]
    ) -> None:
        """Note cells of text: one problem for a column of mostly text, else one a cell, in file order."""
        if self._is_text(column, parsed):
            self._problems.add(self._text_problem(column, parsed))
            return
        rows = np.flatnonzero((parsed.kinds == BAD)[text_cells(column).codes])
        limit = self._problems.limit
        single.extend((row, place, column) for row in rows[:limit].tolist())
        self._problems.count(max(0, len(rows) - limit))

    def _scales(
        self, issues: Sequence[str]
    ) -> tuple[tuple[float, float] | None, Mapping[str, tuple[float, float]]]:
        """Return the declared scale of the table, and those of single columns; None: as found."""
        own = self._own_scales()
        declared = [own.get(name, self._options.scale) for name in issues]
        if not own or not declared or any(scale is None for scale in declared):
            return self._options.scale, own
        ends = [scale for scale in declared if scale is not None]
        return (min(low for low, _ in ends), max(high for _, high in ends)), own

    def _own_scales(self) -> dict[str, tuple[float, float]]:
        """Return the scales that were declared for single columns, as numbers or by their words."""
        said = {name: scale for name in self._names if (scale := self._said.specs[name].scale) is not None}
        return self._word_scales | said

    # -- columns that are no ratings

    def _quasi(self, column: RawColumn) -> QuasiColumn:
        spec = self._said.specs[column.name]
        values = self._contents.values(column)
        if not (spec.within is not None or spec.recodes or spec.bands) and self._contents.are_codes(column):
            values = self._contents.as_they_are(column)
        if spec.within is not None and values.dtype != pl.Float64:
            self._not_numbers(column, f"within = {in_full(spec.within)}")
            values = pl.Series(column.name, [None] * len(values), dtype=pl.Float64)
        distinct, codes = _coded(*self._recoded(values))
        return QuasiColumn(column.name, codes, distinct, spec.within, recode_words(spec))

    def _recoded(self, values: pl.Series) -> tuple[pl.Series, pl.Series | None]:
        """Return the values of a column as they are released, and, where they were recoded, each in order."""
        spec = self._said.specs[values.name]
        if not spec.recodes:
            return values, None
        place = None if self._codebook is None else self._codebook.place
        distinct = values.drop_nulls().unique().sort()
        made = recoded(distinct, spec, place=place, problems=self._problems)
        whole = values.replace_strict(distinct, made, default=None, return_dtype=made.dtype)
        return whole.alias(values.name), made.drop_nulls().unique(maintain_order=True)

    def _not_numbers(self, column: RawColumn, rule: str) -> None:
        file, _, called = self._raw.locate(0, column.name)
        remedy = f"leave out `{rule}`, so that its values have to be equal, or name texts that are missing"
        self._problems.add(Problem(file, "text", f"numbers, as its rule is {rule}", remedy, None, called))

    def _nominal(self, column: RawColumn) -> SensitiveColumn:
        distinct, codes = _coded(*self._recoded(self._contents.values(column)))
        present = codes >= 0
        labels = [_shown(value) for value in distinct.to_list()]
        return SensitiveColumn(
            column.name, np.where(present, codes, 0).astype(np.float64), present, tuple(labels)
        )


def _coded(values: pl.Series, order: pl.Series | None = None) -> tuple[pl.Series, NDArray[np.int32]]:
    """Return (distinct values, numbers ascending, texts by first appearance; codes, -1 where null)."""
    distinct = values.drop_nulls().unique(maintain_order=True) if order is None else order
    if distinct.dtype == pl.Float64:
        distinct = distinct.sort()
    codes = values.replace_strict(
        distinct, pl.int_range(len(distinct), dtype=pl.Int32, eager=True), default=None, return_dtype=pl.Int32
    )
    return distinct, codes.fill_null(-1).to_numpy().astype(np.int32)


def _shown(value: Any) -> str:
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)
