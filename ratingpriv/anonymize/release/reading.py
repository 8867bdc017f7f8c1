"""How a release is read by whoever checks it, and by whose word: the file's, the receiver's, the manifest's.

What a manifest says of reading decides what is counted. So its word alone is never enough for what a column
is: layout, and the columns of records, issues and ratings must be what the file itself shows (the names of
its columns; record ids that are 1 to n, or no numbers) or what the receiver says. How the text is cut into
cells is taken from it, within what :mod:`ratingpriv.data.formats.stating` lets it say. Sensitive issues and
the scale are part of the *claim*, and shown with it; a *demand* is never read by them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ratingpriv.anonymize.release.manifest import Manifest
from ratingpriv.anonymize.release.receiving import Receiver, demanded_columns, refused_columns
from ratingpriv.base.errors import DataError, ParameterError, Problem, UnknownFormatError
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.roles import ColumnSpec
from ratingpriv.data.formats.reading import Columns, ReadOptions, Source, detect, loaders, null_tokens, read
from ratingpriv.data.formats.stating import names_columns
from ratingpriv.data.formats.writing import DELIMITED, Rereading
from ratingpriv.data.table import RatingTable, Scale
from ratingpriv.documents import verify as documents
from ratingpriv.documents.making import document_of
from ratingpriv.proximity.levels import null_separates
from ratingpriv.proximity.reservations import has_missing

_SAME_COLUMNS = ("movielens",)  # what its loader recognises is delimited text as well
_EXPORTS = ("google-forms", "limesurvey", "qualtrics", "surveymonkey")
"""Formats of survey tools, which a release in delimited text may look like; what it is not is one of them."""
_STRUCTURE = ("layout", "id", "issue", "rating")


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """How a release was read.

    Attributes
    ----------
    table : what was read
    format : the loader's name
    columns : what each column was taken for
    options : as the loader was given them
    words : by whose word: "file", "receiver" or "manifest", for "columns", "quasi" (what is said of quasi-
        identifiers and other columns beside plain ratings), "sensitive" and "scale"
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
        columns, quasi = self.columns, [column.described for column in self.table.quasi]
        return document_of(
            documents.Reading, self.options,
            format=self.format, layout=columns.layout, columns=columns, header=columns.header,
            null=null_tokens(self.options), sensitive=[column.name for column in self.table.sensitive],
            nominal=[column.name for column in self.table.sensitive if column.nominal], quasi=quasi,
            carried=[column.name for column in self.table.carried], words=self.worded,
            scale=_ends(self.table.scale), by_the_word_of=self.words,
        )  # fmt: skip


def _ends(scale: Scale | None) -> dict[str, Any] | None:
    return None if scale is None else {**scale.to_dict(), "declared": scale.declared}


def read_for_claim(
    source: Source, claim: Manifest, receiver: Receiver, progress: Progress | None = None
) -> Reading:
    """Read a release as its manifest says, where the file or the receiver bears that out.

    Raises
    ------
    DataError
        It cannot be read so.
    ParameterError
        Nothing but the manifest says what a column is: the receiver has to.
    """
    options = claim.read.options
    said = loaders()[claim.read.format].columns(source, options)
    own = _own_columns(source, claim, receiver)
    _refuse_a_record_as_header(source, said, options)
    word = "receiver" if any(getattr(receiver, name) is not None for name in _STRUCTURE) else "file"
    by_ids = _places(said) != _places(own)
    if by_ids and (said.layout, own.layout) != ("wide", "wide"):
        raise _unconfirmed(said)
    table = claim.read.read(source, progress=progress)
    if by_ids:
        _confirm_ids(table, said, own)
        if said.record is not None and not _are_fresh(table, ordered=True):
            word = "manifest"
    return Reading(
        table,
        claim.read.format,
        said,
        options,
        {
            "columns": word,
            "quasi": "file" if options.codebook is None else "manifest",
            "sensitive": "manifest",
            "scale": "file" if options.scale is None else "manifest",
        },
        tuple(_left_out(table, said, claim)),
    )


def read_for_demand(
    source: Source,
    reading: Reading,
    receiver: Receiver,
    needed: Target,
    progress: Progress | None = None,
) -> Reading:
    """Read a release once more, as the receiver says and the manifest does not.

    Raises
    ------
    DataError
        It cannot be read so.
    ParameterError
        The manifest alone calls a column of texts record ids; it takes issues for sensitive, or states a
        scale that decides what a null means, and the receiver says nothing of it.
    """
    named = [column.name for column in reading.table.sensitive]
    if reading.words["columns"] == "manifest":  # whatever stands there would be audited by nobody
        raise _no_ids(reading.columns.record, reading.columns.record)
    check_sensitive(named, receiver)
    sensitive = receiver.sensitive or ()
    columns = demanded_columns(reading.table, reading.stated, receiver.columns, sensitive)
    options = dataclasses.replace(
        reading.options,
        sensitive=sensitive,
        scale=receiver.scale,
        only=tuple({*reading.options.only, *named} - {*sensitive}) if reading.options.only else (),
        codebook=Codebook(columns=columns) if columns else None,
    )
    table = reading.table
    levels = table.levels
    ends = (float(levels[0]), float(levels[-1])) if len(levels) else None
    found = None if ends is None else Scale(*ends, declared=False)
    if columns or set(sensitive) != set(named) or receiver.scale is not None:
        rereading = Rereading(reading.format, options)
        more = dataclasses.replace(rereading.complete(source), progress=progress)
        table = read(source, format=reading.format, options=more)
        rereading.check(table)
        if table.selection is not None or table.origin.sha256 != reading.table.origin.sha256:
            remedy = "verify it again"
            raise DataError(Problem(source.name, "other data than a moment ago", "the same file", remedy))
    else:
        table = table.replace(scale=found)
    if receiver.scale is None and has_missing(table):
        separates = null_separates(reading.table.scale, needed.epsilon, needed.nulls)
        if separates != null_separates(table.scale, needed.epsilon, needed.nulls):
            stated = reading.options.scale or ends
            raise ParameterError(
                "scale",
                "a manifest by whose scale a missing rating means something else than by the ratings found",
                "your word on the scale",
                f"say `scale={stated}` if that is the scale, or another",
            )
    words = {
        "columns": reading.words["columns"],
        "quasi": "receiver" if receiver.columns else reading.words["quasi"],
        "sensitive": "file" if receiver.sensitive is None else "receiver",
        "scale": "file" if receiver.scale is None else "receiver",
    }
    refused = tuple(refused_columns(columns, receiver.columns))
    return Reading(table, reading.format, reading.columns, options, words, refused)


