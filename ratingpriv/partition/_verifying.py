"""Kernel that tests whether groups are cliques, group by group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import kernel
from ratingpriv.proximity.arrays import Ints, Rows

type Bools = NDArray[np.bool_]


@kernel
def find_cliques(
    members: Ints,
    bounds: Ints,
    rows: Rows,
    high: Ints,
    separates: bool,
    room: Ints,
    cliques: NDArray[np.bool_],
) -> None:
    """Write whether each group is a clique: on every issue its largest code is within reach of its least.

    ``high``: the largest code proximate to each; ``separates``: all members must rate the same issues.
    ``room``, int64 (3, n_issues), is working memory; its last row comes and goes empty.
    """
    indptr, indices, codes = rows.indptr, rows.indices, rows.codes
    least, most, raters = room[0], room[1], room[2]
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
