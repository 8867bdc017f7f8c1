"""``ratingpriv partition``: groups of records within ε of each other, and a proof of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Option

from ratingpriv.cli.command import DataArguments, Given
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.gate import GateOptions
from ratingpriv.cli.options.general import CsvSafeOption, GlobalOptions
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.rules import AcceptOption, RuleOptions
from ratingpriv.cli.options.values import input_file, output_file
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.results import ResultOptions
from ratingpriv.errors import ParameterError
from ratingpriv.files import together

__all__ = ["run"]


@together()
def run(
    *,
    data: DataArgument,
    k: Annotated[int | None, Option("--k", metavar="K", min=1, help="Smallest size of a group.")] = None,
    epsilon: Annotated[
        float | None,
        Option("--epsilon", metavar="E", help="Largest rating distance in a group."),
    ] = None,
    l: Annotated[  # noqa: E741 -- the theory's word
        float | None,
        Option("--l", metavar="L", help="Smallest SD of sensitive ratings in each."),
    ] = None,
    method: Annotated[
        Literal["auto", "greedy", "slicing", "exact"],
        Option("--method", metavar="NAME", help="auto, greedy, slicing (the papers') or exact (small data)."),
    ] = "auto",
    order: Annotated[
        Literal["position", "fewest"],
        Option("--order", help="Which group the greedy makes first."),
    ] = "position",
    groups: Annotated[
        str | None,
        Option("--groups", metavar="FILE", parser=output_file, help="Write record,group to FILE as CSV."),
    ] = None,
    certificate: Annotated[
        str | None,
        Option(
            "--certificate",
            metavar="FILE",
            parser=output_file,
            help="Write a proof to FILE that --check checks.",
        ),
    ] = None,
    check: Annotated[
        str | None,
        Option(
            "--check",
            metavar="FILE",
            parser=input_file,
            help="Only check the proof in FILE against DATA, for --k, --epsilon, --l and --nulls if given.",
        ),
    ] = None,
    accept: AcceptOption = (),
    picture: PictureOptions,
    csv_safe: CsvSafeOption = True,
    gates: GateOptions,
    results: ResultOptions,
    reading: DataOptions,
    rules: RuleOptions,
    general: GlobalOptions,
    given: Given,
    data_arguments: DataArguments,
) -> int:
    """Partition a dataset into groups of ε-proximate records.

    In each group any two records differ by at most E on every non-sensitive item; each has at least K
    records and, with --l, sensitive ratings with a standard deviation of at least L. If every record is in
    a group, the data are (k,ε)-anonymous, and the groups prove it. If not, that proves nothing unless the
    result says so. ε is a distance between ratings, not a differential-privacy budget.

    Exits with 0 if found (or the proof is valid for everybody, and gives what is demanded), 1 if not or with
    a "but", 2 if the input is bad. With --check, --k, --epsilon, --l and --nulls are what you need, whatever
    the proof claims; the rules of what you need are strict and paper unless you name others.

    Examples
    --------
    ratingpriv partition survey.csv --k 3 --epsilon 2
    ratingpriv partition survey.csv --k 3 --epsilon 4 --certificate proof.json
    ratingpriv partition survey.csv --check proof.json --k 3 --epsilon 4
    """
    reporter = general.reporter
    if check is not None:
        clashing = given & {"groups", "certificate", "output", "method", "order", "plot", "require"}
        values = {"k": k, "epsilon": epsilon, "l": l, "nulls": rules.nulls,
                  "sensitive_nulls": rules.sensitive_nulls}  # fmt: skip
        demands: dict[str, Any] = {name: value for name, value in values.items() if name in given}
        demands["accept"] = accept
        return _check(check, data, reading, reporter, demands, gates, results, clashing=clashing)
    from ratingpriv.partition.partitioning import partition
    from ratingpriv.partition.result import SCHEMA
    from ratingpriv.report.partition import partition_page

    if k is None or epsilon is None:
        raise ParameterError(
            "k" if k is None else "epsilon", None, "a number", "give --k and --epsilon, or --check FILE"
        )
    target = dataclasses.asdict(rules.target(k, epsilon, l))
    gate = gates.of("partition", gated=True)
    results.check(
        instead="--groups FILE.csv has a row a record", groups=groups, certificate=certificate,
        plot=picture.plot, **gates.files,
    )  # fmt: skip
    picture.check(SCHEMA, force=results.force)
    table = reading.read(data, reporter)
    with reporter.progress() as progress:
        result = partition(
            table, **target, method=method, order=order, accept=accept, **rules.resources, progress=progress
        )
    if groups is not None:
        from ratingpriv.partition.files.groups import write_groups

        write_groups(result.groups, table, groups, force=results.force, csv_safe=csv_safe)
        reporter.wrote(groups)
    if certificate is not None:
        from ratingpriv.partition.files.certificate import write_certificate

        write_certificate(result, table, certificate, force=results.force)
        reporter.wrote(certificate)
    return gate.deliver(
        result.to_dict(), lambda: partition_page(result, data=data_arguments), results, reporter,
        data=data, verdict=result.parameters.model, held=result.standing.passes, picture=picture,
    )  # fmt: skip


def _check(
    file: str,
    data: str,
    reading: DataOptions,
    reporter: Reporter,
    demands: dict[str, Any],
    gates: GateOptions,
    results: ResultOptions,
    *,
    clashing: frozenset[str],
) -> int:
    """Check a certificate against the data, and whether it gives what is demanded."""
    from ratingpriv.partition.files.certificate_check import check_certificate
    from ratingpriv.report.partition import certificate_page, check_dict
    from ratingpriv.table.description import TableDescription

    if clashing:
        option = sorted(clashing)[0]
        remedy = "the proof in the file says what to check"
        raise ParameterError(option, "with --check", f"no --{option}", remedy)
    if not Path(file).is_file():
        raise ParameterError("check", file, "a file that --certificate wrote")
    gate = gates.of("partition", gated=True)
    results.check(**gates.files)
    found = check_certificate(file, table := reading.read(data, reporter), **demands)
    dataset = TableDescription.of(table)
    asked = found.claim if found.demand is None else found.demand
    return gate.deliver(
        check_dict(found, dataset), lambda: certificate_page(found, dataset), results, reporter,
        data=data, verdict=f"certificate, {asked.model}", held=found.right,
    )  # fmt: skip
