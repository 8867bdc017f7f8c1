"""The strongest adversary: knows every rating of a person, exactly, and which ratings are missing.

The adversary looks for records that are equal to what is known, and picks one of them by a coin;
where there is none, the nearest one. People with few ratings are attacked like everybody else: a
rate is of all records.

Two facts hold of any release whose order tells nothing:

* Records that are equal in all that can be known cannot be told apart. Of each class of equal
  records one pick is right on average: no adversary re-identifies more than distinct rows /
  records.
* Where every record is as it was, that many are re-identified, as equality is the best that can be
  known.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.attack.intervals import share
from ratingpriv.attack.knowledge.auxiliary import places_of
from ratingpriv.base.cautions import Caution
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import QuasiColumn, RatingTable
from ratingpriv.documents.attack import WholeRecord
from ratingpriv.documents.demands import Rate

SEARCHED = 1000
"""For so many records the nearest one is searched where there are more."""

_FEWEST = 100  # with fewer of more the interval would be too wide to say anything
_WORK = 4e9  # multiplications of a similarity: some tenths of a second
_SCORES = 1 << 26  # bytes of scores that are held together
_CELLS = 1 << 26  # of records that are laid out as a matrix
_LEVELS = 32  # so many are compared by their distance; more are put together first
_CATEGORIES = 1024  # so many values of an attribute are
_WIDTH = 3 / 8  # of closeness, by the range of all ratings: 1.5 on a scale from 1 to 5 [NS08, §5]
_UNIT = 256  # similarities are whole numbers of it, so that sums are exact, and equals are equal


def whole_record(
    original: RatingTable,
    release: RatingTable | None = None,
    places: NDArray[np.int64] | None = None,
    resources: Resources = Resources(),
) -> WholeRecord:
    """Return what the strongest adversary finds in ``release``,
    or without one in ``original`` itself.

    Known are every rating, every quasi-identifier that the release has, dates where it has them,
    and which of all these are missing. Not known are sensitive columns, and which record is whose.

    Parameters
    ----------
    places : int64 (original.n_records,); where each record is in the release, -1 where it was
        suppressed
    resources : ``memory`` bounds the scores that are held together

    Returns
    -------
    WholeRecord
        ``success`` is of all records of the file. Where all were attacked its interval is a point.
        Where the search for the nearest records is too dear, the rate is None and the interval is
        what is proved.
    """
    if release is None:
        rows = _rows(original)
        distinct = int(rows.classes.max(initial=-1)) + 1
        return _found("equal-rows", distinct, rows.n, distinct)
    assert places is not None  # noqa: S101 -- without it nobody can say who is found
    persons = np.flatnonzero(places >= 0)
    rows, n = _rows(release.take(places[persons]), original.take(persons)), len(persons)
    person_classes, release_classes = rows.classes[:n], rows.classes[n:]
    sizes = np.bincount(person_classes)
    distinct = len(sizes)  # classes are numbered as they appear, those of the release first
    alone = release_classes >= distinct  # no released record is equal to what is known
    sure = float((1 / sizes[person_classes[person_classes == release_classes]]).sum())
    if not alone.any():
        return _found("equal-rows", sure, n, distinct)
    chances = _nearest(rows, np.flatnonzero(alone), sizes, resources)
    if chances is None:
        success = Rate(None, sure / n, distinct / n, sure, n)
        return WholeRecord("nearest-row", success, n, distinct, distinct / n)
    searched, expected_hits = int(alone.sum()), float(chances.sum())
    if len(chances) == searched:
        return _found("nearest-row", sure + expected_hits, n, distinct)
    drawn = share(expected_hits, len(chances))
    count, low, high = (
        sure + searched * (part or 0.0) for part in (drawn.rate, drawn.low, drawn.high)
    )
    count = min(count, distinct)
    ends = (min(low, count) / n, max(min(high, distinct), count) / n)
    return WholeRecord("nearest-row", Rate(count / n, *ends, count, n), n, distinct, distinct / n)


def strongest(rates: Sequence[Rate]) -> Rate:
    """Return the largest of what attacks on the same file find.

    What was not measured counts as its lower end, which is proved, and nothing is sure to be below
    its upper end.
    """
    largest = max(rates, key=lambda one: (one.low if one.rate is None else one.rate, one.of))
    unsure = max((one.high for one in rates if one.rate is None and one.of), default=0.0)
    return Rate(largest.rate, largest.low, max(largest.high, unsure), largest.count, largest.of)


def _found(
    by: Literal["equal-rows", "nearest-row"], count: float, n: int, distinct: int
) -> WholeRecord:
    """Return what is found of everybody: without an interval."""
    if not n:
        return WholeRecord(by, Rate(None, 0.0, 1.0, 0, 0), 0, 0, 1.0)
    rate = min(count / n, distinct / n)
    return WholeRecord(by, Rate(rate, rate, rate, round(count, 9), n), n, distinct, distinct / n)


OF_WHOLE = ("equal-rows", "nearest-row")
"""What the algorithms of the strongest adversary are called."""

WHOLE = "an adversary who knows every rating and which ratings are missing"
"""Who that is, in a sentence."""


def found_caution(
    success: Rate, at_most: float, threshold: float, adversary: str = WHOLE
) -> Caution | None:
    """Return the reservation that more than ``threshold`` are found, or may be.

    None where they are not.

    Parameters
    ----------
    success : the strongest attack on the release, see :func:`strongest`
    at_most : the share that no adversary exceeds, see :class:`WholeRecord`
    adversary : whose attack it is
    """
    if at_most <= threshold or (success.rate is not None and success.high <= threshold):
        return None
    of, limit = f"{success.of:,} records", f"the threshold is {_percent(threshold)}"
    if success.rate is not None and success.rate > threshold:
        claim = f"{_percent(success.rate)} of {of} can be re-identified"
        sentence = (
            f"{success.count:,.0f} of {of} ({_percent(success.rate)}) are re-identified by "
            f"{adversary}"
        )
    elif success.low > threshold:
        claim = f"at least {_percent(success.low)} of {of} can be re-identified"
        sentence = f"{claim} by {adversary}"
    elif success.rate is None:
        claim = "re-identification was not measured"
        sentence = (
            f"{claim}: at most {_percent(at_most)} of {of} are re-identified, which is proved"
        )
    else:
        claim = f"up to {_percent(success.high)} of {of} may be re-identified"
        sentence = f"{_percent(success.rate)} of {of} are re-identified by {adversary}, up to "
        sentence += f"{_percent(success.high)} by the interval"
    return Caution.due("found", f"{sentence}; {limit}", claim)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


# ---- records of several tables, side by side ----


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Records of a table and of others, one after the other, by the columns of the first.

    Attributes
    ----------
    owner, issue, code : int64 (M,) each, by ascending owner, then issue: whose rating, of what, and
        which of ``levels`` it is
    attributes : for each quasi-identifier the number of each record's value, -1 where it is
        missing, and the values as float64; None where they are categories
    classes : int64 (n,); a number that equal records share, from 0 on, in the order of appearance
    """

    n: int
    n_issues: int
    owner: NDArray[np.int64]
    issue: NDArray[np.int64]
    code: NDArray[np.int64]
    levels: NDArray[np.float64]
    attributes: tuple[tuple[NDArray[np.int64], NDArray[np.float64] | None], ...]
    classes: NDArray[np.int64]


