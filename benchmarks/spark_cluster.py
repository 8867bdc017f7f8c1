"""Audits on Spark's standalone master with two workers, on the loopback address,
beside one machine's.

``python -m benchmarks.spark_cluster [ml-100k] [big5] [survey=1000000] [sparse=20000000]
[--memory 64MiB]``

Each audit has to be equal to :func:`ratingpriv.audit` of the same file in every field of the JSON
but the engine's name; what differs is printed, and the exit code is 1. CPU seconds are those of the
workers, their executors and Python, and of the driver; wall times are of no use on a machine that
is shared. Master and workers are started from the Python package, and stopped by their process ids.

Real data are those of RATINGPRIV_TEST_DATA. Made are: a survey (``survey=RECORDS``; 20 questions of
1 to 5, three factors, a sensitive answer, wide) and sparse ratings with shared supports
(``sparse=RATINGS``; sets of 20 of 2000 items that about 2000 records share, long). They are kept in
``--folder``.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl

import ratingpriv
from ratingpriv.cli.options import values

__all__ = ["cluster", "main"]

DATA = Path(os.environ.get("RATINGPRIV_TEST_DATA", "../shared/data"))
QUESTIONS, CHUNK = 20, 1 << 20
ITEMS, RATED, SHARED = 2000, 20, 2000
_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Case:
    """Data to audit: a Parquet file, what is said of it, and what is asked."""

    name: str
    path: Path
    columns: dict[str, Any]
    asked: dict[str, Any]


def ml_100k(folder: Path, _: int) -> Case:
    """Return MovieLens 100K, long."""
    table = ratingpriv.read(DATA / "ml-100k")
    path = folder / "ml-100k.parquet"
    long = table.to_long("polars")
    names = dict(zip(long.columns, ("record", "issue", "rating"), strict=False))
    ratings = long.rename(names).select(
        pl.col("record").cast(pl.Int64), pl.col("issue").cast(pl.String), "rating"
    )
    # ties go by the position, and by the id
    ratings.sort("record", maintain_order=True).write_parquet(path)
    return Case("ml-100k", path, {"layout": "long"}, {"k": 2, "epsilon": 1})


def big5(folder: Path, _: int) -> Case:
    """Return the Big Five answers, wide, with numbered records."""
    lines = pl.read_csv(DATA / "op-big5" / "data.csv", separator="\t", infer_schema_length=20_000)
    answers = [
        name
        for name in lines.columns
        if len(name) <= 3 and name[0] in "ENACO" and name[1:].isdigit()
    ]
    path = folder / "big5.parquet"
    lines.select(pl.int_range(pl.len()).alias("id"), *answers).write_parquet(path)
    columns = {"id": "id", "null": ["0"], "scale": (1, 5), "sensitive": ["E1"]}
    return Case("big5", path, columns, {"k": 2, "epsilon": 2, "l": 0.5})


def survey(folder: Path, records: int) -> Case:
    """Return a synthetic survey."""
    path = folder / f"survey-{records}"
    rng = np.random.default_rng(11)
    loads = rng.normal(size=(3, QUESTIONS))
    if not path.exists():
        path.mkdir()
        for first in range(0, records, CHUNK):
            n = min(CHUNK, records - first)
            moods = rng.normal(size=(n, 3)) @ loads + 0.6 * rng.normal(size=(n, QUESTIONS))
            answers = np.clip(np.rint(3 + moods), 1, 5).astype(np.int8)
            columns = {"id": np.arange(first, first + n)}
            columns |= {f"q{number + 1}": answers[:, number] for number in range(QUESTIONS)}
            frame = pl.DataFrame({**columns, "pay": rng.integers(1, 8, n).astype(np.int8)})
            frame.write_parquet(path / f"part-{first:012}.parquet")
    return Case("survey", path, {"id": "id", "sensitive": ["pay"]}, {"k": 20, "epsilon": 1, "l": 1})


def sparse(folder: Path, ratings: int) -> Case:
    """Return sparse ratings whose supports are shared."""
    path = folder / f"sparse-{ratings}"
    records = ratings // RATED
    rng = np.random.default_rng(12)
    supports = np.sort(
        np.array(
            [rng.choice(ITEMS, RATED, replace=False) for _ in range(max(1, records // SHARED))]
        ),
        axis=1,
    )
    if not path.exists():
        path.mkdir()
        # a rating is 24 bytes: two int64 and a float64
        for first in range(0, records, CHUNK // RATED):
            n = min(CHUNK // RATED, records - first)
            rated = supports[rng.integers(0, len(supports), n)].ravel()
            values = np.clip(np.rint(3.5 + 1.1 * rng.normal(size=n * RATED)), 1, 5)
            frame = pl.DataFrame({
                "record": np.repeat(np.arange(first, first + n), RATED), "issue": rated,
                "rating": values
            })  # fmt: skip
            frame.write_parquet(path / f"part-{first:012}.parquet")
    return Case("sparse", path, {"layout": "long"}, {"k": 2, "epsilon": 2})


CASES: dict[str, tuple[Callable[[Path, int], Case], int]] = {
    "ml-100k": (ml_100k, 0),
    "big5": (big5, 0),
    "survey": (survey, 1_000_000),
    "sparse": (sparse, 20_000_000),
}


@contextlib.contextmanager
def cluster(folder: Path, *, memory: str, cores: int) -> Iterator[tuple[str, list[int]]]:
    """Start a master and two workers on the loopback address.

    Give its URL and the workers' process ids.
    """
    import pyspark

    home = Path(pyspark.__path__[0])
    port = 17_000 + os.getpid() % 10_000
    environment = {
        **os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_NO_DAEMONIZE": "1",
        "PYSPARK_PYTHON": sys.executable, "SPARK_DAEMON_MEMORY": "256m",
    }  # fmt: skip
    command = [str(home / "bin" / "spark-class")]
    url = f"spark://127.0.0.1:{port}"
    loopback = ["--host", "127.0.0.1", "--webui-port", "0"]
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [*command, *arguments], env=environment, stdout=log, stderr=log, cwd=folder
            )
        started.append(process)
        return process

    try:
        start("master", "org.apache.spark.deploy.master.Master", *loopback, "--port", str(port))
        workers = [
            start(
                f"worker-{number}", "org.apache.spark.deploy.worker.Worker", url, *loopback,
                "--cores", str(cores), "--memory", memory, "--work-dir",
                str(folder / f"worker-{number}"),
            )
            for number in range(2)
        ]  # fmt: skip
        for number in range(2):
            log = folder / f"worker-{number}.log"
            deadline = time.monotonic() + 180
            while "Successfully registered with master" not in log.read_text(errors="replace"):
                if time.monotonic() > deadline:
                    raise RuntimeError(f"a worker did not register within three minutes: {log}")
                time.sleep(0.2)
        yield url, [worker.pid for worker in workers]
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def cpu_seconds(roots: list[int]) -> float:
    """Return the CPU time of processes, of all they started,
    and of those of them that have ended.
    """
    spent = 0
    for pid in descendants(roots):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            spent += sum(map(int, fields[11:15]))
    return spent / _TICK


class Peaks:
    """The most memory that processes had, looked at twice a second: proportional set sizes, in MiB.

    Of executors the largest Java virtual machine and the largest of all Python workers, of the
    driver its virtual machine and this process.
    """

    KINDS = ("executor", "Python worker", "driver", "driver's Python")

    def __init__(self, workers: list[int]) -> None:
        self._workers, self._stop = workers, threading.Event()
        self.most = dict.fromkeys(self.KINDS, 0)
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        """Begin to look."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Look no more."""
        self._stop.set()
        self._thread.join()

    def __str__(self) -> str:
        """Return the cells of a row."""
        return " | ".join(f"{self.most[kind]:,}" for kind in self.KINDS)

    def _watch(self) -> None:
        while not self._stop.wait(0.5):
            for kind, pid in self._found():
                with contextlib.suppress(OSError, StopIteration):
                    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
                    size = (
                        int(next(line for line in lines if line.startswith("Pss:")).split()[1])
                        >> 10
                    )
                    self.most[kind] = max(self.most[kind], size)

    def _found(self) -> Iterator[tuple[str, int]]:
        yield "driver's Python", os.getpid()
        for pid in descendants([os.getpid()]) - descendants(self._workers):
            if _is_java(pid) and "spark.deploy.SparkSubmit" in _command(pid):
                yield "driver", pid
        for pid in descendants(self._workers) - set(self._workers):
            yield "executor" if _is_java(pid) else "Python worker", pid


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    return ""


