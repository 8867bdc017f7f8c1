"""The report: its sections in order, laid out as one HTML document."""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from typing import Any

from ratingpriv.checks import whole_number
from ratingpriv.errors import ParameterError
from ratingpriv.escaping import printable
from ratingpriv.provenance import tool
from ratingpriv.report.overview.assumed import assumed
from ratingpriv.report.overview.change import change
from ratingpriv.report.overview.checking import checking
from ratingpriv.report.overview.choice import choice
from ratingpriv.report.overview.exposed import exposed
from ratingpriv.report.overview.items import Part
from ratingpriv.report.overview.limits import limits
from ratingpriv.report.overview.material import PARTS, Material, with_one_total
from ratingpriv.report.overview.telling import Telling
from ratingpriv.report.overview.verdict import verdict
from ratingpriv.report.overview.words import words
from ratingpriv.report.page import Page, Section
from ratingpriv.report.verdicts import audit_headline, but_no_yes, means_and_not

__all__ = [
    "SCHEMA",
    "THRESHOLD",
    "passes",
    "report_document",
    "report_html",
    "satisfied",
    "sections",
    "summary",
]

THRESHOLD = 10
"""From how many people on a number is shown to others: the rule of thumb for output from microdata [Brandt et
al., Guidelines for the checking of output based on microdata research, ESSnet SDC 2010, section 3]."""


SCHEMA = "ratingpriv.report/1"
"""Name and version of the JSON contract; bumped whenever a key changes its meaning or goes away."""

_OF_RELEASE = ("audit_release", "utility", "verify")
_TITLES = {
    "audit": "audit of the data",
    "audit_release": "audit of the release",
    "frontier": "frontier",
    "attack": "attack",
    "utility": "utility",
    "recommend": "costs of other releases",
    "anonymize": "how the release was made",
    "verify": "verification",
}


def sections(
    documents: Mapping[str, Mapping[str, Any]], *, internal: bool = False, threshold: int = THRESHOLD
) -> tuple[Part, ...]:
    """Return the sections of the report in order; parameters and errors as :func:`report_html`."""
    unknown = sorted(set(documents) - set(PARTS))
    if unknown:
        raise ParameterError("documents", ", ".join(unknown), "only " + ", ".join(PARTS))
    if not {"audit", "audit_release"} & documents.keys():
        raise ParameterError("documents", "none of an audit", "an audit, of the data or of the release")
    telling = Telling(internal, whole_number("threshold", threshold, 1))
    material = with_one_total(
        Material({part: documents[part] for part in PARTS if part in documents}, telling)
    )
    made = (verdict, exposed, change, choice, assumed, limits, checking)
    return (*(one(material) for one in made), words())


def report_html(
    documents: Mapping[str, Mapping[str, Any]], *, internal: bool = False, threshold: int = THRESHOLD
) -> str:
    """Return the report of JSON documents as one self-contained HTML document.

    Parameters
    ----------
    documents : by the names in :data:`ratingpriv.report.overview.material.PARTS`; an audit is among them
    internal : for the team, who have the data: numbers are exact and files named in full. Else it is for
        others: no record, no answer, and no number of people below ``threshold``
    threshold : from how many people on a number is shown to others, >= 1

    Raises
    ------
    ParameterError
        There is no audit, or a part of another name.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from ratingpriv.report.markup.document import document

    parts = sections(documents, internal=internal, threshold=threshold)
    environment = Environment(
        loader=PackageLoader("ratingpriv.report.overview", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_plain,
    )
    environment.filters["sentence"] = _sentence
    environment.globals["kind_of"] = lambda one: type(one).__name__
    folder = importlib.resources.files("ratingpriv.report.overview")
    style, script = (folder.joinpath(f"overview.{kind}").read_text("utf-8") for kind in ("css", "js"))
    title = f"How private is {_name(documents, internal=internal)}?"
    whom = (
        "Internal: for those who have the data. It has exact numbers of few people; do not pass it on."
        if internal
        else "For anybody: numbers of few people are not shown."
    )
    body = environment.get_template("overview.html.jinja").render(parts=parts, title=title, whom=whom)
    return document(title, body, style=style, script=script)


def satisfied(documents: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return the verdict: of the release, where there is one, else of the data; its manifest is valid."""
    verified = documents.get("verify")
    judged = Material(documents, Telling(internal=True, threshold=1)).judged
    return judged.satisfied and (verified is None or bool(verified["valid"]))


def passes(documents: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether the verdict is a yes: satisfied, and every reservation of it accepted."""
    judged = Material(documents, Telling(internal=True, threshold=1)).judged
    return satisfied(documents) and judged.standing.passes


def report_document(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the JSON contract ``ratingpriv.report/1``: what a report is made of, exact, for the team."""
    return {
        "schema": SCHEMA,
        "tool": tool(),
        "satisfied": satisfied(documents),
        "documents": {part: dict(documents[part]) for part in PARTS if part in documents},
    }


def summary(documents: Mapping[str, Mapping[str, Any]]) -> Page:
    """Return the verdict in a line, and what a report is made of, for the terminal."""
    material = Material(documents, Telling(internal=True, threshold=1))
    audit = material.judged
    verified = documents.get("verify")
    wanted = [part for part in PARTS if material.is_of_release or part not in _OF_RELEASE]
    missing = [_TITLES[part] for part in wanted if part not in documents and part != "anonymize"]
    invalid = ["The manifest of the release is NOT valid."] if verified and not verified["valid"] else []
    return Page(
        headline=audit_headline(audit, counted=False),
        explanation=(*invalid, *but_no_yes(audit.standing), *means_and_not(audit)),
        sections=(
            Section("In the report", (", ".join(_TITLES[part] for part in PARTS if part in documents),)),
            Section("Not measured, as the report says", (", ".join(missing),) if missing else ()),
        ),
        good=audit.standing.good if satisfied(documents) else False,
    )


def _name(documents: Mapping[str, Mapping[str, Any]], *, internal: bool) -> str:
    material = Material(documents, Telling(internal, 1))
    return Telling(internal=False, threshold=1).file(material.judged.dataset.name)


def _plain(value: Any) -> Any:
    """Escape control characters of the data, as on a terminal; what is HTML already stays."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _sentence(text: str) -> str:
    """Return a sentence with a capital and a full stop."""
    text = text.strip()
    if not text:
        return text
    first = text[0].upper() + text[1:]
    return first if first[-1] in ".:!?" else first + "."
