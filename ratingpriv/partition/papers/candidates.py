"""How many candidates slicing trims: counted, beside the paper's cost
model [SWLZ11, §5.2 and §6].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import NULL_RULES
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.pairwise import trimmed_blocks

_MEMORY = 1 << 26


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Candidates that are left after each issue's trimming, the mean over all t0.

    Attributes
    ----------
    counted : float64 (p,); after issue j, the records within ε of t0 on issues 1..j, t0 included,
        exactly
    modelled : float64 (p,); n (2ε/h)^j, at most n: the paper's model for *independent, uniform,
        real* ratings of extent h. No bound for any other data, and no promise
    """

    counted: NDArray[np.float64]
    modelled: NDArray[np.float64]
    epsilon: float
    extent: float

    def cost(self, c: float = 1.0) -> tuple[float, float]:
        """Return N = N_1 + c (N_1 + ... + N_{p-1}),
        of the counted and of the modelled [SWLZ11, Eq. 12].

        ``c`` : what a comparison costs beside a search, >= 0.
        """
        c = checks.non_negative_number("c", c)
        counted, modelled = self.counted, self.modelled
        return (
            float(counted[0] + c * counted[:-1].sum()),
            float(modelled[0] + c * modelled[:-1].sum()),
        )


def count_candidates(
    table: RatingTable,
    epsilon: float,
    *,
    extent: float | None = None,
    nulls: str = "strict",
) -> Candidates:
    """Count the candidates that slicing's trimming leaves for every t0,
    and what the paper's model expects.

    Implements the candidate set of [SWLZ11, §5.2.1]: the records within ε of t0 on the first issue,
    trimmed by the second, and so on, in the order of the table's issues; and [SWLZ11, Eq. 11-16]
    for it. What earlier slices took away is not taken off, as in the model. Comparing all pairs
    takes O(n² p): this judges a cost model, and is no way to find neighbours.

    The model's 2ε/h (``extent`` is h; None: the scale's width) bounds the chance of one pair on one
    issue for a uniform *density* only. Ratings on whole numbers agree with a positive chance even
    at ε = 0, and issues that go together trim nobody twice.
    """
    checks.no_quasi(table.quasi, "the count of slicing's candidates", "drop them with `drop`")
    epsilon = checks.non_negative_number("epsilon", epsilon)
    checks.choice("nulls", nulls, NULL_RULES)
    if extent is None:
        extent = (
            0.0 if table.scale is None else float(table.scale.maximum) - float(table.scale.minimum)
        )
    if not extent > 0:
        raise ParameterError("extent", extent, "a width > 0, the scale's maximum less its minimum")
    n = table.n_records
    totals = np.zeros(table.n_issues + 1, dtype=np.int64)
    for _, after, near in trimmed_blocks(table, epsilon, nulls, _MEMORY):
        totals[after] += np.count_nonzero(near)
    chance = min(1.0, 2 * epsilon / extent)
    return Candidates(
        counted=totals[1:] / n,
        modelled=n * np.full(table.n_issues, chance).cumprod(),
        epsilon=epsilon,
        extent=extent,
    )
