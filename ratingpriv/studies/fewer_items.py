"""How many items can be released, where all of them are too many.

Those go first whose ratings identify people most: :func:`.entropies_of`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.cores import Levels
from ratingpriv.studies.candidates import OF_MAP, SWAP, Candidate
from ratingpriv.studies.distances import distances_of, largest_below
from ratingpriv.studies.effort import Effort
from ratingpriv.studies.search import coarse
from ratingpriv.studies.trials import Trials

_SHARES = (1.0, 0.75, 0.5, 0.25)  # of as many items as withholding allows that are tried
KEPT = "low-entropy:{}"
"""Which items a release of so many has, as :meth:`.RatingTable.select_issues` takes it."""

_NEARLY_ALL = 0.9  # of the items are too many to be another case than all of them


@dataclass(frozen=True, slots=True)
class Fewer:
    """A number of items, and the release of these that keeps the demands."""

    items: int
    candidate: Candidate


def fewer_items(trials: Trials, parameters: Mapping[str, Any]) -> Fewer | None:
    """Find how many items can be released, by bisection on the withheld records, and try them.

    Methods that take long are tried of the fewest items alone.
    """
    most, all_items = _most_items(trials, parameters), trials.table.n_issues
    counts = [math.floor(share * most) for share in _SHARES if share * most >= 1]
    some = [items for items in dict.fromkeys(counts) if items <= _NEARLY_ALL * all_items] or counts[
        -1:
    ]
    for items in some:
        inner = Trials(
            _small(trials, items), trials.rules, trials.demands, trials.seed, trials.resources
        )
        epsilons = [
            one.epsilon for one in distances_of(inner, parameters["epsilon"]) if one.protects
        ]
        effort = Effort.of(
            inner, parameters, whole_swap=False, one_is_enough=True, long_methods=items == some[-1]
        )
        one = coarse(inner, epsilons, effort, [])
        if one is not None:
            return Fewer(items, one)
    return None


def _small(trials: Trials, items: int) -> RatingTable:
    return trials.table.select_issues(KEPT.format(items))


def _most_items(trials: Trials, parameters: Mapping[str, Any]) -> int:
    """Return how many items can be released as far as withholding says, fewer than all; 0: none."""
    low, high = 0, trials.table.n_issues
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _can(trials, middle, parameters) else (low, middle)
    return low


def _can(trials: Trials, items: int, parameters: Mapping[str, Any]) -> bool:
    """Whether few enough records are withheld of a table of so many items, at any distance."""
    k = min(parameters["k"] or [trials.demands.sure_k])
    nulls = "wildcard" if SWAP in (parameters["method"] or OF_MAP) else trials.rules["nulls"]
    table = _small(trials, items)
    end = Candidates(table, nulls).unprotected
    epsilons = parameters["epsilon"] or [0.0, *largest_below(table, nulls)]
    keywords = trials.resources.keywords
    return any(
        Levels.at(table, at, nulls=nulls, most=k, **keywords).withheld[k]
        <= trials.demands.withhold_at_most * trials.n
        for at in epsilons
        if end is None or at < end
    )
