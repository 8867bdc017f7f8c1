"""What is said of utility where a release is made or verified: the measures that matter most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv.report.plain import number, percent
from ratingpriv.report.utility.meanings import MEANINGS, no_better
from ratingpriv.report.wording import as_options
from ratingpriv.utility.measured import Measured
from ratingpriv.utility.result import Utility

__all__ = ["stated_measure", "what_is_left", "worthless_on"]


def what_is_left(utility: Utility | None) -> Iterator[str]:
    """Yield what a publisher looks at first: counts, the mean, and how many ratings are as they were."""
    if utility is None:
        return
    for name, say in (("query_error", _counts), ("bias", _mean), ("information_loss", _kept)):
        one = utility.measured.get(name)
        if one is None:
            continue
        if one.value is None:
            yield f"{MEANINGS[name].title}: not measured, as {as_options(one.reason)}"
        else:
            yield say(one, one.value)
    yield worthless_on(utility)
    yield "the rest, question by question too, is measured by ratingpriv utility"


def worthless_on(utility: Utility) -> str:
    """Return on how many measures a release is no better than a worthless one."""
    lost, measures = no_better(utility.measures_dict())
    named = f": {', '.join(MEANINGS[name].title for name in lost)}" if lost else ""
    return f"no better than a worthless release on {len(lost)} of {measures} measures{named}"


def _counts(one: Measured, value: float) -> str:
    return (
        f"query error: to count records by random conditions is off by {percent(value)} on average"
        f"{_beside(one, percent)}"
    )


def _mean(one: Measured, value: float) -> str:
    before, after = one.details["mean_before"], one.details["mean_after"]
    moved = (
        "did not move" if value == 0 else f"moved by {after - before:+.3g}, from {before:.4g} to {after:.4g}"
    )
    return f"bias: the mean of all ratings {moved}{_beside(one, lambda other: f'{other:.3g}')}"


def _kept(one: Measured, value: float) -> str:
    def kept(lost: float) -> str:
        return percent(1 - lost)

    return f"real ratings kept as they were: {kept(value)}{_beside(one, kept)}"


def _beside(one: Measured, say: Any) -> str:
    """Say the two references."""
    return "".join(
        f"; {what} {say(value)}"
        for what, value in (("the original:", one.original), ("a worthless release:", one.worthless))
        if value is not None
    )


def stated_measure(name: str, measure: Mapping[str, Any]) -> str:
    """Return what a manifest states of a measure, in words; it was checked for its types."""
    title = MEANINGS[name].title if name in MEANINGS else name
    if measure["value"] is None:
        return f"{title}: not measured, as {measure['reason']}"
    beside = [
        f"{what} {number(measure[what])}" for what in ("original", "worthless") if measure[what] is not None
    ]
    return f"{title}: {number(measure['value'])}" + (f" ({', '.join(beside)})" if beside else "")
