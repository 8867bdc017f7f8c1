"""Making a run: each command in a process of its own, its result in the folder of the results."""

from __future__ import annotations

import dataclasses
import os
import shlex
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from ratingpriv.cli.output.exits import say_error
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.results import with_command
from ratingpriv.cli.output.step import run_step
from ratingpriv.cli.run.plan import Plan, Step
from ratingpriv.cli.run.record import Outcome, earlier_outcomes, files_of, fingerprint, run_dict, sha256_of
from ratingpriv.errors import DataError, OutputError, Problem, RatingPrivError, ResourceError
from ratingpriv.files import check_writable, together
from ratingpriv.inputs import refuse_inputs
from ratingpriv.partial import partial_folder
from ratingpriv.report.as_json import write_json
from ratingpriv.report.plain import write_text
from ratingpriv.unfinished import finishing, stopped_by

__all__ = ["Runner"]

_NO_RESULT = 3
_STOPS = 2
"""The least exit code that is no verdict."""


class Runner:
    """One run, in the codebook's folder.

    Parameters
    ----------
    chosen : the names of the steps to make
    more : words for every command, that say how much is reported and what of the machine is used
    """

    def __init__(
        self,
        plan: Plan,
        chosen: frozenset[str],
        *,
        force: bool,
        more: Callable[[str], list[str]],
        reporter: Reporter,
    ) -> None:
        self._plan, self._chosen, self._force = plan, chosen, force
        self._more, self._reporter = more, reporter
        self._data: str | None = None
        self._earlier = earlier_outcomes(plan)
        self._outcomes = {
            name: dataclasses.replace(self._earlier.get(name, Outcome()), command=_typed(step.argv))
            for name, step in plan.steps.items()
        }

    def content(self, code: int | None) -> dict[str, Any]:
        """Return the record; ``code``: the exit code of the run, where it is known."""
        return run_dict(self._plan, self._outcomes, data_sha256=self._data, exit_code=code)

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
        self._check_apart()
        for step in self._plan.steps.values():
            if step.name in self._chosen:
                self._check_release(step)
                for name in step.files:
                    refuse_inputs(name)
                    self._check_own(step, name)
                self._try(step)
        self._data = sha256_of(Path(self._plan.data))

    def run(self) -> int:
        """Run the steps, and return the exit code."""
        code, steps = 0, self._plan.steps.values()
        self._plan.record.parent.mkdir(parents=True, exist_ok=True)
        with finishing(self._stop):
            for step in steps:
                if step.name in self._chosen and code < _STOPS:
                    code = max(code, self._step(step))
                elif step.name not in self._chosen and self._outcomes[step.name].finished:
                    self._set(step, state="kept" if self._is_unchanged(step) else "stale")
                self._save()
        outcomes = [self._outcomes[step.name] for step in steps if step.gate]
        left_out = any(one.state == "left_out" for one in outcomes)
        failed = any(one.exit_code == 1 and one.state in ("done", "kept") for one in outcomes)
        code = code or int(failed or left_out)
        self._save(code)
        return code

    def _step(self, step: Step) -> int:
        """Run one step; return its exit code where that is no verdict, else 0."""
        if step.of_release and not self._has_release():
            self._clear(step)
            self._outcomes[step.name] = Outcome(
                state="left_out", verdict="left out: there is no release", command=_typed(step.argv)
            )
            self._reporter.note(f"{step.name}: left out, there is no release")
            return 0
        if not self._force and self._outcomes[step.name].finished and self._is_unchanged(step):
            self._set(step, state="kept")
            self._reporter.note(f"{step.name}: unchanged, its results are kept")
            return 0
        documents = self._documents(step)
        argv = (*step.argv, *(word for name in documents for word in ("--from", name)))
        self._reporter.note(f"{step.name}: {_typed(argv)}")
        self._clear(step)
        for name in step.files:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
        inputs = files_of((*step.inputs, *documents))
        self._outcomes[step.name] = Outcome(
            state="running",
            command=_typed(argv),
            inputs=inputs,
            fingerprint=fingerprint(self._plan, step, inputs),
            files=dict.fromkeys(step.files),
        )
        self._save()
        ended = run_step([*argv, *self._more(step.name)])
        if ended.code < _STOPS and ended.document is None and step.name != "report":
            # what measured nothing has passed nothing
            ended = dataclasses.replace(ended, code=_NO_RESULT, message="it ended without a result")
            say_error(f"{step.name}: {ended.message}")
        if ended.code >= _STOPS:
            self._set(step, state="failed", exit_code=ended.code, verdict=ended.message)
        else:
            with together():
                document, text = step.results
                if ended.document is not None:
                    write_json(ended.document, document, private=ended.private)
                if ended.page:
                    write_text(ended.page, text, private=ended.private)
            verdict = ended.page.partition("\n")[0].strip() or ended.message
            self._set(step, state="done", exit_code=ended.code, verdict=verdict)
        self._set(step, files=_there(step))
        return ended.code if ended.code >= _STOPS else 0

    def _stop(self) -> None:
        """Record the step that a signal stops."""
        if (number := stopped_by()) is None:
            return
        for name, outcome in self._outcomes.items():
            if outcome.state == "running":
                step = self._plan.steps[name]
                self._set(step, state="interrupted", exit_code=128 + number, files=_there(step))
                self._save(128 + number)

    def _try(self, step: Step) -> None:
        """Check the options of a step, as if its results went to an empty folder."""
        with partial_folder(Path(tempfile.gettempdir(), "ratingpriv-run")) as empty:
            words = [str(empty / Path(word).name) if word in step.outputs else word for word in step.trial]
            ended = run_step([*words, *self._more(step.name)], trial=True)
        if ended.code != 0:
            said = (ended.message or f"exit code {ended.code}").replace(f"{empty}{os.sep}", "")
            kind = ResourceError if ended.code > _STOPS else RatingPrivError
            raise kind(f"{self._plan.codebook}, [{step.name}]: {said}")

    def _documents(self, step: Step) -> list[str]:
        """Return the results of earlier steps that a step takes."""
        states = ("done", "kept")
        made = (path for name, path in step.documents.items() if self._outcomes[name].state in states)
        return [path for path in made if Path(path).exists()]

    def _is_unchanged(self, step: Step) -> bool:
        outcome, inputs = self._outcomes[step.name], files_of((*step.inputs, *self._documents(step)))
        same = outcome.fingerprint == fingerprint(self._plan, step, inputs)
        return same and all(sha256_of(Path(name)) == digest for name, digest in outcome.files.items())

    def _has_release(self) -> bool:
        """Return whether there is one, be it with a *but*."""
        made = self._outcomes["anonymize"]
        there = made.files.get(self._plan.steps["anonymize"].outputs[0]) is not None
        return there and made.state in ("done", "kept")

    def _check_release(self, step: Step) -> None:
        """Refuse a step of a release that nobody makes in this run, and that is not there as it was made."""
        if not step.of_release or "anonymize" in self._chosen:
            return
        made, outcome = self._plan.steps["anonymize"], self._outcomes["anonymize"]
        there = outcome.finished and outcome.files.get(made.outputs[0]) is not None
        if not (there and self._is_unchanged(made)):
            raise OutputError(
                f"{step.name}: there is no release of these data with these options; "
                "run the step anonymize first (--from-step anonymize)"
            )

    def _check_apart(self) -> None:
        """Refuse a file that is written twice: the later one would take the earlier one's result away."""
        writers = {self._plan.record.resolve(): "the record of the run"}
        for step in self._plan.steps.values():
            results = {Path(name).resolve() for name in step.results}
            for name in step.files:
                place = Path(name).resolve()
                other = writers.setdefault(place, step.name)
                if other != step.name:
                    both = f"{other} and {step.name} would both write it"
                elif name in step.outputs and place in results:
                    both = f"{step.name} writes its result there"
                else:
                    continue
                raise OutputError(f"{name}: {both}; choose another name in [{step.name}]")

    def _check_own(self, step: Step, name: str) -> None:
        """Refuse to replace a file that is not this run's, or that was changed since."""
        path = Path(name)
        if path.is_dir():
            raise OutputError(f"{name}: found a directory, expected a file name; choose another folder")
        folder = next(one for one in path.parents if one.exists())  # the others are made when they are needed
        if not folder.is_dir():
            raise OutputError(f"{folder}: found a file, expected a folder; choose another name")
        files = self._earlier.get(step.name, Outcome()).files
        if self._force or not path.exists() or (name in files and files[name] in (None, sha256_of(path))):
            return
        said = "was changed since" if name in files else "is none that this run wrote"
        raise OutputError(
            f"{name}: the file exists and {said}; use `force=True` to replace it, or another folder"
        )

    def _clear(self, step: Step) -> None:
        """Take the step's old results away: what is there afterwards is of this run."""
        if step.name == "anonymize":
            check_writable(step.outputs[0], force=True)  # removes what a killed run left
            # an earlier release may have been published, and a key is never replaced
            if there := [path for path in map(Path, step.outputs) if path.is_file()]:
                name = (sha256_of(there[0]) or "")[:8]
                places = (Path(self._plan.output, "earlier", f"{name}-{number}") for number in count(1))
                folder = next(one for one in places if not one.exists())
                folder.mkdir(parents=True)
                for path in there:
                    path.rename(folder / path.name)
                self._reporter.note(f"the release made earlier is kept in {folder}")
        for name in step.files:
            refuse_inputs(name)
            if Path(name).is_file():
                Path(name).unlink()

    def _set(self, step: Step, **changes: Any) -> None:
        self._outcomes[step.name] = dataclasses.replace(self._outcomes[step.name], **changes)

    def _save(self, code: int | None = None) -> None:
        write_json(with_command(self.content(code)), self._plan.record, force=True)


def _typed(argv: tuple[str, ...]) -> str:
    return shlex.join(("ratingpriv", *argv))


def _there(step: Step) -> dict[str, str | None]:
    """Return the files that a step has written."""
    return files_of(tuple(name for name in step.files if Path(name).exists()))
