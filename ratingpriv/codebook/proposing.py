"""What each column seems to be, and why: a codebook for a person to check.

When in doubt a column is proposed as an identifier or left out: a rating too few costs an answer, an
identifier among the ratings costs a person.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ratingpriv.codebook.cells import BAD, INEXACT, NULL, NUMBER, NullTokens, parse_cells
from ratingpriv.codebook.codebook import Codebook
from ratingpriv.codebook.deciding import Decided, decided
from ratingpriv.codebook.options import ReadOptions
from ratingpriv.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.codebook.recognition.identifiers import sense_of
from ratingpriv.codebook.recognition.looks import Look, labelled_look, look_of, text_look
from ratingpriv.codebook.roles import ColumnSpec

__all__ = ["Proposal", "proposals", "proposed_codebook"]

_EXAMPLES = 3
_HIDDEN = ("identifier", "drop", "id")


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a column seems to be.

    Attributes
    ----------
    name : as in the data
    role : proposed, or said
    reason : why, in words, without any value of the data
    said : whether an option, a codebook or the format says the role
    type : number, text, words (answers on a known scale), date, empty or unread
    distinct, missing : how many different values, and the share of records without one; None: not read
    range : smallest and largest number; None for text, and where the role keeps the values from a release
    question : what was asked, as the format tells it
    spec : what to write into a codebook
    examples : some values
    whole : whether its numbers are whole
    """

    name: str
    role: str
    reason: str
    said: bool = False
    type: str = "unread"
    distinct: int | None = None
    missing: float | None = None
    range: tuple[float, float] | None = None
    question: str | None = None
    spec: ColumnSpec = dataclasses.field(default_factory=ColumnSpec)
    examples: tuple[str, ...] = ()
    whole: bool = False

    @property
    def field_type(self) -> str:
        """The type of a Table Schema's field."""
        if self.type == "number":
            return "integer" if self.whole else "number"
        return "string" if self.type in ("text", "words") else "any"

    def to_dict(self, *, examples: bool = False) -> dict[str, Any]:
        """Return the attributes as the JSON contracts have them; values only with ``examples``."""
        ends = self.range
        return {
            "name": self.name,
            "role": self.role,
            "reason": self.reason,
            "said": self.said,
            "type": self.type,
            "distinct": self.distinct,
            "range": None if ends is None else [int(end) if end == int(end) else end for end in ends],
            "missing": self.missing,
            "question": self.question,
            **({"examples": list(self.examples)} if examples else {}),
        }


def proposals(raw: RawData, options: ReadOptions) -> tuple[Proposal, ...]:
    """Return what each column seems to be, in the data's order.

    Raises
    ------
    DataError, ParameterError
        As :func:`ratingpriv.codebook.deciding.decided`: what is said does not fit the columns.
    """
    names = raw.names or (*(c.name for c in raw.columns), *(name for name, _ in raw.unread))
    known = {name: role for name, role in raw.unread if role == "identifier"}
    known |= {c.name: c.known_role for c in raw.columns if c.known_role is not None}
    said = decided(names, options, file=raw.origin.name, known=known, bare=True)
    nulls = NullTokens(options, () if options.codebook is None else options.codebook.missing)
    columns = {column.name: column for column in raw.columns}
    unread = dict(raw.unread)
    found = []
    for name in names:
        if name in columns:
            found.append(_proposal(columns[name], said, nulls, raw.records, options))
        elif name in unread:
            found.append(Proposal(name, unread[name], "as said", said=True))
    return tuple(_with_id(found, raw.records))


def proposed_codebook(
    found: tuple[Proposal, ...], *, data: Mapping[str, Any]
) -> tuple[Codebook, dict[str, tuple[str, ...]]]:
    """Return (the codebook of these proposals, lines of comment by column); ``data`` is its ``[data]``."""
    columns = {one.name: dataclasses.replace(one.spec, role=one.role) for one in found}
    return Codebook(columns=columns, data=dict(data)), {one.name: tuple(_comment(one)) for one in found}


def _comment(one: Proposal) -> Iterator[str]:
    if one.question:
        yield one.question
    facts = [one.reason, one.type]
    if one.distinct is not None:
        facts.append(f"{one.distinct:,} different")
    if one.range is not None:
        facts.append(f"{one.range[0]:g} to {one.range[1]:g}")
    if one.missing:
        facts.append(f"{100 * one.missing:.3g} % missing")
    yield "; ".join(facts)


def _with_id(found: list[Proposal], records: int) -> list[Proposal]:
    """Name the column of record ids: the first that is named like an id and never repeats a value."""
    if any(one.role == "id" for one in found):
        return found
    for place, one in enumerate(found):
        sense = sense_of(one.name)
        unique = one.distinct == records and one.missing == 0
        if not one.said and unique and sense is not None and sense.category == "an id":
            reason = "named like an id, another value in every record"
            found[place] = dataclasses.replace(one, role="id", reason=reason)
            break
    return found


