"""Checking a release, by anybody, from its manifest and the file alone.

What it proves: the file is the one that the manifest speaks of, byte for byte, and it is as anonymous as the
manifest claims, counted anew. What it does not prove: who wrote them. Whoever can replace the release can
replace its manifest too, by one that claims less; so the claim is always shown, and what is *needed* can be
demanded (``k``, ``epsilon``, ``l``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ratingpriv.anonymize.release.manifest import Manifest, manifest_path, read_manifests
from ratingpriv.anonymize.result import audit_for
from ratingpriv.audit.result import AuditResult
from ratingpriv.compute.resources import Resources
from ratingpriv.errors import DataError, Problem
from ratingpriv.formats.sources import Source
from ratingpriv.progress import Progress
from ratingpriv.proximity.reservations import reservations
from ratingpriv.table import RatingTable
from ratingpriv.target import Target

__all__ = ["SCHEMA", "VerifyResult", "verify"]

SCHEMA = "ratingpriv.verify/1"
"""Name and version of the JSON contract; bumped whenever a key changes its meaning or goes away."""

_CLOSE = 1e-9  # SDs may differ in the last bits from one machine to the next


@dataclass(frozen=True, slots=True, eq=False)
class VerifyResult:
    """What :func:`verify` found.

    Attributes
    ----------
    path : the release
    valid : whether there is no problem
    sha256 : of the file's bytes
    manifest : what is claimed; where no manifest is of this file, the one that was found
    audit : the audit of the file for what is claimed; None where the file is another one
    demanded : the audit for what was demanded; None where nothing was, or the file is another one
    problems : what is wrong, a sentence each
    warnings : how little may be claimed, a sentence each
    """

    path: Path
    valid: bool
    sha256: str
    manifest: Manifest
    audit: AuditResult | None
    demanded: AuditResult | None
    problems: tuple[str, ...]
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.verify/1`` as plain dicts, lists, strings and numbers."""
        claim = self.manifest
        return {
            "schema": SCHEMA,
            "valid": self.valid,
            "release": str(self.path),
            "release_sha256": self.sha256,
            "is_the_manifests": self.sha256 == claim.sha256,
            "claimed": {
                "k": claim.k,
                "epsilon": claim.epsilon,
                "l": claim.l,
                "nulls": claim.nulls,
                "sensitive_nulls": claim.sensitive_nulls,
                "sensitive": list(claim.read.options.sensitive),
                "scale": None if claim.read.options.scale is None else list(claim.read.options.scale),
                "records": claim.records,
            },
            "found": _found(self.audit),
            "demanded": _found(self.demanded),
            "problems": list(self.problems),
            "warnings": list(self.warnings),
            "cautions": [] if self.audit is None else [caution.to_dict() for caution in self.audit.cautions],
        }


