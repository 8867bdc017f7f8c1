"""All set partitions of a few records, tried one after the other [SWLP10, §4.3]."""

from collections.abc import Iterator

from naive import proximity
from naive.moments import at_least, values
from ratingpriv import RatingTable

__all__ = ["decomposable", "is_clique", "set_partitions"]


def set_partitions(records: list[int]) -> Iterator[list[list[int]]]:
    """Every partition of ``records`` into sets; 21147 of 9 records."""
    if not records:
        yield []
        return
    first, rest = records[0], records[1:]
    for partition in set_partitions(rest):
        yield [[first], *partition]
        for i, part in enumerate(partition):
            yield [*partition[:i], [first, *part], *partition[i + 1 :]]


def is_clique(table: RatingTable, group: list[int], epsilon: float, nulls: str = "strict") -> bool:
    """Whether any two of the group are ε-proximate."""
    rows = proximity.ratings(table)
    pairs = [(rows[a], rows[b]) for a in group for b in group if a < b]
    return all(proximity.proximate(table, one, other, epsilon, nulls) for one, other in pairs)


def decomposable(
    table: RatingTable,
    records: list[int],
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741
    nulls: str = "strict",
    rule: str = "paper",
) -> bool:
    """Whether some partition has cliques of k or more only, each with an SD of l or more."""
    good: dict[tuple[int, ...], bool] = {}

    def fits(group: list[int]) -> bool:
        key = tuple(group)
        if key not in good:
            good[key] = (
                len(group) >= k
                and is_clique(table, group, epsilon, nulls)
                and (
                    l is None
                    or all(at_least(values(column, group), l, rule) for column in table.sensitive)
                )
            )
        return good[key]

    return any(all(fits(group) for group in partition) for partition in set_partitions(records))
