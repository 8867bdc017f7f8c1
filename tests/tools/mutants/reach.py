"""Which tests run which lines of the modules: a mutant is shown to those that run its lines."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import sys
import time
from collections.abc import Generator, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import CodeType

import pytest

from mutants.drawing import PACKAGE, Mutant, path_of
from mutants.rooms import ROOMS

__all__ = ["Reach", "Watch", "cached", "read", "tests_of"]

_CACHE = PACKAGE.parent / ".cache" / "mutants"
_TOOL = 4  # of sys.monitoring: no debugger, no profiler, no coverage


@dataclass
class Reach:
    """What one test that passes runs.

    Attributes
    ----------
    seconds : it took, with its fixtures
    deep : whether it is of the deep tier
    lines : of each module, by the module's name
    """

    seconds: float
    deep: bool = False
    lines: dict[str, list[int]] = field(default_factory=dict)


def cached(file: Path) -> Path:
    """Return where the reach of a file's tests is kept: another place when they or the package change."""
    text = hashlib.sha256(file.read_bytes())
    for source in sorted(PACKAGE.rglob("*.py")):
        text.update(source.read_bytes())
    return _CACHE / f"{file.stem}-{text.hexdigest()[:20]}.json"


def read(file: Path) -> dict[str, Reach]:
    """Return the reach of a file's tests, by their names."""
    return {name: Reach(**one) for name, one in json.loads(cached(file).read_text(encoding="utf-8")).items()}


class Watch:
    """A plugin of pytest that notes what each test runs.

    What a fixture runs counts for every test of the file: it may be made once for all of them.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._modules = {str(path_of(module)): module for module in ROOMS}
        self._seen: dict[str, set[int]] = {}
        self._fixtures: dict[str, set[int]] = {}
        self._reaches: dict[str, Reach] = {}
        self._passed = False
        sys.monitoring.use_tool_id(_TOOL, "mutants")
        sys.monitoring.register_callback(_TOOL, sys.monitoring.events.LINE, self._line)
        sys.monitoring.set_events(_TOOL, sys.monitoring.events.LINE)

    def _line(self, code: CodeType, number: int) -> object:
        if (module := self._modules.get(code.co_filename)) is not None:
            self._seen.setdefault(module, set()).add(number)
        return sys.monitoring.DISABLE

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Note a test that passes."""
        self._passed = False
        self._seen.clear()
        sys.monitoring.restart_events()
        start = time.monotonic()
        ended = yield
        if self._passed:
            lines = {module: sorted(numbers) for module, numbers in self._seen.items()}
            deep = item.get_closest_marker("deep") is not None
            self._reaches[item.nodeid] = Reach(time.monotonic() - start, deep, lines)
        return ended

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self) -> None:
        """Tell what fixtures run from what the test runs."""
        for module, lines in self._seen.items():
            self._fixtures.setdefault(module, set()).update(lines)
        self._seen.clear()
        sys.monitoring.restart_events()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note whether it passed."""
        if report.when == "call":
            self._passed = report.passed

    def keep(self) -> bool:
        """Keep what was noted, for :func:`read`."""
        for reach in self._reaches.values():
            for module, numbers in self._fixtures.items():
                reach.lines[module] = sorted(numbers.union(reach.lines.get(module, ())))
        place = cached(self._file)
        place.parent.mkdir(parents=True, exist_ok=True)
        partial = place.with_suffix(f".{os.getpid()}")
        found = {name: asdict(reach) for name, reach in self._reaches.items()}
        partial.write_text(json.dumps(found), encoding="utf-8")
        partial.replace(place)
        return True


def tests_of(mutant: Mutant, reaches: dict[str, Reach], everywhere: bool) -> list[str]:
    """Return the tests that run the changed statement (``everywhere``: the module), quick ones first."""
    statement = _statement(path_of(mutant.module).read_text(encoding="utf-8"), mutant.line)
    found = [
        name
        for name, reach in reaches.items()
        if (lines := reach.lines.get(mutant.module)) and (everywhere or not statement.isdisjoint(lines))
    ]
    return sorted(found, key=lambda name: reaches[name].seconds)


def _statement(source: str, line: int) -> set[int]:
    """Return the lines of the smallest statement with the line; of one that holds others, its own."""
    best: set[int] = {line}
    size = sys.maxsize
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.end_lineno is not None:
            first, last = node.lineno, _own_end(node)
            if first <= line <= last and last - first < size:
                best, size = set(range(first, last + 1)), last - first
    return best


def _own_end(node: ast.stmt) -> int:
    inner: Iterable[ast.stmt] = getattr(node, "body", ())
    first = min((one.lineno for one in inner), default=None) if not isinstance(node, ast.Expr) else None
    return node.end_lineno or node.lineno if first is None else max(node.lineno, first - 1)
