"""Writing files so that nothing half-written is ever seen: temporary file, fsync, rename."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple, NoReturn

from ratingpriv.base.errors import OutputError, RatingPrivError, ResourceError
from ratingpriv.base.inputs import refuse_inputs
from ratingpriv.base.partial import partial_file, partial_folder, partial_link

DISK_FAILED = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
"""What the operating system says where a disk is full or failed."""

_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EACCES)


def check_writable(
    path: str | Path, *, force: bool = False, inputs: Iterable[str | Path | None] = ()
) -> Path:
    """Refuse early, before long work, an output that exists (without
    ``force``) or cannot be written.

    A device or a pipe (``/dev/null``, ``/dev/stdout``) exists by nature and is written to, not
    replaced. One of ``inputs`` not even ``force`` replaces.
    """
    path = Path(path)
    refuse_inputs(path, inputs)
    try:
        exists, is_folder, is_device = path.exists(), path.is_dir(), _is_device(path)
        folder = _target(path).parent
        has_folder = folder.is_dir()
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror}; choose another place") from error
    if is_folder:
        raise OutputError(f"{path}: found a directory, expected a file name; name a file inside it")
    if is_device:
        return path
    if exists and not force:
        raise _exists(path)
    if not has_folder:
        raise OutputError(f"{path}: the folder {folder} does not exist; make it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"{path}: the folder {folder} cannot be written to; choose another place")
    return path


@contextlib.contextmanager
def replacing(path: str | Path, *, force: bool = False, private: bool = False) -> Iterator[Path]:
    """Give a temporary path beside ``path``.

    Move it there, synced to disk, when the block ends well.

    When the block raises (Ctrl-C included) the temporary file is removed and ``path`` is as it was.
    A symbolic link stays one: the file it points to is replaced. A ``private`` file, one that names
    records, is its owner's alone (mode 0600) from the first moment on, whatever the umask and
    whatever was there; any other one keeps the permissions of the file that it replaces.

    OutputError as :func:`check_writable`, also where the file appeared meanwhile; ResourceError
    where the disk is full or failed.
    """
    path = check_writable(path, force=force)
    if _is_device(path):
        with _copied_to(path) as temporary:
            yield temporary
        return
    group = _group.get()
    try:
        with contextlib.ExitStack() as own:
            partials = own if group is None else group.partials
            try:
                temporary = partials.enter_context(partial_file(_target(path), private=private))
            except OSError as error:
                if error.errno in DISK_FAILED:
                    raise
                why = f"{path}: cannot be written ({error.strerror}); choose another place"
                raise OutputError(why) from error
            yield temporary
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            move = functools.partial(_move, temporary, path, force=force, private=private)
            if group is None:
                move()
            else:
                group.waiting.append((path, move))
    except Exception as error:
        refuse_failed(path, error)


@contextlib.contextmanager
def together() -> Iterator[None]:
    """Let the files of all :func:`replacing` in the block get their names at its end:
    all of them, or none.

    A process that is killed between two of the names leaves files that are each whole, some old and
    some new.
    """
    with contextlib.ExitStack() as partials:
        token = _group.set(_Group(partials, [], []))
        try:
            yield
            name_together()
        finally:
            _group.reset(token)


def name_together() -> None:
    """Give the files that wait in a block :func:`together` their names now."""
    group = _group.get()
    if group is None:
        return
    taken_back: list[Callable[[], object]] = []
    for path, move in group.waiting:
        try:
            target, kept = _target(path), None
            # what is about to be replaced keeps a name, and can come back
            with contextlib.suppress(OSError):
                kept = group.partials.enter_context(partial_link(target))
            move()
            taken_back.append(
                target.unlink if kept is None else functools.partial(kept.replace, target)
            )
        except Exception as error:
            for undo in reversed(taken_back):
                with contextlib.suppress(OSError):
                    undo()
            refuse_failed(path, error)
    said = group.then.copy()
    group.waiting.clear()
    group.then.clear()
    for then in said:
        then()


def once_named(then: Callable[[], object]) -> None:
    """Do something when the files of a block :func:`together` have their names;
    without one, now.
    """
    group = _group.get()
    if group is None:
        then()
    else:
        group.then.append(then)


class _Group(NamedTuple):
    """Files that are named together."""

    partials: contextlib.ExitStack
    waiting: list[tuple[Path, Callable[[], None]]]  # the path of each, and its rename
    then: list[Callable[[], object]]


_group: ContextVar[_Group | None] = ContextVar("_group", default=None)


def _exists(path: Path) -> OutputError:
    return OutputError(
        f"{path}: the file exists; use `force=True` to replace it, or choose another name"
    )


def _move(temporary: Path, path: Path, *, force: bool, private: bool) -> None:
    """Rename ``temporary`` atomically.

    OutputError if the name is taken and ``force`` is not given.
    """
    target = _target(path)
    if force:
        refuse_inputs(target)  # a link to an input may have been made meanwhile
        if not private:
            with contextlib.suppress(FileNotFoundError):
                # a replaced file keeps its permissions
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    else:
        try:
            name_new(temporary, target)
        except FileExistsError as error:
            raise _exists(path) from error
    sync_folder(target.parent)


def name_new(temporary: Path, target: Path) -> None:
    """Rename ``temporary`` to a name that is free.

    FileExistsError if a file of it appeared meanwhile.
    """
    try:
        os.link(temporary, target)  # unlike rename, fails if the file is there
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from error
        temporary.replace(target)  # a file system without hard links, such as FAT
        return
    with contextlib.suppress(OSError):  # it has its name
        temporary.unlink()


@contextlib.contextmanager
def _copied_to(device: Path) -> Iterator[Path]:
    """Give a temporary path elsewhere; copy its bytes to ``device`` when the block ends well."""
    with partial_folder(Path(tempfile.gettempdir(), "ratingpriv")) as folder:
        temporary = folder / device.name
        temporary.touch()
        yield temporary
        try:
            with temporary.open("rb") as source, device.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        except BrokenPipeError:
            raise
        except OSError as error:
            refuse_failed(device, error)


def disk_failure(error: BaseException | None) -> str | None:
    """Say how a disk failed, if an error comes from that.

    Libraries in Rust tell the number in words.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        said = re.search(r"\(os error (\d+)\)", str(error))
        number = (
            error.errno
            if isinstance(error, OSError) and error.errno
            else int(said[1])
            if said
            else None
        )
        if number in DISK_FAILED:
            return os.strerror(number)
        error = error.__cause__
    return None


def refuse_failed(path: Path, error: Exception) -> NoReturn:
    """Raise ResourceError where an error comes from a disk that is full or failed,
    else the error.
    """
    if (
        not isinstance(error, RatingPrivError | BrokenPipeError)
        and (why := disk_failure(error)) is not None
    ):
        none = "" if _group.get() is None else "; nothing was written"
        raise ResourceError(
            f"{path}: {why}; free some space or choose another disk{none}"
        ) from error
    raise error


def sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure, where the file system can."""
    # the name is given: nothing is an error any more
    with contextlib.suppress(OSError, MemoryError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _is_device(path: Path) -> bool:
    """Whether the path is there and is neither a regular file nor a directory."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _target(path: Path) -> Path:
    """Return the file itself, if ``path`` is a symbolic link to it."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path
