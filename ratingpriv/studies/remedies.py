"""What would do where nothing keeps the demands: each kind once, and each computed."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ratingpriv.studies.candidates import OF_MAP, SWAP, Candidate
from ratingpriv.studies.choice import Demands, no_better, percent, refused_swap, sentence
from ratingpriv.studies.distances import K
from ratingpriv.studies.effort import Effort
from ratingpriv.studies.fewer_items import KEPT, fewer_items
from ratingpriv.studies.search import coarse
from ratingpriv.studies.trials import Trials

_TRIES = 5  # candidates of a remedy that are measured, till one is good for something
_SMALL = (5, 2)  # k of swaps that are tried beside the one that surely hides


type Kind = Literal["withhold_at_most", "found_at_most", "items", "method", "tables"]


@dataclass(frozen=True, slots=True)
class Remedy:
    """What would do where nothing keeps the demands, computed; ValueError where it would not.

    Attributes
    ----------
    kind : a larger share that may be left out or found, fewer items, another method, no file of
        records
    candidate : the release that would do; None for "tables"
    demands : what it keeps: those that were asked for, but for the one that the remedy changes
    records : of how many records it is
    items : how many items it releases, where it releases fewer
    refused : what was refused as its groups agree, and tells all of no more people; None: nothing
        was
    """

    kind: Kind
    candidate: Candidate | None
    demands: Demands
    records: int
    items: int | None = None
    refused: Candidate | None = None

    def __post_init__(self) -> None:
        """Refuse what does not do."""
        one = self.candidate
        if (one is None) != (self.kind == "tables") or (self.items is None) != (
            self.kind != "items"
        ):
            raise ValueError(f"a remedy {self.kind} has a release, or says that there is none")
        if one is not None and not self.demands.keeps(one, self.records):
            raise ValueError("a remedy keeps the demands that it names")

    @property
    def value(self) -> float | None:
        """The share, or how many items; None where it is none."""
        values = {
            "withhold_at_most": self.demands.withhold_at_most,
            "found_at_most": self.demands.found_at_most,
            "items": self.items,
        }
        return values.get(self.kind)

    @property
    def method(self) -> str | None:
        """The method of the release; None where there is none."""
        return None if self.candidate is None else self.candidate.method

    @property
    def k(self) -> int | None:
        """Its k."""
        return None if self.candidate is None else self.candidate.k

    @property
    def epsilon(self) -> float | None:
        """Its distance."""
        return None if self.candidate is None else self.candidate.epsilon

    @property
    def words(self) -> str:
        """What to do, and what comes of it, in a sentence."""
        if self.candidate is None:
            return "publish tables of counts instead of records"
        items = "item" if self.items == 1 else f"{self.items} items"
        kept = KEPT.format(self.items)
        withheld, found = (
            percent(share, up=True)
            for share in (self.demands.withhold_at_most, self.demands.found_at_most)
        )
        acts = {
            "withhold_at_most": f"suppress up to {withheld} of the records (`withhold_at_most`)",
            "found_at_most": f"accept {found} re-identified (`found_at_most`)",
            "items": f'release the {items} that identify people least (`issues="{kept}"`)',
            "method": f"take the method {self.method}",
        }
        said = sentence(self.candidate, self.records) + no_better(self.candidate, self.refused)
        return f"{acts[self.kind]}: {said}"


def remedies(
    trials: Trials, epsilons: Sequence[float], parameters: Mapping[str, Any]
) -> Iterator[Remedy]:
    """Yield what would do, each computed: once for each kind."""
    some, demands, n = _near(trials, epsilons, parameters), trials.demands, trials.n
    hidden = [one for one in some if one.found.keeps(demands.found_at_most)]
    one = _first(trials, hidden, lambda one: one.left_out or 0)
    if one is not None:
        share = _share_of(one.left_out or 0, n)
        more = dataclasses.replace(demands, withhold_at_most=max(share, demands.withhold_at_most))
        yield Remedy("withhold_at_most", one, more, n, refused=_refused(trials, one, more))
    one = _least_found(trials, epsilons, parameters, some)
    if one is not None:
        more = dataclasses.replace(
            demands, found_at_most=max(one.found.high, demands.found_at_most)
        )
        yield Remedy("found_at_most", one, more, n, refused=_refused(trials, one, more))
    fewer = fewer_items(trials, parameters)
    if fewer is not None:
        yield Remedy("items", fewer.candidate, demands, n, fewer.items)
    if parameters["method"] is not None:
        effort = Effort.of(trials, {**parameters, "method": None, "k": None})
        another = coarse(trials, epsilons, effort, [])
        if another is not None:
            yield Remedy("method", another, demands, n, refused=_refused(trials, another, demands))
    yield Remedy("tables", None, demands, n)


def _refused(trials: Trials, one: Candidate, demands: Demands) -> Candidate | None:
    return refused_swap(one, trials.cells.values(), demands, trials.n)


def _counts(trials: Trials, k: int, epsilon: float) -> bool:
    """Whether a withholding keeps one of the two demands: only then it is near to keeping both."""
    if trials.levels(epsilon).withheld[k] <= trials.demands.withhold_at_most * trials.n:
        return True
    found = trials.suppressed(k, epsilon)
    return found is not None and found.keeps(trials.demands.found_at_most)


def _first(
    trials: Trials, some: Iterable[Candidate], least: Callable[[Candidate], float]
) -> Candidate | None:
    """Return the candidate with least of something that is good for something.

    None: none of the first.
    """
    ordered = sorted(some, key=lambda one: (least(one), one.scatter or 0.0, one.epsilon, one.k))
    proposed = filter(trials.demands.proposes, map(trials.completed, ordered))
    useful = map(trials.useful, itertools.islice(proposed, _TRIES))
    return next((one for one in useful if trials.demands.proposes(one)), None)


def _least_found(
    trials: Trials,
    epsilons: Sequence[float],
    parameters: Mapping[str, Any],
    some: Sequence[Candidate],
) -> Candidate | None:
    """Return what leaves out few enough and lets fewest be found.

    A smaller k is tried where it may do.
    """
    few, best = trials.demands.withhold_at_most * trials.n, None
    for k in (None, *_SMALL):
        if k is not None:
            # groups of 2k and more are split: of fewer than 2k people at least one in 2k - 1 is
            # found
            if best is not None and best.found.high <= 1 / (2 * k - 1):
                break
            some = [*some, *_swaps(trials, epsilons, parameters, k)]
        kept = [one for one in some if (one.left_out or 0) <= few and one.found.high < 1]
        best = _first(trials, kept, lambda one: one.found.high)
    return best


def _share_of(left_out: int, records: int) -> float:
    """Return the smallest share of the records that is not fewer of them."""
    share = left_out / records
    return share if share * records >= left_out else math.nextafter(share, 1.0)


def _near(
    trials: Trials, epsilons: Sequence[float], parameters: Mapping[str, Any]
) -> list[Candidate]:
    """Return releases that are near to keeping the demands."""
    named, demands = parameters["method"] or OF_MAP, trials.demands
    some = [*trials.cells.values()]
    if trials.counted("suppress") and "suppress" in named:
        sizes = [k for k in parameters["k"] or K if k <= trials.n]
        some += [trials.outlined(k, at) for at in epsilons for k in sizes if _counts(trials, k, at)]
    some += _swaps(trials, epsilons, parameters, demands.sure_k)
    return [one for one in some if one.left_out is not None]


def _swaps(
    trials: Trials, epsilons: Sequence[float], parameters: Mapping[str, Any], k: int
) -> list[Candidate]:
    """Return the swap at the largest distance, where it is one of the methods and there is one."""
    at, named = max(epsilons, default=0.0), parameters["epsilon"]
    if SWAP not in (parameters["method"] or OF_MAP) or 2 * k > trials.n:
        return []
    if not named and trials.covers_questions(at):  # it would not be proposed
        return []
    one = trials.cell(SWAP, k, at)
    return [] if one.left_out is None else [one]
