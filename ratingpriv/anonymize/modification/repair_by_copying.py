"""Repair by copies: a record whose neighbourhood is too uniform becomes like one whose is diverse enough.

A copy of an untouched record u has the neighbourhood of u and itself. So where N(u) is diverse with some room
to spare, the copy is safe, and so is everybody else as long as few records move. Whether it worked is for the
audit to say; in every round the models are fewer, with more room to spare.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification import _anchoring as kernels
from ratingpriv.anonymize.modification.dense import dense
from ratingpriv.anonymize.modification.plan import Asked, Draft, Outcome, carry_out
from ratingpriv.compute.parallel import share_out
from ratingpriv.distortion.windows import Measure
from ratingpriv.table import RatingTable

__all__ = ["repair_by_copies"]

_ROUNDS = 10
_LEAST_DIVERSE = 0.05  # of the records that could be models, this share is left out at first
_COMPARED = 4_000_000_000  # pairs of a record and a model; beyond, some models are drawn


def repair_by_copies(
    table: RatingTable, by: Measure, outcome: Outcome, asked: Asked, rng: np.random.Generator
) -> Outcome | None:
    """Return an outcome that satisfies the target, or None where copies do not help within some rounds."""
    cells = dense(table, by, asked.memory, 255)
    if not cells.exact:
        return None
    values = np.append(cells.levels, np.nan)
    for turn in range(_ROUNDS):
        if outcome.audit.satisfied:
            return outcome
        leaving = _leaving(outcome, asked.target.k)
        loose = (outcome.draft.labels < 0) & ~leaving
        loose[outcome.draft.moved] = False
        models = _models(outcome, loose, asked, _LEAST_DIVERSE + (1 - _LEAST_DIVERSE) * turn / _ROUNDS)
        movers = np.flatnonzero(leaving)
        most = max(1, _COMPARED // max(len(movers), 1))
        if len(models) > most:
            models = np.sort(rng.choice(models, size=most, replace=False))
        if len(models) == 0:
            return None
        rows, like = cells.codes[movers], cells.codes[models]
        model, cost = np.full(len(movers), -1, dtype=np.int64), np.full(len(movers), np.inf)

        def piece(
            first: int, last: int, rows: NDArray[np.uint8] = rows, like: NDArray[np.uint8] = like,
            model: NDArray[np.int64] = model, cost: NDArray[np.float64] = cost,
        ) -> None:  # fmt: skip
            kernels.nearest_copies(first, last, rows, like, cells.levels, asked.fabricate, model, cost)

        units = np.ones(len(movers), dtype=np.int64)
        share_out(piece, units, asked.threads, asked.progress, "finding diverse places")
        if (model < 0).any():
            return None
        outcome = carry_out(table, by, _moved(outcome.draft, movers, values[like[model]]), asked)
    return outcome if outcome.audit.satisfied else None


def _leaving(outcome: Outcome, k: int) -> NDArray[np.bool_]:
    """Return who has to move, bool (n,): those at risk, and a group that would be left with less than k."""
    leaving = ~outcome.audit.satisfied_by_record
    labels, count = outcome.groups.labels, outcome.groups.count
    placed = labels >= 0
    staying = np.bincount(labels[placed & ~leaving], minlength=count)
    broken = (staying < k) & (staying < outcome.groups.sizes)
    leaving[placed] |= broken[labels[placed]]
    return leaving


def _models(outcome: Outcome, loose: NDArray[np.bool_], asked: Asked, left_out: float) -> NDArray[np.int64]:
    """Return untouched records that meet the target, without the share ``left_out`` of the least diverse."""
    models = np.flatnonzero(loose & outcome.audit.satisfied_by_record)
    if asked.target.l is None or len(models) == 0:
        return models
    diversity = np.min([outcome.audit.sd(c.name)[models] for c in outcome.table.sensitive], axis=0)
    return models[diversity >= np.quantile(diversity, left_out, method="lower")]


def _moved(draft: Draft, movers: NDArray[np.int64], rows: NDArray[np.float64]) -> Draft:
    """Return the draft in which the ``movers`` become ``rows`` float64 (m, p), NaN where null."""
    labels = draft.labels.copy()
    labels[movers] = -1
    before = ~np.isin(draft.moved, movers)
    records = np.concatenate((draft.moved[before], movers))
    target = np.concatenate((draft.target[before].reshape(-1, rows.shape[1]), rows))
    order = np.argsort(records)
    return Draft(labels, records[order], target[order])
