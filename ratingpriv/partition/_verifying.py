"""Kernel that tests whether groups are cliques, group by group."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import kernel


@kernel
def find_cliques(
    members: NDArray[np.int64], bounds: NDArray[np.int64], indptr: NDArray[np.int64],
    indices: NDArray[np.int32], codes: NDArray[Any], high: NDArray[np.int64], separates: bool,
    least: NDArray[np.int64], most: NDArray[np.int64], raters: NDArray[np.int64], cliques: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Write whether each group is a clique: on every issue its largest code is within reach of its least.

    ``high``: the largest code proximate to each; ``separates``: all members must rate the same issues.
    ``least``, ``most``, ``raters``, int64 (n_issues,), are working memory; ``raters`` comes and goes empty.
    """
    for g in range(len(cliques)):
        size = bounds[g + 1] - bounds[g]
        for m in range(bounds[g], bounds[g + 1]):
            for entry in range(indptr[members[m]], indptr[members[m] + 1]):
                issue, code = indices[entry], np.int64(codes[entry])
                if raters[issue] == 0:
                    least[issue], most[issue] = code, code
                elif code < least[issue]:
                    least[issue] = code
                elif code > most[issue]:
                    most[issue] = code
                raters[issue] += 1
        clique = True
        for m in range(bounds[g], bounds[g + 1]):
            for entry in range(indptr[members[m]], indptr[members[m] + 1]):
                issue = indices[entry]
                if raters[issue] == 0:
                    continue  # seen with an earlier member
                if most[issue] > high[least[issue]] or (separates and raters[issue] != size):
                    clique = False
                raters[issue] = 0
        cliques[g] = clique
