"""What knowledge leaves of a pool of records, record by record: expectation of 1 / count, and the fewest.

For a target, only members that fit *some* knowledge of it matter. On each issue the knowledge falls into a
few stretches, *options*, that fit the same members; an option is a bitset of members, and knowledge of all
issues leaves the AND of one option an issue. Members that every option keeps, the target among them, are the
*core*: no knowledge leaves fewer. Where too many members fit some knowledge, they are not listed: drawn
knowledge is counted among all of the pool, 512 members at a time.

It is one idea, a target from its members to its numbers, hence one file in spite of its length. Arrays in,
arrays out; `arrays.py` says what they are, `examine.py` where they come from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.compute.bitsets import popcount
from ratingpriv.compute.compiling import kernel, part, routine
from ratingpriv.exposure.arrays import BLOCK, WORDS, Findings, Plan, Pool, Positions, Space

__all__ = ["examine", "fill_bitsets"]


@kernel
def fill_bitsets(pool: Pool, places: int) -> None:
    """Fill ``pool.upto`` and ``pool.held``, both zero before."""
    bins, upto, one = pool.bins, pool.upto, np.uint64(1)
    for i in range(len(pool.record)):
        record = pool.record[i]
        for entry in range(pool.indptr[record], pool.indptr[record + 1]):
            place = pool.column[
                entry - pool.indptr[record] if pool.aligned else np.int64(pool.indices[entry])
            ]
            if place >= 0:
                row = ((i // BLOCK) * places + place) * (bins + 1) + pool.bin[pool.codes[entry]]
                upto[row, (i >> 6) & (WORDS - 1)] |= one << np.uint64(i & 63)
    for block in range((len(pool.record) + BLOCK - 1) // BLOCK):
        for word in range(WORDS):
            first = block * BLOCK + 64 * word
            valid = np.uint64(0)
            if len(pool.record) - first >= 64:
                valid = ~np.uint64(0)
            elif first < len(pool.record):
                valid = (one << np.uint64(len(pool.record) - first)) - one
            for place in range(places):
                at = (block * places + place) * (bins + 1)
                for b in range(bins):
                    if b:
                        upto[at + b, word] |= upto[at + b - 1, word]
                    pool.held[place * (bins + 1) + b] += np.int64(popcount(upto[at + b, word]))
                upto[at + bins, word] = valid & ~upto[at + bins - 1, word]
                pool.held[place * (bins + 1) + bins] += np.int64(popcount(upto[at + bins, word]))


@part
def _arrange(target: int, pool: Pool, space: Space) -> int:
    """List the target's ratings that have bitsets in the order of these; return their number."""
    start, used = pool.indptr[target], 0
    for entry in range(start, pool.indptr[target + 1]):
        column = pool.column[entry - start if pool.aligned else np.int64(pool.indices[entry])]
        if column >= 0:
            at = used
            while at > 0 and space.column[at - 1] > column:
                space.column[at], space.entry[at] = space.column[at - 1], space.entry[at - 1]
                at -= 1
            space.column[at], space.entry[at] = column, entry - start
            used += 1
    return used


@part
def _held(column: int, first: int, last: int, pool: Pool) -> Any:
    """Count the members that may fit codes ``first..last`` on an issue."""
    at = column * (pool.bins + 1)
    held = pool.held[at + pool.bin[last]]
    if pool.bin[first] > 0:
        held -= pool.held[at + pool.bin[first] - 1]
    if pool.matches:
        held += pool.held[at + pool.bins]
    return np.int64(held)


@part
def _fits(target: int, other: int, pool: Pool, space: Space) -> bool:
    """Return whether ``other`` fits what is asked for on every issue that ``target`` rates."""
    start, i, end = pool.indptr[target], pool.indptr[target], pool.indptr[target + 1]
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
        code = np.int64(pool.codes[j])
        if code < space.fits_from[i - start] or code > space.fits_to[i - start]:
            return False
        i += 1
        j += 1
    return True


