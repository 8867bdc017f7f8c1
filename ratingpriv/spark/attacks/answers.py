"""From what the parts of the data answered to an attack: who is named, how sure, and how right.

The same answers as :mod:`ratingpriv.attack` gives on one machine. Where issues come in the same order, scores
are the same to the last bit, and so are the candidates, who scores as well as whom, and the ranks; in another
order, terms are added in another one, and scores may differ by their rounding, within which they count as
equal anyway. σ, and with it eccentricities and entropies, comes from sums without rounding, where one machine
adds up floats: the two agree to about 1e-12 of the value, and so does the threshold φ.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms._scores import bits, same
from ratingpriv.attack.algorithms.driver import (
    Answers,
    Scoring,
    answers_to,
    arrays_of,
    weights_of,
    work_of,
)
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.algorithms.methods import attack_with, named, scores_alike, scoring_of
from ratingpriv.attack.algorithms.result import Attacked
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.spark.attacks.exact_sums import exact
from ratingpriv.spark.attacks.scoring import Attack, Layout, Partial, Question, Sharpness, Spread, part_index
from ratingpriv.table import RatingTable

__all__ = ["answers", "attack_of", "judged", "sharpness_of"]

_ROBUST = "scoreboard-rh"


def attack_of(
    table: RatingTable,
    known: Auxiliary,
    own: Any,
    supports: NDArray[np.int64],
    requested: Mapping[str, Mapping[str, Any]],
    *,
    absent: Sequence[bool],
    top: int,
    layout: Layout,
) -> Attack:
    """Return what every task is asked: each set of scores that the algorithms go by, in each setting.

    Parameters
    ----------
    table : the targets' own records, with the issues, levels and scale of all data
    known : its ``targets`` are positions there, -1 where a target has no record
    own : Arrow array (T,); the ids of those records, null where there is none
    supports : int64 (p,); how many of all records rate each issue
    requested : the algorithms' names with their options
    absent : False: own records are there; True: taken out; or both
    top, layout : as for :class:`Attack`
    """
    index = part_index(table, known)
    questions = tuple(
        _question(family, options, index, dataclasses.replace(known, absent=gone), supports)
        for family, options in _families(requested).items()
        for gone in absent
    )
    return Attack(layout, known, own, questions, top)


def judged(
    attack: Attack,
    requested: Mapping[str, Mapping[str, Any]],
    found: Mapping[tuple[int, int], Partial],
    spreads: Mapping[tuple[int, int], Spread],
    own_ratings: NDArray[np.int64],
    ids: Sequence[Any],
) -> dict[tuple[str, bool], Attacked]:
    """Return the answers by algorithm, and by whether own records were taken out.

    Parameters
    ----------
    found, spreads : what the parts of the data answered, by question and target
    own_ratings : int64 (T,); how many ratings each target's own record has
    ids : the ids that positions in the answers stand for: every target's own and every candidate's
    """
    by_family = {}
    for number, question in enumerate(attack.questions):
        mine = [found.get((number, t), Partial()) for t in range(attack.known.n_targets)]
        spread = {t: one for (asked, t), one in spreads.items() if asked == number}
        by_family[question.algorithm, question.absent] = answers(
            question, mine, spread, attack, own_ratings, ids
        )
    return {
        (algorithm, absent): named(algorithm, by_family[family, absent])
        for family, absent in by_family
        for algorithm in requested
        if _family(algorithm) == family
    }


def _family(algorithm: str) -> str:
    return "scoreboard" if scores_alike(algorithm, "scoreboard") else _ROBUST


def _families(requested: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the scores that the algorithms go by, with all their options."""
    found: dict[str, dict[str, Any]] = {}
    for algorithm, options in requested.items():
        found.setdefault(_family(algorithm), {}).update(options)
    return found


