"""What an audit says about inference: demands on sensitive answers, and what neighbourhoods give away."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ratingpriv.audit.inference import as_decimal
from ratingpriv.audit.result import AuditParameters, AuditResult
from ratingpriv.base.numbers import in_full
from ratingpriv.report.plain import count, plural

__all__ = ["demanded", "given_away", "next_step", "verdicts"]


def demanded(parameters: AuditParameters) -> str:
    """Return the demands beside k, epsilon and l, each after a comma: ``, distinct = 3``."""
    return "".join(
        f", {name.replace('_', '-')} = {in_full(value)}" for name, value in parameters.demands.items()
    )


def verdicts(result: AuditResult) -> Iterator[str]:
    """Yield a sentence for each demand: whether it is met, and the strictest that is."""
    target = result.parameters
    of = f"the known answers to {_names(result)} in a neighbourhood"
    for verdict, title, what, best in (
        (
            result.max_share,
            "Largest share",
            f"no answer makes up more than {_of(target.max_share)} of {of}",
            "The smallest share that holds",
        ),
        (
            result.distinct,
            "Distinct values",
            f"at least {_of(target.distinct)} different ones are among {of}",
            "The largest L that holds",
        ),
        (
            result.entropy,
            "Entropy",
            f"{of} are as varied as {_of(target.entropy)} equally frequent ones (entropy at least log L)",
            "The largest L that holds",
        ),
    ):
        if verdict is None:
            continue
        met, bad = verdict.satisfied, verdict.violators
        failing = "" if met else f" That does not hold in {count(bad, 'neighbourhood')}."
        holds = ", ".join(
            f"{name}: {'any' if value is None else in_full(value)}" for name, value in verdict.best.items()
        )
        yield f"{title}: {'met' if met else 'not met'}. Demanded: {what}.{failing} {best}: {holds}."


def given_away(result: AuditResult) -> Iterator[str]:
    """Yield what neighbourhoods give away of each sensitive question without re-identifying anybody."""
    for name, found in result.inference.items():
        if found.agreeing:
            yield (
                f"In {count(found.agreeing, 'neighbourhood')} of several records all known answers to {name} "
                "are the same: there the answer is disclosed without re-identifying anybody."
                f"{_alone(found.alone)}"
            )
        elif found.largest_share is not None:
            yield (
                f"The commonest answer to {name} makes up at most {_at_most(found.largest_share)} of the "
                "known ones of a neighbourhood."
            )


def _alone(records: int) -> str:
    """Return how many neighbourhoods more have one known answer, as nobody else is in them."""
    more = f" {count(records, 'neighbourhood')} more {plural(records, 'is', 'are')} of one record alone."
    return more if records else ""


def next_step(result: AuditResult) -> Iterator[str]:
    """Yield what to do where a demand on the values is not met."""
    failed = (result.max_share, result.distinct, result.entropy)
    if any(verdict is not None and not verdict.satisfied for verdict in failed):
        yield (
            f"Keep {_names(result)} out of the release, or demand less: too many neighbourhoods give it "
            "away. frontier, partition and anonymize make no demands on shares, distinct values or "
            "entropies: audit again what they propose."
        )


def _names(result: AuditResult) -> str:
    return ", ".join(result.dataset.sensitive)


def _at_most(share: float) -> str:
    """Return a percentage that is not below ``share``, and 100 % only where that is the share."""
    thousandths = math.ceil(as_decimal(share) * 1000)
    return f"{thousandths / 10:g} %" if thousandths < 1000 or share == 1 else f"{in_full(100 * share)} %"


def _of(value: float | None) -> str:
    return "" if value is None else in_full(value)
