"""Arrow batches cut anew, so that rows of one record, or of one group, come together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["whole_runs"]


def whole_runs(batches: Iterable[Any], column: str, rows: int) -> Iterator[Any]:
    """Give the rows again as tables in which no run of equal values of ``column`` is cut.

    Parameters
    ----------
    batches : pyarrow RecordBatches, sorted by ``column`` or at least with equal values one after the other
    column : its name; no null is in it
    rows : a table ends with the run in which it comes to so many rows, or at the end; a longer run makes a
        longer table

    Yields
    ------
    pyarrow.Table
        None is empty.
    """
    waiting: list[Any] = []
    count, enough = 0, rows
    for batch in batches:
        if batch.num_rows == 0:
            continue
        waiting.append(batch)
        count += batch.num_rows
        if count < enough:
            continue
        table = pa.Table.from_batches(waiting)
        end = _last_run(table.column(column))
        if end:
            yield table.slice(0, end)
        rest = table.slice(end)
        # a copy: a slice keeps all that it was cut from
        waiting, count = pa.table(rest.take(np.arange(rest.num_rows))).to_batches(), rest.num_rows
        enough = (
            rows if count < rows else 2 * count
        )  # one run that is longer is looked at again once it has doubled
    if count:
        yield pa.Table.from_batches(waiting)


def _last_run(values: Any) -> int:
    """Return where the last run of equal values begins."""
    same = pc.equal(values, values[-1]).combine_chunks()
    different = np.flatnonzero(~np.asarray(same.to_numpy(zero_copy_only=False), dtype=bool))
    return int(different[-1]) + 1 if len(different) else 0