def _question(
    family: str, options: Mapping[str, Any], index: Index, known: Auxiliary, supports: NDArray[np.int64]
) -> Question:
    """Return a question: weights by all records, and what each target's own record scores."""
    raters = np.append(supports, 0)[known.issues]
    if known.absent:
        raters -= _rated_by_own(index, known)
    weights, own_scores = weights_of(raters), np.full(known.n_targets, np.nan)
    scoring = scoring_of(family, index, known, options)
    if not known.absent:
        if family == _ROBUST:
            own_scores = _own_scores(scoring, weights)
        else:
            own_scores = attack_with(family, index, known, options=options, top=1).score_true
    return Question(family, dict(options), known.absent, weights, own_scores, scoring.parameters)


def sharpness_of(
    attack: Attack, found: Mapping[tuple[int, int], Partial], own_ratings: NDArray[np.int64]
) -> dict[tuple[int, int], Sharpness]:
    """Return what the second pass needs, by question and target; what is not open is not there.

    Parameters are those of :func:`judged`.
    """
    sharpness = {}
    for (number, target), one in found.items():
        question = attack.questions[number]
        if question.algorithm != _ROBUST:
            continue
        inside = _within(attack, target, own_ratings)
        sigma = _sigma(one, one.candidates - (inside and question.absent))
        if sigma > 0.0:
            sharpness[number, target] = Sharpness(1.0 / -one.best[0][0], 1.0 / sigma)
    return sharpness


def answers(
    question: Question,
    found: Sequence[Partial],
    spreads: Mapping[int, Spread],
    attack: Attack,
    own_ratings: NDArray[np.int64],
    ids: Sequence[Any],
) -> Attacked:
    """Answer one question about every target, as the kernels do.

    Parameters
    ----------
    found : of each target what all records answered
    spreads : by target, where :func:`sharpness_of` asked for them
    own_ratings, ids : as for :func:`judged`
    """
    place = {name: position for position, name in enumerate(ids)}
    given = answers_to(attack.known.n_targets, attack.top)
    for target, one in enumerate(found):
        inside = _within(attack, target, own_ratings)
        n = one.candidates
        if attack.known.targets[target] >= 0 and not inside and not question.absent:
            given.entropy_bits[target] = math.inf  # ruled out by what is known of it
        if inside and question.absent:
            n -= 1
        mine = float(question.own_scores[target]) if inside and not question.absent else math.nan
        given.n_candidates[target], given.matching[target], given.shannon_bits[target] = n, 0, 0.0
        for row, (value, name) in enumerate(one.best[: attack.top]):
            given.candidates[target, row], given.scores[target, row] = place[name], -value
        if one.best:
            given.best_candidate[target] = place[one.best[0][1]]
        if question.algorithm != _ROBUST:
            sure = _judge_matching(given, target, one, n, float(question.options.get("alpha", 0.0)), mine)
        elif n > 0:
            phi = float(question.options.get("phi", 1.5))
            sure = _judge_robust(given, target, one, spreads.get(target), n, phi, mine)
        else:
            sure = False
        if sure:
            given.best[target] = given.best_candidate[target]
    for array in given:
        array.flags.writeable = False
    parameters = {**question.parameters, "top": attack.top}
    return Attacked(**given._asdict(), algorithm=question.algorithm, parameters=parameters)


