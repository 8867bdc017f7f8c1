"""What the appendix of a report shows: rows of tables, from documents, as they may be told."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv.audit.result import AuditParameters
from ratingpriv.base.cautions import CODES
from ratingpriv.base.numbers import in_full
from ratingpriv.report.overview.material import Material
from ratingpriv.report.overview.saved import SavedAudit
from ratingpriv.report.overview.telling import Telling
from ratingpriv.report.plain import count
from ratingpriv.report.utility.meanings import MEANINGS
from ratingpriv.report.wording import as_options, model

__all__ = [
    "alone", "asked_for", "cautions", "commands", "declares_scale", "distances", "hashes", "known", "lacking",
    "method", "pictures", "questions", "releases", "scale", "seeds", "sizes", "usefulness", "versions",
    "violators",
]  # fmt: skip

_DISTANCES, _QUESTIONS = 40, 20
"""So many are shown at most."""

_ENOUGH = 10
"""To others the answers to a question are summed up where so many times the threshold gave one."""

type _Row = tuple[str, ...]


def alone(audit: SavedAudit) -> int:
    """Return how many records are alone in their neighbourhood."""
    return sum(one["records"] for one in _histogram(audit) if one["size"] == 1)


def sizes(audit: SavedAudit, telling: Telling) -> list[tuple[str, str, float]]:
    """Return how many records have neighbourhoods of which size, and their share.

    To others small classes are joined with the next. The numbers add up to all records.
    """
    k, total = audit.parameters.k, audit.dataset.records
    ends = sorted({1, k - 1, 2 * k - 1, 5 * k - 1, 10 * k - 1} - {0}) if k > 1 else [1, 4, 9, 49]
    if not telling.internal:
        ends = [end for end in ends if end != 1 or k <= 2]
    starts = [1, *(end + 1 for end in ends)]
    classes = [
        (
            start,
            end,
            sum(one["records"] for one in _histogram(audit) if start <= one["size"] <= (end or math.inf)),
        )
        for start, end in zip(starts, [*ends, None], strict=True)
    ]
    if not telling.rounding.exact:
        classes = _joined(classes, telling.threshold)
    told = telling.rounding.parts([records for *_, records in classes], total)
    return [
        (_class(start, end), telling.amount(found), found.high / (total or 1))
        for (start, end, _), found in zip(classes, told, strict=True)
    ]


def _histogram(audit: SavedAudit) -> list[Mapping[str, int]]:
    found: list[Mapping[str, int]] = audit.document["neighbourhood_sizes"]["histogram"]
    return found


def _joined(classes: list[tuple[int, int | None, int]], threshold: int) -> list[tuple[int, int | None, int]]:
    """Join classes, the first with those after it, until each has nobody or at least ``threshold``."""
    made: list[tuple[int, int | None, int]] = []
    for start, end, records in classes:
        if made and 0 < made[-1][2] < threshold:
            first, _, before = made.pop()
            made.append((first, end, before + records))
        else:
            made.append((start, end, records))
    while len(made) > 1 and 0 < made[-1][2] < threshold:
        _, end, records = made.pop()
        first, _, before = made.pop()
        made.append((first, end, before + records))
    return made


def _class(start: int, end: int | None) -> str:
    if end is None:
        return f"{start:,} or more"
    return f"{start:,}" if start == end else f"{start:,} to {end:,}"


def usefulness(found: Mapping[str, Any], telling: Telling) -> list[_Row]:
    """Return the measures that have a value: title, release, original, worthless, what is better."""
    return [
        (
            meaning.title,
            *(_measure(name, found[name][side], found, telling) for side in _SIDES),
            meaning.better,
        )
        for name, meaning in MEANINGS.items()
        if name in found and found[name]["value"] is not None
    ]


_SIDES = ("value", "original", "worthless")


def _measure(name: str, value: float | None, found: Mapping[str, Any], telling: Telling) -> str:
    """Return a measure's value; shares that few people decide are made coarse as numbers of people are."""
    if value is None or telling.internal or name not in ("information_loss", "membership_change"):
        return telling.measured(value)
    records = found["original"]["records"]
    return telling.rate(telling.rounding.rate(min(value, 1.0) * records, records))


def questions(found: Mapping[str, Any], telling: Telling) -> list[_Row]:
    """Return the questions answered most: name, answers, mean and SD, each before and after.

    To others those that enough people answered, with means of one decimal, lest two of them tell who is
    missing.
    """
    few = 1 if telling.rounding.exact else _ENOUGH * telling.threshold
    each = found.get("questions", {}).get("questions") or ()
    kept = [one for one in each if min(one["before"]["ratings"], one["after"]["ratings"]) >= few]
    total = found["original"]["records"]

    def mean(value: float | None) -> str:
        return telling.measured(value) if value is None or telling.rounding.exact else f"{value:.1f}"

    return [
        (
            one["name"],
            *(telling.cell(one[side]["ratings"], total) for side in ("before", "after")),
            *(mean(one[side][key]) for key in ("mean", "sd") for side in ("before", "after")),
        )
        for one in sorted(kept, key=lambda one: -one["before"]["ratings"])[:_QUESTIONS]
    ]


