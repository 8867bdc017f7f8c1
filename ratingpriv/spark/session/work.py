"""The folder in which a run keeps what steps hand on: its own, removed at the end; no other is touched."""

from __future__ import annotations

import contextlib
import importlib
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ratingpriv.errors import OutputError, ParameterError
from ratingpriv.spark.session.cancelling import settle
from ratingpriv.spark.session.session import local

__all__ = [
    "PREFIX",
    "below",
    "folder_of_run",
    "local_path",
    "refuse_existing",
    "removed",
    "write_whole",
]

PREFIX = "ratingpriv-run-"
"""What the folders of runs are called; such a one of a killed run may be removed."""


def local_path(place: str) -> Path | None:
    """Return a place as a path of this machine's; None where it is elsewhere (``s3a://…``, ``hdfs://…``)."""
    scheme, colon, rest = place.partition("://")
    if not colon:
        return Path(place.removeprefix("file:")) if place.startswith("file:/") else Path(place)
    return Path(rest) if scheme == "file" else None


@contextlib.contextmanager
def folder_of_run(spark: Any, work: str | None) -> Iterator[str]:
    """Give the name of a new folder in ``work``, and remove it at the end, whatever happened.

    Parameters
    ----------
    work : a folder that every executor reaches, by path or URI, which is made where it is not there; None: a
        temporary one, where the session is of this machine alone

    Raises
    ------
    ParameterError
        There is none, and the session has executors elsewhere.
    OutputError
        Something is in it that is no run's.
    """
    if work is None:
        if not local(spark.conf.get("spark.master", None)):
            expected = "a folder that every executor reaches, such as s3a://bucket/work or hdfs:///tmp/work"
            raise ParameterError("work", None, expected, "name one with `work`")
        with tempfile.TemporaryDirectory(prefix=PREFIX) as made:
            try:
                yield made
            except BaseException:
                settle(spark)
                raise
        return
    place = local_path(work)
    before = None if place is None else place.exists()
    names = _names(spark, work)
    if any(not name.startswith(PREFIX) for name in names):
        raise OutputError(f"{work}: found a folder with other things in it; name an empty or a new one")
    run = f"{work.rstrip('/')}/{PREFIX}{uuid.uuid4().hex}"
    try:
        yield run
    except BaseException:
        settle(spark)
        raise
    finally:
        removed(spark, run)
        if place is not None and not before:
            with contextlib.suppress(OSError):
                place.rmdir()


def removed(spark: Any, folder: str) -> None:
    """Remove a folder with what is in it; nothing happens where there is none."""
    place = local_path(folder)
    if place is not None:
        shutil.rmtree(place, ignore_errors=True)
        return
    with contextlib.suppress(Exception):  # the run has ended, or failed, for reasons of its own
        _elsewhere(spark, folder)[1]()


def refuse_existing(parameter: str, place: str) -> None:
    """Raise OutputError where a folder that is to be made is there, or the one that it would be in is not."""
    here = local_path(place)
    if here is not None and (here.exists() or here.is_symlink()):
        raise OutputError(f"{place}: it exists already; name a new folder for `{parameter}`")
    if here is not None and not here.absolute().parent.is_dir():
        raise OutputError(f"{place}: the folder that it would be in does not exist; make it first")


def write_whole(spark: Any, rows: Any, place: str) -> None:
    """Write rows to a folder of Parquet that is there whole or not at all; it names records."""
    here = local_path(place)
    if here is None:
        try:
            rows.write.parquet(place)
        except BaseException:
            settle(spark)
            removed(spark, place)
            raise
        return
    here = here.absolute()  # Spark's own folder may be another
    partial = here.with_name(f".{here.name}.{uuid.uuid4().hex}.partial")
    try:
        rows.write.parquet(str(partial))
        partial.chmod(0o700)
        partial.rename(here)
    except BaseException:
        settle(spark)
        removed(spark, str(partial))
        raise


def below(files: Sequence[str], folder: str) -> bool:
    """Whether one of some files, as Spark names them, is a folder or in it."""
    place = local_path(folder)
    if place is None:
        inside = folder.rstrip("/")
        return any(file == inside or file.startswith(f"{inside}/") for file in files)
    real = place.resolve()
    paths = [path.resolve() for file in files if (path := local_path(file)) is not None]
    return any(path == real or real in path.parents for path in paths)


def _names(spark: Any, folder: str) -> list[str]:
    place = local_path(folder)
    if place is None:
        return _elsewhere(spark, folder)[0]()
    if place.is_dir():
        return [one.name for one in place.iterdir()]
    if place.exists():
        raise OutputError(f"{folder}: found a file, expected a folder to work in")
    return []


def _elsewhere(spark: Any, folder: str) -> tuple[Callable[[], list[str]], Callable[[], None]]:
    """Return what lists and what removes a folder elsewhere: by Spark's own access where it is at hand."""
    jvm = getattr(spark, "_jvm", None)
    if jvm is not None:
        path = jvm.org.apache.hadoop.fs.Path(folder)
        system = path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())

        def listed() -> list[str]:
            if not system.exists(path):
                return []
            return [one.getPath().getName() for one in system.listStatus(path)]

        return listed, lambda: system.delete(path, True)
    files: Any = importlib.import_module("pyarrow.fs")
    store, root = files.FileSystem.from_uri(folder.replace("s3a://", "s3://", 1))
    selector = files.FileSelector(root, allow_not_found=True)
    return (
        lambda: [one.base_name for one in store.get_file_info(selector)],
        lambda: store.delete_dir(root),
    )
