"""What the operating system says while data are read: named after the data, not after what was written."""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from ratingpriv.base.errors import DataError, Problem, RatingPrivError, ResourceError
from ratingpriv.data.formats.sources import Source

__all__ = ["naming_source"]


def naming_source[F: Callable[..., Any]](read: F) -> F:
    """Return ``read(path, ...)`` with an OSError that names no file turned into one that names ``path``.

    A disk or a connection that fails (EIO, ENOTCONN, ESTALE) is a ResourceError; a directory on standard
    input and what cannot be read from at all are DataErrors.
    """

    @functools.wraps(read)
    def named(path: str | Path | Source, **more: Any) -> Any:
        try:
            return read(path, **more)
        except OSError as error:
            if isinstance(error, RatingPrivError) or error.filename is not None or error.errno is None:
                raise
            name = path.name if isinstance(path, Source) else "<stdin>" if str(path) == "-" else str(path)
            if error.errno in (errno.EISDIR, errno.EBADF, errno.EINVAL):
                found = "a directory" if error.errno == errno.EISDIR else "something that cannot be read from"
                remedy = "name a file, or give one on standard input"
                raise DataError(Problem(name, found, "a file or a pipe with ratings", remedy)) from error
            text = f"{name}: reading it failed ({error.strerror}); check the disk or the connection it is on"
            raise ResourceError(text) from error

    return cast("F", named)
