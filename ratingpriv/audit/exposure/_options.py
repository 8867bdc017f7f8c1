"""The options of a target: stretches of knowledge that fit the same members, as bitsets of these.

A row of words is named by its first word. Arrays in, arrays out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.exposure.arrays import Pool, Positions, Space
from ratingpriv.base.compute.bitsets import popcount
from ratingpriv.base.compute.compiling import part, routine


@part
def and_bits(out: int, left: int, right: int, width: int, words: NDArray[np.uint64]) -> Any:
    """Write the AND of two rows of words (by their first word) and count its bits."""
    count: Any = 0
    for w in range(width):
        both = words[left + w] & words[right + w]
        words[out + w] = both
        count += np.int64(popcount(both))
    return count


@part
def common_bits(left: int, right: int, width: int, words: NDArray[np.uint64]) -> Any:
    """Count the bits of the AND of two rows of words."""
    count: Any = 0
    for w in range(width):
        count += np.int64(popcount(words[left + w] & words[right + w]))
    return count


@part
def _rank(entry: int, issue: Any, column: int, members: int, pool: Pool, space: Space) -> None:
    """Write the codes of all members on an issue to ``space.value``, and mark them in ``space.rank``."""
    for i in range(members):
        if pool.aligned:
            code = np.int64(pool.codes[pool.indptr[space.member[i]] + column])
        else:
            stop, position = pool.indptr[space.member[i] + 1], space.cursor[i]
            while position < stop and pool.indices[position] < issue:
                position += 1
            space.cursor[i] = position
            code = np.int64(-1)
            if position < stop and pool.indices[position] == issue:
                code = np.int64(pool.codes[position])
        space.value[i] = code
        if code >= 0:
            space.rank[code] = 1


@part
def options_of(own: Any, code: Any, levels: int, option: int, positions: Positions, space: Space) -> int:
    """Cut knowledge of ``code`` where a level comes or goes; write options from ``option`` on.

    ``space.level[:levels]`` are the members' ratings, ``own`` is the target's among them.
    """
    # levels 1, 3 and 4, an error of 1, the target's is 3: its knowledge lies in 2..4 and is cut at 3
    #   2..3, by its middle 2.5: only 3 is within 1 of it, weight 1/2
    #   3..4, by its middle 3.5: 3 and 4 are, weight 1/2
    reach, level = positions.reach, space.level
    tail = 1.0 if positions.whole else 0.0
    x, end = positions.low[code], positions.high[code] + tail
    coming, going, low, high = 0, 0, 0, 0
    mass, begin = 0.0, option
    while True:
        while coming < levels and level[coming] - reach <= x:
            coming += 1
        while going < levels and level[going] + reach + tail <= x:
            going += 1
        until = end
        if coming < levels and level[coming] - reach < until:
            until = level[coming] - reach
        if going < levels and level[going] + reach + tail < until:
            until = level[going] + reach + tail
        knowledge = x if positions.whole else x / 2 + until / 2
        while low < own and knowledge - level[low] > reach:
            low += 1
        if high < own:
            high = own  # rounding must not leave out the target
        while high + 1 < levels and level[high + 1] - knowledge <= reach:
            high += 1
        space.at[option], space.weight[option] = knowledge, until - x
        space.low[option], space.high[option] = low, high
        mass += until - x
        option += 1
        x = until
        if not x < end:
            break
    upto = 0.0
    for o in range(begin, option):
        space.weight[o] = space.weight[o] / mass if mass > 0 else 1.0 / (option - begin)
        upto += space.weight[o]
        space.total[o] = upto
    return option


@part
def _fill_rows(first: int, stop: int, levels: int, members: int, width: int, space: Space) -> bool:
    """Fill the rows of options ``first:stop`` from ranks; return whether any leaves out a member.

    Rows after those of the options serve as scratch: members of rank 0..r, and those without a rating.
    """
    words, unit = space.words, np.uint64(1)
    upto = (1 + stop) * width
    null = upto + levels * width
    for w in range(upto, null + width):
        words[w] = np.uint64(0)
    for i in range(members):
        row = null if space.value[i] < 0 else upto + space.value[i] * width
        words[row + (i >> 6)] |= unit << np.uint64(i & 63)
    for w in range(upto + width, null):
        words[w] |= words[w - width]
    separates = False
    for o in range(first, stop):
        row, high, low = (1 + o) * width, upto + space.high[o] * width, upto + (space.low[o] - 1) * width
        held: Any = 0
        for w in range(width):
            kept = words[high + w]
            if space.low[o] > 0:
                kept &= ~words[low + w]
            kept |= words[null + w]
            words[row + w] = kept
            held += np.int64(popcount(kept))
        separates = separates or held < members
    return separates


@routine
def split(target: int, members: int, pool: Pool, positions: Positions, space: Space) -> Any:
    """Find the options of every issue that tells members apart.

    Returns (issues, core, options, words gone through), or -1 issues where ``space`` is too small: then
    ``space.need`` says what would do for this issue.
    """
    start, stop = pool.indptr[target], pool.indptr[target + 1]
    width = (members + 63) >> 6
    words = space.words
    if len(words) < width:
        space.need[1] = width
        return -1, 0, 0, 0
    for w in range(width):
        words[w] = ~np.uint64(0)
    if members & 63:
        words[width - 1] = (np.uint64(1) << np.uint64(members & 63)) - np.uint64(1)
    if not pool.aligned:
        for i in range(members):
            space.cursor[i] = pool.indptr[space.member[i]]
    issues, options, work = 0, 0, 0
    for entry in range(start, stop):
        code = np.int64(pool.codes[entry])
        issue = 0 if pool.aligned else np.int64(pool.indices[entry])
        if space.pin[entry - start] == space.pin[entry - start]:  # settled: all members fit it
            continue
        # codes of the members' ratings become ranks 0, 1, ... among those that occur
        _rank(entry, issue, entry - start, members, pool, space)
        levels, own = 0, 0
        for other in range(positions.first[code], positions.last[code] + 1):
            if space.rank[other]:
                space.level[levels] = positions.number[other]
                space.rank[other] = levels
                if other == code:
                    own = levels
                levels += 1
        for i in range(members):
            if space.value[i] >= 0:
                space.value[i] = space.rank[space.value[i]]
        for other in range(positions.first[code], positions.last[code] + 1):
            space.rank[other] = 0
        # room for the options and their rows, or the caller makes some
        work += 2 * members
        most = options + 2 * levels + 1
        space.need[0], space.need[1] = most, (1 + most + levels + 1 + issues + 3) * width
        if len(space.at) < space.need[0] or len(words) < space.need[1]:
            return -1, 0, 0, 0
        until = options_of(own, code, levels, options, positions, space)
        work += (levels + until - options) * width
        # an issue whose options all leave everybody tells nobody apart: its rows are written over
        if _fill_rows(options, until, levels, members, width, space):
            for o in range(options, until):
                row = (1 + o) * width
                for w in range(width):
                    words[w] &= words[row + w]
            space.place[issues], space.first[issues], space.stop[issues] = entry - start, options, until
            issues += 1
            options = until
    core = members
    if issues:
        core = common_bits(0, 0, width, words)
    base = (1 + options) * width  # the bottom of the stack: everybody but the core
    for w in range(width):
        words[base + w] = ~words[w]
    if members & 63:
        words[base + width - 1] &= (np.uint64(1) << np.uint64(members & 63)) - np.uint64(1)
    for j in range(issues):  # issues in the order of how few they leave on average
        score = 0.0
        for o in range(space.first[j], space.stop[j]):
            score += space.weight[o] * common_bits(base, (1 + o) * width, width, words)
        rank = j
        while rank > 0 and space.score[rank - 1] > score:
            space.score[rank], space.order[rank] = space.score[rank - 1], space.order[rank - 1]
            rank -= 1
        space.score[rank], space.order[rank] = score, j
    return issues, core, options, work
