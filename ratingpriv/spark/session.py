"""Spark itself: whether it is here, sessions of the command line, Ctrl-C,
and its errors in our words.

The one place, beside the drivers, that imports pyspark, and only when it is used. It may be a
package of somebody else's (Databricks, a cluster's own): what is asked for is a version.

Ctrl-C: what a run has begun on Spark is cancelled, and what it leaves is removed after that, not
before. py4j answers one thread at a time, in order. A thread that is interrupted while it waits for
an answer gets that answer to its next question, when the job is done; until then it can stop
nothing, and what it removes is written again. So a run has a thread of its own, which nobody
interrupts, and the one that started it waits.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import re
import signal
import sys
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ratingpriv.base.compute.resources import available_cores
from ratingpriv.base.errors import ParameterError, RatingPrivError, ResourceError
from ratingpriv.base.unfinished import finishing

_MOMENT = 0.1  # seconds between looks at a run
# so many looks in a row at which no task runs; what Spark counts is a tenth of a second old
_QUIET = 3
_PATIENCE = 30.0  # seconds that tasks are waited for: others of the session may run without end

_EXTRA = "pip install 'ratingpriv[spark]', which brings pyspark and pandas"
# Spark's words for what went wrong
_CONDITION = re.compile(r"(?:Error|Exception): \[([A-Z][A-Z0-9_.]+)\]")
REFUSALS = {
    "ratingpriv refused: other cells": (
        "other cells than when they were counted",
        "data that stay as they are during an audit",
        "write them to Parquet first, and audit that",
    ),
    "ratingpriv refused: twice": (
        "a second rating of an item by the same record",
        "one rating for each record and item",
        "remove one, or reduce them before the audit",
    ),
}
"""What a step, which runs where Spark does, refuses of the data, by the text that it raises."""

_LOST = re.compile(r"ratingpriv\.base\.errors\.ResourceError: (.+)")  # from Python where Spark runs


def check_spark() -> str:
    """Return the version of pyspark.

    ParameterError, which names the extra, where Spark cannot be used.
    """
    try:
        version = str(importlib.import_module("pyspark").__version__)
    except ImportError as error:
        raise ParameterError(
            "engine", "no pyspark", "pyspark 4 for the engine spark", _EXTRA
        ) from error
    if int(version.partition(".")[0]) < 4:
        raise ParameterError(
            "engine", f"pyspark {version}", "pyspark 4 for the engine spark", _EXTRA
        )
    return version


def functions() -> Any:
    """Return ``pyspark.sql.functions``."""
    check_spark()
    return importlib.import_module("pyspark.sql.functions")


def partitions(spark: Any) -> int:
    """Return into how many parts shuffles go, as the session says.

    Spark's default where it says "auto".
    """
    text = str(spark.conf.get("spark.sql.shuffle.partitions", "200"))
    # Databricks has a word for what it chooses itself
    return int(text) if text.isdecimal() else 200


def connected(spark: Any) -> bool:
    """Whether a session is one of Spark Connect, whose driver may be on another machine."""
    return getattr(spark, "_jsparkSession", None) is None


def local(master: str | None) -> bool:
    """Whether a master is of this machine alone."""
    return master is not None and (
        master == "local" or master.startswith(("local[", "local-cluster["))
    )


@contextlib.contextmanager
def opened(master: str | None, conf: Mapping[str, str]) -> Iterator[Any]:
    """Give a session, and stop it at the end.

    One of this machine listens on the loopback address only and has no page of its own; ``conf``
    wins.

    Parameters
    ----------
    master : ``spark://…``, ``yarn``, ``local[4]``, ``sc://…`` (Connect); None: what spark-submit or
        ``SPARK_REMOTE`` says, else ``local[*]``
    """
    check_spark()
    sql, handler = importlib.import_module("pyspark.sql"), signal.getsignal(signal.SIGINT)
    with failing():
        builder = sql.SparkSession.builder.appName("ratingpriv")
        submitted = any(name in os.environ for name in ("SPARK_REMOTE", "PYSPARK_GATEWAY_PORT"))
        if master is None and not submitted and "spark.master" not in conf:
            master = "local[*]"
        # what fails is said once, by us: a log would quote plans, and cells
        settings = {"spark.sql.session.timeZone": "UTC", "spark.log.level": "OFF"}
        if local(master):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            if master is not None and master.startswith("local-cluster"):
                home = importlib.import_module("pyspark").__path__[0]
                os.environ.setdefault("SPARK_HOME", home)
            settings |= {
                "spark.driver.host": "127.0.0.1",
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.ui.enabled": "false",
                "spark.ui.showConsoleProgress": "false",
                "spark.sql.shuffle.partitions": str(max(4, 2 * available_cores())),
            }
        if master is not None:
            builder = (
                builder.remote(master) if master.startswith("sc://") else builder.master(master)
            )
        for name, value in {**settings, **conf}.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
    signal.signal(signal.SIGINT, handler)  # pyspark has put its own in its place

    def stop() -> None:
        with contextlib.suppress(Exception):  # one that is gone needs no stopping
            session.stop()

    with finishing(stop), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*pandas", category=FutureWarning)
        yield session


def cancellable[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """Let a function of ``df``, its first argument, be interrupted: jobs are cancelled,
    and it cleans up.

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

        thread = importlib.import_module("pyspark").InheritableThread(
            target=run, session=spark, daemon=True
        )
        # a session knows the tags of the thread that asks, its context those of all; Connect has no
        # context
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
    """Wait until no task of a session runs, half a minute at most:
    one that is cancelled still writes.

    Connect does not say what runs.
    """
    quiet, end = 0, time.monotonic() + _PATIENCE
    with contextlib.suppress(Exception):  # Connect, or a session that is gone
        tracker = spark.sparkContext._jsc.sc().statusTracker()
        while quiet < _QUIET and time.monotonic() < end:
            running = sum(executor.numRunningTasks() for executor in tracker.getExecutorInfos())
            quiet = 0 if running else quiet + 1
            time.sleep(_MOMENT)


@contextlib.contextmanager
def failing() -> Iterator[None]:
    """Turn what Spark raises into errors of ours:
    a ParameterError where the data are to blame, else another.

    Of Spark's own errors only the kind is shown: their text quotes plans, and may quote cells.
    """
    try:
        yield
    except (RatingPrivError, KeyboardInterrupt):
        raise
    except Exception as error:
        module, text = type(error).__module__, str(error)
        if not module.startswith(("pyspark.", "py4j.", "grpc")):
            raise
        for raised, words in REFUSALS.items():
            if raised in text:
                raise ParameterError("the data", *words) from error
        if lost := _LOST.search(text):
            raise ResourceError(lost[1].strip()) from error
        condition = ""
        for ask in ("getCondition", "getErrorClass"):
            with contextlib.suppress(Exception):
                condition = condition or str(getattr(error, ask)() or "")
        named = [condition, *_CONDITION.findall(text)]
        if "No module named 'ratingpriv" in text:
            named.append("ratingpriv is not installed where the executors' Python is")
        shown = ", ".join(dict.fromkeys(name for name in named if name))
        kind = type(error).__name__ + (f" ({shown})" if shown else "")
        more = "its log says more; what it had written is gone again"
        raise ResourceError(f"Spark: {kind}; {more}") from error
