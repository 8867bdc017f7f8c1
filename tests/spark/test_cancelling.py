"""An interrupted run: its jobs are cancelled, and what they wrote is gone for good."""

import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from ratingpriv.spark.session import cancellable
from ratingpriv.spark.work import folder_of_run

pytestmark = pytest.mark.spark


class Stopped(BaseException):
    """What the signal of these tests raises."""


@pytest.fixture
def stopping() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise Stopped

    before = signal.signal(signal.SIGUSR1, stop)
    yield
    signal.signal(signal.SIGUSR1, before)


def slowly(batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        for _ in range(300):
            time.sleep(0.1)
            yield batch


def test_what_is_interrupted_is_cancelled_and_gone(
    spark: Any, tmp_path: Path, stopping: None
) -> None:
    work = tmp_path / "work"
    seen: list[list[int]] = []

    @cancellable
    def write(df: Any) -> None:
        with folder_of_run(spark, str(work)) as folder:
            df.mapInArrow(slowly, df.schema).write.parquet(f"{folder}/results")

    def interrupt() -> None:
        while not list(work.glob("*/results/_temporary/*/_temporary/*/*.parquet")):
            time.sleep(0.02)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(Stopped):
        write(spark.range(20).repartition(2))
    seen.append(list(spark.sparkContext.statusTracker().getActiveJobsIds()))
    time.sleep(1)  # a task that goes on would write again
    assert seen == [[]]
    assert not work.exists()


def test_the_result_and_the_error_are_those_of_the_function(spark: Any) -> None:
    @cancellable
    def count(df: Any, *, more: int) -> int:
        return int(df.count()) + more

    @cancellable
    def fail(df: Any) -> None:
        raise KeyError(df.count())

    assert count(spark.range(7), more=2) == 9
    with pytest.raises(KeyError, match="7"):
        fail(spark.range(7))


def test_jobs_have_the_properties_and_tags_of_the_one_who_calls(spark: Any) -> None:
    context = spark.sparkContext

    @cancellable
    def said(df: Any) -> tuple[str | None, bool]:
        return context.getLocalProperty("spark.job.description"), "theirs" in context.getJobTags()

    context.setJobDescription("a run")
    context.addJobTag("theirs")
    try:
        assert said(spark.range(1)) == ("a run", True)
        assert sorted(context.getJobTags()) == ["theirs"]
    finally:
        context.clearJobTags()
        context.setJobDescription(None)
