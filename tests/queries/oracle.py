"""What every query has to answer, from the plain-loop definitions and from NetworkX.

Nothing of the engines is used.

``EXPECTED[id](case, **params)`` gives the rows, in order, as tuples. A Record node is told by its
id, a HammingGroup node by its number, a PROXIMATE relationship by its distance, anything else that
Browser draws by its kind. It is one idea, an answer a query, and as long as the library has
queries.
"""

import functools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import networkx as nx
from naive import inference, moments, proximity, quasi_groups

from ratingpriv import RatingTable

Row = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Case:
    """A table as it was loaded: its pairs up to ``epsilon_max``, all of them."""

    table: RatingTable
    epsilon_max: float
    nulls: str = "strict"

    @functools.cached_property
    def ids(self) -> list[Any]:
        return self.table.record_ids.to_list()

    @functools.cached_property
    def all_pairs(self) -> list[tuple[int, int, float]]:
        found = proximity.pairs(self.table, self.epsilon_max, self.nulls)
        if not self.table.quasi:
            return found
        alike = quasi_groups.near(self.table, self.epsilon_max, self.nulls)
        return [pair for pair in found if alike[pair[0]][pair[1]]]

    @functools.cached_property
    def groups(self) -> list[list[int]]:
        found = proximity.hamming_groups(self.table)
        if not self.classes:
            return found
        parts = [
            [t for t in group if t in members]
            for group in found
            for members in map(set, self.classes)
        ]
        return sorted(filter(None, parts))  # by their first records

    @functools.cached_property
    def group_of(self) -> dict[int, int]:
        return {record: number for number, group in enumerate(self.groups) for record in group}

    @functools.cached_property
    def support_sizes(self) -> list[int]:
        rows = proximity.ratings(self.table)
        return [len(rows[group[0]]) for group in self.groups]

    @property
    def quasi_words(self) -> str | None:
        """What the Dataset node says of the rules."""
        said = [
            f"{column.name} {'equal' if column.within is None else f'within {column.within:g}'}"
            + (f" ({column.recoded})" if column.recoded else "")
            for column in self.table.quasi
        ]
        return ", ".join(said) or None

    def caption(self, record: int, *, equal_only: bool) -> str:
        """A record's values of the quasi-identifiers in words."""
        said = []
        for place, column in enumerate(self.table.quasi):
            value = quasi_groups.values(self.table)[record][place]
            if column.within is None or not equal_only:
                text = f"{float(value):g}" if isinstance(value, Fraction) else value
                said.append(f"{column.name}={'?' if value is None else text}")
        return ", ".join(said)

    @functools.cached_property
    def classes(self) -> list[list[int]]:
        """Records with equal values of the columns that have to be equal.

        None without such a column.
        """
        equal = [place for place, column in enumerate(self.table.quasi) if column.within is None]
        found: dict[Any, list[int]] = {}
        for record, row in enumerate(quasi_groups.values(self.table)):
            found.setdefault(tuple(row[place] for place in equal), []).append(record)
        return list(found.values()) if equal else []

    @property
    def class_of(self) -> dict[int, int]:
        return {record: number for number, members in enumerate(self.classes) for record in members}

    @property
    def numeric(self) -> list[Any]:
        """The sensitive issues that have an SD."""
        return [column for column in self.table.sensitive if not column.nominal]

    @functools.lru_cache(maxsize=64)  # noqa: B019 -- a few small cases live through a test session
    def near(self, epsilon: float) -> list[list[int]]:
        if epsilon != self.epsilon_max and self.table.quasi:
            rows = quasi_groups.near(self.table, epsilon, self.nulls)
            return [[u for u, alike in enumerate(row) if alike] for row in rows]
        if epsilon != self.epsilon_max:
            return proximity.neighbourhoods(self.table, epsilon, self.nulls)
        near = [[record] for record in range(len(self.ids))]
        for a, b, _ in self.all_pairs:
            near[a].append(b)
            near[b].append(a)
        return [sorted(records) for records in near]

    def sizes(self, epsilon: float) -> list[int]:
        return [len(near) for near in self.near(epsilon)]

    @functools.lru_cache(maxsize=64)  # noqa: B019
    def graph(self, epsilon: float) -> nx.Graph:
        graph = nx.Graph()
        graph.add_nodes_from(range(len(self.ids)))
        graph.add_edges_from(
            (a, b) for a, near in enumerate(self.near(epsilon)) for b in near if a < b
        )
        return graph

    def distance(self, a: int, b: int) -> float:
        rows = proximity.ratings(self.table)
        found = proximity.distance(self.table, rows[a], rows[b], self.nulls)
        assert found is not None
        return found


