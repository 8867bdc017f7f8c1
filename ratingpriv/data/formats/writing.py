"""Writing tables out: what a writer is, how the right one is found,
and what a file states of how it is read.

Writers live in other packages and are found by the entry point group ``ratingpriv.writers``
(``name = "package.module:WriterClass"``); this module knows none of them by name. A writer goes by
the name of the loader that reads what it writes.

Whoever receives a file reads it as its manifest says. So nothing may be said there that takes a
rating for something else: a number never means "not rated", a digit never separates columns, bytes
that are ASCII are read as ASCII, a line of numbers is no header, and no word of a scale is a
number. What a column is (a quasi-identifier, and by which rule) is a claim, to be counted by and
shown. Writers keep to that, by the same functions, and :meth:`Rereading.from_dict` refuses the
rest.
"""

from __future__ import annotations

import codecs
import dataclasses
import functools
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec
from msgspec import UnsetType

from ratingpriv.base import checks
from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.base.numbers import LARGEST
from ratingpriv.base.progress import Progress
from ratingpriv.data.codebook.codebook import Codebook, is_pattern, matches
from ratingpriv.data.codebook.roles import NULL_TOKENS, ColumnSpec
from ratingpriv.data.formats.reading import ReadOptions, loaders, plugged_in, read
from ratingpriv.data.formats.sources import Source
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import attribute_columns
from ratingpriv.data.table.building.problems import listed_names
from ratingpriv.documents import data as documents

DELIMITED = "delimited"
"""The format that can hold any table: what another format cannot hold is written as this one."""

_UNWRITTEN = (".xls", ".ods", ".dta", ".sas7bdat", ".xpt", ".html", ".pdf", ".md", ".json")
"""Suffixes of what a table is not written as: text under such a name would be taken for it."""

_TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".data", ".gz", ".zst", ".zip")


class UnwritableError(ParameterError):
    """A format cannot hold this table; ``found`` says what it has no place for."""


