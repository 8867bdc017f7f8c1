"""What a search takes upon itself: which releases it tries, and when it gives one up.

Whatever it leaves out, a choice may only be lost by it, never be made wrongly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ratingpriv.studies.candidates import OF_MAP, SWAP
from ratingpriv.studies.choice import Demands
from ratingpriv.studies.distances import K
from ratingpriv.studies.trials import Trials

_SMALL = 5_000  # ratings of a table of which everything is tried
_LONG = ("modify", "predictive")  # methods that take long
_FAR = 10  # times as many left out as may be: no smaller distance leaves few enough


@dataclass(frozen=True, slots=True)
class Effort:
    """What a search tries of a table, decided before it begins.

    Attributes
    ----------
    demands, records : what a release shall keep, and of how many records
    small : whether the table is so small that everything is tried
    methods, sizes : methods and k that somebody names; None: nobody does
    distances_named : whether somebody names the distances
    whole_swap : whether the first swap, at the largest distance, is made to the end, however many
        it leaves out
    long_methods : whether methods that take long are tried, where nothing else does
    one_is_enough : whether the first swap that keeps the demands ends the search for swaps
    """

    demands: Demands
    records: int
    small: bool
    methods: tuple[str, ...] | None
    sizes: tuple[int, ...] | None
    distances_named: bool
    whole_swap: bool = True
    long_methods: bool = True
    one_is_enough: bool = False

    @classmethod
    def of(cls, trials: Trials, parameters: Mapping[str, Any], **less: bool) -> Self:
        """Return that of a search, see :func:`ratingpriv.studies.recommend.check_parameters`.

        ``less`` : what is not as it is by default
        """
        method, k = (parameters[name] for name in ("method", "k"))
        return cls(
            trials.demands,
            trials.n,
            trials.table.n_ratings <= _SMALL,
            None if method is None else tuple(method),
            None if k is None else tuple(k),
            bool(parameters["epsilon"]),
            **less,
        )

    @property
    def tried(self) -> tuple[str, ...]:
        """The methods that are tried, those that wait at the end."""
        each = self.methods or OF_MAP
        return tuple(one for one in each if self.long_methods or not self.waits(one))

    def waits(self, method: str) -> bool:
        """Whether a method is tried only where nothing else keeps the demands."""
        return method in _LONG and not self.small and self.methods is None

    def distances(self, method: str, epsilons: Sequence[float]) -> Sequence[float]:
        """Return at which of ``epsilons``, ascending, a method is tried, in the order of trial."""
        if method == SWAP:  # at the largest it leaves out fewest
            return epsilons[::-1]
        # records that only come near each other are told apart as before, and predictive makes
        # equal ones
        return epsilons[:1] if method in _LONG and not self.distances_named else epsilons

    def sizes_of(self, method: str) -> Sequence[int]:
        """Return the k that are tried of a method, ascending."""
        # groups of a swap may be larger than k, and what is drawn may not: there 1 / k has to do
        of_swap = self.demands.smallest_k if self.small else self.demands.sure_k
        first = {SWAP: of_swap, "suppress": K.start}
        return self.sizes or range(first.get(method, self.demands.sure_k), K.stop)

    @property
    def skips_covering(self) -> bool:
        """Whether no swap is tried at a distance that covers all ratings of an item."""
        return not (self.distances_named or self.small)

    @property
    def far_too_many(self) -> int:
        """The most records that a swap leaves out, so that a smaller distance may be tried."""
        return math.floor(_FAR * max(self.demands.withhold_at_most * self.records, 1))

    def given_up_beyond(self, *, first: bool) -> int | None:
        """Return how many may be in no group before a swap is given up; None: any number."""
        return None if self.small or (first and self.whole_swap) else self.far_too_many
