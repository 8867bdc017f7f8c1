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

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.codebook.building import table_of
from ratingpriv.data.codebook.cells import numeral
from ratingpriv.data.codebook.codebook import Codebook, matches, quasi_rule
from ratingpriv.data.codebook.deciding import RECORD_NAMES, recognise
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.raw import RawColumn, RawData
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.parts import Joined, Roles, Spellings

_LISTS = ("sensitive", "identifier", "carry")
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
        for part, member in ((own, True), (others, False)):
            scales = options.sensitive_scale.items()
            part["sensitive_scale"] = {name: scale for name, scale in scales if (name in names) == member}
            if (book := options.codebook) is not None:
                columns = {
                    entry: spec
                    for entry, spec in book.columns.items()
                    if any(matches(name, entry) for name in names) == member
                }
                part["codebook"] = dataclasses.replace(book, columns=columns)
        book = own.get("codebook")
        if not any(own[option] for option in (*_LISTS, "quasi")) and not (book and book.columns):
            return None
        known = next((column.name for column in raw.read if column.known_role == "id"), None)
        record = known or recognise(names, ("id", *RECORD_NAMES))
        if record is None:
            expected = "a column of record ids, as the ratings have them"
            found, remedy = "attributes without record ids", "call it user, record or id"
            raise DataError(Problem(raw.origin.name, found, expected, remedy, line=1))
        of_attributes = ReadOptions(
            layout="wide",
            id=record,
            null=options.null,
            only_null=options.only_null,
            max_problems=options.max_problems,
            **own,
        )
        return cls(raw, of_attributes, dataclasses.replace(options, attributes=None, **others), sha256)

    def joined(self, table: RatingTable) -> RatingTable:
        """Return the table with the attributes of its records; null where a record is not in their file."""
        attributes = self._table()
        place = {str(record): row for row, record in enumerate(attributes.record_ids.to_list())}
        rows = np.array([place.get(str(record), -1) for record in table.record_ids.to_list()], dtype=np.int64)
        mask = rows >= 0
        matched = int(mask.sum())
        fit = Joined(len(rows), len(rows) - matched, attributes.n_records, attributes.n_records - matched)
        if not matched:
            expected = "the attributes of the records that have ratings"
            remedy = "check that both files call a record by the same id, or name another file (`attributes`)"
            raise DataError(Problem(self.raw.origin.name, "none of these records", expected, remedy))
        quasi = []
        for column in attributes.quasi:
            codes = np.where(mask, column.codes[rows], -1)
            used, short = np.unique(codes[codes >= 0], return_inverse=True)
            dense = np.full(len(codes), -1, dtype=np.int32)
            dense[codes >= 0] = short
            if column.name != _ALL:
                quasi.append(dataclasses.replace(column, codes=dense, values=column.values.gather(used)))
        sensitive = []
        for secret in attributes.sensitive:
            present = mask & secret.present[rows]
            values = np.where(present, secret.values[rows], 0.0)
            sensitive.append(dataclasses.replace(secret, values=values, present=present))
        carried = [
            cells.gather(np.where(mask, rows, 0)).set(pl.Series(~mask), None).alias(cells.name)
            for cells in attributes.carried
        ]
        columns: list[Any] = [*quasi, *sensitive, *carried]
        new = [column.name for column in columns]
        if twice := {*table.issues, *table.other_names} & set(new):
            expected = "a name that no issue has"
            raise ParameterError("attributes", min(twice), expected, "rename the column of attributes")
        digest = hashlib.sha256(f"{table.origin.sha256}\n{self.sha256}\n".encode()).hexdigest()
        details = {**table.origin.details, "attributes": self.raw.origin.name}
        details["spellings"] = Spellings.of_both(table.spellings, attributes.spellings)
        before = table.roles or Roles(())
        roles = (attributes.roles or Roles(())).columns
        codebook = self.options.codebook
        return table.replace(
            quasi=(*table.quasi, *quasi),
            sensitive=(*table.sensitive, *sensitive),
            carried=(*table.carried, *carried),
            joined=fit,
            roles=Roles(
                (*before.columns, *((name, role) for name, role in roles if name in new)),
                None if codebook is None else codebook.sha256,
                before.guessed,
                (*before.repeats, *attributes.repeats),
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
        specs = {}
        for column in (column for column in columns if column.name in options.sensitive):
            if isinstance(column.cells, pl.Series):
                words = column.cells.dtype == pl.String
            else:
                words = not any(map(numeral, column.cells.texts.gather(column.cells.used()[0])))
            if words:  # a sensitive attribute of them is one of categories
                said = codebook.spec_of(column.name)
                specs[column.name] = dataclasses.replace(said, role="sensitive", kind="nominal")
        codebook = dataclasses.replace(codebook, columns={**codebook.columns, **specs})
        more = dataclasses.replace(options, quasi=(*options.quasi, _ALL), codebook=codebook)
        return table_of(raw, more)
