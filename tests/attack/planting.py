"""Small tables for attacks, with a place for everything that an attack can meet."""

import numpy as np
import polars as pl

from ratingpriv import RatingTable

__all__ = ["crowd", "long_table", "rare_things"]


def long_table(rows):
    """A table of (record, issue, rating, day) rows; days count from 2020-01-01."""
    frame = pl.DataFrame(rows, schema=["record", "issue", "rating", "day"], orient="row")
    when = (pl.date(2020, 1, 1) + pl.duration(days=pl.col("day"))).alias("timestamp")
    return RatingTable.from_long(
        frame.select("record", "issue", "rating", when), timestamp="timestamp"
    )


def crowd(records, issues, share=0.3, seed=0, names="r"):
    """Random ratings 1..5; each issue is rated by about ``share`` of the records,
    every record rates some.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for record in range(records):
        rated = np.flatnonzero(rng.random(issues) < share)
        rated = rated if len(rated) else rng.integers(0, issues, 1)
        rows += [
            (f"{names}{record}", f"i{issue}", float(rng.integers(1, 6)), int(rng.integers(0, 1000)))
            for issue in rated.tolist()
        ]
    return long_table(rows)


def rare_things(records=12, each=4):
    """Every record rates ``each`` issues of its own and two that everybody rates:
    all can be identified.
    """
    rows = []
    for record in range(records):
        rows += [
            (f"r{record}", f"own {record} {number}", 1.0 + number % 5, record)
            for number in range(each)
        ]
        rows += [(f"r{record}", f"all {number}", 1.0 + record % 5, record) for number in range(2)]
    return long_table(rows)
