"""Queries of some records at a time, so that an answer does not depend on how busy a machine is.

The embedded engine ends a statement after 30 seconds of wall time, in which a busy machine may give
it one second of work. A query with the parameters ``first`` and ``last`` (0-based places in the
data, ``last`` not included) whose rows are sorted by them is asked slice by slice, and by halves
where a slice was ended.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from ratingpriv.base.errors import QueryFailedError, QueryTimedOutError
from ratingpriv.base.progress import Progress
from ratingpriv.graph.catalogue import Query
from ratingpriv.graph.store import Result, Store

_BOUNDS = {"first", "last"}


def run_in_slices(
    store: Store,
    asked: Query,
    params: Mapping[str, Any],
    *,
    cuts: Sequence[int] = (),
    progress: Progress | None = None,
    what: str = "",
) -> Result:
    """Return the rows of a query, slice by slice where it takes ``first`` and ``last``.

    ``cuts`` are the bounds of the slices, ascending; without them it is one, of all the records
    that ``params`` ask for. Errors as :meth:`Store.run`; QueryTimedOutError where a single record
    takes too long, QueryFailedError where the dataset was replaced between two slices.
    """
    if not {"dataset", *_BOUNDS} <= {parameter.name for parameter in asked.params}:
        return store.run(asked.id, **params)
    if not cuts:
        try:
            return store.run(asked.id, **params)
        except QueryTimedOutError:
            cuts = (
                params["first"],
                min(params["last"], store.dataset(params["dataset"]).spec.records),
            )
    before = store.dataset(params["dataset"])
    waiting = list(itertools.pairwise(cuts))[::-1]
    answers = []
    while waiting:
        first, last = waiting.pop()
        try:
            answers.append(store.run(asked.id, **{**params, "first": first, "last": last}))
        except QueryTimedOutError:
            if last - first < 2:
                raise
            middle = (first + last) // 2
            waiting += [(middle, last), (first, middle)]
            continue
        if progress is not None:
            progress(what, last, before.spec.records)
    if store.dataset(before.spec.name) != before:
        raise QueryFailedError(
            store.uri, f"dataset {before.spec.name!r} was replaced", "run it again"
        )
    return dataclasses.replace(
        answers[0], rows=tuple(itertools.chain.from_iterable(answer.rows for answer in answers))
    )
