"""``ratingpriv partition``: groups of records within ε of each other, and a proof of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import together
from ratingpriv.cli.command import DataArguments, Given
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.gate import Gate, GateOptions
from ratingpriv.cli.options.general import CsvSafeOption, GlobalOptions
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.rules import AcceptOption, RuleOptions
from ratingpriv.cli.options.values import reads, writes
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.results import ResultOptions

__all__ = ["run"]

_OF_A_SEARCH = {"groups", "certificate", "output", "method", "order", "plot", "require"}


@together()
def run(
    *,
    data: DataArgument,
    k: Annotated[int | None, Option(metavar="K", min=1, help="Smallest size of a group.")] = None,
    epsilon: Annotated[float | None, Option(metavar="E", help="Largest rating distance in a group.")] = None,
    l: Annotated[  # noqa: E741 -- the theory's word
        float | None, Option(metavar="L", help="Smallest SD of sensitive ratings in each.")
    ] = None,
    method: Annotated[
        Literal["auto", "greedy", "slicing", "exact"],
        Option(metavar="NAME", help="auto, greedy, slicing (the papers') or exact (small data)."),
    ] = "auto",
    order: Annotated[
        Literal["position", "fewest"], Option(help="Which group the greedy makes first.")
    ] = "position",
    groups: Annotated[str | None, writes(help="Write record,group to FILE as CSV.")] = None,
    certificate: Annotated[str | None, writes(help="Write a proof to FILE that --check checks.")] = None,
    check: Annotated[
        str | None,
        reads(
            help="Only check the proof in FILE against DATA, for --k, --epsilon, --l and --nulls if given."
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
    reporter, gate = general.reporter, gates.of("partition", gated=True)
    if check is not None:
        demand: dict[str, Any] = {"k": k, "epsilon": epsilon, "l": l, "nulls": rules.nulls}
        demand |= {"sensitive_nulls": rules.sensitive_nulls}
        demand = {name: value for name, value in demand.items() if name in given}
        if clashing := sorted(given & _OF_A_SEARCH):
            remedy = "the proof in the file says what to check"
            raise ParameterError(clashing[0], "with --check", f"no --{clashing[0]}", remedy)
        return _check(check, data, demand | {"accept": accept}, reading, reporter, gate, results)
    from ratingpriv.partition.files.certificate import write_certificate
    from ratingpriv.partition.files.groups import write_groups
    from ratingpriv.partition.partitioning import partition
    from ratingpriv.partition.result import SCHEMA
    from ratingpriv.report.partition import partition_page

    if k is None or epsilon is None:
        missing, remedy = "k" if k is None else "epsilon", "give --k and --epsilon, or --check FILE"
        raise ParameterError(missing, None, "a number", remedy)
    target = dataclasses.asdict(rules.target(k, epsilon, l))
    files = {"groups": groups, "certificate": certificate, "plot": picture.plot, **gates.files}
    results.check(instead="--groups FILE.csv has a row a record", **files)
    picture.check(SCHEMA, force=results.force)
    table = reading.read(data, reporter)
    how = {"method": method, "order": order, "accept": accept, **rules.resources}
    with reporter.progress() as progress:
        result = partition(table, **target, **how, progress=progress)
    if groups is not None:
        write_groups(result.groups, table, groups, force=results.force, csv_safe=csv_safe)
        reporter.wrote(groups)
    if certificate is not None:
        write_certificate(result, table, certificate, force=results.force)
        reporter.wrote(certificate)
    return gate.deliver(
        result.to_dict(), lambda: partition_page(result, data=data_arguments), results, reporter,
        data=data, verdict=result.parameters.model, held=result.standing.passes, picture=picture,
    )  # fmt: skip


def _check(
    file: str,
    data: str,
    demand: dict[str, Any],
    reading: DataOptions,
    reporter: Reporter,
    gate: Gate,
    results: ResultOptions,
) -> int:
    """Check a certificate against the data, and whether it gives what is demanded."""
    from ratingpriv.data.table.description import TableDescription
    from ratingpriv.partition.files.certificate_check import check_certificate
    from ratingpriv.report.partition import certificate_page, check_dict

    if not Path(file).is_file():
        raise ParameterError("check", file, "a file that --certificate wrote")
    results.check(junit=gate.junit)
    table = reading.read(data, reporter)
    found, dataset = check_certificate(file, table, **demand), TableDescription.of(table)
    return gate.deliver(
        check_dict(found, dataset), lambda: certificate_page(found, dataset), results, reporter,
        data=data, verdict=f"certificate, {found.asked.model}", held=found.right,
    )  # fmt: skip