class Answers(dict[str, Callable[..., list[Row]]]):
    """What computes the rows of a query, by its id."""

    def about(self, query_id: str) -> Callable[[Callable[..., list[Row]]], None]:
        return functools.partial(self.__setitem__, query_id)


EXPECTED = Answers()
expected = EXPECTED.about


@expected("audit/dataset-summary")
def _(case: Case, dataset: str) -> list[Row]:
    table = case.table
    scale = (None, None) if table.scale is None else (table.scale.minimum, table.scale.maximum)
    sensitive = [column.name for column in table.sensitive]
    counts = (
        table.n_records,
        table.n_records,
        table.n_issues,
        sensitive,
        len(case.groups),
        len(case.all_pairs),
    )
    return [(dataset, True, "all", case.epsilon_max, case.nulls, *counts, *scale, case.quasi_words)]


@expected("audit/degree-check")
def _(case: Case, dataset: str, k: int, epsilon: float) -> list[Row]:
    sizes = case.sizes(epsilon)
    low = min(sizes)
    return [
        (low >= k, len(sizes), sum(size < k for size in sizes), low, case.epsilon_max, True, None)
    ]


@expected("audit/degree-violators")
def _(case: Case, dataset: str, k: int, epsilon: float) -> list[Row]:
    found = sorted((size, place) for place, size in enumerate(case.sizes(epsilon)) if size < k)
    return [(case.ids[place], place, size, 1 / size, None) for size, place in found]


@expected("audit/record-ids")
def _(case: Case, dataset: str) -> list[Row]:
    return [(id_, place) for place, id_ in enumerate(case.ids)]


@expected("audit/record-groups")
def _(case: Case, dataset: str) -> list[Row]:
    return [(id_, place, case.group_of[place]) for place, id_ in enumerate(case.ids)]


@expected("audit/pairs")
def _(case: Case, dataset: str, epsilon: float, first: int, last: int) -> list[Row]:
    near = case.near(epsilon)
    return [
        (a, b, case.distance(a, b))
        for a in range(first, min(last, len(near)))
        for b in near[a]
        if a < b
    ]


@expected("audit/neighbourhood-sizes")
def _(case: Case, dataset: str, epsilon: float) -> list[Row]:
    return [(case.ids[place], place, size) for place, size in enumerate(case.sizes(epsilon))]


@expected("audit/neighbourhood")
def _(case: Case, dataset: str, record: Any, epsilon: float) -> list[Row]:
    t = case.ids.index(record)
    found = sorted((case.distance(t, u), u) for u in case.near(epsilon)[t])
    return [(case.ids[u], u, far, case.group_of[u]) for far, u in found]


def sds(
    case: Case, issue: str, epsilon: float
) -> list[tuple[int, int, float | None, float | None, float | None]]:
    """Size, known ratings, mean, SD by the paper and SD ignoring nulls of every neighbourhood."""
    column = case.table.sensitive_column(issue)
    rows = []
    for near in case.near(epsilon):
        group = moments.values(column, near)
        known = [value for value in group if value is not None]
        if known:
            mean = float(sum(known) / len(known))
            rows.append(
                (
                    len(group),
                    len(known),
                    mean,
                    moments.sd(group, "paper"),
                    moments.sd(group, "ignore"),
                )
            )
        else:
            rows.append((len(group), 0, None, None, None))
    return rows


@expected("audit/sensitive-sd")
def _(case: Case, dataset: str, issue: str, epsilon: float) -> list[Row]:
    return [(case.ids[place], place, *row) for place, row in enumerate(sds(case, issue, epsilon))]


