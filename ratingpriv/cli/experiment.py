"""``ratingpriv experiment``: methods × k × ε × l × seeds over data sets, from a specification."""

from __future__ import annotations

from typing import Annotated

from typer import Argument

from ratingpriv.base.files import together
from ratingpriv.cli.options.general import CsvSafeOption, ForceOption, GlobalOptions, JsonOption
from ratingpriv.cli.options.rules import ResourceOptions
from ratingpriv.cli.options.values import input_file, writes
from ratingpriv.cli.output.results import ResultOptions

__all__ = ["run"]


@together()
def run(
    *,
    spec: Annotated[str, Argument(metavar="SPEC", parser=input_file, help="The specification, a TOML file.")],
    output: Annotated[str, writes("--output", "-o", help="Where to write the rows, .csv or .parquet.")],
    intervals: Annotated[
        str | None, writes(help="Also write means over the seeds, .csv or .parquet.")
    ] = None,
    journal: Annotated[
        str | None, writes(help="Keep finished cells in FILE; else FILE.journal of -o.")
    ] = None,
    csv_safe: CsvSafeOption = True,
    as_json: JsonOption = False,
    force: ForceOption = False,
    using: ResourceOptions,
    general: GlobalOptions,
) -> int:
    """Run an experiment: methods, k, ε, l and seeds over data sets.

    SPEC names the data sets and how they are read, the methods, k, ε and l, what the adversary knows, and
    what is measured. Every finished cell goes to a journal beside the output: the same command goes on there
    after an interruption (Ctrl-C, a crash), and ends with the same bytes. A journal of another specification,
    other data or another version is refused.

    Every cell has seeds of its own, made of the specification's seed and the cell's place in the grid: what
    is added changes no other cell. What cannot be made or measured is a row with the reason.

    Examples
    --------
    ratingpriv experiment experiment.toml -o cells.csv
    ratingpriv experiment experiment.toml -o cells.parquet --intervals means.csv
    """
    from ratingpriv.base.inputs import protecting
    from ratingpriv.report.recommendation.experiment import experiment_page
    from ratingpriv.report.recommendation.tidy import check_tidy, write_tidy
    from ratingpriv.studies.experiment.experiment import COLUMNS, INTERVALS, experiment
    from ratingpriv.studies.experiment.spec import read_spec

    reporter, asked, kept = general.reporter, read_spec(spec), journal or f"{output}.journal"
    with protecting(asked.inputs):
        results = ResultOptions(as_json=as_json, output=None, force=force)
        results.check(journal=kept, output=output, intervals=intervals)
        for name, path in (("output", output), ("intervals", intervals)):
            if path is not None:
                check_tidy(name, path, force=force)
        with reporter.progress() as progress:
            result = experiment(
                asked, journal=kept, **using.resources, progress=progress,
                on_resume=lambda done, of: reporter.note(f"{done} of {of} cells are in {kept} already"),
            )  # fmt: skip
        write_tidy(result.rows, COLUMNS, output, force=force, csv_safe=csv_safe)
        reporter.wrote(output)
        if intervals is not None:
            means = [one.to_dict() for one in result.intervals]
            write_tidy(means, INTERVALS, intervals, force=force, csv_safe=csv_safe)
            reporter.wrote(intervals)
        results.deliver(result.to_dict(), lambda: experiment_page(result, output), reporter)
    return 0