@dataclass(frozen=True, slots=True)
class Rereading:
    """How a written file is read again, such that the same table comes out:
    a loader and its options.
    """

    format: str
    options: ReadOptions

    def read(self, path: str | Path | Source, *, progress: Progress | None = None) -> RatingTable:
        """Read the file as it was written.

        DataError, too, if its columns are not what is stated of them.

        ``scale`` may not have been declared: sensitive ratings are held to scales of their own
        only. Every column of a wide file has the role that is stated; those of which nothing is are
        ratings, whatever they look like.
        """
        options = self.options
        scales = {**dict.fromkeys(options.sensitive), **options.sensitive_scale}
        source = path if isinstance(path, Source) else Source(path)
        options = dataclasses.replace(
            self.complete(source), sensitive_scale=scales, progress=progress
        )
        table = read(source, format=self.format, options=options)
        self.check(table)
        return table

    def complete(self, source: Source) -> ReadOptions:
        """Return the options with what nobody has to state: all other columns are ratings.

        Where columns hold texts, and in formats whose cells have types, an empty cell alone means
        unanswered: any word may be a value.
        """
        options, takes = self.options, getattr(loaders()[self.format], "takes", ())
        if options.layout == "wide" and "ratings" in takes:
            columns = loaders()[self.format].columns(source, options)
            specs = {} if options.codebook is None else options.codebook.columns
            for name in filter(is_pattern, specs):
                if any(matches(column, name) for column in columns.names if column != name):
                    actual = f"a column {shown_name(name)}, a pattern that another column fits"
                    remedy = "rename it, and make the release anew"
                    raise DataError(
                        Problem(source.name, actual, "names that no other fits", remedy)
                    )
            others = {*options.sensitive, *specs, columns.record}
            ratings = tuple(name for name in columns.names if name not in others)
            options = dataclasses.replace(options, ratings=ratings)
        typed = self.format != DELIMITED and "only_null" in takes
        if typed or options.codebook is not None:
            options = dataclasses.replace(options, null=(), only_null=("",))
        return options

    def check(self, table: RatingTable) -> None:
        """Raise DataError where columns are not what is stated,
        or what counts as missing is told apart.
        """
        columns = {} if self.options.codebook is None else self.options.codebook.columns
        stated = {name: spec.within for name, spec in columns.items() if spec.role == "quasi"}
        carried = {name for name, spec in columns.items() if spec.role == "carry"}
        within_of = {column.name: column.within for column in table.quasi}
        name, details, anew = table.origin.name, table.origin.details, "have the release made anew"
        if within_of != stated or {column.name for column in table.carried} != carried:
            expected = (
                "the quasi-identifiers and carried columns that are stated, by the rules stated"
            )
            raise DataError(Problem(name, "other ones", expected, "verify the original"))
        # they are there for everybody who reads the file
        if missing := details.get("declared_missing", 0):
            values = f"{missing} values that the file itself declares missing"
            raise DataError(Problem(name, values, "empty cells", anew))
        # whoever reads the file tells records apart by them
        if (ways := details.get("unanswered", 0)) > 1:
            texts = f"{ways} texts that all mean missing"
            raise DataError(Problem(name, texts, "one, as in every release", anew))

    def to_dict(self) -> dict[str, Any]:
        """Return format and options as plain values; options that are as usual are left out."""
        usual = ReadOptions()
        fields = {
            field.name: getattr(self.options, field.name)
            for field in dataclasses.fields(ReadOptions)
            if field.compare and getattr(self.options, field.name) != getattr(usual, field.name)
        }
        codebook = fields.pop("codebook", None)
        if codebook is not None:
            fields["columns"] = {name: dict(spec.said()) for name, spec in codebook.columns.items()}
        return {"format": self.format, **_plain(fields)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Rereading:
        """Turn :meth:`to_dict` back, whoever wrote it:
        only what the format's writer may state is taken.
        """
        given = dict(content)
        format = given.pop("format", None)  # noqa: A001 -- the word of --format
        if not isinstance(format, str) or format not in writers():
            shown = format if isinstance(format, str) else type(format).__name__
            raise ParameterError("read.format", shown, "one of the formats " + ", ".join(writers()))
        return cls(format, ReadOptions(**check_stated(given, frozenset(writers()[format].states))))


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """How a table shall be written; None is "as the table's origin was, else as is usual".

    Attributes
    ----------
    layout : "long" (a row a rating) or "wide" (a row a record)
    record_ids : whether a wide layout has a column of record ids; a long one needs them
    labels : "words", ratings as the words of their scale where these are known, or "numbers"
    name : the file's name in the end, whose suffix says how it is packed (.gz, .zst, .zip); None:
        the path's
    """

    layout: str | None = None
    record_ids: bool = True
    labels: str = "words"
    name: str | None = None


@runtime_checkable
class Writer(Protocol):
    """What a writer offers; a class without constructor arguments, registered by entry point."""

    name: str
    description: str
    suffixes: tuple[str, ...]
    """The ends of names, as ``.parquet``, that are its own; none where other formats have them,
    too.
    """
    states: tuple[str, ...]
    """Names of the reading options that its Rereading may state; whoever checks a release takes no
    others.
    """

    def write(
        self,
        table: RatingTable,
        path: Path,
        options: WriteOptions,
        progress: Progress | None = None,
    ) -> Rereading:
        """Write ``table`` to ``path``, which is nobody else's yet, and say how it is read again.

        The bytes depend on the table, the options and the versions of libraries only: no times, no
        names of files or users. UnwritableError if the format cannot hold the table; OSError if the
        disk fails.
        """
        ...


@functools.cache
def writers() -> dict[str, Writer]:
    """Return the installed writers."""
    return plugged_in("writer")


def _own_suffixes() -> dict[str, str]:
    """Return which writer each suffix belongs to that is one format's own.

    An older writer may have none.
    """
    return {
        suffix: name
        for name, writer in writers().items()
        for suffix in getattr(writer, "suffixes", ())
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(value_inside) for name, value_inside in value.items()}
    return list(value) if isinstance(value, tuple) else value


def check_format(format: str) -> str:  # noqa: A002 -- the word of --output-format
    """Return ``format``; ParameterError if no writer is installed for it."""
    return checks.choice("format", format, tuple(writers()))


def choose_format(table: RatingTable, name: str, format: str | None = None) -> str:  # noqa: A002
    """Return the format in which a file called ``name`` is written.

    What the user says counts first, then a suffix that belongs to one format, then what the table
    was read from.
    """
    if format is not None:
        return check_format(format)
    suffix = Path(name).suffix.lower()
    if suffix in _UNWRITTEN:
        expected_formats = "one of the formats " + ", ".join(writers())
        remedy = "choose a name such as release.csv or release.parquet"
        raise ParameterError("format", f"a name that ends in {suffix}", expected_formats, remedy)
    suffixes = _own_suffixes()
    if suffix in suffixes:
        return suffixes[suffix]
    origin = table.origin.format
    if origin not in writers() or (origin in suffixes.values() and suffix in _TEXT_SUFFIXES):
        return DELIMITED
    return origin


def refuse_columns_beside_ratings(table: RatingTable) -> None:
    """Raise UnwritableError where a table has columns that a row a rating has no place for."""
    names = list(attribute_columns(table))
    if names:
        raise UnwritableError(
            "layout",
            f"long, of a table with columns that are no ratings ({listed_names(names)})",
            "wide, one row per record: one row per rating has no place for them",
            "write it wide, or leave the columns out",
        )


def scale_of(table: RatingTable) -> tuple[float, float] | None:
    """Return the scale as reading options have it; None where all ratings are one and the same."""
    scale = table.scale
    return (
        None if scale is None or scale.minimum == scale.maximum else (scale.minimum, scale.maximum)
    )


def sensitive_scales_of(table: RatingTable) -> dict[str, tuple[float, float]]:
    """Return the scales that sensitive issues were declared to have,
    as reading options have them.
    """
    declared = table.origin.details.get("sensitive_scale", {})
    return {
        column.name: declared[column.name]
        for column in table.sensitive
        if declared.get(column.name)
    }


def write_table(
    table: RatingTable,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 -- the word of --output-format
    options: WriteOptions | None = None,
    progress: Progress | None = None,
) -> Rereading:
    """Write ``table`` to ``path`` in its origin's layout, or as requested.

    Return how it is read again.

    Not atomic: :func:`ratingpriv.anonymize.release.writing.write_release` sees to that. Where the
    format is that of the origin, not requested nor said by the suffix, and cannot hold the table (a
    rating without a time in MovieLens's), it is written as delimited text, and ``Rereading.format``
    says so; UnwritableError if it was requested.
    """
    path = Path(path)
    options = options or WriteOptions()
    if options.layout is not None:
        checks.choice("layout", options.layout, ("long", "wide"))
    options = options if options.name else dataclasses.replace(options, name=path.name)
    name = options.name or path.name
    chosen = choose_format(table, name, format)
    try:
        stated = writers()[chosen].write(table, path, options, progress)
    except UnwritableError:
        if format is not None or chosen in (
            DELIMITED,
            _own_suffixes().get(Path(name).suffix.lower()),
        ):
            raise
        stated = writers()[DELIMITED].write(table, path, options, progress)
    Rereading.from_dict(stated.to_dict())  # a reader has to take it from a manifest
    return stated


_IN_NUMBERS = frozenset(string.digits + string.ascii_letters + "+-._\"'\r\n\0")
_WIDE_CODECS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig")
# escapes of some codecs
_PROBE = bytes(range(92)) + bytes(range(93, 128)) + b"\\u0031 +ADE- ~{0!~} =31"
_LONG_ONLY = ("issue", "rating", "timestamp")
_STATED = {
    "rating": {"labels"},
    "quasi": {"within"},
    "sensitive": {"kind", "labels"},
    "carry": set(),
}
"""What may be said of a column, by its role; there are no others in a release."""


def may_mean_null(text: str) -> bool:
    """Whether a text can mean "not rated" in a file for strangers:
    nothing that anybody reads as a number.
    """
    is_nan = text.strip().lower() == "nan"
    return is_nan or not (any(character.isnumeric() for character in text) or _is_number(text))


def may_separate(delimiter: str) -> bool:
    """Whether a text can stand between columns: no character of a number or of a name."""
    return bool(delimiter) and not any(
        character in _IN_NUMBERS or character.isalnum() for character in delimiter
    )


def may_encode(encoding: str) -> bool:
    """Whether a codec reads ASCII as ASCII, or is one of the UTF that cannot be taken for it."""
    try:
        name = codecs.lookup(encoding).name
        return name in _WIDE_CODECS or _PROBE.decode(name) == _PROBE.decode("ascii")
    except (LookupError, UnicodeError, ValueError):
        return False


def may_be_word(text: str) -> bool:
    """Whether a text can be a word of a scale:
    nothing that anybody reads as a number or as unanswered.
    """
    blank = text.strip() != text or not text
    return not blank and _is_clean(text) and text not in NULL_TOKENS and not _is_number(text)


def names_columns(names: Iterable[str], nulls: Iterable[str]) -> bool:
    """Whether a first line can only be a header:
    a cell of it is neither a number nor one of ``nulls``.
    """
    return any(name not in nulls and not _is_number(name) for name in names)


def check_stated(given: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """Return the reading options ``given`` by a stranger, lists as tuples.

    They have to be ``known``.

    Those are the options that the format's writer may state.
    """
    for name in given:
        if name not in known:
            expected = "an option that this format's writer states: " + ", ".join(sorted(known))
            raise ParameterError("read", _shown(name), expected)
    try:
        options = msgspec.convert({"format": "", **given}, documents.ReadOptions)
    except msgspec.ValidationError as error:  # it may quote the value
        option = re.search(r"\$\.(\w+)", str(error))
        named = "read" if option is None else f"read.{option[1]}"
        raise ParameterError(
            named, "another value", "what the contract of manifests has there"
        ) from error
    if not all(map(_is_clean, _texts(given))):
        raise ParameterError(
            "read", "a text with NUL or half a surrogate pair", "texts that can be names"
        )
    for option, *fault in _faults(given, options, known):
        raise ParameterError(f"read.{option}", *fault)
    checked = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    if not isinstance(options.scale, UnsetType):
        checked["scale"] = options.scale
    if "sensitive_scale" in checked:
        scales = checks.sensitive_scales(given["sensitive_scale"], given.get("sensitive", ()))
        checked["sensitive_scale"] = scales
    if checked.pop("columns", None) is not None:
        columns = {
            name: ColumnSpec(**{**column, "labels": tuple(column.get("labels", ()))})
            for name, column in msgspec.to_builtins(options.columns).items()
        }
        checked["codebook"] = Codebook(columns=columns)
    return checked


def _faults(
    given: Mapping[str, Any], options: documents.ReadOptions, known: frozenset[str]
) -> Iterator[tuple[Any, ...]]:
    """Yield options that say nothing, do not fit together,
    or would take a rating for something else.

    Each is what a ParameterError has: the option, what may be shown of it, what was expected, and a
    remedy.
    """
    for name in ("sensitive", "only", "null"):
        if name in given and (not given[name] or len(set(given[name])) < len(given[name])):
            yield name, "a list", "a list of different texts"
    if not isinstance(options.scale, UnsetType):
        low, high = options.scale
        if not -LARGEST <= low < high <= LARGEST:
            yield "scale", "a list", "two numbers, the lower first"
    columns = {} if isinstance(options.columns, UnsetType) else options.columns
    for name, column in columns.items():
        yield from _column_faults(name, column, sensitive=name in given.get("sensitive", ()))
    if options.columns == {}:
        yield "columns", "an empty list", "names of columns, with the role of each"
    yield from _layout_faults(given, known)
    yield from _null_faults(given.get("null", ()), texts=bool(columns))
    if "delimiter" in given and not may_separate(given["delimiter"]):
        yield (
            "delimiter",
            _shown(given["delimiter"]),
            "a delimiter that is no part of a number or a name",
        )
    if "encoding" in given and not may_encode(given["encoding"]):
        yield (
            "encoding",
            _shown(given["encoding"]),
            "an encoding that reads ASCII as ASCII, or a UTF",
        )


def _column_faults(name: str, column: Any, *, sensitive: bool) -> Iterator[tuple[Any, ...]]:
    """Yield what is wrong with what is said of a column; ``sensitive`` :
    whether it is named as such.
    """
    content = msgspec.to_builtins(column)
    labels, within = content.get("labels", ()), content.get("within")
    if not name or content.keys() - {"role", *_STATED[column.role]}:
        yield "columns", _shown(name), f"of a column of role {column.role} no more than that"
    if (column.role == "sensitive") != sensitive:
        yield "columns", _shown(name), "the same sensitive columns as in read.sensitive"
    if len(set(labels)) < len(labels) or not all(map(may_be_word, labels)):
        yield "columns", _shown(name), "words of a scale, each once, none a number"
    if within is not None and within > LARGEST:
        yield "columns", within, "a number from 0 to 2^53 for the rule within"


def _layout_faults(given: Mapping[str, Any], known: frozenset[str]) -> Iterator[tuple[Any, ...]]:
    """Yield options that the layout has no place for."""
    layout = given.get("layout")
    if "layout" in known and layout is None:
        yield "layout", None, "long or wide"
    for name in _LONG_ONLY if layout == "wide" else ():
        if name in given:
            yield name, _shown(given[name]), "nothing in a wide layout"
    for name in ("only", "columns") if layout == "long" else ():
        if name in given:
            yield name, "a list", "nothing in a long layout"


def _null_faults(tokens: Sequence[str], *, texts: bool) -> Iterator[tuple[Any, ...]]:
    """Yield what is wrong with the texts for unanswered; ``texts`` : whether columns hold texts."""
    if texts and tokens:  # of texts nobody can tell a value from such a word
        yield "null", "a text", "nothing where columns hold texts: only an empty cell"
    if len(tokens) > 1 or not all(map(may_mean_null, tokens)):
        shown = f"{len(tokens)} texts" if len(tokens) > 1 else _shown(tokens[0])
        remedy = (
            "a release that says otherwise is written by an older version, or forged: have "
            "it made anew"
        )
        yield "null", shown, "at most one text for missing, and no number", remedy


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in a value of JSON, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for part in (*value, *value.values()) if isinstance(value, Mapping) else value:
            yield from _texts(part)


def _is_clean(text: str) -> bool:
    """Whether a text can be a name: no NUL, no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _is_number(text: str) -> bool:
    """Whether anybody might read a text as a number: decimal commas and all that Python takes."""
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _shown(value: object) -> object:
    """Return what a message may show of a stranger's value: a short text, or of what kind it is."""
    if isinstance(value, str):
        return ascii(value)[1:-1][:40]
    if isinstance(value, bool | int | float) or value is None:
        return value
    return f"a {type(value).__name__}"
