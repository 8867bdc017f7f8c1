"""What the decomposition has to answer: GREEDY(k, ε, order), merging, borrowing, in plain loops.

Written from the definitions alone, over a graph given as sets; nothing of the engines or of the
compiled decomposition is used.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import networkx as nx
from naive import proximity, quasi_groups

from queries.oracle import Answers, Case, Row
from ratingpriv import RatingTable

Groups = list[list[int]]


def greedy(case: Case, k: int, epsilon: float, order: str) -> Groups:
    """Return the cliques in the order of making, members in the order of joining."""
    near = case.near(epsilon)
    seeds = sorted(range(len(near)), key=lambda t: (len(near[t]) if order == "fewest" else 0, t))
    free = set(seeds)
    groups: Groups = []
    for s in seeds:
        if s not in free:
            continue
        clique = [s]
        for c in sorted(
            (u for u in near[s] if u in free and u != s), key=lambda u: (case.distance(s, u), u)
        ):
            if len(clique) < k and all(member in near[c] for member in clique):
                clique.append(c)
        if len(clique) == k:
            groups.append(clique)
            free -= set(clique)
    for u in [t for t in seeds if t in free]:
        fitting = [
            (max(case.distance(u, member) for member in group), number)
            for number, group in enumerate(groups)
            if all(member in near[u] for member in group)
        ]
        if fitting:
            groups[min(fitting)[1]].append(u)
            free.remove(u)
    return groups


def components(case: Case, epsilon: float) -> dict[int, list[int]]:
    """The components by the position of their first record."""
    parts = map(sorted, nx.connected_components(case.graph(epsilon)))
    return {part[0]: part for part in sorted(parts)}


def cost(table: RatingTable, members: Iterable[int], epsilon: float, nulls: str) -> float:
    """The least Σ |x - x'| that makes the records a clique, null = 0, in exact fractions."""
    rows = [proximity.ratings(table)[t] for t in members]
    r = table.scale.maximum if table.scale is not None and table.scale.maximum > 0 else None
    separates = nulls == "strict" and (r is None or epsilon < r)
    decimals = _decimals(table)
    total = Fraction(0)
    for issue in range(table.n_issues):
        rated = sorted(_exact(row[issue], decimals) for row in rows if issue in row)
        zeros = len(rows) - len(rated) if separates else 0
        width = _exact(epsilon, None)
        if decimals is not None:
            width = Fraction(int(Fraction(repr(float(epsilon))) * 10**decimals), 10**decimals)
        if not rated:
            continue
        assert table.scale is not None
        ends = Fraction(repr(table.scale.minimum)), Fraction(repr(table.scale.maximum))
        if decimals is not None:
            unit = 10**decimals
            ends = (
                Fraction(math.ceil(ends[0] * unit), unit),
                Fraction(math.floor(ends[1] * unit), unit),
            )
        window = _window(rated, zeros, width, *ends)
        total += min(window, sum(map(abs, rated), Fraction(0))) if zeros else window
    return float(total)


def rules_met(case: Case, records: list[int]) -> bool:
    """Whether every two of the records meet the rules of the quasi-identifiers."""
    if not case.table.quasi:
        return True
    alike = quasi_groups.near(case.table, 1e12, case.nulls)  # whatever they rate
    return all(alike[t][u] for t in records for u in records)


def _decimals(table: RatingTable) -> int | None:
    for places in range(10):
        if all(
            round(x, places) == x and abs(x) * 10**places <= 1e15 for x in table.levels.tolist()
        ):
            return places
    return None


def _exact(x: float, decimals: int | None) -> Fraction:
    return (
        Fraction(float(x))
        if decimals is None
        else Fraction(round(float(x) * 10**decimals), 10**decimals)
    )


