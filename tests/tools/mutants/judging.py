"""Show mutants to the tests that run their lines: each in a child of a process that imported the package."""

from __future__ import annotations

import importlib
import itertools
import os
import pkgutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import Phase, settings

import ratingpriv
from mutants.drawing import Mutant
from mutants.reach import Reach, Watch, cached, read, tests_of
from mutants.replacing import is_in_functions, put_before_import, put_into_functions
from mutants.rooms import ROOMS

__all__ = ["KILLED", "NO_TEST", "SLOW", "SURVIVED", "judge", "show_before_import"]

KILLED, SURVIVED, SLOW, NO_TEST = "killed", "survived", "killed (too slow)", "no test"
_QUICK = (
    *("-x", "-q", "-p", "no:cacheprovider", "--no-header"),
    *("-m", "not (server or packaging or spark or gds or calendar or documentation)"),
)
_HEAVY = ("scipy.sparse", "pyarrow.parquet", "networkx", "hypothesis.strategies", "hypothesis.extra.numpy")


def judge(
    mutants: Sequence[Mutant], seconds: float, workers: int, *, deep: bool = False
) -> Iterator[tuple[Mutant, str, int]]:
    """Show every mutant to its tests, as many as end in ``seconds``; yield (mutant, fate, their number)."""
    _import_all()
    rooms = dict.fromkeys(test for mutant in mutants for test in ROOMS[mutant.module])
    files = list(dict.fromkeys(file for room in rooms for file in _files(Path(room))))
    new = [file for file in files if not cached(file).exists()]
    for number, (file, status) in enumerate(_children(new, workers, _measure), 1):
        if status:
            raise RuntimeError(f"{file}: its tests cannot be measured")
        print(f"tests measured: {number} of {len(new)} files", end="\r", file=sys.stderr, flush=True)
    reaches = {name: reach for file in files for name, reach in read(file).items() if deep or not reach.deep}

    def show(mutant: Mutant) -> int:
        chosen = _chosen(mutant, reaches, seconds)
        if not chosen:
            return 5
        signal.alarm(60 + int(5 * sum(reaches[name].seconds for name in chosen)))
        if not is_in_functions(mutant):  # the alarm outlives exec
            place = [mutant.module, mutant.operator, str(mutant.occurrence)]
            python = [sys.executable, "-W", "ignore", "-m", "mutants"]
            os.execv(python[0], [*python, "--before-import", *place, *chosen])
        put_into_functions(mutant)
        return _run(chosen, _Alarm(reaches))

    for mutant, status in _children(mutants, workers, show):
        yield mutant, _fate(status), len(_chosen(mutant, reaches, seconds))


def show_before_import(mutant: Mutant, tests: Sequence[str]) -> int:
    """Run the tests in a process that has not imported the module; return pytest's code."""
    put_before_import(mutant)
    return _run(tests)


class _NoShrinking:
    """Lets hypothesis stop at the first example that fails: nobody reads the smallest."""

    def pytest_collection(self) -> None:
        quick = settings(
            settings.get_profile("ratingpriv"), phases=(Phase.explicit, Phase.generate), database=None
        )
        settings.register_profile("mutants", quick)
        settings.load_profile("mutants")


class _Alarm:
    """Ends the process where a test takes much longer than it did: a mutant may never end."""

    def __init__(self, reaches: dict[str, Reach]) -> None:
        self._reaches = reaches

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        reach = self._reaches.get(nodeid)
        signal.alarm(60 if reach is None else 40 + int(10 * reach.seconds))


def _import_all() -> None:
    for name in _HEAVY:
        importlib.import_module(name)
    for found in pkgutil.walk_packages(ratingpriv.__path__, "ratingpriv."):
        if not found.name.startswith("ratingpriv.spark") and not found.name.endswith("__main__"):
            importlib.import_module(found.name)


def _files(room: Path) -> list[Path]:
    return sorted(room.rglob("test_*.py")) if room.is_dir() else [room]


def _measure(file: Path) -> int:
    watch = Watch(file)
    code = _run([str(file)], watch, quick=_QUICK[1:])
    return 0 if code in (0, 1, 5) and watch.keep() else 1


def _run(tests: Sequence[str], *plugins: object, quick: Sequence[str] = _QUICK) -> int:
    """Run tests in this process, which ends then, without a word; return pytest's code."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    return int(pytest.main([*quick, *tests], plugins=[_NoShrinking(), *plugins]))


def _chosen(mutant: Mutant, reaches: dict[str, Reach], seconds: float) -> list[str]:
    """Return the tests that it is shown to: as many as end in time, and one at least."""
    tests = tests_of(mutant, reaches, everywhere=not is_in_functions(mutant))
    in_time = sum(total < seconds for total in itertools.accumulate(reaches[name].seconds for name in tests))
    return tests[: max(1, in_time)]


def _children[Job](
    jobs: Sequence[Job], workers: int, work: Callable[[Job], int]
) -> Iterator[tuple[Job, int]]:
    """Do every job in a child of its own; yield (job, the child's status)."""
    waiting, running = list(reversed(jobs)), dict[int, Job]()
    while waiting or running:
        while waiting and len(running) < workers:
            job = waiting.pop()
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    code = work(job)
                finally:
                    os._exit(code)
            running[child] = job
        child, status = os.wait()
        yield running.pop(child), status


def _fate(status: int) -> str:
    if os.WIFSIGNALED(status):
        return SLOW if os.WTERMSIG(status) == signal.SIGALRM else KILLED
    # 4: a test was not found, as its file was changed during the run; 5: there is none
    return {0: SURVIVED, 4: NO_TEST, 5: NO_TEST}.get(os.WEXITSTATUS(status), KILLED)
