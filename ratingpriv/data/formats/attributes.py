"""Attributes of records beside their ratings: age, occupation, from a file of their own, by record id.

A rating log has a row a rating, and no place for what is known of a person. The file of attributes is wide, a
row a record; its columns take roles like any others. What nobody names there is not used.
"""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.codebook.building import table_of
from ratingpriv.data.codebook.cells import numeral
from ratingpriv.data.codebook.codebook import Codebook, matches, quasi_rule
from ratingpriv.data.codebook.deciding import RECORD_NAMES, recognise
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.raw import RawColumn, RawData
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.parts import Joined, QuasiColumn, Roles, SensitiveColumn, Spellings

_LISTS = ("sensitive", "identifier", "carry")
type _Rows = NDArray[np.int64]
type _Flags = NDArray[np.bool_]

_ALL = "\x1fall"  # a column that all records agree on: a table needs one issue or quasi-identifier


@dataclass(frozen=True, slots=True)
class Attributes:
    """The attributes that options name, read but not joined yet.

    ``options`` is what is said of the columns of the file, ``others`` what is said of the ratings; ``sha256``
    is that of the file's bytes.
    """

    raw: RawData
    options: ReadOptions
    others: ReadOptions
    sha256: str

    @classmethod
    def named(cls, raw: RawData, options: ReadOptions, sha256: str) -> Attributes | None:
        """Split what options say into that of the attributes and that of the ratings; None: nothing of these.

        What has a name that both have is said of the attribute.
        """
        names = [column.name for column in raw.read]
        own: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for option in (*_LISTS, "quasi"):
            given = getattr(options, option)
            by_name = {text: quasi_rule(text)[0] if option == "quasi" else text for text in given}
            own[option] = tuple(text for text in given if text in names or by_name[text] in names)
            others[option] = tuple(text for text in given if text not in own[option])
        codebook = options.codebook or Codebook()
        said = {entry for entry in codebook.columns if any(matches(name, entry) for name in names)}
        if not any(own.values()) and not said:
            return None
        scales = options.sensitive_scale
        of_attributes = ReadOptions(
            layout="wide",
            id=_id_of(raw),
            sensitive_scale={name: scale for name, scale in scales.items() if name in names},
            null=options.null,
            only_null=options.only_null,
            max_problems=options.max_problems,
            codebook=_part(codebook, said) if options.codebook is not None else None,
            **own,
        )
        of_ratings = dataclasses.replace(
            options,
            attributes=None,
            sensitive_scale={name: scale for name, scale in scales.items() if name not in names},
            codebook=_part(codebook, set(codebook.columns) - said) if options.codebook is not None else None,
            **others,
        )
        return cls(raw, of_attributes, of_ratings, sha256)

    def joined(self, table: RatingTable) -> RatingTable:
        """Return the table with the attributes of its records; null where a record is not in their file."""
        found = self._table()
        place = {str(one): at for at, one in enumerate(found.record_ids.to_list())}
        rows = np.array([place.get(str(one), -1) for one in table.record_ids.to_list()], dtype=np.int64)
        there = rows >= 0
        matched = int(there.sum())
        fit = Joined(len(rows), len(rows) - matched, found.n_records, found.n_records - matched)
        if not there.any():
            expected = "the attributes of the records that have ratings"
            remedy = "check that both files call a record by the same id, or name another file (`attributes`)"
            raise DataError(Problem(self.raw.origin.name, "none of these records", expected, remedy))
        quasi = tuple(_quasi(column, rows, there) for column in found.quasi if column.name != _ALL)
        sensitive = tuple(_sensitive(column, rows, there) for column in found.sensitive)
        carried = tuple(_carried(column, rows, there) for column in found.carried)
        columns: list[Any] = [*quasi, *sensitive, *carried]
        new = [column.name for column in columns]
        twice = {*table.issues, *table.other_names} & set(new)
        if twice:
            expected = "a name that no issue has"
            raise ParameterError("attributes", min(twice), expected, "rename the column of attributes")
        digest = hashlib.sha256(f"{table.origin.sha256}\n{self.sha256}\n".encode()).hexdigest()
        details = {**table.origin.details, "attributes": self.raw.origin.name}
        details["spellings"] = Spellings.of_both(table.spellings, found.spellings)
        before = table.roles or Roles(())
        said = (found.roles or Roles(())).columns
        more = tuple((name, role) for name, role in said if name in new)
        codebook = self.options.codebook
        return table.replace(
            quasi=(*table.quasi, *quasi),
            sensitive=(*table.sensitive, *sensitive),
            carried=(*table.carried, *carried),
            joined=fit,
            roles=Roles(
                (*before.columns, *more),
                None if codebook is None else codebook.sha256,
                before.guessed,
                (*before.repeats, *found.repeats),
            ),
            origin=dataclasses.replace(
                table.origin,
                sha256=digest,
                details=details,
                order=(*table.origin.order, *new) if table.origin.order else (),
            ),
        )

    def _table(self) -> RatingTable:
        """Return the attributes as a table of their own, without the columns that nobody has named."""
        options, codebook = self.options, self.options.codebook or Codebook()
        named = {*options.sensitive, *options.identifier, *options.carry}
        named |= {quasi_rule(text)[0] for text in options.quasi} | set(options.quasi)
        columns, drop = [], []
        for column in self.raw.read:
            role = codebook.spec_of(column.name).role
            if column.name == options.id or column.name in named or role not in (None, "rating"):
                columns.append(column)
            elif role == "rating":
                found = f"role rating of the attribute {shown_name(column.name)}"
                expected = "of an attribute, the role quasi, sensitive, carry, identifier or drop"
                raise DataError(Problem(self.raw.origin.name, found, expected, "say another in the codebook"))
            else:
                drop.append((column.name, "drop"))
        columns.append(RawColumn(_ALL, pl.Series(_ALL, ["1"] * self.raw.records, dtype=pl.String)))
        unread = (*self.raw.unread, *drop)
        raw = dataclasses.replace(self.raw, read=tuple(columns), unread=unread, names=())
        words = {column.name for column in columns if column.name in options.sensitive and _in_words(column)}
        specs = {
            name: dataclasses.replace(codebook.spec_of(name), role="sensitive", kind="nominal")
            for name in words
        }
        codebook = dataclasses.replace(codebook, columns={**codebook.columns, **specs})
        more = dataclasses.replace(options, quasi=(*options.quasi, _ALL), codebook=codebook)
        return table_of(raw, more)


