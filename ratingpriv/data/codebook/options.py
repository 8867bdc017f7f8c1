"""What a user says about the data beside a codebook: the options of reading,
and what means unanswered.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError, meant
from ratingpriv.base.progress import Progress
from ratingpriv.data.codebook.codebook import Codebook, quasi_rule
from ratingpriv.data.codebook.files.toml_file import read_codebook
from ratingpriv.data.codebook.roles import NULL_TOKENS, OTHERS, ColumnSpec
from ratingpriv.data.table.building.finishing import DUPLICATES, Handling


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the user said about the data.

    None or empty is "not said": the loader finds out or has a default.

    Attributes
    ----------
    layout : "long" (a row a rating) or "wide" (a row a record)
    id : column of record ids (wide: by name or 1-based number; long: the record column)
    issue, rating, timestamp : columns of the long layout, by name or 1-based number
    sensitive : names of sensitive issues
    drop : columns, or issues of the long layout, to leave out; names or patterns (``Q2_*``)
    only : issues to keep, where they are known by name before reading; others need not be parsed
    scale : (minimum, maximum) of every rating, sensitive ones included
    sensitive_scale : (minimum, maximum) of sensitive issues that have another scale, by name; None:
        none
    null : texts that mean "not rated", beside NULL_TOKENS; an empty cell always does, and a number
        means that number however it is written (``0`` covers ``0.0``)
    only_null : such texts instead of NULL_TOKENS
    delimiter : one or more characters
    encoding : a codec's name
    header : whether the first line names the columns
    duplicates : what to do with a duplicated (record, issue) pair: refuse, first, last (by their
        timestamps where there are any, else in the order of the data) or mean
    timestamps : whether timestamps are wanted; a loader may leave them unread otherwise
    max_problems : list at most so many problems of a file
    codebook : what is said of the columns; options beat it
    quasi : quasi-identifiers, ``NAME`` (records must be equal) or ``NAME=WITHIN`` (they may differ
        so much)
    identifier : direct identifiers, which are not read any further
    carry : columns that are released though nobody audits them
    ratings : columns that are ratings, whatever they look like; in a long layout the one column of
        ratings
    keep : columns that are kept, names or patterns; others need not be parsed
    sheet : which sheet of a workbook, by name
    decimal_comma : whether decimals are written with a comma; None: find out
    multiline : whether quoted cells over lines that look like records are meant; None: they are
        refused, as behind a stray quote
    attributes : a file of attributes of the records of a long layout, a row a record
    others : "rating" says that all columns of a wide layout of which nothing else is said are
        ratings
    anywhere : whether files that a codebook names may be outside of its folder
    """

    layout: str | None = None
    id: str | None = None
    issue: str | None = None
    rating: str | None = None
    timestamp: str | None = None
    sensitive: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None
    sensitive_scale: Mapping[str, tuple[float, float] | None] = field(
        default_factory=dict, hash=False
    )
    null: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    duplicates: str = "refuse"
    timestamps: bool = True
    max_problems: int = 20
    codebook: Codebook | None = field(default=None, hash=False)
    quasi: tuple[str, ...] = ()
    identifier: tuple[str, ...] = ()
    carry: tuple[str, ...] = ()
    ratings: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    only_null: tuple[str, ...] = ()
    sheet: str | None = None
    decimal_comma: bool | None = None
    multiline: bool | None = None
    attributes: str | Path | None = None
    others: str | None = None
    anywhere: bool = False
    progress: Progress | None = field(default=None, compare=False)

    @property
    def silent(self) -> bool:
        """Whether nothing is said of how the data are laid out, or of what columns are."""
        roles = (self.sensitive, self.quasi, self.identifier, self.carry, self.ratings)
        statements = (*roles, self.scale, self.only, self.keep, self.others)
        return self.layout is None and self.codebook is None and not any(statements)

    @property
    def handling(self) -> Handling:
        """What becomes of issues and ratings, as it is said here."""
        return Handling(
            sensitive=self.sensitive,
            drop=self.drop,
            scale=self.scale,
            sensitive_scale=self.sensitive_scale,
            duplicates=self.duplicates,
        )

    @property
    def timed(self) -> bool:
        """Whether timestamps are needed: wanted,
        or saying which of two ratings came first or last.
        """
        return self.timestamps or self.duplicates in ("first", "last")


def null_tokens(options: ReadOptions) -> tuple[str, ...]:
    """Return the texts that mean "not rated", each once; blank cells do whatever is said here."""
    return tuple(dict.fromkeys(("", *(options.only_null or NULL_TOKENS), *options.null)))


