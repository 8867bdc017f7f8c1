"""Releases made on Spark as JSON: what was proved of them, and what they have not that others have."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ratingpriv.cautions import Standing
from ratingpriv.provenance import tool
from ratingpriv.spark.groups.grouping import Modification
from ratingpriv.spark.groups.releasing import Released
from ratingpriv.spark.groups.suppression import Suppression
from ratingpriv.target import Target

__all__ = ["SCHEMA", "not_reached_dict", "release_dict"]

SCHEMA = "ratingpriv.spark-release/1"
"""Name and version of the JSON contract."""

_WARNINGS = (
    "The release has the ids of the input, which identify: replace them before anybody gets it, and audit it "
    "again",
    "There is no manifest: nobody can check the release by ratingpriv verify",
    "There is no key: the ids alone say which released record is whose",
    "What the release is still good for was not measured, and exposure was not measured",
)
"""What has to be known of every such release."""


def release_dict(
    made: Suppression | Modification, release: Released, accept: Sequence[str] = ()
) -> dict[str, Any]:
    """Return ``ratingpriv.spark-release/1`` of a release that was written, as plain dicts and lists.

    ``release`` is that of ``made``; ``accept`` are codes of reservations that are accepted.
    """
    if isinstance(made, Suppression):
        name, original, changes = "suppress", made.records, None
        statement = made.statement
    else:
        name, original = "modify", made.done.records
        changes = {"changed": made.changed, "touched": made.done.touched, "distortion": made.distortion}
        statement = (
            "ratings are changed group by group, each of records that answered the same questions; that this "
            "is the least change is not claimed"
        )
    return {
        "schema": SCHEMA,
        "tool": tool(),
        "satisfied": True,
        "parameters": _target(made.target),
        "method": {"name": name, "engine": "spark", "statement": statement},
        "changes": changes,
        "records": {
            "original": original,
            "released": release.records,
            "withheld": original - release.records,
        },
        "verification": {
            "satisfied": True,
            "read_from": "the written folder, before it had its name",
            "largest_k": release.largest_k,
        },
        "release": release.place,
        "ids": "keep",
        "manifest": None,
        "key": None,
        "warnings": list(_WARNINGS),
        "cautions": [caution.to_dict() for caution in release.cautions],
        "accepted": list(Standing.of(True, release.cautions, accept).accepted),
    }


def not_reached_dict(message: str, method: str, target: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``ratingpriv.spark-release/1`` where nothing was released, and why."""
    return {
        "schema": SCHEMA,
        "tool": tool(),
        "satisfied": False,
        "parameters": dict(target),
        "method": {"name": method, "engine": "spark"},
        "message": message,
        "release": None,
    }


def _target(target: Target) -> dict[str, Any]:
    return dataclasses.asdict(target)
