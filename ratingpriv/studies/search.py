"""The search from coarse to fine: in each method and distance the first k that surely hides people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ratingpriv.base.numbers import in_full
from ratingpriv.studies.candidates import OF_MAP, SWAP, Candidate
from ratingpriv.studies.distances import K
from ratingpriv.studies.found import of_withheld
from ratingpriv.studies.trials import Trials

_QUICK = 5_000  # ratings of a table of which every method is tried; of more only where nothing else does
_DEAR = ("modify", "predictive")  # methods that take long
_FAR = 10  # times as many left out as may be: no smaller distance leaves few enough
_TRIES = 2  # so many k are tried of a method whose groups are not proved to hide anybody


def coarse(
    trials: Trials, epsilons: Sequence[float], parameters: Mapping[str, Any], notes: list[str]
) -> Candidate | None:
    """Return the choice of as few candidates as need be made."""
    named, demands = parameters["method"], trials.demands
    cheap = trials.table.n_ratings <= _QUICK
    # groups of a swap may be larger than k, and what is drawn may not: there 1 / k has to do
    first = {SWAP: demands.smallest_k if cheap else demands.sure_k, "suppress": K.start}
    for name in named or OF_MAP:
        if name in _DEAR and not (named or cheap) and trials.best() is not None:
            notes.append(f"{name} was not tried, as it takes long: name it with `method`, or say `full=True`")
            continue
        # records that only come near each other are told apart as before, and predictive makes equal ones
        smallest = name in _DEAR and not parameters["epsilon"]
        tried = epsilons[:1] if smallest else epsilons
        sizes = parameters["k"] or range(first.get(name, demands.sure_k), K.stop)
        # a swap leaves out fewest at the largest distance
        for at in reversed(tried) if name == SWAP else tried:
            if name == SWAP and _hopeless(trials, sizes, at):
                notes.append(
                    f"swap was not tried at epsilon {in_full(at)}: at more it leaves out far too many"
                )
                continue
            _upwards(trials, name, at, sizes)
    return trials.best()


def _upwards(trials: Trials, method: str, epsilon: float, sizes: Iterable[int]) -> None:
    """Make candidates of a method at one distance, k after k, until one keeps the demands or none can."""
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
            one = trials.cell(method, k, epsilon)
            if demands.keeps(one, trials.n) or one.left_out is None or one.left_out > most:
                return
            if method == SWAP and one.found.keeps(demands.found_at_most):  # hidden, and yet guessed or told
                tries += 1
        if tries >= _TRIES:
            return


def _hopeless(trials: Trials, sizes: Sequence[int], epsilon: float) -> bool:
    """Whether a swap leaves out so many at a larger distance that a smaller one is tried in vain."""
    most = max(trials.demands.withhold_at_most * trials.n, 1)
    larger = [one for one in trials.cells.values() if one.method == SWAP and one.epsilon > epsilon]
    return any(one.k in sizes[:1] and (one.left_out or 0) > _FAR * most for one in larger)


def _hidden(trials: Trials, k: int, epsilon: float) -> bool:
    """Whether who is left of a withholding is surely hidden."""
    found = of_withheld(trials.levels(epsilon), trials.rows, k)
    return found is not None and found.keeps(trials.demands.found_at_most)


def keeps_more(trials: Trials, epsilons: Sequence[float], chosen: Candidate | None) -> Candidate | None:
    """Return the withholding of fewest records that hides people in neighbourhoods, and does not pass."""
    k = chosen.k if chosen is not None else trials.demands.sure_k
    if trials.rules["l"] is not None or k not in K:
        return None
    each = [trials.withheld(k, at) for at in epsilons]
    some = [one for one in each if one.left_out is not None and not trials.demands.keeps(one, trials.n)]
    return min(some, key=lambda one: (one.left_out, one.epsilon), default=None)
