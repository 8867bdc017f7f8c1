"""A warm process that forks a child for every point: a command of ratingpriv with one fault in it.

It is struck by the shim ``faults.c``, which sees every call of Python and of native libraries.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import mmap
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

__all__ = ["FAULTS", "Ended", "Server", "has_compiler"]

CREATES, READS, REMOVES = 1, 2, 4
FAULTS = {
    "kill": (-1, CREATES | READS | REMOVES),
    "ENOSPC": (errno.ENOSPC, CREATES),
    "EIO": (errno.EIO, CREATES | READS | REMOVES),
}
"""What strikes: the errno (-1: SIGKILL), and which calls it can strike."""

_MODULES = (
    "ratingpriv.cli",
    "ratingpriv.anonymize.methods",
    "ratingpriv.anonymize.release.verify",
    "ratingpriv.anonymize.release.writing",
    "ratingpriv.attack.studies",
    "ratingpriv.audit.frontier",
    "ratingpriv.graph.connect",
    "ratingpriv.graph.embedded",
    "ratingpriv.partition.partitioning",
    "ratingpriv.partition.certificate",
    "ratingpriv.report.pictures",
    "ratingpriv_loaders.graph.slices",
    "ratingpriv_loaders.parquet.loader",
    "ratingpriv_loaders.synthetic.generators",
    "ratingpriv_loaders.text.loader",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "importlib.metadata",
    "grafeo",
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: its exit code (or -9), how many calls could be struck, and which one was."""

    code: int
    count: int
    struck: str
    stdout: str
    stderr: str


def has_compiler() -> bool:
    """Whether ``faults.c`` can be built and loaded here."""
    return sys.platform == "linux" and shutil.which("cc") is not None


class Server:
    """Runs commands in children of a warm process, below ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        environment = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
        tools = Path(__file__).resolve().parents[1]
        environment |= {
            "PYTHONPATH": os.pathsep.join([str(tools), str(tools.parent / "support"), str(tools.parent)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NO_COLOR": "1",
            "COLUMNS": "100",
        }
        environment |= {"NUMBA_CACHE_DIR": str(root / "numba"), "MPLCONFIGDIR": str(root / "matplotlib")}
        environment |= {"TMPDIR": str(root / "at" / "tmp"), "OPENBLAS_NUM_THREADS": "1"}
        shim, source = root / "faults.so", Path(__file__).with_name("faults.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(shim), str(source), "-ldl"], check=True)
        environment["LD_PRELOAD"] = str(shim)
        command = [sys.executable, "-W", "ignore", "-m", "crash.server", str(root)]
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, arguments: list[str], *, fault: str = "kill", at: int = 0) -> Ended:
        """Run ``ratingpriv ARGUMENTS`` in ``root/at/work``; the ``at``-th call is struck, 0: none."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([arguments, fault, at]) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the server ended")
        return Ended(*json.loads(answer))

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# ---- in the warm process ----


def _serve(root: Path) -> None:
    for name in _MODULES:
        with contextlib.suppress(ImportError):  # a name of another version of this checkout
            __import__(name)
    shared = mmap.mmap(-1, 1024)
    for line in sys.stdin:
        arguments, fault, at = json.loads(line)
        shared[:] = bytes(1024)
        child = os.fork()
        if child == 0:
            _child(root, arguments, fault, at, shared)
        _, status = os.waitpid(child, 0)
        code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        said = [(root / name).read_text("utf-8", errors="replace") for name in ("stdout", "stderr")]
        struck = shared[8:].rstrip(b"\0").decode("utf-8", errors="replace")
        if not at:
            _import_all(root)
        sys.stdout.write(json.dumps([code, struct.unpack("q", shared[:8])[0], struck, *said]) + "\n")
        sys.stdout.flush()


def _import_all(root: Path) -> None:
    """Import what the last child did, so that the next ones need not."""
    names = (root / "modules").read_text("utf-8").split("\n") if (root / "modules").exists() else []
    for name in names:
        if name not in sys.modules and name.split(".")[0] not in ("numba", "llvmlite", "crash", "__main__"):
            with contextlib.suppress(Exception):
                __import__(name)


def _child(root: Path, arguments: list[str], fault: str, at: int, shared: mmap.mmap) -> None:
    code = 99
    try:
        for number, name in enumerate(("stdout", "stderr"), 1):
            handle = os.open(root / name, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
            os.dup2(handle, number)
            os.close(handle)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        signal.alarm(300)  # a child that hangs is a finding too
        below = root / "at"
        os.chdir(below / "work")
        tempfile.tempdir = str(below / "tmp")
        sys.argv = ["ratingpriv", *arguments]
        from ratingpriv.cli import main

        with _armed(below, fault, at, shared):
            try:
                main()
                code = 0
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 98
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            (root / "modules").write_text("\n".join(sys.modules), "utf-8")
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


@contextlib.contextmanager
def _armed(below: Path, fault: str, at: int, shared: mmap.mmap) -> Iterator[None]:
    number, seen = FAULTS[fault]
    place = ctypes.addressof(ctypes.c_char.from_buffer(shared))
    shim = ctypes.CDLL(None)
    shim.faults_arm(os.fsencode(below), ctypes.c_long(at), number, seen, ctypes.c_void_p(place))
    yield
    shim.faults_disarm()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
