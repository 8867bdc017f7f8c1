"""[NS08, Fig. 7]: the bits still lacking after one known rating, by the film's popularity rank.

Settings: ``rating_error``, ``date_error`` and ``most`` (so many ranks at most, spread evenly over the log).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.popularity import ResidualBits, residual_bits
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.selection import supports_of
from ratingpriv.studies.papers.data import available, table_of
from ratingpriv.studies.papers.figure import Figure, Judgement, Outcome, Series, Setting

__all__ = ["run"]


def run(figure: Figure, setting: Setting) -> Outcome:
    """Find the bits by rank in each data set that is there."""
    settings = figure.settings_for(setting)
    series: list[Series] = []
    judgements: list[Judgement] = []
    notes = [
        'the paper does not define its "entropy": drawn are the bits still lacking, not those gained; the '
        "flat line is log2 of the number of records"
    ]
    for data in available(figure.data, setting):
        table = table_of(data, setting)
        dated = table.timestamps is not None and table.timestamps.null_count() < len(table.timestamps)
        found = residual_bits(
            table,
            rating_error=settings["rating_error"],
            date_error=settings["date_error"] if dated else None,
            ranks=_ranks(table, settings["most"]).tolist(),
        )
        x = tuple(map(float, found.rank))
        curves = [
            ("nothing known", np.full(len(x), found.prior)),
            ("no rating or date", found.rated),
            (f"rating ±{found.rating_error:g}", found.rating),
        ]
        if dated:
            curves.append((f"date ±{settings['date_error']:g} days", found.date))
        else:
            notes.append(f"{data}: its ratings have no dates")
        for label, values in curves:
            y = tuple(None if np.isnan(value) else float(value) for value in values)
            series.append(Series("", f"{data}, {label}", x, y, data=data))
        judgements.append(_judged(found, data, figure.panel("").statement))
    return Outcome(tuple(series), tuple(judgements), tuple(notes))


def _ranks(table: RatingTable, most: int) -> NDArray[np.int64]:
    """Return ranks from 1 to the last film that anybody rates."""
    last = int(np.count_nonzero(supports_of(table)))
    if last <= most:
        return np.arange(1, last + 1)
    return np.unique(np.geomspace(1, last, most).round()).astype(np.int64)


def _judged(found: ResidualBits, data: str, paper: str) -> Judgement:
    if not len(found.rank):
        return Judgement("", paper, "nobody rates anything", None, "there is no film", data)
    first, last = 0, len(found.rank) - 1
    middle = int(np.argmin(np.abs(np.log(found.rank) - np.log(found.rank[last]) / 2)))
    bits = []
    for place in dict.fromkeys((first, middle, last)):
        date = "" if np.isnan(found.date[place]) else f"/{found.date[place]:.2f}"
        bits.append(f"rank {found.rank[place]}: {found.rated[place]:.2f}/{found.rating[place]:.2f}{date}")
    ours = f"bits left of {found.prior:.2f}, with no rating, a rating, a date: {'; '.join(bits)}"
    curves = [
        curve for curve in (found.rated, found.rating, found.date) if not np.isnan(curve[[first, last]]).any()
    ]
    holds = all(curve[last] < curve[first] for curve in curves)
    why = "it holds where each curve is lower at the last rank than at the first"
    return Judgement("", paper, ours, holds, why, data)
