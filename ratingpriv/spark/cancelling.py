"""Ctrl-C: what a run has begun on Spark is cancelled, and what it leaves is removed after that, not before.

py4j answers one thread at a time, in order. A thread that is interrupted while it waits for an answer gets
that answer to its next question, when the job is done; until then it can stop nothing, and what it removes is
written again. So a run has a thread of its own, which nobody interrupts, and the one that started it waits.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import time
import uuid
from collections.abc import Callable
from typing import Any

from ratingpriv.base.unfinished import finishing
from ratingpriv.spark.session import connected

_MOMENT = 0.1  # seconds between looks at a run
_QUIET = 3  # so many looks in a row at which no task runs; what Spark counts is a tenth of a second old
_PATIENCE = 30.0  # seconds that tasks are waited for: others of the session may run without end


def cancellable[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """Let a function of ``df``, its first argument, be interrupted: jobs are cancelled, and it cleans up.

    It runs in a thread with the properties and tags of the one that calls it.
    """

    @functools.wraps(function)
    def called(*arguments: P.args, **named: P.kwargs) -> R:
        df = arguments[0] if arguments else named.get("df")
        spark = getattr(df, "sparkSession", None)
        if spark is None:  # no DataFrame of Spark's: the function says so
            return function(*arguments, **named)
        tag = f"ratingpriv-{uuid.uuid4().hex}"
        returned: list[R] = []
        raised: list[BaseException] = []

        def run() -> None:
            try:
                returned.append(function(*arguments, **named))
            except BaseException as error:  # raised again where the run was asked for
                raised.append(error)

        def stop() -> None:
            while thread.is_alive():
                with contextlib.suppress(Exception):  # it ends without that, later
                    cancel(tag)
                thread.join(_MOMENT)
            with contextlib.suppress(Exception):  # a session that is gone has no tags
                end(tag)

        thread = importlib.import_module("pyspark").InheritableThread(target=run, session=spark, daemon=True)
        # a session knows the tags of the thread that asks, its context those of all; Connect has no context
        if connected(spark):
            begin, cancel, end = spark.addTag, spark.interruptTag, spark.removeTag
        else:
            context = spark.sparkContext
            begin, cancel, end = context.addJobTag, context.cancelJobsWithTag, context.removeJobTag
        begin(tag)  # the thread inherits it
        with finishing(stop):
            thread.start()
            while thread.is_alive():  # a join without an end could not be interrupted everywhere
                thread.join(_MOMENT)
        if raised:
            raise raised[0]
        return returned[0]

    return called


def settle(spark: Any) -> None:
    """Wait until no task of a session runs, half a minute at most: one that is cancelled still writes.

    Connect does not say what runs.
    """
    quiet, end = 0, time.monotonic() + _PATIENCE
    with contextlib.suppress(Exception):  # Connect, or a session that is gone
        tracker = spark.sparkContext._jsc.sc().statusTracker()
        while quiet < _QUIET and time.monotonic() < end:
            running = sum(executor.numRunningTasks() for executor in tracker.getExecutorInfos())
            quiet = 0 if running else quiet + 1
            time.sleep(_MOMENT)