def distances(material: Material) -> list[_Row]:
    """Return what holds at which distance: ε, largest k, records that are alone, whether it does.

    A distance that is no whole number is the difference between two people's answers, and so is the largest
    one where nobody declared a scale. To others the rows are those of whole numbers, and of what was asked
    for, up to where nothing protects any more (not declared: up to twice of that): what holds there is what
    holds at the last one that matters.
    """
    found, telling = material.documents["frontier"], material.telling
    asked, total, k = (
        material.judged.parameters.epsilon,
        found["dataset"]["records"],
        found["parameters"]["k"],
    )
    rows = sorted(found["rows"], key=lambda row: float(row["epsilon"]))
    if telling.internal or found["parameters"]["epsilon"] is not None:
        shown = [(row["epsilon"], row) for row in rows]
    else:
        shown = list(
            _whole(rows if found["complete"] else [], asked, declared=bool(declares_scale(material)))
        )
    return [
        (in_full(epsilon), _largest(row, telling, k), telling.cell(row["singletons"], total), _holds(row))
        for epsilon, row in shown[:_DISTANCES]
    ]


def _whole(
    rows: list[Mapping[str, Any]], asked: float, *, declared: bool
) -> Iterator[tuple[float, Mapping[str, Any]]]:
    protecting = [row for row in rows if row["protection"]]
    if not protecting:
        return
    last = protecting[-1]["epsilon"]
    last = last if declared else min(last, math.ceil(2 * max(asked, 1)))
    whole = range(min(math.floor(last), _DISTANCES) + 1)
    for epsilon in sorted({*map(float, whole), *([asked] if asked <= last else [])}):
        below = [row for row in protecting if row["epsilon"] <= epsilon]
        if below:
            yield epsilon, below[-1]


def _largest(row: Mapping[str, Any], telling: Telling, asked: int | None) -> str:
    held = asked if asked is not None and row["satisfied"] and row["max_k"] >= asked else 1
    size = telling.rounding.size(row["max_k"], at_least=held)
    if size.exact:
        return f"{row['max_k']:,}"
    return f"under {telling.threshold}" if size.least is None else f"about {size.least:,}"


def _holds(row: Mapping[str, Any]) -> str:
    if not row["protection"]:
        return "no protection"
    return {True: "holds", False: "no", None: "-"}[row["satisfied"]]


def releases(found: Mapping[str, Any], telling: Telling) -> list[_Row]:
    """Return the releases of a recommendation that were made.

    Of suppression there are rows at the k that few suppressed records happen to give: that is the size of a
    neighbourhood. To others only a k is shown that was tried by other methods, too, or was asked for.
    """
    asked = {one["k"] for one in found["options"] if one["method"] != "suppress"}
    asked |= set(found["parameters"]["k"] or ())
    return [
        _option(one, found["dataset"]["records"], telling)
        for one in found["options"]
        if not one["reason"] and (telling.rounding.exact or one["k"] in asked)
    ]


def _option(one: Mapping[str, Any], total: int, telling: Telling) -> _Row:
    def value(name: str) -> float | None:
        found: float | None = one["measures"].get(name, {}).get("value")
        return found

    def share(name: str) -> str:
        found = value(name)
        return "-" if found is None else telling.rate(telling.rounding.rate(min(found, 1.0) * total, total))

    gone, query = value("records_suppressed"), value("query_error")
    return (
        one["method"],
        f"{one['k']:,}",
        telling.distance(one["epsilon"]),
        "-" if gone is None else telling.cell(gone, total),
        share("ratings_kept"),
        "-" if query is None else telling.measured(query),
        share("exposure_expected"),
        share("attack_success"),
        {True: "front", False: "", None: "-"}[one["front"]],
    )


def declares_scale(material: Material) -> bool | None:
    """Return whether somebody declared the scale; None where no document says it."""
    exposure, verified = material.judged.document["exposure"], material.of("verify")
    if exposure is not None:
        return bool(exposure["scale_declared"])
    claim = None if verified is None else verified["read"]["claim"]
    return bool(claim["scale"]["declared"]) if claim is not None and claim.get("scale") else None


def hashes(documents: Mapping[str, Mapping[str, Any]]) -> tuple[str, str]:
    """Return the SHA-256 of the data and of the release; each empty where no document has it."""
    of_data = [
        *(documents[part]["dataset"]["sha256"] for part in ("audit", "frontier", "attack", "recommend")
          if part in documents),
        *([documents["utility"]["original"]["sha256"]] if "utility" in documents else []),
    ]  # fmt: skip
    of_release = [
        *([documents["audit_release"]["dataset"]["sha256"]] if "audit_release" in documents else []),
        *([documents["utility"]["release"]["sha256"]] if "utility" in documents else []),
        *(documents[part]["release_sha256"] for part in ("verify", "anonymize") if part in documents),
    ]
    beside = documents.get("attack", {}).get("release")
    of_release += [beside["dataset"]["sha256"]] if beside is not None else []
    return next(filter(None, of_data), ""), next(filter(None, of_release), "")


