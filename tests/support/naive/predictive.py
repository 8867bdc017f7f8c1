"""Predictive Anonymization by plain loops, straight from the definitions [CTWY10, §4].

Shares nothing.
"""

import math
from fractions import Fraction


def distance2(a, b):
    """Σ (a_i - b_i)²."""
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def one_round(points, centres):
    """One round of bounded t-means: all pairs, nearest first; a place where there is room."""
    m, t = len(points), len(centres)
    pairs = sorted(
        (distance2(point, centre), user, cluster)
        for user, point in enumerate(points)
        for cluster, centre in enumerate(centres)
    )
    room, extra = [m // t] * t, m - t * (m // t)
    grown = [False] * t
    labels = [None] * m
    for _, user, cluster in pairs:
        if labels[user] is not None:
            continue
        if room[cluster] == 0 and extra and not grown[cluster]:
            room[cluster], extra, grown[cluster] = 1, extra - 1, True
        if room[cluster]:
            room[cluster] -= 1
            labels[user] = cluster
    return labels


def spread(points, labels):
    """Σ of squared distances from the means of the clusters."""
    total = 0.0
    for cluster in set(labels):
        mine = [point for point, label in zip(points, labels, strict=True) if label == cluster]
        mean = [sum(column) / len(mine) for column in zip(*mine, strict=True)]
        total += sum(distance2(point, mean) for point in mine)
    return total


def bounded_t_means(points, centres, rounds):
    """All rounds; the one with the least spread."""
    best, least, before = None, math.inf, None
    for _ in range(rounds):
        labels = one_round(points, centres)
        if labels == before:
            break
        before = labels
        if spread(points, labels) < least:
            best, least = labels, spread(points, labels)
        centres = []
        for cluster in range(max(labels) + 1):
            mine = [point for point, label in zip(points, labels, strict=True) if label == cluster]
            centres.append([sum(column) / len(mine) for column in zip(*mine, strict=True)])
    return best


def dissolve(points, centres, labels, k):
    """Bins of fewer than k users are dissolved, smallest first.

    Its users go to the nearest other one.
    """
    labels, alive = list(labels), list(range(len(centres)))
    while len(alive) > 1:
        size, bin_ = min((labels.count(one), one) for one in alive)
        if size >= k:
            break
        alive.remove(bin_)
        for user, label in enumerate(labels):
            if label == bin_:
                labels[user] = min((distance2(points[user], centres[one]), one) for one in alive)[1]
    return labels


def pure(ratings, groups):
    """What each group gets: {issue: (mean of the ratings given, how many gave one)};
    all as fractions.
    """
    given = []
    for group in groups:
        cells = {}
        for user in group:
            for issue, rating in ratings[user].items():
                cells.setdefault(issue, []).append(Fraction(rating))
        given.append({issue: (sum(all_) / len(all_), len(all_)) for issue, all_ in cells.items()})
    return given


def padded(ratings, groups, issues, predicted, low, high):
    """Every issue: the mean over the group of the rating, or of the clipped prediction."""
    return [
        {
            issue: sum(
                ratings[user].get(issue, min(max(predicted(user, issue), low), high))
                for user in group
            )
            / len(group)
            for issue in issues
        }
        for group in groups
    ]


def nearest_level(mean, levels):
    """The nearest level, halves upwards."""
    return min(levels, key=lambda level: (abs(Fraction(level) - mean), -level))


def confidences(given, groups):
    """k'/|C| once for every released edge."""
    return [
        Fraction(raters, len(group))
        for cells, group in zip(given, groups, strict=True)
        for _, raters in cells.values()
        for _ in group
    ]


def least_denominator(mean):
    """The least q with q times the mean whole."""
    return next(q for q in range(1, 1000) if (q * mean).denominator == 1)
