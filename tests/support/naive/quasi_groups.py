"""Records that no rule tells apart: ratings within ε,
quasi-identifiers by rules of their own; plain loops.

t ~ u iff every rating column is within ε (Eq. 1 with its null rule), every quasi column with
``within = w`` differs by at most w whatever ε is, and every other quasi column is equal. Null
equals null only, under strict whatever ε is; under wildcard it matches anything; under known, what
t does not have matches anything.
"""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl

from naive import proximity
from naive.exact import set_partitions as partitions
from ratingpriv import RatingTable
from ratingpriv.data.table import QuasiColumn

__all__ = [
    "hamming_groups", "is_clique", "meets", "near", "neighbourhoods", "pairs", "partitions",
    "quasi_column",
    "random_table", "values",
]  # fmt: skip

Value = str | Fraction | float | None


def _exact(column: QuasiColumn) -> bool:
    """Whether every number is a decimal of at most 15 digits, and so compared as one."""
    known = [one for one in column.values.to_list() if isinstance(one, float)]
    return all(len(Decimal(repr(one)).normalize().as_tuple().digits) <= 15 for one in known)


def values(table: RatingTable) -> list[list[Value]]:
    """What each record has on each quasi-identifier; None where null."""
    rows: list[list[Value]] = [[] for _ in range(table.n_records)]
    for column in table.quasi:
        known, exact = column.values.to_list(), _exact(column)
        for record, code in enumerate(column.codes.tolist()):
            value = None if code < 0 else known[code]
            rows[record].append(
                Fraction(Decimal(repr(value))) if exact and isinstance(value, float) else value
            )
    return rows


def meets(column: QuasiColumn, mine: Value, other: Value, nulls: str) -> bool:
    """Whether another value of a column meets its rule."""
    if mine is None or other is None:
        return {"strict": mine is None and other is None, "wildcard": True, "known": mine is None}[
            nulls
        ]
    if column.within is None or isinstance(mine, str) or isinstance(other, str):
        return mine == other
    width = float(column.within)
    return abs(mine - other) <= (Fraction(Decimal(repr(width))) if _exact(column) else width)


def neighbourhoods(table: RatingTable, epsilon: float, nulls: str = "strict") -> list[list[int]]:
    """N(t) of every record, t included."""
    known = values(table)

    def alike(t: int, u: int) -> bool:
        rules = zip(table.quasi, known[t], known[u], strict=True)
        return t == u or all(meets(column, mine, other, nulls) for column, mine, other in rules)

    by_ratings = proximity.neighbourhoods(table, epsilon, nulls)
    return [[u for u in close if alike(t, u)] for t, close in enumerate(by_ratings)]


def near(table: RatingTable, epsilon: float, nulls: str) -> list[list[bool]]:
    """Whether two records cannot be told apart: t ~ u iff every column's rule is met."""
    return [
        [u in close for u in range(table.n_records)]
        for close in neighbourhoods(table, epsilon, nulls)
    ]


def pairs(
    table: RatingTable, epsilon: float, nulls: str = "strict"
) -> list[tuple[int, int, float]]:
    """(left, right, distance) of every pair; the distance is that of ratings."""
    close = neighbourhoods(table, epsilon, nulls)
    return [(t, u, far) for t, u, far in proximity.pairs(table, epsilon, nulls) if u in close[t]]


def hamming_groups(table: RatingTable) -> list[list[int]]:
    """Records with equal support and equal values of what has to be equal,
    null being one of them.
    """
    known = values(table)
    equal = [place for place, column in enumerate(table.quasi) if column.within is None]
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, members in enumerate(proximity.hamming_groups(table)):
        for t in members:
            groups.setdefault((number, *(known[t][place] for place in equal)), []).append(t)
    return sorted(groups.values())


def is_clique(table: RatingTable, members: list[int], epsilon: float, nulls: str) -> bool:
    """Whether no two of the members can be told apart."""
    alike = near(table, epsilon, nulls)
    return all(alike[a][b] for a in members for b in members)


def quasi_column(name: str, cells: list[object], within: float | None = None) -> QuasiColumn:
    """A quasi-identifier of these cells, texts or numbers; None is null."""
    known = list(dict.fromkeys(cell for cell in cells if cell is not None))
    if all(isinstance(value, int | float) for value in known):
        series = pl.Series(sorted(float(value) for value in known), dtype=pl.Float64)  # type: ignore[arg-type]
    else:
        series = pl.Series(known, dtype=pl.String)
    place = {value: code for code, value in enumerate(series.to_list())}
    codes = [-1 if cell is None else place[cell] for cell in cells]
    return QuasiColumn(name, np.array(codes, dtype=np.int32), series, within)


def random_table(
    rng: np.random.Generator, n: int, *, issues: int = 2, nulls: float = 0.15, levels: int = 3,
    within: bool = True, sensitive: bool = False,
) -> RatingTable:  # fmt: skip
    """A table of n records with one to three quasi-identifiers; nulls everywhere."""
    ratings = {}
    for issue in range(issues):
        drawn = rng.integers(1, levels + 1, n)
        ratings[f"q{issue}"] = [None if rng.random() < nulls else float(value) for value in drawn]
    frame = {"record": list(range(n)), **ratings}
    if sensitive:
        frame["salary"] = [float(value) for value in rng.integers(1, levels + 1, n)]
    table = RatingTable.from_wide(
        pl.DataFrame(frame, schema_overrides=dict.fromkeys(ratings, pl.Float64)), id="record",
        sensitive=["salary"] if sensitive else [], scale=(1, max(levels, 2)),
    )  # fmt: skip
    columns = []
    kinds = rng.permutation(["region", "age", "class"])[: int(rng.integers(1, 4))]
    for kind in kinds.tolist():
        if kind == "age":
            drawn = [float(x) for x in rng.integers(20, 29 if within else 23, n)]
        else:
            drawn = [str(x) for x in rng.choice(["a", "b"], n)]
        cells = [None if rng.random() < nulls / 2 else x for x in drawn]
        width = float(rng.choice([0.0, 2.0, 5.0, 2.5])) if kind == "age" and within else None
        columns.append(quasi_column(kind, cells, width))
    return table.replace(quasi=tuple(columns))
