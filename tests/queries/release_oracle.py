"""What queries about a release have to answer, in plain loops over the two tables."""

from dataclasses import dataclass

import networkx as nx
from naive import proximity

from queries.oracle import Answers, Case, Row

__all__ = ["RELEASE_EXPECTED", "Released", "changes", "near_by"]


@dataclass(frozen=True, eq=False)
class Released:
    """Two tables as they were loaded; ``became``:
    which record of the second each of the first became.
    """

    before: Case
    after: Case
    became: list[int | None]
    epsilon: float

    def cells(self, t: int) -> dict[str, tuple[float | None, float | None]]:
        """The ratings of a released record, before and after, by issue.

        Those null twice are left out.
        """
        u = self.became[t]
        assert u is not None
        names = self.before.table.issues
        old, new = proximity.ratings(self.before.table)[t], proximity.ratings(self.after.table)[u]
        return {
            names[i]: (old.get(i), new.get(i)) for i in range(len(names)) if i in old or i in new
        }

    def measured(self, t: int) -> tuple[float, int, int, int]:
        """Distortion, cells changed, filled and erased of a released record."""
        cells = self.cells(t).values()
        return (
            float(sum(abs((old or 0) - (new or 0)) for old, new in cells)),
            sum(old is not None and new is not None and old != new for old, new in cells),
            sum(old is None for old, _ in cells),
            sum(new is None for _, new in cells),
        )

    @property
    def kept(self) -> list[int]:
        return [t for t, u in enumerate(self.became) if u is not None]


RELEASE_EXPECTED = Answers()
about = RELEASE_EXPECTED.about


@about("anonymize/releases")
def _(case: Released) -> list[Row]:
    total = sum(case.measured(t)[0] for t in case.kept)
    return [("run", "", True, True, None, len(case.kept), len(case.became) - len(case.kept), total)]


@about("anonymize/distortion")
def _(case: Released) -> list[Row]:
    rows = [case.measured(t) for t in case.kept]
    total, *cells = (sum(column) for column in zip(*rows, strict=True)) if rows else (0.0, 0, 0, 0)
    touched = sum(any(row[1:]) for row in rows)
    return [(float(total), *cells, touched, len(rows), len(case.became) - len(rows), None)]


@about("anonymize/distortion-by-record")
def _(case: Released) -> list[Row]:
    found = sorted((-case.measured(t)[0], t) for t in case.kept)
    return [
        (case.before.ids[t], t, case.after.ids[case.became[t] or 0], *case.measured(t), None)
        for _, t in found
    ]


@about("anonymize/clustering")
def _(case: Released) -> list[Row]:
    rows: list[Row] = []
    for name, one in (("before", case.before), ("after", case.after)):
        graph = one.graph(case.epsilon)
        triangles = sum(nx.triangles(graph).values()) // 3
        mean = float(nx.average_clustering(graph))
        rows.append((name, len(one.ids), graph.number_of_edges(), triangles, mean))
    return rows


def changes(case: Released, t: int) -> list[Row]:
    names = case.before.table.issues
    cells = {
        name: [None if x is None else float(x) for x in cell]
        for name, cell in case.cells(t).items()
    }
    return [(name, names.index(name), *cell, None) for name, cell in cells.items()]


def near_by(case: Released, t: int) -> list[Row]:
    rows: list[Row] = []
    u = case.became[t]
    for side, one, place in (("before", case.before, t), ("after", case.after, u)):
        found = (
            []
            if place is None
            else [other for other in one.near(case.epsilon)[place] if other != place]
        )
        ends = sorted((one.distance(place or 0, other), other) for other in found)
        start = (
            case.before.ids[t],
            None if u is None else "RELEASED_AS",
            None if u is None else case.after.ids[u],
        )
        rows += [(*start, far, one.ids[other], side) for far, other in ends] or [
            (*start, None, None, side)
        ]
    return rows
