"""A reproduced figure as a tidy table in CSV: a row a point."""

from __future__ import annotations

import csv
import io

from ratingpriv.escaping import csv_safe
from ratingpriv.reproduce.figure import Figure, Outcome

__all__ = ["COLUMNS", "tidy_csv"]

COLUMNS = ("figure", "panel", "data", "series", "x_name", "x", "y_name", "y", "low", "high", "note")
"""The header."""


def tidy_csv(figure: Figure, outcome: Outcome) -> str:
    """Return every point of every series; what could not be measured is an empty cell."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for series in outcome.series:
        panel = figure.panel(series.panel)
        nothing = (None,) * len(series.x)
        columns = zip(series.x, series.y, series.low or nothing, series.high or nothing, strict=True)
        for x, y, low, high in columns:
            row = (
                figure.name, panel.name, series.data, series.label, panel.x, x, panel.y, y, low, high,
                series.note,
            )  # fmt: skip
            writer.writerow(["" if cell is None else csv_safe(cell) for cell in row])
    return file.getvalue()
