"""What each k and each distance comes to: who stands out, what a release costs, who is still found.

All of it is read from one map (:mod:`ratingpriv.studies.map`); nothing is counted when a slider
moves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit import audit
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.base.cautions import Standing
from ratingpriv.base.compute.compiling import pinned
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import decimal_number
from ratingpriv.base.reservations import FOUND_AT_MOST
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.desk.jobs import Job
from ratingpriv.proximity.reservations import has_missing, reservations
from ratingpriv.studies.candidates import OF_MAP, SWAP, Candidate
from ratingpriv.studies.choice import Choice as Recommended
from ratingpriv.studies.choice import Demands, least_scatter
from ratingpriv.studies.distances import Distance, K, distances_of
from ratingpriv.studies.map import Map
from ratingpriv.studies.recommend import check_parameters, decided
from ratingpriv.studies.trials import Trials

KS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50)
"""Rows of the map, beside that of the recommended choice."""
FACES = ("found", "changed", "withheld")
_USUAL_K = 5
_MOST_KNOWN = 3
_AT_ONCE = 2_000_000  # ratings up to which other demands are counted while a page waits
_PLAIN = 1000  # ratings, up to which several releases are made sooner than compiled code is loaded
_QUICK = 5_000  # ratings of a table of which the whole map is filled
_SHADES = (0.01, 0.05, 0.2, 0.5)  # shares at which a cell of the map becomes darker

type Face = Literal["found", "changed", "withheld"]


@dataclass(frozen=True)
class Choice:
    """What was chosen, as the address of a page has it: each tab has its own."""

    k: int
    epsilon: float
    l: float | None = None  # noqa: E741 -- the theory's word
    m: int = 0
    face: str = FACES[0]

    def at(self, k: int, epsilon: float) -> Choice:
        """Return the same with another k and distance."""
        return dataclasses.replace(self, k=k, epsilon=epsilon)


@dataclass(frozen=True)
class Level:
    """One distance: what withholding does at it, and the sizes of all neighbourhoods, ascending.

    ``reserved`` : sentences on why a verdict that holds at it is no plain yes
    """

    distance: Distance
    sizes: NDArray[np.int64]
    reserved: tuple[str, ...]

    @property
    def epsilon(self) -> float:
        """The distance."""
        return self.distance.epsilon

    def standing_out(self, k: int) -> int:
        """Return how many people have a neighbourhood smaller than ``k``."""
        return int(np.searchsorted(self.sizes, k))

    @property
    def least(self) -> int:
        """The size of the smallest neighbourhood."""
        return int(self.sizes[0]) if len(self.sizes) else 0

    def withheld(self, k: int) -> int:
        """Return the fewest people to leave out so that everybody else has ``k``;
        ``k`` of the map.
        """
        return self.distance.withheld[k - K.start]

    def distinct_left(self, k: int) -> int:
        """Return how many different rows the others have."""
        return self.distance.distinct_left[k - K.start]


@dataclass(frozen=True)
class Cell:
    """One cell of the map: ``share`` is what its face shows, None where that is not known."""

    k: int
    epsilon: float
    share: float | None
    count: int | None
    passes: bool
    method: str
    recommended: bool

    @property
    def shade(self) -> str:
        """How dark it is drawn."""
        if self.share is None:
            return "unknown"
        return "pass" if self.passes else f"t{int(np.searchsorted(_SHADES, self.share))}"


@dataclass(frozen=True)
class Verdict:
    """What the data are as they are.

    Attributes
    ----------
    standing_out : how many people stand out
    found : share of the people who are told apart by all their answers, exactly
    l, known : parts of an audit on the other demands; None where they are not asked, or not counted
        yet
    reserved : sentences on why a verdict that holds is no plain yes
    """

    standing_out: int
    found: float
    l: Mapping[str, Any] | None  # noqa: E741
    known: Mapping[str, Any] | None
    counted: bool
    reserved: tuple[str, ...]

    @property
    def held(self) -> bool:
        """Whether all that is asked holds."""
        others = [verdict["satisfied"] for verdict in (self.l, self.known) if verdict is not None]
        return self.counted and self.standing_out == 0 and all(others)

    @property
    def kind(self) -> str:
        """How it is drawn: good only where people are also not found, and nothing is left open."""
        safe = self.found <= FOUND_AT_MOST and not self.reserved
        return "bad" if self.counted and not self.held else "good" if self.held and safe else "open"


class Protection:
    """The map of a table, as it is counted and filled; ``map`` is None until all is decided."""

    def __init__(self, table: RatingTable) -> None:
        self.table, self.records = table, table.n_records
        self.levels: tuple[Level, ...] = ()
        self.unprotected = Candidates(table, _RULES["nulls"]).unprotected
        self.map: Map | None = None
        self.missing = has_missing(table)
        self._form: Any = "compiled" if table.n_ratings > _PLAIN else None
        self._trials: dict[float | None, Trials] = {}
        self._audits: dict[tuple[Any, ...], dict[str, Any]] = {}

    def count(self, job: Job) -> None:
        """Count who is alike at each distance; then fill the map, and decide."""
        with pinned(self._form):
            self._counted(job)

    def _counted(self, job: Job) -> None:
        parameters = check_parameters(
            k=None, epsilon=None, method=None, full=False, rng=0, l=None, **_RULES
        )
        trials = self._of(None, job)
        job.step("counting who is alike")
        distances = tuple(distances_of(trials, None))
        self.levels = tuple(
            self._level(distance, trials) for distance in distances if distance.protects
        )
        job.news += 1
        job.step("trying releases")
        if self.records * FOUND_AT_MOST >= 1:
            self.map = decided(trials, distances, parameters)
        job.news += 1
        if self.table.n_ratings <= _QUICK:
            self._fill(trials, job)

    def _fill(self, trials: Trials, job: Job) -> None:
        """Try in every cell what is quick: exchanging,
        and changing answers until some are equal.
        """
        sizes = [k for k in KS if k <= self.records]
        ways = [(k, level.epsilon, SWAP) for level in self.levels for k in sizes]
        ways += [(k, level.epsilon, "modify") for level in self.levels[:1] for k in sizes]
        for done, (k, epsilon, method) in enumerate(ways):
            job.report("filling the map", done, len(ways))
            cell = trials.cell(method, k, epsilon)
            if self._hides(cell):  # else no mark depends on it
                trials.cells[method, k, epsilon] = trials.useful(cell)

    def _level(self, distance: Distance, trials: Trials) -> Level:
        target = Target(k=K.start, epsilon=distance.epsilon, **_RULES)
        standing = Standing.of(
            True, (*reservations(self.table, target, k=K.start), *trials.reserved)
        )
        return Level(distance, np.sort(trials.levels(distance.epsilon).sizes), standing.sentences)

    def _of(self, l: float | None, job: Job) -> Trials:  # noqa: E741
        """Return the trials under a demand, which report to ``job``."""
        if l not in self._trials:
            rules = {"l": l, **_RULES}
            self._trials[l] = Trials(self.table, rules, Demands(), 0, job.resources)

        def count(done: int, one: Candidate) -> None:
            job.news += 1

        trials = self._trials[l]
        trials.resources, trials.on_cell = job.resources, count
        return trials

    def try_all(self, choice: Choice, job: Job) -> None:
        """Make and measure a release by every method, and count what else is asked."""
        job.step("trying each way")
        with pinned(self._form):
            self._audited(choice, job)
            trials = self._of(choice.l, job)
            for method in OF_MAP:
                trial = trials.useful(trials.cell(method, choice.k, choice.epsilon))
                trials.cells[method, choice.k, choice.epsilon] = trial

    # ---- what is chosen ----

    @property
    def largest_k(self) -> int:
        """The largest k that can be chosen."""
        return max(K.start, min(K.stop - 1, self.records))

    @property
    def recommended(self) -> Recommended | None:
        """The release that keeps what is usual and changes least.

        None: none does, or it is not known.
        """
        return None if self.map is None else self.map.choice

    def choice(self, form: Mapping[str, str]) -> Choice:
        """Return what an address chooses; what it does not say is the recommended choice's."""
        numbers = {
            name: _number(name, form[name]) for name in ("k", "epsilon", "l", "m") if form.get(name)
        }
        best, epsilons = self.recommended, [one.epsilon for one in self.levels]
        near = numbers.get("epsilon", epsilons[min(1, len(epsilons) - 1)] if epsilons else 0.0)
        if best is not None and not {"k", "epsilon"} & numbers.keys():
            numbers["k"], near = best.k, best.epsilon
        face = form.get("face", "")
        return Choice(
            k=min(max(int(numbers.get("k", _USUAL_K)), K.start), self.largest_k),
            epsilon=min(epsilons, key=lambda one: abs(one - near), default=near),
            l=numbers.get("l") or None,
            m=min(int(numbers.get("m", 0)), _MOST_KNOWN),
            face=face if face in FACES else FACES[0],
        )

    def level(self, choice: Choice) -> Level:
        """Return the distance that was chosen."""
        return next(one for one in self.levels if one.epsilon == choice.epsilon)

    def verdict(self, choice: Choice) -> Verdict:
        """Return what the data are under what was chosen."""
        trials = self._trials[None]
        wanted = self._audits.get(_demand(choice))
        if wanted is None and self.table.n_ratings <= _AT_ONCE:
            wanted = self._audited(choice, None)
        level = self.level(choice)
        return Verdict(
            standing_out=level.standing_out(choice.k),
            found=trials.rows.count / max(self.records, 1),
            l=wanted and wanted["l"],
            known=wanted and wanted["known"],
            counted=wanted is not None,
            reserved=level.reserved,
        )

    def _audited(self, choice: Choice, job: Job | None) -> dict[str, Any]:
        """Return the parts of audits on l and on known answers, counted once."""
        key = _demand(choice)
        if key not in self._audits:
            how: dict[str, Any] = {"k": choice.k, "epsilon": choice.epsilon}
            how |= {"progress": None if job is None else job.report}
            parts: dict[str, Any] = {"l": None, "known": None}
            if choice.l:
                parts["l"] = audit(self.table, l=choice.l, **how).to_dict(0)["k_epsilon_l"]
            if choice.m:
                parts["known"] = audit(self.table, known=choice.m, **how).to_dict(0)["known"]
            self._audits[key] = parts
        return self._audits[key]

    # ---- the map ----

    def rows(self, choice: Choice) -> Iterator[tuple[int, list[Cell]]]:
        """Yield the rows of the map, the largest k first, each with its cells."""
        best = self.recommended
        sizes = {*KS, choice.k, *([] if best is None else [best.k])}
        for k in sorted((k for k in sizes if k <= self.largest_k), reverse=True):
            yield k, [self._cell(level, k, choice.face, best) for level in self.levels]

    def _cell(self, level: Level, k: int, face: str, best: Recommended | None) -> Cell:
        left_out, epsilon = level.withheld(k), level.epsilon
        people = self.records - left_out
        told_apart = level.distinct_left(k) / people if people else 1.0
        marked = best is not None and (best.k, best.epsilon) == (k, epsilon)
        if face == "withheld":
            share = left_out / max(self.records, 1)
            keeps_people = bool(people) and share <= Demands().withhold_at_most
            safe = keeps_people and told_apart <= FOUND_AT_MOST and not level.reserved
            return Cell(k, epsilon, share, left_out, safe, "suppress", marked)
        trial = self._best(k, epsilon)
        if trial is None:
            return Cell(k, epsilon, None, None, False, "", marked)
        share = trial.found.high if face == "found" else trial.changed or 0.0
        return Cell(k, epsilon, share, trial.left_out, self.passes(trial), trial.method, marked)

    def _best(self, k: int, epsilon: float) -> Candidate | None:
        """Return the best release that was tried in a cell: what passes,
        else in which fewest are found.
        """
        some = [one for one in self.tried(Choice(k, epsilon)) if one.left_out is not None]
        passing = least_scatter(some, Demands(), self.records)
        return passing or min(
            some, key=lambda one: (one.found.high, one.left_out or 0), default=None
        )

    def passes(self, one: Candidate) -> bool:
        """Whether a release surely hides people, leaves out few enough, is of use,
        and has no reservation.

        What was not measured is not taken for useful; only who is withheld leaves the others as
        they are.
        """
        return self._hides(one) and (one.method == "suppress" or one.query_error is not None)

    def _hides(self, one: Candidate) -> bool:
        reserved = any(level.reserved for level in self.levels if level.epsilon == one.epsilon)
        return not reserved and Demands().keeps(one, self.records)

    # ---- the table below ----

    def tried(self, choice: Choice) -> Sequence[Candidate]:
        """Return the releases that were tried of what was chosen, in the order of the methods."""
        trials = self._trials.get(choice.l)
        cells = {} if trials is None else trials.cells
        keys = [(method, choice.k, choice.epsilon) for method in OF_MAP]
        return [cells[key] for key in keys if key in cells]

    def columns(self, choice: Choice) -> Sequence[Candidate]:
        """Return what the table shows: what was tried, and withholding, which is known without."""
        tried = list(self.tried(choice))
        trials = self._trials[None]
        if choice.l is None and not any(trial.method == "suppress" for trial in tried):
            tried.append(trials.withheld(choice.k, choice.epsilon))
        return tried

    def is_tried(self, choice: Choice) -> bool:
        """Whether every method was tried."""
        return len(self.tried(choice)) == len(OF_MAP)

    def offered(self, choice: Choice) -> Sequence[tuple[str, Candidate | None]]:
        """Return the methods for a release of what was chosen, the best first,
        with what is known of each.
        """
        if choice.m:
            return [("blank", None)]
        column_of = {column.method: column for column in self.columns(choice)}

        def rank(method: str) -> tuple[bool, float]:
            column = column_of.get(method)
            passes = column is not None and self.passes(column)
            return not passes, (column.scatter or 0.0) if passes and column is not None else 0.0

        return [(method, column_of.get(method)) for method in sorted(OF_MAP, key=rank)]

    @property
    def nobody_can_hide(self) -> bool:
        """Whether more than half have to be left out at every distance, whatever is asked."""
        half = self.records / 2
        return self.records > 1 and all(level.withheld(K.start) > half for level in self.levels)


_RULES: Mapping[str, Any] = {"nulls": "strict", "sensitive_nulls": "paper"}


def _demand(choice: Choice) -> tuple[Any, ...]:
    return (choice.k, choice.epsilon, choice.l, choice.m) if choice.l or choice.m else ()


def _number(name: str, text: str) -> float:
    try:
        number = decimal_number(text)
    except ValueError:
        number = -1.0
    if number < 0:
        raise ParameterError(name, text, "a number that is not negative")
    return number
