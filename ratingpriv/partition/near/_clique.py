"""Kernels of one group: what its columns come to, who fits it, and whether it meets what is asked.

A *scatter* is the sum of squared distances from the mean of those who answer, over all columns;
that a column is answered or not counts as one more column of ones and zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.base.compute.compiling import part, routine
from ratingpriv.partition.greedy._search import add_amounts, clear_amounts, variance
from ratingpriv.partition.near.arrays import NONE, Answers, Asked, Numbers, Space, State, Words

_HAIR = 1e-9  # demands are a hair generous: who makes groups judges them exactly at the end


@part
def squares(a: Any, rows: Numbers, b: Any, others: Numbers, bound: float) -> float:
    """Return the squared distance of a row from one of others, which has numbers everywhere.

    Given up above a ``bound`` >= 0. Eight columns at a time: their squares need not wait for each
    other to be added.
    """
    p, c = rows.shape[1], 0
    far: float = 0.0
    while c + 8 <= p:
        d0, d1 = rows[a, c] - others[b, c], rows[a, c + 1] - others[b, c + 1]
        d2, d3 = rows[a, c + 2] - others[b, c + 2], rows[a, c + 3] - others[b, c + 3]
        d4, d5 = rows[a, c + 4] - others[b, c + 4], rows[a, c + 5] - others[b, c + 5]
        d6, d7 = rows[a, c + 6] - others[b, c + 6], rows[a, c + 7] - others[b, c + 7]
        some = (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3)
        far += some + ((d4 * d4 + d5 * d5) + (d6 * d6 + d7 * d7))
        if far > bound >= 0:
            return far
        c += 8
    while c < p:
        apart = rows[a, c] - others[b, c]
        far += apart * apart
        c += 1
    return far


@routine
def refresh(g: Any, answers: Answers, state: State) -> None:
    """Work out what the columns of group g come to."""
    codes, numbers = answers.codes, answers.numbers
    for w in range(answers.held.shape[1]):
        by_one = by_two = np.uint64(0)
        for r in range(state.size[g]):
            bits = answers.barred[state.members[g, r], w]
            by_two |= by_one & bits
            by_one |= bits
        state.barred[g, w], state.barred2[g, w] = by_one, by_two
    for c in range(codes.shape[1]):
        low = low2 = np.int32(NONE)
        high = high2 = np.int32(-1)
        n_known, total = 0, 0.0
        for r in range(state.size[g]):
            t = state.members[g, r]
            code = codes[t, c]
            if code < 0:
                continue
            n_known += 1
            total += numbers[t, c]
            if code <= low:
                low2, low = low, code
            elif code < low2:
                low2 = code
            if code >= high:
                high2, high = high, code
            elif code > high2:
                high2 = code
        state.sums[g, c], state.known[g, c] = total, n_known
        state.means[g, c] = total / n_known if n_known > 0 else 0.0
        state.low[g, c], state.low2[g, c] = low, low2
        state.high[g, c], state.high2[g, c] = high, high2
    radius = 0.0
    for r in range(state.size[g]):
        radius = max(radius, off_mean(np.int64(state.members[g, r]), g, -1.0, answers, state))
    state.radius[g] = radius


@routine
def off_mean(t: Any, g: Any, bound: float, answers: Answers, state: State) -> float:
    """Return the squared distance of record t from the mean of group g.

    Given up above a ``bound`` >= 0.
    """
    far = 0.0
    for c in range(answers.codes.shape[1]):
        n_known = state.known[g, c]
        if answers.codes[t, c] >= 0 and n_known > 0:
            apart = answers.numbers[t, c] - state.means[g, c]
            far += apart * apart
            if far > bound >= 0:
                break
    return far


@routine
def add_member(t: Any, g: Any, answers: Answers, state: State) -> None:
    """Put record t into group g."""
    state.members[g, state.size[g]] = t
    state.size[g] += 1
    state.label[t] = g
    refresh(g, answers, state)


@part
def take_out(t: Any, g: Any, state: State) -> None:
    """Take record t out of the members of group g; its columns are for the caller to refresh."""
    last = state.size[g] - 1
    for r in range(last):
        if state.members[g, r] == t:
            state.members[g, r] = state.members[g, last]
            break
    state.size[g] = last
    state.label[t] = -1


@part
def put_instead(t: Any, other: Any, g: Any, state: State) -> None:
    """Put record t into the place of another in group g; columns are for the caller to refresh."""
    for r in range(state.size[g]):
        if state.members[g, r] == other:
            state.members[g, r] = t
            break
    state.label[t] = g


@part
def is_barred(t: Any, row: Any, barred: Words, answers: Answers) -> bool:
    """Whether a bit of record t is among those of a row of bits that are ``barred``."""
    bits = np.uint64(0)
    for w in range(answers.held.shape[1]):
        bits |= answers.held[t, w] & barred[row, w]
    return bool(bits != 0)


@part
def fits(t: Any, g: Any, answers: Answers, state: State) -> bool:
    """Whether record t is near all of group g."""
    if is_barred(t, g, state.barred, answers):
        return False
    if answers.exact:
        return True
    for c in range(answers.codes.shape[1]):
        code = answers.codes[t, c]
        if code >= 0:
            low, high = min(state.low[g, c], code), max(state.high[g, c], code)
            if high > answers.reach[low]:
                return False
    return True


@part
def may_fit_instead(t: Any, g: Any, answers: Answers, state: State) -> bool:
    """Whether record t may be near all of group g but one.

    False where no member's leaving helps.
    """
    if is_barred(t, g, state.barred2, answers):
        return False
    if answers.exact:
        return True
    for c in range(answers.codes.shape[1]):
        code = answers.codes[t, c]
        if code >= 0:
            low, high = min(state.low2[g, c], code), max(state.high2[g, c], code)
            if high > answers.reach[low]:
                return False
    return True


@part
def is_barred_instead(t: Any, other: Any, g: Any, answers: Answers, state: State) -> bool:
    """Whether a bit of record t is barred by one of group g, but for one of its members."""
    bits = np.uint64(0)
    for w in range(answers.held.shape[1]):
        by_others = state.barred2[g, w] | ~answers.barred[other, w]
        bits |= answers.held[t, w] & state.barred[g, w] & by_others
    return bool(bits != 0)


@part
def fits_instead(t: Any, other: Any, g: Any, answers: Answers, state: State) -> bool:
    """Whether record t is near all of group g but for one of its members."""
    if is_barred_instead(t, other, g, answers, state):
        return False
    if answers.exact:
        return True
    for c in range(answers.codes.shape[1]):
        code = answers.codes[t, c]
        if code >= 0:
            gone = answers.codes[other, c]
            low = state.low2[g, c] if gone == state.low[g, c] else state.low[g, c]
            high = state.high2[g, c] if gone == state.high[g, c] else state.high[g, c]
            low, high = min(low, code), max(high, code)
            if high > answers.reach[low]:
                return False
    return True


@part
def uneven(known: Any, size: Any) -> Any:
    """Return the scatter of who answers and who does not."""
    return known * (size - known) / size if size > 0 else 0.0


@routine
def scatter_more(t: Any, g: Any, bound: float, answers: Answers, state: State) -> float:
    """Return by how much record t raises the scatter of group g, at least 0.

    Given up above ``bound``.
    """
    more, size = 0.0, state.size[g]
    for c in range(answers.codes.shape[1]):
        n_known = state.known[g, c]
        if answers.codes[t, c] >= 0:
            if n_known > 0:
                apart = answers.numbers[t, c] - state.means[g, c]
                more += apart * apart * n_known / (n_known + 1)
            if n_known < size:
                more += uneven(n_known + 1, size + 1) - uneven(n_known, size)
        elif n_known > 0:
            more += uneven(n_known, size + 1) - uneven(n_known, size)
        if more > bound:
            break
    return more


@routine
def shortfall(
    members: Any, size: Any, without: Any, also: Any, asked: Asked, space: Space
) -> float:
    """Return how far a group is from meeting the demands, 0 where it does.

    ``without`` is left out of its members, ``also`` is one more; -1: nobody.
    """
    short, counts, sensitive = 0.0, space.counts, asked.sensitive
    for q in range(asked.values.shape[0]):
        n_known, largest, distinct = 0, 0, 0
        for r in range(size + 1):
            t = also if r == size else np.int64(members[r])
            if t < 0 or t == without or asked.values[q, t] < 0:
                continue
            value = asked.values[q, t]
            counts[value] += 1
            n_known += 1
            distinct += 1 if counts[value] == 1 else 0
            largest = max(largest, counts[value])
        lacking = 0.0
        for r in range(size + 1):
            t = also if r == size else np.int64(members[r])
            if t >= 0 and t != without and asked.values[q, t] >= 0 and asked.entropy > 0:
                lacking += np.log2(np.float64(counts[asked.values[q, t]]))
        apart = (
            distance(counts, n_known, asked.whole[q], asked.steps[q])
            if asked.distance < 1 and n_known > 0
            else 0.0
        )
        for r in range(size + 1):
            t = also if r == size else np.int64(members[r])
            if t >= 0 and asked.values[q, t] >= 0:
                counts[asked.values[q, t]] = 0
        if n_known > 0:
            short += max(apart - asked.distance - _HAIR, 0.0) if asked.distance < 1 else 0.0
            short += max(largest - asked.share * n_known - _HAIR, 0.0)
            short += max(asked.distinct - distinct, 0)
            if asked.entropy > 0:
                short += max(
                    asked.entropy - (np.log2(np.float64(n_known)) - lacking / n_known) - _HAIR, 0.0
                )
    if len(sensitive.needed) > 0:
        short += _sd_short(members, size, without, also, asked, space)
    return short


@routine
def distance(counts: Any, known: Any, whole: Any, steps: Any) -> float:
    """Return how far a group's values are from those of all records, see `demands/t_closeness`."""
    handed, work = 0.0, 0.0
    for value in range(len(whole)):
        apart = counts[value] / known - whole[value]
        handed += apart
        work += abs(handed if steps > 0 else apart)
    return work / steps if steps > 0 else work / 2


