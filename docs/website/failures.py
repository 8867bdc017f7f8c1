"""The reference of errors: each class with its exit code, the word that programs see,
and what it means.
"""

from __future__ import annotations

import inspect

from ratingpriv.base import errors
from ratingpriv.cli.output.exits import CODES
from website.markdown import escaped, table

__all__ = ["pages"]

_INTRODUCTION = """What a command ends with is in the [exit codes](../exit-codes.md). Each error has
a class in Python, and a word in `ratingpriv.error/1`, the document that `--json` prints instead of
a result; the word never changes its meaning.
"""
_OTHERS = """What a command line meets beside them: wrong usage (2), an interruption (130), no
memory and failures of the system (3).
"""


def pages() -> dict[str, str]:
    """Return the one page."""
    rows = []
    for name in errors.__all__:
        kind = getattr(errors, name)
        if issubclass(kind, errors.RatingPrivError):
            word = next(CODES[one] for one in kind.__mro__ if one in CODES)
            said = " ".join((inspect.getdoc(kind) or "").partition("\n\n")[0].split())
            rows.append([f"`{word}`", f"`{name}`", str(kind.exit_code), escaped(said)])
    others = [
        [f"`{word}`", f"`{kind.__name__}`"]
        for kind, word in CODES.items()
        if not issubclass(kind, errors.RatingPrivError)
    ]
    return {
        "index.md": "\n".join(
            [
                "# Errors and exit codes\n",
                _INTRODUCTION,
                "## The errors\n",
                table(["word", "class in Python", "exit code", "when"], sorted(rows)),
                "## Others\n",
                _OTHERS,
                table(["word", "class"], others),
            ]
        )
    }