def _rows(*tables: RatingTable) -> _Rows:
    """Return the records of all tables; what the first has no column for is left out."""
    first, ends = tables[0], np.cumsum([table.n_records for table in tables])
    levels, n = np.unique(np.concatenate([table.levels for table in tables])), int(ends[-1])
    parts = []
    for table, dates, end in zip(tables, _dates(tables), ends.tolist(), strict=True):
        issue = places_of(table, first)[table.indices]
        owner = np.repeat(np.arange(end - table.n_records, end), np.diff(table.indptr))
        parts.append((owner, issue, np.searchsorted(levels, table.levels)[table.codes], dates))
    owner, issue, code, dates = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((issue, owner))
    order = order[issue[order] >= 0]
    owner, issue, code, dates = (
        part[order].astype(np.int64) for part in (owner, issue, code, dates)
    )
    levels_present, code = np.unique(code, return_inverse=True)
    levels = levels[levels_present]
    columns = [[_named(table, quasi.name) for table in tables] for quasi in first.quasi]
    attributes = tuple(_attribute(tables, column) for column in columns)
    beside = (
        np.stack([codes for codes, _ in attributes], axis=1)
        if attributes
        else np.zeros((n, 0), np.int64)
    )
    classes = _classes(n, owner, np.stack([issue, code, dates], axis=1), beside)
    return _Rows(n, first.n_issues, owner, issue, code, levels, attributes, classes)


