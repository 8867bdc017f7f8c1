"""Small datasets for the stores' tests, and how to load them."""

import dataclasses
import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.graph.loading import DatasetSink
from ratingpriv.graph.running import GraphStore
from ratingpriv.graph.store import (
    DatasetInfo,
    DatasetSpec,
    GroupBatch,
    IssueBatch,
    RatingBatch,
    RecordBatch,
)

NASTY = [
    "quote \" and ' and `backtick`",
    "line\nbreak\r\n\ttab",
    "'}) DETACH DELETE n //",
    "$dataset {name: 'x'}",
    "emoji 💥👩‍👩‍👧 and ε and \u202e",
    "",
    " ",
    "x" * 10_000,
    "\\u0041\\n",
    "NULL",
]


LEVELS = (0.0, 0.5, 1.0)


@dataclass(frozen=True)
class Pairs:
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    distance: NDArray[np.float64]

    def __getitem__(self, part):
        return Pairs(self.left[part], self.right[part], self.distance[part])


@dataclass(frozen=True)
class Sample:
    spec: DatasetSpec
    issues: IssueBatch
    groups: GroupBatch
    records: RecordBatch
    ratings: RatingBatch
    pairs: Pairs


def sample(
    name: str, records: int = 12, *, seed: int = 0, ids: list[str] | None = None, **changes: object
) -> Sample:
    """A random dataset: every third pair within a group, two issues,
    the first of them sensitive.
    """
    rng = np.random.default_rng(seed)
    group_of = np.arange(records, dtype=np.int64) % 3
    group_of = np.unique(group_of, return_inverse=True)[1].astype(np.int64)
    couples = [(a, b) for a, b in itertools.combinations(range(records), 2) if rng.random() < 0.3]
    pairs = np.array(couples, dtype=np.int64).reshape(-1, 2)
    rated = np.flatnonzero(rng.random(records) < 0.7).astype(np.int64)
    sizes = np.bincount(group_of).astype(np.int64)
    rated_as = rng.integers(1, 6, len(rated)).astype(float)
    far = rng.choice([0.0, 0.5, 1.0], len(pairs))
    spec = DatasetSpec(
        name=name,
        records=records,
        groups=len(sizes),
        issues=2,
        ratings=len(rated),
        pairs=len(pairs),
        epsilon_max=1.0,
        scale_min=1.0,
        scale_max=5.0,
        tool="tests",
        levels=LEVELS,
        every_level=True,
        fingerprint=str(seed),
    )
    return Sample(
        dataclasses.replace(spec, **changes),
        IssueBatch(["sensitive one", "plain one"], [True, False]),
        GroupBatch(sizes, np.arange(len(sizes), dtype=np.int64)),
        RecordBatch(
            ids or [f"r{place}" for place in range(records)],
            group_of,
            sizes=sizes_of(records, pairs, far),
        ),
        RatingBatch(rated, np.zeros(len(rated), np.int64), rated_as),
        Pairs(pairs[:, 0].copy(), pairs[:, 1].copy(), far),
    )


def sizes_of(records: int, pairs: NDArray[np.int64], far: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many records are near each one at each level, itself included."""
    sizes = np.ones((records, len(LEVELS)), dtype=np.int64)
    for (a, b), distance in zip(pairs.tolist(), far.tolist(), strict=True):
        sizes[[a, b]] += np.array(LEVELS) >= distance
    return sizes


def send(sink: DatasetSink, data: Sample, *, pairs: int | None = None) -> None:
    """Send everything, or only the first ``pairs`` pairs."""
    sink.add_issues(data.issues)
    sink.add_groups(data.groups)
    sink.add_records(data.records)
    sink.add_ratings(data.ratings)
    sink.add_pairs(data.pairs if pairs is None else data.pairs[slice(pairs)])


def load(store: GraphStore, data: Sample) -> DatasetInfo:
    with store.begin_dataset(data.spec) as sink:
        send(sink, data)
        return sink.finish()
