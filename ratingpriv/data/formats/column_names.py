"""Which column is which, by its name, and whether a header is long or wide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.codebook.deciding import RECORD_NAMES as RECORD_NAMES
from ratingpriv.data.codebook.deciding import decided
from ratingpriv.data.codebook.deciding import recognise as recognise
from ratingpriv.data.codebook.deciding import resolve as resolve
from ratingpriv.data.codebook.options import refuse_others
from ratingpriv.data.codebook.recognition.identifiers import COLUMNS
from ratingpriv.data.formats.reading import Columns, ReadOptions
from ratingpriv.data.table.building.problems import listed_names, unaccounted

ISSUE_NAMES, RATING_NAMES, TIMESTAMP_NAMES = (
    COLUMNS[role] for role in ("issue", "rating", "timestamp")
)
"""Names of the long layout's columns, the likeliest first; compared as RECORD_NAMES are."""

MOST_COLUMNS = 100_000
"""Columns of a file; each costs time and memory, and more of them are ratings for the long
layout.
"""

POSITIONS = ("record", "issue", "rating", "timestamp")
"""What the columns of a long text without a header are, in this order, unless they are named."""

_LONG_COLUMNS = 4  # record, issue, rating and timestamp
# more columns than this are a survey that happens to ask for "movie" and "rating"
_MOST_LONG_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class LongColumns:
    """The columns of a long layout by their names; ``dropped`` are further ones,
    left out by name.
    """

    record: str
    issue: str
    rating: str
    timestamp: str | None
    dropped: tuple[str, ...] = ()


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names, each once: the second of a name gets ``(2)`` behind it,
    the third ``(3)``.
    """
    wanted = list(names)
    taken, made = set(wanted), dict[str, None]()
    for name in wanted:
        unique, number = name, 2
        while unique in made or (number > 2 and unique in taken):
            unique, number = f"{name} ({number})", number + 1
        made[unique] = None
    return tuple(made)


def refuse_too_many(columns: int, *, file: str) -> None:
    """Raise DataError if a file has more columns than :data:`MOST_COLUMNS`."""
    if columns > MOST_COLUMNS:
        expected, remedy = (
            f"at most {MOST_COLUMNS:,}",
            "write one row per rating (the long layout) instead",
        )
        raise DataError(Problem(file, f"{columns:,} columns", expected, remedy, line=1))


def decide_layout(columns: Sequence[str], options: ReadOptions) -> Literal["long", "wide"]:
    """Return whether a header is long (a row a rating) or wide (a row a record).

    The user's ``layout`` decides; else naming an issue, rating or timestamp column says long; else
    a header of few columns in which record, issue and rating are all recognised is long, and
    anything else is wide. One name in ``ratings`` may be the long layout's: it is in a header of at
    most four columns.
    """
    if options.layout is not None:
        return "long" if options.layout == "long" else "wide"
    if options.issue is not None or options.rating is not None or options.timestamp is not None:
        return "long"
    record = options.id or recognise(columns, RECORD_NAMES)
    issue, rating = (
        recognise(columns, ISSUE_NAMES),
        _rating(options) or recognise(columns, RATING_NAMES),
    )
    if len(options.ratings) == 1 and len(columns) <= _LONG_COLUMNS:
        return "long"
    recognised = record is not None and issue is not None and rating is not None
    return "long" if recognised and len(columns) <= _MOST_LONG_COLUMNS else "wide"


def by_position(columns: Sequence[str], options: ReadOptions) -> bool:
    """Whether three or four columns without names are a long layout's in their usual order."""
    named = (options.id, options.issue, options.rating, options.timestamp)
    numbers = tuple(str(position + 1) for position in range(len(columns)))
    return (
        len(columns) in (3, 4) and tuple(columns) == numbers and not any(named) and not options.drop
    )


def _named_twice(named: Mapping[str, str], file: str) -> Iterator[Problem]:
    """Yield a problem for each column that options name for two roles."""
    for role, column in named.items():
        other = next((name for name in named if name != role and named[name] == column), None)
        if other is not None and role < other:
            actual = f"column {shown_name(column)} named as both {role} and {other}"
            yield Problem(file, actual, "a column for each", "name two different columns")


def long_columns(columns: Sequence[str], options: ReadOptions, *, file: str) -> LongColumns:
    """Find the columns of a long layout: as the user named them, else by recognised names;
    else DataError.
    """
    refuse_others(options)
    wanted = (
        ("record", options.id, RECORD_NAMES, "`id`"),
        ("issue", options.issue, ISSUE_NAMES, "`issue`"),
        ("rating", _rating(options), RATING_NAMES, "`rating`"),
        ("timestamp", options.timestamp, TIMESTAMP_NAMES, "`timestamp`"),
    )
    named = {
        role: resolve(columns, spec, parameter=parameter, file=file)
        for role, spec, _, parameter in wanted
        if spec
    }
    by_role = (
        dict(zip(POSITIONS, columns, strict=False))
        if by_position(columns, options)
        else dict(named)
    )
    problems = []
    for role, _, names, parameter in wanted:
        if role in by_role:
            continue
        free = [column for column in columns if column not in {*by_role.values(), *options.drop}]
        column = recognise(free, names)
        if column is not None:
            by_role[role] = column
        elif role != "timestamp":
            expected = (
                f"a column of {role}s called {', '.join(names[:4])} ... among "
                f"{listed_names(columns)}"
            )
            problems.append(
                Problem(file, f"no {role} column", expected, f"name it with {parameter}", line=1)
            )
    problems += _named_twice(named, file)
    if problems:
        raise DataError(problems)
    others = tuple(column for column in columns if column not in by_role.values())
    unsaid = [column for column in others if column not in options.drop]
    if unsaid:
        raise DataError(unaccounted(unsaid, file, line=1))
    return LongColumns(
        by_role["record"], by_role["issue"], by_role["rating"], by_role.get("timestamp"), others
    )


def described(
    columns: Sequence[str], options: ReadOptions, *, file: str, header: bool | None
) -> Columns:
    """Return what each column is taken for.

    DataError as :func:`long_columns` and :func:`resolve`.
    """
    names = tuple(columns)
    if decide_layout(columns, options) == "wide":
        return Columns("wide", names, header, decided(names, options, file=file, bare=True).id)
    columns_found = long_columns(columns, options, file=file)
    timestamp = columns_found.timestamp if options.timestamps else None
    return Columns(
        "long",
        names,
        header,
        columns_found.record,
        columns_found.issue,
        columns_found.rating,
        timestamp,
    )


def _rating(options: ReadOptions) -> str | None:
    """Return the column of ratings that the user named, where it is one."""
    return options.rating or (options.ratings[0] if len(options.ratings) == 1 else None)


def no_columns_to_describe(file: str) -> Problem:
    """Return the Problem of a long layout, whose columns need no roles."""
    actual, expected = (
        "one row per rating (the long layout)",
        "one row per record, to be described by column",
    )
    return Problem(file, actual, expected, "it needs no codebook: audit it")
