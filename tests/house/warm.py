"""Commands of ratingpriv in forks of one warm process: pages have hundreds, and each would import all anew.

What a command prints is what a process of its own prints: the child has the arguments, the folder and the
environment of one. Only plain commands come here; a shell's pipes and redirections are the shell's.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Self

__all__ = ["Warm", "plain"]

_OF_A_SHELL = frozenset("|&;<>()$`*?[#~=%!{}\n")
_NEVER = ("numba", "llvmlite", "__main__", "house")  # numba's threads do not survive a fork


def plain(command: str) -> list[str] | None:
    """Return the arguments of a command that needs no shell, else None."""
    if not command.startswith("ratingpriv ") or not hasattr(os, "fork"):
        return None
    quoted = shlex.split(command)
    outside = "".join(part for n, part in enumerate(command.replace("'", '"').split('"')) if n % 2 == 0)
    return None if _OF_A_SHELL & set(outside) or "\\" in command else quoted[1:]


class Warm:
    """A process that has imported ratingpriv; ends with the block."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._out = tempfile.NamedTemporaryFile(prefix="printed-")  # noqa: SIM115 -- closed in __exit__
        self._process = subprocess.Popen(
            [sys.executable, __file__, self._out.name], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        self._out.close()

    def run(self, arguments: list[str], folder: Path) -> tuple[str, int]:
        """Return what the command prints in ``folder`` on both outputs, and its exit code."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(folder), arguments]) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        return Path(self._out.name).read_text(encoding="utf-8"), code


def _serve(printed: str) -> None:
    __import__("ratingpriv.cli")
    modules = Path(f"{printed}.modules")
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _child(*json.loads(line), printed, modules)
        _, status = os.waitpid(child, 0)
        for name in modules.read_text("utf-8").split("\n") if modules.exists() else []:
            if name not in sys.modules and name.partition(".")[0] not in _NEVER:
                with contextlib.suppress(Exception):
                    __import__(name)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()
    modules.unlink(missing_ok=True)


def _child(folder: str, arguments: list[str], printed: str, modules: Path) -> None:
    code = 99
    try:
        os.chdir(folder)
        handle = os.open(printed, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        sys.argv = [str(Path(sys.executable).with_name("ratingpriv")), *arguments]
        from ratingpriv.cli import main

        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 98
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            modules.write_text("\n".join(sys.modules), "utf-8")
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve(sys.argv[1])
