"""``python -m mutants``: draw mutants, run the tests of their rooms on each, and name the survivors.

A process imports what is heavy once; every mutant is a child of it, which sees the changed module instead of
the file. No file is changed.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.abc
import importlib.machinery
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from types import ModuleType

from mutants.drawing import Mutant, is_equivalent, mutants_of, path_of
from mutants.rooms import ROOMS

_HEAVY = (
    "numpy",
    "scipy.sparse",
    "polars",
    "pyarrow.parquet",
    "networkx",
    "hypothesis.strategies",
    "hypothesis.extra.numpy",
    "pytest",
    "click",
    "rich.console",
)
_KILLED, _SURVIVED, _SLOW, _NO_TEST = "killed", "survived", "killed (too slow)", "no test"


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module elsewhere: in a mutant."""

    def __init__(self, mutant: Mutant) -> None:
        self._name, self._mutant = f"ratingpriv.{mutant.module}", mutant

    def find_spec(
        self, fullname: str, path: object, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the module by its name."""
        if fullname != self._name:
            return None
        origin = str(path_of(self._mutant.module))
        spec = importlib.machinery.ModuleSpec(fullname, self, origin=origin)
        spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed code as the module."""
        exec(compile(self._mutant.code, str(path_of(self._mutant.module)), "exec"), module.__dict__)


def _test(mutant: Mutant | None, tests: Sequence[str], seconds: int, verbose: bool) -> None:
    """Run the tests in this process, a child, and end with pytest's code."""
    import pytest

    signal.alarm(seconds)
    if mutant is not None:
        sys.meta_path.insert(0, _Changed(mutant))
    if not verbose:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
    quick = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "-m", "not server and not packaging"]
    os._exit(int(pytest.main([*quick, *tests])))


def _fate(status: int) -> str:
    if os.WIFSIGNALED(status):
        return _SLOW if os.WTERMSIG(status) == signal.SIGALRM else _KILLED
    return {0: _SURVIVED, 5: _NO_TEST}.get(os.WEXITSTATUS(status), _KILLED)


def _fates(mutants: Sequence[Mutant], seconds: int, workers: int) -> Iterator[tuple[Mutant, str]]:
    waiting, running = list(mutants), dict[int, Mutant]()
    while waiting or running:
        while waiting and len(running) < workers:
            mutant = waiting.pop(0)
            child = os.fork()
            if child == 0:
                _test(mutant, ROOMS[mutant.module], seconds, verbose=False)
            running[child] = mutant
        child, status = os.wait()
        yield running.pop(child), _fate(status)


def main() -> int:
    """Run; 1 if a mutant survived that is not named as equivalent."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--n", default="32", help="how many mutants; all of them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--module", action="append", choices=list(ROOMS), help="only of this module (repeatable)"
    )
    parser.add_argument("--seconds", type=int, default=300, help="of the tests of one mutant")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="only list them")
    given = parser.parse_args()
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    every = [mutant for module in given.module or ROOMS for mutant in mutants_of(module)]
    drawn = (
        every if given.n == "all" else random.Random(given.seed).sample(every, min(int(given.n), len(every)))
    )
    if given.list:
        print(*drawn, f"{len(drawn)} of {len(every)} mutants", sep="\n")
        return 0
    for name in _HEAVY:
        importlib.import_module(name)
    found: dict[str, int] = {}
    survivors = 0
    start = time.monotonic()
    for number, (mutant, fate) in enumerate(_fates(drawn, given.seconds, given.workers), 1):
        if fate in (_SURVIVED, _NO_TEST):
            fate = "equivalent" if is_equivalent(mutant) else fate
            if fate != "equivalent":
                survivors += 1
                print(f"{fate}: {mutant}", flush=True)
        found[fate] = found.get(fate, 0) + 1
        print(
            f"{number}/{len(drawn)} {time.monotonic() - start:.0f} s", end="\r", file=sys.stderr, flush=True
        )
    counts = ", ".join(f"{count} {fate}" for fate, count in sorted(found.items()))
    print(f"{len(drawn)} of {len(every)} mutants, seed {given.seed}: {counts}")
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main())
