"""How long the rows of a recommendation will take, and each when it is done, for standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ratingpriv.anonymize.methods import METHODS
from ratingpriv.data.table import RatingTable
from ratingpriv.report.templating import phrase
from ratingpriv.studies.recommend import Option, estimated_seconds


def telling_rows(
    table: RatingTable, methods: Sequence[str], note: Callable[[str], object]
) -> Callable[[int, int, Option | None], None]:
    """Return an ``on_row`` that notes how long the rows will take, then each row when it is done."""
    began, before = 0.0, 0

    def on_row(done: int, of: int, row: Option | None) -> None:
        nonlocal began, before
        if row is None:
            began = time.monotonic()
            seconds = estimated_seconds(table, methods or tuple(METHODS), of)
            note(f"{of} releases to make and measure; at a guess {_duration(seconds)}")
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
