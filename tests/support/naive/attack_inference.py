"""Attribute inference, disclosed profiles and success by similarity,
loop by loop from the definitions.
"""

import math
from collections.abc import Mapping, Sequence

from naive.attack import Answer, Record, equal, record_similarity

__all__ = ["best", "chance", "disclosed", "error", "least_similar", "posterior"]


def posterior(answer: Answer, candidates: Sequence[int]) -> dict[int, float]:
    """Π of every candidate: where nobody matches, all are equally likely."""
    if answer.probabilities:
        return {r: answer.probabilities.get(r, 0.0) for r in candidates}
    return dict.fromkeys(candidates, 1.0)


def weigh(probabilities: Mapping[int, float], values: Mapping[int, float]) -> dict[float, float]:
    """How likely each value is; who has none has no weight."""
    weights: dict[float, float] = {}
    for value in sorted(set(values.values())):
        terms = [p for r, p in probabilities.items() if r in values and values[r] == value]
        weights[value] = math.fsum(terms)
    return weights


def fallen_back(
    probabilities: Mapping[int, float], values: Mapping[int, float]
) -> dict[float, float]:
    weights = weigh(probabilities, values)
    return weights if sum(weights.values()) > 0 else weigh(dict.fromkeys(values, 1.0), values)


def chance(probabilities: Mapping[int, float], values: Mapping[int, float], truth: float) -> float:
    """Chance that one of the likeliest values, at random, is the true one.

    ``values`` of who has any.
    """
    weights = fallen_back(probabilities, values)
    if not weights:
        return 0.0
    most = max(weights.values())
    likeliest = [value for value, weight in weights.items() if abs(weight - most) <= 1e-9 * most]
    return (truth in likeliest) / len(likeliest)


def error(
    probabilities: Mapping[int, float], values: Mapping[int, float], truth: float
) -> float | None:
    """Distance of the mean to the truth; None where nobody has a value."""
    weights = fallen_back(probabilities, values)
    if not weights:
        return None
    whole = math.fsum(weights.values())
    return abs(math.fsum(value * weight for value, weight in weights.items()) / whole - truth)


def best(answer: Answer) -> set[int]:
    """Who has the highest score, if it is above 0."""
    most = max(answer.scores.values(), default=0.0)
    return {r for r, score in answer.scores.items() if equal(score, most)} if most > 0 else set()


def disclosed(
    records: Sequence[Record],
    secrets: Sequence[Mapping[int, float]],
    answer: Answer,
    own: int | None,
) -> bool:
    """Whether all best candidates are identical, but for dates, and one is the target's."""
    seen = {
        (
            tuple(sorted((issue, rating) for issue, (rating, _) in records[r].items())),
            tuple(
                sorted((issue, column[r]) for issue, column in enumerate(secrets) if r in column)
            ),
        )
        for r in best(answer)
    }
    return own in best(answer) and len(seen) == 1


def least_similar(records: Sequence[Record], answer: Answer, own: int) -> float | None:
    """Similarity of the named record, or of the least similar of several best ones.

    None: nobody is named.
    """
    named = (
        {answer.best}
        if answer.best is not None
        else best(answer)
        if len(best(answer)) > 1
        else set()
    )
    similar = [record_similarity(records[own], records[r], 0.0, None) for r in named]
    return min(similar, default=None)
