"""Options that say what is required of neighbourhoods, how missing ratings count,
and what computes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ratingpriv.cli.options.values import RULES, group, one_of, option, size

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditParameters
    from ratingpriv.base.target import Target


def _checked(value: tuple[str, ...]) -> tuple[str, ...]:
    from ratingpriv.base.reservations import checked_codes

    return checked_codes(value)


_rule = partial(option, panel=RULES)

K = option("Smallest neighbourhood.", ..., metavar="K", min=1)
L = option("Smallest SD of sensitive ratings in each.", metavar="L")
ACCEPT = option("Accept this reservation.", metavar="CODE", callback=_checked)
NULLS = _rule(
    "Missing: far from every rating, or matches any.",
    "strict",
    parser=one_of("strict", "wildcard", more=("known",)),  # the library says why not
)


@group
class Resources:
    """How much of the machine may be used."""

    threads: int | None = option("Threads; else one a core.", min=1)
    memory: int | None = option(
        "For working arrays, beside the data and the program; such as 4GiB.", parser=size
    )

    @property
    def resources(self) -> dict[str, Any]:
        """Threads and memory as the library takes them."""
        return {"threads": self.threads, "memory": self.memory}


@group
class Rules(Resources):
    """How missing ratings count, and how much of the machine may be used."""

    nulls: Literal["strict", "wildcard"] = NULLS
    sensitive_nulls: Literal["paper", "ignore"] = option(
        "Missing sensitive values count in the SD as the mean squared (Eq. 3), or not at all.",
        "paper",
    )

    @property
    def words(self) -> dict[str, Any]:
        """The rules as the library takes them."""
        return {"nulls": self.nulls, "sensitive_nulls": self.sensitive_nulls}

    def target(self, k: int, epsilon: float, l: float | None) -> Target:
        """Return the privacy target under these rules."""
        from ratingpriv.base.target import Target

        return Target(k=k, epsilon=epsilon, l=l, **self.words)


@group
class Model(Rules):
    """How missing ratings count, and what computes: the rules of audits."""

    nulls: Literal["strict", "wildcard", "known"] = _rule(  # type: ignore[assignment]
        "Missing: far from every rating, matches any, or (known) unknown to the adversary: the "
        "neighbourhood is all records with at least these ratings, each within E.",
        "strict",
    )
    engine: Literal["slicing", "pairwise"] = _rule(
        "Compiled, or the papers' O(n²) baseline.", "slicing"
    )

    def target(self, k: int, epsilon: float, l: float | None, **more: Any) -> AuditParameters:
        """Return what an audit is asked for, under these rules; ``more`` are its other demands."""
        from ratingpriv.audit.result import AuditParameters

        return AuditParameters(k=k, epsilon=epsilon, l=l, engine=self.engine, **self.words, **more)


@group
class AuditModel(Model):
    """The rules of the command audit, which may compute on Spark."""

    engine: Literal["slicing", "pairwise", "spark"] = _rule(  # type: ignore[assignment]
        "Compiled, the papers' O(n²) baseline, or Apache Spark.", "slicing"
    )
