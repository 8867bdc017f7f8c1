"""A whole ``ratingpriv audit`` of a survey of ten million people, and how its time grows.

    python -m benchmarks.survey_audit [--quick] [--threads T]

The survey is `engine.survey`'s: answers 1..5 to 20 items that three factors and as much noise
explain, as wide Parquet, made in blocks. Each audit is a process of its own; wall time, processor
time and peak memory are those of the process, start and imports included. ``--quick`` takes a
hundredth of the records.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.parquet_audit import measured
from benchmarks.timing import HEADER, Row, seconds

RECORDS, ISSUES = (100_000, 1_000_000, 10_000_000), 20
_BLOCK = 200_000
_COMMAND = [sys.executable, "-m", "ratingpriv", "audit"]
_QUESTION = ["--k", "20", "--epsilon", "1", "--id", "id", "--quiet"]


def write(path: Path, records: int) -> None:
    """Write a survey of so many ``records`` as wide Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    loadings = rng.normal(0, 1, (3, ISSUES)) / np.sqrt(3)
    spread = np.sqrt((loadings**2).sum(axis=0) + 1)
    names = [f"item {issue + 1}" for issue in range(ISSUES)]
    schema = pa.schema([("id", pa.int64()), *((name, pa.int8()) for name in names)])
    with pq.ParquetWriter(path, schema) as writer:
        for first in range(0, records, _BLOCK):
            count = min(_BLOCK, records - first)
            latent = rng.normal(size=(count, 3)) @ loadings + rng.normal(0, 1, (count, ISSUES))
            answers = np.clip(np.round(3 + latent / spread), 1, 5).astype(np.int8)
            columns = [np.arange(first, first + count), *answers.T]
            writer.write_table(pa.table(columns, schema=schema))


def rows(*, quick: bool = False, threads: int | None = None) -> list[Row]:
    """Measure; the bars are those of the largest survey."""
    found, before = [], 0.0
    more = [] if threads is None else ["--threads", str(threads)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "survey.parquet"
        for records in RECORDS:
            records = records // 100 if quick else records
            write(path, records)
            run = measured([*_COMMAND, str(path), *_QUESTION, *more])
            judged = records == RECORDS[-1]
            work = f"whole audit of {records:,} × {ISSUES} answers in wide Parquet, k=20, ε=1"
            peer = f"a tenth of the records: {seconds(before)} of processors" if before else ""
            ratio = f"{run.busy / before:.0f}×" if before else ""
            ours = f"{seconds(run.seconds)}; {seconds(run.busy)} of processors"
            met = run.seconds <= 100 if judged else None
            found.append(Row(work, ours, peer, ratio, "≤ 100 s" if judged else "", met))
            met = run.memory <= 2e9 if judged else None
            bar = "≤ 2,000 MB" if judged else ""
            found.append(
                Row(f"{work}: peak memory", f"{run.memory / 1e6:,.0f} MB", "", "", bar, met)
            )
            before = run.busy
    return found


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure, print and return the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a hundredth of the records")
    parser.add_argument("--threads", type=int)
    options = parser.parse_args(arguments)
    found = rows(quick=options.quick, threads=options.threads)
    print(HEADER, *(row.markdown() for row in found), sep="\n")
    return found


if __name__ == "__main__":
    main()
