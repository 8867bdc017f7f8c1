"""What a struck command may leave: the old state or the new, whole,
and nothing in the way of the next.
"""

import contextlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crash.commands import Command
from crash.server import Ended, Server

__all__ = ["Bench"]

_BROKEN_OFF = re.compile(r'"loading": true,\s*"loaded": \{[^{}]*\}')
_MESSAGE = re.compile(r"^ratingpriv: error: (?!.*unexpected).", re.MULTILINE)
_TIME = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+")  # when a dataset was made


class Bench:
    """A folder in which one command is run again and again from the same beginning."""

    def __init__(self, server: Server, command: Command) -> None:
        self.server, self.command = server, command
        self.kinds = set(command.outputs.values())
        self.has_steps = "record" in self.kinds  # what was made in earlier steps stays
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

    def strike(self, fault: str, at: int) -> list[str]:
        """Strike the ``at``-th call; return what is wrong with what it left,
        each with where that was.
        """
        self._reset()
        ended = self.server.run(self.command.arguments.split(), fault=fault, at=at)
        where = f"{fault} at {at} ({ended.struck.replace(str(self.server.root), '')})"
        assert ended.struck, where
        return [f"{where}: {finding}" for finding in self._judged(fault, ended)]

    def _judged(self, fault: str, ended: Ended) -> Iterator[str]:
        if any((self.work / name).read_bytes() != content for name, content in self.inputs.items()):
            yield "an input was changed"
        state = self._state()
        yield from self._half_written(state)
        if fault != "kill":
            yield from self._wrong_end(ended, state)
            # what could not be removed is there, until the next run
            if left := [
                name for name in self._left() if not ended.struck.endswith(f"unlink {name}")
            ]:
                yield f"left behind: {left}"
        else:
            self._tidy(state)
        again = self._run()  # which succeeds, or is refused because all is done
        if again.code == 2 and (
            "exists" in again.stderr or "found something there" in again.stderr
        ):
            done = set(state) == set(self.new) and all(
                self.command.outputs[name] in ("key", "manifest")
                or state[name] != self.old.get(name)
                for name in state
            )
            if not done and self._run("--force").code != self.command.code:
                yield f"blocked: {again.stderr[-300:]}"
        elif again.code != self.command.code:
            dropped = (
                again.code == 2 and "which has none" in again.stderr and self._is(state, self.new)
            )
            if not dropped:
                yield f"blocked: exit {again.code}: {again.stderr[-300:]}"
        yield from self._half_written(self._state())
        if left := self._left():
            yield f"orphans: {left}"

    def _tidy(self, state: dict[str, Any]) -> None:
        """Remove what a killed writer leaves: what is partial,
        and the key of a release that is not.
        """
        shutil.rmtree(self.at / "tmp")
        (self.at / "tmp").mkdir()
        for path in self.work.rglob(".*.partial"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        kinds = self.command.outputs
        if not any(
            kinds[name] == "release" and held != self.old.get(name) for name, held in state.items()
        ):
            for name in (name for name in state if kinds[name] == "key" and name not in self.old):
                (self.work / name).unlink()

    def _half_written(self, state: dict[str, Any]) -> Iterator[str]:
        yield from (
            f"{name} is half-written" for name, held in state.items() if not self._whole(name, held)
        )

    def _wrong_end(self, ended: Ended, state: dict[str, Any]) -> Iterator[str]:
        if ended.code == self.command.code:  # what failed was not needed
            if set(state) != set(self.new):
                yield f"exit {ended.code}, but {sorted(state)}"
        elif ended.code != 3 or len(_MESSAGE.findall(ended.stderr)) != 1:
            yield f"exit {ended.code}: {ended.stderr[-300:]}"
        else:
            # of a store: what failed came after the last commit
            fits = self._is(state, self.old) or (
                "store" in self.kinds and self._is(state, self.new)
            )
            if not fits and not self.has_steps:
                yield f"exit 3, but {sorted(state)}"

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
        expected |= {
            f"{name}.wal" for name, kind in self.command.outputs.items() if kind == "store"
        }
        # a release that was made, and then again
        expected |= {"earlier"} if self.has_steps else set()
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
                found[name] = {
                    one.name: _TIME.sub(b"", one.read_bytes()) for one in sorted(path.iterdir())
                }
            elif kind == "store" and path.exists():
                found[name] = self._stored(name)
            elif path.exists():
                # it tells by which command
                found[name] = path.read_bytes().replace(b" --force", b"")
        return found

    def _stored(self, name: str) -> str:
        """Say what a store holds: its datasets, and the size of every neighbourhood in them."""
        listed = self.server.run(["store", "list", "--store", f"embedded:{name}", "--json"])
        text = re.sub(r'"created_at": "[^"]*"', "", listed.stdout)
        if listed.code == 0 and '"d"' in listed.stdout:
            asked = [
                "query",
                "run",
                "audit/neighbourhood-sizes",
                "-p",
                "epsilon=1",
                "--dataset",
                "d",
            ]
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
        # an old release may have the new manifest beside it already, which says that it is another
        # file's
        return kind == "manifest" or content == self.old.get(name) or _is_valid(self.work / name)

    def _is(self, state: dict[str, Any], other: dict[str, Any]) -> bool:
        """Whether two states are equal.

        A store is what is complete in it. A dataset that was being loaded is not: it answers
        nothing, says so, and makes way for the next.
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

    One that is being replaced answers as before; that a load of it broke off, and how far, is said
    beside it.
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
