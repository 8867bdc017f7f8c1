"""What an audit is about: a file that is read here or on Spark, or a dataset in a graph store."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.data import DataOptions
from ratingpriv.cli.options.graph import StoreOptions
from ratingpriv.cli.options.rules import AuditModelOptions
from ratingpriv.cli.options.spark import SparkOptions
from ratingpriv.cli.output.reporter import Reporter

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditParameters, AuditResult
    from ratingpriv.data.table import RatingTable
    from ratingpriv.graph.store import DatasetInfo

__all__ = ["DataSource"]

_OF_FILES = {field.name for field in dataclasses.fields(DataOptions)}


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSource:
    """DATA, or a dataset in a store; options that have no meaning for it are refused when it is made.

    ``given`` : the names of the options that the user gave
    """

    data: str | None
    dataset: str | None
    given: frozenset[str]
    reading: DataOptions
    storing: StoreOptions
    spark: SparkOptions
    model: AuditModelOptions

    def __post_init__(self) -> None:
        """Refuse none, both, and options of another source."""
        if self.on_spark:
            self.spark.refuse_others(self.given)
        else:
            self.spark.refuse(self.given)
        if self.data is not None and (self.dataset, self.storing.store) != (None, None):
            raise ParameterError("data", self.data, "either DATA or --dataset (with --store), not both")
        if self.data is None and self.dataset is None:
            raise ParameterError("data", None, "DATA, or --dataset NAME of a graph store")
        unused = sorted(_OF_FILES & self.given) if self.data is None else ()
        if unused:
            remedy = "it was for ratingpriv ingest to declare what the data are"
            name = unused[0].replace("_", "-")
            raise ParameterError(name, "with --dataset", f"no `{unused[0]}`", remedy)

    @property
    def on_spark(self) -> bool:
        """Whether Spark reads it, which then writes the rows of records itself, into a folder."""
        return self.data is not None and self.model.engine == "spark"

    def audit(
        self,
        target: AuditParameters,
        reporter: Reporter,
        *,
        per_record: str | None,
        show: int,
        exposure: float | None,
    ) -> AuditResult:
        """Read and audit it; ``per_record`` and ``show`` are for Spark, which has no list of records."""
        asked = dataclasses.asdict(target)
        if self.on_spark:
            del asked["engine"]
            asked |= {"per_record": per_record, "show": show, "memory": self.model.memory}
            with reporter.progress() as progress:
                return self._on_spark({**asked, "progress": progress})
        from ratingpriv.audit import audit

        asked |= {name: asked[name] if name in self.given else None for name in ("engine", "nulls")}
        with self._opened(reporter) as table, reporter.progress() as progress:
            return audit(table, **asked, **self.model.resources, exposure=exposure, progress=progress)

    def _on_spark(self, asked: dict[str, Any]) -> AuditResult:
        from ratingpriv.spark import audit
        from ratingpriv.spark.files import digest, frame_of, located
        from ratingpriv.spark.session.session import failing

        data, columns = str(self.data), self.reading.words()
        opening = {name: columns.pop(name, None) for name in ("format", "delimiter", "encoding", "header")}
        located(data)  # what is not there is said before Spark starts
        asked |= {
            "issues": self.reading.issues,
            "name": data,
            "sha256": digest(data),
            "work": self.spark.work,
        }
        with self.spark.session() as session, failing():
            return audit(frame_of(session, data, **opening), **asked, **columns)

    @contextlib.contextmanager
    def _opened(self, reporter: Reporter) -> Iterator[RatingTable | DatasetInfo]:
        if self.data is not None:
            yield self.reading.read(self.data, reporter)
            return
        with self.storing.open("read") as store:
            yield store.dataset(str(self.dataset))
