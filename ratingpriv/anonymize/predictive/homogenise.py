"""Homogenisation: all records of a group get the same issues and the same ratings [CTWY10, §4.3].

Two schemes, for a group C of g records:

* "pure": the issues that some of C rated. Each gets the mean of the *original* ratings of those of
  C who rated it. No rating's issue is lost: the release has an edge wherever the original has one.
* "padded": every issue of the table. Each gets the mean over C of the rating, or of the predicted
  one (clipped to the scale) where there is none.

Where the code differs from the paper: it divides the padded sum by m, "the number of users in the
database", which must be g (docs/models.md). And means are rounded to the scale unless one asks for
exact ones: an exact mean tells how many ratings are behind it.

A released rating (an edge) says that at least one of the group rated the issue. That *this* record
did is true for k' of the g members, so it is believed with a confidence of k'/g, the link
confidence.

[CTWY10, Theorem 5.2] says that this is at most 1/k without prior knowledge. It is false: an edge is
released only where k' >= 1, so in a group of k the confidence is *at least* 1/k, and equal only
where nobody shares an issue. Theorem 5.3 has a right formula under premises (p <= 1/k,
independence) that fail for popular issues and for groups of similar people. Neither is a guarantee,
here or anywhere in ratingpriv; the confidence is measured instead (docs/models.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.coding import encode_levels
from ratingpriv.documents.making import document_of
from ratingpriv.documents.release import ExactMeans, LinkConfidence, Predictive
from ratingpriv.proximity.levels import decimal_grid
from ratingpriv.utility.tables import levels_of, nearest_level

if TYPE_CHECKING:
    from ratingpriv.utility.prediction import RatingModel

SCHEMES = ("pure", "padded")
"""What a group is given: what some of it rated, or every issue."""

LABELS = ("rounded", "exact")
"""What becomes of a mean: the nearest level of the scale, halves upwards; or it stays."""

_DIGITS = 15  # significant ones that a text file can hold
_PERCENTILE = 95


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """What each group is given: compressed sparse rows of groups × issues."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]  # issues, ascending within a group
    # L*, of the original ratings, and of predicted ones where there are some
    means: NDArray[np.float64]
    raters: NDArray[np.int64]  # k', how many of the group rated the issue
    sums: NDArray[np.float64]  # of the original ratings, times ``unit``: whole numbers of decimals
    unit: float  # a power of ten; 0 where the ratings are no decimals
    sizes: NDArray[np.int64]  # (n_groups,); how many records each group has

    @property
    def groups(self) -> NDArray[np.int64]:
        """The group of each cell, int64 (n_cells,)."""
        return np.repeat(np.arange(len(self.sizes)), np.diff(self.indptr))


def cells_of(table: RatingTable, labels: NDArray[np.int32]) -> Cells:
    """Return what "pure" gives each group: the issues some of it rated,
    with the mean of their ratings.

    ``labels`` int32 (m,), 0..t-1, are the groups of the records.
    """
    from scipy.sparse import csr_array

    sizes = np.bincount(labels).astype(np.int64)
    numbers, unit = _numbers(table.levels)
    shape = (table.n_records, table.n_issues)
    order = np.argsort(labels, kind="stable")
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    member = csr_array((np.ones(len(order)), order, bounds), shape=(len(sizes), len(labels)))
    # a product may leave out a sum that is 0
    lift = 1.0 - float(numbers.min()) if len(numbers) else 0.0
    lifted, raters = (
        member @ csr_array((data, table.indices, table.indptr), shape=shape)
        for data in (numbers[table.codes] + lift, np.ones(table.n_ratings))
    )
    lifted.sort_indices()
    raters.sort_indices()
    if not np.array_equal(lifted.indices, raters.indices) or raters.data.sum() != table.n_ratings:
        raise AssertionError("an item that was rated is lost")
    count = raters.data.astype(np.int64)
    sums = lifted.data - lift * count
    indptr, indices = raters.indptr.astype(np.int64), raters.indices.astype(np.int32)
    return Cells(indptr, indices, sums / (count * (unit or 1.0)), count, sums, unit, sizes)


