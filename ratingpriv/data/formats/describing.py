"""Describing a file: its columns as they stand there, and what each of them seems to be."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from ratingpriv.data.codebook.cells import NULL, NUMBER
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.contents import Contents, levels_of
from ratingpriv.data.codebook.deciding import RECORD_NAMES, decided, recognise
from ratingpriv.data.codebook.files.frictionless import Field, frictionless_text
from ratingpriv.data.codebook.files.writing import toml_text
from ratingpriv.data.codebook.options import ReadOptions, checked_options
from ratingpriv.data.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.data.codebook.recognition.identifiers import sense_of
from ratingpriv.data.codebook.recognition.long_ratings import refuse_log
from ratingpriv.data.codebook.recognition.looks import MANY_RECORDS, Look, labelled_look, look_of, text_look
from ratingpriv.data.codebook.recognition.side_by_side import Answers, looks_beside
from ratingpriv.data.codebook.recognition.text_scales import Understood
from ratingpriv.data.codebook.roles import ROLES, ColumnSpec
from ratingpriv.data.formats.reading import Detection, Loader, chosen_loader, refuse_unsupported
from ratingpriv.data.formats.sources import Source, naming_source
from ratingpriv.data.table.building.problems import number_text
from ratingpriv.documents import describe as documents
from ratingpriv.documents.making import document_of

_EXAMPLES = 3
_TYPES = {"whole numbers": "integer", "numbers": "number", "text": "string", "yes or no": "boolean"}
_BANDS = "; put it into bands, or leave it out"
_SAID = "said by an option or the codebook"
_SHOWN_RANGES = ("rating", "quasi", "sensitive")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedColumn:
    """One column: what it holds, and what it is proposed to be.

    Attributes
    ----------
    place : its number in the file, from 1
    spec : the role proposed, and what else a codebook should say of it
    why : the reason, in words, without any value of the data
    kind : "whole numbers", "numbers", "text", "numbers and text", "dates", "yes or no", "empty", "not read"
    distinct, answers, missing : how many different values, answers and missing cells; None: not read
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
    def reasons(self) -> Iterator[str]:
        """Yield what a codebook says of it in comments."""
        if self.question:
            yield self.question
        yield f"{self.why}" + (f" ({self.seen})" if self.seen else "")

    @property
    def seen(self) -> str:
        """What it holds, in words."""
        if self.distinct is None or self.answers is None or self.missing is None:
            return ""
        span = "" if self.minimum is None else f" from {number_text(self.minimum)}"
        span += "" if self.maximum is None else f" to {number_text(self.maximum)}"
        cells = self.answers + self.missing
        gone = f", {self.missing / cells:.1%} missing" if self.missing else ""
        return f"{self.kind}{span}, {self.distinct:,} different{gone}"

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as the JSON contract has them."""
        spec = {name: list(value) if isinstance(value, tuple) else value for name, value in self.spec.said()}
        named = {"position": self.place, "type": self.kind, "min": self.minimum, "max": self.maximum}
        return document_of(documents.DescribedColumn, self, codebook=spec, **named)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description(Displayed):
    """A file's columns, described; ``codebook`` is the proposal."""

    name: str
    format: str
    records: int
    columns: tuple[ProposedColumn, ...]
    codebook: Codebook
    cautions: tuple[Caution, ...] = ()

    def __repr__(self) -> str:
        return f"<Description of {self.name!r}: {self.records} records, {len(self.columns)} columns>"

    def of_role(self, role: str) -> tuple[ProposedColumn, ...]:
        """Return the columns proposed for a role."""
        return tuple(column for column in self.columns if column.role == role)

    def comments(self) -> dict[str, tuple[str, ...]]:
        """Return the reasons of every column, by its name, for the codebook's comments."""
        return {column.name: tuple(column.reasons) for column in self.columns}

    def to_frame(self) -> pl.DataFrame:
        """Return one row a column of the file.

        Columns: ``name``, ``position`` (Int64, from 1), ``role``, ``why``, ``type``, ``distinct``,
        ``answers``, ``missing`` (Int64), ``min``, ``max`` (Float64), ``question``; null where it is not
        known.
        """
        texts, numbers = ("role", "why", "type"), ("distinct", "answers", "missing")
        kinds: dict[str, type] = {"name": str, "position": int, **dict.fromkeys(texts, str)}
        kinds |= {**dict.fromkeys(numbers, int), "min": float, "max": float, "question": str}
        return frame_of(
            (column.to_dict() for column in self.columns), {(name,): kind for name, kind in kinds.items()}
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as the JSON contracts have it, but for what every document begins with."""
        return {
            "dataset": {"name": self.name, "format": self.format, "records": self.records},
            "roles": {role: len(self.of_role(role)) for role in ROLES},
            "columns": [column.to_dict() for column in self.columns],
            "cautions": [caution.to_dict() for caution in self.cautions],
        }


def describe_raw(raw: RawData, options: ReadOptions, *, examples: bool = False) -> Description:
    """Return what every column of ``raw`` seems to be; what was said of one stays as it was said."""
    names, known = raw.all_names, raw.known_roles
    said = decided(names, options, file=raw.origin.name, known=known, bare=True)
    if options.silent:
        refuse_log(raw, [one for one in raw.columns if said.role(one.name) is None], said.id)
    read = {column.name: column for column in raw.columns}
    contents = Contents(options, {})
    proposed, answers, cautions = [], [], []
    labels = Counter(column.labels for column in raw.columns)
    ids = said.id or _ids_by_look(raw, said.specs)
    for place, name in enumerate(names, start=1):
        spec = said.specs[name]
        if name == ids:
            spec = dataclasses.replace(spec, role="id")
        column = read.get(name)
        if column is None:
            role = spec.role or dict(raw.unread).get(name, "drop")
            why = _SAID if name not in known else "the format says so"
            spec = dataclasses.replace(spec, role=role)
            proposed.append(ProposedColumn(name=name, place=place, spec=spec, why=why, kind="not read"))
            continue
        ordered = column.ordered or labels[column.labels] > 1
        asked = dataclasses.replace(column, ordered=ordered)
        held = _held(asked, contents)
        look = _look(asked, spec, held, options)
        answered = _answers(asked, spec, held, look, contents)
        found = _proposed(asked, place, spec, held, look)
        if examples:
            found = dataclasses.replace(found, examples=tuple(held.values[:_EXAMPLES]))
        proposed.append(found)
        answers += [] if answered is None else [answered]
        if found.role == "identifier" and (repeated := contents.repeats(column)) is not None:
            cautions.append(identifier_repeats(*repeated))
    looks = looks_beside(answers, options.scale) if raw.called else {}
    proposed = [_beside(one, looks[one.name]) if one.name in looks else one for one in proposed]
    book = (options.codebook or Codebook()).effective(options)
    codebook = Codebook(
        columns=MappingProxyType({one.name: one.spec for one in proposed}),
        missing=book.missing,
        data=MappingProxyType(dict(book.data)),
    )
    return Description(
        name=raw.origin.name,
        format=raw.origin.format,
        records=raw.records,
        columns=tuple(proposed),
        codebook=codebook,
        cautions=tuple(cautions),
    )


def _ids_by_look(raw: RawData, specs: Mapping[str, ColumnSpec]) -> str | None:
    """Return a column that is called like ids of records and has a value of its own in every one."""
    free = {column.name: column for column in raw.columns if specs[column.name].role is None}
    called = [name for name in free if (sense := sense_of(name)) is not None and sense.category == "an id"]
    likely = recognise(called, ("responseid", "respondentid", *RECORD_NAMES))
    for name in ([likely] if likely is not None else []) + called:
        if free[name].distinct == raw.records > 1:
            return name
    return None


class _Held(NamedTuple):
    """What a column holds.

    Attributes
    ----------
    kind : as of ProposedColumn
    levels : its numbers, ascending, where all values are numbers
    words : all values, where some are no numbers
    answers : how many cells have a value
    values : all values as texts
    """

    kind: str
    levels: NDArray[np.float64]
    words: list[str]
    answers: int
    values: list[str]


def _proposed(column: RawColumn, place: int, spec: ColumnSpec, held: _Held, look: Look) -> ProposedColumn:
    """Return what a column is proposed to be."""
    if spec.role is None:
        spec, why = _filled(spec, look), look.why
    else:
        why = column.why if spec.role == column.known_role and column.why else _SAID
        if spec.role == "id" and not column.why:
            why = "named like an id of records"
        if spec.role in ("rating", "sensitive") and look.role == "rating":
            spec = _filled(spec, look)
    ranged = len(held.levels) > 0 and spec.role in _SHOWN_RANGES
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
    )


def _answers(
    column: RawColumn, spec: ColumnSpec, held: _Held, look: Look, contents: Contents
) -> Answers | None:
    """Return the answers of a column that is, or looks like, a rating; or is called like an attribute."""
    free = spec.role is None
    if spec.role not in (None, "rating") or (free and (look.kind or look.role not in ("rating", "quasi"))):
        return None
    understood = look.understood
    if isinstance(column.cells, TextCells):
        _, values, rated = contents.parsed(column)
        if understood is not None:
            texts = column.cells.texts.to_list()
            values = np.array([understood.values.get(text, 0.0) for text in texts])
            rated = np.array([text in understood.values for text in texts])
        levels, times = levels_of(column.cells, values, rated)
    else:
        values = column.cells.drop_nulls().cast(pl.Float64).to_numpy()
        levels, times = np.unique(values[np.isin(values, held.levels)], return_counts=True)
    steps = 2 if held.kind == "yes or no" else 0 if understood is None else len(understood.words)
    return Answers.of(column.name, levels, times, spec.scale, steps, free=free)


def _beside(column: ProposedColumn, look: Look) -> ProposedColumn:
    """Return a column with what it is beside the others."""
    spec = dataclasses.replace(column.spec, role=look.role, labels=())
    more = _BANDS if column.why.endswith(_BANDS) else ""
    return dataclasses.replace(column, spec=spec, why=look.why + more)


def _look(column: RawColumn, spec: ColumnSpec, held: _Held, options: ReadOptions) -> Look:
    """Return what a column looks like, and what to write of it."""
    levels, answers = held.levels, held.answers
    if answers == 0:
        return Look("drop", "", "without any answer")
    if held.kind == "dates":
        return Look("drop", "", "dates and times, which tell when somebody did something")
    if held.words:
        look = text_look(column.name, held.words, answers)
    else:
        look = look_of(column.name, levels, answers, scale=spec.scale or options.scale)
        if look.role == "rating" and not look.kind and len(levels) > 2 and levels[0] == -1 and levels[1] >= 1:
            why = "numbers on few steps, and a -1 below them: a missing code?"
            look = Look("rating", "missing-codes", why, (-1.0,))
        if not look.kind and column.labels:
            look = labelled_look(column.name, column.labels, levels) or look
            if look.kind == "labelled" and column.ordered and sense_of(column.name) is None:
                look = _ordered(column)
    if look.role == "quasi" and answers >= MANY_RECORDS and len(levels) >= 0.9 * answers:
        return dataclasses.replace(look, why=f"{look.why}{_BANDS}")
    return look


def _ordered(column: RawColumn) -> Look:
    """Return the look of numbers with words in an order, or the words of several columns: to be confirmed."""
    words = tuple(word for _, word in column.labels)
    counted = [value for value, _ in column.labels] == list(range(1, len(words) + 1))
    values = {word: value for value, word in column.labels}
    why = "words in an order that no known scale has: confirm that they count from low to high"
    understood = Understood(values, words if counted else (), "labels", len(words) > 1)
    return Look("rating", "labelled", why, understood=understood)


def _filled(spec: ColumnSpec, look: Look) -> ColumnSpec:
    """Return what is said of a column with what is proposed beside it."""
    said: dict[str, Any] = {"role": spec.role or look.role}
    if look.understood is not None and look.understood.words and not spec.labels and spec.scale is None:
        said["labels"] = look.understood.words
    gone = (*(number_text(code) for code in look.codes), *look.texts)
    if gone:
        said["missing"] = tuple(dict.fromkeys((*spec.missing, *gone)))
    return dataclasses.replace(spec, **said)


def _held(column: RawColumn, contents: Contents) -> _Held:
    """Return what a column holds, in the order of its distinct values."""
    none = np.empty(0, dtype=np.float64)
    if isinstance(column.cells, TextCells):
        kinds, values = contents.parsed(column)[0].kinds, contents.parsed(column)[0].values
        used, times = column.cells.used()
        there = kinds[used] != NULL
        used, answers = used[there], int(times[there].sum())
        numbers = kinds[used] == NUMBER
        texts = column.cells.texts.gather(used).to_list()
        if numbers.all():
            levels = np.unique(values[used])
            return _Held(_numbers_kind(levels), levels, [], answers, texts)
        kind = "dates" if _dates(texts) else "numbers and text" if numbers.any() else "text"
        return _Held(kind, none, texts, answers, texts)
    cells = column.cells.drop_nulls()
    if cells.dtype == pl.Boolean:
        distinct = cells.unique().sort()
        levels = distinct.cast(pl.Float64).to_numpy()
        return _Held("yes or no", levels, [], len(cells), [str(one) for one in distinct])
    if cells.dtype.is_numeric():
        cells = cells.cast(pl.Float64)
        cells = cells.filter(cells.is_finite() & ~cells.is_in(sorted(contents.nulls.numbers)))
        levels = cells.unique().sort().to_numpy()
        return _Held(_numbers_kind(levels), levels, [], len(cells), [*map(number_text, levels.tolist())])
    if cells.dtype.is_temporal():
        return _Held("dates", none, [], len(cells), [str(one) for one in cells.unique().sort()])
    cells = cells.cast(pl.String)
    cells = cells.filter(pl.Series([text not in contents.nulls for text in cells], dtype=pl.Boolean))
    words = cells.unique(maintain_order=True).to_list()
    return _Held("text" if words else "empty", none, words, len(cells), words)


def _numbers_kind(levels: NDArray[np.float64]) -> str:
    whole = bool(np.all(levels == np.floor(levels)))
    return "empty" if len(levels) == 0 else "whole numbers" if whole else "numbers"


def _dates(texts: Sequence[str]) -> bool:
    """Whether texts are dates, or dates with times, in the usual forms of exports."""
    some = pl.Series(texts[:1000], dtype=pl.String)
    form = r"^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?.{0,12})?$"
    return bool(some.str.contains(form).all())


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
    path, format, options, on_detect : as for :func:`ratingpriv.read`; what they say of a column stays
    examples : whether the result has some values of each column; without, it has none but the words of known
        scales, what may be missing codes, and the least and the greatest number

    Raises
    ------
    DataError
        The file cannot be read, or has no columns of answers: it has a row a rating, or a layout of its own.
    ParameterError
        An option is unknown or does not fit.
    """
    options = checked_options(options, {})
    checks.flag("examples", examples)
    source = path if isinstance(path, Source) else Source(path)
    loader = chosen_loader(source, format, options, on_detect)
    read = getattr(loader, "raw", None)
    if read is None:
        expected = "a file with a row a record, to be described by column"
        remedy = "ratings in this format need no codebook: audit them"
        raise DataError(Problem(source.name, f"data of the format {loader.name}", expected, remedy))
    refuse_unsupported(loader, options)
    raw: RawData = read(source, options)
    source.refuse_changed()
    return describe_raw(raw, options, examples=examples)


def proposal_text(description: Description, data: str, output: str, *, frictionless: bool) -> str:
    """Return the codebook that a description proposes, as a file ``output`` beside ``data`` has it.

    ``frictionless`` : as a Table Schema; else as TOML, with the reasons as comments and a run to uncomment
    """
    if frictionless:
        fields = [
            Field(name=column.name, type=_TYPES.get(column.kind, "any"), description=column.question or "")
            for column in description.columns
        ]
        return frictionless_text(description.codebook, fields)
    name = Path(description.name).name
    opening = (
        f"Proposed by `ratingpriv describe` for {name}: read it, and correct what is wrong.",
        "Roles: id, identifier, rating, quasi, sensitive, carry, drop.",
    )
    beside = data if Path(data).is_absolute() else os.path.relpath(data, Path(output).parent)
    closing = () if data == "-" else run_proposal(beside)
    return toml_text(description.codebook, description.comments(), opening=opening, closing=closing)


def run_proposal(data: str) -> tuple[str, ...]:
    """Return lines that are tables of a run on ``data``, once the ``#`` before each is taken away."""
    import tomlkit

    return (
        "A rating is compared within epsilon. A question of two answers (yes/no) tells nobody apart from",
        "epsilon = 1 on: role quasi compares it as equal.",
        "When every role above is right, take the # off the lines below, choose k and epsilon",
        "(ratingpriv frontier shows what is within reach), and: ratingpriv run THIS FILE",
        "",
        "[run]",
        f"data = {tomlkit.string(data).as_string()}",
        'output = "out"',
        'steps = ["describe", "audit", "frontier", "anonymize", "verify", "attack", "utility", "report"]',
        'gates = ["anonymize", "verify"]',
        "[audit]",
        "k = 5",
        "epsilon = 1",
        "[frontier]",
        "k = 5",
        "partition = false",
        "[anonymize]",
        "k = 5",
        "epsilon = 1",
        'method = "modify"',
        "[attack]",
        'adversary = "colleague"',
    )
