"""Records that meet all rules at once, ratings within ε and quasi-identifiers by their own, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl

from naive import proximity
from ratingpriv import RatingTable
from ratingpriv.data.table import QuasiColumn

__all__ = ["is_clique", "meets", "near", "partitions", "quasi_column", "random_table", "values"]


def values(table: RatingTable) -> list[list[str | Fraction | None]]:
    """What each record has on each quasi-identifier; None where null."""
    rows: list[list[str | Fraction | None]] = [[] for _ in range(table.n_records)]
    for column in table.quasi:
        known = column.values.to_list()
        for record, code in enumerate(column.codes.tolist()):
            value = None if code < 0 else known[code]
            rows[record].append(Fraction(Decimal(repr(value))) if isinstance(value, float) else value)
    return rows


def near(table: RatingTable, epsilon: float, nulls: str) -> list[list[bool]]:
    """Whether two records cannot be told apart: t ~ u iff every column's rule is met."""
    rows, known = proximity.ratings(table), values(table)

    def meet(i: int, j: int) -> bool:
        for column, a, b in zip(table.quasi, known[i], known[j], strict=True):
            if not meets(column, a, b, nulls):
                return False
        return i == j or proximity.proximate(table, rows[i], rows[j], epsilon, nulls)

    n = table.n_records
    return [[meet(i, j) for j in range(n)] for i in range(n)]


def meets(column: QuasiColumn, a: str | Fraction | None, b: str | Fraction | None, nulls: str) -> bool:
    """Whether two values of a column meet its rule."""
    if a is None or b is None:
        return nulls != "strict" or (a is None) == (b is None)
    if column.within is None or isinstance(a, str) or isinstance(b, str):
        return a == b
    return abs(a - b) <= Fraction(Decimal(repr(float(column.within))))


def is_clique(table: RatingTable, members: list[int], epsilon: float, nulls: str) -> bool:
    """Whether no two of the members can be told apart."""
    alike = near(table, epsilon, nulls)
    return all(alike[a][b] for a in members for b in members)


def partitions(records: list[int]) -> Iterator[list[list[int]]]:
    """Every way to put the records into groups."""
    if not records:
        yield []
        return
    first, rest = records[0], records[1:]
    for others in partitions(rest):
        yield [[first], *others]
        for at in range(len(others)):
            yield [*others[:at], [first, *others[at]], *others[at + 1 :]]


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
    rng: np.random.Generator,
    n: int,
    *,
    issues: int = 2,
    nulls: float = 0.15,
    levels: int = 3,
    within: bool = True,
    sensitive: bool = False,
) -> RatingTable:
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
        if kind == "age" and within:
            cells = [None if rng.random() < nulls / 2 else float(x) for x in rng.integers(20, 29, n)]
            width = float(rng.choice([0.0, 2.0, 5.0, 2.5]))
        elif kind == "age":
            cells, width = (
                [None if rng.random() < nulls / 2 else float(x) for x in rng.integers(20, 23, n)],
                None,
            )
        else:
            cells = [None if rng.random() < nulls / 2 else str(x) for x in rng.choice(["a", "b"], n)]
            width = None
        columns.append(quasi_column(kind, cells, width))
    return table.replace(quasi=tuple(columns))