@expected("audit/sensitive-levels")
def _(case: Case, dataset: str) -> list[Row]:
    rows: list[Row] = []
    for column in case.table.sensitive:
        counts = Counter(column.values[column.present].tolist())
        labels = {
            rating: column.labels[int(rating)] if column.labels else None for rating in counts
        }
        rows += [(column.name, rating, counts[rating], labels[rating]) for rating in sorted(counts)]
        if nulls := int((~column.present).sum()):
            rows.append((column.name, None, nulls, None))
    return rows


def values(case: Case, issue: str, epsilon: float) -> list[list[Fraction | None]]:
    column = case.table.sensitive_column(issue)
    return [moments.values(column, near) for near in case.near(epsilon)]


def counted(group: list[Fraction | None]) -> list[tuple[float | None, int]]:
    """How often each value occurs, the null last."""
    occurs = Counter(None if value is None else float(value) for value in group)
    return sorted(occurs.items(), key=lambda one: (one[0] is None, one[0] or 0))


def learnt(group: list[Fraction | None]) -> Row:
    """Known values, largest share, distinct ones, entropy in bits."""
    share = inference.largest_share(group)
    return (
        sum(inference.counts(group)),
        None if share is None else float(share),
        inference.distinct(group),
        inference.entropy(group),
    )


@expected("audit/sensitive-counts")
def _(case: Case, dataset: str, issue: str, epsilon: float) -> list[Row]:
    return [
        (place, rating, records)
        for place, group in enumerate(values(case, issue, epsilon))
        for rating, records in counted(group)
    ]


@expected("audit/inference")
def _(case: Case, dataset: str, issue: str, epsilon: float) -> list[Row]:
    groups = values(case, issue, epsilon)
    return [
        (case.ids[place], place, len(group), *learnt(group)) for place, group in enumerate(groups)
    ]


@expected("audit/inference-violators")
def _(
    case: Case,
    dataset: str,
    epsilon: float,
    max_share: float,
    min_distinct: int,
    min_entropy: float,
) -> list[Row]:
    if not case.table.sensitive:
        return [(*[None] * 11, "the dataset has no sensitive issue")]
    found = []
    for number, column in enumerate(case.table.sensitive):
        for place, group in enumerate(values(case, column.name, epsilon)):
            share = inference.largest_share(group)
            breaks = (
                share is not None and share > Fraction(Decimal(repr(max_share))),
                share is not None and inference.distinct(group) < min_distinct,
                not inference.entropy_at_least(group, min_entropy),
            )
            if any(breaks):
                row = (
                    case.ids[place],
                    place,
                    column.name,
                    len(group),
                    *learnt(group),
                    *breaks,
                    None,
                )
                found.append(((len(group), place, number), row))
    return [row for _, row in sorted(found, key=lambda pair: pair[0])]


def below(case: Case, issue: str, epsilon: float, l: float, rule: str) -> list[bool]:  # noqa: E741
    column = case.table.sensitive_column(issue)
    return [
        not moments.at_least(moments.values(column, near), l, rule) for near in case.near(epsilon)
    ]


@expected("audit/k-epsilon-l-check")
def _(case: Case, dataset: str, k: int, epsilon: float, l: float) -> list[Row]:  # noqa: E741
    if not case.numeric:
        return [(*[None] * 9, "the dataset has no sensitive issue of numbers")]
    sizes = case.sizes(epsilon)
    rows: list[Row] = []
    for column in case.numeric:
        known = [row for row in sds(case, column.name, epsilon) if row[1]]
        least = [min((row[3 + place] for row in known), default=None) for place in (0, 1)]
        bad = [
            sum(
                size < k or flat
                for size, flat in zip(
                    sizes, below(case, column.name, epsilon, l, rule), strict=True
                )
            )
            for rule in ("paper", "ignore")
        ]
        rows.append(
            (column.name, not bad[0], not bad[1], len(sizes), min(sizes), *least, *bad, None)
        )
    return rows


