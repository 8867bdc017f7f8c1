"""A written release, what its manifest says in public, and what its key keeps in private."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import UNSET

from ratingpriv.anonymize.predictive.homogenise import Claims
from ratingpriv.anonymize.release.manifest import OF_INPUT, SUFFIX, commitment, versions
from ratingpriv.anonymize.release.publication import Published
from ratingpriv.anonymize.result import Anonymized, Blanked
from ratingpriv.anonymize.swapping.swapped import Swapped
from ratingpriv.attack.strongest import OF_WHOLE, WHOLE, found_caution
from ratingpriv.audit.result import AuditResult
from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.display import Result
from ratingpriv.base.errors import TargetNotReachedError
from ratingpriv.base.keys import Key
from ratingpriv.base.numbers import two_digits
from ratingpriv.base.reservations import FOUND_AT_MOST
from ratingpriv.base.target import Target
from ratingpriv.data.formats.writing import Rereading
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.parts import QuasiRule
from ratingpriv.documents.anonymize import NotReached, Released, ReleaseMeasures
from ratingpriv.documents.demands import Rate, ReleaseTarget
from ratingpriv.documents.making import document_of
from ratingpriv.documents.release import Manifest, Method, ReleaseVerification
from ratingpriv.proximity.reservations import of_written
from ratingpriv.utility.comparing import worthless_caution
from ratingpriv.utility.result import Utility


@dataclass(frozen=True, slots=True, eq=False)
class Release(Result):
    """A release that is written, proved and renamed.

    Attributes
    ----------
    path, manifest_path, key_path : the two files to publish, and the private key if one was
        requested
    sha256, audit, read : of the written file: the hash of its bytes, its audit, how it is read
    ids : what became of ids and order, one of IDS
    anonymized : what was written
    warnings : what to know before publishing, a sentence each
    signed : whether the manifest is signed
    utility : what it is still good for; None where that was not measured
    accept : codes of the reservations (:mod:`ratingpriv.base.reservations`) with which its
        publisher takes it
    attack : who is found in it, as the document ``AttackOnRelease``; None where only the strongest
        adversary was measured, of ``anonymized``
    found_at_most : the share of people who may be re-identified
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
    attack: dict[str, Any] | None = None
    found_at_most: float = FOUND_AT_MOST

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before relying on it: of the written file, its input, the method,
        who is found.
        """
        made, measured = self.anonymized, self.measured(self.found_at_most)
        return (*of_written(self.audit.cautions, made.table), *made.method_cautions, *measured)

    def measured(self, found_at_most: float) -> tuple[Caution, ...]:
        """Return the reservations on what was measured: who is found, and that it is worthless."""
        cautions = (self._found(found_at_most), self._worthless())
        return tuple(caution for caution in cautions if caution is not None)

    def _found(self, at_most: float) -> Caution | None:
        """Return that more than ``at_most`` of the people are re-identified,
        or that nobody knows.
        """
        if self.attack is None:
            return self.anonymized.found_caution(at_most)
        attack, success = self.attack, Rate(**self.attack["success"])
        ratings = (
            "every rating" if attack["known"] == "all" else f"{attack['known']} ratings of each"
        )
        who = WHOLE if attack["algorithm"] in OF_WHOLE else f"an adversary who knows {ratings}"
        return found_caution(success, attack["at_most"], at_most, who)

    def _worthless(self) -> Caution | None:
        """Return that it is no better than a worthless release, where that was measured."""
        useful = self.utility
        return None if useful is None else worthless_caution(useful.measures_dict())

    @property
    def standing(self) -> Standing:
        """What the release comes to with its reservations."""
        return Standing.of(self.audit.held, self.cautions, self.accept)

    def __repr__(self) -> str:
        return f"<Release {str(self.path)!r} by {self.anonymized.method}; {self.audit.verdict}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.anonymize/1`` as plain dicts, lists,
        strings and numbers.

        For the publisher: it tells what the key file is called, but nothing that is in it.
        """
        key, useful = self.key_path, self.utility
        return document_of(
            Released,
            self,
            **_measures(self.anonymized),
            verification=_verification(self.audit),
            satisfied=self.audit.held is True,
            selection=_selection(self.anonymized.table),
            equal=self.audit.equal,
            utility=None if useful is None else useful.measures_dict(),
            release=str(self.path),
            release_sha256=self.sha256,
            manifest=str(self.manifest_path),
            key=None if key is None else str(key),
            accepted=self.standing.accepted,
        )


