"""From data as a file has them to the parts of a table: every column is read as its role says.

The one way to a wide table: cells of text are parsed once per distinct text, whatever column they
are in; a column that nobody named is taken for ratings only if it looks like ratings.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import Problem
from ratingpriv.base.escaping import looks_like_data, shown_name
from ratingpriv.base.numbers import in_full
from ratingpriv.data.codebook.cells import (
    BAD,
    INEXACT,
    NULL,
    NUMBER,
    Contents,
    ParsedCells,
    bad_rating,
    counted,
    inexact_rating,
    levels_of,
    levels_of_typed,
    text_at,
    text_cells,
    text_column,
)
from ratingpriv.data.codebook.deciding import decided
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.raw import RawColumn, RawData
from ratingpriv.data.codebook.recoding import recode_words, recoded
from ratingpriv.data.codebook.recognition.beside import CHOICE, Answers, copies, looks_beside
from ratingpriv.data.codebook.recognition.blocks import in_blocks
from ratingpriv.data.codebook.recognition.doubts import note_doubts
from ratingpriv.data.codebook.recognition.identifiers import beside_coordinates
from ratingpriv.data.codebook.recognition.long_ratings import refuse_log
from ratingpriv.data.codebook.recognition.looks import Look, codes_look
from ratingpriv.data.codebook.recognition.shared_words import shared_words
from ratingpriv.data.codebook.recognition.text_scales import Understood, labelled
from ratingpriv.data.codebook.recognition.worded import (
    numbers_look,
    sense,
    text_look,
    unanswered_step,
)
from ratingpriv.data.table.building.columns import parts_from_columns
from ratingpriv.data.table.building.finishing import Handling
from ratingpriv.data.table.building.problems import Place, Problems, number_text
from ratingpriv.data.table.parts import Parts, QuasiColumn, Roles, SensitiveColumn, Unsaid
from ratingpriv.data.table.table import RatingTable


def table_of(raw: RawData, options: ReadOptions, *, bare: bool = False) -> RatingTable:
    """Return the table that ``raw`` is: every column by the role that was said of it,
    or that it looks like.

    What options say beats the codebook, and that what the format knows. DataError with every
    problem: those of the file's lines; text where ratings should be; columns that look like
    something else than ratings. ``bare`` : a table that has neither ratings nor quasi-identifiers
    will do
    """
    return RatingTable.of(_Building(*raw.taken(options.max_problems), options, bare=bare).parts())


class _Building:
    def __init__(
        self, raw: RawData, problems: Problems, options: ReadOptions, *, bare: bool
    ) -> None:
        self._locate, self._bare = raw.locate, bare
        self._raw, self._options = dataclasses.replace(raw, locate=self._place_of), options
        self._names = raw.all_names
        self._place = {name: number for number, name in enumerate(self._names, start=1)}
        self._said = decided(
            self._names, options, file=raw.origin.name, known=raw.known_roles, bare=bare
        )
        missing = {name: spec.missing for name, spec in self._said.specs.items() if spec.missing}
        self._contents = Contents(options, missing)
        self._problems = problems
        self._doubts: list[tuple[str, Look, Problem | None]] = []
        self._labels: dict[str, tuple[str, ...]] = {}
        self._word_scales: dict[str, tuple[float, float]] = {}
        self._answers: list[Answers] = []
        self._few_words: list[tuple[RawColumn, Look, list[str]]] = []
        self._located = beside_coordinates(self._names)
        # single cells among numbers, and times
        self._texts: list[tuple[int, int, RawColumn, int]] = []

    def parts(self) -> Parts:
        """Return the parts."""
        raw, options = self._raw, self._options
        if options.silent:
            refuse_log(raw, self._of(None), self._said.id)
        carried = tuple(map(self._contents.as_they_are, self._of("carry")))
        nominal = {column.name: self._nominal(column) for column in self._nominals()}
        ratings, guessed = self._ratings(nominal)
        quasi = tuple(self._quasi(column) for column in self._of("quasi"))
        scales = self._scales()
        parts = parts_from_columns(
            [self._rating_recoded(series) for series in ratings],
            self._handling(nominal, scales),
            record_ids=self._ids(),
            records=raw.records if quasi or self._bare else None,
            unread=[name for name in self._names if name in self._said.unwanted],
            origin=dataclasses.replace(
                raw.origin, record_name=self._said.id or raw.origin.record_name, order=()
            ),
            locate=raw.locate,
            problems=self._problems,
        )
        sensitive = {column.name: column for column in parts.sensitive} | nominal
        names = {*parts.issues, *sensitive, *(c.name for c in quasi), *(c.name for c in carried)}
        origin = dataclasses.replace(
            parts.origin,
            order=tuple(column.name for column in raw.columns if column.name in names),
            details={**parts.origin.details, **self._details(guessed, scales)},
        )
        return parts.replace(
            sensitive=tuple(sensitive[name] for name in self._said.sensitive),
            quasi=quasi,
            carried=carried,
            roles=self._roles(guessed),
            origin=origin.repeating(*self._repeats()),
        )

    def _nominals(self) -> list[RawColumn]:
        """Return the sensitive columns whose values are words."""
        return [c for c in self._of("sensitive") if self._said.specs[c.name].kind == "nominal"]

    def _ratings(self, nominal: Container[str]) -> tuple[list[pl.Series], tuple[str, ...]]:
        """Return the columns of ratings, and the names of those that are none beside the others."""
        rated = [
            column for column in self._of(None, "rating", "sensitive") if column.name not in nominal
        ]
        made = [
            self._typed(c) if isinstance(c.cells, pl.Series) else self._numbers(c) for c in rated
        ]
        self._note_texts()
        guessed = self._beside(rated)
        return [series for series in made if series.name not in guessed], guessed

    def _rating_recoded(self, series: pl.Series) -> pl.Series:
        if self._said.specs[str(series.name)].recodes and series.dtype.is_numeric():
            return self._recoded(series.cast(pl.Float64))[0]
        return series

    def _scales(self) -> dict[str, tuple[float, float]]:
        """Return the scales of single columns: those of their words, or of the codebook."""
        specs = self._said.specs
        declared = {name: pair for name in self._names if (pair := specs[name].scale) is not None}
        return self._word_scales | declared

    def _scale_of_all(
        self, scales: Mapping[str, tuple[float, float]]
    ) -> tuple[float, float] | None:
        """Return the scale of the table: as declared for all,
        or spanning those declared for every issue.
        """
        scale = self._options.scale
        declared = [scales.get(column.name, scale) for column in self._of(None, "rating")]
        ends = [pair for pair in declared if pair is not None]
        if scales and ends and len(ends) == len(declared):
            return min(low for low, _ in ends), max(high for _, high in ends)
        return scale

    def _handling(
        self, nominal: Container[str], scales: Mapping[str, tuple[float, float]]
    ) -> Handling:
        """Return what is done with the columns of numbers."""
        specs = self._said.specs
        # no question
        paradata = {column.name for column in self._raw.columns if column.known_role == "drop"}
        return Handling(
            sensitive=[name for name in self._said.sensitive if name not in nominal],
            drop=[
                name for name in self._names if specs[name].role == "drop" and name not in paradata
            ],
            scale=self._scale_of_all(scales),
            scales=scales,
            sensitive_scale=self._options.sensitive_scale,
        )

    def _details(
        self, guessed: Sequence[str], scales: Mapping[str, tuple[float, float]]
    ) -> dict[str, Any]:
        """Return what the origin says of how the columns were read."""
        columns = self._raw.columns
        details = {
            "labels": self._labels,
            "declared_missing": sum(sum(column.missing.values()) for column in columns),
            "spellings": self._contents.spelled(columns, self._said.role),
            "unsaid": self._unsaid(guessed),
            "scales": scales,
        }
        return {name: value for name, value in details.items() if value}

    def _place_of(self, row: int, column: str) -> Place:
        """Say where a cell stands; a column whose name looks like data is called by its number."""
        file, line, called = self._locate(row, column)
        return Place(
            file,
            line,
            self._place[column] if called == column and looks_like_data(column) else called,
        )

    def _roles(self, guessed: tuple[str, ...]) -> Roles | None:
        """Return the roles; None where there are ratings only,
        and nobody was asked what they are.
        """
        named = {*dict(self._raw.unread), *(column.name for column in self._raw.columns)}
        roles = [(name, self._said.role(name) or "rating") for name in self._names if name in named]
        book = self._options.codebook
        if book is None and not any(role in ("identifier", "quasi", "carry") for _, role in roles):
            return None
        return Roles(tuple(roles), None if book is None else book.sha256, guessed)

    def _repeats(self) -> tuple[tuple[str, int, int], ...]:
        """Return the identifiers of persons that stand in several records."""
        repeats = [self._contents.repeats(column) for column in self._of("identifier")]
        repeats += [self._contents.repeats(column, dropped=True) for column in self._of("drop")]
        return tuple(filter(None, repeats))

    def _unsaid(self, guessed: Sequence[str]) -> Unsaid | None:
        """Return the columns that were taken for ratings on nobody's word; None: there are none."""
        if not self._raw.called or self._options.others is not None:
            return None
        taken = [column.name for column in self._of(None) if column.name not in self._options.only]
        alike = [column.name for column in self._of(None, "rating")]
        blocks = in_blocks([*alike, *guessed])
        return Unsaid.of([name for name in taken if name not in blocks], mixed=bool(blocks))

    def _of(self, *roles: str | None) -> list[RawColumn]:
        """Return the columns of these roles; None: nobody has said any."""
        return [column for column in self._raw.columns if self._said.role(column.name) in roles]

    def _ids(self) -> pl.Series | None:
        column = next(
            (column for column in self._raw.columns if column.name == self._said.id), None
        )
        if column is None:
            return None
        if isinstance(column.cells, pl.Series):
            return column.cells.alias(column.name)
        ids = column.cells.texts.gather(column.cells.codes).alias(column.name)
        return ids.set(ids == "", None) if "" in column.cells.texts else ids

    # -- numbers: a Series a column, null where not rated; what is wrong becomes a problem

    def _typed(self, column: RawColumn) -> pl.Series:
        series = self._contents.typed(column)
        values, doubt = series.drop_nulls(), self._said.role(column.name) is None
        if values.dtype == pl.Boolean:
            self._judge(column, *levels_of_typed(values), 2, doubt=doubt)
        elif values.dtype.is_numeric() and not (
            values.dtype.is_float() and not values.is_finite().all()
        ):
            self._judge(column, *levels_of_typed(values), 0, doubt=doubt)
        return series  # whose other numbers are a problem of their own

    def _numbers(self, column: RawColumn) -> pl.Series:
        name, cells, parsed = column.name, text_cells(column), self._contents.parsed(column)
        undecided, steps = self._said.role(name) is None, 0
        used, _ = cells.used
        if self._said.specs[name].labels or (parsed.kinds[used] == BAD).any():
            understood, look = self._words(column, parsed, used)
            if understood is not None:
                parsed, steps = counted(cells, understood.values), len(understood.words)
                self._labels |= {name: understood.words} if steps else {}
                self._word_scales |= (
                    {name: (1.0, float(steps))} if steps and understood.full else {}
                )
            elif self._note_bad(column, parsed, look if undecided else None):
                kinds = np.where(parsed.kinds == NUMBER, np.uint8(NULL), parsed.kinds)
                parsed = ParsedCells(kinds, parsed.values)
            undecided = undecided and understood is not None
        kind = self._judge(column, *levels_of(cells, parsed), steps, doubt=undecided)
        if kind != "name" and (inexact := parsed.kinds == INEXACT).any():
            rows = np.flatnonzero(inexact[cells.codes])
            self._problems.at(
                rows, lambda row: inexact_rating(text_at(column, row), *self._raw.locate(row, name))
            )
        return self._contents.numbers(column, parsed)

    def _judge(
        self,
        column: RawColumn,
        levels: NDArray[np.float64],
        times: NDArray[np.int64],
        steps: int,
        *,
        doubt: bool,
    ) -> str:
        """Note what is doubtful about numbers, and return of which kind it is.

        Else note them as answers.

        ``doubt`` : whether nobody has called them ratings
        """
        name, spec = column.name, self._said.specs[column.name]
        role, scale, answers = (
            self._said.role(name),
            spec.scale or self._options.scale,
            int(times.sum()),
        )
        if role == "sensitive" and name not in self._options.sensitive_scale and scale is None:
            if (codes := codes_look(levels, answers)) is not None:  # a code raises the SD
                self._doubts.append((name, codes, None))
        elif doubt:
            look = numbers_look(column, levels, answers, scale, located=name in self._located)
            if look.kind:
                self._doubts.append((name, look, None))
                return look.kind
        if role in (None, "rating"):
            free = role is None and name not in self._options.only
            self._answers.append(
                Answers(name, levels, times, spec.scale, steps, free, sense(column))
            )
        return ""

    def _words(
        self, column: RawColumn, parsed: ParsedCells, used: NDArray[np.int64]
    ) -> tuple[Understood | None, Look | None]:
        """Return what the words of a column count, or else what it looks like."""
        cells = text_cells(column)
        texts = cells.texts.gather(used[parsed.kinds[used] != NULL]).to_list()
        by_default = self._contents.unsaid_nulls(column, cells.texts.gather(used).to_list())
        if labels := self._said.specs[column.name].labels:
            return labelled(
                [*texts, *(text for text in by_default if text in labels)], labels
            ), None
        answers = int(np.count_nonzero(parsed.kinds[cells.codes] != NULL))
        look = text_look(column, texts, answers)
        self._few_words.append((column, look, texts))
        if (
            look.understood is not None
            and (step := unanswered_step(texts, by_default, answers)) is not None
        ):
            look = step
        insisted = self._said.role(column.name) is not None and look.kind == "labelled"
        return (look.understood if insisted or not look.kind else None), look

    def _note_bad(self, column: RawColumn, parsed: ParsedCells, look: Look | None) -> bool:
        """Note cells of text: one problem for a column of mostly text, else one a cell.

        Return whether it is a doubt, as there is a ``look`` to a column of text: what it is, is to
        be said.
        """
        cells = text_cells(column)
        kinds = parsed.kinds[cells.codes]
        rows, answers = np.flatnonzero(kinds == BAD), int(np.count_nonzero(kinds != NULL))
        if not (len(rows) > 2 and len(rows) * 2 > answers):
            limit = self._problems.limit
            line = self._place[column.name]
            first = rows[:limit].tolist()
            more = len(rows) - len(first)
            self._texts.extend((row, line, column, 1 + more * (row == first[-1])) for row in first)
            return False
        distinct = pl.Series(cells.codes[rows]).unique(maintain_order=True)
        problem = text_column(
            Place(*self._raw.locate(int(rows[0]), column.name)),
            column.name,
            cells.texts.gather(distinct.head(3)).to_list(),
            len(rows),
            answers,
            ids=self._said.id is None and len(distinct) == self._raw.records,
            sensitive=self._said.role(column.name) == "sensitive",
        )
        if look is None:
            self._problems.add(problem)
        else:
            self._doubts.append((column.name, look, problem))
        return look is not None

    def _note_texts(self) -> None:
        """Note single cells of text in file order; a first row of several belongs to the header."""
        different = {text_at(column, row) for row, _, column, _ in self._texts}
        if len(different) > 1 and not any(row for row, *_ in self._texts) and self._raw.records > 1:
            file, line, _ = self._raw.locate(0, self._texts[0][2].name)
            count = len(self._texts)
            actual = (
                f"text in {count} columns whose other cells are numbers, as in a second row "
                f"of names"
            )
            remedy = "delete the line if it is one, else correct it"
            self._problems.add(
                Problem(file, actual, "one row of names, and records below it", remedy, line)
            )
            return
        for row, _, column, times in sorted(self._texts, key=lambda cell: cell[:2]):
            problem = bad_rating(text_at(column, row), *self._raw.locate(row, column.name))
            self._problems.add(problem, times)

    def _beside(self, columns: Sequence[RawColumn]) -> tuple[str, ...]:
        """Return what is no rating beside the others, a quasi-identifier.

        Note what nobody can say.
        """
        looks = dict(looks_beside(self._answers, self._options.scale)) if self._raw.called else {}
        looks |= self._copied(columns, looks)
        for column in columns:
            look = looks.get(column.name)
            if look is not None and look.kind:
                self._doubts.append((column.name, look, None))
        self._share_words()
        quiet = {name for name, look in looks.items() if look.role == "quasi" and not look.kind}
        guessed = tuple(column.name for column in columns if column.name in quiet)
        # somebody has said that they are ratings
        guessed = guessed if self._options.others is None else ()
        self._said = self._said.with_role("quasi", guessed)
        self._labels = {name: words for name, words in self._labels.items() if name not in guessed}
        raw = dataclasses.replace(self._raw, locate=self._locate)
        note_doubts(self._doubts, raw, self._said.id, self._problems)
        return guessed

    def _copied(self, columns: Sequence[RawColumn], looks: Mapping[str, Look]) -> dict[str, Look]:
        """Return the looks of columns that say what an attribute says."""
        levels = {
            answer.name: len(answer.levels)
            for answer in self._answers
            if answer.free and answer.name not in looks
        }
        free = {
            column.name: (column, levels[column.name])
            for column in columns
            if column.name in levels
        }
        attributes = [column for column in self._raw.columns if self._is_attribute(column, looks)]
        same = {
            name: shown_name(other, self._place[other])
            for name, other in copies(free, attributes).items()
        }
        why = "its values correspond one to one to those of"
        return {name: Look("quasi", "copy", f"{why} {other}") for name, other in same.items()}

    def _share_words(self) -> None:
        """Let columns whose words are those of others be doubted together with these."""
        shared = shared_words(
            few_word for few_word in self._few_words if self._said.role(few_word[0].name) is None
        )
        self._doubts = [
            (name, shared.get(name, look), None if name in shared else problem)
            for name, look, problem in self._doubts
        ]

    def _is_attribute(self, column: RawColumn, looks: Mapping[str, Look]) -> bool:
        """Whether a column is a quasi-identifier, by somebody's word or by its name."""
        role = self._said.role(column.name)
        guess = looks.get(column.name)
        return role == "quasi" or (
            role is None and guess is not None and guess.role == "quasi" and guess.why != CHOICE
        )

    # -- columns that are no ratings

    def _quasi(self, column: RawColumn) -> QuasiColumn:
        spec = self._said.specs[column.name]
        values = self._contents.values(column)
        if not (spec.within is not None or spec.recodes or spec.bands) and self._contents.are_codes(
            column
        ):
            values = self._contents.as_they_are(column)
        if spec.within is not None and values.dtype != pl.Float64:
            file, _, called = self._raw.locate(0, column.name)
            rule = f"within = {in_full(spec.within)}"
            expected = f"numbers, as its rule is {rule}"
            remedy = f"do not set `{rule}`, so that its values have to be equal, "
            remedy += "or name texts that are missing"
            self._problems.add(Problem(file, "text", expected, remedy, None, called))
            values = pl.Series(column.name, [None] * len(values), dtype=pl.Float64)
        distinct, codes = _coded(*self._recoded(values))
        return QuasiColumn(column.name, codes, distinct, spec.within, recode_words(spec))

    def _nominal(self, column: RawColumn) -> SensitiveColumn:
        distinct, codes = _coded(*self._recoded(self._contents.values(column)))
        present = codes >= 0
        values = np.where(present, codes, 0).astype(np.float64)
        labels = [
            number_text(level) if isinstance(level, float) else str(level)
            for level in distinct.to_list()
        ]
        return SensitiveColumn(column.name, values, present, tuple(labels))

    def _recoded(self, values: pl.Series) -> tuple[pl.Series, pl.Series | None]:
        """Return the values of a column as they are released, and, where they were recoded,
        each in order.
        """
        spec = self._said.specs[values.name]
        if not spec.recodes:
            return values, None
        book = self._options.codebook
        distinct = values.drop_nulls().unique().sort()
        made = recoded(
            distinct, spec, place=None if book is None else book.place, problems=self._problems
        )
        every = values.replace_strict(distinct, made, default=None, return_dtype=made.dtype)
        return every.alias(values.name), made.drop_nulls().unique(maintain_order=True)


def _coded(
    values: pl.Series, order: pl.Series | None = None
) -> tuple[pl.Series, NDArray[np.int32]]:
    """Return (distinct values, numbers ascending, texts by first appearance; codes,
    -1 where null).
    """
    distinct = values.drop_nulls().unique(maintain_order=True) if order is None else order
    if distinct.dtype == pl.Float64:
        distinct = distinct.sort()
    codes = values.replace_strict(
        distinct,
        pl.int_range(len(distinct), dtype=pl.Int32, eager=True),
        default=None,
        return_dtype=pl.Int32,
    )
    return distinct, codes.fill_null(-1).to_numpy().astype(np.int32)