@expected("audit/k-epsilon-l-violators")
def _(case: Case, dataset: str, k: int, epsilon: float, l: float) -> list[Row]:  # noqa: E741
    if not case.numeric:
        return [(*[None] * 10, "the dataset has no sensitive issue of numbers")]
    found = []
    for number, column in enumerate(case.numeric):
        paper, ignore = (below(case, column.name, epsilon, l, rule) for rule in ("paper", "ignore"))
        for place, (size, known, _, *sd) in enumerate(sds(case, column.name, epsilon)):
            if size < k or paper[place] or ignore[place]:
                breaks = (size < k, paper[place], ignore[place])
                row = (case.ids[place], place, column.name, size, known, *sd, *breaks, None)
                found.append(((size, place, number), row))
    return [row for _, row in sorted(found, key=lambda pair: pair[0])]


@expected("audit/risk-histogram")
def _(case: Case, dataset: str, epsilon: float) -> list[Row]:
    return [
        (size, records, 1 / size) for size, records in sorted(Counter(case.sizes(epsilon)).items())
    ]


@expected("audit/risk-summary")
def _(case: Case, dataset: str, k: int, epsilon: float) -> list[Row]:
    sizes = case.sizes(epsilon)
    n = len(sizes)
    return [
        (
            n,
            sizes.count(1),
            1 / min(sizes),
            sum(1 / s for s in sizes) / n,
            sum(s < k for s in sizes) / n,
            None,
        )
    ]


@expected("audit/hamming-groups")
def _(case: Case, dataset: str) -> list[Row]:
    order = sorted(range(len(case.groups)), key=lambda number: (-len(case.groups[number]), number))
    return [
        (g, len(case.groups[g]), case.support_sizes[g], case.ids[case.groups[g][0]]) for g in order
    ]


@expected("audit/hamming-group-sizes")
def _(case: Case, dataset: str) -> list[Row]:
    counts = Counter(map(len, case.groups))
    return [(size, groups, size * groups) for size, groups in sorted(counts.items())]


@expected("quasi/class-sizes")
def _(case: Case, dataset: str) -> list[Row]:
    rows = []
    for number, members in enumerate(case.classes):
        supports = {case.group_of[t] for t in members}
        words = case.caption(members[0], equal_only=True)
        rows.append((number, len(members), len(supports), words, case.ids[members[0]]))
    return sorted(rows, key=lambda row: (row[1], row[0]))


@expected("quasi/at-risk")
def _(case: Case, dataset: str, k: int, epsilon: float) -> list[Row]:
    if not case.table.quasi:
        return [(*[None] * 6, "the dataset has no quasi-identifiers: ask audit/degree-violators")]
    rows: list[Row] = []
    for size, t in sorted((size, t) for t, size in enumerate(case.sizes(epsilon)) if size < k):
        number = case.class_of.get(t)
        members = None if number is None else len(case.classes[number])
        rows.append(
            (case.ids[t], t, size, case.caption(t, equal_only=False), number, members, None)
        )
    return rows


