"""Ratings as coordinates (record, issue, value): chosen, checked, and made into the parts of a table.

Duplicated (record, issue) pairs are refused by name, or reduced to one rating as the user says.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.data.table.building.coding import as_float, encode_levels, encode_with_nulls
from ratingpriv.data.table.building.csr import Rows, relevelled, repeats, rows_from_coordinates, without
from ratingpriv.data.table.building.finishing import (
    dropped_issues,
    finished,
    issue_roles,
    with_sensitive_scale,
)
from ratingpriv.data.table.building.problems import (
    Locate,
    Place,
    Problems,
    exact,
    no_rows,
    off_scale,
    off_scale_problem,
    repeated_pair,
    unreal,
)
from ratingpriv.data.table.parts import Origin, Parts, SensitiveColumn

__all__ = ["DUPLICATES", "Coordinates", "parts_from_coordinates", "resolve_repeated"]

DUPLICATES = ("refuse", "first", "last", "mean")
"""What to do with a duplicated (record, issue) pair; a mean has the timestamp of the last."""

_BLOCK = 1 << 22  # coordinates processed together: bounds the temporary arrays


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Some or all rows of a long layout.

    Attributes
    ----------
    records, issues : integer (n_rows,); positions
    values : any integer or floating type (n_rows,)
    rated : bool (n_rows,), false where a row has no rating; None: all true
    numbers : int64 (n_rows,), the number of each among the rows of the data; None: 0..n_rows-1
    locate : says where the row with a number stands
    """

    records: NDArray[Any]
    issues: NDArray[Any]
    values: NDArray[Any]
    rated: NDArray[np.bool_] | None
    numbers: NDArray[np.int64] | None
    locate: Locate

    def place(self, row: int) -> tuple[str, int | None, str | int | None]:
        """Say where row ``row`` of these stands."""
        return self.locate(row if self.numbers is None else int(self.numbers[row]))

    def of_issues(self, positions: list[int], n_issues: int) -> Coordinates:
        """Keep the rows of the issues at ``positions``, which become issues 0, 1, ..."""
        renumbered = np.full(n_issues, -1, dtype=np.int32)
        renumbered[positions] = np.arange(len(positions), dtype=np.int32)
        issues = renumbered[self.issues]
        kept = np.flatnonzero(issues >= 0)
        return Coordinates(
            self.records[kept],
            issues[kept],
            self.values[kept],
            None if self.rated is None else self.rated[kept],
            kept if self.numbers is None else self.numbers[kept],
            self.locate,
        )

    def refuse_unreal(self, problems: Problems) -> None:
        """Note NaN, infinity and whole numbers too large to be exact."""
        if self.values.dtype.kind != "f" and self.values.dtype.itemsize < 8:
            return
        for at in range(0, len(self.values), _BLOCK):
            wrong = ~exact(self.values[at : at + _BLOCK])
            if self.rated is not None:
                wrong &= self.rated[at : at + _BLOCK]
            rows = np.flatnonzero(wrong) + at
            problems.at(rows, lambda row: unreal(self.values[row], self.place(row)))

    def refuse_off_scale(
        self, scale: tuple[float, float], problems: Problems, *, sensitive: bool = False
    ) -> None:
        """Note ratings below or above ``scale``."""
        for at in range(0, len(self.values), _BLOCK):
            wrong = off_scale(self.values[at : at + _BLOCK], scale)
            if self.rated is not None:
                wrong &= self.rated[at : at + _BLOCK]
            rows = np.flatnonzero(wrong) + at
            problems.at(
                rows,
                lambda row: off_scale_problem(self.values[row], scale, self.place(row), sensitive=sensitive),
            )

    def refuse_repeated(self, record_ids: pl.Series, names: list[str], problems: Problems) -> None:
        """Note duplicated (record, issue) pairs."""
        codes = np.zeros(len(self.records), dtype=np.uint8)
        rows = rows_from_coordinates(self.records, self.issues, codes, len(record_ids))
        again = repeats(rows)
        if len(again):
            _refuse_repeated(rows, again, self.records, self.issues, record_ids, names, problems, self.place)

    def sensitive_column(self, name: str, n_records: int, duplicates: str) -> SensitiveColumn:
        """Make a column of these, all of one issue; repeats are reduced as ``duplicates`` says."""
        codes = np.zeros(len(self.records), dtype=np.uint8)
        rows = rows_from_coordinates(self.records, self.issues, codes, n_records, ordered=True)
        order = np.arange(len(self.records)) if rows.order is None else rows.order
        known = np.ones(len(order), dtype=bool) if self.rated is None else self.rated[order]
        ratings, known, firsts = _reduced(as_float(self.values[order]), known, repeats(rows), duplicates)
        owners = np.searchsorted(rows.indptr, firsts, side="right") - 1
        values, present = np.zeros(n_records), np.zeros(n_records, dtype=bool)
        values[owners] = np.where(known, ratings, 0.0)
        present[owners] = known
        return SensitiveColumn(name, values, present)


