"""What the appendix of a report shows: rows of tables, from documents, as they may be told."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv.base.cautions import CODES
from ratingpriv.base.numbers import in_full
from ratingpriv.report.overview.material import Material
from ratingpriv.report.overview.telling import Telling
from ratingpriv.report.wording import as_options

_DISTANCES = 40
"""So many are shown at most."""

type _Row = tuple[str, ...]


def sizes(audit: Mapping[str, Any], telling: Telling) -> list[tuple[str, str, float]]:
    """Return how many records have neighbourhoods of which size, and their share.

    To others small classes are joined with the next. The numbers add up to all records.
    """
    k, total = audit["parameters"]["k"], audit["dataset"]["records"]
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


def _histogram(audit: Mapping[str, Any]) -> list[Mapping[str, int]]:
    found: list[Mapping[str, int]] = audit["neighbourhood_sizes"]["histogram"]
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


def distances(material: Material) -> list[_Row]:
    """Return what holds at which distance: ε, largest k, records that are alone, whether it does.

    A distance that is no whole number is the difference between two people's answers, and so is the largest
    one where nobody declared a scale. To others the rows are those of whole numbers, and of what was asked
    for, up to where nothing protects any more (not declared: up to twice of that): what holds there is what
    holds at the last one that matters.
    """
    document, telling = material.documents["frontier"], material.telling
    target, total, k = (
        material.judged["parameters"]["epsilon"],
        document["dataset"]["records"],
        document["parameters"]["k"],
    )
    rows = sorted(document["rows"], key=lambda row: float(row["epsilon"]))
    if telling.internal or document["parameters"]["epsilon"] is not None:
        shown = [(row["epsilon"], row) for row in rows]
    else:
        shown = list(
            _whole(rows if document["complete"] else [], target, declared=bool(declares_scale(material)))
        )
    return [
        (in_full(epsilon), _largest(row, telling, k), telling.cell(row["singletons"], total), _holds(row))
        for epsilon, row in shown[:_DISTANCES]
    ]


def _whole(
    rows: list[Mapping[str, Any]], target: float, *, declared: bool
) -> Iterator[tuple[float, Mapping[str, Any]]]:
    protecting = [row for row in rows if row["protection"]]
    if not protecting:
        return
    last = protecting[-1]["epsilon"]
    last = last if declared else min(last, math.ceil(2 * max(target, 1)))
    steps = range(min(math.floor(last), _DISTANCES) + 1)
    for epsilon in sorted({*map(float, steps), *([target] if target <= last else [])}):
        below = [row for row in protecting if row["epsilon"] <= epsilon]
        if below:
            yield epsilon, below[-1]


def _largest(row: Mapping[str, Any], telling: Telling, k: int | None) -> str:
    held = k if k is not None and row["satisfied"] and row["max_k"] >= k else 1
    size = telling.rounding.size(row["max_k"], at_least=held)
    if size.exact:
        return f"{row['max_k']:,}"
    return f"under {telling.threshold}" if size.least is None else f"about {size.least:,}"


def _holds(row: Mapping[str, Any]) -> str:
    if not row["protection"]:
        return "no protection"
    return {True: "holds", False: "no", None: "-"}[row["satisfied"]]


def declares_scale(material: Material) -> bool | None:
    """Return whether somebody declared the scale; None where no document says it."""
    exposure, verified = material.judged["exposure"], material.of("verify")
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


def method(material: Material) -> Mapping[str, Any] | None:
    """Return how the release was made, as its manifest or its maker states it; None where nobody does."""
    verified = material.of("verify")
    made = verified["stated_not_checked"] if verified is not None else material.of("anonymize") or {}
    found = made.get("method")
    return found if isinstance(found, Mapping) and isinstance(found.get("name"), str) else None


def cautions(material: Material, *parts: str) -> list[str]:
    """Return what to know before relying on any of it; to others without the numbers of this data."""
    found = material.cautions(*parts)
    internal = material.telling.internal
    return list(
        dict.fromkeys(as_options(text) if internal else CODES.get(code, code) for code, text in found)
    )
