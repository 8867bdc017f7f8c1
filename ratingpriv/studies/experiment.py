"""Experiments: methods × k × ε × l × seeds over data sets, resumable, as one tidy table.

The specification is a TOML file, every key of it checked before anything is computed.

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

    [attack.eight]              # what the adversary knows, as for ratingpriv.attack; or defaults
    known = 8

    [utility]                   # settings of measures of utility, as for ratingpriv.utility
    queries = 100
"""

from __future__ import annotations

import itertools
import math
import os
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.anonymize.methods import METHODS, check_method_options, method_options
from ratingpriv.attack.algorithms.methods import options_of
from ratingpriv.attack.knowledge.adversaries import knowledge_of
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.display import Result
from ratingpriv.base.errors import DataError, ParameterError, Problem, meant
from ratingpriv.base.inputs import protecting, small_text
from ratingpriv.base.numbers import parser_said
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.files.toml_file import read_codebook
from ratingpriv.data.codebook.options import ReadOptions, checked_options
from ratingpriv.data.codebook.roles import value_in_words
from ratingpriv.data.formats.reading import loaders, read
from ratingpriv.data.table import RatingTable
from ratingpriv.documents import recommend as documents
from ratingpriv.documents.making import document_of
from ratingpriv.studies.cells import COLUMNS, Cell, Plan, run_cells, seed_of, tidy_frame
from ratingpriv.studies.measuring import GROUPS, WHOLE, Measurer
from ratingpriv.utility.measures import MEASURES
from ratingpriv.utility.utility import check_usage

if TYPE_CHECKING:
    import polars as pl

CONFIDENCE = 0.95
"""Of the intervals, if replicates are alike and about normal (Student's t)."""

_COORDINATES = ("data", "method", "k", "epsilon", "l", "attack", "measure")

INTERVALS = (*_COORDINATES, "mean", "low", "high", "measured", "of", "reason")
"""The columns of the table of means over the seeds."""

DEFAULT_MEASURES = ("audit", "distortion", "query_error", "exposure", "attack")
"""What is measured where the specification does not say."""

_TABLES = ("data", "method", "attack", "utility")
_TOP = (
    "seed",
    "seeds",
    "k",
    "epsilon",
    "l",
    "measures",
    "exposure",
    "nulls",
    "sensitive-nulls",
    *_TABLES,
)
_NEVER = ("only", "timestamps", "max_problems", "progress")
_OPTIONS = tuple(field.name for field in fields(ReadOptions) if field.name not in _NEVER)
_READING = ("path", "format", "issues", "sample", *_OPTIONS)
_ATTACK = (
    "targets", "known", "wrong", "rating_error", "date_error", "items", "unrated", "knows_count",
    "knows",
    "adversary", "algorithm", "options",
)  # fmt: skip
_MOST_CELLS = 1_000_000
_FILES = ("path", "codebook", "attributes")


