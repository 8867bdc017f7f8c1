"""The folder in which a run keeps what steps hand on: its own, removed at the end;
no other is touched.

A path without a scheme is one of this machine, as everywhere: Spark is given it as ``file://…``, so
that neither its working folder nor its default file system (HDFS on many clusters) decides where it
is.
"""

from __future__ import annotations

import contextlib
import importlib
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ratingpriv.base.errors import OutputError, ParameterError, ResourceError
from ratingpriv.spark.session import connected, local, settle

PREFIX = "ratingpriv-run-"
"""What the folders of runs are called; such a one of a killed run may be removed."""

GLOB = frozenset("{}[]*?\\")
"""A name with one of these is a pattern to Spark when it reads."""


def local_path(place: str) -> Path | None:
    """Return a place as a path of this machine's.

    None where it is elsewhere (``s3a://…``, ``hdfs://…``).
    """
    scheme, colon, rest = place.partition("://")
    if not colon:
        return Path(place.removeprefix("file:")) if place.startswith("file:/") else Path(place)
    return Path(rest) if scheme == "file" else None


@contextlib.contextmanager
def folder_of_run(spark: Any, work: str | None) -> Iterator[str]:
    """Give the name of a new folder in ``work``, made if need be, and remove it at the end,
    in any case.

    None: a temporary one, where the session is of this machine alone.
    """
    if work is None:
        if connected(spark) or not local(spark.conf.get("spark.master", None)):
            expected = (
                "a folder that every executor reaches, such as s3a://bucket/work or "
                "hdfs:///tmp/work"
            )
            raise ParameterError("work", None, expected, "name one with `work`")
        with tempfile.TemporaryDirectory(prefix=PREFIX) as made, _settled(spark):
            yield f"file://{made}"
        return
    path = local_path(work)
    before = path is None or path.exists()
    if path is not None and path.exists() and not path.is_dir():
        raise OutputError(f"{work}: found a file, expected a folder to work in")
    if path is None:
        names = _elsewhere(spark, work)[0]()
    else:
        names = [entry.name for entry in path.iterdir()] if before else []
    if any(not name.startswith(PREFIX) for name in names):
        raise OutputError(
            f"{work}: found a folder with other things in it; name an empty or a new one"
        )
    where = work.rstrip("/") if path is None else f"file://{path.absolute()}"
    if GLOB & set(where):
        raise OutputError(
            f"{work}: found a name that is a pattern to Spark; name one without {{}}[]*?\\"
        )
    run = f"{where}/{PREFIX}{uuid.uuid4().hex}"
    try:
        with _settled(spark):
            yield run
    finally:
        _remove(spark, run)
        if path is not None and not before:
            with contextlib.suppress(OSError):
                path.rmdir()


def refuse_places(df: Any, **places: str | None) -> None:
    """Refuse to write where something is, what is read, or where Spark writes on another machine.

    ``places`` are folders by the names of their parameters; of ``work`` :func:`folder_of_run` looks
    at what is in it.
    """
    given = {parameter: folder for parameter, folder in places.items() if folder is not None}
    files = df.inputFiles() if given else []
    for parameter, folder in given.items():
        if connected(df.sparkSession) and ":/" not in folder:
            expected = (
                "a URI, such as s3a://bucket/work, or file:///… where Spark has the same folders"
            )
            remedy = "Spark Connect may be on another machine, which would keep what it wrote"
            raise ParameterError(parameter, "a path of this machine", expected, remedy)
        here, inside = local_path(folder), folder.rstrip("/")
        if here is None:
            read = any(file == inside or file.startswith(f"{inside}/") for file in files)
        else:
            real = here.resolve()
            paths = [path.resolve() for file in files if (path := local_path(file)) is not None]
            read = any(path == real or real in path.parents for path in paths)
        if read:
            raise OutputError(
                f"{folder}: the DataFrame is read from there; choose another `{parameter}`"
            )
        if here is None or parameter == "work":
            continue
        if here.exists() or here.is_symlink():
            raise OutputError(f"{folder}: it exists already; name a new folder for `{parameter}`")
        if not here.absolute().parent.is_dir():
            raise OutputError(
                f"{folder}: the folder that it would be in does not exist; make it first"
            )


def write_whole(spark: Any, rows: Any, folder: str, count: int) -> None:
    """Write rows to a folder of Parquet that is there whole or not at all; it names records."""
    here = local_path(folder)
    partial, target = None, folder
    if here is not None:
        here = here.absolute()  # Spark's own folder may be another
        partial = here.with_name(f".{here.name}.{uuid.uuid4().hex}.partial")
        target = f"file://{partial}"
    try:
        with _settled(spark):
            rows.write.parquet(target)
            count_written = int(spark.read.parquet(target).count())
            if count_written != count:
                raise ResourceError(
                    f"{folder}: found {count_written:,} of {count:,} rows that were written; "
                    "name a folder that the driver and every executor reach"
                )
            if partial is not None and here is not None:
                partial.chmod(0o700)
                partial.rename(here)
    except BaseException:
        _remove(spark, target)
        raise


@contextlib.contextmanager
def _settled(spark: Any) -> Iterator[None]:
    """Wait, where the block fails, until no task writes any more."""
    try:
        yield
    except BaseException:
        settle(spark)
        raise


def _remove(spark: Any, folder: str) -> None:
    """Remove a folder with what is in it; nothing happens where there is none."""
    path = local_path(folder)
    if path is not None:
        shutil.rmtree(path, ignore_errors=True)
        return
    with contextlib.suppress(Exception):  # the run has ended, or failed, for reasons of its own
        _elsewhere(spark, folder)[1]()


def _elsewhere(spark: Any, folder: str) -> tuple[Callable[[], list[str]], Callable[[], None]]:
    """Return what lists and what removes a folder elsewhere:
    by Spark's own access where it is at hand.
    """
    jvm = getattr(spark, "_jvm", None)
    if jvm is not None:
        path = jvm.org.apache.hadoop.fs.Path(folder)
        system = path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())

        def listed() -> list[str]:
            if not system.exists(path):
                return []
            return [entry.getPath().getName() for entry in system.listStatus(path)]

        return listed, lambda: system.delete(path, True)
    files: Any = importlib.import_module("pyarrow.fs")
    store, root = files.FileSystem.from_uri(folder.replace("s3a://", "s3://", 1))
    selector = files.FileSelector(root, allow_not_found=True)
    return (
        lambda: [entry.base_name for entry in store.get_file_info(selector)],
        lambda: store.delete_dir(root),
    )
