"""What a run does: the steps of a codebook's ``[run]``, each as the command line that anybody can type.

All paths are taken from the codebook's folder, which is the current one here.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ratingpriv.cli.options.config import options_of, texts_for
from ratingpriv.codebook.files.toml_lines import line_of
from ratingpriv.errors import DataError, ParameterError, Problem
from ratingpriv.inputs import small_text

if TYPE_CHECKING:
    from ratingpriv.codebook.codebook import Codebook

__all__ = ["RECORD", "Plan", "Step", "chosen", "planned"]

RECORD = "run.json"
_OUTPUT = "out"
_USUAL = ("describe", "audit", "frontier", "anonymize", "verify", "attack", "utility", "report")
_ON_A_RELEASE = ("verify", "utility")  # which are about nothing else
_OF_A_RELEASE = ("verify", "attack", "utility", "report")
_DRAWING = ("attack", "utility", "recommend", "report")
_OUR_OWN = ("json", "force", "print-codebook")
_SECRETS = ("order-seed",)  # never typed: the command takes it from the codebook


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command of a run.

    Attributes
    ----------
    name : the command
    argv : its words, from the codebook's folder; without secrets, which it takes from the codebook
    trial : the words by which its options can be checked before what it reads is there
    gate : whether the run fails where it ends with 1
    inputs : the files and folders that it reads, the codebook apart
    outputs : the files that the command writes itself
    of_release : whether it is about the release that an earlier step makes
    documents : the results of earlier steps that it takes, those that are there
    """

    name: str
    argv: tuple[str, ...]
    trial: tuple[str, ...]
    gate: bool
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    of_release: bool
    documents: tuple[str, ...] = ()

    @property
    def results(self) -> tuple[str, str]:
        """The names of its JSON and its text, in the folder of the results."""
        return f"{self.name}.json", f"{self.name}.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The steps of a run.

    Attributes
    ----------
    codebook : the codebook's name in its folder
    data : the data, from there
    output : the folder of the results, from there
    book : what the codebook says
    """

    codebook: str
    data: str
    output: str
    steps: tuple[Step, ...]
    book: Codebook

    def place(self, name: str) -> str:
        """Return the path of a file in the folder of the results."""
        return str(Path(self.output, name))


def planned(file: str, root: click.Group, *, output: str | None = None) -> Plan:
    """Return the steps of a codebook.

    Parameters
    ----------
    file : the codebook, in the current folder
    root : the application, which has the commands
    output : the folder of the results, from the codebook's folder, instead of what the codebook says

    Raises
    ------
    DataError
        The codebook is wrong, or has no ``[run]``; a step is without what it needs from an earlier one.
    """
    from ratingpriv.codebook.files.toml_file import read_codebook

    book = read_codebook(file)
    if book.run is None:
        remedy = (
            'add [run] with data = "survey.csv", and the options of its steps: [audit] with k and epsilon, '
            "..., or take the # off the lines that ratingpriv describe -o wrote at its end"
        )
        raise DataError(Problem(file, "no table [run]", "what to run", remedy))
    return _Planning(file, root, book, book.run, output).plan()


class _Planning:
    """One codebook on its way to steps."""

    def __init__(
        self, file: str, root: click.Group, book: Codebook, said: Mapping[str, Any], output: str | None
    ) -> None:
        self._file, self._root, self._book, self._said = file, root, book, said
        known = [one for one in _USUAL if one in root.commands]
        self._steps: tuple[str, ...] = said.get("steps", tuple(known))
        self._gates: tuple[str, ...] = said.get("gates", self._steps)
        self._output = output or said.get("output", _OUTPUT)

    def plan(self) -> Plan:
        """Return all steps."""
        self._check()
        data = self._data()
        return Plan(
            codebook=self._file,
            data=data,
            output=self._output,
            steps=tuple(self._step(name, data) for name in self._steps),
            book=self._book,
        )

    def _check(self) -> None:
        for name in self._steps:
            if name not in self._root.commands:
                self._refuse("steps", f"{name}, which this version does not have", "other steps")
            if name in _ON_A_RELEASE and not self._after_release(name):
                self._refuse("steps", f"{name} without anonymize before it", "the release that it is about")
        for name in self._gates:
            if name not in self._steps:
                self._refuse("gates", f"{name}, which is none of the steps", f"of {', '.join(self._steps)}")

    def _after_release(self, name: str) -> bool:
        return "anonymize" in self._steps[: self._steps.index(name)]

    def _data(self) -> str:
        path = self._book.data.get("path")
        data: str | None = self._said.get("data", path)
        if data is None:
            self._refuse(None, "no data", 'data = "survey.csv", from the folder of this file')
        if path is not None and data != path:
            self._refuse("data", f"other data than path of [data] ({path})", "the same, or one of the two")
        if data == "-":
            self._refuse("data", "standard input", "a file: every step reads it")
        return data

    def _step(self, name: str, data: str) -> Step:
        command = self._root.commands[name]
        options = options_of(command, ("codebook",))
        said = dict(self._book.commands.get(name, {}))
        for key in said:
            if key not in options:
                self._unknown(name, key, options)
            if key in _OUR_OWN or (key == "output" and name not in ("anonymize", "describe")):
                remedy = f"the results go to the folder {self._output}"
                self._refuse(key, f"{key}", "no such key in a run", remedy, table=name)
        seed = self._said.get("seed")
        # not of a release: who has the original and its seed can make the changes again
        draws = name in _DRAWING or (name != "anonymize" and not {"sample", "exposure"}.isdisjoint(said))
        if seed is not None and draws and "seed" in options:
            said.setdefault("seed", seed)
        words: list[str] = []
        for key, value in said.items():
            param, is_flag = options[key]
            texts = texts_for(f"{self._file}: [{name}]", key, value, param, is_flag)
            words += [] if key in _SECRETS else texts
        release = name in _OF_A_RELEASE and self._after_release(name) and "release" not in said
        own, on_trial = self._given(name, data, said, release)
        inputs = [] if name == "verify" else [data, *self._book_files()]
        inputs += [*self._places(command, said, "input"), *(self._of_release() if release else [])]
        outputs = self._of_release() if name == "anonymize" else []
        outputs += self._places(command, said, "output")
        if name == "report" and "output" not in said:
            outputs.append(str(Path(self._output, "report.html")))
        before = self._steps[: self._steps.index(name)] if name == "report" else ()
        return Step(
            name=name,
            argv=(name, *own, *words),
            trial=(name, *on_trial, *words),
            gate=name in self._gates,
            inputs=tuple(dict.fromkeys(inputs)),
            outputs=tuple(dict.fromkeys(outputs)),
            of_release=release,
            documents=tuple(str(Path(self._output, f"{one}.json")) for one in before),
        )

    def _given(
        self, name: str, data: str, said: Mapping[str, Any], release: bool
    ) -> tuple[list[str], list[str]]:
        """Return the words that a run adds: for the step, and for its trial, when there is no release yet."""
        words = [data, "--codebook", self._file]
        if name == "report":
            return self._given_report(data, said, release)
        if name == "anonymize":
            file, _, *key = self._of_release()
            added = [] if "output" in said else ["--output", file]
            words += [*added, *(["--key", *key] if key and "key" not in said else [])]
        if not release:
            return words, words
        file, _, *key = self._of_release()
        if name == "verify":
            return [file], [file]
        if name == "utility":
            words = [data, file, *words[1:]]
            return [*words, *(["--key", *key] if key else ["--ids"])], words
        return [*words, "--release", file, "--truth", *(key or ["ids"])], words

    def _given_report(self, data: str, said: Mapping[str, Any], release: bool) -> tuple[list[str], list[str]]:
        """Return the words of the report; on trial it has no audit yet, which says k and epsilon."""
        place = [] if "output" in said else ["--output", str(Path(self._output, "report.html"))]
        words = [data, "--codebook", self._file, *place]
        audit = self._book.commands.get("audit", {}) if "audit" in self._steps else {}
        target = [word for key in ("k", "epsilon", "l") if key in audit and key not in said
                  for word in (f"--{key}", str(audit[key]))]  # fmt: skip
        if not release:
            return words, [*words, *target]
        file, _, *key = self._of_release()
        return [*words, "--release", file, "--truth", *(key or ["ids"])], [*words, *target]

    def _of_release(self) -> list[str]:
        """Return the files of the release: itself, its manifest, and its key if it has one."""
        said = self._book.commands.get("anonymize", {})
        file = str(said.get("output", Path(self._output, "release.csv")))
        key = str(said.get("key", Path(self._output, "release.key")))
        return [file, f"{file}.manifest.json", *([] if said.get("keep-ids") is True else [key])]

    def _book_files(self) -> list[str]:
        return list(map(str, self._book.files()))

    @staticmethod
    def _places(command: click.Command, said: Mapping[str, Any], place: str) -> Iterator[str]:
        """Yield the paths that options name."""
        for param in command.params:
            if getattr(param, "place", None) != place:
                continue
            for key in (one[2:] for one in param.opts if one[2:] in said):
                values = said[key] if isinstance(said[key], list) else [said[key]]
                for value in map(str, values):
                    if param.name == "issues":
                        value = value[1:] if value.startswith("@") else ""
                    if value and not (param.name == "truth" and value == "ids"):
                        yield value

    def _unknown(self, name: str, key: str, options: Mapping[str, Any]) -> NoReturn:
        close = difflib.get_close_matches(key, options, n=1)
        meant = f"did you mean {close[0]}?" if close else ""
        self._refuse(key, f"the unknown key {key}", f"an option of ratingpriv {name}", meant, table=name)

    def _refuse(
        self, key: str | None, found: str, expected: str, remedy: str = "", *, table: str = "run"
    ) -> NoReturn:
        line = line_of(small_text(self._file), (table,) if key is None else (table, key))
        remedy = remedy or f"correct [{table}]"
        raise DataError(Problem(self._file, f"{found} ([{table}])", expected, remedy, line))


def chosen(plan: Plan, steps: tuple[str, ...], first: str | None) -> frozenset[str]:
    """Return the names of the steps that a run is to make.

    Raises
    ------
    ParameterError
        A name is none of the steps.
    """
    names = [step.name for step in plan.steps]
    for option, name in (*(("step", one) for one in steps), *([("from-step", first)] if first else [])):
        if name not in names:
            raise ParameterError(option, name, f"one of the steps {', '.join(names)}")
    if steps and first is not None:
        raise ParameterError("from-step", first, "--step or --from-step")
    if first is not None:
        return frozenset(names[names.index(first) :])
    return frozenset(steps or names)
