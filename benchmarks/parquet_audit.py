"""A whole ``ratingpriv audit`` of many ratings in Parquet,
beside polars reading and sorting the same file.

``python -m benchmarks.parquet_audit [--ratings N] [--order random|issue|record] [--runs R]``

Each program has a process of its own; wall time and peak memory are those of the process, start and
imports included. polars reads the three columns that the audit reads. The file is made once and
kept under ``benchmarks/.data``: power laws over 480,000 records and 17,770 issues, row groups of
2**20, a date a rating.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from benchmarks.timing import HEADER, Row, seconds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ORDERS", "generate", "measured", "rows"]

ORDERS = ("random", "issue", "record")
FOLDER = Path(__file__).parent / ".data"
RECORDS, ISSUES, RATINGS = 480_000, 17_770, 100_000_000
_GROUP = 1 << 20
_PACKED = 1 << 12  # days, packed with record, issue and rating into one number

PEER = """
import sys, polars as pl
frame = pl.read_parquet(sys.argv[1], columns=["record", "issue", "rating"]).sort("record", "issue")
assert frame.height
"""
LIBRARIES = "import ratingpriv.audit.verdict, polars, pyarrow.parquet, numba"


class Run(NamedTuple):
    """What one process took: wall-clock seconds, seconds of processors, and bytes at its peak."""

    seconds: float
    busy: float
    memory: int


def rows(ratings: int = RATINGS, order: str = "random", runs: int = 3) -> Iterator[Row]:
    """Measure, and return a line for the time and one for the memory."""
    path = FOLDER / f"{ratings}-{order}.parquet"
    if not path.exists():
        # in another process, because a child's peak memory counts from what its parent has
        here = [sys.executable, "-m", "benchmarks.parquet_audit", "--generate", str(path)]
        subprocess.run([*here, "--ratings", str(ratings), "--order", order], check=True)
    command = [sys.executable, "-m", "ratingpriv", "audit", str(path)]
    command += ["--no-sensitive", "--k", "2", "--epsilon", "1", "--quiet"]
    measured(command)  # compiled code comes from the cache afterwards, and the file from memory
    ours, peers = [], []
    for _ in range(runs):
        ours.append(measured(command))
        peers.append(measured([sys.executable, "-c", PEER, str(path)]))
    empty = measured([sys.executable, "-c", LIBRARIES])
    mine, peer = (statistics.median(run.seconds for run in each) for each in (ours, peers))
    work = f"whole audit of {ratings:,} ratings in Parquet, in {order} order"
    yield Row(
        f"{work} (peer: polars reads and sorts; of processors {_busy(ours)} and {_busy(peers)})",
        seconds(mine),
        seconds(peer),
        f"{mine / peer:.2f}x",
        "<= 2x",
        mine <= 2 * peer,
    )
    memory = max(run.memory for run in ours)
    csr = 8 * (RECORDS + 1) + 5 * ratings
    yield Row(
        f"{work}: peak memory (peer: the CSR; interpreter and libraries alone take "
        f"{_megabytes(empty.memory)}, polars {_megabytes(max(run.memory for run in peers))})",
        _megabytes(memory),
        _megabytes(csr),
        f"{memory / csr:.2f}x",
        "<= 3x",
        memory <= 3 * csr,
    )


def generate(path: Path, ratings: int, order: str) -> None:
    """Write the file; the same arguments give the same ratings."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    packed = _packed(ratings)
    rng = np.random.default_rng(2)
    if order == "random":
        rng.shuffle(packed)
    elif order == "issue":  # issue by issue, records at random within: as the Netflix files are
        records = rng.permutation(RECORDS)
        for at in range(0, len(packed), _GROUP):
            record, issue, rest = _unpacked(packed[at : at + _GROUP])
            packed[at : at + _GROUP] = (issue * RECORDS + records[record]) * (8 * _PACKED) + rest
        packed.sort()
    schema = pa.schema(
        [
            ("record", pa.int32()),
            ("issue", pa.int32()),
            ("rating", pa.int8()),
            ("date", pa.date32()),
        ]
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with pq.ParquetWriter(part, schema) as writer:
        for at in range(0, len(packed), _GROUP):
            first, second, rest = _unpacked(
                packed[at : at + _GROUP], RECORDS if order == "issue" else ISSUES
            )
            record, issue = (second, first) if order == "issue" else (first, second)
            columns = [record + 1, issue + 1, rest // _PACKED + 1, rest % _PACKED + 10_000]
            arrays = [
                pa.array(column.astype(np.int8 if place == 2 else np.int32)).cast(
                    schema.types[place]
                )
                for place, column in enumerate(columns)
            ]
            writer.write_table(pa.table(arrays, schema=schema), row_group_size=_GROUP)
    part.replace(path)


def _packed(ratings: int) -> NDArray[np.int64]:
    """Return ratings by record, then issue, each as one number.

    A record's issues are drawn one from each of as many slices of a power law as it has ratings:
    they ascend, and two of one issue, which are neighbours, become one.
    """
    import numpy as np

    rng = np.random.default_rng(1)
    share = np.minimum((1 - np.arange(RECORDS) / RECORDS) ** -0.65, 80)  # a few rate very much
    rng.shuffle(share)
    factor, parts = 1.0, []
    for attempt in range(2):
        parts, total = [], 0
        wanted = np.maximum(1, share * (factor * ratings / share.sum())).astype(np.int64)
        for first in range(0, RECORDS, 20_000):
            counts = wanted[first : first + 20_000]
            if attempt == 0 and first % 200_000:  # first a sample, to see how many are lost
                continue
            owner = np.repeat(np.arange(first, first + len(counts)), counts)
            start = np.repeat(np.cumsum(counts) - counts, counts)
            drawn = (np.arange(len(owner)) - start + rng.random(len(owner))) / np.repeat(
                counts, counts
            )
            issue = np.minimum((ISSUES * drawn**2.5).astype(np.int64), ISSUES - 1)
            key = owner * ISSUES + issue
            key = key[np.concatenate(([True], key[1:] != key[:-1]))]
            total += len(key)
            if attempt:
                parts.append(
                    key * (8 * _PACKED) + rng.integers(0, 5, len(key)) * _PACKED + key % 2000
                )
        if attempt == 0:
            sampled = sum(
                int(wanted[first : first + 20_000].sum()) for first in range(0, RECORDS, 200_000)
            )
            factor = 1.004 * sampled / total
    everything: NDArray[np.int64] = np.concatenate(parts)
    surplus = len(everything) - ratings
    if surplus > 0:  # leave out some, evenly
        gone = np.linspace(0, len(everything) - 1, surplus).astype(np.int64)
        everything = np.delete(everything, gone)
    return everything


def _unpacked(packed: NDArray[np.int64], low: int = ISSUES) -> tuple[Any, Any, Any]:
    """Return (high, low, rating and date) of packed ratings."""
    key, rest = packed // (8 * _PACKED), packed % (8 * _PACKED)
    return key // low, key % low, rest


def measured(command: list[str], output: IO[bytes] | int = subprocess.DEVNULL) -> Run:
    """Run a program to its end, what it prints into ``output``; "not satisfied" ends with 1."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=output) as process:
        _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{command} ended with {process.returncode}")
    scale = 1 if sys.platform == "darwin" else 1024
    return Run(took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale)


def _busy(runs: list[Run]) -> str:
    return seconds(statistics.median(run.busy for run in runs))


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure, print and return the rows of both orders."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ratings", type=int, default=RATINGS)
    parser.add_argument("--order", choices=ORDERS, help="default: random, then record")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the size, one run")
    parser.add_argument("--generate", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.generate is not None:
        generate(options.generate, options.ratings, options.order)
        return []
    ratings, runs = (options.ratings // 20, 1) if options.quick else (options.ratings, options.runs)
    print(HEADER)
    found = []
    for order in [options.order] if options.order else ["random", "record"]:
        for row in rows(ratings, order, runs):
            print(row.markdown(), flush=True)
            found.append(row)
    return found


if __name__ == "__main__":
    main()
