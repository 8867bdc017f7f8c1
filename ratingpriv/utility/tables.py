"""Tables as the measures look at them, and the worthless one beside them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.compute.ascending import among
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import attribute_columns
from ratingpriv.utility.pair import Pair

_MOST = 10_000  # levels of a declared scale; beyond, a scale says nothing of what people answer
# of the distance between two levels: 0.15 is half-way between 0.1 and 0.2, float64 or not
_HALF = 1e-9


def levels_of(original: RatingTable) -> NDArray[np.float64]:
    """Return the L levels of the ratings, float64 (L,), ascending.

    All whole numbers of the scale where it was declared (1:5 has five), its ends are whole numbers
    and so is every rating; else, and where those would be more than 10,000, the ratings that occur.
    """
    scale = original.scale
    occurring: NDArray[np.float64] = original.levels[np.unique(original.codes)]
    if scale is None or not scale.declared or not original.integral:
        return occurring
    integral = scale.minimum == np.floor(scale.minimum) and scale.maximum == np.floor(scale.maximum)
    if not integral or scale.maximum - scale.minimum >= _MOST:
        return occurring
    return np.arange(scale.minimum, scale.maximum + 1)


def nearest_level(levels: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the position in ``levels`` of the level nearest to each of ``values``; halves upwards.

    ``levels`` float64 (L,), ascending, L >= 1; ``values`` of any shape, which the result has.
    """
    above = np.clip(np.searchsorted(levels, values), 1, max(len(levels) - 1, 1))
    if len(levels) == 1:
        return np.zeros(np.shape(values), dtype=np.int64)
    low, high = levels[above - 1], levels[above]
    upper = values - low >= (high - values) - _HALF * (high - low)
    return np.asarray(np.where(upper, above, above - 1), dtype=np.int64)


def columns_beside_ratings(table: RatingTable) -> dict[str, pl.Series]:
    """Return sensitive issues, quasi-identifiers and carried columns by name,
    null where there is none.
    """
    numbers = {
        column.name: pl.Series(column.values).set(pl.Series(~column.present), None)
        for column in table.sensitive
        if not column.nominal
    }
    return attribute_columns(table) | numbers


@dataclass(frozen=True, slots=True, eq=False)
class IssueMoments:
    """By issue, (p,) each."""

    counts: NDArray[np.int64]
    means: NDArray[np.float64]  # 0 where nothing is rated
    sds: NDArray[np.float64]  # ÷ count, so of one rating 0; 0 where nothing is rated

    @property
    def rated(self) -> NDArray[np.bool_]:
        """Which issues have a rating, bool (p,)."""
        return np.asarray(self.counts > 0)


def moments_of(table: RatingTable) -> IssueMoments:
    """Return the moments of each issue of ``table``."""
    values, issues, p = table.values, table.indices, table.n_issues
    counts = np.bincount(issues, minlength=p)
    least = np.maximum(counts, 1)
    means = np.bincount(issues, weights=values, minlength=p) / least
    squares = np.bincount(issues, weights=(values - means[issues]) ** 2, minlength=p)
    return IssueMoments(counts, means, np.sqrt(squares / least))


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Ratings of the released records.

    An edge is that a record rates an issue, as in a bipartite graph.
    """

    # the ratings of the edges that both have, in the one and in the other
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    added: NDArray[np.float64]  # of the edges that only the release has
    lost: NDArray[np.float64]  # of those that only the original has
    withheld: int  # how many ratings the suppressed records have


def edges_of(pair: Pair) -> Edges | None:
    """Compare the release with the original rating by rating.

    None where it is not known who is who.
    """
    if pair.pairing is None:
        return None
    original, release, p = pair.original, pair.release, pair.original.n_issues
    # the original record of each released one
    owner = np.full(release.n_records, -1, dtype=np.int64)
    paired = np.flatnonzero(pair.pairing >= 0)
    owner[pair.pairing[paired]] = paired
    old = np.repeat(np.arange(original.n_records), np.diff(original.indptr))
    of_released = pair.pairing[old] >= 0
    before, ratings = (old * p + original.indices)[of_released], original.values[of_released]
    new = np.repeat(owner, np.diff(release.indptr))
    after = new * p + release.indices
    # an edge is (record, issue) as one number, ascending on both sides
    order = np.argsort(after, kind="stable")
    after, released = after[order], release.values[order]
    kept, still = among(after, before), among(before, after)
    withheld = int(np.count_nonzero(~of_released))
    return Edges(ratings[kept], released[still], released[~still], ratings[~kept], withheld)


def leave_out(table: RatingTable, gone: NDArray[np.bool_]) -> RatingTable:
    """Return ``table`` without some ratings, bool (n_ratings,).

    Scale and levels stay as they were.
    """
    remaining = ~gone
    return table.replace(
        indptr=np.concatenate(([0], np.cumsum(remaining)))[table.indptr],
        indices=table.indices[remaining],
        codes=table.codes[remaining],
        timestamps=None
        if table.timestamps is None
        else table.timestamps.filter(pl.Series(remaining)),
    )


def records_by_id(table: RatingTable) -> NDArray[np.int64]:
    """Return the positions of the records, int64 (n_records,), their ids ascending."""
    return table.record_ids.arg_sort().to_numpy().astype(np.int64)


def issues_by_name(table: RatingTable) -> NDArray[np.int64]:
    """Return the positions of the issues, int64 (n_issues,), their names ascending."""
    return np.array(sorted(range(table.n_issues), key=table.issues.__getitem__), dtype=np.int64)


def worthless(original: RatingTable, rng: np.random.Generator) -> RatingTable:
    """Return the release in which every rating is a random draw from
    the issue's own ratings [ours].

    Sensitive ratings and quasi-identifiers too, as their counts are asked for beside those of
    ratings. Who answered what stays as it is, as do record ids and carried columns. Draws are
    independent, with replacement.
    """
    order = np.argsort(original.indices, kind="stable")
    counts = np.bincount(original.indices, minlength=original.n_issues)
    codes = original.codes.copy()
    codes[order] = original.codes[order][_drawn(counts, rng)]
    sensitive = []
    for column in original.sensitive:
        values_present = column.values[column.present]
        values = column.values.copy()
        values[column.present] = values_present[_drawn(np.array([len(values_present)]), rng)]
        sensitive.append(dataclasses.replace(column, values=values))
    quasi = []
    for attribute in original.quasi:
        present = attribute.codes >= 0
        places = attribute.codes.copy()
        places[present] = places[present][_drawn(np.array([np.count_nonzero(present)]), rng)]
        quasi.append(dataclasses.replace(attribute, codes=places))
    return dataclasses.replace(
        original, codes=codes, sensitive=tuple(sensitive), quasi=tuple(quasi)
    )


def _drawn(counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return for each entry of each run a random entry of its run.

    Runs have ``counts`` entries each.
    """
    first = np.repeat(np.cumsum(counts) - counts, counts)
    drawn: NDArray[np.int64] = first + rng.integers(0, np.repeat(counts, counts))
    return drawn
