"""``make crash``: strike every command at every point, and print a table."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from crash.commands import COMMANDS
from crash.judging import FINDINGS, Bench, Tally
from crash.server import FAULTS, Server, has_compiler


def main() -> int:
    """Strike; return 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="make crash", description=__doc__)
    parser.add_argument("-n", type=int, default=0, help="points for each command and fault; 0: all")
    parser.add_argument("--seed", type=int, default=0, help="draws the points")
    parser.add_argument("--only", default="", help="commands whose name contains this")
    parser.add_argument("--faults", default=",".join(FAULTS), help="which faults")
    asked = parser.parse_args()
    if not has_compiler():
        print("it takes Linux and a C compiler")
        return 2
    draw = random.Random(asked.seed)
    points = bad = 0
    print(f"{'command':36} {'fault':11} {'points':>6}  findings")
    with (
        tempfile.TemporaryDirectory(prefix="crash-") as root,
        Server(Path(root).resolve()) as server,
    ):
        for command in COMMANDS:
            if asked.only not in command.name:
                continue
            bench = Bench(server, command)
            for fault in asked.faults.split(","):
                began = time.monotonic()
                count = bench.count(fault)
                chosen = list(range(1, count + 1))
                if asked.n and asked.n < count:
                    chosen = sorted(draw.sample(chosen, asked.n))
                tally = Tally()
                for at in chosen:
                    bench.strike(fault, at, tally)
                said = (
                    ", ".join(f"{tally.found[name]} {name}" for name in FINDINGS if tally.found[name]) or "0"
                )
                spent = time.monotonic() - began
                print(f"{command.name:36} {fault:11} {tally.points:6}  {said}  [{spent:.0f} s]", flush=True)
                for finding, example in tally.examples.items():
                    print(f"    {finding}: {example}", flush=True)
                points += tally.points
                bad += sum(tally.found.values())
    print(f"crash: {points} points, {bad} findings, seed {asked.seed}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
