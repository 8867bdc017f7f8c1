"""Options of the engine spark: where it runs, where it works, and which options of a command it answers to.

:data:`ANSWERED` has what each command hands on to Spark. Whatever else is given is refused by its name, so
that an option that is new somewhere is refused until somebody has made it do something on Spark.
"""

from __future__ import annotations

import contextlib
import dataclasses
import signal
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Option

from ratingpriv.cli.options.data import DataOptions
from ratingpriv.cli.options.diversity import DiversityOptions
from ratingpriv.cli.options.gate import GateOptions
from ratingpriv.cli.options.general import GlobalOptions
from ratingpriv.cli.options.graph import StoreOptions
from ratingpriv.cli.options.panels import RULES, setting
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.values import key_value, output_file
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.results import ResultOptions
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["ANSWERED", "ONLY", "OnSpark", "SparkEngineOptions", "SparkOptions", "SparkReleaseOptions"]

_READING = (
    "format", "layout", "id", "issue", "rating", "timestamp", "sensitive", "no_sensitive", "codebook",
    "print_codebook", "quasi", "identifier", "carry", "keep", "issues", "drop", "scale", "sensitive_scale",
    "null", "only_null", "delimiter", "encoding", "header",
)  # fmt: skip
"""Data options that the engine knows; the others are refused."""


def _fields(*groups: type) -> set[str]:
    return {field.name for group in groups for field in dataclasses.fields(group)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkOptions:
    """Where Spark runs, and where it works."""

    spark_master: Annotated[
        str | None,
        setting(
            "--spark-master",
            metavar="URL",
            help="Spark's master (spark://HOST:7077, yarn, local[4]), or sc://HOST of Connect; else what "
            "spark-submit or SPARK_REMOTE says, else local[*].",
        ),
    ] = None
    spark_conf: Annotated[
        tuple[str, ...],
        setting(
            "--spark-conf",
            metavar="K=V",
            parser=key_value,
            help="A setting of Spark, such as spark.executor.memory=4g (repeatable).",
        ),
    ] = ()
    work: Annotated[
        str | None,
        setting(
            "--work",
            metavar="DIR",
            parser=output_file,
            help="Folder or URI that every executor reaches, for what steps hand on; emptied at the end.",
        ),
    ] = None

    def refuse(self, given: Collection[str]) -> None:
        """Refuse options of Spark where another engine computes."""
        for field in dataclasses.fields(self):
            if field.name in given and field.name != "engine":
                name = field.name.replace("_", "-")
                expected = f"no `{field.name}` without --engine spark"
                raise ParameterError(name, "with another engine", expected)

    def refuse_others(self, command: str, given: Collection[str], **values: Any) -> None:
        """Refuse what the engine spark has no answer to.

        Parameters
        ----------
        values : of the options in ``ONLY``, of which it knows some values
        """
        for name in sorted(set(given) - ANSWERED[command]):
            shown = name.replace("_", "-")
            raise ParameterError(
                shown, "with --engine spark", f"no `{name}`", "it is for data on one machine"
            )
        for name, known in ONLY.get(command, {}).items():
            if name in given and values[name] not in known:
                words = " or ".join(f"--no-{name}" if one is False else str(one) for one in known)
                found = f"--{name}" if values[name] is True else str(values[name])
                remedy = "anything else is for data on one machine"
                raise ParameterError(name, found, f"{words} with --engine spark", remedy)

    @contextlib.contextmanager
    def reading(self, data: str, reading: DataOptions, reporter: Reporter) -> Iterator[OnSpark]:
        """Give the data as a DataFrame of a session, which is stopped at the end.

        Raises
        ------
        ParameterError, DataError
            There is no such file, or Spark cannot be used; before anything is started.
        ResourceError
            Spark failed, also in the block.
        """
        from ratingpriv.spark.files import frame_of, located
        from ratingpriv.spark.session.session import failing

        columns = reading.words()
        opening = {name: columns.pop(name, None) for name in ("format", "delimiter", "encoding", "header")}
        located(data)  # what is not there is said before Spark starts
        with self._session() as session, reporter.progress() as progress, failing():
            said = {"issues": reading.issues, "name": data, "progress": progress, **columns}
            yield OnSpark(frame_of(session, data, **opening), said)

    @contextlib.contextmanager
    def _session(self) -> Iterator[Any]:
        """Give a session, and stop it at the end."""
        from ratingpriv.spark.session.session import opened

        conf = dict(setting.split("=", 1) for setting in self.spark_conf)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*pandas", category=FutureWarning)
            handler = signal.getsignal(signal.SIGINT)
            with opened(self.spark_master, conf) as session:
                signal.signal(signal.SIGINT, handler)  # pyspark has put its own in its place
                yield session


@dataclass(frozen=True, slots=True)
class OnSpark:
    """Data on Spark: a DataFrame, and what a function of :mod:`ratingpriv.spark` is told of it."""

    df: Any
    said: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkEngineOptions(SparkOptions):
    """The options of a command that computes on this machine, or on Spark."""

    engine: Annotated[
        Literal["compiled", "spark"],
        Option("--engine", help="Compute on this machine, or on Apache Spark.", rich_help_panel=RULES),
    ] = "compiled"

    @property
    def chosen(self) -> bool:
        """Whether it is Spark that computes."""
        return self.engine == "spark"


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkReleaseOptions(SparkEngineOptions):
    """The options of ``anonymize``, which makes a folder on Spark."""

    small: Annotated[
        Literal["refuse", "withhold"] | None,
        setting(
            "--small",
            metavar="refuse|withhold",
            help="modify: what becomes of records of which fewer than K answered the same questions, or for "
            "which no release with L was found (refuse).",
        ),
    ] = None


_EVERY = {
    "data", "engine", "memory", *_READING, *_fields(SparkOptions, GlobalOptions, GateOptions, PictureOptions),
    *_fields(ResultOptions),
}  # fmt: skip
"""What every command hands on, or does itself with the result, whatever computed it."""

ANSWERED = {
    "audit": frozenset({
        *_EVERY, *_fields(DiversityOptions), "k", "epsilon", "l", "at_most", "per_record", "show", "csv_safe",
        "accept", "nulls", "sensitive_nulls",
        "dataset", *_fields(StoreOptions),  # refused beside DATA, whatever computes
    }),
    "frontier": frozenset(
        {*_EVERY, "accept", "k", "l", "epsilon", "method", "partition", "nulls", "sensitive_nulls"}
    ),
    "anonymize": frozenset({
        *(_EVERY - _fields(GateOptions, PictureOptions) - {"force"}), "k", "l", "epsilon", "method", "output",
        "accept", "nulls", "sensitive_nulls", "keep_ids", "strategy", "grouping", "small", "seed",
    }),
}  # fmt: skip
"""The parameters of each command that Spark answers to; the others are refused."""

ONLY: dict[str, dict[str, tuple[Any, ...]]] = {
    "frontier": {"method": ("exact",), "partition": (False,)},
    "anonymize": {"method": ("suppress", "modify")},
}
"""Of which parameters Spark knows some values only."""
