"""What is done to Hamming groups one at a time: Arrow batches in, Arrow batches out.

Each task yields a row a record, and at its end one row that says what it did as JSON (``said``), to be added
up (:class:`Done`). A group is looked at by the function that looks at whole tables on one machine.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.anonymize.modification.modify import modify
from ratingpriv.anonymize.suppression.k_core import take_the_core
from ratingpriv.anonymize.suppression.remaining import Neighbours, Remaining
from ratingpriv.compute.resources import Resources
from ratingpriv.errors import TargetNotReachedError
from ratingpriv.partition.partitioning import partition
from ratingpriv.spark.groups.tables import Grouped, Grouping, groups_of
from ratingpriv.target import Target

__all__ = ["MODIFIED", "PARTITIONED", "SUPPRESSED", "Done", "Modifying", "Partitioning", "Suppressing"]

PARTITIONED = "record string, group string, said string"
MODIFIED = "record string, group string, places array<int>, ratings array<double>, said string"
SUPPRESSED = "record string, said string"
"""What each step yields, in Spark's words."""


@dataclass(slots=True)
class Done:
    """What was done to some Hamming groups.

    Attributes
    ----------
    hamming_groups, records : how many were looked at
    too_small, in_too_small : how many of them have fewer than k records, and how many records those have
    withheld : records that are released in no group
    sizes : how many groups were made of each size
    min_sd : of each sensitive issue the least SD of a group that was made, where it is known
    impossible : for how many Hamming groups it is proved that there is no partition of all their records
    not_reached, in_not_reached : Hamming groups of at least k records for which no release was found
    changed, touched : ratings that were changed, and records with such; none is filled in or erased, as the
        records of a Hamming group rate the same issues
    total : the sums of the changes, Σ |x - x'|
    """

    hamming_groups: int = 0
    records: int = 0
    too_small: int = 0
    in_too_small: int = 0
    withheld: int = 0
    sizes: Counter[int] = field(default_factory=Counter)
    min_sd: dict[str, float] = field(default_factory=dict)
    impossible: int = 0
    not_reached: int = 0
    in_not_reached: int = 0
    changed: int = 0
    touched: int = 0
    total: list[float] = field(default_factory=list)

    def look_at(self, n: int, k: int) -> bool:
        """Count a Hamming group of ``n`` records; return whether it has k."""
        self.hamming_groups += 1
        self.records += n
        if n >= k:
            return True
        self.too_small += 1
        self.in_too_small += n
        self.withheld += n
        return False

    def note(self, name: str, sd: float | None) -> None:
        """Note the least SD of some groups."""
        if sd is not None:
            self.min_sd[name] = min(sd, self.min_sd.get(name, math.inf))

    def add(self, other: Done) -> None:
        """Add what was done to other groups."""
        for one in dataclasses.fields(self):
            mine, more = getattr(self, one.name), getattr(other, one.name)
            if one.name == "min_sd":
                for name, sd in more.items():
                    self.note(name, sd)
            else:
                setattr(self, one.name, mine + more)

    def to_json(self) -> str:
        """Return it as text; :meth:`from_json` is the inverse."""
        content = dataclasses.asdict(self)
        content["sizes"] = sorted(self.sizes.items())
        content["total"] = [math.fsum(self.total)]
        return json.dumps(content)

    @classmethod
    def from_json(cls, text: str) -> Done:
        """Return what :meth:`to_json` wrote."""
        content = json.loads(text)
        content["sizes"] = Counter(dict(content["sizes"]))
        return cls(**content)


