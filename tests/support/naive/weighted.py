"""Weighted rows, loop by loop: who is near whom, and what the members near a query have in all."""

__all__ = ["near", "totals"]


def near(
    rows: list[list[int]],
    groups: list[int],
    lo: list[int],
    hi: list[int],
    members: list[bool],
    query: int,
) -> list[int]:
    """The members whose every code is in the range of the query's, in its group."""
    return [
        u
        for u in range(len(rows))
        if members[u]
        and groups[u] == groups[query]
        and all(
            lo[mine] <= other <= hi[mine] for mine, other in zip(rows[query], rows[u], strict=True)
        )
    ]


def totals(
    rows: list[list[int]], groups: list[int], lo: list[int], hi: list[int], queries: list[bool],
    members: list[bool], amounts: list[list[int]],
) -> list[list[int]]:  # fmt: skip
    """What the neighbours of each query have, added up amount by amount."""
    return [
        [
            sum(amounts[u][a] for u in near(rows, groups, lo, hi, members, t))
            for a in range(len(amounts[0]))
        ]
        for t in range(len(rows))
        if queries[t]
    ]
