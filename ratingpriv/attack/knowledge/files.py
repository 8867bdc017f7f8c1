"""Reading what an adversary really knows from a CSV file: ``target,issue,rating[,date]``,
a line a rating.
"""

from __future__ import annotations

import datetime
import difflib
import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.base.inputs import is_device
from ratingpriv.base.numbers import EXACT, inexact, is_numeral
from ratingpriv.data.table import QuasiColumn, RatingTable
from ratingpriv.data.table.building.delimited import decoded, small_rows
from ratingpriv.data.table.building.problems import Problems, number_text

_COLUMNS = ("target", "issue", "rating", "date")
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_REMOVE = "remove the line: no record can agree with it"
_HEADER = "a header with the columns target, issue, rating and, if dates are known, date"


def read_auxiliary(path: str | Path, table: RatingTable, *, max_problems: int = 20) -> Auxiliary:
    """Read what is known of some targets, to attack ``table`` with it.

    A target whose name is the id of a record of the table is that record: the attack is scored for
    success. A line whose issue is a quasi-identifier of the table has its value where others have a
    rating. Any other target is somebody who may be in the table or not. Targets keep the order of
    their first line. A date is an ISO date, or time, or a whole number of unix seconds; where it is
    empty it is not known.

    Raises
    ------
    DataError
        The file cannot be read, or a line is wrong: it has more or fewer cells than the header, an
        unknown issue, no rating or one that is off the scale, no date, an issue twice for one
        target. Every problem is counted and the first are listed, with their lines.
    """
    name, problems = Path(path).name, Problems(max_problems)
    position_of = {issue: position for position, issue in enumerate(table.issues)}
    attributes = {column.name: column for column in table.quasi}
    values: dict[tuple[str, str], int] = {}
    sensitive = {column.name for column in table.sensitive}
    targets: dict[str, dict[int, tuple[float, float]]] = {}
    first_line: dict[tuple[str, int], int] = {}
    some = False
    for line, (target, issue, rating, date) in _lines(path, name, problems):
        some = True
        before = problems.total
        if not target:
            problems.add(
                Problem(name, "no target", "a name for who is attacked", "", line, "target")
            )
        if target and issue in attributes:
            code = _code(rating, attributes[issue], name, line, problems)
            if (target, issue) in values:
                fault, expected = "a quasi-identifier of a target again", "every one once a target"
                problems.add(Problem(name, fault, expected, "remove a line", line, "issue", issue))
            values[target, issue] = code
            targets.setdefault(target, {})
            continue
        if issue not in position_of:
            near = (
                difflib.get_close_matches(issue, table.issues, n=1)
                if len(table.issues) < 100_000
                else []
            )
            remedy = f"did you mean {shown_name(near[0])}?" if near else _REMOVE
            if issue in sensitive:
                remedy = "this issue was read as sensitive; read it as an ordinary one"
            expected = f"one of the {table.n_issues} issues of {table.origin.name}"
            problems.add(Problem(name, "an unknown issue", expected, remedy, line, "issue", issue))
        value = _rating(rating, table, name, line, problems)
        day = _day(date, name, line, problems)
        if problems.total > before or value is None:
            continue
        position = position_of[issue]
        if position in targets.setdefault(target, {}):
            fault = f"an issue of a target again (first in line {first_line[target, position]})"
            expected, cell = "every issue once a target", f"{target}, {issue}"
            problems.add(Problem(name, fault, expected, "remove a line", line, "issue", cell))
            continue
        first_line[target, position] = line
        targets[target][position] = (value, day)
    if not some and not problems:
        problems.add(Problem(name, "no known rating", "a line for each known rating", "add some"))
    for target, rows in targets.items():
        if not rows:
            fault, expected = (
                "a target without a known rating",
                "one at least, beside quasi-identifiers",
            )
            problems.add(
                Problem(name, fault, expected, "add one, or remove its lines", cell=target)
            )
    problems.raise_if_any()
    return _auxiliary(targets, values, table)


