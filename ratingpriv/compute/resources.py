"""How much of the machine a computation may use, and who is told how far it is."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ratingpriv import checks
from ratingpriv.progress import Progress

__all__ = ["Resources", "available_cores"]


@dataclass(frozen=True, slots=True)
class Resources:
    """Threads, memory and progress of one computation, checked when it is made.

    Attributes
    ----------
    threads : how many threads, >= 1; None: one for each core of this process
    memory : bytes that working arrays may take, about, >= 1; None: each engine's default
    progress : called with (what is being done, units done, units in all or None) as long work goes on

    Raises
    ------
    ParameterError
        The first value that is out of range.
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
