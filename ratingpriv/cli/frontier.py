"""``ratingpriv frontier``: which k, ε and l are within reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from ratingpriv.cli.command import DataArguments, Given
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.declare import option
from ratingpriv.cli.options.gate import GateOptions
from ratingpriv.cli.options.general import GlobalOptions
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.rules import AcceptOption, RuleOptions
from ratingpriv.cli.options.spark import SparkEngineOptions
from ratingpriv.cli.options.types import Whole
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.results import ResultOptions
from ratingpriv.files import together
from ratingpriv.numbers import in_full

if TYPE_CHECKING:
    from ratingpriv.audit.frontier.result import Frontier

__all__ = ["run"]


@together()
def run(
    *,
    data: DataArgument,
    k: Annotated[
        int | None, option("--k", metavar="K", kind=Whole(1), help="Find the smallest epsilon for this k.")
    ] = None,
    l: Annotated[  # noqa: E741 -- the theory's word
        float | None, option("--l", metavar="L", help="Find every epsilon for this l.")
    ] = None,
    epsilon: Annotated[
        tuple[float, ...],
        option("--epsilon", metavar="E", help="Only this distance (repeatable); else all that matter."),
    ] = (),
    method: Annotated[
        Literal["exact", "paper"],
        option("--method", help="The exact search, or the paper's bisection by partition."),
    ] = "exact",
    partition: Annotated[
        bool,
        option("--partition/--no-partition", help="Search for partitions too; that can take much longer."),
    ] = False,
    recode: Annotated[
        bool, option("--recode", help="Also which levels of the codebook's hierarchies and bands reach K.")
    ] = False,
    rows: Annotated[int, option("--rows", kind=Whole(2), help="Show at most N distances.")] = 100,
    accept: AcceptOption = (),
    picture: PictureOptions,
    gates: GateOptions,
    results: ResultOptions,
    reading: DataOptions,
    rules: RuleOptions,
    spark: SparkEngineOptions,
    general: GlobalOptions,
    given: Given,
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
    if spark.chosen:
        spark.refuse_others("frontier", given, method=method, partition=partition)
    else:
        spark.refuse(given)
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
    results.check(plot=picture.plot, junit=gates.junit, sarif=gates.sarif)
    picture.check(SCHEMA, force=results.force)
    if spark.chosen:
        result = _of_spark(data, parameters, rules, reading, spark, reporter)
    else:
        table = reading.read(data, reporter, with_levels=recode)
        book = reading.book if recode else None
        with reporter.progress() as progress:
            result = frontier(
                table, **parameters, rows=rows, recode=book, **rules.resources, progress=progress
            )
    content = result.to_dict(named=False)
    picture.draw(content, reporter, force=results.force)
    wanted = [f"{name} = {in_full(value)}" for name, value in (("k", k), ("l", l)) if value is not None]
    done = gate.conclude(
        content,
        lambda: frontier_page(result, data=data_arguments),
        verdict=", ".join(wanted) or None,
        held=result.standing.passes,
        data=data,
        force=results.force,
        reporter=reporter,
    )
    results.deliver(done.document, done.page, reporter, frame=result.to_frame)
    return done.code


def _of_spark(
    data: str,
    parameters: dict[str, Any],
    rules: RuleOptions,
    reading: DataOptions,
    spark: SparkEngineOptions,
    reporter: Reporter,
) -> Frontier:
    """Find the frontier on Spark."""
    from ratingpriv.spark import frontier
    from ratingpriv.spark.files import digest

    asked = {name: value for name, value in parameters.items() if name not in ("method", "partition")}
    with spark.reading(data, reading, reporter) as there:
        return frontier(
            there.df, **asked, work=spark.work, memory=rules.memory, sha256=digest(data), **there.said
        )
