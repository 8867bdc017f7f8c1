"""What to know before relying on a verdict: each caution is one sentence or two, with a way out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.bounds import sd_ceiling
from ratingpriv.audit.result import AuditedDataset, AuditParameters
from ratingpriv.table import Scale, SensitiveColumn

__all__ = ["SPARSE_SHARE", "Audited", "cautions", "null_separates"]

SPARSE_SHARE = 0.1
"""From this share of records with a support of their own the table is called sparse."""


class Audited(Protocol):
    """What of the data the cautions look at; a RatingTable has it, and so has a dataset in a graph store.

    Of ``levels``, float64 (n_levels,), only the first and the last are looked at; the sensitive columns may
    be in any order of records.
    """

    @property
    def n_records(self) -> int:
        """How many records there are."""

    @property
    def n_issues(self) -> int:
        """How many non-sensitive issues there are."""

    @property
    def n_ratings(self) -> int:
        """How many non-sensitive ratings there are."""

    @property
    def levels(self) -> NDArray[np.float64]:
        """Distinct non-sensitive ratings, ascending."""

    @property
    def scale(self) -> Scale | None:
        """The rating scale."""

    @property
    def sensitive(self) -> tuple[SensitiveColumn, ...]:
        """The sensitive columns."""


def cautions(
    table: Audited,
    dataset: AuditedDataset,
    asked: AuditParameters,
    satisfied_by_rule: Mapping[str, NDArray[np.bool_]],
) -> tuple[str, ...]:
    """Return the warnings of an audit, the weightiest first.

    Parameters
    ----------
    satisfied_by_rule : bool (n,) for each null rule for sensitive ratings; empty without l
    """
    return (
        *_sparse(dataset, asked),
        *_sensitive_nulls(asked, satisfied_by_rule),
        *_null_distance(table, asked),
        *_whole_range(table, asked),
        *_unreachable_l(table, asked),
    )


def null_separates(scale: Scale | None, epsilon: float, nulls: str) -> bool:
    """Whether a null keeps a record apart from one that rates the issue [SWLZ11, Eq. 1].

    So under "strict" while ε < r, r the scale's maximum. Where r <= 0 there is no usable distance and a null
    always separates: the safe side, and ours, not the paper's.
    """
    return nulls == "strict" and (scale is None or scale.maximum <= 0 or epsilon < scale.maximum)


def _sparse(dataset: AuditedDataset, asked: AuditParameters) -> Iterator[str]:
    alone = dataset.singleton_hamming_groups
    separates = null_separates(dataset.scale, asked.epsilon, asked.nulls)
    if not separates or dataset.records < 2 or alone < SPARSE_SHARE * dataset.records:
        return
    yield (
        f"sparse data: {alone} of {dataset.records} records ({alone / dataset.records:.0%}) rate a set of "
        "issues that nobody else rates. Under the strict null rule such a record has no neighbour at all, so "
        "no k above 1 can hold whatever its ratings are. To see how far the ratings themselves give people "
        "away, audit the issues that an adversary can know (--issues top:20), or let a null match anything "
        "(--nulls wildcard)"
    )


def _sensitive_nulls(
    asked: AuditParameters, satisfied_by_rule: Mapping[str, NDArray[np.bool_]]
) -> Iterator[str]:
    if not satisfied_by_rule:
        return
    paper, ignore = satisfied_by_rule["paper"], satisfied_by_rule["ignore"]
    differ = int(np.count_nonzero(paper != ignore))
    if not differ:
        return
    verdicts = {
        rule: "satisfied" if bool(holds.all()) else "not satisfied"
        for rule, holds in satisfied_by_rule.items()
    }
    yield (
        f"sensitive nulls: the two rules for unknown sensitive ratings disagree on {differ} records "
        f"(paper: {verdicts['paper']}, ignore: {verdicts['ignore']}; this result uses "
        f"{asked.sensitive_nulls}). The paper's rule counts an unknown rating as if it added variety, so "
        "that 5, 5 and an unknown pass l=2; the careful reading is --sensitive-nulls ignore"
    )


def _null_distance(table: Audited, asked: AuditParameters) -> Iterator[str]:
    scale = table.scale
    complete = table.n_ratings == table.n_records * table.n_issues
    if asked.nulls != "strict" or complete or scale is None:
        return
    if scale.maximum <= 0:
        yield (
            f"scale: its maximum r = {scale.maximum:g} cannot serve as the distance between a rating and a "
            "null (Eq. 1 of the papers wants r > 0), so here a null keeps two records apart at every epsilon"
        )
    elif asked.epsilon >= scale.maximum:
        declared = (
            "declared"
            if scale.declared
            else "the largest rating found; declare the scale with --scale MIN:MAX"
        )
        yield (
            f"epsilon {asked.epsilon:g} is not below r = {scale.maximum:g} ({declared}): at this distance a "
            "null no longer keeps records apart, so records that rate different issues count as alike"
        )


def _whole_range(table: Audited, asked: AuditParameters) -> Iterator[str]:
    if len(table.levels) < 2:
        return
    spread = float(table.levels[-1] - table.levels[0])
    if asked.epsilon >= spread:
        yield (
            f"epsilon {asked.epsilon:g} covers the whole range of ratings ({table.levels[0]:g} to "
            f"{table.levels[-1]:g}): any two ratings count as alike, and only which issues are rated tells "
            "records apart"
        )


def _unreachable_l(table: Audited, asked: AuditParameters) -> Iterator[str]:
    if asked.l is None:
        return
    for column in table.sensitive:
        ceiling = sd_ceiling(column, sensitive_nulls=asked.sensitive_nulls)
        if asked.l > ceiling * (1 + 1e-12):  # the ceiling is a rounded float64: no warning on a near-tie
            yield (
                f"l = {asked.l:g} cannot be reached on {column.name!r}: no group of these ratings has an SD "
                f"above {ceiling:g}, whatever epsilon and k are (Popoviciu; Theorem 4.2)"
            )
