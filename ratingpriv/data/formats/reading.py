"""Reading data in: what a loader is, its options, how the right one is found,
and attributes of the records.

Loaders live in other packages and are found by the entry point group ``ratingpriv.loaders``
(``name = "package.module:LoaderClass"``); this module knows none of them by name. A rating log has
a row a rating, and no place for what is known of a person: age and occupation come from a file of
their own, wide, a row a record, by record id. Its columns take roles like any others; what nobody
names there is not used.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import polars as pl

from ratingpriv.base import checks
from ratingpriv.base.compute.compiling import one_computation
from ratingpriv.base.compute.resources import return_memory
from ratingpriv.base.errors import DataError, ParameterError, Problem, UnknownFormatError
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.codebook.building import table_of
from ratingpriv.data.codebook.cells import NullTokens, numeral
from ratingpriv.data.codebook.codebook import Codebook, matches, quasi_rule
from ratingpriv.data.codebook.deciding import RECORD_NAMES, recognise
from ratingpriv.data.codebook.options import ReadOptions as ReadOptions
from ratingpriv.data.codebook.options import checked_options, refuse_others
from ratingpriv.data.codebook.options import null_tokens as null_tokens
from ratingpriv.data.codebook.raw import RawData
from ratingpriv.data.codebook.recognition.long_ratings import refuse_doubtful
from ratingpriv.data.codebook.roles import NULL_TOKENS as NULL_TOKENS
from ratingpriv.data.codebook.table_like import TableLike, as_table
from ratingpriv.data.formats.sources import Source as Source
from ratingpriv.data.formats.sources import naming_source
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.parts import Joined, Multiline, Roles, Spellings
from ratingpriv.data.table.selection import is_computed

_LARGE = 5_000_000  # ratings

_ROLES = ("quasi", "identifier", "carry", "ratings")
_OF_COLUMNS = (
    "codebook",
    *_ROLES,
    "keep",
    "only_null",
    "sheet",
    "decimal_comma",
    "multiline",
    "attributes",
)


@dataclass(frozen=True, slots=True)
class Detection:
    """A loader's claim on a source: how sure it is (0..1) and why, in words for the user."""

    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class Columns:
    """What a file's columns are taken for, from its opening alone.

    Attributes
    ----------
    layout : "long" or "wide"
    names : all columns, in the file's order; without a header "1", "2", ...
    header : whether the first line names them; None where the format leaves no doubt
    record : the column of record ids; None where rows have no ids
    issue, rating, timestamp : the columns of a long layout; None in a wide one, and where there is
        none
    aside : what else the file has, or is written with, beside a plain table of these columns, in
        words: title lines, decimal commas, other sheets, comments. It is read past; a release has
        none of it
    """

    layout: str
    names: tuple[str, ...]
    header: bool | None
    record: str | None
    issue: str | None = None
    rating: str | None = None
    timestamp: str | None = None
    aside: tuple[str, ...] = ()


