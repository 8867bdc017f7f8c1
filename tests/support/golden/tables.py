"""Worked examples as tables: Tables 1-3 of [SWLZ11] and the counterexamples
to claims of the papers.
"""

from collections.abc import Sequence

import polars as pl

from ratingpriv import RatingTable

__all__ = [
    "build",
    "counterexample_bisection",
    "counterexample_lemma_4_1",
    "table1",
    "table2",
    "table3",
]

Row = Sequence[float | None]


def build(
    ratings: Sequence[Row], sensitive: Sequence[Sequence[float | None]] = (), *,
    scale: tuple[float, float] | None = None, name: str = "table", issues: int | None = None,
) -> RatingTable:  # fmt: skip
    """Build a table from rows of ratings (None: not rated) and *columns* of sensitive ratings.

    Records are t1, t2, ...; issues are ``issue 1`` on, the sensitive ones last, on no scale.
    """
    width = issues if issues is not None else max(map(len, ratings), default=0)
    n = len(ratings)
    columns = {f"issue {j + 1}": [row[j] for row in ratings] for j in range(width)}
    hidden = {f"issue {width + j + 1}": list(column) for j, column in enumerate(sensitive)}
    frame = pl.DataFrame(
        {"record": [f"t{i + 1}" for i in range(n)], **columns, **hidden},
        schema={"record": pl.String, **dict.fromkeys([*columns, *hidden], pl.Float64)},
        strict=False,
    )
    return RatingTable.from_wide(
        frame,
        id="record",
        sensitive=list(hidden),
        scale=scale,
        sensitive_scale=dict.fromkeys(hidden),
        name=name,
    )


def table1() -> RatingTable:
    """Table 1 of [SWLZ11]: three issues on 1..6 and a sensitive one."""
    return build(
        [(6, 1, None), (1, 6, None), (2, 5, None), (1, None, 5), (2, None, 6)],
        [(6, 1, 1, 1, 5)],
        scale=(1, 6),
        name="table 1",
    )


def table2() -> RatingTable:
    """Table 2 of [SWLZ11]; r = 7, although the paper walks it with 6."""
    return build(
        [(3, 6, None), (2, 5, None), (4, 7, None), (5, 6, None), (1, None, 5), (2, None, 6)],
        [(6, 1, 4, 1, 1, 5)],
        scale=(1, 7),
        name="table 2",
    )


def table3() -> RatingTable:
    """Table 2 and two more records, t7 and t8."""
    return build(
        [
            *[(3, 6, None), (2, 5, None), (4, 7, None), (5, 6, None), (1, None, 5), (2, None, 6)],
            *[(6, None, 6), (5, None, 5)],
        ],
        [(6, 1, 4, 1, 1, 5, 3, 2)],
        scale=(1, 7),
        name="table 3",
    )


def counterexample_bisection() -> RatingTable:
    """Four records whose least SD is not monotone in ε: 0, 1.0, 1.0, 0.816, 1.118 for ε = 0..4."""
    return build([(1,), (2,), (5,), (5,)], [(2, 4, 3, 5)], scale=(1, 5), name="bisection")


def counterexample_lemma_4_1() -> tuple[RatingTable, RatingTable, RatingTable]:
    """G1, G2 and their union G of [SWLZ11, Lemma 4.1], whose claim they refute at ε = 1."""
    first = [(3, 3), (9, 1), (1, 9), (9, 9)]
    second = [(2, 2), (4, 4), (2, 4), (4, 2)]
    return (
        build(first, scale=(1, 9), name="G1"),
        build(second, scale=(1, 9), name="G2"),
        build([*first, *second], scale=(1, 9), name="G"),
    )
