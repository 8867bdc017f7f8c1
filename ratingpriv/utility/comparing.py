"""Whether a release is better than a worthless one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ratingpriv.base.cautions import Caution
from ratingpriv.documents.utility import MEASURED

BETTER = {name: measure.better for name, measure in MEASURED.items()}
ALWAYS = tuple(name for name, measure in MEASURED.items() if measure.always)
"""Those that are measured of every release."""


def no_better(measures: Mapping[str, Any], *, margin: float = 0.0) -> tuple[tuple[str, ...], int]:
    """Return the measures by which a release is no better than a worthless one,
    and how many tell that.

    Of those that are measured of every release: so it is one number wherever it is said, whatever
    else was measured. A measure tells nothing of it where it has no value, or where the worthless
    release is as good as the original.

    Parameters
    ----------
    measures : by their names, each with ``value``, ``original`` and ``worthless``, as JSON has them
    margin : what share of the way from the worthless release to the original it has to be better by
    """
    lost, measured = [], 0
    for name in ALWAYS:
        measure = measures.get(name, {})
        value, original, worthless = (
            measure.get(key) for key in ("value", "original", "worthless")
        )
        if value is None or worthless is None or original == worthless:
            continue
        measured += 1
        good, margin_asked = BETTER[name], margin * abs(worthless - (original or 0.0))
        if good == "lower":
            better = value < worthless - margin_asked
        elif good == "higher":
            better = value > worthless + margin_asked
        else:
            better = (
                abs(value - (original or 0.0)) < abs(worthless - (original or 0.0)) - margin_asked
            )
        if not better:
            lost.append(name)
    return tuple(lost), measured


def worthless_caution(measures: Mapping[str, Any], *, margin: float = 0.0) -> Caution | None:
    """Return the reservation that a release is no better than a worthless one on most measures,
    or None.

    ``margin`` as of :func:`no_better`
    """
    lost, measured = no_better(measures, margin=margin)
    if 2 * len(lost) <= measured:
        return None
    text = f"no better than a random baseline on {len(lost)} of {measured} measures"
    return Caution.due("worthless", f"the release is {text}", text)
