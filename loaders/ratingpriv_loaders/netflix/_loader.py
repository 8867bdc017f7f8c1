"""Compiled parsing of Netflix Prize text: ``movie:`` lines, ``user,rating,YYYY-MM-DD`` lines below each."""

# mypy: disable-error-code="no-untyped-def, assignment"
# (numba infers the types of compiled loops; annotations would say nothing it heeds)

from __future__ import annotations

import numpy as np

from ratingpriv.compute.compiling import compiled

__all__ = ["BAD_DATE", "BAD_RATING", "BAD_SHAPE", "BAD_USER", "DONE", "FULL", "GROW", "NO_MOVIE", "parse"]

DONE, FULL, GROW = 0, 1, 2
"""Why parsing stopped: no whole line is left; an output is full; a user id needs a larger table."""

BAD_SHAPE, BAD_USER, BAD_RATING, BAD_DATE, NO_MOVIE = 0, 1, 2, 3, 4
"""What is wrong with a line."""

_MONTH_DAYS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], dtype=np.int64)
_BEFORE_MONTH = np.cumsum(_MONTH_DAYS) - _MONTH_DAYS
_ZERO_BYTE, _TEN = np.uint8(48), np.uint8(10)
_LF, _CR, _COMMA, _COLON, _DASH, _ZERO = 10, 13, 44, 58, 45, 48


@compiled()
def _digits(buffer, start, end):
    """Return the whole number buffer[start:end], or -1."""
    if end <= start or end - start > 9:
        return -1
    number = 0
    for at in range(start, end):
        digit = np.int64(buffer[at]) - _ZERO
        if digit < 0 or digit > 9:
            return -1
        number = number * 10 + digit
    return number


@compiled()
def _days(buffer, start, end):
    """Return the days from 1970-01-01 to the date buffer[start:end], or -1; years 1970..2148 only."""
    if end - start != 10 or buffer[start + 4] != _DASH or buffer[start + 7] != _DASH:
        return -1
    for at in range(start, end):
        if buffer[at] - _ZERO_BYTE > 9 and at != start + 4 and at != start + 7:
            return -1
    year = (
        (np.int64(buffer[start]) - _ZERO) * 1000
        + (np.int64(buffer[start + 1]) - _ZERO) * 100
        + (np.int64(buffer[start + 2]) - _ZERO) * 10
        + (np.int64(buffer[start + 3]) - _ZERO)
    )
    month = (np.int64(buffer[start + 5]) - _ZERO) * 10 + (np.int64(buffer[start + 6]) - _ZERO)
    day = (np.int64(buffer[start + 8]) - _ZERO) * 10 + (np.int64(buffer[start + 9]) - _ZERO)
    if year < 1970 or year > 2148 or month < 1 or month > 12 or day < 1:
        return -1
    leap = 1 if (year & 3) == 0 and year != 2100 else 0  # of 1970..2148, only 2100 breaks the rule of four
    if day > _MONTH_DAYS[month - 1] + (leap if month == 2 else 0):
        return -1
    past_leaps = (year - 1969) // 4 - (1 if year > 2100 else 0)
    return (year - 1970) * 365 + past_leaps + _BEFORE_MONTH[month - 1] + (leap if month > 2 else 0) + day - 1


@compiled()
def parse(buffer, begin, end, records, ratings, days, marks, faults, table, ids, state):
    """Parse whole lines of buffer[begin:end]; return why it stopped.

    Parameters
    ----------
    buffer : uint8; every line that is to be parsed ends in LF
    records, ratings, days : int32, uint8, uint16 (rows_at_most,); user's position, rating, days since 1970
    marks : int64 (marks_at_most, 3); (row, line, movie) wherever a row does not simply follow the one before
    faults : int64 (faults_at_most, 3); (what, line, start of the line in the buffer)
    table : int32, position + 1 of each user id, 0 if not seen yet
    ids : int32 (len(table),), the ids by position
    state : int64; line, movie (-1: none yet), number of users, whether a mark is due; on return also the
        place reached, rows, marks and faults of this call, and the id that made the table too small
    """
    # A good line is recognised in one pass; whatever else stands there goes the long way below.
    at = begin
    row = n_marks = n_faults = 0
    line, movie, users, due = state[0], state[1], state[2], state[3]
    status = DONE
    while at < end:
        if row == len(records) or n_marks == len(marks) or n_faults == len(faults):
            status = FULL
            break
        # The usual line: 1..9 digits, comma, one digit, comma, a date, LF. Anything else goes the long way.
        if movie >= 0 and due == 0:
            here = at
            number = np.int64(0)
            digit = buffer[here] - _ZERO_BYTE  # uint8: what is no digit becomes 10 or more
            while digit < 10 and here - at < 9 and here + 14 < end:
                number = number * 10 + digit
                here += 1
                digit = buffer[here] - _ZERO_BYTE
            rating = buffer[here + 1] - _ZERO_BYTE if here + 14 < end else _TEN
            if (
                rating < 10
                and here > at
                and buffer[here] == _COMMA
                and buffer[here + 2] == _COMMA
                and buffer[here + 13] == _LF
                and (buffer[at] != _ZERO or here == at + 1)
                and number < len(table)
            ):
                day = _days(buffer, here + 3, here + 13)
                if day >= 0:
                    position = table[number]
                    if position == 0:
                        ids[users] = number
                        users += 1
                        position = users
                        table[number] = position
                    records[row], ratings[row], days[row] = position - 1, rating, day
                    row += 1
                    line += 1
                    at = here + 14
                    continue
        stop = at
        comma = second = -1
        while stop < end and buffer[stop] != _LF:
            if buffer[stop] == _COMMA:
                if comma < 0:
                    comma = stop
                elif second < 0:
                    second = stop
            stop += 1
        if stop == end:
            break
        following = stop + 1
        if stop > at and buffer[stop - 1] == _CR:
            stop -= 1
        wrong = -1
        if stop == at:
            due = 1
        elif comma < 0:
            due = 1
            number = _digits(buffer, at, stop - 1) if buffer[stop - 1] == _COLON else -1
            if number < 0:
                wrong = BAD_SHAPE
            else:
                movie = number
        elif second < 0:
            wrong = BAD_SHAPE
        elif movie < 0:
            wrong = NO_MOVIE
        else:
            user = _digits(buffer, at, comma)
            rating = _digits(buffer, comma + 1, second)
            day = _days(buffer, second + 1, stop)
            if user < 0 or (buffer[at] == _ZERO and comma - at > 1):
                wrong = BAD_USER
            elif rating < 0 or rating > 255:
                wrong = BAD_RATING
            elif day < 0:
                wrong = BAD_DATE
            else:
                if user >= len(table):
                    status = GROW
                    state[8] = user
                    break
                position = table[user]
                if position == 0:
                    ids[users] = user
                    users += 1
                    position = users
                    table[user] = position
                if due:
                    marks[n_marks, 0], marks[n_marks, 1], marks[n_marks, 2] = row, line, movie
                    n_marks += 1
                    due = 0
                records[row], ratings[row], days[row] = position - 1, rating, day
                row += 1
        if wrong >= 0:
            faults[n_faults, 0], faults[n_faults, 1], faults[n_faults, 2] = wrong, line, at
            n_faults += 1
            due = 1
        line += 1
        at = following
    state[0], state[1], state[2], state[3] = line, movie, users, due
    state[4], state[5], state[6], state[7] = at, row, n_marks, n_faults
    return status
