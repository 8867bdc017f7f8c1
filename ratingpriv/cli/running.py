"""A run: the steps of a codebook's ``[run]``, each a command line of its own process.

``run.json`` says what became of each. A step is finished for good as long as its options, the
codebook's columns and data, every file that it read or wrote, byte for byte, and the version of
ratingpriv are the same.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shlex
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, takewhile
from pathlib import Path
from typing import Any, Final, NoReturn

from msgspec import DecodeError, convert, to_builtins
from msgspec.json import decode
from typer.core import TyperGroup

from ratingpriv.base.errors import DataError, OutputError, Problem, RatingPrivError, meant
from ratingpriv.base.files import together
from ratingpriv.base.inputs import refuse_inputs, small_bytes
from ratingpriv.base.partial import partial_folder
from ratingpriv.base.provenance import VERSION, sha256_of, tool
from ratingpriv.base.unfinished import finishing, stopped_by
from ratingpriv.cli import options
from ratingpriv.cli.options.config import options_of, refuse, texts_for
from ratingpriv.cli.options.parameters import names_of, place_of
from ratingpriv.cli.output.exits import FAILED, say_error
from ratingpriv.cli.output.invocation import invocation, with_command
from ratingpriv.cli.output.reporter import note
from ratingpriv.cli.output.step import run_here, run_step
from ratingpriv.data.codebook.files.toml_file import read_codebook
from ratingpriv.documents.data import Tool
from ratingpriv.documents.program import HashedFile, Run, RunState, RunStep
from ratingpriv.report.as_json import write_json
from ratingpriv.report.found import Found, worst_found
from ratingpriv.report.gates import exit_code_of
from ratingpriv.report.plain import write_text

_SCHEMA: Final = "ratingpriv.run/1"
_STOPS = 2
"""The least exit code that is no verdict."""
_USUAL = ("describe", "audit", "frontier", "anonymize", "verify", "attack", "utility", "report")
_ON_A_RELEASE = ("verify", "utility")  # which are about nothing else
_OF_A_RELEASE = ("verify", "attack", "utility", "report")
_DRAWING = ("attack", "utility", "recommend", "report")
_OUR_OWN = ("codebook", "as_json", "force")  # options that the run gives, or none
_SECRETS = ("order-seed",)  # never typed: the command takes it from the codebook


@dataclass(slots=True, kw_only=True, eq=False)
class Step:
    """One command of a run."""

    name: str
    argv: tuple[str, ...]  # its words, without secrets, which it takes from the codebook
    # words for k, epsilon and l, which it takes from results that are to be made
    target: tuple[str, ...]
    gate: bool
    inputs: tuple[str, ...]  # the files and folders that it reads, the codebook apart
    outputs: tuple[str, ...]  # the files that the command writes itself
    results: tuple[str, str]  # the JSON and the text of its result
    of_release: bool  # whether it is about the release that an earlier step makes
    outcome: RunStep = field(init=False)  # what became of it, in this run or an earlier one

    def __post_init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Let nothing have become of it."""
        command = shlex.join(("ratingpriv", *self.argv))
        self.outcome = RunStep(self.name, self.gate, "planned", None, None, None, command, [], [])

    @property
    def files(self) -> tuple[str, ...]:
        """All that is written when it is run."""
        return (*self.outputs, *self.results)

    @property
    def written(self) -> dict[str, str | None]:
        """What was written when it was run, with SHA-256."""
        return {file.file: file.sha256 for file in self.outcome.files}

    @property
    def fresh(self) -> bool:
        """Whether its result is about what is there now."""
        return self.outcome.state in ("done", "kept")


