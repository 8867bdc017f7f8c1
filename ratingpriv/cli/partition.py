"""``ratingpriv partition``: groups of records within ε of each other, and a proof of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import together
from ratingpriv.cli import options
from ratingpriv.cli.options.parameters import given
from ratingpriv.cli.options.values import group, option, reads, writes
from ratingpriv.cli.output.reporter import progress_bars, wrote

if TYPE_CHECKING:
    from ratingpriv.data.table import RatingTable
    from ratingpriv.partition.result import PartitionResult

_NO_ROWS = "a check of a certificate has no rows"
_OF_A_SEARCH = {"groups", "certificate", "output", "method", "order", "plot", "require"}


@group
class _Demand:
    k: int | None = option("Smallest size of a group.", metavar="K", min=1)
    epsilon: float | None = option("Largest rating distance in a group.")
    l: float | None = options.L


@group
class _Search:
    method: Literal["auto", "greedy", "slicing", "exact"] = option(
        "auto, greedy, slicing (the papers') or exact (small data).", "auto", metavar="NAME"
    )
    order: Literal["position", "fewest", "near"] = option(
        "Which group is made first; near: records with near ratings.", "position"
    )


@group
class _Written(options.Results):
    groups: str | None = writes("Write record,group to FILE as CSV.")
    certificate: str | None = writes("Write a proof to FILE that --check checks.")

    def write(self, result: PartitionResult, table: RatingTable) -> None:
        """Write the groups, and the proof."""
        from ratingpriv.partition.certificate import write_certificate
        from ratingpriv.partition.groups import write_groups

        if self.groups is not None:
            write_groups(
                result.groups, table, self.groups, force=self.force, csv_safe=self.csv_safe
            )
            wrote(self.groups)
        if self.certificate is not None:
            write_certificate(result, table, self.certificate, force=self.force)
            wrote(self.certificate)


@together()
def run(
    *,
    data: str = options.DATA_FILE,
    demand: _Demand,
    search: _Search,
    check: str | None = reads(
        "Only check the proof in FILE, for --k, --epsilon, --l and --nulls if given."
    ),
    accept: tuple[str, ...] = options.ACCEPT,
    results: _Written,
    reading: options.Data,
    rules: options.Rules,
) -> int:
    """Partition a dataset into groups of ε-proximate records.

    In each group any two records differ by at most E on every non-sensitive item; each has at least
    K records and, with --l, sensitive ratings with a standard deviation of at least L. If every
    record is in a group, the data are (k,ε)-anonymous, and the groups prove it. If not, that proves
    nothing unless the result says so. ε is a distance between ratings, not a differential-privacy
    budget.

    Exits with 0 if found (or the proof is valid for all records, and gives what is demanded), 1 if
    not or with a reservation, 2 if the input is bad. With --check, --k, --epsilon, --l and --nulls
    are what you need.

    Examples
    --------
    ratingpriv partition survey.csv --k 3 --epsilon 2
    ratingpriv partition survey.csv --k 3 --epsilon 4 --certificate proof.json
    ratingpriv partition survey.csv --check proof.json --k 3 --epsilon 4
    """
    if check is not None:
        demanded = {**dataclasses.asdict(demand), **rules.words, "accept": accept}
        return _check(check, data, demanded, reading, results)
    from ratingpriv.partition.partitioning import partition

    if demand.k is None or demand.epsilon is None:
        missing = "k" if demand.k is None else "epsilon"
        raise ParameterError(missing, None, "a number", "give --k and --epsilon, or --check FILE")
    target = rules.target(demand.k, demand.epsilon, demand.l)
    results.check(groups=results.groups, certificate=results.certificate)
    table = reading.read(data)
    how: dict[str, Any] = {
        **dataclasses.asdict(target),
        **dataclasses.asdict(search),
        **rules.resources,
    }
    with progress_bars() as progress:
        result = partition(table, **how, accept=accept, progress=progress)
    results.write(result, table)
    return results.deliver(
        result,
        page={"data": reading.typed},
        data=data,
        verdict=result.parameters.model,
        private=results.of_records,
    )


def _check(
    file: str, data: str, demand: dict[str, Any], reading: options.Data, results: options.Results
) -> int:
    """Check a certificate against the data, and whether it gives what is demanded."""
    from ratingpriv.data.table.description import TableDescription
    from ratingpriv.partition.certificate_check import check_certificate
    from ratingpriv.report.as_json import check_dict

    typed = given()
    if clashing := sorted(typed & _OF_A_SEARCH):
        remedy = "the proof in the file says what to check"
        raise ParameterError(clashing[0], "with --check", f"no --{clashing[0]}", remedy)
    if not Path(file).is_file():
        raise ParameterError("check", file, "a file that --certificate wrote")
    results.check(rows=_NO_ROWS)
    table = reading.read(data)
    demand = {name: value for name, value in demand.items() if name in typed}
    checked, dataset = check_certificate(file, table, **demand), TableDescription.of(table)
    return results.deliver(
        check_dict(checked, dataset),
        page={"name": dataset.name},
        data=data,
        verdict=f"certificate, {checked.asked.model}",
    )
