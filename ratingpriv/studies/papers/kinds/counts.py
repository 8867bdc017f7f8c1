"""[NS08, Figs 2 and 3] and its table "Not in X most rated": how many ratings records have.

Settings: ``most`` (x = 1..most) for the figures; ``tops`` and ``at_least`` for the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ratingpriv.attack.popularity import RatingCounts, outside_most_rated, rating_counts
from ratingpriv.data.table import RatingTable
from ratingpriv.studies.papers.data import NETFLIX, available, part_of_netflix, table_of
from ratingpriv.studies.papers.figure import Figure, Judgement, Outcome, Panel, Series, Setting

__all__ = ["run"]

_PAPER = {100: (100, 97, 93), 500: (99, 90, 80), 1000: (97, 83, 70)}
_FILMS, _SUBSCRIBERS, _RATINGS = NETFLIX["films"], NETFLIX["subscribers"], (1, 5, 10)
_SELECTED = 20  # those who are thought to have been chosen had more ratings than these


def run(figure: Figure, setting: Setting) -> Outcome:
    """Count the ratings of each data set that is there."""
    settings = figure.settings_for(setting)
    series: list[Series] = []
    judgements: list[Judgement] = []
    notes: list[str] = []
    if "tops" in settings:
        series += _printed(settings)
    for data in available(figure.data, setting):
        table = table_of(data, setting)
        part = part_of_netflix(data, table)
        if "tops" in settings:
            rows, judged = _outside(table, settings, data, figure.panel(""))
            series += rows
            judgements += [_of_part(one, part) for one in judged]
            notes.append(
                f"{data} has {table.n_issues:,} films: its 100 most rated are "
                f"{100 * min(100 / table.n_issues, 1):.1f} % of them, the paper's {100 * 100 / _FILMS:.1f} %"
            )
            continue
        counts = rating_counts(table, settings["most"])
        x = tuple(float(number) for number in range(1, settings["most"] + 1))
        for label, values in (("exactly x", counts.exactly), ("at least x", counts.at_least)):
            series.append(Series("", f"{data}, {label}", x, tuple(map(float, values)), data=data))
        judge = _jump if settings["most"] <= 100 else _tail
        judgements.append(_of_part(judge(counts, table, data, figure.panel("").statement), part))
    notes += (
        [] if "tops" in settings else ['the text says "at least X ratings", the caption "X ratings": both']
    )
    return Outcome(tuple(series), tuple(judgements), tuple(notes))


def _of_part(judgement: Judgement, part: str) -> Judgement:
    """Return the judgement; of a part of the paper's own data, which decides nothing of them, undecided."""
    return replace(judgement, holds=None, why=part) if part else judgement


def _jump(counts: RatingCounts, table: RatingTable, data: str, paper: str) -> Judgement:
    """Return whether the curve of exactly x jumps where people were selected [NS08, Fig. 2]."""
    exactly = counts.exactly.tolist()
    if len(exactly) <= _SELECTED:
        why = f"so few numbers do not reach {_SELECTED}"
        return Judgement("", paper, f"counted up to {len(exactly)} ratings", None, why, data)
    before, after = exactly[_SELECTED - 2], exactly[_SELECTED - 1]
    below = sum(exactly[: _SELECTED - 1])
    highest = exactly.index(max(exactly)) + 1
    ours = (
        f"{below:,} of {table.n_records:,} have fewer than {_SELECTED} ratings; {before:,} have "
        f"{_SELECTED - 1}, {after:,} have {_SELECTED}; most have {highest}"
    )
    holds = after > 2 * before and highest >= _SELECTED
    why = (
        f"it holds where twice as many have {_SELECTED} as {_SELECTED - 1}, and no fewer ratings are commoner"
    )
    return Judgement("", paper, ours, holds, why, data)


def _tail(counts: RatingCounts, table: RatingTable, data: str, paper: str) -> Judgement:
    """Return what can be said of the thick tail [NS08, Fig. 3]."""
    part = 1000 / _FILMS
    limit = int(part * table.n_issues)
    many = int((table.indptr[1:] - table.indptr[:-1] > limit).sum())
    share = 100 * many / max(table.n_records, 1)
    ours = (
        f"the most ratings of a record are {counts.largest:,}; {share:.1f} % have rated more than {limit} of "
        f"{table.n_issues:,} films"
    )
    why = (
        f"a thousand of {_FILMS:,} films are {100 * part:.1f} %, and thousands of {_SUBSCRIBERS:,} are at "
        "least 0.4 %; as printed it needs as many films and people"
    )
    big = table.n_issues >= _FILMS and table.n_records >= _SUBSCRIBERS
    holds = int(counts.at_least[-1]) >= 2000 if big else None
    return Judgement("", paper, ours, holds, why, data)


def _outside(
    table: RatingTable, settings: Mapping[str, Any], data: str, panel: Panel
) -> tuple[list[Series], list[Judgement]]:
    """Return the table's rows, and for each row whether the paper's shares are reached."""
    tops = settings["tops"]
    rows = outside_most_rated(table, tops, settings["at_least"])
    series = [
        Series(
            "", f"{data}, at least {number}", tuple(map(float, tops)),
            tuple(100 * row.shares[number] for row in rows), data=data,
        )
        for number in settings["at_least"]
    ]  # fmt: skip
    judgements = []
    for row in rows:
        if row.top not in _PAPER or tuple(row.shares) != _RATINGS:
            continue
        shares = [100 * share for share in row.shares.values()]
        ours = f"outside of the {row.top} most rated, at least 1 / 5 / 10 films: " + " / ".join(
            f"{share:.1f} %" for share in shares
        )
        exact = row.top < table.n_issues
        why = "it holds where each share is as large as the paper's, to half a point"
        reached = all(share >= said - 0.5 for share, said in zip(shares, _PAPER[row.top], strict=True))
        if not exact:
            why = f"there are {table.n_issues:,} films"
        judgements.append(
            Judgement("", panel.paper(str(row.top)), ours, reached if exact else None, why, data)
        )
    if not judgements:
        why = "other numbers than the paper's were asked for"
        judgements.append(Judgement("", panel.statement, "not measured", None, why, data))
    return series, judgements


def _printed(settings: Mapping[str, Any]) -> Iterator[Series]:
    tops = [top for top in settings["tops"] if top in _PAPER]
    for place, number in enumerate(_RATINGS):
        if tops and number in settings["at_least"]:
            y = tuple(float(_PAPER[top][place]) for top in tops)
            yield Series("", f"paper, at least {number}", tuple(map(float, tops)), y)
