"""``ratingpriv audit``: the verdict, who is at risk, what to do next."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

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
from ratingpriv.cli.options.source import source_of
from ratingpriv.cli.options.spark import SparkOptions
from ratingpriv.cli.options.values import input_file, output_file, share
from ratingpriv.cli.output.results import ResultOptions
from ratingpriv.files import together

if TYPE_CHECKING:
    pass

__all__ = ["run"]


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
        Option("--at-most", metavar="SHARE", parser=share, help="Tolerate such a share of violators, as 1%."),
    ] = None,
    accept: AcceptOption = (),
    per_record: Annotated[
        str | None,
        Option(
            "--per-record",
            metavar="FILE",
            parser=output_file,
            help="Also write a row a record, .csv or .parquet.",
        ),
    ] = None,
    exposure: Annotated[
        float | None,
        Option("--exposure", metavar="E", help="Also what is left to knowledge off by up to E."),
    ] = None,
    show: Annotated[
        int, Option("--show", metavar="N", show_default=False, help="Name at most N records at risk.")
    ] = 0,
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
    asked = {**diversity.demands, "at_most": at_most, "accept": accept}
    target = dataclasses.replace(model.target(k, epsilon, l), **asked)
    source = source_of(data, given, reading, model, spark, reporter, dataset=dataset, storing=storing)
    if per_record is not None:
        check_suffix(per_record, folder=source.is_folder_per_record)
    gate = gates.of("audit", gated=True)
    results.check(
        instead="--per-record FILE.csv has a row a record",
        per_record=None if source.is_folder_per_record else per_record,
        plot=picture.plot,
        **gates.files,
    )
    absent = {"exposure": "--exposure E"} if exposure is None else {}
    picture.check(SCHEMA, force=results.force, absent=absent)
    result = source.audit(target, exposure=exposure, per_record=per_record, show=show)
    if per_record is not None:
        if not source.is_folder_per_record:
            write_per_record(result, per_record, force=results.force, csv_safe=csv_safe)
        reporter.wrote(per_record)
    unsaid = source.data is not None and not reading.no_sensitive
    return gate.deliver(
        result.to_dict(show),
        lambda: audit_page(result, data=data_arguments, show=show, sensitive_unsaid=unsaid),
        results, reporter, data=data, verdict=result.parameters.model, held=result.standing.passes,
        picture=picture, private=show > 0,
    )  # fmt: skip
