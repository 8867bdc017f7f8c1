"""Spark for tests: a session of this machine, shared by all of them, on the loopback address."""

import importlib.util
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

_CONF = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "3",
    "spark.driver.memory": "1g",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.log.level": "ERROR",
}


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Give a session of two threads."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed (make test-spark installs it)")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from ratingpriv.spark.session import opened

    with opened("local[2]", _CONF) as session:
        yield session
