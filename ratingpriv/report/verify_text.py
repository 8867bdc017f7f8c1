"""The check of a release as a page: valid or not, what is claimed, what was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from ratingpriv.anonymize.release.verify import VerifyResult
from ratingpriv.audit.result import AuditResult
from ratingpriv.report.as_text import EPSILON_NOTE
from ratingpriv.report.page import Page, print_page
from ratingpriv.report.plain import number, printable

__all__ = ["print_verify", "verify_page"]


def print_verify(result: VerifyResult, file: IO[str], *, width: int | None = None) -> None:
    """Write the page to ``file``; see :func:`ratingpriv.report.page.print_page`."""
    print_page(verify_page(result), file, width=width)


def verify_page(result: VerifyResult) -> Page:
    """Return the page of a check."""
    claim = result.manifest
    model = f"k = {claim.k}, epsilon = {number(claim.epsilon)}"
    model += "" if claim.l is None else f", l = {number(claim.l)}"
    name = printable(result.path)
    headline = f"VALID: {name} is ({model})-anonymous, as its manifest claims."
    if not result.valid:
        headline = f"NOT VALID: {name} is not what its manifest claims or what you demand."
    return Page(
        headline=headline,
        good=result.valid,
        explanation=(),
        sections=(
            ("What is wrong", result.problems),
            ("What is claimed", tuple(_claimed(result))),
            ("What was found in the file", tuple(_found(result))),
            ("Before you rely on this", (*result.warnings, *_limits(result))),
        ),
    )


def _claimed(result: VerifyResult) -> Iterator[str]:
    claim = result.manifest
    options = claim.read.options
    yield (
        f"every record has at least k = {claim.k} records within epsilon = {number(claim.epsilon)}"
        + ("" if claim.l is None else f", with a standard deviation of at least l = {number(claim.l)}")
        + f"; nulls {claim.nulls}, sensitive nulls {claim.sensitive_nulls}"
    )
    scale = ""
    if options.scale is not None:
        scale = f" on the scale {number(options.scale[0])} to {number(options.scale[1])}"
    yield f"{claim.records:,} records{scale}; sensitive: {', '.join(options.sensitive) or 'none'}"
    method = claim.content.get("method")
    if isinstance(method, dict):
        yield f"made by {method.get('name')}: {method.get('statement')}"


def _found(result: VerifyResult) -> Iterator[str]:
    for title, one in (("for the claim", result.audit), ("for your demand", result.demanded)):
        if one is not None:
            yield f"{title}, {_numbers(one)}"


def _numbers(result: AuditResult) -> str:
    asked = result.parameters
    text = f"at epsilon = {number(asked.epsilon)} the largest k that holds is {result.k_epsilon.max_k}"
    if result.k_epsilon_l is not None:
        for name, value in result.k_epsilon_l.max_l.items():
            text += f", the largest l of {name} is {'any' if value is None else number(value)}"
    verdict = "satisfied" if result.satisfied else "NOT satisfied"
    return f"{text}: k = {asked.k}" + ("" if asked.l is None else f", l = {number(asked.l)}") + f" {verdict}"


def _limits(result: VerifyResult) -> Iterator[str]:
    if not result.valid:
        return
    yield (
        "this proves what the file holds, not who wrote it: who can replace the release can replace its "
        "manifest by one that claims less, so compare the claim with what you were promised"
    )
    if result.demanded is None:
        yield "demand what you need with --k, --epsilon and --l"
    yield EPSILON_NOTE
