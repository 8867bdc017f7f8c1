"""What is read is never written over: whether an output is an input,
by whatever name either is called.

Links, relative paths, ``/dev/fd/N`` and, where the file system ignores it, another case all lead to
one file; what lies in a folder that is read belongs to it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

from ratingpriv.base.errors import OutputError

_SMALL = 16 << 20


class _Input(NamedTuple):
    """One input: how it was called, where it is, and what the system knew it by at first."""

    name: str
    place: str
    file: tuple[int, int] | None


class _TooLargeError(OSError):
    """A file of more than is read; no failure of a disk, as EFBIG is, and told without a number."""

    def __str__(self) -> str:
        return str(self.strerror)


_PROTECTED: ContextVar[tuple[_Input, ...]] = ContextVar("ratingpriv.inputs", default=())


@contextlib.contextmanager
def protecting(inputs: Iterable[str | Path | None]) -> Iterator[None]:
    """Keep ``inputs`` from being written over in this block, also where they are renamed meanwhile.

    They are files and folders, ``-`` for standard input; None and what is not there is no input.
    """
    before = _PROTECTED.set((*_PROTECTED.get(), *_known(inputs)))
    try:
        yield
    finally:
        _PROTECTED.reset(before)


def refuse_inputs(path: str | Path, inputs: Iterable[str | Path | None] = ()) -> None:
    """Refuse ``path`` as an output if it is, or is in,
    one of ``inputs`` or of :func:`protecting`.
    """
    known = (*_PROTECTED.get(), *_known(inputs))
    here, real = (_file_of(path), os.path.realpath(path)) if known else (None, "")
    for source in known:
        if real == source.place or (here is not None and here == source.file):
            raise OutputError(f"{path}: this is the input {source.name}; choose another name")
        for folder in map(str, Path(real).parents):
            if source.file is not None and _file_of(folder) == source.file:
                raise OutputError(
                    f"{path}: this is in {source.name}, which is an input; choose another folder"
                )


def is_device(path: str | Path) -> bool:
    """Whether a path is a device, such as /dev/zero, which need not have an end; a pipe is none."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 -- no Path for what may be no name at all
    except (OSError, ValueError):  # whoever opens it will say so
        return False
    return stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


def small_text(path: str | Path) -> str:
    """Return the text of a small file in UTF-8, without byte order mark.

    OSError where it is not small.
    """
    return small_bytes(path).decode("utf-8-sig")


def small_bytes(path: str | Path) -> bytes:
    """Return the bytes of a small file; OSError where it is not small."""
    with Path(path).open("rb") as file:
        content = file.read(_SMALL + 1)
    if len(content) > _SMALL:
        raise _TooLargeError(errno.EOVERFLOW, f"a file of more than {_SMALL >> 20} MiB", str(path))
    return content


def _known(inputs: Iterable[str | Path | None]) -> Iterator[_Input]:
    for path in inputs:
        if path == "-":
            with contextlib.suppress(OSError, ValueError, AttributeError):  # where it is no file
                status = os.fstat(sys.stdin.fileno())
                if stat.S_ISREG(status.st_mode):
                    yield _Input("on standard input", "-", (status.st_dev, status.st_ino))
        elif path is not None and str(path):
            yield _Input(str(path), os.path.realpath(path), _file_of(path))


def _file_of(path: str | Path) -> tuple[int, int] | None:
    """Return what the system knows a file by.

    None where there is none, or a device such as /dev/null.
    """
    try:
        found = os.stat(path)  # noqa: PTH116 -- no Path for what may be no name at all
    except (OSError, ValueError):
        return None
    return None if stat.S_ISCHR(found.st_mode) else (found.st_dev, found.st_ino)
