"""What every test costs in CPU seconds, its processes' included: noted, and written down by ``make costs``.

A test of more than a second belongs to the deep tier, or has its reason in ``STAYS``.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

__all__ = ["RECORDED", "STAYS", "dear"]

RECORDED = Path(__file__).resolve().parents[1] / "costs.json"
MOST = 1.0  # CPU seconds
STAYS: dict[str, str] = {}
"""Tests, by their ids or the beginnings of them, that cost more and stay in make test, and why."""


def dear() -> dict[str, float]:
    """Return the tests of make test that cost more than a second when costs were last written down."""
    recorded: dict[str, float] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return {name: seconds for name, seconds in recorded.items() if seconds > MOST}


def pytest_configure(config: pytest.Config) -> None:
    if folder := os.environ.get("RATINGPRIV_TEST_COSTS"):
        config.pluginmanager.register(_Notes(Path(folder)))


class _Notes:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = (folder / f"{os.getpid()}.jsonl").open("a", encoding="utf-8")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        before = _seconds()
        ended = yield
        name = item.nodeid.partition("@")[0]  # what follows is xdist's
        self._file.write(json.dumps([name, _seconds() - before]) + "\n")
        self._file.flush()
        return ended


def _seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main(folder: Path) -> None:
    """Write down what costs half a second or more."""
    lines = [line for file in folder.glob("*.jsonl") for line in file.read_text("utf-8").splitlines()]
    costs = {name: round(seconds, 1) for name, seconds in map(json.loads, lines)}
    kept = {name: seconds for name, seconds in sorted(costs.items()) if seconds >= MOST / 2}
    RECORDED.write_text(json.dumps(kept, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(costs)} tests, {sum(costs.values()):.0f} CPU s; of more than a second: {len(dear())}")  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