def manifest_content(
    release: Release, published: Published, nonce: str | None, useful: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the public manifest; nothing in it may help to undo the release.

    ``nonce`` is of the key, if there is one; ``useful`` is what the publisher allows to be stated
    of the release's utility.
    """
    made, table, result = release.anonymized, published.table, release.audit
    of_file = {caution.code for caution in result.cautions}
    of_input = tuple(
        caution
        for caution in of_written(result.cautions, made.table)
        if caution.code in OF_INPUT and caution.code not in of_file
    )
    threshold = min(release.found_at_most, FOUND_AT_MOST)  # a looser one binds no reader
    measured = (*made.method_cautions, *release.measured(threshold))
    of_input += tuple(Caution.of(caution.code) for caution in measured)  # without their numbers
    cautions = (*result.cautions, *of_input)
    cost, sha256, roles = made.distortion, made.table.origin.sha256, table.roles
    left_out = [] if roles is None else [role for _, role in roles.columns]
    return document_of(
        Manifest,
        release,
        **counted(table, result),
        release=(release.manifest_path.name.removesuffix(SUFFIX), release.sha256),
        parameters=_target(made.parameters),
        method=_method(made),
        records=(table.n_records, cost.records_withheld),
        recoded={column.name: column.recoded for column in table.quasi if column.recoded},
        left_out=None if roles is None else (left_out.count("identifier"), left_out.count("drop")),
        distortion=_stated_cost(made),
        utility=useful or UNSET,
        cautions=cautions,
        found_at_most=threshold,
        accepted=Standing.of(result.held, cautions, release.accept).accepted,
        input=(
            None,
            (
                "a person who guesses the input could prove the guess by its hash; it is in the "
                "private key"
            ),
            None if nonce is None or sha256 is None else commitment(nonce, sha256),
        ),
        versions=versions(),
    )


COUNTED_IN_INPUT = (
    "total",
    "changed",
    "filled",
    "erased",
    "records_touched",
    "ratings",
    "ratings_withheld",
    "shares",
)
"""Costs that are functions of the original's rows and of who was left out, beside the group
tables.
"""


def _stated_cost(made: Anonymized) -> dict[str, Any]:
    """Return the costs as a manifest states them:
    of an exchange nothing that the release does not show.
    """
    means = ("mean_before", "mean_after", "mean_filled", "sd_filled")
    cost = made.distortion.to_dict() | {
        name: two_digits(getattr(made.distortion, name)) for name in means
    }
    if not isinstance(made.claims, Swapped):
        return cost
    cost.pop("quasi", None)
    return cost | dict.fromkeys((*COUNTED_IN_INPUT, "mean_before", "mean_filled", "sd_filled"))


def counted(table: RatingTable, result: AuditResult) -> dict[str, Any]:
    """Return what a manifest says that anybody can count from the released ``table``."""
    return {
        "issues": table.n_issues,
        "sensitive": [column.name for column in table.sensitive],
        "nominal": [column.name for column in table.sensitive if column.nominal],
        "quasi": [QuasiRule(column.name, column.within).to_dict() for column in table.quasi],
        "carried": [column.name for column in table.carried],
        "verification": _verification(result),
    }


def proof(result: AuditResult) -> dict[str, Any]:
    """Return what an audit comes to, as manifests state it and as who verifies one finds it."""
    return {
        "satisfied": result.held is True,
        "violators": result.n_violators,
        "largest_k": result.k_epsilon.max_k,
        "largest_l": None if result.k_epsilon_l is None else result.k_epsilon_l.max_l,
        "highest_risk": result.risk.prosecutor_max,
    }


def key_content(
    release: Release,
    published: Published,
    found: RatingTable,
    original: RatingTable | None,
    nonce: str | None,
) -> Key:
    """Return the private key: released ids are those that a reader of the file finds."""
    made = release.anonymized
    before = (made.table if original is None else original).record_ids.to_list()
    kept = range(len(before)) if original is None else made.kept.tolist()
    names = published.table.record_ids.cast(found.record_ids.dtype).to_list()
    released: list[int | str | None] = [None] * len(before)
    for name, position in zip(names, published.positions.tolist(), strict=True):
        released[kept[position]] = name
    facts = {
        "release_sha256": release.sha256,
        "input_sha256": made.table.origin.sha256,
        "nonce": nonce,
        "ids": release.ids,
        "seed": published.seed,
        "method_seed": made.parameters.seed if made.secret_seed is None else made.secret_seed,
    }
    if isinstance(made.claims, Swapped) and made.groups is not None:
        facts |= made.claims.key_facts(made.groups, before, released)
    return Key(tuple(before), tuple(released), facts)


def not_reached_content(
    error: TargetNotReachedError, table: RatingTable, method: str, target: Target
) -> dict[str, Any]:
    """Return ``ratingpriv.anonymize/1`` where there is no release of ``table``:
    what could be reached.
    """
    best = error.best if isinstance(error.best, Anonymized) else None
    return document_of(
        NotReached,
        error,
        satisfied=False,
        selection=_selection(table),
        parameters=_target(target),
        method={"name": method},
        message=str(error),
        release=None,
        best=None if best is None else _attempted(best),
    )


def made_content(made: Anonymized) -> dict[str, Any]:
    """Return what was done, and what that cost: a part of ``ratingpriv.anonymize/1``."""
    return {"selection": _selection(made.table), **_attempted(made)}


def _attempted(made: Anonymized) -> dict[str, Any]:
    proof = _verification(made.audit, read_from="memory")
    return document_of(ReleaseMeasures, made, **_measures(made), verification=proof)


def _measures(made: Anonymized) -> dict[str, Any]:
    """Return what ``ReleaseMeasures`` says of what was done, and of what that cost.

    What ``predictive`` was measured beside that is counted in the original, so for the publisher
    alone.
    """
    cost, released = made.distortion, made.table.n_records
    return {
        "parameters": _target(made.parameters),
        "method": _method(made),
        "distortion": cost.total,
        "cells": (cost.cells, cost.ratings, cost.changed, cost.filled, cost.erased),
        "shares": cost.shares,
        "means": (cost.mean_before, cost.mean_after, cost.mean_filled, cost.sd_filled),
        "records": (
            released + cost.records_withheld,
            released,
            cost.records_touched,
            cost.records_withheld,
        ),
        "quasi_cells": UNSET if cost.quasi is None else cost.quasi,
        "predictive": made.claims if isinstance(made.claims, Claims) else UNSET,
        "blank": made.claims if isinstance(made.claims, Blanked) else UNSET,
        "swap": made.claims if isinstance(made.claims, Swapped) else UNSET,
    }


def _selection(table: RatingTable) -> dict[str, Any] | None:
    """Return which part of the data this is, without the seed: with it,
    one knows who is in the sample.
    """
    return None if table.selection is None else {**table.selection.to_dict(), "seed": None}


def _method(made: Anonymized) -> dict[str, Any]:
    """Say how it was made: all its parameters beside the target."""
    return document_of(
        Method, made.parameters, name=made.method, optimal=made.optimal, statement=made.statement
    )


def _target(target: Target) -> dict[str, Any]:
    by_known_ratings = getattr(target, "m", None) is not None
    return document_of(ReleaseTarget, target, model="k_epsilon_m" if by_known_ratings else UNSET)


def _verification(result: AuditResult, read_from: str = "the written file") -> dict[str, Any]:
    more = {"read_from": read_from, "average_risk": result.risk.marketer}
    return document_of(ReleaseVerification, result, **proof(result), **more)
