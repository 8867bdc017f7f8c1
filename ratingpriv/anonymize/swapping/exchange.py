"""The exchange: within each group every column is permuted on its own, missing values included.

A uniformly random permutation of a multiset depends on the multiset alone. So, given the groups,
the records that come out depend on the data only by the group tables: for each group and column,
how many gave each answer [Soria-Comas and Domingo-Ferrer, FUZZ-IEEE 2012, for one way of grouping].
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.groups import Groups

type Ints = NDArray[np.int64]
_MAJORITY, _ALL = 0.5, 1 - 1e-9

type Bits = Callable[[int], NDArray[np.uint64]]
"""Gives so many random rows of 128 bits, uint64 (count, 2)."""


def bits_of_the_system(count: int) -> NDArray[np.uint64]:
    """Return 128 bits of the operating system for each of ``count``:
    no state is behind them to be found.
    """
    return np.frombuffer(os.urandom(16 * count), dtype=np.uint64).reshape(count, 2)


def bits_of(rng: np.random.Generator) -> Bits:
    """Return the bits of a generator, for tests and studies:
    whoever knows its seed undoes the exchange.
    """
    return lambda count: rng.integers(0, 1 << 64, size=(count, 2), dtype=np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class Exchanged:
    """What an exchange gives.

    Attributes
    ----------
    table : the records in groups, in the original's order, each with cells of its group
    kept : int64 (m,), ascending; where in the original each stood
    sources : by column, int64 (m,): the position in the original of the record whose cell each has
        now; -1 where the cell was blanked
    constant : quasi-identifiers that are equal throughout each group, and so stand as they are
    """

    table: RatingTable
    kept: Ints
    sources: Mapping[str, Ints]
    constant: tuple[str, ...]


def permuted(labels: Ints, bits: Bits) -> Ints:
    """Return a uniformly random permutation within each group, int64 (m,).

    Place i has what stood at place ``permuted[i]``; both are of one group. ``labels``: int64 (m,).
    """
    keys = bits(len(labels))
    drawn = np.argsort(keys[:, 1])
    if np.any(np.diff(keys[drawn, 1]) == 0):  # one in 2^64 for each two of them
        drawn = np.lexsort((keys[:, 0], keys[:, 1]))
    moved = np.empty(len(labels), dtype=np.int64)
    moved[_in_groups(labels)] = drawn[_in_groups(labels[drawn])]
    return moved


def _in_groups(labels: Ints) -> Ints:
    """Return the places of each group's, one group after the other; small numbers sort fast."""
    small = labels.astype(np.min_scalar_type(int(labels.max(initial=0))))
    return np.argsort(small, kind="stable")


def exchange(
    table: RatingTable,
    groups: Groups,
    bits: Bits,
    *,
    fill: bool = False,
    resources: Resources = Resources(),
) -> Exchanged:
    """Exchange the cells of every column within each of the ``groups``; who is in none is left out.

    Ratings take their timestamps with them; carried columns are left out. ``fill``: where some of a
    group lack a rating, those who lack it get a random one of their group's if more than half have
    it, and else nobody keeps it; nor does anybody keep a quasi-identifier that some of the group
    lack.
    """
    grouped = np.flatnonzero(groups.labels >= 0)
    labels, sources = groups.labels[grouped], {}
    part = table.take(grouped)
    entries = np.full((part.n_records, part.n_issues), -1, dtype=np.int64)
    rows = np.repeat(np.arange(part.n_records), np.diff(part.indptr))
    entries[rows, part.indices] = np.arange(part.n_ratings)

    def taken(name: str, present: NDArray[np.bool_], least: float | None = None) -> Ints:
        """Return whose cell each record gets, as positions in ``part``; -1: none has one to give.

        ``least``: what share of a group has to have one, where all or none shall.
        """
        places = np.arange(len(labels)) if least is None else _filled(present, labels, bits, least)
        places = places[permuted(labels, bits)]
        sources[name] = np.where(places >= 0, grouped[places], -1)
        return places

    for issue, name in enumerate(part.issues):
        resources.report("exchanging ratings", issue, part.n_issues)
        column = entries[:, issue]
        places = taken(name, column >= 0, _MAJORITY if fill else None)
        entries[:, issue] = np.where(places >= 0, column[places], -1)
    sensitive = []
    for secret in part.sensitive:
        places = taken(secret.name, secret.present)
        values, present = secret.values[places], secret.present[places]
        sensitive.append(dataclasses.replace(secret, values=values, present=present))
    quasi, constant = [], []
    for own in part.quasi:
        places = taken(own.name, own.codes >= 0, _ALL if fill else None)
        codes = np.where(places >= 0, own.codes[places], -1).astype(own.codes.dtype)
        quasi.append(dataclasses.replace(own, codes=codes))
        if _is_constant(own.codes, labels, groups.count):
            constant.append(own.name)
    rated = entries >= 0
    moved_entries = entries[rated]
    indptr = np.concatenate(([0], np.cumsum(rated.sum(axis=1)))).astype(np.int64)
    times = part.timestamps
    released = part.replace(
        indptr=indptr,
        indices=np.nonzero(rated)[1].astype(np.int32),
        codes=part.codes[moved_entries],
        timestamps=None if times is None else times.gather(pl.Series(moved_entries)),
        sensitive=tuple(sensitive),
        quasi=tuple(quasi),
        carried=(),
    )
    return Exchanged(released, grouped, sources, tuple(constant))


def _filled(present: NDArray[np.bool_], labels: Ints, bits: Bits, least: float) -> Ints:
    """Return whose cell each of a column stands for once each group has all of them, or none;
    -1: none.
    """
    count = int(labels.max(initial=-1)) + 1
    answered, size = (
        np.bincount(labels[present], minlength=count),
        np.bincount(labels, minlength=count),
    )
    places = np.arange(len(labels))
    most = answered > least * size
    places[~most[labels]] = -1
    lacking = np.flatnonzero(~present & most[labels])
    if len(lacking):
        donors = np.flatnonzero(present)
        donors = donors[np.argsort(labels[donors], kind="stable")]
        first = np.concatenate(([0], np.cumsum(answered)))[labels[lacking]]
        drawn = bits(len(lacking))[:, 0] % answered[labels[lacking]].astype(np.uint64)
        places[lacking] = donors[first + drawn.astype(np.int64)]
    return places


def _is_constant(codes: NDArray[np.int32], labels: Ints, count: int) -> bool:
    """Whether a column has one value throughout each group."""
    least = np.full(count, np.iinfo(np.int64).max)
    most = np.full(count, -2)
    np.minimum.at(least, labels, codes)
    np.maximum.at(most, labels, codes)
    return bool(np.all(least == most))
