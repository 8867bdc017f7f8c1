"""Counts of ratings and residual bits straight from [NS08, Figs 2, 3 and 7]: dicts and loops."""

import math

__all__ = ["counts", "lacking", "outside", "ranking"]


def counts(records, x):
    """How many records have exactly x ratings, and how many have at least x."""
    return sum(len(record) == x for record in records), sum(len(record) >= x for record in records)


def ranking(records, issues):
    """Issues by falling number of raters, ties by position.

    Those that nobody rates are left out.
    """
    raters = {issue: sum(issue in record for record in records) for issue in range(issues)}
    return sorted(
        (issue for issue in raters if raters[issue]), key=lambda issue: (-raters[issue], issue)
    )


def outside(records, issues, top, x):
    """The share of records with at least x ratings of issues that are
    not among the ``top`` most rated.
    """
    most = set(ranking(records, issues)[:top])
    return sum(len(set(record) - most) >= x for record in records) / len(records)


def lacking(records, issue, reach, of):
    """Mean over the raters of log2 #{raters within ``reach``}; ``of`` says of what, None:
    not known.
    """
    known = [
        of(record[issue]) for record in records if issue in record and of(record[issue]) is not None
    ]
    if not known:
        return None
    bits = [math.log2(sum(abs(one - other) <= reach for other in known)) for one in known]
    return sum(bits) / len(bits)
