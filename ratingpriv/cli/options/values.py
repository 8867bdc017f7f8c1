"""How options are declared, as Typer does by default values: what reads a value,
and its section of the help.

A parser raises ValueError; the command line makes that
``memory: found 'lots', expected a size ...``.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, Literal, dataclass_transform

from typer import Argument, Option
from typer.models import ParameterInfo

from ratingpriv.base.errors import ParameterError, meant
from ratingpriv.base.numbers import WRITTEN, decimal_number, whole_number
from ratingpriv.base.parameter import Parameter

GATES, DATA, RULES, GLOBAL = "Gates of a pipeline", "Data", "Rules", "Global options"
STORE = "Graph store"
SETTINGS = "Settings (--set NAME=VALUE, or in a codebook)"
SHARED = (GATES, DATA, RULES, GLOBAL, SETTINGS)
"""Those that ``--help-data`` shows where a command reads data."""


Place = Literal["input", "output", "store"]
"""What a value names that is a file or folder which is read or written, or a graph store."""


@dataclass(frozen=True, slots=True)
class Parser:
    """Reads one kind of value."""

    read: Callable[[str], Any]  # of a text, or raises ValueError or KeyError
    expected: str = "a text"
    place: Place | None = None
    metavar: str | None = None
    words: tuple[str, ...] = ()  # that it reads, if these are all

    def __call__(self, text: str) -> Any:
        """Return the value."""
        return self.read(text)

    def of(self, name: str, text: str) -> Any:
        """Return the value of the parameter ``name``; a mistake is a ParameterError."""
        try:
            return self.read(text)
        except (KeyError, ValueError):
            raise ParameterError(name, text, self.expected, meant(text, self.words)) from None


def option(
    text: str,
    default: Any = None,
    *words: str,
    panel: str | None = None,
    parser: Parser | None = None,
    metavar: str | None = None,
    **more: Any,
) -> Any:
    """Declare an option, of the parameter's name unless ``words`` say another;
    ``more`` is Typer's.
    """
    more["metavar"] = metavar or (parser and parser.metavar)
    return Option(default, *words, help=text, rich_help_panel=panel, parser=parser, **more)


def argument(text: str, default: Any = None, **more: Any) -> Any:
    """Declare an argument."""
    return Argument(default, help=text, **more)


@dataclass_transform(kw_only_default=True, frozen_default=True)
def group[T](cls: type[T]) -> type[T]:
    """Make a class of declared options a frozen dataclass;
    in Python it has their default values.
    """
    for name, kind in typing.get_type_hints(cls).items():
        if isinstance(declared := vars(cls).get(name), ParameterInfo):
            default = default_of(kind, declared)
            metadata = {"declared": declared}
            setattr(
                cls, name, field(default=MISSING if default is ... else default, metadata=metadata)
            )
    return dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)(cls)


def asks[T](parameters: Mapping[str, Parameter | None]) -> Callable[[type[T]], type[T]]:
    """Return what declares an option for each parameter of a registry, before those of a class."""

    def declare(cls: type[T]) -> type[T]:
        rows = {name: row for name, row in parameters.items() if row is not None}
        kinds = {name: row.kind | None for name, row in rows.items()}
        cls.__annotations__ = {**kinds, **cls.__annotations__}
        for name, row in rows.items():
            declared = option(row.words, metavar=row.metavar, min=row.least, max=row.most)
            setattr(cls, name, declared)
        return cls

    return declare


def default_of(kind: Any, declared: ParameterInfo) -> Any:
    """Return the default value: else a flag does not hold, and what is repeatable is not there."""
    if declared.default is not None:
        return declared.default
    return False if kind is bool else () if typing.get_args(kind)[1:] == (...,) else None


def _where[T](holds: object, value: T) -> T:
    """Return the value, if it may be one."""
    if not holds:
        raise ValueError
    return value


text = Parser(str)
input_file, output_file = (
    Parser(lambda text: _where(text, text), "the name of a file or folder", place, "FILE")
    for place in ("input", "output")
)
reads, writes = (partial(option, parser=parser) for parser in (input_file, output_file))
"""Declare an option that names a file or folder."""

file_argument = partial(argument, parser=input_file)
"""Declares an argument that does."""

store_uri = Parser(str, place="store", metavar="URI")
items = Parser(str, place="input", metavar="SPEC")  # of @FILE


def whole(minimum: int) -> Parser:
    """Return what reads a whole number: no underscores, exponents or other scripts' digits."""
    return Parser(
        lambda text: _where((value := whole_number(text)) >= minimum, value),
        f"a whole number >= {minimum}",
    )


