"""What made a result: the key ``tool`` of the JSON contracts,
and the SHA-256 of what it was made from.
"""

from __future__ import annotations

import functools
from pathlib import Path

VERSION = "0.1.0"


def tool() -> dict[str, str | None]:
    """Return the version that makes a result, and the ``command``: None,
    the command line names its own.
    """
    return {"version": VERSION, "command": None}


def sha256_of(path: Path) -> str | None:
    """Return the SHA-256 of a file, or of all files in a folder and their names.

    None where there is none.
    """
    import hashlib  # loads OpenSSL: --help does without

    if path.is_dir():
        files = (file for file in sorted(path.rglob("*")) if file.is_file())
        lines = (f"{file.relative_to(path).as_posix()}\0{sha256_of(file)}\0" for file in files)
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    if not path.is_file():
        return None
    status = path.stat()
    return _digest(str(path.resolve()), status.st_size, status.st_mtime_ns, status.st_ino)


@functools.lru_cache(maxsize=4096)
def _digest(path: str, *_: int) -> str:
    """Return the SHA-256 of a file that is what it was."""
    import hashlib

    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
