"""The demands on sensitive values as options: of an audit,
and of the groups of a release by swap.
"""

from __future__ import annotations

from typing import Literal

from ratingpriv.base.parameter import parameters_of
from ratingpriv.cli.options.values import asks, group, option
from ratingpriv.documents.verdicts import AuditParameters, GroupDemands


@group
@asks(parameters_of(AuditParameters))
class Diversity:
    """What is required of the values of sensitive items in a neighbourhood, beside their SD."""

    sensitive_kind: Literal["interval", "nominal"] = option(
        "Sensitive values are numbers, or codes without distances (no SD).", "interval"
    )


@group
@asks(parameters_of(GroupDemands))
class GroupDiversity:
    """What is required of the values of sensitive items in each group of a release by swap."""
