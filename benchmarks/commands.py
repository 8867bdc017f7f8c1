"""Whole commands as a user starts them: the first second, the first run, a file at once.

CPU seconds of the process and what it starts, the best of three; ``compiled anew`` has an empty
folder of kernels, and is run once. The peer reads the same file with polars and groups equal rows.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from packaging.requirements import Requirement

from benchmarks.timing import Row, cpu_of_children, seconds

_SURVEY = Path(__file__).parents[1] / "examples" / "survey.csv"
_PROGRAM = (sys.executable, "-m", "ratingpriv")
_PEER = (
    "import sys, polars as pl; table = pl.read_csv(sys.argv[1]); "
    "print(table.group_by(table.columns[1:]).len()['len'].min())"
)
_EQUAL = ("--id", "id", "--k", "2", "--epsilon", "0")
_NEAR = ("--id", "id", "--k", "5", "--epsilon", "1")


def cpu(command: Sequence[str | Path], runs: int = 3, kernels: Path | None = None) -> float:
    """Return the least CPU seconds of so many runs of a command."""
    environment = {name: value for name, value in os.environ.items() if "DONTWRITE" not in name}
    if kernels is not None:
        environment["NUMBA_CACHE_DIR"] = str(kernels)
    took = []
    for _ in range(runs):
        before = cpu_of_children()
        subprocess.run(command, env=environment, capture_output=True, check=False)
        took.append(cpu_of_children() - before)
    return min(took)


def written(folder: Path, records: int, items: int) -> Path:
    """Write answers 1 to 5 that go together, as three traits and noise make them."""
    rng = np.random.default_rng(3)
    traits = rng.normal(size=(records, 3)) @ rng.normal(size=(3, items))
    answers = np.clip(np.rint(0.8 * (traits + rng.normal(size=(records, items))) + 3), 1, 5)
    columns = {f"q{item}": answers[:, item].astype(np.int8) for item in range(items)}
    path = folder / f"{records}x{items}.csv"
    pl.DataFrame({"id": np.arange(records)} | columns).write_csv(path)
    return path


def installed() -> float:
    """Return the MiB of the distributions that the core requires, compiled sources left out."""
    found: dict[str, importlib.metadata.Distribution] = {}
    waiting = ["ratingpriv"]
    while waiting:
        for required in map(Requirement, importlib.metadata.requires(waiting.pop()) or ()):
            applies = required.marker is None or required.marker.evaluate({"extra": ""})
            if applies and required.name not in found:
                found[required.name] = importlib.metadata.distribution(required.name)
                waiting.append(required.name)
    files = [Path(str(one.locate_file(file))) for one in found.values() for file in one.files or ()]
    return sum(file.stat().st_size for file in files if file.exists()) / 2**20


def main(arguments: Sequence[str]) -> list[Row]:
    """Return a row a command."""
    quick = "--quick" in arguments
    rows = []

    def row(
        work: str, took: float, bar: float, peer: float | None = None, times: float | None = None
    ) -> None:
        met = took <= bar if times is None or peer is None else took <= times * peer
        shown = seconds(bar) if times is None else f"{times:g}x"
        ratio = "" if peer is None else f"{took / peer:.2f}x"
        other = "" if peer is None else seconds(peer)
        rows.append(Row(work, seconds(took), other, ratio, f"<= {shown}", met))

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        audit = (*_PROGRAM, "audit", _SURVEY, "--k", "5", "--epsilon", "1")
        row("`--help`", cpu((*_PROGRAM, "--help")), 0.12)
        row("`describe examples/survey.csv`", cpu((*_PROGRAM, "describe", _SURVEY)), 0.45)
        row("`audit examples/survey.csv`", cpu(audit), 0.6)
        for records, items, times in ((100_000, 20, 2.2), (1_000_000, 8, 1.8)):
            path = written(folder, records // 100 if quick else records, items)
            peer = cpu((sys.executable, "-c", _PEER, path))
            took = cpu((*_PROGRAM, "audit", path, *_EQUAL))
            row(
                f"audit at ε = 0 of {records:,} × {items} from CSV (peer: polars)",
                took,
                0,
                peer,
                times,
            )
        path = written(folder, 1_000 if quick else 10_000, 20)
        suppress = ("--method", "suppress", "-o", folder / "r.csv", "--force")
        for work, options, bar in (
            ("audit", (), 3.0),
            ("partition", (), 5.0),
            ("anonymize", suppress, 5.0),
        ):
            with tempfile.TemporaryDirectory() as kernels:
                took = cpu((*_PROGRAM, work, path, *_NEAR, *options), 1, Path(kernels))
            row(f"{work} of 10,000 × 20, k=5, ε=1, compiled anew", took, bar)
        path = written(folder, 2_000 if quick else 100_000, 20)
        row("partition of 100,000 × 20, k=5, ε=1", cpu((*_PROGRAM, "partition", path, *_NEAR)), 2.0)
    size = installed()
    rows.append(Row("what the core installs", f"{size:.0f} MiB", "", "", "<= 850 MiB", size <= 850))
    return rows
