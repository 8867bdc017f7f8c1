"""The outcomes of a command as JUnit XML, as servers of continuous integration read it: a suite of cases.

A verdict or limit that does not hold is a failure; one that could not be measured, and an input that could
not be read, is an error. Everything else passes, with what was found in its output.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from ratingpriv.report.gates.outcome import Outcome, Run
from ratingpriv.report.plain import printable, write_text

__all__ = ["junit_text", "write_junit"]

_ELEMENT = {"failed": "failure", "unmeasured": "error"}
_REMEDIES = {
    "verdict": "Run the command as it stands in the pipeline: its report says which demand is not met, by "
    "how many records, and what to try next. Do not release the data as they are.",
    "fail-above": "See which attack is the strongest and what it knows, make a release that meets a "
    "stricter target, and attack that. Where nothing could be measured, that is no safety.",
    "require": "See the number in the report of the command; --require list names all that a limit can be "
    "on.",
    "input": "Correct what the message names, and run the command again.",
}
"""What to do where it fails, by the kind of what was asked."""


def junit_text(run: Run) -> str:
    """Return the outcomes of a command as an XML document; control characters of the data are escaped."""
    states = [one.state for one in run.outcomes]
    counts = {
        "tests": str(len(states)),
        "failures": str(states.count("failed")),
        "errors": str(states.count("unmeasured")),
    }
    whole = {"name": f"ratingpriv {run.command}", **counts}
    root = ElementTree.Element("testsuites", whole)
    name = whole["name"] if run.data is None else f"{whole['name']} {printable(run.data)}"
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, **counts, "skipped": "0"})
    for one in run.outcomes:
        _case(suite, run.command, one)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def write_junit(run: Run, path: str | Path, *, force: bool = False) -> None:
    """Write the document to ``path``, whole or not at all."""
    write_text(junit_text(run), path, force=force)


def _case(suite: ElementTree.Element, command: str, one: Outcome) -> None:
    of = {"classname": f"ratingpriv.{command}", "name": f"{one.rule}: {printable(one.name)}"}
    case = ElementTree.SubElement(suite, "testcase", of)
    message = "\n".join(printable(line) for line in one.message.split("\n"))
    if one.state not in _ELEMENT:
        ElementTree.SubElement(case, "system-out").text = message
        return
    said = {"type": one.rule, "message": message.replace("\n", " ")}
    ElementTree.SubElement(case, _ELEMENT[one.state], said).text = f"{message}\n{_REMEDIES[one.rule]}"
