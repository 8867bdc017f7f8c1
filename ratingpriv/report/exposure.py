"""What was found about exposure, in sentences that say how much of it is exact."""

from __future__ import annotations

from collections.abc import Iterator

from ratingpriv.audit.exposure.result import CONFIDENCE, Exposure
from ratingpriv.report.page import Page, Section
from ratingpriv.report.plain import count, plural
from ratingpriv.report.wording import knowledge

__all__ = ["exposed", "exposure_page"]


def exposed(exposure: Exposure | None) -> Section:
    """Return the section of a page; without items, so that it is left out, where none was measured."""
    title = "What inexact knowledge leaves"
    return Section(title, () if exposure is None else tuple(_sentences(exposure)))


def exposure_page(exposure: Exposure) -> Page:
    """Return the page of an exposure that was measured by itself."""
    return Page(
        headline=f"Exposure: {knowledge(exposure.error)}",
        sections=(exposed(exposure),),
    )


def _sentences(exposure: Exposure) -> Iterator[str]:
    interval = "" if exposure.expected_exact else f" ({_interval(exposure)})"
    yield (
        f"{knowledge(exposure.error).capitalize()} leaves, in expectation, a chance of "
        f"{100 * exposure.expected:.3g} %{interval} of picking the right record; {_worst(exposure)}. "
        f"{_certain(exposure)}"
    )
    if exposure.records < exposure.of_records:
        yield (
            f"{exposure.records:,} of {exposure.of_records:,} records, drawn at random, were examined; of "
            "the others nothing is said."
        )
    if not exposure.scale_declared:
        yield (
            "No scale was declared, so knowledge may lie beyond the ratings found; --scale MIN:MAX bounds it."
        )


def _interval(exposure: Exposure) -> str:
    return (
        f"with {100 * CONFIDENCE:g} % confidence between {100 * exposure.expected_low:.3g} % and "
        f"{100 * exposure.expected_high:.3g} %, from {count(exposure.samples, 'draw')} of knowledge a record"
    )


def _worst(exposure: Exposure) -> str:
    fewest = exposure.worst
    if exposure.worst_exact:
        return f"in the worst case {count(fewest, 'record')} {plural(fewest, 'remains', 'remain')}"
    return f"a search found knowledge that leaves {count(fewest, 'record')}, which may not be the fewest"


def _certain(exposure: Exposure) -> str:
    found = exposure.certain
    if exposure.certain_exact:
        if not found:
            return "For no record does such knowledge fit nobody else."
        return f"For {count(found, 'record')} some such knowledge fits nobody else."
    if not found:
        return "A search found no knowledge that fits a single record; that proves nothing."
    return f"For at least {count(found, 'record')} some such knowledge fits nobody else."
