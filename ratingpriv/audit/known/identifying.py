"""Why a record is singled out: the minimal sets of ratings that do it,
and the fewest cells to blank [ours].

Sets grow level by level from those that leave k: every subset of a minimal set does. At k = 2 and ε
= 0 they are the minimal sample uniques of SUDA (Manning, Haglin, Keane 2008). It names a person's
ratings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.known.literals import refuse_unknowable, windows_of
from ratingpriv.audit.known.verdict import known_ratings
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.description import TableDescription
from ratingpriv.documents.audit import Explanation
from ratingpriv.documents.making import document_of

# sets, or sets that may still grow, of a record; of more nothing is said to be all
_LIMIT = 100_000
_SECONDS = 20  # of the search for the fewest blanks
type _Set = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifyingSets:
    """The minimal sets of at most m ratings of one record that leave fewer than k records."""

    dataset: TableDescription  # of which record of what data, and its id
    position: int
    record: str
    k: int  # what was asked for
    epsilon: float
    m: int
    ratings: Mapping[str, float]  # those of the record, by issue
    # the issues of each set, the smaller sets first, and how many records are left
    sets: tuple[tuple[tuple[str, ...], int], ...]
    complete: bool  # whether these are all; otherwise there are more than the limit
    # issues, as few as are known, without whose ratings no set of the record's leaves fewer than k;
    # None where they were not asked for, or the sets are not complete
    blanks: tuple[str, ...] | None
    proved: bool  # whether no fewer will do
    # other records that fall below k, or by fewer ratings, when these cells are blanked, as the
    # record fits them no more; None where the search for them ended early
    knock_on: int | None

    @property
    def contribution(self) -> Mapping[str, float]:
        """The share of the sets that an issue is in, the largest first."""
        counts = Counter(issue for issues, _ in self.sets for issue in issues)
        return {issue: count / len(self.sets) for issue, count in counts.most_common()}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.explain/1``.

        It names the record and its ratings.
        """
        cells = None
        if self.blanks is not None:
            cells = {"issues": self.blanks, "proved": self.proved, "knock_on": self.knock_on}
        share = [(name, self.ratings[name], share) for name, share in self.contribution.items()]
        more = {"selection": self.dataset.selection, "ratings": len(self.ratings)}
        return document_of(Explanation, self, contribution=share, blanks=cells, **more)


def position_of(table: RatingTable, record: str) -> int:
    """Return the position of the record whose id is written like that; an error shows no id."""
    positions = table.record_ids.cast(str).index_of(record)
    if positions is None:
        raise ParameterError("record", "an unknown id", "the id of a record of the data")
    return positions


