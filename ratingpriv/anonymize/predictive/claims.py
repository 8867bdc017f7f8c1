"""What may be claimed of a homogenised release, measured: what its links give away, and exact means.

A released rating (an edge) says that at least one of the group rated the issue. That *this* record did is
true for k' of the g members, so it is believed with a confidence of k'/g, the link confidence.

[CTWY10, Theorem 5.2] says that this is at most 1/k without prior knowledge. It is false: an edge is released
only where k' >= 1, so in a group of k the confidence is *at least* 1/k, and equal only where nobody shares an
issue. Theorem 5.3 has a right formula under premises (p <= 1/k, independence) that fail for popular issues
and for groups of similar people. Neither is a guarantee, here or anywhere in ratingpriv; the confidence is
measured instead (docs/models.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ratingpriv.anonymize.predictive.homogenise import Cells
from ratingpriv.documents.making import document_of
from ratingpriv.documents.release import ExactMeans, LinkConfidence, Predictive

_PERCENTILE = 95


@dataclass(frozen=True, slots=True)
class Claims:
    """What was measured of a release beside its audit: of its groups, of all edges, and of exact means."""

    groups: int
    smallest: int  # records of the smallest group, and of the largest
    largest: int
    links: LinkConfidence
    exact: ExactMeans | None  # None where means are rounded, or ratings no decimals
    diversity: tuple[int, int] | None  # (b, l) of [CTWY10, Def. 6], which holds
    added_cells: int  # issues of groups in which nobody rated them, added for the diversity

    def to_dict(self) -> dict[str, Any]:
        """Return what was measured, by the names of the JSON contract."""
        said: dict[str, Any] = {"link_confidence": self.links, "exact_means": self.exact}
        said["groups"] = (self.groups, self.smallest, self.largest)
        said["diversity"] = None if self.diversity is None else (*self.diversity, self.added_cells)
        return document_of(Predictive, self, **said)


def link_confidence(cells: Cells, k: int) -> LinkConfidence:
    """Measure the link confidence of the release that is made of ``cells``, for a target of ``k``."""
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

    A mean of whole numbers is a fraction; with q the least number for which q times the mean is whole, a
    multiple of q rated: 3.5 proves two, 3.2 proves five. A padded mean of ratings alone is such a fraction,
    too, and stands out among those that predictions are in.
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
    return ExactMeans(len(size), int(np.count_nonzero(proved >= 2)), int(np.count_nonzero(everybody)))
