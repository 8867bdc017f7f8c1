"""The line that states a verdict, with everything that a reader of this line alone has to know.

Under which null rules it holds, of which part of the data, and whether it asks for anything at all: a verdict
is quoted without the page below it. With quasi-identifiers it says what has to be the same on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Protocol

from ratingpriv.audit.result import AuditParameters, KVerdict, LVerdict
from ratingpriv.audit.tolerance import Tolerance
from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.data.table.description import TableDescription
from ratingpriv.proximity.neighbourhoods import EqualRecords
from ratingpriv.report.inference import demanded
from ratingpriv.report.known_rule import by_known
from ratingpriv.report.plain import count, plural, share
from ratingpriv.report.wording import alike, model, not_meant, part, what_it_means

__all__ = [
    "Judged",
    "audit_headline",
    "but_no_yes",
    "by_rules",
    "counted_as_equal",
    "exact_percent",
    "means_and_not",
    "not_in_l",
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
    def standing(self) -> Standing:
        """What the verdict comes to with its reservations."""

    @property
    def tolerance(self) -> Tolerance | None:
        """How many records may break the verdict before a gate fails; None where none may."""


def audit_headline(result: Judged, *, counted: bool = True) -> str:
    """Return the verdict of an audit in one line; ``counted``: with how many records break it."""
    target, held, data = result.parameters, result.satisfied, result.dataset
    state = result.standing.headline("SATISFIED", "NOT SATISFIED")
    return (
        f"{state}{'' if held else _by_rule(result)}: {data.name}{part(data)} is {'' if held else 'not '}"
        f"({model(target)}{demanded(target)})-anonymous{by_known(target)}{by_rules(data)}"
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


def _by_rule(result: Judged) -> str:
    """Return by which rule for missing sensitive ratings it does not hold, where by the other one it does."""
    rule = result.parameters.sensitive_nulls
    return "".join(
        f" by the rule {rule} for missing sensitive ratings, but by {other}"
        for other in result.contradicting_rules
    )


def but_no_yes(standing: Standing) -> Iterator[str]:
    """Yield that a verdict with a *but* is no yes, and how somebody makes it one."""
    if standing.reserved and (standing.held or standing.tolerated):
        options = " ".join(f"--accept {code}" for code in standing.reserved)
        yield f"A but is no plain yes: the exit code is 1. Where it is what you mean, say {options}."


def counted_as_equal(
    equal: EqualRecords | None, records: int, k: int | None, epsilon: float | None
) -> Iterator[str]:
    """Yield what holds of the records counted as equal, beside a verdict at a larger epsilon, or at any."""
    if equal is None or epsilon == 0:
        return
    below = ""
    if equal.violators is not None and k is not None and k > 1:
        few = equal.violators
        below = f", and {count(few, 'record')} {plural(few, 'has', 'have')} fewer than {k:,}"
    yield (
        f"Counted as equal records (epsilon 0, all other rules the same): the largest k is {equal.max_k:,}, "
        f"{equal.unique:,} of {count(records, 'record')} {plural(equal.unique, 'is', 'are')} unique{below}."
    )
