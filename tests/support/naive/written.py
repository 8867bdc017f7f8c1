"""What a CSV file says, by the csv module and fractions of its decimals as written.

Nothing else is used.

Wide layout: ``id``, the issues, and the sensitive issues, whose names begin with ``s``. Empty is
not rated.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Self

Rating = Fraction | None


def digits_of(numeral: str) -> int:
    """Count significant digits: leading and trailing zeros are none."""
    return len("".join(map(str, Decimal(numeral).as_tuple().digits)).strip("0"))


def kept(numeral: str) -> bool:
    """Whether a number is one that may be in the data."""
    return digits_of(numeral) <= 15 and abs(Fraction(Decimal(numeral))) <= 2**53


@dataclass(frozen=True)
class Written:
    """Rows of a file: ratings by issue, sensitive ratings by sensitive issue."""

    ids: list[str]
    names: list[str]
    rows: list[list[Rating]]
    sensitive: list[list[Rating]]
    exact: bool

    @classmethod
    def of(cls, text: str) -> Self:
        header, *lines = csv.reader(io.StringIO(text))
        secret = [place for place, name in enumerate(header) if name.startswith("s")]
        open_ = [place for place in range(1, len(header)) if place not in secret]
        cells = [cell.strip() for line in lines for cell in line[1:] if cell.strip()]

        def ratings(line: Sequence[str], places: list[int]) -> list[Rating]:
            return [Fraction(Decimal(line[p].strip())) if line[p].strip() else None for p in places]

        return cls(
            [line[0] for line in lines],
            [header[p] for p in open_],
            [ratings(line, open_) for line in lines],
            [ratings(line, secret) for line in lines],
            all(map(kept, cells)),
        )

    def largest(self) -> Rating:
        """Return r where no scale was declared: the largest rating."""
        return max(
            (rating for row in self.rows for rating in row if rating is not None), default=None
        )


def near(one: Rating, other: Rating, epsilon: Fraction, nulls: str, r: Rating) -> bool:
    """Whether two ratings are within ε; r is what a null is away from a rating."""
    if one is None and other is None:
        return True
    if one is None or other is None:
        return nulls == "wildcard" or (r is not None and 0 < r <= epsilon)
    return abs(one - other) <= epsilon


def neighbourhood(data: Written, t: int, epsilon: Fraction, nulls: str, r: Rating) -> list[int]:
    """Return who is in N(t)."""
    own = data.rows[t]
    if nulls == "known":
        return [
            u
            for u, row in enumerate(data.rows)
            if all(
                a is None or (b is not None and abs(a - b) <= epsilon)
                for a, b in zip(own, row, strict=True)
            )
        ]
    return [
        u
        for u, row in enumerate(data.rows)
        if all(near(a, b, epsilon, nulls, r) for a, b in zip(own, row, strict=True))
    ]


def various(data: Written, members: Sequence[int], l: Fraction, rule: str) -> bool:  # noqa: E741
    """Whether every sensitive issue has an SD of at least l among the members [SWLZ11, Eq. 3]."""
    for column in zip(*(data.sensitive[t] for t in members), strict=True):
        known = [value for value in column if value is not None]
        if not known:
            continue
        mean = sum(known) / len(known)
        spread = sum((value - mean) ** 2 for value in known)
        if rule == "ignore":
            variance = spread / len(known)
        else:
            variance = (spread + (len(column) - len(known)) * mean**2) / len(column)
        if variance < l**2:
            return False
    return True


def satisfied(
    data: Written,
    k: int,
    epsilon: Fraction,
    l: Rating,  # noqa: E741
    nulls: str,
    rule: str,
    r: Rating,
) -> bool:
    """Whether the data are (k,ε)- or (k,ε,l)-anonymous."""
    for t in range(len(data.rows)):
        members = neighbourhood(data, t, epsilon, nulls, r)
        if len(members) < k or (l is not None and not various(data, members, l, rule)):
            return False
    return True


def grouped(
    data: Written,
    groups: Sequence[Sequence[int]],
    k: int,
    epsilon: Fraction,
    l: Rating,  # noqa: E741
    nulls: str,
    rule: str,
    r: Rating,
) -> bool:
    """Whether groups of positions are cliques of at least k records, each with an SD of l.

    None is in two.
    """
    placed = [t for group in groups for t in group]
    if len(set(placed)) < len(placed):
        return False
    return all(
        len(group) >= k
        and all(
            near(a, b, epsilon, nulls, r)
            for t in group
            for u in group
            for a, b in zip(data.rows[t], data.rows[u], strict=True)
        )
        and (l is None or various(data, group, l, rule))
        for group in groups
    )
