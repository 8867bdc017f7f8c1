"""Temporary names beside a file that is being written, and what a killed writer left under them.

A file or a folder is made as ``.NAME.HEX.partial`` beside its place and is held by a lock for as long as its
writer lives; a lock goes with its process, however that ends. So a partial file that nobody holds is one that
nobody will finish, and the next writer of NAME removes it. Two writers at once leave each other's alone.

A folder may *remember* a file outside of it (the private key of a release, which lies where the user wants
it) that is worth something only together with a file in it. While that file is still in the folder it never
got its name, so the other one belongs to nothing that exists, and goes with the folder: if it is, byte for
byte, what was remembered. Once the file was renamed out of it, atomically, nothing outside is touched.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from ratingpriv.base.unfinished import finishing, undivided

try:
    import fcntl
except ImportError:  # Windows: what a killed process leaves behind stays there
    fcntl = None  # type: ignore[assignment]

_RECORD = ".remembered"


def partial_file(target: Path, *, private: bool = False) -> AbstractContextManager[Path]:
    """Make an empty file beside ``target``, by the umask or 0600; it is removed if it is there at the end."""

    def make(path: Path) -> None:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if private else 0o666))

    return _partial(target, make)


def partial_folder(target: Path) -> AbstractContextManager[Path]:
    """Make a folder beside ``target`` for its owner alone; it is removed if it is there at the end."""
    return _partial(target, lambda path: path.mkdir(mode=0o700))


def partial_link(target: Path) -> AbstractContextManager[Path]:
    """Make a second name of ``target``, which is removed if it is there at the end."""
    return _partial(target, lambda path: os.link(target, path), shared=True)


def sweep(target: Path) -> None:
    """Remove what writers of ``target`` left that are no more; what a living one holds stays."""
    if fcntl is None:
        return
    partial = re.compile(re.escape(_prefix(target)) + r"[0-9a-f]{12}\.partial")
    with contextlib.suppress(OSError):
        for name in os.listdir(target.parent):  # noqa: PTH208 -- names are all that is looked at
            if partial.fullmatch(name):
                with contextlib.suppress(OSError):
                    _sweep(target.with_name(name), target.name)


def remember(folder: Path, name: str, path: Path, sha256: str) -> None:
    """Remember that the file ``path`` of that hash is nothing without the file ``name`` of ``folder``."""
    record = folder / (name + _RECORD)
    with record.open("w", encoding="utf-8") as file:
        place = os.path.abspath(path)  # noqa: PTH100 -- no link is followed
        json.dump({"path": place, "sha256": sha256, "folder": _identity(folder)}, file)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def forgetting(folder: Path, name: str) -> Iterator[None]:
    """Forget what was remembered with the file ``name``, unless the block fails."""
    record = folder / (name + _RECORD)
    aside = record.with_name(record.name + ".aside")
    with contextlib.suppress(FileNotFoundError):
        record.rename(aside)
    try:
        yield
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            aside.rename(record)
        raise


@contextlib.contextmanager
def _partial(target: Path, make: Callable[[Path], None], *, shared: bool = False) -> Iterator[Path]:
    sweep(target)
    while True:
        path = target.with_name(f"{_prefix(target)}{secrets.token_hex(6)}.partial")
        if os.path.lexists(path):  # somebody else's
            continue
        with finishing(functools.partial(_discard, path, target.name)):  # first: Ctrl-C may come at once
            with undivided():
                make(path)
            with _held(path, shared=shared) as held:
                if held:
                    yield path
                    return


def _prefix(target: Path) -> str:
    return f".{target.name[:50]}."


@contextlib.contextmanager
def _held(path: Path, *, shared: bool) -> Iterator[bool]:
    """Lock what was just made; False if a sweep got hold of it first, and removed it.

    ``shared``: it is a name of a file that others may hold by another name.
    """
    if fcntl is None:
        yield True
        return
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        yield False
        return
    try:
        with contextlib.suppress(OSError):  # some network file systems have no locks: nothing is swept there
            fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        try:
            named = os.path.samestat(os.fstat(handle), path.lstat())
        except FileNotFoundError:
            named = False
        yield named
    finally:
        os.close(handle)


def _sweep(path: Path, name: str) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if os.fstat(handle).st_uid == os.geteuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # OSError: its writer lives
            _discard(path, name)
    finally:
        os.close(handle)


def _discard(path: Path, name: str) -> None:
    """Remove a partial file or folder, and before it what the folder remembers; if that fails, it stays."""
    for _ in range(2):  # a disk that failed once may do it now
        with contextlib.suppress(OSError, MemoryError):
            if not path.is_dir():
                path.unlink(missing_ok=True)
            else:
                _remove_remembered(path, name)
                shutil.rmtree(path)
            return


def _remove_remembered(folder: Path, name: str) -> None:
    """Remove the file that is nothing without ``name`` of the folder, if that never got its name."""
    try:
        waiting = (folder / name).stat(follow_symlinks=False)
        record = json.loads(_content(folder / (name + _RECORD)))
    except (FileNotFoundError, ValueError):  # nothing was remembered, or not yet; or the file has its name
        return
    if waiting.st_nlink > 1 or record["folder"] != _identity(
        folder
    ):  # it was named by a link; this is a copy
        return
    with contextlib.suppress(FileNotFoundError):
        if hashlib.sha256(_content(Path(record["path"]))).hexdigest() == record["sha256"]:
            Path(record["path"]).unlink()


def _identity(folder: Path) -> list[int]:
    """Tell the folder from a copy of it."""
    status = folder.stat(follow_symlinks=False)
    return [status.st_dev, status.st_ino]


def _content(path: Path) -> bytes:
    """Read a file that is this user's own, and no link."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with open(handle, "rb") as file:  # noqa: PTH123
        if hasattr(os, "geteuid") and os.fstat(handle).st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(path))
        return file.read()
