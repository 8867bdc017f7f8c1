"""``ratingpriv frontier``: which k, ε and l are within reach."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ratingpriv.cli.options import values
from ratingpriv.cli.options.shared import (
    DataOptions,
    ForceOption,
    JsonOption,
    RuleOptions,
    TalkOptions,
    choices,
)
from ratingpriv.cli.output.results import OutputOption, check_outputs, give

__all__ = ["run"]


def run(
    *,
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A file or directory of ratings; - is standard input.")
    ],
    k: Annotated[
        str | None,
        typer.Option("--k", metavar="K", help="Find the smallest epsilon for this k.", show_default=False),
    ] = None,
    l: Annotated[  # noqa: E741 -- the theory's word
        str | None,
        typer.Option("--l", metavar="L", help="Find every epsilon for this l.", show_default=False),
    ] = None,
    epsilon: Annotated[
        list[str] | None,
        typer.Option(
            "--epsilon",
            metavar="E",
            help="Look at this distance only (repeatable); else at all that matter.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="The exact search, or the paper's bisection by partition to compare with.",
            **choices("exact", "paper"),
        ),
    ] = "exact",
    partition: Annotated[
        bool,
        typer.Option(
            "--partition/--no-partition", help="Look for partitions too; that can take much longer."
        ),
    ] = True,
    rows: Annotated[str, typer.Option("--rows", metavar="N", help="Show at most N distances.")] = "100",
    as_json: JsonOption = False,
    output: OutputOption = None,
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE", help="Also draw the frontier to FILE, .svg or .png."),
    ] = None,
    force: ForceOption = False,
    reading: DataOptions,
    rules: RuleOptions,
    talking: TalkOptions,
) -> int:
    """Say which k, ε and l are within reach of data as they are.

    For each distance ε at which anything changes: the largest k and the largest l that hold, how many
    records are unique, and whether a partition into groups of k was found.

    With --k, the smallest ε. With --l, every ε that does: they need not be all from the smallest on, as
    a larger neighbourhood can have more uniform sensitive ratings. Both by neighbourhoods, exact.
    ε is a distance between ratings, not a differential-privacy budget.

    Exits with 0 if what was asked for is within reach, 1 if not, 2 if the input is bad.
    """
    from ratingpriv.audit.frontier.frontier import check_parameters, frontier
    from ratingpriv.report.figures import check_figure
    from ratingpriv.report.frontier import frontier_page

    talk = talking.talk
    asked: dict[str, Any] = {
        "k": None if k is None else values.whole("k", k, 1),
        "l": None if l is None else values.real("l", l),
        "epsilon": [values.real("epsilon", text) for text in epsilon] if epsilon else None,
        "method": method,
        "partition": partition,
        "nulls": rules.nulls,
        "sensitive_nulls": rules.sensitive_nulls,
    }
    check_parameters(**asked)  # wrong usage is said before a long read
    shown = values.whole("rows", rows, 2)
    threads, memory = rules.resources()
    check_outputs({"output": output, "plot": plot}, force=force)
    if plot is not None:
        check_figure(plot, force=force)
    table = reading.read(data, talk)
    talk.detail(f"read {table!r}")
    with talk.progress() as progress:
        result = frontier(table, **asked, rows=shown, threads=threads, memory=memory, progress=progress)
    if plot is not None:
        from ratingpriv.report.figures import plot_frontier

        plot_frontier(result, plot, force=force)
        talk.note(f"wrote {plot}")
    give(
        result.to_dict(),
        lambda: frontier_page(result),
        as_json=as_json,
        output=output,
        force=force,
        talk=talk,
    )
    return 0 if result.satisfied else 1
