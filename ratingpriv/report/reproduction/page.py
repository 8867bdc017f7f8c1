"""Reproduced figures as a page: for each panel the paper's statement, ours, whether it holds, and why."""

from __future__ import annotations

from collections.abc import Iterator

from ratingpriv.report.page import Page, Section, Table
from ratingpriv.report.plain import count
from ratingpriv.studies.papers.data import DATA
from ratingpriv.studies.papers.figure import Figure, Judgement
from ratingpriv.studies.papers.reproducing import Reproduced, Reproduction

__all__ = ["figures_page", "reproduction_page", "verdicts"]

_NO_NUMBERS_OF_PAPERS = (
    "The statements are what the papers say in words; their curves are not available as numbers, so shapes "
    "and bounds are compared, not points."
)
_QUICK = "This was a quick run, on a small grid and few records: it shows that the figure can be made."


def verdicts(judgements: list[Judgement]) -> str:
    """Return how many statements hold, do not, and cannot be said, in words."""
    found = {
        "holds": sum(one.holds is True for one in judgements),
        "does not hold": sum(one.holds is False for one in judgements),
        "cannot be said": sum(one.holds is None for one in judgements),
    }
    return ", ".join(f"{number} {words}" for words, number in found.items() if number) or "nothing judged"


def reproduction_page(result: Reproduction) -> Page:
    """Return the page of a run."""
    made = [one for one in result.figures if one.outcome is not None]
    judged = [one for figure in made if figure.outcome for one in figure.outcome.judgements]
    said = count(len(made), "figure") if len(result.figures) != 1 else result.figures[0].figure.name
    absent = len(result.figures) - len(made)
    left = f"; {count(absent, 'figure')} not made" if absent else ""
    explanation = (_NO_NUMBERS_OF_PAPERS, *((_QUICK,) if result.setting.quick else ()))
    return Page(
        headline=f"{said}: {verdicts(judged)}{left}",
        explanation=explanation,
        sections=tuple(_section(one) for one in result.figures),
    )


def figures_page(figures: tuple[Figure, ...]) -> Page:
    """Return the page that names the figures, their panels and their data."""
    rows = tuple(
        (
            one.name,
            ", ".join(panel.name for panel in one.panels if panel.name) or "-",
            one.source,
            ", ".join(one.data),
            one.title,
        )
        for one in figures
    )
    columns = ("figure", "panels", "source", "data: any of", "what")
    table = Table(columns, rows, (False,) * len(columns))
    places = tuple(f"{name}: {meaning}" for name, meaning in DATA.items())
    return Page(
        f"{count(len(figures), 'figure')} can be reproduced",
        sections=(Section("Figures", (table,)), Section("Data, each given as --data NAME=PATH", places)),
    )


def _section(one: Reproduced) -> Section:
    title = f"{one.figure.name}: {one.figure.title} {one.figure.source}"
    return Section(title, tuple(_items(one)))


def _items(one: Reproduced) -> Iterator[str]:
    if one.outcome is None:
        yield f"Not made: {one.reason}"
        return
    for judged in one.outcome.judgements:
        where = " ".join(part for part in (judged.panel and f"({judged.panel})", judged.data) if part)
        lead = f"{where}: " if where else ""
        yield f"{lead}{judged.verdict.upper()}. Paper: {judged.paper} Ours: {judged.ours} Why: {judged.why}"
    yield from one.outcome.notes
