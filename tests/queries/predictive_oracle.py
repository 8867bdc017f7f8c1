"""What queries about a release in groups of identical records have to answer, in plain loops."""

import itertools
from collections import Counter
from dataclasses import dataclass

from naive import proximity

from queries.oracle import Answers, Row
from ratingpriv import RatingTable

__all__ = ["GROUPED_EXPECTED", "Grouped", "added", "homogenised"]


@dataclass(frozen=True, eq=False)
class Grouped:
    """A release, what its records were, the table that they are from; positions in the release."""

    whole: RatingTable
    before: RatingTable
    after: RatingTable
    groups: list[list[int]]
    k: int

    def rated(self, table: RatingTable) -> list[set[int]]:
        """What every record rates, as positions in the original."""
        places = {name: place for place, name in enumerate(self.before.issues)}
        return [{places[table.issues[i]] for i in row} for row in proximity.ratings(table)]

    def sets(self, b: int) -> list[tuple[int, int, tuple[int, ...]]]:
        """(groups, raters, issues) of each set of ``b`` issues that is rated together."""
        real, released = self.rated(self.whole), self.rated(self.after)
        covered = [set().union(*(released[t] for t in group)) for group in self.groups]
        found = []
        for issues in itertools.combinations(range(self.before.n_issues), b):
            raters = sum(set(issues) <= row for row in real)
            if raters:
                found.append((sum(set(issues) <= group for group in covered), raters, issues))
        return sorted(found, key=lambda one: (one[0], one[2]))

    def cells(self, group: list[int]) -> list[tuple[int, int]]:
        """(released, real) of each issue that the group is released with."""
        real, released = self.rated(self.before), self.rated(self.after)
        return [
            (
                sum(i in released[t] for t in group),
                sum(i in released[t] and i in real[t] for t in group),
            )
            for i in sorted(set().union(*(released[t] for t in group)))
        ]

    def confidence(self, cells: list[tuple[int, int]]) -> tuple[int | float | None, ...]:
        """Edges, real ones, mean, shares above 1/k and 2/k, the largest."""
        edges, real = sum(n for n, _ in cells), sum(n for _, n in cells)
        if not edges:
            return (0, 0, None, None, None, None)
        above = [
            sum(n for n, some in cells if some * self.k > times * n) / edges for times in (1, 2)
        ]
        return (edges, real, real / edges, *above, max(some / n for n, some in cells))


def homogenised(table: RatingTable, labels: list[int]) -> list[list[float | None]]:
    """Everybody gets what anybody in the group rates: its mean,
    halves rounded up [CTWY10, §4.2].
    """
    rows = proximity.ratings(table)
    means: dict[tuple[int, int], float] = {}
    for group, i in itertools.product(set(labels), range(table.n_issues)):
        known = [
            row[i] for row, label in zip(rows, labels, strict=True) if label == group and i in row
        ]
        if known:
            means[group, i] = float((2 * sum(known) + len(known)) // (2 * len(known)))
    return [[means.get((label, i)) for i in range(table.n_issues)] for label in labels]


GROUPED_EXPECTED = Answers()
about = GROUPED_EXPECTED.about


@about("anonymize/coverage-check")
def _(case: Grouped, b: int, l: int) -> list[Row]:  # noqa: E741
    groups = [groups for groups, _, _ in case.sets(b)]
    short = sum(one < l for one in groups)
    return [(short == 0, len(case.groups), len(groups), short, min(groups, default=None), None)]


@about("anonymize/coverage")
def _(case: Grouped, b: int, l: int) -> list[Row]:  # noqa: E741
    rows: list[Row] = []
    for groups, raters, issues in case.sets(b):
        named = [(case.before.issues[i], i) for i in issues]
        first, other = [*named, (None, None)][:2]
        if groups < l:
            rows.append((*first, *other, raters, groups, None))
    return rows


@about("anonymize/link-confidence")
def _(case: Grouped) -> list[Row]:
    cells = [cell for group in case.groups for cell in case.cells(group)]
    return [
        (len(case.groups), min(map(len, case.groups), default=None), *case.confidence(cells), None)
    ]


@about("anonymize/link-confidence-by-group")
def _(case: Grouped) -> list[Row]:
    rows = [
        (g[0], len(g), len(case.cells(g)), *case.confidence(case.cells(g)), None)
        for g in case.groups
    ]
    return sorted(rows, key=lambda row: (1.0 if row[5] is None else -row[5], row[0]))


def added(case: Grouped, t: int) -> list[Row]:
    """The rows of ``browse/predictive``: the record, the group, a member,
    an issue that it did not rate.
    """
    real, released = case.rated(case.before), case.rated(case.after)
    (group,) = (group for group in case.groups if t in group)
    pairs = [(u, i) for u in group for i in released[u] - real[u]]
    counts = Counter(i for _, i in pairs)
    rows = sorted((-counts[i], i, u) for u, i in pairs)
    named = [(case.before.issues[i], u) for _, i, u in rows]
    none = [(None, u) for u in group if not released[u] - real[u]]
    return [(t, group[0], u, name) for name, u in [*named, *none]]