def verify(
    release: str | Path,
    *,
    k: int | None = None,
    epsilon: float | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> VerifyResult:
    """Check the file ``release`` against its manifest beside it, and count again what the manifest claims.

    Parameters
    ----------
    k, epsilon, l : what the release shall hold at least, whatever its manifest claims; what is not given is
        as claimed. The nulls' rules are always those of the manifest
    threads, memory : for the audit

    Raises
    ------
    DataError
        The file or its manifest is missing or cannot be read as such.
    ParameterError
        A demand is out of range, or ``l`` is demanded and the manifest names no sensitive issue.
    """
    release = Path(release)
    source = Source(release)
    if source.is_dir or source.is_stdin:
        remedy = "name the file that was released; its manifest lies beside it"
        raise DataError(Problem(source.name, "no file", "a release, which is one file", remedy))
    candidates = read_manifests(_beside(release))
    sha256 = source.sha256()
    claim = next((one for one in candidates if one.sha256 == sha256), None)
    if claim is None:
        problem = (
            "this is not the file that the manifest speaks of: the file, or the manifest, was changed after "
            f"the release was written (SHA-256 is {sha256}, expected {candidates[0].sha256})"
        )
        return VerifyResult(release, False, sha256, candidates[0], None, None, (problem,), ())
    claimed = Target(
        k=claim.k, epsilon=claim.epsilon, l=claim.l, nulls=claim.nulls, sensitive_nulls=claim.sensitive_nulls
    )
    demands: dict[str, Any] = {"k": k, "epsilon": epsilon, "l": l}
    demands = {name: value for name, value in demands.items() if value is not None}
    needed = replace(claimed, **demands)  # wrong usage is said before a long read
    resources = Resources(threads, memory, progress)
    table = claim.read.read(source, progress=progress)  # the bytes that were hashed
    result = audit_for(table, claimed, resources)
    demanded = audit_for(table, needed, resources) if demands else None
    problems = tuple(_problems(claim, result, demanded))
    warnings = tuple(_warnings(claim, table, len(candidates) > 1))
    return VerifyResult(release, not problems, sha256, claim, result, demanded, problems, warnings)


def _beside(release: Path) -> Path:
    """Return the manifest beside the name that was given, else beside the file that a link leads to."""
    path = manifest_path(release)
    return path if path.exists() or not release.is_symlink() else manifest_path(release.resolve())


def _problems(claim: Manifest, result: AuditResult, demanded: AuditResult | None) -> Iterator[str]:
    if not result.satisfied:
        yield f"the file is not as anonymous as claimed: {_shortfall(result)}"
    if demanded is not None and not demanded.satisfied:
        yield f"the file is not as anonymous as demanded: {_shortfall(demanded)}"
    if result.dataset.records != claim.records:
        yield f"{result.dataset.records:,} records instead of the {claim.records:,} that the manifest names"
    if claim.claimed.get("largest_k") != result.k_epsilon.max_k:
        yield (
            f"the manifest says that k = {claim.claimed.get('largest_k')} holds at most; counted again, it "
            f"is {result.k_epsilon.max_k}: the manifest was changed"
        )
    largest = {} if result.k_epsilon_l is None else dict(result.k_epsilon_l.max_l)
    stated = claim.claimed.get("largest_l")
    stated = stated if isinstance(stated, dict) else {}
    if set(stated) != set(largest) or not all(_same(stated[name], largest[name]) for name in largest):
        yield "the manifest says that other l hold at most than counted again: the manifest was changed"


def _same(one: object, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return isinstance(one, int | float) and math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)


def _shortfall(result: AuditResult) -> str:
    target = result.parameters
    model = target.model
    return f"{result.n_violators:,} of {result.dataset.records:,} records violate ({model})"


def _warnings(claim: Manifest, table: RatingTable, broken_off: bool) -> Iterator[str]:
    """Yield what makes the claim a small one."""
    yield from (caution.message for caution in reservations(table, claim.nulls, claim.k, claim.epsilon))
    if not table.sensitive:
        yield "no issue is named as sensitive: if one is, nothing is claimed of it"
    elif claim.l is None:
        names = ", ".join(column.name for column in table.sensitive)
        yield f"no l is claimed: a neighbourhood may agree on a sensitive question ({names})"
    if claim.content.get("ids") == "keep":
        yield "the release keeps the input's ids and order, against which anonymous ratings do not help"
    if table.timestamps is not None:
        yield "the release has timestamps, of which nothing is claimed"
    if broken_off:
        yield (
            "the manifest file holds two manifests: replacing one release by another broke off; write the "
            "new one again"
        )


def _found(result: AuditResult | None) -> dict[str, Any] | None:
    if result is None:
        return None
    target, diverse = result.parameters, result.k_epsilon_l
    return {
        "k": target.k,
        "epsilon": target.epsilon,
        "l": target.l,
        "satisfied": result.satisfied,
        "violators": result.n_violators,
        "largest_k": result.k_epsilon.max_k,
        "largest_l": None if diverse is None else dict(diverse.max_l),
        "highest_risk": result.risk.prosecutor_max,
    }
