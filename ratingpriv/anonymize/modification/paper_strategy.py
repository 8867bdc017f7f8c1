"""The papers' strategies of data modification [SWLP10, §4.5], with their errata handled.

In a group that is not a clique yet, each issue with the centroid t_c (a null counts 0) is modified by itself:

integer       n even and ε >= 2: the lower half, by rank, gets t_c - 1 and the upper half t_c + 1. n odd and
              ε >= 2: the same, and the middle gets t_c. ε = 1, and ε = 0: all get t_c
fraction      t_c = ⌊t_c⌋ + ρ/n. ρ <= ε: the first record gets ⌊t_c⌋ + ρ and the others ⌊t_c⌋. ρ > ε, with
              ρ = aε + s: the first aε records get ⌊t_c⌋ + 1, the last one ⌊t_c⌋ + s, the others ⌊t_c⌋
mixed         some issues by the one, some by the other

Both keep an issue's sum. Where we depart from the paper:

* ε = 1 with n even: the paper's t_c - 1 and t_c + 1 are 2 apart; all ratings go to the centroid
* a rating off the scale is shifted onto it, which keeps the group ε-proximate and changes the sum: reported
* ε = 0 with a fraction (the paper divides by ε): all get the whole number nearest to t_c, the lower of two:
  reported as well
* an issue that some rate and others do not, where a null separates them: imputed as the paper does it, unless
  suppressing it costs no more, or nothing may be fabricated

Ratings on a decimal grid are treated as whole numbers of its unit, ε rounded down to it.
"""

from __future__ import annotations

import numpy as np

from ratingpriv.anonymize.modification import _paper_strategy as kernels
from ratingpriv.anonymize.modification.changes import Changes
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.windows import Measure, Windows

_PIECE = 1024  # groups between two looks at Ctrl-C


def modify_as_the_paper(
    table: RatingTable, windows: Windows, by: Measure, changes: Changes, *, fabricate: bool
) -> tuple[str, ...]:
    """Modify every group that is not a clique by the papers' strategies; return where sums could not be kept.

    ``changes`` are made in place; a sentence each is returned. ``windows`` are those of the same groups: a
    group in which nothing has to change is a clique [SWLP10, Case 1]. That it costs nothing does not make it
    one: suppressing a 0 costs 0.

    Raises
    ------
    ParameterError
        The ratings lie on no decimal grid, so that there is nothing to count in whole steps.
    """
    if table.scale is None:
        return ()
    if not by.whole:
        raise ParameterError("strategy", "paper", "ratings of at most 9 decimals", "use `strategy='window'`")
    which = np.flatnonzero(windows.changes)
    sizes, rows = np.diff(windows.bounds), np.diff(windows.starts)
    room = np.concatenate(([0], np.cumsum((sizes * rows)[which])))
    report = np.zeros(4)
    for first in range(0, len(which), _PIECE):
        part = which[first : first + _PIECE]
        cells = int(room[min(first + _PIECE, len(which))] - room[first])
        record, issue, number = np.empty(cells, np.int64), np.empty(cells, np.int64), np.empty(cells)
        imputed = kernels.modify_groups(
            part, windows.members, windows.bounds, table.indptr, table.indices, table.n_issues,
            windows.starts, windows.issue, int(by.width), by.smallest, by.largest, by.separates, fabricate,
            changes.numbers, changes.suppressed, record, issue, number, report,
        )  # fmt: skip
        changes.impute(record[:imputed], issue[:imputed], number[:imputed])
    shifted, shifted_by, rounded, rounded_by = report / (1, by.unit, 1, by.unit)
    notes = []
    if shifted:
        notes.append(
            f"the papers' strategies left the scale in {int(shifted)} cases (an issue of a group); the "
            f"ratings were shifted onto it, which changes sums by {shifted_by:+g} in all"
        )
    if rounded:
        notes.append(
            f"with ε = 0 the papers' strategies cannot keep a sum whose mean is a fraction; "
            f"{int(rounded)} were rounded, which changes sums by {rounded_by:+g} in all"
        )
    return tuple(notes)
