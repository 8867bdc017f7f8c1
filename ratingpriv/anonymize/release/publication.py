"""From anonymised records to what is published of them: in which order, under which ids,
with which times.

The order and the ids of the input point back to it as surely as a name does: whoever has the
input's order or ids needs no ratings. So the default is a random order with fresh ids. Three ways:

======= ================= ======================================================================
ids     order             ids
======= ================= ======================================================================
shuffle random            fresh: 1..n in the new order
strip   random            none where a row is a record; a long layout gets fresh ones
keep    as in the input   as in the input
======= ================= ======================================================================
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.escaping import csv_safe
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.coding import Rows, relevelled
from ratingpriv.data.table.building.conversion import attribute_columns, full_order

IDS = ("shuffle", "strip", "keep")
"""What becomes of the records' order and ids; the first is the default."""


@dataclass(frozen=True, slots=True, eq=False)
class Published:
    """Records in their published order, under their published ids."""

    table: RatingTable
    positions: NDArray[np.int64]  # (n_records,); where each of them stood before
    record_ids: bool  # whether a wide file has a column of ids
    seed: int | None  # of the order; None where it comes from the operating system or a Generator
    warnings: tuple[str, ...]  # what this tells an adversary, a sentence each


def publish(
    table: RatingTable,
    *,
    ids: str = "shuffle",
    rng: int | np.random.Generator | None = None,
    layout: str | None = None,
    timestamps: bool = False,
) -> Published:
    """Arrange the records of ``table`` for publication, as ``write_release`` is told.

    No rating changes.
    """
    layout = layout or table.origin.layout
    # it had no ids
    numbered = table.origin.format == "delimited" and table.record_ids.dtype == pl.Int64
    seed = checks.seed(rng) if isinstance(rng, int) else None
    warnings = []
    if ids == "keep":
        positions = np.arange(table.n_records)
        published, record_ids = table, True
        warnings.append(
            "the release keeps the records' ids and order: an adversary who knows either needs no "
            "ratings to re-identify a record, and the claim about the ratings does not cover that"
        )
    else:
        if rng is not None:
            positions = checks.generator(rng).permutation(table.n_records)
        # by 128 random bits a record: no generator's state is behind it that a part of it could
        # give
        else:
            bits = np.frombuffer(os.urandom(16 * table.n_records), dtype=np.uint64)
            positions = np.lexsort(bits.reshape(2, table.n_records))
        published = table.take(positions)
        record_ids = layout == "long" or not (ids == "strip" or numbered)
        first = 1 if record_ids else 0  # without a column of ids a reader counts rows from 0
        fresh = pl.Series(table.record_ids.name, np.arange(first, first + table.n_records))
        text = record_ids and table.record_ids.dtype == pl.String
        published = published.replace(record_ids=fresh.cast(pl.String) if text else fresh)
        if seed is not None:
            warnings.append(
                f"the order of the records comes from the seed {seed}: a person who guesses it "
                "knows where each record stood; use no seed unless you need the same file twice"
            )
    published = arranged(published, layout)
    if published.timestamps is not None and timestamps and layout != "wide":
        warnings.append(
            "the release has timestamps: they are no part of what was made anonymous, and a few "
            "of them pick "
            "out a record among thousands [NS08]"
        )
    elif published.timestamps is not None:  # not asked for, or without a place in a wide file
        published = published.replace(timestamps=None)
    return Published(published, positions, record_ids, seed, tuple(warnings))


def refuse_formulas(published: Published) -> None:
    """Refuse what a spreadsheet would take for formulas: names of columns,
    ids and values that are text.

    They cannot be escaped: what is read back would not be what was meant.
    """
    table = published.table
    names = [*table.issues, *table.other_names]
    for column in attribute_columns(table).values():
        names += column.drop_nulls().unique().to_list() if column.dtype == pl.String else []
    for words in table.origin.details.get("labels", {}).values():
        names += words
    names += [
        table.origin.record_name,
        *(table.record_ids if table.record_ids.dtype == pl.String else ()),
    ]
    formulas = [name for name in names if csv_safe(name) != name]
    if formulas:
        some = f"{len(formulas)} names, ids or values that a spreadsheet takes for formulas"
        expected = (
            "none, with `csv_safe`: a release is read again as it is written, so none can "
            "be escaped"
        )
        remedy = "rename them, or keep no ids"
        raise DataError(Problem(table.origin.name, some, expected, remedy, cell=formulas[0]))


def arranged(table: RatingTable, layout: str) -> RatingTable:
    """Put issues in an order that says nothing of the input's, and leave out what nobody rates.

    A long file names its issues as they come, so their order tells whose ratings stood first: they
    are sorted. An issue that nobody rates any more would not be in a long file either. Nor has any
    file the levels that no rating has any more. So a release that was read is arranged as the table
    was that it was written of.
    """
    rows, levels = relevelled(Rows(table.indptr, table.indices, table.codes, None), table.levels)
    table = table.replace(levels=levels, codes=rows.codes)
    rated = np.zeros(table.n_issues, dtype=bool)
    rated[table.indices] = True
    if layout == "long" and rated.any() and not rated.all():
        named = [name for name, is_rated in zip(table.issues, rated, strict=True) if is_rated]
        table = table.select_issues(named).replace(scale=table.scale, selection=table.selection)
    if "long" in (layout, table.origin.layout):
        names = full_order(table)  # numbers by value, before other names
        numbers = {name: int(name) for name in names if name.isascii() and name.isdecimal()}
        order = tuple(
            sorted(names, key=lambda name: (name not in numbers, numbers.get(name, 0), name))
        )
        table = table.replace(origin=dataclasses.replace(table.origin, order=order))
    return table
