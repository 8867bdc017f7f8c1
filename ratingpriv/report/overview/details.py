"""What the appendix of a report shows: rows of tables, from documents, as they may be told."""

from __future__ import annotations

import math
from collections.abc import Mapping
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
    histogram = audit["neighbourhood_sizes"]["histogram"]
    classes = [
        (start, end, sum(one["records"] for one in histogram if start <= one["size"] <= (end or math.inf)))
        for start, end in zip(starts, [*ends, None], strict=True)
    ]
    if not telling.rounding.exact:
        classes = _joined(classes, telling.threshold)
    told = telling.rounding.parts([records for *_, records in classes], total)
    names = [
        f"{start:,} or more" if end is None else f"{start:,}" if start == end else f"{start:,} to {end:,}"
        for start, end, _ in classes
    ]
    return [
        (name, telling.amount(amount), amount.high / (total or 1))
        for name, amount in zip(names, told, strict=True)
    ]


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


def distances(material: Material) -> list[_Row]:
    """Return what holds at which distance: ε, largest k, records that are alone, whether it does.

    A distance that is no whole number is the difference between two people's answers, and so is the largest
    one where nobody declared a scale. To others the rows are those of whole numbers, and of what was asked
    for, up to where nothing protects any more (not declared: up to twice of that): what holds there is what
    holds at the last one that matters.
    """
    document, telling = material.documents["frontier"], material.telling
    target, k = material.judged["parameters"]["epsilon"], document["parameters"]["k"]
    rows = sorted(document["rows"], key=lambda row: float(row["epsilon"]))
    shown = [(row["epsilon"], row) for row in rows]
    if not telling.internal and document["parameters"]["epsilon"] is None:
        protecting = [row for row in rows if row["protection"] and document["complete"]]
        last = protecting[-1]["epsilon"] if protecting else -1.0
        if not declares_scale(material):
            last = min(last, math.ceil(2 * max(target, 1)))
        steps = range(min(math.floor(last), _DISTANCES) + 1)
        shown = []
        for epsilon in sorted({*map(float, steps), *([target] if target <= last else [])}):
            below = [row for row in protecting if row["epsilon"] <= epsilon]
            shown += [(epsilon, below[-1])] if below else []
    told: list[_Row] = []
    for epsilon, row in shown[:_DISTANCES]:
        held = k if k is not None and row["satisfied"] and row["max_k"] >= k else 1
        size = telling.rounding.size(row["max_k"], at_least=held)
        largest = f"under {telling.threshold}" if size.least is None else f"about {size.least:,}"
        holds = (
            {True: "holds", False: "no", None: "-"}[row["satisfied"]]
            if row["protection"]
            else "no protection"
        )
        told.append(
            (
                in_full(epsilon),
                f"{row['max_k']:,}" if size.exact else largest,
                telling.cell(row["singletons"], document["dataset"]["records"]),
                holds,
            )
        )
    return told


def declares_scale(material: Material) -> bool | None:
    """Return whether somebody declared the scale; None where no document says it."""
    exposure, verified = material.judged["exposure"], material.of("verify")
    if exposure is not None:
        return bool(exposure["scale_declared"])
    claim = None if verified is None else verified["read"]["claim"]
    return bool(claim["scale"]["declared"]) if claim is not None and claim.get("scale") else None


def seeds(material: Material) -> list[tuple[str, int]] | None:
    """Return the seeds by part; None where they say who is in a sample, which others may not know."""
    drawn = []
    for part, document in material.documents.items():
        beside = document.get("original") or {}
        selection = document.get("selection") or beside.get("selection")
        if not material.telling.internal and selection and selection["records"] < selection["of_records"]:
            return None
        seed = document.get("parameters", {}).get("seed")
        if seed is None and document.get("exposure"):
            seed = document["exposure"]["seed"]
        if seed is not None:
            drawn.append((part, int(seed)))
    return drawn


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
