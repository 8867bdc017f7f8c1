"""A few points of death of the three main commands; all of them, and of every command: ``make crash``."""

from __future__ import annotations

import pytest

from crash.commands import COMMANDS
from crash.judging import Bench, Tally
from crash.server import Server, has_compiler

pytestmark = pytest.mark.skipif(not has_compiler(), reason="it takes Linux and a C compiler")

POINTS = {
    "audit -o": {"kill": 0.9, "EIO": 0.97},
    "synthesize .csv": {"kill": 0.9, "ENOSPC": 0.5},
    "anonymize, new, suppress, long, key": {"kill": 0.75, "EIO": 0.8},
}
"""Which command is struck with what, and where: a share of its calls."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("crash").resolve()) as running:
        yield running


@pytest.mark.deep
@pytest.mark.parametrize("name", POINTS)
def test_the_old_state_or_the_new_and_nothing_in_the_way(server, name):
    bench = Bench(server, next(command for command in COMMANDS if command.name == name))
    tally = Tally()
    for fault, share in POINTS[name].items():
        at = max(1, int(bench.count(fault) * share))
        assert bench.strike(fault, at, tally)
    assert tally.points == len(POINTS[name])
    assert not tally.found, tally.examples
