"""How far each command goes: growth by size, and a cost model that has to foretell a larger one.

    python -m benchmarks.scale [--works audit,attack] [--limit SECONDS] [-o MEASURED.json]
    python -m benchmarks.scale --fit MEASURED.json

Each point runs in a process of its own: what it takes of processors once the table is there, and
the most memory of the process, interpreter and table included. Kernels are compiled before, by the
same work on a small table. From a central size one thing is changed at a time (a *sweep*); of each
the largest size is held back. The model is ``seconds = c * product of size ** exponent``, with an
exponent for each thing changed, by least squares of logarithms; where records are compared with
each other, ``n + n² / turn`` takes the place of the records' power. What it says of the sizes held
back stands beside what they took.

Seconds are of processors, one thread, so that another load beside it matters little. It is no part
of ``python -m benchmarks``: it takes about an hour.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SWEEPS", "Fitted", "Sweep", "fit", "main", "measure"]

Size = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Sweep:
    """Sizes of one table, by ``over``: ``at`` holds the rest,
    ``values`` ascend and the last is held back.
    """

    work: str
    over: str
    at: Size
    values: tuple[int, ...]

    def sizes(self) -> Iterator[tuple[dict[str, int], bool]]:
        """Yield each size and whether it is held back."""
        for value in self.values:
            yield {**self.at, self.over: value}, value == self.values[-1]


_DENSE = {"records": 100_000, "items": 20, "levels": 5}
# nearly everybody is at risk: they are modified
_APART = {"records": 10_000, "items": 50, "levels": 5}
_SPARSE = {"records": 100_000, "items": 5_000, "ratings": 5_000_000}
_FEW = {"records": 10_000, "items": 5_000, "ratings": 1_000_000}
SWEEPS = (
    Sweep("audit", "records", _DENSE, (30_000, 100_000, 300_000, 1_000_000)),
    Sweep("audit", "items", _DENSE, (5, 10, 20, 40, 80)),
    Sweep("audit", "levels", _DENSE, (5, 10, 20)),  # with 2 everything is within epsilon
    Sweep("sparse audit", "records", _SPARSE, (30_000, 100_000, 300_000)),
    Sweep("sparse audit", "ratings", _SPARSE, (1_000_000, 3_000_000, 10_000_000, 30_000_000)),
    Sweep("frontier", "records", _DENSE, (30_000, 100_000, 300_000)),
    Sweep("frontier", "items", _DENSE, (5, 10, 20, 40)),
    Sweep("frontier", "levels", _DENSE, (2, 5, 10)),
    Sweep("partition", "records", _DENSE, (30_000, 100_000, 300_000)),
    Sweep("partition", "items", _DENSE, (5, 10, 20, 40)),
    Sweep("modify", "records", _APART, (5_000, 10_000, 20_000, 40_000)),
    Sweep("modify", "items", _APART, (50, 70, 100, 150)),
    Sweep("attack", "records", _SPARSE, (30_000, 100_000, 300_000)),
    Sweep("attack", "ratings", _SPARSE, (1_000_000, 3_000_000, 10_000_000, 30_000_000)),
    Sweep("predictive", "records", _FEW, (5_000, 10_000, 20_000)),
    Sweep("predictive", "ratings", _FEW, (500_000, 1_000_000, 2_000_000)),
)  # fmt: skip


def _dense(size: Size) -> Any:
    from ratingpriv_loaders.synthetic.generators import likert_survey

    return likert_survey(size["records"], size["items"], rng=1, levels=size["levels"])


def _sparse(size: Size) -> Any:
    from ratingpriv_loaders.synthetic.generators import sparse_ratings

    return sparse_ratings(size["records"], size["items"], size["ratings"], rng=1)


def _audit(table: Any) -> object:
    import ratingpriv

    return ratingpriv.audit(table, k=20, epsilon=1, threads=1)


def _frontier(table: Any) -> object:
    import ratingpriv

    return ratingpriv.frontier(table, k=20, partition=False, threads=1)


def _partition(table: Any) -> object:
    import ratingpriv

    return ratingpriv.partition(table, k=20, epsilon=1, method="greedy", threads=1)


def _modify(table: Any) -> object:
    from ratingpriv.anonymize import modify

    return modify(table, k=20, epsilon=1, rng=0, threads=1)


def _attack(table: Any) -> object:
    from ratingpriv.attack import Knowledge, draw, scoreboard_rh
    from ratingpriv.base.compute.resources import Resources

    drawn = draw(table, Knowledge(targets=1000, known=8, wrong=2, date_error=14), rng=1)
    return scoreboard_rh(table, drawn.auxiliary, resources=Resources(1))


def _predictive(table: Any) -> object:
    from ratingpriv.anonymize.methods import predictive

    return predictive(table, k=20, rng=0, threads=1)


_COMPARING = ("audit", "frontier", "partition")
"""Works on dense data, which compare records that have nothing else to tell them apart."""

_IMPORTED = 0.2
"""GiB that a process has before there are data, about."""

_LONG = 60.0
"""CPU seconds beyond which compiling does not matter."""

WORKS: dict[str, tuple[Callable[[Size], Any], Callable[[Any], object], Size]] = {
    "audit": (_dense, _audit, {"records": 60_000, "items": 6, "levels": 5}),
    "sparse audit": (_sparse, _audit, {"records": 2_000, "items": 500, "ratings": 200_000}),
    "frontier": (_dense, _frontier, {"records": 60_000, "items": 6, "levels": 5}),
    "partition": (_dense, _partition, {"records": 30_000, "items": 10, "levels": 5}),
    "modify": (_dense, _modify, {"records": 20_000, "items": 10, "levels": 5}),
    "attack": (_sparse, _attack, {"records": 2_000, "items": 500, "ratings": 200_000}),
    "predictive": (_sparse, _predictive, {"records": 500, "items": 500, "ratings": 20_000}),
}
"""Of each work: the table of a size, what is measured, and the size of the table on which kernels
compile.
"""


def measure(work: str, size: Size) -> dict[str, float]:
    """Do ``work`` on a table of ``size`` in this process.

    Return CPU seconds, and GiB at most and before.
    """
    make, do, small = WORKS[work]
    do(make(small))
    table = make(size)
    before, seconds = _peak(), 0.0
    # where it is quick, kernels that the small table did not need would be most of it
    for _ in range(2):
        start = _processors()
        do(table)
        seconds = _processors() - start
        if seconds > _LONG:
            break
    return {"seconds": seconds, "peak": _peak(), "before": before}


def _processors() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A cost model: ``fixed + c * product(size[name] ** exponent)``,
    times ``n + n² / turn`` of the records.

    ``turn``, where it is not None: from so many records on comparing them costs more than all that
    is done once for each; it takes the place of an exponent of the records.
    """

    fixed: float
    c: float
    exponents: Mapping[str, float]
    turn: float | None = None

    def __call__(self, size: Size) -> float:
        """Return what the model says of ``size``."""
        grown = math.prod(float(size[name]) ** power for name, power in self.exponents.items())
        return float(self.fixed + self.c * grown * _compared(size, self.turn))


