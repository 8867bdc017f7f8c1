"""``ratingpriv recommend``: what may be published, decided."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

from ratingpriv.base.files import together
from ratingpriv.base.reservations import FOUND_AT_MOST
from ratingpriv.base.unfinished import finishing, stopped_by
from ratingpriv.cli import options
from ratingpriv.cli.options.values import group, option, writes
from ratingpriv.cli.output.reporter import note, progress_bars

if TYPE_CHECKING:
    from ratingpriv.studies.candidates import Candidate
    from ratingpriv.studies.choice import Demands


@group
class _Map(options.Drawn):
    output: str | None = writes(
        "The releases, .csv or .parquet, or the page: .html .pdf .md .txt .json."
    )
    csv_safe: bool = options.CSV_SAFE


@group
class _Demands:
    found_at_most: float = option(
        "Share of people who may be re-identified.", FOUND_AT_MOST, metavar="SHARE"
    )
    withhold_at_most: float = option(
        "Share of records that may be suppressed (0.01).", 0.01, metavar="SHARE"
    )
    guessed_at_most: str | None = option(
        "Share of people whose sensitive value may be inferred; or commonest+0.1.", metavar="SHARE"
    )


@group
class _Grid:
    k: tuple[int, ...] = option("A k to be tried; else what can do.", metavar="K", min=2)
    epsilon: tuple[float, ...] = option("A distance to be tried; else what protects.")
    l: float | None = options.L
    method: tuple[str, ...] = option("A method to be tried; else all.")
    full: bool = option("Compute every k, distance and method that can do (slow).")
    accept: tuple[str, ...] = options.ACCEPT


class _SoFar:
    """What is known where a signal ends the search; the words are made before,
    as nothing can be then.
    """

    def __init__(self, demands: Demands, records: int, journal: str | None) -> None:
        self._demands, self._records, self._journal = demands, records, journal
        self._keeping: list[Candidate] = []
        self._words = self._said()

    def add(self, one: Candidate) -> None:
        """Take a candidate that was made."""
        if self._demands.keeps(one, self._records):
            self._keeping.append(one)
        self._words = self._said()

    def tell(self) -> None:
        """Say what is known, if a signal ends the program."""
        if stopped_by() is not None:
            os.write(2, self._words)

    def _said(self) -> bytes:
        from ratingpriv.report.templating import phrase
        from ratingpriv.studies.choice import least_scatter

        best = least_scatter(self._keeping, self._demands, self._records)
        template = {"template": "parts/option_words.jinja"}
        text = phrase("so_far", best, self._records, self._journal, **template)
        return f"{text.strip()}\n".encode()


@together()
def run(
    *,
    data: str = options.DATA_FILE,
    demands: _Demands,
    grid: _Grid,
    journal: str | None = writes("Keep finished releases in FILE, where the same command goes on."),
    results: _Map,
    reading: options.Data,
    rules: options.Rules,
) -> int:
    """Decide what may be published.

    Of all releases that suppress at most 1 % of the records (--withhold-at-most) and let at most 9
    % of the people be re-identified (--found-at-most) it chooses the one that changes ratings
    least, and says how that is known: proved, or measured. The adversary knows every rating of a
    person, and which are missing. If no release does, it says what would. ε is a distance between
    ratings, not a differential-privacy budget.

    Exits with 0 if a release is chosen, 1 if none keeps the demands or the data have a reservation,
    2 if the input is bad.

    Examples
    --------
    ratingpriv recommend survey.csv
    ratingpriv recommend survey.csv --found-at-most 0.05 --plot map.svg
    """
    from ratingpriv.report.templating import phrase
    from ratingpriv.studies.choice import Demands
    from ratingpriv.studies.recommend import check_parameters, recommend

    tried = dataclasses.asdict(grid)
    accept = tried.pop("accept")
    parameters: dict[str, Any] = {
        name: None if value == () else value for name, value in tried.items()
    }
    parameters |= {**rules.words, "rng": reading.seed}
    limits = dataclasses.asdict(demands)
    Demands(**limits)  # wrong usage is reported before a long read
    check_parameters(**parameters)
    results.check(more=(".parquet",), journal=journal)
    table = reading.read(data)

    so_far = _SoFar(Demands(**limits), table.n_records, journal)

    def tell(done: int, one: Candidate) -> None:
        note(f"{done}: {phrase('line', one, table.n_records, template='parts/option_words.jinja')}")
        so_far.add(one)

    parameters["accept"] = accept
    parameters["on_resume"] = lambda done: note(f"{done} measurements are in {journal} already")
    parameters["on_cell"] = tell
    with progress_bars() as progress, finishing(so_far.tell):
        result = recommend(
            table, **limits, **parameters, journal=journal, **rules.resources, progress=progress
        )
    return results.deliver(result, page={"data": reading.typed})
