"""Neighbourhoods under the null rule ``known``, counted by a store's queries from its ratings.

Pairs are not used, so any ε may be asked, whatever ε and null rule the dataset was ingested with. Records are
asked for a slice at a time, each of about so much work that an engine answers within seconds.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ratingpriv.errors import ParameterError
from ratingpriv.graph.decimals import decimals_of, whole_reach
from ratingpriv.graph.store import GraphStore, Result
from ratingpriv.progress import Progress

__all__ = ["KnownRule"]

_WORK = 2_000_000  # ratings compared in one statement, about


class KnownRule:
    """The questions of an audit under ``known`` to one dataset.

    Raises
    ------
    ParameterError
        The dataset is in the store without its non-sensitive ratings.
    UnknownDatasetError, DatasetIncompleteError
        As :meth:`GraphStore.run`.
    """

    def __init__(
        self, store: GraphStore, dataset: str, epsilon: float, *, progress: Progress | None = None
    ) -> None:
        spec = store.dataset(dataset).spec
        rated = store.run("audit/rating-levels", dataset=dataset)  # refuses what is not complete
        if not spec.all_ratings:
            raise ParameterError(
                "nulls",
                "known",
                f"a dataset with its non-sensitive ratings, which {dataset!r} is not",
                "ingest it again with `ratings=True`",
            )
        self._store, self._dataset, self._records, self._progress = store, dataset, spec.records, progress
        levels = np.unique(np.array(rated.column("rating"), dtype=np.float64))
        decimals = decimals_of(levels)
        # decimals are compared as whole numbers, as the compiled engine does; else as float64
        self._unit = 0.0 if decimals is None else 10.0**decimals
        self._reach = epsilon if decimals is None else whole_reach(epsilon, decimals)
        raters: dict[str, int] = {}
        for issue, _, records in rated:
            raters[issue] = raters.get(issue, 0) + records
        pieces = max(1, min(self._records, sum(count**2 for count in raters.values()) // _WORK + 1))
        self._cuts = np.linspace(0, self._records, pieces + 1).astype(np.int64).tolist()

    def sizes(self) -> Result:
        """Return record, position and size of every record's neighbourhood, by position."""
        return self._asked("audit/known-sizes", "counting neighbourhoods")

    def moments(self, issue: str, unit: float, shift: float) -> Result:
        """Return position, size, known, sum and squares of a sensitive issue, by position.

        Parameters
        ----------
        unit, shift : a rating counts as the whole number rating * unit - shift; with unit 0, as rating -
            shift
        """
        return self._asked(
            "audit/known-moments", "adding up sensitive ratings", issue=issue, unit=unit, shift=shift
        )

    def counts(self, issue: str) -> Result:
        """Return position, rating and records: how often each rating of a sensitive issue occurs in each."""
        return self._asked("audit/known-counts", "counting sensitive ratings", issue=issue)

    def _asked(self, query: str, what: str, **params: Any) -> Result:
        """Ask slice by slice."""
        columns: tuple[str, ...] = ()
        rows: list[tuple[Any, ...]] = []
        for first, last in itertools.pairwise(self._cuts):
            found = self._store.run(
                query,
                dataset=self._dataset,
                rating_unit=self._unit,
                reach=self._reach,
                first=first,
                last=last,
                **params,
            )
            columns = found.columns
            rows += found.rows
            if self._progress is not None:
                self._progress(what, last, self._records)
        return Result(columns, tuple(rows))
