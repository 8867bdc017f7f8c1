"""What a verdict says little about, because of what was asked: cautions on a target,
whatever is found.

They are due beside an audit, a frontier and a partition alike; those on what columns are, beside
every result. A question, a quasi-identifier or a demand *is idle*, and a verdict with it has a
reservation, if no record of these data could fail it whatever else holds. That is decided from the
values that are there, and never from what is declared of them. The one question whose answers are
all the same and which is not idle has no answer of some records: there whether it is answered tells
records apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.cautions import WILDCARD, Caution, identifier_repeats
from ratingpriv.base.numbers import in_full
from ratingpriv.base.target import Target
from ratingpriv.data.table import (
    AnswerRange,
    QuasiColumn,
    QuasiRule,
    RatingTable,
    Scale,
    SensitiveColumn,
)
from ratingpriv.data.table.building.problems import listed_names
from ratingpriv.data.table.parts import Spellings, Unsaid
from ratingpriv.proximity.counting import valued
from ratingpriv.proximity.counts import Whole
from ratingpriv.proximity.demands import CountedDemands
from ratingpriv.proximity.levels import null_separates, proximate_codes


@dataclass(frozen=True, slots=True)
class AuditedData:
    """Data that are no table here, as far as cautions need to know them.

    Attributes as of a RatingTable.

    Only the first and the last of ``levels`` matter. Sensitive columns may be in any order of
    records, and may have equal ratings, and nulls, but once. ``answer_ranges`` and ``idle_quasi``
    (names of the quasi-identifiers for which :func:`is_idle` holds) are None where they are not
    known.
    """

    n_records: int
    n_issues: int
    n_ratings: int
    levels: NDArray[np.float64]
    scale: Scale | None
    sensitive: tuple[SensitiveColumn, ...]
    quasi: tuple[QuasiRule, ...]
    answer_ranges: Mapping[str, AnswerRange] | None
    idle_quasi: tuple[str, ...] | None
    lacks_quasi: bool
    carried: tuple[Any, ...] = ()
    guessed: tuple[str, ...] = ()
    unsaid: Unsaid | None = None
    spellings: Spellings | None = None
    uncounted: tuple[str, ...] = ()
    repeats: tuple[tuple[str, int, int], ...] = ()
    joined: None = None


type Counted = RatingTable | AuditedData


def has_missing(data: Counted) -> bool:
    """Return whether some record leaves a non-sensitive issue unrated."""
    return data.n_ratings < data.n_records * data.n_issues


def of_columns(data: Counted) -> Iterator[Caution]:
    """Yield the cautions on what columns are, which belong beside every result about the data."""
    if data.guessed or (data.unsaid is not None and data.unsaid.mixed):
        yield _guessed(data)[0]
    fit = data.joined
    if fit is not None and (fit.missing or fit.unused):
        unused = (
            f"{fit.unused:,} of the {fit.rows:,} records of the file of attributes are not "
            f"in the data"
        )
        missing = (
            f"{fit.missing:,} of the {fit.records:,} records that were read are not in the file "
            "of attributes: there they count as missing, and under the strict rule as equal to "
            f"each other{f'; {unused}' if fit.unused else ''}"
        )
        if fit.missing:
            yield Caution.due("attributes-missing", missing)
        else:
            remedy = "check that both files call a record by the same id"
            yield Caution("attributes-unused", f"{unused}, and count nowhere; {remedy}")
    if data.spellings is not None:
        yield Caution("null-spellings", _spelled(data.spellings))
    if data.carried:
        names = ", ".join(column.name for column in data.carried)
        yield Caution(
            "carried-columns",
            f"released unaudited: {names}. No verdict covers these columns or an adversary who "
            "knows them; drop columns that need not be released",
        )
    for name, different, records in data.repeats:
        yield identifier_repeats(name, different, records)


def _guessed(data: Counted) -> tuple[Caution, str]:
    """Return the caution on the columns whose roles nobody has said,
    and what a release says with it.
    """
    parts = []
    if data.guessed:
        single = len(data.guessed) == 1
        roles = "a quasi-identifier" if single else "quasi-identifiers"
        parts.append(
            f"{listed_names(data.guessed)}: taken for {roles} and compared as equal whatever "
            f"epsilon is, by a guess: {'it is' if single else 'they are'} called like an "
            "attribute of persons, or a choice of two beside items of more steps"
        )
    if data.unsaid is not None:
        names = data.unsaid.names
        roles = "a rating" if len(names) == 1 else "ratings"
        parts.append(
            f"{listed_names(names)}: taken for {roles} by a guess, as numbers on few steps"
        )
    names = (*data.guessed, *(() if data.unsaid is None else data.unsaid.names))
    count = "1 column was" if len(names) == 1 else f"{len(names)} columns were"
    sentence = f"the roles of {count} guessed: {listed_names(names)}"
    return Caution.due("roles-guessed", ". ".join(parts)), sentence


def _spelled(spellings: Spellings) -> str:
    """Return in how many ways something is unanswered, and what that may hide."""
    ways = [f"{text or 'an empty cell'} ({times:,})" for text, times in spellings.counts]
    parts = []
    if len(ways) > 1:
        parts.append(
            f"missing is written in {len(ways)} ways: {', '.join(ways)}. They count as the same, "
            "though the data distinguish them; if one is a rating, name the others with "
            "`only_null`, or give it a number"
        )
    if spellings.countries:
        parts.append(
            f"NA in {listed_names(spellings.countries)}, beside codes of two letters, is taken "
            "for missing and may be Namibia: name what is missing with `only_null` if it is"
        )
    return ". ".join(part[0].upper() + part[1:] for part in parts)


def of_written(cautions: Sequence[Caution], data: Counted) -> tuple[Caution, ...]:
    """Return the cautions on a written file, and those on what its
    columns were taken for in its input.

    Where a release is read again, its manifest says what the columns are, and nothing is guessed
    any more. A release is made for good: all that was guessed of its input is a reservation.
    """
    codes = {caution.code for caution in cautions}
    of_input = (*of_columns(data), *_of_quasi(data))
    remaining = [caution for caution in of_input if caution.code not in {*codes, "roles-guessed"}]
    if data.guessed or data.unsaid is not None:
        caution, sentence = _guessed(data)
        remaining.insert(0, caution.of_written(sentence))
    return (*cautions, *remaining)


def idle_questions(ranges: Mapping[str, AnswerRange], epsilon: float) -> list[str]:
    """Return the questions of which any two answers are within ``epsilon``,
    as the module says it.
    """
    if not ranges:
        return []
    least, largest, complete = (np.array(column) for column in zip(*ranges.values(), strict=True))
    levels, places = np.unique(np.concatenate([least, largest]), return_inverse=True)
    first, last = places[: len(least)], places[len(least) :]
    idle = (proximate_codes(levels, epsilon)[1][first] >= last) & (
        (first < last) | complete.astype(bool)
    )
    return [name for name, is_one in zip(ranges, idle.tolist(), strict=True) if is_one]


def is_idle(column: QuasiColumn, complete: bool) -> bool:
    """Return whether a quasi-identifier tells nobody apart; ``complete``:
    every record has a value.
    """
    used = np.unique(column.codes[column.codes >= 0])
    if len(used) < 2:
        return complete or bool(column.recoded) or not len(used)
    if column.within is None:
        return False
    values = column.values.to_numpy()[used[[0, -1]]].astype(np.float64)
    return bool(proximate_codes(values, column.within)[1][0] == 1)


def idle_quasi(data: Counted) -> tuple[str, ...] | None:
    """Return the names of the quasi-identifiers that tell nobody apart.

    None where that is not known.
    """
    if isinstance(data, RatingTable):
        return tuple(
            column.name for column in data.quasi if is_idle(column, bool((column.codes >= 0).all()))
        )
    return data.idle_quasi


_INGESTED_BEFORE = "the dataset was ingested before that was written down; ingest it again"


def _of_questions(data: Counted, epsilon: float) -> Iterator[Caution]:
    """Yield that some questions are not compared at all at this ε,
    their own answers being within it.
    """
    distance = f"epsilon {in_full(epsilon)}"
    idle = None if data.answer_ranges is None else idle_questions(data.answer_ranges, epsilon)
    if idle is None and data.n_issues:
        message = (
            f"whether {distance} covers all ratings of some item is not known: {_INGESTED_BEFORE}"
        )
        sentence = f"whether every item distinguishes records at {distance} is not known"
    elif idle:
        sentence = (
            f"{len(idle)} of {data.n_issues} items "
            f"{'distinguishes' if len(idle) == 1 else 'distinguish'} no records"
        )
        message = (
            f"at {distance} any two ratings of {listed_names(idle)} count as the same: "
            f"{sentence}, and no verdict covers them"
        )
        sentence = f"{sentence} at {distance}"
    else:
        return
    yield Caution.due("epsilon-covers-questions", message, sentence)


def _of_quasi(data: Counted) -> Iterator[Caution]:
    """Yield that some quasi-identifiers are not compared at all."""
    idle = idle_quasi(data)
    if idle is None and data.quasi:
        message = (
            "whether some quasi-identifier distinguishes no records is not known: "
            f"{_INGESTED_BEFORE}"
        )
        sentence = "whether every quasi-identifier distinguishes records is not known"
    elif idle:
        tell = "distinguishes" if len(idle) == 1 else "distinguish"
        sentence = f"{len(idle)} of {len(data.quasi)} quasi-identifiers {tell} no records"
        message = (
            f"any two values of {listed_names(idle)} count as the same: {sentence}, and no "
            "verdict covers them"
        )
    else:
        return
    yield Caution.due("quasi-asks-nothing", message, sentence)


def _whole(column: SensitiveColumn) -> Whole:
    """Return how often each value of a column occurs."""
    return valued(column).whole


def _of_demands(data: Counted, target: Target) -> Iterator[Caution]:
    """Yield that some demand on sensitive issues cannot fail: by its number,
    or as nothing is known.
    """
    idle = [
        f"{name.replace('_', '-')} = {in_full(target.of_sensitive[name])}" for name in target.idle
    ]
    unknown = (
        [column.name for column in data.sensitive if not column.present.any()]
        if target.of_sensitive
        else []
    )
    reasons = [f"no data could fail {', '.join(idle)}"] if idle else []
    reasons += (
        [f"nothing is known of {listed_names(unknown)}, of which something is demanded"]
        if unknown
        else []
    )
    if isinstance(target, CountedDemands):
        for column in data.sensitive:
            never = target.idle_on(partial(_whole, column)) if column.present.any() else ()
            reasons += [
                f"no values of {column.name} could fail {name.replace('_', '-')}" for name in never
            ]
    if reasons:
        text = "; ".join(reasons)
        yield Caution.due("demand-asks-nothing", text, text)


def _of_epsilon(data: Counted, target: Target, names: str) -> Iterator[Caution]:
    """Yield that ε covers all ratings, or the answers to some questions; ``names`` :
    of the attributes.
    """
    nulls, epsilon, levels = target.nulls, target.epsilon, data.levels
    if not (len(levels) > 1 and proximate_codes(levels[[0, -1]], epsilon)[1][0] == 1):
        yield from _of_questions(data, epsilon)
        return
    by_nulls = has_missing(data) and (
        nulls == "known" or null_separates(data.scale, epsilon, nulls)
    )
    apart = ["which items are rated"] if by_nulls else []
    apart += [names] if names else []
    tell = "distinguishes" if len(apart) == 1 and len(data.quasi) < 2 else "distinguish"
    left = f", and only {' and '.join(apart)} {tell} records" if apart else ""
    yield Caution.due(
        "epsilon-covers-range",
        f"epsilon {in_full(epsilon)} covers the whole range of ratings ({in_full(levels[0])} to "
        f"{in_full(levels[-1])}): any two ratings are indistinguishable{left}",
        _NO_RATING_PROTECTED if names else None,
    )


_NO_RATING_PROTECTED = "this protects no rating"


def _of_null_distance(data: Counted, scale: Scale, epsilon: float, names: str) -> Iterator[Caution]:
    """Yield that a null and a rating are no further apart than ε, or are by a declaration alone."""
    levels, maximum = data.levels, in_full(scale.maximum)
    if scale.maximum <= 0:
        yield Caution(
            "scale-without-null-distance",
            f"scale: its maximum r = {maximum} cannot serve as the distance between a rating and "
            "a missing one (Eq. 1 of the papers wants r > 0), so here a missing rating separates "
            "two records at every epsilon",
        )
        return
    largest = float(levels[-1]) if len(levels) and levels[-1] > 0 else scale.maximum
    if epsilon < min(largest, scale.maximum):
        return
    if epsilon >= scale.maximum:
        scale_text = (
            "declared"
            if scale.declared
            else "the largest rating of the data; declare the scale with `scale`"
        )
        message = (
            f"epsilon {in_full(epsilon)} is not below r = {maximum} ({scale_text}): at this "
            "distance a missing rating separates no records, so records that rate different items "
            "can be indistinguishable"
        )
        nothing = _NO_RATING_PROTECTED if names else None
    else:
        message = (
            f"epsilon {in_full(epsilon)} is not below the largest rating of the data, "
            f"{in_full(largest)}: missing ratings separate records only by the declared maximum, "
            f"{maximum}"
        )
        nothing = "only the declared scale lets missing ratings keep records apart"
    yield Caution.due("epsilon-reaches-null-distance", message, nothing)


def reservations(data: Counted, target: Target, *, k: int | None) -> Iterator[Caution]:
    """Yield the cautions on a target, on what is carried;
    ``k`` is None where none was asked for.
    """
    nulls, epsilon = target.nulls, target.epsilon
    names = ", ".join(column.name for column in data.quasi)
    if k == 1:
        yield Caution.due(
            "k-asks-nothing",
            "k = 1: this asks for nothing, every record is in its own neighbourhood, whatever the "
            "data are",
        )
    if nulls == "wildcard" and (has_missing(data) or data.lacks_quasi):
        yield Caution.due("nulls-wildcard", WILDCARD)
    yield from _of_demands(data, target)
    yield from _of_quasi(data)
    if not data.n_ratings and (data.n_issues or not names):
        yield Caution.due("no-answers", "no item is rated: no rating is compared")
    yield from _of_epsilon(data, target, names)
    if nulls == "strict" and has_missing(data) and data.scale is not None:
        yield from _of_null_distance(data, data.scale, epsilon, names)
    if names and data.n_issues == 0:
        yield Caution(
            "no-ratings",
            f"there are no ratings: epsilon changes nothing, and only {names} distinguish records",
        )
    yield from of_columns(data)
    if data.uncounted:
        yield Caution(
            "columns-not-counted",
            f"not counted: {listed_names(data.uncounted)}, as direct identifiers or dropped. A "
            "file with these columns may distinguish people by them; a release that anonymize "
            "writes has none of them",
        )


def reservations_of(table: RatingTable, epsilon: float | None) -> str:
    """Return as JSON text what an audit of the store has to tell and cannot see there.

    ``answers`` has the questions that are idle at some epsilon up to this one (None: all), each
    with its :class:`AnswerRange`; ``idle_quasi`` the quasi-identifiers that tell nobody apart;
    ``lacks_quasi`` is whether one has nulls; ``cautions`` are those on the columns of the data.
    """
    ranges = table.answer_ranges
    facts = {
        "answers": ranges
        if epsilon is None
        else {n: ranges[n] for n in idle_questions(ranges, epsilon)},
        "idle_quasi": idle_quasi(table),
        "lacks_quasi": table.lacks_quasi,
        "cautions": [caution.to_dict() for caution in of_columns(table)],
    }
    return json.dumps(facts)


def told_to_store(reservations: str | None, quasi: bool) -> dict[str, Any]:
    """Return :func:`reservations_of` turned back, as attributes of AuditedData; None:
    nothing was told.
    """
    content = {} if reservations is None else json.loads(reservations)
    answers, idle = content.get("answers"), content.get("idle_quasi")
    return {
        "answer_ranges": None
        if answers is None
        else {n: AnswerRange(*range_of) for n, range_of in answers.items()},
        "idle_quasi": None if idle is None else tuple(idle),
        "lacks_quasi": content.get("lacks_quasi", quasi),
    }
