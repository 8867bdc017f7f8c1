"""What is read from: a file, a directory or standard input, inspected before it is read.

The hash is that of exactly the bytes that are read: a small file is taken into memory once, a
stream is kept as it comes, and a large file is compared, whenever it is opened and at the end, with
what it was at first.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import functools
import hashlib
import io
import os
import shutil
import stat
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast

from ratingpriv.base import checks
from ratingpriv.base.errors import DataError, Problem, RatingPrivError, ResourceError

_PIECE = 1 << 20


class Spool:
    """What came of a stream so far. Readers of it read the stream on when they reach its end.

    It is kept in memory or, where that would be much, in a temporary file without a name, which is
    gone however this process ends.
    """

    IN_MEMORY = 16 << 20  # bytes up to which all is in memory
    SPARED = 256 << 20  # bytes, or a twentieth, that are left free on the disk

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream, self._name = stream, name
        self._kept: IO[bytes] = tempfile.SpooledTemporaryFile(  # noqa: SIM115
            self.IN_MEMORY, prefix="ratingpriv-"
        )
        weakref.finalize(self, self._kept.close)
        self._digest = hashlib.sha256()
        self._length, self._ended = 0, False
        self._lock = threading.Lock()

    @property
    def size(self) -> int | None:
        """How many bytes there are; None as long as that is not known."""
        return self._length if self._ended else None

    def open(self) -> IO[bytes]:
        """Return a reader of all of it, from the start."""
        return io.BufferedReader(_Reader(self), 1 << 16)

    def sha256(self) -> str:
        """Read to the end; return the SHA-256 of all, as hex."""
        self.end()
        return self._digest.hexdigest()

    def end(self) -> int:
        """Read to the end; return how many bytes there are."""
        while not self._ended:
            self.read(self._length, _PIECE)
        return self._length

    def read(self, at: int, size: int) -> bytes:
        """Return up to ``size`` bytes from ``at`` on, at least one unless that is the end."""
        with self._lock:
            while at >= self._length and not self._ended:
                piece = self._stream.read(min(max(size, at + size - self._length), _PIECE))
                self._ended = not piece
                self._keep(piece)
            self._kept.seek(at)
            return self._kept.read(min(size, max(0, self._length - at)))

    def _keep(self, piece: bytes) -> None:
        try:
            if self._length // _PIECE % 64 == 0 and self._length >= self.IN_MEMORY:
                disk = shutil.disk_usage(tempfile.gettempdir())
                if disk.free < min(self.SPARED, disk.total // 20):
                    raise OSError(errno.ENOSPC, "little is left")
            self._kept.seek(self._length)
            self._kept.write(piece)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            raise ResourceError(
                f"{self._name}: no room in {tempfile.gettempdir()} for more than the "
                f"{self._length:,} bytes "
                "that came; give a file instead, or set TMPDIR to a folder on a larger disk"
            ) from error
        self._digest.update(piece)
        self._length += len(piece)


class _Reader(io.RawIOBase):
    """One reader of a spool, with a position of its own."""

    def __init__(self, spool: Spool) -> None:
        self._spool, self._at = spool, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._spool.read(self._at, len(buffer))
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_CUR:
            offset += self._at
        elif whence == io.SEEK_END:
            offset += self._spool.end()
        self._at = max(0, offset)
        return self._at


_TICK = 20_000_000  # nanoseconds: two changes of a file within a clock tick have one time stamp

type _Stamp = tuple[int, ...]


class Source:
    """A file, a directory or standard input (``-``), looked at before it is read.

    Standard input and pipes (``<(zcat ratings.gz)``) can be read once only, so what comes is kept:
    in memory, or in a temporary file without a name if it is much. It is read as it is needed, so
    that an endless stream whose beginning is refused is not read on. ``name`` is how messages call
    it: the path as given, or ``<stdin>``.
    """

    HEAD = 65_536
    SMALL = 8 << 20
    """Bytes of a file that is held in memory."""

    def __init__(
        self, path: str | Path, stdin: IO[bytes] | None = None, *, hold: bool = True
    ) -> None:
        self.path = checks.path("path", path)
        self.is_stdin = str(path) == "-"
        self.name = "<stdin>" if self.is_stdin else str(path)
        self.is_dir = False
        self._hold = hold
        self._spool: Spool | None = None
        self._stamp: _Stamp | None = None
        self._parts: dict[Path, Source] = {}
        if self.is_stdin:
            if stdin is None and sys.stdin is None:
                remedy = "give a file, or something on standard input"
                raise DataError(
                    Problem(self.name, "a standard input that is closed", "ratings", remedy)
                )
            self._spool = Spool(stdin or sys.stdin.buffer, "standard input")
            return
        try:
            status = self.path.stat()
        except (OSError, ValueError) as error:
            raise DataError(self._unreadable(error)) from error
        self.is_dir = stat.S_ISDIR(status.st_mode)
        if self.is_dir:
            return
        if not stat.S_ISREG(status.st_mode):
            stream = self._opened()
            self._spool = Spool(stream, self.name)
            weakref.finalize(self._spool, stream.close)
        elif not hold or status.st_size > self.SMALL:
            # A clock tick after its last change: a later one will have a later time.
            age = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns)
            if 0 <= age < _TICK:
                time.sleep((_TICK - age) / 1e9)
                with contextlib.suppress(OSError):
                    status = self.path.stat()
            self._stamp = _stamp(status)

    @property
    def is_stream(self) -> bool:
        """Whether it can be read once only, and has no size before its end."""
        return self._spool is not None

    @property
    def size(self) -> int | None:
        """Raw bytes there are to read; None for a directory, and for a stream before its end."""
        if self.is_dir:
            return None
        if self._spool is not None:
            return self._spool.size
        return self._stamp[2] if self._stamp is not None else len(self._content)

    @property
    def content(self) -> bytes | None:
        """All bytes, where they are held in memory."""
        return None if self.is_dir or self.is_stream or self._stamp is not None else self._content

    def part(self, path: Path) -> Source:
        """Return a file of this directory, which is to be the same until the end, as this is."""
        if path not in self._parts:
            self._parts[path] = Source(path, hold=False)
        return self._parts[path]

    def open(self) -> IO[bytes]:
        """Open the raw bytes (still compressed, if they are); not for a directory."""
        if self._spool is not None:
            return self._spool.open()
        if self.content is not None:
            return io.BytesIO(self.content)
        file = self._opened()
        if self._stamp is not None and _stamp(os.fstat(file.fileno())) != self._stamp:
            file.close()
            raise self._changed()
        return file

    def refuse_changed(self) -> None:
        """Refuse a file, or a part of a directory,
        that is not what it was when it was first looked at.
        """
        for part in self._parts.values():
            part.refuse_changed()
        if self._stamp is None:
            return
        try:
            status = self.path.stat()
        except OSError as error:
            raise self._changed() from error
        if _stamp(status) != self._stamp:
            raise self._changed()

    @functools.cached_property
    def head(self) -> bytes:
        """The first 64 KiB of the raw bytes; empty for a directory."""
        if self.is_dir:
            return b""
        with self.open() as file:
            return file.read(self.HEAD)

    def sha256(self, files: list[Path] | None = None) -> str:
        """SHA-256 of the raw bytes as hex.

        For a directory, of ``files`` (default: all in it) by name.

        A stream is read to its end.
        """
        if self._spool is not None:
            return self._spool.sha256()
        if not self.is_dir:
            with self.open() as file:
                return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
        digest = hashlib.sha256()
        for path in sorted(
            files if files is not None else (p for p in self.path.rglob("*") if p.is_file())
        ):
            digest.update(path.relative_to(self.path).as_posix().encode() + b"\0")
            digest.update(bytes.fromhex(self.part(path).sha256()))
        return digest.hexdigest()

    @functools.cached_property
    def _content(self) -> bytes:
        """The bytes of a small file, read at once."""
        with self._opened() as file:
            before = os.fstat(file.fileno())
            content = file.read(self.SMALL + 1)
            if len(content) > self.SMALL or _stamp(os.fstat(file.fileno())) != _stamp(before):
                raise self._changed()
        return content

    def _opened(self) -> IO[bytes]:
        try:
            return self.path.open("rb")
        except OSError as error:
            raise DataError(self._unreadable(error)) from error

    def _changed(self) -> DataError:
        actual, remedy = "a file that changed while it was read", "copy it first, and read the copy"
        return DataError(Problem(self.name, actual, "one that stays as it is", remedy))

    def _unreadable(self, error: OSError | ValueError) -> Problem:
        remedy = "check the path"
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            with contextlib.suppress(OSError):  # is there one of nearly that name?
                names = [path.name for path in self.path.parent.iterdir()]
                if near := difflib.get_close_matches(self.path.name, names, n=1):
                    remedy = f"did you mean {str(self.path.with_name(near[0]))!r}?"
            return Problem(
                self.name, "no such file or directory", "a file or directory with ratings", remedy
            )
        actual = f"a file that cannot be opened ({getattr(error, 'strerror', None) or error})"
        return Problem(self.name, actual, "a readable file", remedy)


def _stamp(found: os.stat_result) -> _Stamp:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def naming_source[F: Callable[..., Any]](read: F) -> F:
    """Return ``read(path, ...)`` with an OSError that names no file
    turned into one that names ``path``.

    A disk or a connection that fails (EIO, ENOTCONN, ESTALE) is a ResourceError; a directory on
    standard input and what cannot be read from at all are DataErrors.
    """

    @functools.wraps(read)
    def named(path: str | Path | Source, **more: Any) -> Any:
        try:
            return read(path, **more)
        except OSError as error:
            if (
                isinstance(error, RatingPrivError)
                or error.filename is not None
                or error.errno is None
            ):
                raise
            name = (
                path.name
                if isinstance(path, Source)
                else "<stdin>"
                if str(path) == "-"
                else str(path)
            )
            if error.errno in (errno.EISDIR, errno.EBADF, errno.EINVAL):
                actual = (
                    "a directory"
                    if error.errno == errno.EISDIR
                    else "something that cannot be read from"
                )
                remedy = "name a file, or give one on standard input"
                raise DataError(
                    Problem(name, actual, "a file or a pipe with ratings", remedy)
                ) from error
            text = (
                f"{name}: reading it failed ({error.strerror}); check the disk or the "
                f"connection it is on"
            )
            raise ResourceError(text) from error

    return cast("F", named)
