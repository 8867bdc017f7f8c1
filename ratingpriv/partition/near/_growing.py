"""Kernels that grow groups: a seed takes those that are nearest and keep its group a clique."""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.base.compute.compiling import part, routine, search_kernel
from ratingpriv.partition.near._clique import (
    demanding,
    is_barred,
    meets,
    refresh,
    shortfall,
    squares,
    take_out,
)
from ratingpriv.partition.near.arrays import NONE, Answers, Asked, Ints, Space, State

_HAIR = 1e-9  # sums are rounded: who is so little farther than a bound may be within it


@search_kernel
def grow(
    seeds: Ints,
    pool: Ints,
    lent: bool,
    centred: bool,
    count: int,
    answers: Answers,
    asked: Asked,
    state: State,
    space: Space,
) -> int:
    """Grow a group of each of ``seeds`` that finds enough in ``pool``.

    Return how many groups there are then.

    ``lent``: groups of more than k lend records; ``centred``: nearest is who is nearest to the mean
    of the group as it grows, else to the seed.
    """
    for s in seeds:
        if state.label[s] >= 0:
            continue
        many = _candidates(s, pool, lent, answers, asked, state, space)
        if many < asked.k - 1:
            continue
        size = _gather(s, many, centred, answers, asked, state, space)
        if size == 0:
            continue
        for r in range(size):
            t = np.int64(space.picked[r])
            lender = state.label[t]
            if lender >= 0:
                take_out(t, lender, state)
                refresh(lender, answers, state)
            state.label[t] = count
            state.members[count, r] = t
        state.size[count] = size
        refresh(count, answers, state)
        count += 1
    return count


@routine
def _candidates(
    s: Any, pool: Ints, lent: bool, answers: Answers, asked: Asked, state: State, space: Space
) -> int:
    """Note who may be in a group with record s, and how far from it; return how many."""
    codes, numbers, reach = answers.codes, answers.numbers, answers.reach
    many = 0
    for j in pool:
        label = state.label[j]
        if j == s or (label >= 0 and (not lent or state.size[label] <= asked.k)):
            continue
        if is_barred(j, s, answers.barred, answers):
            continue
        far, near = 0.0, True
        if answers.exact and answers.complete[s] and answers.complete[j]:
            far = squares(s, numbers, j, numbers, -1.0)
            space.found[many], space.far[many] = j, far
            many += 1
            continue
        for c in range(codes.shape[1]):
            a, b = codes[s, c], codes[j, c]
            if a >= 0 and b >= 0:
                if max(a, b) > reach[min(a, b)]:
                    near = False
                    break
                apart = numbers[s, c] - numbers[j, c]
                far += apart * apart
            elif a >= 0 or b >= 0:
                far += 1.0
        if not near:
            continue
        space.found[many], space.far[many] = j, far
        many += 1
    return many


@routine
def _gather(
    s: Any, many: Any, centred: bool, answers: Answers, asked: Asked, state: State, space: Space
) -> int:
    """Pick members for the seed s; return how many, 0 where they cannot be k that meet the demands.

    Who is farther from the seed than the mean is and the best so far is from the mean, together, is
    not the nearest one, and is not looked at: the triangle's inequality, of records that answer
    everything.
    """
    complete = answers.complete[s]
    for c in range(answers.codes.shape[1]):
        space.low[c], space.high[c], space.known[c], space.sums[c] = NONE, -1, 0, 0.0
    space.barred[:] = 0
    space.picked[0] = s
    _widen(s, answers, space)
    size, asking = 1, demanding(asked)
    while True:
        short = (
            shortfall(space.picked, size, -1, -1, asked, space)
            if asking and size >= asked.k
            else 0.0
        )
        if size >= asked.k and short <= 0:
            return size
        if size + many < asked.k or size == asked.most:
            return 0
        best, best_far, q = -1, 0.0, 0
        moved, limit = (_moved(s, answers, space) if centred and complete else 0.0), np.inf
        while q < many:
            j = space.found[q]
            if space.far[q] > limit and (answers.complete[j] or not centred):
                q += 1
                continue
            if not _in_box(j, answers, space):
                many -= 1
                _drop(q, many, space)
                continue
            far = space.far[q]
            if centred:
                bound = best_far if best >= 0 else -1.0
                if complete and answers.complete[j]:
                    far = squares(j, answers.numbers, 0, space.means, bound)
                else:
                    far = _off_centre(j, size, bound, answers, space)
            first = best < 0 or far < best_far or (far == best_far and j < space.found[best])
            if first and _may_join(j, size, short, asked, state, space):
                best, best_far = q, far
                if complete or not centred:
                    limit = (np.sqrt(far) + moved) ** 2 * (1 + _HAIR) + _HAIR
            q += 1
        if best < 0:
            return 0
        j = space.found[best]
        complete = complete and answers.complete[j]
        many -= 1
        _drop(best, many, space)
        space.picked[size] = j
        size += 1
        _widen(j, answers, space)


