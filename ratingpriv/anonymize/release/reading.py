"""How a release is read by whoever checks it, and by whose word: the file's, the receiver's,
the manifest's.

What a manifest says of reading decides what is counted. So its word alone is never enough for what
a column is: layout, and the columns of records, issues and ratings must be what the file itself
shows (the names of its columns; record ids that are 1 to n, or no numbers) or what the receiver
says. How the text is cut into cells is taken from it, within what
:mod:`ratingpriv.data.formats.writing` lets it say.

The manifest's word on sensitive issues, the scale and single columns is enough for its *claim*,
which is shown with it. A *demand* takes from it only what cannot make the demand smaller: that
records have to be *equal* on a column. Sensitive issues, a scale, a tolerance, the order of words
that no usual scale has, that categories are not numbers, and that a column is audited by nobody,
are the receiver's to say.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from ratingpriv.anonymize.release.manifest import Manifest
from ratingpriv.base.errors import DataError, ParameterError, Problem, UnknownFormatError
from ratingpriv.base.escaping import shown_name
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.codebook import Codebook, quasi_rule
from ratingpriv.data.codebook.roles import ColumnSpec
from ratingpriv.data.formats.reading import (
    Columns,
    ReadOptions,
    Source,
    detect,
    loaders,
    null_tokens,
    read,
)
from ratingpriv.data.formats.writing import DELIMITED, Rereading, names_columns
from ratingpriv.data.table import RatingTable, Scale
from ratingpriv.data.table.building.conversion import attribute_columns
from ratingpriv.data.table.building.problems import listed_names
from ratingpriv.documents import release as documents
from ratingpriv.documents.making import document_of
from ratingpriv.proximity.levels import null_separates
from ratingpriv.proximity.reservations import has_missing

_SAME_COLUMNS = ("movielens",)  # what its loader recognises is delimited text as well
_EXPORTS = ("google-forms", "limesurvey", "qualtrics", "surveymonkey")
"""Formats of survey tools, which a release in delimited text may look like; what it is not is one
of them.
"""
_STRUCTURE = ("layout", "id", "issue", "rating")
_LEFT_OUT = ("identifier", "drop")
_RELEASED = ("rating", "quasi", "sensitive", "carry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """What the receiver says of how the release is to be read, as :func:`verify` has it;
    None is nothing.

    Of the codebook only what it says of the release's own columns counts, and not its recodes: the
    release has recoded values.
    """

    layout: str | None = None
    id: str | None = None
    issue: str | None = None
    rating: str | None = None
    sensitive: tuple[str, ...] | None = None
    scale: tuple[float, float] | None = None
    quasi: tuple[str, ...] | None = None
    carry: tuple[str, ...] = ()
    codebook: Codebook | None = None
    # by of()
    columns: Mapping[str, ColumnSpec] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def demands(self) -> bool:
        """Whether something is said that only a demand is counted by."""
        words = (self.sensitive, self.scale, self.quasi, self.codebook)
        return bool(self.carry) or any(word is not None for word in words)

    def of(self, names: Sequence[str]) -> dict[str, ColumnSpec]:
        """Return what is said of each of these columns, each once, options over the codebook."""
        columns: dict[str, ColumnSpec] = {}
        for name in names if self.codebook is not None else ():
            spec = self.codebook.spec_of(name) if self.codebook is not None else ColumnSpec()
            if spec.role is not None or spec.labels:
                scale = spec.scale if spec.role == "sensitive" else None
                columns[name] = ColumnSpec(
                    role=spec.role,
                    kind=spec.kind,
                    within=spec.within,
                    labels=spec.labels,
                    scale=scale,
                )
        rules = ((text, None) if text in names else quasi_rule(text) for text in self.quasi or ())
        by_option = [("quasi", name, within) for name, within in rules]
        by_option += [("carry", name, None) for name in self.carry]
        roles: dict[str, str] = {}
        for role, name, within in by_option:
            if name not in names:
                raise ParameterError(role, name, "a column of the release, by its name")
            if name in roles:
                raise ParameterError(role, name, "one role a column", f"see `{roles[name]}`")
            roles[name] = role
            before = columns.get(name, ColumnSpec())
            if before.role != role:
                before = ColumnSpec()
            columns[name] = ColumnSpec(
                role=role, kind=before.kind, within=within, labels=before.labels
            )
        return columns


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """How a release was read: what each column was taken for, by which options.

    Attributes
    ----------
    table : what was read
    format : the loader's name
    columns : what each column was taken for
    options : how the file was read
    words : by whose word, "file", "receiver" or "manifest", for "columns", "quasi" (what is said of
        quasi-identifiers and other columns beside plain ratings), "sensitive" and "scale"
    problems : in what way the file is not what the manifest says of reading it, a sentence each
    """

    table: RatingTable
    format: str
    columns: Columns
    options: ReadOptions
    words: dict[str, str]
    problems: tuple[str, ...] = ()

    @property
    def stated(self) -> Mapping[str, ColumnSpec]:
        """What the reader was told of single columns."""
        return {} if self.options.codebook is None else self.options.codebook.columns

    @property
    def worded(self) -> list[str]:
        """The columns whose words were put in order by what the reader was told."""
        return [name for name, spec in self.stated.items() if spec.labels]

    def to_dict(self) -> dict[str, Any]:
        """Return it as the JSON contract ``ratingpriv.verify/1`` has it."""
        columns, table, scale = self.columns, self.table, self.table.scale
        return document_of(
            documents.Reading,
            self.options,
            format=self.format,
            layout=columns.layout,
            columns=columns,
            header=columns.header,
            null=null_tokens(self.options),
            sensitive=[column.name for column in table.sensitive],
            nominal=[column.name for column in table.sensitive if column.nominal],
            quasi=[column.described for column in table.quasi],
            carried=[column.name for column in table.carried],
            words=self.worded,
            scale=None if scale is None else {**scale.to_dict(), "declared": scale.declared},
            by_the_word_of=self.words,
        )


def read_for_claim(
    source: Source, claim: Manifest, receiver: Receiver, progress: Progress | None = None
) -> Reading:
    """Read a release as its manifest says, where the file or the receiver bears that out.

    DataError where it cannot be read so; ParameterError where nothing but the manifest says what a
    column is.
    """
    options = claim.read.options
    columns = loaders()[claim.read.format].columns(source, options)
    claimed = _own_columns(source, claim, receiver)
    if columns.header and not names_columns(columns.names, null_tokens(options)):
        actual = "a first line of numbers, which the manifest takes for names of columns"
        expected = "names that cannot be the ratings of a record"
        remedy = "have it released with ids, or as parquet"
        raise DataError(Problem(source.name, actual, expected, remedy, line=1))
    word = "receiver" if any(getattr(receiver, name) is not None for name in _STRUCTURE) else "file"
    by_ids = _places(columns) != _places(claimed)
    if by_ids and (columns.layout, claimed.layout) != ("wide", "wide"):
        named = {"id": columns.record, "issue": columns.issue, "rating": columns.rating}
        as_said = [f"`layout={columns.layout!r}`"]
        as_said += [f"`{name}={column!r}`" for name, column in named.items() if column is not None]
        raise ParameterError(
            "layout",
            f"the layout {columns.layout}, which only the manifest states",
            "a file that shows the layout by the names of its columns, or your declaration",
            f"say {', '.join(as_said)} if it is so",
        )
    table = claim.read.read(source, progress=progress)
    if by_ids and columns.record is not None and not _are_fresh(table, ordered=True):
        ids = table.record_ids  # that are no numbers are no ratings, whatever they are
        if ids.dtype != pl.String or not ids.cast(pl.Float64, strict=False).null_count():
            raise _no_ids(columns.record, claimed.record)
        word = "manifest"
    elif by_ids and columns.record is None:
        if claimed.record not in table.issues:
            raise _no_ids(columns.record, claimed.record)
        codes = table.codes[table.indices == table.issues.index(str(claimed.record))]
        # all there and all different, as ids are
        if len(codes) == table.n_records == len(np.unique(codes)):
            raise _no_ids(columns.record, claimed.record)
    words = {
        "columns": word,
        "quasi": "file" if options.codebook is None else "manifest",
        "sensitive": "manifest",
        "scale": "file" if options.scale is None else "manifest",
    }
    return Reading(
        table, claim.read.format, columns, options, words, tuple(_left_out(table, columns, claim))
    )


def read_for_demand(
    source: Source,
    reading: Reading,
    receiver: Receiver,
    needed: Target,
    progress: Progress | None = None,
) -> Reading:
    """Read a release once more, as the receiver says and the manifest does not.

    ParameterError where the manifest alone calls a column of texts record ids, or takes issues for
    sensitive, or states a scale that decides what a null means.
    """
    named = [column.name for column in reading.table.sensitive]
    if reading.words["columns"] == "manifest":  # whatever stands there would be audited by nobody
        raise _no_ids(reading.columns.record, reading.columns.record)
    check_sensitive(named, receiver)
    sensitive = receiver.sensitive or ()
    columns = demanded_columns(reading.table, reading.stated, receiver)
    options = dataclasses.replace(
        reading.options,
        sensitive=sensitive,
        scale=receiver.scale,
        only=tuple({*reading.options.only, *named} - {*sensitive}) if reading.options.only else (),
        codebook=Codebook(columns=columns) if columns else None,
    )
    table = reading.table
    ends = (float(table.levels[0]), float(table.levels[-1])) if len(table.levels) else None
    if columns or set(sensitive) != set(named) or receiver.scale is not None:
        table = _read_anew(source, reading, options, progress)
    else:
        table = table.replace(scale=None if ends is None else Scale(*ends, declared=False))
    if receiver.scale is None:
        _refuse_scale(reading, table, needed, reading.options.scale or ends)
    words = {
        "columns": reading.words["columns"],
        "quasi": "receiver" if receiver.columns else reading.words["quasi"],
        "sensitive": "file" if receiver.sensitive is None else "receiver",
        "scale": "file" if receiver.scale is None else "receiver",
    }
    refused = tuple(_failing(columns, receiver))
    return Reading(table, reading.format, reading.columns, options, words, refused)


def _read_anew(
    source: Source, reading: Reading, options: ReadOptions, progress: Progress | None
) -> RatingTable:
    """Return the release as other options read it.

    DataError where that is not all of it, or another file.
    """
    rereading = Rereading(reading.format, options)
    more = dataclasses.replace(rereading.complete(source), progress=progress)
    table = read(source, format=reading.format, options=more)
    rereading.check(table)
    if table.selection is not None:
        actual = "a manifest by which some columns of the release are not read (read.only)"
        remedy = "ask the publisher of the release for its manifest"
        raise DataError(Problem(source.name, actual, "a manifest by which all are", remedy))
    if table.origin.sha256 != reading.table.origin.sha256:
        actual = "other data than a moment ago"
        raise DataError(Problem(source.name, actual, "the same file", "verify it again"))
    return table


def _refuse_scale(
    reading: Reading, table: RatingTable, needed: Target, stated: tuple[float, float] | None
) -> None:
    """Refuse a manifest whose scale alone decides what a missing rating means."""
    if not has_missing(table):
        return
    separates = null_separates(reading.table.scale, needed.epsilon, needed.nulls)
    if separates != null_separates(table.scale, needed.epsilon, needed.nulls):
        raise ParameterError(
            "scale",
            "a scale, stated by the manifest only, by which missing ratings separate other records "
            "than by the ratings of the file",
            "your declaration of the scale",
            f"say `scale={stated}` if that is the scale, or another",
        )


def _failing(columns: Mapping[str, ColumnSpec], receiver: Receiver) -> Iterator[str]:
    """Yield what fails a demand whatever is counted."""
    specs = receiver.columns
    carried = (name for name, spec in columns.items() if spec.role == "carry")
    if unasked := [name for name in carried if specs.get(name, ColumnSpec()).role != "carry"]:
        yield (
            f"the release has columns without an audit ({listed_names(unasked)}): your demand "
            f"says nothing of them; accept them with `carry={unasked}`, or say what they are"
        )
    if left_out := [name for name, spec in specs.items() if spec.role in _LEFT_OUT]:
        yield f"the release has columns that your codebook does not name: {listed_names(left_out)}"


def check_sensitive(named: Sequence[str], receiver: Receiver) -> None:
    """Refuse a demand of a release with sensitive issues where the
    receiver says nothing of them.
    """
    if not named or receiver.sensitive is not None:
        return
    raise ParameterError(
        "sensitive",
        f"items that only the manifest declares sensitive ({', '.join(named)})",
        "your declaration, as epsilon does not apply to sensitive items",
        f"say `sensitive={list(named)}` if they are, or `sensitive=[]` if none is",
    )


def _own_columns(source: Source, claim: Manifest, receiver: Receiver) -> Columns:
    """Return what the columns are by the file and the receiver, however the manifest has it."""
    options = claim.read.options
    stated = {name: getattr(receiver, name) for name in _STRUCTURE}
    columns_options = ReadOptions(**stated, sensitive=receiver.sensitive or ())
    try:
        file_format = detect(source, ReadOptions())[0].name
    except UnknownFormatError:
        file_format = claim.read.format
    if claim.read.format == DELIMITED and file_format in _EXPORTS:
        file_format = DELIMITED
    if file_format != claim.read.format and not (
        claim.read.format == DELIMITED and file_format in _SAME_COLUMNS
    ):
        expected = f"a file of the format {claim.read.format}, as its manifest says"
        raise DataError(
            Problem(
                source.name, f"one that looks like {file_format}", expected, "verify the original"
            )
        )
    if file_format == DELIMITED:
        form = {
            name: getattr(options, name) for name in ("delimiter", "encoding", "header", "null")
        }
        columns_options = dataclasses.replace(columns_options, **form)
    return loaders()[file_format].columns(source, columns_options)


def _places(columns: Columns) -> tuple[object, ...]:
    """Return layout and the places of the columns by which records,
    issues and ratings are told apart.
    """
    named = (columns.record, columns.issue, columns.rating)
    return (
        columns.layout,
        *(None if name is None else columns.names.index(name) for name in named),
    )


def _no_ids(said: str | None, own: str | None) -> ParameterError:
    """Return the error where only the manifest says that a column is (``said``), or is not,
    of record ids.
    """
    return ParameterError(
        "id",
        f"the column {(own if said is None else said)!r}, which by the manifest alone "
        + ("holds no record ids" if said is None else "holds record ids"),
        "a file that shows it, or your declaration",
        "audit the file as you read it" if said is None else f"say `id={said!r}` if it is so",
    )


def _are_fresh(table: RatingTable, *, ordered: bool) -> bool:
    """Whether record ids are 1 to n, and so say nothing."""
    ids = table.record_ids.cast(pl.String)
    fresh = pl.Series(np.arange(1, table.n_records + 1)).cast(pl.String)
    return bool((ids == fresh).all()) if ordered else set(ids) == set(fresh)


def _left_out(table: RatingTable, columns: Columns, claim: Manifest) -> Iterator[str]:
    """Yield what of the file was not read, and whether its ids are what the manifest says."""
    if columns.aside:
        yield f"the file has what no release is written with: {'; '.join(columns.aside)}"
    taken = {columns.record, columns.issue, columns.rating, columns.timestamp}
    if columns.layout == "wide":
        taken = {columns.record, *table.issues, *table.other_names}
    if more := len(set(columns.names) - taken):
        yield (
            f"the file has {more} column{'' if more == 1 else 's'} that the manifest takes for "
            f"nothing"
        )
    if table.selection is not None:
        yield f"by its manifest only a part of the file would be read ({table.selection})"
    ids = claim.content["ids"]
    if ids != "keep" and columns.record is not None:
        if ids == "strip" and columns.layout == "wide":
            yield "the file has record ids, and its manifest says that it has none"
        elif not _are_fresh(table, ordered=columns.layout == "wide"):
            yield (
                "the record ids are not the numbers from 1 on, and its manifest says that they "
                "are fresh"
            )


def _refuse_loose(stated: Mapping[str, ColumnSpec], specs: Mapping[str, ColumnSpec]) -> None:
    """Refuse a manifest that alone says by how much records may differ on a column."""
    loose = [name for name, spec in stated.items() if spec.within is not None and name not in specs]
    if loose:
        rules = [f"{name}={stated[name].within:.15g}" for name in loose]
        raise ParameterError(
            "quasi",
            f"quasi-identifiers of which only the manifest states how much records may differ: "
            f"{listed_names(loose)}",
            "your declaration of the widths",
            f"say `quasi={rules}` if they may, or less, or the names alone if they must be equal",
        )


def _are_texts(values: pl.Series) -> bool:
    """Whether values are no numbers, and do not read as some."""
    return values.cast(pl.Float64, strict=False).null_count() != values.null_count()


def demanded_columns(
    table: RatingTable, stated: Mapping[str, ColumnSpec], receiver: Receiver
) -> dict[str, ColumnSpec]:
    """Return what each column is for a demand, those that are plain numbers on a scale left out.

    ``table`` is the release as its manifest has it read; ``stated`` is what that states of columns.
    Refused: that it alone says by how much records may differ on a column; and a column of
    categories that it takes for sensitive, where that is not, and nobody says what it is.
    """
    specs, sensitive = receiver.columns, receiver.sensitive or ()
    _refuse_loose(stated, specs)
    values = attribute_columns(table)
    columns: dict[str, ColumnSpec] = {}
    for name in dict.fromkeys((*stated, *specs, *sensitive)):
        spec = specs.get(name, ColumnSpec())
        role = spec.role if spec.role in _RELEASED else stated.get(name, ColumnSpec()).role
        texts = name in values and _are_texts(values[name])
        if name in sensitive:
            kind = "nominal" if texts else spec.kind
            labels, scale = () if kind else spec.labels, None if kind or spec.labels else spec.scale
            columns[name] = ColumnSpec(role="sensitive", kind=kind, labels=labels, scale=scale)
        elif role == "sensitive" and texts:
            expected = "sensitive, or a quasi-identifier (`quasi`), as its values are no numbers"
            raise ParameterError("sensitive", f"without {shown_name(name)}", expected)
        elif role == "quasi":
            columns[name] = ColumnSpec(role=role, within=spec.within)
        elif role == "carry":
            columns[name] = ColumnSpec(role=role)
        elif spec.labels or role is not None:
            columns[name] = ColumnSpec(role="rating", labels=spec.labels)
    return columns
