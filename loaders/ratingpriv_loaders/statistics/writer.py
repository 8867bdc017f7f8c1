"""Writing SPSS's .sav: variables with the labels that the input had, and no date of today."""

from __future__ import annotations

import dataclasses
import errno
import re
from pathlib import Path

import polars as pl

from ratingpriv.base.escaping import shown_name
from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.writing import Rereading, UnwritableError, WriteOptions
from ratingpriv.data.table import RatingTable
from ratingpriv_loaders.wide_cells import STATES, TypedColumns
from ratingpriv_loaders.wide_or_long import needed

_NAME = re.compile(r"[^\W\d_][\w.$#@]{0,63}\Z")
_RESERVED = {"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"}
_WRITTEN_AT = 92  # of the header: "22 Nov 26" and "11:11:24"
_LONG_AGO = b"01 Jan 0000:00:00"
_BYTES = 32_767  # of a text


class SavWriter:
    """Writes a .sav, or a .zsav where the name asks for one."""

    name = "sav"
    description = "SPSS .sav and .zsav, with value labels"
    states = STATES

    def write(
        self, table: RatingTable, path: Path, options: WriteOptions, progress: Progress | None = None
    ) -> Rereading:
        """Write ``table`` to ``path``; UnwritableError if it is long, or a name is none that SPSS takes."""
        pyreadstat = needed("pyreadstat", extra="statistics", kind="SPSS files")
        release = TypedColumns(table, dataclasses.replace(options, labels="numbers"))
        columns, details = release.columns, table.origin.details
        names = [column.name for column in columns]
        seen: set[str] = set()
        for name in names:
            bad = (
                not _NAME.match(name)
                or name.lower() in _RESERVED
                or len(name.encode()) > 64
                or name[-1] == "."
            )
            if bad or name.lower() in seen:
                found = "two names that differ in case only" if not bad else "a name that SPSS does not take"
                expected = "names of letters, digits and underscores that begin with a letter"
                remedy = "rename the column, or write it as CSV"
                raise UnwritableError("issues", f"{found}: {shown_name(name)}", expected, remedy)
            seen.add(name.lower())
        numeric = [column for column in columns if column.dtype.is_numeric()]
        for column in columns:
            if column.dtype == pl.String and bool((column.str.len_bytes() > _BYTES).any()):
                found = f"a text of more than {_BYTES:,} bytes"
                raise UnwritableError("format", found, "texts that SPSS has room for", "write it as CSV")
        labels: dict[str, dict[float, str]] = {}  # words of a scale, or those that the input had
        of_scales = {name: enumerate(words, 1) for name, words in details.get("labels", {}).items()}
        for said in (of_scales, details.get("value_labels", {})):
            for name in (column.name for column in numeric if column.name in said):
                labels[name] = {float(value): str(word) for value, word in said[name]}
        whole = [column.name for column in numeric if bool((column.floor() == column).drop_nulls().all())]
        questions, measures = details.get("questions", {}), details.get("measures", {})
        about = {
            "column_labels": {name: questions[name] for name in names if name in questions},
            "variable_value_labels": labels,
            "variable_measure": {name: measures[name] for name in names if measures.get(name)},
            "variable_format": dict.fromkeys(whole, "F8.0"),
        }
        compress = (options.name or path.name).lower().endswith(".zsav")
        try:
            pyreadstat.write_sav(pl.DataFrame(columns), str(path), compress=compress, **about)
        except pyreadstat.PyreadstatError as error:
            reason = str(error).splitlines()[0]
            raise UnwritableError("format", reason, "what SPSS has room for", "write it as CSV") from error
        except pyreadstat.ReadstatError as error:  # it does not say what the disk said
            raise OSError(errno.EIO, str(error), str(path)) from error
        with path.open("r+b") as file:
            file.seek(_WRITTEN_AT)
            file.write(_LONG_AGO)
        return Rereading("sav", release.said)