def padded_cells(
    table: RatingTable,
    labels: NDArray[np.int32],
    pure: Cells,
    model: RatingModel,
    resources: Resources,
) -> Cells:
    """Return what "padded" gives each group: every issue, with the mean of ratings and predictions.

    ``pure`` are the :func:`cells_of` the same.
    """
    groups, issues = len(pure.sizes), table.n_issues
    means, raters, sums = (np.zeros((groups, issues)) for _ in range(3))
    for group, members in enumerate(_members(labels, pure.sizes)):
        rows = _to_scale(table, model.predicted_rows(members))
        cells = slice(int(pure.indptr[group]), int(pure.indptr[group + 1]))
        rated = pure.indices[cells]
        raters[group, rated], sums[group, rated] = pure.raters[cells], pure.sums[cells]
        for row, record in enumerate(members.tolist()):
            rows[row, table.support(record)] = 0.0
        means[group] = (rows.sum(axis=0) + sums[group] / (pure.unit or 1.0)) / len(members)
        resources.report("predicting ratings", group + 1, groups)
    # where all rated, exactly as without any prediction
    complete = raters == pure.sizes[:, None]
    means[complete] = (sums / (pure.sizes[:, None] * (pure.unit or 1.0)))[complete]
    return Cells(
        np.arange(groups + 1, dtype=np.int64) * issues,
        np.tile(np.arange(issues, dtype=np.int32), groups),
        means.ravel(),
        raters.ravel().astype(np.int64),
        sums.ravel(),
        pure.unit,
        pure.sizes,
    )


def added_cells(
    table: RatingTable,
    labels: NDArray[np.int32],
    pure: Cells,
    added: NDArray[np.int32],
    model: RatingModel,
) -> Cells:
    """Return ``pure`` with cells that nobody of the group rated:
    each has the mean predicted rating.

    ``added`` int32 (a, 2) are (group, issue), none of which is in ``pure``.
    """
    if len(added) == 0:
        return pure
    members = list(_members(labels, pure.sizes))
    means = np.empty(len(added))
    for number, (group, issue) in enumerate(added.tolist()):
        predicted = model.predicted(members[group], np.full(len(members[group]), issue))
        means[number] = _to_scale(table, predicted).mean()
    keys = np.concatenate(
        (pure.groups * table.n_issues + pure.indices, added @ (table.n_issues, 1))
    )
    order = np.argsort(keys, kind="stable")
    if np.any(np.diff(keys[order]) == 0):
        raise AssertionError("a cell was added that is there")
    counts = np.diff(pure.indptr) + np.bincount(added[:, 0], minlength=len(pure.sizes))
    nobody = np.zeros(len(added))
    return Cells(
        np.concatenate(([0], np.cumsum(counts))),
        np.concatenate((pure.indices, added[:, 1])).astype(np.int32)[order],
        np.concatenate((pure.means, means))[order],
        np.concatenate((pure.raters, nobody.astype(np.int64)))[order],
        np.concatenate((pure.sums, nobody))[order],
        pure.unit,
        pure.sizes,
    )


def homogenised(
    table: RatingTable, labels: NDArray[np.int32], cells: Cells, kind: str
) -> RatingTable:
    """Return ``table`` with every record as the ``cells`` of its group; ``kind`` is one of LABELS.

    Ids, scale, sensitive columns, quasi-identifiers stay with the record. There are no timestamps:
    a mean has none, and the own ones of a record would tell real ratings from added ones.
    """
    levels, codes = table.levels, table.codes
    if len(cells.means) and kind == "rounded":
        to = levels_of(table)
        levels, codes = encode_levels(to[nearest_level(to, cells.means)])
    elif len(cells.means):  # as many digits as a text file holds
        distinct, code = np.unique(cells.means, return_inverse=True)
        digits = np.array([float(f"{value:.{_DIGITS}g}") for value in distinct.tolist()])
        levels, codes = encode_levels(digits[code])
    indptr = np.concatenate(([0], np.cumsum(np.diff(cells.indptr)[labels])))
    indices = np.empty(int(indptr[-1]), dtype=np.int32)
    rated = np.empty(len(indices), dtype=codes.dtype)
    starts, places = cells.indptr.tolist(), indptr.tolist()
    for record, group in enumerate(labels.tolist()):  # nothing else of the release's size is made
        ratings, given = (
            slice(places[record], places[record + 1]),
            slice(starts[group], starts[group + 1]),
        )
        indices[ratings], rated[ratings] = cells.indices[given], codes[given]
    return table.replace(
        indptr=indptr, indices=indices, codes=rated, levels=levels, timestamps=None
    )