@part
def _drop(q: Any, last: Any, space: Space) -> None:
    """Forget a candidate: the last one takes its place."""
    space.found[q], space.far[q] = space.found[last], space.far[last]


@part
def _moved(s: Any, answers: Answers, space: Space) -> float:
    """Return how far the mean of the group that grows is from its seed,
    where all answer everything.
    """
    return float(np.sqrt(squares(s, answers.numbers, 0, space.means, -1.0)))


@part
def _widen(t: Any, answers: Answers, space: Space) -> None:
    """Make the box of the group that grows wide enough for record t, and count t in."""
    for c in range(answers.codes.shape[1]):
        code = answers.codes[t, c]
        if code >= 0:
            space.low[c], space.high[c] = min(space.low[c], code), max(space.high[c], code)
            space.known[c] += 1
            space.sums[c] += answers.numbers[t, c]
            space.means[0, c] = space.sums[c] * space.inverse[space.known[c]]
    for w in range(answers.held.shape[1]):
        space.barred[0, w] |= answers.barred[t, w]


@part
def _in_box(t: Any, answers: Answers, space: Space) -> bool:
    """Whether record t is near all of the group that grows."""
    if is_barred(t, 0, space.barred, answers):
        return False
    if answers.exact:
        return True
    for c in range(answers.codes.shape[1]):
        code = answers.codes[t, c]
        if code >= 0 and max(space.high[c], code) > answers.reach[min(space.low[c], code)]:
            return False
    return True


@part
def _off_centre(t: Any, size: Any, bound: Any, answers: Answers, space: Space) -> float:
    """Return the squared distance of record t from the mean of the group that grows.

    Given up above bound.
    """
    far = 0.0
    for c in range(answers.codes.shape[1]):
        n_known = space.known[c]
        if answers.codes[t, c] >= 0:
            if n_known < size:
                far += 1.0 - n_known / size
            if n_known > 0:
                apart = answers.numbers[t, c] - space.means[0, c]
                far += apart * apart
        else:
            far += n_known / size
        if bound >= 0 and far > bound:
            break
    return far


@routine
def _may_join(j: Any, size: Any, short: Any, asked: Asked, state: State, space: Space) -> bool:
    """Whether record j can be had, and brings the group that grows nearer to what is asked."""
    label, asking = state.label[j], demanding(asked)
    if label >= 0:
        spare = state.size[label] - asked.k
        for r in range(size):
            if state.label[space.picked[r]] == label:
                spare -= spare if asking else 1
        if spare <= 0 or not meets(label, j, -1, asked, state, space):
            return False
    if not asking:
        return True
    if size >= asked.k:
        return bool(shortfall(space.picked, size, -1, j, asked, space) < short)
    for q in range(asked.values.shape[0]):
        value = asked.values[q, j]
        alike, distinct = 0, 0
        for r in range(size):
            value_of_other = asked.values[q, space.picked[r]]
            alike += 1 if value_of_other == value else 0
            if value_of_other >= 0:
                distinct += 1 if space.counts[value_of_other] == 0 else 0
                space.counts[value_of_other] = 1
        for r in range(size):
            if asked.values[q, space.picked[r]] >= 0:
                space.counts[asked.values[q, space.picked[r]]] = 0
        if value >= 0 and alike + 1 > max(asked.share * asked.k, 1.0):
            return False
        if (value < 0 or alike > 0) and asked.distinct - distinct >= asked.k - size:
            return False
    return True
