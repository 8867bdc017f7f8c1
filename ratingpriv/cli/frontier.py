"""``ratingpriv frontier``: which k, ε and l are within reach."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import together
from ratingpriv.base.numbers import in_full
from ratingpriv.cli.command import DataArguments
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.gate import GateOptions
from ratingpriv.cli.options.general import GlobalOptions
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.rules import AcceptOption, RuleOptions
from ratingpriv.cli.options.values import declaring
from ratingpriv.cli.output.results import ResultOptions

__all__ = ["run"]

_option = declaring()


@together()
def run(
    *,
    data: DataArgument,
    k: Annotated[int | None, _option("--k K", "Find the smallest epsilon for this k.", min=1)] = None,
    l: Annotated[float | None, _option("--l L", "Find every epsilon for this l.")] = None,  # noqa: E741
    epsilon: Annotated[
        tuple[float, ...], _option("--epsilon E", "Only this distance (repeatable); else all.")
    ] = (),
    method: Annotated[
        Literal["exact", "paper"],
        _option("--method", "The exact search, or the paper's bisection by partition."),
    ] = "exact",
    partition: Annotated[
        bool,
        _option("--partition/--no-partition", "Search for partitions too; that can take much longer."),
    ] = False,
    recode: Annotated[bool, _option("--recode", "Also which levels of recodes reach K.")] = False,
    rows: Annotated[int, _option("--rows N", "Show at most N distances.", min=2, show_default=False)] = 100,
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
    from ratingpriv.data.codebook.levels import as_it_is
    from ratingpriv.report.frontier import frontier_page

    reporter = general.reporter
    parameters: dict[str, Any] = {
        "k": k, "l": l, "epsilon": list(epsilon) or None, "method": method, "partition": partition,
        "nulls": rules.nulls, "sensitive_nulls": rules.sensitive_nulls, "accept": accept,
    }  # fmt: skip
    checked = check_parameters(**parameters)  # wrong usage is reported before a long read
    if recode:
        check_recode(checked)
    gate = gates.of("frontier", gated=checked.has_target, without="--k, --l or ")
    results.check(plot=picture.plot, **gates.files)
    picture.check(SCHEMA, force=results.force)
    book = reading.book if recode else None
    if recode and book is None:
        raise ParameterError("codebook", None, "a codebook, whose hierarchies and bands are tried")
    table = reading.read(data, reporter, codebook=book and as_it_is(book))
    with reporter.progress() as progress:
        result = frontier(table, **parameters, rows=rows, recode=book, **rules.resources, progress=progress)
    wanted = [f"{name} = {in_full(value)}" for name, value in (("k", k), ("l", l)) if value is not None]
    return gate.deliver(
        result.to_dict(named=False), lambda: frontier_page(result, data=data_arguments), results, reporter,
        data=data, verdict=", ".join(wanted) or None, held=result.standing.passes, picture=picture,
        frame=result.to_frame,
    )  # fmt: skip
