"""A file to double click that starts the desk."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from ratingpriv.report.plain import write_text

_NAMES = {"win32": "ratingpriv desk.cmd", "darwin": "ratingpriv desk.command"}
_OTHER = "ratingpriv-desk.desktop"


def write_shortcut(
    folder: Path, *, platform: str = sys.platform, python: str = sys.executable
) -> Path:
    """Write it into ``folder`` for a platform, by the names of :data:`sys.platform`;
    return where it is.

    On Windows a file that is dropped on it is put on the desk. OutputError where there is such a
    file.
    """
    path = folder / _NAMES.get(platform, _OTHER)
    write_text(_text(platform, python), path)
    path.chmod(0o755)
    return path


def _text(platform: str, python: str) -> str:
    if platform == "win32":
        return f'@"{python.replace("%", "%%")}" -m ratingpriv desk %*\n@pause\n'
    if platform == "darwin":
        return f"#!/bin/sh\nexec {shlex.quote(python)} -m ratingpriv desk\n"
    quoted = "".join(f"\\{sign}" if sign in '"`$\\' else sign for sign in python).replace("%", "%%")
    lines = ("[Desktop Entry]", "Type=Application", "Name=ratingpriv desk", "Terminal=true")
    return "\n".join([*lines, f'Exec="{quoted}" -m ratingpriv desk %f', ""])
