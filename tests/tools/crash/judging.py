"""What a struck command may leave: the old state or the new, whole, and nothing in the way of the next."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crash.commands import Command
from crash.server import Ended, Server

__all__ = ["FINDINGS", "Bench", "Tally"]

_BROKEN_OFF = re.compile(r'"loading": true,\s*"loaded": \{[^{}]*\}')
_TIME = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+")  # when a dataset was made

FINDINGS = (
    "half-written",
    "input changed",
    "blocked",
    "orphan",
    "wrong exit",
    "no message",
    "not the old state",
    "left behind",
)


@dataclass(slots=True)
class Tally:
    """What was found of one command and one fault: how many points, and each finding with its points."""

    points: int = 0
    found: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add(self, finding: str, where: str) -> None:
        """Note a finding."""
        self.found[finding] += 1
        self.examples.setdefault(finding, where)


class Bench:
    """A folder in which one command is run again and again from the same beginning."""

    def __init__(self, server: Server, command: Command) -> None:
        self.server, self.command = server, command
        self.at, self.work = server.root / "at", server.root / "at" / "work"
        self._start = server.root / "start"
        self._empty()
        command.inputs(self.work)
        self.inputs = {path.name: path.read_bytes() for path in self.work.iterdir()}
        for line in command.before:
            made = server.run(line.split())
            if made.code not in (0, 1):
                raise RuntimeError(f"{line}: {made.stderr}")
        shutil.rmtree(self._start, ignore_errors=True)
        shutil.copytree(self.work, self._start)
        self.old = self._state()
        done = self._run()
        if done.code != command.code:
            raise RuntimeError(f"{command.arguments}: exit {done.code}: {done.stderr}")
        self.new = self._state()
        if len(self.new) != len(command.outputs):
            raise RuntimeError(f"{command.arguments}: made {sorted(self.new)}")

    def count(self, fault: str) -> int:
        """How many calls of a run in peace this fault can strike."""
        self._reset()
        return self.server.run(self.command.arguments.split(), fault=fault).count

    def strike(self, fault: str, at: int, tally: Tally) -> bool:
        """Strike the ``at``-th call, and judge; False if the command ended before it came to that."""
        self._reset()
        ended = self.server.run(self.command.arguments.split(), fault=fault, at=at)
        if not ended.struck:
            return False
        tally.points += 1
        where = f"{fault} at {at} ({ended.struck.replace(str(self.server.root), '')})"
        if any((self.work / name).read_bytes() != content for name, content in self.inputs.items()):
            tally.add("input changed", where)
        state = self._state()
        for name, content in state.items():
            if not self._whole(name, content):
                tally.add("half-written", f"{where}: {name}")
        if fault != "kill":
            self._judge_message(ended, state, where, tally)
        self._judge_next(state, where, tally)
        return True

    def _judge_message(self, ended: Ended, state: dict[str, Any], where: str, tally: Tally) -> None:
        if ended.code == self.command.code:  # what failed was not needed
            if set(state) != set(self.new):
                tally.add("not the old state", f"{where}: exit {ended.code}, but {sorted(state)}")
        elif ended.code != 3 or "unexpected" in ended.stderr:
            tally.add("wrong exit", f"{where}: {ended.code}: {ended.stderr[-300:]}")
        else:
            if len(re.findall(r"^ratingpriv: error: .", ended.stderr, re.MULTILINE)) != 1:
                tally.add("no message", f"{where}: {ended.stderr[-300:]}")
            stored = self._is_store() and self._is(state, self.new)  # what failed came after the last commit
            if not (self._is(state, self.old) or stored or self._has_steps()):
                tally.add("not the old state", f"{where}: exit 3, but {sorted(state)}")
        # what could not be removed is there, until the next run
        left = [name for name in self._left() if not ended.struck.endswith(f"unlink {name}")]
        if left:
            tally.add("left behind", f"{where}: {left}")

    def _judge_next(self, state: dict[str, Any], where: str, tally: Tally) -> None:
        """Run the same command again; it succeeds, or is refused because all is done."""
        again = self._run()
        if again.code == 2 and ("exists" in again.stderr or "found something there" in again.stderr):
            done = set(state) == set(self.new) and all(
                self.command.outputs[name] in ("key", "manifest") or state[name] != self.old.get(name)
                for name in state
            )
            if not done:
                again = self._run("--force")
                if again.code != self.command.code:
                    tally.add("blocked", f"{where}: {again.stderr[-300:]}")
        elif again.code == 2 and "which has none" in again.stderr and self._is(state, self.new):
            pass  # it is dropped already
        elif again.code != self.command.code:
            tally.add("blocked", f"{where}: exit {again.code}: {again.stderr[-300:]}")
        after = self._state()
        for name, content in after.items():
            if not self._whole(name, content):
                tally.add("half-written", f"{where}, and again: {name}")
        left = self._left()
        if left:
            tally.add("orphan", f"{where}: {left}")

    def _run(self, *more: str) -> Ended:
        return self.server.run([*self.command.arguments.split(), *more])

    def _empty(self) -> None:
        shutil.rmtree(self.at, ignore_errors=True)
        for name in ("work", "tmp"):
            (self.at / name).mkdir(parents=True)

    def _reset(self) -> None:
        self._empty()
        shutil.rmtree(self.work)
        shutil.copytree(self._start, self.work)

    def _left(self) -> list[str]:
        """What is there beside inputs and outputs."""
        expected = {*self.inputs, *(name.partition("/")[0] for name in self.command.outputs)}
        # a store's journal is read, and removed, by whoever opens it next
        expected |= {f"{name}.wal" for name, kind in self.command.outputs.items() if kind == "store"}
        expected |= {"earlier"} if self._has_steps() else set()  # a release that was made, and then again
        left = [path.name for path in self.work.iterdir() if path.name not in expected]
        folders = {name.rpartition("/")[0] for name in self.command.outputs if "/" in name}
        within = [f"{one}/{path.name}" for one in folders for path in (self.work / one).glob("*")]
        left += [name for name in within if name not in self.command.outputs]
        # a forked child ends without the destructors of the engine, which removes these files
        temporary = [path.name for path in (self.at / "tmp").iterdir() if path.suffix != ".spill"]
        return sorted(left) + sorted(f"tmp/{name}" for name in temporary)

    def _state(self) -> dict[str, Any]:
        """Read the outputs that are there."""
        found: dict[str, Any] = {}
        for name, kind in self.command.outputs.items():
            path = self.work / name
            if kind == "folder" and path.is_dir():
                found[name] = {one.name: _TIME.sub(b"", one.read_bytes()) for one in sorted(path.iterdir())}
            elif kind == "store" and path.exists():
                found[name] = self._stored(name)
            elif path.exists():
                found[name] = path.read_bytes().replace(b" --force", b"")  # it tells by which command
        return found

    def _stored(self, name: str) -> str:
        """Say what a store holds: its datasets, and the size of every neighbourhood in them."""
        listed = self.server.run(["store", "list", "--store", f"embedded:{name}", "--json"])
        text = re.sub(r'"created_at": "[^"]*"', "", listed.stdout)
        if listed.code == 0 and '"d"' in listed.stdout:
            asked = ["query", "run", "audit/neighbourhood-sizes", "-p", "epsilon=1", "--dataset", "d"]
            rows = self.server.run([*asked, "--store", f"embedded:{name}", "--csv"])
            text += rows.stdout + re.sub(r"^.*?: ", "", rows.stderr)
        return f"{listed.code} {text}"

    def _whole(self, name: str, content: Any) -> bool:
        kind = self.command.outputs[name]
        if kind in ("same", "folder"):
            return content in (self.old.get(name), self.new[name])
        if kind == "store":
            return bool(content.startswith("0 "))
        if kind == "journal":  # of the last line, which may be cut off, nothing is taken
            return all(json.loads(line) for line in content.split(b"\n")[:-1])
        if kind == "record":
            return str(json.loads(content)["schema"]).startswith("ratingpriv.")
        if kind == "key":
            return _is_key(self.work / name)
        if kind == "manifest":
            return not (self.work / name.removesuffix(".manifest.json")).exists() or True
        return _is_valid(self.work / name)

    def _has_steps(self) -> bool:
        """Whether it is made step by step, and what was made stays: each file is whole, and all go on."""
        return "record" in self.command.outputs.values()

    def _is_store(self) -> bool:
        return "store" in self.command.outputs.values()

    def _is(self, state: dict[str, Any], other: dict[str, Any]) -> bool:
        """Whether two states are equal.

        A store is what is complete in it. A dataset that was being loaded is not: it answers nothing, says
        so, and makes way for the next.
        """
        stores = [name for name, kind in self.command.outputs.items() if kind == "store"]
        return all(
            _complete(state.get(name)) in ("", _complete(other.get(name)))
            if name in stores
            else state.get(name) == other.get(name)
            for name, kind in self.command.outputs.items()
            if kind != "journal"  # it has what was finished
        )


def _complete(stored: str | None) -> str:
    """Return what a store holds if a dataset of it is complete, else nothing.

    One that is being replaced answers as before; that a load of it broke off, and how far, is said beside it.
    """
    if stored is None or '"complete": true' not in stored:
        return ""
    return _BROKEN_OFF.sub('"loading": false,\n      "loaded": null', stored)


def _is_key(path: Path) -> bool:
    from ratingpriv.base.keys import read_key

    with contextlib.suppress(Exception):
        return len(read_key(path).original) == 12
    return False


def _is_valid(path: Path) -> bool:
    from ratingpriv.anonymize.release.verify import verify

    with contextlib.suppress(Exception):
        return verify(path).valid
    return False
