"""The helper that gives the other tests a server: no process is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from neo4j_server.server import HERE

SLEEPER = "import os, sys, time; print(os.getpid(), flush=True); time.sleep(120)"


def keeper(log: Path) -> tuple[subprocess.Popen[bytes], int]:
    command = [sys.executable, str(HERE / "keeper.py"), str(log), sys.executable, "-c", SLEEPER]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    while not (log.exists() and log.read_text().strip()):
        time.sleep(0.02)
    return process, int(log.read_text())


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ends(pid: int) -> bool:
    deadline = time.monotonic() + 20
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


def test_the_server_ends_when_the_tests_are_killed(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; sys.path[:0] = [sys.argv[1], sys.argv[1] + '/..']\n"
        "from pathlib import Path; from graph.test_server import keeper\n"
        "process, child = keeper(Path(sys.argv[2])); print(child, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    command = [sys.executable, "-c", script, str(HERE.parent), str(tmp_path / "log")]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    assert done.returncode == -signal.SIGKILL
    assert ends(int(done.stdout))


def test_a_server_survives_ctrl_c_until_the_teardown(tmp_path: Path) -> None:
    process, child = keeper(tmp_path / "log")
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert is_running(child)
    assert process.stdin is not None
    process.stdin.close()
    process.wait(timeout=20)
    assert not is_running(child)
