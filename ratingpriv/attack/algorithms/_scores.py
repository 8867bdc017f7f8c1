"""What both algorithms do with scores: what weighs, whose count, which are equal, the best few,
the rank.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.arrays import Lists, Targets, Work
from ratingpriv.attack.algorithms.attacked import Attacked
from ratingpriv.base.compute.compiling import SEARCH, compiled


@compiled(error_model="numpy", small=3 * SEARCH)
def same(a: float, b: float) -> bool:
    """Whether two scores (>= 0) are equal but for the rounding of sums:
    within 1e-12 of the larger.
    """
    return abs(a - b) <= 1e-12 * max(a, b)


@compiled(error_model="numpy", small=3 * SEARCH)
def find(records: NDArray[np.int32], begin: int, end: int, record: int) -> int:
    """Return where ``record`` stands in ``records[begin:end]`` (ascending), or -1."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if records[middle] < record:
            low = middle + 1
        else:
            high = middle
    return low if low < end and records[low] == record else -1


@compiled(error_model="numpy")
def leave_out_own(
    indptr: NDArray[np.int64],
    records: NDArray[np.int32],
    own: NDArray[np.int64],
    known_from: NDArray[np.int64],
    issues: NDArray[np.int32],
    supports: NDArray[np.int64],
) -> None:
    """Take each target's own rating off ``supports``,
    how many records rate each issue that is known.
    """
    for t in range(len(own)):
        for entry in range(known_from[t], known_from[t + 1]):
            issue = issues[entry]
            if own[t] >= 0 and issue >= 0:
                supports[entry] -= find(records, indptr[issue], indptr[issue + 1], own[t]) >= 0


@compiled(error_model="numpy")
def weigh(supports: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
    """Write wt(i) = 1 / ln max(|supp(i)|, 2) of every support; 0 where nobody rates the issue."""
    for entry in range(len(supports)):
        weights[entry] = 1.0 / math.log(max(supports[entry], 2)) if supports[entry] > 0 else 0.0


@compiled(error_model="numpy", small=3 * SEARCH)
def within(lists: Lists, targets: Targets, t: int, record: int) -> bool:
    """Whether ``record`` has the traits that target ``t`` has,
    as far as the adversary knows them.
    """
    for trait in range(len(lists.traits)):
        value = lists.traits[trait, record]
        if value >= 0 and not targets.bounds[t, trait, 0] <= value <= targets.bounds[t, trait, 1]:
            return False
    return True


@compiled(error_model="numpy", small=3 * SEARCH)
def place_own(lists: Lists, targets: Targets, t: int, answers: Attacked) -> tuple[int, int]:
    """Return (target ``t``'s own record, or -1 where it is no candidate;
    how many candidates there are).
    """
    target, n = targets.own[t], targets.candidates[t]
    if target >= 0 and not within(lists, targets, t, target):
        if not targets.absent:
            answers.entropy_bits[t] = math.inf  # ruled out by what is known of it
        return -1, n
    if targets.absent and target >= 0:
        return -1, n - 1
    return target, n


def _keep_at_once(lists: Lists, targets: Targets, t: int, n_touched: int, work: Work) -> int:
    """Do as :func:`keep`."""
    touched = work.touched[:n_touched]
    traits, low, high = lists.traits[:, touched], targets.bounds[t, :, :1], targets.bounds[t, :, 1:]
    stays = ((traits < 0) | ((low <= traits) & (traits <= high))).all(axis=0)
    work.score[touched[~stays]] = 0.0
    remaining = touched[stays]
    work.touched[: len(remaining)] = remaining
    return len(remaining)


@compiled(error_model="numpy", plain=_keep_at_once)
def keep(lists: Lists, targets: Targets, t: int, n_touched: int, work: Work) -> int:
    """Drop who is no candidate from the touched, their scores 0 again; return how many are left."""
    left = 0
    for index in range(n_touched):
        record = work.touched[index]
        if within(lists, targets, t, record):
            work.touched[left] = record
            left += 1
        else:
            work.score[record] = 0.0
    return left


@compiled(error_model="numpy", small=3 * SEARCH)
def insert(
    best: NDArray[np.int64], best_score: NDArray[np.float64], count: int, record: int, score: float
) -> int:
    """Keep the best candidates in order: score descending, then position ascending;
    return their number.
    """
    room = len(best)
    if count == room:
        if score < best_score[room - 1] or (
            score == best_score[room - 1] and record > best[room - 1]
        ):
            return count
        count -= 1
    rank = count
    while rank > 0 and (
        score > best_score[rank - 1] or (score == best_score[rank - 1] and record < best[rank - 1])
    ):
        best[rank], best_score[rank] = best[rank - 1], best_score[rank - 1]
        rank -= 1
    best[rank], best_score[rank] = record, score
    return count + 1


def _stand_at_once(score: float, values: NDArray[np.float64]) -> tuple[int, int]:
    """Do as :func:`stand`."""
    equal = np.abs(values - score) <= 1e-12 * np.maximum(values, score)
    return int(np.count_nonzero((values > score) & ~equal)), int(np.count_nonzero(equal))


@compiled(error_model="numpy", plain=_stand_at_once)
def stand(score: float, values: NDArray[np.float64]) -> tuple[int, int]:
    """Count the scores that are above ``score``, and those that are as it is (see :func:`same`)."""
    above, equal = 0, 0
    for value in values:
        if same(value, score):
            equal += 1
        elif value > score:
            above += 1
    return above, equal


@compiled(error_model="numpy", small=3 * SEARCH)
def bits(nats: float) -> float:
    """Return nats as bits; rounding may have made a little less than nothing of nothing."""
    return max(nats, 0.0) / math.log(2.0)