def _judge_robust(
    given: Answers, t: int, one: Partial, spread: Spread | None, n: int, phi: float, mine: float
) -> bool:
    """Do as the kernel of Scoreboard-RH with the scores of target ``t``; return whether a record is named."""
    most = -one.best[0][0] if one.best else 0.0
    second = -one.best[1][0] if len(one.best) > 1 else 0.0
    inverse = 1.0 / most if most > 0.0 else 0.0
    sigma = _sigma(one, n)
    sure = False
    if n > 1:
        unique = not same(most, second)
        given.eccentricity[t] = (1.0 - second * inverse) / sigma if unique else 0.0
        sure = unique and bool(given.eccentricity[t] >= phi * (1.0 - 1e-12))
        given.matching[t] = int(sure)
    steepness = 1.0 / sigma if sigma > 0.0 else 0.0
    rest = (n - one.scored) * math.exp(-steepness)
    whole, product = rest, -rest * steepness
    if spread is not None and steepness > 0.0:
        whole = float(Fraction(rest) + spread.whole)
        product = float(Fraction(product) - spread.product)
    else:  # all equal
        whole = rest + one.scored
    given.shannon_bits[t] = bits(math.log(whole) - product / whole)
    scores = given.scores[t]
    listed = given.candidates[t] >= 0
    given.probabilities[t][listed] = np.exp((scores[listed] * inverse - 1.0) * steepness) / whole
    if not math.isnan(mine):
        given.score_true[t] = mine
        given.entropy_bits[t] = bits(math.log(whole) - (mine * inverse - 1.0) * steepness)
        given.better[t] = one.better
        given.tied[t] = one.equal - 1 if mine > 0.0 else n - one.scored - 1
    return sure


def _judge_matching(given: Answers, t: int, one: Partial, n: int, alpha: float, mine: float) -> bool:
    """Do as the kernel of Scoreboard with the matching set of target ``t``; return whether one is named."""
    members = one.scored
    prior = math.log2(n) if n > 0 else 0.0
    given.matching[t] = members
    given.shannon_bits[t] = math.log2(members) if members else prior
    given.probabilities[t][given.candidates[t] >= 0] = 1.0 / max(members, 1)
    if not math.isnan(mine):
        given.score_true[t] = mine
        if mine > alpha and not same(mine, alpha):
            given.better[t], given.tied[t] = one.better, one.equal - 1
            given.entropy_bits[t] = math.log2(members)
        else:
            given.better[t], given.tied[t] = members, n - members - 1
            given.entropy_bits[t] = prior
    return members == 1 or (members > 1 and not same(-one.best[0][0], -one.best[1][0]))


def _sigma(one: Partial, n: int) -> float:
    """Return σ / most, σ the standard deviation of the scores of ``n`` candidates, zeros included.

    0 where all are equal, as sums of the same terms in another order are.
    """
    if one.scored == 0:
        return 0.0
    most, least = -one.best[0][0], one.least if one.scored == n else 0.0
    if same(most, least):
        return 0.0
    variance = n * one.squares - one.total * one.total
    return math.sqrt(Fraction(variance, (n * exact(most)) ** 2))


def _within(attack: Attack, target: int, own_ratings: NDArray[np.int64]) -> bool:
    """Whether a target has a record of its own, with as many ratings as the adversary believes."""
    if attack.known.targets[target] < 0:
        return False
    if attack.known.counts is None:
        return True
    low, high = attack.known.counts[target].tolist()
    return bool(low <= own_ratings[target] <= high)


def _rated_by_own(index: Index, known: Auxiliary) -> NDArray[np.int64]:
    """Return whether each target's own record rates what is known of it, 0 or 1, int64 (M,)."""
    rated = np.zeros(len(known.issues), dtype=np.int64)
    for target, position in enumerate(known.targets.tolist()):
        if position >= 0:
            part = slice(int(known.indptr[target]), int(known.indptr[target + 1]))
            rated[part] = np.isin(known.issues[part], index.table.support(position))
    return rated


def _own_scores(scoring: Scoring, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each target's own record scores, float64 (T,); NaN where it has none."""
    lists, targets = arrays_of(scoring.index, scoring.auxiliary)
    targets = targets._replace(weights=weights)
    work = work_of(lists, 1, stages=scoring.stages)
    found = np.full(len(targets.own), np.nan)
    for target, own in enumerate(targets.own.tolist()):
        count = scoring.score(lists, targets, target, work)
        if own >= 0:
            found[target] = work.score[own]
        work.score[work.touched[:count]] = 0.0
    return found
