"""How much of the machine a computation may use, and who is told how far it is."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratingpriv.base import checks
from ratingpriv.base.errors import ResourceError
from ratingpriv.base.progress import Progress

_SPARED = 256 << 20  # bytes of memory that are left to the system
_MEMORY = Path("/proc/meminfo")


@dataclass(frozen=True, slots=True)
class Resources:
    """Threads, memory and progress of one computation, checked when it is made.

    Attributes
    ----------
    threads : how many threads, >= 1; None: one for each core of this process
    memory : bytes that working arrays may take, about, >= 1; None: each engine's default
    progress : called with (what is being done, units done, units in all or None) as long work goes
        on
    """

    threads: int | None = None
    memory: int | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        """Check what was given."""
        for name in ("threads", "memory"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, checks.whole_number(name, value, 1))
        if self.progress is not None:
            checks.function("progress", self.progress)

    @property
    def keywords(self) -> dict[str, Any]:
        """``threads``, ``memory`` and ``progress`` for a function that
        has them as parameters of its own.
        """
        return {"threads": self.threads, "memory": self.memory, "progress": self.progress}

    @property
    def thread_count(self) -> int:
        """``threads``, or as many as this process has cores."""
        return available_cores() if self.threads is None else self.threads

    def report(self, what: str, done: int, total: int | None) -> None:
        """Tell whoever is interested how far the work is."""
        if self.progress is not None:
            self.progress(what, done, total)


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def refuse_exhausted(what: str) -> None:
    """Raise ResourceError where the machine is about to run out of memory, and knows it:
    before it kills us.

    ``what`` says what is being done. Data can be endless, or become so when they are unpacked.
    """
    try:  # what can be had, swap included
        lines = [line.partition(":") for line in _MEMORY.read_text(encoding="ascii").splitlines()]
        found = {name: int(rest.split()[0]) << 10 for name, _, rest in lines}
        free = found["MemAvailable"] + found.get("SwapFree", 0)
    except (OSError, ValueError, KeyError, IndexError):  # the system does not tell
        return
    if free < _SPARED:
        raise ResourceError(
            f"{what}: {free >> 20:,} MiB of memory and swap are left on this machine; take less "
            f"of the data "
            "with `issues` or `drop`, or use a machine with more memory"
        )


def return_memory() -> None:
    """Give free memory back to the system, which Arrow's pool and the
    C library keep after large reads.
    """
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    if sys.platform == "linux":
        import ctypes

        # glibc's; other C libraries have none
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
