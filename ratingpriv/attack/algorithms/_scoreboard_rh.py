"""Scoreboard-RH over inverted lists [NS08, §4 and §5].

Score(aux, r') = Σ over i in supp(aux) with r'_i rated of
    wt(i) · (e^(-|ρ_i - ρ'_i| / ρ0) + e^(-|d_i - d'_i| / d0)),    wt(i) = 1 / ln max(|supp(i)|, 2).

The inner loops have twins for plain Python, whole lists at a time: an attack on 300 records takes a
tenth.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms._scores import bits, insert, keep, place_own, same, stand
from ratingpriv.attack.algorithms.arrays import Lists, Targets, Work
from ratingpriv.attack.algorithms.attacked import Attacked
from ratingpriv.base.compute.compiling import SEARCH, compiled

_NOTHING = 1e-300  # a term up to it counts as 0: its inverse would not be a number any more


class Rules(NamedTuple):
    """What the kernels of Scoreboard-RH go by."""

    rho0: float
    d0: float
    phi: float


@compiled(error_model="numpy", small=3 * SEARCH)
def _date_term(lists: Lists, entry: int, day: float, d0: float) -> float:
    """Return e^(-|d - d'| / d0), and 0 where the candidate's date is null."""
    if lists.span > 0 and lists.when[entry] == lists.span:
        return 0.0
    term = math.exp(-abs(lists.first_day + lists.when[entry] - day) / d0)
    return 0.0 if math.isnan(term) else term


def _add_at_once(
    lists: Lists, targets: Targets, known: int, away: int, rules: Rules, work: Work, n_touched: int
) -> int:
    """Do as :func:`_add`; a record stands in an issue's list once."""
    issue, rating = targets.issues[known], targets.ratings[known]
    day = targets.dates[known]
    begin, end = lists.indptr[issue], lists.indptr[issue + 1]
    records, codes, levels = lists.records[begin:end], lists.codes[begin:end], lists.levels
    tabled = len(levels) <= len(records)
    of = (levels if tabled else levels[codes]).tolist()
    terms = np.array([math.exp(-abs(level - rating) / rules.rho0) for level in of])
    terms = terms[codes] if tabled else terms
    if not math.isnan(day):
        terms = terms + np.array(
            [_date_term(lists, entry, day, rules.d0) for entry in range(begin, end)]
        )
    terms = terms * targets.weights[known]
    counts = (terms > _NOTHING) & (records != away)
    records = records[counts]
    before = work.score[records]
    work.score[records] = before + terms[counts]
    first = records[before == 0.0]
    work.touched[n_touched : n_touched + len(first)] = first
    return n_touched + len(first)


@compiled(error_model="numpy", plain=_add_at_once)
def _add(
    lists: Lists, targets: Targets, known: int, away: int, rules: Rules, work: Work, n_touched: int
) -> int:
    """Add one known rating's terms to the scores of everybody who rated that issue, but ``away``.

    A record whose score is 0 is as one that was never touched, so that nothing else need be marked.
    Known is A = 3, without a date; two rated it, so that wt = 1 / ln 2 = 1.44; ρ0 = 1.5:

        r1 rates A 3: e^0 = 1, times 1.44                score 0 -> 1.44, touched
        r7 rates A 4: e^(-1 / 1.5) = 0.51, times 1.44    score 0.9 -> 1.64, touched already
    """
    issue, rating, weight = targets.issues[known], targets.ratings[known], targets.weights[known]
    day = targets.dates[known]
    begin, end = lists.indptr[issue], lists.indptr[issue + 1]
    levels, length = lists.levels, end - begin
    dated = not math.isnan(day)
    tabled = len(levels) <= length  # a long list: every kernel value is computed once
    days_tabled = dated and 0 < lists.span <= length
    if tabled:
        for code in range(len(levels)):
            work.level_term[code] = math.exp(-abs(levels[code] - rating) / rules.rho0)
    if days_tabled:
        for offset in range(lists.span):
            work.day_term[offset] = math.exp(-abs(lists.first_day + offset - day) / rules.d0)
        work.day_term[lists.span] = 0.0
    for entry in range(begin, end):
        record = lists.records[entry]
        if tabled:
            term = work.level_term[lists.codes[entry]]
        else:
            term = math.exp(-abs(levels[lists.codes[entry]] - rating) / rules.rho0)
        if days_tabled:
            term += work.day_term[int(lists.when[entry])]
        elif dated:
            term += _date_term(lists, entry, day, rules.d0)
        term *= weight
        if term > _NOTHING and record != away:
            before = work.score[record]
            work.score[record] = before + term
            work.touched[n_touched] = record  # kept if it is the first term: cheaper than to branch
            n_touched += before == 0.0
    return n_touched


@compiled(error_model="numpy", small=3 * SEARCH)
def score(lists: Lists, targets: Targets, t: int, rules: Rules, work: Work) -> int:
    """Score every candidate of target ``t``.

    Return how many score above 0: ``touched``, with ``score``.
    """
    target = targets.own[t]
    away = target if targets.absent and target >= 0 else -1
    n_touched = 0
    for entry in range(targets.indptr[t], targets.indptr[t + 1]):
        if targets.issues[entry] >= 0 and targets.weights[entry] > 0.0:
            n_touched = _add(lists, targets, entry, away, rules, work, n_touched)
    if len(lists.traits) > 0:
        n_touched = keep(lists, targets, t, n_touched, work)
    return n_touched


def _gather_at_once(n_touched: int, work: Work) -> tuple[int, float, float]:
    """Do as :func:`_gather`; sums of accumulate are added up in order, as a loop does."""
    touched = work.touched[:n_touched]
    scores = work.score[touched]
    work.score[touched] = 0.0
    work.values[:n_touched] = scores
    if n_touched == 0:
        return 0, 0.0, math.inf
    best = np.lexsort((touched, -scores))[: len(work.best)]
    work.best[: len(best)], work.best_score[: len(best)] = touched[best], scores[best]
    return len(best), float(np.add.accumulate(scores)[-1]), float(scores.min())


@compiled(error_model="numpy", plain=_gather_at_once)
def _gather(n_touched: int, work: Work) -> tuple[int, float, float]:
    """Move the scores of the touched to ``values``, in their order, and keep the best.

    Returns how many of ``best`` are taken, the sum of the scores, and the least. ``score`` is 0
    again.
    """
    count, total, least, room = 0, 0.0, math.inf, len(work.best)
    for index in range(n_touched):
        record = work.touched[index]
        score = work.score[record]
        work.score[record] = 0.0
        work.values[index] = score
        total += score
        least = min(least, score)
        if count < room or score >= work.best_score[room - 1]:
            count = insert(work.best, work.best_score, count, record, score)
    return count, total, least


def _sigma_at_once(values: NDArray[np.float64], total: float, n: int, inverse: float) -> float:
    """Do as :func:`_sigma`."""
    mean = total * inverse / n
    squares = [(n - len(values)) * mean * mean]
    return math.sqrt(
        float(np.add.accumulate(np.append(squares, (values * inverse - mean) ** 2))[-1]) / n
    )


@compiled(error_model="numpy", plain=_sigma_at_once)
def _sigma(values: NDArray[np.float64], total: float, n: int, inverse: float) -> float:
    """Return σ / most, σ the standard deviation (division by n) of all candidates' scores,
    zeros included.

    Scores are multiplied by ``inverse`` = 1 / most first, so that no square can underflow.
    """
    mean = total * inverse / n
    squares = (n - len(values)) * mean * mean
    for score in values:
        squares += (score * inverse - mean) ** 2
    return math.sqrt(squares / n)


def _spread_of_list(
    values: NDArray[np.float64], inverse: float, steepness: float, mass: float, product: float
) -> tuple[float, float]:
    """Do as :func:`_spread`."""
    for x in ((values * inverse - 1.0) * steepness).tolist():
        part = math.exp(x)
        mass += part
        product += part * x
    return mass, product


@compiled(error_model="numpy", plain=_spread_of_list)
def _spread(
    values: NDArray[np.float64], inverse: float, steepness: float, mass: float, product: float
) -> tuple[float, float]:
    """Add e^x to ``mass`` and e^x · x to ``product`` for x = (score /
    most - 1) / σ of every score.
    """
    for score in values:
        x = (score * inverse - 1.0) * steepness
        part = math.exp(x)
        mass += part
        product += part * x
    return mass, product


@compiled(error_model="numpy", small=3 * SEARCH)
def _judge(
    t: int,
    own: int,
    n: int,
    phi: float,
    n_touched: int,
    own_score: float,
    work: Work,
    answers: Attacked,
) -> None:
    """Turn the scores of target ``t`` into answers; ``own`` is its record (score ``own_score``),
    or -1.

    Of 4 candidates two score, 2.0 and 0.5; the others 0:

        mean 0.625, σ = sqrt((1.375² + 0.125² + 2 · 0.625²) / 4) = 0.820
        eccentricity (2.0 - 0.5) / σ = 1.83 >= φ = 1.5: the first is declared
        Π ∝ e^(score / σ): e^0, e^-1.83, 2 · e^-2.44 relative to the first = 1, 0.160, 2 · 0.087
        of the first 1 / 1.335 = 0.75; if it is the target's, 0.42 bits are lacking
    """
    top = answers.candidates.shape[1]
    count, total, least = _gather(n_touched, work)
    values = work.values[:n_touched]
    answers.n_candidates[t] = n
    answers.matching[t] = 0
    most = work.best_score[0] if count > 0 else 0.0
    second = work.best_score[1] if count > 1 else 0.0
    if n_touched < n:
        least = 0.0
    inverse = 1.0 / most if most > 0.0 else 0.0
    sigma = 0.0 if same(most, least) else _sigma(values, total, n, inverse)
    if n > 1:
        unique = not same(most, second)
        answers.eccentricity[t] = (1.0 - second * inverse) / sigma if unique else 0.0
        if unique and answers.eccentricity[t] >= phi * (1.0 - 1e-12):
            answers.best[t] = work.best[0]
            answers.matching[t] = 1
    if count > 0:
        answers.best_candidate[t] = work.best[0]

    # Π(r') = e^(score / σ) / Σ, over all candidates: those that score 0 are counted, not visited.
    # Exponents are x = (score - most) / σ <= 0, so that nothing overflows. Without σ all are equal.
    steepness = 1.0 / sigma if sigma > 0.0 else 0.0
    mass = (n - n_touched) * math.exp(-steepness)
    product = -mass * steepness  # Σ e^x · x
    mass, product = _spread(values, inverse, steepness, mass, product)
    answers.shannon_bits[t] = bits(math.log(mass) - product / mass)
    for rank in range(min(count, top)):
        score = work.best_score[rank]
        answers.candidates[t, rank] = work.best[rank]
        answers.scores[t, rank] = score
        answers.probabilities[t, rank] = math.exp((score * inverse - 1.0) * steepness) / mass
    if own >= 0:
        answers.score_true[t] = own_score
        answers.entropy_bits[t] = bits(math.log(mass) - (own_score * inverse - 1.0) * steepness)
        better, equal = stand(own_score, values)
        answers.better[t] = better
        answers.tied[t] = equal - 1 if own_score > 0.0 else n - n_touched - 1


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
    """Attack targets first..last-1; candidates and sums as the module's docstring has them."""
    for t in range(first, last):
        n_touched = score(lists, targets, t, rules, work)
        target, n = place_own(lists, targets, t, answers)
        if n > 0:
            true_score = work.score[target] if target >= 0 else 0.0
            _judge(t, target, n, rules.phi, n_touched, true_score, work, answers)
        else:
            answers.n_candidates[t], answers.matching[t], answers.shannon_bits[t] = 0, 0, 0.0
