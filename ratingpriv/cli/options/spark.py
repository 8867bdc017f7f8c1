"""Options of the engine spark: where it runs, where it works, and which options of the audit it answers to.

:data:`ANSWERED` has what is handed on to Spark. Whatever else is given is refused by its name, so that a new
option is refused until somebody has made it do something on Spark.
"""

from __future__ import annotations

import contextlib
import dataclasses
import signal
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.diversity import DiversityOptions
from ratingpriv.cli.options.gate import GateOptions
from ratingpriv.cli.options.general import GlobalOptions
from ratingpriv.cli.options.graph import StoreOptions
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.values import key_value, output_file, setting
from ratingpriv.cli.output.results import ResultOptions

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["ANSWERED", "SparkOptions"]

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
            if field.name in given:
                name = field.name.replace("_", "-")
                expected = f"no `{field.name}` without --engine spark"
                raise ParameterError(name, "with another engine", expected)

    def refuse_others(self, given: Collection[str]) -> None:
        """Refuse what the engine spark has no answer to."""
        for name in sorted(set(given) - ANSWERED):
            shown = name.replace("_", "-")
            raise ParameterError(
                shown, "with --engine spark", f"no `{name}`", "it is for data on one machine"
            )

    @contextlib.contextmanager
    def session(self) -> Iterator[Any]:
        """Give a session, and stop it at the end."""
        from ratingpriv.spark.session.session import opened

        conf = dict(setting.split("=", 1) for setting in self.spark_conf)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*pandas", category=FutureWarning)
            handler = signal.getsignal(signal.SIGINT)
            with opened(self.spark_master, conf) as session:
                signal.signal(signal.SIGINT, handler)  # pyspark has put its own in its place
                yield session


ANSWERED = frozenset({
    "data", "engine", "memory", "k", "epsilon", "l", "at_most", "per_record", "show", "csv_safe", "accept",
    "nulls", "sensitive_nulls", *_READING, *_fields(SparkOptions, GlobalOptions, GateOptions, PictureOptions),
    *_fields(ResultOptions, DiversityOptions),
    "dataset", *_fields(StoreOptions),  # refused beside DATA, whatever computes
})  # fmt: skip
"""The parameters of the audit that Spark answers to; the others are refused."""
