"""The specification of an experiment: a TOML file, every key of it checked before anything is computed.

::

    seed = 1                    # what all seeds are made of
    seeds = 3                   # so many replicates of every cell
    k = [3, 5]
    epsilon = [1, 2]
    l = [0.5]                   # may be left out: no l
    measures = ["audit", "distortion", "exposure", "attack", "query_error"]
    exposure = 1                # E of exposure; left out: each cell's epsilon
    nulls = "strict"
    sensitive-nulls = "paper"

    [data.survey]               # a table for each data set
    path = "survey.csv"         # beside this file
    sensitive = ["pay"]         # and the reading options of ratingpriv.read
    scale = [1, 5]

    [method.modify]             # a table for each method
    [method.median]
    method = "modify"           # left out: the table's name
    fill = "median"

    [attack.eight]              # what the adversary knows, as for ratingpriv.attack; left out: its defaults
    known = 8

    [utility]                   # settings of measures of utility, as for ratingpriv.utility
    queries = 100
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import os
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ratingpriv.anonymize.methods import METHODS, check_method_options, method_options
from ratingpriv.attack.algorithms.methods import options_of
from ratingpriv.attack.knowledge.adversaries import knowledge_of
from ratingpriv.base import checks
from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.inputs import small_text
from ratingpriv.base.numbers import parser_said
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.checking import checked_options
from ratingpriv.data.codebook.files.toml_file import read_codebook
from ratingpriv.data.codebook.files.values import value_in_words
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.formats.reading import loaders, read
from ratingpriv.data.table import RatingTable
from ratingpriv.studies.experiment.cells import Cell, Plan, seed_of
from ratingpriv.studies.experiment.measuring import GROUPS
from ratingpriv.utility.measures import MEASURES
from ratingpriv.utility.utility import check_usage

__all__ = ["DEFAULT_MEASURES", "DataSet", "Spec", "read_spec"]

DEFAULT_MEASURES = ("audit", "distortion", "query_error", "exposure", "attack")
"""What is measured where the specification does not say."""

_TOP = (
    "seed", "seeds", "k", "epsilon", "l", "measures", "exposure", "nulls", "sensitive-nulls", "data",
    "method", "attack", "utility",
)  # fmt: skip
_READING = (
    "path", "format", "issues", "sample",
    *(field.name for field in dataclasses.fields(ReadOptions)
      if field.name not in ("only", "timestamps", "max_problems", "progress")),
)  # fmt: skip
_ATTACK = (
    "targets", "known", "wrong", "rating_error", "date_error", "items", "unrated", "knows_count", "knows",
    "adversary", "algorithm", "options",
)  # fmt: skip
_MOST_CELLS = 1_000_000
_FILES = ("path", "codebook", "attributes")


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set of a specification: where it is and how it is read."""

    path: Path
    reading: Mapping[str, Any]

    def read(self, *, rng: int, timestamps: bool, progress: Progress | None = None) -> RatingTable:
        """Read the table; errors as :func:`ratingpriv.read`."""
        more = dict(self.reading)
        if "codebook" in more:
            more["codebook"] = read_codebook(more["codebook"])
        return read(self.path, rng=rng, timestamps=timestamps, progress=progress, **more)


@dataclass(frozen=True, slots=True)
class Spec:
    """An experiment as it is written down.

    Attributes
    ----------
    data : the data sets by name
    plan : what all cells have in common
    k, epsilon, l : the targets; l (None,) asks for none
    seeds : how many replicates
    """

    data: Mapping[str, DataSet]
    plan: Plan
    k: tuple[int, ...]
    epsilon: tuple[float, ...]
    l: tuple[float | None, ...]  # noqa: E741 -- the theory's word
    seeds: int

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The files that are read, which no output replaces."""
        beside = (
            Path(one.reading[name])
            for one in self.data.values()
            for name in _FILES[1:]
            if name in one.reading
        )
        return (*(one.path for one in self.data.values()), *beside)

    def cells(self) -> Iterator[Cell]:
        """Yield the cells in the order of the table."""
        of = itertools.product(self.data, self.plan.methods, self.l, self.epsilon, self.k, range(self.seeds))
        for data, method, l, epsilon, k, seed in of:  # noqa: E741 -- the theory's word
            yield Cell(data, method, k, epsilon, l, seed)

    def tables(self, progress: Progress | None = None) -> dict[str, RatingTable]:
        """Read every data set; samples are drawn with seeds of their own."""
        dated = any(
            settings.get("date_error") is not None or settings.get("adversary") is not None
            for settings in self.plan.attacks.values()
        )
        return {
            name: one.read(rng=seed_of(self.plan.seed, "sample", name), timestamps=dated, progress=progress)
            for name, one in self.data.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return what the cells depend on beside the data, as JSON's own types."""
        return {
            **self.plan.to_dict(),
            "k": list(self.k),
            "epsilon": list(self.epsilon),
            "l": list(self.l),
            "seeds": self.seeds,
        }