def seeds(material: Material) -> list[tuple[str, int]] | None:
    """Return the seeds by part; None where they say who is in a sample, which others may not know."""
    documents = material.documents
    if not material.telling.internal and any(map(_sampled, documents.values())):
        return None
    return [(part, seed) for part, one in documents.items() if (seed := _seed(one)) is not None]


def _sampled(document: Mapping[str, Any]) -> bool:
    """Return whether records were drawn."""
    beside = document.get("original", {})
    found = document.get("selection") or (beside.get("selection") if isinstance(beside, Mapping) else None)
    return found is not None and found["records"] < found["of_records"]


def _seed(document: Mapping[str, Any]) -> int | None:
    parameters, exposure = document.get("parameters", {}), document.get("exposure")
    found = parameters.get("seed") if isinstance(parameters, Mapping) else None
    if found is None and isinstance(exposure, Mapping):
        found = exposure["seed"]
    return None if found is None else int(found)


def commands(material: Material) -> list[str]:
    """Return the commands that made the results, as they may be shown, each once."""
    typed = [one["tool"]["command"] for one in material.documents.values()]
    return list(dict.fromkeys(material.telling.command(line) for line in typed if line))


def pictures(material: Material, part: str) -> list[tuple[str, str]]:
    """Return the library's own drawings of a document with their captions: exact, hence for the team only."""
    document = material.of(part)
    if document is None or not material.telling.internal:
        return []
    from ratingpriv.report.pictures import caption, kinds, svg

    return [(svg(document, kind=kind), caption(document, kind)) for kind in kinds(document)]


def violators(audit: SavedAudit) -> list[_Row]:
    """Return the records that break the verdict, worst first; for the team only."""
    return [(one["record"], f"{one['size']:,}") for one in audit.document["violators"]]


def versions(material: Material) -> str:
    """Return the versions that made the results."""
    return ", ".join(sorted({str(one["tool"]["version"]) for one in material.documents.values()}))


def method(material: Material) -> Mapping[str, Any] | None:
    """Return how the release was made, as its manifest or its maker states it; None where nobody does."""
    verified = material.of("verify")
    made = verified["stated_not_checked"] if verified is not None else material.of("anonymize") or {}
    found = made.get("method")
    return found if isinstance(found, Mapping) and isinstance(found.get("name"), str) else None


def lacking(material: Material) -> list[tuple[str, str]]:
    """Return what was not measured, with the command that does."""
    audit, documents, of_release = material.judged, material.documents, material.is_of_release
    asked, data, release = audit.parameters, material.data_name or "DATA", material.release_name or "RELEASE"
    near = in_full(asked.epsilon)
    target = f"--k {asked.k} --epsilon {near}"
    each = (
        ("whether the release keeps what was asked for", f"audit {release} {target}",
         of_release and "audit_release" not in documents),
        ("what inexact knowledge leaves", f"audit {audit.dataset.name} {target} --exposure {near}",
         audit.document["exposure"] is None),
        ("how many people somebody finds who knows a few of their answers", f"attack {data}",
         "attack" not in documents),
        ("how many people are found in the release", f"attack {data} --release {release} --truth KEY",
         of_release and "attack" in documents and not documents["attack"].get("release")),
        ("what the release is still good for", f"utility {data} {release}",
         of_release and "utility" not in documents),
        ("whether a manifest is true of the release", f"verify {release}",
         of_release and "verify" not in documents),
        ("which k holds at which distance", f"frontier {data} --k {asked.k}", "frontier" not in documents),
        ("what other k, epsilon and methods would cost", f"recommend {data}", "recommend" not in documents),
    )  # fmt: skip
    return [(what, f"ratingpriv {command}") for what, command, absent in each if absent]


def cautions(material: Material, *parts: str) -> list[str]:
    """Return what to know before relying on any of it; to others without the numbers of this data."""
    found = material.cautions(*parts)
    internal = material.telling.internal
    return list(
        dict.fromkeys(as_options(text) if internal else CODES.get(code, code) for code, text in found)
    )


def known(material: Material) -> str:
    """Return how much of a target the adversary knows; empty where nothing was drawn."""
    found = material.documents.get("attack", {}).get("parameters", {}).get("known")
    return "" if not found else "all answers" if found == "all" else count(found, "answer")


def asked_for(target: AuditParameters) -> str:
    """Return what the verdict is on, with its demands."""
    demands = (f", {name.replace('_', ' ')} = {in_full(one)}" for name, one in target.demands.items())
    return f"{model(target)}{''.join(demands)}"


def scale(material: Material) -> str | None:
    """Return the scale; None where nothing is rated.

    To others only if somebody declared it, as its ends may be one person's answers; else empty.
    """
    ends, declared = material.judged.document["dataset"]["scale"], declares_scale(material)
    if ends is None:
        return None
    said = f"{in_full(ends['min'])} to {in_full(ends['max'])}"
    if declared:
        return f"{said}, declared"
    if material.telling.internal:
        return said + ("" if declared is None else ", the range of the data")
    return ""
