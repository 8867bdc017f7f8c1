"""Options that say what is required of neighbourhoods, how missing ratings count, and what computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ratingpriv.cli.options.values import RULES, SETTINGS, declaring, one_of, size

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditParameters
    from ratingpriv.base.target import Target

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


def _checked(value: tuple[str, ...]) -> tuple[str, ...]:
    from ratingpriv.base.cautions import checked_codes

    return checked_codes(value)


_option, _rule, _setting = declaring(), declaring(RULES), declaring(SETTINGS)

KOption = Annotated[int, _option("--k K", "Smallest neighbourhood.", min=1)]
EpsilonOption = Annotated[float, _option("--epsilon E", "Largest distance of neighbours.")]
LOption = Annotated[float | None, _option("--l L", "Smallest SD of sensitive ratings in each.")]
AcceptOption = Annotated[
    tuple[str, ...], _option("--accept CODE", 'Take this "but" for a yes (repeatable).', callback=_checked)
]
NullsOption = Annotated[
    Literal["strict", "wildcard"],
    _rule(
        "--nulls strict|wildcard",
        "Unanswered: far from every rating, or matches any.",
        parser=one_of("strict", "wildcard", more=("known",)),  # the library says why not
    ),
]
AuditNullsOption = Annotated[
    Literal["strict", "wildcard", "known"],
    _rule(
        "--nulls",
        "Unanswered: far from every rating, matches any, or (known) unknown to the adversary: the "
        "neighbourhood is who answered at least the same, each within E.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceOptions:
    """How much of the machine may be used."""

    threads: Annotated[int | None, _setting("--threads N", "Threads; else one a core.", min=1)] = None
    memory: Annotated[
        int | None, _setting("--memory SIZE", "Limit for the working memory, such as 4GiB.", parser=size)
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
        _setting(
            "--sensitive-nulls",
            "An unanswered sensitive item counts as the mean squared in the SD (the papers' rule, "
            "Eq. 3), or not at all.",
        ),
    ] = "paper"

    def target(self, k: int, epsilon: float, l: float | None) -> Target:  # noqa: E741 -- the theory's word
        """Return the privacy target under these rules; errors as :class:`ratingpriv.base.target.Target`."""
        from ratingpriv.base.target import Target

        return Target(k=k, epsilon=epsilon, l=l, nulls=self.nulls, sensitive_nulls=self.sensitive_nulls)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions(RuleOptions):
    """How missing ratings count, and what computes: the rules of audits."""

    nulls: AuditNullsOption = "strict"  # type: ignore[assignment]
    engine: Annotated[
        Literal["slicing", "pairwise"],
        _rule("--engine", "The compiled engine, or the papers' O(n²) baseline."),
    ] = "slicing"

    def target(self, k: int, epsilon: float, l: float | None, **more: Any) -> AuditParameters:  # noqa: E741
        """Return what an audit is asked for, under these rules; ``more`` are its other demands."""
        from ratingpriv.audit.result import AuditParameters

        rules: dict[str, Any] = {
            "nulls": self.nulls,
            "sensitive_nulls": self.sensitive_nulls,
            "engine": self.engine,
        }
        return AuditParameters(k=k, epsilon=epsilon, l=l, **rules, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditModelOptions(ModelOptions):
    """The rules of the command audit, which may compute on Spark."""

    engine: Annotated[
        Literal["slicing", "pairwise", "spark"],
        _rule("--engine", "The compiled engine, the papers' O(n²) baseline, or Apache Spark."),
    ] = "slicing"  # type: ignore[assignment]
