"""Knowledge of a target whose members are listed: enumerated, drawn, chosen greedily, searched.

Each function begins with the row of all members but the core, at word ``base``, and ANDs it with one option
an issue. Arrays in, arrays out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.audit.exposure._options import and_bits, common_bits
from ratingpriv.audit.exposure.arrays import Plan, Space
from ratingpriv.base.compute.compiling import part, routine


@part
def _keep(depth: int, space: Space, issues: int) -> None:
    """Make the path of a search the best choice; issues below ``depth`` are known exactly."""
    for j in range(issues):
        space.choice[j] = -1
    for d in range(depth):
        space.choice[space.order[d]] = space.path[d]


@routine
def enumerate_all(issues: int, core: int, members: int, base: int, budget: int, space: Space) -> Any:
    """Add up all knowledge. Return (finished, expectation of 1 / count, fewest, words gone through).

    Options that leave the same are one branch, and a branch ends where the core alone is left.
    """
    # a core of one, and b and c beside it. Of issue 1, half of the knowledge leaves b, half nobody; of issue
    # 2 all leaves both:
    #   depth 0, issue 1: nobody is left, a branch that ends: total = 1/2 · 1/1, fewest = 1
    #   depth 0, issue 1: b is left, with the mass 1/2; depth 1, issue 2: b stays, depth 2 is a leaf
    #   total = 1/2 + 1/2 · 1/(1 + 1) = 3/4
    words, width = space.words, (members + 63) >> 6
    fewest, total, work, depth = members + 1, 0.0, 0, 0
    space.tally[0], space.mass[0], space.next[0], space.stay[0] = members - core, 1.0, -1, -1
    space.rest[0] = 0.0
    while depth >= 0:
        if work > budget:
            return False, 0.0, members, work
        count = space.tally[depth]
        if depth == issues:  # a leaf: one choice of an option for each issue
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
            left = and_bits(here + width, here, (1 + o) * width, width, words)
            work += width + 1
            mass = space.mass[depth] * space.weight[o]
            space.path[depth] = o
            if left == count:  # options that remove nobody are one branch, the last
                space.rest[depth] += mass
                space.stay[depth] = o
            elif left == 0:  # whatever is known beside, the core is left
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
def sample(issues: int, core: int, members: int, base: int, target: int, plan: Plan, space: Space) -> Any:
    """Draw knowledge. Return (mean of 1 / count, fewest, words gone through)."""
    words, width, golden = space.words, (members + 63) >> 6, np.uint64(0x9E3779B97F4A7C15)
    fewest, total, work = members + 1, 0.0, 0
    stream = mixed(mixed(plan.seed + golden) + np.uint64(target) * golden)
    for s in range(plan.samples):
        state = mixed(stream + np.uint64(s + 1) * golden)
        count, here = members - core, base
        for depth in range(issues):
            j = space.order[depth]
            state += golden
            o = drawn(space.first[j], space.stop[j], state, space)
            space.path[depth] = o
            count = and_bits(base + width, here, (1 + o) * width, width, words)
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
def choose_greedily(issues: int, core: int, members: int, base: int, fewest: int, space: Space) -> Any:
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
                left = common_bits(base + width, (1 + o) * width, width, words)
                work += width + 1
                if left < least:
                    least, issue, option = left, j, o
        if issue < 0:
            break
        count = and_bits(base + width, base + width, (1 + option) * width, width, words)
        space.path[issue] = option
    if core + count < fewest:
        fewest = core + count
        for j in range(issues):
            space.choice[j] = space.path[j]
    return fewest, work


@routine
def branch_and_bound(
    issues: int, core: int, members: int, base: int, fewest: int, budget: int, space: Space
) -> Any:
    """Search by branch and bound. Return (fewest, proved to be no fewer than, words gone through).

    From a node on, an issue removes at most what its best option removes now; the sum bounds what can be
    reached. The choice is kept if it leaves fewer than ``fewest``.
    """
    # a core of one, five more, and two issues whose best options remove three and one of them:
    #   at the root nothing can leave fewer than 1 + 5 - (3 + 1) = 2: proved
    #   a node that has 2 left is the new best; another whose bound is 2 or more is not gone into
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
            # bound: what the best option of each issue that is left removes, added up
            removable = 0
            for d in range(depth, issues):
                i, most = space.order[d], 0
                for o in range(space.first[i], space.stop[i]):
                    gone = count - common_bits(here, (1 + o) * width, width, words)
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
            # branch, but not to an option that fits all that another fits: it leaves no fewer
            dominated = False
            for other in range(space.first[j], space.stop[j]):
                inside = space.low[other] >= space.low[o] and space.high[other] <= space.high[o]
                same = space.low[other] == space.low[o] and space.high[other] == space.high[o]
                if inside and (not same or other < o):
                    dominated = True
                    break
            if dominated:
                continue
            left = and_bits(here + width, here, (1 + o) * width, width, words)
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
