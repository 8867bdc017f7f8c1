"""What the audit page says where missing ratings count by the rule ``known``."""

from __future__ import annotations

from collections.abc import Iterator

from ratingpriv.base.numbers import in_full
from ratingpriv.base.target import Target

__all__ = ["by_known", "left_with", "releases_by_strict"]


def by_known(target: Target) -> str:
    """Return what a headline adds: the rule, as it is not the papers'."""
    return " by the rule known" if target.nulls == "known" else ""


def left_with(target: Target) -> Iterator[str]:
    """Yield what a neighbourhood is by this rule."""
    if target.nulls == "known":
        yield (
            "Rule known: whoever knows exactly what someone answered, accepts every record that answered at "
            f"least that, each within {in_full(target.epsilon)}, and knows nothing of what was left "
            "unanswered, is left with that record's neighbourhood."
        )


def releases_by_strict(target: Target) -> Iterator[str]:
    """Yield why the commands that follow count by another rule."""
    if target.nulls == "known":
        yield (
            "The rule known has no pairs of records, hence no frontier, partition or release of its own. The "
            "commands below count by the strict rule, by which no neighbourhood is larger while epsilon is "
            "below the scale's maximum; audit what they give by --nulls known again."
        )
