"""A result as JSON text."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base.provenance import tool
from ratingpriv.report.plain import write_text

if TYPE_CHECKING:
    from ratingpriv.data.table.description import TableDescription
    from ratingpriv.partition.files.certificate_check import CertificateCheck

__all__ = ["check_dict", "json_text", "write_json"]


def json_text(content: dict[str, Any], *, ascii_only: bool = False) -> str:
    """Return ``content`` (a result's ``to_dict()``) as indented JSON that ends in a newline.

    ``ascii_only`` escapes all other characters, for an output that is not UTF-8. NaN and infinity are refused
    (ValueError): they are not JSON.
    """
    return json.dumps(content, indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n"


def write_json(
    content: dict[str, Any], path: str | Path, *, force: bool = False, private: bool = False
) -> None:
    """Write ``content`` to ``path``, whole or not at all; errors as :func:`.files.replacing`."""
    write_text(json_text(content), path, force=force, private=private)


def check_dict(check: CertificateCheck, dataset: TableDescription) -> dict[str, Any]:
    """Return the JSON contract ``ratingpriv.certificate-check/1``."""
    return {
        "schema": "ratingpriv.certificate-check/1",
        "tool": tool(),
        "selection": dataset.selection_dict(),
        "right": check.right,
        "holds": check.holds,
        "everybody": check.everybody,
        "claimed": dataclasses.asdict(check.claim),
        "demanded": None if check.demand is None else dataclasses.asdict(check.demand),
        "meets_demand": check.meets_demand,
        "quasi": [rule.to_dict() for rule in check.quasi],
        "sensitive": list(check.sensitive),
        "records": check.records,
        "groups": check.groups,
        "withheld": check.withheld,
        "withheld_records": list(check.withheld_records),
        "hash_compared": check.hash_compared,
        "equal": None if check.equal is None else check.equal.to_dict(),
        "cautions": [caution.to_dict() for caution in check.cautions],
        "accepted": list(check.standing.accepted),
        "problems": list(check.problems),
    }
