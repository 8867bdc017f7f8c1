"""(k,ε)-anonymity [SWLZ11, Def. 4.2]: sizes of neighbourhoods, and the risk in the field's words.

The largest k that holds is the smallest |N(t)|. [SWLZ11, Lemma 4.1] is **false**: joining parts may
raise maxsize(G)/|G| above every part's. [SWLZ11, Thm 4.1] is **not a bound**:
:func:`theorem_4_1_estimate`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.tally import Histogram
from ratingpriv.documents.audit import PickRisk
from ratingpriv.documents.verdicts import KEpsilonVerdict


def judge_sizes(sizes: Histogram, k: int) -> tuple[KEpsilonVerdict, PickRisk]:
    """Return the verdict on neighbourhoods, at least one, and the risk of their records.

    The risk that a pick at random is right: of one record among those within ε of the target's
    exact ratings. Of no other adversary: |N(t)| is centred on t itself. Knowledge that is off by up
    to ε can fit fewer records, down to one, and whoever reasons more sharply than by chance does
    better.
    """
    small, least = sizes.below(k), int(sizes.sizes[0])
    risk = PickRisk(1.0 / least, sizes.mean_inverse, small / sizes.total)
    return KEpsilonVerdict(not small, least, small), risk


@dataclass(frozen=True, slots=True)
class SizeEstimate:
    """A diagnostic of the papers, never to be shown without its ``warning``."""

    value: int
    warning: str


def theorem_4_1_estimate(maxsize: int, group: int, records: int) -> SizeEstimate:
    """Return [SWLZ11, Thm 4.1]'s ⌈maxsize(T)·|G_j|/|T|⌉, with the warning that it bounds nothing.

    The paper has k <= this number. It is not so: four identical records split into four groups of
    one give ⌈4·1/4⌉ = 1, yet the table is (4,ε)-anonymous. The true bound is the smallest
    neighbourhood, and it is reached. ``maxsize`` is the size of the largest neighbourhood in T,
    ``group`` the records of G_j.
    """
    maxsize = checks.whole_number("maxsize", maxsize, 1)
    group = checks.whole_number("group", group, 1)
    records = checks.whole_number("records", records, 1)
    if max(maxsize, group) > records:
        raise ParameterError(
            "records", records, f"at least the larger of maxsize {maxsize} and group {group}"
        )
    return SizeEstimate(
        value=-(-maxsize * group // records),
        warning=(
            "Theorem 4.1's number is not a bound on k: the table can be (k,ε)-anonymous for a "
            "larger k, and "
            "need not be for this one. The true bound is the smallest neighbourhood"
        ),
    )
