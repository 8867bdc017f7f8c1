"""Results as pages: a template a document, which is all that a page reads.

A template is a page as one writes it down. A line that begins with a marker begins a part of the
page, and
lines without one go on with the sentence before, a blank between them; empty lines mean nothing::

    NOT FOUND: a partition of {{ dataset.name }}.      the headline, first of all
    > What follows from it.                            a paragraph; without a text it is left out
    ## What was found                                  a section
    - {{ groups | count("group") }} of 5 to 7 records. a sentence in it
    $ ratingpriv audit {{ data }} --k 5                a command
    || group | > size                                  a table's columns, this one flushed right
    | {{ name }} | {{ size }}                          and a row of it

A ``+`` behind a marker (``>+``, ``-+``) says that the part is a detail, as is all of a section
``##+``. A terminal shows details on ``--verbose``; files have them. What the data say is no marker,
wherever it stands. ``good`` that a template sets is the page's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.report.page import Command, Detail, Page, Section, Table
from ratingpriv.report.templating import templates, unmarked

_VERDICTS = ("satisfied", "valid", "right", "found", "chosen")
"""The keys of the contracts that hold a verdict; of a verification ``found`` is something else."""


def page_of(result: object, **context: Any) -> Page:
    """Return the page of a result, or of a table; KeyError where there is none of such a thing.

    Parameters
    ----------
    context : as for :func:`page`; for an audit ``show``: so many records that break it are named;
        for an attack ``per_target``: whether its targets are, and ``show``: so many of them
    """
    kind = next(
        cls.__name__ for cls in type(result).__mro__ if cls.__name__ in KINDS or cls is object
    )
    return KINDS[kind](result, **context)


def page(document: Mapping[str, Any], template: str | None = None, **context: Any) -> Page:
    """Return the page of a result's JSON contract.

    Parameters
    ----------
    template : its name; None: the contract's, such as "audit"
    context : what the document does not say: ``data``, the DATA argument with its data options,
        quoted for a shell, as the next commands are about it; and what a template says that it
        takes
    """
    name = template or str(document["schema"]).removeprefix("ratingpriv.").partition("/")[0]
    given = {
        "data": "DATA",
        "document": document,
        "standing": standing_of(document),
        **context,
        **document,
    }
    made = templates().get_template(f"{name}.jinja").make_module(given)
    return _read(str(made), getattr(made, "good", context.get("good")))


def has_verdict(document: Mapping[str, Any]) -> bool:
    """Return whether a document holds a verdict, be it a no.

    Costs, attacks and descriptions have none, nor has a frontier without a k or an l.
    """
    if str(document["schema"]).startswith("ratingpriv.frontier/"):
        return any(document["parameters"][name] is not None for name in "kl")
    return any(key in document for key in _VERDICTS)


def standing_of(document: Mapping[str, Any]) -> Standing:
    """Return what the verdict of a document comes to with its reservations.

    Where it has none: it fails.

    Pages, exit codes, JUnit and reports all go by it. Of an audit it is the verdict that was asked
    for: with known ratings that against these.
    """
    held: bool | None = next((bool(document[key]) for key in _VERDICTS if key in document), False)
    if "everybody" in document:  # of a certificate: ``right`` asks for the reservations, too
        held = document["holds"] and document["everybody"] and document["meets_demand"] is not False
    if "known" in document:
        held = document["known"]["satisfied"]
    tolerance = document.get("tolerance")
    tolerated = not held and tolerance is not None and tolerance["within"]
    cautions = map(Caution.from_dict, document.get("cautions", ()))
    return Standing.of(held, cautions, document.get("accepted", ()), tolerated=tolerated)


# ---- what a result knows beyond its document ----


def _audit(result: Any, show: int = 0, **context: Any) -> Page:
    scale = result.dataset.scale
    declared = {} if scale is None else {"scale_declared": scale.declared}
    return page(result.to_dict(show), **declared, **context)


def _description(result: Any, **context: Any) -> Page:
    from ratingpriv.data.codebook.recognition.beside import CHOICE

    return page(result.to_dict(), "describe", choice=CHOICE, **context)


def _findings(result: Any, per_target: bool = False, show: int = 20, **context: Any) -> Page:
    auxiliary = result.attack.auxiliary
    known_of = {
        "ratings": int(auxiliary.known.sum()),
        "targets": auxiliary.n_targets,
        "dated": auxiliary.dated,
    }
    return page(result.to_dict(per_target=per_target), show=show, known_of=known_of, **context)


def _release(result: Any, **context: Any) -> Page:
    return page(result.to_dict(), **_audited(result.audit, result.anonymized.table), **context)


def _anonymized(result: Any, **context: Any) -> Page:
    from ratingpriv.anonymize.release.result import made_content

    audited = _audited(result.audit, result.table)
    verdict = {name: audited["audit"][name] for name in ("satisfied", "cautions", "accepted")}
    notes = [*result.audit.warnings, *result.notes]
    return page(
        {**made_content(result), **verdict}, "anonymized", warnings=notes, **audited, **context
    )


def _audited(audit: Any, table: Any) -> dict[str, Any]:
    from ratingpriv.data.table.description import TableDescription

    return {"audit": audit.to_dict(0), "dataset": TableDescription.of(table).to_dict()}


def _verified(result: Any, **context: Any) -> Page:
    audits = {"claim": result.audit, "demand": result.demanded}
    records = {
        what: audit_made.dataset.records
        for what, audit_made in audits.items()
        if audit_made is not None
    }
    key = result.public_key and result.public_key.path
    return page(result.to_dict(), records=records, public_key=key, **context)


def _table(table: Any, show: int = 10, **context: Any) -> Page:
    import numpy as np

    answers = np.bincount(table.indices, minlength=table.n_issues)[:show].tolist()
    listed = list(zip(table.issues, answers, strict=False))
    return page({}, "table", table=table, answers=listed, **context)


KINDS: Mapping[str, Callable[..., Page]] = {
    "Anonymized": _anonymized,
    "AuditResult": _audit,
    "Description": _description,
    "Environment": lambda result: page(result.to_dict()),
    "Experimented": lambda result, **context: page(
        result.to_dict(), rows=len(result.rows), **context
    ),
    "Exposure": lambda result: page({"exposure": result.to_dict()}, "exposure"),
    "Findings": _findings,
    "Frontier": lambda result, **context: page(result.to_dict(), **context),
    "IdentifyingSets": lambda result: page(result.to_dict()),
    "PartitionResult": lambda result, **context: page(result.to_dict(), **context),
    "RatingTable": _table,
    "Map": lambda result, **context: page(result.to_dict(), **context),
    "Release": _release,
    "Reproduction": lambda result: page(result.to_dict()),
    "Utility": lambda result: page(result.to_dict()),
    "VerifyResult": _verified,
}
"""By the class's name, so that no class is imported for another's page."""


# ---- what a template gives, read as a page ----


def _read(text: str, good: bool | None) -> Page:
    headline, *parts = _parts(text)
    explanation: list[str] = []
    sections: list[tuple[str, list[str | Command | Table]]] = []
    rows: list[tuple[str, ...]] = []
    parts = [part for part in parts if part.text]
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        line = unmarked(part.text)
        sentence = Detail(line) if part.detail else line
        if part.marker == ">":
            explanation.append(sentence)
        elif part.marker == "##":
            sections.append((line, []))
        elif part.marker == "||":
            titles, rows = [title.strip() for title in part.text.split("|")], []
        elif part.marker == "|":
            rows.append(tuple(unmarked(cell.strip()) for cell in part.text.split("|")))
        else:
            sections[-1][1].append(Command(line, part.detail) if part.marker == "$" else sentence)
        if part.marker in ("||", "|") and (following is None or following.marker != "|"):
            columns = tuple(unmarked(title.removeprefix(">").strip()) for title in titles)
            right = tuple(title.startswith(">") for title in titles)
            sections[-1][1].append(Table(columns, tuple(rows), right, part.detail))
    made = tuple(Section(title, tuple(items)) for title, items in sections)
    return Page(unmarked(headline.text), tuple(explanation), made, good)


@dataclass(slots=True)
class _Part:
    marker: str
    text: str
    detail: bool = False


def _parts(text: str) -> list[_Part]:
    """Return the headline and what follows it, a part for each marker,
    lines without one joined to theirs.
    """
    parts: list[_Part] = []
    in_detail = False  # a section, or a table, whose rows go with it
    for line in filter(None, map(str.strip, text.split("\n"))):
        word, _, rest = line.partition(" ")
        marker = word.removesuffix("+")
        if not parts:
            parts.append(_Part("", line))
        elif marker not in ("##", "-", "$", ">", "||", "|"):
            parts[-1].text = f"{parts[-1].text} {line}".lstrip()
        elif marker == "##":
            in_detail = marker != word
            parts.append(_Part(marker, rest.strip(), in_detail))
        else:
            with_its_table = marker == "|" and parts[-1].detail
            parts.append(_Part(marker, rest.strip(), in_detail or marker != word or with_its_table))
    return parts
