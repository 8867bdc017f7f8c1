"""``ratingpriv experiment``: methods × k × ε × l × seeds over data sets, from a specification."""

from __future__ import annotations

from ratingpriv.base.files import together
from ratingpriv.cli import options
from ratingpriv.cli.options.values import file_argument, writes
from ratingpriv.cli.output.reporter import note, progress_bars, wrote


@together()
def run(
    *,
    spec: str = file_argument("The specification, a TOML file.", ..., metavar="SPEC"),
    output: str = writes("Where to write the rows, .csv or .parquet.", ...),
    intervals: str | None = writes("Also write means over the seeds, .csv or .parquet."),
    journal: str | None = writes("Keep finished cells in FILE; else FILE.journal of -o."),
    csv_safe: bool = options.CSV_SAFE,
    results: options.Printed,
    using: options.Resources,
) -> int:
    """Run an experiment: methods, k, ε, l and seeds over data sets.

    SPEC names the data sets, the methods, k, ε and l, what the adversary knows, and what is
    measured. Every finished cell goes to a journal beside the output: the same command goes on
    there after an interruption, and ends with the same bytes. Every cell has seeds of its own: what
    is added changes no other cell. What cannot be made or measured is a row with the reason.

    Examples
    --------
    ratingpriv experiment experiment.toml -o cells.csv
    ratingpriv experiment experiment.toml -o cells.parquet --intervals means.csv
    """
    from msgspec.structs import asdict

    from ratingpriv.base.inputs import protecting
    from ratingpriv.report.tables import check_tidy, write_tidy
    from ratingpriv.studies.cells import COLUMNS
    from ratingpriv.studies.experiment import INTERVALS, experiment, read_spec

    specification, journal_file = read_spec(spec), journal or f"{output}.journal"
    with protecting(specification.inputs):
        results.check(journal=journal_file, output=output, intervals=intervals)
        for name, path in (("output", output), ("intervals", intervals)):
            if path is not None:
                check_tidy(name, path, force=results.force)
        how = {**using.resources, "journal": journal_file}
        how["on_resume"] = lambda done, of: note(
            f"{done} of {of} cells are in {journal_file} already"
        )
        with progress_bars() as progress:
            result = experiment(specification, **how, progress=progress)
        write_tidy(result.rows, COLUMNS, output, force=results.force, csv_safe=csv_safe)
        wrote(output)
        if intervals is not None:
            means = list(map(asdict, result.intervals))
            write_tidy(means, INTERVALS, intervals, force=results.force, csv_safe=csv_safe)
            wrote(intervals)
        results.deliver(result, page={"written": output})
    return 0