def check_sensitive(named: Sequence[str], receiver: Receiver) -> None:
    """Refuse a demand of a release with sensitive issues where the receiver says nothing of them."""
    if not named or receiver.sensitive is not None:
        return
    raise ParameterError(
        "sensitive",
        f"issues that the manifest alone takes for sensitive ({', '.join(named)})",
        "your word on them, as nothing would be demanded of how near ratings of theirs are",
        f"say `sensitive={list(named)}` if they are, or `sensitive=[]` if none is",
    )


def _own_columns(source: Source, claim: Manifest, receiver: Receiver) -> Columns:
    """Return what the columns are by the file and the receiver, however the manifest has it."""
    said = claim.read.options
    own = ReadOptions(
        layout=receiver.layout,
        id=receiver.id,
        issue=receiver.issue,
        rating=receiver.rating,
        sensitive=receiver.sensitive or (),
    )
    try:
        found = detect(source, ReadOptions())[0].name
    except UnknownFormatError:
        found = claim.read.format
    if claim.read.format == DELIMITED and found in _EXPORTS:
        found = DELIMITED
    if found != claim.read.format and not (claim.read.format == DELIMITED and found in _SAME_COLUMNS):
        expected = f"a file of the format {claim.read.format}, as its manifest says"
        raise DataError(Problem(source.name, f"one that looks like {found}", expected, "verify the original"))
    if found == DELIMITED:
        own = dataclasses.replace(
            own, delimiter=said.delimiter, encoding=said.encoding, header=said.header, null=said.null
        )
    return loaders()[found].columns(source, own)


def _places(columns: Columns) -> tuple[object, ...]:
    """Return layout and the places of the columns by which records, issues and ratings are told apart."""
    named = (columns.record, columns.issue, columns.rating)
    return (columns.layout, *(None if name is None else columns.names.index(name) for name in named))


def _unconfirmed(said: Columns) -> ParameterError:
    named = {"id": said.record, "issue": said.issue, "rating": said.rating}
    words = [f"`layout={said.layout!r}`"]
    words += [f"`{name}={column!r}`" for name, column in named.items() if column is not None]
    return ParameterError(
        "layout",
        f"a manifest by whose word alone the layout is {said.layout} and columns are what it says",
        "a file that shows it by the names of its columns, or your word",
        f"say {', '.join(words)} if it is so",
    )


def _confirm_ids(table: RatingTable, said: Columns, own: Columns) -> None:
    """Refuse a wide reading in which only the manifest says which column is, or is not, of record ids."""
    if said.record is not None and (_are_fresh(table, ordered=True) or _are_no_numbers(table.record_ids)):
        return  # whatever they are, they are not ratings
    if said.record is None and own.record in table.issues and not _may_be_ids(table, str(own.record)):
        return
    raise _no_ids(said.record, own.record)


def _no_ids(said: str | None, own: str | None) -> ParameterError:
    """Return the error where only the manifest says that a column is (``said``), or is not, of record ids."""
    return ParameterError(
        "id",
        f"a manifest by whose word alone the column {(own if said is None else said)!r} is "
        + ("not of record ids" if said is None else "of record ids"),
        "a file that shows it, or your word",
        "audit the file as you read it" if said is None else f"say `id={said!r}` if it is so",
    )


def _may_be_ids(table: RatingTable, issue: str) -> bool:
    """Whether the ratings of an issue are all there and all different, as ids are."""
    codes = table.codes[table.indices == table.issues.index(issue)]
    return len(codes) == table.n_records == len(np.unique(codes))


def _are_no_numbers(ids: pl.Series) -> bool:
    return bool(ids.dtype == pl.String and ids.cast(pl.Float64, strict=False).null_count())


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
        yield f"the file has {more} column{'' if more == 1 else 's'} that the manifest takes for nothing"
    if table.selection is not None:
        yield f"by its manifest only a part of the file would be read ({table.selection})"
    ids = claim.content["ids"]
    if ids != "keep" and columns.record is not None:
        if ids == "strip" and columns.layout == "wide":
            yield "the file has record ids, and its manifest says that it has none"
        elif not _are_fresh(table, ordered=columns.layout == "wide"):
            yield "the record ids are not the numbers from 1 on, and its manifest says that they are fresh"


def _refuse_a_record_as_header(source: Source, columns: Columns, options: ReadOptions) -> None:
    if columns.header and not names_columns(columns.names, null_tokens(options)):
        raise DataError(
            Problem(
                source.name,
                "a first line of numbers, which the manifest takes for names of columns",
                "names that cannot be the ratings of a record",
                "have it released with ids, or as parquet",
                line=1,
            )
        )
