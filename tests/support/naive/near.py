"""Groups with least scatter, loop by loop from their definition."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from naive import proximity, quasi_groups
from ratingpriv import RatingTable
from ratingpriv.partition.near.arrays import Answers

__all__ = ["cost", "faults", "grow", "near", "scatter"]


def faults(
    table: RatingTable, labels: Sequence[int], k: int, epsilon: float, nulls: str
) -> list[str]:
    """What is wrong with the groups: too few, two who are not near, too few left out."""
    rows, known = proximity.ratings(table), quasi_groups.values(table)
    rule = "strict" if nulls == "strict" else "wildcard"
    said = []
    for group in sorted({*labels} - {-1}):
        members = [t for t, label in enumerate(labels) if label == group]
        if len(members) < k:
            said.append(f"{members}: {len(members)} records")
        for i in members:
            for j in members:
                if i < j and not proximity.proximate(table, rows[i], rows[j], epsilon, rule):
                    said.append(f"{i} and {j} are not near")
                if nulls == "strict" and {*rows[i]} != {*rows[j]}:
                    said.append(f"{i} and {j} rate other items")
                for column, mine, other in zip(table.quasi, known[i], known[j], strict=True):
                    if not quasi_groups.meets(column, mine, other, rule):
                        said.append(f"{i} and {j} differ on {column.name}")
    out = sum(label == -1 for label in labels)
    if 0 < out < k:
        said.append(f"{out} left out")
    return said


def scatter(table: RatingTable, labels: Sequence[int]) -> float:
    """Squares within groups as a share of all, of columns of SD 1 over all records."""
    rows = proximity.ratings(table)
    within = total = 0.0
    for issue in range(table.n_issues):
        known = [
            (Fraction(row[issue]), label)
            for row, label in zip(rows, labels, strict=True)
            if issue in row
        ]
        squares = _squares([value for value, _ in known])
        if squares == 0:
            continue
        placed = [(value, label) for value, label in known if label >= 0]
        for group in {label for _, label in placed}:
            within += float(
                _squares([v for v, label in placed if label == group]) / squares * len(known)
            )
        total += float(_squares([v for v, _ in placed]) / squares * len(known))
    return within / total if total else 0.0


def near(answers: Answers, members: Sequence[int]) -> bool:
    """Whether any two of some records are near on every column that both answer."""
    codes, reach = answers.codes, answers.reach
    return all(
        max(codes[i, c], codes[j, c]) <= reach[min(codes[i, c], codes[j, c])]
        for i in members for j in members for c in range(codes.shape[1])
        if codes[i, c] >= 0 and codes[j, c] >= 0
    )  # fmt: skip


def cost(answers: Answers, members: Sequence[int]) -> float:
    """Squares of a group's numbers, and of who answers, from their means."""
    total = 0.0
    for c in range(answers.codes.shape[1]):
        known = [t for t in members if answers.codes[t, c] >= 0]
        total += _squares([float(answers.numbers[t, c]) for t in known])
        total += _squares([float(t in known) for t in members])
    return total


def grow(answers: Answers, k: int, *, centred: bool) -> list[int]:
    """Farthest first: the group of every record in order of making; -1 where it is in none."""
    codes, numbers = answers.codes, answers.numbers
    n, p = codes.shape
    label, made = [-1] * n, 0
    away = (numbers**2).sum(axis=1)

    def off(t: int, members: Sequence[int]) -> float:
        far = 0.0
        for c in range(p):
            known = [m for m in members if codes[m, c] >= 0]
            if codes[t, c] < 0:
                far += len(known) / len(members)
                continue
            far += 1.0 - len(known) / len(members) if len(known) < len(members) else 0.0
            if known:
                total = 0.0
                for m in known:
                    total += float(numbers[m, c])
                far += (float(numbers[t, c]) - total * (1 / len(known))) ** 2
        return far

    for seed in sorted(range(n), key=lambda t: (-away[t], t)):
        if label[seed] >= 0:
            continue
        members = [seed]
        while len(members) < k:
            free = [
                t
                for t in range(n)
                if label[t] < 0 and t not in members and near(answers, [*members, t])
            ]
            if not free:
                break
            own = members if centred else [seed]
            members.append(min(free, key=lambda t: (off(t, own), t)))
        if len(members) == k:
            for t in members:
                label[t] = made
            made += 1
    return label


def _squares(values: Sequence[Any]) -> Any:
    mean = sum(values) / max(len(values), 1)
    return sum((value - mean) ** 2 for value in values)