@routine
def _find(target: int, used: int, most: int, pool: Pool, places: int, space: Space) -> Any:
    """Find the members that fit ``space.fits_from..fits_to``; return (their number, words read).

    The first ``most`` of them are listed; with more than that, if any are to be listed, it stops.
    """
    rows, one, members = pool.bins + 1, np.uint64(1), len(pool.record)
    needed = 0
    for u in range(used):
        first, last = space.fits_from[space.entry[u]], space.fits_to[space.entry[u]]
        if _held(space.column[u], first, last, pool) < members:
            space.row_high[needed] = space.column[u] * rows + pool.bin[last]
            space.row_low[needed] = (
                space.column[u] * rows + pool.bin[first] - 1 if pool.bin[first] > 0 else -1
            )
            needed += 1
    found: Any = 0
    work, kept = 0, space.block
    for block in range((members + BLOCK - 1) // BLOCK):
        base, start = block * places * rows, block * BLOCK
        for word in range(WORDS):
            kept[word] = ~np.uint64(0)
        if members - start < BLOCK:
            for word in range(WORDS):
                left = members - start - 64 * word
                if left < 64:
                    kept[word] = (one << np.uint64(left)) - one if left > 0 else np.uint64(0)
        anybody = one
        for u in range(needed):
            high, low = base + space.row_high[u], base + space.row_low[u]
            anybody = np.uint64(0)
            if pool.matches:
                null = base + (space.row_high[u] // rows) * rows + pool.bins
                for word in range(WORDS):
                    held = pool.upto[high, word]
                    if space.row_low[u] >= 0:
                        held &= ~pool.upto[low, word]
                    kept[word] &= held | pool.upto[null, word]
                    anybody |= kept[word]
            elif space.row_low[u] >= 0:
                for word in range(WORDS):
                    kept[word] &= pool.upto[high, word] & ~pool.upto[low, word]
                    anybody |= kept[word]
            else:
                for word in range(WORDS):
                    kept[word] &= pool.upto[high, word]
                    anybody |= kept[word]
            work += WORDS
            if anybody == 0:
                break
        if anybody == 0:
            continue
        for word in range(WORDS):
            rest = kept[word]
            if most == 0 and not pool.verify:
                found += np.int64(popcount(rest))
                continue
            while rest:
                low_bit = rest & (~rest + one)
                rest ^= low_bit
                record = pool.record[start + 64 * word + np.int64(popcount(low_bit - one))]
                if pool.verify:
                    work += 1
                    if not _fits(target, record, pool, space):
                        continue
                if found < most:
                    space.member[found] = record
                found += 1
            if 0 < most < found:
                return found, work
    return found, work


@part
def _rank(entry: int, issue: Any, place: int, members: int, pool: Pool, space: Space) -> None:
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
def _options(mine: Any, code: Any, levels: int, found: int, positions: Positions, space: Space) -> int:
    """Cut knowledge of ``code`` where a level comes or goes; write options from ``found`` on.

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


@part
def _and(out: int, left: int, right: int, width: int, words: NDArray[np.uint64]) -> Any:
    """Write the AND of two rows of words (by their first word) and count its bits."""
    count: Any = 0
    for w in range(width):
        both = words[left + w] & words[right + w]
        words[out + w] = both
        count += np.int64(popcount(both))
    return count


@part
def _common(left: int, right: int, width: int, words: NDArray[np.uint64]) -> Any:
    """Count the bits of the AND of two rows of words."""
    count: Any = 0
    for w in range(width):
        count += np.int64(popcount(words[left + w] & words[right + w]))
    return count


@routine
def _split(target: int, members: int, pool: Pool, positions: Positions, space: Space) -> Any:
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
        if space.pin[entry - start] == space.pin[entry - start]:  # settled: all members fit it
            continue
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
        core = _common(0, 0, width, words)
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
    space.tally[0], space.mass[0], space.next[0], space.stay[0] = members - core, 1.0, -1, -1
    space.rest[0] = 0.0
    while depth >= 0:
        if work > budget:
            return False, 0.0, members, work
        count = space.tally[depth]
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
                space.tally[depth], space.mass[depth], space.next[depth] = left, mass, -1
        elif space.stay[depth] >= 0:
            for w in range(width):
                words[here + width + w] = words[here + w]
            work += width + 1
            space.path[depth], space.stay[depth] = space.stay[depth], -1
            depth += 1
            space.tally[depth], space.mass[depth], space.next[depth] = count, space.rest[depth - 1], -1
        else:
            depth -= 1
    return True, total, fewest, work


@part
def _mixed(state: Any) -> Any:
    """Scramble 64 bits (splitmix64's finalizer)."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@part
def _drawn(first: int, stop: int, state: Any, space: Space) -> int:
    """Draw one of the options ``first..stop`` by their weights."""
    drawn = np.float64(_mixed(state) >> np.uint64(11)) * 2.0**-53
    low, high = first, stop - 1
    while low < high:
        middle = (low + high) >> 1
        if drawn < space.total[middle]:
            high = middle
        else:
            low = middle + 1
    return low


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
            o = _drawn(space.first[j], space.stop[j], state, space)
            space.path[depth] = o
            count = _and(base + width, here, (1 + o) * width, width, words)
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
    space.tally[0], space.next[0] = members - core, -1
    while depth >= 0:
        if work > budget:
            return fewest, proved, work
        count = space.tally[depth]
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
                space.tally[depth], space.next[depth] = left, -1
        else:
            depth -= 1
    return fewest, fewest, work


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
def _alone(
    target: int, members: int, multiple: int, pool: Pool, positions: Positions, plan: Plan, space: Space
) -> Any:
    """Examine a target by its listed members.

    Returns (expectation of 1 / count, fewest, proved to be no fewer than, enumerated, words gone through);
    fewest 0 where ``space`` is too small.
    """
    issues, core, options, work = _split(target, members, pool, positions, space)
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
        finished, expected, fewest, more = _enumerate(issues, core, members, base, plan.enumeration, space)
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
    _settle(issues, target, pool, positions, space)
    return expected, fewest, max(proved, multiple), finished, work


@routine
def _all_options(target: int, pool: Pool, positions: Positions, space: Space) -> int:
    """Write the options of every rating of a target, whoever the members; return how many, or -1."""
    found, start = 0, pool.indptr[target]
    for entry in range(start, pool.indptr[target + 1]):
        code, place = np.int64(pool.codes[entry]), entry - start
        begin = positions.first[code]
        levels = positions.last[code] + 1 - begin
        space.need[0] = found + 2 * levels + 1
        if len(space.at) < space.need[0]:
            return -1
        for other in range(levels):
            space.level[other] = positions.number[begin + other]
        space.first[place] = found
        found = _options(code - begin, code, levels, found, positions, space)
        space.stop[place] = found
        for o in range(space.first[place], found):
            space.low[o] += begin
            space.high[o] += begin
    return found


@routine
def _among_many(
    target: int, used: int, multiple: int, pool: Pool, positions: Positions, places: int, plan: Plan,
    space: Space,
) -> Any:  # fmt: skip
    """Examine a target of which too many members fit some knowledge to list them.

    Knowledge is drawn and its members counted among all. For the fewest, the option of an issue that fits the
    fewest of all members is tried on every issue; then on as many as leave few enough to list, and among
    those the others are searched. Returns as :func:`_alone`.
    """
    start, ratings = pool.indptr[target], pool.indptr[target + 1] - pool.indptr[target]
    if _all_options(target, pool, positions, space) < 0:
        return 0.0, 0, 0, False, 0
    golden = np.uint64(0x9E3779B97F4A7C15)
    stream = _mixed(_mixed(plan.seed + golden) + np.uint64(target) * golden)
    fewest, total, work = len(pool.record) + 1, 0.0, 0
    for s in range(plan.samples):
        state = _mixed(stream + np.uint64(s + 1) * golden)
        for k in range(ratings):
            state += golden
            o = _drawn(space.first[k], space.stop[k], state, space)
            space.path[k], space.fits_from[k], space.fits_to[k] = o, space.low[o], space.high[o]
        count, more = _find(target, used, 0, pool, places, space)
        work += more
        total += 1.0 / count
        if count < fewest:
            fewest = count
            for k in range(ratings):
                space.known[k] = space.at[space.path[k]]
    for k in range(ratings):
        space.path[k], space.score[k] = -1, 0.0
    for u in range(used):
        k, least = space.entry[u], len(pool.record) + 1
        for o in range(space.first[k], space.stop[k]):
            held = _held(space.column[u], space.low[o], space.high[o], pool)
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
    settled = ordered
    while fewest > multiple and ordered > 0:
        for k in range(ratings):
            code = np.int64(pool.codes[start + k])
            space.fits_from[k], space.fits_to[k] = positions.first[code], positions.last[code]
        for d in range(settled):
            k = space.order[d]
            space.fits_from[k], space.fits_to[k] = space.low[space.path[k]], space.high[space.path[k]]
        count, more = _find(target, used, plan.most, pool, places, space)
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
            issues, core, options, more = _split(target, count, pool, positions, space)
            work += more
            if issues < 0:
                return 0.0, 0, 0, False, 0
            width = (count + 63) >> 6
            space.need[1] = (1 + options + issues + 2) * width
            if len(space.words) < space.need[1]:
                return 0.0, 0, 0, False, 0
            for j in range(issues):
                space.choice[j] = -1
            base, best = (1 + options) * width, fewest
            if issues == 0 and count < best:
                best = count
            if issues > 0:
                best, more = _greedy(issues, core, count, base, fewest, space)
                work += more
                if best > core and plan.search > 0:
                    best, _, more = _search(issues, core, count, base, best, plan.search, space)
                    work += more
            if best < fewest:
                fewest = best
                _settle(issues, target, pool, positions, space)
            break
        settled = (few + many) // 2
    return total / plan.samples, fewest, multiple, False, work


@kernel
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
        used = _arrange(target, pool, space)
        members, work = _find(target, used, plan.most, pool, places, space)
        if members <= plan.most:
            expected, fewest, proved, finished, more = _alone(
                target, members, multiple, pool, positions, plan, space
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
