"""Neighbourhoods N(t): how many records are ε-proximate with each record, and what they give away.

Implements [SWLZ11, Def. 4.1-4.3] and Eq. 3. Exact always; the cost does not depend on the number of
proximate pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import AUDIT_NULL_RULES, null_rule
from ratingpriv.data.table import RatingTable, SensitiveColumn
from ratingpriv.proximity import amounts as _amounts
from ratingpriv.proximity import counting as _counting
from ratingpriv.proximity import pairwise
from ratingpriv.proximity.arrays import CHUNK, Measured, Queries
from ratingpriv.proximity.classes import Classes
from ratingpriv.proximity.counting import Valued
from ratingpriv.proximity.counts import Counting, SensitiveCounts
from ratingpriv.proximity.join import Join, Limits, prepare, select
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.run import add_up

ENGINES = ("slicing", "pairwise")

# visits of a record to a chunk that have to be done for each chunk of a look to the end
_PROBE = 200_000
_POOREST = 64  # records that are looked at to the end
# of a table: from there on choosing who is looked at takes longer than looking at all
_NEARLY_ALL = 0.9
_LOOK = 128  # chunks that choosing who takes part in a look costs about as much as
_SOME = 0.4  # of the records that are left may find k by the next look


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhoods:
    """The neighbourhood of every record of a table, N(t) [SWLZ11, Def. 4.2].

    ``sizes`` are |N(t)|, t included, int64 (n_records,); ``moments`` and ``counts`` are of each
    sensitive column that was asked for.
    """

    epsilon: float
    nulls: str
    engine: str
    sizes: NDArray[np.int64]
    moments: tuple[SensitiveMoments, ...]
    counts: tuple[SensitiveCounts, ...] = ()

    def part(self, where: slice | NDArray[np.int64]) -> Neighbourhoods:
        """Return some of the neighbourhoods: those of a slice (without a copy), or of positions."""
        return replace(
            self,
            sizes=self.sizes[where],
            moments=tuple(moment.part(where) for moment in self.moments),
            counts=tuple(count.part(where) for count in self.counts),
        )

    @property
    def pairs(self) -> int:
        """The number of unordered ε-proximate pairs of distinct records.

        ParameterError under ``known``.
        """
        null_rule(self.nulls)
        return (int(self.sizes.sum()) - len(self.sizes)) // 2


def sensitive_columns(
    table: RatingTable, sensitive: bool | Sequence[str]
) -> tuple[SensitiveColumn, ...]:
    """Return the sensitive columns meant by ``sensitive``: all (True), none (False),
    or those named.
    """
    if isinstance(sensitive, bool):
        return table.sensitive if sensitive else ()
    names = (sensitive,) if isinstance(sensitive, str) else sensitive
    return tuple(table.sensitive_column(name) for name in names)


def neighbourhoods(
    table: RatingTable,
    epsilon: float,
    *,
    nulls: str = "strict",
    sensitive: bool | Sequence[str] = True,
    counts: bool | Counting = False,
    engine: str = "slicing",
    resources: Resources | None = None,
    _limits: Limits | None = None,
) -> Neighbourhoods:
    """Find the size of every record's neighbourhood, and the moments of sensitive issues in it.

    Parameters
    ----------
    epsilon : largest rating distance on any issue, >= 0, in units of the ratings; not that of
        differential privacy
    nulls : "strict" [SWLZ11, Eq. 1], "wildcard" (a null matches anything) or "known" (N(t) are the
        records that rate at least what t rates, each within ε, whatever the scale's maximum is
        [ours])
    sensitive : True for all sensitive columns, False for none, or names
    counts : whether to count their values too, and what to decide of them as they are counted
    engine : "slicing", the compiled engine, or "pairwise", the papers' O(n² p) baseline; same
        results
    resources : memory: bytes that temporary arrays may take, about; None: 1 GiB
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    checks.choice("nulls", nulls, AUDIT_NULL_RULES)
    checks.choice("engine", engine, ENGINES)
    resources = resources or Resources()
    budget, counting = (
        resources.memory or 1 << 30,
        Counting() if isinstance(counts, bool) else counts,
    )
    chosen = sensitive_columns(table, sensitive)
    columns = [_amounts.measure(column) for column in chosen]
    values = [_counting.valued(column) for column in chosen] if counts else []
    run = Run(resources.threads, resources.progress, "finding neighbours")
    if engine == "pairwise":
        found = pairwise.pairwise_neighbourhoods(
            table, epsilon, nulls, columns, values, counting, budget, run
        )
        return Neighbourhoods(epsilon, nulls, engine, *found)
    join = prepare(table, epsilon, nulls, limits=_limits)
    if isinstance(join, Classes):
        sizes = np.bincount(join.of, minlength=join.count)[join.of]
        moments = tuple(_amounts.class_moments(column, join) for column in columns)
        counted = tuple(_counting.class_counts(column, join, counting) for column in values)
        return Neighbourhoods(epsilon, nulls, engine, sizes, moments, counted)
    return _joined(columns, values, join, run, budget, epsilon, nulls, counting)


