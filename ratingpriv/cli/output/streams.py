"""The standard streams of the process: there even where the caller closed them, and named in their errors."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

from ratingpriv.cli.output.step import is_step

__all__ = ["STANDARD_OUTPUT", "prepare_streams"]

STANDARD_OUTPUT = "standard output"


class _Output(io.FileIO):
    """Standard output without a buffer; its errors say that it was this, and no file that was read."""

    def write(self, data: Any) -> int | None:  # type: ignore[override]
        """Write some of ``data``; return how many bytes."""
        try:
            return super().write(data)
        except OSError as error:
            error.filename = STANDARD_OUTPUT
            raise


def prepare_streams() -> None:
    """Replace the streams that are closed (``>&-``) by nothing, and name standard output in its errors."""
    closed = sys.stdout is None
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # an ε on a terminal that has none
    if closed:
        return
    given = sys.stdout
    raw = _Output(given.fileno(), "wb", closefd=False)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding="utf-8" if is_step() else given.encoding,
        errors="backslashreplace",
        line_buffering=bool(given.line_buffering),
        write_through=bool(getattr(given, "write_through", False)),
    )
