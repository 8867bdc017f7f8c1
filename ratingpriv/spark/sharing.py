"""One person twice in a DataFrame: ids that are only spelt otherwise,
identifiers that records share.

What is judged on one machine is judged here by the same functions, on the driver, where it fits
there. Of more than that, values are folded and counted where Spark runs, and the most frequent say
whether they are one person's; a telephone number without its country's code is then another one
than with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import polars as pl
import pyarrow as pa

from ratingpriv.data.table.building.spelling import Repeats, folded, same_ids
from ratingpriv.spark.session import functions

type Judge = Callable[[str, pl.Series, pl.Series | None], Repeats | None]


def ids_spelt_otherwise(ids: Any, name: str, records: int, most: int) -> Repeats | None:
    """Return how many of the ids are different, where some are only spelt otherwise.

    ``ids`` : a DataFrame of the different ones, in a column ``record``; ``most`` : what the driver
    takes
    """
    if records <= most:
        same = same_ids(pl.Series(ids.toArrow().column("record")))
        return same and (name, *same)
    counts = _counts(ids.withColumnRenamed("record", "value"))
    different = int(counts.count())
    return (name, different, records) if different < records else None


def shared_values(rows: Any, name: str, judge: Judge, most: int) -> Repeats | None:
    """Return how many values a column has, where several records share one, as ``judge`` says.

    ``rows`` : a DataFrame of ``value`` (text) and, where a record has several rows, its ``record``
    """
    F = functions()  # noqa: N806 -- its usual name
    owned = "record" in rows.columns
    rows = rows.where("value IS NOT NULL")
    rows = rows.distinct() if owned else rows
    if rows.limit(most + 1).count() <= most:
        frame = pl.DataFrame(pl.from_arrow(rows.toArrow()))
        return judge(name, frame["value"], frame["record"] if owned else None)
    counts = _counts(rows).where("value != ''")
    different, records = map(int, counts.agg(F.count(F.lit(1)), F.sum("n")).collect()[0])
    if different == records:
        return None
    often = counts.orderBy(F.col("n").desc(), "value").limit(most).select("value").toArrow()
    values = pl.Series(often.column("value"))
    of_persons = judge(name, pl.concat([values, values.head(1)]), None)
    return of_persons and (name, different, records)


def _counts(rows: Any) -> Any:
    """Return each ``value`` as it is compared, and ``n``, of how many records it is."""
    F = functions()  # noqa: N806
    kinds = ", ".join(f"{name} string" for name in rows.columns)
    plain = rows.mapInArrow(_folded, kinds)
    plain = plain.distinct() if "record" in rows.columns else plain
    return plain.groupBy("value").agg(F.count(F.lit(1)).alias("n"))


def _folded(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        values = folded(pl.Series(batch.column("value")).cast(pl.String), telephones=False)
        index = batch.schema.get_field_index("value")
        yield batch.set_column(index, "value", values.to_arrow().cast(pa.string()))
