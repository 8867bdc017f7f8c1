"""Refusals of a step that reach the driver as they were meant.

A step runs where Spark does, and its error arrives at the driver as text within a text. So what a step
refuses is one line, from which the driver makes the error.
"""

from __future__ import annotations

import json

from ratingpriv.base.errors import ParameterError

_MARK = "ratingpriv refused: "


def refusal(name: str, found: str, expected: str, remedy: str = "") -> str:
    """Return the line of an error; none of the texts shows a cell of the data or a record's id."""
    return _MARK + json.dumps([name, found, expected, remedy])


def refused(text: str) -> ParameterError | None:
    """Return the error whose :func:`refusal` is a line of ``text``; None if there is none."""
    for line in text.splitlines():
        content = line.partition(_MARK)[2].strip()
        if content.startswith("["):
            try:
                return ParameterError(*json.loads(content))
            except ValueError:
                continue
    return None
