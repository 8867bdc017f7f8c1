"""A release of data in one call: made, measured, attacked, and written with its proof."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ratingpriv.anonymize.methods import METHODS, anonymize, check_method_options
from ratingpriv.anonymize.release.result import Release
from ratingpriv.anonymize.release.writing import Publish, measures_of, write
from ratingpriv.anonymize.result import Anonymized
from ratingpriv.attack.evaluation.paired import Paired
from ratingpriv.attack.intervals import share
from ratingpriv.attack.knowledge.adversaries import ALL
from ratingpriv.attack.strongest import strongest, whole_record
from ratingpriv.attack.studies import TARGETS, study
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, RatingPrivError
from ratingpriv.base.reservations import FOUND_AT_MOST
from ratingpriv.base.target import ReleaseTarget, Target
from ratingpriv.data.codebook.table_like import TableLike, takes_frames
from ratingpriv.data.formats.writing import choose_format, refuse_columns_beside_ratings
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.anonymize import AttackOnRelease
from ratingpriv.documents.making import document_of
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.result import Utility
from ratingpriv.utility.utility import utility_of_pair

__all__ = ["Publish", "attacked", "make_release", "usefulness"]

_AFFORDABLE = 300_000_000
"""Targets times ratings of an attack that takes some ten seconds."""
_LEAST = 100
"""With fewer targets of more records the interval would be too wide to say anything."""


@takes_frames
def make_release(
    table: TableLike,
    method: str,
    target: Target,
    publish: Publish,
    *,
    options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    resources: Resources = Resources(),
) -> Release:
    """Make ``table`` anonymous, measure and attack what was made, and write it,
    proved from the written file.

    Parameters
    ----------
    table : the data, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    method : one of :data:`ratingpriv.anonymize.methods.METHODS`
    target : what the release shall meet, by "blank" a :class:`ratingpriv.base.target.ReleaseTarget`
        with an m
    options : the method's own, by the names that :func:`ratingpriv.anonymize` has for them
    seed : of what the method draws; None: from the operating system

    Raises
    ------
    ParameterError
        An option is out of range, or the format has no place for the table.
    TargetNotReachedError, OutputError, ResourceError
        As :func:`ratingpriv.anonymize` and :func:`ratingpriv.anonymize.write_release`. Nothing is
        written.
    """
    options = dict(options or {})
    if seed is not None:
        refuse_seed(method, "seed")
    if publish.order_seed is not None:
        refuse_seed(method, "order_seed")
    if isinstance(target, ReleaseTarget) and target.m is not None:
        options["m"] = target.m
    check_method_options(method, options, timestamps=publish.timestamps)
    # what cannot be written is said before long work
    choose_format(table, str(publish.path), publish.format)
    if (publish.layout or table.origin.layout) == "long":
        refuse_columns_beside_ratings(table)
    requested = target.keywords
    if isinstance(target, ReleaseTarget) and target.searched:
        requested["epsilon"] = None
    made = anonymize(table, method, **requested, **options, rng=seed, **resources.keywords)
    # who knows the seed could ask the measures of a manifest anew
    drawn = seed if seed is not None or publish.publish_utility else 0
    useful = usefulness(made, table, amount=publish.utility, rng=drawn, resources=resources)
    suite, limit = publish.utility != "none", publish.found_at_most
    attack = attacked(made, table, resources, suite=suite, found_at_most=limit)
    return write(made, publish, table, useful, resources, attack)


def refuse_seed(method: str, name: str) -> None:
    """Refuse a seed that somebody could find, or that is written down,
    where it would undo the release.
    """
    if METHODS[method].secret:
        expected = f"none with {method}: a person who knows the seed can undo the release"
        remedy = (
            "leave it out: 128 bits of the operating system are drawn, and the key keeps "
            "what they gave"
        )
        raise ParameterError(name, "a seed", expected, remedy)


def usefulness(
    made: Anonymized,
    original: RatingTable,
    *,
    amount: str = "quick",
    rng: int | np.random.Generator | None = 0,
    resources: Resources = Resources(),
) -> Utility | None:
    """Measure what was made of ``original``, before it is written.

    None where the ``amount`` is "none".

    Who is whose is at hand, and so are the groups.
    """
    measures = measures_of(amount)
    if not measures:
        return None
    groups = None if made.groups is None else made.groups.labels[made.kept].astype(np.int32)
    pairing: dict[str, Any] = {"pairing": made.pairing, "paired_by": "ids", "groups": groups}
    pair = Pair(original, made.table, **pairing, exchanged=METHODS[made.method].secret)
    target = made.parameters
    settings = {"epsilon": target.epsilon, "nulls": target.nulls} if amount == "all" else {}
    return utility_of_pair(pair, measures, settings, rng=rng, resources=resources)


def attacked(
    made: Anonymized,
    original: RatingTable,
    resources: Resources,
    *,
    suite: bool = True,
    found_at_most: float = FOUND_AT_MOST,
) -> dict[str, Any]:
    """Return the ``AttackOnRelease`` of what was made of ``original``: the strongest attack on it.

    The strongest adversary is always measured (:func:`ratingpriv.attack.whole_record`), and with
    ``suite``, where that does not take long, those who know a few ratings.
    """
    full_knowledge = whole_record(original, made.table, made.pairing, resources)
    pairs = _suite(made, original, resources) if suite else ()
    best = max(pairs, key=lambda pair: pair.of_released.rate or 0.0, default=None)
    success = strongest([full_knowledge.success, *(pair.of_released for pair in pairs)])
    if best is None or success.rate is None or best.of_released.rate != success.rate:
        by = {"algorithm": full_knowledge.algorithm, "known": ALL, "not_attacked": 0}
        before = whole_record(original).success
    else:
        lacking = best.before.could_not_attack
        by = {
            "algorithm": str(best.after.parameters["algorithm"]),
            "known": best.before.parameters["known"],
        }
        by, before = {**by, "not_attacked": lacking}, best.before.measures.success
    profiles = [pair.after.measures.profile for pair in pairs] or [share(0, 0)]
    profile = max(profiles, key=lambda one: one.rate or 0.0)
    summary = {
        "algorithms": len(pairs) + 1,
        "success": success,
        "original": before,
        "profile": profile,
    }
    at_most = min(full_knowledge.at_most, made.proved_at_most)
    return document_of(
        AttackOnRelease, None, **by, **summary, at_most=at_most, threshold=found_at_most
    )


def _suite(made: Anonymized, original: RatingTable, resources: Resources) -> tuple[Paired, ...]:
    """Return the attacks by algorithm; none where that takes long, or nothing could be measured."""
    targets = min(original.n_records, TARGETS, _AFFORDABLE // max(1, original.n_ratings))
    if targets < min(original.n_records, _LEAST) or not made.table.n_records:
        return ()
    how = {"targets": targets, "false_positives": False, **resources.keywords}
    try:
        pairs = study(original, made.table, truth=made.key_of(original), **how).pairs
    except RatingPrivError:  # too little is known of everybody, or memory does not suffice
        return ()
    return tuple(pair for pair in pairs if pair.of_released.of)
