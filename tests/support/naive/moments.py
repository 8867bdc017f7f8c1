"""The SD of sensitive ratings under both null rules, and verdicts on it,
in fractions [SWLZ11, Eq. 3].
"""

import math
from decimal import Decimal
from fractions import Fraction

from ratingpriv.data.table import SensitiveColumn

__all__ = ["at_least", "sd", "values", "variance"]


def values(column: SensitiveColumn, records: list[int]) -> list[Fraction | None]:
    """What the records answered; None is a null."""
    return [
        Fraction(Decimal(repr(float(column.values[record])))) if column.present[record] else None
        for record in records
    ]


def variance(group: list[Fraction | None], rule: str) -> Fraction | None:
    """SD² of a group; None where nothing is known (SD = +inf)."""
    known = [value for value in group if value is not None]
    if not known:
        return None
    mean = sum(known, Fraction(0)) / len(known)
    if rule == "ignore":
        return sum(((value - mean) ** 2 for value in known), Fraction(0)) / len(known)
    # "s_i ± null = s_i": (null - mean)² is mean²
    terms = [mean**2 if value is None else (value - mean) ** 2 for value in group]
    return sum(terms, Fraction(0)) / len(group)


def sd(group: list[Fraction | None], rule: str) -> float:
    """The SD; +inf where nothing is known."""
    square = variance(group, rule)
    return math.inf if square is None else math.sqrt(square)


def at_least(group: list[Fraction | None], l: float, rule: str) -> bool:  # noqa: E741
    """SD ≥ l, with l the decimal it prints as."""
    square = variance(group, rule)
    return square is None or square >= Fraction(Decimal(repr(float(l)))) ** 2