def _window(
    rated: list[Fraction], zeros: int, width: Fraction, smallest: Fraction, largest: Fraction
) -> Fraction:
    """The least cost over every window on the scale that starts or ends at a rating,
    at 0 or at its ends.
    """
    width = min(width, largest - smallest)
    starts = {x - shift for x in [*rated, Fraction(0), smallest, largest] for shift in (0, width)}
    costs = []
    for low in starts:
        if not smallest <= low <= largest - width:
            continue
        fill = abs(min(max(Fraction(0), low), low + width))
        costs.append(zeros * fill + sum(max(low - x, x - low - width, 0) for x in rated))
    return Fraction(min(costs))


@dataclass(frozen=True, eq=False)
class Run:
    """A run as it has to be: groups in the order of making, each with who made it;
    components by name.
    """

    case: Case
    k: int
    epsilon: float
    order: str
    groups: list[list[int]]
    parts: dict[int, list[int]]
    made: dict[int, str]

    @classmethod
    def of(cls, case: Case, k: int, epsilon: float, order: str):
        groups = greedy(case, k, epsilon, order)
        return cls(
            case,
            k,
            epsilon,
            order,
            groups,
            components(case, epsilon),
            {g[0]: "greedy" for g in groups},
        )

    @property
    def clique_of(self) -> dict[int, int]:
        return {t: group[0] for group in self.groups for t in group}

    @property
    def left(self) -> list[int]:
        return [t for t in range(len(self.case.ids)) if t not in self.clique_of]

    def is_clique(self, group: list[int]) -> bool:
        near = self.case.near(self.epsilon)
        return all(u in near[t] for t in group for u in group)


RUN_EXPECTED = Answers()
about_a_run = RUN_EXPECTED.about


@about_a_run("partition/members")
def _(run: Run) -> list[Row]:
    part = {t: name for name, members in run.parts.items() for t in members}
    return [(id_, t, run.clique_of.get(t), part[t]) for t, id_ in enumerate(run.case.ids)]


@about_a_run("partition/cliques")
def _(run: Run) -> list[Row]:
    near, rows = run.case.near(run.epsilon), []
    for group in sorted(run.groups):
        pairs = [(t, u) for t in group for u in group if t < u]
        far = [run.case.distance(t, u) for t, u in pairs if u in near[t]]
        holds = len(far) == len(pairs) and len(group) >= run.k
        rows.append(
            (
                group[0],
                run.made[group[0]],
                len(group),
                len(pairs) - len(far),
                max(far, default=0.0),
                holds,
            )
        )
    return rows


@about_a_run("partition/sizes")
def _(run: Run) -> list[Row]:
    counts = Counter(map(len, run.groups))
    return [(size, counts[size], size * counts[size]) for size in sorted(counts)]


@about_a_run("partition/check")
def _(run: Run) -> list[Row]:
    n, placed = len(run.case.ids), len(run.clique_of)
    small = sum(len(group) < run.k for group in run.groups)
    broken = sum(not run.is_clique(group) for group in run.groups)
    return [(placed == n and small == broken == 0, n, placed, len(run.groups), small, broken, None)]


@about_a_run("partition/decomposable-components")
def _(run: Run) -> list[Row]:
    rows = []
    for name, members in run.parts.items():
        cliques = {run.clique_of[t] for t in members if t in run.clique_of}
        left = sum(t not in run.clique_of for t in members)
        hamming = {run.case.group_of[t] for t in members}
        good = not left and all(run.made[clique] == "greedy" for clique in cliques)
        rows.append(
            (
                name,
                len(members),
                len(cliques),
                left,
                good,
                min(hamming) if len(hamming) == 1 else None,
            )
        )
    return sorted(rows, key=lambda row: (row[4], row[0]))


@about_a_run("partition/merging-candidates")
def _(run: Run) -> list[Row]:
    rows = []
    open_parts = {
        name: members
        for name, members in run.parts.items()
        if any(t not in run.clique_of for t in members)
    }
    for a, b in itertools.combinations(sorted(open_parts), 2):
        members = open_parts[a] + open_parts[b]
        if len({run.case.group_of[t] for t in members}) == 1 and rules_met(run.case, members):
            far = cost(run.case.table, members, run.epsilon, run.case.nulls)
            rows.append((far, a, b, len(members), None))
    return sorted(rows)


