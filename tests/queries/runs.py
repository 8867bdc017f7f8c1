"""Runs of a store as tests look at them: groups by position, who was left out, components."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.graph.queries import find_query
from ratingpriv.graph.running import GraphStore
from ratingpriv.graph.store import Result

LEFT = -1
"""The label of a record that no clique took."""


@dataclass(frozen=True)
class Placed:
    """A run, by position: labels 0, 1, ... in the order of their first records, or LEFT."""

    record_ids: tuple[int | str, ...]
    labels: NDArray[np.int64]
    components: NDArray[np.int64]

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        labels = range(self.labels.max(initial=LEFT) + 1)
        return tuple(tuple(np.flatnonzero(self.labels == label).tolist()) for label in labels)

    @property
    def left(self) -> tuple[int, ...]:
        return tuple(np.flatnonzero(self.labels == LEFT).tolist())


def placed(members: Result) -> Placed:
    cliques = members.column("clique")
    numbers = {
        clique: number
        for number, clique in enumerate(dict.fromkeys(one for one in cliques if one is not None))
    }
    labels = np.array([numbers.get(clique, LEFT) for clique in cliques], np.int64)
    return Placed(
        tuple(members.column("record")), labels, np.array(members.column("component"), np.int64)
    )


def asked(store: GraphStore, name: str, dataset: str, run: str, **params: Any) -> Placed:
    return placed(find_query(f"partition/{name}").run(store, dataset=dataset, run=run, **params))


def decompose(
    store: GraphStore,
    dataset: str,
    k: int,
    epsilon: float,
    order: str = "position",
    *,
    run: str = "greedy",
) -> Placed:
    return asked(store, "decompose", dataset, run, k=k, epsilon=epsilon, order=order)


def whole_components(
    store: GraphStore, dataset: str, k: int, epsilon: float, *, run: str
) -> Placed:
    return asked(store, "clique-components", dataset, run, k=k, epsilon=epsilon)


def merge(store: GraphStore, dataset: str, run: str, a: int, b: int) -> Placed:
    return asked(store, "merge", dataset, run, a=a, b=b)


def borrow(store: GraphStore, dataset: str, run: str, records: Sequence[Any], lent: Any) -> Placed:
    return asked(store, "borrow", dataset, run, records=records, lent=lent)


def read_run(store: GraphStore, dataset: str, run: str) -> Placed:
    return placed(store.run("partition/members", dataset=dataset, run=run))


def remove_run(store: GraphStore, dataset: str, run: str) -> int:
    return sum(runs for runs, _ in store.one("partition/runs/remove", dataset=dataset, run=run))
