"""What goes to the kernels of both algorithms: lists, targets, a worker's memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Lists(NamedTuple):
    """An Index, and the levels that its codes stand for."""

    indptr: NDArray[np.int64]
    records: NDArray[np.int32]
    codes: NDArray[Any]
    when: NDArray[Any]
    first_day: float
    span: int
    levels: NDArray[np.float64]
    # (q, n_records) what is known of targets beside ratings; -1: a null, fits any
    traits: NDArray[np.int32]


class Targets(NamedTuple):
    """An Auxiliary."""

    own: NDArray[np.int64]
    indptr: NDArray[np.int64]
    issues: NDArray[np.int32]
    ratings: NDArray[np.float64]
    dates: NDArray[np.float64]
    absent: bool
    # (T, q, 2) the least and the greatest of each trait that a candidate may have
    bounds: NDArray[np.int64]
    candidates: NDArray[np.int64]  # (T,) how many records have such traits, an absent own one too
    # (M,) of the issue of each known rating; 0 where no candidate rates it
    weights: NDArray[np.float64]


class Work(NamedTuple):
    """One worker's memory; ``score`` and ``stage`` are 0 between two targets."""

    score: NDArray[np.float64]  # (n_records,)
    stage: NDArray[np.int32]  # (n_records,) how many lists it passed; of Scoreboard only
    touched: NDArray[np.int32]  # (n_records + 1,) who scored
    values: NDArray[np.float64]  # (n_records,) their scores, in that order
    level_term: NDArray[np.float64]  # (n_levels,)
    day_term: NDArray[np.float64]  # (span + 1,)
    best: NDArray[np.int64]  # (room,)
    best_score: NDArray[np.float64]
