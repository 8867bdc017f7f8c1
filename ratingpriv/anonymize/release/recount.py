"""What a manifest says, beside what the file gives: every figure that can be counted again is.

What cannot be (how many records the input had, what was changed) must at least add up with what can; it is
the publisher's word, and :func:`stated_not_checked` says which.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from ratingpriv.anonymize.release.manifest import OF_INPUT, Manifest, two_digits, versions
from ratingpriv.anonymize.release.result import counted
from ratingpriv.audit.result import AuditResult
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.measure import Distortion, QuasiDistortion, mean_rating

_CLOSE = 1e-9  # SDs may differ in the last bits from one machine to the next
_CHECKED = (
    "schema", "parameters", "issues", "sensitive", "nominal", "quasi", "carried", "verification", "read",
    "cautions", "accepted", "ids", "replaces", "signature",
)  # fmt: skip


def differences(claim: Manifest, table: RatingTable, result: AuditResult) -> Iterator[str]:
    """Yield where the manifest says one thing and the file another, and where it contradicts itself."""
    content, again = claim.content, counted(table, result)
    if claim.records != table.n_records:
        yield _differ("records", claim.records, table.n_records)
    recounted = again.pop("verification")
    if "known" in claim.claimed and "known" not in recounted:
        yield "known: the manifest says more of known ratings than it claims"
    for name, value in recounted.items():
        stated = claim.claimed.get(name)
        if not _same(stated, value):
            yield _differ(name, stated, value)
    for name, value in again.items():
        if name == "issues" and content[name] != value:
            yield _differ("issues that are not sensitive", content[name], value)
        elif name != "issues" and _listed(content.get(name, [])) != _listed(value):
            yield f"{name}: the manifest names others than those that it has the file read with"
    yield from _distortion(content, table)
    # another version may word or give others, and one that does not say which were accepted gave fewer
    if content["versions"].get("ratingpriv") == versions()["ratingpriv"] and "accepted" in content:
        cautions = [caution for caution in content["cautions"] if caution["code"] not in OF_INPUT]
        if cautions != [caution.to_dict() for caution in result.cautions]:
            yield "the manifest gives other cautions than the file, counted again, calls for"


def stated_not_checked(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is the publisher's word alone, under the manifest's keys."""
    cost = content["distortion"]
    names = [part.name for part in fields(Distortion) if part.name != "mean_after" and part.name in cost]
    return {name: value for name, value in content.items() if name not in _CHECKED} | {
        "release": {"file": content["release"]["file"]},
        "records": {"withheld": content["records"]["withheld"]},
        "distortion": {name: cost[name] for name in names},
    }


def _listed(stated: list[Any]) -> list[Any]:
    """Return names, or rules as (name, within), in one order."""
    rules = [(one["name"], one.get("within")) if isinstance(one, dict) else one for one in stated]
    return sorted(rules, key=str)


def _distortion(content: Mapping[str, Any], table: RatingTable) -> Iterator[str]:
    """Yield where the costs contradict the file or one another."""
    stated, withheld = content["distortion"], content["records"]["withheld"]
    cost = Distortion(**{field.name: stated.get(field.name) for field in fields(Distortion)})
    left_in, records = cost.ratings - cost.ratings_withheld, table.n_records + withheld
    touched = cost.records_touched
    left = left_in - cost.erased + cost.filled
    if left != table.n_ratings:
        yield _differ("ratings of the release", left, table.n_ratings)
    mean = mean_rating(table)
    # either way to round a tie
    near = [None] if mean is None else [two_digits(mean * (1 + by)) for by in (0, _CLOSE, -_CLOSE)]
    if cost.mean_after not in near:
        yield _differ("the mean of its ratings", cost.mean_after, near[0])
    contradictions = {
        "records left out": cost.records_withheld != withheld,
        "the ratings of records left out": bool(cost.ratings_withheld) and not withheld,
        "the cells of the input": bool(cost.cells % max(1, records)) or cost.cells < records * table.n_issues,
        "the ratings of the input": cost.ratings > cost.cells or left_in < cost.changed + cost.erased,
        "the changed and imputed ratings": cost.changed + cost.filled > table.n_ratings,
        "the records that were touched": touched > min(cost.cells_touched, table.n_records)
        or cost.cells_touched * max(1, records) > touched * cost.cells,
        "the information loss": bool(
            cost.total if cost.cells_touched == 0 else cost.changed and not cost.total
        ),
        "the shares": any(not _same(stated["shares"][name], share) for name, share in cost.shares.items()),
        "the mean before": (cost.mean_before is None) != (cost.ratings == 0)
        or (cost.cells_touched + cost.ratings_withheld == 0 and not _same(cost.mean_before, cost.mean_after)),
        "the mean of imputed ratings": {cost.mean_filled is None, cost.sd_filled is None}
        != {cost.filled == 0},
    }
    if ("quasi" in stated) != bool(table.quasi):
        yield "the manifest has costs on quasi-identifiers where the file has none, or none where it has some"
    elif table.quasi:
        own = QuasiDistortion(**{part.name: stated["quasi"][part.name] for part in fields(QuasiDistortion)})
        released = sum(int((column.codes >= 0).sum()) for column in table.quasi)
        if own.cells - own.withheld - own.erased != released:
            yield _differ("values of quasi-identifiers", own.cells - own.withheld - own.erased, released)
        moved = own.changed + own.erased
        contradictions |= {
            "the values that were changed": own.changed > released or (own.changed == 0 and own.moved > 0),
            "the records that lost or changed values": own.records_touched > min(moved, table.n_records)
            or moved > own.records_touched * len(table.quasi),
            "the values of records left out": own.withheld > withheld * len(table.quasi),
        }
    for name, wrong in contradictions.items():
        if wrong:
            yield f"what the manifest says of what it cost does not add up: {name}"


def _differ(name: str, stated: object, counted: object) -> str:
    said, is_ = (f"{value:.10g}" if isinstance(value, float) else str(value) for value in (stated, counted))
    return f"{name.replace('_', ' ')}: the manifest says {said}; counted again, it is {is_}"


def _same(one: Any, other: Any) -> bool:
    """Whether two figures, or those of the same names, are the same but for the last digits."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return bool(one == other)
