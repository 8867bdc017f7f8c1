"""``ratingpriv audit``: the verdict, who is at risk, what to do next."""

from __future__ import annotations

from typing import Annotated

from typer import Argument

from ratingpriv.base.files import together
from ratingpriv.cli.command import DataArguments, Given
from ratingpriv.cli.options.data import DataOptions
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
from ratingpriv.cli.options.source import DataSource
from ratingpriv.cli.options.spark import SparkOptions
from ratingpriv.cli.options.values import declaring, input_file, output_file, share
from ratingpriv.cli.output.results import ResultOptions

__all__ = ["run"]

_option = declaring()


@together()
def run(
    *,
    data: Annotated[
        str | None,
        Argument(
            metavar="DATA",
            parser=input_file,
            help="A file or directory of ratings; - is standard input. Or --dataset.",
        ),
    ] = None,
    k: KOption,
    epsilon: EpsilonOption,
    l: LOption = None,  # noqa: E741 -- the theory's word
    diversity: DiversityOptions,
    at_most: Annotated[
        float | None,
        _option("--at-most SHARE", "Tolerate such a share of violators, as 1%.", parser=share),
    ] = None,
    accept: AcceptOption = (),
    per_record: Annotated[
        str | None,
        _option("--per-record FILE", "Also write a row a record, .csv or .parquet.", parser=output_file),
    ] = None,
    exposure: Annotated[
        float | None, _option("--exposure E", "Also what is left to knowledge off by up to E.")
    ] = None,
    show: Annotated[int, _option("--show N", "Name at most N records at risk.", show_default=False)] = 0,
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

    An SD is no protection against inference: --set max-share, distinct and entropy make demands; partition,
    frontier and anonymize know l only. --dataset names, instead of DATA, what ratingpriv ingest put into a
    graph store; it is audited there, in Cypher, with the same result.

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
    from ratingpriv.report.per_record import check_suffix, write_per_record

    reporter = general.reporter
    # wrong usage is reported before a long read
    target = model.target(k, epsilon, l, at_most=at_most, accept=accept, **diversity.demands)
    source = DataSource(
        data=data, dataset=dataset, given=given, reading=reading, storing=storing, spark=spark, model=model
    )
    rows = None if source.on_spark else per_record
    if per_record is not None:
        check_suffix(per_record, folder=source.on_spark)
    gate = gates.of("audit", gated=True)
    instead = "--per-record FILE.csv has a row a record"
    results.check(instead=instead, per_record=rows, plot=picture.plot, **gates.files)
    absent = {"exposure": "--exposure E"} if exposure is None else {}
    picture.check(SCHEMA, force=results.force, absent=absent)
    result = source.audit(target, reporter, per_record=per_record, show=show, exposure=exposure)
    if rows is not None:
        write_per_record(result, rows, force=results.force, csv_safe=csv_safe)
    if per_record is not None:
        reporter.wrote(per_record)
    unsaid = data is not None and not reading.no_sensitive
    return gate.deliver(
        result.to_dict(show),
        lambda: audit_page(result, data=data_arguments, show=show, sensitive_unsaid=unsaid),
        results, reporter, data=data, verdict=result.parameters.model, held=result.standing.passes,
        picture=picture, private=show > 0,
    )  # fmt: skip
