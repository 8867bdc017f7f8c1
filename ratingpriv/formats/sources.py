"""What is read from: a file, a directory or standard input, inspected before it is read."""

from __future__ import annotations

import contextlib
import difflib
import functools
import hashlib
import io
import os
import shutil
import stat
import sys
import tempfile
import weakref
from pathlib import Path
from typing import IO

from ratingpriv.errors import DataError, Problem

__all__ = ["Source"]


class Source:
    """A file, a directory or standard input (``-``), looked at before it is read.

    Standard input and pipes (``<(zcat ratings.gz)``) can be read once only, so they are copied first: into
    memory, or into a temporary file if they are large, which goes with this object.

    Attributes
    ----------
    path : the path; for standard input ``Path("-")``
    name : how messages call it (the path as given, or ``<stdin>``)
    is_dir : whether it is a directory
    is_stdin : whether it is standard input
    """

    HEAD = 65_536
    IN_MEMORY = 64 << 20

    def __init__(self, path: str | Path, stdin: IO[bytes] | None = None) -> None:
        self.path = Path(path)
        self.is_stdin = str(path) == "-"
        self.name = "<stdin>" if self.is_stdin else str(path)
        self.is_dir = False
        self._copy: bytes | Path | None = None
        if self.is_stdin:
            self._copy = self._copied(stdin or sys.stdin.buffer)
            return
        try:
            mode = self.path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError) as error:
            raise DataError(self._missing()) from error
        except (OSError, ValueError) as error:
            raise DataError(self._unreadable(error)) from error
        self.is_dir = stat.S_ISDIR(mode)
        if not self.is_dir and not stat.S_ISREG(mode):
            with self.open() as pipe:
                self._copy = self._copied(pipe)

    @functools.cached_property
    def size(self) -> int | None:
        """Raw bytes there are to read; None for a directory."""
        if self.is_dir:
            return None
        return len(self._copy) if isinstance(self._copy, bytes) else (self._copy or self.path).stat().st_size

    def open(self) -> IO[bytes]:
        """Open the raw bytes (still compressed, if they are); not for a directory.

        Raises
        ------
        DataError
            The file cannot be read (permissions), or is a directory.
        """
        if isinstance(self._copy, bytes):
            return io.BytesIO(self._copy)
        try:
            return (self._copy or self.path).open("rb")
        except OSError as error:
            raise DataError(self._unreadable(error)) from error

    @property
    def place(self) -> Path | None:
        """The file or folder, wherever the process goes; None for standard input and pipes."""
        return self.path.absolute() if self._copy is None else None

    @functools.cached_property
    def head(self) -> bytes:
        """The first 64 KiB of the raw bytes; empty for a directory."""
        if self.is_dir:
            return b""
        with self.open() as file:
            return file.read(self.HEAD)

    def sha256(self, files: list[Path] | None = None) -> str:
        """SHA-256 of the raw bytes as hex; for a directory, of ``files`` (default: all in it) by name."""
        if not self.is_dir:
            with self.open() as file:
                return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
        digest = hashlib.sha256()
        for path in sorted(files if files is not None else (p for p in self.path.rglob("*") if p.is_file())):
            with path.open("rb") as file:
                digest.update(path.relative_to(self.path).as_posix().encode() + b"\0")
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()

    def _copied(self, stream: IO[bytes]) -> bytes | Path:
        """Read a stream to its end, into memory or, where that would be much, into a temporary file."""
        start = stream.read(self.IN_MEMORY + 1)
        if len(start) <= self.IN_MEMORY:
            return start
        handle, name = tempfile.mkstemp(prefix="ratingpriv-")
        copy = Path(name)
        weakref.finalize(self, copy.unlink, missing_ok=True)
        with os.fdopen(handle, "wb") as file:
            file.write(start)
            shutil.copyfileobj(stream, file, 1 << 20)
        return copy

    def _missing(self) -> Problem:
        """Say that there is no such file, and which one of nearly that name there is."""
        remedy = "check the path"
        with contextlib.suppress(OSError):
            near = difflib.get_close_matches(
                self.path.name, [path.name for path in self.path.parent.iterdir()], n=1
            )
            if near:
                remedy = f"did you mean {str(self.path.with_name(near[0]))!r}?"
        return Problem(self.name, "no such file or directory", "a file or directory with ratings", remedy)

    def _unreadable(self, error: OSError | ValueError) -> Problem:
        if isinstance(error, PermissionError):
            return Problem(
                self.name,
                "a file that you may not read",
                "a file you may read",
                "ask its owner, or change its permissions",
            )
        if isinstance(error, IsADirectoryError):
            return Problem(self.name, "a directory", "a file", "name one file of it")
        reason = getattr(error, "strerror", None) or str(error)
        return Problem(
            self.name, f"a file that cannot be opened ({reason})", "a readable file", "check the path"
        )
