"""What the library says in Python's words, as the command line says it:
options instead of parameters.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Collection, Sequence
from typing import Any

from ratingpriv.attack.algorithms.algorithm import OPTIONS
from ratingpriv.base.numbers import in_full
from ratingpriv.documents.verdicts import GroupDemands

_PARAMETER = re.compile(r"(?<!`)`([A-Za-z]\w*)(?:=([^`\n]+))?`(?!`)")
_PYTHON_ONLY = frozenset(("frame", "on_detect", "options", "progress", "record_ids", "table"))
SETTINGS = frozenset((
    "anywhere", "at-most", "attributes", "bins", "centres", "confidence",
    "csv-safe", "decimal-comma", "delimiter", "diversity",
    "duplicates", "encoding", "engine", "factors", "fill", "found-at-most", "header", "interval",
    "keep", "known-error", "knows-count", "memory", "multiline", "no-fabricate", "only-null",
    "output-format", "output-layout", "plot-kind", "scheme",
    "sensitive-kind", "sensitive-nulls", "sensitive-scale", "sheet", "short", "spark-conf",
    "spark-master",
    "strategy", "swap-nulls", "theta", "threads", "timestamp", "unrated", "work",
    *(name.replace("_", "-") for name, row in OPTIONS.items() if row.parameter is not None),
    *(name.replace("_", "-") for name in GroupDemands.__struct_fields__),
))  # fmt: skip
"""Options that few need, which the command line takes as ``--set NAME=VALUE``."""
_RENAMED = {
    "issues": "items",
    "items": "known-items",
    "m": "known",
    "pseudonym_key": "pseudonymize",
    "ratings": "rating",
    "rng": "seed",
    "timestamps": "keep-timestamps",
}
_NEGATED = frozenset(("fabricate", "header", "partition", "sensitive"))  # have a --no- form
_WORDED = {
    "decimal_comma=False": "--set decimal-comma=no",
    "ids": "--strip-ids or --keep-ids",
    "ratings=True": "--ratings",
    "ids='shuffle'": "no --strip-ids and no --keep-ids",
    "ids='strip'": "--strip-ids",
    "ids='keep'": "--keep-ids",
    "date_error=None": "--date-error none",
    "targets=None": "--targets all",
}


def as_options(text: str) -> str:
    """Return a message of the library with the parameters it names in backquotes as options.

    The library speaks Python and the command line options: ```null``` becomes ``--null``,
    ```scale=(1, 5)``` becomes ``--scale 1:5``, ```header=False``` becomes ``--no-header``. What is
    in backquotes and is no parameter stays as it is.
    """
    return _PARAMETER.sub(_as_option, text)


def option_of(parameter: str, options: Collection[str]) -> str:
    """Return which of a command's ``options`` a parameter is, such as ``fail-above``.

    Another name stays.
    """
    stem = _RENAMED.get(parameter, parameter.replace("_", "-"))
    return next((option for option in (stem, f"no-{stem}") if option in options), parameter)


def _as_option(match: re.Match[str]) -> str:
    match_text, name, written = match[0], match[1], match[2]
    if name in _PYTHON_ONLY:
        return match_text
    if match_text[1:-1] in _WORDED:
        return _WORDED[match_text[1:-1]]
    stem = _RENAMED.get(name, name.replace("_", "-"))
    setting = stem in SETTINGS or f"no-{stem}" in SETTINGS
    option, joint = (f"--set {stem}", "=") if setting else (f"--{stem}", " ")
    if written is None:
        return option
    try:
        value = ast.literal_eval(written)
    except (ValueError, SyntaxError):  # a placeholder, such as epsilon=E
        return f"{option}{joint}{written}"
    if value is None:
        return f"no {option}"
    if setting:
        return _as_setting(stem, value)
    if value is True:
        return option
    if value is False or (name in _NEGATED and value in ([], ())):
        return f"--no-{stem}" if name in _NEGATED else f"no {option}"
    if isinstance(value, list | tuple):
        return _as_list(name, option, value)
    return f"{option} {_argument(value)}"


def _as_setting(stem: str, value: Any) -> str:
    """Return ``--set NAME=VALUE``, once for each of several values."""
    if isinstance(value, bool):
        if stem not in SETTINGS:  # fabricate=False
            stem, value = f"no-{stem}", not value
        value = "yes" if value else "no"
    several = value if isinstance(value, list | tuple) else (value,)
    return " ".join(f"--set {shlex.quote(f'{stem}={_plain(one)}')}" for one in several)


def _as_list(name: str, option: str, values: Sequence[Any]) -> str:
    """Return an option with several values, joined as that option takes them, or else repeated."""
    if name == "scale":
        return f"{option} " + ":".join(map(_argument, values))
    if name == "issues":
        return f"{option} " + shlex.quote(",".join(map(str, values)))
    return " ".join(f"{option} {_argument(value)}" for value in values)


def _plain(value: Any) -> str:
    return in_full(value) if isinstance(value, float) else str(value)


def _argument(value: Any) -> str:
    """Return a value as an option takes it, quoted for a shell."""
    if value is Ellipsis:
        return "..."
    return shlex.quote(_plain(value))
