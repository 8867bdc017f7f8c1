"""Run the kinds of input: ``make fuzz``, or ``python -m fuzz --help`` with PYTHONPATH as in the Makefile."""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fuzz.registry import Kind, dice, kinds

CORPUS = Path(__file__).resolve().with_name("corpus")
SMALL = 20_000
"""Characters of a case that can be kept; ``code`` in it is a guess, to be corrected by hand."""

SECONDS = 300
"""A worker that is silent for longer is killed: compiled code that does not end."""

PIECE = 25
"""Attempts of one worker."""

type Outcome = tuple[int, str, str]


def attempt_in(folder: Path, kind: Kind, seed: int, number: int) -> tuple[str, str]:
    """Make one attempt in an empty folder; return (outcome, "") or ("FINDING", what was found).

    A finding that is one command on small files is kept in the corpus.
    """
    before = Path.cwd()
    os.chdir(folder)
    try:
        return kind.attempt(dice(kind.name, seed, number)), ""
    except AssertionError as error:
        case = json.dumps(getattr(error, "case", None), indent=1)
        if case != "null" and len(case) < SMALL:
            (CORPUS / f"found-{kind.name}-{seed}-{number}.json").write_text(f"{case}\n", encoding="utf-8")
        return "FINDING", str(error)
    except Exception:
        return "FINDING", traceback.format_exc()
    finally:
        os.chdir(before)


def work(name: str, seed: int, numbers: range) -> None:
    """Be a worker: make attempts, an outcome a line on stdout."""
    kind = kinds()[name]
    talk = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what is printed by mistake is no outcome
    for number in numbers:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            talk.write(json.dumps([number, *attempt_in(Path(folder), kind, seed, number)]) + "\n")


def outcomes(name: str, seed: int, numbers: range) -> Iterator[Outcome]:
    """Yield what became of attempts, in workers: one that died is a finding, and the rest go on."""
    while numbers:
        place = f"{name}:{seed}:{numbers.start}:{numbers.stop}"
        process = subprocess.Popen([sys.executable, "-m", "fuzz", "--work", place], stdout=subprocess.PIPE)
        while numbers:
            watch = threading.Timer(SECONDS, process.kill)
            watch.start()
            line = process.stdout.readline()
            watch.cancel()
            if not line:
                yield numbers[0], "FINDING", f"the process ended with {process.wait()} (a crash, or it hangs)"
            else:
                yield tuple(json.loads(line))
            numbers = numbers[1:]
            if not line:
                break
        process.wait()


def main() -> int:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="fuzz")
    parser.add_argument("--n", type=int, default=10_000, help="attempts in all, spread over the kinds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="", help="only these, with commas between")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--again", default="", metavar="KIND:SEED:I", help="repeat one attempt, keep its files"
    )
    parser.add_argument("--work", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        name, seed, first, last = given.work.split(":")
        work(name, int(seed), range(int(first), int(last)))
        return 0
    known = kinds()
    if given.again:
        name, seed, number = given.again.split(":")
        folder = tempfile.mkdtemp(prefix="fuzz-again-")
        outcome, told = attempt_in(Path(folder), known[name], int(seed), int(number))
        print(f"{outcome} {told}\nfiles: {folder}")
        return outcome == "FINDING"
    chosen = [known[name] for name in given.kinds.split(",")] if given.kinds else list(known.values())
    weight = sum(kind.share for kind in chosen)
    numbers = {kind.name: max(1, round(given.n * kind.share / weight)) for kind in chosen}
    jobs = [
        (name, range(first, min(first + PIECE, numbers[name])))
        for name in numbers
        for first in range(0, numbers[name], PIECE)
    ]
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)

    def run(job: tuple[str, range]) -> None:
        for number, outcome, told in outcomes(job[0], given.seed, job[1]):
            counts[job[0]][outcome] += 1
            if outcome == "FINDING":
                print(f"FINDING {job[0]}:{given.seed}:{number} {told}", flush=True)

    with ThreadPoolExecutor(given.workers) as pool:
        list(pool.map(run, jobs))
    for name, ends in sorted(counts.items()):
        print(
            f"{name:20} {ends.total():7,}  " + "  ".join(f"{word}: {n:,}" for word, n in sorted(ends.items()))
        )
    bad = sum(ends["FINDING"] for ends in counts.values())
    print(f"fuzz: {len(jobs):,} pieces of {len(counts)} kinds, {bad} inputs that ended as none may")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