def _compared(size: Size, turn: float | None) -> float:
    return 1.0 if turn is None else size["records"] + size["records"] ** 2 / turn


def fit(
    sizes: Sequence[Size],
    values: Sequence[float],
    over: Sequence[str],
    fixed: float = 0.0,
    *,
    turning: bool = False,
) -> Fitted:
    """Fit the model to ``values`` by least squares of logarithms,
    with ``fixed`` taken off first.
    """
    names = [name for name in over if name != "records"] if turning else list(over)
    turns: list[float | None] = (
        [float(turn) for turn in np.geomspace(1e3, 1e9, 121)] if turning else [None]
    )
    best, least = Fitted(fixed, 0.0, {}), math.inf
    for turn in turns:
        rows = np.array([[1.0, *(math.log(size[name]) for name in names)] for size in sizes])
        grown = np.log([_compared(size, turn) for size in sizes])
        logs: NDArray[np.float64] = np.log(np.maximum(np.array(values) - fixed, 1e-3)) - grown
        found, *_ = np.linalg.lstsq(rows, logs, rcond=None)
        error = float(((rows @ found - logs) ** 2).sum())
        if error < least:
            exponents = dict(zip(names, map(float, found[1:]), strict=True))
            best, least = Fitted(fixed, float(math.exp(found[0])), exponents, turn), error
    return best


