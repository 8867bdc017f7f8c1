"""``python -m mutants``: draw mutants, show each to the tests that run its lines, and name the survivors.

One process imports the package; every mutant is a child of it, in which the functions have the changed code.
What is changed outside functions (a default, a class) is shown to a process of its own. No file is changed.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time

from mutants.drawing import Mutant, is_equivalent, mutants_of
from mutants.judging import NO_TEST, SURVIVED, judge, show_before_import
from mutants.rooms import ROOMS


class _Tally:
    """Counts fates; says at once who survived."""

    def __init__(self, total: int) -> None:
        self.total, self.start = total, time.monotonic()
        self.found: dict[str, int] = {}
        self.survivors = 0

    def tell(self, mutant: Mutant, fate: str, tests: int) -> None:
        if fate in (SURVIVED, NO_TEST):
            self.survivors += 1
            print(f"{fate} ({tests} tests): {mutant}", flush=True)
        self.found[fate] = self.found.get(fate, 0) + 1
        seconds = time.monotonic() - self.start
        print(f"{sum(self.found.values())}/{self.total} {seconds:.0f} s          ", end="\r", file=sys.stderr)


def main() -> int:
    """Run; 1 if a mutant survived that is not named as equivalent."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    if sys.argv[1:2] == ["--before-import"]:
        module, operator, occurrence, *tests = sys.argv[2:]
        for mutant in mutants_of(module):
            if (mutant.operator, str(mutant.occurrence)) == (operator, occurrence):
                return show_before_import(mutant, tests)
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--n", default="32", help="how many mutants; all of them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--module", action="append", choices=list(ROOMS), help="only of this module (repeatable)"
    )
    parser.add_argument("--seconds", type=float, default=60, help="of the tests one mutant is shown to")
    parser.add_argument("--deep", action="store_true", help="show them to the deep tier, too")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="only list them")
    given = parser.parse_args()
    modules = given.module or list(ROOMS)
    every = [mutant for module in modules for mutant in mutants_of(module)]
    drawn = (
        every if given.n == "all" else random.Random(given.seed).sample(every, min(int(given.n), len(every)))
    )
    if given.list:
        print(*drawn, f"{len(drawn)} of {len(every)} mutants", sep="\n")
        return 0
    shown = [mutant for mutant in drawn if not is_equivalent(mutant)]
    tally = _Tally(len(shown))
    for mutant, fate, tests in judge(shown, given.seconds, given.workers, deep=given.deep):
        tally.tell(mutant, fate, tests)
    counts = [f"{count} {fate}" for fate, count in sorted(tally.found.items())]
    counts.append(f"{len(drawn) - len(shown)} equivalent, not shown")
    print(f"{len(drawn)} of {len(every)} mutants, seed {given.seed}: {', '.join(counts)}")
    return 1 if tally.survivors else 0


if __name__ == "__main__":
    raise SystemExit(main())
