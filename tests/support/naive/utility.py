"""Measures of utility straight from their definitions, loop by loop."""

import itertools
import math
import statistics
from fractions import Fraction
from typing import Any

import numpy as np

from naive import proximity
from ratingpriv import RatingTable

__all__ = [
    "centroid", "columns", "correlation", "counted", "cronbach", "domains", "local_clustering",
    "query_errors", "rows", "standard_deviations",
]  # fmt: skip

Row = dict[str, float]


def rows(table: RatingTable) -> list[Row]:
    """Every record's ratings by issue name; a missing key is "not rated"."""
    return [
        {
            table.issues[int(table.indices[e])]: float(table.levels[table.codes[e]])
            for e in range(int(table.indptr[i]), int(table.indptr[i + 1]))
        }
        for i in range(table.n_records)
    ]


def columns(table: RatingTable) -> dict[str, list[float]]:
    """Every issue's ratings."""
    return {name: [row[name] for row in rows(table) if name in row] for name in table.issues}


def centroid(table: RatingTable) -> dict[str, float]:
    """The mean of each issue that is rated."""
    return {name: statistics.fmean(values) for name, values in columns(table).items() if values}


def standard_deviations(table: RatingTable) -> list[float]:
    """The population SD of each issue that is rated; of one rating, 0."""
    return [statistics.pstdev(values) for values in columns(table).values() if values]


def local_clustering(table: RatingTable, epsilon: float, nulls: str) -> list[float]:
    """2 T / (d (d - 1)) of every record, 0 where d < 2."""
    near = [
        set(found) - {i} for i, found in enumerate(proximity.neighbourhoods(table, epsilon, nulls))
    ]
    found = []
    for mine in near:
        d = len(mine)
        triangles = sum(b in near[a] for a, b in itertools.combinations(sorted(mine), 2))
        found.append(2 * triangles / (d * (d - 1)) if d > 1 else 0.0)
    return found


def level(levels: list[float], value: float) -> float:
    """The level nearest to ``value``, halves upwards; decimals as they are written."""
    exact = Fraction(str(value))
    return min(levels, key=lambda one: (abs(Fraction(str(one)) - exact), -one))


def domains(table: RatingTable) -> tuple[list[float], dict[str, list[float]]]:
    """The levels of the ratings, and the domain of each sensitive issue that has one."""
    ratings = [value for row in rows(table) for value in row.values()]
    levels = sorted(set(ratings))
    scale = table.scale
    if (
        scale
        and scale.declared
        and all(x == int(x) for x in [*ratings, scale.minimum, scale.maximum])
    ):
        levels = [float(x) for x in range(int(scale.minimum), int(scale.maximum) + 1)]
    of = {}
    for column in table.sensitive:
        values = sorted({float(v) for v, p in zip(column.values, column.present, strict=True) if p})
        if values:
            of[column.name] = levels if set(values) <= set(levels) else values
    return levels, of


def attributes(table: RatingTable) -> dict[str, list[Any]]:
    """Every record's value of each quasi-identifier; None is null."""
    return {
        column.name: [None if code < 0 else column.values[int(code)] for code in column.codes]
        for column in table.quasi
    }


def counted(
    table: RatingTable,
    original: RatingTable,
    wanted: dict[str, set[Any]],
    hidden: dict[str, set[float]],
) -> int:
    """SELECT COUNT(*): records that rate every issue with one of the wanted levels;
    null never matches.
    """
    levels, of = domains(original)
    known, before = attributes(table), attributes(original)
    own = {column.name: column for column in table.sensitive}
    count = 0
    for position, row in enumerate(rows(table)):
        fits = True
        for name, values in wanted.items():
            if name in before:
                value = known[name][position] if name in known else None
                if isinstance(value, float):
                    value = level(sorted(x for x in before[name] if x is not None), value)
                fits = fits and value in values
            else:
                fits = fits and name in row and level(levels, row[name]) in values
        for name, values in hidden.items():
            column = own.get(name)
            fits = fits and column is not None and bool(column.present[position])
            fits = (
                fits
                and column is not None
                and level(of[name], float(column.values[position])) in values
            )
        count += fits
    return count


def query_errors(
    original: RatingTable,
    release: RatingTable,
    seed: int,
    queries: int,
    width: int,
    selectivity: float,
    most: int,
) -> tuple[list[float], list[float], int]:  # fmt: skip
    """The errors of the queries, those with a floor, and how many were drawn again.

    In the order of draws.
    """
    rng, (levels, of) = np.random.default_rng(seed), domains(original)
    asked: dict[str, list[Any]] = dict.fromkeys(original.issues, levels)
    asked |= {
        name: sorted({x for x in own if x is not None})
        for name, own in attributes(original).items()
    }
    names, hidden_names = (
        sorted(name for name in asked if name in original.issues or asked[name]),
        sorted(of),
    )
    width = min(width, len(names))
    errors: list[float] = []
    floored: list[float] = []
    draws = 0

    def some(domain: list[Any]) -> set[Any]:
        b = math.ceil(len(domain) * selectivity ** (1 / (width + bool(hidden_names))) - 1e-12)
        return {domain[i] for i in rng.choice(len(domain), b, replace=False)}

    while len(errors) < queries and draws < most * queries:
        draws += 1
        chosen = rng.choice(len(names), width, replace=False) if width else []
        wanted = {names[i]: some(asked[names[i]]) for i in chosen}
        hidden = {}
        if hidden_names:
            name = hidden_names[int(rng.integers(len(hidden_names)))]
            hidden[name] = some(of[name])
        actual = counted(original, original, wanted, hidden)
        off = abs(actual - counted(release, original, wanted, hidden))
        if draws <= queries:
            floored.append(off / max(actual, 0.001 * original.n_records))
        if actual:
            errors.append(off / actual)
    return errors, floored, draws - len(errors)


def correlation(pairs: list[tuple[float, float]], least: int) -> float | None:
    """Pearson's r of at least ``least`` pairs; None where one side does not vary."""
    if len(pairs) < max(least, 2) or any(len(set(side)) < 2 for side in zip(*pairs, strict=True)):
        return None
    return statistics.correlation(*map(list, zip(*pairs, strict=True)))


def cronbach(table: RatingTable) -> float | None:
    """α over the records that rate everything [Cronbach 1951, (2)]."""
    names, complete = table.issues, [row for row in rows(table) if len(row) == table.n_issues]
    if len(names) < 2 or len(complete) < 2:
        return None
    total = statistics.variance(sum(row.values()) for row in complete)
    if total == 0:
        return None
    each = sum(statistics.variance(row[name] for row in complete) for name in names)
    return len(names) / (len(names) - 1) * (1 - each / total)
