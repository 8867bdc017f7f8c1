"""Time and memory of one decision, in a process of its own: ``python -m`` this module.

The process gets its work, pickled, on standard input, and prints one line of JSON. It does the work
once before, so that nothing is compiled or loaded meanwhile. Memory is the peak of what the process
has in use while it works, less the same of a process that does everything but work again. Where the
system can give back what is free and start the peak anew (Linux), what was in use before does not
hide it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import pickle
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from typing import Any

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError, TargetNotReachedError
from ratingpriv.base.target import Target
from ratingpriv.base.unfinished import run_child
from ratingpriv.data.table import RatingTable

SERIES = {
    "S": "slicing, as in the paper",
    "P": "pairwise",
    "E": "our engine",
    "M": "modify, as in the paper",
}
"""What can be measured, and how it is called."""

_STATUS = Path("/proc/self/status")
_FRUGAL = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
_FORGET_PEAK = Path("/proc/self/clear_refs")


@dataclass(frozen=True, slots=True)
class Work:
    """One decision to be measured.

    ``series`` is one of SERIES. "S": slicing, prune and adjust, verification [SWLZ11, §5]; "P":
    every pair of records compared [SWLZ11, §6]; "E": :func:`ratingpriv.audit`'s engine; "M":
    modification by the paper's grouping and strategy [SWLP10, §4].
    """

    series: str
    table: RatingTable
    k: int
    epsilon: float
    l: float | None = None  # noqa: E741 -- the theory's word


@dataclass(frozen=True, slots=True)
class Cost:
    """What a decision took, several times, and whether it is that the target is ``satisfied``.

    ``runs`` are seconds by the wall clock, one thread; or MiB that were in use at most beyond an
    empty run, which may be 0 or less where that is little.
    """

    runs: tuple[float, ...]
    satisfied: bool

    @property
    def median(self) -> float:
        """The median of the runs."""
        return statistics.median(self.runs)


def measure(work: Work, unit: str, runs: int) -> Cost:
    """Measure the "seconds" or the "mebibytes" of ``work`` in ``runs`` processes,
    one after the other.
    """
    frugal = unit == "mebibytes"
    idle = _in_a_process(work, again=False, frugal=True)["peak"] if frugal else 0
    busy = [_in_a_process(work, frugal=frugal) for _ in range(runs)]
    costs = ((run["peak"] - idle) / 2**20 if frugal else run["seconds"] for run in busy)
    return Cost(tuple(costs), bool(busy[0]["satisfied"]))


def _in_a_process(work: Work, *, again: bool = True, frugal: bool = False) -> dict[str, float]:
    """Start a process; a ``frugal`` one gives memory back as soon as it is free."""
    command = [sys.executable, "-m", "ratingpriv.studies.papers.measurement"]
    how: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), PIPE)
    how["env"] = {**os.environ, **(_FRUGAL if frugal else {})}
    code, out, errors = run_child(command, given=pickle.dumps((work, again)), **how)
    if code != 0:
        message = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise ResourceError(
            f"measuring {SERIES[work.series]}: its process ended with {code}: {message}"
        )
    costs: dict[str, float] = json.loads(out)
    return costs


def main() -> None:
    """Do the work that stands on standard input, and print what it took."""
    from ratingpriv.base.compute.compiling import pinned

    work, again = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 -- from its parent
    with pinned("compiled"):
        _decided(work)
        # give back what is free and start the peak anew, where the system can
        gc.collect()
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
        with contextlib.suppress(OSError):
            _FORGET_PEAK.write_text("5", encoding="ascii")
        start = time.perf_counter()
        satisfied = _decided(work) if again else False
        seconds = time.perf_counter() - start
    costs = {"seconds": seconds, "peak": _peak(), "satisfied": satisfied}
    sys.stdout.write(json.dumps(costs) + "\n")


def _decided(work: Work) -> bool:
    target: dict[str, Any] = {"k": work.k, "epsilon": work.epsilon, "l": work.l}
    if work.series == "S":
        from ratingpriv.studies.papers.bisection import decide_as_the_paper

        return decide_as_the_paper(work.table, Target(**target), threads=1)[1]
    if work.series == "M":
        from ratingpriv.anonymize.methods import anonymize

        try:
            return anonymize(
                work.table, "modify", **target, strategy="paper", rng=0, threads=1
            ).satisfied
        except TargetNotReachedError:
            return False
    from ratingpriv.proximity.neighbourhoods import neighbourhoods

    engine, l = "pairwise" if work.series == "P" else "slicing", work.l  # noqa: E741
    one = Resources(1)
    found = neighbourhoods(
        work.table, work.epsilon, engine=engine, sensitive=l is not None, resources=one
    )
    return bool((found.sizes >= work.k).all()) and all(
        l is None or bool(moments.at_least(l, found.sizes, "paper").all())
        for moments in found.moments
    )


def _peak() -> int:
    """Return how many bytes this process had in use at most."""
    with contextlib.suppress(OSError, StopIteration):
        lines = _STATUS.read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) << 10
    import resource  # there is none where there is no other way either

    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


if __name__ == "__main__":
    main()
