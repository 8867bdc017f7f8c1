"""What is doubtful about the ratings of a long layout, where one column has those of all issues."""

from __future__ import annotations

import numpy as np

from ratingpriv.codebook.options import ReadOptions
from ratingpriv.codebook.recognition.looks import NO_SCALE, Look, codes_look, look_of
from ratingpriv.errors import DataError, Problem
from ratingpriv.escaping import looks_like_data
from ratingpriv.table import RatingTable

__all__ = ["refuse_doubtful"]

_ENOUGH = 20  # ratings from which on a value far away is no other issue's scale


def refuse_doubtful(table: RatingTable, options: ReadOptions) -> None:
    """Refuse ratings that may be missing codes; and, in a column that nobody named, what no scale has.

    Issues may have scales of their own, so that a wide span says nothing here.

    Raises
    ------
    DataError
        With a problem for the ratings, and one for every sensitive issue.
    """
    origin, book = table.origin, options.codebook
    spec = None if book is None else book.columns.get(origin.rating_name)
    scale = options.scale or (None if spec is None else spec.scale)
    named = (
        options.rating is not None or bool(options.ratings) or (spec is not None and spec.role == "rating")
    )
    problems = []
    look = look_of("", table.levels, table.n_ratings, scale=scale)
    none = look.kind in ("digits", "years") and table.levels[0] >= NO_SCALE and not named
    if none or (look.kind == "missing-codes" and table.n_ratings >= _ENOUGH):
        problems.append(_problem(table, look, None))
    for column in table.sensitive:
        if scale is None and column.name not in options.sensitive_scale and not column.labels:
            values = np.unique(column.values[column.present])
            look_secret = codes_look(values, int(np.count_nonzero(column.present)))
            if look_secret is not None:
                problems.append(_problem(table, look_secret, column.name))
    if problems:
        raise DataError(problems)


def _problem(table: RatingTable, look: Look, issue: str | None) -> Problem:
    name = table.origin.rating_name
    scale = "`scale`" if issue is None else "`sensitive_scale`"
    if look.kind == "missing-codes":
        remedy = f"name the code with `null`; if it is an answer, declare the {scale}"
    else:
        remedy = "name the column of ratings with `rating` if this is the one, or declare the `scale`"
    found = look.why if issue is None else f"among the answers to a sensitive issue {look.why}"
    return Problem(
        table.origin.name, found, "ratings only", remedy, None, None if looks_like_data(name) else name
    )