def with_codebook(options: ReadOptions) -> ReadOptions:
    """Return the options with what their codebook says of the data,
    where they do not say it themselves.

    What either drops is dropped, and its texts for "not rated" count beside those of the options.
    """
    book = options.codebook
    if book is None:
        return options
    filled: dict[str, Any] = {}
    for key, value in book.data.items():
        name = key.replace("-", "_")
        if name in ("path", "format"):
            continue
        said = getattr(options, name)
        if name == "drop":
            filled[name] = tuple(dict.fromkeys((*value, *said)))
        elif said in (None, ()) or (name == "duplicates" and said == "refuse"):
            filled[name] = value
    if "attributes" in filled:
        filled["attributes"] = book.beside(filled["attributes"])
    filled["null"] = tuple(dict.fromkeys((*book.missing, *options.null)))
    return dataclasses.replace(options, **filled)


_LISTS = (
    "sensitive",
    "drop",
    "only",
    "null",
    "quasi",
    "identifier",
    "carry",
    "ratings",
    "keep",
    "only_null",
)
_TEXTS = ("layout", "id", "issue", "rating", "timestamp", "delimiter", "encoding", "sheet")
_CHECKS: Mapping[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(_LISTS, checks.texts),
    **dict.fromkeys(_TEXTS, checks.text),
    **dict.fromkeys(
        ("header", "decimal_comma", "multiline", "timestamps", "anywhere"), checks.flag
    ),
    "layout": partial(checks.choice, choices=("long", "wide")),
    "duplicates": partial(checks.choice, choices=DUPLICATES),
    "others": partial(checks.choice, choices=OTHERS),
    "max_problems": partial(checks.whole_number, minimum=1),
    "scale": checks.number_pair,
}
"""By the name of an option what takes its value, or refuses it."""


def checked_options(options: ReadOptions | None, more: Mapping[str, object]) -> ReadOptions:
    """Check reading options; single ones (``more``) are taken where ``options`` is not given."""
    usual = {field.name: field.default for field in dataclasses.fields(ReadOptions)}
    for name in more:
        if name not in usual:
            expected = "one of the options " + ", ".join(sorted(usual))
            raise ParameterError("read", name, expected, meant(name, usual))
    if options is not None and more:
        raise ParameterError("read", sorted(more), "either options= or single options, not both")
    if options is not None:
        checks.instance("options", options, ReadOptions, "ReadOptions")
    made: dict[str, Any] = (
        dict(more) if options is None else {n: getattr(options, n) for n in usual}
    )
    made = {name: value for name, value in made.items() if value is not usual[name]}
    made |= {name: check(name, made[name]) for name, check in _CHECKS.items() if name in made}
    if made.get("encoding") == "":
        raise ParameterError(
            "encoding", "", "the name of a text encoding, such as utf-8, cp1252 or utf-16"
        )
    if "attributes" in made:
        checks.path("attributes", made["attributes"])
    if "progress" in made:
        checks.function("progress", made["progress"])
    if isinstance(made.get("codebook"), str | Path):
        made["codebook"] = read_codebook(made["codebook"], anywhere=made.get("anywhere", False))
    if "codebook" in made:
        checks.instance("codebook", made["codebook"], Codebook, "a Codebook, or a file's name")
    options = ReadOptions(**made)
    scales = checks.sensitive_scales(options.sensitive_scale, options.sensitive)
    options = dataclasses.replace(options, sensitive_scale=scales)
    roles_said(options)  # refuses a column of two roles
    return with_codebook(options)


def refuse_others(options: ReadOptions) -> None:
    """Refuse to call all other columns ratings where a row is a rating:
    it has one column of them.
    """
    if options.others is not None:
        expected = "no `others` for one row per rating, which has one column of ratings"
        remedy = "leave it out; if a row is a record, say `layout='wide'`"
        raise ParameterError("others", options.others, expected, remedy)


def roles_said(options: ReadOptions) -> dict[str, ColumnSpec]:
    """Return what options say of columns, by their names.

    ParameterError where one has two roles.
    """
    roles: dict[str, tuple[str, ColumnSpec]] = {}
    for option in ("quasi", "sensitive", "identifier", "carry", "ratings"):
        for text in getattr(options, option):
            name, within = quasi_rule(text) if option == "quasi" else (text, None)
            scale = options.sensitive_scale.get(name) if option == "sensitive" else None
            spec = ColumnSpec(role=option.removesuffix("s"), within=within, scale=scale)
            before, same = roles.setdefault(name, (option, spec))
            if same != spec:
                raise ParameterError(
                    option, name, "one role a column", f"it is named with `{before}` too"
                )
    return {name: spec for name, (_, spec) in roles.items()}
