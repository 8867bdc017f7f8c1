"""Small tables for Spark, and what has to be equal in two audits of one."""

import json
from typing import Any

import numpy as np
import pyarrow as pa

from ratingpriv import RatingTable, read
from ratingpriv.audit.result import AuditResult

__all__ = ["long_of", "mixed", "said_of", "survey", "table_of"]

_BASIC = {"id", "sensitive", "drop", "scale", "sensitive_scale", "name"}


def table_of(frame: pa.Table, **words: Any) -> RatingTable:
    """Return the table that an audit without Spark makes of a frame,
    with these words on its columns.
    """
    return RatingTable.from_wide(frame, **words) if words.keys() <= _BASIC else read(frame, **words)


def survey(
    n: int, p: int = 5, *, levels: int = 5, missing: float = 0.05, seed: int = 1
) -> pa.Table:
    """Return a row a record: numbered ids, ``p`` questions, a sensitive answer ``pay``."""
    rng = np.random.default_rng(seed)
    mood = rng.normal(size=n)
    columns: dict[str, Any] = {"id": np.arange(1, n + 1)}
    for number in range(p):
        answers = np.clip(np.rint(3 + mood + rng.normal(size=n)), 1, levels).astype(int)
        columns[f"q{number + 1}"] = pa.array(answers, mask=rng.random(n) < missing)
    columns["pay"] = pa.array(rng.integers(1, 8, n), mask=rng.random(n) < 2 * missing)
    return pa.table(columns)


def mixed(n: int, *, seed: int = 2) -> pa.Table:
    """Return a survey with an age, a region and words for a sensitive answer."""
    rng = np.random.default_rng(seed)
    words = np.array(["Bern", "Uri", "Zug"])
    table = survey(n, 3, missing=0.1, seed=seed)
    table = table.append_column("age", pa.array(rng.integers(20, 40, n), mask=rng.random(n) < 0.05))
    return table.append_column("region", pa.array(words[rng.integers(0, 3, n)]))


def long_of(table: pa.Table) -> pa.Table:
    """Return a row a rating of a row a record; a record without any has a row that says so."""
    rows: dict[str, list[Any]] = {"record": [], "issue": [], "rating": []}
    for row in table.to_pylist():
        record = row.pop("id")
        given = {issue: rating for issue, rating in row.items() if rating is not None}
        for issue, rating in given.items() if given else [(None, None)]:
            rows["record"].append(record)
            rows["issue"].append(issue)
            rows["rating"].append(rating)
    return pa.table({**rows, "rating": pa.array(rows["rating"], pa.float64())})


def said_of(result: AuditResult) -> dict[str, Any]:
    """Return the JSON of an audit without what differs between engines: their names,
    who is farthest.
    """
    content: dict[str, Any] = json.loads(json.dumps(result.to_dict()))
    del content["parameters"]["engine"], content["tool"]
    for issue in content["inference"].values():
        del issue["distance_record"]  # Spark keeps no list of records
    return content
