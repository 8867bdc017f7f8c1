"""What a pipeline asked of a result, one outcome each: the verdict, every limit, or the error instead."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.numbers import rounded_down, rounded_up
from ratingpriv.base.requirement import Judged, Requirement
from ratingpriv.report.page import Page, Section
from ratingpriv.report.wording import as_options

__all__ = ["Outcome", "Run", "gated", "judged_of", "outcomes", "required_section", "with_gate"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one thing that was asked.

    Attributes
    ----------
    rule : what kind of thing it is, a word that never changes: verdict, fail-above, require, input
    name : the thing itself, such as ``max_k>=5``; with the rule, it is the same in every run
    state : "passed"; "tolerated", where a verdict does not hold and the gate passes by a tolerance; "failed";
        "unmeasured", where it could not be measured, which fails as well
    message : what was found, a sentence
    """

    rule: str
    name: str
    state: str
    message: str


@dataclass(frozen=True, slots=True)
class Run:
    """One command with all that it was asked.

    Attributes
    ----------
    command : its name, such as audit
    data : the file that it is about, as it was typed; None where there is none, such as standard input
    exit_code : what it ends with
    outcomes : the verdict first
    """

    command: str
    data: str | None
    exit_code: int
    outcomes: tuple[Outcome, ...]


def judged_of(document: Mapping[str, Any]) -> tuple[Judged, ...]:
    """Return the limits of a document's ``gate``, as they were judged."""
    return tuple(
        Judged(
            Requirement(one["measure"], one["operator"], one["limit"]),
            one["value"], one["met"], one.get("reason", ""), one.get("low"), one.get("high"),
        )
        for one in document.get("gate", {}).get("required", ())
    )  # fmt: skip


def with_gate(document: Mapping[str, Any], judged: Sequence[Judged]) -> dict[str, Any]:
    """Return a document with what became of the limits, beside a gate of its own if it has one."""
    if not judged:
        return dict(document)
    gate = dict(document.get("gate", {"passed": True}))
    passed = gate.pop("passed") and all(one.met for one in judged)
    return {**document, "gate": {**gate, "required": [one.to_dict() for one in judged], "passed": passed}}


def outcomes(
    document: Mapping[str, Any], judged: Sequence[Judged], page: Page, *, verdict: str | None
) -> Iterator[Outcome]:
    """Yield what became of everything that was asked.

    Parameters
    ----------
    document : the result's JSON contract as the library gives it, its own gate alone in it
    judged : the limits
    page : the result as a page: its headline is the verdict in a sentence, with all its reservations
    verdict : what the verdict is on, such as ``k = 5, epsilon = 1``; None where none was asked for
    """
    if verdict is not None:
        tolerance = document.get("tolerance")
        within = tolerance is not None and tolerance["within"]
        held = next(document[key] for key in _VERDICTS if key in document)
        told = map(Caution.from_dict, document["cautions"])
        standing = Standing.of(held, told, document["accepted"], tolerated=not held and within)
        state = "failed" if not standing.passes else "passed" if held else "tolerated"
        more = f" for all but {tolerance['at_most']:.15g} of the records" if tolerance else ""
        yield Outcome("verdict", f"{verdict}{more}", state, page.headline)
    limit = document.get("gate", {}).get("fail_above")
    if limit is not None:
        passed, measured = document["gate"]["passed"], document["targets"] > 0
        said = (text for text in page.explanation if text.startswith(("PASSED: ", "FAILED: ")))
        state = "passed" if passed else "failed" if measured else "unmeasured"
        yield Outcome("fail-above", f"{limit:.15g}", state, next(said, page.headline))
    for one in judged:
        state = "passed" if one.met else "unmeasured" if one.value is None else "failed"
        yield Outcome("require", str(one.requirement), state, _said(one))


_VERDICTS = ("satisfied", "valid", "right", "found")
"""The keys of the contracts that hold a verdict; of a verification ``found`` is something else."""


def gated(page: Page, judged: Sequence[Judged]) -> Page:
    """Return the page with what became of the limits, in its first lines and in a section of its own."""
    if not judged:
        return page
    missed = [one for one in judged if not one.met]
    named = ", ".join(str(one.requirement) for one in missed or judged)
    said = f"Limits: {'NOT kept' if missed else 'kept'} ({named})."
    return dataclasses.replace(
        page,
        explanation=(said, *page.explanation),
        sections=(required_section(judged), *page.sections),
        good=False if missed else page.good,
    )


def required_section(judged: Sequence[Judged]) -> Section:
    """Return the limits, a sentence each."""
    return Section("What was required", tuple(map(_said, judged)))


def _said(one: Judged) -> str:
    limit = f"the limit {one.requirement} is"
    if one.value is None:
        return f"{limit} NOT kept: it could not be measured, as {as_options(one.reason)}"
    found = (rounded_up if one.requirement.operator == "<=" else rounded_down)(one.value)
    said = f"{limit} {'kept' if one.met else 'NOT kept'}: it is {found}"
    return f"{said}, and {as_options(one.reason)}" if one.reason else said
