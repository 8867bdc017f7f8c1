"""A stream that can be read once becomes one that can be read often: what came of it is kept.

It is kept in memory or, where that would be much, in a temporary file without a name, which is gone however
this process ends.
"""

from __future__ import annotations

import errno
import hashlib
import io
import shutil
import tempfile
import threading
import weakref
from typing import IO

from ratingpriv.base.errors import ResourceError

_PIECE = 1 << 20


class Spool:
    """What came of a stream so far. Readers of it read the stream on when they reach its end.

    Attributes
    ----------
    IN_MEMORY : bytes up to which all is in memory
    SPARED : bytes, or a twentieth, that are left free on the disk
    """

    IN_MEMORY = 16 << 20
    SPARED = 256 << 20

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream, self._name = stream, name
        self._kept: IO[bytes] = tempfile.SpooledTemporaryFile(self.IN_MEMORY, prefix="ratingpriv-")  # noqa: SIM115
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
        """Return up to ``size`` bytes from ``at`` on, at least one unless that is the end.

        Raises
        ------
        ResourceError
            There is no room for what has to be kept.
        """
        with self._lock:
            while at >= self._length and not self._ended:
                self._more(max(size, at + size - self._length))
            self._kept.seek(at)
            return self._kept.read(min(size, max(0, self._length - at)))

    def _more(self, size: int) -> None:
        piece = self._stream.read(min(size, _PIECE))
        if not piece:
            self._ended = True
            return
        try:
            if self._length // _PIECE % 64 == 0 and self._length >= self.IN_MEMORY:
                self._refuse_full_disk()
            self._kept.seek(self._length)
            self._kept.write(piece)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise self._full() from error
            raise
        self._digest.update(piece)
        self._length += len(piece)

    def _refuse_full_disk(self) -> None:
        disk = shutil.disk_usage(tempfile.gettempdir())
        if disk.free < min(self.SPARED, disk.total // 20):
            raise self._full()

    def _full(self) -> ResourceError:
        return ResourceError(
            f"{self._name}: no room in {tempfile.gettempdir()} for more than the {self._length:,} bytes that "
            "came; give a file instead, or set TMPDIR to a folder on a larger disk"
        )


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

    def tell(self) -> int:
        return self._at