@dataclass(frozen=True, slots=True)
class Experimented(Result):
    """What an experiment found.

    Attributes
    ----------
    parameters : the specification without its data sets
    datasets : what each data set is: records, issues, ratings and the hash of its file
    cells : how many there are
    infeasible : the cells without a release, by COLUMNS data to seed, and the reason
    rows : all rows by COLUMNS, in the order of the cells
    intervals : the same over the seeds
    from_journal : the cells whose rows were read from the journal, by COLUMNS data to seed
    """

    parameters: Mapping[str, Any]
    datasets: tuple[documents.ExperimentDataset, ...]
    cells: int
    infeasible: tuple[Mapping[str, Any], ...]
    rows: tuple[Mapping[str, Any], ...]
    intervals: tuple[documents.CellInterval, ...]
    from_journal: tuple[Mapping[str, Any], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.experiment/1``.

        The rows are those of the table's file.
        """
        return document_of(documents.Experiment, self, confidence=CONFIDENCE)

    def __repr__(self) -> str:
        return (
            f"<Experimented: {self.cells} cells, {len(self.rows)} rows, {len(self.infeasible)} "
            f"infeasible>"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return ``rows``: the tidy table with a row for each measure (and attack) of each cell,
        by COLUMNS.

        ``k`` and ``seed`` are Int64, ``epsilon``, ``l``, ``value``, ``low``, ``high``, ``original``
        and ``worthless`` Float64, the others String; null where there is nothing.
        """
        return tidy_frame(self.rows, COLUMNS)


def experiment(
    spec: Spec | str | Path,
    *,
    journal: str | Path | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    on_resume: Callable[[int, int], None] | None = None,
) -> Experimented:
    """Run an experiment, or go on with it.

    Every cell's seeds are made of the specification's seed and the cell's own coordinates: the same
    cell has the same rows in every experiment that it is in, whatever the number of threads. A
    release that cannot be made is a row with the reason.

    Parameters
    ----------
    spec : the specification, or its file
    journal : where finished cells are kept; None: nowhere. A run that was interrupted, however,
        goes on from there and ends with the same bytes
    threads, memory, progress : as for :func:`ratingpriv.anonymize`
    on_resume : called with (cells that are finished, cells in all) where some are

    Raises
    ------
    DataError
        The specification, or data that it names, cannot be read.
    OutputError
        The journal is of another specification, other data or another version; or it was changed.
    ResourceError
        Memory or the disk does not suffice; the cells that are finished are kept.
    """
    spec = spec if isinstance(spec, Spec) else read_spec(checks.path("spec", spec))
    resources = Resources(threads, memory, progress)
    with protecting(spec.inputs):
        tables = spec.tables(progress)
        measurers = {
            name: Measurer(name, table, spec.plan, resources) for name, table in tables.items()
        }
        measured, taken = run_cells(
            spec.cells(),
            tables,
            lambda cell: measurers[cell.data].rows(cell),
            asked=spec.to_dict(),
            journal=journal,
            resources=resources,
            on_resume=on_resume,
        )
    rows = tuple(itertools.chain.from_iterable(measured.values()))
    failed = [row for row in rows if row["measure"] == "feasible" and not row["value"]]
    return Experimented(
        parameters=spec.to_dict(),
        datasets=tuple(
            documents.ExperimentDataset(
                name, table.n_records, table.n_issues, table.n_ratings, table.origin.sha256
            )
            for name, table in tables.items()
        ),
        cells=len(measured),
        infeasible=tuple({name: row[name] for name in (*COLUMNS[:6], "reason")} for row in failed),
        rows=rows,
        intervals=over_seeds(rows),
        from_journal=tuple(asdict(cell) for cell in measured if cell in taken),
    )


def over_seeds(rows: Iterable[Mapping[str, Any]]) -> tuple[documents.CellInterval, ...]:
    """Put together the rows that differ in nothing but the seed,
    in the order in which they first come.

    ``low``, ``high`` are a 95 % interval of the mean by Student's t, None below two replicates. It
    is about seeds alone: other people's data may differ by more.
    """
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in _COORDINATES), []).append(row)
    intervals = []
    for where, replicates in groups.items():
        values = [float(row["value"]) for row in replicates if row["value"] is not None]
        reason = next((row["reason"] for row in replicates if row["reason"]), "")
        count, mean = len(values), math.fsum(values) / len(values) if values else None
        low = high = None
        if mean is not None and count > 1:
            mean = low = high = values[0] if min(values) == max(values) else mean
            spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
            if spread:
                from scipy.special import stdtrit

                reach = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * spread / math.sqrt(count)
                low, high = mean - reach, mean + reach
        numbers = (mean, low, high, count, len(replicates), reason)
        intervals.append(
            documents.CellInterval(**dict(zip(INTERVALS, (*where, *numbers), strict=True)))
        )
    return tuple(intervals)


# ---- the specification ----


