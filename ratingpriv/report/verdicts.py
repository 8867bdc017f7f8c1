"""The line that states a verdict, with everything that a reader of this line alone has to know.

Under which null rules it holds, of which part of the data, and whether it asks for anything at all: a verdict
is quoted without the page below it. With quasi-identifiers it says what has to be the same on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Protocol

from ratingpriv.audit.result import AuditParameters, KVerdict, LVerdict
from ratingpriv.audit.tolerance import Tolerance
from ratingpriv.cautions import Caution
from ratingpriv.report.inference import demanded
from ratingpriv.report.known_rule import by_known
from ratingpriv.report.plain import count, plural, share
from ratingpriv.report.wording import (
    ASKS_FOR_NOTHING,
    INDISTINGUISHABLE,
    PROTECTS_NO_RATING,
    PROTECTS_NOTHING,
    alike,
    model,
    not_meant,
    part,
    what_it_means,
)
from ratingpriv.table.description import TableDescription

__all__ = [
    "Judged",
    "audit_headline",
    "by_rules",
    "clauses",
    "exact_percent",
    "good_news",
    "means_and_not",
    "not_in_l",
    "only_tolerated",
    "promises_nothing",
    "state_of",
    "where_wildcard",
]


class Judged(Protocol):
    """What a verdict is stated from: an AuditResult, or what a saved one says."""

    @property
    def dataset(self) -> TableDescription:
        """What was audited."""

    @property
    def parameters(self) -> AuditParameters:
        """For what."""

    @property
    def satisfied(self) -> bool:
        """Whether everything holds that was asked for."""

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before relying on it."""

    @property
    def numeric(self) -> tuple[str, ...]:
        """The sensitive issues that have an SD."""

    @property
    def k_epsilon(self) -> KVerdict:
        """The (k,ε) verdict."""

    @property
    def k_epsilon_l(self) -> LVerdict | None:
        """The (k,ε,l) verdict, None without l."""

    @property
    def contradicting_rules(self) -> tuple[str, ...]:
        """The rules for sensitive nulls by which the verdict would be another one."""

    @property
    def tolerance(self) -> Tolerance | None:
        """How many records may break the verdict before a gate fails; None where none may."""


def audit_headline(result: Judged, *, counted: bool = True) -> str:
    """Return the verdict of an audit in one line; ``counted``: with how many records break it."""
    target, held, data = result.parameters, result.satisfied, result.dataset
    clause = clauses(result.cautions, more=_more(target), held=held)
    return (
        f"{_state(result)}: {data.name}{part(data)} is {'' if held else 'not '}"
        f"({model(target)}{demanded(target)})-anonymous{by_known(target)}{by_rules(data)}{clause}"
        f"{not_in_l(data, result.numeric, target.l)}{_tolerated(result, counted)}."
    )


def _tolerated(result: Judged, counted: bool) -> str:
    """Return how many records break the verdict, beside what is tolerated: it never stands without."""
    tolerance = result.tolerance
    if tolerance is None or not tolerance.at_most:
        return ""
    limit = f"your tolerance of {exact_percent(tolerance.at_most)}"
    if result.satisfied:
        return f"; {limit} was not needed"
    broken, records = tolerance.violators, tolerance.records
    where = "within" if tolerance.within else "more than"
    if not counted:
        return f"; what breaks it is {where} {limit}"
    return (
        f": {broken:,} of {count(records, 'record')} ({share(broken, records)}) "
        f"{plural(broken, 'breaks', 'break')} it; {where} {limit}"
    )


def only_tolerated(result: Judged) -> bool:
    """Return whether a gate passes by the tolerance alone: the verdict does not hold."""
    return not result.satisfied and result.tolerance is not None and result.tolerance.within


def exact_percent(rate: float) -> str:
    """Return a share that was typed as a percentage, with every digit: ``0.05 %``."""
    return f"{format(Decimal(repr(rate)).scaleb(2).normalize(), 'f')} %"


