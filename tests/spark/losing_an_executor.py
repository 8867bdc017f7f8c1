"""Audit on a cluster of two executors, one of which is killed with -9 while records are compared.

Started by test_cluster.py with a folder; prints ``killed N`` and ``equal``.
"""

import os
import signal
import sys
import threading
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from spark_samples import said_of, survey, table_of

import ratingpriv
from ratingpriv.spark import audit
from ratingpriv.spark.session import opened

CONF = {
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.memory": "1g",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.python.worker.reuse": "true",
}
BACKEND = "CoarseGrainedExecutorBackend"


def executors() -> list[int]:
    """Return the processes of executors that this process started, directly or not."""
    parents, names = {}, {}
    for one in Path("/proc").iterdir():
        if one.name.isdigit():
            try:
                stat, line = (one / "stat").read_text(), (one / "cmdline").read_bytes()
            except OSError:
                continue
            parents[int(one.name)] = int(stat.rpartition(")")[2].split()[1])
            names[int(one.name)] = line
    ours = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sorted(one for one in ours if BACKEND.encode() in names.get(one, b""))


def main(folder: Path) -> None:
    """Audit, kill, compare."""
    warnings.simplefilter("ignore")
    table = survey(4000, 6, missing=0.02)
    columns = {"id": "id", "sensitive": ["pay"]}
    expected = said_of(ratingpriv.audit(table_of(table, **columns), k=2, epsilon=1, l=1))
    comparing = threading.Event()

    def told(what: str, done: int, total: int | None) -> None:
        if "comparing" in what:
            comparing.set()

    def kill() -> None:
        comparing.wait()
        results = folder / "work"
        # a task of the join has begun
        while not any(results.glob("*/results/_temporary/**/*.parquet")):
            time.sleep(0.01)
        victim = executors()[0]
        os.kill(victim, signal.SIGKILL)
        print("killed", victim, flush=True)  # noqa: T201

    with opened("local-cluster[2,1,1024]", CONF) as session:
        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        frame = session.createDataFrame(table).repartition(4)
        found = audit(
            frame,
            **columns,
            k=2,
            epsilon=1,
            l=1,
            memory=200_000,
            work=str(folder / "work"),
            progress=told,
        )
        killer.join(60)
    assert not (folder / "work").exists()
    assert said_of(found) == expected
    print("equal", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