def _joined(
    columns: Sequence[Measured],
    values: Sequence[Valued],
    join: Join,
    run: Run,
    budget: int,
    epsilon: float,
    nulls: str,
    asked: Counting,
) -> Neighbourhoods:
    """Find sizes, moments and counts by joins; ``values``: none, or one for each of ``columns``."""
    # a family or a real column is three numbers a record, once for each thread: do as many columns
    # as fit
    room = max(1, budget // (24 * max(len(join.slot_of), 1) * (run.threads + 2)))
    by_planes = [bool(values) and _counting.few(values[i], room) for i in range(len(columns))]
    families = [_counting.families(values[i]) if by_planes[i] else 0 for i in range(len(columns))]
    # few whole numbers: their moments follow from the counts
    derived = [by_planes[i] and columns[i].exact for i in range(len(columns))]
    moments: dict[int, SensitiveMoments] = {}
    counted: dict[int, SensitiveCounts] = {}
    waiting = list(range(len(columns)))
    while True:
        now: list[int] = []
        used = 0
        while waiting and (
            not now or used + families[waiting[0]] + (not derived[waiting[0]]) <= room
        ):
            now.append(waiting.pop(0))
            used += families[now[-1]] + (not derived[now[-1]])
        plain = [i for i in now if not derived[i]]
        amounts = _amounts.join_amounts(
            [columns[i] for i in plain],
            join,
            [family for i in now if by_planes[i] for family in _counting.packed(values[i], join)],
        )
        tally = add_up(join, amounts, run)
        sizes, some = _amounts.join_moments([columns[i] for i in plain], join, amounts, tally)
        moments.update(zip(plain, some, strict=True))
        exact = tally.exact
        del amounts, tally  # what is as long as the data goes as soon as it was of use
        column_from = exact.shape[1] - 3 * sum(families[i] for i in now)
        for i in now:
            if by_planes[i]:
                totals = exact[:, column_from : column_from + 3 * families[i]]
                column_from += 3 * families[i]
                measured = columns[i] if derived[i] else None
                counted[i], counts_of_column = _counting.unpacked(
                    values[i], measured, totals, join, asked, sizes
                )
                if counts_of_column is not None:
                    moments[i] = counts_of_column
        if not waiting:
            break
    many = [i for i in range(len(values)) if not by_planes[i]]
    listed = _counting.listed_counts([values[i] for i in many], join, run, budget, asked)
    counted.update(zip(many, listed, strict=True))
    return Neighbourhoods(
        epsilon,
        nulls,
        "slicing",
        sizes,
        tuple(moments[i] for i in range(len(columns))),
        tuple(counted[i] for i in range(len(values))),
    )


def meets_k(
    table: RatingTable,
    k: int,
    epsilon: float,
    *,
    nulls: str = "strict",
    threads: int | None = None,
    progress: Progress | None = None,
    _limits: Limits | None = None,
) -> bool:
    """Return whether the table is (k,ε)-anonymous: |N(t)| ≥ k for every t [SWLZ11, Def. 4.2].

    The same verdict as ``neighbourhoods(...).sizes.min() >= k``, but it stops looking for
    neighbours of a record that has k, and stops altogether at one that cannot have them.
    """
    k = checks.whole_number("k", k, 1)
    epsilon = checks.non_negative_number("epsilon", epsilon)
    null_rule(nulls)
    if k > table.n_records:
        return table.n_records == 0
    join = prepare(table, epsilon, nulls, limits=_limits)
    if isinstance(join, Classes):
        return int(np.bincount(join.of).min()) >= k
    group_sizes = np.diff(np.append(join.records.first, len(join.records.record)))
    if int(group_sizes.min()) < k:
        return False  # a group that is smaller than k
    if k == 1:
        return True
    run = Run(threads, progress, "looking for records with few neighbours")
    units = group_sizes[join.groups] * (-(-group_sizes[join.groups] // CHUNK))
    large = (units >= join.limits.split) & (join.layout.fuse[join.groups] > 0)
    rest = replace(join, groups=join.groups[~large])
    first, length = (
        join.records.first[rest.groups],
        (join.records.stop - join.records.first)[rest.groups],
    )
    slots = np.repeat(first - np.cumsum(length) + length, length) + np.arange(length.sum())
    if len(slots) and _slot_sizes(rest, run)[slots].min() < k:
        return False
    return all(_group_meets_k(join, int(g), k, run) for g in join.groups[large])


def _slot_sizes(
    join: Join, run: Run, queries: Queries | None = None, chunks: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return how many records are neighbours of each query slot, int64 (n_slots,)."""
    tally = add_up(join, _amounts.join_amounts((), join), run, queries=queries, chunks=chunks)
    return tally.sizes if join.multiplicity is None else tally.exact[:, 0]


def _group_meets_k(join: Join, g: int, k: int, run: Run) -> bool:
    """Return whether every record of a large group has k neighbours.

    Drops records as they get them.
    """
    alone = replace(join, groups=np.array([g]))
    first, stop = int(join.records.first[g]), int(join.records.stop[g])
    counts = np.zeros(len(join.records.record), dtype=np.int64)
    active = np.zeros(len(counts), dtype=bool)
    active[first:stop] = True
    # a chunk holds similar records: in a scattered order, most queries meet their like soon
    chunks = np.random.default_rng(0).permutation(-(-(stop - first) // CHUNK))
    share, done = max(1, len(chunks) // 64), 0
    least = max(1, min(_LOOK, len(chunks) // 8))

    def look(slots: NDArray[np.int64], part: NDArray[np.int64]) -> None:
        # those who have k already may find more
        if len(part) and _NEARLY_ALL * len(counts) < len(slots):
            counts[:] += _slot_sizes(alone, run, chunks=part)
        elif len(part):
            wanted = np.zeros(len(counts), dtype=bool)
            wanted[slots] = True
            counts[slots] += _slot_sizes(alone, run, select(join.records, wanted)[0], part)
        active[slots] = counts[slots] < k

    remaining, spent = np.flatnonzero(active), _PROBE * len(chunks)  # one look in any case
    while len(remaining):
        part, done = chunks[done : done + share], min(done + share, len(chunks))
        look(remaining, part)
        spent += len(remaining) * len(part)
        remaining = np.flatnonzero(active)
        if done == len(chunks):
            return len(remaining) == 0
        if len(remaining) and spent >= _PROBE * (len(chunks) - done):
            # those that have found fewest are the likeliest to fail: look at a few of them to the
            # end
            poorest = remaining
            if len(remaining) > _POOREST:
                poorest = np.sort(
                    remaining[np.argpartition(counts[remaining], _POOREST)[:_POOREST]]
                )
            look(poorest, chunks[done:])
            if active[poorest].any():
                return False
            spent = 0
            remaining = np.flatnonzero(active)
        # in how many chunks more some are likely to find k
        sample = counts[remaining[:: max(1, len(remaining) // 1000)]]
        rate = np.maximum(sample, 0.5) / done
        enough = int(np.quantile((k - sample) / rate, _SOME)) if len(sample) else 1
        share = max(least, min(2 * share, enough))
    return True


@dataclass(frozen=True, slots=True)
class EqualRecords:
    """What holds at ε = 0 under the same rules, whatever ε a verdict is about [ours].

    A question whose range is within ε tells nobody apart, so a verdict at ε > 0 can hold of data in
    which nearly every record is unique. So these numbers stand beside every verdict. ``max_k`` is
    min |N(t)| at ε = 0 [SWLZ11, Def. 4.2]; ``unique`` counts records that no other is equal to;
    ``violators`` those with fewer than k equal ones, None where no k was asked for.
    """

    max_k: int
    unique: int
    violators: int | None

    @classmethod
    def of(cls, sizes: NDArray[np.int64], k: int | None) -> Self:
        """Return it of the sizes of all neighbourhoods at ε = 0, int64 (n,), n >= 1."""
        below = None if k is None else int(np.count_nonzero(sizes < k))
        return cls(int(sizes.min()), int(np.count_nonzero(sizes == 1)), below)


def equal_records(
    table: RatingTable, k: int | None, nulls: str, resources: Resources, *, engine: str = "slicing"
) -> EqualRecords:
    """Count the records of ``table`` that are equal: a grouping,
    but where a null need not equal a null.
    """
    counted = neighbourhoods(
        table, 0.0, nulls=nulls, sensitive=False, engine=engine, resources=resources
    )
    return EqualRecords.of(counted.sizes, k)