def _auxiliary(
    targets: dict[str, dict[int, tuple[float, float]]],
    values: dict[tuple[str, str], int],
    table: RatingTable,
) -> Auxiliary:
    ids = {
        str(record_id): position for position, record_id in enumerate(table.record_ids.to_list())
    }
    entries = [(issue, *what) for rows in targets.values() for issue, what in sorted(rows.items())]
    known_of = [column for column in table.quasi if any(column.name == name for _, name in values)]
    bounds = np.zeros((len(targets), len(known_of), 2), dtype=np.int64)
    for index, column in enumerate(known_of):
        bounds[:, index, 1] = len(column.values)  # where nothing is known, any fits
        for row, target in enumerate(targets):
            if (target, column.name) in values:
                bounds[row, index] = values[target, column.name]
    return Auxiliary(
        targets=np.array([ids.get(target, -1) for target in targets], dtype=np.int64),
        indptr=np.cumsum([0, *(len(rows) for rows in targets.values())]).astype(np.int64),
        issues=np.array([issue for issue, _, _ in entries], dtype=np.int32),
        ratings=np.array([rating for _, rating, _ in entries], dtype=np.float64),
        dates=np.array([day for _, _, day in entries], dtype=np.float64),
        labels=tuple(targets),
        attributes=tuple(column.name for column in known_of),
        values=bounds if known_of else None,
    )


def _lines(
    path: str | Path, name: str, problems: Problems
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Give (line, (target, issue, rating, date)) of each line that is not empty."""
    if is_device(path):
        raise DataError(Problem(name, "a device", "a CSV file", "check the path"))
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        remedy = "check the path"
        raise DataError(Problem(name, error.strerror or "no file", "a CSV file", remedy)) from error
    lines = small_rows(decoded(content, name), ",", file=name, problems=problems)
    first, header = lines[0] if lines else (1, ())
    titles = [title.lower() for title in header]
    doubtful = [title for title in titles if title not in _COLUMNS or titles.count(title) > 1]
    missing = [title for title in _COLUMNS[:3] if title not in titles]
    if doubtful or missing:
        actual = f"no column {missing[0]!r}" if missing else ""
        cell = None
        if doubtful:
            actual, cell = f"another name of column {titles.index(doubtful[0]) + 1}", doubtful[0]
        raise DataError(Problem(name, actual, _HEADER, "correct the header", first, cell=cell))
    for line, row in lines[1:]:
        yield line, tuple(row[titles.index(title)] if title in titles else "" for title in _COLUMNS)


def _rating(
    text: str, table: RatingTable, name: str, line: int, problems: Problems
) -> float | None:
    wrong = inexact(text) if (plain := is_numeral(text)) else None
    if not plain or wrong is not None:
        actual = wrong or ("text" if text else "no rating")
        remedy = "remove the line if the rating is not known" if wrong is None else "round it"
        expected = EXACT if wrong else "a number"
        problems.add(Problem(name, actual, expected, remedy, line, "rating", text or None))
        return None
    value = float(text)
    if table.scale is not None and not table.scale.minimum <= value <= table.scale.maximum:
        low, high = number_text(table.scale.minimum), number_text(table.scale.maximum)
        expected = f"a rating on the scale {low}..{high}"
        problems.add(Problem(name, "a number off the scale", expected, "", line, "rating", text))
    return value + 0.0


def _code(text: str, column: QuasiColumn, name: str, line: int, problems: Problems) -> int:
    """Return the code of a value of ``column``; one that no record has is a problem."""
    value = float(text) if column.values.dtype == pl.Float64 and is_numeral(text) else text
    values = column.values.to_list()
    if value in values:
        return values.index(value)
    expected = f"a value that a record has on {shown_name(column.name)}"
    problems.add(Problem(name, "another value", expected, _REMOVE, line, "rating", text or None))
    return 0


def _day(text: str, name: str, line: int, problems: Problems) -> float:
    """Return days since 1970-01-01; NaN where nothing is known."""
    if not text:
        return math.nan
    if re.fullmatch(r"-?[0-9]{1,18}", text) and not (len(text) == 8 and text[:2] in ("19", "20")):
        return int(text) / 86_400
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        expected = "an ISO date such as 2005-09-06, or unix seconds"
        problems.add(Problem(name, "text", expected, "or leave it empty", line, "date", text))
        return math.nan
    moment = moment.replace(tzinfo=datetime.UTC) if moment.tzinfo is None else moment
    return (moment - _EPOCH) / datetime.timedelta(days=1)
