"""``python -m ratingpriv.spark.trial``: whether Spark works here. One session, and one step of Arrow.

A process of its own, for the doctor: what Spark says about itself, and the machine that it starts, end with
it.
"""

from __future__ import annotations

import sys
import warnings

from ratingpriv.spark.session import check_spark, opened


def main() -> int:
    """Print what works, or what does not; return 0, or 1."""
    try:
        version = check_spark()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with opened(
                "local[1]", {"spark.driver.memory": "512m", "spark.sql.shuffle.partitions": "1"}
            ) as s:
                rows = s.range(3).mapInArrow(lambda batches: batches, "id long").count()
    except Exception as error:  # whatever goes wrong is the finding
        sys.stdout.write(f"{type(error).__name__}: {error}\n")
        return 1
    if rows != 3:
        sys.stdout.write("a step of Arrow lost rows\n")
        return 1
    sys.stdout.write(f"pyspark {version}: a session and a step of Arrow work\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