def after_a_loan(run: Run, u: int) -> list[list[int]] | None:
    """The cliques of u's component without it, everybody else in one.

    None if no exchange gives that.

    Its own clique of k or more with whoever was left out; or, where nobody was, its mates join
    others.
    """
    near = run.case.near(run.epsilon)
    (members,) = (part for part in run.parts.values() if u in part)
    groups = [sorted(set(group) - {u}) for group in run.groups if set(group) & set(members)]
    left = [t for t in run.left if t in members and t != u]
    if len(left) > 1 or run.made.get(run.clique_of.get(u, -1), "greedy") not in ("greedy", "whole"):
        return None
    if u not in run.clique_of:
        return None if left else groups
    own = sorted(set(next(group for group in run.groups if u in group)) - {u})
    others = [group for group in groups if group != own]
    for t in left:
        if not all(member in near[t] for member in own):
            return None
        own = [*own, t]
    if len(own) >= run.k:
        return [own, *others]
    fitting = {
        t: [group for group in others if all(member in near[t] for member in group)] for t in own
    }
    for t in own:
        if not fitting[t]:
            return None
        fitting[t][0].append(t)
    return others


def borrowing(run: Run, borrowers: list[int]) -> list[Row]:
    """The rows of ``partition/borrowing-candidates``."""
    rows: list[Row] = []
    if not rules_met(run.case, borrowers):
        said = (
            "the records that are named differ on a quasi-identifier, and no change of ratings "
            "makes them"
        )
        return [(*[None] * 4, f"{said} proximate")]
    for name, members in run.parts.items():
        for u in members if not set(members) & set(borrowers) else []:
            if rules_met(run.case, [*borrowers, u]) and after_a_loan(run, u) is not None:
                far = cost(run.case.table, [*borrowers, u], run.epsilon, run.case.nulls)
                rows.append((far, run.case.ids[u], u, name, None))
    return sorted(rows, key=lambda row: (row[0], row[2]))


def combining(run: Run, names: list[int]) -> list[Row]:
    """The rows of ``partition/combining-candidates``."""
    near = run.case.near(run.epsilon)
    records = sorted(t for name in names for t in run.parts[name])
    cliques = [
        some
        for size in range(1, run.k + 1)
        for some in itertools.combinations(records, size)
        if all(u in near[t] for t, u in itertools.combinations(some, 2))
    ]
    most = max(map(len, cliques))
    if most == run.k:
        return [(*[None] * 4, "these records have a clique of k: nothing has to be combined")]
    rows = []
    for left, right in itertools.combinations([one for one in cliques if len(one) == most], 2):
        union = sorted({*left, *right})
        if len(union) <= run.k and rules_met(run.case, union):
            rows.append(
                (-len(union), cost(run.case.table, union, run.epsilon, run.case.nulls), left, right)
            )
    ids = run.case.ids
    return [
        (far, -size, [ids[t] for t in left], [ids[t] for t in right], None)
        for size, far, left, right in sorted(rows)
    ]


@about_a_run("partition/runs/list")
def _(run: Run) -> list[Row]:
    sizes = [len(group) for group in run.groups]
    least, most = min(sizes, default=None), max(sizes, default=None)
    counts = (len(sizes), sum(sizes), len(run.left), least, most)
    return [("run", run.k, run.epsilon, run.order, True, *counts, "complete")]


@about_a_run("browse/cliques")
def _(run: Run) -> list[Row]:
    order = sorted(run.groups, key=lambda group: (-len(group), group[0]))[:24]
    rows = [
        ("Run", "Clique", "MEMBER_OF", run.case.ids[t])
        for group in order
        for t in sorted(group)[:11]
    ]
    return rows or [("Run", None, None, None)]


@about_a_run("browse/left-out")
def _(run: Run) -> list[Row]:
    rows = [("Run", "LEFT_OUT", run.case.ids[t]) for t in run.left[:299]]
    return rows or [("Run", None, None)]
