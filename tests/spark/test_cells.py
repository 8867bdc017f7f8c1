"""Cells of a DataFrame are counted in bounded memory; no Java."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pyarrow as pa
import pytest

from ratingpriv.spark import cells


def test_what_a_task_keeps_is_bounded_over_all_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "_KEPT", 10)
    taken: list[int] = []

    def batches() -> Iterator[pa.RecordBatch]:
        for number in range(6):
            taken.append(number)
            yield pa.record_batch({f"c{column}": [number, number, None, column] for column in range(4)})

    counted: Counter[tuple[int, str | None]] = Counter()
    early = 0
    for rows in cells.count_cells(batches()):
        early += len(taken) < 6
        for row in rows.to_pylist():
            counted[row["column"], row["cell"]] += row["count"]
    assert early  # 4 columns of no more than 8 different cells each, 26 together
    for column in range(4):
        expected = Counter({str(number): 2 for number in range(6)})
        expected[str(column)] += 6
        mine = {cell: count for (number, cell), count in counted.items() if number == column}
        assert mine == {**expected, None: 6}
