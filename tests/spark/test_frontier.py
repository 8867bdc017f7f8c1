"""The frontier on Spark is the frontier on one machine, field by field."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from spark_samples import long_of, survey

from ratingpriv.audit.frontier.frontier import frontier as one_machine
from ratingpriv.errors import ParameterError
from ratingpriv.spark.scanning import frontier
from ratingpriv.table import RatingTable

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]


def said_of(found: Any) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(json.dumps(found.to_dict()))
    del content["tool"], content["equal"]  # not counted on Spark
    return content


def test_every_distance_of_a_survey(spark: Any) -> None:
    table = survey(60, 3, levels=3)
    columns: dict[str, Any] = {"id": "id", "sensitive": ["pay"]}
    here = one_machine(RatingTable.from_wide(table, **columns), k=3, l=1.2, partition=False)
    there = frontier(spark.createDataFrame(table), k=3, l=1.2, **columns)
    assert said_of(there) == said_of(here)
    assert there.complete


def test_distances_that_are_named(spark: Any) -> None:
    table = survey(60, 2)
    here = one_machine(RatingTable.from_wide(table, id="id"), k=2, epsilon=[1, 0], partition=False)
    there = frontier(spark.createDataFrame(long_of(table)), k=2, epsilon=[1, 0], id="record")
    mine, theirs = said_of(there), said_of(here)
    for content in (mine, theirs):
        del content["dataset"]
    assert mine == theirs


def test_too_many_distances_are_refused_with_their_number(spark: Any) -> None:
    rng = np.random.default_rng(3)
    table = pa.table({"id": [str(one) for one in range(40)], "a": rng.random(40).round(3)})
    with pytest.raises(ParameterError, match=r"\d+ distances matter, and a pass over the records"):
        frontier(spark.createDataFrame(table), k=2, id="id", passes=50)
