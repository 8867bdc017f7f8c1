"""Kernels that find a place for who is in no group: joining, taking another's place, splitting."""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.base.compute.compiling import routine, search_kernel
from ratingpriv.partition.near._clique import (
    add_member,
    fits,
    fits_instead,
    may_fit_instead,
    meets,
    put_instead,
    refresh,
    scatter_more,
    take_out,
)
from ratingpriv.partition.near.arrays import Answers, Asked, Ints, Space, State


@search_kernel
def join(
    waiting: Ints, count: int, answers: Answers, asked: Asked, state: State, space: Space
) -> int:
    """Let each of ``waiting`` join the group whose scatter it raises least; return how many did."""
    joined = 0
    for t in waiting:
        if state.label[t] >= 0:
            continue
        best = _group_for(t, -1, count, answers, asked, state, space)
        if best >= 0:
            add_member(t, best, answers, state)
            joined += 1
    return joined


@routine
def _group_for(
    t: Any, other: Any, count: Any, answers: Answers, asked: Asked, state: State, space: Space
) -> int:
    """Return the group, not ``other``, whose scatter record t raises least;
    -1 where there is none.
    """
    best, least = -1, np.inf
    for g in range(count):
        if g == other or state.size[g] >= asked.most or not fits(t, g, answers, state):
            continue
        more = scatter_more(t, g, least, answers, state)
        if more < least and meets(g, -1, t, asked, state, space):
            best, least = g, more
    return best


@search_kernel
def replace(
    waiting: Ints, count: int, answers: Answers, asked: Asked, state: State, space: Space
) -> int:
    """Let each of ``waiting`` take the place of somebody who fits another group.

    Return how many did.
    """
    placed = 0
    space.stuck[:] = False
    for t in waiting:
        if state.label[t] >= 0:
            continue
        placed += 1 if _takes_a_place(t, count, answers, asked, state, space) else 0
    return placed


@routine
def _takes_a_place(
    t: Any, count: Any, answers: Answers, asked: Asked, state: State, space: Space
) -> bool:
    for g in range(count):
        if not may_fit_instead(t, g, answers, state):
            continue
        for r in range(state.size[g]):
            j = np.int64(state.members[g, r])
            if space.stuck[j] or not fits_instead(t, j, g, answers, state):
                continue
            if not meets(g, j, t, asked, state, space):
                continue
            other = _group_for(j, g, count, answers, asked, state, space)
            if other < 0:
                space.stuck[j] = True
                continue
            put_instead(t, j, g, state)
            refresh(g, answers, state)
            add_member(j, other, answers, state)
            return True
    return False


@search_kernel
def split(
    first: int, count: int, answers: Answers, asked: Asked, state: State, space: Space
) -> int:
    """Split groups of 2k or more from the ``first`` on; return how many groups there are then.

    The member farthest from the mean takes its k - 1 nearest with it.
    """
    k = asked.k
    for g in range(first, count):
        while state.size[g] >= 2 * k and count < len(state.size):
            size = state.size[g]
            away = _farthest(g, answers, state)
            for r in range(size):
                space.found[r] = state.members[g, r]
                space.far[r] = _apart(away, space.found[r], answers)
            for m in range(k):  # the nearest k to the front
                for r in range(m + 1, size):
                    if space.far[r] < space.far[m]:
                        space.far[r], space.far[m] = space.far[m], space.far[r]
                        space.found[r], space.found[m] = space.found[m], space.found[r]
            for r in range(k):
                take_out(space.found[r], g, state)
                state.members[count, r] = space.found[r]
            state.size[count] = k
            if not meets(g, -1, -1, asked, state, space) or not meets(
                count, -1, -1, asked, state, space
            ):
                for r in range(k):
                    state.members[g, state.size[g]] = space.found[r]
                    state.size[g] += 1
                    state.label[space.found[r]] = g
                state.size[count] = 0
                break
            for r in range(k):
                state.label[space.found[r]] = count
            refresh(g, answers, state)
            refresh(count, answers, state)
            count += 1
    return count


@routine
def _farthest(g: Any, answers: Answers, state: State) -> Any:
    """Return the member of group g that is farthest from its mean."""
    away: Any = -1
    most = -1.0
    for r in range(state.size[g]):
        t, far = np.int64(state.members[g, r]), 0.0
        for c in range(answers.codes.shape[1]):
            if answers.codes[t, c] >= 0:
                apart = answers.numbers[t, c] - state.means[g, c]
                far += apart * apart
        if far > most:
            away, most = t, far
    return away


@routine
def _apart(s: Any, t: Any, answers: Answers) -> float:
    """Return the squared distance of two records."""
    far = 0.0
    for c in range(answers.codes.shape[1]):
        if answers.codes[s, c] >= 0 and answers.codes[t, c] >= 0:
            apart = answers.numbers[s, c] - answers.numbers[t, c]
            far += apart * apart
        elif answers.codes[s, c] >= 0 or answers.codes[t, c] >= 0:
            far += 1.0
    return far
