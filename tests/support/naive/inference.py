"""What an adversary guesses who knows a neighbourhood: counts of sensitive values, loop by loop.

Largest share, distinct values and entropy of the known values; distinct and entropy l-diversity
[Machanavajjhala et al. 2007].
"""

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction

__all__ = ["counts", "distinct", "entropy", "entropy_at_least", "largest_share"]


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
    """Entropy ≥ log l, l the decimal it prints as: Π p^-p ≥ l, to the power of the number of known values."""
    found = counts(group)
    total = sum(found)
    product = Fraction(1)
    for c in found:
        product *= Fraction(total, c) ** c
    return not found or product >= Fraction(Decimal(repr(float(l)))) ** total