def read_spec(path: str | Path) -> Spec:
    """Return the specification in a TOML file.

    Raises
    ------
    DataError
        It is not there or no TOML, or says something unknown, of a wrong type or out of range.
    """
    name = os.fspath(path)
    try:
        content = tomllib.loads(small_text(path), parse_float=_finite)
    except OSError as error:
        found = f"no file to be read ({error.strerror})"
        raise DataError(Problem(name, found, "a specification in TOML", "check the path")) from error
    except RecursionError:
        raise DataError(
            Problem(name, "no TOML: values nested too deeply", "a specification in TOML")
        ) from None
    except ValueError as error:
        raise DataError(Problem(name, f"no TOML: {parser_said(error)}", "a specification in TOML")) from error
    try:
        return _spec(content, Path(path).parent)
    except ParameterError as error:
        remedy = error.remedy.replace("`", "")  # names of the file's, which are no options
        problem = Problem(name, f"{error.name} = {value_in_words(error.found)}", error.expected, remedy)
        raise DataError(problem) from error


def _finite(text: str) -> float:
    """Return a float of the file: none of them means anything where it is infinite, or none."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"found {text}, expected a finite number")
    return number


def _spec(content: Mapping[str, Any], folder: Path) -> Spec:
    _known("the specification", content, _TOP)
    data = {name: _data(name, said, folder) for name, said in _tables(content, "data").items()}
    methods = {name: _method(name, said) for name, said in _tables(content, "method").items()}
    for what, found in (("data", data), ("method", methods)):
        if not found:
            raise ParameterError(what, "none", f"a table [{what}.NAME] at least")
    attacks = {name: _attack(name, said) for name, said in _tables(content, "attack").items()}
    measures = tuple(_list(content, "measures", DEFAULT_MEASURES))
    for measure in measures:
        checks.choice("measures", measure, (*GROUPS, *MEASURES))
    if attacks and "attack" not in measures:
        raise ParameterError(
            "attack", list(attacks), "attack among the measures", "add it, or leave the attacks out"
        )
    if not attacks and "attack" in measures:
        attacks = {"default": {}}
    targets = [
        Target(k=k, epsilon=epsilon, l=l, nulls=content.get("nulls", "strict"),
               sensitive_nulls=content.get("sensitive-nulls", "paper"))
        for l in _list(content, "l", (None,))  # noqa: E741
        for epsilon in _list(content, "epsilon")
        for k in _list(content, "k")
    ]  # fmt: skip
    error = content.get("exposure")
    spec = Spec(
        data=data,
        plan=Plan(
            methods=methods,
            attacks=attacks,
            measures=tuple(dict.fromkeys(measures)),
            utility=_utility(content, measures),
            exposure=None if error is None else checks.non_negative_number("exposure", error),
            nulls=targets[0].nulls,
            sensitive_nulls=targets[0].sensitive_nulls,
            seed=checks.whole_number("seed", content.get("seed", 0), 0),
        ),
        k=tuple(dict.fromkeys(one.k for one in targets)),
        epsilon=tuple(dict.fromkeys(one.epsilon for one in targets)),
        l=tuple(dict.fromkeys(one.l for one in targets)),
        seeds=checks.whole_number("seeds", content.get("seeds", 1), 1),
    )
    sizes = (spec.data, spec.plan.methods, spec.l, spec.epsilon, spec.k, range(spec.seeds))
    if (cells := math.prod(map(len, sizes))) > _MOST_CELLS:
        raise ParameterError(
            "seeds", spec.seeds, f"at most {_MOST_CELLS:,} releases to be made, not {cells:,}"
        )
    return spec


def _data(name: str, said: Mapping[str, Any], folder: Path) -> DataSet:
    given = {key.replace("-", "_"): value for key, value in said.items()}
    _known(f"data.{name}", given, _READING)
    for key in _FILES:
        if key in given:
            if not isinstance(given[key], str) or not given[key]:
                raise ParameterError(f"data.{name}.{key}", given[key], "a path")
            given[key] = folder / given[key]
    if "path" not in given:
        raise ParameterError(f"data.{name}.path", None, "a path")
    issues = given.get("issues")
    if isinstance(issues, str) and issues.startswith("@"):
        given["issues"] = f"@{folder / issues[1:]}"
    for key, value in given.items():
        if isinstance(value, list):
            given[key] = tuple(value)
    path = given.pop("path")
    with _keys_of(f"data.{name}"):
        _check_reading(given)
    return DataSet(path, given)


def _check_reading(given: Mapping[str, Any]) -> None:
    """Refuse what no data could be read with; what a codebook says is seen when it is read."""
    if "format" in given:
        checks.choice("format", given["format"], loaders())
    if "issues" in given:
        checks.text("issues", given["issues"])
    if "sample" in given:
        checks.non_negative_number("sample", given["sample"])
    beside = ("format", "issues", "sample", "codebook")
    checked_options(None, {name: value for name, value in given.items() if name not in beside})


def _method(name: str, said: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    options = {key.replace("-", "_"): value for key, value in said.items()}
    method = checks.choice(f"method.{name}.method", options.pop("method", name), METHODS)
    _known(f"method.{name}", options, method_options(method))
    with _keys_of(f"method.{name}"):
        check_method_options(method, options)
    return method, options


def _attack(name: str, said: Mapping[str, Any]) -> Mapping[str, Any]:
    settings = {key.replace("-", "_"): value for key, value in said.items()}
    _known(f"attack.{name}", settings, _ATTACK)
    targets = settings.get("targets")
    if targets is not None and targets != "all":
        checks.whole_number(f"attack.{name}.targets", targets, 1)
    apart = ("adversary", "algorithm", "options", "targets")
    with _keys_of(f"attack.{name}"):
        options_of(settings.get("algorithm"), settings.get("options"))
        known = {key: value for key, value in settings.items() if key not in apart}
        knowledge_of(None, settings.get("adversary"), known)
    return settings


def _utility(content: Mapping[str, Any], measures: Collection[str]) -> Mapping[str, Any]:
    said = content.get("utility", {})
    if not isinstance(said, dict):
        raise ParameterError("utility", said, "a table [utility]")
    given = {key.replace("-", "_"): value for key, value in said.items()}
    _known("utility", given, sorted({name for one in MEASURES.values() for name in one.settings}))
    check_usage(tuple(name for name in measures if name in MEASURES), (), given)
    return given


def _tables(content: Mapping[str, Any], key: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the tables [key.NAME]."""
    found = content.get(key, {})
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise ParameterError(key, found, f"tables [{key}.NAME]")
    return found


def _list(content: Mapping[str, Any], key: str, default: Collection[Any] | None = None) -> Collection[Any]:
    """Return what stands under ``key`` as a list; one value is a list of one."""
    found = content.get(key, default)
    if found is None or found == []:
        raise ParameterError(key, found, "at least one value, such as [3, 5]")
    return found if isinstance(found, list | tuple) else [found]


@contextlib.contextmanager
def _keys_of(table: str) -> Iterator[None]:
    """Name what is wrong in this block as a key of ``table``."""
    try:
        yield
    except ParameterError as error:
        name = f"{table}.{error.name}"
        raise ParameterError(name, error.found, error.expected, error.remedy) from error


def _known(where: str, found: Mapping[str, Any], known: Collection[str]) -> None:
    for key in found:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]}?" if close else ""
            raise ParameterError(where, key, "one of " + (", ".join(known) or "no options"), hint)
