"""The search from coarse to fine: in each method and distance the first
k that surely hides people.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ratingpriv.base.numbers import in_full
from ratingpriv.studies.candidates import OF_MAP, SWAP, Candidate
from ratingpriv.studies.distances import K
from ratingpriv.studies.found import of_withheld
from ratingpriv.studies.trials import Trials

# ratings of a table of which every method is tried; of more only where nothing else does
_QUICK = 5_000
_DEAR = ("modify", "predictive")  # methods that take long
_FAR = 10  # times as many left out as may be: no smaller distance leaves few enough
_TRIES = 2  # so many k are tried of a method whose groups are not proved to hide anybody


def coarse(
    trials: Trials,
    epsilons: Sequence[float],
    parameters: Mapping[str, Any],
    notes: list[str],
    *,
    patient: bool = True,
    dear: bool = True,
) -> Candidate | None:
    """Return the choice of as few candidates as need be made.

    ``patient``: the swap at the largest distance is made to the end, however many it leaves out;
    ``dear``: methods that take long are tried, too, where nothing else does
    """
    named, demands = parameters["method"], trials.demands
    cheap = trials.table.n_ratings <= _QUICK
    # groups of a swap may be larger than k, and what is drawn may not: there 1 / k has to do
    first = {SWAP: demands.smallest_k if cheap else demands.sure_k, "suppress": K.start}
    for name in named or OF_MAP:
        if name in _DEAR and not (named or cheap or dear):
            continue
        if name in _DEAR and not (named or cheap) and trials.best() is not None:
            notes.append(
                f"{name} was not tried, as it takes long: name it with `method`, or say `full=True`"
            )
            continue
        # records that only come near each other are told apart as before, and predictive makes
        # equal ones
        smallest = name in _DEAR and not parameters["epsilon"]
        tried = epsilons[:1] if smallest else epsilons
        sizes = parameters["k"] or range(first.get(name, demands.sure_k), K.stop)
        if name == SWAP:
            _swaps(trials, tried, sizes, notes, named=bool(parameters["epsilon"]), patient=patient)
            continue
        for at in tried:
            _upwards(trials, name, at, sizes)
    return trials.best()


def _swaps(
    trials: Trials,
    epsilons: Sequence[float],
    sizes: Sequence[int],
    notes: list[str],
    *,
    named: bool,
    patient: bool,
) -> None:
    """Make swaps at each distance, the largest first: it leaves out fewest.

    ``named``: somebody asks for these distances; ``patient``: the first swap is made to the end,
    and of a small table each
    """
    cheap = trials.table.n_ratings <= _QUICK
    beyond = math.floor(_FAR * max(trials.demands.withhold_at_most * trials.n, 1))
    for at in reversed(epsilons):
        if not (named or cheap) and trials.covers_questions(at):
            notes.append(
                f"swap was not tried at epsilon {in_full(at)}: it covers all ratings of some "
                "item, which no exchange changes"
            )
        elif _hopeless(trials, sizes, at):
            notes.append(
                f"swap was not tried at epsilon {in_full(at)}: at more it suppresses far too many"
            )
        else:
            _upwards(trials, SWAP, at, sizes, None if cheap or patient else beyond)
            patient = False
            notes += [
                f"swap with k = {one.k} at epsilon {in_full(at)} was {one.reason}"
                for one in trials.cells.values()
                if one.epsilon == at and trials.gave_up(one)
            ]


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


def _hopeless(trials: Trials, sizes: Sequence[int], epsilon: float) -> bool:
    """Whether a swap leaves out so many at a larger distance that a
    smaller one is tried in vain.
    """
    most = max(trials.demands.withhold_at_most * trials.n, 1)
    larger = [one for one in trials.cells.values() if one.method == SWAP and one.epsilon > epsilon]
    first = [one for one in larger if one.k in sizes[:1]]
    return any(trials.gave_up(one) or (one.left_out or 0) > _FAR * most for one in first)


def _hidden(trials: Trials, k: int, epsilon: float) -> bool:
    """Whether who is left of a withholding is surely hidden."""
    found = of_withheld(trials.levels(epsilon), trials.rows, k)
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
