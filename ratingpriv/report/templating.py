"""The templates, and how numbers and texts of the data are written in them."""

from __future__ import annotations

import contextlib
import functools
import operator
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.attack.algorithms.algorithm import ALGORITHMS
from ratingpriv.base.cautions import WILDCARD, Caution
from ratingpriv.base.escaping import printable
from ratingpriv.base.numbers import in_full, largest_l, rounded_down, rounded_up
from ratingpriv.base.reservations import FOUND_AT_MOST, RESERVATIONS
from ratingpriv.documents.utility import MEASURED
from ratingpriv.proximity.demands import DEMANDS
from ratingpriv.report import plain
from ratingpriv.report.meanings import title
from ratingpriv.report.wording import as_options
from ratingpriv.utility.comparing import BETTER, no_better

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from jinja2.bccache import Bucket

# of the data: a bar, and what else would be a marker; neither is printable
_BAR, _TEXT = "\ufdd0", "\ufdd1"
_MARKERS = ("#", ">", "-", "$", "|")


def phrase(name: str, *values: Any, template: str = "words.jinja") -> str:
    """Return a sentence that a page shares with what is no page: a macro of a template."""
    return unmarked(str(getattr(templates().get_template(template).module, name)(*values)))


@functools.cache
def templates() -> Environment:
    """Return the environment of all templates.

    Compiled when first used, and kept as Python's are.
    """
    from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined

    class Cache(FileSystemBytecodeCache):
        def dump_bytecode(self, bucket: Bucket) -> None:
            with contextlib.suppress(OSError):  # a full disk, or another's folder
                super().dump_bytecode(bucket)

    folder = Path(__file__).with_name("__pycache__")

    jinja = Environment(  # noqa: S701 -- pages are texts; who makes HTML of them escapes
        loader=PackageLoader("ratingpriv.report", "templates"),
        undefined=StrictUndefined,
        finalize=_of_data,
        extensions=["jinja2.ext.do"],
        bytecode_cache=Cache(str(folder))
        if folder.is_dir() and not sys.dont_write_bytecode
        else None,
    )
    jinja.globals |= {
        "LIMIT": FOUND_AT_MOST,
        "ALGORITHMS": ALGORITHMS,
        "BETTER": BETTER,
        "MEASURED": MEASURED,
        "WILDCARD": WILDCARD,
        "no_better": no_better,
    }
    jinja.globals |= {"RESERVATIONS": RESERVATIONS, "DEMANDS": tuple(DEMANDS)}
    jinja.filters |= {
        "at_most": plain.at_most,
        "before_suppression": _before_suppression,
        "chance": plain.chance,
        "count": plain.count,
        "digits": lambda value, digits: f"{value:.{digits}g}",
        "down": rounded_down,
        "exact_percent": plain.exact_percent,
        "file_name": lambda path: Path(path).name,
        "full": in_full,
        "grouped": lambda value: f"{value:,}",
        "largest": _largest,
        "largest_l": largest_l,
        "limit": lambda one: f"{one['measure']}{one['operator']}{one['limit']:.15g}",
        "moved_most": plain.moved_most,
        "number": plain.number,
        "options": as_options,
        "percent": plain.percent,
        "plural": plain.plural,
        "quote": shlex.quote,
        "release_of": _release_of,
        "repr": repr,
        "reservations": lambda cautions: list(
            dict.fromkeys(filter(None, (Caution.from_dict(one).reservation for one in cautions)))
        ),
        "same": _same,
        "sentence": _sentence,
        "share": plain.share,
        "short": short,
        "strongest": _strongest,
        "title_of": title,
        "up": rounded_up,
    }
    return jinja


@functools.cache
def html_template(name: str) -> Template:
    """Return a template of HTML: what it is given is escaped, control characters as on a terminal.

    It is compiled anew in each process, as what is kept does not escape.
    """
    escaping = templates().overlay(autoescape=True, finalize=plain.of_data, bytecode_cache=None)
    return escaping.get_template(name)


def _of_data(value: Any) -> str:
    """Return a value so that no marker and no line end is in it.

    None is a fault of the template.
    """
    if value is None:
        raise TypeError("a template says None")
    text = str(value)
    if not text.isprintable():  # or of a macro, whose values have been here before
        parts = re.split(f"([{_BAR}{_TEXT}])", text)
        text = "".join(part if part in (_BAR, _TEXT) else printable(part) for part in parts)
    text = text.replace("|", _BAR)
    return _TEXT + text if text.startswith(_MARKERS) else text


def unmarked(text: str) -> str:
    """Return a text of a template with what the data have in it as they have it."""
    return text.replace(_BAR, "|").replace(_TEXT, "")


def _largest(rows: Iterable[Any], *path: str) -> Any:
    """Return what rows have at a path with the largest rate.

    None where no row has anything there.
    """
    values = [functools.reduce(lambda part, key: part and part[key], path, row) for row in rows]
    return max(
        filter(None, values),
        key=lambda part: part.get("correct", part)["rate"] or 0.0,
        default=None,
    )


def _strongest(rows: Sequence[Any]) -> Any:
    """Return the attack that succeeds most often; of equals the last, which names more often."""
    return max(reversed(rows), key=lambda row: round(row["success"]["rate"] or 0.0, 12))


def _same(rows: Iterable[Any], attribute: str) -> list[list[Any]]:
    """Return rows that have the same together, in the order in which they first occur."""
    path = [int(key) if key.isdigit() else key for key in attribute.split(".")]
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        groups.setdefault(functools.reduce(operator.getitem, path, row), []).append(row)
    return list(groups.values())


def _before_suppression(
    selection: Mapping[str, Any] | None, withheld: int
) -> Mapping[str, Any] | None:
    """Return which part of the data the input was, before records were suppressed.

    None: all of it.
    """
    if selection is None:
        return None
    before = {**selection, "records": selection["records"] + withheld}
    unselected = all(before[name] == before[f"of_{name}"] for name in ("issues", "records"))
    return None if unselected and not before["dropped"] else before


def _sentence(text: str, *, stop: bool = True) -> str:
    """Return a sentence with a capital, and a full stop unless more follows."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("." if stop and text and text[-1] not in ".:!?" else "")


def short(text: object, most: int = 32) -> str:
    """Return a name of the data, cut to so many characters."""
    name = printable(text)
    return name if len(name) <= most else name[: most - 1].rstrip() + "…"


def _release_of(name: str) -> str:
    """Return a file name for a release of the data called ``name``:
    survey.csv.gz, survey.release.csv.gz.
    """
    if name == "<stdin>":
        return "release.csv"
    stem, dot, suffix = Path(name).name.partition(".")
    return f"{stem}.release{dot}{suffix}" if stem else f"{suffix}.release"
