"""Long work at the desk: one piece at a time, which tells how far it is and can be cancelled."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, RatingPrivError

type State = Literal["running", "done", "cancelled", "failed"]


class CancelledError(BaseException):
    """Somebody pressed Cancel; like Ctrl-C it is no error that anything handles."""


@dataclass(eq=False)
class Job:
    """One piece of work; ``news`` counts what became visible on the way,
    ``error`` is why it failed.
    """

    title: str
    what: str = ""
    done: int = 0
    total: int | None = None
    state: State = "running"
    error: Exception | None = None
    news: int = 0
    began: float = field(default_factory=time.monotonic)
    ended: threading.Event = field(default_factory=threading.Event)
    _cancelled: bool = False

    def cancel(self) -> None:
        """End the work where it next reports."""
        self._cancelled = True

    def report(self, what: str, done: int, total: int | None) -> None:
        """Take what the library reports; CancelledError where the work was cancelled."""
        if self._cancelled:
            raise CancelledError
        self.what, self.done, self.total = what, done, total

    def step(self, what: str) -> None:
        """Begin another part of the work."""
        self.report(what, 0, None)

    @property
    def running(self) -> bool:
        """Whether it is under way."""
        return self.state == "running"

    @property
    def resources(self) -> Resources:
        """What the library is given, so that it reports here."""
        return Resources(progress=self.report)

    def to_dict(self) -> dict[str, object]:
        """Return what a page shows of it."""
        shown = ("title", "what", "done", "total", "state", "news")
        seconds = round(time.monotonic() - self.began)
        return {**{name: getattr(self, name) for name in shown}, "seconds": seconds}


class Jobs:
    """The desk's long work."""

    def __init__(self) -> None:
        self.last: Job | None = None
        self._lock = threading.Lock()

    @property
    def running(self) -> bool:
        """Whether there is work under way."""
        return self.last is not None and self.last.running

    def start(self, title: str, work: Callable[[Job], object]) -> Job:
        """Begin some work; ParameterError where there is other work under way."""
        with self._lock:
            if self.last is not None and self.last.running:
                raise ParameterError(
                    "job", self.last.title, "one at a time", "wait for it, or cancel it"
                )
            self.last = job = Job(title)
        threading.Thread(target=_run, args=(job, work), name="desk", daemon=True).start()
        return job

    def cancel(self) -> None:
        """Cancel what is under way, if anything is."""
        if self.last is not None:
            self.last.cancel()


def _run(job: Job, work: Callable[[Job], object]) -> None:
    state: State = "failed"
    try:
        work(job)
        state = "done"
    except CancelledError:
        state = "cancelled"
    except (RatingPrivError, MemoryError) as error:
        job.error = error
    except Exception as fault:
        traceback.print_exc()
        job.error = fault
    finally:
        job.state = state
        job.ended.set()
