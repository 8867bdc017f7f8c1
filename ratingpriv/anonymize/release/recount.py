"""What a manifest says, beside what the file gives: every figure that can be counted again is.

What cannot be (how many records the input had, what was changed) must at least add up with what can; it is
the publisher's word, and :func:`stated_not_checked` says which.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from ratingpriv.anonymize.release.manifest import OF_INPUT, Manifest, versions
from ratingpriv.audit.result import AuditResult
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.measure import Distortion, mean_rating

__all__ = ["differences", "stated_not_checked"]

_CLOSE = 1e-9  # SDs may differ in the last bits from one machine to the next
_CHECKED = (
    "schema", "parameters", "issues", "sensitive", "nominal", "quasi", "carried", "verification", "read",
    "cautions", "accepted", "ids",
)  # fmt: skip


def differences(claim: Manifest, table: RatingTable, result: AuditResult) -> Iterator[str]:
    """Yield where the manifest says one thing and the file another, and where it contradicts itself."""
    content = claim.content
    if table.n_records != claim.records:
        yield f"{table.n_records:,} records instead of the {claim.records:,} that the manifest names"
    if table.n_issues != content["issues"]:
        yield _differ("issues that are not sensitive", content["issues"], table.n_issues)
    names = [column.name for column in table.sensitive]
    if sorted(content["sensitive"]) != sorted(names) or sorted(claim.read.options.sensitive) != sorted(names):
        yield "the manifest names other sensitive issues than those that it has the file read with"
    yield from _columns(content, table)
    yield from _verification(claim.claimed, result)
    yield from _distortion(content, table)
    yield from _quasi_distortion(content, table)
    yield from _cautions(content, result)


def stated_not_checked(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is the publisher's word alone, under the manifest's keys."""
    cost = content["distortion"]
    unchecked = {
        name: value for name, value in content.items() if name not in (*_CHECKED, "replaces", "signature")
    }
    unchecked["release"] = {"file": content["release"]["file"]}
    unchecked["records"] = {"withheld": content["records"]["withheld"]}
    unchecked["distortion"] = {
        field.name: cost[field.name]
        for field in fields(Distortion)
        if field.name != "mean_after" and field.name in cost
    }
    return unchecked


def _columns(content: Mapping[str, Any], table: RatingTable) -> Iterator[str]:
    """Yield where the columns beside the ratings are others; a manifest without the words names none."""
    nominal = {column.name for column in table.sensitive if column.nominal}
    if set(content.get("nominal", ())) != nominal:
        yield "the manifest names other nominal sensitive columns than those that it has the file read with"
    rules = [(column.name, column.within) for column in table.quasi]
    stated = [(rule["name"], rule.get("within")) for rule in content.get("quasi", ())]
    if sorted(rules, key=str) != sorted(stated, key=str):
        yield "the manifest names other quasi-identifiers or rules than those it has the file read with"
    if sorted(content.get("carried", ())) != sorted(column.name for column in table.carried):
        yield "the manifest names other carried columns than those that it has the file read with"


def _verification(said: Mapping[str, Any], result: AuditResult) -> Iterator[str]:
    if said["largest_k"] != result.k_epsilon.max_k:
        yield (
            f"the manifest says that k = {said['largest_k']} holds at most; counted again, it "
            f"is {result.k_epsilon.max_k}: the manifest was changed"
        )
    largest = {} if result.k_epsilon_l is None else dict(result.k_epsilon_l.max_l)
    stated = said["largest_l"]
    same = (stated is None) == (result.k_epsilon_l is None) and set(stated or {}) == set(largest)
    if not same or not all(_same((stated or {})[name], largest[name]) for name in largest):
        yield "the manifest says that other l hold at most than counted again: the manifest was changed"
    if said["satisfied"] is not True:
        yield "the manifest itself says that its claim does not hold"
    if said["read_from"] != "the written file":
        yield "the manifest says that its claim was not counted from the written file"
    risk = result.risk
    for name, stated, counted in (
        ("records that violate the claim", said["violators"], result.n_violators),
        ("the highest risk", said["highest_risk"], risk.prosecutor_max),
        ("the average risk", said["average_risk"], risk.marketer),
    ):
        if not _same(stated, counted):
            yield _differ(name, stated, counted)


