"""What knowledge leaves of a pool of records, record by record: expectation of 1 / count, and the fewest.

For a target, only members that fit *some* knowledge of it matter. On each issue the knowledge falls into a
few stretches, *options*, that fit the same members; an option is a bitset of members, and knowledge of all
issues leaves the AND of one option an issue. Members that every option keeps, the target among them, are the
*core*: no knowledge leaves fewer. Where too many members fit some knowledge, they are not listed: drawn
knowledge is counted among all of the pool, 512 members at a time.

Arrays in, arrays out; `arrays.py` says what they are, `examine.py` where they come from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.exposure._pool import arrange, find, held_by
from ratingpriv.audit.exposure._search import (
    branch_and_bound,
    choose_greedily,
    drawn,
    enumerate_all,
    mixed,
    options_of,
    sample,
    split,
)
from ratingpriv.audit.exposure.arrays import Findings, Plan, Pool, Positions, Space
from ratingpriv.base.compute.compiling import routine, search_kernel


@routine
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
    target: int, members: int, multiple: int, most: int, pool: Pool, positions: Positions, plan: Plan,
    space: Space,
) -> Any:  # fmt: skip
    """Examine a target by its listed members.

    Returns (expectation of 1 / count, fewest, proved to be no fewer than, enumerated, words gone through);
    fewest 0 where ``space`` is too small. Without samples in the plan only knowledge is looked for that
    leaves fewer than ``most``, which some did already.
    """
    issues, core, options, work = split(target, members, pool, positions, space)
    width = (members + 63) >> 6
    if issues < 0:
        return 0.0, 0, 0, False, 0
    space.need[1] = (1 + options + issues + 2) * width
    if len(space.words) < space.need[1]:
        return 0.0, 0, 0, False, 0
    base = (1 + options) * width
    for j in range(issues):
        space.choice[j] = -1
    finished, fewest, expected, proved = issues == 0, members, 1.0 / members, members
    if not finished and plan.enumeration > 0:
        finished, expected, fewest, more = enumerate_all(issues, core, members, base, plan.enumeration, space)
        work += more
        proved = fewest
    if not finished:
        proved, fewest = core, most
        if plan.samples > 0:
            expected, fewest, more = sample(issues, core, members, base, target, plan, space)
            work += more
        if fewest > core:
            fewest, more = choose_greedily(issues, core, members, base, fewest, space)
            work += more
        if fewest > core and plan.search > 0:
            fewest, proved, more = branch_and_bound(issues, core, members, base, fewest, plan.search, space)
            work += more
    if plan.samples > 0 or fewest < most:
        _settle(issues, target, pool, positions, space)
    return expected, fewest, max(proved, multiple), finished, work


@routine
def _all_options(target: int, pool: Pool, positions: Positions, space: Space) -> int:
    """Write the options of every rating of a target, whoever the members; return how many, or -1."""
    options, start = 0, pool.indptr[target]
    for entry in range(start, pool.indptr[target + 1]):
        code, rating = np.int64(pool.codes[entry]), entry - start
        begin = positions.first[code]
        levels = positions.last[code] + 1 - begin
        space.need[0] = options + 2 * levels + 1
        if len(space.at) < space.need[0]:
            return -1
        for other in range(levels):
            space.level[other] = positions.number[begin + other]
        space.first[rating] = options
        options = options_of(code - begin, code, levels, options, positions, space)
        space.stop[rating] = options
        for o in range(space.first[rating], options):
            space.low[o] += begin
            space.high[o] += begin
    return options


@routine
def _among_many(
    target: int, used: int, multiple: int, pool: Pool, positions: Positions, places: int, plan: Plan,
    space: Space,
) -> Any:  # fmt: skip
    """Examine a target of which too many members fit some knowledge to list them.

    Knowledge is drawn and its members counted among all. For the fewest, the option of an issue that fits the
    fewest of all members is tried on every issue; then on as many as leave few enough to list, and among
    those the others are searched. Returns as :func:`_among_few`.
    """
    start, ratings = pool.indptr[target], pool.indptr[target + 1] - pool.indptr[target]
    if _all_options(target, pool, positions, space) < 0:
        return 0.0, 0, 0, False, 0
    # the expectation: knowledge is drawn on every issue, and who fits it is counted
    golden = np.uint64(0x9E3779B97F4A7C15)
    stream = mixed(mixed(plan.seed + golden) + np.uint64(target) * golden)
    fewest, total, work = len(pool.record) + 1, 0.0, 0
    for s in range(plan.samples):
        state = mixed(stream + np.uint64(s + 1) * golden)
        for k in range(ratings):
            state += golden
            o = drawn(space.first[k], space.stop[k], state, space)
            space.path[k], space.fits_from[k], space.fits_to[k] = o, space.low[o], space.high[o]
        count, more = find(target, used, 0, pool, places, space)
        work += more
        total += 1.0 / count
        if count < fewest:
            fewest = count
            for k in range(ratings):
                space.known[k] = space.at[space.path[k]]
    for k in range(ratings):
        space.path[k], space.score[k] = -1, 0.0
    # the fewest: on every issue the option that fits fewest of all
    for u in range(used):
        k, least = space.entry[u], len(pool.record) + 1
        for o in range(space.first[k], space.stop[k]):
            held = held_by(space.column[u], space.low[o], space.high[o], pool)
            if held < least:
                least = held
                space.path[k] = o
        space.score[k] = least
    ordered = 0  # places in the order of how few their option fits
    for k in range(ratings):
        space.pin[k] = np.nan
        if space.path[k] >= 0:
            at = ordered
            while at > 0 and space.score[space.order[at - 1]] > space.score[k]:
                space.order[at] = space.order[at - 1]
                at -= 1
            space.order[at] = k
            ordered += 1
    few, many = ordered, 0  # how many places to settle: so many leave few enough members, so many too many
    # first all of them, then by bisection as few as leave no more than plan.most members to list
    settled = ordered
    while fewest > multiple and ordered > 0:
        for k in range(ratings):
            code = np.int64(pool.codes[start + k])
            space.fits_from[k], space.fits_to[k] = positions.first[code], positions.last[code]
        for d in range(settled):
            k = space.order[d]
            space.fits_from[k], space.fits_to[k] = space.low[space.path[k]], space.high[space.path[k]]
        count, more = find(target, used, plan.most, pool, places, space)
        work += more
        if count <= plan.most:
            few = settled
            if settled == ordered and count < fewest and ordered == ratings:
                fewest = count
                for k in range(ratings):
                    space.known[k] = space.at[space.path[k]]
        else:
            many = settled
        if settled == ordered and count > plan.most:
            break
        if few - many <= 1:
            if count > plan.most:  # once more, to list them
                settled = few
                continue
            for d in range(settled):
                space.pin[space.order[d]] = space.at[space.path[space.order[d]]]
            listed = Plan(0, 0, plan.search, plan.most, plan.seed)
            _, best, _, _, more = _among_few(target, count, multiple, fewest, pool, positions, listed, space)
            work += more
            if best == 0:
                return 0.0, 0, 0, False, 0
            fewest = min(fewest, best)
            break
        settled = (few + many) // 2
    return total / plan.samples, fewest, multiple, False, work


@search_kernel
def examine(
    targets: NDArray[np.int64], begin: int, pool: Pool, positions: Positions, places: int, plan: Plan,
    space: Space, out: Findings,
) -> int:  # fmt: skip
    """Examine ``targets[begin:]``; return how many are done, fewer than all where ``space.need`` says why.

    ``out.least`` has for each target how many records are identical to it.
    """
    for t in range(begin, len(targets)):
        target = targets[t]
        multiple = out.least[target]
        start, stop = pool.indptr[target], pool.indptr[target + 1]
        for entry in range(start, stop):
            code = pool.codes[entry]
            space.fits_from[entry - start] = positions.first[code]
            space.fits_to[entry - start] = positions.last[code]
            space.pin[entry - start] = np.nan
        used = arrange(target, pool, space)
        members, work = find(target, used, plan.most, pool, places, space)
        if members <= plan.most:
            expected, fewest, proved, finished, more = _among_few(
                target, members, multiple, members, pool, positions, plan, space
            )
        else:
            expected, fewest, proved, finished, more = _among_many(
                target, used, multiple, pool, positions, places, plan, space
            )
            members = len(pool.record)
        if fewest == 0:
            return t
        out.expected[target], out.worst[target], out.least[target] = expected, fewest, proved
        out.spread[target] = 0.0 if finished else 1.0 / proved - 1.0 / members
        out.work[target] = work + more
    return len(targets)
