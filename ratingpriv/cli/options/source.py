"""What a command is about: a file that is read here, a dataset in a graph store, or a file for Spark."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ratingpriv.cli.options.data import DataOptions
from ratingpriv.cli.options.graph import StoreOptions
from ratingpriv.cli.options.rules import ResourceOptions
from ratingpriv.cli.options.spark import SparkOptions
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditParameters, AuditResult

__all__ = ["Dataset", "File", "FileOnSpark", "source_of"]


@dataclass(frozen=True, slots=True)
class File:
    """A file or folder that is read here."""

    data: str
    reading: DataOptions
    limits: ResourceOptions
    reporter: Reporter
    is_folder_per_record = False

    def audit(self, target: AuditParameters, *, exposure: float | None, **_: Any) -> AuditResult:
        """Read and audit it."""
        from ratingpriv.audit import audit

        table = self.reading.read(self.data, self.reporter)
        with self.reporter.progress() as progress:
            asked = {**dataclasses.asdict(target), **self.limits.resources, "exposure": exposure}
            return audit(table, **asked, progress=progress)


@dataclass(frozen=True, slots=True)
class FileOnSpark:
    """A file or folder that Spark reads."""

    data: str
    reading: DataOptions
    limits: ResourceOptions
    reporter: Reporter
    spark: SparkOptions
    is_folder_per_record = True

    def audit(self, target: AuditParameters, *, per_record: str | None, show: int, **_: Any) -> AuditResult:
        """Audit it there, which also writes a row a record."""
        from ratingpriv.spark import audit
        from ratingpriv.spark.files import digest, frame_of, located
        from ratingpriv.spark.session.session import failing

        asked, columns = dataclasses.asdict(target), self.reading.words()
        del asked["engine"]
        opening = {name: columns.pop(name, None) for name in ("format", "delimiter", "encoding", "header")}
        located(self.data)  # what is not there is said before Spark starts
        with self.spark.session() as session, self.reporter.progress() as progress, failing():
            return audit(
                frame_of(session, self.data, **opening), issues=self.reading.issues, work=self.spark.work,
                per_record=per_record, show=show, memory=self.limits.memory, progress=progress,
                name=self.data, sha256=digest(self.data), **asked, **columns,
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset in a graph store."""

    name: str
    storing: StoreOptions
    reporter: Reporter
    as_ingested: bool  # whether nobody said how what is missing counts
    data = None
    is_folder_per_record = False

    def audit(self, target: AuditParameters, *, exposure: float | None, **_: Any) -> AuditResult:
        """Audit it there, in Cypher."""
        from ratingpriv.audit.stored import audit_stored

        if exposure is not None:
            remedy = "it is measured on the data file: give DATA"
            raise ParameterError("exposure", "with --dataset", "no --exposure", remedy)
        asked = {**dataclasses.asdict(target), **({"nulls": None} if self.as_ingested else {})}
        del asked["engine"]
        with self.storing.open("read") as store, self.reporter.progress() as progress:
            return audit_stored(store, self.name, **asked, progress=progress)


def source_of(
    data: str | None,
    given: Collection[str],
    reading: DataOptions,
    limits: Any,
    spark: SparkOptions,
    reporter: Reporter,
    *,
    dataset: str | None = None,
    storing: StoreOptions | None = None,
) -> Any:
    """Return what the command is about; options that are for another source are refused.

    Parameters
    ----------
    given : the names of the options that the user gave
    limits : rules and resources; their ``engine`` may be Spark

    Raises
    ------
    ParameterError
        It is none, or two; or an option has no meaning for it.
    """
    engine = limits.engine
    if engine == "spark" and data is not None:
        spark.refuse_others(given)
    else:
        spark.refuse(given)
    if data is not None:
        if dataset is not None or (storing is not None and storing.store is not None):
            raise ParameterError("data", data, "either DATA or --dataset (with --store), not both")
        if engine == "spark":
            return FileOnSpark(data, reading, limits, reporter, spark)
        return File(data, reading, limits, reporter)
    if dataset is None or storing is None:
        raise ParameterError("data", None, "DATA, or --dataset NAME of a graph store")
    unused = sorted(
        ({field.name for field in dataclasses.fields(DataOptions)} | {"threads", "memory"}) & set(given)
    )
    if unused:
        option = unused[0].replace("_", "-")
        remedy = "it was for ratingpriv ingest to declare what the data are"
        raise ParameterError(option, "with --dataset", f"no `{unused[0]}`", remedy)
    from ratingpriv.audit.stored import ENGINE

    if "engine" in given and engine != ENGINE:
        raise ParameterError("engine", engine, f"{ENGINE}, which audits a dataset in a graph store")
    return Dataset(dataset, storing, reporter, "nulls" not in given)
