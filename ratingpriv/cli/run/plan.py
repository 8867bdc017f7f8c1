"""What a run does: the steps of a codebook's ``[run]``, each as the command line that anybody can type."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from typer.core import TyperGroup

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.inputs import small_text
from ratingpriv.cli.options.config import options_of, texts_for
from ratingpriv.cli.options.parameters import names_of, nearest, place_of
from ratingpriv.data.codebook.files.toml_file import read_codebook
from ratingpriv.data.codebook.files.toml_lines import line_of
from ratingpriv.documents.program import RunStep

__all__ = ["Plan", "Step"]

_USUAL = ("describe", "audit", "frontier", "anonymize", "verify", "attack", "utility", "report")
_ON_A_RELEASE = ("verify", "utility")  # which are about nothing else
_OF_A_RELEASE = ("verify", "attack", "utility", "report")
_DRAWING = ("attack", "utility", "recommend", "report")
_OUR_OWN = ("codebook", "as_json", "force")  # options that the run gives, or none
_SECRETS = ("order-seed",)  # never typed: the command takes it from the codebook


@dataclass(slots=True, kw_only=True, eq=False)
class Step:
    """One command of a run.

    Attributes
    ----------
    argv : its words, without secrets, which it takes from the codebook
    target : words for k, epsilon and l, which it takes from results that are not there before the run
    inputs : the files and folders that it reads, the codebook apart
    outputs : the files that the command writes itself
    results : the JSON and the text of its result
    of_release : whether it is about the release that an earlier step makes
    outcome : what became of it, in this run or an earlier one
    """

    name: str
    argv: tuple[str, ...]
    target: tuple[str, ...]
    gate: bool
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    results: tuple[str, str]
    of_release: bool
    outcome: RunStep = field(init=False)

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
    """The steps of a codebook, by name; all paths are from its folder, which is the current one.

    Parameters
    ----------
    codebook : the file
    root : the application, which has the commands
    output : the folder of the results, instead of what the codebook says

    Raises
    ------
    DataError
        The codebook is wrong, or has no ``[run]``; a step is without what it needs from an earlier one.
    """

    def __init__(self, codebook: str, root: TyperGroup, output: str | None = None) -> None:
        self.codebook, self.book, self._commands = codebook, read_codebook(codebook), root.commands
        if self.book.run is None:
            remedy = "add [run] with data, and the options of its steps; ratingpriv describe -o proposes them"
            raise DataError(Problem(codebook, "no table [run]", "what to run", remedy))
        self._run = self.book.run
        self.output: str = output or self._run.get("output", "out")
        self._names: tuple[str, ...] = self._run.get("steps", _USUAL)
        self._gates: tuple[str, ...] = self._run.get("gates", self._names)
        for name in self._names:
            if name in _ON_A_RELEASE and "anonymize" not in self._before(name):
                self._refuse("steps", f"{name} without anonymize before it", "the release that it is about")
        for name in self._gates:
            if name not in self._names:
                self._refuse("gates", f"{name}, which is none of the steps", f"of {', '.join(self._names)}")
        self.data = self._data()
        release = self.book.commands.get("anonymize", {})
        self._release = str(release.get("output", self._at("release.csv")))
        self._key = None if release.get("keep-ids") is True else release.get("key", self._at("release.key"))
        self.steps: Mapping[str, Step] = {name: self._step(name) for name in self._names}

    def _step(self, name: str) -> Step:
        table, typed = self._options(name)
        of_release = name in _OF_A_RELEASE and "anonymize" in self._before(name) and "release" not in table
        release = [self._release, f"{self._release}.manifest.json", *([self._key] if self._key else [])]
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
            self._refuse("data", f"other data than path of [data] ({path})", "the same, or one of the two")
        return data

    def _options(self, name: str) -> tuple[dict[str, Any], list[str]]:
        """Return the options of a step as its table has them, with the run's seed, and as words."""
        own = _OUR_OWN if name in ("describe", "anonymize", "report") else (*_OUR_OWN, "output")
        options, table = options_of(self._commands[name], own), dict(self.book.commands.get(name, {}))
        for key in table:
            if key not in options:
                expected = f"an option of ratingpriv {name} that a run does not give itself"
                self._refuse(key, f"the unknown key {key}", expected, nearest(key, options), name)
        # not of a release: who has the original and its seed can make the changes again
        draws = name in _DRAWING or (name != "anonymize" and not {"sample", "exposure"}.isdisjoint(table))
        if "seed" in self._run and draws and "seed" in options:
            table.setdefault("seed", self._run["seed"])
        words = {
            key: texts_for(self.codebook, name, key, value, options[key]) for key, value in table.items()
        }
        return table, [word for key, typed in words.items() if key not in _SECRETS for word in typed]

    def _given(self, name: str, table: Mapping[str, Any], of_release: bool) -> list[str]:
        """Return the words that a run adds."""
        codebook, truth = ["--codebook", self.codebook], ["--truth", self._key or "ids"]
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
                yield from (path for path in paths if not (param.name == "truth" and path == "ids"))

    def _refuse(self, key: str, found: str, expected: str, remedy: str = "", table: str = "run") -> NoReturn:
        line = line_of(small_text(self.codebook), (table, key))
        remedy = remedy or f"correct [{table}]"
        raise DataError(Problem(self.codebook, f"{found} ([{table}])", expected, remedy, line))
