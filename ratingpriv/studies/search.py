"""The search from coarse to fine: in each method and distance the first
k that surely hides people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ratingpriv.base.numbers import in_full
from ratingpriv.studies.candidates import SWAP, Candidate
from ratingpriv.studies.distances import K
from ratingpriv.studies.effort import Effort
from ratingpriv.studies.trials import COVERS, Trials

_TRIES = 2  # so many k are tried of a method whose groups are not proved to hide anybody


def coarse(
    trials: Trials, epsilons: Sequence[float], effort: Effort, notes: list[str]
) -> Candidate | None:
    """Return the choice of as few candidates as need be made, by what the ``effort`` allows."""
    for name in effort.tried:
        if effort.waits(name) and trials.best() is not None:
            notes.append(
                f"{name} was not tried, as it takes long: name it with `method`, or say `full=True`"
            )
            continue
        distances = effort.distances(name, epsilons)
        if name == SWAP:
            _swaps(trials, distances, effort, notes)
            continue
        for at in distances:
            _upwards(trials, name, at, effort.sizes_of(name))
    return trials.best()


def _swaps(trials: Trials, epsilons: Sequence[float], effort: Effort, notes: list[str]) -> None:
    """Make swaps at each distance, the largest first."""
    first = True
    for at in epsilons:
        if why := _skipped(trials, at, effort):
            notes.append(f"swap was not tried at epsilon {in_full(at)}: {why}")
            continue
        _upwards(trials, SWAP, at, effort.sizes_of(SWAP), effort.given_up_beyond(first=first))
        first = False
        notes += [
            f"swap with k = {one.k} at epsilon {in_full(at)} was {one.reason}"
            for one in trials.cells.values()
            if one.epsilon == at and trials.gave_up(one)
        ]
        if effort.one_is_enough and trials.best() is not None:
            return


def _skipped(trials: Trials, epsilon: float, effort: Effort) -> str:
    """Return why no swap is tried at a distance, empty where one is."""
    if effort.skips_covering and trials.covers_questions(epsilon):
        return COVERS
    larger = [one for one in trials.cells.values() if one.method == SWAP and one.epsilon > epsilon]
    with_smallest = [one for one in larger if one.k in effort.sizes_of(SWAP)[:1]]
    if any(
        trials.gave_up(one) or (one.left_out or 0) > effort.far_too_many for one in with_smallest
    ):
        return "at more it suppresses far too many"
    return ""


def _upwards(
    trials: Trials,
    method: str,
    epsilon: float,
    sizes: Iterable[int],
    give_up_beyond: int | None = None,
) -> None:
    """Make candidates of a method at one distance, k after k,
    until one keeps the demands or none can.
    """
    demands, most = trials.demands, trials.demands.withhold_at_most * trials.n
    tries = 0
    for k in sizes:
        if k > trials.n or trials.least_left_out(method, k, epsilon) > most:
            return  # more are left out for every larger k
        if trials.counted(method):  # of every k; only what keeps the demands is a candidate
            if not _hidden(trials, k, epsilon):
                continue
        elif method != SWAP:
            tries += 1
        if not (method == "modify" and trials.in_vain(k, epsilon)):
            one = trials.cell(method, k, epsilon, give_up_beyond=give_up_beyond)
            if demands.keeps(one, trials.n) or one.left_out is None or one.left_out > most:
                return
            # hidden, and yet guessed or told
            if method == SWAP and one.found.keeps(demands.found_at_most):
                tries += 1
        if tries >= _TRIES:
            return


def _hidden(trials: Trials, k: int, epsilon: float) -> bool:
    """Whether who is left of a withholding is surely hidden."""
    found = trials.suppressed(k, epsilon)
    return found is not None and found.keeps(trials.demands.found_at_most)


def keeps_more(
    trials: Trials, epsilons: Sequence[float], chosen: Candidate | None
) -> Candidate | None:
    """Return the withholding of fewest records that hides people in neighbourhoods,
    and does not pass.
    """
    k = chosen.k if chosen is not None else trials.demands.sure_k
    if trials.rules["l"] is not None or k not in K:
        return None
    each = [one for one in (trials.outlined(k, at) for at in epsilons) if one.left_out is not None]
    whole = map(trials.completed, sorted(each, key=lambda one: (one.left_out, one.epsilon)))
    return next((one for one in whole if not trials.demands.keeps(one, trials.n)), None)
