"""The kernel of local search: two members of different groups change places, or one moves,
if that helps.

With S the sum and A the number of those who answer, the scatter of a group is constant − S²/A in
each column, and the constants of all groups together do not change. Of an exchange of i in a and j
in b, both of whom answer, with d = x_j − x_i, it changes by d·(2(m_b − m_a) − d·(1/A_a + 1/A_b)), m
the means.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.base.compute.compiling import part, routine, search_kernel
from ratingpriv.partition.near._clique import (
    add_member,
    fits,
    fits_instead,
    is_barred,
    is_barred_instead,
    meets,
    off_mean,
    put_instead,
    refresh,
    scatter_more,
    take_out,
    uneven,
)
from ratingpriv.partition.near.arrays import Answers, Asked, Codes, Ints, Space, State

_REACH = 0.25
"""Of the squared radius of a group, by which it may be farther than the own group to be exchanged
with.
"""
_GAIN = 1e-9  # what is less is no gain: sums are rounded


@search_kernel
def exchange(
    order: Ints,
    nearest: Codes,
    turn: int,
    since: int,
    whole: bool,
    answers: Answers,
    asked: Asked,
    state: State,
    space: Space,
) -> int:
    """Let each record of ``order`` move or change places with one of a near group.

    Return how many did.

    ``nearest``, (groups, t): other groups by how near they are, -1 where there are no more. This is
    the ``turn``-th time, and of two groups one has changed ``since``. ``whole``: all records answer
    everything.
    """
    changed = 0
    for i in order:
        a = state.label[i]
        if a < 0:
            continue
        best: Any = -1
        other: Any = -1
        least = -_GAIN
        may_move = state.size[a] > asked.k and meets(a, i, -1, asked, state, space)
        less = scatter_less(i, a, answers, state) if may_move else 0.0
        off = off_mean(i, a, -1.0, answers, state)
        for x in range(nearest.shape[1]):
            b = np.int64(nearest[a, x])
            if b < 0:
                break
            if state.turn[a] < since and state.turn[b] < since:
                continue
            if is_barred(i, b, state.barred2, answers):
                continue
            bound = off + _REACH * state.radius[b]
            if off_mean(i, b, bound, answers, state) > bound:
                continue
            if may_move:
                change = _change_of_move(i, b, less, least, answers, asked, state, space)
                if change < least:
                    best, other, least = b, -1, change
            _compare(a, b, answers, state, space)
            for r in range(state.size[b]):
                j = np.int64(state.members[b, r])
                if is_barred_instead(i, j, b, answers, state):
                    continue
                if is_barred_instead(j, i, a, answers, state):
                    continue
                if whole:
                    change = _change_of_whole(i, j, answers, space)
                else:
                    change = _change(i, j, a, b, answers, state, space)
                if change < least and _exchangeable(i, j, a, b, answers, asked, state, space):
                    best, other, least = b, j, change
        if best < 0:
            continue
        if other < 0:
            take_out(i, a, state)
            add_member(i, best, answers, state)
        else:
            put_instead(other, i, a, state)
            put_instead(i, other, best, state)
            refresh(best, answers, state)
        refresh(a, answers, state)
        state.turn[a] = state.turn[best] = turn
        changed += 1
    return changed


@routine
def _change_of_move(
    i: Any,
    b: Any,
    less: float,
    least: float,
    answers: Answers,
    asked: Asked,
    state: State,
    space: Space,
) -> float:
    """Return by how much a move of i to group b changes the scatter; 0 where it cannot be,
    or helps less.
    """
    if state.size[b] >= asked.most:
        return 0.0
    change = scatter_more(i, b, less + least, answers, state) - less
    if change < least and fits(i, b, answers, state) and meets(b, -1, i, asked, state, space):
        return change
    return 0.0


@part
def _exchangeable(
    i: Any, j: Any, a: Any, b: Any, answers: Answers, asked: Asked, state: State, space: Space
) -> bool:
    return bool(
        fits_instead(i, j, b, answers, state)
        and fits_instead(j, i, a, answers, state)
        and meets(a, i, j, asked, state, space)
        and meets(b, j, i, asked, state, space)
    )


@part
def _compare(a: Any, b: Any, answers: Answers, state: State, space: Space) -> None:
    """Note how the means of two groups differ, and what a change in them weighs."""
    for c in range(answers.codes.shape[1]):
        inverse_a, two = space.inverse[state.known[a, c]], space.inverse[state.known[b, c]]
        space.slope[c] = 2 * (state.sums[b, c] * two - state.sums[a, c] * inverse_a)
        space.bend[c] = inverse_a + two


@part
def _change_of_whole(i: Any, j: Any, answers: Answers, space: Space) -> float:
    """Return by how much an exchange of i and j, who answer everything, changes the scatter."""
    change = 0.0
    for c in range(answers.codes.shape[1]):
        d = answers.numbers[j, c] - answers.numbers[i, c]
        change += d * (space.slope[c] - d * space.bend[c])
    return change


@routine
def _change(i: Any, j: Any, a: Any, b: Any, answers: Answers, state: State, space: Space) -> float:
    """Return by how much an exchange of i in a and j in b changes the scatter."""
    change = 0.0
    for c in range(answers.codes.shape[1]):
        rates_i, two = answers.codes[i, c] >= 0, answers.codes[j, c] >= 0
        if rates_i and two:
            d = answers.numbers[j, c] - answers.numbers[i, c]
            change += d * (space.slope[c] - d * space.bend[c])
        elif rates_i:
            change += _passed_on(answers.numbers[i, c], a, b, c, state, space)
        elif two:
            change += _passed_on(answers.numbers[j, c], b, a, c, state, space)
    return change


@part
def _passed_on(x: Any, a: Any, b: Any, c: Any, state: State, space: Space) -> float:
    """Return the same of a column in which a number x goes from group a to b,
    and none comes back.
    """
    sum_a, sum_b, known_a, known_b = (
        state.sums[a, c],
        state.sums[b, c],
        state.known[a, c],
        state.known[b, c],
    )
    size_a, size_b, inverse = state.size[a], state.size[b], space.inverse
    change: float = (
        sum_a * sum_a * inverse[known_a]
        - (sum_a - x) * (sum_a - x) * inverse[known_a - 1]
        + sum_b * sum_b * inverse[known_b]
        - (sum_b + x) * (sum_b + x) * inverse[known_b + 1]
        + uneven(known_a - 1, size_a)
        - uneven(known_a, size_a)
        + uneven(known_b + 1, size_b)
        - uneven(known_b, size_b)
    )
    return change


@routine
def scatter_less(t: Any, g: Any, answers: Answers, state: State) -> float:
    """Return by how much the scatter of group g falls without its member t.

    Negative never; sums of squares beside the constants cancel between the groups of a move.
    """
    less, size = 0.0, state.size[g]
    for c in range(answers.codes.shape[1]):
        n_known = state.known[g, c]
        if answers.codes[t, c] >= 0:
            if n_known > 1:
                apart = answers.numbers[t, c] - state.means[g, c]
                less += apart * apart * n_known / (n_known - 1)
            if n_known < size:
                less += uneven(n_known, size) - uneven(n_known - 1, size - 1)
        elif n_known > 0:
            less += uneven(n_known, size) - uneven(n_known, size - 1)
    return less