@dataclass(frozen=True, slots=True)
class Spec:
    """An experiment as it is written down: the words that read each data set,
    targets, replicates.
    """

    data: Mapping[str, Mapping[str, Any]]
    plan: Plan
    k: tuple[int, ...]
    epsilon: tuple[float, ...]
    l: tuple[float | None, ...]  # noqa: E741 -- the theory's word
    seeds: int

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The files that are read, which no output replaces."""
        return tuple(
            Path(reading[file])
            for file in _FILES
            for reading in self.data.values()
            if file in reading
        )

    def cells(self) -> Iterator[Cell]:
        """Yield the cells in the order of the table."""
        of = itertools.product(
            self.data, self.plan.methods, self.l, self.epsilon, self.k, range(self.seeds)
        )
        for data, method, l, epsilon, k, seed in of:  # noqa: E741 -- the theory's word
            yield Cell(data, method, k, epsilon, l, seed)

    def tables(self, progress: Progress | None = None) -> dict[str, RatingTable]:
        """Read every data set, errors as :func:`ratingpriv.read`;
        samples have seeds of their own.
        """
        dated = any(
            settings.get("date_error") is not None or settings.get("adversary") is not None
            for settings in self.plan.attacks.values()
        )
        tables = {}
        for name, given in self.data.items():
            reading, seed = dict(given), seed_of(self.plan.seed, "sample", name)
            if "codebook" in reading:
                reading["codebook"] = read_codebook(reading["codebook"])
            tables[name] = read(
                reading.pop("path"), rng=seed, timestamps=dated, progress=progress, **reading
            )
        return tables

    def to_dict(self) -> dict[str, Any]:
        """Return what the cells depend on beside the data."""
        return asdict(self.plan) | {
            name: getattr(self, name) for name in ("k", "epsilon", "l", "seeds")
        }


def read_spec(path: str | Path) -> Spec:
    """Return the specification in a TOML file.

    DataError where it is none, or says what cannot be done.
    """
    name = os.fspath(path)
    refused = partial(Problem, name, expected="a specification in TOML")
    try:
        content = tomllib.loads(small_text(path), parse_float=_finite)
    except OSError as error:
        found = f"no file to be read ({error.strerror})"
        raise DataError(refused(found=found, remedy="check the path")) from error
    except RecursionError:
        raise DataError(refused(found="no TOML: values nested too deeply")) from None
    except ValueError as error:
        raise DataError(refused(found=f"no TOML: {parser_said(error)}")) from error
    try:
        return _spec(content, Path(path).parent)
    except ParameterError as error:
        remedy = error.remedy.replace("`", "")  # names of the file's, which are no options
        problem = Problem(
            name, f"{error.name} = {value_in_words(error.found)}", error.expected, remedy
        )
        raise DataError(problem) from error


def _finite(text: str) -> float:
    """Return a float of the file: none of them means anything where it is infinite, or none."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"found {text}, expected a finite number")
    return number


def _spec(content: Mapping[str, Any], folder: Path) -> Spec:
    _check_keys(content, _TOP)
    data = _tables(content, "data", lambda _, given: _data(given, folder))
    methods, attacks = _tables(content, "method", _method), _tables(content, "attack", _attack)
    for kind, named in (("data", data), ("method", methods)):
        if not named:
            raise ParameterError(kind, "none", f"a table [{kind}.NAME] at least")
    measures = _list(content, "measures", DEFAULT_MEASURES)
    for measure in measures:
        checks.choice("measures", measure, (*GROUPS, *MEASURES))
    if attacks and "attack" not in measures:
        remedy = "add it, or leave the attacks out"
        raise ParameterError("attack", list(attacks), "attack among the measures", remedy)
    if WHOLE in attacks:
        raise ParameterError(
            "attack", WHOLE, "another name: this one is that of the attack always measured"
        )
    if not attacks and "attack" in measures:
        attacks = {"default": {}}
    rules = {
        name.replace("-", "_"): content[name]
        for name in ("nulls", "sensitive-nulls")
        if name in content
    }
    targets = [
        Target(k=k, epsilon=epsilon, l=l, **rules)
        for l in _list(content, "l", (None,))  # noqa: E741
        for epsilon in _list(content, "epsilon")
        for k in _list(content, "k")
    ]
    utility = content.get("utility", {})
    if not isinstance(utility, dict):
        raise ParameterError("utility", utility, "a table [utility]")
    utility = _in_python(utility)
    _check_keys(
        utility, sorted({name for measure in MEASURES.values() for name in measure.settings})
    )
    check_usage(tuple(name for name in measures if name in MEASURES), (), utility)
    error = content.get("exposure")
    spec = Spec(
        data=data,
        plan=Plan(
            methods=methods,
            attacks=attacks,
            measures=tuple(dict.fromkeys(measures)),
            utility=utility,
            exposure=None if error is None else checks.non_negative_number("exposure", error),
            nulls=targets[0].nulls,
            sensitive_nulls=targets[0].sensitive_nulls,
            seed=checks.whole_number("seed", content.get("seed", 0), 0),
        ),
        k=tuple(dict.fromkeys(target.k for target in targets)),
        epsilon=tuple(dict.fromkeys(target.epsilon for target in targets)),
        l=tuple(dict.fromkeys(target.l for target in targets)),
        seeds=checks.whole_number("seeds", content.get("seeds", 1), 1),
    )
    sizes = (spec.data, spec.plan.methods, spec.l, spec.epsilon, spec.k, range(spec.seeds))
    if (cells := math.prod(map(len, sizes))) > _MOST_CELLS:
        expected = f"at most {_MOST_CELLS:,} releases to be made, not {cells:,}"
        raise ParameterError("seeds", spec.seeds, expected)
    return spec


