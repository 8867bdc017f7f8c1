"""Options that say what is required of neighbourhoods, how missing ratings count, and what computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from ratingpriv.cli.options.declare import RULES, option
from ratingpriv.cli.options.types import OneOf, Size, Whole

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditParameters
    from ratingpriv.target import Target

__all__ = [
    "AcceptOption",
    "AuditModelOptions",
    "AuditNullsOption",
    "EpsilonOption",
    "KOption",
    "LOption",
    "ModelOptions",
    "NullsOption",
    "ResourceOptions",
    "RuleOptions",
]

KOption = Annotated[int, option("--k", metavar="K", kind=Whole(1), help="Smallest size of a neighbourhood.")]
EpsilonOption = Annotated[
    float, option("--epsilon", metavar="E", help="Largest rating distance of neighbours.")
]
LOption = Annotated[
    float | None,
    option("--l", metavar="L", help="Smallest SD of sensitive ratings in each."),
]


def _checked(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    from ratingpriv.cautions import checked_codes

    return checked_codes(value)


AcceptOption = Annotated[
    tuple[str, ...],
    option(
        "--accept",
        metavar="CODE",
        callback=_checked,
        help='Take this "but" for a yes (repeatable).',
    ),
]


class _NullRule(OneOf):
    """A null rule that has pairs; the one of audits goes on to the library, which says why it will not do."""

    def parse(self, text: str) -> str:
        """Return the word."""
        return text if text == "known" else super().parse(text)


NullsOption = Annotated[
    Literal["strict", "wildcard"],
    option(
        "--nulls",
        kind=_NullRule("strict", "wildcard"),
        help="Unanswered: far from every rating, or matches any.",
        panel=RULES,
    ),
]
AuditNullsOption = Annotated[
    Literal["strict", "wildcard", "known"],
    option(
        "--nulls",
        help="Unanswered: far from every rating, matches any, or (known) unknown to the adversary: the "
        "neighbourhood is who answered at least the same, each within E.",
        panel=RULES,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceOptions:
    """How much of the machine may be used."""

    threads: Annotated[
        int | None, option("--threads", kind=Whole(1), help="Threads; else one a core.", panel=RULES)
    ] = None
    memory: Annotated[
        int | None,
        option("--memory", kind=Size(), help="Limit for the working memory, such as 4GiB.", panel=RULES),
    ] = None

    @property
    def resources(self) -> dict[str, Any]:
        """Threads and memory as the library takes them."""
        return {"threads": self.threads, "memory": self.memory}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions(ResourceOptions):
    """How missing ratings count, and how much of the machine may be used."""

    nulls: NullsOption = "strict"
    sensitive_nulls: Annotated[
        Literal["paper", "ignore"],
        option(
            "--sensitive-nulls",
            help="An unanswered sensitive item counts as the mean squared in the SD (the papers' rule, "
            "Eq. 3), or not at all.",
            panel=RULES,
        ),
    ] = "paper"

    def target(self, k: int, epsilon: float, l: float | None) -> Target:  # noqa: E741 -- the theory's word
        """Return the privacy target under these rules; errors as :class:`ratingpriv.target.Target`."""
        from ratingpriv.target import Target

        return Target(k=k, epsilon=epsilon, l=l, nulls=self.nulls, sensitive_nulls=self.sensitive_nulls)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions(RuleOptions):
    """How missing ratings count, and what computes: the rules of audits."""

    nulls: AuditNullsOption = "strict"  # type: ignore[assignment]
    engine: Annotated[
        Literal["slicing", "pairwise"],
        option("--engine", help="The compiled engine, or the papers' O(n²) baseline.", panel=RULES),
    ] = "slicing"

    def target(self, k: int, epsilon: float, l: float | None) -> AuditParameters:  # noqa: E741
        """Return what an audit is asked for, under these rules."""
        from ratingpriv.audit.result import AuditParameters

        return AuditParameters(
            k=k, epsilon=epsilon, l=l, nulls=self.nulls, sensitive_nulls=self.sensitive_nulls,
            engine=self.engine,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditModelOptions(ModelOptions):
    """The rules of the command audit, which may compute on Spark."""

    engine: Annotated[
        Literal["slicing", "pairwise", "spark"],
        option(
            "--engine",
            help="The compiled engine, the papers' O(n²) baseline, or Apache Spark.",
            panel=RULES,
        ),
    ] = "slicing"  # type: ignore[assignment]
