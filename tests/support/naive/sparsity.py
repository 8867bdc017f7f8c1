"""Similarity of records straight from [NS08, §3]: dicts, loops and fractions."""

from fractions import Fraction

__all__ = ["nearest_similarities", "similarity"]


def similarity(one, other, alike):
    """Sum of Sim over the issues that both rate, divided by the issues that either rates."""
    union = set(one) | set(other)
    if not union:
        return Fraction(0)
    return Fraction(
        sum(1 for issue in set(one) & set(other) if alike(one[issue], other[issue])), len(union)
    )


def nearest_similarities(records, alike):
    """For each record that rates anything: its place, the best similarity, and who has it first."""
    found = []
    for place, record in enumerate(records):
        if not record:
            continue
        best, who = Fraction(0), -1
        for other_place, other in enumerate(records):
            value = similarity(record, other, alike)
            if other_place != place and value > best:
                best, who = value, other_place
        found.append((place, best, who))
    return found
