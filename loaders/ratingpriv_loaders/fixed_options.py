"""Options that a format leaves no room for: they are refused, as ignoring them would be guessing."""

from __future__ import annotations

from collections.abc import Iterable

from ratingpriv.base.errors import ParameterError
from ratingpriv.data.codebook.options import ReadOptions


def described(options: ReadOptions) -> str | None:
    """Return the first option that describes the columns, which only a general loader can heed, or None."""
    if options.layout == "wide":
        return "layout"
    names = ("id", "issue", "rating", "timestamp", "delimiter", "header")
    return next((name for name in names if getattr(options, name) is not None), None)


def refuse_described(options: ReadOptions, format: str) -> None:  # noqa: A002 -- the word of `read`
    """Refuse options that a loader of one fixed format cannot heed."""
    name = described(options)
    if name is not None:
        remedy = "say `format='delimited'` to describe the columns"
        refuse_given(options, [name], f"the format {format} fixes it", remedy)


def refuse_given(options: ReadOptions, names: Iterable[str], why: str, remedy: str = "leave it out") -> None:
    """Refuse the first of these options that is given; ``why`` as in "Parquet has no such thing"."""
    for name in names:
        if getattr(options, name) is not None:
            raise ParameterError(name, getattr(options, name), f"not to be given: {why}", remedy)
