"""Groups with least scatter, loop by loop from their definition."""

from collections.abc import Sequence

from naive import proximity
from ratingpriv import RatingTable

__all__ = ["faults", "scatter"]


def faults(table: RatingTable, labels: Sequence[int], k: int, epsilon: float, nulls: str) -> list[str]:
    """What is wrong with the groups: too few, two who are not near, too few left out."""
    rows = proximity.ratings(table)
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
    out = sum(label == -1 for label in labels)
    if 0 < out < k:
        said.append(f"{out} left out")
    return said


def scatter(table: RatingTable, labels: Sequence[int]) -> float:
    """Squares within groups as a share of all, of columns of SD 1 over all records."""
    rows = proximity.ratings(table)
    within = total = 0.0
    for issue in range(table.n_issues):
        known = [(row[issue], label) for row, label in zip(rows, labels, strict=True) if issue in row]
        values = [float(value) for value, _ in known]
        if not values:
            continue
        mean = sum(values) / len(values)
        variance = sum((value - mean) ** 2 for value in values) / len(values) or 1.0
        placed = [(float(value), label) for value, label in known if label >= 0]
        within += (
            sum(_squares([v for v, label in placed if label == group]) for group in {g for _, g in placed})
            / variance
        )
        total += _squares([v for v, _ in placed]) / variance
    return within / total if total else 0.0


def _squares(values: Sequence[float]) -> float:
    if not values:
        return 0.0
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values)