@routine
def _sd_short(
    members: Any, size: Any, without: Any, also: Any, asked: Asked, space: Space
) -> float:
    """Return how far SDs are from what is needed."""
    sensitive, amounts, short, n_rated = asked.sensitive, space.amounts, 0.0, 0
    clear_amounts(sensitive, amounts)
    for r in range(size + 1):
        t = also if r == size else np.int64(members[r])
        if t >= 0 and t != without:
            n_rated += 1
            add_amounts(t, 1, sensitive, amounts)
    for q in range(len(sensitive.needed)):
        sd_reached = variance(
            n_rated,
            amounts[q, 0],
            amounts[q, 1],
            amounts[q, 2],
            sensitive.shift[q],
            sensitive.ignore,
        )
        if sd_reached < sensitive.needed[q] * (1 - _HAIR):
            short += 1 - sd_reached / sensitive.needed[q]
    return short


@part
def demanding(asked: Asked) -> bool:
    """Whether anything is asked of sensitive columns."""
    return bool(asked.values.shape[0] > 0 or len(asked.sensitive.needed) > 0)


@part
def meets(g: Any, without: Any, also: Any, asked: Asked, state: State, space: Space) -> bool:
    """Whether group g meets the demands without a member, and with one more."""
    if not demanding(asked):
        return True
    return bool(shortfall(state.members[g], state.size[g], without, also, asked, space) <= 0)
