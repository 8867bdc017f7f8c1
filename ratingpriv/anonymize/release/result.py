"""A written release, what its manifest says in public, and what its key keeps in private."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ratingpriv.anonymize.release import manifest as manifests
from ratingpriv.anonymize.release.attacked import Attacked
from ratingpriv.anonymize.release.publication import Published
from ratingpriv.anonymize.result import Anonymized
from ratingpriv.audit.result import AuditResult
from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.display import Displayed
from ratingpriv.base.errors import TargetNotReachedError
from ratingpriv.base.keys import Key
from ratingpriv.base.provenance import tool
from ratingpriv.base.target import Target
from ratingpriv.data.formats.writing import Rereading
from ratingpriv.data.table import RatingTable
from ratingpriv.documents import anonymize as documents
from ratingpriv.documents.making import document_of
from ratingpriv.partition.distortion.measure import Distortion
from ratingpriv.proximity.reservations import of_written
from ratingpriv.utility.result import Utility

__all__ = ["SCHEMA", "Release", "key_content", "made_content", "manifest_content", "not_reached_content"]

SCHEMA = "ratingpriv.anonymize/1"
"""Name and version of the JSON contract; bumped whenever a key changes its meaning or goes away."""


@dataclass(frozen=True, slots=True, eq=False)
class Release(Displayed):
    """A release that is written, proved and renamed.

    Attributes
    ----------
    path, manifest_path : the two files to publish
    key_path : the private key, None where none was requested
    sha256 : of the release's bytes
    ids : what became of ids and order, one of IDS
    anonymized : what was written
    audit : the audit of the written file
    read : how the file is read
    warnings : what to know before publishing, a sentence each
    signed : whether the manifest is signed
    utility : what it is still good for; None where that was not measured
    accept : codes of the reservations (:data:`ratingpriv.base.cautions.BUTS`) with which its publisher takes
        it
    attack : who is found in it; None where that was not measured
    """

    path: Path
    manifest_path: Path
    key_path: Path | None
    sha256: str
    ids: str
    anonymized: Anonymized
    audit: AuditResult
    read: Rereading
    warnings: tuple[str, ...]
    signed: bool
    utility: Utility | None = None
    accept: tuple[str, ...] = ()
    attack: Attacked | None = None

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before relying on it: of the written file, and of the columns of its input."""
        return of_written(self.audit.cautions, self.anonymized.table)

    @property
    def standing(self) -> Standing:
        """What the release comes to with its reservations."""
        return Standing.of(self.audit.satisfied, self.cautions, self.accept)

    def __repr__(self) -> str:
        return f"<Release {str(self.path)!r} by {self.anonymized.method}; {self.audit.verdict}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.anonymize/1`` as plain dicts, lists, strings and numbers.

        For the publisher: it tells what the key file is called, but nothing that is in it.
        """
        made, key = self.anonymized, self.key_path
        return document_of(
            documents.Released, self,
            satisfied=self.audit.satisfied, selection=_selection(made.table), parameters=_target(made),
            method=_method(made), verification=_verification(self.audit), equal=self.audit.equal,
            utility=None if self.utility is None else self.utility.measures_dict(),
            release=str(self.path), release_sha256=self.sha256, manifest=str(self.manifest_path),
            key=None if key is None else str(key), accepted=self.standing.accepted,
            **_cost(made), **_claims(made),
        )  # fmt: skip


def manifest_content(
    made: Anonymized,
    published: Published,
    result: AuditResult,
    target: Path,
    sha256: str,
    read: Rereading,
    ids: str,
    nonce: str | None,
    useful: Mapping[str, Any] | None = None,
    accept: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the public manifest; nothing in it may help to undo the release.

    ``useful`` is what the publisher allows to be stated of the release's utility; ``accept`` are the codes of
    the reservations that were accepted.
    """
    told = (
        *result.cautions,
        *(one for one in of_written((), made.table) if one.code in manifests.OF_INPUT),
    )
    input_sha256 = made.table.origin.sha256
    committed = None
    if nonce is not None and input_sha256 is not None:
        committed = manifests.commitment(nonce, input_sha256)
    return {
        "schema": manifests.SCHEMA,
        "release": {"file": target.name, "sha256": sha256},
        "parameters": _target(made),
        "method": _method(made),
        "ids": ids,
        "records": {
            "released": made.table.n_records,
            "withheld": made.distortion.records_withheld,
        },
        "issues": published.table.n_issues,
        "sensitive": [column.name for column in published.table.sensitive],
        **_columns(published.table),
        "distortion": _public(made.distortion),
        **({"utility": dict(useful)} if useful else {}),
        "verification": _verification(result),
        "read": read.to_dict(),
        "cautions": [caution.to_dict() for caution in told],
        "accepted": list(Standing.of(result.satisfied, told, accept).accepted),
        "input": {
            "sha256": None,
            "why": "who can guess the input could prove the guess by its hash; it is in the private key",
            "commitment": committed,
        },
        "versions": dict(manifests.versions()),
    }


