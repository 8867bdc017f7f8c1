"""The demands on sensitive values as options: of an audit,
and of the groups of a release by swap.
"""

from __future__ import annotations

from typing import Literal

from ratingpriv.cli.options.values import group, option


@group
class Diversity:
    """What is required of the values of sensitive items in a neighbourhood, beside their SD."""

    max_share: float | None = option(
        "Largest share of one sensitive value in a neighbourhood.", metavar="S", min=0, max=1
    )
    sensitive_kind: Literal["interval", "nominal"] = option(
        "Sensitive values are numbers, or codes without distances (no SD).", "interval"
    )
    distinct: int | None = option(
        "Distinct l-diversity: L different sensitive values.", metavar="L", min=1
    )
    entropy: float | None = option(
        "Entropy l-diversity: as varied as L equally frequent ones.", metavar="L"
    )
    t_closeness: float | None = option(
        "t-closeness: largest distance of the sensitive values from those of all.",
        metavar="T",
        min=0,
        max=1,
    )


@group
class GroupDiversity:
    """What is required of the values of sensitive items in each group of a release by swap."""

    max_share: float | None = option(
        "swap: largest share of a sensitive value in a group.", min=0, max=1
    )
    distinct: int | None = option(
        "swap: different sensitive values in a group.", metavar="L", min=1
    )
    entropy: float | None = option("swap: as varied as L equally frequent ones.", metavar="L")
    t_closeness: float | None = option(
        "swap: no farther from the values of all.", metavar="T", min=0, max=1
    )
