"""Reading options as users give them, one by one or all together: checked before anything is read."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.files.toml_file import read_codebook
from ratingpriv.data.codebook.options import ReadOptions, with_codebook

_LISTS = ("sensitive", "drop", "only", "null", "quasi", "identifier", "carry", "ratings", "keep", "only_null")
_TEXTS = ("layout", "id", "issue", "rating", "timestamp", "delimiter", "encoding", "sheet")


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
    if options is not None:
        checks.instance("options", options, ReadOptions, "ReadOptions")
    said = more if options is None else {name: getattr(options, name) for name in ReadOptions.__slots__}
    return with_codebook(_made(said))


def _made(said: Mapping[str, object]) -> ReadOptions:
    """Return the options whose fields these are, each of its type and in its range."""
    made: dict[str, Any] = dict(said)
    for name in _LISTS:
        if name in made:
            made[name] = checks.texts(name, made[name])
    for name in _TEXTS:
        if made.get(name) is not None:
            checks.text(name, made[name])
    if made.get("encoding") == "":
        raise ParameterError("encoding", "", "the name of a text encoding, such as utf-8, cp1252 or utf-16")
    for name in ("header", "decimal_comma"):
        if made.get(name) is not None:
            made[name] = checks.flag(name, made[name])
    if "timestamps" in made:
        made["timestamps"] = checks.flag("timestamps", made["timestamps"])
    if made.get("attributes") is not None:
        checks.path("attributes", made["attributes"])
    if made.get("progress") is not None:
        checks.function("progress", made["progress"])
    if isinstance(made.get("codebook"), str | Path):
        made["codebook"] = read_codebook(made["codebook"])
    if made.get("codebook") is not None:
        checks.instance("codebook", made["codebook"], Codebook, "a Codebook, or a file's name")
    options = ReadOptions(**made)
    if options.layout is not None:
        checks.choice("layout", options.layout, ("long", "wide"))
    checks.choice("duplicates", options.duplicates, ("refuse", "first", "last", "mean"))
    checks.whole_number("max_problems", options.max_problems, 1)
    if options.scale is not None:
        options = dataclasses.replace(options, scale=checks.number_pair("scale", options.scale))
    scales = checks.sensitive_scales(options.sensitive_scale, options.sensitive)
    options = dataclasses.replace(options, sensitive_scale=scales)
    (options.codebook or Codebook()).effective(options)
    return options
