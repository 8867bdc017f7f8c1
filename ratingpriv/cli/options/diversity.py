"""Options that say what is required of the values of sensitive items in a neighbourhood, beside their SD."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from ratingpriv.cli.options.values import SETTINGS, declaring

__all__ = ["DiversityOptions"]

_setting = declaring(SETTINGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiversityOptions:
    """What an adversary may learn of sensitive items without re-identifying anybody."""

    max_share: Annotated[
        float | None,
        _setting(
            "--max-share S",
            "Largest share of one sensitive answer among those known in a neighbourhood, above 0.",
            min=0,
            max=1,
        ),
    ] = None
    sensitive_kind: Annotated[
        Literal["interval", "nominal"],
        _setting("--sensitive-kind", "Sensitive answers are numbers, or codes without distances (no SD)."),
    ] = "interval"
    distinct: Annotated[
        int | None,
        _setting(
            "--distinct L",
            "Distinct l-diversity: as many different sensitive answers known in a neighbourhood.",
            min=1,
        ),
    ] = None
    entropy: Annotated[
        float | None,
        _setting("--entropy L", "Entropy l-diversity: as varied as L equally frequent answers; L >= 1."),
    ] = None

    @property
    def demands(self) -> dict[str, Any]:
        """The options as the library takes them."""
        return dataclasses.asdict(self)