@takes_frames
def identifying_sets(
    table: TableLike,
    position: int,
    *,
    k: int,
    epsilon: float,
    m: int = 3,
    blanks: bool = True,
    resources: Resources = Resources(),
    **columns: Unpack[ColumnWords],
) -> IdentifyingSets:
    """Find the minimal sets of at most ``m`` ratings of a record that
    leave fewer than ``k`` records.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    position : of the record, 0 the first
    k, epsilon, m : as for :func:`.known_ratings`
    blanks : whether to find what to blank, and whom that would harm, for which all records are
        looked at
    resources : of the search for whom it would harm
    **columns : what is said of the columns of a data frame

    Raises
    ------
    ParameterError, ResourceError
        As :func:`.known_ratings`; there is no such record.
    """
    del columns
    target = Target(k=k, epsilon=epsilon)
    refuse_unknowable(table, target)
    m = checks.whole_number("m", m, 1)
    position = checks.whole_number("position", position, 0)
    if position >= table.n_records:
        raise ParameterError(
            "position", position, f"one of the {table.n_records} records, 0 the first"
        )
    windows = windows_of(table, target.epsilon, None)
    entries = slice(int(table.indptr[position]), int(table.indptr[position + 1]))
    issues, codes = table.indices[entries].astype(np.int64), table.codes[entries].astype(np.int64)
    # who rates each of its issues near the record's rating, a bit a record; the last row is
    # everybody
    row_of = np.full(table.n_issues, -1, dtype=np.int64)
    row_of[issues] = np.arange(len(issues))
    row, records = (
        row_of[table.indices],
        np.repeat(np.arange(table.n_records), np.diff(table.indptr)),
    )
    near = row >= 0
    near[near] = windows.low[codes[row[near]]] <= table.codes[near]
    near[near] = table.codes[near] <= windows.high[codes[row[near]]]
    bits = np.zeros((len(issues) + 1, -(-table.n_records // 64) * 64), dtype=bool)
    bits[row[near], records[near]] = True
    bits[-1, : table.n_records] = True
    fits = np.packbits(bits, axis=1).view(np.uint64)
    sets, complete = _minimal(fits[:-1], fits[-1], target.k, m)
    cells: _Set | None = None
    proved, knock_on = False, None
    if blanks and complete:
        cells, proved = _fewest_blanks([chosen for chosen, _ in sets])
        blanked = entries.start + np.array(cells, dtype=np.int64)
        demand = {"k": target.k, "epsilon": target.epsilon, "m": m}
        knock_on = _knock_on(table, blanked, demand, resources)
    names = [table.issues[issue] for issue in issues.tolist()]
    return IdentifyingSets(
        dataset=TableDescription.of(table),
        position=position,
        record=str(table.record_ids[position]),
        k=target.k,
        epsilon=target.epsilon,
        m=m,
        ratings=dict(zip(names, table.levels[codes].tolist(), strict=True)),
        sets=tuple((tuple(names[index] for index in chosen), left) for chosen, left in sets),
        complete=complete,
        blanks=None if cells is None else tuple(names[index] for index in cells),
        proved=proved,
        knock_on=knock_on,
    )


def _minimal(
    fits: NDArray[np.uint64], everybody: NDArray[np.uint64], k: int, m: int
) -> tuple[list[tuple[_Set, int]], bool]:
    """Return the minimal sets of rows with fewer than k bits in common, and whether these are all.

    Of size 1 they are the rows with fewer. Of what is left, a set of size 2 is looked at with a
    later row if that row is left as well; of size 3 if all its pairs are; and so on.
    """
    sets: list[tuple[_Set, int]] = []
    growing: dict[_Set, NDArray[np.uint64]] = {(): everybody}
    for size in range(1, m + 1):
        following: dict[_Set, NDArray[np.uint64]] = {}
        for chosen, common in growing.items():
            first = chosen[-1] + 1 if chosen else 0
            both = common & fits[first:]
            for offset, left in enumerate(np.bitwise_count(both).sum(axis=1).tolist()):
                larger = (*chosen, first + offset)
                if any(larger[:out] + larger[out + 1 :] not in growing for out in range(size - 1)):
                    continue
                if left < k:
                    sets.append((larger, left))
                elif size < m:
                    following[larger] = both[offset]
            if len(sets) > _LIMIT or len(following) > _LIMIT:
                return sets[:_LIMIT], False
        growing = following
    return sets, True


def _fewest_blanks(sets: Sequence[_Set]) -> tuple[_Set, bool]:
    """Return the fewest places that meet all the sets (a least hitting set),
    and whether that is proved.
    """
    if not sets:
        return (), True
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    places = sorted({index for chosen in sets for index in chosen})
    columns = {index: column for column, index in enumerate(places)}
    row = np.repeat(np.arange(len(sets)), [len(chosen) for chosen in sets])
    column = [columns[index] for chosen in sets for index in chosen]
    held = csr_array((np.ones(len(row)), (row, column)), shape=(len(sets), len(places)))
    every = LinearConstraint(held, lb=1)
    how = {"integrality": 1, "bounds": Bounds(0, 1), "options": {"time_limit": _SECONDS}}
    solved = milp(np.ones(len(places)), constraints=every, **how)
    if solved.x is None:  # no time even for one: all of them will do
        return tuple(places), False
    taken = tuple(index for index, share in zip(places, solved.x, strict=True) if share > 0.5)
    return taken, solved.status == 0


def _knock_on(
    table: RatingTable, blanked: NDArray[np.int64], demand: Mapping[str, Any], resources: Resources
) -> int | None:
    """Count the records that fall below k, or by fewer ratings, without the ratings ``blanked``.

    The record itself never does: what it has left leaves k.
    """
    if len(blanked) == 0:
        return 0
    remaining = np.ones(len(table.indices), dtype=bool)
    remaining[blanked] = False
    indptr = np.concatenate(([0], np.cumsum(remaining)))[table.indptr]
    rest = table.replace(
        indptr=indptr,
        indices=table.indices[remaining],
        codes=table.codes[remaining],
        timestamps=None,
    )
    before, after = (known_ratings(data, **demand, **resources.keywords) for data in (table, rest))
    if not (before.exact and after.exact):
        return None
    never = np.iinfo(np.int32).max
    worse = np.where(after.smallest_m, after.smallest_m, never) < np.where(
        before.smallest_m, before.smallest_m, never
    )
    return int(np.count_nonzero(worse))
