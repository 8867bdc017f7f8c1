"""[NS08, Fig. 1]: how many records have so similar a nearest neighbour.

Settings: ``points`` (the x) and ``sample`` (so many records at most are compared with all others).
"""

from __future__ import annotations

import numpy as np

from ratingpriv.attack.evaluation.cautions import FEW
from ratingpriv.attack.sparsity.sparsity import Sparsity, sparsity
from ratingpriv.data.table import RatingTable
from ratingpriv.studies.papers.data import available, part_of_netflix, table_of
from ratingpriv.studies.papers.figure import Figure, Judgement, Outcome, Series, Setting

__all__ = ["run"]

_SIMILAR: tuple[tuple[str, float | None, float | None], ...] = (
    ("the same films rated", None, None),
    ("ratings ±1", 1, None),
    ("ratings ±1, dates ±14 days", 1, 14),
)
_VAST = 0.9


def run(figure: Figure, setting: Setting) -> Outcome:
    """Find the nearest neighbours in each data set that is there, by what is taken for similar."""
    settings = figure.settings_for(setting)
    points = tuple(float(x) for x in settings["points"])
    series: list[Series] = []
    judgements: list[Judgement] = []
    notes: list[str] = []
    for data in available(figure.data, setting):
        table = table_of(data, setting)
        for what, ratings, dates in _SIMILAR:
            if dates is not None and not _dated(table):
                notes.append(f"{data}: its ratings have no dates")
                continue
            found = _similarity(table, ratings, dates, settings["sample"], setting)
            y = tuple(100 * share for _, share in found.curve(points))
            part = part_of_netflix(data, table)
            series.append(Series("", f"{data}, {what}", points, y, data=data))
            if ratings is None:
                judgements.append(_judged(found, data, part, figure.panel("").statement))
                if found.sampled:
                    notes.append(
                        f"{data}: {len(found.positions):,} of {found.rated:,} records, drawn uniformly, are "
                        "compared with all others"
                    )
    return Outcome(tuple(series), tuple(judgements), tuple(notes))


def _judged(found: Sparsity, data: str, part: str, paper: str) -> Judgement:
    above = found.delta(0.5)
    if above.rate is None:
        return Judgement("", paper, "nobody rates anything", None, "there is nothing to compare", data)
    interval = f" ({100 * above.low:.1f} to {100 * above.high:.1f})" if found.sampled else ""
    ours = f"{100 * above.rate:.1f} % have one{interval}, by what was rated alone"
    if part:
        return Judgement("", paper, ours, None, part, data)
    if above.of < FEW:
        why = f"with fewer than {FEW} records nothing is said of a majority"
        return Judgement("", paper, ours, None, why, data)
    holds = None if above.low <= 1 - _VAST < above.high else above.high <= 1 - _VAST
    why = f"it holds where at most {100 * (1 - _VAST):.0f} % have one, our reading of 'vast majority'"
    return Judgement("", paper, ours, holds, why, data)


def _similarity(
    table: RatingTable, ratings: float | None, dates: float | None, most: int, setting: Setting
) -> Sparsity:
    rated = int(np.count_nonzero(np.diff(table.indptr)))
    return sparsity(
        table,
        rating_tolerance=ratings,
        date_tolerance=dates,
        sample=None if rated <= most else most,
        rng=setting.seed,
        resources=setting.resources,
    )


def _dated(table: RatingTable) -> bool:
    return table.timestamps is not None and table.timestamps.null_count() < len(table.timestamps)
