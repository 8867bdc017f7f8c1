"""Slicing, prune-and-adjust and components, loop by loop [SWLZ11, §5.2-5.3; SWLP10, §4.3]."""

from naive import proximity
from ratingpriv import RatingTable

__all__ = ["adjust", "components", "slices"]


class Compared:
    """All pairs of a table, compared once."""

    def __init__(self, table: RatingTable, epsilon: float, nulls: str) -> None:
        rows = proximity.ratings(table)
        n = range(len(rows))

        def near(a: int, b: int) -> bool:
            return a == b or proximity.proximate(table, rows[a], rows[b], epsilon, nulls)

        self.near = [[near(a, b) for b in n] for a in n]
        self.apart = [[proximity.distance(table, rows[a], rows[b], nulls) for b in n] for a in n]


def slices(
    table: RatingTable, epsilon: float, order: str | list[int], start: int | None, nulls: str
) -> list[list[int]]:
    """The sets in the order in which they are cut out, members ascending."""
    pairs = Compared(table, epsilon, nulls)
    listed = order if isinstance(order, list) else list(range(table.n_records))
    seeds = listed if start is None else [start, *(record for record in listed if record != start)]
    left = set(seeds)
    found = []
    for seed in seeds:
        if seed not in left:
            continue
        candidates = [record for record in listed if record in left and pairs.near[seed][record]]
        if order == "nearest":
            candidates.sort(key=lambda record, t0=seed: (pairs.apart[t0][record], record))
        if order == "farthest":
            candidates.sort(key=lambda record, t0=seed: (-pairs.apart[t0][record], record))
        kept = [seed]
        for record in candidates:
            if record != seed and all(pairs.near[record][other] for other in kept):
                kept.append(record)
        left -= set(kept)
        found.append(sorted(kept))
    return found


def adjust(
    table: RatingTable,
    groups: list[list[int]],
    k: int,
    epsilon: float,
    keeps: int,
    who: str,
    nulls: str,
) -> list[list[int]]:
    """Borrowing until nothing changes; ``groups`` by their first record."""
    pairs = Compared(table, epsilon, nulls)
    groups = [list(group) for group in groups]
    first_sizes = [len(group) for group in groups]
    receivers = [
        i for i, size in enumerate(first_sizes) if size < k and (who == "below_k" or size == 1)
    ]
    lenders = [i for i in range(len(groups)) if i not in receivers and first_sizes[i] > keeps]
    waiting = sorted(receivers, key=lambda i: (k - first_sizes[i], i))
    changed = True
    while changed:
        changed = False
        for receiver in list(waiting):
            trial = [list(group) for group in groups]
            while len(trial[receiver]) < k:
                can = [
                    (max(pairs.apart[u][member] for member in trial[receiver]), u, lender)
                    for lender in lenders
                    if len(trial[lender]) > keeps
                    for u in trial[lender]
                    if all(pairs.near[u][member] for member in trial[receiver])
                ]
                if not can:
                    break
                _, u, lender = min(can)
                trial[lender].remove(u)
                trial[receiver].append(u)
            if len(trial[receiver]) >= k:
                groups = trial
                waiting.remove(receiver)
                changed = True
    return [sorted(group) for group in groups]


def components(table: RatingTable, epsilon: float, nulls: str) -> list[int]:
    """The least position of each record's component."""
    pairs = Compared(table, epsilon, nulls)
    labels = list(range(table.n_records))
    changed = True
    while changed:
        changed = False
        for a in range(len(labels)):
            for b in range(len(labels)):
                if pairs.near[a][b] and labels[b] > labels[a]:
                    labels[b] = labels[a]
                    changed = True
    return labels
