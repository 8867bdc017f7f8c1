"""The report: what decides on its first page, the rest for experts,
laid out as one HTML document.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ratingpriv.base.cautions import Standing
from ratingpriv.base.checks import whole_number
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import check_writable
from ratingpriv.documents.making import document_of
from ratingpriv.documents.program import Report
from ratingpriv.report.markup.pdf import browser, print_pdf
from ratingpriv.report.overview.figures import figures_of, reserved
from ratingpriv.report.overview.material import PARTS, Material, with_one_total
from ratingpriv.report.overview.telling import Rate, Telling
from ratingpriv.report.page import Page
from ratingpriv.report.pages import page, standing_of
from ratingpriv.report.plain import write_text
from ratingpriv.report.templating import html_template

THRESHOLD = 10
"""From how many people on a number is shown to others: the rule of thumb for output from microdata
[Brandt et al., Guidelines for the checking of output based on microdata research, ESSnet SDC 2010,
section 3].
"""

_OF_RELEASE = ("audit_release", "utility", "verify")
_TITLES = {
    "audit": "audit of the data",
    "audit_release": "audit of the release",
    "frontier": "frontier",
    "attack": "attack",
    "utility": "utility",
    "recommend": "what may be published",
    "anonymize": "how the release was made",
    "verify": "verification",
}
_KIND: Mapping[str, str] = {"invalid": "bad", "broken": "bad", "kept": "good"}
"""Of what decides: good, bad, and else open."""


def report_html(
    documents: Mapping[str, Mapping[str, Any]],
    *,
    internal: bool = False,
    threshold: int = THRESHOLD,
) -> str:
    """Return the report of JSON documents as one self-contained HTML document.

    Parameters
    ----------
    documents : by the names in :data:`ratingpriv.report.overview.material.PARTS`; an audit is among
        them
    internal : for the team, who have the data: numbers are exact and files named in full. Else it
        is for others: no record, no answer, and no number of people below ``threshold``
    threshold : from how many people on a number is shown to others, >= 1

    Raises
    ------
    ParameterError
        There is no audit, or a part of another name.
    """
    from ratingpriv.report.markup.html import document

    if unknown := sorted(set(documents) - set(PARTS)):
        raise ParameterError("documents", ", ".join(unknown), "only " + ", ".join(PARTS))
    if not {"audit", "audit_release"} & documents.keys():
        raise ParameterError("documents", "no audit", "an audit of the data or of the release")
    telling = Telling(internal, whole_number("threshold", threshold, 1))
    material = with_one_total(
        Material({part: documents[part] for part in PARTS if part in documents}, telling)
    )
    figures, name = (
        figures_of(material),
        Telling(internal=False).file(material.judged["dataset"]["name"]),
    )
    body = html_template("report.html.jinja").render(
        material=material,
        t=material.telling,
        figures=figures,
        kind=_KIND.get(figures.outcome, "open"),
        title=name,
        standing_of=standing_of,
        reserved=reserved(material),
    )
    style = importlib.resources.files(__package__).joinpath("overview.css").read_text("utf-8")
    return document(f"How private is {name}?", body, style=style)


def check_report_file(path: str | Path, *, force: bool = False) -> None:
    """Refuse early a file that is no report by its name, or could not be written."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".html", ".pdf"):
        raise ParameterError("output", str(path), "a name that ends in .html or .pdf")
    check_writable(path, force=force)
    if suffix == ".pdf":
        browser()


def write_report(
    documents: Mapping[str, Mapping[str, Any]],
    path: str | Path,
    *,
    force: bool = False,
    **audience: Any,
) -> None:
    """Write :func:`report_html` to a .html or .pdf, whole or not at all;
    an internal one is private.
    """
    html, private = report_html(documents, **audience), bool(audience.get("internal"))
    write = print_pdf if Path(path).suffix.lower() == ".pdf" else write_text
    write(html, path, force=force, private=private)


def satisfied(documents: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return the verdict: of the release, where there is one, else of the data;
    its manifest is valid.
    """
    return _standing(documents).held and not _invalid(documents)


def exit_code(documents: Mapping[str, Mapping[str, Any]]) -> int:
    """Return that of the verdict; a manifest that is not valid is a no."""
    return _standing(documents).exit_code or int(_invalid(documents))


def _of_all(found: Rate, telling: Telling) -> str:
    """Return how many are found, with what it is of."""
    return telling.rate(found) if found.amount is None else telling.said(found.amount)


def _invalid(documents: Mapping[str, Mapping[str, Any]]) -> bool:
    return "verify" in documents and not documents["verify"]["valid"]


def _standing(documents: Mapping[str, Mapping[str, Any]]) -> Standing:
    """Return what the verdict comes to; a report tolerates nothing."""
    return standing_of({**reserved(Material(documents, Telling(internal=True))), "tolerance": None})


def report_document(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the JSON contract ``ratingpriv.report/1``: what a report is made of, exact,
    for the team.
    """
    parts = {part: documents[part] for part in PARTS if part in documents}
    return document_of(Report, None, satisfied=satisfied(documents), documents=parts)


def summary(documents: Mapping[str, Mapping[str, Any]]) -> Page:
    """Return the verdict in a line, and what a report is made of, for the terminal."""
    material = Material(documents, Telling(internal=True))
    figures = figures_of(material)
    wanted = [part for part in PARTS if material.is_of_release or part not in _OF_RELEASE]
    return page(
        material.judged,
        "report",
        standing=standing_of(reserved(material)),
        invalid=_invalid(documents),
        found="not measured" if figures.found is None else _of_all(figures.found, material.telling),
        figures=figures,
        titles=[_TITLES[part] for part in PARTS if part in documents],
        missing=[_TITLES[part] for part in wanted if part not in documents and part != "anonymize"],
        good={"good": True, "bad": False}.get(_KIND.get(figures.outcome, "")),
    )
