"""Temporary names beside a file that is being written, and what a killed writer left under them.

A file or a folder is made as ``.NAME.HEX.partial`` beside its place and is held by a lock for as long as its
writer lives; a lock goes with its process, however that ends. So a partial file that nobody holds is one that
nobody will finish, and the next writer of NAME removes it. Two writers at once leave each other's alone.
"""

from __future__ import annotations

import contextlib
import functools
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
                    _sweep(target.with_name(name))


@contextlib.contextmanager
def _partial(target: Path, make: Callable[[Path], None], *, shared: bool = False) -> Iterator[Path]:
    sweep(target)
    while True:
        path = target.with_name(f"{_prefix(target)}{secrets.token_hex(6)}.partial")
        if os.path.lexists(path):  # somebody else's
            continue
        with finishing(functools.partial(_discard, path)):  # first: Ctrl-C may come at once
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


def _sweep(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if os.fstat(handle).st_uid == os.geteuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # OSError: its writer lives
            _discard(path)
    finally:
        os.close(handle)


def _discard(path: Path) -> None:
    """Remove a partial file or folder; if that fails, it stays."""
    for _ in range(2):  # a disk that failed once may do it now
        with contextlib.suppress(OSError, MemoryError):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
            return
