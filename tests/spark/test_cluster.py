"""An executor is killed while records are compared: the answer is the same."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

PROGRAM = Path(__file__).with_name("losing_an_executor.py")


def test_an_executor_is_killed(tmp_path: Path) -> None:
    # a process of its own: two sessions of one process are one
    with subprocess.Popen(
        [sys.executable, str(PROGRAM), str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            stdout, stderr = process.communicate(timeout=300)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, stderr[-3000:]
    assert "killed" in stdout
    assert "equal" in stdout
