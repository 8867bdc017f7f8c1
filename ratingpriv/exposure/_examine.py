"""What knowledge leaves of a pool of records, record by record: expectation of 1 / count, and the fewest.

For a target, only members that fit *some* knowledge of it matter (the filter finds them, 512 at a time). On
each issue the knowledge falls into a few stretches, *options*, that fit the same members; an option is a bitset
of members, and knowledge of all issues leaves the AND of one option an issue. Members that every option keeps,
the target among them, are the *core*: no knowledge leaves fewer.

One idea, hence one file of more than 500 lines would be allowed; arrays in, arrays out. `arrays.py` says what
they are, `examine.py` where they come from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.compute.bitsets import popcount
from ratingpriv.compute.compiling import kernel, part, routine
from ratingpriv.exposure.arrays import BLOCK, WORDS, Findings, Plan, Pool, Positions, Space

__all__ = ["examine", "fill_filter"]


@kernel
def fill_filter(pool: Pool, places: int, own: NDArray[np.uint64]) -> None:
    """Fill ``pool.near`` and ``pool.held``, both zero before; ``own`` is uint64 (bins + 1, WORDS)."""
    bins, near = len(pool.bin_first), pool.near
    one = np.uint64(1)
    for i in range(len(pool.record)):
        record = pool.record[i]
        for entry in range(pool.indptr[record], pool.indptr[record + 1]):
            issue = entry - pool.indptr[record] if pool.aligned else np.int64(pool.indices[entry])
            place = pool.column[issue]
            if place >= 0:
                row = ((i // BLOCK) * places + place) * bins + pool.bin[pool.codes[entry]]
                near[row, (i >> 6) & (WORDS - 1)] |= one << np.uint64(i & 63)
    for block in range((len(pool.record) + BLOCK - 1) // BLOCK):
        for place in range(places):
            at = (block * places + place) * bins
            for word in range(WORDS):
                rated = np.uint64(0)
                for b in range(bins):
                    own[b, word] = near[at + b, word]
                    rated |= own[b, word]
                valid = np.uint64(0)
                for bit in range(64):
                    if block * BLOCK + 64 * word + bit < len(pool.record):
                        valid |= one << np.uint64(bit)
                own[bins, word] = valid & ~rated if pool.matches else np.uint64(0)
            for b in range(bins):
                for word in range(WORDS):
                    held = own[bins, word]
                    for other in range(pool.bin_first[b], pool.bin_last[b] + 1):
                        held |= own[other, word]
                    near[at + b, word] = held
                    pool.held[place * bins + b] += np.int64(popcount(held))


@part
def _fits(target: int, other: int, pool: Pool, positions: Positions) -> bool:
    """Return whether ``other`` fits some knowledge of ``target``."""
    i, end = pool.indptr[target], pool.indptr[target + 1]
    j, stop = pool.indptr[other], pool.indptr[other + 1]
    while i < end:
        if not pool.aligned:
            while j < stop and pool.indices[j] < pool.indices[i]:
                j += 1
            if j == stop or pool.indices[j] != pool.indices[i]:
                if not pool.matches:
                    return False
                i += 1
                continue
        mine, code = pool.codes[i], np.int64(pool.codes[j])
        if code < positions.first[mine] or code > positions.last[mine]:
            return False
        i += 1
        j += 1
    return True


@routine
def _candidates(target: int, pool: Pool, positions: Positions, places: int, space: Space) -> Any:
    """Write the members that fit some knowledge of ``target``; return their number and the words read."""
    bins, near, one = len(pool.bin_first), pool.near, np.uint64(1)
    start, members = pool.indptr[target], len(pool.record)
    used = 0  # filter rows that say something, in space.order
    for entry in range(start, pool.indptr[target + 1]):
        place = pool.column[entry - start if pool.aligned else np.int64(pool.indices[entry])]
        if place >= 0:
            row = place * bins + pool.bin[pool.codes[entry]]
            if pool.held[row] < members:
                space.order[used] = row
                used += 1
    found, work = 0, 0
    for block in range((members + BLOCK - 1) // BLOCK):
        base = block * places * bins
        for word in range(WORDS):
            first = block * BLOCK + 64 * word
            if first >= members:
                break
            rest = ~np.uint64(0)
            if members - first < 64:
                rest = (one << np.uint64(members - first)) - one
            for u in range(used):
                rest &= near[base + space.order[u], word]
                work += 1
                if rest == 0:
                    break
            while rest:
                low = rest & (~rest + one)
                rest ^= low
                record = pool.record[first + np.int64(popcount(low - one))]
                if not pool.verify or _fits(target, record, pool, positions):
                    space.member[found] = record
                    found += 1
    return found, work


@part
def _rank(entry: int, issue: int, place: int, members: int, pool: Pool, space: Space) -> None:
    """Write the codes of all members on an issue to ``space.value``, and mark them in ``space.rank``."""
    for i in range(members):
        if pool.aligned:
            code = np.int64(pool.codes[pool.indptr[space.member[i]] + place])
        else:
            stop, at = pool.indptr[space.member[i] + 1], space.cursor[i]
            while at < stop and pool.indices[at] < issue:
                at += 1
            space.cursor[i] = at
            code = np.int64(-1)
            if at < stop and pool.indices[at] == issue:
                code = np.int64(pool.codes[at])
        space.value[i] = code
        if code >= 0:
            space.rank[code] = 1


@part
def _options(mine: int, code: int, levels: int, found: int, positions: Positions, space: Space) -> int:
    """Cut knowledge of ``code`` where a level comes or goes; write options from ``found`` on, return the next.

    ``space.level[:levels]`` are the members' ratings, ``mine`` is the target's among them.
    """
    reach, level = positions.reach, space.level
    tail = 1.0 if positions.whole else 0.0
    x, end = positions.low[code], positions.high[code] + tail
    coming, going, low, high = 0, 0, 0, 0
    mass, begin = 0.0, found
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
        at = x if positions.whole else x / 2 + until / 2
        while low < mine and at - level[low] > reach:
            low += 1
        if high < mine:
            high = mine  # rounding must not leave out the target
        while high + 1 < levels and level[high + 1] - at <= reach:
            high += 1
        space.at[found], space.weight[found] = at, until - x
        space.low[found], space.high[found] = low, high
        mass += until - x
        found += 1
        x = until
        if not x < end:
            break
    upto = 0.0
    for o in range(begin, found):
        space.weight[o] = space.weight[o] / mass if mass > 0 else 1.0 / (found - begin)
        upto += space.weight[o]
        space.total[o] = upto
    return found


@part
def _fill_rows(first: int, stop: int, levels: int, members: int, width: int, space: Space) -> bool:
    """Fill the rows of options ``first:stop`` from ranks; return whether any leaves out a member.

    Rows after those of the options serve as scratch: members of rank 0..r, and those without a rating.
    """
    words, one = space.words, np.uint64(1)
    upto = (1 + stop) * width
    null = upto + levels * width
    for w in range(upto, null + width):
        words[w] = np.uint64(0)
    for i in range(members):
        row = null if space.value[i] < 0 else upto + space.value[i] * width
        words[row + (i >> 6)] |= one << np.uint64(i & 63)
    for w in range(upto + width, null):
        words[w] |= words[w - width]
    separates = False
    for o in range(first, stop):
        row, high, low = (1 + o) * width, upto + space.high[o] * width, upto + (space.low[o] - 1) * width
        held = 0
        for w in range(width):
            kept = words[high + w]
            if space.low[o] > 0:
                kept &= ~words[low + w]
            kept |= words[null + w]
            words[row + w] = kept
            held += np.int64(popcount(kept))
        separates = separates or held < members
    return separates


@part
def _and(out: int, left: int, right: int, width: int, words: NDArray[np.uint64]) -> int:
    """Write the AND of two rows of words (by their first word) and count its bits."""
    count = 0
    for w in range(width):
        both = words[left + w] & words[right + w]
        words[out + w] = both
        count += np.int64(popcount(both))
    return count


@part
def _common(left: int, right: int, width: int, words: NDArray[np.uint64]) -> int:
    """Count the bits of the AND of two rows of words."""
    count = 0
    for w in range(width):
        count += np.int64(popcount(words[left + w] & words[right + w]))
    return count


@routine
def _split(
    target: int, members: int, pool: Pool, positions: Positions, space: Space, stack: NDArray[np.int64]
) -> Any:
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
    issues, found, work = 0, 0, 0
    for entry in range(start, stop):
        code = np.int64(pool.codes[entry])
        issue = 0 if pool.aligned else np.int64(pool.indices[entry])
        _rank(entry, issue, entry - start, members, pool, space)
        levels, mine = 0, 0
        for other in range(positions.first[code], positions.last[code] + 1):
            if space.rank[other]:
                space.level[levels] = positions.number[other]
                space.rank[other] = levels
                if other == code:
                    mine = levels
                levels += 1
        for i in range(members):
            if space.value[i] >= 0:
                space.value[i] = space.rank[space.value[i]]
        for other in range(positions.first[code], positions.last[code] + 1):
            space.rank[other] = 0
        work += 2 * members
        most = found + 2 * levels + 1
        space.need[0], space.need[1] = most, (1 + most + levels + 1 + issues + 3) * width
        if len(space.at) < space.need[0] or len(words) < space.need[1]:
            return -1, 0, 0, 0
        until = _options(mine, code, levels, found, positions, space)
        work += (levels + until - found) * width
        if _fill_rows(found, until, levels, members, width, space):
            for o in range(found, until):
                row = (1 + o) * width
                for w in range(width):
                    words[w] &= words[row + w]
            space.place[issues], space.first[issues], space.stop[issues] = entry - start, found, until
            issues += 1
            found = until
    core = members
    if issues:
        core = 0
        for w in range(width):
            core += np.int64(popcount(words[w]))
    base = (1 + found) * width  # the bottom of the stack: everybody but the core
    for w in range(width):
        words[base + w] = ~words[w]
    if members & 63:
        words[base + width - 1] &= (np.uint64(1) << np.uint64(members & 63)) - np.uint64(1)
    for j in range(issues):  # issues in the order of how few they leave on average
        score = 0.0
        for o in range(space.first[j], space.stop[j]):
            score += space.weight[o] * _common(base, (1 + o) * width, width, words)
        at = j
        while at > 0 and space.score[at - 1] > score:
            space.score[at], space.order[at] = space.score[at - 1], space.order[at - 1]
            at -= 1
        space.score[at], space.order[at] = score, j
    return issues, core, found, work


@part
def _keep(depth: int, space: Space, issues: int) -> None:
    """Make the path of a search the best choice; issues below ``depth`` are known exactly."""
    for j in range(issues):
        space.choice[j] = -1
    for d in range(depth):
        space.choice[space.order[d]] = space.path[d]


@routine
def _enumerate(issues: int, core: int, members: int, base: int, budget: int, space: Space) -> Any:
    """Add up all knowledge. Return (finished, expectation of 1 / count, fewest, words gone through).

    Options that leave the same are one branch, and a branch ends where the core alone is left.
    """
    words, width = space.words, (members + 63) >> 6
    fewest, total, work, depth = members + 1, 0.0, 0, 0
    space.count[0], space.mass[0], space.next[0], space.stay[0] = members - core, 1.0, -1, -1
    space.rest[0] = 0.0
    while depth >= 0:
        if work > budget:
            return False, 0.0, members, work
        count = space.count[depth]
        if depth == issues:
            total += space.mass[depth] / (core + count)
            if core + count < fewest:
                fewest = core + count
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
            left = _and(here + width, here, (1 + o) * width, width, words)
            work += width + 1
            mass = space.mass[depth] * space.weight[o]
            space.path[depth] = o
            if left == count:
                space.rest[depth] += mass
                space.stay[depth] = o
            elif left == 0:
                total += mass / core
                if core < fewest:
                    fewest = core
                    _keep(depth + 1, space, issues)
            else:
                depth += 1
                space.count[depth], space.mass[depth], space.next[depth] = left, mass, -1
        elif space.stay[depth] >= 0:
            for w in range(width):
                words[here + width + w] = words[here + w]
            work += width + 1
            space.path[depth], space.stay[depth] = space.stay[depth], -1
            depth += 1
            space.count[depth], space.mass[depth], space.next[depth] = count, space.rest[depth - 1], -1
        else:
            depth -= 1
    return True, total, fewest, work


@part
def _mixed(state: Any) -> Any:
    """Scramble 64 bits (splitmix64's finalizer)."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@routine
def _sample(issues: int, core: int, members: int, base: int, target: int, plan: Plan, space: Space) -> Any:
    """Draw knowledge. Return (mean of 1 / count, fewest, words gone through)."""
    words, width, golden = space.words, (members + 63) >> 6, np.uint64(0x9E3779B97F4A7C15)
    fewest, total, work = members + 1, 0.0, 0
    stream = _mixed(_mixed(plan.seed + golden) + np.uint64(target) * golden)
    for s in range(plan.samples):
        state = _mixed(stream + np.uint64(s + 1) * golden)
        count, here = members - core, base
        for depth in range(issues):
            j = space.order[depth]
            state += golden
            drawn = np.float64(_mixed(state) >> np.uint64(11)) * 2.0**-53
            low, high = space.first[j], space.stop[j] - 1
            while low < high:
                middle = (low + high) >> 1
                if drawn < space.total[middle]:
                    high = middle
                else:
                    low = middle + 1
            space.path[depth] = low
            count = _and(base + width, here, (1 + low) * width, width, words)
            here = base + width
            work += width + 1
            if count == 0:
                if core < fewest:
                    fewest = core
                    _keep(depth + 1, space, issues)
                break
        total += 1.0 / (core + count)
        if core + count < fewest:
            fewest = core + count
            _keep(issues, space, issues)
    return total / plan.samples, fewest, work


@routine
def _greedy(issues: int, core: int, members: int, base: int, fewest: int, space: Space) -> Any:
    """Choose, again and again, the option that leaves the fewest. Return (fewest, words gone through).

    The choice is kept if it leaves fewer than ``fewest``.
    """
    words, width = space.words, (members + 63) >> 6
    for w in range(width):
        words[base + width + w] = words[base + w]
    for j in range(issues):
        space.path[j] = -1
    count, work = members - core, 0
    while count > 0:
        least, issue, option = count, -1, -1
        for j in range(issues):
            if space.path[j] >= 0:
                continue
            for o in range(space.first[j], space.stop[j]):
                left = _common(base + width, (1 + o) * width, width, words)
                work += width + 1
                if left < least:
                    least, issue, option = left, j, o
        if issue < 0:
            break
        count = _and(base + width, base + width, (1 + option) * width, width, words)
        space.path[issue] = option
    if core + count < fewest:
        fewest = core + count
        for j in range(issues):
            space.choice[j] = space.path[j]
    return fewest, work


@routine
def _search(issues: int, core: int, members: int, base: int, fewest: int, budget: int, space: Space) -> Any:
    """Search by branch and bound. Return (fewest, proved to be no fewer than, words gone through).

    From a node on, an issue removes at most what its best option removes now; the sum bounds what can be
    reached. The choice is kept if it leaves fewer than ``fewest``.
    """
    words, width = space.words, (members + 63) >> 6
    work, depth, proved = 0, 0, core
    space.count[0], space.next[0] = members - core, -1
    while depth >= 0:
        if work > budget:
            return fewest, proved, work
        count = space.count[depth]
        here = base + depth * width
        j = space.order[depth]
        if space.next[depth] < 0:
            removable = 0
            for d in range(depth, issues):
                i, most = space.order[d], 0
                for o in range(space.first[i], space.stop[i]):
                    gone = count - _common(here, (1 + o) * width, width, words)
                    if gone > most:
                        most = gone
                    work += width + 1
                removable += most
            bound = core + count - removable
            if depth == 0 and bound > proved:
                proved = bound
            if bound >= fewest or removable == 0:
                if core + count < fewest:
                    fewest = core + count
                    _keep(depth, space, issues)
                depth -= 1
                continue
            space.next[depth], space.stay[depth] = space.first[j], 0
        o = space.next[depth]
        if o < space.stop[j]:
            space.next[depth] = o + 1
            dominated = False
            for other in range(space.first[j], space.stop[j]):
                inside = space.low[other] >= space.low[o] and space.high[other] <= space.high[o]
                same = space.low[other] == space.low[o] and space.high[other] == space.high[o]
                if inside and (not same or other < o):
                    dominated = True
                    break
            if dominated:
                continue
            left = _and(here + width, here, (1 + o) * width, width, words)
            work += width + 1
            space.path[depth] = o
            if left == 0 or depth + 1 == issues:
                if core + left < fewest:
                    fewest = core + left
                    _keep(depth + 1, space, issues)
                if fewest == core:
                    return fewest, fewest, work
            elif left < count or space.stay[depth] == 0:
                if left == count:
                    space.stay[depth] = 1  # one branch is enough for options that remove nobody
                depth += 1
                space.count[depth], space.next[depth] = left, -1
        else:
            depth -= 1
    return fewest, fewest, work


@kernel
def examine(
    targets: NDArray[np.int64], begin: int, pool: Pool, positions: Positions, places: int, plan: Plan,
    space: Space, out: Findings,
) -> int:  # fmt: skip
    """Examine ``targets[begin:]``; return how many are done, fewer than all where ``space.need`` says why."""
    for t in range(begin, len(targets)):
        target = targets[t]
        members, work = _candidates(target, pool, positions, places, space)
        issues, core, options, more = _split(target, members, pool, positions, space, space.next)
        width = (members + 63) >> 6
        if issues >= 0:
            space.need[1] = (1 + options + issues + 2) * width
        if issues < 0 or len(space.words) < space.need[1]:
            return t
        base = (1 + options) * width
        work += more
        finished, fewest, expected = issues == 0, members, 1.0 / members
        proved, spread = members, 0.0
        for j in range(issues):
            space.choice[j] = -1
        if not finished:
            if plan.enumeration > 0:
                finished, expected, fewest, more = _enumerate(
                    issues, core, members, base, plan.enumeration, space
                )
                work += more
            proved = fewest
        if not finished:
            expected, fewest, more = _sample(issues, core, members, base, target, plan, space)
            work += more
            proved = core
            if fewest > core:
                fewest, more = _greedy(issues, core, members, base, fewest, space)
                work += more
            if fewest > core and plan.search > 0:
                fewest, proved, more = _search(issues, core, members, base, fewest, plan.search, space)
                work += more
            spread = 1.0 / proved - 1.0 / members
        out.expected[target], out.spread[target] = expected, spread
        out.worst[target], out.least[target], out.work[target] = fewest, proved, work
        start = pool.indptr[target]
        for entry in range(start, pool.indptr[target + 1]):
            space.known[entry - start] = positions.number[pool.codes[entry]]
        for j in range(issues):
            if space.choice[j] >= 0:
                space.known[space.place[j]] = space.at[space.choice[j]]
    return len(targets)
