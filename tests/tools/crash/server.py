"""A warm process that forks a child for every point: a command of ratingpriv with one fault in it.

It is struck by the shim ``faults.c``, which sees every call of Python and of native libraries.
"""

import contextlib
import ctypes
import errno
import functools
import json
import mmap
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from warm import Warm, forked

__all__ = ["FAULTS", "Ended", "Server", "has_compiler"]

CREATES, READS, REMOVES = 1, 2, 4
FAULTS = {
    "kill": (-1, CREATES | READS | REMOVES),
    "ENOSPC": (errno.ENOSPC, CREATES),
    "EIO": (errno.EIO, CREATES | READS | REMOVES),
}
"""What strikes: the errno (-1: SIGKILL), and which calls it can strike."""

_MODULES = (
    "ratingpriv.cli", "ratingpriv.anonymize.methods", "ratingpriv.anonymize.release.verify",
    "ratingpriv.anonymize.release.writing", "ratingpriv.attack.studies",
    "ratingpriv.audit.frontier",
    "ratingpriv.graph.connect", "ratingpriv.graph.embedded", "ratingpriv.partition.partitioning",
    "ratingpriv.partition.certificate", "ratingpriv.report.pictures",
    "ratingpriv_loaders.graph.slices",
    "ratingpriv_loaders.parquet.loader", "ratingpriv_loaders.synthetic.generators",
    "ratingpriv_loaders.text.loader", "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "importlib.metadata", "grafeo",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: its exit code (or -9), how many calls could be struck,
    and which one was.
    """

    code: int
    count: int
    struck: str
    stdout: str
    stderr: str


def has_compiler() -> bool:
    """Whether ``faults.c`` can be built and loaded here."""
    return sys.platform == "linux" and shutil.which("cc") is not None


class Server(Warm):
    """Runs commands in children of a warm process, below ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        environment = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
        tools = Path(__file__).resolve().parents[1]
        environment |= {
            "PYTHONPATH": os.pathsep.join(
                [str(tools), str(tools.parent / "support"), str(tools.parent)]
            ),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NO_COLOR": "1",
            "COLUMNS": "100",
        }
        environment |= {
            "NUMBA_CACHE_DIR": str(root / "numba"),
            "MPLCONFIGDIR": str(root / "matplotlib"),
        }
        environment |= {"TMPDIR": str(root / "at" / "tmp"), "OPENBLAS_NUM_THREADS": "1"}
        shim, source = root / "faults.so", Path(__file__).with_name("faults.c")
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-O1", "-o", str(shim), str(source), "-ldl"], check=True
        )
        environment["LD_PRELOAD"] = str(shim)
        super().__init__(["-W", "ignore", "-m", "crash.server", str(root)], environment)

    def run(self, arguments: list[str], *, fault: str = "kill", at: int = 0) -> Ended:
        """Run ``ratingpriv ARGUMENTS`` in ``root/at/work``.

        The ``at``-th call is struck, 0: none.
        """
        return Ended(*self.ask(arguments, fault, at))


# ---- in the warm process ----


def _serve(root: Path) -> None:
    for name in _MODULES:
        with contextlib.suppress(ImportError):  # a name of another version of this checkout
            __import__(name)
    shared = mmap.mmap(-1, 1024)
    outputs = (root / "stdout", root / "stderr")
    for line in sys.stdin:
        arguments, fault, at = json.loads(line)
        shared[:] = bytes(1024)
        armed = functools.partial(_armed, root / "at", fault, at, shared)
        status = forked(
            arguments, root / "at" / "work", outputs, root / "modules", around=armed, learn=not at
        )
        code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        said = [path.read_text("utf-8", errors="replace") for path in outputs]
        struck = shared[8:].rstrip(b"\0").decode("utf-8", errors="replace")
        sys.stdout.write(
            json.dumps([code, struct.unpack("q", shared[:8])[0], struck, *said]) + "\n"
        )
        sys.stdout.flush()


@contextlib.contextmanager
def _armed(below: Path, fault: str, at: int, shared: mmap.mmap) -> Iterator[None]:
    signal.alarm(300)  # a child that hangs is a finding too
    tempfile.tempdir = str(below / "tmp")
    number, seen = FAULTS[fault]
    place = ctypes.addressof(ctypes.c_char.from_buffer(shared))
    shim = ctypes.CDLL(None)
    shim.faults_arm(os.fsencode(below), ctypes.c_long(at), number, seen, ctypes.c_void_p(place))
    yield
    shim.faults_disarm()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
