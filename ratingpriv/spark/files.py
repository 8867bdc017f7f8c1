"""Files as DataFrames: Parquet or delimited text, by path or URI, such that nothing is lost or guessed."""

from __future__ import annotations

import csv
from typing import Any

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.provenance import sha256_of
from ratingpriv.data.table.building.problems import listed_names
from ratingpriv.spark.work import GLOB, local_path

_TEXT = (".csv", ".csv.gz", ".tsv", ".txt")


def frame_of(
    spark: Any,
    data: str,
    *,
    format: str | None = None,  # noqa: A002 -- the word of ratingpriv.read
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Any:
    """Return the DataFrame of a file, or a folder of parts: a path of this machine, or a URI.

    Columns of text are texts, to be understood as the product does; parts of Parquet may have different
    columns, and what one of them lacks is null there.
    """
    where = located(data)
    kind = format or ("delimited" if data.lower().endswith(_TEXT) else "parquet")
    if kind == "parquet":
        for name, value in (("delimiter", delimiter), ("encoding", encoding), ("header", header)):
            if value is not None:
                raise ParameterError(name, value, f"no `{name}`: Parquet has no such thing")
        parts = spark.read.option("mergeSchema", "true")
        try:
            frame = parts.parquet(where)
            frame.columns  # noqa: B018 -- Spark Connect looks into the files only now
        except Exception as error:
            if " is not a Parquet file" not in str(error):
                raise
            found, remedy = (
                "a file that is no Parquet, or is damaged",
                "if it is text, say `format='delimited'`",
            )
            raise DataError(Problem(data, found, "a Parquet file", remedy)) from error
        return frame
    if kind != "delimited":
        raise ParameterError("format", kind, "parquet or delimited on Spark")
    delimiter = delimiter or ("\t" if data.lower().endswith(".tsv") else ",")
    header = True if header is None else header
    reader = spark.read.options(
        sep=delimiter, encoding=encoding or "UTF-8", header=str(header).lower(), quote='"', escape='"',
        multiLine="true", mode="FAILFAST", enforceSchema="false", inferSchema="false",
    )  # fmt: skip
    frame = reader.csv(where)
    if not header:
        return frame.toDF(*[str(number) for number in range(1, len(frame.columns) + 1)])
    # a header whose names Spark had to change
    lines = spark.read.option("encoding", encoding or "UTF-8").text(where).limit(1).collect()
    first = lines[0][0] if lines else ""
    read = next(csv.reader([first.removeprefix("\ufeff")], delimiter=delimiter), [])
    if [one.removeprefix("\ufeff") for one in frame.columns] != read:
        found = f"a header with a name twice, or with none: {listed_names(read)}"
        raise DataError(Problem(data, found, "every column once, by a name", "rename the columns", line=1))
    return frame


def located(data: str) -> str:
    """Return a path or URI as Spark takes it."""
    if data == "-":
        raise ParameterError("data", data, "a file, a folder or a URI that executors can read")
    path = local_path(data)
    where = data
    if path is not None:
        if not path.exists():
            found, expected = "no such file or directory", "a file or directory with ratings"
            raise DataError(Problem(data, found, expected, "check the path"))
        if "://" not in data:
            where = f"file://{path.resolve()}"
    if GLOB & set(where):
        remedy = "rename it, as Spark takes such a name for a pattern"
        raise ParameterError("data", data, "a name without {}[]*?\\", remedy)
    return where


def digest(data: str) -> str | None:
    """Return the SHA-256 of the bytes of a single file of this machine; None of anything else."""
    place = local_path(data)
    return sha256_of(place) if place is not None and place.is_file() else None
