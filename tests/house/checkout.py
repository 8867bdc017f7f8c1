"""What belongs to this checkout: its files, its modules, its documentation."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "ratingpriv": ROOT / "ratingpriv",
    "ratingpriv_loaders": ROOT / "loaders" / "ratingpriv_loaders",
}


@cache
def files() -> tuple[Path, ...]:
    """Return every file that is or would be committed."""
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = [name for name in subprocess.check_output(asked, cwd=ROOT).decode().split("\0") if name]
    return tuple(ROOT / name for name in sorted(names) if (ROOT / name).is_file())


@cache
def texts() -> dict[Path, str]:
    """Return the text of every file that is text."""
    contents = {path: path.read_bytes() for path in files()}
    return {
        path: held.decode("utf-8", errors="replace")
        for path, held in contents.items()
        if b"\0" not in held
    }


@cache
def modules() -> dict[str, Path]:
    """Return every module of the library and of the loaders: dotted name -> file."""
    found = {}
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = (package, *path.relative_to(folder).with_suffix("").parts)
            found[".".join(part for part in parts if part != "__init__")] = path
    return found


def environment(**more: str) -> dict[str, str]:
    """Return an environment for commands: this Python's programs first, no outer make,
    plain output.
    """
    others = {
        "MAKEFLAGS",
        "MFLAGS",
        "MAKELEVEL",
        "MAKEOVERRIDES",
        "PYTHON",
        "PYTHONPATH",
        "FORCE_COLOR",
    }
    kept = {name: value for name, value in os.environ.items() if name not in others}
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    return {**kept, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "TERM": "dumb", **more}
