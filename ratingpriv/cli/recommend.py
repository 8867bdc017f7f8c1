"""``ratingpriv recommend``: what each k, ε and method costs, and what it leaves to an adversary."""

from __future__ import annotations

import dataclasses
from typing import Any

from ratingpriv.base.files import together
from ratingpriv.cli import options
from ratingpriv.cli.options.values import group, option, writes
from ratingpriv.cli.output.reporter import note, progress_bars


@group
class _Costs(options.Drawn):
    output: str | None = writes("The tidy table, .csv or .parquet, or the page: .html .pdf .md .txt .json.")
    csv_safe: bool = options.CSV_SAFE


@group
class _Grid:
    k: tuple[int, ...] = option("A k to be tried; else a few.", metavar="K", min=1)
    epsilon: tuple[float, ...] = option("A distance to be tried; else what protects.")
    l: float | None = options.L
    method: tuple[str, ...] = option("A method to be tried; else all.")
    exposure: float | None = option("Error of the knowledge; else the row's epsilon.")


@together()
def run(
    *,
    data: str = options.DATA_FILE,
    grid: _Grid,
    journal: str | None = writes("Keep finished rows in FILE, where the same command goes on."),
    results: _Costs,
    reading: options.Data,
    rules: options.Rules,
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
    from ratingpriv.report.recommendation import telling_rows
    from ratingpriv.studies.recommend import check_parameters, recommend

    tried = dataclasses.asdict(grid).items()
    parameters: dict[str, Any] = {name: None if value == () else value for name, value in tried}
    parameters |= {**rules.words, "rng": reading.seed}
    check_parameters(**parameters)  # wrong usage is reported before a long read
    results.check(more=(".parquet",), journal=journal)
    table = reading.read(data)
    parameters["on_resume"] = lambda done, of: note(f"{done} of {of} rows are in {journal} already")
    parameters["on_row"] = telling_rows(table, grid.method, note)
    with progress_bars() as progress:
        result = recommend(table, **parameters, journal=journal, **rules.resources, progress=progress)
    return results.deliver(result, page={"data": reading.typed})