def _numbers(levels: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return levels as whole numbers, and times what power of ten.

    Themselves, and 0, if no decimals.
    """
    grid = decimal_grid(levels)
    return (levels, 0.0) if grid is None else (grid.numbers.astype(np.float64), 10.0**grid.decimals)


def _to_scale(table: RatingTable, ratings: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return predicted ``ratings`` within the scale; a copy."""
    if table.scale is None:
        return np.array(ratings)
    return np.clip(ratings, table.scale.minimum, table.scale.maximum)


def _members(labels: NDArray[np.int32], sizes: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the records of each group, ascending."""
    return np.split(np.argsort(labels, kind="stable"), np.cumsum(sizes)[:-1])


@dataclass(frozen=True, slots=True)
class Claims:
    """What was measured of a release beside its audit: of its groups, of all edges,
    and of exact means.

    Attributes
    ----------
    groups : how many groups there are
    smallest, largest : records of the smallest group, and of the largest
    links : how likely a released rating is one that the person gave, over all edges
    exact : how many exact means tell how many rated; None where means are rounded, or ratings no
        decimals
    diversity : (b, l) of [CTWY10, Def. 6], which holds
    added_cells : issues of groups in which nobody rated them, added for the diversity
    """

    groups: int
    smallest: int
    largest: int
    links: LinkConfidence
    exact: ExactMeans | None
    diversity: tuple[int, int] | None
    added_cells: int

    def to_dict(self) -> dict[str, Any]:
        """Return what was measured, by the names of the JSON contract."""
        content: dict[str, Any] = {"link_confidence": self.links, "exact_means": self.exact}
        content["groups"] = (self.groups, self.smallest, self.largest)
        content["diversity"] = (
            None if self.diversity is None else (*self.diversity, self.added_cells)
        )
        return document_of(Predictive, self, **content)


def link_confidence(cells: Cells, k: int) -> LinkConfidence:
    """Measure the link confidence of the release that is made of ``cells``,
    for a target of ``k``.
    """
    size = cells.sizes[cells.groups]
    edges, real = int(size.sum()), int(cells.raters.sum())
    if edges == 0:
        return LinkConfidence(0, 0, None, None, None, None, None, 0)
    confidence = cells.raters / size
    order = np.argsort(confidence, kind="stable")
    reached = int(np.searchsorted(100 * np.cumsum(size[order]), _PERCENTILE * edges))
    return LinkConfidence(
        edges=edges,
        real=real,
        mean=real / edges,
        percentile_95=float(confidence[order[reached]]),
        largest=float(confidence.max()),
        above=int(size[cells.raters * k > size].sum()) / edges,
        above_twice=int(size[cells.raters * k > 2 * size].sum()) / edges,
        certain=int(size[cells.raters == size].sum()),
    )


def exact_means(cells: Cells, *, padded: bool) -> ExactMeans | None:
    """Count the cells whose exact mean gives raters away; None where the ratings are no decimals.

    A mean of whole numbers is a fraction; with q the least number for which q times the mean is
    whole, a multiple of q rated: 3.5 proves two, 3.2 proves five. A padded mean of ratings alone is
    such a fraction, too, and stands out among those that predictions are in.
    """
    if cells.unit == 0.0:
        return None
    size = cells.sizes[cells.groups]
    if padded:
        proved = np.where(cells.raters == size, size, 1)
    else:
        sums = np.rint(cells.sums).astype(np.int64)
        proved = cells.raters // np.maximum(np.gcd(sums, cells.raters), 1)
    everybody = (proved == size) & (size > 1)
    return ExactMeans(
        len(size), int(np.count_nonzero(proved >= 2)), int(np.count_nonzero(everybody))
    )
