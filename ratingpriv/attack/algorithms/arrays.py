"""The arrays that the kernels of both algorithms work on, by name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.knowledge.auxiliary import Auxiliary

__all__ = ["Answers", "Lists", "Targets", "Work", "answers_of", "lists_of", "targets_of", "work_of"]


class Lists(NamedTuple):
    """An Index, and the levels that its codes stand for."""

    indptr: NDArray[np.int64]
    records: NDArray[np.int32]
    codes: NDArray[Any]
    when: NDArray[Any]
    first_day: float
    span: int
    levels: NDArray[np.float64]
    n_records: int


class Targets(NamedTuple):
    """An Auxiliary."""

    own: NDArray[np.int64]
    indptr: NDArray[np.int64]
    issues: NDArray[np.int32]
    ratings: NDArray[np.float64]
    dates: NDArray[np.float64]
    absent: bool


class Work(NamedTuple):
    """One worker's memory; ``score`` and ``stage`` are 0 between two targets."""

    score: NDArray[np.float64]  # (n_records,)
    stage: NDArray[np.int32]  # (n_records,), or (0,) where it is not needed
    touched: NDArray[np.int32]  # (n_records + 1,) who scored
    values: NDArray[np.float64]  # (n_records,) their scores, in that order
    level_term: NDArray[np.float64]  # (n_levels,)
    day_term: NDArray[np.float64]  # (span + 1,)
    best: NDArray[np.int64]  # (room,)
    best_score: NDArray[np.float64]


class Answers(NamedTuple):
    """The arrays of an Attacked."""

    best: NDArray[np.int64]
    best_candidate: NDArray[np.int64]
    matching: NDArray[np.int64]
    n_candidates: NDArray[np.int64]
    eccentricity: NDArray[np.float64]
    score_true: NDArray[np.float64]
    better: NDArray[np.float64]
    tied: NDArray[np.float64]
    entropy_bits: NDArray[np.float64]
    shannon_bits: NDArray[np.float64]
    candidates: NDArray[np.int64]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]


def lists_of(index: Index) -> Lists:
    """Return an Index for the kernels."""
    return Lists(
        index.indptr, index.records, index.codes, index.when, index.first_day, index.span,
        index.table.levels, index.table.n_records,
    )  # fmt: skip


def targets_of(auxiliary: Auxiliary) -> Targets:
    """Return an Auxiliary for the kernels."""
    return Targets(
        auxiliary.targets, auxiliary.indptr, auxiliary.issues, auxiliary.ratings, auxiliary.dates,
        auxiliary.absent,
    )  # fmt: skip


def work_of(lists: Lists, top: int, *, stages: bool) -> Work:
    """Allocate one worker's memory: 20 bytes a record, 24 with ``stages``."""
    room = max(top, 2)  # two at least: the second best is needed too
    return Work(
        np.zeros(lists.n_records, dtype=np.float64),
        np.zeros(lists.n_records if stages else 0, dtype=np.int32),
        np.empty(lists.n_records + 1, dtype=np.int32),
        np.empty(lists.n_records, dtype=np.float64),
        np.empty(len(lists.levels), dtype=np.float64),
        np.empty(lists.span + 1, dtype=np.float64),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.float64),
    )


def answers_of(count: int, top: int) -> Answers:
    """Allocate the answers to ``count`` targets: no match, nothing measured, no candidate."""
    whole = ("best", "best_candidate", "matching", "n_candidates")
    arrays: dict[str, NDArray[Any]] = {name: np.full(count, np.nan) for name in Answers._fields}
    arrays |= {name: np.full(count, -1, dtype=np.int64) for name in whole}
    arrays["candidates"] = np.full((count, top), -1, dtype=np.int64)
    arrays |= {name: np.zeros((count, top)) for name in ("scores", "probabilities")}
    return Answers(**arrays)