def whole_or(word: str, meaning: Any, minimum: int = 1) -> Parser:
    """Return what reads a whole number, or a word, which means something else."""
    number = whole(minimum)
    return Parser(
        lambda text: meaning if text.strip().lower() == word else number.read(text),
        f"{number.expected}, or {word}",
        metavar=f"N|{word}",
    )


def number(maximum: float | None = None, *, none: Any = ...) -> Parser:
    """Return what reads a finite number >= 0; -0.0 is 0.0. ``none``: what that word means."""

    def read(text: str) -> Any:
        if none is not ... and text.strip().lower() == "none":
            return none
        value = decimal_number(text, printed=True)
        return _where(value >= 0 and (maximum is None or value <= maximum), value)

    rate = "a rate from 0 to 1, such as 0.05"
    return Parser(read, f"a finite number >= 0, {WRITTEN}" if maximum is None else rate)


def one_of(*words: str, more: tuple[str, ...] = ()) -> Parser:
    """Return what reads one of some words; ``more`` go to the library, which says why not."""
    by_word = {word: word for word in (*words, *more)}
    return Parser(
        by_word.__getitem__, "one of " + ", ".join(words), metavar="|".join(words), words=words
    )


days = number(none=None)
yes_or_no = Parser(
    {"yes": True, "true": True, "no": False, "false": False}.__getitem__, "yes or no"
)
delimiter = Parser(lambda text: "\t" if text in (r"\t", "tab") else text, metavar="TEXT")


@partial(Parser, expected="a share from 0 to below 1: 1 % is 1% or 0.01", metavar="SHARE")
def share(text: str) -> float:
    """Return a share, written as 0.01 or 1%, as the decimal that it is."""
    value = decimal_number(number := text.removesuffix("%"))
    if number != text:
        value = float(Decimal(number) / 100)
    return _where(0 <= value < 1, value)


@partial(Parser, expected=number().expected, metavar="N|SHARE")
def amount(text: str) -> float:
    """Return a number of records (int), or a fraction of them (float)."""
    value: float = number().read(text)
    return int(value) if value.is_integer() else value


@partial(Parser, expected="B:L, two whole numbers >= 1, such as 1:3", metavar="B:L")
def whole_pair(text: str) -> tuple[int, int]:
    """Return two whole numbers."""
    first, second = map(whole(1).read, text.split(":"))
    return first, second


@partial(Parser, expected="MIN:MAX, two numbers with MIN below MAX, such as 1:5", metavar="MIN:MAX")
def scale(text: str) -> tuple[float, float]:
    """Return the two ends of a scale."""
    low, high = map(decimal_number, text.split(":"))
    return _where(low < high, (low, high))


@partial(
    Parser,
    expected="NAME=MIN:MAX, two numbers with MIN below MAX, such as pay=1:7",
    metavar="NAME=MIN:MAX",
)
def named_scale(text: str) -> tuple[str, tuple[float, float]]:
    """Return an item's name and its scale, which is what stands behind the last ``=``."""
    item, ends = text.rsplit("=", 1)
    return _where(item, item), scale.read(ends)


def named_texts(parameter: str, words: Iterable[str]) -> dict[str, str]:
    """Return the texts of ``NAME=VALUE`` by their names, each of which stands once."""
    texts: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise ParameterError(parameter, word, "NAME=VALUE, such as k=5")
        if name in texts:
            raise ParameterError(name, text, "every parameter once")
        texts[name] = text
    return texts


class NamedPath(str):
    """A path, with the name that was given to it."""

    name = ""


@partial(Parser, expected="NAME=PATH, such as ml-100k=u.data", place="input", metavar="NAME=PATH")
def named_path(text: str) -> NamedPath:
    """Return the path, whose attribute is its name."""
    name, path = text.split("=", 1)
    named = NamedPath(_where(name and path, path))
    named.name = name
    return named


@partial(Parser, expected="K=V, such as spark.executor.memory=4g", metavar="K=V")
def key_value(text: str) -> str:
    """Return a setting and its value, as they were written."""
    key, equals, _ = text.partition("=")
    return _where(equals and key.strip(), text)


@partial(Parser, expected="a size such as 4GiB, 500MB or 1000000", metavar="SIZE")
def size(text: str) -> int:
    """Return bytes; K, M, G and T alone are binary."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?(?:([kmgt])(i?b)?|b)?", text.lower())
    if match is None or not text.isascii():
        raise ValueError
    number, letter, unit = match.groups()
    base = 1000 if unit == "b" else 1024
    value = int(decimal_number(number) * base ** " kmgt".index(letter or " "))
    return _where(1 <= value < 1 << 63, value)
