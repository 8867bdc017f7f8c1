"""Options that say what is required of neighbourhoods, how missing ratings count, and what computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Option

from ratingpriv.cli.options.values import RULES, one_of, setting, size

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

KOption = Annotated[int, Option("--k", metavar="K", min=1, help="Smallest neighbourhood.")]
EpsilonOption = Annotated[float, Option("--epsilon", metavar="E", help="Largest distance of neighbours.")]
LOption = Annotated[
    float | None,
    Option("--l", metavar="L", help="Smallest SD of sensitive ratings in each."),
]


def _checked(value: tuple[str, ...]) -> tuple[str, ...]:
    from ratingpriv.cautions import checked_codes

    return checked_codes(value)


AcceptOption = Annotated[
    tuple[str, ...],
    Option("--accept", metavar="CODE", callback=_checked, help='Take this "but" for a yes (repeatable).'),
]


NullsOption = Annotated[
    Literal["strict", "wildcard"],
    Option(
        "--nulls",
        metavar="strict|wildcard",
        parser=one_of("strict", "wildcard", more=("known",)),  # the library says why not
        help="Unanswered: far from every rating, or matches any.",
        rich_help_panel=RULES,
    ),
]
AuditNullsOption = Annotated[
    Literal["strict", "wildcard", "known"],
    Option(
        "--nulls",
        help="Unanswered: far from every rating, matches any, or (known) unknown to the adversary: the "
        "neighbourhood is who answered at least the same, each within E.",
        rich_help_panel=RULES,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceOptions:
    """How much of the machine may be used."""

    threads: Annotated[
        int | None,
        setting("--threads", metavar="N", min=1, help="Threads; else one a core."),
    ] = None
    memory: Annotated[
        int | None,
        setting("--memory", metavar="SIZE", parser=size, help="Limit for the working memory, such as 4GiB."),
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
        setting(
            "--sensitive-nulls",
            help="An unanswered sensitive item counts as the mean squared in the SD (the papers' rule, "
            "Eq. 3), or not at all.",
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
        Option("--engine", help="The compiled engine, or the papers' O(n²) baseline.", rich_help_panel=RULES),
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
        Option(
            "--engine",
            help="The compiled engine, the papers' O(n²) baseline, or Apache Spark.",
            rich_help_panel=RULES,
        ),
    ] = "slicing"  # type: ignore[assignment]
