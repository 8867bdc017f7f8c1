"""Knowledge of a target whose members are listed: cut into options, enumerated, drawn,
chosen greedily.

On each issue the knowledge falls into *options*, stretches that fit the same members, as bitsets of
these; a row of words is named by its first word. What goes through knowledge begins with the row of
all members, at word ``base``, and ANDs it with one option an issue; no knowledge leaves fewer than
``floor``. Arrays in, arrays out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.exposure.arrays import Plan, Pool, Positions, Space
from ratingpriv.base.compute.bitsets import popcount
from ratingpriv.base.compute.compiling import part, routine

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # splitmix64's step


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
    """Write the codes of all members on an issue to ``space.value``,
    and mark them in ``space.rank``.
    """
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
def options_of(
    own: Any, code: Any, levels: int, option: int, positions: Positions, space: Space
) -> int:
    """Cut knowledge of ``code`` where a level comes or goes; write options from ``option`` on.

    ``space.level[:levels]`` are the members' ratings, ``own`` is the target's among them.
    """
    # levels 1, 3 and 4, an error of 1, the target's is 3: its knowledge lies in 2..4 and is cut at
    # 3
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

    Rows after those of the options serve as scratch: members of rank 0..r, and those without a
    rating.
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
        row, high, low = (
            (1 + o) * width,
            upto + space.high[o] * width,
            upto + (space.low[o] - 1) * width,
        )
        held: Any = 0
        for w in range(width):
            near = words[high + w]
            if space.low[o] > 0:
                near &= ~words[low + w]
            near |= words[null + w]
            words[row + w] = near
            held += np.int64(popcount(near))
        separates = separates or held < members
    return separates


@routine
def split(target: int, members: int, pool: Pool, positions: Positions, space: Space) -> Any:
    """Find the options of every issue that tells members apart.

    Returns (issues, floor, base, words gone through), or -1 issues where ``space`` is too small.
    The floor are the members that fit all options, or all but the most that one option of each
    issue leaves out.
    """
    # five members beside one who fits everything; the best options of two issues leave out three
    # and one:
    #   floor = max(1, 6 - 3 - 1) = 2
    words, width = space.words, (members + 63) >> 6
    start, issues, options, work = pool.indptr[target], 0, 0, 0
    if not pool.aligned:
        for i in range(members):
            space.cursor[i] = pool.indptr[space.member[i]]
    for entry in range(start, pool.indptr[target + 1]):
        code = np.int64(pool.codes[entry])
        if space.pin[entry - start] == space.pin[entry - start]:  # settled: all members fit it
            continue
        # codes of the members' ratings become ranks 0, 1, ... among those that occur
        issue = 0 if pool.aligned else np.int64(pool.indices[entry])
        _rank(entry, issue, entry - start, members, pool, space)
        levels, level = 0, 0
        for other in range(positions.first[code], positions.last[code] + 1):
            if space.rank[other]:
                space.level[levels] = positions.number[other]
                space.rank[other] = levels
                if other == code:
                    level = levels
                levels += 1
        for i in range(members):
            if space.value[i] >= 0:
                space.value[i] = space.rank[space.value[i]]
        for other in range(positions.first[code], positions.last[code] + 1):
            space.rank[other] = 0
        most = options + 2 * levels + 1
        if len(space.at) < most or len(words) < (1 + most + levels + 1 + issues + 3) * width:
            return -1, 0, 0, 0
        until = options_of(level, code, levels, options, positions, space)
        work += 2 * members + (levels + until - options) * width
        # an issue whose options all leave everybody tells nobody apart: its rows are written over
        if _fill_rows(options, until, levels, members, width, space):
            space.place[issues], space.first[issues], space.stop[issues] = (
                entry - start,
                options,
                until,
            )
            issues += 1
            options = until
    base = (1 + options) * width
    if len(words) < (1 + options + issues + 2) * width:
        return -1, 0, 0, 0
    for w in range(width):  # everybody; row 0: who fits all options
        words[base + w] = ~np.uint64(0)
        if w == width - 1 and members & 63:
            words[base + w] = (np.uint64(1) << np.uint64(members & 63)) - np.uint64(1)
        words[w] = words[base + w]
        for o in range(options):
            words[w] &= words[(1 + o) * width + w]
    core = common_bits(0, 0, width, words)
    floor = members
    for j in range(issues):  # issues in the order of how few they leave on average
        score, fewest = 0.0, members
        for o in range(space.first[j], space.stop[j]):
            left = common_bits(base, (1 + o) * width, width, words)
            score += space.weight[o] * (left - core)
            fewest = min(fewest, left)
        floor -= members - fewest
        rank = j
        while rank > 0 and space.score[rank - 1] > score:
            space.score[rank], space.order[rank] = space.score[rank - 1], space.order[rank - 1]
            rank -= 1
        space.score[rank], space.order[rank] = score, j
    return issues, max(core, floor), base, work


@part
def _keep(depth: int, space: Space, issues: int) -> None:
    """Make the path of a search the best choice; issues below ``depth`` are known exactly."""
    for j in range(issues):
        space.choice[j] = -1
    for d in range(depth):
        space.choice[space.order[d]] = space.path[d]


@routine
def enumerate_all(
    issues: int, floor: int, members: int, base: int, budget: int, space: Space
) -> Any:
    """Add up all knowledge.

    Return (finished, expectation of 1 / count, fewest, words gone through).

    Options that leave the same are one branch, and a branch ends where no more than ``floor`` are
    left.
    """
    # a fits everything, b and c not. Of issue 1, half of the knowledge leaves a and b, half a
    # alone; of issue 2 all leaves everybody:
    #   depth 0, issue 1: a is left, a branch that ends: total = 1/2 · 1/1, fewest = 1
    # depth 0, issue 1: a and b are left, with the mass 1/2; depth 1, issue 2: they stay, depth 2 is
    # a leaf
    #   total = 1/2 + 1/2 · 1/2 = 3/4
    words, width = space.words, (members + 63) >> 6
    fewest, total, work, depth = members + 1, 0.0, 0, 0
    space.tally[0], space.mass[0], space.next[0] = members, 1.0, -1
    while depth >= 0:
        if work > budget:
            return False, 0.0, members, work
        count = space.tally[depth]
        if depth == issues:  # a leaf: one choice of an option for each issue
            total += space.mass[depth] / count
            if count < fewest:
                fewest = count
                _keep(depth, space, issues)
            depth -= 1
            continue
        j = space.order[depth]
        if space.next[depth] < 0:
            space.next[depth], space.stay[depth], space.rest[depth] = space.first[j], -1, 0.0
        o = space.next[depth]
        here = base + depth * width
        if o < space.stop[j]:
            space.next[depth] = o + 1
            left = and_bits(here + width, here, (1 + o) * width, width, words)
            work += width + 1
            mass = space.mass[depth] * space.weight[o]
            space.path[depth] = o
            if left == count:  # options that remove nobody are one branch, the last
                space.rest[depth] += mass
                space.stay[depth] = o
            elif left == floor:  # whatever is known beside, they are left
                total += mass / floor
                if floor < fewest:
                    fewest = floor
                    _keep(depth + 1, space, issues)
            else:
                depth += 1
                space.tally[depth], space.mass[depth], space.next[depth] = left, mass, -1
        elif space.stay[depth] >= 0:
            for w in range(width):
                words[here + width + w] = words[here + w]
            work += width + 1
            space.path[depth], space.stay[depth] = space.stay[depth], -1
            depth += 1
            space.tally[depth], space.mass[depth], space.next[depth] = (
                count,
                space.rest[depth - 1],
                -1,
            )
        else:
            depth -= 1
    return True, total, fewest, work


@part
def mixed(state: Any) -> Any:
    """Scramble 64 bits (splitmix64's finalizer)."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@part
def drawn(first: int, stop: int, state: Any, space: Space) -> int:
    """Draw one of the options ``first..stop`` by their weights."""
    drawn = np.float64(mixed(state) >> np.uint64(11)) * 2.0**-53
    low, high = first, stop - 1
    while low < high:
        middle = (low + high) >> 1
        if drawn < space.total[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@routine
def sample(
    issues: int, floor: int, members: int, base: int, target: int, plan: Plan, space: Space
) -> Any:
    """Draw knowledge. Return (mean of 1 / count, fewest, words gone through)."""
    words, width = space.words, (members + 63) >> 6
    fewest, total, work = members + 1, 0.0, 0
    stream = mixed(mixed(plan.seed + GOLDEN) + np.uint64(target) * GOLDEN)
    for s in range(plan.samples):
        state = mixed(stream + np.uint64(s + 1) * GOLDEN)
        count, here, depth = members, base, 0
        while depth < issues and count > floor:
            j = space.order[depth]
            state += GOLDEN
            o = drawn(space.first[j], space.stop[j], state, space)
            space.path[depth] = o
            count = and_bits(base + width, here, (1 + o) * width, width, words)
            here = base + width
            work += width + 1
            depth += 1
        total += 1.0 / count
        if count < fewest:
            fewest = count
            _keep(depth, space, issues)
    return total / plan.samples, fewest, work


@routine
def choose_greedily(
    issues: int, floor: int, members: int, base: int, fewest: int, space: Space
) -> Any:
    """Choose, again and again, the option that leaves the fewest.

    Return (fewest, words gone through).

    The choice is kept if it leaves fewer than ``fewest``.
    """
    words, width = space.words, (members + 63) >> 6
    for j in range(issues):
        space.path[j] = -1
    count, work, here = members, 0, base
    while count > floor:
        least, issue, option = count, -1, -1
        for j in range(issues):
            if space.path[j] >= 0:
                continue
            for o in range(space.first[j], space.stop[j]):
                left = common_bits(here, (1 + o) * width, width, words)
                work += width + 1
                if left < least:
                    least, issue, option = left, j, o
        if issue < 0:
            break
        count = and_bits(base + width, here, (1 + option) * width, width, words)
        space.path[issue], here = option, base + width
    if count < fewest:
        fewest = count
        for j in range(issues):
            space.choice[j] = space.path[j]
    return fewest, work
