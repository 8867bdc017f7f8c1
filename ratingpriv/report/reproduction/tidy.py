"""A reproduced figure as a tidy table in CSV: a row a point."""

from __future__ import annotations

import csv
import io

from ratingpriv.base.escaping import csv_safe
from ratingpriv.studies.papers.reproducing import COLUMNS, Reproduced

__all__ = ["tidy_csv"]


def tidy_csv(one: Reproduced) -> str:
    """Return every point of every series; what could not be measured is an empty cell."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in one.points():
        writer.writerow(["" if cell is None else csv_safe(cell) for cell in row])
    return file.getvalue()