@expected("partition/clique-test")
def _(case: Case, dataset: str, records: list[Any], epsilon: float) -> list[Row]:
    if not records:
        return [(*[None] * 5, "no record is named")]
    if not set(records) <= set(case.ids):
        return [(*[None] * 5, "a record that is named is not in the dataset")]
    places = {case.ids.index(record) for record in records}
    sub = case.graph(epsilon).subgraph(places)
    pairs, g = sub.number_of_edges(), len(places)
    far = max((case.distance(a, b) for a, b in sub.edges), default=0.0)
    return [(nx.density(sub) == 1 or g == 1, g, pairs, g * (g - 1) // 2 - pairs, far, None)]


@expected("partition/components")
def _(case: Case, dataset: str, epsilon: float) -> list[Row]:
    components = sorted(map(sorted, nx.connected_components(case.graph(epsilon))))
    return [
        (case.ids[place], place, component[0]) for component in components for place in component
    ]


@expected("partition/core")
def _(case: Case, dataset: str, k: int, epsilon: float) -> list[Row]:
    core = nx.k_core(case.graph(epsilon), k - 1)
    return [(id_, place, place in core) for place, id_ in enumerate(case.ids)]


@expected("utility/local-clustering")
def _(case: Case, dataset: str, epsilon: float) -> list[Row]:
    graph = case.graph(epsilon)
    triangles, coefficients = nx.triangles(graph), nx.clustering(graph)
    return [
        (id_, t, graph.degree[t], triangles[t], float(coefficients[t]))
        for t, id_ in enumerate(case.ids)
    ]


@expected("utility/average-clustering")
def _(case: Case, dataset: str, epsilon: float, part: int, parts: int) -> list[Row]:
    graph = case.graph(epsilon)
    triangles = sum(nx.triangles(graph).values()) // 3
    return [
        (len(case.ids), graph.number_of_edges(), triangles, float(nx.average_clustering(graph)))
    ]


@expected("browse/overview")
def _(case: Case, dataset: str) -> list[Row]:
    order = sorted(range(len(case.groups)), key=lambda number: (-len(case.groups[number]), number))[
        :40
    ]
    return [
        ("Dataset", g, "IN_GROUP", case.ids[place]) for g in order for place in case.groups[g][:6]
    ]


@expected("browse/alone")
def _(case: Case, dataset: str, epsilon: float) -> list[Row]:
    alone = [place for place, size in enumerate(case.sizes(epsilon)) if size == 1]
    if not alone:
        return [("Dataset", None, None, None, 0, None)]
    rows = [(None, case.ids[t], "IN_GROUP", case.group_of[t], len(alone), None) for t in alone]
    return rows[:149]


@expected("browse/record-and-near")
def _(case: Case, dataset: str, record: Any, epsilon: float) -> list[Row]:
    t = case.ids.index(record)
    found = sorted((case.distance(t, u), u) for u in case.near(epsilon)[t] if u != t)
    return [(record, far, case.ids[u], far, None) for far, u in found[:299]] or [
        (record, *4 * (None,))
    ]


@expected("browse/at-risk")
def _(case: Case, dataset: str, k: int, epsilon: float) -> list[Row]:
    risky = sorted((size, place) for place, size in enumerate(case.sizes(epsilon)) if size < k)
    if not risky:
        return [("Dataset", None, None, None, None, 0, None)]
    rows: list[Row] = []
    for size, t in risky[:20]:
        ends = sorted((far, a + b - t) for a, b, far in case.all_pairs if t in (a, b))
        near = [one for one in ends if one[0] <= epsilon][:9] + [
            one for one in ends if one[0] > epsilon
        ][:3]
        rows += [
            (None, case.ids[t], far, None if u is None else case.ids[u], size, len(risky), None)
            for far, u in near or [(None, None)]
        ]
    return rows


@expected("browse/hamming-group")
def _(case: Case, dataset: str, hamming_group: int, epsilon: float) -> list[Row]:
    if not 0 <= hamming_group < len(case.groups):
        return []
    members = case.groups[hamming_group][:200]
    near = case.near(epsilon)
    return [
        (
            hamming_group,
            "IN_GROUP",
            case.ids[t],
            sorted(case.distance(t, u) for u in near[t] if u > t and u in members),
            t,
        )
        for t in members
    ]


def as_told(value: Any) -> Any:
    """Return a value of a result as this module tells it, see the module's docstring."""
    if isinstance(value, list):
        return [as_told(item) for item in value]
    if not isinstance(value, dict):
        return value
    labels, properties = value.get("labels"), value.get("properties", value)
    if labels is not None:
        if "Record" in labels:
            return properties["id"]
        return properties["id"] if "HammingGroup" in labels else sorted(labels)[0]
    if "type" in value:
        return properties["distance"] if value["type"] == "PROXIMATE" else value["type"]
    return value


def agree(found: Any, wanted: Any) -> bool:
    """Whether two values are equal: exactly, but floating-point numbers to a relative 1e-9."""
    if isinstance(wanted, list | tuple):
        return len(found) == len(wanted) and all(map(agree, found, wanted))
    if isinstance(wanted, float) and isinstance(found, float):
        return math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-9)
    return type(found) is type(wanted) and bool(found == wanted)
