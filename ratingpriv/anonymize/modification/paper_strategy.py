"""The papers' strategies of data modification [SWLP10, §4.5], with their errata handled.

In a group that is not a clique yet, each issue with the centroid t_c (a null counts 0) is modified
by itself:

integer       n even and ε >= 2: the lower half, by rank, gets t_c - 1 and the upper half t_c + 1. n
              odd and ε >= 2: the same, and the middle gets t_c. ε = 1, and ε = 0: all get t_c
fraction      t_c = ⌊t_c⌋ + ρ/n. ρ <= ε: the first record gets ⌊t_c⌋ + ρ and the others ⌊t_c⌋. ρ >
              ε, with ρ = aε + s: the first aε records get ⌊t_c⌋ + 1, the last one ⌊t_c⌋ + s, the
              others ⌊t_c⌋
mixed         some issues by the one, some by the other

Both keep an issue's sum. Where we depart from the paper:

* ε = 1 with n even: the paper's t_c - 1 and t_c + 1 are 2 apart; all ratings go to the centroid
* a rating off the scale is shifted onto it, which keeps the group ε-proximate and changes the sum:
  reported
* ε = 0 with a fraction (the paper divides by ε): all get the whole number nearest to t_c, the lower
  of two: reported as well
* an issue that some rate and others do not, where a null separates them: imputed as the paper does
  it, unless suppressing it costs no more, or nothing may be fabricated

Ratings on a decimal grid are treated as whole numbers of its unit, ε rounded down to it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification.changes import Changes
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.windows import Measure, Windows


def modify_as_the_paper(
    table: RatingTable, windows: Windows, by: Measure, changes: Changes, *, fabricate: bool
) -> tuple[str, ...]:
    """Modify every group that is not a clique by the papers' strategies.

    Return where sums could not be kept.

    ``changes`` are made in place; a sentence each is returned. ``windows`` are those of the same
    groups: a group in which nothing has to change is a clique [SWLP10, Case 1]. That it costs
    nothing does not make it one: suppressing a 0 costs 0.

    Raises
    ------
    ParameterError
        The ratings lie on no decimal grid, so that there is nothing to count in whole steps.
    """
    if table.scale is None:
        return ()
    if not by.whole:
        raise ParameterError(
            "strategy", "paper", "ratings of at most 9 decimals", "use `strategy='window'`"
        )
    # issues whose sum the scale changed, by how much in all; the same of ε = 0
    report = np.zeros(4)
    for group in np.flatnonzero(windows.changes).tolist():
        members = windows.members[windows.bounds[group] : windows.bounds[group + 1]]
        issues = windows.issue[windows.starts[group] : windows.starts[group + 1]]
        # the entry of each member's rating by issue, -1 where null
        entries = np.full((len(issues), len(members)), -1, dtype=np.int64)
        for column, record in enumerate(members.tolist()):
            own = np.arange(table.indptr[record], table.indptr[record + 1])
            entries[np.searchsorted(issues, table.indices[own]), column] = own
        for issue, cells in zip(issues.tolist(), entries, strict=True):
            rated = cells[cells >= 0]
            mixed = by.separates and len(rated) < len(cells)
            before = (
                np.where(cells >= 0, changes.numbers[cells], 0.0)
                if mixed
                else changes.numbers[rated]
            )
            after, wanted = modified(before, int(by.width))
            on_scale = np.clip(after, by.smallest, by.largest)
            if mixed and (not fabricate or np.abs(on_scale - before).sum() >= np.abs(before).sum()):
                changes.numbers[rated] = np.nan
                continue
            shift = float((on_scale - after).sum())
            report += (shift != 0.0, shift, wanted != 0.0, wanted)
            if mixed:
                filled = members[cells < 0]
                changes.impute(filled, np.full(len(filled), issue), on_scale[cells < 0])
                on_scale = on_scale[cells >= 0]
            changes.numbers[rated] = on_scale
    shifted, shifted_by, rounded, rounded_by = report / (1, by.unit, 1, by.unit)
    notes = []
    if shifted:
        notes.append(
            f"the papers' strategies left the scale in {int(shifted)} cases (an item of a group); "
            f"the ratings were shifted onto it, which changes sums by {shifted_by:+g} in all"
        )
    if rounded:
        notes.append(
            f"with ε = 0 the papers' strategies cannot keep a sum whose mean is a fraction; "
            f"{int(rounded)} were rounded, which changes sums by {rounded_by:+g} in all"
        )
    return tuple(notes)


def modified(x: NDArray[np.float64], reach: int) -> tuple[NDArray[np.float64], float]:
    """Return (what becomes of the ratings ``x`` of an issue,
    the change of their sum) [SWLP10, §4.5].

    ``x`` float64 (n,) are whole numbers, 0 where null, ``reach`` is ε in the same unit. Only at ε =
    0 may the sum change. The scale is not looked at.
    """
    n, total = len(x), int(x.sum())
    floor, rho = divmod(total, n)  # the centroid is floor + rho / n
    after = np.full(n, float(floor))
    if rho == 0:
        if reach >= 2:  # not at 1, where the paper's t_c - 1 and t_c + 1 are 2 apart
            order = np.argsort(x, kind="stable")
            after[order[: n // 2]] -= 1.0
            after[order[n - n // 2 :]] += 1.0
    elif rho <= reach:
        after[0] += rho
    elif reach > 0:
        steps = rho // reach * reach
        after[:steps] += 1.0
        after[n - 1] += rho - steps
    elif 2 * rho > n:  # all must be equal, so that no choice keeps the sum: the nearest to it
        after += 1.0
    return after, float(after.sum()) - total
