"""The command line, in this process and as a real one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from json_contracts import hold_to_its_schema
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[2]

TABLES = {
    1: "id,issue 1,issue 2,issue 3,issue "
    "4\nt1,6,1,,6\nt2,1,6,,1\nt3,2,5,,1\nt4,1,,5,1\nt5,2,,6,5\n",
    2: "id,issue 1,issue 2,issue 3,issue 4\n"
    "t1,3,6,,6\nt2,2,5,,1\nt3,4,7,,4\nt4,5,6,,1\nt5,1,,5,1\nt6,2,,6,5\n",
}


@pytest.fixture
def cli():
    """Run a command in this process, which may begin as it is typed; gives exit_code,
    stdout, stderr.
    """
    from ratingpriv.cli import app

    def run(*args, **more):
        typed, given = (args[0].split(), args[1:]) if args and " --" in str(args[0]) else ([], args)
        return CliRunner().invoke(app, [*typed, *map(str, given)], **more)

    return run


@pytest.fixture
def environment():
    """Environment of a plain shell without a terminal's settings."""
    unset = {"FORCE_COLOR", "COLUMNS", "RATINGPRIV_TEST_DATA"}
    return {name: value for name, value in os.environ.items() if name not in unset}


@pytest.fixture
def process(environment):
    """Run a command as a process of its own; gives returncode, stdout, stderr."""

    def run(*args, **more):
        command = [sys.executable, "-m", "ratingpriv", *(str(arg) for arg in args)]
        settings = {"capture_output": True, "text": True, "encoding": "utf-8", "env": environment}
        ended = subprocess.run(command, check=False, **settings | more)
        hold_to_its_schema(ended.stdout)
        return ended

    return run


def step_inside(command, *, env, **_):
    """Run a step in this process, which is quicker:
    its words and its environment are what it is told.
    """
    from ratingpriv.cli import app

    assert command[:4] == [sys.executable, "-P", "-m", "ratingpriv"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RATINGPRIV_STEP", env["RATINGPRIV_STEP"])
        ended = CliRunner().invoke(app, command[4:])
    if ended.exit_code < 128:  # signals are the other's to tell
        sys.stderr.write(ended.stderr)
    return ended.exit_code, ended.stdout_bytes, b""


@pytest.fixture
def inside(monkeypatch):
    """The steps of a run, in this process."""
    monkeypatch.setattr("ratingpriv.base.unfinished.run_child", step_inside)


@pytest.fixture
def table_file(tmp_path):
    """Write Table 1 or 2 of the papers as CSV; gives the path."""

    def write(number: int) -> Path:
        path = tmp_path / f"table{number}.csv"
        path.write_text(TABLES[number], encoding="utf-8")
        return path

    return write
