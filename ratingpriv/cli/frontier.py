"""``ratingpriv frontier``: which k, ε and l are within reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Option

from ratingpriv.cli.command import DataArguments
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.gate import GateOptions
from ratingpriv.cli.options.general import GlobalOptions
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.rules import AcceptOption, RuleOptions
from ratingpriv.cli.output.results import ResultOptions
from ratingpriv.files import together
from ratingpriv.numbers import in_full

if TYPE_CHECKING:
    pass

__all__ = ["run"]


@together()
def run(
    *,
    data: DataArgument,
    k: Annotated[
        int | None, Option("--k", metavar="K", min=1, help="Find the smallest epsilon for this k.")
    ] = None,
    l: Annotated[  # noqa: E741 -- the theory's word
        float | None, Option("--l", metavar="L", help="Find every epsilon for this l.")
    ] = None,
    epsilon: Annotated[
        tuple[float, ...],
        Option("--epsilon", metavar="E", help="Only this distance (repeatable); else all."),
    ] = (),
    method: Annotated[
        Literal["exact", "paper"],
        Option("--method", help="The exact search, or the paper's bisection by partition."),
    ] = "exact",
    partition: Annotated[
        bool,
        Option("--partition/--no-partition", help="Search for partitions too; that can take much longer."),
    ] = False,
    recode: Annotated[bool, Option("--recode", help="Also which levels of recodes reach K.")] = False,
    rows: Annotated[
        int, Option("--rows", metavar="N", min=2, show_default=False, help="Show at most N distances.")
    ] = 100,
    accept: AcceptOption = (),
    picture: PictureOptions,
    gates: GateOptions,
    results: ResultOptions,
    reading: DataOptions,
    rules: RuleOptions,
    general: GlobalOptions,
    data_arguments: DataArguments,
) -> int:
    """Find which k, ε and l are within reach of a dataset.

    For each distance ε at which anything changes: the largest k and the largest l that hold, how many
    records are alone, and, with --partition, whether a partition into groups of k was found.

    With --k, the smallest ε. With --l, every ε that does: they need not be all from the smallest on, as a
    larger neighbourhood can have more uniform sensitive ratings. Both exact. ε is a distance between
    ratings, not a differential-privacy budget, and moves no rule of quasi-identifiers.

    With --recode, also which levels of the hierarchies and bands of quasi-identifiers reach K, from which ε
    on, at which loss; all else, the exit code too, is about the data without them.

    A distance at which any two ratings are indistinguishable protects nothing: it is shown, and is no answer.

    Exits with 0 if within reach, 1 if not or with a "but", 2 if the input is bad.

    Examples
    --------
    ratingpriv frontier survey.csv
    ratingpriv frontier survey.csv --k 5
    ratingpriv frontier survey.csv --l 0.5 --sensitive pay
    """
    from ratingpriv.audit.frontier.frontier import check_parameters, check_recode, frontier
    from ratingpriv.audit.frontier.result import SCHEMA
    from ratingpriv.report.frontier import frontier_page

    reporter = general.reporter
    parameters: dict[str, Any] = {
        "k": k,
        "l": l,
        "epsilon": list(epsilon) or None,
        "method": method,
        "partition": partition,
        "nulls": rules.nulls,
        "sensitive_nulls": rules.sensitive_nulls,
        "accept": accept,
    }
    checked = check_parameters(**parameters)  # wrong usage is reported before a long read
    if recode:
        check_recode(checked)
    gate = gates.of("frontier", gated=checked.has_target, without="--k, --l or ")
    results.check(plot=picture.plot, **gates.files)
    picture.check(SCHEMA, force=results.force)
    table = reading.read(data, reporter, with_levels=recode)
    book = reading.book if recode else None
    with reporter.progress() as progress:
        result = frontier(
            table, **parameters, rows=rows, recode=book, **rules.resources, progress=progress
        )  # fmt: skip
    wanted = [f"{name} = {in_full(value)}" for name, value in (("k", k), ("l", l)) if value is not None]
    return gate.deliver(
        result.to_dict(named=False), lambda: frontier_page(result, data=data_arguments), results, reporter,
        data=data, verdict=", ".join(wanted) or None, held=result.standing.passes, picture=picture,
        frame=result.to_frame,
    )  # fmt: skip