def _is_java(pid: int) -> bool:
    return _command(pid).partition(" ")[0].endswith("java")


def descendants(roots: list[int]) -> set[int]:
    """Return processes and all that they started."""
    parents = {}
    for one in Path("/proc").iterdir():
        if one.name.isdigit():
            with contextlib.suppress(OSError):
                parents[int(one.name)] = int(
                    (one / "stat").read_text().rpartition(")")[2].split()[1]
                )
    ours = set(roots)
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return ours


def own_seconds() -> float:
    """Return the CPU time of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def differences(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """Yield where two JSON documents differ."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], f"{place}.{key}")
    elif one != other:
        yield f"{place}: {str(one)[:200]} and {str(other)[:200]}"


def said(result: Any) -> dict[str, Any]:
    """Return the JSON of an audit without the names of engines."""
    content: dict[str, Any] = result.to_dict()
    del content["parameters"]["engine"], content["tool"], content["dataset"]["sha256"]
    del content["dataset"]["name"]
    del content["warnings"]  # of a row a rating, questions are named in the order of their names
    content["cautions"] = [one["code"] for one in content["cautions"]]
    return content


def main() -> int:
    """Run the cases that are named; without one, ml-100k."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", default=["ml-100k"])
    parser.add_argument(
        "--folder", type=Path, help="where made data are kept; else a temporary one"
    )
    parser.add_argument("--memory", default="64MiB", help="of a task")
    parser.add_argument("--heap", default="512m", help="of an executor")
    parser.add_argument("--cores", type=int, default=1, help="of a worker")
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument(
        "--alone", action="store_true", help="on Spark only: nothing to compare with"
    )
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the cluster is stopped then, too
    warnings.simplefilter("ignore", FutureWarning)
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    from ratingpriv.spark import audit
    from ratingpriv.spark.reading import frame_of
    from ratingpriv.spark.session import opened

    equal = True
    with contextlib.ExitStack() as stack:
        scratch = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="ratingpriv-cluster-"))
        )
        folder = scratch if options.folder is None else options.folder
        folder.mkdir(parents=True, exist_ok=True)
        made = []
        for case in options.cases:
            name, _, size = case.partition("=")
            make, usual = CASES[name]
            made.append(make(folder, int(size) if size else usual))
        url, workers = stack.enter_context(cluster(scratch, memory="2g", cores=options.cores))
        conf = {
            "spark.executor.memory": options.heap, "spark.executor.cores": str(options.cores),
            "spark.sql.shuffle.partitions": str(options.partitions),
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.memory": "1g", "spark.local.dir": str(scratch / "local"),
        }  # fmt: skip
        session = stack.enter_context(opened(url, conf))
        memory = "MiB at most: executor | Python worker | driver | its Python"
        print(
            f"| data | records | ratings | {memory} | CPU s on Spark | CPU s here | times | equal |"
        )
        print("|---|---|---|---|---|---|---|---|---|---|---|")
        for one in made:
            before = cpu_seconds(workers) + cpu_seconds([os.getpid()])
            with Peaks(workers) as peaks:
                found = audit(
                    frame_of(session, str(one.path), format="parquet"), **one.columns, **one.asked,
                    memory=values.size(options.memory), work=str(scratch / "work"),
                )  # fmt: skip
            there = cpu_seconds(workers) + cpu_seconds([os.getpid()]) - before
            data = f"| {one.name} | {found.dataset.records:,} | {found.dataset.ratings:,}"
            size = f"{data} | {peaks} | {there:.1f} |"
            if options.alone:
                print(size, "| | |", flush=True)
                continue
            begin = own_seconds()
            here = ratingpriv.audit(
                ratingpriv.read(one.path, **one.columns), **one.asked, threads=1
            )
            alone = own_seconds() - begin
            differ = list(differences(said(here), said(found)))
            equal = equal and not differ
            print(
                size,
                f"{alone:.1f} | {there / alone:.1f} | {'no' if differ else 'yes'} |",
                flush=True,
            )
            for line in differ:
                print("   ", line)
    return 0 if equal else 1


if __name__ == "__main__":
    raise SystemExit(main())
