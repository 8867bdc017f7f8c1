"""What a pipeline asked of a result, one outcome each: the verdict, every limit,
or the error instead.

As JUnit XML, as servers of continuous integration read it, that is a suite of cases: a verdict or
limit that does not hold is a failure; one that could not be measured, and an input that could not
be read, is an error. Everything else passes, with what was found in its output.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratingpriv.base.requirement import Judged, Requirement
from ratingpriv.report.page import Page, Section
from ratingpriv.report.pages import has_verdict, standing_of
from ratingpriv.report.plain import printable, write_text
from ratingpriv.report.templating import phrase


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one thing that was asked.

    Attributes
    ----------
    rule : what kind of thing it is, a word that never changes: verdict, fail-above, require, input
    name : the thing itself, such as ``max_k>=5``; with the rule, it is the same in every run
    state : "passed"; "tolerated", where a verdict does not hold and the gate passes by a tolerance;
        "failed"; "unmeasured", where it could not be measured, which fails as well
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
    data : the file that it is about, as it was typed; None where there is none, such as standard
        input
    outcomes : the verdict first
    """

    command: str
    data: str | None
    outcomes: tuple[Outcome, ...]


def judged_of(document: Mapping[str, Any]) -> tuple[Judged, ...]:
    """Return the limits of a document's ``gate``, as they were judged."""
    return tuple(
        Judged(
            Requirement(limit["measure"], limit["operator"], limit["limit"]),
            limit["value"],
            limit["met"],
            limit.get("reason", ""),
            limit.get("low"),
            limit.get("high"),
        )
        for limit in document.get("gate", {}).get("required", ())
    )


def exit_code_of(document: Mapping[str, Any]) -> int:
    """Return what a command ends with whose result the document is: its verdict, if it has one,
    and its gate.

    Of a run that is what its record is held to: a number in a record is nobody's result.
    """
    if str(document["schema"]).startswith("ratingpriv.report/"):
        from ratingpriv.report.overview import overview

        return overview.exit_code(document["documents"])
    code = standing_of(document).exit_code if has_verdict(document) else 0
    return code or int(not document.get("gate", {}).get("passed", True))


def with_gate(document: Mapping[str, Any], judged: Sequence[Judged]) -> dict[str, Any]:
    """Return a document with what became of the limits, beside a gate of its own if it has one."""
    if not judged:
        return dict(document)
    gate = dict(document.get("gate", {"passed": True}))
    passed = gate.pop("passed") and all(limit.met for limit in judged)
    return {
        **document,
        "gate": {**gate, "required": [limit.to_dict() for limit in judged], "passed": passed},
    }


def outcomes(
    document: Mapping[str, Any], judged: Sequence[Judged], page: Page, *, verdict: str | None
) -> Iterator[Outcome]:
    """Yield what became of everything that was asked.

    Parameters
    ----------
    document : the result's JSON contract as the library gives it, its own gate alone in it
    judged : the limits
    page : the result as a page: its headline is the verdict in a sentence
    verdict : what the verdict is on, such as ``k = 5, epsilon = 1``; None where none was asked for
    """
    if verdict is not None:
        tolerance, standing = document.get("tolerance"), standing_of(document)
        state = "passed" if standing.held else "tolerated"
        state = state if standing.passes else "failed" if standing.decided else "unmeasured"
        more = f" for all but {tolerance['at_most']:.15g} of the records" if tolerance else ""
        stated = f"{page.headline} {phrase('reservation', standing)}".rstrip()
        yield Outcome("verdict", f"{verdict}{more}", state, stated)
    limit = document.get("gate", {}).get("fail_above")
    if limit is not None:
        passed, measured = document["gate"]["passed"], document["targets"] > 0
        headline = (text for text in page.explanation if text.startswith(("PASSED: ", "FAILED: ")))
        state = "passed" if passed else "failed" if measured else "unmeasured"
        yield Outcome("fail-above", f"{limit:.15g}", state, next(headline, page.headline))
    for one in judged:
        state = "passed" if one.met else "unmeasured" if one.value is None else "failed"
        yield Outcome("require", str(one.requirement), state, phrase("limit", one.to_dict()))


def gated(page: Page, judged: Sequence[Judged]) -> Page:
    """Return the page with what became of the limits,
    in its first lines and in a section of its own.
    """
    if not judged:
        return page
    missed = [limit for limit in judged if not limit.met]
    named = ", ".join(str(limit.requirement) for limit in missed or judged)
    sentence = f"Limits: {'NOT kept' if missed else 'kept'} ({named})."
    required = tuple(phrase("limit", limit.to_dict()) for limit in judged)
    return dataclasses.replace(
        page,
        explanation=(sentence, *page.explanation),
        sections=(Section("What was required", required), *page.sections),
        good=False if missed else page.good,
    )


# ---- as JUnit XML ----

_ELEMENT = {"failed": "failure", "unmeasured": "error"}


def junit_text(run: Run) -> str:
    """Return the outcomes of a command as an XML document.

    Control characters of the data are escaped.
    """
    from xml.etree import ElementTree

    states = [outcome.state for outcome in run.outcomes]
    counts = {
        "tests": str(len(states)),
        "failures": str(states.count("failed")),
        "errors": str(states.count("unmeasured")),
    }
    attributes = {"name": f"ratingpriv {run.command}", **counts}
    root = ElementTree.Element("testsuites", attributes)
    name = attributes["name"] if run.data is None else f"{attributes['name']} {printable(run.data)}"
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, **counts, "skipped": "0"})
    for outcome in run.outcomes:
        of = {
            "classname": f"ratingpriv.{run.command}",
            "name": f"{outcome.rule}: {printable(outcome.name)}",
        }
        case = ElementTree.SubElement(suite, "testcase", of)
        message = "\n".join(map(printable, outcome.message.split("\n")))
        if outcome.state in _ELEMENT:
            more = {"type": outcome.rule, "message": message.replace("\n", " ")}
            failure = ElementTree.SubElement(case, _ELEMENT[outcome.state], more)
            failure.text = f"{message}\n{phrase('remedy', outcome.rule)}"
        else:
            ElementTree.SubElement(case, "system-out").text = message
    ElementTree.indent(root)
    return (
        f'<?xml version="1.0" '
        f'encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
    )


def write_junit(run: Run, path: str | Path, *, force: bool = False) -> None:
    """Write the document to ``path``, whole or not at all."""
    write_text(junit_text(run), path, force=force)
