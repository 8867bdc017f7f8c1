"""(k,ε)-anonymity against any m known ratings, decided exactly [ours].

After k^m-anonymity of sets (Terrovitis, Mamoulis, Kalnis 2008). For a record t and some of the
issues that it rates, C(t, S) are the records that rate each of S within ε of t. The data are
(k,ε)-anonymous against any m known ratings if every C(t, S) with |S| ≤ m has at least k records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from ratingpriv.audit.known.arrays import Literals, Windows
from ratingpriv.audit.known.literals import (
    MEMORY,
    literals_of,
    ratings_of,
    refuse_unknowable,
    windows_of,
)
from ratingpriv.audit.known.search import BUDGET, Search
from ratingpriv.audit.known.singling import SinglingItem
from ratingpriv.base import checks
from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import ReleaseTarget, Target
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.documents.audit import KnownVerdict
from ratingpriv.documents.making import document_of
from ratingpriv.proximity.reservations import reservations

if TYPE_CHECKING:
    import polars as pl

    from ratingpriv.audit.known.chance import Unicity
    from ratingpriv.data.table import RatingTable

_MOST_ITEMS = 50  # that a document has


@dataclass(frozen=True, slots=True, eq=False)
class KnownRatings:
    """Whether any few known ratings leave at least k records.

    What it says holds up to ``proved_m`` of them.

    Attributes
    ----------
    k, m : what was asked for: any at most m known ratings leave at least k records
    epsilon, error : exact ratings are known, and records within ε accepted; or knowledge is off by
        up to ``error``, and whatever fits it is accepted. The other one is None
    proved_m : up to how many known ratings everything was looked at; below m where the budget ended
    smallest_m : int32 (n,), the smallest number of ratings that narrow a record down to fewer than
        k; 0: none of up to ``proved_m``
    fewest : int64 (n,), how many records those leave, as few as that many ratings can; 0 where
        there are none. Of what was found after ``proved_m``: as few as were seen
    without_ratings : records that rate nothing, which are never at risk by this definition
    items : of what alone ratings can be known; None: of anything. Only in an audit
    random : what 1, 2, … random known ratings give away; empty but in an audit
    singling : the items whose ratings narrow records down, those of most records first
        (:func:`.singling_items`); None: it was not asked. Only in an audit
    cautions : the reservations on what was asked
    """

    k: int
    m: int
    epsilon: float | None
    error: float | None
    proved_m: int
    smallest_m: NDArray[np.int32]
    fewest: NDArray[np.int64]
    without_ratings: int
    random: tuple[Unicity, ...]
    _issues: tuple[str, ...]
    _witness: NDArray[np.int64]
    _literals: Literals
    _windows: Windows
    items: str | None = None
    singling: tuple[SinglingItem, ...] | None = None
    cautions: tuple[Caution, ...] = ()

    @property
    def standing(self) -> Standing:
        """What the verdict comes to with its reservations."""
        return Standing.of(self.satisfied, self.cautions)

    def __bool__(self) -> bool:
        """Whether it holds without a reservation; not where it was not decided."""
        return self.standing.plain

    @property
    def exact(self) -> bool:
        """Whether up to m known ratings everything was looked at."""
        return self.proved_m == self.m

    @property
    def satisfied(self) -> bool | None:
        """Whether any at most m known ratings leave k records; None where that was not decided."""
        if self.smallest_m.any():
            return False
        return True if self.exact else None

    def below(self, m: int) -> int:
        """Return how many records some at most ``m`` ratings narrow down to fewer than k."""
        m = checks.whole_number("m", m, 1)
        if m > self.proved_m:
            raise ParameterError(
                "m", m, f"at most {self.proved_m}, up to which everything was looked at"
            )
        return int(np.count_nonzero((self.smallest_m > 0) & (self.smallest_m <= m)))

    def largest_k(self, m: int) -> int | None:
        """Return the largest k for any ``m`` known ratings.

        None where the search need not know it.
        """
        answered = (self.smallest_m > 0) & (self.smallest_m <= m)
        if not answered.any() or m > self.proved_m:
            return None
        least = int(self.fewest[answered].min())
        first = int(self.smallest_m[answered].min())
        return least if m == first or least == 1 else None

    def witness(self, position: int) -> dict[str, float]:
        """Return ratings, by issue, that narrow the record at ``position`` down, as few as can.

        Of several such sets the one that leaves the fewest records, then that of the first issues.
        They are a person's.
        """
        position = checks.whole_number("position", position, 0)
        if position >= len(self.smallest_m) or not self.smallest_m[position]:
            raise ParameterError("position", position, "a record with a ``smallest_m``")
        literals = self._witness[position, : self.smallest_m[position]]
        issues, ratings = (
            self._literals.issue[literals],
            self._windows.known[self._literals.window[literals]],
        )
        return {
            self._issues[issue]: float(value) for issue, value in zip(issues, ratings, strict=True)
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row a record, in the order of the data; null where there is none.

        Columns, all Int64: ``position`` (0 the first), ``smallest_m``, ``fewest``.
        """
        import polars as pl

        numbers = (("smallest_m", self.smallest_m), ("fewest", self.fewest))
        columns = {
            name: pl.Series(values, dtype=pl.Int64).replace(0, None) for name, values in numbers
        }
        return pl.DataFrame({"position": np.arange(len(self.fewest), dtype=np.int64), **columns})

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object ``known`` of an audit; no record is named."""
        records, depths = len(self.smallest_m), range(1, self.proved_m + 1)
        below = [(m, self.below(m)) for m in depths]
        shares = [(m, count, count / records) for m, count in below]
        largest = [(m, k) for m in depths if (k := self.largest_k(m)) is not None]
        return document_of(
            KnownVerdict,
            self,
            below_k=shares,
            largest_k=largest,
            singling=UNSET if self.singling is None else self.singling[:_MOST_ITEMS],
        )

    def __repr__(self) -> str:
        held = {True: "holds", False: "does not hold", None: "not decided"}[self.satisfied]
        return (
            f"<KnownRatings: k = {self.k} against any {self.m} {held}; proved up to "
            f"{self.proved_m}>"
        )


@takes_frames
def known_ratings(
    table: TableLike,
    *,
    k: int,
    epsilon: float | None = None,
    m: int = 3,
    error: float | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **columns: Unpack[ColumnWords],
) -> KnownRatings:
    """Decide whether any at most ``m`` known ratings of a record leave at least ``k`` records.

    Whoever knows at most m of the ratings that somebody has in this table, exactly, and accepts
    every record within ε of them, is left with at least k. With ``error`` knowledge is off by up to
    that instead, takes the values that :func:`ratingpriv.exposure` says, and whatever is within the
    error of it is left. A null fits nothing, and is never known. Which m ratings are known is the
    worst case; :func:`.unicity` has random ones. Not covered are m + 1
    known ratings, attribute inference, and knowledge that something was *not* rated.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes; of
        other issues than may be known, select those that may first
        (:meth:`RatingTable.select_issues`)
    k, epsilon : the demand
    m : how many ratings may be known, at most
    error : instead of ``epsilon``
    memory : bytes for sets of records; lists take their place, and longer, where they do not fit
    **columns : what is said of the columns of a data frame

    Raises
    ------
    ParameterError
        A value is out of range, both or none of ``epsilon`` and ``error`` are given, or there are
        quasi-identifiers, which are not counted here yet.
    ResourceError
        There is no memory for the lists either.
    """
    del columns
    m = checks.whole_number("m", m, 1)
    if (epsilon is None) == (error is None):
        raise ParameterError(
            "epsilon", epsilon, "exactly one of epsilon and error", "name one of the two"
        )
    within: Any = error if epsilon is None else epsilon
    reach = Target(k=k, epsilon=within)
    refuse_unknowable(table, reach)
    resources = Resources(threads, memory, progress)
    return decide(table, reach, m, resources, exact=error is None)


def decide(
    table: RatingTable,
    reach: Target,
    m: int,
    resources: Resources,
    *,
    exact: bool = True,
    other_kernel: bool = False,
) -> KnownRatings:
    """Do as :func:`known_ratings`, its arguments checked;
    knowledge is ``exact`` or off by ``reach.epsilon``.

    ``other_kernel`` : whether not the cheaper kernel goes through the sets, where that takes
    seconds at most
    """
    windows = windows_of(table, *((reach.epsilon, None) if exact else (None, reach.epsilon)))
    memory = resources.memory or MEMORY
    literals = literals_of(table, windows, centred=exact, memory=memory)
    ratings = ratings_of(table)
    run = Run(resources.threads, resources.progress, "known ratings")
    search = Search(ratings, windows, literals, reach.k, m, run, memory=memory)
    search.go_through(BUDGET, "other" if other_kernel else None)
    target = ReleaseTarget(k=reach.k, epsilon=reach.epsilon, nulls="known", m=m)
    return KnownRatings(
        k=reach.k,
        m=m,
        epsilon=reach.epsilon if exact else None,
        error=None if exact else reach.epsilon,
        proved_m=search.proved,
        smallest_m=search.smallest,
        fewest=search.fewest,
        random=(),
        without_ratings=int(np.count_nonzero(np.diff(table.indptr) == 0)),
        _issues=tuple(table.issues),
        _witness=search.witness,
        _literals=literals,
        _windows=windows,
        cautions=tuple(
            reservation
            for reservation in reservations(table, target, k=reach.k)
            if reservation.reservation
        ),
    )