def by_rules(dataset: TableDescription) -> str:
    """Return which columns a verdict is about, where there are quasi-identifiers beside the ratings."""
    if not dataset.columns.quasi:
        return ""
    near = alike(dataset, f"within epsilon on {count(dataset.issues, 'question')}")
    return f", {near}" if dataset.issues else f" without ratings, {near}"


def not_in_l(dataset: TableDescription, numeric: Sequence[str], l: float | None) -> str:  # noqa: E741
    """Return what a verdict with l does not cover: sensitive issues that are nominal."""
    nominal = [name for name in dataset.sensitive if name not in numeric]
    if l is None or not nominal:
        return ""
    return f"; l is about {', '.join(numeric)}, not about {', '.join(nominal)}"


def means_and_not(result: Judged, *, how: bool = True) -> Iterator[str]:
    """Yield what (k,ε)-anonymity that holds means for an adversary, and what it does not.

    Under wildcard its caution says what is left of that; under ``known`` its own sentence does.
    """
    target = result.parameters
    if not result.k_epsilon.satisfied or target.k < 2:
        return
    if target.nulls != "known" and all(caution.code != "nulls-wildcard" for caution in result.cautions):
        yield what_it_means(target.k, target.epsilon, result.dataset)
    if said := not_meant(target.k, target.epsilon, result.dataset, how=how):
        yield said


def good_news(result: Judged) -> bool | None:
    """Return whether a verdict is good news.

    None where it holds and promises nothing that it seems to, or does not hold and is tolerated.
    """
    if not result.satisfied:
        return None if only_tolerated(result) else False
    return None if _state_of(result) else True


def _state_of(result: Judged) -> str:
    quasi = bool(result.dataset.columns.quasi)
    return state_of(result.cautions, more=_more(result.parameters), quasi=quasi)


def promises_nothing(result: Judged) -> bool:
    """Return whether the verdict holds, and would hold whatever the records were."""
    return result.satisfied and "but" in _state_of(result)


def _more(target: AuditParameters) -> bool:
    """Return whether more than k is asked for."""
    return bool(target.l) or bool(target.demands)


def state_of(cautions: Iterable[Caution], *, more: bool, quasi: bool = False) -> str:
    """Return what follows SATISFIED, RELEASED or VALID where the word must not stand alone; or nothing.

    ``more`` : whether more than k is asked for, so that k = 1 does not make the verdict empty; ``quasi`` :
    whether there are quasi-identifiers, which no epsilon moves
    """
    codes = {caution.code for caution in cautions}
    wildcard = " UNDER WILDCARD" if "nulls-wildcard" in codes else ""
    if {"epsilon-covers-range", "epsilon-reaches-null-distance"} & codes:
        return f"{wildcard}, but {PROTECTS_NO_RATING if quasi else PROTECTS_NOTHING}"
    if "k-asks-nothing" in codes and not more:
        return f"{wildcard}, but {ASKS_FOR_NOTHING}"
    return wildcard


def clauses(cautions: Iterable[Caution], *, more: bool, held: bool = True) -> str:
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
        text += f"; of k {ASKS_FOR_NOTHING}" if more else ", as all data are"
    return text


def where_wildcard(holds: bool) -> str:
    """Return the null rule as part of a verdict, where it is wildcard and there are missing ratings."""
    return " where an unanswered question matches anything" if holds else ""


def _state(result: Judged) -> str:
    """Return SATISFIED or NOT SATISFIED, under which rules if they decide it."""
    if result.satisfied:
        return f"SATISFIED{_state_of(result)}{_by_rule(result)}"
    wildcard = (
        " UNDER WILDCARD" if any(caution.code == "nulls-wildcard" for caution in result.cautions) else ""
    )
    return f"NOT SATISFIED{wildcard}{_by_rule(result)}"


def _by_rule(result: Judged) -> str:
    """Return by which rule for missing sensitive ratings, where the other one decides otherwise."""
    if result.k_epsilon_l is None:
        return ""
    rule, but = result.parameters.sensitive_nulls, "NOT by" if result.k_epsilon_l.satisfied else "but by"
    return "".join(
        f" by the rule {rule} for missing sensitive ratings, {but} {other}"
        for other in result.contradicting_rules
    )