@runtime_checkable
class Loader(Protocol):
    """What a loader offers; a class without constructor arguments, registered by entry point.

    It may have ``takes``, the names of those reading options on roles, recodes and spreadsheets
    that it knows: codebook, quasi, identifier, carry, ratings, keep, only_null, sheet,
    decimal_comma, multiline, attributes. :func:`read` refuses the others, so that none is ignored.
    And it may have ``attributes(source)``, which gives the RawData of a file of the records'
    attributes that lies beside the ratings, and its Source; None if there is none. Nothing of it is
    used that options do not name.
    """

    name: str
    description: str

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Say how sure this loader is that it can read ``source``, or None.

        Quick: looks at the head only.
        """
        ...

    def columns(self, source: Source, options: ReadOptions) -> Columns:
        """Say what :meth:`load` would take each column for; DataError where it would not know."""
        ...

    def load(self, source: Source, options: ReadOptions) -> RatingTable:
        """Read everything, or raise DataError with the problems found.

        ``origin.sha256`` is filled in.

        Of a long layout, all issues: :func:`read` keeps those of ``only``.
        """
        ...


def plugged_in(kind: str) -> dict[str, Any]:
    """Return the installed plug-ins of a kind by name, sorted: an instance of each,
    by its entry point.

    One that does not start is left out with a warning: it must not keep everybody else's from
    working.
    """
    plugins: dict[str, Any] = {}
    group = importlib.metadata.entry_points(group=f"ratingpriv.{kind}s")
    for entry in sorted(group, key=lambda entry: entry.name):
        try:
            plugins[entry.name] = entry.load()()
        except Exception as error:
            warnings.warn(
                f"the {kind} {entry.name} ({entry.value}) cannot be used: {error}", stacklevel=3
            )
    return plugins


@functools.cache
def loaders() -> dict[str, Loader]:
    """Return the installed loaders."""
    return plugged_in("loader")


def detect(source: Source, options: ReadOptions | None = None) -> tuple[Loader, Detection]:
    """Return the loader that is surest of ``source``, and its claim.

    UnknownFormatError unless one is.
    """
    options = options or ReadOptions()
    claims = [
        (claim, loader)
        for loader in loaders().values()
        if (claim := loader.detect(source, options))
    ]
    claims.sort(key=lambda pair: -pair[0].confidence)
    formats = ", ".join(loaders())
    if not claims:
        content = "data that no loader recognises"
        if source.is_dir:
            names = sorted(path.name for path in source.path.iterdir())
            shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
            content = (
                f"a directory that no loader recognises (in it: {shown})"
                if names
                else "an empty directory"
            )
        expected, remedy = f"one of the formats {formats}", "check the path, or name a `format`"
        raise UnknownFormatError(Problem(source.name, content, expected, remedy))
    if len(claims) > 1 and claims[0][0].confidence == claims[1][0].confidence:
        both = (
            f"{claims[0][1].name} ({claims[0][0].reason}) and {claims[1][1].name} "
            f"({claims[1][0].reason})"
        )
        raise UnknownFormatError(
            Problem(
                source.name, f"data that two loaders claim: {both}", "one", "name one with `format`"
            )
        )
    return claims[0][1], claims[0][0]


def chosen_loader(
    source: Source,
    format: str | None,  # noqa: A002 -- the word of --format
    options: ReadOptions,
    on_detect: Callable[[Loader, Detection], None] | None = None,
) -> Loader:
    """Return the loader of the format that is named, by the caller or the codebook.

    Else the surest one.
    """
    if on_detect is not None:
        checks.function("on_detect", on_detect)
    if format is None and options.codebook is not None:
        format = options.codebook.data.get("format")  # noqa: A001 -- the word of --format
    if format is not None:
        if checks.text("format", format) not in loaders():
            raise ParameterError("format", format, "one of the formats " + ", ".join(loaders()))
        return loaders()[format]
    loader, claim = detect(source, options)
    if on_detect is not None:
        on_detect(loader, claim)
    return loader


@checks.takes_random_state
@one_computation()
@naming_source
def read(
    path: str | Path | Source | TableLike,
    *,
    format: str | None = None,  # noqa: A002 -- the word of --format
    issues: str | None = None,
    sample: float | None = None,
    rng: int | np.random.Generator | None = None,
    random_state: checks.RandomState | None = None,
    options: ReadOptions | None = None,
    on_detect: Callable[[Loader, Detection], None] | None = None,
    **more: Any,
) -> RatingTable:
    """Read ratings from a file, a directory, standard input (``-``), a data frame or an array.

    Parameters
    ----------
    path : what to read; a Source is read as it was first looked at, so that its hash is that of
        what is read; what is no file is taken as
        :func:`ratingpriv.data.codebook.table_like.as_table` says, a row a record
    format : a loader's name; without it the format is detected, and ``on_detect`` is called with it
    issues : which non-sensitive issues to keep, see :meth:`RatingTable.select_issues`
    sample : keep a sample of the records, see :meth:`RatingTable.sample`
    rng : seed or Generator for ``sample`` and a ``random:N`` without a seed
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    options : what is known about the data; or give its fields as keyword arguments
        (``sensitive=["age"]``)

    Raises
    ------
    DataError
        With every problem found in the data, up to a limit; or the file changed while it was read.
    ResourceError
        The disk or the connection failed while they were read.
    ParameterError
        An option is unknown or out of range.
    """
    if issues is not None:
        checks.text("issues", issues)
    if isinstance(path, str | Path | Source):
        source = path if isinstance(path, Source) else Source(path)
        options = checked_options(options, more)
        table = _from_file(
            source, chosen_loader(source, format, options, on_detect), options, issues
        )
    else:
        table = as_table(path, options=options, **more)
    large = table.n_ratings > _LARGE
    if issues is not None:
        table = table.select_issues(issues, rng=rng)
    if sample is not None:
        table = table.sample(sample, rng=rng)
    if large:  # what reading used would stand beside all that follows
        return_memory()
    return table


def _from_file(
    source: Source, loader: Loader, options: ReadOptions, issues: str | None
) -> RatingTable:
    attributes = _attributes(loader, source, options)
    if attributes is not None:
        options = attributes.others
    refuse_unsupported(loader, options)
    if issues is not None and not options.only and not is_computed(issues):
        # Issues that are named one by one, columns of a wide layout, are those to keep: others need
        # not be parsed, nor are they judged. What is no name is for `select_issues`.
        columns = loader.columns(source, options)
        named = (
            (issues,)
            if issues in columns.names
            else tuple(name.strip() for name in issues.split(","))
        )
        others = {columns.record, *options.sensitive, *options.drop}
        if columns.layout == "wide" and all(
            name in columns.names and name not in others for name in named
        ):
            options = dataclasses.replace(options, only=tuple(dict.fromkeys(named)))
    try:
        table = loader.load(source, options)
        if table.origin.layout == "long":
            if options.only:
                table = table.select_issues(
                    [one for one in options.only if one not in options.sensitive]
                )
            refuse_others(options)
            refuse_doubtful(table, options)
        if attributes is not None:
            table = attributes.joined(table)
    except Exception:
        source.refuse_changed()  # which then is the reason, whatever came of it
        raise
    source.refuse_changed()
    path = None if source.is_stream else source.path.absolute()
    return table.replace(origin=dataclasses.replace(table.origin, place=path))


def _attributes(loader: Loader, source: Source, options: ReadOptions) -> Attributes | None:
    """Return the attributes that options name: those of their file,
    or of one beside the ratings.
    """
    roles = (options.quasi, options.sensitive, options.carry, options.identifier, options.codebook)
    if options.attributes is not None:
        file = Source(options.attributes)
        of_file = ReadOptions(
            layout="wide",
            null=options.null,
            only_null=options.only_null,
            encoding=options.encoding,
            multiline=options.multiline,
            max_problems=options.max_problems,
        )
        reader = detect(file, of_file)[0]
        if not hasattr(reader, "raw"):
            raise ParameterError("attributes", file.name, "delimited text, one row per record")
        raw = reader.raw(file, of_file)
    else:
        beside = getattr(loader, "attributes", None)
        found = beside(source) if beside is not None and any(roles) else None
        if found is None:
            return None
        raw, file = found
    attributes = Attributes.named(raw, options, file.sha256())
    file.refuse_changed()
    if attributes is None and options.attributes is not None:
        expected = "a role for a column of it"
        remedy = "name columns with `quasi` or `sensitive`, or in a `codebook`"
        raise ParameterError("attributes", file.name, expected, remedy)
    return attributes


def refuse_unsupported(loader: Loader, options: ReadOptions) -> None:
    """Refuse what a loader would ignore: a quasi-identifier that is
    not counted in promises too much.
    """
    taken = getattr(loader, "takes", ())
    for name in _OF_COLUMNS:
        value = getattr(options, name)
        if isinstance(value, Codebook) and not value.columns:
            continue
        if value not in (None, ()) and name not in taken:
            shown = value if isinstance(value, tuple | str | bool) else type(value).__name__
            remedy = "write the data as delimited text, one row per record"
            raise ParameterError(
                name, shown, f"no `{name}` for data of the format {loader.name}", remedy
            )


_LISTS = ("sensitive", "identifier", "carry", "quasi")


@dataclass(frozen=True, slots=True)
class Attributes:
    """The attributes that options name, read but not joined yet.

    ``options`` is what is said of the columns of the file, ``others`` what is said of the ratings;
    ``sha256`` is that of the file's bytes.
    """

    raw: RawData
    options: ReadOptions
    others: ReadOptions
    sha256: str

    @classmethod
    def named(cls, raw: RawData, options: ReadOptions, sha256: str) -> Attributes | None:
        """Split what options say into that of the attributes and that of the ratings.

        None: nothing of these.

        What has a name that both have is said of the attribute.
        """
        names = [column.name for column in raw.read]

        def part(mine: bool) -> dict[str, Any]:
            """Return what is said of the attributes, or else of the ratings."""

            def is_of_it(text: str) -> bool:
                return (text in names or quasi_rule(text)[0] in names) is mine

            options_of_part: dict[str, Any] = {
                list_name: tuple(filter(is_of_it, getattr(options, list_name)))
                for list_name in _LISTS
            }
            scales = options.sensitive_scale.items()
            options_of_part["sensitive_scale"] = {
                name: scale for name, scale in scales if is_of_it(name)
            }
            if (book := options.codebook) is not None:
                columns = {
                    entry: spec
                    for entry, spec in book.columns.items()
                    if any(matches(name, entry) for name in names) is mine
                }
                options_of_part["codebook"] = dataclasses.replace(book, columns=columns)
            return options_of_part

        attribute_options, others = part(mine=True), part(mine=False)
        book = attribute_options.get("codebook")
        if not any(attribute_options[option] for option in _LISTS) and not (book and book.columns):
            return None
        id_column = next((column.name for column in raw.read if column.known_role == "id"), None)
        record = id_column or recognise(names, ("id", *RECORD_NAMES))
        if record is None:
            expected = "a column of record ids, as the ratings have them"
            actual, remedy = "attributes without record ids", "call it user, record or id"
            raise DataError(Problem(raw.origin.name, actual, expected, remedy, line=1))
        of_attributes = ReadOptions(
            layout="wide",
            id=record,
            null=options.null,
            only_null=options.only_null,
            max_problems=options.max_problems,
            **attribute_options,
        )
        return cls(
            raw, of_attributes, dataclasses.replace(options, attributes=None, **others), sha256
        )

    def joined(self, table: RatingTable) -> RatingTable:
        """Return the table with the attributes of its records.

        Null where a record is not in their file.
        """
        attributes = self._table()
        row_of, nobody = (
            {str(record_id): row for row, record_id in enumerate(attributes.record_ids)},
            attributes.n_records,
        )
        rows = np.array(
            [row_of.get(str(record), nobody) for record in table.record_ids], dtype=np.int64
        )
        matched = int(np.count_nonzero(rows < nobody))
        if not matched:
            expected = "the attributes of the records that have ratings"
            remedy = (
                "check that both files call a record by the same id, or name another file "
                "(`attributes`)"
            )
            raise DataError(
                Problem(self.raw.origin.name, "none of these records", expected, remedy)
            )
        quasi = []
        for column in attributes.quasi:
            used, dense = np.unique(np.append(column.codes, -1)[rows], return_inverse=True)
            values = column.values.gather(used[used >= 0])
            codes = dense.astype(np.int32) - np.int32(len(used) - len(values))  # a null stays -1
            quasi.append(dataclasses.replace(column, codes=codes, values=values))
        sensitive = [
            dataclasses.replace(
                secret,
                values=np.append(secret.values, 0.0)[rows],
                present=np.append(secret.present, False)[rows],
            )
            for secret in attributes.sensitive
        ]
        carried = [cells.extend_constant(None, 1).gather(rows) for cells in attributes.carried]
        columns: list[Any] = [*quasi, *sensitive, *carried]
        new = [column.name for column in columns]
        if twice := {*table.issues, *table.other_names} & set(new):
            expected = "a name that no item has"
            raise ParameterError(
                "attributes", min(twice), expected, "rename the column of attributes"
            )
        digest = hashlib.sha256(f"{table.origin.sha256}\n{self.sha256}\n".encode()).hexdigest()
        details = {**table.origin.details, "attributes": self.raw.origin.name}
        details["repeats"] = (*table.repeats, *attributes.repeats)
        details["spellings"] = Spellings.of_both(table.spellings, attributes.spellings)
        spanning: Multiline | None = self.raw.origin.details.get("multiline")
        if spanning is not None:
            details["multiline"] = (table.multiline or Multiline(0, 0)).and_also(*spanning)
        before = table.roles or Roles(())
        roles = (attributes.roles or Roles(())).columns
        codebook = self.options.codebook
        return table.replace(
            quasi=(*table.quasi, *quasi),
            sensitive=(*table.sensitive, *sensitive),
            carried=(*table.carried, *carried),
            joined=Joined(len(rows), len(rows) - matched, nobody, nobody - matched),
            roles=Roles(
                (*before.columns, *((name, role) for name, role in roles if name in new)),
                None if codebook is None else codebook.sha256,
                before.guessed,
            ),
            origin=dataclasses.replace(
                table.origin,
                sha256=digest,
                details=details,
                order=(*table.origin.order, *new) if table.origin.order else (),
            ),
        )

    def _table(self) -> RatingTable:
        """Return the attributes as a table of their own,
        without the columns that nobody has named.
        """
        options, codebook = self.options, self.options.codebook or Codebook()
        named = {
            *options.sensitive,
            *options.identifier,
            *options.carry,
            *options.quasi,
            options.id,
        }
        named |= {quasi_rule(text)[0] for text in options.quasi}
        columns, specs = [], {}
        nulls = NullTokens(options, codebook.missing)
        for column in self.raw.read:
            name, spec = column.name, codebook.spec_of(column.name)
            if name not in named and spec.role in (None, "rating"):
                if spec.role == "rating":
                    actual = f"role rating of the attribute {shown_name(name)}"
                    expected = (
                        "of an attribute, the role quasi, sensitive, carry, identifier or drop"
                    )
                    problem = Problem(
                        self.raw.origin.name, actual, expected, "say another in the codebook"
                    )
                    raise DataError(problem)
                # looked at as what somebody dropped is
                specs[name] = dataclasses.replace(spec, role="drop")
                columns.append(column)
                continue
            columns.append(column)
            if isinstance(column.cells, pl.Series):
                words = column.cells.dtype == pl.String
            else:
                cells = column.cells.texts.gather(column.cells.used[0]).to_list()
                present = [cell for cell in cells if cell not in nulls]
                words = bool(present) and not any(map(numeral, present))
            # a sensitive attribute of them is one of categories
            if name in options.sensitive and words:
                specs[name] = dataclasses.replace(spec, role="sensitive", kind="nominal")
        raw = dataclasses.replace(self.raw, read=tuple(columns), names=())
        codebook = dataclasses.replace(codebook, columns={**codebook.columns, **specs})
        return table_of(raw, dataclasses.replace(options, codebook=codebook), bare=True)
