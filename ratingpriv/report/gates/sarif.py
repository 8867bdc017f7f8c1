"""The outcomes of a command as SARIF 2.1.0 (OASIS), for code scanning: a result for what does not hold.

What holds is no result: some readers show every result as an alert. It is among the rules, and the run says
that it ended. A verdict that does not hold and is tolerated is a note. Paths are relative to the folder in
which the command ran.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ratingpriv.provenance import tool
from ratingpriv.report.as_json import write_json
from ratingpriv.report.gates.outcome import Outcome, Place, Run
from ratingpriv.report.gates.rules import RULES, Rule
from ratingpriv.report.plain import printable

__all__ = ["sarif_content", "write_sarif"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"failed": "error", "unmeasured": "error", "tolerated": "note"}


def sarif_content(run: Run) -> dict[str, Any]:
    """Return the outcomes of a command as a SARIF log of one run."""
    rules = list(dict.fromkeys(one.rule for one in run.outcomes))
    ended = run.exit_code in (0, 1)
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "ratingpriv",
                        "version": tool()["version"],
                        "rules": [_rule(run.command, name, RULES[name]) for name in rules],
                    }
                },
                "automationDetails": {"id": f"ratingpriv/{run.command}/"},
                "invocations": [{"executionSuccessful": ended, "exitCode": run.exit_code}],
                "columnKind": "unicodeCodePoints",
                "results": [
                    result
                    for one in run.outcomes
                    if one.state in _LEVELS
                    for result in _results(run, one, rules.index(one.rule))
                ],
            }
        ],
    }


def write_sarif(run: Run, path: str | Path, *, force: bool = False) -> None:
    """Write the log to ``path``, whole or not at all."""
    write_json(sarif_content(run), path, force=force)


def _rule(command: str, name: str, rule: Rule) -> dict[str, Any]:
    return {
        "id": f"{command}/{name}",
        "name": "".join(word.capitalize() for word in f"{command}-{name}".split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.meaning},
        "help": {"text": f"{rule.meaning}\n\n{rule.remedy}"},
        "defaultConfiguration": {"level": "error"},
    }


def _results(run: Run, one: Outcome, index: int) -> Iterator[dict[str, Any]]:
    """Yield a result for each place that an outcome is about; one without, where it is about the file."""
    places = one.places or (() if run.data is None else (Place(run.data),))
    message = "\n".join(printable(line) for line in one.message.split("\n"))
    message = message.replace("](", "] (")  # no name in it becomes a link
    for place in places or (None,):
        result: dict[str, Any] = {
            "ruleId": f"{run.command}/{one.rule}",
            "ruleIndex": index,
            "level": _LEVELS[one.state],
            "message": {"text": message},
        }
        uri = "" if place is None else _relative(place.file)
        if place is not None:
            region = {"startLine": place.line or 1}  # code scanning shows nothing that has no line
            result["locations"] = [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}]
        same = "\0".join((run.command, one.rule, one.name, uri, str(place and place.line)))
        result["partialFingerprints"] = {
            "primaryLocationLineHash": hashlib.sha256(same.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        }
        yield result


def _relative(file: str) -> str:
    """Return a file as a URI relative to the working folder; outside of it, its name alone."""
    try:
        path = Path(os.path.relpath(file))
    except ValueError:  # another drive
        path = Path(file)
    inside = not path.is_absolute() and ".." not in path.parts
    shown = path.as_posix() if inside else path.name
    return quote(os.fsencode(shown))