class Plan:
    """The steps of a codebook, by name; all paths are from its folder, which is the current one."""

    def __init__(
        self, codebook: str, root: TyperGroup, output: str | None = None, *, anywhere: bool = False
    ) -> None:
        self.codebook, self._commands, self._anywhere = codebook, root.commands, anywhere
        self.book = read_codebook(codebook, anywhere=anywhere)
        if self.book.run is None:
            remedy = (
                "add [run] with data, and the options of its steps; ratingpriv describe -o "
                "proposes them"
            )
            raise DataError(Problem(codebook, "no table [run]", "what to run", remedy))
        self._run = self.book.run
        self.output: str = output or self._run.get("output", "out")
        self._names: tuple[str, ...] = self._run.get("steps", _USUAL)
        self._gates: tuple[str, ...] = self._run.get("gates", self._names)
        for name in self._names:
            if name in _ON_A_RELEASE and "anonymize" not in self._before(name):
                self._refuse(
                    "steps", f"{name} without anonymize before it", "the release that it is about"
                )
        for name in self._gates:
            if name not in self._names:
                self._refuse(
                    "gates", f"{name}, which is none of the steps", f"of {', '.join(self._names)}"
                )
        self.data = self._data()
        release = self.book.commands.get("anonymize", {})
        self._release = str(release.get("output", self._at("release.csv")))
        self._key = (
            None if release.get("keep-ids") is True else release.get("key", self._at("release.key"))
        )
        self.steps: Mapping[str, Step] = {name: self._step(name) for name in self._names}

    def _step(self, name: str) -> Step:
        table, typed = self._options(name)
        of_release = (
            name in _OF_A_RELEASE and "anonymize" in self._before(name) and "release" not in table
        )
        release = [
            self._release,
            f"{self._release}.manifest.json",
            *([self._key] if self._key else []),
        ]
        inputs = [] if name == "verify" else [self.data, *map(str, self.book.files())]
        inputs += [*self._places(name, table, "input"), *(release if of_release else [])]
        outputs = [*(release if name == "anonymize" else []), *self._places(name, table, "output")]
        if name == "report" and "output" not in table:
            outputs.append(self._at("report.html"))
        audit = self.book.commands.get("audit", {}) if "audit" in self._before(name) else {}
        target = [f"--{key}={audit[key]}" for key in ("k", "epsilon", "l") if key in audit]
        return Step(
            name=name,
            argv=(name, *self._given(name, table, of_release), *typed),
            target=tuple(target) if name == "report" else (),
            gate=name in self._gates,
            inputs=tuple(dict.fromkeys(inputs)),
            outputs=tuple(dict.fromkeys(outputs)),
            results=(self._at(f"{name}.json"), self._at(f"{name}.txt")),
            of_release=of_release,
        )

    def _at(self, name: str) -> str:
        return str(Path(self.output, name))

    def _before(self, name: str) -> tuple[str, ...]:
        return self._names[: self._names.index(name)]

    def _data(self) -> str:
        path = self.book.data.get("path")
        data: str | None = self._run.get("data", path)
        if data is None:
            self._refuse("data", "no data", 'data = "survey.csv", from the folder of this file')
        if path is not None and data != path:
            self._refuse(
                "data", f"other data than path of [data] ({path})", "the same, or one of the two"
            )
        return data

    def _options(self, name: str) -> tuple[dict[str, Any], list[str]]:
        """Return the options of a step as its table has them, with the run's seed, and as words."""
        excluded = (
            _OUR_OWN if name in ("describe", "anonymize", "report") else (*_OUR_OWN, "output")
        )
        options, table = (
            options_of(self._commands[name], excluded),
            dict(self.book.commands.get(name, {})),
        )
        for key in table:
            if key not in options:
                expected = f"an option of ratingpriv {name} that a run does not give itself"
                self._refuse(key, f"the unknown key {key}", expected, meant(key, options), name)
        # not of a release: who has the original and its seed can make the changes again
        draws = name in _DRAWING or (
            name != "anonymize" and not {"sample", "exposure"}.isdisjoint(table)
        )
        if "seed" in self._run and draws and "seed" in options:
            table.setdefault("seed", self._run["seed"])
        words = {
            key: texts_for(self.codebook, name, key, value, options[key])
            for key, value in table.items()
        }
        return table, [
            word for key, typed in words.items() if key not in _SECRETS for word in typed
        ]

    def _given(self, name: str, table: Mapping[str, Any], of_release: bool) -> list[str]:
        """Return the words that a run adds."""
        codebook, truth = ["--codebook", self.codebook], ["--truth", self._key or "ids"]
        codebook += ["--set", "anywhere=yes"] if self._anywhere else []
        if name == "verify":
            return [self._release]
        if name == "utility":
            return [self.data, self._release, *codebook, *truth]
        words = [self.data, *codebook]
        if name in ("anonymize", "report") and "output" not in table:
            words += ["--output", self._release if name == "anonymize" else self._at("report.html")]
        if name == "anonymize" and self._key and "key" not in table:
            words += ["--key", self._key]
        return [*words, "--release", self._release, *truth] if of_release else words

    def _places(self, name: str, table: Mapping[str, Any], place: str) -> Iterator[str]:
        """Yield the paths that options name."""
        for param in self._commands[name].params:
            for key in names_of(param) if place_of(param) == place else ():
                values = table.get(key, [])
                paths: Iterable[str] = map(str, values if isinstance(values, list) else [values])
                if param.name == "issues":  # names, or @FILE
                    paths = (path[1:] for path in paths if path.startswith("@"))
                if param.name == "groups":  # a file, or a run of the store
                    from ratingpriv.anonymize.swapping.given_groups import RUN

                    paths = (path for path in paths if not path.startswith(RUN))
                yield from (path for path in paths if not (param.name == "truth" and path == "ids"))

    def _refuse(
        self, key: str, found: str, expected: str, remedy: str = "", table: str = "run"
    ) -> NoReturn:
        refuse(self.codebook, table, key, found, expected, remedy)


