"""What every test costs in CPU seconds, processes included; what is dear is of the deep tier.

``make costs`` writes the costs down (tests/costs.json), so that the tiers follow what was measured,
not what somebody thought. A test that costs more and decides too much to be left to the night
stands in ``STAYS``.
"""

import contextlib
import json
import os
import resource
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

__all__ = ["RECORDED", "STAYS", "dear"]

RECORDED = Path(__file__).resolve().parents[1] / "costs.json"
MOST = 0.6  # CPU seconds: so that all of make test takes five minutes on two cores
_STATEMENTS = "a server pays for the first statement of each kind, whichever test that is in"
STAYS = {
    "tests/parity/": "every engine and both stores give the same numbers",
    "tests/queries/": "every text of the library answers as it is defined, on both stores",
    "tests/properties/": "the engines against their twins, on random tables",
    "tests/anonymize/release/test_from_the_file.py": "what a release claims is found in its file",
    "tests/graph/test_neo4j": _STATEMENTS,
    "tests/loaders/graph/": _STATEMENTS,
    "tests/cli/test_reservations.py": "a verdict with a reservation is no yes, whichever command "
    "says it",
    "tests/cli/test_ingest.py": _STATEMENTS,
}
"""Tests, by their ids or the beginnings of them, that cost more and stay in make test, and why."""


def dear() -> dict[str, float]:
    """Return the tests that were dear when costs were last written down."""
    recorded: dict[str, float] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return {name: seconds for name, seconds in recorded.items() if seconds > MOST}


@pytest.hookimpl(tryfirst=True)  # before ``-m`` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as deep what is dear and has no reason to stay.

    While costs are taken everything has its turn.
    """
    if "RATINGPRIV_TEST_COSTS" in os.environ:
        return
    deep = {name for name in dear() if not name.startswith(tuple(STAYS))}
    for item in items:
        if item.nodeid in deep:
            item.add_marker("deep")


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
    return sum(one.ru_utime + one.ru_stime for one in used) + _of_running()


def _of_running(process: str = "self") -> float:
    """Return the CPU seconds of what was started here, and by that, and still runs:
    Neo4j's servers.
    """
    seconds = 0.0
    with contextlib.suppress(OSError):  # one ended meanwhile; or there is no /proc
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            for child in task.read_text().split():
                after_name = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                user, system = int(after_name[11]), int(after_name[12])
                seconds += (user + system) / os.sysconf("SC_CLK_TCK") + _of_running(child)
    return seconds


def main(folder: Path) -> None:
    """Write down what is dear: of several runs the least,
    as the first test to import pays for that.
    """
    costs: dict[str, float] = {}
    for file in folder.glob("*.jsonl"):
        for name, seconds in map(json.loads, file.read_text("utf-8").splitlines()):
            costs[name] = min(seconds, costs.get(name, seconds))
    kept = {name: round(seconds, 1) for name, seconds in sorted(costs.items()) if seconds > MOST}
    RECORDED.write_text(json.dumps(kept, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(costs)} tests, {sum(costs.values()):.0f} CPU s; dear: {len(dear())}")  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
