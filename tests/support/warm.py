"""Commands of ratingpriv in forks of one warm process, which would each import everything anew.

What a command prints is what a process of its own prints: the child has the arguments and the
folder of one, and the environment that the warm process was started with. Who wants more of it
wraps the run (``around``): tests/tools/crash puts a fault into it.
"""

import contextlib
import json
import os
import shlex
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

__all__ = ["Warm", "forked", "plain"]

type Around = Callable[[], contextlib.AbstractContextManager[None]]

_OF_A_SHELL = frozenset("|&;<>()$`*?[#~=%!{}\n")
# numba's threads do not survive a fork
_NEVER = ("numba", "llvmlite", "__main__", "house", "crash")


def plain(command: str) -> list[str] | None:
    """Return the arguments of a command that needs no shell, else None."""
    if not command.startswith("ratingpriv ") or not hasattr(os, "fork"):
        return None
    quoted = shlex.split(command)
    outside = "".join(
        part for n, part in enumerate(command.replace("'", '"').split('"')) if n % 2 == 0
    )
    return None if _OF_A_SHELL & set(outside) or "\\" in command else quoted[1:]


class Warm:
    """A process that answers a line of JSON with another; it ends with the block."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, *command],
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, *asked: Any) -> Any:
        """Return the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the warm process ended")
        return json.loads(answer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=60)


def forked(
    arguments: list[str], folder: Path, outputs: tuple[Path, Path], modules: Path, *,
    around: Around = contextlib.nullcontext, learn: bool = True,
) -> int:  # fmt: skip
    """Run a command in a child, its two outputs into files, and return the child's status.

    With ``learn`` what it imported is imported here, so that the next ones need not.
    """
    child = os.fork()
    if child == 0:
        _child(arguments, folder, outputs, modules, around)
    _, status = os.waitpid(child, 0)
    for name in modules.read_text("utf-8").split("\n") if learn and modules.exists() else []:
        if name not in sys.modules and name.partition(".")[0] not in _NEVER:
            with contextlib.suppress(Exception):
                __import__(name)
    return status


def _child(
    arguments: list[str], folder: Path, outputs: tuple[Path, Path], modules: Path, around: Around
) -> None:
    code = 99
    try:
        handles = {
            path: os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND)
            for path in outputs
        }
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        for number, path in enumerate(outputs, 1):
            os.dup2(handles[path], number)
        os.chdir(folder)
        sys.argv = [str(Path(sys.executable).with_name("ratingpriv")), *arguments]
        from ratingpriv.cli import main

        with around():
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


def _serve(printed: Path) -> None:
    __import__("ratingpriv.cli")
    for line in sys.stdin:
        folder, arguments = json.loads(line)
        status = forked(
            arguments, Path(folder), (printed, printed), printed.with_suffix(".modules")
        )
        sys.stdout.write(
            json.dumps([printed.read_text("utf-8"), os.waitstatus_to_exitcode(status)]) + "\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
