"""Options that say what is required of the values of sensitive items in a neighbourhood, beside their SD."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from ratingpriv.cli.options.values import setting

__all__ = ["DiversityOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiversityOptions:
    """What an adversary may learn of sensitive items without re-identifying anybody."""

    max_share: Annotated[
        float | None,
        setting(
            "--max-share",
            metavar="S",
            min=0,
            max=1,
            help="Largest share of one sensitive answer among those known in a neighbourhood, above 0.",
        ),
    ] = None
    sensitive_kind: Annotated[
        Literal["interval", "nominal"],
        setting(
            "--sensitive-kind", help="Sensitive answers are numbers, or codes without distances (no SD)."
        ),
    ] = "interval"
    distinct: Annotated[
        int | None,
        setting(
            "--distinct",
            metavar="L",
            min=1,
            help="Distinct l-diversity: as many different sensitive answers known in a neighbourhood.",
        ),
    ] = None
    entropy: Annotated[
        float | None,
        setting(
            "--entropy",
            metavar="L",
            help="Entropy l-diversity: as varied as L equally frequent answers; L >= 1.",
        ),
    ] = None

    @property
    def demands(self) -> dict[str, Any]:
        """The options as the library takes them."""
        return {
            "max_share": self.max_share,
            "sensitive_kind": self.sensitive_kind,
            "distinct": self.distinct,
            "entropy": self.entropy,
        }
