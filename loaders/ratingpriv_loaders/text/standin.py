"""What stands in for the decisions on columns until they are there."""

from __future__ import annotations

import polars as pl

from ratingpriv.codebook.raw import RawData
from ratingpriv.formats.reading import ReadOptions
from ratingpriv.table import RatingTable
from ratingpriv.table.building.assembling import Problems, table_from_columns
from ratingpriv_loaders.text.cells import NUMBER, NullTokens, parse_cells

UNREAD = ("identifier", "drop")


def wanted(names, options):
    kept = {*options.only, *options.sensitive}
    return {
        n: "drop" if n in options.drop or (options.only and n not in kept and n != options.id) else None
        for n in names
    }


def table_of(raw: RawData, options: ReadOptions) -> RatingTable:
    nulls = NullTokens(options)
    columns, ids, parsed = [], None, {}
    for c in raw.columns:
        if c.name == raw.origin.record_name and raw.origin.record_name != "record" or c.known_role == "id":
            ids = c.cells.texts.gather(c.cells.codes).alias(c.name)
            continue
        if c.known_role in UNREAD:
            continue
        p = parsed.setdefault(id(c.cells.texts), parse_cells(c.cells.texts, nulls))
        s = pl.Series(c.name, p.values[c.cells.codes])
        columns.append(s.set(pl.Series(p.kinds[c.cells.codes] != NUMBER), None))
    return table_from_columns(
        columns,
        record_ids=ids,
        sensitive=options.sensitive,
        drop=options.drop,
        scale=options.scale,
        sensitive_scale=options.sensitive_scale,
        unread=[n for n, _ in raw.unread if n not in options.drop],
        origin=raw.origin,
        locate=raw.locate,
        problems=Problems(options.max_problems),
    )
