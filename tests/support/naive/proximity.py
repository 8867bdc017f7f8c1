"""Distance, ε-proximity, Hamming groups, neighbourhoods and pairs,
loop by loop [SWLZ11, Def. 4.1-5.3].
"""

from decimal import Decimal
from fractions import Fraction

from ratingpriv import RatingTable

__all__ = [
    "decimal_levels", "distance", "flag_rows", "hamming_distance", "hamming_groups",
    "neighbourhoods",
    "pairs", "proximate", "ratings",
]  # fmt: skip

Number = Fraction | float


def decimal_levels(table: RatingTable) -> bool:
    """Whether every rating is a decimal of at most 9 places and 15 digits,
    and so compared exactly.
    """
    decimals = [Decimal(repr(level)).normalize() for level in table.levels.tolist()]
    places = max([0, *(-int(number.as_tuple().exponent) for number in decimals)])
    return places <= 9 and all(abs(number) * 10**places <= 10**15 for number in decimals)


def as_number(table: RatingTable, value: float) -> Number:
    """A rating (or ε, or r) as what it is compared as."""
    return Fraction(Decimal(repr(value))) if decimal_levels(table) else value


def ratings(table: RatingTable) -> list[dict[int, Number]]:
    """The ratings of every record by issue; a missing key is "not rated"."""
    exact = decimal_levels(table)
    rows: list[dict[int, Number]] = []
    for record in range(table.n_records):
        row: dict[int, Number] = {}
        for entry in range(int(table.indptr[record]), int(table.indptr[record + 1])):
            value = float(table.levels[table.codes[entry]])
            row[int(table.indices[entry])] = Fraction(Decimal(repr(value))) if exact else value
        rows.append(row)
    return rows


def distance(
    table: RatingTable, a: dict[int, Number], b: dict[int, Number], nulls: str
) -> float | None:
    """The largest Dis over all issues [SWLZ11, Eq. 1].

    None where a null has no distance (no r > 0).
    """
    most: Number = Fraction(0) if decimal_levels(table) else 0.0
    for issue in range(table.n_issues):
        if issue in a and issue in b:
            most = max(most, abs(a[issue] - b[issue]))
        elif (issue in a) != (issue in b) and nulls == "strict":
            if table.scale is None or table.scale.maximum <= 0:
                return None
            most = max(most, as_number(table, float(table.scale.maximum)))
    return float(most)


def proximate(
    table: RatingTable, a: dict[int, Number], b: dict[int, Number], epsilon: float, nulls: str
) -> bool:
    """Dis ≤ ε on every issue [SWLZ11, Def. 4.1].

    Under "known", on every issue that a rates, b rating it.
    """
    limit = as_number(table, float(epsilon))
    for issue in range(table.n_issues):
        if issue in a and issue in b:
            if abs(a[issue] - b[issue]) > limit:
                return False
        elif (issue in a) != (issue in b) and nulls == "strict":
            r = None if table.scale is None else float(table.scale.maximum)
            if r is None or r <= 0 or r > float(epsilon):
                return False
        elif issue in a and issue not in b and nulls == "known":
            return False
    return True


def neighbourhoods(table: RatingTable, epsilon: float, nulls: str = "strict") -> list[list[int]]:
    """N(t) of every record, t included [SWLZ11, Def. 4.2]."""
    rows = ratings(table)
    return [
        [
            j
            for j, other in enumerate(rows)
            if i == j or proximate(table, row, other, epsilon, nulls)
        ]
        for i, row in enumerate(rows)
    ]


def pairs(
    table: RatingTable, epsilon: float, nulls: str = "strict"
) -> list[tuple[int, int, float]]:
    """(left, right, distance) of every ε-proximate pair, left < right, sorted."""
    rows = ratings(table)
    found = []
    for i in range(len(rows)):
        for j in range(i + 1, len(rows)):
            if proximate(table, rows[i], rows[j], epsilon, nulls):
                far = distance(table, rows[i], rows[j], nulls)
                assert far is not None
                found.append((i, j, far))
    return found


def hamming_groups(table: RatingTable) -> list[list[int]]:
    """Records with equal support, numbered by their first record [SWLZ11, Def. 5.2-5.3]."""
    groups: dict[frozenset[int], list[int]] = {}
    for record, row in enumerate(ratings(table)):
        groups.setdefault(frozenset(row), []).append(record)
    return list(groups.values())


def flag_rows(table: RatingTable) -> list[list[int]]:
    """The flag matrix F: 1 where a record rates an issue."""
    return [[int(issue in row) for issue in range(table.n_issues)] for row in ratings(table)]


def hamming_distance(a: list[int], b: list[int]) -> int:
    """In how many places two rows of F differ [SWLZ11, Def. 5.2]."""
    return sum(x != y for x, y in zip(a, b, strict=True))
