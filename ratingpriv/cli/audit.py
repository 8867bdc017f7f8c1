"""``ratingpriv audit``: the verdict, who is at risk, what to do next."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated

from ratingpriv.cli.command import DataArguments, Given
from ratingpriv.cli.options.data import DataOptions
from ratingpriv.cli.options.declare import argument, option
from ratingpriv.cli.options.diversity import DiversityOptions
from ratingpriv.cli.options.gate import GateOptions
from ratingpriv.cli.options.general import CsvSafeOption, GlobalOptions
from ratingpriv.cli.options.graph import DatasetOption, StoreOptions
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.rules import (
    AcceptOption,
    AuditModelOptions,
    EpsilonOption,
    KOption,
    LOption,
)
from ratingpriv.cli.options.spark import SparkOptions
from ratingpriv.cli.options.types import Share
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.results import ResultOptions
from ratingpriv.errors import ParameterError
from ratingpriv.files import together

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditParameters, AuditResult

__all__ = ["run"]


@together()
def run(
    *,
    data: Annotated[
        str | None,
        argument(
            "[DATA]", help="A file or directory of ratings; - is standard input. Or --dataset.", place="input"
        ),
    ] = None,
    k: KOption,
    epsilon: EpsilonOption,
    l: LOption = None,  # noqa: E741 -- the theory's word
    diversity: DiversityOptions,
    at_most: Annotated[
        float | None,
        option("--at-most", kind=Share(), help="Tolerate such a share of violators, as 1%."),
    ] = None,
    accept: AcceptOption = (),
    per_record: Annotated[
        str | None,
        option(
            "--per-record",
            metavar="FILE",
            place="output",
            help="Also write a row a record, .csv or .parquet.",
        ),
    ] = None,
    exposure: Annotated[
        float | None,
        option("--exposure", metavar="E", help="Also what is left to knowledge off by up to E."),
    ] = None,
    show: Annotated[int, option("--show", help="Name at most N records at risk.")] = 0,
    picture: PictureOptions,
    csv_safe: CsvSafeOption = True,
    gates: GateOptions,
    results: ResultOptions,
    dataset: DatasetOption = None,
    storing: StoreOptions,
    reading: DataOptions,
    model: AuditModelOptions,
    spark: SparkOptions,
    general: GlobalOptions,
    given: Given,
    data_arguments: DataArguments,
) -> int:
    """Audit a dataset for (k,ε)-anonymity and list records at risk.

    Decides exactly whether every record has at least K records (itself included) within a rating distance
    of E on every non-sensitive item; with --l, whether their sensitive ratings also have a standard
    deviation of at least L. ε is a distance between ratings, not a differential-privacy budget.

    Quasi-identifiers (--quasi, --help-data) have rules of their own, equal or within a number, that no ε
    moves; columns that are carried are not audited.

    An SD is no protection against inference: --max-share, --distinct and --entropy (--help-data) make
    demands; partition, frontier and anonymize know l only. --dataset names, instead of DATA, what
    ratingpriv ingest put into a graph store; it is audited there, in Cypher, with the same result.

    Exits with 0 if satisfied (or within --at-most, which the verdict ignores), 1 if not or with a "but", 2 if
    input is bad.

    Examples
    --------
    ratingpriv audit survey.csv --k 5 --epsilon 1
    ratingpriv audit survey.csv --k 3 --epsilon 1 --l 0.5 --sensitive pay
    ratingpriv audit survey.csv --k 5 --epsilon 1 --json --per-record risk.csv
    """
    from ratingpriv.audit.result import SCHEMA
    from ratingpriv.report.audit import audit_page

    reporter = general.reporter
    # wrong usage is reported before a long read
    asked = {**diversity.demands, "at_most": at_most, "accept": accept}
    target = dataclasses.replace(model.target(k, epsilon, l), **asked)
    on_spark = model.engine == "spark" and data is not None
    if on_spark:
        spark.refuse_others("audit", given)
    else:
        spark.refuse(given)
    if per_record is not None:
        from ratingpriv.report.per_record import check_suffix

        check_suffix(per_record, folder=on_spark)
    gate = gates.of("audit", gated=True)
    results.check(
        instead="--per-record FILE.csv has a row a record",
        per_record=None if on_spark else per_record,  # a folder, which Spark makes
        plot=picture.plot,
        **gates.files,
    )
    absent = {"exposure": "--exposure E"} if exposure is None else {}
    picture.check(SCHEMA, force=results.force, absent=absent)
    if exposure is not None:
        from ratingpriv.checks import non_negative_number

        exposure = non_negative_number("exposure", exposure)
    if data is not None:
        if storing.store is not None or dataset is not None:
            raise ParameterError("data", data, "either DATA or --dataset (with --store), not both")
        if on_spark:
            options = _SparkAudit(reading, model, spark, per_record, show)
            result = _of_spark(data, target, options, reporter)
        else:
            result = _of_data(data, target, exposure, reading, model, reporter)
    else:
        if exposure is not None:
            raise ParameterError(
                "exposure", "with --dataset", "no --exposure", "it is measured on the data file: give DATA"
            )
        result = _of_dataset(dataset, target, storing, model, given, reporter)
    if per_record is not None and not on_spark:
        from ratingpriv.report.per_record import write_per_record

        write_per_record(result, per_record, force=results.force, csv_safe=csv_safe)
    if per_record is not None:
        reporter.wrote(per_record)
    content = result.to_dict(show)
    picture.draw(content, reporter, force=results.force)
    done = gate.conclude(
        content,
        lambda: audit_page(
            result,
            data=data_arguments,
            show=show,
            sensitive_unsaid=data is not None and not reading.no_sensitive,
        ),
        verdict=result.parameters.model,
        held=result.standing.passes,
        data=data,
        force=results.force,
        reporter=reporter,
    )
    results.deliver(done.document, done.page, reporter, private=show > 0)
    return done.code


def _of_data(
    data: str,
    target: AuditParameters,
    exposure: float | None,
    reading: DataOptions,
    model: AuditModelOptions,
    reporter: Reporter,
) -> AuditResult:
    """Read and audit a file."""
    from ratingpriv.audit import audit

    table = reading.read(data, reporter)
    with reporter.progress() as progress:
        parameters = dataclasses.asdict(target)
        return audit(table, **parameters, exposure=exposure, **model.resources, progress=progress)


@dataclasses.dataclass(frozen=True, slots=True)
class _SparkAudit:
    """What is said to the engine spark beside the target."""

    reading: DataOptions
    model: AuditModelOptions
    spark: SparkOptions
    per_record: str | None
    show: int


def _of_spark(data: str, target: AuditParameters, said: _SparkAudit, reporter: Reporter) -> AuditResult:
    """Audit a file on Spark."""
    from ratingpriv.spark import audit
    from ratingpriv.spark.files import digest

    parameters = dataclasses.asdict(target)
    del parameters["engine"]
    with said.spark.reading(data, said.reading, reporter) as there:
        return audit(
            there.df,
            **parameters,
            work=said.spark.work,
            per_record=said.per_record,
            show=said.show,
            memory=said.model.memory,
            sha256=digest(data),
            **there.said,
        )


def _of_dataset(
    dataset: str | None,
    target: AuditParameters,
    storing: StoreOptions,
    model: AuditModelOptions,
    given: Given,
    reporter: Reporter,
) -> AuditResult:
    """Audit a dataset in a graph store."""
    if dataset is None:
        raise ParameterError("data", None, "DATA, or --dataset NAME of a graph store")
    meant_for_files = {field.name for field in dataclasses.fields(DataOptions)} | {"threads", "memory"}
    unused = sorted(meant_for_files & given)
    if unused:
        option = unused[0].replace("_", "-")
        remedy = "it was for ratingpriv ingest to declare what the data are"
        raise ParameterError(option, "with --dataset", f"no --{option}", remedy)
    from ratingpriv.audit.stored import ENGINE, audit_stored

    if "engine" in given and model.engine != ENGINE:
        raise ParameterError("engine", model.engine, f"{ENGINE}, which audits a dataset in a graph store")
    parameters = dataclasses.asdict(target)
    del parameters["engine"]
    if "nulls" not in given:
        parameters["nulls"] = None  # as it was ingested
    with storing.open("read") as store, reporter.progress() as progress:
        return audit_stored(store, dataset, **parameters, progress=progress)
