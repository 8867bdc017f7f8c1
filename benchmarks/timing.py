"""Timing a few runs, and what is printed and stored of them."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["HEADER", "Row", "cpu_of_children", "median_time", "seconds"]

HEADER = "| work | ours | peer | ratio | bar | met? |\n|---|---|---|---|---|---|"


@dataclass(frozen=True, slots=True)
class Row:
    """One measured line of a results table; ``met`` is None where there is no bar."""

    work: str
    ours: str
    peer: str
    ratio: str
    bar: str
    met: bool | None

    def markdown(self) -> str:
        """Return the line as Markdown."""
        verdict = "" if self.met is None else "yes" if self.met else "**no**"
        return (
            f"| {self.work} | {self.ours} | {self.peer} | {self.ratio} | {self.bar} | {verdict} |"
        )


def cpu_of_children() -> float:
    """Return the CPU seconds of all processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def median_time(work: Callable[[], object], runs: int) -> float:
    """Return the median wall-clock seconds of ``runs`` calls."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def seconds(value: float) -> str:
    """Return a duration with three digits."""
    return f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"