def parts_from_coordinates(
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
    dropped_columns: Sequence[str] = (),
    scale: tuple[float, float] | None = None,
    sensitive_scale: Mapping[str, tuple[float, float] | None] = MappingProxyType({}),
    duplicates: str = "refuse",
    origin: Origin,
    locate: Locate | None = None,
    problems: Problems | None = None,
) -> Parts:
    """Make the parts of a table of one row a rating, given as positions; in any order.

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
    sensitive, drop : names of issues that are sensitive, or left out; the latter are ignored
    dropped_columns : the columns among ``drop`` that the user left out, which need be no issues
    scale : (minimum, maximum) that ratings have to be within, or None
    sensitive_scale : the same for sensitive issues of another scale, by name
    duplicates : one of DUPLICATES; the order of ``timestamps`` counts, else that of the data
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
    if timestamps is not None and duplicates in ("first", "last"):
        order = _by_time(timestamps)
        records, issues, values, timestamps = records[order], issues[order], values[order], timestamps[order]
        rated = None if rated is None else rated[order]
        found = locate or (lambda row: Place(origin.name, row + 1, origin.rating_name))
        locate = lambda row: found(int(order[row]))  # noqa: E731
    unwanted = dropped_issues(drop, dropped_columns, issue_names)
    roles = issue_roles(issue_names, sensitive, unwanted, origin.name)
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
    bounds = [sensitive_scale.get(issue_names[place], scale) for place in roles.sensitive]
    for part, ends in zip((kept, *secret), (scale, *bounds), strict=True):
        if ends is not None:
            part.refuse_off_scale(ends, problems, sensitive=part is not kept)
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
    return finished(
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
        origin=dataclasses.replace(
            with_sensitive_scale(origin, sensitive_scale), order=origin.order or tuple(issue_names)
        ),
        of_issues=len(issue_names) - len(roles.sensitive),
        dropped=drop,
    )


def _by_time(timestamps: pl.Series) -> NDArray[np.int64]:
    """Return the rows by their time, those without one first, others of one time in the order of the data."""
    order = timestamps.to_frame("time").select(pl.arg_sort_by("time", nulls_last=False, maintain_order=True))
    return order.to_series().to_numpy().astype(np.int64)


def resolve_repeated(
    rows: Rows,
    again: NDArray[np.int64],
    levels: NDArray[np.float64],
    duplicates: str,
    *,
    ordered: bool = False,
) -> tuple[Rows, NDArray[np.float64]]:
    """Reduce each run of repeats to its first, last or mean; return the rows and their levels.

    ``again`` are the entries that repeat the one before (:func:`csr.repeats`). A code one past the levels
    means "not rated", before and after: a null that comes first or last counts as such; a mean is over the
    ratings. ``Rows.order`` is
    filled in if ``ordered``.
    """
    gone = np.zeros(len(rows.indices), dtype=bool)
    gone[again if duplicates == "first" else again - 1] = True  # otherwise only the last of a run stays
    smaller = without(rows, gone, ordered=ordered)
    if duplicates != "mean":
        return relevelled(smaller, levels)
    ratings = np.append(levels, 0.0)[rows.codes]
    means, known, _ = _reduced(ratings, rows.codes < len(levels), again, "mean")
    new_levels, codes = encode_with_nulls(means, known)
    return dataclasses.replace(smaller, codes=codes), new_levels


def _reduced(
    values: NDArray[np.float64], known: NDArray[np.bool_], again: NDArray[np.int64], duplicates: str
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]]:
    """Reduce runs of repeats to one value each; return values, known, and the first entry of each run."""
    starts = np.setdiff1d(np.arange(len(values)), again, assume_unique=True)
    if len(again) == 0:
        return values, known, starts
    if duplicates == "mean":
        totals = np.add.reduceat(np.where(known, values, 0.0), starts)
        counts = np.add.reduceat(known.astype(np.int64), starts)
        return _fifteen_digits(totals / np.maximum(counts, 1)), counts > 0, starts
    chosen = np.append(starts[1:], len(values)) - 1 if duplicates == "last" else starts
    return values[chosen], known[chosen], starts


def _fifteen_digits(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the nearest numbers of 15 significant digits: more of them could not be read back from text."""
    distinct, place = np.unique(means, return_inverse=True)
    return np.array([float(f"{mean:.15g}") for mean in distinct.tolist()])[place.ravel()]


def _refuse_repeated(
    rows: Rows,
    again: NDArray[np.int64],
    records: NDArray[Any],
    issues: NDArray[Any],
    record_ids: pl.Series,
    names: Sequence[str],
    problems: Problems,
    locate: Locate,
) -> None:
    """Note the repeated pairs that come first in the data, with their lines and those of the first ratings.

    ``records`` and ``issues`` are the coordinates that ``rows`` was made of.
    """
    owners = np.searchsorted(rows.indptr, again, side="right") - 1
    keys = np.unique(owners * len(names) + rows.indices[again])
    first: dict[tuple[int, int], int] = {}
    listed = 0
    for at in range(0, len(records), _BLOCK):
        block = records[at : at + _BLOCK].astype(np.int64) * len(names) + issues[at : at + _BLOCK]
        for coordinate in (np.flatnonzero(np.isin(block, keys)) + at).tolist():
            pair = (int(records[coordinate]), int(issues[coordinate]))
            if pair not in first:
                first[pair] = coordinate
            elif listed < problems.limit:
                earlier = locate(first[pair])[1]
                place = locate(coordinate)
                problems.add(repeated_pair(record_ids[pair[0]], names[pair[1]], earlier, place))
                listed += 1
        if listed == problems.limit:
            break
    problems.count(len(again) - listed)
