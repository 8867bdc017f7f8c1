"""Errors of a step that reach the driver as they were raised.

A step runs in a worker of Spark, and its exception arrives at the driver as text within a text. So what a
step refuses carries a note, one line that a traceback ends with, from which the driver makes the error again.
"""

from __future__ import annotations

import json

from ratingpriv.errors import ParameterError

__all__ = ["refusal", "refused"]

_MARK = "ratingpriv refused: "


def refusal(name: str, found: str, expected: str, remedy: str = "") -> ParameterError:
    """Return the error to raise in a step; none of the texts shows a cell of the data or a record's id."""
    error = ParameterError(name, found, expected, remedy)
    error.add_note(_MARK + json.dumps([name, found, expected, remedy]))
    return error


def refused(text: str) -> ParameterError | None:
    """Return the error of :func:`refusal` whose traceback ``text`` contains; None if there is none."""
    for line in text.splitlines():
        at = line.find(_MARK)
        if at < 0:
            continue
        try:
            name, found, expected, remedy = json.loads(line[at + len(_MARK) :].strip())
        except ValueError:
            continue
        return ParameterError(name, found, expected, remedy)
    return None
