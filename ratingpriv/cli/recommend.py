"""``ratingpriv recommend``: what each k, ε and method costs, and what it leaves to an adversary."""

from __future__ import annotations

from typing import Annotated, Any

from typer import Option

from ratingpriv.base.files import together
from ratingpriv.cli.command import DataArguments, Given
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.general import CsvSafeOption, ForceOption, GlobalOptions, JsonOption
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.rules import LOption, RuleOptions
from ratingpriv.cli.options.values import writes
from ratingpriv.cli.output.results import ResultOptions

__all__ = ["run"]


@together()
def run(
    *,
    data: DataArgument,
    k: Annotated[
        tuple[int, ...], Option(metavar="K", min=1, help="A k to be tried (repeatable); else a few.")
    ] = (),
    epsilon: Annotated[
        tuple[float, ...],
        Option(metavar="E", help="A distance to be tried (repeatable); else those that protect."),
    ] = (),
    l: LOption = None,  # noqa: E741 -- the theory's word
    method: Annotated[
        tuple[str, ...], Option(metavar="NAME", help="A method to be tried (repeatable); else all.")
    ] = (),
    exposure: Annotated[
        float | None, Option(metavar="E", help="Error of the knowledge for exposure; else the row's epsilon.")
    ] = None,
    output: Annotated[
        str | None,
        writes(
            "--output",
            "-o",
            help="Write the tidy table, .csv or .parquet, or the page: .html .pdf .md .txt .json.",
        ),
    ] = None,
    journal: Annotated[
        str | None,
        writes(help="Keep finished rows in FILE: the same command goes on there after an interruption."),
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
    from ratingpriv.report.recommendation.page import recommendation_page, telling_rows
    from ratingpriv.studies.recommend.recommend import check_parameters, recommend
    from ratingpriv.studies.recommend.result import SCHEMA

    reporter = general.reporter
    parameters: dict[str, Any] = {"k": k or None, "epsilon": epsilon or None, "l": l, "exposure": exposure}
    parameters |= {"method": method or None, "rng": reading.seed, "nulls": rules.nulls}
    parameters |= {"sensitive_nulls": rules.sensitive_nulls}
    check_parameters(**parameters)  # wrong usage is reported before a long read
    results = ResultOptions(as_json=as_json, output=output, force=force)
    results.check(more=".parquet", journal=journal, plot=picture.plot)
    picture.check(SCHEMA, force=force)
    table = reading.read(data, reporter)
    parameters["on_resume"] = lambda done, of: reporter.note(f"{done} of {of} rows are in {journal} already")
    parameters["on_row"] = telling_rows(table, method, reporter.note)
    with reporter.progress() as progress:
        result = recommend(table, **parameters, journal=journal, **rules.resources, progress=progress)
    content = result.to_dict()
    rows: dict[str, Any] = {"frame": result.to_frame, "csv_safe": csv_safe}
    picture.draw(content, reporter, force=force)
    results.deliver(content, lambda: recommendation_page(result, data=data_arguments), reporter, **rows)
    return 0
