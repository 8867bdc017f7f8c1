"""What any few known ratings leave, over all subsets of them, straight from the definition."""

import itertools
from collections.abc import Iterator
from fractions import Fraction

from naive import exposure, proximity
from ratingpriv import RatingTable

__all__ = ["counts", "smallest", "subsets"]


def ratings(table: RatingTable, record: int) -> dict[int, exposure.Number]:
    """The ratings of a record, by issue."""
    part = slice(int(table.indptr[record]), int(table.indptr[record + 1]))
    values = table.levels[table.codes[part]].tolist()
    return {
        int(issue): proximity.as_number(table, value)
        for issue, value in zip(table.indices[part], values, strict=True)
    }


def subsets(
    table: RatingTable, record: int, size: int, *, error: float | None = None
) -> Iterator[tuple[tuple[int, ...], tuple[exposure.Number, ...]]]:
    """Every choice of ``size`` issues that the record rates, with what may be known of each."""
    own = ratings(table, record)
    for issues in itertools.combinations(sorted(own), size):
        known = [
            [own[issue]]
            if error is None
            else [value for value, _ in exposure.knowledge(table, own[issue], error)]
            for issue in issues
        ]
        yield from ((issues, values) for values in itertools.product(*known))


def counts(
    table: RatingTable, record: int, size: int, within: float, *, sharp: bool = False
) -> dict[tuple[tuple[int, ...], tuple[exposure.Number, ...]], int]:
    """How many records rate each of the known issues within that much of what is known."""
    everybody = [ratings(table, other) for other in range(table.n_records)]
    reach = Fraction(within) if proximity.decimal_levels(table) else within
    return {
        (issues, values): sum(
            all(
                issue in other and abs(other[issue] - value) <= reach
                for issue, value in zip(issues, values, strict=True)
            )
            for other in everybody
        )
        for issues, values in subsets(table, record, size, error=within if sharp else None)
    }


def smallest(
    table: RatingTable, record: int, k: int, within: float, most: int, *, sharp: bool = False
) -> tuple[int, int, tuple[int, ...]]:
    """The smallest number of known ratings that leave fewer than k, how few,
    and the first such issues.
    """
    for size in range(1, most + 1):
        found = counts(table, record, size, within, sharp=sharp)
        least = min(found.values(), default=k)
        if least < k:
            return size, least, next(issues for (issues, _), left in found.items() if left == least)
    return 0, 0, ()
