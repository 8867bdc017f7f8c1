"""Reading options as users give them, one by one or all together: checked before anything is read."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path

from ratingpriv import checks
from ratingpriv.codebook.codebook import Codebook
from ratingpriv.codebook.files.toml_file import read_codebook
from ratingpriv.codebook.options import ReadOptions, with_codebook
from ratingpriv.errors import ParameterError

__all__ = ["checked_options"]

_LISTS = ("sensitive", "drop", "only", "null", "quasi", "identifier", "carry", "ratings", "keep", "only_null")


def checked_options(options: ReadOptions | None, more: Mapping[str, object]) -> ReadOptions:
    """Check reading options; single ones (``more``) are taken where ``options`` is not given.

    Raises
    ------
    ParameterError
        One is unknown, not of its type or out of range, or both ways are used at once; a column is given two
        roles.
    """
    fields = set(ReadOptions.__slots__)
    for name in more:
        if name not in fields:
            near = difflib.get_close_matches(name, fields, n=1)
            remedy = f"did you mean {near[0]}?" if near else ""
            raise ParameterError("read", name, "one of the options " + ", ".join(sorted(fields)), remedy)
    if options is not None and more:
        raise ParameterError("read", sorted(more), "either options= or single options, not both")
    given = dict(more)
    for name in _LISTS:
        if name in given:
            given[name] = _texts(name, given[name])
    if isinstance(given.get("codebook"), str | Path):
        given["codebook"] = read_codebook(given["codebook"])  # type: ignore[arg-type]
    options = options or ReadOptions(**given)  # type: ignore[arg-type]
    if options.layout is not None:
        checks.choice("layout", options.layout, ("long", "wide"))
    checks.choice("duplicates", options.duplicates, ("refuse", "first", "last", "mean"))
    checks.whole_number("max_problems", options.max_problems, 1)
    if options.scale is not None:
        options = dataclasses.replace(options, scale=checks.number_pair("scale", options.scale))
    if options.sensitive_scale:
        scales = checks.sensitive_scales(options.sensitive_scale, options.sensitive)
        options = dataclasses.replace(options, sensitive_scale=scales)
    _check_columns(options)
    return with_codebook(options)


def _check_columns(options: ReadOptions) -> None:
    """Check what is said of columns: types, rules, and that no name has two roles."""
    if options.codebook is not None and not isinstance(options.codebook, Codebook):
        raise ParameterError("codebook", type(options.codebook).__name__, "a Codebook, or a file's name")
    for name in ("sheet", "attributes"):
        value = getattr(options, name)
        if value is not None and not isinstance(value, str | Path if name == "attributes" else str):
            raise ParameterError(name, type(value).__name__, "a text")
    if options.decimal_comma not in (None, True, False):
        raise ParameterError("decimal_comma", options.decimal_comma, "True, False or None")
    (options.codebook or Codebook()).effective(options)


def _texts(name: str, value: object) -> tuple[str, ...]:
    """Return one text or several as a tuple of texts."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Iterable):
        texts = tuple(value)
        if all(isinstance(text, str) for text in texts):
            return texts
    raise ParameterError(name, value, "a text, or a list of texts")
