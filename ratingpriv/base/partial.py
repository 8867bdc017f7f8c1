"""Temporary names beside a file that is being written: ``.NAME.HEX.partial``,
gone at the end of their block.

Gone, too, where Ctrl-C or SIGTERM ends the program in it. Who is killed (``kill -9``) leaves one
behind, which nothing reads.
"""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from ratingpriv.base.unfinished import finishing, undivided


def partial_file(target: Path, *, private: bool = False) -> AbstractContextManager[Path]:
    """Make an empty file beside ``target``, by the umask or 0600.

    It is removed if it is there at the end.
    """

    def make(path: Path) -> None:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if private else 0o666))
        if private:  # whatever the umask takes away
            path.chmod(0o600)

    return _partial(target, make)


def partial_folder(target: Path) -> AbstractContextManager[Path]:
    """Make a folder beside ``target`` for its owner alone.

    It is removed if it is there at the end.
    """
    return _partial(target, lambda path: path.mkdir(mode=0o700))


def partial_link(target: Path) -> AbstractContextManager[Path]:
    """Make a second name of ``target``, which is removed if it is there at the end."""
    return _partial(target, lambda path: os.link(target, path))


@contextlib.contextmanager
def _partial(target: Path, make: Callable[[Path], None]) -> Iterator[Path]:
    path = target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}.partial")
    with finishing(functools.partial(_discard, path)):  # first: Ctrl-C may come at once
        with undivided():
            make(path)
        yield path


def _discard(path: Path) -> None:
    for _ in range(2):  # a disk that failed once may do it now
        with contextlib.suppress(OSError, MemoryError):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
            return
