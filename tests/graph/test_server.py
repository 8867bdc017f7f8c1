"""The helper that gives the other tests a server: no process is left, no half-filled folder trusted."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from neo4j_server import server
from neo4j_server.server import HERE, LTS, NoServerError, Release, jars_for, java_for

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


def test_the_server_ends_when_asked(tmp_path: Path) -> None:
    process, child = keeper(tmp_path / "log")
    assert is_running(child)
    assert process.stdin is not None
    process.stdin.close()
    process.wait(timeout=20)
    assert not is_running(child)


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


@pytest.fixture
def fake_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Maven that notes each call and, unless told to fail half-way, brings one jar."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "mvn.py"
    program.write_text(
        "import os, pathlib, sys\n"
        "out = pathlib.Path(next(a for a in sys.argv if 'outputDirectory' in a).partition('=')[2])\n"
        "(out / 'one.jar').write_text('x')\n"
        f"calls = pathlib.Path({str(tmp_path / 'calls')!r})\n"
        "calls.write_text(calls.read_text() + 'x' if calls.exists() else 'x')\n"
        "sys.exit(int(os.environ.get('FAKE_MAVEN_FAILS', '0')))\n"
    )
    script = folder / "mvn"  # of sh: a line #! cannot name a Python under a path with a space
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(program))} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(server, "java_for", lambda release: tmp_path / "jdk" / "bin" / "java")
    return tmp_path


def test_jars_are_fetched_once(fake_maven: Path) -> None:
    folder = jars_for(LTS)
    assert jars_for(LTS) == folder
    assert LTS.version in folder.name
    assert sorted(entry.name for entry in folder.iterdir()) == ["COMPLETE", "one.jar"]
    assert (fake_maven / "calls").read_text() == "x"


def test_a_half_filled_folder_is_filled_again(fake_maven: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_MAVEN_FAILS", "1")
    with pytest.raises(NoServerError, match="could not fetch"):
        jars_for(LTS)
    monkeypatch.setenv("FAKE_MAVEN_FAILS", "0")
    folder = jars_for(LTS)
    (folder / "COMPLETE").unlink()
    (folder / "one.jar").unlink()
    assert (jars_for(LTS) / "one.jar").exists()
    assert (fake_maven / "calls").read_text() == "xxx"
    assert [entry.name for entry in folder.parent.iterdir()] == [folder.name]


def test_no_fitting_java_is_one_reason() -> None:
    with pytest.raises(NoServerError, match="no JDK 900 or newer"):
        java_for(Release("9", "neo4j.lts.version", 900, 901))
