"""Gigabytes of one cell, devices without an end and bombs, at the real limits: a message, 20 s, 256 MiB.

``python -m fuzz.endless [NAME ...]``; the short form is tests/loaders/text/test_endless.py.
The time is that of the processor: other work on the machine does not count.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["CASES", "attempt"]

SECONDS, MEBIBYTES, SIZE = 20, 256, 1 << 30
USUAL = 130
"""Mebibytes that the command takes for a file of two lines."""

_PIECE = 1 << 20


def _repeated(start: bytes, again: bytes, size: int = SIZE) -> Iterator[bytes]:
    yield start
    block = again * (_PIECE // len(again))
    for _ in range(size // len(block)):
        yield block


def _columns() -> Iterator[bytes]:
    yield from (b",".join(b"%d" % at for at in range(n, n + 10_000)) + b"," for n in range(0, 10**7, 10_000))


def _gz(path: Path) -> None:
    with gzip.open(path, "wb") as file:
        for piece in _repeated(b"id,a\n", b"1"):
            file.write(piece)


def _zip(method: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with (
            zipfile.ZipFile(path, "w", method) as archive,
            archive.open("a.csv", "w", force_zip64=True) as file,
        ):
            for piece in _repeated(b"id,a\n", b"1"):
                file.write(piece)

    return write


def _zst(path: Path) -> None:
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        for piece in _repeated(b"id,a\n", b"1"):
            file.write(piece)


def _deep(path: Path) -> None:
    for _ in range(200):
        path.mkdir()
        path = path / "d"


def _text_cell(path: Path) -> None:
    pq.write_table(pa.table({"id": ["x"], "a": pa.array(["1" * (1 << 28)], pa.large_string())}), path)


CASES: dict[str, Path | Callable[[Path], None] | Callable[[], Iterator[bytes]]] = {
    "zero": Path("/dev/zero"),
    "random": Path("/dev/urandom"),
    "cell": lambda: _repeated(b"", b"a"),
    "number": lambda: _repeated(b"id,a\n", b"1"),
    "quoted": lambda: _repeated(b'id,a\n"', b"1"),
    "netflix": lambda: _repeated(b"1:\n1,2,2005-01-01\n", b"1"),
    "columns": _columns,
    "bomb.csv.gz": _gz,
    "bomb.csv.zst": _zst,
    "bomb.zip": _zip(zipfile.ZIP_DEFLATED),
    "lzma.zip": _zip(zipfile.ZIP_LZMA),
    "deep": _deep,
    "cell.parquet": _text_cell,
}
"""Names of files that are made, of devices, or of what comes through a pipe."""

_PIPED = ("cell", "number", "quoted", "netflix", "columns")


def attempt(name: str, folder: Path) -> str | None:
    """Audit one input in a process of its own; return what is wrong with how it ended."""
    case, data, temporary = CASES[name], "-", folder / "tmp"
    temporary.mkdir()
    if isinstance(case, Path):
        data = str(case)
    elif name not in _PIPED:
        data = str(folder / name)
        make = [sys.executable, "-m", "fuzz.endless", "--make", name, data]
        subprocess.run(make, check=True)  # what it takes would count as the child's
    command = [sys.executable, "-m", "ratingpriv", "audit", data, "--k", "2", "--epsilon", "1", "-q"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(temporary)}
    )
    if name in _PIPED:
        with contextlib.suppress(BrokenPipeError):
            for piece in case():
                process.stdin.write(piece)
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    said = process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    seconds, growth = used.ru_utime + used.ru_stime, (used.ru_maxrss >> 10) - USUAL
    code = os.waitstatus_to_exitcode(status)
    sys.stdout.write(
        f"{name:14} exit {code}, {seconds:4.1f} s, {max(growth, 0):4} MiB more: {said.strip()[:110]}\n"
    )
    if code not in (2, 3) or "unexpected" in said or "Traceback" in said:
        return f"{name}: exit {code}: {said}"
    if seconds > SECONDS or growth > MEBIBYTES:
        return f"{name}: {seconds:.1f} s, {growth} MiB"
    return f"{name}: left {[*temporary.iterdir()]}" if any(temporary.iterdir()) else None


def main() -> int:
    """Try all cases, or those that are named."""
    if sys.argv[1:2] == ["--make"]:
        CASES[sys.argv[2]](Path(sys.argv[3]))
        return 0
    problems = []
    names = sys.argv[1:] or list(CASES)
    for name in names:
        with tempfile.TemporaryDirectory(prefix="endless-") as folder:
            problems += [problem for problem in [attempt(name, Path(folder))] if problem is not None]
    told = [f"{len(names)} inputs without an end, {len(problems)} findings", *problems]
    sys.stdout.write("\n".join(told) + "\n")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
