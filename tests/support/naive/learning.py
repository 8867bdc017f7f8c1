"""Clusters, naive Bayes and recommender error by their definitions, on rows of ratings (None:
not rated).
"""

import itertools
import math
from fractions import Fraction

__all__ = ["bayes", "bayes_gaussian", "k_means", "moved", "rmse"]

Row = list[float | None]


def k_means(points: list[list[float]], seeds: list[int]) -> list[int]:
    """Lloyd from given records until nothing moves; between two centres to the lower number."""
    centres = [list(points[seed]) for seed in seeds]
    labels: list[int] = []
    while True:
        now = []
        for point in points:
            distances = [sum((x - y) ** 2 for x, y in zip(point, c, strict=True)) for c in centres]
            now.append(distances.index(min(distances)))
        if now == labels:
            return labels
        labels = now
        for c in range(len(centres)):
            mine = [point for point, label in zip(points, labels, strict=True) if label == c]
            assert mine, (
                "a cluster that lost all its points is begun anew, the definition does not say how"
            )
            centres[c] = [sum(column) / len(mine) for column in zip(*mine, strict=True)]


def moved(
    before: list[int], after: list[int], clusters: int
) -> tuple[Fraction, Fraction, Fraction]:
    """Share of other numbers, the same after the best of all relabellings,
    and Rand's index, adjusted.
    """
    n = len(before)
    by_number = Fraction(sum(a != b for a, b in zip(before, after, strict=True)), n)
    best = min(
        Fraction(sum(a != names[b] for a, b in zip(before, after, strict=True)), n)
        for names in itertools.permutations(range(clusters))
    )
    pairs = list(itertools.combinations(range(n), 2))
    together = sum(before[i] == before[j] for i, j in pairs)
    later = sum(after[i] == after[j] for i, j in pairs)
    both = sum(before[i] == before[j] and after[i] == after[j] for i, j in pairs)
    expected = Fraction(together * later, len(pairs))
    most = Fraction(together + later, 2)
    rand = Fraction(1) if most == expected else (both - expected) / (most - expected)
    return by_number, best, rand


def bayes(rows: list[Row], classes: list[int], of: int, levels: int, test: Row) -> list[Fraction]:
    """P(c) Π P(x_j | c) for each class, ratings being 1..levels; a null is no factor."""
    scores = []
    for c in range(of):
        mine = [row for row, one in zip(rows, classes, strict=True) if one == c]
        score = Fraction(len(mine) + 1, len(rows) + of)
        for j, value in enumerate(test):
            if value is not None:
                told = [row[j] for row in mine if row[j] is not None]
                score *= Fraction(told.count(value) + 1, len(told) + levels)
        scores.append(score)
    return scores


def bayes_gaussian(rows: list[Row], classes: list[int], of: int, test: Row) -> list[float]:
    """Log P(c) + Σ log normal density, an observation of the issue's
    mean and variance added per class.
    """
    scores = []
    for c in range(of):
        mine = [row for row, one in zip(rows, classes, strict=True) if one == c]
        score = math.log((len(mine) + 1) / (len(rows) + of))
        for j, value in enumerate(test):
            every = [row[j] for row in rows if row[j] is not None]
            if value is None or len(set(every)) < 2:
                continue
            mean = sum(every) / len(every)
            variance = sum((x - mean) ** 2 for x in every) / len(every)
            told = [row[j] for row in mine if row[j] is not None]
            centre = (sum(told) + mean) / (len(told) + 1)
            spread = sum((x - centre) ** 2 for x in told) + variance + (mean - centre) ** 2
            spread /= len(told) + 1
            score -= (math.log(2 * math.pi * spread) + (value - centre) ** 2 / spread) / 2
        scores.append(score)
    return scores


def rmse(truth: list[float], predicted: list[float], low: float, high: float) -> float:
    """Root of the mean squared error, predictions clipped."""
    clipped = [min(max(p, low), high) for p in predicted]
    return math.sqrt(sum((p - t) ** 2 for p, t in zip(clipped, truth, strict=True)) / len(truth))
