"""Blanking ratings: (k,ε)-anonymity against any few known ones,
of the ratings that are left [ours].

Only blanks, so that what is left is true. A blank takes a neighbour away from others, who may fall
below k by it; so blanks go on until a search finds nobody below k. A rating that is put back only
adds one. At m = 1 the largest part that will do is unique, as the union of two parts that will do
is one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.result import (
    Anonymized,
    AnonymizeParameters,
    Blanked,
    Randomness,
    audit_for,
)
from ratingpriv.anonymize.suppression._blank import Space, blank_weak, put_back
from ratingpriv.audit.known.arrays import Ratings
from ratingpriv.audit.known.literals import (
    MEMORY,
    literals_of,
    ratings_of,
    refuse_unknowable,
    windows_of,
)
from ratingpriv.audit.known.search import BUDGET, Search
from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, ResourceError, TargetNotReachedError
from ratingpriv.base.target import ReleaseTarget
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.measure import distortion_of
from ratingpriv.utility.tables import leave_out

_MOST = 4  # known ratings
_HOPELESS = 1.1  # times the blanks of the other way: a tenth goes back at most [measured]


def check_options(*, m: int | None, keep_at_least: float) -> None:
    """Refuse what blank() takes for no data."""
    if m is None or checks.whole_number("m", m, 1) > _MOST:
        expected = f"a whole number from 1 to {_MOST}"
        raise ParameterError("m", m, expected, "say `m=2` for any two known ratings")
    if checks.non_negative_number("keep_at_least", keep_at_least) > 1:
        raise ParameterError("keep_at_least", keep_at_least, "a share from 0 to 1")


def make(
    table: RatingTable,
    target: ReleaseTarget,
    randomness: Randomness,
    resources: Resources,
    *,
    keep_at_least: float,
) -> Anonymized:
    """Blank ratings until any at most ``target.m`` known ones of those
    left leave at least k records.

    Whoever knows at most m of the ratings of a record in the release, exactly, and accepts every
    record within ε of them, shall be left with k records. Sensitive issues are left as they are.

    Made twice, of ratings that would do alike the rarer or the commoner blanked first; the result
    with fewer blanks is taken. It is maximal: no single blank can go back. Which ratings go is no
    fair sample: ``claims`` says what is left of each. Nothing is random. ``keep_at_least`` is the
    share of the ratings that shall be left; a release is refused that keeps less, or none.

    Raises
    ------
    ParameterError
        There are quasi-identifiers, which are not counted here yet.
    ResourceError
        There is no memory for the sets of records, or no time to go through all that may be known.
    TargetNotReachedError
        Fewer ratings would be left. The message says for which m and k they are; ``best`` is the
        release with the largest such k, or else m, or None.
    """
    refuse_unknowable(table, target)
    mask = _kept(table, target, resources)
    if _enough(mask, keep_at_least):
        return _release(table, target, mask, keep_at_least, resources)

    def made(**nearer: Any) -> Anonymized | None:
        less = replace(target, **nearer)
        left = _kept(table, less, resources)
        return (
            _release(table, less, left, keep_at_least, resources)
            if _enough(left, keep_at_least)
            else None
        )

    # the largest k, and else the largest m, for which enough is left
    smaller_k, low, high = None, 1, target.k
    while high - low > 1:
        middle = (low + high) // 2
        if (release := made(k=middle)) is None:
            high = middle
        else:
            smaller_k, low = release, middle
    tries = (made(m=m) for m in range((target.m or 1) - 1, 0, -1))
    smaller_m = next((release for release in tries if release is not None), None)
    nearest = [release for release in (smaller_k, smaller_m) if release is not None]
    wanted = f"at least {keep_at_least:g} of them" if keep_at_least else "some of them"
    parts = [f"{mask.mean():.3g} of the ratings would be left, expected {wanted}"]
    parts += [
        f"with k = {release.parameters.k} against any {release.parameters.m} known ratings "
        f"{1 - (release.distortion.shares['erased'] or 0):.3g} are"
        for release in nearest
    ] or ["no smaller k above 1, and no smaller m, leaves as many"]
    raise TargetNotReachedError("; ".join(parts), next(iter(nearest), None))


def _enough(kept: NDArray[np.bool_], share: float) -> bool:
    return len(kept) == 0 or bool(kept.any() and kept.mean() >= share)


def _kept(table: RatingTable, target: ReleaseTarget, resources: Resources) -> NDArray[np.bool_]:
    """Return what is left the way that leaves more; the other one ends early where it is hopeless.

    Of surveys more is left where the commoner ratings go first, of sparse data where the rarer do
    [measured].
    """
    sparse = 2 * table.n_ratings < table.n_records * table.n_issues
    mask = _one_way(table, target, resources, rarest=sparse, most=table.n_ratings)
    assert mask is not None  # noqa: S101 -- for the type checker: no more can go than there are
    blanks = int(np.count_nonzero(~mask))
    if target.m == 1 or blanks == 0:  # there is one result
        return mask
    other = _one_way(table, target, resources, rarest=not sparse, most=int(_HOPELESS * blanks))
    return mask if other is None or np.count_nonzero(~other) >= blanks else other


def _one_way(
    table: RatingTable, target: ReleaseTarget, resources: Resources, *, rarest: bool, most: int
) -> NDArray[np.bool_] | None:
    """Return which ratings are left, bool (n_ratings,); None where more than ``most`` had to go."""
    k, m = target.k, target.m or 1
    windows = windows_of(table, target.epsilon, None)
    memory = resources.memory or MEMORY
    literals = literals_of(table, windows, centred=True, memory=memory)
    if literals.lists():
        raise ResourceError(
            f"memory: the lists of records that fit {len(literals.issue):,} ratings need more than "
            f"{memory:,} bytes; allow more with `memory`, or release fewer items"
        )
    ratings, mask = ratings_of(table), np.ones(table.n_ratings, dtype=bool)
    widths = np.diff(table.indptr)
    space = Space.of(m, len(literals.everybody), int(widths.max(initial=0)))
    blanks = 0
    for size in range(1, m + 1):
        while True:
            left = _left(ratings, mask)
            run = Run(resources.threads, None, "known ratings")
            search = Search(left, windows, literals, k, size, run, memory=memory)
            search.go_through(BUDGET)
            weak = np.flatnonzero(search.smallest)
            if len(weak) == 0 and search.proved < size:
                raise ResourceError(
                    f"any {size} known ratings of these data are too many to go through; ask for "
                    "fewer with `m`, or release fewer items"
                )
            if len(weak) == 0:
                break
            weak = weak[np.argsort(-np.diff(left.indptr)[weak], kind="stable")]  # the fullest first
            gone = blank_weak(weak, size, k, rarest, ratings, windows, literals, mask, space)
            # or this never ends
            assert gone, "the search and the blanks count otherwise"  # noqa: S101
            blanks += gone
            resources.report("suppressing ratings", blanks, None)
            if blanks > most:
                return None
    order = np.argsort(-widths, kind="stable")
    while back := put_back(order, m, k, ratings, windows, literals, mask, space):
        blanks -= back
        resources.report("suppressing ratings", blanks, None)
    return mask


def _left(ratings: Ratings, kept: NDArray[np.bool_]) -> Ratings:
    indptr = np.concatenate(([0], np.cumsum(kept)))[ratings.indptr]
    return Ratings(indptr, ratings.issue[kept], ratings.code[kept])


def _release(
    table: RatingTable,
    target: ReleaseTarget,
    mask: NDArray[np.bool_],
    share: float,
    resources: Resources,
) -> Anonymized:
    released = leave_out(table, ~mask)
    everybody, blanks = np.arange(table.n_records), int(np.count_nonzero(~mask))
    statement = f"{blanks} of {len(mask)} ratings are suppressed"
    if not blanks:
        statement = "no rating is suppressed: the data meet the target as they are"
    elif target.m == 1:
        statement += (
            ", the fewest, proved: the ratings left are the largest part of the data that will do"
        )
    else:
        statement += (
            ". The result is maximal: none of them can go back by itself; other choices "
            "may need fewer"
        )
    return Anonymized(
        table=released,
        kept=everybody,
        groups=None,
        method="blank",
        parameters=AnonymizeParameters.of(target, keep_at_least=share or None),
        distortion=distortion_of(table, released, everybody),
        optimal=blanks == 0 or target.m == 1,
        statement=statement,
        audit=audit_for(released, target, resources),
        claims=Blanked.of(table, mask),
    )
