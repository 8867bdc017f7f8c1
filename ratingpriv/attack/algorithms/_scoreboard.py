"""Scoreboard over inverted lists [NS08, §4]: Score(aux,
r') = min over i in supp(aux) of Sim(aux_i, r'_i).

The matching set is {r' : Score > α}, α >= 0. A record that lacks one of the issues has score 0.
Members are found by walking the lists one after the other, the shortest first, keeping those that
passed all so far.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms._scores import find, insert, place_own, same, stand, within
from ratingpriv.attack.algorithms.arrays import Lists, Targets, Work
from ratingpriv.attack.algorithms.attacked import Attacked
from ratingpriv.base.compute.compiling import SEARCH, compiled


class Rules(NamedTuple):
    """What the kernels of Scoreboard go by."""

    low: NDArray[np.int64]  # (M,) the first and
    high: NDArray[np.int64]  # (M,) the last code within the rating tolerance of each known rating
    order: NDArray[np.int64]  # (M,) within each target, what is known with the shortest list first
    alpha: float
    width: float  # of the scale, for a graded Sim; 0: the tolerance decides
    reach: float  # days; dates that are NaN are not compared


@compiled(error_model="numpy", small=3 * SEARCH)
def _sim(
    lists: Lists,
    entry: int,
    low: int,
    high: int,
    rating: float,
    width: float,
    day: float,
    reach: float,
) -> float:
    """Return Sim of a known rating and the rating at ``entry`` of the lists.

    Dates farther apart than ``reach`` days: 0. Else, with a ``width``, 1 - |ρ - ρ'| / width;
    without, 1 if the level is one of low..high, which are within the tolerance.
    """
    if not math.isnan(day):
        if lists.span > 0 and lists.when[entry] == lists.span:
            return 0.0  # no date: not similar to one
        apart = abs(lists.first_day + lists.when[entry] - day)
        if not apart <= reach:
            return 0.0
    code = lists.codes[entry]
    if width > 0.0:
        sim: float = 1.0 - abs(lists.levels[code] - rating) / width
        return max(0.0, sim)
    return 1.0 if low <= code <= high else 0.0


@compiled(error_model="numpy", small=3 * SEARCH)
def _match(lists: Lists, targets: Targets, t: int, rules: Rules, away: int, work: Work) -> int:
    """Touch the matching set's members and whoever passed the first list.

    Return how many are touched.

    ``stage`` of a record is the number of lists it passed, ``score`` the least Sim so far. Known
    are A = 3 (rated by 2) and B = 5 (by 4), α = 0, no tolerance:

        A, the shorter list: r1 3, r7 4    r1 is touched, stage 1; r7 fails
        B: r1 5, r2 5, r7 5, r9 1          r1 reaches stage 2; r2, r7 and r9 are at stage 0, not 1
        r1 has passed as many lists as are known: it is the matching set
    """
    n_touched, passed = 0, 0
    for step in range(targets.indptr[t], targets.indptr[t + 1]):
        known = rules.order[step]
        issue = targets.issues[known]
        if issue < 0:
            return n_touched
        low, high, rating, day = (
            rules.low[known],
            rules.high[known],
            targets.ratings[known],
            targets.dates[known],
        )
        for entry in range(lists.indptr[issue], lists.indptr[issue + 1]):
            record = lists.records[entry]
            if record == away or work.stage[record] != passed:
                continue
            if passed == 0 and not within(lists, targets, t, record):
                continue
            sim = _sim(lists, entry, low, high, rating, rules.width, day, rules.reach)
            # Sim > α; what rounding makes of equality is not above it
            if sim > rules.alpha and not same(sim, rules.alpha):
                if passed == 0:
                    work.touched[n_touched] = record
                    n_touched += 1
                    work.score[record] = sim
                work.stage[record] = passed + 1
                work.score[record] = min(work.score[record], sim)
        passed += 1
    return n_touched


@compiled(error_model="numpy", small=3 * SEARCH)
def score(lists: Lists, targets: Targets, t: int, rules: Rules, work: Work) -> int:
    """Find the matching set of target ``t``.

    Return its size: ``touched``, with ``score`` and ``stage``.
    """
    target = targets.own[t]
    away = target if targets.absent and target >= 0 else -1
    length = targets.indptr[t + 1] - targets.indptr[t]
    n_touched = _match(lists, targets, t, rules, away, work)
    members = 0
    for index in range(n_touched):
        record = work.touched[index]
        if work.stage[record] == length:
            work.touched[members] = record
            members += 1
        else:
            work.score[record] = 0.0
            work.stage[record] = 0
    return members


@compiled(error_model="numpy", small=3 * SEARCH)
def _score_of(lists: Lists, targets: Targets, t: int, rules: Rules, own: int) -> float:
    """Return the score of one record."""
    score = 1.0
    for known in range(targets.indptr[t], targets.indptr[t + 1]):
        issue = targets.issues[known]
        entry = (
            -1
            if issue < 0
            else find(lists.records, lists.indptr[issue], lists.indptr[issue + 1], own)
        )
        if entry < 0:
            return 0.0
        low, high, rating, day = (
            rules.low[known],
            rules.high[known],
            targets.ratings[known],
            targets.dates[known],
        )
        score = min(score, _sim(lists, entry, low, high, rating, rules.width, day, rules.reach))
    return score


@compiled(error_model="numpy", small=3 * SEARCH)
def _judge(
    t: int,
    n: int,
    own: int,
    members: int,
    touched: NDArray[np.int32],
    work: Work,
    answers: Attacked,
) -> None:
    """Turn the matching set, the first ``members`` of ``touched``, into answers."""
    top, count = answers.candidates.shape[1], 0
    for number in range(members):
        work.values[number] = work.score[touched[number]]
        count = insert(work.best, work.best_score, count, touched[number], work.values[number])
    prior = math.log2(n) if n > 0 else 0.0  # H0: whoever has no lineup knows nothing
    answers.n_candidates[t] = n
    answers.matching[t] = members
    answers.shannon_bits[t] = math.log2(members) if members > 0 else prior
    if members > 0:
        answers.best_candidate[t] = work.best[0]
        if members == 1 or not same(work.best_score[0], work.best_score[1]):
            answers.best[t] = work.best[0]
    for rank in range(min(count, top)):
        answers.candidates[t, rank] = work.best[rank]
        answers.scores[t, rank] = work.best_score[rank]
        answers.probabilities[t, rank] = 1.0 / members
    if own >= 0:
        true_score = answers.score_true[t]
        inside = False
        for number in range(members):
            inside = inside or touched[number] == own
        if inside:
            better, equal = stand(true_score, work.values[:members])
            answers.better[t], answers.tied[t] = better, equal - 1  # the true record is one of them
            answers.entropy_bits[t] = math.log2(members)
        else:  # Π is 0 on all records outside: nobody can tell them apart
            answers.better[t], answers.tied[t] = members, n - members - 1
            answers.entropy_bits[t] = prior


@compiled(error_model="numpy", small=3 * SEARCH)
def attack(
    lists: Lists,
    targets: Targets,
    first: int,
    last: int,
    rules: Rules,
    work: Work,
    answers: Attacked,
) -> None:
    """Attack targets first..last-1; ``rules`` as in :mod:`ratingpriv.attack.algorithms.methods`."""
    for t in range(first, last):
        members = score(lists, targets, t, rules, work)
        target, n = place_own(lists, targets, t, answers)
        if target >= 0:
            answers.score_true[t] = _score_of(lists, targets, t, rules, target)
        _judge(t, n, target, members, work.touched, work, answers)
        for index in range(members):
            work.score[work.touched[index]] = 0.0
            work.stage[work.touched[index]] = 0
