"""The Pareto front: the rows that no other row beats."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["pareto_front"]


def pareto_front(rows: Sequence[Sequence[float]]) -> list[bool]:
    """Return for each row whether no other one is at least as good in every column and better in one.

    Less is better in all columns. Rows that are equal in all of them are on the front together, or none is.
    """
    return [not any(_beats(other, row) for other in rows) for row in rows]


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    pairs = list(zip(one, other, strict=True))
    return all(mine <= its for mine, its in pairs) and any(mine < its for mine, its in pairs)
