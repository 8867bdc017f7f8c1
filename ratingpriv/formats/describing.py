"""Describing a file: what each of its columns seems to be, whether or not it can be read as it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratingpriv.codebook.codebook import Codebook
from ratingpriv.codebook.frictionless import Field
from ratingpriv.codebook.options import ReadOptions
from ratingpriv.codebook.proposing import Proposal, proposals, proposed_codebook
from ratingpriv.errors import DataError, ParameterError, Problem
from ratingpriv.formats.faults import naming_source
from ratingpriv.formats.reading import detect, loaders
from ratingpriv.formats.sources import Source
from ratingpriv.provenance import tool

__all__ = ["Description", "describe"]


@dataclass(frozen=True, slots=True)
class Description:
    """What a file has.

    Attributes
    ----------
    name : of the data, as messages call them
    sha256 : of the file, hexadecimal; None for standard input
    format : which loader read it
    records : number of rows
    columns : what each seems to be, in the data's order
    """

    name: str
    sha256: str | None
    format: str
    records: int
    columns: tuple[Proposal, ...]

    def codebook(self) -> tuple[Codebook, dict[str, tuple[str, ...]]]:
        """Return the codebook that this proposes, and lines of comment by column."""
        data = {} if self.name == "-" else {"path": Path(self.name).name}
        return proposed_codebook(self.columns, data=data)

    def fields(self) -> tuple[Field, ...]:
        """Return the columns as a Table Schema describes them."""
        return tuple(
            Field(name=one.name, type=one.field_type, description=one.question or "") for one in self.columns
        )

    def to_dict(self, *, examples: bool = False) -> dict[str, Any]:
        """Return the document ``ratingpriv.describe/1``; values of the data only with ``examples``."""
        return {
            "schema": "ratingpriv.describe/1",
            "tool": tool(),
            "dataset": {
                "name": self.name,
                "sha256": self.sha256,
                "format": self.format,
                "records": self.records,
            },
            "columns": [column.to_dict(examples=examples) for column in self.columns],
        }


@naming_source
def describe(
    path: str | Path | Source,
    *,
    format: str | None = None,  # noqa: A002 -- the word of --format
    options: ReadOptions | None = None,
) -> Description:
    """Return what each column of a file with a row a record seems to be.

    Parameters
    ----------
    path, format, options : as in :func:`ratingpriv.formats.reading.read`; what they say is not proposed anew

    Raises
    ------
    DataError
        The file cannot be cut into columns, or has a row a rating: there, columns have their names.
    ParameterError
        There is no such format, or it is described by nobody.
    """
    options = options or ReadOptions()
    source = path if isinstance(path, Source) else Source(path)
    if format is not None and format not in loaders():
        raise ParameterError("format", format, "one of the formats " + ", ".join(loaders()))
    loader = detect(source, options)[0] if format is None else loaders()[format]
    if options.layout != "wide" and loader.columns(source, options).layout == "long":
        found, expected = "a row a rating (the long layout)", "a row a record, where columns have roles"
        remedy = "`id`, `issue`, `rating` and `timestamp` name its columns; if it has a row a record, say "
        raise DataError(Problem(source.name, found, expected, f"{remedy}`layout='wide'`"))
    if not hasattr(loader, "raw"):
        expected = "data of a format whose columns are described: text, spreadsheets, statistics packages"
        raise ParameterError("format", loader.name, expected, "write the data as CSV")
    raw = loader.raw(source, options)
    digest = None if source.is_stream else source.sha256()
    return Description(source.name, digest, loader.name, raw.records, proposals(raw, options))
