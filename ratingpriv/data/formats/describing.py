"""Describing a file: its columns as they stand there, and what each of them seems to be."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.cautions import Caution, identifier_repeats
from ratingpriv.base.display import Displayed
from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.frames import frame_of
from ratingpriv.data.codebook.cells import (
    NULL,
    NUMBER,
    Contents,
    counted,
    levels_of,
    levels_of_typed,
)
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.deciding import RECORD_NAMES, decided, recognise
from ratingpriv.data.codebook.files.frictionless import Field, frictionless_text
from ratingpriv.data.codebook.files.toml_file import toml_text
from ratingpriv.data.codebook.merging import effective
from ratingpriv.data.codebook.options import ReadOptions, checked_options
from ratingpriv.data.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.data.codebook.recognition.beside import CHOICE, Answers, copies, looks_beside
from ratingpriv.data.codebook.recognition.identifiers import beside_coordinates, sense_of
from ratingpriv.data.codebook.recognition.long_ratings import refuse_log
from ratingpriv.data.codebook.recognition.looks import MANY_RECORDS, Look
from ratingpriv.data.codebook.recognition.shared_words import shared_words
from ratingpriv.data.codebook.recognition.text_scales import Understood
from ratingpriv.data.codebook.recognition.worded import numbers_look, sense, text_look
from ratingpriv.data.codebook.roles import AUDITED, ROLES, ColumnSpec
from ratingpriv.data.formats.reading import Detection, Loader, chosen_loader, refuse_unsupported
from ratingpriv.data.formats.sources import Source, naming_source
from ratingpriv.data.table.building.problems import number_text
from ratingpriv.data.table.parts import Multiline
from ratingpriv.documents import data as documents
from ratingpriv.documents.making import document_of

_EXAMPLES = 3
_TYPES = {"whole numbers": "integer", "numbers": "number", "text": "string", "yes or no": "boolean"}
_BANDS = "; put it into bands, or drop it"
_SAID = "said by an option or the codebook"
# as exports have
_DATE = r"^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?.{0,12})?$"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedColumn:
    """One column: what it holds, and what it is proposed to be.

    Attributes
    ----------
    name : as the file has it
    place : its number in the file, from 1
    spec : the role proposed, and what else a codebook should say of it
    why : the reason, in words, without any value of the data
    kind : "whole numbers", "numbers", "text", "numbers and text", "dates", "yes or no", "empty",
        "not read"
    distinct, answers, missing : how many different values, answers and missing cells; None: not
        read
    minimum, maximum : of numbers that are proposed as something else than identifiers; else None
    question : what was asked, as the format tells it
    examples : a few values, only where they were asked for
    """

    name: str
    place: int
    spec: ColumnSpec
    why: str
    kind: str
    distinct: int | None = None
    answers: int | None = None
    missing: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    question: str | None = None
    examples: tuple[str, ...] = ()

    @property
    def role(self) -> str:
        """The role proposed."""
        return self.spec.role or "drop"

    @property
    def reasons(self) -> tuple[str, ...]:
        """What a codebook says of it in comments: what was asked, why, and what it holds."""
        seen = ""
        if self.distinct is not None and self.answers is not None and self.missing is not None:
            span = "" if self.minimum is None else f" from {number_text(self.minimum)}"
            span += "" if self.maximum is None else f" to {number_text(self.maximum)}"
            share = self.missing / (self.answers + self.missing) if self.missing else 0
            gone = f", {share:.1%} missing" if self.missing else ""
            seen = f" ({self.kind}{span}, {self.distinct:,} different{gone})"
        return (*([self.question] if self.question else []), self.why + seen)

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as the JSON contract has them."""
        spec = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.spec.said()
        }
        named = {
            "position": self.place,
            "type": self.kind,
            "min": self.minimum,
            "max": self.maximum,
        }
        return document_of(documents.DescribedColumn, self, codebook=spec, **named)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description(Displayed):
    """A file's columns, described.

    Attributes
    ----------
    name, format : of the file
    records : how many rows it has
    columns : each of them, in the file's order
    codebook : the proposal
    cautions : what to know of the columns
    multiline : counts cells over several lines; None where it is no text
    previews : rows that a survey tool marks as previews, left out
    """

    name: str
    format: str
    records: int
    columns: tuple[ProposedColumn, ...]
    codebook: Codebook
    cautions: tuple[Caution, ...] = ()
    multiline: Multiline | None = None
    previews: int = 0

    def __repr__(self) -> str:
        return (
            f"<Description of {self.name!r}: {self.records} records, {len(self.columns)} columns>"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return one row a column of the file.

        Columns: ``name``, ``position`` (Int64, from 1), ``role``, ``why``, ``type``, ``distinct``,
        ``answers``, ``missing`` (Int64), ``min``, ``max`` (Float64), ``question``; null where it is
        not known.
        """
        kinds: dict[tuple[str, ...], type] = {("name",): str, ("position",): int}
        kinds |= {(text,): str for text in ("role", "why", "type")}
        kinds |= {(number,): int for number in ("distinct", "answers", "missing")}
        kinds |= {("min",): float, ("max",): float, ("question",): str}
        return frame_of((column.to_dict() for column in self.columns), kinds)

    def to_dict(self) -> dict[str, Any]:
        """Return it as the JSON contracts have it, but for what every document begins with."""
        return {
            "dataset": document_of(documents.DescribedFile, self),
            "roles": {role: sum(column.role == role for column in self.columns) for role in ROLES},
            "columns": [column.to_dict() for column in self.columns],
            "cautions": [caution.to_dict() for caution in self.cautions],
        }


def describe_raw(raw: RawData, options: ReadOptions, *, examples: bool = False) -> Description:
    """Return what every column of ``raw`` seems to be.

    What was said of one stays as it was said.
    """
    names, known_roles = raw.all_names, raw.known_roles
    decisions = decided(names, options, file=raw.origin.name, known=known_roles, bare=True)
    undecided = [column for column in raw.columns if decisions.role(column.name) is None]
    if options.silent:
        refuse_log(raw, undecided, decisions.id)
    contents, ids = Contents(options, {}), decisions.id or _ids_by_look(raw.records, undecided)
    specs = dict(decisions.specs)
    if ids is not None:
        specs[ids] = dataclasses.replace(specs[ids], role="id")
    seen = _seen(raw, contents, specs, options)
    beside = _looks_beside(raw, seen, specs, options)
    proposed = tuple(
        _proposed(seen[name], number, specs[name], beside.get(name), _EXAMPLES * examples)
        if name in seen
        else _not_read(raw, name, number, specs[name])
        for number, name in enumerate(names, start=1)
    )
    looked_at = [
        made for made in proposed if made.role in ("id", "identifier", "drop") and made.name in seen
    ]
    repeated = [
        contents.repeats(seen[made.name].column, ids=made.role == "id") for made in looked_at
    ]
    book = effective(options.codebook or Codebook(), options)
    return Description(
        name=raw.origin.name,
        format=raw.origin.format,
        records=raw.records,
        columns=proposed,
        codebook=Codebook(
            columns=MappingProxyType({made.name: made.spec for made in proposed}),
            missing=book.missing,
            data=MappingProxyType(dict(book.data)),
        ),
        cautions=tuple(identifier_repeats(*repeat) for repeat in repeated if repeat is not None),
        multiline=raw.origin.details.get("multiline"),
        previews=raw.origin.details.get("previews", 0),
    )


def _seen(
    raw: RawData, contents: Contents, specs: Mapping[str, ColumnSpec], options: ReadOptions
) -> dict[str, _Held]:
    """Return what each column holds, and what it looks like by itself
    and by the words that it shares.
    """
    often, located = (
        Counter(column.labels for column in raw.columns),
        beside_coordinates(raw.all_names),
    )
    seen = {}
    for column in raw.columns:
        ordered = column.ordered or often[column.labels] > 1
        held = _held(dataclasses.replace(column, ordered=ordered), contents)
        look = _look(
            held, specs[column.name].scale or options.scale, located=column.name in located
        )
        seen[column.name] = held._replace(look=look)
    words = [
        (one.column, one.look, list(one.words))
        for one in seen.values()
        if specs[one.column.name].role is None
    ]
    for name, look in shared_words(words).items():
        seen[name] = seen[name]._replace(look=look)
    return seen


def _looks_beside(
    raw: RawData, seen: Mapping[str, _Held], specs: Mapping[str, ColumnSpec], options: ReadOptions
) -> dict[str, Look]:
    """Return what columns look like beside the others,
    where that differs from what they do alone.
    """
    answers = [
        answer for held in seen.values() for answer in _answers(held, specs[held.column.name])
    ]
    beside = dict(looks_beside(answers, options.scale)) if raw.called else {}
    # somebody has said that they are ratings: what is left is to be asked
    if options.others is not None:
        beside = {name: look for name, look in beside.items() if look.kind}
        free = {
            name: held.look
            for name, held in seen.items()
            if specs[name].role is None and name not in beside
        }
        guesses = [name for name, look in free.items() if look.role == "quasi" and not look.kind]
        beside |= {name: Look("rating", "", _SAID) for name in guesses}
    return {**_copies(seen, specs, beside), **beside}


def _not_read(raw: RawData, name: str, place: int, spec: ColumnSpec) -> ProposedColumn:
    """Return what is proposed for a column that the format does not read."""
    spec = dataclasses.replace(spec, role=spec.role or dict(raw.unread).get(name, "drop"))
    why = _SAID if name not in raw.known_roles else "the format says so"
    return ProposedColumn(name=name, place=place, spec=spec, why=why, kind="not read")


def _ids_by_look(records: int, undecided: Sequence[RawColumn]) -> str | None:
    """Return a column that is called like ids of records and has a
    value of its own in every one.
    """
    free = {column.name: column for column in undecided}
    called = [
        name for name in free if (sense := sense_of(name)) is not None and sense.category == "an id"
    ]
    likely = recognise(called, ("responseid", "respondentid", *RECORD_NAMES))
    candidates = ([] if likely is None else [likely]) + called
    return next((name for name in candidates if free[name].distinct == records > 1), None)


class _Held(NamedTuple):
    """What a column holds, and what it looks like.

    Attributes
    ----------
    kind : as of ProposedColumn
    answers : how many cells have a value
    values : the distinct values, as texts
    levels, times : the numbers among them, ascending, and how many cells have each
    words : ``values`` where some are no numbers, else empty
    """

    column: RawColumn
    kind: str
    answers: int
    values: list[str]
    levels: NDArray[np.float64] = np.empty(0)
    times: NDArray[np.int64] = np.empty(0, np.int64)
    words: Sequence[str] = ()
    look: Look = Look("drop")


def _held(column: RawColumn, contents: Contents) -> _Held:
    if isinstance(column.cells, TextCells):
        parsed = contents.parsed(column)
        used, times = column.cells.used
        present = parsed.kinds[used] != NULL
        answers, texts = (
            int(times[present].sum()),
            column.cells.texts.gather(used[present]).to_list(),
        )
        levels, often = levels_of(column.cells, parsed)
        if (parsed.kinds[used[present]] == NUMBER).all():
            return _Held(column, _numbers_kind(levels), answers, texts, levels, often)
        dates = pl.Series(texts[:1000], dtype=pl.String).str.contains(_DATE).all()
        kind = "dates" if dates else "numbers and text" if len(levels) else "text"
        return _Held(column, kind, answers, texts, levels, often, texts)
    cells = contents.typed(column).drop_nulls()
    boolean = cells.dtype == pl.Boolean
    if cells.dtype.is_numeric() or boolean:
        cells = cells.filter(cells.is_finite()) if cells.dtype.is_float() else cells
        levels, often = levels_of_typed(cells)
        shown = [str(bool(level)) if boolean else number_text(level) for level in levels.tolist()]
        kind = "yes or no" if boolean else _numbers_kind(levels)
        return _Held(column, kind, len(cells), shown, levels, often)
    if cells.dtype.is_temporal():
        return _Held(column, "dates", len(cells), [str(value) for value in cells.unique().sort()])
    words = cells.cast(pl.String).unique(maintain_order=True).to_list()
    return _Held(column, "text" if words else "empty", len(cells), words, words=words)


def _numbers_kind(levels: NDArray[np.float64]) -> str:
    integral = bool(np.all(levels == np.floor(levels)))
    return "empty" if len(levels) == 0 else "whole numbers" if integral else "numbers"


def _copies(
    seen: Mapping[str, _Held], specs: Mapping[str, ColumnSpec], beside: Mapping[str, Look]
) -> dict[str, Look]:
    """Return the looks of what is taken for ratings, and says the same as an attribute."""
    looks = {name: beside.get(name, held.look) for name, held in seen.items()}
    roles = {name: specs[name].role or look.role for name, look in looks.items()}
    free = {
        name: (held.column, len(held.values))
        for name, held in seen.items()
        if specs[name].role is None and roles[name] == "rating"
    }
    columns_known = [
        seen[name].column for name in seen if roles[name] == "quasi" and looks[name].why != CHOICE
    ]
    whys = {
        name: f"its values correspond one to one to those of {other}"
        for name, other in copies(free, columns_known).items()
    }
    return {name: Look("quasi", "copy", why) for name, why in whys.items()}


def _look(held: _Held, scale: tuple[float, float] | None, *, located: bool) -> Look:
    column, levels, answers = held.column, held.levels, held.answers
    if answers == 0:
        return Look("drop", "", "without any value")
    if held.kind == "dates":
        return Look("drop", "", "dates and times of a person's acts")
    if held.words:
        return text_look(column, held.words, answers)
    look = numbers_look(column, levels, answers, scale, located=located)
    if (
        look.role == "rating"
        and not look.kind
        and len(levels) > 2
        and levels[0] == -1
        and levels[1] >= 1
    ):
        why = "numbers on few steps, and a -1 below them: a missing code?"
        return Look("rating", "missing-codes", why, (-1.0,))
    if look.kind == "labelled" and column.ordered and sense(column) is None:
        words = tuple(word for _, word in column.labels)
        counted = [value for value, _ in column.labels] == list(range(1, len(words) + 1))
        values = {word: value for value, word in column.labels}
        why = "words in an order that no known scale has: confirm that they count from low to high"
        understood = Understood(values, words if counted else (), "labels", len(words) > 1)
        return Look("rating", "labelled", why, understood=understood)
    if look.role == "quasi" and answers >= MANY_RECORDS and len(levels) >= 0.9 * answers:
        return dataclasses.replace(look, why=f"{look.why}{_BANDS}")
    return look


def _answers(held: _Held, spec: ColumnSpec) -> list[Answers]:
    """Return the answers of a column that is, or looks like, a rating.

    Or is called like an attribute.
    """
    column, look, free = held.column, held.look, spec.role is None
    if spec.role not in (None, "rating") or (
        free and (look.kind or look.role not in ("rating", "quasi"))
    ):
        return []
    levels, times, understood = held.levels, held.times, look.understood
    if isinstance(column.cells, TextCells) and understood is not None:
        levels, times = levels_of(column.cells, counted(column.cells, understood.values))
    steps = 2 if held.kind == "yes or no" else 0 if understood is None else len(understood.words)
    return [Answers(column.name, levels, times, spec.scale, steps, free, sense(column))]


def _proposed(
    held: _Held, place: int, spec: ColumnSpec, beside: Look | None, examples: int
) -> ProposedColumn:
    """Return what a column is proposed to be; ``beside`` is what it
    looks like beside the others.
    """
    column, look, why = held.column, held.look, held.look.why
    if beside is not None:
        spec = dataclasses.replace(spec, role=beside.role, labels=())
        why = beside.why + (_BANDS if why.endswith(_BANDS) else "")
    else:
        why = _why_said(column, spec) if spec.role is not None else why
        spec = _as_it_looks(spec, look)
    ranged = len(held.levels) > 0 and not held.words and spec.role in AUDITED
    cells = len(column.cells if isinstance(column.cells, pl.Series) else column.cells.codes)
    return ProposedColumn(
        name=column.name,
        place=place,
        spec=spec,
        why=why,
        kind=held.kind,
        distinct=len(held.values),
        answers=held.answers,
        missing=cells - held.answers,
        question=column.question,
        minimum=float(held.levels[0]) if ranged else None,
        maximum=float(held.levels[-1]) if ranged else None,
        examples=tuple(held.values[:examples]),
    )


def _why_said(column: RawColumn, spec: ColumnSpec) -> str:
    """Return why a column has the role that was said of it."""
    if spec.role == "id" and not column.why:
        return "named like an id of records"
    return column.why if spec.role == column.known_role and column.why else _SAID


def _as_it_looks(spec: ColumnSpec, look: Look) -> ColumnSpec:
    """Return what is said of a column, and its role,
    words of a scale and missing codes by its look.
    """
    if not (spec.role is None or (spec.role in ("rating", "sensitive") and look.role == "rating")):
        return spec
    more: dict[str, Any] = {"role": spec.role or look.role}
    if (
        look.understood is not None
        and look.understood.words
        and not spec.labels
        and spec.scale is None
    ):
        more["labels"] = look.understood.words
    codes = (*map(number_text, look.codes), *look.texts)
    return dataclasses.replace(spec, missing=tuple(dict.fromkeys((*spec.missing, *codes))), **more)


@naming_source
def describe(
    path: str | Path | Source,
    *,
    format: str | None = None,  # noqa: A002 -- the word of --format
    options: ReadOptions | None = None,
    examples: bool = False,
    on_detect: Callable[[Loader, Detection], None] | None = None,
) -> Description:
    """Describe the columns of a file with a row a record, and propose a codebook.

    Parameters
    ----------
    path, format, options, on_detect : as for :func:`ratingpriv.read`; what they say of a column
        stays
    examples : whether the result has some values of each column; without, it has none but the words
        of known scales, what may be missing codes, and the least and the greatest number

    Raises
    ------
    DataError
        The file cannot be read, or has no columns of answers: it has a row a rating, or a layout of
        its own.
    """
    options = checked_options(options, {})
    checks.flag("examples", examples)
    source = path if isinstance(path, Source) else Source(path)
    loader = chosen_loader(source, format, options, on_detect)
    read = getattr(loader, "raw", None)
    if read is None:
        expected = "a file with one row per record, to be described by column"
        remedy = "ratings in this format need no codebook: audit them"
        raise DataError(Problem(source.name, f"data of the format {loader.name}", expected, remedy))
    refuse_unsupported(loader, options)
    raw: RawData = read(source, options)
    source.refuse_changed()
    return describe_raw(raw, options, examples=examples)


def proposal_text(description: Description, data: str, output: str, *, frictionless: bool) -> str:
    """Return the codebook that a description proposes, as a file ``output`` beside ``data`` has it.

    ``frictionless`` : as a Table Schema; else as TOML, with the reasons as comments and a run to
    uncomment
    """
    import tomlkit

    if frictionless:
        fields = [
            Field(
                name=column.name,
                type=_TYPES.get(column.kind, "any"),
                description=column.question or "",
            )
            for column in description.columns
        ]
        return frictionless_text(description.codebook, fields)
    name = Path(description.name).name
    opening = (
        f"Proposed by `ratingpriv describe` for {name}: read it, and correct what is wrong.",
        "Roles: id, identifier, rating, quasi, sensitive, carry, drop.",
    )
    beside = data if Path(data).is_absolute() else os.path.relpath(data, Path(output).parent)
    # is behind # in the codebook
    run = Path(__file__).with_name("run.txt").read_text(encoding="utf-8")
    closing = (
        () if data == "-" else run.replace("DATA", tomlkit.string(beside).as_string()).splitlines()
    )
    return toml_text(
        description.codebook,
        {column.name: column.reasons for column in description.columns},
        opening=opening,
        closing=closing,
    )
