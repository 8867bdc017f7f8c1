"""What knowledge leaves of a pool of records, record by record: expectation of 1 / count,
and the fewest.

For a target, only members that fit *some* knowledge of it matter. On each issue the knowledge falls
into a few stretches, *options*, that fit the same members; an option is a bitset of members, and
knowledge of all issues leaves the AND of one option an issue. Where too many members fit some
knowledge, they are not listed: drawn knowledge is counted among all of the pool, 512 members at a
time.

Arrays in, arrays out; `arrays.py` says what they are, `examine.py` where they come from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.exposure._pool import arrange, find, rows_of
from ratingpriv.audit.exposure._search import (
    GOLDEN,
    choose_greedily,
    drawn,
    enumerate_all,
    mixed,
    options_of,
    sample,
    split,
)
from ratingpriv.audit.exposure.arrays import Findings, Plan, Pool, Positions, Space
from ratingpriv.base.compute.compiling import part, routine, search_kernel


@part
def _settle(issues: int, target: int, pool: Pool, positions: Positions, space: Space) -> None:
    """Write what is pinned, and what was chosen, as knowledge; the rest is known exactly."""
    start = pool.indptr[target]
    for entry in range(start, pool.indptr[target + 1]):
        pin = space.pin[entry - start]
        space.known[entry - start] = pin if pin == pin else positions.number[pool.codes[entry]]
    for j in range(issues):
        if space.choice[j] >= 0:
            space.known[space.place[j]] = space.at[space.choice[j]]


@routine
def _among_few(
    target: int,
    members: int,
    multiple: int,
    most: int,
    pool: Pool,
    positions: Positions,
    plan: Plan,
    space: Space,
) -> Any:
    """Examine a target by its listed members.

    Returns (expectation of 1 / count, fewest, proved to be no fewer than, enumerated, words gone
    through); fewest 0 where ``space`` is too small. Without samples in the plan only knowledge is
    looked for that leaves fewer than ``most``, which some did already.
    """
    issues, floor, base, work = split(target, members, pool, positions, space)
    if issues < 0:
        return 0.0, 0, 0, False, 0
    for j in range(issues):
        space.choice[j] = -1
    finished, fewest, expected = issues == 0, members, 1.0 / members
    if not finished and plan.enumeration > 0:
        finished, expected, fewest, more = enumerate_all(
            issues, floor, members, base, plan.enumeration, space
        )
        work += more
    proved = fewest
    if not finished:
        proved, fewest = floor, most
        if plan.samples > 0:
            expected, fewest, more = sample(issues, floor, members, base, target, plan, space)
            work += more
        if fewest > floor:
            fewest, more = choose_greedily(issues, floor, members, base, fewest, space)
            work += more
    if plan.samples > 0 or fewest < most:
        _settle(issues, target, pool, positions, space)
    return expected, fewest, max(proved, multiple), finished, work


@part
def _scarcest(ratings: int, used: int, pool: Pool, space: Space) -> int:
    """Write to ``space.path`` the option of each issue with bitsets
    that the fewest of all members fit.

    ``space.order[:the number returned]`` are these places, those of the fewest first; others have
    path -1.
    """
    for k in range(ratings):
        space.path[k] = -1
    for u in range(used):
        k = space.entry[u]
        space.score[k] = len(pool.record) + 1
        for o in range(space.first[k], space.stop[k]):
            high, low = rows_of(space.column[u], space.low[o], space.high[o], pool)
            if pool.held[high] - pool.held[low] < space.score[k]:
                space.score[k], space.path[k] = pool.held[high] - pool.held[low], o
    ordered = 0
    for k in range(ratings):
        if space.path[k] >= 0:
            slot = ordered
            while slot > 0 and space.score[space.order[slot - 1]] > space.score[k]:
                space.order[slot] = space.order[slot - 1]
                slot -= 1
            space.order[slot] = k
            ordered += 1
    return ordered


@routine
def _leave(
    target: int, used: int, settled: int, pool: Pool, positions: Positions, plan: Plan, space: Space
) -> Any:
    """Find who fits the scarcest options of ``settled`` issues,
    and some knowledge of the others.
    """
    start = pool.indptr[target]
    for entry in range(start, pool.indptr[target + 1]):
        code = np.int64(pool.codes[entry])
        space.fits_from[entry - start], space.fits_to[entry - start] = (
            positions.first[code],
            positions.last[code],
        )
    for d in range(settled):
        k = space.order[d]
        space.fits_from[k], space.fits_to[k] = space.low[space.path[k]], space.high[space.path[k]]
    return find(target, used, plan.most, pool, space)


@routine
def _among_many(
    target: int,
    used: int,
    multiple: int,
    pool: Pool,
    positions: Positions,
    plan: Plan,
    space: Space,
) -> Any:
    """Examine a target of which too many members fit some knowledge to list them.

    Knowledge is drawn and its members counted among all. For the fewest, the option of an issue
    that fits the fewest of all members is tried on every issue; then on as many as leave few enough
    to list, and among those the others are chosen greedily. Returns as :func:`_among_few`.
    """
    start, ratings = pool.indptr[target], pool.indptr[target + 1] - pool.indptr[target]
    # the options of every rating, as codes, whoever the members
    options = 0
    for k in range(ratings):
        code = np.int64(pool.codes[start + k])
        begin = positions.first[code]
        levels = positions.last[code] + 1 - begin
        if len(space.at) < options + 2 * levels + 1:
            return 0.0, 0, 0, False, 0
        for other in range(levels):
            space.level[other] = positions.number[begin + other]
        space.first[k] = options
        options = options_of(code - begin, code, levels, options, positions, space)
        space.stop[k] = options
        for o in range(space.first[k], options):
            space.low[o] += begin
            space.high[o] += begin
    # the expectation: knowledge is drawn on every issue, and who fits it is counted
    stream = mixed(mixed(plan.seed + GOLDEN) + np.uint64(target) * GOLDEN)
    fewest, total, work = len(pool.record) + 1, 0.0, 0
    for s in range(plan.samples):
        state = mixed(stream + np.uint64(s + 1) * GOLDEN)
        for k in range(ratings):
            state += GOLDEN
            o = drawn(space.first[k], space.stop[k], state, space)
            space.path[k], space.fits_from[k], space.fits_to[k] = o, space.low[o], space.high[o]
        count, more = find(target, used, 0, pool, space)
        work += more
        total += 1.0 / count
        if count < fewest:
            fewest = count
            for k in range(ratings):
                space.known[k] = space.at[space.path[k]]
    expected, ordered = total / plan.samples, _scarcest(ratings, used, pool, space)
    if fewest == multiple or ordered == 0:
        return expected, fewest, multiple, False, work
    # the fewest: all issues are settled, then by bisection as few as leave no more than plan.most
    # members
    count, more = _leave(target, used, ordered, pool, positions, plan, space)
    work += more
    if ordered == ratings and count <= plan.most and count < fewest:
        fewest = count
        for k in range(ratings):
            space.known[k] = space.at[space.path[k]]
    if fewest == multiple or count > plan.most:
        return expected, fewest, multiple, False, work
    many, few = 0, ordered
    while few - many > 1:
        middle = (few + many) // 2
        count, more = _leave(target, used, middle, pool, positions, plan, space)
        work += more
        if count <= plan.most:
            few = middle
        else:
            many = middle
    count, more = _leave(target, used, few, pool, positions, plan, space)  # once more, to list them
    work += more
    for d in range(few):
        space.pin[space.order[d]] = space.at[space.path[space.order[d]]]
    listed = Plan(0, 0, plan.most, plan.seed)
    _, best, _, _, more = _among_few(
        target, count, multiple, fewest, pool, positions, listed, space
    )
    return expected, min(fewest, best), multiple, False, work + more


@search_kernel
def examine(
    targets: NDArray[np.int64],
    pool: Pool,
    positions: Positions,
    plan: Plan,
    space: Space,
    out: Findings,
) -> int:
    """Examine ``targets``; return how many are done,
    fewer than all where ``space`` is too small for one.

    ``out.least`` has for each target how many records are identical to it.
    """
    for t in range(len(targets)):
        target = targets[t]
        multiple = out.least[target]
        for k in range(pool.indptr[target + 1] - pool.indptr[target]):
            space.pin[k] = np.nan
        used = arrange(target, pool, space)
        members, work = _leave(target, used, 0, pool, positions, plan, space)
        if members <= plan.most:
            expected, fewest, proved, finished, more = _among_few(
                target, members, multiple, members, pool, positions, plan, space
            )
        else:
            expected, fewest, proved, finished, more = _among_many(
                target, used, multiple, pool, positions, plan, space
            )
            members = len(pool.record)
        if fewest == 0:
            return t
        out.expected[target], out.worst[target], out.least[target] = expected, fewest, proved
        out.spread[target] = 0.0 if finished else 1.0 / proved - 1.0 / members
        out.work[target] = work + more
    return len(targets)
