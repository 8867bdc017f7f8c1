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
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from fuzz.registry import Kind, dice, kinds

CORPUS = Path(__file__).resolve().with_name("corpus")
SMALL = 20_000
"""Characters of a case that can be kept; ``code`` in it is a guess, to be corrected by hand."""

SECONDS = 300
"""A worker that is silent for longer is killed: compiled code that does not end."""


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


def work() -> None:
    """Be a worker: a job a line on stdin, an outcome a line on stdout."""
    known = kinds()
    talk = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what is printed by mistake is no outcome
    for line in sys.stdin:
        name, seed, number = json.loads(line)
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            outcome, told = attempt_in(Path(folder), known[name], seed, number)
        talk.write(json.dumps([outcome, told]) + "\n")


class Run:
    """All attempts of a run, spread over workers."""

    def __init__(self, jobs: Iterator[tuple[str, int, int]], total: int, seconds: float) -> None:
        self.jobs, self.total, self.seconds, self.done = jobs, total, seconds, 0
        self.counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        self.findings: list[tuple[str, int, int, str]] = []
        self.slowest: dict[str, tuple[float, int]] = {}
        self.lock = threading.Lock()
        self.began = time.monotonic()

    def serve(self) -> None:
        """Give one worker after another its jobs, until there are none."""
        process = None
        while True:
            with self.lock:
                late = 0 < self.seconds < time.monotonic() - self.began
                job = None if late else next(self.jobs, None)
            if job is None:
                break
            process = process or self._start()
            watch = threading.Timer(SECONDS, process.kill)
            watch.start()
            started = time.monotonic()
            try:
                process.stdin.write(json.dumps(job) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except BrokenPipeError:
                line = ""
            finally:
                watch.cancel()
            took = (time.monotonic() - started, job[2])
            self.slowest[job[0]] = max(took, self.slowest.get(job[0], took))
            if line:
                self._count(job, *json.loads(line))
            else:
                code = process.wait()
                self._count(
                    job, "FINDING", f"the process ended with {code} (a crash, or compiled code that hangs)"
                )
                process = None
        if process is not None:
            process.stdin.close()
            process.wait()

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "fuzz", "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def _count(self, job: tuple[str, int, int], outcome: str, told: str) -> None:
        with self.lock:
            self.done += 1
            self.counts[job[0]][outcome] += 1
            if outcome == "FINDING":
                self.findings.append((*job, told))
                print(f"FINDING {job[0]}:{job[1]}:{job[2]} {told}", flush=True)
            if self.done % 5000 == 0:
                print(f"{self.done:,} of {self.total:,}, {len(self.findings)} findings", flush=True)

    def summary(self) -> int:
        """Print the counts; return the exit code."""
        for name, counts in sorted(self.counts.items()):
            ends = "  ".join(f"{word}: {n:,}" for word, n in sorted(counts.items()))
            seconds, number = self.slowest[name]
            print(f"{name:14} {counts.total():7,}  {ends}  (the slowest is {number}: {seconds:.1f} s)")
        seconds = time.monotonic() - self.began
        print(
            f"fuzz: {self.done:,} inputs of {len(self.counts)} kinds in {seconds:,.0f} s, "
            f"{len(self.findings)} that ended as none may"
        )
        return 1 if self.findings else 0


def main() -> int:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="fuzz")
    parser.add_argument("--n", type=int, default=10_000, help="attempts in all, spread over the kinds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--seconds", type=float, default=0, help="begin no attempt after so many; 0: all of N"
    )
    parser.add_argument("--kinds", default="", help="only these, with commas between")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--again", default="", metavar="KIND:SEED:I", help="repeat one attempt, keep its files"
    )
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work()
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
    jobs = (
        (name, given.seed, number)
        for number in range(max(numbers.values()))
        for name in numbers
        if number < numbers[name]
    )
    run = Run(jobs, sum(numbers.values()), given.seconds)
    threads = [threading.Thread(target=run.serve) for _ in range(given.workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return run.summary()


if __name__ == "__main__":
    sys.exit(main())
