"""Text of the data in what people read: it begins no line,
repaints no terminal and is no formula.
"""

from __future__ import annotations

import re

_LIKE_DATA = re.compile(
    r"[^\s@]@[^\s@]"  # an e-mail address
    r"|\d{1,3}(?:\.\d{1,3}){3}"  # an IP address
    r"|(?:[0-9A-Fa-f]{1,4}:){3}"  # one of version 6
    r"|\d{6}|(?:\d[^\w\n]?){8}"  # a number of a person, a telephone, a date
)
_TOO_LONG = 200

# the last four are wide forms of the first
_BEGINS_FORMULA = "=+\\-@\\t\\r\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(
    rf"\A(?=[ ]*[{_BEGINS_FORMULA}])"
    # a cell begins there for who takes another separator
    rf"|(?<=[,;|\t\n\"'])(?=[{_BEGINS_FORMULA}])"
)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def printable(text: object) -> str:
    """Return ``text`` with control characters escaped: line ends, ANSI codes, bidi overrides,
    zero widths.

    Ids and issue names come from the data; an escape sequence among them could repaint the terminal
    and so rewrite the verdict, a line end could forge a message.
    """
    text = str(text)
    if text.isprintable():
        return text
    return "".join(
        char
        if char.isprintable()
        else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        for char in text
    )


def as_utf8(text: str) -> str:
    """Return a text as UTF-8 can say it: the name of a file may be any bytes,
    which then are escaped.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def looks_like_data(name: str) -> bool:
    """Whether a name of a column looks like a cell: an e-mail or IP address, many digits,
    a long text.

    Where a file has no header and its first line is taken for one, the names are a person's data.
    """
    return len(name) > _TOO_LONG or _LIKE_DATA.search(name) is not None


def shown_name(name: str, number: int | None = None) -> str:
    """Return a name of the questionnaire in quotes, or, where it looks like data,
    which column it is.

    ``number`` is the column's, from 1, if it is known.
    """
    if not looks_like_data(name):
        return repr(name)
    return "a name that looks like data" if number is None else f"column {number}"


def csv_safe[T](cell: T | str) -> T | str:
    """Return a cell that no spreadsheet takes for a formula:
    an apostrophe goes before what begins one.

    That is ``=``, ``+``, ``-``, ``@``, a tab or a carriage return at the beginning, also behind a
    separator or a quote (OWASP, CSV Injection). Numbers, and texts that are numbers, stay as they
    are.
    """
    if not isinstance(cell, str) or _NUMBER.fullmatch(cell):
        return cell
    return _FORMULA.sub("'", cell)
