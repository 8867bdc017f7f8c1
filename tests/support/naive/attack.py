"""Similarity, Scoreboard, Scoreboard-RH loop by loop [NS08, §3-5]. Every record is scored."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

__all__ = [
    "Answer", "best_candidate_chance", "matching_set_chance", "record_similarity", "rh_scores",
    "scoreboard", "scoreboard_rh", "weight",
]  # fmt: skip

Cell = tuple[float, float | None]  # rating, day (None: no date)
Record = Mapping[int, Cell]
EQUAL = 1e-12


class Answer(NamedTuple):
    """What an attack on one target answers; None where there is nothing to say.

    ``sharpness`` is the highest score over σ: by so much an error of rounding grows in what is
    divided by σ.
    """

    best: int | None
    best_candidate: int | None
    matching: int
    eccentricity: float | None
    n_candidates: int
    score_true: float | None
    better: int | None
    tied: int | None
    entropy_bits: float | None
    shannon_bits: float
    scores: dict[int, float]
    probabilities: dict[int, float]
    sharpness: float = 0.0


def decimal(value: float) -> Fraction:
    """A number as the decimal that it prints as."""
    return Fraction(repr(float(value)))


def equal(a: float, b: float) -> bool:
    return abs(a - b) <= EQUAL * max(abs(a), abs(b))


def weight(support: int) -> float:
    """wt(i) = 1 / log |supp(i)|; one rater weighs as two."""
    return 1 / math.log(support if support >= 2 else 2)


def deviation(scores: Sequence[float]) -> float:
    """Standard deviation, division by n; in fractions, as squares of small scores underflow."""
    most = max(scores)
    if most == 0:
        return 0.0
    exact = [Fraction(score) / Fraction(most) for score in scores]
    mean = sum(exact) / len(exact)
    return most * math.sqrt(sum((score - mean) ** 2 for score in exact) / len(exact))


def record_similarity(
    a: Record, b: Record, rating_tolerance: float | None, date_tolerance: float | None,
    weights: Sequence[float] | None = None,
) -> float:  # fmt: skip
    """Sum of Sim over |union of supports|."""
    alike, union = 0.0, 0.0
    for issue in sorted({*a, *b}):
        counts = 1.0 if weights is None else weights[issue]
        union += counts
        if issue not in a or issue not in b:
            continue
        (rating, day), (other, other_day) = a[issue], b[issue]
        if rating_tolerance is not None and abs(decimal(rating) - decimal(other)) > decimal(
            rating_tolerance
        ):
            continue
        if date_tolerance is not None and (
            day is None or other_day is None or abs(day - other_day) > date_tolerance
        ):
            continue
        alike += counts
    return alike / union if union else 0.0


def may_be(record: Record, counts: tuple[int, int] | None) -> bool:
    """Whether the record has as many ratings as the adversary believes."""
    return counts is None or counts[0] <= len(record) <= counts[1]


def rh_scores(
    records: Sequence[Record], aux: Record, away: int | None, rho0: float, d0: float, dates: bool
) -> dict[int, float]:
    """Score of every candidate; ``away`` is not there."""
    present = {r: record for r, record in enumerate(records) if r != away}
    scores = {}
    for r, record in present.items():
        terms = []
        for issue, (rating, day) in aux.items():
            if issue not in record:
                continue
            support = sum(issue in other for other in present.values())
            other, other_day = record[issue]
            terms.append(weight(support) * math.exp(-abs(rating - other) / rho0))
            if dates and day is not None and other_day is not None:
                terms.append(weight(support) * math.exp(-abs(day - other_day) / d0))
        scores[r] = math.fsum(terms)
    return scores


def scoreboard_rh(
    records: Sequence[Record],
    aux: Record,
    own: int | None,
    *,
    absent: bool = False,
    rho0: float = 1.5,
    d0: float = 30.0,
    phi: float = 1.5,
    dates: bool = True,
    counts: tuple[int, int] | None = None,
    fits: Sequence[bool] | None = None,
) -> Answer:
    """The whole algorithm on one target."""
    away = own if absent else None
    true = None if absent else own
    scores = rh_scores(records, aux, away, rho0, d0, dates)
    scores = {r: score for r, score in scores.items() if may_be(records[r], counts)}
    scores = {r: score for r, score in scores.items() if fits is None or fits[r]}
    ruled_out = true is not None and true not in scores
    true = None if ruled_out else true
    n = len(scores)
    if n == 0:
        bits = math.inf if ruled_out else None
        return Answer(None, None, 0, None, 0, None, None, None, bits, 0.0, {}, {})
    ranked = sorted(scores.values(), reverse=True)
    sigma = deviation(ranked)
    flat = equal(ranked[0], ranked[-1])
    eccentricity = None
    if n > 1:
        eccentricity = 0.0 if equal(ranked[0], ranked[1]) else (ranked[0] - ranked[1]) / sigma
    winner = next(r for r in scores if scores[r] == ranked[0])
    is_match = (
        eccentricity is not None
        and not equal(ranked[0], ranked[1])
        and eccentricity >= phi * (1 - EQUAL)
    )
    powers = {
        r: 1.0 if flat else math.exp((score - ranked[0]) / sigma) for r, score in scores.items()
    }
    whole = math.fsum(powers.values())
    probabilities = {r: power / whole for r, power in powers.items()}
    exponents = {r: 0.0 if flat else (score - ranked[0]) / sigma for r, score in scores.items()}
    bits = None if true is None else math.log2(whole) - exponents[true] / math.log(2)
    shannon = -math.fsum(p * math.log2(p) for p in probabilities.values() if p > 0)
    return Answer(
        best=winner if is_match else None,
        best_candidate=winner if ranked[0] > 0 else None,
        matching=int(is_match),
        eccentricity=eccentricity,
        n_candidates=n,
        score_true=None if true is None else scores[true],
        better=None if true is None else _better(scores, true),
        tied=None if true is None else _tied(scores, true),
        entropy_bits=math.inf if ruled_out else bits,
        shannon_bits=shannon,
        scores=scores,
        probabilities=probabilities,
        sharpness=0.0 if flat else ranked[0] / sigma,
    )


def scoreboard(
    records: Sequence[Record],
    aux: Record,
    own: int | None,
    *,
    absent: bool = False,
    alpha: float = 0.0,
    rating_tolerance: float | None = 0.0,
    date_tolerance: float | None = None,
    width: float = 1.0,
    counts: tuple[int, int] | None = None,
    fits: Sequence[bool] | None = None,
) -> Answer:
    """The whole algorithm on one target."""
    away = own if absent else None
    true = None if absent else own
    scores: dict[int, float] = {}
    for r, record in enumerate(records):
        if r == away or not may_be(record, counts) or (fits is not None and not fits[r]):
            continue
        least = 1.0
        for issue, (rating, day) in aux.items():
            least = min(
                least, _sim(rating, day, record.get(issue), rating_tolerance, date_tolerance, width)
            )
        scores[r] = least
    ruled_out = true is not None and true not in scores
    true = None if ruled_out else true
    n = len(scores)
    members = {r: score for r, score in scores.items() if score > alpha and not equal(score, alpha)}
    ranked = sorted(members.values(), reverse=True)
    prior = math.log2(n) if n else 0.0
    winner = next((r for r in members if members[r] == ranked[0]), None)
    alone = len(ranked) == 1 or (len(ranked) > 1 and not equal(ranked[0], ranked[1]))
    inside = true in members
    outside_tied = n - len(members) - 1
    bits = None if true is None else math.log2(len(members)) if inside else prior
    return Answer(
        best=winner if alone else None,
        best_candidate=winner,
        matching=len(members),
        eccentricity=None,
        n_candidates=n,
        score_true=None if true is None else scores[true],
        better=None if true is None else _better(members, true) if inside else len(members),
        tied=None if true is None else _tied(members, true) if inside else outside_tied,
        entropy_bits=math.inf if ruled_out else bits,
        shannon_bits=math.log2(len(members)) if members else prior,
        scores=members,
        probabilities=dict.fromkeys(members, 1 / len(members)) if members else {},
    )


def best_candidate_chance(records: Sequence[Record], aux: Record, own: int) -> float:
    """How likely somebody is right who names a record of the highest score of Scoreboard-RH,
    by a coin.
    """
    scores = rh_scores(records, aux, None, 1.5, 30.0, True)
    most = max(scores.values())
    if most == 0:
        return 0.0
    best = [r for r, score in scores.items() if equal(score, most)]
    return 1 / len(best) if own in best else 0.0


def matching_set_chance(records: Sequence[Record], aux: Record, own: int) -> float:
    """How likely somebody is right who names any record that has every known rating."""
    agree = [
        r
        for r, record in enumerate(records)
        if all(
            issue in record and decimal(record[issue][0]) == decimal(rating)
            for issue, (rating, _) in aux.items()
        )
    ]
    return 1 / len(agree) if own in agree else 0.0


def _sim(
    rating: float, day: float | None, cell: Cell | None, rating_tolerance: float | None,
    date_tolerance: float | None, width: float,
) -> float:  # fmt: skip
    if cell is None:
        return 0.0
    other, other_day = cell
    compared = date_tolerance is not None and day is not None
    if compared and (other_day is None or abs(day - other_day) > date_tolerance):
        return 0.0
    if rating_tolerance is None:
        return max(0.0, 1 - abs(rating - other) / width)
    return 1.0 if abs(decimal(rating) - decimal(other)) <= decimal(rating_tolerance) else 0.0


def _better(scores: Mapping[int, float], true: int) -> int:
    return sum(
        s > scores[true] and not equal(s, scores[true]) for r, s in scores.items() if r != true
    )


def _tied(scores: Mapping[int, float], true: int) -> int:
    return sum(equal(s, scores[true]) for r, s in scores.items() if r != true)
