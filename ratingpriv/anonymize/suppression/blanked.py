"""What blanks took, counted in the original: rare ratings go first, and bias what is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.cautions import Caution
from ratingpriv.base.numbers import in_full
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.making import document_of
from ratingpriv.documents.release import Blanked as _Document


@dataclass(frozen=True, slots=True)
class Blanked:
    """What is left of the ratings, by what they are."""

    blanks: int
    kept: float | None  # the share of the ratings that are left; None where there were none
    levels: tuple[tuple[float, int, float], ...]  # each rating, how many had it, which share is left
    records_emptied: int  # that had ratings, and have none left
    issues_emptied: int

    @classmethod
    def of(cls, table: RatingTable, mask: NDArray[np.bool_]) -> Self:
        """Return what is left where of the ratings of a table those of ``mask`` are, bool (n_ratings,)."""
        before = np.bincount(table.codes, minlength=len(table.levels))
        left = np.bincount(table.codes[mask], minlength=len(table.levels))
        levels = zip(table.levels.tolist(), before.tolist(), left.tolist(), strict=True)
        records = np.repeat(np.arange(table.n_records), np.diff(table.indptr))
        return cls(
            blanks=int(np.count_nonzero(~mask)),
            kept=float(mask.mean()) if len(mask) else None,
            levels=tuple((level, had, has / had) for level, had, has in levels if had),
            records_emptied=len(np.unique(records)) - len(np.unique(records[mask])),
            issues_emptied=len(np.unique(table.indices)) - len(np.unique(table.indices[mask])),
        )

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """That some ratings went much sooner than others, where they did."""
        if not self.levels:
            return ()
        least, most = (choose(self.levels, key=lambda level: level[2]) for choose in (min, max))
        if 2 * least[2] >= most[2]:
            return ()
        left = (f"{100 * share:.3g} % of the ratings {in_full(rating)}" for rating, _, share in (least, most))
        text = (
            f"blanks chose among the ratings: {' and '.join(left)} are left. Means, and whatever is learnt "
            "from this release, lean towards what is common"
        )
        return (Caution("selection", text),)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object ``blank`` of a release."""
        return document_of(_Document, self)
