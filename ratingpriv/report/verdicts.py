"""The line that states a verdict, with everything that a reader of this line alone has to know.

Under which null rules it holds, of which part of the data, and whether it asks for anything at all: a verdict
is quoted without the page below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ratingpriv.audit.result import AuditResult
from ratingpriv.cautions import Caution
from ratingpriv.report.wording import (
    ASKS_FOR_NOTHING,
    INDISTINGUISHABLE,
    PROTECTS_NOTHING,
    model,
    not_meant,
    part,
    what_it_means,
)

__all__ = ["audit_headline", "clauses", "good_news", "means_and_not", "state_of", "where_wildcard"]


def audit_headline(result: AuditResult) -> str:
    """Return the verdict of an audit in one line."""
    target, held = result.parameters, result.satisfied
    return (
        f"{_state(result)}: {result.dataset.name}{part(result.dataset)} is {'' if held else 'not '}"
        f"({model(target)})-anonymous{clauses(result.cautions, l=target.l, held=held)}."
    )


def means_and_not(result: AuditResult) -> Iterator[str]:
    """Yield what (k,ε)-anonymity that holds means for an adversary, and what it does not.

    Under wildcard its caution says what is left of that; under ``known`` its own sentence does.
    """
    target = result.parameters
    if not result.k_epsilon.satisfied or target.k < 2:
        return
    if target.nulls != "known" and all(caution.code != "nulls-wildcard" for caution in result.cautions):
        yield what_it_means(target.k, target.epsilon)
    if target.epsilon > 0:
        yield not_meant(target.k, target.epsilon)


def good_news(result: AuditResult) -> bool | None:
    """Return whether a verdict is good news; None where it holds and promises nothing that it seems to."""
    if not result.satisfied:
        return False
    return None if state_of(result.cautions, l=result.parameters.l) else True


def state_of(cautions: Iterable[Caution], *, l: float | None) -> str:  # noqa: E741 -- the theory's word
    """Return what follows SATISFIED, RELEASED or VALID where the word must not stand alone; or nothing."""
    codes = {caution.code for caution in cautions}
    wildcard = " UNDER WILDCARD" if "nulls-wildcard" in codes else ""
    if {"epsilon-covers-range", "epsilon-reaches-null-distance"} & codes:
        return f"{wildcard}, but {PROTECTS_NOTHING}"
    if "k-asks-nothing" in codes and not l:
        return f"{wildcard}, but {ASKS_FOR_NOTHING}"
    return wildcard


def clauses(cautions: Iterable[Caution], *, l: float | None, held: bool = True) -> str:  # noqa: E741
    """Return what follows ``(k = 5, epsilon = 1)-anonymous`` in a verdict."""
    codes = {caution.code for caution in cautions}
    text = where_wildcard("nulls-wildcard" in codes)
    if not held:
        return text
    if "epsilon-covers-range" in codes:
        text += f", at an epsilon at which {INDISTINGUISHABLE}"
    elif "epsilon-reaches-null-distance" in codes:
        text += ", at an epsilon at which a missing rating keeps nobody apart"
    if "k-asks-nothing" in codes:
        text += f"; of k {ASKS_FOR_NOTHING}" if l else ", as all data are"
    return text


def where_wildcard(holds: bool) -> str:
    """Return the null rule as part of a verdict, where it is wildcard and there are missing ratings."""
    return " where an unanswered question matches anything" if holds else ""


def _state(result: AuditResult) -> str:
    """Return SATISFIED or NOT SATISFIED, under which rules if they decide it."""
    cautions, l = result.cautions, result.parameters.l  # noqa: E741
    if result.satisfied:
        return f"SATISFIED{state_of(cautions, l=l)}{_by_rule(result)}"
    wildcard = " UNDER WILDCARD" if any(caution.code == "nulls-wildcard" for caution in cautions) else ""
    return f"NOT SATISFIED{wildcard}{_by_rule(result)}"


def _by_rule(result: AuditResult) -> str:
    """Return by which rule for missing sensitive ratings, where the other one decides otherwise."""
    diversity, rule = result.k_epsilon_l, result.parameters.sensitive_nulls
    if diversity is None:
        return ""
    for other, verdict in diversity.by_rule.items():
        if verdict.satisfied != diversity.satisfied:
            but = "NOT by" if diversity.satisfied else "but by"
            return f" by the rule {rule} for missing sensitive ratings, {but} {other}"
    return ""
