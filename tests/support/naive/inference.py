"""What an adversary guesses who knows a neighbourhood: counts of sensitive values, loop by loop.

Largest share, distinct values and entropy of the known values; distinct and entropy l-diversity
[Machanavajjhala et al. 2007]; distance from the distribution in all records [Li et al. 2007].
"""

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction

__all__ = ["counts", "distance", "distinct", "entropy", "entropy_at_least", "largest_share"]


def counts(group: list[Fraction | None]) -> list[int]:
    """How often each known value occurs; a null is no value."""
    return sorted(Counter(value for value in group if value is not None).values())


def largest_share(group: list[Fraction | None]) -> Fraction | None:
    """How often the best guess is right; None where nothing is known."""
    found = counts(group)
    return Fraction(max(found), sum(found)) if found else None


def distinct(group: list[Fraction | None]) -> int:
    """How many values are known."""
    return len(counts(group))


def entropy(group: list[Fraction | None]) -> float | None:
    """-Σ p log2 p, in bits; None where nothing is known."""
    found = counts(group)
    total = sum(found)
    return -sum(c / total * math.log2(c / total) for c in found) if found else None


def entropy_at_least(group: list[Fraction | None], l: float) -> bool:  # noqa: E741
    """Entropy ≥ log l, l the decimal it prints as: Π p^-p ≥ l,
    to the power of the number of known values.
    """
    found = counts(group)
    total = sum(found)
    product = Fraction(1)
    for c in found:
        product *= Fraction(total, c) ** c
    return not found or product >= Fraction(Decimal(repr(float(l)))) ** total


def distance(
    group: list[Fraction | None], everybody: list[Fraction | None], *, ordered: bool
) -> Fraction | None:
    """The least work that turns one distribution into the other.

    None where nothing is known of the group.

    What has to be moved costs 1 from a word to any other; between numbers the places that lie
    between them, as a share of all places. Moving from the least on: each place hands on what it
    has too much.
    """
    known, whole = (
        Counter(one for one in values if one is not None) for values in (group, everybody)
    )
    if not known:
        return None
    apart = [
        Fraction(known[value], known.total()) - Fraction(whole[value], whole.total())
        for value in sorted(whole)
    ]
    if not ordered:
        return sum((share for share in apart if share > 0), Fraction(0))
    handed, work = Fraction(0), Fraction(0)
    for share in apart[:-1]:
        handed += share
        work += abs(handed)
    return work / max(len(apart) - 1, 1)
