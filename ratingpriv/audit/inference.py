"""What neighbourhoods give away of a sensitive issue without re-identifying anybody,
and demands on it.

An SD of at least l is no protection against inference: 19 of 20 equal answers can have an SD of
0.8. Beside it stand always: the largest share of one value (the adversary's best guess), the
distinct values and the entropy. As demands they are distinct and entropy l-diversity
[Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-Diversity, ACM TKDD 2007] and a bound on the
largest share [ours], over neighbourhoods instead of blocks of equal records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ratingpriv.base.cautions import Caution
from ratingpriv.base.numbers import as_decimal, in_full
from ratingpriv.proximity.demands import DEMANDS

if TYPE_CHECKING:
    from ratingpriv.audit.judging import IssueAggregates


@dataclass(frozen=True, slots=True)
class Inference:
    """What all neighbourhoods give away of one sensitive issue. A null is no value.

    Attributes
    ----------
    neighbourhoods : those with at least one known value; the rest of the attributes is about them
    largest_share : the largest share of one value in one of them, rounded up where it has no
        decimal of its own, so that it holds as a demand; None where nothing is known
    record : the position of the record whose neighbourhood that is, the largest of several; None
        where the audit has no list of records, too
    distinct : the fewest distinct values: the largest L of distinct l-diversity that holds; None as
        above
    entropy : the least entropy, in bits; None as above
    entropy_l : the largest float64 L of entropy l-diversity that holds, about 2 to the ``entropy``;
        None: any
    agreeing : of those with two or more records, how many have one distinct value only
    alone : those of one record, whose value is known
    distance : the largest distance of one from the distribution in all records, rounded up as the
        share is; None where nothing is known, or it was not asked for (``t_closeness``)
    distance_record : the position of the record; None also where the audit has no list of records
    """

    neighbourhoods: int
    largest_share: float | None
    record: int | None
    distinct: int | None
    entropy: float | None
    entropy_l: float | None
    agreeing: int
    alone: int
    distance: float | None = None
    distance_record: int | None = None


@dataclass(frozen=True, slots=True)
class Demand:
    """The verdict on one of :data:`ratingpriv.proximity.demands.DEMANDS`.

    Attributes
    ----------
    satisfied : whether every neighbourhood meets it on every sensitive issue
    best : for each sensitive issue the strictest value that holds; None where any does, because
        nothing is known
    violators : records whose neighbourhood does not meet it
    """

    satisfied: bool
    best: Mapping[str, float | None]
    violators: int

    def __bool__(self) -> bool:
        """Whether it is satisfied."""
        return self.satisfied


def summarise(issue: IssueAggregates, record: int | None, farthest: int | None = None) -> Inference:
    """Say what neighbourhoods give away of one issue.

    ``record`` : whose share of one value is the largest; ``farthest`` : whose distribution is the
    farthest
    """
    share, distance = _that_holds(issue.share), _that_holds(issue.distance)
    names = ("neighbourhoods", "distinct", "entropy", "entropy_l", "agreeing", "alone")
    same: dict[str, Any] = {name: getattr(issue, name) for name in names}
    return Inference(
        largest_share=share, record=record, distance=distance, distance_record=farthest, **same
    )


def _that_holds(exact: Fraction | None) -> float | None:
    """Return a number whose decimal is not below ``exact``, and the least such float64."""
    if exact is None:
        return None
    number = float(exact)
    while as_decimal(number) < exact:
        number = math.nextafter(number, 2)
    return number


def judge_demands(
    violators: Mapping[str, int], inference: Mapping[str, Inference]
) -> dict[str, Demand]:
    """Return the verdicts on the demands that were made; where nothing is known all are met."""
    return {
        demand: Demand(
            not number,
            {
                issue: DEMANDS[demand].best(inference_of)
                for issue, inference_of in inference.items()
            },
            number,
        )
        for demand, number in violators.items()
    }


def inference_cautions(
    issues: Sequence[IssueAggregates], k: int, largest_share: Fraction | None
) -> Iterator[Caution]:
    """Yield a caution for each issue on which one value makes up too much of a neighbourhood.

    Too much is more than ``largest_share``, or, where none was requested, more than 1 - 1/k.
    """
    limit = f"{(k - 1) / k:.4g}"  # 1, which no share is above, where k is large
    bound = "1 - 1/k" + ("" if limit == "1" else f" = {limit}")
    if largest_share is not None:
        bound = in_full(float(largest_share))
    for issue in issues:
        if not issue.above:
            continue
        agreeing = issue.agreeing + issue.alone
        holds = "holds" if agreeing == 1 else "hold"
        lonely = (
            f" ({issue.alone} of these {'is' if issue.alone == 1 else 'are'} of one record only)"
        )
        all_the_same = f"; {agreeing} of them {holds} one known value only" if agreeing else ""
        all_the_same += lonely if issue.alone else ""
        yield Caution(
            "inference",
            f"inference: in {issue.above} neighbourhood{'' if issue.above == 1 else 's'} one "
            f"value of {issue.name!r} has a share of more than {bound} of the known "
            f"ones{all_the_same}. An adversary infers it, whatever k and l are. "
            f"`{next(iter(DEMANDS))}` limits it",
        )
