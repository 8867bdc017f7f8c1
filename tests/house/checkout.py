"""What belongs to this checkout: its files, its modules, its documentation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"ratingpriv": ROOT / "ratingpriv", "ratingpriv_loaders": ROOT / "loaders" / "ratingpriv_loaders"}


@cache
def files() -> tuple[Path, ...]:
    """Return every file that is or would be committed; without git, every file that was not built here."""
    asked = [shutil.which("git") or "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        answer = subprocess.run(asked, cwd=ROOT, capture_output=True, check=True)
        names = [name for name in answer.stdout.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        built = {"build", "dist", "benchmarks/.data", "demo-output"}
        names = [
            path.relative_to(ROOT).as_posix()
            for path in ROOT.rglob("*")
            if not any(part.startswith(".") and part != ".ci" for part in path.relative_to(ROOT).parts[:-1])
            and "__pycache__" not in path.parts
            and not any(path.is_relative_to(ROOT / name) for name in built)
        ]
    return tuple(ROOT / name for name in sorted(names) if (ROOT / name).is_file())


@cache
def texts() -> dict[Path, str]:
    """Return the text of every file that is text."""
    found = {}
    for path in files():
        content = path.read_bytes()
        if b"\0" not in content:
            found[path] = content.decode("utf-8", errors="replace")
    return found


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
    """Return an environment for commands: this Python's programs first, no outer make, plain output."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name
        not in {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "PYTHON", "PYTHONPATH", "FORCE_COLOR"}
    }
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    return {**kept, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "TERM": "dumb", **more}
