"""The last step of every loader: from positions and ratings to a checked RatingTable.

Loaders find out *where* ratings, ids and names are; this module splits off the sensitive issues, leaves
out what is dropped, settles the scale, resolves or refuses repeated ratings, and reports what is wrong by
file and line. For data with one column an issue see :func:`table_from_columns`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.table import Origin, RatingTable
from ratingpriv.table.building.coding import encode_levels, encode_with_nulls
from ratingpriv.table.building.columns import LocateCell, numbers_of, table_from_columns
from ratingpriv.table.building.coordinates import Coordinates
from ratingpriv.table.building.csr import repeats, rows_from_coordinates, without
from ratingpriv.table.building.duplicates import DUPLICATES, resolve_repeated
from ratingpriv.table.building.finishing import Roles, finish_table, fresh_name, issue_roles
from ratingpriv.table.building.problems import Locate, Place, Problems, missing_column, no_rows, number_text
from ratingpriv.table.building.record_ids import factorised, normal_ids

__all__ = [
    "DUPLICATES",
    "Locate",
    "LocateCell",
    "Place",
    "Problems",
    "Roles",
    "factorised",
    "finish_table",
    "fresh_name",
    "issue_roles",
    "missing_column",
    "no_rows",
    "normal_ids",
    "number_text",
    "numbers_of",
    "table_from_columns",
    "table_from_coordinates",
]


def table_from_coordinates(
    records: NDArray[Any],
    issues: NDArray[Any],
    values: NDArray[Any],
    *,
    record_ids: pl.Series,
    issue_names: Sequence[str],
    rated: NDArray[np.bool_] | None = None,
    timestamps: pl.Series | None = None,
    sensitive: Sequence[str] = (),
    drop: Sequence[str] = (),
    scale: tuple[float, float] | None = None,
    duplicates: str = "refuse",
    origin: Origin,
    locate: Locate | None = None,
    problems: Problems | None = None,
) -> RatingTable:
    """Make a table of one row a rating, given as positions; in any order.

    Parameters
    ----------
    records : integer (n_rows,); positions in ``record_ids``. int32 is leanest, for very many ratings
    issues : integer (n_rows,); positions in ``issue_names``. int32 is leanest
    values : any integer or floating type (n_rows,); the ratings. uint8 and int8 are the leanest and quickest
    record_ids : polars Series (n_records,), Int64 or String, unique and without nulls (:func:`normal_ids`,
        :func:`factorised`); records without a rating stay in the table
    issue_names : names of all issues of the data, sensitive and dropped ones included, in the order of the
        data
    rated : bool (n_rows,), or None for all true; where false, record and issue exist but are not rated
        (``values`` there is anything)
    timestamps : polars Series (n_rows,) of any type, kept as given, or None
    sensitive, drop : names of issues that are sensitive, or left out; the latter are not looked at
    scale : (minimum, maximum) that non-sensitive ratings have to be within, or None
    duplicates : one of DUPLICATES; data order counts
    origin : the Origin. ``name`` is what messages call the file; an empty ``order`` becomes ``issue_names``
    locate : says where coordinate i (0..n_rows-1) stands; by default line i + 1 of ``origin.name``
    problems : what the loader has found wrong already (ratings that are text, say; such rows may be passed
        with ``rated`` false). It is reported together with what is found here

    Raises
    ------
    DataError
        With every problem: NaN or infinite ratings, ratings off the declared scale, repeated pairs (unless
        ``duplicates`` resolves them), missing or repeated issue names, no rows, no issues.
    ParameterError
        ``duplicates`` is none of DUPLICATES; an issue is both sensitive and dropped.
    """
    checks.choice("duplicates", duplicates, DUPLICATES)
    problems = Problems() if problems is None else problems
    roles = issue_roles(issue_names, sensitive, drop, origin.name)
    if len(record_ids) == 0:
        if not problems:
            problems.add(no_rows(origin.name))
        raise problems.error()
    every = Coordinates(
        records,
        issues,
        values,
        rated,
        None,
        locate or (lambda row: Place(origin.name, row + 1, origin.rating_name)),
    )
    kept = every if len(roles.kept) == len(issue_names) else every.of_issues(roles.kept, len(issue_names))
    secret = [every.of_issues([place], len(issue_names)) for place in roles.sensitive]
    names = [issue_names[place] for place in roles.kept]
    for part in (kept, *secret):
        part.refuse_unreal(problems)
    if scale is not None:
        kept.refuse_off_scale(scale, problems)
    if duplicates == "refuse":
        for part, place in zip(secret, roles.sensitive, strict=True):
            part.refuse_repeated(record_ids, [issue_names[place]], problems)
        if problems:  # report repeated pairs in the same breath
            kept.refuse_repeated(record_ids, names, problems)
    problems.raise_if_any()

    if kept.rated is None:
        levels, codes = encode_levels(kept.values)
    else:
        levels, codes = encode_with_nulls(kept.values, kept.rated)
    ordered = timestamps is not None
    rows = rows_from_coordinates(kept.records, kept.issues, codes, len(record_ids), ordered=ordered)
    again = repeats(rows)
    if len(again) and duplicates == "refuse":
        kept.refuse_repeated(record_ids, names, problems)
        problems.raise_if_any()
    if len(again):
        rows, levels = resolve_repeated(rows, again, levels, duplicates, ordered=ordered)
    if kept.rated is not None:
        rows = without(rows, rows.codes == len(levels), ordered=ordered)
    if timestamps is not None:
        timestamps = timestamps if kept.numbers is None else timestamps.gather(kept.numbers)
        timestamps = timestamps if rows.order is None else timestamps.gather(rows.order)
    return finish_table(
        rows,
        levels,
        record_ids=record_ids,
        issues=names,
        sensitive=tuple(
            part.sensitive_column(issue_names[place], len(record_ids), duplicates)
            for part, place in zip(secret, roles.sensitive, strict=True)
        ),
        scale=scale,
        timestamps=timestamps,
        origin=dataclasses.replace(origin, order=origin.order or tuple(issue_names)),
    )
