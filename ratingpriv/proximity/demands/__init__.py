"""The demands on how varied sensitive values are, a module each: to be walked,
and listed nowhere else.

They stand in the lowest room of those that hold records to them: `partition` its groups, `audit`
neighbourhoods, `anonymize` what it releases. Whoever has one as a parameter derives from
`CountedDemands`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypedDict

from ratingpriv.proximity import counts as _counts
from ratingpriv.proximity.demands.demand import CountedDemand as CountedDemand
from ratingpriv.proximity.demands.distinct import DISTINCT
from ratingpriv.proximity.demands.entropy import ENTROPY
from ratingpriv.proximity.demands.max_share import MAX_SHARE
from ratingpriv.proximity.demands.t_closeness import T_CLOSENESS

__all__ = [
    "DEMANDS",
    "DISTINCT",
    "ENTROPY",
    "MAX_SHARE",
    "T_CLOSENESS",
    "CountedDemand",
    "CountedDemands",
    "DemandWords",
    "Demanded",
    "in_words",
]

DEMANDS: Mapping[str, CountedDemand] = {
    one.name: one for one in (MAX_SHARE, DISTINCT, ENTROPY, T_CLOSENESS)
}
"""By the parameter."""


def in_words() -> str:
    """Return all of them as messages name parameters: ```max_share`, `distinct` and `entropy```."""
    *names, last = (f"`{name}`" for name in DEMANDS)
    return f"{', '.join(names)} and {last}"


class DemandWords(TypedDict, total=False):
    """The demands as keywords of functions; :class:`CountedDemands` says what each asks for."""

    max_share: float | None
    distinct: int | None
    entropy: float | None
    t_closeness: float | None


class Demanded[Verdict]:
    """What holds verdicts on demands: each is an attribute, None where none was requested."""

    demands: Mapping[str, Verdict]

    @property
    def max_share(self) -> Verdict | None:
        """The verdict on the largest share of one value; None where none was requested."""
        return self.demands.get("max_share")

    @property
    def distinct(self) -> Verdict | None:
        """The verdict on distinct values; None where none was requested."""
        return self.demands.get("distinct")

    @property
    def entropy(self) -> Verdict | None:
        """The verdict on the entropy; None where none was requested."""
        return self.demands.get("entropy")

    @property
    def t_closeness(self) -> Verdict | None:
        """The verdict on the distance from the distribution in all records.

        None where none was requested.
        """
        return self.demands.get("t_closeness")


@dataclass(frozen=True, kw_only=True)
class CountedDemands:
    """The demands as parameters, each on every sensitive issue; None asks for none.

    Attributes
    ----------
    max_share : the largest share that one value may have of the known ones in a neighbourhood or a
        group, above 0 and at most 1
    distinct : how many distinct known values there shall be, a whole number >= 1 [Machanavajjhala
        et al. 2007, distinct l-diversity]
    entropy : L >= 1; the entropy of the known values shall be at least log L [Machanavajjhala et
        al. 2007, entropy l-diversity]
    t_closeness : how far the distribution of the known values may be from that in all records by
        the earth mover's distance, from 0 to 1 [Li et al. 2007, t-closeness]
    """

    max_share: float | None = None
    distinct: int | None = None
    entropy: float | None = None
    t_closeness: float | None = None

    @property
    def nominal(self) -> bool:
        """Whether numbers are codes, too, whose order means nothing."""
        return False

    def check_demands(self) -> None:
        """Check every value and bring it to its type."""
        for name, value in self.demands.items():
            object.__setattr__(self, name, DEMANDS[name].checked(value))

    @property
    def demands(self) -> dict[str, Any]:
        """What is asked of the values of sensitive issues, a number each, by parameter."""
        values = {name: getattr(self, name) for name in DEMANDS}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def idle_demands(self) -> tuple[str, ...]:
        """Those that no data could fail."""
        return tuple(name for name, value in self.demands.items() if value == DEMANDS[name].nothing)

    def idle_on(self, counted: Callable[[], _counts.Whole]) -> tuple[str, ...]:
        """Those that nothing that is known of an issue could fail.

        It is ``counted`` only if one asks.
        """
        judged = [(name, DEMANDS[name].idle_on, value) for name, value in self.demands.items()]
        judges = [(name, idle, value) for name, idle, value in judged if idle is not None]
        if not judges:
            return ()
        everybody = counted().as_codes() if self.nominal else counted()
        return tuple(name for name, idle, value in judges if idle(everybody, value))

    @property
    def counting(self) -> _counts.Counting:
        """What has to be decided while values are counted."""
        values = [(DEMANDS[name].counting, value) for name, value in self.demands.items()]
        needs = [counting(value) for counting, value in values if counting is not None]
        entropy = next((need.entropy for need in needs if need.entropy is not None), None)
        return _counts.Counting(entropy, any(need.distances for need in needs), self.nominal)

    @property
    def largest_share(self) -> Fraction | None:
        """The largest share that one value may have, exactly; None where that is not asked for."""
        limits = ((DEMANDS[name].limit, value) for name, value in self.demands.items())
        return min((limit(value) for limit, value in limits if limit is not None), default=None)
