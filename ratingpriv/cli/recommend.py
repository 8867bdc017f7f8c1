"""``ratingpriv recommend``: what each k, ε and method costs, and what it leaves to an adversary."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from ratingpriv.cli.command import DataArguments, Given
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.general import CsvSafeOption, ForceOption, GlobalOptions, JsonOption
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.rules import LOption, RuleOptions
from ratingpriv.cli.options.values import output_file
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.results import ResultOptions
from ratingpriv.files import together

if TYPE_CHECKING:
    from ratingpriv.recommend.result import Option as Row
    from ratingpriv.table import RatingTable

__all__ = ["run"]


@together()
def run(
    *,
    data: DataArgument,
    k: Annotated[
        tuple[int, ...],
        Option("--k", metavar="K", min=1, help="A k to be tried (repeatable); else a few."),
    ] = (),
    epsilon: Annotated[
        tuple[float, ...],
        Option(
            "--epsilon",
            metavar="E",
            help="A distance to be tried (repeatable); else those that protect.",
        ),
    ] = (),
    l: LOption = None,  # noqa: E741 -- the theory's word
    method: Annotated[
        tuple[str, ...],
        Option("--method", metavar="NAME", help="A method to be tried (repeatable); else all."),
    ] = (),
    exposure: Annotated[
        float | None,
        Option(
            "--exposure",
            metavar="E",
            help="Error of the knowledge for exposure; else the row's epsilon.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        Option(
            "--output",
            "-o",
            metavar="FILE",
            parser=output_file,
            help="Write the tidy table, .csv or .parquet, or the page: .html .pdf .md .txt .json.",
        ),
    ] = None,
    journal: Annotated[
        str | None,
        Option(
            "--journal",
            metavar="FILE",
            parser=output_file,
            help="Keep finished rows in FILE: the same command goes on there after an interruption.",
        ),
    ] = None,
    picture: PictureOptions,
    csv_safe: CsvSafeOption = True,
    as_json: JsonOption = False,
    force: ForceOption = False,
    reading: DataOptions,
    rules: RuleOptions,
    general: GlobalOptions,
    given: Given,
    data_arguments: DataArguments,
) -> int:
    """Compare what each k, ε and method costs, and what it leaves.

    For each k and ε of a small grid and each method a release is made in memory and measured: records
    suppressed, ratings kept, query error, exposure, success of the strongest attack. Rows that no other row
    of the same ε beats are marked. And for every k, exactly: the fewest records that have to be suppressed.

    It is a table of costs, no verdict; anonymize makes a release and audits it. ε is a distance between
    ratings, not a differential-privacy budget.

    Examples
    --------
    ratingpriv recommend survey.csv --epsilon 1 --method suppress
    ratingpriv recommend survey.csv --k 5 --epsilon 1 -o costs.csv --plot map.svg
    """
    from ratingpriv.recommend.recommend import check_parameters, recommend
    from ratingpriv.recommend.result import SCHEMA
    from ratingpriv.report.recommendation.page import recommendation_page
    from ratingpriv.report.recommendation.tidy import is_tidy

    reporter = general.reporter
    parameters: dict[str, Any] = {
        "k": k or None,
        "epsilon": epsilon or None,
        "l": l,
        "method": method or None,
        "exposure": exposure,
        "nulls": rules.nulls,
        "sensitive_nulls": rules.sensitive_nulls,
        "rng": reading.seed,
    }
    check_parameters(**parameters)  # wrong usage is reported before a long read
    tidy = output is not None and is_tidy(output)
    results = ResultOptions(as_json=as_json, output=None if tidy else output, force=force)
    results.check(more=".parquet", journal=journal, output=output, plot=picture.plot)
    picture.check(SCHEMA, force=force)
    table = reading.read(data, reporter)
    with reporter.progress() as progress:
        result = recommend(
            table, **parameters, journal=journal, **rules.resources, progress=progress,
            on_resume=lambda done, of: reporter.note(f"{done} of {of} rows are in {journal} already"),
            on_row=_Waiting(table, method, reporter).told,
        )  # fmt: skip
    page = recommendation_page(result, data=data_arguments)
    if output is not None and tidy:
        from ratingpriv.experiment.experiment import COLUMNS
        from ratingpriv.report.recommendation.tidy import write_tidy

        write_tidy(result.rows, (*COLUMNS, "front"), output, force=force, csv_safe=csv_safe)
        reporter.wrote(output)
    content = result.to_dict()
    picture.draw(content, reporter, force=force)
    results.deliver(content, lambda: page, reporter)
    return 0


@dataclass(slots=True)
class _Waiting:
    """Says how long it takes before it starts, and each row when it is done."""

    table: RatingTable
    methods: tuple[str, ...]
    reporter: Reporter
    began: float = field(default_factory=time.monotonic)
    before: int = 0

    def told(self, done: int, of: int, row: Row | None) -> None:
        """Note a row, and how long the others take; without one, what is going to be done."""
        from ratingpriv.anonymize.methods import METHODS
        from ratingpriv.recommend.recommend import estimated_seconds
        from ratingpriv.report.recommendation.page import row_line

        if row is None:
            seconds = estimated_seconds(self.table, self.methods or tuple(METHODS), of)
            self.began = time.monotonic()
            self.reporter.note(f"{of} releases to make and measure; at a guess {_span(seconds)}")
            return
        self.before = self.before or done  # those before are of the journal
        each = (time.monotonic() - self.began) / (done - self.before + 1)
        left = f"; about {_span(each * (of - done))} left" if done < of else ""
        self.reporter.note(f"{done} of {of}: {row_line(row, self.table.n_records)}{left}")


def _span(seconds: float) -> str:
    """Return a time as somebody who waits says it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
