"""Whether each neighbourhood meets what was asked of it: size, SD, share, distinct values and entropy.

Every comparison is exact, or misses on the safe side where sensitive ratings are no decimals.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.inference import as_decimal
from ratingpriv.audit.result import AuditParameters
from ratingpriv.base.target import SENSITIVE_NULLS
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.neighbourhoods import Neighbourhoods

_BLOCK = 1 << 16
"""Records judged at once: what is worked out for them stays in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Neighbourhoods, and which of them meet what.

    Attributes
    ----------
    neighbourhoods : sizes and counts; their ``moments`` only of the issues that have an SD
    parameters : what was asked
    large : bool (n,); whether there are k records
    diverse : bool (n,) for each rule for sensitive nulls; whether every SD is at least l; empty without l
    demands : bool (n,) for each further demand (``max_share``, ``distinct``, ``entropy``) that was made
    satisfied : bool (n,); whether everything that was asked is met
    """

    neighbourhoods: Neighbourhoods
    parameters: AuditParameters
    large: NDArray[np.bool_]
    diverse: Mapping[str, NDArray[np.bool_]]
    demands: Mapping[str, NDArray[np.bool_]]
    satisfied: NDArray[np.bool_]

    @classmethod
    def of(
        cls, neighbourhoods: Neighbourhoods, parameters: AuditParameters, nominal: Collection[str] = ()
    ) -> Judged:
        """Judge neighbourhoods.

        Parameters
        ----------
        neighbourhoods : sizes, moments and, where a demand is made on values, counts of every sensitive issue
        nominal : the sensitive issues whose values are words (with ``sensitive_kind='nominal'`` all are
            nominal in any case): they have no SD

        Raises
        ------
        ValueError
            A demand is made on the values of an issue that were not counted.
        """
        names = [column.name for column in neighbourhoods.moments]
        if parameters.demands and [column.name for column in neighbourhoods.counts] != names:
            raise ValueError(
                "the values of the sensitive issues were not counted: nothing can be said of them"
            )
        numeric = () if parameters.sensitive_kind == "nominal" else neighbourhoods.moments
        neighbourhoods = dataclasses.replace(
            neighbourhoods, moments=tuple(column for column in numeric if column.name not in nominal)
        )
        n, l = len(neighbourhoods.sizes), parameters.l  # noqa: E741
        large = neighbourhoods.sizes >= parameters.k
        diverse = {rule: np.ones(n, dtype=np.bool_) for rule in SENSITIVE_NULLS if l is not None}
        demands = {name: np.ones(n, dtype=np.bool_) for name in parameters.demands}
        for block in blocks(n) if diverse or demands else ():
            part = neighbourhoods.part(block)
            if l is not None:
                for moments in part.moments:
                    for rule, holds in _at_least(moments, l, part.sizes).items():
                        diverse[rule][block] &= holds
            for counts in part.counts:
                if parameters.max_share is not None:
                    demands["max_share"][block] &= ~counts.share_above(as_decimal(parameters.max_share))
                if parameters.distinct is not None:
                    demands["distinct"][block] &= (counts.known == 0) | (
                        counts.distinct >= parameters.distinct
                    )
                if parameters.entropy is not None:
                    demands["entropy"][block] &= counts.entropy_reached()
        met = [large, *demands.values(), *([diverse[parameters.sensitive_nulls]] if diverse else [])]
        satisfied = met[0] if len(met) == 1 else np.logical_and.reduce(met)
        return cls(neighbourhoods, parameters, large, diverse, demands, satisfied)


def _at_least(moments: SensitiveMoments, l: float, sizes: NDArray[np.int64]) -> dict[str, NDArray[np.bool_]]:  # noqa: E741
    return moments.by_rule(sizes, lambda rule: moments.at_least(l, sizes, rule))


def blocks(n: int) -> Iterator[slice]:
    """Yield 0..n in pieces that are worked on at once."""
    return (slice(first, min(first + _BLOCK, n)) for first in range(0, n, _BLOCK))