def _tables[T](
    content: Mapping[str, Any], kind: str, read_table: Callable[[str, dict[str, Any]], T]
) -> dict[str, T]:
    """Return what stands in the tables [kind.NAME].

    What is wrong in one is named as a key of it.
    """
    tables = content.get(kind, {})
    if not isinstance(tables, dict) or not all(
        isinstance(table, dict) for table in tables.values()
    ):
        raise ParameterError(kind, tables, f"tables [{kind}.NAME]")
    content_of = {}
    for name, table in tables.items():
        try:
            content_of[name] = read_table(name, _in_python(table))
        except ParameterError as error:
            key = f"{kind}.{name}.{error.name}"
            raise error.of(key) from error
    return content_of


def _data(given: dict[str, Any], folder: Path) -> Mapping[str, Any]:
    _check_keys(given, _READING)
    for key in _FILES:
        if key in given or key == "path":
            if not isinstance(given.get(key), str) or not given[key]:
                raise ParameterError(key, given.get(key), "a path")
            given[key] = folder / given[key]
    issues = given.get("issues")
    if isinstance(issues, str) and issues.startswith("@"):
        given["issues"] = f"@{folder / issues[1:]}"
    given = {
        key: tuple(value) if isinstance(value, list) else value for key, value in given.items()
    }
    if "format" in given:
        checks.choice("format", given["format"], loaders())
    if "issues" in given:
        checks.text("issues", given["issues"])
    if "sample" in given:
        checks.non_negative_number("sample", given["sample"])
    beside = ("path", "format", "issues", "sample", "codebook")  # which is seen when it is read
    checked_options(None, {name: value for name, value in given.items() if name not in beside})
    return given


def _method(name: str, options: dict[str, Any]) -> tuple[str, Mapping[str, Any]]:
    method = checks.choice("method", options.pop("method", name), METHODS)
    _check_keys(options, method_options(method))
    check_method_options(method, options)
    return method, options


def _attack(_: str, settings: dict[str, Any]) -> Mapping[str, Any]:
    _check_keys(settings, _ATTACK)
    targets = settings.get("targets")
    if targets is not None and targets != "all":
        checks.whole_number("targets", targets, 1)
    options_of(settings.get("algorithm"), settings.get("options"))
    apart = ("adversary", "algorithm", "options", "targets")
    known = {key: value for key, value in settings.items() if key not in apart}
    knowledge_of(None, settings.get("adversary"), known)
    return settings


def _list(content: Mapping[str, Any], key: str, default: Collection[Any] = ()) -> Collection[Any]:
    """Return what stands under ``key`` as a list; one value is a list of one."""
    values = content.get(key, default)
    if isinstance(values, list | tuple) and not values:
        raise ParameterError(key, content.get(key), "at least one value, such as [3, 5]")
    return values if isinstance(values, list | tuple) else [values]


def _in_python(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key.replace("-", "_"): value for key, value in table.items()}


def _check_keys(table: Mapping[str, Any], known: Collection[str]) -> None:
    for key, value in table.items():
        if key not in known:
            expected = "one of " + (", ".join(known) or "no options")
            raise ParameterError(key, value, expected, meant(key, known))
