"""The candidates that slicing's trimming leaves, loop by loop [SWLZ11, §5.2.1, Eq. 11]."""

from fractions import Fraction

from naive import proximity
from ratingpriv import RatingTable

__all__ = ["left_after_each_issue"]


def left_after_each_issue(
    table: RatingTable, epsilon: float, nulls: str = "strict"
) -> list[Fraction]:
    """Mean over t0 of how many records are within ε of it on issues 1..j, t0 included,
    for each j.
    """
    rows = proximity.ratings(table)
    totals = [0] * table.n_issues
    for t0 in rows:
        candidates = list(rows)
        for issue in range(table.n_issues):

            def only(
                row: dict[int, proximity.Number], issue: int = issue
            ) -> dict[int, proximity.Number]:
                return {issue: row[issue]} if issue in row else {}

            candidates = [
                row
                for row in candidates
                if proximity.proximate(table, only(row), only(t0), epsilon, nulls)
            ]
            totals[issue] += len(candidates)
    return [Fraction(total, max(len(rows), 1)) for total in totals]