def _distortion(content: Mapping[str, Any], table: RatingTable) -> Iterator[str]:
    """Yield where the costs contradict the file or one another."""
    cost, withheld = content["distortion"], content["records"]["withheld"]
    changed, filled, erased = cost["changed"], cost["filled"], cost["erased"]
    touched, moved = cost["records_touched"], changed + filled + erased
    records, kept = table.n_records + withheld, cost["ratings"] - cost["ratings_withheld"]
    if kept - erased + filled != table.n_ratings:
        yield _differ("ratings of the release", kept - erased + filled, table.n_ratings)
    mean = mean_rating(table)
    if not _same_digits(cost["mean_after"], mean):
        yield _differ(
            "the mean of its ratings", cost["mean_after"], None if mean is None else float(f"{mean:.2g}")
        )
    shares = {"changed": changed, "filled": filled, "erased": erased, "withheld": cost["ratings_withheld"]}
    contradictions = {
        "records left out": cost["records_withheld"] != withheld,
        "the ratings of records left out": bool(cost["ratings_withheld"]) and not withheld,
        "the cells of the input": bool(cost["cells"] % max(1, records))
        or cost["cells"] < records * table.n_issues,
        "the ratings of the input": not cost["ratings"] <= cost["cells"] or kept < changed + erased,
        "the changed and imputed ratings": changed + filled > table.n_ratings,
        "the records that were touched": touched > min(moved, table.n_records)
        or moved * max(1, records) > touched * cost["cells"],
        "the information loss": (moved == 0 and cost["total"] != 0) or (changed > 0 and cost["total"] == 0),
        "the shares": any(
            not _same(cost["shares"][name], amount / cost["ratings"] if cost["ratings"] else None)
            for name, amount in shares.items()
        ),
        "the mean before": (cost["mean_before"] is None) != (cost["ratings"] == 0)
        or (moved + cost["ratings_withheld"] == 0 and not _same(cost["mean_before"], cost["mean_after"])),
        "the mean of imputed ratings": (cost["mean_filled"] is None) != (filled == 0)
        or (cost["sd_filled"] is None) != (filled == 0)
        or (cost["sd_filled"] or 0) < 0,
    }  # fmt: skip
    for name, wrong in contradictions.items():
        if wrong:
            yield f"what the manifest says of what it cost does not add up: {name}"


def _quasi_distortion(content: Mapping[str, Any], table: RatingTable) -> Iterator[str]:
    """Yield where the costs on quasi-identifiers contradict the file or one another."""
    cost = content["distortion"].get("quasi")
    if (cost is None) != (not table.quasi):
        yield "the manifest has costs on quasi-identifiers where the file has none, or none where it has some"
    if cost is None or not table.quasi:
        return
    changed, erased, withheld = cost["changed"], cost["erased"], cost["withheld"]
    released = sum(int((column.codes >= 0).sum()) for column in table.quasi)
    if cost["cells"] - withheld - erased != released:
        yield _differ("values of quasi-identifiers", cost["cells"] - withheld - erased, released)
    contradictions = {
        "the values that were changed": changed > released or (changed == 0 and cost["moved"] > 0),
        "the records that were touched": cost["records_touched"] > min(changed + erased, table.n_records)
        or changed + erased > cost["records_touched"] * len(table.quasi),
        "the values of records left out": withheld > content["records"]["withheld"] * len(table.quasi),
    }
    for name, wrong in contradictions.items():
        if wrong:
            yield f"what the manifest says of what it cost on quasi-identifiers does not add up: {name}"


def _cautions(content: Mapping[str, Any], result: AuditResult) -> Iterator[str]:
    """Yield whether cautions were taken away or changed; another version may word or give others.

    A manifest that does not say which were accepted was written when there were fewer.
    """
    if content["versions"].get("ratingpriv") != versions()["ratingpriv"] or "accepted" not in content:
        return
    stated = [caution for caution in content["cautions"] if caution["code"] not in OF_INPUT]
    if stated != [caution.to_dict() for caution in result.cautions]:
        yield "the manifest gives other cautions than the file, counted again, calls for"


def _differ(name: str, stated: object, counted: object) -> str:
    return f"{name}: the manifest says {_number(stated)}; counted again, it is {_number(counted)}"


def _number(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)


def _same_digits(stated: float | None, exact: float | None) -> bool:
    """Whether ``stated`` is ``exact`` in two digits, whichever way a tie was rounded."""
    if stated is None or exact is None:
        return stated is exact
    near = (exact, exact * (1 + _CLOSE), exact * (1 - _CLOSE))
    return any(stated == float(f"{value:.2g}") for value in near)