@dataclass(frozen=True, slots=True, eq=False)
class Partitioning:
    """Partitions every group; :func:`ratingpriv.partition` says what the attributes mean."""

    grouping: Grouping
    target: Target
    method: str
    order: str
    exact_up_to: int

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield ``record`` and the ``group`` it is in, null for none."""
        done = Done()
        for group in groups_of(batches, self.grouping):
            table, n = group.table, group.table.n_records
            labels = np.full(n, -1, dtype=np.int64)
            if done.look_at(n, self.target.k):
                found = partition(
                    table, k=self.target.k, epsilon=self.target.epsilon, l=self.target.l, method=self.method,
                    order=self.order, nulls=self.target.nulls, sensitive_nulls=self.target.sensitive_nulls,
                    exact_up_to=self.exact_up_to, threads=1,
                )  # fmt: skip
                labels = found.groups.labels
                done.sizes.update(found.groups.sizes.tolist())
                done.withheld += found.withheld
                done.impossible += found.proved_impossible
                for name, sd in found.min_sd.items():
                    done.note(name, sd)
            else:
                done.impossible += 1
            yield _batch(
                record=table.record_ids.cast(str).to_arrow().cast(pa.string()),
                group=_names(group, labels),
                said=pa.nulls(n, pa.string()),
            )
        yield _said(done, group=pa.string())


@dataclass(frozen=True, slots=True, eq=False)
class Modifying:
    """Modifies every group of at least k records; ``options`` are those of "modify", ``seed`` is the seed."""

    grouping: Grouping
    target: Target
    options: Mapping[str, Any]
    seed: int

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield ``record``, its ``group``, the ``places`` of the issues that it rates, and its ``ratings``.

        Records that are released only.
        """
        done = Done()
        target = self.target
        for group in groups_of(batches, self.grouping):
            n = group.table.n_records
            if not done.look_at(n, target.k):
                continue
            stream = np.random.SeedSequence([self.seed, int.from_bytes(_digest(group.key), "little")])
            try:
                made = modify(
                    group.table, k=target.k, epsilon=target.epsilon, l=target.l, nulls=target.nulls,
                    sensitive_nulls=target.sensitive_nulls, rng=np.random.default_rng(stream), threads=1,
                    **self.options,
                )  # fmt: skip
            except TargetNotReachedError:
                done.not_reached += 1
                done.in_not_reached += n
                done.withheld += n
                continue
            cost = made.distortion
            done.withheld += n - made.table.n_records
            done.changed += cost.changed
            done.touched += cost.records_touched
            done.total.append(float(cost.total))
            labels = np.full(n, -1, dtype=np.int64)
            if made.groups is not None:
                labels = made.groups.labels
                done.sizes.update(made.groups.sizes.tolist())
            table = made.table
            places = group.places[table.indices].astype(np.int32)
            bounds = pa.array(table.indptr.astype(np.int32))
            yield _batch(
                record=table.record_ids.cast(str).to_arrow().cast(pa.string()),
                group=_names(group, labels[made.kept]),
                places=pa.ListArray.from_arrays(bounds, pa.array(places)),
                ratings=pa.ListArray.from_arrays(bounds, pa.array(table.values)),
                said=pa.nulls(table.n_records, pa.string()),
            )
        yield _said(done, group=pa.string(), places=pa.list_(pa.int32()), ratings=pa.list_(pa.float64()))


@dataclass(frozen=True, slots=True, eq=False)
class Suppressing:
    """Finds of every group who is not in its (k-1)-core: who cannot be in any release with this k and ε."""

    grouping: Grouping
    target: Target

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield each ``record`` that has to be suppressed."""
        done = Done()
        resources = Resources(1, None, None)
        for group in groups_of(batches, self.grouping):
            table = group.table
            gone = np.ones(table.n_records, dtype=bool)
            if done.look_at(table.n_records, self.target.k):
                remaining = Remaining(Neighbours(table, self.target, resources, sensitive=False))
                take_the_core(remaining, self.target.k, lambda count: None)
                gone = ~remaining.alive
                done.withheld += int(np.count_nonzero(gone))
            ids = table.record_ids.filter(gone).cast(str).to_arrow().cast(pa.string())
            if len(ids):
                yield _batch(record=ids, said=pa.nulls(len(ids), pa.string()))
        yield _said(done)


def _digest(key: bytes) -> bytes:
    return hashlib.blake2b(key, digest_size=16).digest()


def _names(group: Grouped, labels: NDArray[np.int64]) -> Any:
    """Return the names of groups, which no other Hamming group has; null for a record in none."""
    prefix = _digest(group.key).hex()
    return pa.array([None if label < 0 else f"{prefix}-{label}" for label in labels.tolist()], pa.string())


def _batch(**columns: Any) -> Any:
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def _said(done: Done, **others: Any) -> Any:
    """Return the row that says what was done."""
    nothing = {name: pa.nulls(1, kind) for name, kind in others.items()}
    return _batch(record=pa.nulls(1, pa.string()), **nothing, said=pa.array([done.to_json()]))
