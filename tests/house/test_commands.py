"""The commands that a stranger types first."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from house.checkout import ROOT, environment

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.MULTILINE))
MOST_SHOWN = 15
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_make_command_in_the_docs_exists(page):
    named = re.findall(
        r"(?:^|`)make ([a-z][a-z-]*)(?=[ `\n])", page.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(named) <= TARGETS


def shown_by(target):
    asked = ["make", "--no-print-directory", target]
    answer = subprocess.run(
        asked, cwd=ROOT, env=environment(), capture_output=True, text=True, check=True
    )
    return {line.split()[1] for line in answer.stdout.splitlines()}


def test_help_names_the_targets_of_every_day_and_help_all_every_target():
    assert (
        {"demo", "check", "quick", "test", "test-all"}
        <= shown_by("help")
        < shown_by("help-all")
        == TARGETS
    )
    assert len(shown_by("help")) <= MOST_SHOWN


def test_ci_runs_the_readmes_test_command():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    asked = {
        word
        for line in re.findall(r"\bmake ([a-z -]+?)(?: -j|$| #| [A-Z]| \")", script, re.MULTILINE)
        for word in line.split()
    }
    checks = {"check", "typecheck", "package-test", "test-nojit", "coverage-report"}
    assert {"test", "test-calendar", "test-spark", "test-gds", *checks} <= asked <= TARGETS


# ---- .ci/find-python ----


class Machine:
    """A machine with nothing but a shell and two of its tools; ``python`` adds a program."""

    def __init__(self, folder):
        self.home, self.bin = folder / "home of ann", folder / "bin with space"
        self.home.mkdir()
        self.bin.mkdir()
        for tool in ("cat", "sed"):
            (self.bin / tool).symlink_to(shutil.which(tool))

    def python(self, path, script):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def find(self, **more):
        env = {"PATH": str(self.bin), "HOME": str(self.home), **more}
        asked = ["/bin/sh", str(ROOT / ".ci" / "find-python")]
        return subprocess.run(asked, env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


PYENV = "home of ann/.pyenv/versions"
REFUSES = "echo 'pyenv: command not found' >&2; exit 127"


@pytest.mark.parametrize(
    ("programs", "found"),
    [
        # a shim that refuses is passed over
        (
            {"bin/python3": "exit 1", "bin/python3.12": REFUSES, f"{PYENV}/3.12.1/bin/python": 12},
            12,
        ),
        # one with wheels is preferred to the newest, which is taken where there is no other
        ({"bin/python3.12": 12, "bin/python3.14": 14, "bin/python3.15": 15}, 12),
        ({"bin/python3.12": 12, "bin/python3.13": 13, "bin/python3.14": 14}, 13),
        ({f"{PYENV}/3.16.0/bin/python": 16}, 16),
        ({"py env/versions/3.13.0/bin/python": 13}, 13),
    ],
)
def test_which_python_is_taken(machine, tmp_path, programs, found):
    for path, script in programs.items():
        place = (
            machine.bin / path.removeprefix("bin/") if path.startswith("bin/") else tmp_path / path
        )
        machine.python(
            place, script if isinstance(script, str) else f"echo {script} '/a b/{script}'"
        )
    assert machine.find(PYENV_ROOT=str(tmp_path / "py env")).stdout == f"/a b/{found}\n"


def test_the_users_choice_then_one_that_runs_then_uvs_then_what_to_install(machine, tmp_path):
    shim = machine.python(machine.bin / "python3.12", REFUSES)
    found = machine.find()
    assert (found.returncode, found.stdout) == (1, "")
    assert "pyenv install" in found.stderr
    managed = machine.python(machine.home / "uv" / "python", "echo 13 /uv")
    machine.python(machine.bin / "uv", f"[ \"$UV_PYTHON_DOWNLOADS\" = never ] && echo '{managed}'")
    assert machine.find().stdout == "/uv\n"
    machine.python(shim, f'exec "{sys.executable}" "$@"')
    assert machine.find().stdout == f"{sys.executable}\n"
    chosen = machine.python(tmp_path / "my python", "echo 12 /mine")
    assert machine.find(PYTHON=str(chosen)).stdout == "/mine\n"
    found = machine.find(PYTHON="/nowhere/python")
    assert found.stdout == f"{sys.executable}\n"
    assert "/nowhere/python" in found.stderr


# ---- the environment's stamp ----


def would_install(folder):
    asked = ["make", "-q", ".venv/.installed"]
    ended = subprocess.run(asked, cwd=folder, env=environment(), capture_output=True, check=False)
    return ended.returncode == 1


def test_the_environment_is_installed_where_it_is_not_this_ones(tmp_path):
    """In a copy of what make needs, under a path with spaces,
    with an environment that seems complete.
    """
    checkout = tmp_path / "a checkout"
    stamp = checkout / ".venv" / ".installed"
    stamp.parent.mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, checkout)
    stamp.write_text(f"{checkout.resolve()}\n", encoding="utf-8")
    assert not would_install(checkout)  # a second call installs nothing
    assert would_install(shutil.copytree(checkout, tmp_path / "its copy"))
    later = stamp.stat().st_mtime + 10
    os.utime(checkout / "pyproject.toml", (later, later))
    assert would_install(checkout)
    stamp.unlink()  # an install that was interrupted
    os.utime(checkout / "pyproject.toml", (0, 0))
    assert would_install(checkout)