def _dates(tables: Sequence[RatingTable]) -> list[NDArray[np.int64]]:
    """Return a number for each rating's date, the same for the same.

    Zeros where a table has no dates.
    """
    stamps = [table.timestamps for table in tables if table.timestamps is not None]
    if len(stamps) < len(tables):
        return [np.zeros(table.n_ratings, dtype=np.int64) for table in tables]
    texts = pl.concat([stamp.cast(pl.String) for stamp in stamps]).fill_null("")
    ends = np.cumsum([len(stamp) for stamp in stamps])
    return np.split(texts.rank("dense").cast(pl.Int64).to_numpy(), ends[:-1])


def _named(table: RatingTable, name: str) -> QuasiColumn | None:
    return next((column for column in table.quasi if column.name == name), None)


def _attribute(
    tables: Sequence[RatingTable], columns: Sequence[QuasiColumn | None]
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Return a quasi-identifier of all records, as :class:`_Rows` has it;
    missing where a table lacks it.
    """
    present = [column for column in columns if column is not None]
    numeric = all(column.values.dtype == pl.Float64 for column in present)
    used = (column.values.gather(np.unique(column.codes[column.codes >= 0])) for column in present)
    values = list(dict.fromkeys(value for part in used for value in part.to_list()))
    values = sorted(values) if numeric else values
    number = {value: index for index, value in enumerate(values)}
    parts = []
    for table, column in zip(tables, columns, strict=True):
        if column is None:
            parts.append(np.full(table.n_records, -1))
        else:
            names = [*(number.get(value, -1) for value in column.values.to_list()), -1]
            # -1, missing, is the last of them
            parts.append(np.array(names, dtype=np.int64)[column.codes])
    return np.concatenate(parts), np.array(values, dtype=np.float64) if numeric else None


def _classes(
    n: int, owner: NDArray[np.int64], cells: NDArray[np.int64], beside: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a number for each of ``n`` records that those with the same cells,
    and beside them, share.
    """
    bounds, seen = np.searchsorted(owner, np.arange(n + 1)).tolist(), dict[bytes, int]()
    rows = (
        cells[a:b].tobytes() + part.tobytes()
        for (a, b), part in zip(itertools.pairwise(bounds), beside, strict=True)
    )
    # 128 bits in place of a copy of the data: no two different records have the same ones
    numbers = (
        seen.setdefault(hashlib.blake2b(row, digest_size=16).digest(), len(seen)) for row in rows
    )
    return np.fromiter(numbers, dtype=np.int64, count=n)


# ---- the nearest records ----


def _nearest(
    rows: _Rows, persons: NDArray[np.int64], sizes: NDArray[np.int64], resources: Resources
) -> NDArray[np.float64] | None:
    """Return how likely the nearest record is the target's own, float64 (T,),
    by the best similarity.

    Targets are ``persons`` or some of them, positions of released records; ``sizes``, int64
    (distinct,), are how many released records each class has. None where too few targets can be
    afforded.
    """
    n, columns = rows.n // 2, rows.n_issues + len(rows.attributes)
    codes, levels = _together(rows)
    affordable = _WORK / (len(sizes) * max(columns, 1) * (len(levels) + 1))
    targets = int(min(len(persons), SEARCHED, affordable))
    if targets < min(len(persons), _FEWEST) or len(sizes) * columns > _CELLS:
        return None
    if targets < len(persons):
        persons = np.sort(np.random.default_rng(0).choice(persons, targets, replace=False))
    representatives = np.unique(rows.classes[:n], return_index=True)[1]
    released, person_rows = (
        _matrix(rows, codes, representatives, len(levels)),
        rows.classes[persons],
    )
    step = max(1, min(resources.memory or _SCORES, _SCORES) // (8 * len(sizes)))
    best = np.zeros(targets)
    for number, similarity in enumerate(_SIMILARITIES):
        of_ratings, chances = similarity.table(levels, columns), np.zeros(targets)
        for first in range(0, targets, step):
            part = persons[first : first + step] + n
            release_rows = _matrix(rows, codes, part, len(levels))
            scores = np.zeros((len(part), len(sizes)), dtype=of_ratings.dtype)
            for level, weights in enumerate(of_ratings.T):  # a product of matrices for each level
                scores += weights[release_rows] @ (released == level).T.astype(weights.dtype)
            for attribute, values in rows.attributes:
                scores += similarity.of(
                    attribute[part], attribute[representatives], values, columns
                )
            nearest = scores == scores.max(axis=1, keepdims=True)
            right = nearest[np.arange(len(part)), person_rows[first : first + step]]
            which, column = np.nonzero(nearest)
            chances[first : first + step] = right / np.bincount(which, weights=sizes[column])
            resources.report("nearest records", number * targets + first + len(part), 3 * targets)
        best = max(best, chances, key=lambda each: float(each.sum()))
    return best


def _together(rows: _Rows) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the ratings' codes and levels, the levels put together to
    a few where there are many.
    """
    if len(rows.levels) <= _LEVELS:
        return rows.code, rows.levels
    edges = np.linspace(rows.levels[0], rows.levels[-1], _LEVELS + 1)
    band = np.clip(np.searchsorted(edges, rows.levels, side="right") - 1, 0, _LEVELS - 1)
    return band[rows.code], (edges[1:] + edges[:-1]) / 2


def _matrix(
    rows: _Rows, codes: NDArray[np.int64], records: NDArray[np.int64], missing: int
) -> NDArray[np.int64]:
    """Return the codes of ``records`` in full, int64 (len(records), n_issues)."""
    matrix = np.full((len(records), rows.n_issues), missing, dtype=np.int64)
    first, last = (
        np.searchsorted(rows.owner, records),
        np.searchsorted(rows.owner, records, side="right"),
    )
    owner = np.repeat(np.arange(len(records)), last - first)
    entries = np.arange(len(owner)) + np.repeat(
        first - np.cumsum(last - first) + (last - first), last - first
    )
    matrix[owner, rows.issue[entries]] = codes[entries]
    return matrix


@dataclass(frozen=True, slots=True)
class _Similarity:
    """How similar two records are: a sum over columns, of two equal ones the largest that there is.

    A column that both lack counts ``unit``, one that one of them lacks 0. Of one that both have,
    two equal values count ``unit``; others nothing, so much by their distance, or against all the
    other columns.
    """

    unit: int
    by_distance: bool = False
    excluding: bool = False

    def table(self, values: NDArray[np.float64], columns: int) -> NDArray[np.float32 | np.float64]:
        """Return the similarity of any two values,
        and at the end of any of them and one that is missing.
        """
        size = len(values)
        most = columns * self.unit * (columns + 1 if self.excluding else 1)
        table = np.zeros((size + 1, size + 1), dtype=np.float32 if most < 1 << 24 else np.float64)
        if self.by_distance:
            width = _WIDTH * max(float(np.ptp(values)) if size else 0.0, np.finfo(float).tiny)
            table[:size, :size] = np.round(
                self.unit * np.exp(-abs(values[:, None] - values) / width)
            )
        elif self.excluding:
            table[:size, :size] = -self.unit * (columns + 1)
        np.fill_diagonal(table, self.unit)
        return table

    def of(
        self,
        known: NDArray[np.int64],
        released: NDArray[np.int64],
        values: NDArray[np.float64] | None,
        columns: int,
    ) -> NDArray[Any]:
        """Return the similarity of each of ``known`` with each of ``released`` by one attribute."""
        if values is not None and len(values) <= _CATEGORIES:
            return self.table(values, columns)[known[:, None], released]
        equal = known[:, None] == released
        unequal = ~equal & (known >= 0)[:, None] & (released >= 0)
        alike: NDArray[np.int64] = self.unit * (
            equal - unequal * (columns + 1 if self.excluding else 0)
        )
        return alike


_SIMILARITIES = (
    _Similarity(1),
    _Similarity(1, excluding=True),
    _Similarity(_UNIT, by_distance=True),
)