def run(works: Sequence[str], limit: float, path: Path | None) -> list[dict[str, Any]]:
    """Measure every size of ``works``, each once, in a process of its own,
    and write them to ``path``.
    """
    points: list[dict[str, Any]] = []
    seen: dict[tuple[str, str], dict[str, Any]] = {}
    for sweep in (one for one in SWEEPS if one.work in works):
        for size, held_back in sweep.sizes():
            point: dict[str, Any] = {
                "work": sweep.work,
                "size": size,
                "over": sweep.over,
                "held_back": held_back,
            }
            key = sweep.work, json.dumps(size, sort_keys=True)
            if key not in seen:
                command = [
                    sys.executable,
                    "-m",
                    "benchmarks.scale",
                    "--one",
                    json.dumps([sweep.work, size]),
                ]
                try:
                    ended = subprocess.run(
                        command, check=True, capture_output=True, text=True, timeout=limit or None
                    )
                    seen[key] = json.loads(ended.stdout.splitlines()[-1])
                except subprocess.TimeoutExpired:
                    seen[key] = {"longer_than": limit}
            points.append({**point, **seen[key]})
            print(json.dumps(points[-1]), flush=True)
            if path is not None:
                path.write_text(json.dumps(points, indent=1) + "\n", encoding="utf-8")
    return points


def report(points: Sequence[Mapping[str, Any]]) -> str:
    """Return as Markdown the model of each work, and what it says beside what was measured."""
    texts = []
    for work in dict.fromkeys(point["work"] for point in points):
        mine = [point for point in points if point["work"] == work and "seconds" in point]
        known = [point for point in mine if not point["held_back"]]
        over = list(dict.fromkeys(point["over"] for point in mine))
        if len(known) < len(over) + 1:
            continue
        sizes = [one["size"] for one in known]
        times = fit(sizes, [one["seconds"] for one in known], over, turning=work in _COMPARING)
        memory = fit(sizes, [one["peak"] for one in known], over, _IMPORTED)
        lines = [
            f"**{work}**: CPU seconds = {_said(times)}; GiB = {_said(memory)}",
            "",
            "| size | CPU s | model | ratio | GiB | model |",
            "|---|---|---|---|---|---|",
        ]
        for one in mine:
            said, held = times(one["size"]), memory(one["size"])
            size = " × ".join(f"{value:,} {name}" for name, value in one["size"].items())
            lines.append(
                f"| {size}{' (held back)' if one['held_back'] else ''} | {one['seconds']:.3g} | "
                f"{said:.3g} "
                f"| {one['seconds'] / said:.2f} | {one['peak']:.2f} | {held:.2f} |"
            )
        texts.append("\n".join(lines))
    return "\n\n".join(texts)


def _said(model: Fitted) -> str:
    terms = [f"{name}^{power:.2f}" for name, power in model.exponents.items()]
    if model.turn is not None:
        terms.insert(0, f"(records + records² / {model.turn:,.3g})")
    powers = " · ".join(terms)
    return f"{f'{model.fixed:.2g} + ' if model.fixed else ''}{model.c:.3g} · {powers}"


def main(arguments: list[str] | None = None) -> None:
    """Measure, or fit what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--works", default=",".join(WORKS), help="some of: " + ", ".join(WORKS))
    parser.add_argument("--limit", type=float, default=1200, help="seconds for a point; 0: none")
    parser.add_argument("--fit", type=Path, help="fit what an earlier run has written")
    parser.add_argument("-o", "--output", type=Path, help="where the points are written, as JSON")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.one:
        work, size = json.loads(asked.one)
        print(json.dumps(measure(work, size)))
        return
    if asked.fit:
        points = json.loads(asked.fit.read_text(encoding="utf-8"))
    else:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        works = asked.works.split(",")
        if unknown := [work for work in works if work not in WORKS]:
            parser.error(f"unknown work {unknown[0]!r}")
        points = run(works, asked.limit, asked.output)
    print(report(points))


if __name__ == "__main__":
    main()
