"""How many rows a recommendation will have, and each when it is done, for standard error."""

from __future__ import annotations

import time
from collections.abc import Callable

from ratingpriv.data.table import RatingTable
from ratingpriv.report.templating import phrase
from ratingpriv.studies.recommend import Option


def telling_rows(
    table: RatingTable, note: Callable[[str], object]
) -> Callable[[int, int, Option | None], None]:
    """Return an ``on_row`` that notes how many rows there will be, then each when it is done."""
    began, before = 0.0, 0

    def on_row(done: int, of: int, row: Option | None) -> None:
        nonlocal began, before
        if row is None:
            began = time.monotonic()
            note(f"{of} releases to make and measure")
            return
        before = before or done  # those before are of the journal
        each = (time.monotonic() - began) / (done - before + 1)
        left = f"; about {_duration(each * (of - done))} left" if done < of else ""
        told = phrase("line", row, table.n_records, template="parts/option_words.jinja")
        note(f"{done} of {of}: {told}{left}")

    return on_row


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
