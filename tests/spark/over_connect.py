"""``python over_connect.py WORK``: audits over Spark Connect, on a server of this machine's;
prints JSON.
"""

import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from spark_samples import long_of, said_of, survey

from ratingpriv.spark import audit

CONF = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.log.level": "OFF",
}


def main() -> int:
    folder = Path(sys.argv[1])
    warnings.simplefilter("ignore")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote("local[2]")
    for name, value in CONF.items():
        builder = builder.config(name, value)
    spark: Any = builder.getOrCreate()
    table = survey(60)
    wide = spark.createDataFrame(table)
    asked: dict[str, Any] = {"sensitive": ["pay"], "k": 2, "epsilon": 1, "l": 1}
    places = {"work": f"file://{folder}/work", "per_record": f"file://{folder}/r"}
    found = {
        "wide": said_of(audit(wide, id="id", **asked, **places)),
        "long": said_of(
            audit(
                spark.createDataFrame(long_of(table)), layout="long", **asked, work=places["work"]
            )
        ),
        "class": type(spark).__module__,
    }
    spark.stop()
    (folder / "found.json").write_text(json.dumps(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
