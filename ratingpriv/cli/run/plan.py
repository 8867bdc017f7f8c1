"""What a run does: the steps of a codebook's ``[run]``, each as the command line that anybody can type.

All paths are taken from the codebook's folder, which is the current one here.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from typer.core import TyperGroup

from ratingpriv.cli.options.config import options_of, texts_for
from ratingpriv.cli.options.parameters import names_of, place_of
from ratingpriv.codebook.files.toml_lines import line_of
from ratingpriv.errors import DataError, ParameterError, Problem
from ratingpriv.inputs import small_text

if TYPE_CHECKING:
    from ratingpriv.codebook.codebook import Codebook

__all__ = ["RECORD", "Plan", "Step", "chosen", "planned"]

RECORD = "run.json"
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
    results : its JSON and its text
    documents : the results of earlier steps that it takes, those that are there, by their steps
    """

    name: str
    argv: tuple[str, ...]
    trial: tuple[str, ...]
    gate: bool
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    of_release: bool
    results: tuple[str, str]
    documents: Mapping[str, str]

    @property
    def files(self) -> tuple[str, ...]:
        """All that is written when it is run."""
        return (*self.outputs, *self.results)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The steps of a run, by name; ``codebook``, ``data`` and ``output`` are paths from its folder."""

    codebook: str
    data: str
    output: str
    steps: Mapping[str, Step]
    book: Codebook

    @property
    def record(self) -> Path:
        """Where it is written what became of them."""
        return Path(self.output, RECORD)


def planned(file: str, root: TyperGroup, *, output: str | None = None) -> Plan:
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
    planning = _Planning(file, root, book, book.run, output or book.run.get("output", "out"))
    steps = {name: planning.step(name) for name in planning.steps}
    return Plan(codebook=file, data=planning.data, output=planning.output, steps=steps, book=book)


class _Planning:
    """One codebook on its way to steps."""

    def __init__(
        self, file: str, root: TyperGroup, book: Codebook, said: Mapping[str, Any], output: str
    ) -> None:
        self._file, self._commands, self._book, self._said = file, root.commands, book, said
        self.output = output
        self.steps: tuple[str, ...] = said.get("steps", tuple(one for one in _USUAL if one in root.commands))
        self._gates: tuple[str, ...] = said.get("gates", self.steps)
        for name in self.steps:
            if name not in root.commands:
                self._refuse("steps", f"{name}, which this version does not have", "other steps")
            if name in _ON_A_RELEASE and not self._has_release(name):
                self._refuse("steps", f"{name} without anonymize before it", "the release that it is about")
        for name in self._gates:
            if name not in self.steps:
                self._refuse("gates", f"{name}, which is none of the steps", f"of {', '.join(self.steps)}")
        self.data = self._data()
        said = book.commands.get("anonymize", {})
        self._release = str(said.get("output", self._at("release.csv")))
        self._key = [] if said.get("keep-ids") is True else [str(said.get("key", self._at("release.key")))]
        self._of_release = [self._release, f"{self._release}.manifest.json", *self._key]

    def step(self, name: str) -> Step:
        """Return one step."""
        said, typed = self._options(name)
        release = name in _OF_A_RELEASE and self._has_release(name) and "release" not in said
        inputs = [] if name == "verify" else [self.data, *map(str, self._book.files())]
        inputs += [*self._places(name, said, "input"), *(self._of_release if release else [])]
        outputs = self._of_release if name == "anonymize" else []
        outputs = [*outputs, *self._places(name, said, "output")]
        if name == "report" and "output" not in said:
            outputs.append(self._at("report.html"))
        before = self.steps[: self.steps.index(name)] if name == "report" else ()
        given = self._given(name, said, release, self._key)
        trial = self._given(name, said, release, self._key if name == "anonymize" else [])
        # k, epsilon and l, which the report takes from the result of the audit
        audit = self._book.commands.get("audit", {}) if "audit" in before else {}
        target = [
            word for key in ("k", "epsilon", "l") if key in audit and key not in said
            for word in (f"--{key}", str(audit[key]))
        ]  # fmt: skip
        return Step(
            name=name,
            argv=(name, *given, *typed),
            trial=(name, *trial, *typed, *target),
            gate=name in self._gates,
            inputs=tuple(dict.fromkeys(inputs)),
            outputs=tuple(dict.fromkeys(outputs)),
            of_release=release,
            results=(self._at(f"{name}.json"), self._at(f"{name}.txt")),
            documents={one: self._at(f"{one}.json") for one in before},
        )

    def _at(self, name: str) -> str:
        return str(Path(self.output, name))

    def _has_release(self, name: str) -> bool:
        return "anonymize" in self.steps[: self.steps.index(name)]

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

    def _options(self, name: str) -> tuple[dict[str, Any], list[str]]:
        """Return the options of a step as its table has them, with the run's seed, and as words."""
        options = options_of(self._commands[name], ("codebook",))
        said = dict(self._book.commands.get(name, {}))
        for key in said:
            if key not in options:
                close = difflib.get_close_matches(key, options, n=1)
                meant = f"did you mean {close[0]}?" if close else ""
                self._refuse(key, f"the unknown key {key}", f"an option of ratingpriv {name}", meant, name)
            if key in _OUR_OWN or (key == "output" and name not in ("anonymize", "describe")):
                remedy = f"the results go to the folder {self.output}"
                self._refuse(key, key, "no such key in a run", remedy, name)
        # not of a release: who has the original and its seed can make the changes again
        draws = name in _DRAWING or (name != "anonymize" and not {"sample", "exposure"}.isdisjoint(said))
        if "seed" in self._said and draws and "seed" in options:
            said.setdefault("seed", self._said["seed"])
        typed: list[str] = []
        for key, value in said.items():
            words = texts_for(self._file, name, key, value, options[key])
            typed += [] if key in _SECRETS else words
        return said, typed

    def _given(self, name: str, said: Mapping[str, Any], release: bool, key: list[str]) -> list[str]:
        """Return the words that a run adds."""
        if name == "verify":
            return [self._release]
        words = [self.data, "--codebook", self._file]
        if name == "utility":
            return [self.data, self._release, *words[1:], "--truth", *(key or ["ids"])]
        if name in ("anonymize", "report") and "output" not in said:
            words += ["--output", self._release if name == "anonymize" else self._at("report.html")]
        if name == "anonymize" and key and "key" not in said:
            words += ["--key", *key]
        about = ["--release", self._release, "--truth", *(key or ["ids"])]
        return [*words, *(about if release else [])]

    def _places(self, name: str, said: Mapping[str, Any], place: str) -> Iterator[str]:
        """Yield the paths that options name."""
        for param in self._commands[name].params:
            if place_of(param) != place:
                continue
            for key in (one for one in names_of(param) if one in said):
                for value in map(str, said[key] if isinstance(said[key], list) else [said[key]]):
                    if param.name == "issues":
                        value = value[1:] if value.startswith("@") else ""
                    if value and not (param.name == "truth" and value == "ids"):
                        yield value

    def _refuse(
        self, key: str | None, found: str, expected: str, remedy: str = "", table: str = "run"
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
    names = list(plan.steps)
    for option, name in (*(("step", one) for one in steps), *([("from-step", first)] if first else [])):
        if name not in names:
            raise ParameterError(option, name, f"one of the steps {', '.join(names)}")
    if steps and first is not None:
        raise ParameterError("from-step", first, "--step or --from-step")
    return frozenset(names[names.index(first) :] if first is not None else steps or names)