def _proposal(
    column: RawColumn, said: Decided, nulls: NullTokens, records: int, options: ReadOptions
) -> Proposal:
    role, spec = said.role(column.name), said.specs[column.name]
    numbers, texts, answers, kind, examples = _content(column, nulls)
    distinct = len(numbers) + len(texts)
    look = _look(column, numbers, texts, answers, kind, spec.scale or options.scale)
    if texts and look.understood is not None:
        kind = "words"
    missing = 1 - answers / records if records else 0.0
    if role is None:
        role, reason = look.role, look.why
        spec = dataclasses.replace(spec, **_more(look, numbers, role))
    else:
        reason = column.why or ("named like a column of record ids" if role == "id" else "as said")
        if role == "id" and options.id is None and column.known_role is None:
            reason = "named like a column of record ids"
    ends = None
    if len(numbers) and not texts and role not in _HIDDEN:
        ends = (float(numbers[0]), float(numbers[-1]))
    return Proposal(
        column.name,
        role,
        reason,
        said=said.role(column.name) is not None,
        type=kind,
        distinct=distinct,
        missing=missing,
        range=ends,
        question=column.question,
        spec=spec,
        examples=examples,
        whole=bool(len(numbers) and np.all(numbers == np.floor(numbers))),
    )


def _more(look: Look, numbers: np.ndarray, role: str) -> dict[str, Any]:
    """Return what a proposal says of a column beside its role."""
    more: dict[str, Any] = {}
    if role == "rating" and look.understood is not None and look.understood.full:
        more["labels"] = look.understood.words
    silent = [f"{code:g}" if code == int(code) and abs(code) < 1e6 else repr(code) for code in look.codes]
    silent = [text.removesuffix(".0") for text in silent] + list(look.texts)
    if silent:
        more["missing"] = tuple(silent)
    return more


def _content(column: RawColumn, nulls: NullTokens) -> tuple[np.ndarray, list[str], int, str, tuple[str, ...]]:
    """Return (distinct numbers, ascending; distinct texts; how many cells have either; type; examples)."""
    if isinstance(column.cells, TextCells):
        used = np.unique(column.cells.codes)
        texts = column.cells.texts.gather(used)
        parsed = parse_cells(texts, nulls)
        numbers = np.unique(parsed.values[parsed.kinds == NUMBER])
        other = np.isin(parsed.kinds, (BAD, INEXACT))
        words = texts.filter(pl.Series(other)).to_list()
        silent = np.zeros(len(column.cells.texts), dtype=bool)
        silent[used[parsed.kinds == NULL]] = True
        answers = len(column.cells.codes) - int(np.count_nonzero(silent[column.cells.codes]))
        first = tuple(texts.filter(pl.Series(parsed.kinds != NULL)).head(_EXAMPLES).to_list())
        return numbers, words, answers, _type(len(numbers), len(words)), first
    there = column.cells.drop_nulls()
    distinct = there.unique(maintain_order=True)
    examples = tuple(str(value) for value in distinct.head(_EXAMPLES).to_list())
    if there.dtype.is_numeric() or there.dtype == pl.Boolean:
        values = distinct.cast(pl.Float64).sort().to_numpy()
        return values[np.isfinite(values)], [], len(there), _type(len(values), 0), examples
    if there.dtype.is_temporal():
        return np.empty(0), [str(value) for value in distinct.to_list()], len(there), "date", examples
    words = [text for text in distinct.cast(pl.String).to_list() if text not in nulls]
    return np.empty(0), words, len(there), _type(0, len(words)), examples


def _type(numbers: int, texts: int) -> str:
    return "text" if texts else "number" if numbers else "empty"


def _look(
    column: RawColumn,
    numbers: np.ndarray,
    texts: list[str],
    answers: int,
    kind: str,
    scale: tuple[float, float] | None,
) -> Look:
    name = column.name
    if kind == "empty":
        return Look("drop", "", "nothing in it")
    if kind == "date":
        return Look("drop", "", "dates or times")
    if texts:
        every = [*texts, *(f"{value:g}" for value in numbers.tolist())]
        return text_look(name, every, answers)
    look = look_of(name, numbers, answers, scale=scale)
    if not look.kind and column.labels:
        look = labelled_look(name, column.labels, numbers) or look
    if look.kind == "missing-codes" and (sense := sense_of(name)) is not None and sense.role == "quasi":
        return dataclasses.replace(look, role="quasi", why=f"{look.why} Named like {sense.category}")
    if look.role == "rating" and not look.kind and len(numbers) > 1 and numbers[0] < 0 < numbers[1]:
        code = float(numbers[0])
        if code in (-1, -2, -7, -8, -9) and numbers[1] >= 1:
            why = "numbers on few steps; the negative one may be a missing code"
            return Look("rating", "", why, (code,))
    sense = sense_of(name)
    if sense is not None and sense.role != "quasi" and look.role == "rating" and not look.kind:
        return Look("rating", "", f"{look.why}, though named like {sense.category}")
    return look
