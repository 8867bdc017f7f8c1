"""Making a run: each command in a process of its own, its result in the folder of the results.

``run.json`` says what became of each. A step is finished for good as long as its options, the columns and the
data of the codebook, every file that it read and every file that it wrote are the same, byte for byte, and
ratingpriv is of the same version.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from itertools import count, takewhile
from pathlib import Path
from typing import Any, Final

from msgspec import DecodeError, convert, to_builtins
from msgspec.json import decode

from ratingpriv.base.errors import DataError, OutputError, Problem, RatingPrivError
from ratingpriv.base.files import check_writable, together
from ratingpriv.base.inputs import refuse_inputs, small_bytes
from ratingpriv.base.partial import partial_folder
from ratingpriv.base.provenance import VERSION, tool
from ratingpriv.base.unfinished import finishing, stopped_by
from ratingpriv.cli.output.exits import FAILED, say_error
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.results import with_command
from ratingpriv.cli.output.step import run_here, run_step
from ratingpriv.cli.run.plan import Plan, Step
from ratingpriv.documents.data import Tool
from ratingpriv.documents.program import HashedFile, Run, RunState, RunStep
from ratingpriv.report.as_json import write_json
from ratingpriv.report.plain import write_text

__all__ = ["Runner", "sha256_of"]

_SCHEMA: Final = "ratingpriv.run/1"
_STOPS = 2
"""The least exit code that is no verdict."""


class Runner:
    """One run, in the codebook's folder.

    Parameters
    ----------
    chosen : the names of the steps to make
    root : the application, in which options are tried
    words : of every step, for how much it reports and what it uses of the machine

    Raises
    ------
    DataError
        The record of an earlier run is none.
    """

    def __init__(
        self,
        plan: Plan,
        chosen: frozenset[str],
        *,
        root: Any,
        words: Mapping[str, Sequence[str]],
        force: bool,
        reporter: Reporter,
    ) -> None:
        self._plan, self._root, self._words = plan, root, words
        self._force, self._reporter = force, reporter
        self._steps = list(plan.steps.values())
        self._chosen = [step for step in self._steps if step.name in chosen]
        self._record = Path(plan.output, "run.json")
        self._data: str | None = None
        self._recall()

    def content(self, code: int | None) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.run/1``; ``code``: of the run, where it has ended."""
        plan = self._plan
        record = Run(
            schema=_SCHEMA,
            tool=convert(tool(), Tool),
            codebook=HashedFile(plan.codebook, plan.book.sha256),
            data=HashedFile(plan.data, self._data),
            output=plan.output,
            exit_code=code,
            steps=[step.outcome for step in self._steps],
        )
        return dict(to_builtins(record))

    def check(self) -> None:
        """Refuse, before anything long runs, what could not be run in the end.

        Raises
        ------
        RatingPrivError
            The options of a step are wrong, the release that it is about is not there, or a file that is not
            this run's is in the way of its results.
        """
        if not Path(self._plan.data).exists():
            raise DataError(Problem(self._plan.data, "no such file", "the data", "correct data of [run]"))
        self._check_files()
        made_here = self._plan.steps.get("anonymize") in self._chosen
        for step in self._chosen:
            if step.of_release and not made_here and not self._has_release():
                raise OutputError(
                    f"{step.name}: there is no release of these data with these options; "
                    "run the step anonymize first (--from-step anonymize)"
                )
            self._try(step)
        self._data = sha256_of(Path(self._plan.data))

    def run(self) -> int:
        """Run the steps, and return the exit code."""
        code = 0
        self._record.parent.mkdir(parents=True, exist_ok=True)
        with finishing(self._stop):
            for step in self._steps:
                if step not in self._chosen:
                    step.outcome.state = self._looked_at(step)
                elif code < _STOPS:
                    code = self._step(step)
                self._save()
        gates = [step for step in self._steps if step.gate]
        left_out = any(gate.outcome.state == "left_out" for gate in gates)
        failed = any(gate.fresh and gate.outcome.exit_code == 1 for gate in gates)
        code = code or int(left_out or failed)
        self._save(code)
        return code

    def _step(self, step: Step) -> int:
        """Run one step; return its exit code where that is no verdict, else 0."""
        outcome = step.outcome
        if step.of_release and not self._has_release():
            outcome = self._cleared(step)
            outcome.state, outcome.verdict = "left_out", "left out: there is no release"
            self._reporter.note(f"{step.name}: left out, there is no release")
            return 0
        if not self._force and self._looked_at(step) == "kept":
            outcome.state = "kept"
            self._reporter.note(f"{step.name}: unchanged, its results are kept")
            return 0
        documents = self._documents(step)
        argv = (*step.argv, *(word for name in documents for word in ("--from", name)))
        outcome = self._cleared(step)
        outcome.state, outcome.command = "running", shlex.join(("ratingpriv", *argv))
        outcome.inputs = _hashed(*step.inputs, *documents)
        outcome.fingerprint = self._fingerprint(step, outcome.inputs)
        outcome.files = [HashedFile(name, None) for name in step.files]
        self._reporter.note(f"{step.name}: {outcome.command}")
        for name in step.files:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
        self._save()
        ended = run_step([*argv, *self._words[step.name]])
        if ended.code < _STOPS and ended.document is None and step.name != "report":
            # what measured nothing has passed nothing
            ended = dataclasses.replace(ended, code=FAILED, message="it ended without a result")
            say_error(f"{step.name}: {ended.message}")
        verdict = ended.message
        if ended.code < _STOPS:
            with together():
                document, text = step.results
                if ended.document is not None:
                    write_json(ended.document, document, private=ended.private)
                if ended.page:
                    write_text(ended.page, text, private=ended.private)
            verdict = ended.page.partition("\n")[0].strip() or verdict
        outcome.state = "done" if ended.code < _STOPS else "failed"
        outcome.exit_code, outcome.verdict, outcome.files = ended.code, verdict, _written(step)
        return ended.code if ended.code >= _STOPS else 0

    def _stop(self) -> None:
        """Record the step that a signal stops."""
        number = stopped_by()
        for step in self._steps:
            if number is not None and step.outcome.state == "running":
                step.outcome.state, step.outcome.exit_code = "interrupted", 128 + number
                step.outcome.files = _written(step)
                self._save(128 + number)

    def _try(self, step: Step) -> None:
        """Check the options of a step, as if its results went to an empty folder."""
        with partial_folder(Path(tempfile.gettempdir(), "ratingpriv-run")) as empty:
            moved = {name: str(empty / Path(name).name) for name in step.outputs}
            words = [step.name, *step.target, *(moved.get(word, word) for word in step.argv[1:])]
            if step.of_release and "--truth" in words:
                words[words.index("--truth") + 1] = "ids"  # the key is not there yet
            ended = run_here(self._root, [*words, *self._words[step.name]], trial=True)
        if ended.code != 0:
            message = (ended.message or f"exit code {ended.code}").replace(f"{empty}{os.sep}", "")
            raise RatingPrivError(f"{self._plan.codebook}, [{step.name}]: {message}")

    def _documents(self, step: Step) -> list[str]:
        """Return the results of the steps before a report, which takes them."""
        before = takewhile(lambda other: other is not step, self._steps if step.name == "report" else ())
        return [other.results[0] for other in before if other.fresh and Path(other.results[0]).exists()]

    def _looked_at(self, step: Step) -> RunState:
        """Return the state of a step that is not run: kept or stale where it is finished."""
        outcome = step.outcome
        if outcome.state not in ("done", "kept", "stale") or outcome.exit_code not in (0, 1):
            return outcome.state
        inputs = _hashed(*step.inputs, *self._documents(step))
        same = outcome.fingerprint == self._fingerprint(step, inputs)
        return "kept" if same and outcome.files == _hashed(*step.written) else "stale"

    def _fingerprint(self, step: Step, inputs: list[HashedFile]) -> str:
        """Return the SHA-256 of all that a step's result depends on: words, columns, files, version."""
        book = self._plan.book
        content = {
            "version": VERSION,
            "argv": step.argv,
            "inputs": {file.file: file.sha256 for file in inputs},
            "columns": {name: list(spec.said()) for name, spec in book.columns.items()},
            "missing": book.missing,
            "data": dict(book.data),
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()

    def _has_release(self) -> bool:
        """Return whether there is one of these data with these options, be it with a *but*."""
        made = self._plan.steps["anonymize"]
        fresh = made.fresh if made in self._chosen else self._looked_at(made) == "kept"
        return fresh and made.written.get(made.outputs[0]) is not None

    def _check_files(self) -> None:
        """Refuse to write a file twice, or over one that is an input, not this run's, or changed since."""
        writers = {self._record.resolve(): "the run"}
        files = [(step, name) for step in self._steps for name in step.files]
        for step, name in files:
            path, ours = Path(name), name in step.written
            if other := writers.get(path.resolve()):
                by = " and ".join(dict.fromkeys((other, step.name)))
                remedy = f"choose another name in [{step.name}]"
                raise OutputError(f"{name}: it would be written twice, by {by}; {remedy}")
            writers[path.resolve()] = step.name
            if step not in self._chosen:
                continue
            refuse_inputs(name)
            if (
                path.exists()
                and not self._force
                and not (ours and step.written[name] in (None, sha256_of(path)))
            ):
                which = "was changed since" if ours else "is none that this run wrote"
                remedy = "use `force=True` to replace it, or another folder"
                raise OutputError(f"{name}: the file exists and {which}; {remedy}")

    def _cleared(self, step: Step) -> RunStep:
        """Take the step's old results away: what is there afterwards is of this run."""
        if step.name == "anonymize":
            check_writable(step.outputs[0], force=True)  # removes what a killed run left
            # an earlier release may have been published, and a key is never replaced
            if old := [path for path in map(Path, step.outputs) if path.is_file()]:
                name = (sha256_of(old[0]) or "")[:8]
                places = (Path(self._plan.output, "earlier", f"{name}-{number}") for number in count(1))
                folder = next(place for place in places if not place.exists())
                folder.mkdir(parents=True)
                for path in old:
                    path.rename(folder / path.name)
                self._reporter.note(f"the release made earlier is kept in {folder}")
        for name in step.files:
            Path(name).unlink(missing_ok=True)
        step.forget()
        return step.outcome

    def _recall(self) -> None:
        """Read what became of the steps of an earlier run in the same folder."""
        if not self._record.exists():
            return
        try:
            earlier = decode(small_bytes(self._record), type=Run)
        except (OSError, DecodeError) as error:
            remedy = f"choose another folder (--output), or remove {self._record}"
            expected = f"{_SCHEMA}, as a run writes it"
            raise DataError(Problem(str(self._record), "no record of a run", expected, remedy)) from error
        for outcome in earlier.steps:
            if step := self._plan.steps.get(outcome.name):
                outcome.gate, outcome.command = step.gate, step.outcome.command
                step.outcome = outcome

    def _save(self, code: int | None = None) -> None:
        write_json(with_command(self.content(code)), self._record, force=True)


def sha256_of(path: Path) -> str | None:
    """Return the SHA-256 of a file, or of all files in a folder and their names; None where there is none."""
    if path.is_dir():
        files = (file for file in sorted(path.rglob("*")) if file.is_file())
        lines = (f"{file.relative_to(path).as_posix()}\0{sha256_of(file)}\0" for file in files)
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    if not path.is_file():
        return None
    status = path.stat()
    return _digest(str(path.resolve()), status.st_size, status.st_mtime_ns, status.st_ino)


@functools.lru_cache(maxsize=4096)
def _digest(path: str, *_: int) -> str:
    """Return the SHA-256 of a file that is what it was: every step asks for those that it reads."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _hashed(*names: str) -> list[HashedFile]:
    return [HashedFile(name, sha256_of(Path(name))) for name in names]


def _written(step: Step) -> list[HashedFile]:
    """Return the files that a step has written."""
    return _hashed(*(name for name in step.files if Path(name).exists()))
