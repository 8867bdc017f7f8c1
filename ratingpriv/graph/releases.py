"""Releases in a store: a dataset of its own for the release,
tied to the original by the private key.

A release is loaded as the dataset ``NAME/RUN`` by the ordinary loader, so that every question of
the library can be asked of it too; its records are ``ReleasedRecord`` as well.
``(:Release {dataset, run, released})`` says which original it is of, and where the key is given
``(:Record)-[:RELEASED_AS {distortion}]->`` leads from each original record to its released one
[SWLP10, Def. 5]. A release by swap has no such links, as each of its records is put together from
the values of a group: there ``(:Record)- [:SWAPPED_IN]->(:SwapGroup)`` ties the records of both
datasets to their group. A release says ``complete`` only after everything was counted. It goes when
its original goes.

Whoever reads a store with these links can undo the release: keep it like the key.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, NamedTuple

from ratingpriv.base.errors import LoadFailedError, ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.base.progress import Progress
from ratingpriv.graph.datasets import rules_in_words
from ratingpriv.graph.loading import now
from ratingpriv.graph.running import GraphStore
from ratingpriv.graph.store import DatasetInfo

_BATCH = 10_000


@dataclass(frozen=True, slots=True)
class ReleaseOf:
    """Of which dataset some data are a release, under which name,
    and the private key where it is given.
    """

    dataset: str
    run: str
    key: Key | None = None

    @property
    def name(self) -> str:
        """The dataset that it is loaded as."""
        return released_name(self.dataset, self.run)


@dataclass(frozen=True, slots=True)
class ReleaseInfo:
    """A release as the store has it.

    Attributes
    ----------
    dataset, run : of which original, and its name
    released : the dataset that it was loaded as
    records : released records
    linked : whether the store knows which record was released as which
    groups : of a release by swap with its key, how many groups its records were put together from;
        else None
    withheld : records of the original that were not released; None where it came without its key
    distorted : whether the links say how far each record was moved: both datasets hold their
        ratings
    """

    dataset: str
    run: str
    released: str
    records: int
    linked: bool
    groups: int | None
    withheld: int | None
    distorted: bool


def released_name(dataset: str, run: str) -> str:
    """Return the name of the dataset that a release is loaded as."""
    name = f"{dataset}/{run}"
    if not 1 <= len(run) <= 100 or "\0" in run or len(name) > 200:
        raise ParameterError(
            "run", run, "a name of 1 to 100 characters, together with the dataset's at most 199"
        )
    return name


def announce_release(store: GraphStore, dataset: str, run: str) -> None:
    """Say that a release is going to be loaded.

    One of the same name is not complete from now on.
    """
    _original(store, dataset)
    for query_id in ("schema/release-key", "schema/swap-group-key"):
        store.one(query_id)
    properties = {"released": released_name(dataset, run), "linked": False, "createdAt": now()}
    store.one("load/release-announce", dataset=dataset, run=run, properties=properties)


def link_release(
    store: GraphStore,
    dataset: str,
    run: str,
    key: Key | None = None,
    *,
    progress: Progress | None = None,
) -> ReleaseInfo:
    """Tie the dataset ``NAME/RUN``, which is loaded, to its original, and let the release be asked.

    Doing it again gives the same, also after it was broken off.
    """
    before, after = _original(store, dataset), store.dataset(released_name(dataset, run))
    if not after.complete:
        raise ParameterError("run", run, "a release that was loaded to its end", "load it again")
    _check_rules(before, after, run)
    n, m = before.spec.records, after.spec.records
    for first in range(0, m, _BATCH):
        store.one(
            "load/release-label", released=after.spec.name, first=first, stop=min(first + _BATCH, m)
        )
    groups = None
    if key is not None and "groups" in key.facts:  # of people, to none of whom a record can be tied
        groups, key = _put_groups(store, before, after, key, progress=progress), None
    rows = [] if key is None else _pairs(store, before, after, key)
    for done, batch in enumerate(itertools.batched(rows, _BATCH)):
        store.one("load/release-links", dataset=dataset, released=after.spec.name, rows=list(batch))
        if progress is not None:
            progress("linking records", min((done + 1) * _BATCH, len(rows)), len(rows))
    ratings = before.spec.all_ratings and after.spec.all_ratings
    if rows and ratings:
        for first in range(0, n, _BATCH):
            part = {"first": first, "stop": min(first + _BATCH, n)}
            store.one("load/release-distortion", dataset=dataset, released=after.spec.name, **part)
            if progress is not None:
                progress("measuring distortion", min(first + _BATCH, n), n)
    counted = store.one("load/release-counted", dataset=dataset, released=after.spec.name)[0]
    links = m if key is not None else 0
    if counted != (m, links, links):
        raise LoadFailedError(
            store.uri,
            f"release {run!r} of {dataset!r}: {counted[0]} of {m} records, {counted[1]} of "
            f"{links} links",
            "it stays marked as not complete; load it again",
        )
    properties: dict[str, Any] = {
        "records": m,
        "linked": key is not None,
        "groups": groups,
        "ratings": ratings,
        "epsilonMax": after.spec.epsilon_max,
    }
    store.one("load/release-complete", dataset=dataset, run=run, properties=properties)
    linked, distorted = key is not None, bool(rows) and ratings
    withheld = n - m if linked or groups is not None else None
    return ReleaseInfo(dataset, run, after.spec.name, m, linked, groups, withheld, distorted)


def _put_groups(
    store: GraphStore,
    before: DatasetInfo,
    after: DatasetInfo,
    key: Key,
    *,
    progress: Progress | None,
) -> int:
    """Tie the records of both datasets to the groups of a release by swap.

    Return how many groups.
    """
    ends = _ends(store, before, after, key)
    groups, released = key.facts["groups"], after.spec.name
    tied = {
        side: [str(id_) for group in groups for id_ in group[side]]
        for side in ("original", "released")
    }
    originals = [
        str(old) for old, new in zip(key.original, key.released, strict=True) if new is not None
    ]
    if sorted(tied["original"]) != sorted(originals) or sorted(tied["released"]) != sorted(
        ends.released
    ):
        expected = "a key whose groups have each released record, and each person of it, once"
        raise ParameterError("key", "groups of other records", expected, _OTHER_KEY)
    sizes = [{"id": number, "size": len(group["original"])} for number, group in enumerate(groups)]
    for batch in itertools.batched(sizes, _BATCH):
        store.one("load/swap-groups", released=released, rows=list(batch))
    for side, info, positions in (
        ("original", before, ends.original),
        ("released", after, ends.released),
    ):
        rows = [
            {"position": positions[str(id_)], "group": number}
            for number, group in enumerate(groups)
            for id_ in group[side]
        ]
        for done, batch in enumerate(itertools.batched(rows, _BATCH)):
            store.one(
                "load/swap-members", dataset=info.spec.name, released=released, rows=list(batch)
            )
            if progress is not None:
                progress("tying records to groups", min((done + 1) * _BATCH, len(rows)), len(rows))
    m = after.spec.records
    counted = store.one("load/swap-counted", dataset=before.spec.name, released=released)[0]
    if counted != (len(sizes), m, m):
        actual = (
            f"{counted[0]} of {len(sizes)} groups, {counted[1]} and {counted[2]} of {m} records"
        )
        remedy = "it stays marked as not complete; load it again"
        raise LoadFailedError(store.uri, f"{released!r}: {actual}", remedy)
    return len(sizes)


def _original(store: GraphStore, dataset: str) -> DatasetInfo:
    info = store.dataset(dataset)
    if not info.complete:
        raise ParameterError(
            "release-of",
            dataset,
            "a dataset that was loaded to its end",
            "run its ratingpriv ingest again",
        )
    return info


def _check_rules(before: DatasetInfo, after: DatasetInfo, run: str) -> None:
    """Refuse a release that was loaded with other rules: its pairs would promise something else."""
    rules = [{rule.name: rule.within for rule in info.spec.quasi} for info in (before, after)]
    if rules[0] != rules[1]:
        raise ParameterError(
            "run",
            run,
            f"a release with the quasi-identifiers of {before.spec.name!r}: "
            f"{rules_in_words(before.spec.quasi) or 'none'}",
            "ingest it again with the same `quasi` or codebook",
        )


def _pairs(
    store: GraphStore, before: DatasetInfo, after: DatasetInfo, key: Key
) -> list[dict[str, int]]:
    """Return the positions of every released record in both datasets."""
    original, released = _ends(store, before, after, key)
    pairs = zip(key.original, key.released, strict=True)
    return [
        {"before": original[str(a)], "after": released[str(b)]} for a, b in pairs if b is not None
    ]


_OTHER_KEY = (
    "name the key file that was written with this release, and the original that it was made from"
)


class _Ends(NamedTuple):
    """The positions of the records of both datasets, by their ids as texts."""

    original: dict[str, int]
    released: dict[str, int]


def _ends(store: GraphStore, before: DatasetInfo, after: DatasetInfo, key: Key) -> _Ends:
    """Return where the records that a key names are; ParameterError where it is of others."""
    if before.spec.pseudonymized or after.spec.pseudonymized:
        raise ParameterError(
            "key",
            before.spec.name,
            "datasets with their own record ids",
            "ingest without `pseudonym_key`",
        )
    original, released = _positions(store, before), _positions(store, after)
    old = [str(id_) for id_ in key.original]
    if set(old) != set(original):
        problem = f"a key of {len(old)} records"
        expected = f"the {len(original)} records of {before.spec.name!r}"
        raise ParameterError("key", problem, expected, _OTHER_KEY)
    new = [str(id_) for id_ in key.released if id_ is not None]
    if set(new) != set(released):
        problem = f"a key of {len(new)} released records"
        expected = f"the {len(released)} records of {after.spec.name!r}"
        raise ParameterError("key", problem, expected, _OTHER_KEY)
    return _Ends(original, released)


def _positions(store: GraphStore, info: DatasetInfo) -> dict[str, int]:
    """Return the positions of a dataset's records by their ids.

    As texts: whether an id of digits is a number depends on how a file was read. Within a table all
    ids are of one kind.
    """
    answer = store.run("audit/record-ids", dataset=info.spec.name)
    return {str(record): position for record, position in answer}
