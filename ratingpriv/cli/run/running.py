"""Making a run: each command in this process, its document and its page in the folder of the results."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import shlex
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from ratingpriv.cli.options.trial import trial
from ratingpriv.cli.output.exits import say_error
from ratingpriv.cli.output.inside import Ended, run_inside
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.run.plan import RECORD, Plan, Step
from ratingpriv.cli.run.record import Outcome, earlier_outcomes, files_of, fingerprint, sha256_of
from ratingpriv.errors import DataError, OutputError, Problem, RatingPrivError, ResourceError
from ratingpriv.files import check_writable, together
from ratingpriv.inputs import protecting, refuse_inputs
from ratingpriv.partial import partial_folder
from ratingpriv.report.as_json import write_json
from ratingpriv.report.plain import write_text
from ratingpriv.unfinished import finishing, stopped_by

__all__ = ["Runner", "protected"]

_EARLIER = "earlier"
_NO_RESULT = 3
_STOPS = 2
"""The least exit code that is no verdict."""


class Runner:
    """One run, in the codebook's folder.

    Parameters
    ----------
    root : the application
    chosen : the names of the steps to make
    more : words for every command, that say how much is reported and what of the machine is used
    """

    def __init__(
        self,
        plan: Plan,
        root: click.Group,
        chosen: frozenset[str],
        *,
        force: bool,
        more: Callable[[str], list[str]],
        reporter: Reporter,
    ) -> None:
        self._plan, self._root, self._chosen, self._force = plan, root, chosen, force
        self._more, self._reporter = more, reporter
        self._earlier = earlier_outcomes(plan, Path(plan.place(RECORD)))
        self.outcomes = {step.name: self._before(step) for step in plan.steps}

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
        for step in self._plan.steps:
            if step.name not in self._chosen:
                continue
            self._check_release(step)
            for name in self._outputs(step):
                refuse_inputs(name)
                self._check_own(step, name)
            self._try(step)

    def _try(self, step: Step) -> None:
        """Check the options of a step, as if its results went to an empty folder."""
        with partial_folder(Path(tempfile.gettempdir(), "ratingpriv-run")) as empty, trial():
            words = (
                str(Path(empty, Path(word).name)) if word in step.outputs else word for word in step.trial
            )
            ended = self._execute(tuple(words), silent=True)
            if ended.code == 0:
                return
            said = ended.message or f"exit code {ended.code}"
            kind = ResourceError if ended.code > _STOPS else RatingPrivError
            raise kind(f"{self._plan.codebook}, [{step.name}]: {said.replace(f'{empty}{os.sep}', '')}")

    def run(self, save: Callable[..., None]) -> int:
        """Run the steps, and return the exit code; ``save`` is called whenever the outcomes have changed."""
        code = 0
        with finishing(functools.partial(self._stop, save)):
            for step in self._plan.steps:
                if step.name in self._chosen and code < _STOPS:
                    code = max(code, self._step(step, save))
                elif step.name not in self._chosen and self.outcomes[step.name].finished:
                    self._set(step, state="kept" if self._is_unchanged(step) else "stale")
                save()
        failed = any(
            one.exit_code == 1 and step.gate
            for step in self._plan.steps
            if (one := self.outcomes[step.name]).state in ("done", "kept")
        )
        failed |= any(step.gate and self.outcomes[step.name].state == "left_out" for step in self._plan.steps)
        return code or int(failed)

    def _step(self, step: Step, save: Callable[..., None]) -> int:
        """Run one step; return its exit code where that is no verdict, else 0."""
        if step.of_release and not self._has_release():
            self._leave_out(step)
            return 0
        before = self.outcomes[step.name]
        if not self._force and before.finished and self._is_unchanged(step):
            self._set(step, state="kept")
            self._reporter.note(f"{step.name}: unchanged, its results are kept")
            return 0
        argv = self._argv(step)
        self._reporter.note(f"{step.name}: {shlex.join(('ratingpriv', *argv))}")
        self._clear(step)
        for name in self._outputs(step):
            Path(name).parent.mkdir(parents=True, exist_ok=True)
        inputs = self._inputs(step)
        self.outcomes[step.name] = Outcome(
            state="running",
            command=shlex.join(("ratingpriv", *argv)),
            inputs=inputs,
            fingerprint=fingerprint(self._plan, step, inputs),
            files=dict.fromkeys(self._outputs(step)),
        )
        save()
        ended = self._execute(argv, silent=False)
        if ended.code < _STOPS and ended.document is None and step.name != "report":
            # what measured nothing has passed nothing
            ended = dataclasses.replace(ended, code=_NO_RESULT, message="it ended without a result")
            say_error(f"{step.name}: it ended without a result")
        code, page = ended.code, ended.page
        stopped = code >= 128
        verdict = page.partition("\n")[0].strip() or ended.message
        if code < _STOPS:
            with together():
                document, text = (self._plan.place(name) for name in step.results)
                if ended.document is not None:
                    write_json(ended.document, document, private=ended.private)
                if page:
                    write_text(page, text, private=ended.private)
        self._set(
            step,
            state="interrupted" if stopped else "failed" if code >= _STOPS else "done",
            exit_code=code,
            verdict=verdict if code < _STOPS else ended.message,
            files=self._files(step),
        )
        return code if code >= _STOPS else 0

    def _stop(self, save: Callable[..., None]) -> None:
        """Record a step that a signal stops."""
        number = stopped_by()
        running = [step for step in self._plan.steps if self.outcomes[step.name].state == "running"]
        if number is not None and running:
            self._set(running[0], state="interrupted", exit_code=128 + number, files=self._files(running[0]))
            save(128 + number)

    def _files(self, step: Step) -> dict[str, str | None]:
        return files_of(tuple(name for name in self._outputs(step) if Path(name).exists()))

    def _argv(self, step: Step) -> tuple[str, ...]:
        documents = [
            word
            for name in step.documents
            if self.outcomes[Path(name).stem].state in ("done", "kept") and Path(name).exists()
            for word in ("--from", name)
        ]
        return (*step.argv, *documents)

    def _execute(self, argv: tuple[str, ...], *, silent: bool) -> Ended:
        return run_inside(self._root, [*argv, *self._more(argv[0])], silent=silent)

    def _before(self, step: Step) -> Outcome:
        """Return what became of a step earlier, with the command as it would be now."""
        found = self._earlier.get(step.name, Outcome())
        return dataclasses.replace(found, command=shlex.join(("ratingpriv", *step.argv)))

    def _outputs(self, step: Step) -> tuple[str, ...]:
        return (*step.outputs, *map(self._plan.place, step.results))

    def _inputs(self, step: Step) -> dict[str, str | None]:
        documents = self._argv(step)[len(step.argv) :]
        return files_of((*step.inputs, *(one for one in documents if one != "--from")))

    def _is_unchanged(self, step: Step) -> bool:
        outcome = self.outcomes[step.name]
        same = outcome.fingerprint == fingerprint(self._plan, step, self._inputs(step))
        return same and all(sha256_of(Path(name)) == digest for name, digest in outcome.files.items())

    def _has_release(self) -> bool:
        """Return whether there is one, be it with a *but*."""
        made = self.outcomes["anonymize"]
        step = next(one for one in self._plan.steps if one.name == "anonymize")
        return made.state in ("done", "kept") and made.files.get(step.outputs[0]) is not None

    def _check_release(self, step: Step) -> None:
        """Refuse a step of a release that nobody makes in this run, and that is not there as it was made."""
        if not step.of_release or "anonymize" in self._chosen:
            return
        made = next(one for one in self._plan.steps if one.name == "anonymize")
        outcome = self.outcomes["anonymize"]
        there = outcome.finished and outcome.files.get(made.outputs[0]) is not None
        if not (there and self._is_unchanged(made)):
            raise OutputError(
                f"{step.name}: there is no release of these data with these options; "
                "run the step anonymize first (--from-step anonymize)"
            )

    def _check_apart(self) -> None:
        """Refuse a file that is written twice: the later one would take the earlier one's result away."""
        writers = {Path(self._plan.place(RECORD)).resolve(): "the record of the run"}
        for step in self._plan.steps:
            results = {Path(self._plan.place(name)).resolve() for name in step.results}
            for name in step.outputs:
                if Path(name).resolve() in results:
                    said = f"{step.name} writes its result there"
                    raise OutputError(f"{name}: {said}; choose another name in [{step.name}]")
            for name in self._outputs(step):
                other = writers.setdefault(Path(name).resolve(), step.name)
                if other != step.name:
                    both = f"{other} and {step.name} would both write it"
                    raise OutputError(f"{name}: {both}; choose another name in [{step.name}]")

    def _check_own(self, step: Step, name: str) -> None:
        """Refuse to replace a file that is not this run's, or that was changed since."""
        _check_place(name)
        if self._force or not Path(name).exists():
            return
        outcome = self._earlier.get(step.name, Outcome())
        ours = name in outcome.files
        if not ours or outcome.files[name] not in (None, sha256_of(Path(name))):
            said = "was changed since" if ours else "is none that this run wrote"
            raise OutputError(
                f"{name}: the file exists and {said}; use `force=True` to replace it, or another folder"
            )

    def _clear(self, step: Step) -> None:
        """Take the step's old results away: what is there afterwards is of this run."""
        if step.name == "anonymize" and step.outputs:
            check_writable(step.outputs[0], force=True)  # removes what a killed run left
            self._set_aside(step)
        for name in self._outputs(step):
            refuse_inputs(name)
            if Path(name).is_file():
                Path(name).unlink()

    def _set_aside(self, step: Step) -> None:
        """Keep an earlier release and its key: it may have been published, and a key is never replaced."""
        there = [path for path in map(Path, step.outputs) if path.is_file()]
        if not there:
            return
        number, digest = 1, (sha256_of(there[0]) or "")[:8]
        while (folder := Path(self._plan.output, _EARLIER, f"{digest}-{number}")).exists():
            number += 1
        folder.mkdir(parents=True)
        for path in there:
            path.rename(folder / path.name)
        self._reporter.note(f"the release made earlier is kept in {folder}")

    def _leave_out(self, step: Step) -> None:
        self._clear(step)
        self._set(
            step,
            state="left_out",
            exit_code=None,
            verdict="left out: there is no release",
            fingerprint=None,
            inputs={},
            files={},
        )
        self._reporter.note(f"{step.name}: left out, there is no release")

    def _set(self, step: Step, **changes: Any) -> None:
        self.outcomes[step.name] = dataclasses.replace(self.outcomes[step.name], **changes)


def _check_place(name: str) -> None:
    """Refuse a place that is a directory, or whose folder is a file; its folder is made when it is needed."""
    path = Path(name)
    if path.is_dir():
        raise OutputError(f"{name}: found a directory, expected a file name; choose another folder")
    for folder in path.parents:
        if folder.exists():
            if not folder.is_dir():
                raise OutputError(f"{folder}: found a file, expected a folder; choose another name")
            return


@contextlib.contextmanager
def protected(plan: Plan) -> Iterator[None]:
    """Keep what the run reads, the codebook included, from being written over in this block."""
    with protecting([plan.codebook, plan.data, *(str(path) for path in plan.book.files())]):
        yield
