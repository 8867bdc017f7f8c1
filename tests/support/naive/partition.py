"""GREEDY and the test of a partition, loop by loop from their definitions [SWLP10, §4.3]."""

from fractions import Fraction

from naive import moments, proximity
from naive.exact import is_clique
from ratingpriv import RatingTable

__all__ = ["greedy", "is_clique", "sd"]


def greedy(
    table: RatingTable, k: int, epsilon: float, *, order: str = "position", nulls: str = "strict",
    join: bool = True,
) -> list[int]:  # fmt: skip
    """The group of every record, in order of making; -1 where it is in none."""
    rows = proximity.ratings(table)
    n = len(rows)
    near = [
        [i == j or proximity.proximate(table, rows[i], rows[j], epsilon, nulls) for j in range(n)]
        for i in range(n)
    ]

    def far(i: int, j: int) -> float:
        distance = proximity.distance(table, rows[i], rows[j], nulls)
        assert distance is not None
        return distance

    seeds = list(range(n))
    if order == "fewest":
        seeds.sort(key=lambda t: (sum(near[t]), t))
    label = [-1] * n
    groups: list[list[int]] = []
    for seed in seeds:
        if label[seed] != -1:
            continue
        candidates = [j for j in range(n) if j != seed and label[j] == -1 and near[seed][j]]
        candidates.sort(key=lambda j: (far(seed, j), j))
        clique = [seed]
        for j in candidates:
            if len(clique) < k and all(near[j][member] for member in clique):
                clique.append(j)
        if len(clique) == k:
            for j in clique:
                label[j] = len(groups)
            groups.append(clique)
    if join:
        for u in [t for t in seeds if label[t] == -1]:
            open_to = [
                (max(far(u, member) for member in group), number)
                for number, group in enumerate(groups)
                if all(near[u][member] for member in group)
            ]
            if open_to:
                _, number = min(open_to)
                label[u] = number
                groups[number].append(u)
    return label


def sd(values: list[float | None], rule: str) -> float:
    """The SD of sensitive ratings [SWLZ11, Eq. 3].

    None is a null, which counts mean² under "paper".
    """
    return moments.sd([None if value is None else Fraction(value) for value in values], rule)