class Runner:
    """One run, in the codebook's folder, of the steps that are chosen."""

    def __init__(
        self,
        plan: Plan,
        chosen: frozenset[str],
        root: TyperGroup,
        limits: options.Resources,
        *,
        force: bool,
    ) -> None:
        self._plan, self._root, self._limits, self._force = plan, root, limits, force
        self._steps = list(plan.steps.values())
        self._chosen = [step for step in self._steps if step.name in chosen]
        self._record = Path(plan.output, "run.json")
        self._data: str | None = None
        for outcome in self._earlier():
            if step := plan.steps.get(outcome.name):
                outcome.gate, outcome.command = step.gate, step.outcome.command
                step.outcome = outcome

    def content(self, code: int | None) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.run/1``; ``code``: of the run,
        where it has ended.
        """
        plan, steps = self._plan, [step.outcome for step in self._steps]
        book, data = HashedFile(plan.codebook, plan.book.sha256), HashedFile(plan.data, self._data)
        return dict(to_builtins(Run(convert(tool(), Tool), book, data, plan.output, code, steps)))

    @property
    def found(self) -> Found | None:
        """The strongest attack on the release that a step measured; None where there is none."""
        fresh = {step.name: Path(step.results[0]) for step in self._steps if step.fresh}
        if "anonymize" not in fresh:
            return None
        documents = {
            name: decode(path.read_bytes()) for name, path in fresh.items() if path.exists()
        }
        return worst_found(documents, of_release=True)

    def check(self) -> None:
        """Refuse, before anything long runs, what could not be run in the end."""
        if not Path(self._plan.data).exists():
            raise DataError(
                Problem(self._plan.data, "no such file", "the data", "correct data of [run]")
            )
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
        # a gate that was left out, not run, or is out of date has not passed what is there now
        code = code or int(any(not gate.fresh or gate.outcome.exit_code == 1 for gate in gates))
        self._save(code)
        return code

    def _step(self, step: Step) -> int:
        """Run one step; return its exit code where that is no verdict, else 0."""
        outcome = step.outcome
        if step.of_release and not self._has_release():
            outcome = self._cleared(step)
            outcome.state, outcome.verdict = "left_out", "skipped: there is no release"
            note(f"{step.name}: skipped, there is no release")
            return 0
        if not self._force and self._looked_at(step) == "kept":
            outcome.state = "kept"
            note(f"{step.name}: unchanged, its results are kept")
            return 0
        documents = self._documents(step)
        argv = (*step.argv, *(word for name in documents for word in ("--from", name)))
        outcome = self._cleared(step)
        outcome.state, outcome.command = "running", shlex.join(("ratingpriv", *argv))
        outcome.inputs = _hashed(*step.inputs, *documents)
        outcome.fingerprint = self._fingerprint(step, outcome.inputs)
        outcome.files = [HashedFile(name, None) for name in step.files]
        note(f"{step.name}: {outcome.command}")
        for name in step.files:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
        self._save()
        ended = run_step([*argv, *self._words(step)])
        if ended.code < _STOPS and ended.document is None:
            # what measured nothing has passed nothing
            ended = dataclasses.replace(ended, code=FAILED, message="it ended without a result")
            say_error(f"{step.name}: {ended.message}")
        verdict = ended.message
        if ended.code < _STOPS:
            with together():
                document, text = step.results
                if ended.document is not None:
                    write_json(ended.document, document, private=True)
                if ended.page:
                    write_text(ended.page, text, private=True)
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
            ended = run_here(self._root, [*words, *self._words(step)], trial=True)
        if ended.code != 0:
            message = (ended.message or f"exit code {ended.code}").replace(f"{empty}{os.sep}", "")
            raise RatingPrivError(f"{self._plan.codebook}, [{step.name}]: {message}")

    def _words(self, step: Step) -> list[str]:
        """Return words for what a step reports and uses."""
        run, names = invocation(), {param.name for param in self._root.commands[step.name].params}
        flags = {"--quiet": run.quiet, "--verbose": run.verbose, "--show-cells": run.cells}
        using = self._limits.resources.items()
        settings = [
            f"--set={name}={value}" for name, value in using if value is not None and name in names
        ]
        return [*(flag for flag, typed in flags.items() if typed), *settings]

    def _documents(self, step: Step) -> list[str]:
        """Return the results of the steps before a report, which takes them."""
        before = takewhile(
            lambda other: other is not step, self._steps if step.name == "report" else ()
        )
        return [
            other.results[0] for other in before if other.fresh and Path(other.results[0]).exists()
        ]

    def _looked_at(self, step: Step) -> RunState:
        """Return the state of a step that is not run: kept or stale where it is finished."""
        outcome = step.outcome
        if outcome.state not in ("done", "kept", "stale"):
            return outcome.state
        inputs = _hashed(*step.inputs, *self._documents(step))
        same = outcome.fingerprint == self._fingerprint(step, inputs)
        if not same or outcome.files != _hashed(*step.written):
            return "stale"
        return "kept" if self._read_again(step) else "stale"

    def _read_again(self, step: Step) -> bool:
        """Take a step's verdict from its results: the record is no proof;
        return whether there is one.
        """
        outcome, (document, text) = step.outcome, step.results
        if any(step.written.get(name) is None for name in step.results):
            return False
        try:
            code = exit_code_of(decode(Path(document).read_bytes()))
        except (DecodeError, KeyError, TypeError):
            return False
        page = Path(text).read_text(encoding="utf-8", errors="replace")
        recorded = outcome.exit_code
        if (recorded, code) == (1, 0):
            return False  # which of the two is right, only the step itself can say
        outcome.exit_code, outcome.verdict = code, page.partition("\n")[0].strip()
        if recorded != code:
            note(
                f"{step.name}: {self._record} says exit code {recorded}, {document} says {code}, "
                f"which counts"
            )
        return True

    def _fingerprint(self, step: Step, inputs: list[HashedFile]) -> str:
        """Return the SHA-256 of all that a step's result depends on: words, columns,
        files, version.
        """
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
        """Return whether there is one of these data with these options,
        be it with a reservation.
        """
        made = self._plan.steps["anonymize"]
        fresh = made.fresh if made in self._chosen else self._looked_at(made) == "kept"
        return fresh and made.written.get(made.outputs[0]) is not None

    def _check_files(self) -> None:
        """Refuse to write a file twice, or over one that is an input, not this run's,
        or changed since.
        """
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
            unchanged = ours and step.written[name] in (None, sha256_of(path))
            if path.exists() and not self._force and not unchanged:
                which = "was changed since" if ours else "is none that this run wrote"
                remedy = "use `force=True` to replace it, or another folder"
                raise OutputError(f"{name}: the file exists and {which}; {remedy}")

    def _cleared(self, step: Step) -> RunStep:
        """Take the step's old results away: what is there afterwards is of this run."""
        old = [path for path in map(Path, step.outputs) if path.is_file()]
        # it may have been published, and a key is never replaced
        if old and step.name == "anonymize":
            name = (sha256_of(old[0]) or "")[:8]
            places = (Path(self._plan.output, "earlier", f"{name}-{number}") for number in count(1))
            folder = next(candidate for candidate in places if not candidate.exists())
            folder.mkdir(parents=True)
            for path in old:
                path.rename(folder / path.name)
            note(f"the release made earlier is kept in {folder}")
        for name in step.files:
            Path(name).unlink(missing_ok=True)
        step.forget()
        return step.outcome

    def _earlier(self) -> list[RunStep]:
        """Read what became of the steps of an earlier run in the same folder."""
        if not self._record.exists():
            return []
        try:
            return decode(small_bytes(self._record), type=Run).steps
        except (OSError, DecodeError) as error:
            remedy = f"choose another folder (--output), or remove {self._record}"
            expected = f"{_SCHEMA}, as a run writes it"
            raise DataError(
                Problem(str(self._record), "no record of a run", expected, remedy)
            ) from error

    def _save(self, code: int | None = None) -> None:
        write_json(with_command(self.content(code)), self._record, force=True, private=True)


def _hashed(*names: str) -> list[HashedFile]:
    return [HashedFile(name, sha256_of(Path(name))) for name in names]


def _written(step: Step) -> list[HashedFile]:
    """Return the files that a step has written."""
    return _hashed(*(name for name in step.files if Path(name).exists()))