def _columns(table: RatingTable) -> dict[str, Any]:
    """Return what is said of the columns beside the ratings; of those left out, how many, without names."""
    rules = [column.described.to_dict() for column in table.quasi]
    recoded = {rule["name"]: rule.pop("recoded") for rule in rules if "recoded" in rule}
    left_out = None
    if table.roles is not None:
        roles = [role for _, role in table.roles.columns]
        left_out = {role: roles.count(role) for role in ("identifier", "drop")}
    return {
        "nominal": [column.name for column in table.sensitive if column.nominal],
        "quasi": rules,
        "recoded": recoded,
        "carried": [column.name for column in table.carried],
        "left_out": left_out,
    }


def key_content(
    made: Anonymized,
    published: Published,
    found: RatingTable,
    original: RatingTable | None,
    sha256: str,
    ids: str,
    nonce: str | None,
) -> Key:
    """Return the private key: released ids are those that a reader of the file finds."""
    before = made.table.record_ids.to_list() if original is None else original.record_ids.to_list()
    kept = made.kept.tolist() if original is not None else list(range(len(before)))
    names = published.table.record_ids.cast(found.record_ids.dtype).to_list()
    released: list[int | str | None] = [None] * len(before)
    for name, position in zip(names, published.positions.tolist(), strict=True):
        released[kept[position]] = name
    facts = {
        "release_sha256": sha256,
        "input_sha256": made.table.origin.sha256,
        "nonce": nonce,
        "ids": ids,
        "seed": published.seed,
        "method_seed": made.parameters.seed if made.secret_seed is None else made.secret_seed,
    }
    return Key(tuple(before), tuple(released), facts)


def not_reached_content(
    error: TargetNotReachedError, table: RatingTable, method: str, target: Mapping[str, Any]
) -> dict[str, Any]:
    """Return ``ratingpriv.anonymize/1`` where there is no release of ``table``: what could be reached."""
    best = error.best if isinstance(error.best, Anonymized) else None
    content: dict[str, Any] = {
        "schema": SCHEMA,
        "tool": tool(),
        "satisfied": False,
        "selection": _selection(table),
        "parameters": dict(target),
        "method": {"name": method},
        "message": str(error),
        "release": None,
        "best": None,
    }
    if best is not None:
        content["best"] = {
            "parameters": _target(best),
            "method": _method(best),
            **_cost(best),
            **_claims(best),
            "verification": {**_verification(best.audit), "read_from": "memory"},
        }
    return content


def made_content(made: Anonymized) -> dict[str, Any]:
    """Return what was done, and what that cost: a part of ``ratingpriv.anonymize/1``."""
    return {
        "selection": _selection(made.table),
        "parameters": _target(made),
        "method": _method(made),
        **_cost(made),
        **_claims(made),
    }


def _cost(made: Anonymized) -> dict[str, Any]:
    cost = made.distortion
    return {
        "distortion": cost.total,
        "cells": {
            "total": cost.cells,
            "rated": cost.ratings,
            "changed": cost.changed,
            "filled": cost.filled,
            "erased": cost.erased,
        },
        "shares": cost.shares,
        "means": {
            "before": cost.mean_before,
            "after": cost.mean_after,
            "filled": cost.mean_filled,
            "filled_sd": cost.sd_filled,
        },
        "records": {
            "original": made.table.n_records + cost.records_withheld,
            "released": made.table.n_records,
            "touched": cost.records_touched,
            "withheld": cost.records_withheld,
        },
        **({} if cost.quasi is None else {"quasi_cells": cost.quasi.to_dict()}),
    }


def _claims(made: Anonymized) -> dict[str, Any]:
    """Return what was measured beside the cost; counted in the original, so for the publisher alone."""
    return {} if made.claims is None else {made.method: made.claims.to_dict()}


def _public(cost: Distortion) -> dict[str, Any]:
    """Return the cost for everybody: means of two digits show a bias, and lead back to nobody's rating."""
    content = cost.to_dict()
    for name in ("mean_before", "mean_after", "mean_filled", "sd_filled"):
        content[name] = None if content[name] is None else float(f"{content[name]:.2g}")
    return content


def _selection(table: RatingTable) -> dict[str, Any] | None:
    """Return which part of the data this is, without the seed: with it, one knows who is in the sample."""
    return None if table.selection is None else {**table.selection.to_dict(), "seed": None}


def _target(made: Anonymized) -> dict[str, Any]:
    return {field.name: getattr(made.parameters, field.name) for field in fields(Target)}


def _method(made: Anonymized) -> dict[str, Any]:
    """Say how it was made: all its parameters beside the target."""
    more = {name: value for name, value in made.parameters.to_dict().items() if name not in _target(made)}
    return {"name": made.method, **more, "optimal": made.optimal, "statement": made.statement}


def _verification(result: AuditResult) -> dict[str, Any]:
    diverse = result.k_epsilon_l
    return {
        "satisfied": result.satisfied,
        "read_from": "the written file",
        "largest_k": result.k_epsilon.max_k,
        "largest_l": None if diverse is None else dict(diverse.max_l),
        "highest_risk": result.risk.prosecutor_max,
        "average_risk": result.risk.marketer,
        "violators": result.n_violators,
    }