def _in_words(column: RawColumn) -> bool:
    """Whether the cells are words, so that a sensitive attribute of them is one of categories."""
    if isinstance(column.cells, pl.Series):
        return column.cells.dtype == pl.String
    return not any(numeral(text) for text in column.cells.texts.gather(np.unique(column.cells.codes)))


def _id_of(raw: RawData) -> str:
    names = [column.name for column in raw.read]
    known = next((column.name for column in raw.read if column.known_role == "id"), None)
    found = known or recognise(names, ("id", *RECORD_NAMES))
    if found is None:
        expected = "a column of record ids, as the ratings have them"
        remedy = "call it user, record or id"
        raise DataError(Problem(raw.origin.name, "attributes without record ids", expected, remedy, line=1))
    return found


def _part(codebook: Codebook, entries: set[str]) -> Codebook:
    columns = {entry: spec for entry, spec in codebook.columns.items() if entry in entries}
    return dataclasses.replace(codebook, columns=columns)


def _quasi(column: QuasiColumn, rows: _Rows, there: _Flags) -> QuasiColumn:
    codes = np.where(there, column.codes[rows], -1)
    used, short = np.unique(codes[codes >= 0], return_inverse=True)
    dense = np.full(len(codes), -1, dtype=np.int32)
    dense[codes >= 0] = short
    return dataclasses.replace(column, codes=dense, values=column.values.gather(used))


def _sensitive(column: SensitiveColumn, rows: _Rows, there: _Flags) -> SensitiveColumn:
    present = there & column.present[rows]
    return dataclasses.replace(column, values=np.where(present, column.values[rows], 0.0), present=present)


def _carried(column: pl.Series, rows: _Rows, there: _Flags) -> pl.Series:
    return column.gather(np.where(there, rows, 0)).set(pl.Series(~there), None).alias(column.name)
