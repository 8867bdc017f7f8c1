"""A few points of death of the three main commands.

All of them, and of every command: ``make crash``.
"""

import os
import random

import pytest

from crash.commands import COMMANDS
from crash.judging import Bench
from crash.server import FAULTS, Server, has_compiler

pytestmark = [
    pytest.mark.skipif(not has_compiler(), reason="it takes Linux and a C compiler"),
    pytest.mark.deep,
]

N, SEED = int(os.environ.get("CRASH_N", "0")), os.environ.get("CRASH_SEED", "0")
FEW = {
    ("audit -o", "kill"): 0.9, ("audit -o", "EIO"): 0.97, ("synthesize .csv", "kill"): 0.9,
    ("synthesize .csv", "ENOSPC"): 0.5, ("anonymize, new, suppress, long, key", "kill"): 0.75,
    ("anonymize, new, suppress, long, key", "EIO"): 0.8,
}  # fmt: skip
"""Which command is struck with what, and where: a share of its calls."""
BY_NAME = {command.name: command for command in COMMANDS}
PAIRS = [(name, fault) for name in BY_NAME for fault in FAULTS] if N else FEW


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("crash").resolve()) as running:
        yield running


@pytest.mark.timeout(0)
@pytest.mark.parametrize(("name", "fault"), PAIRS)
def test_the_old_state_or_the_new_and_nothing_in_the_way(server, name, fault):
    bench = Bench(server, BY_NAME[name])
    count = bench.count(fault)
    points = [max(1, int(count * FEW[name, fault]))] if not N else range(1, count + 1)
    if 0 < N < count:
        points = sorted(random.Random(f"{SEED}:{name}:{fault}").sample(points, N))
    findings = [finding for at in points for finding in bench.strike(fault, at)]
    assert not findings, "\n".join(findings)
