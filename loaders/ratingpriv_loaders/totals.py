"""Lines of statistics below a table: sums and means are nobody's record,
known by the word in front.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ratingpriv.base.errors import Problem
from ratingpriv.data.table.building.problems import Problems

TAIL = 100
"""Rows at the end of a table that may be such lines."""

# rows at the end, or between two such lines, that have no such word: notes, values of a scale
_GAP = 5
_OFTEN = 3  # times that an answer like others is there at least: no table has so many means
_MARKS = " :=.,;*-–—"
_ENDS = f"{_MARKS}()[]"
_BEHIND = re.compile(r"\s*(\([^()]*\)|\[[^\[\]]*\]|[:=]\s*[0-9][0-9., ]*)$")
_MORE = re.compile(
    r"%.*|.*%"  # "% agree", "valid %", "25%"
    r"|[0-9]{1,2}\s*(st|nd|rd|th|\.|e|er|º|ª)?[ "
    r"-]*(qu|quart|quantil|quintil|de[zc]il|per[cz]ent)[^ ]*"
)


def is_statistic(text: str) -> bool:
    """Whether a text in front of a line says that it is made of the others: "Total", "n = 120"."""
    plain = " ".join(text.casefold().split())
    bare = _BEHIND.sub("", plain.strip(_MARKS)).strip(_ENDS)
    return bare in _words() or plain.strip(_ENDS) in _words() or _MORE.fullmatch(plain) is not None


def note_statistics(
    words: Sequence[Sequence[str]],
    line_of: Callable[[int], int],
    rows: int,
    file: str,
    problems: Problems,
) -> None:
    """Note the first line of statistics and what stands below it, which is no record either.

    ``words`` : of each of the last ``TAIL`` of ``rows``, the words of statistics in front of it,
    but answers that stand above these rows too.
    """
    tail = max(0, rows - TAIL)
    first = _first_statistic(words, whole=tail == 0)

    def problem(row: int) -> Problem:
        what = "a line of statistics" if words[row - tail] else "a line below one of statistics"
        remedy = (
            "delete the line: a sum, a mean or a count of the others is no person's record; if it "
            "is one, move it up"
        )
        return Problem(file, what, "a record, as in the lines above", remedy, line_of(row))

    if first is not None:
        problems.at(np.arange(tail + first, rows), problem)


def _first_statistic(words: Sequence[Sequence[str]], *, whole: bool) -> int | None:
    """Return the position of the first line of statistics among the last rows,
    by the words in front of each.

    ``whole`` : these are all rows, the first of which then is a record.
    """
    often = Counter(text for row in words for text in row)
    texts_known = {text for text, count in often.items() if count < _OFTEN}
    while texts_known:
        first, least = None, len(words) - _GAP
        for row in range(len(words) - 1, 0 if whole else -1, -1):
            if row < least:
                break
            if not texts_known.isdisjoint(words[row]):
                first, least = row, row - _GAP
        if first is None:
            return None
        again = texts_known.intersection(text for row in words[:first] for text in row)
        if not again:
            return first
        texts_known -= again
    return None


@functools.cache
def _words() -> frozenset[str]:
    lines = Path(__file__).with_name("totals.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(
        line.casefold().strip(_ENDS) for line in lines if line and not line.startswith("#")
    )
