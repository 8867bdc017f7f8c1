"""``ratingpriv.recommend``: what may be published, decided.

For each distance that protects and every k from 2 to 50 the map knows exactly how few records have to be
withheld, and who of the others can be re-identified. Releases that keep answers better are made from coarse
to fine: in each the first k at which the people are surely hidden. Of all that keep the demands the one with
least scatter is chosen.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.display import Result
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.frames import frame_of
from ratingpriv.base.numbers import in_full
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.description import TableDescription
from ratingpriv.documents import recommend as documents
from ratingpriv.documents.making import document_of
from ratingpriv.proximity.cores import MOST, Levels, equal_rows
from ratingpriv.studies.candidates import OF_MAP, SWAP, Candidate, Guess, Made, candidate, make
from ratingpriv.studies.cells import Journal, journal_of, seed_of
from ratingpriv.studies.choice import (
    FOUND_AT_MOST,
    SOURCE,
    WITHHOLD_AT_MOST,
    Choice,
    Demands,
    Remedy,
    least_scatter,
    percent,
    sentence,
)
from ratingpriv.studies.found import Found, measured, of_modified, of_withheld

if TYPE_CHECKING:
    import polars as pl

K = range(2, MOST + 1)
"""Every k of a map."""

_EPSILONS = 6  # distances that are compared where none are named
_EVERY = 1000  # distances that are listed
_QUICK = 5_000  # ratings of a table of which every method is tried; of more only where nothing else does
_DEAR = ("modify", "predictive")  # methods that take long
_TRIES = 2  # so many k are tried of a method whose groups are not proved to hide anybody
_SHRINKINGS = 3  # numbers of items that are tried where all of them are too many


@dataclass(frozen=True, slots=True)
class Distance:
    """What withholding does at one distance, exactly.

    Attributes
    ----------
    epsilon : the distance
    withheld : fewest records to leave out for each k of K
    distinct_left : distinct rows among the others: over their number, the share that can be re-identified
    reason : why nothing is compared at it, empty where something is; the two are empty then
    """

    epsilon: float
    withheld: tuple[int, ...] = ()
    distinct_left: tuple[int, ...] = ()
    reason: str = ""

    @property
    def protects(self) -> bool:
        """Whether records are compared at this distance."""
        return not self.reason


class _Work:
    """What is known of a table so far: core numbers at each distance, and the candidates."""

    def __init__(
        self, table: RatingTable, rules: Mapping[str, Any], demands: Demands, seed: int, resources: Resources
    ) -> None:
        # dates are not released unless they are asked for, and are known to nobody here
        self.table = dataclasses.replace(table, timestamps=None)
        self.rules, self.demands, self.seed, self.resources = dict(rules), demands, seed, resources
        self.rows = equal_rows(self.table)
        self.cells: dict[tuple[str, int, float], Candidate] = {}
        self.on_cell: Callable[[int, Candidate], None] | None = None
        self.journal = Journal()
        self._levels: dict[tuple[float, str], Levels] = {}
        self._made: tuple[object, Made | str] | None = None

    @property
    def n(self) -> int:
        """How many records there are."""
        return self.table.n_records

    def target(self, k: int, epsilon: float) -> Target:
        """Return a target by the rules that were asked for."""
        return Target(k=k, epsilon=epsilon, **self.rules)

    def levels(self, epsilon: float, nulls: str | None = None) -> Levels:
        """Return the core numbers at a distance, found once."""
        key = (epsilon, nulls or self.rules["nulls"])
        if key not in self._levels:
            self._levels[key] = Levels.at(
                self.table, epsilon, nulls=key[1], most=MOST, **self.resources.keywords
            )
        return self._levels[key]

    def least_left_out(self, method: str, k: int, epsilon: float) -> int:
        """Return how many records any release by a method leaves out at least (0: that is not known)."""
        if method == "suppress":
            return int(self.levels(epsilon).withheld[k])
        # groups are cliques: their members have k neighbours, where a missing rating is near any other
        return int(self.levels(epsilon, "wildcard").withheld[k]) if method == SWAP else 0

    def withheld(self, k: int, epsilon: float) -> Candidate:
        """Return the release of all but the fewest records, without making it."""
        levels = self.levels(epsilon)
        left, found = int(levels.withheld[k]), of_withheld(levels, self.rows, k)
        if found is None:
            reason = f"no record has {k} neighbours, itself included, at epsilon {in_full(epsilon)}"
            return Candidate("suppress", k, epsilon, reason=reason)
        core = levels.core(k)
        rows = np.unique(self.rows.of[core], return_inverse=True)[1]
        guessed = tuple(Guess.of(one, rows) for one in self.table.take(np.flatnonzero(core)).sensitive)
        return Candidate("suppress", k, epsilon, left, 0.0, 0.0, None, None, found, 1.0, guessed)

    def cell(self, method: str, k: int, epsilon: float) -> Candidate:
        """Return a candidate; it is made where that was not done before, and attacked where it has to be."""
        key = (method, k, epsilon)
        if key not in self.cells:
            if method == "suppress" and self.rules["l"] is None:
                self.cells[key] = self.withheld(k, epsilon)
            else:
                self.resources.report("measuring releases", len(self.cells), None)
                before = len(self.journal.taken)
                rows = self.journal.measured(self._name("cell", *key), lambda: [self._measured(*key)])
                one = self._attacked(Candidate.from_dict(rows[0]))
                taken = len(self.journal.taken) > before
                self.cells[key] = dataclasses.replace(one, from_journal=taken)
            if self.on_cell is not None:
                self.on_cell(len(self.cells), self.cells[key])
        return self.cells[key]

    def _name(self, *parts: object) -> str:
        return json.dumps(parts)

    def _measured(self, *key: Any) -> dict[str, Any]:
        method, k, epsilon = key
        made = self._release(method, k, epsilon)
        return candidate(self.table, method, self.target(k, epsilon), made, self.resources).to_dict()

    def _release(self, *key: Any) -> Made | str:
        """Return a release; the last one is kept, as its attack comes next."""
        if self._made is None or self._made[0] != key:
            method, k, epsilon = key
            seed = seed_of(self.seed, "map", *key)
            self._made = (key, make(self.table, method, self.target(k, epsilon), seed, self.resources))
        return self._made[1]

    def _attacked(self, one: Candidate) -> Candidate:
        """Return the candidate with what an attack says where the bounds leave it open."""
        key = (one.method, one.k, one.epsilon)
        threshold = self.demands.found_at_most
        if one.left_out is None:
            return one
        found = one.found
        if one.method == "modify":
            found = found.within(of_modified(self.levels(one.epsilon), self.rows, one.k))
        if (
            found.keeps(threshold)
            or found.exceeds(threshold)
            or one.left_out > self.demands.withhold_at_most * self.n
        ):
            return dataclasses.replace(one, found=found)
        made = self._release(*key)
        if isinstance(made, str) or made.release is None:
            return dataclasses.replace(one, found=found)

        def keep(label: str, attack: Callable[[], list[dict[str, Any]]]) -> Any:
            return self.journal.measured(self._name("attack", *key, label), attack)

        attacked = measured(
            self.table, made.release, threshold, seed=seed_of(self.seed, "people"),
            resources=self.resources, keep=keep,
        )  # fmt: skip
        return dataclasses.replace(one, found=attacked.within(found))


@dataclass(frozen=True, slots=True)
class Map(Result):
    """What :func:`ratingpriv.recommend` found.

    Attributes
    ----------
    epsilons : every distance that was considered, with what withholding does
    cells : the candidates that were computed, by (method, k, epsilon)
    choice : what may be published; None: nothing keeps the demands
    keeps_more : a candidate that keeps more and does not keep the demands; None: there is none
    nearest : where nothing is chosen, what would do
    notes : what was not compared, and why
    """

    dataset: TableDescription
    parameters: Mapping[str, Any]
    epsilons: tuple[Distance, ...]
    cells: Mapping[tuple[str, int, float], Candidate]
    choice: Choice | None
    keeps_more: Candidate | None
    nearest: tuple[Remedy, ...]
    notes: tuple[str, ...]
    demands: Demands
    work: _Work = field(repr=False, compare=False)

    @property
    def withheld(self) -> dict[tuple[int, float], int]:
        """The fewest records to withhold, by (k, epsilon); exact, without an l."""
        return {
            (k, one.epsilon): fewest
            for one in self.epsilons
            for k, fewest in zip(K, one.withheld, strict=False)
        }

    @property
    def found(self) -> dict[tuple[str, int, float], Found]:
        """Who can be re-identified, by (method, k, epsilon), of all candidates that were computed."""
        return {key: one.found for key, one in self.cells.items()}

    def cell(self, method: str, k: int, epsilon: float) -> Candidate:
        """Return a candidate; what was not computed is, and is kept.

        ParameterError for a method, k or epsilon that a map has not.
        """
        checks.choice("method", method, OF_MAP)
        k = checks.whole_number("k", k, 1)
        return self.work.cell(method, k, checks.non_negative_number("epsilon", epsilon))

    def passes(self, one: Candidate) -> bool:
        """Whether a candidate surely keeps every demand."""
        return self.demands.keeps(one, self.dataset.records)

    def to_frame(self) -> pl.DataFrame:
        """Return a row a candidate: the keys of ``cells`` in the JSON, those of ``found`` by ``found.low``.

        ``passes`` (Boolean): whether it keeps every demand.
        """
        rows = [{**one.to_dict(), "passes": self.passes(one)} for one in self.cells.values()]
        return frame_of(rows, _FRAME)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.recommend/2``."""
        chosen, more = self.choice, self.keeps_more
        return document_of(
            documents.Recommendation,
            self,
            selection=self.dataset.selection,
            k=[K.start, K.stop - 1],
            chosen=chosen is not None,
            threshold={"value": self.demands.found_at_most, "source": SOURCE},
            cells=[{**one.to_dict(), "passes": self.passes(one)} for one in self.cells.values()],
            choice=None if chosen is None else document_of(documents.Chosen, chosen),
            keeps_more=None if more is None else more.to_dict() | {"passes": self.passes(more)},
        )

    def __repr__(self) -> str:
        said = "nothing keeps the demands" if self.choice is None else self.choice.words
        return f"<Map of {self.dataset.name!r}: {said}>"


_FRAME = {
    ("method",): str, ("k",): int, ("epsilon",): float, ("left_out",): int, ("changed",): float,
    ("scatter",): float, ("correlations_moved",): float, ("query_error",): float, ("found", "low"): float,
    ("found", "high"): float, ("found", "by"): str, ("found", "law"): str, ("found", "targets"): int,
    ("read",): float, ("passes",): bool, ("reason",): str,
}  # fmt: skip


@checks.takes_random_state
@takes_frames
def recommend(
    table: TableLike,
    *,
    found_at_most: float = FOUND_AT_MOST,
    withhold_at_most: float = WITHHOLD_AT_MOST,
    guessed_at_most: float | str | None = None,
    k: int | Sequence[int] | None = None,
    epsilon: float | Sequence[float] | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    method: str | Sequence[str] | None = None,
    full: bool = False,
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    journal: str | Path | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    on_resume: Callable[[int], None] | None = None,
    on_cell: Callable[[int, Candidate], None] | None = None,
    **columns: Unpack[ColumnWords],
) -> Map:
    """Decide what may be published of ``table``: least scatter among what keeps the demands [ours].

    The adversary knows every rating of a person, which are missing, and the quasi-identifiers. Who can be
    re-identified is bounded by proof (:mod:`ratingpriv.studies.found`); where the bounds leave it open, the
    release is attacked. Dates are not released and not known.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    found_at_most : share of the released people who may be re-identified; by default 0.09, a convention
    withhold_at_most : share of the records that may be left out
    guessed_at_most : share of the released people whose sensitive value may be guessed right; a text
        ``commonest+0.1``: beyond the commonest value's; None: that is no demand
    k : one or several from 2 to 50; None: from the smallest that can do on
    epsilon : one or several distances; None: those at which anything changes and that protect, six at most
    l : the SD that every sensitive issue shall have; None asks for none
    method : one or several of :data:`ratingpriv.studies.candidates.OF_MAP`; None: all, "modify" and
        "predictive" of much data only where nothing else keeps the demands
    full : whether every k is computed, of every method and distance
    nulls, sensitive_nulls : as for :func:`ratingpriv.anonymize`
    rng : seed, or a generator that one is drawn from
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    journal : where finished candidates are kept, so that a run that was interrupted goes on; whatever the
        demands are
    threads, memory, progress : as for :func:`ratingpriv.anonymize`
    on_resume : called with how many measurements the journal has, where it has some
    on_cell : called with (candidates so far, the last one) as they come

    Raises
    ------
    ParameterError
        An argument is out of range, or does not fit the data.
    OutputError
        The journal is of something else; see :func:`ratingpriv.studies.cells.journal_at`.
    """
    demands = Demands(found_at_most, withhold_at_most, guessed_at_most)
    rules = {"l": l, "nulls": nulls, "sensitive_nulls": sensitive_nulls}
    parameters = check_parameters(k=k, epsilon=epsilon, method=method, full=full, rng=rng, **rules)
    if journal is not None:
        checks.path("journal", journal)
    for name, function in (("on_resume", on_resume), ("on_cell", on_cell)):
        if function is not None:
            checks.function(name, function)
    target = Target(k=1, epsilon=0.0, l=l)
    target.check_data(table.n_records, sensitive=bool(table.sensitive), numeric=bool(table.numeric_sensitive))
    demands.check_data(table.n_records)
    if demands.guessed_at_most is not None and not table.sensitive:
        expected, remedy = "data with a sensitive issue", "name one with `sensitive`"
        raise ParameterError("guessed_at_most", guessed_at_most, expected, remedy)
    rules = {name: parameters[name] for name in rules}
    work = _Work(table, rules, demands, parameters["seed"], Resources(threads, memory, progress))
    work.on_cell = on_cell
    asked = {**rules, "seed": parameters["seed"]}
    with journal_of(journal, asked, {"data": table}) as work.journal:
        if work.journal.finished and on_resume is not None:
            on_resume(len(work.journal.finished))
        return _decided(work, parameters)


def check_parameters(
    *, k: Any = None, epsilon: Any = None, method: Any = None, full: Any = False, rng: Any, **rules: Any
) -> dict[str, Any]:
    """Return the parameters of :func:`recommend` as JSON's own types, checked; worth doing before reading.

    ``rules`` are ``l``, ``nulls`` and ``sensitive_nulls``. ParameterError for the first that is out of range.
    """
    target = Target(k=1, epsilon=0.0, **rules)
    sizes = sorted({checks.whole_number("k", value, K.start) for value in _several("k", k)})
    if sizes and sizes[-1] >= K.stop:
        raise ParameterError("k", sizes[-1], f"a whole number from {K.start} to {K.stop - 1}")
    distances = {checks.non_negative_number("epsilon", value) for value in _several("epsilon", epsilon)}
    names = [checks.choice("method", name, OF_MAP) for name in _several("method", method)]
    return {
        "k": sizes or None,
        "epsilon": sorted(distances) or None,
        "l": target.l,
        "method": list(dict.fromkeys(names)) or None,
        "full": checks.flag("full", full),
        "nulls": target.nulls,
        "sensitive_nulls": target.sensitive_nulls,
        "seed": checks.seed_from(rng),
    }


def _several(name: str, given: Any) -> Sequence[Any]:
    """Return one value or several as a list; None is none."""
    listed = [] if given is None else checks.several(given)
    if listed == [] and given is not None:
        raise ParameterError(name, "none", f"at least one, or no `{name}` at all")
    return [given] if listed is None else listed


def _decided(work: _Work, parameters: Mapping[str, Any]) -> Map:
    """Return the map: exactly what withholding does, then candidates from coarse to fine, then the choice."""
    distances = tuple(_distances(work, parameters["epsilon"]))
    epsilons = [one.epsilon for one in distances if one.protects]
    notes: list[str] = []
    if parameters["full"]:
        for name, at, size in itertools.product(parameters["method"] or OF_MAP, epsilons, K):
            if size <= work.n and size in (parameters["k"] or K):
                work.cell(name, size, at)
        chosen = least_scatter(work.cells.values(), work.demands, work.n)
    else:
        chosen = _coarse(work, epsilons, parameters, notes)
    choice = None if chosen is None else Choice(chosen, work.demands, work.n)
    more = _keeps_more(work, epsilons, chosen)
    nearest = tuple(_remedies(work, epsilons, parameters)) if choice is None else ()
    return Map(
        dataset=TableDescription.of(work.table),
        parameters={**parameters, **dataclasses.asdict(work.demands)},
        epsilons=distances,
        cells=work.cells,
        choice=choice,
        keeps_more=more,
        nearest=nearest,
        notes=tuple(notes),
        demands=work.demands,
        work=work,
    )


def _distances(work: _Work, asked: Sequence[float] | None) -> Iterator[Distance]:
    """Yield each distance, ascending: the given ones, or those at which anything changes."""
    table, nulls = work.table, work.rules["nulls"]
    known = Candidates(table, nulls)
    end = known.unprotected
    listed = known.listed(_EVERY)
    every = asked or [at for at in listed or known.sampled(_EPSILONS + 2) if end is None or at < end]
    spread = np.linspace(0, len(every) - 1, min(len(every), _EPSILONS)).round().astype(int)
    some = every if asked else [every[place] for place in dict.fromkeys(spread.tolist())]
    smaller: dict[float, float] = {}
    for place, at in enumerate(every):
        step = at if listed is None else max(one for one in listed if one <= at)
        if end is not None and at >= end:
            reason = f"at epsilon {in_full(at)} any two ratings are alike: this protects {known.nothing}"
        elif step in smaller:
            reason = f"the same as epsilon {in_full(smaller[step])}: no two ratings are that far apart"
        elif at not in some:
            reason = "not compared: name it with `epsilon`"
        else:
            smaller[step] = at
            work.resources.report("core numbers", place, len(every))
            levels = work.levels(at)
            left, distinct = (
                each[K.start :].tolist() for each in (levels.withheld, levels.distinct(work.rows))
            )
            yield Distance(at, tuple(left), tuple(distinct))
            continue
        yield Distance(at, reason=reason)


def _coarse(
    work: _Work, epsilons: Sequence[float], parameters: Mapping[str, Any], notes: list[str]
) -> Candidate | None:
    """Return the choice of as few candidates as need be made."""
    named, demands = parameters["method"], work.demands
    cheap = work.table.n_ratings <= _QUICK
    # groups of a swap may be larger than k, and what is drawn may not: there 1 / k has to do
    first = {SWAP: demands.smallest_k if cheap else demands.sure_k, "suppress": K.start}
    for name in named or OF_MAP:
        found = least_scatter(work.cells.values(), demands, work.n)
        if name in _DEAR and not (named or cheap) and found is not None:
            notes.append(f"{name} was not tried, as it takes long: name it with `method`, or say `full=True`")
            continue
        # records that only come near each other are told apart as before, and predictive makes equal ones
        smallest = name in _DEAR and not parameters["epsilon"]
        tried = epsilons[:1] if smallest else epsilons
        sizes = parameters["k"] or range(first.get(name, demands.sure_k), K.stop)
        for at in tried:
            _upwards(work, name, at, sizes)
    return least_scatter(work.cells.values(), demands, work.n)


def _upwards(work: _Work, method: str, epsilon: float, sizes: Iterable[int]) -> None:
    """Make candidates of a method at one distance, k after k, until one keeps the demands or none can."""
    demands, most = work.demands, work.demands.withhold_at_most * work.n
    levels, exact = work.levels(epsilon), method == "suppress" and work.rules["l"] is None
    tries = 0
    for k in sizes:
        if k > work.n or work.least_left_out(method, k, epsilon) > most:
            return  # more are left out for every larger k
        if method == "modify" and of_modified(levels, work.rows, k).exceeds(demands.found_at_most):
            tries += 1  # proved without a release
        else:
            if exact:  # the map has all of these; only what keeps the demands is a candidate
                found = of_withheld(levels, work.rows, k)
                if found is None or not found.keeps(demands.found_at_most):
                    continue
            one = work.cell(method, k, epsilon)
            if demands.keeps(one, work.n) or one.left_out is None or one.left_out > most:
                return
            tries += method != SWAP
        if tries >= _TRIES and not exact:
            return


def _keeps_more(work: _Work, epsilons: Sequence[float], chosen: Candidate | None) -> Candidate | None:
    """Return the withholding of fewest records that hides people in neighbourhoods, and does not pass."""
    k = chosen.k if chosen is not None else work.demands.sure_k
    if work.rules["l"] is not None or k not in K:
        return None
    each = [work.withheld(k, at) for at in epsilons]
    some = [one for one in each if one.left_out is not None and not work.demands.keeps(one, work.n)]
    return min(some, key=lambda one: (one.left_out, one.epsilon), default=None)


# ---- where nothing keeps the demands ----


def _remedies(work: _Work, epsilons: Sequence[float], parameters: Mapping[str, Any]) -> Iterator[Remedy]:
    """Yield what would do, each computed: once for each kind."""
    demands, n = work.demands, work.n
    named = parameters["method"] or OF_MAP
    some = [*work.cells.values()]
    if work.rules["l"] is None and "suppress" in named:
        some += [work.withheld(k, at) for at in epsilons for k in parameters["k"] or K if k <= n]
    if SWAP in named:
        at = max(epsilons, default=0.0)
        some += [work.cell(SWAP, k, at) for k in (demands.sure_k, 5, 2) if k * 2 <= n]
    some = [one for one in some if one.left_out is not None and demands.keeps_guesses(one.guessed)]
    hidden = [one for one in some if one.found.keeps(demands.found_at_most)]
    if hidden:
        one = min(hidden, key=lambda one: (one.left_out, one.scatter or 0.0, one.epsilon, one.k))
        share = (one.left_out or 0) / n
        yield Remedy(
            "withhold_at_most",
            f"leave out up to {percent(share, up=True)} of the records (`withhold_at_most`): "
            + sentence(one, n),
            share, one.method, one.k, one.epsilon,
        )  # fmt: skip
    kept = [one for one in some if (one.left_out or 0) <= demands.withhold_at_most * n]
    if kept:
        one = min(kept, key=lambda one: (one.found.high, one.scatter or 0.0, one.epsilon, one.k))
        if one.found.high < 1:
            yield Remedy(
                "found_at_most",
                f"accept {percent(one.found.high, up=True)} re-identified (`found_at_most`): "
                + sentence(one, n),
                one.found.high, one.method, one.k, one.epsilon,
            )  # fmt: skip
    yield from _fewer_items(work, parameters)
    if parameters["method"] is not None:
        every = {**parameters, "method": None, "k": None}
        one_more = _coarse(work, epsilons, every, [])
        if one_more is not None:
            yield Remedy(
                "method", f"take the method {one_more.method}: {sentence(one_more, n)}", None,
                one_more.method, one_more.k, one_more.epsilon,
            )  # fmt: skip
    yield Remedy("tables", "publish tables of counts instead of records")


def _fewer_items(work: _Work, parameters: Mapping[str, Any]) -> Iterator[Remedy]:
    """Yield how many of the most rated items can be released, if fewer can; by bisection, then tried."""
    demands, low, high = work.demands, 0, work.table.n_issues
    k = min(parameters["k"] or [demands.sure_k])
    nulls = "wildcard" if SWAP in (parameters["method"] or OF_MAP) else work.rules["nulls"]

    def small(items: int) -> RatingTable:
        return work.table.select_issues(f"top:{items}")

    def can(items: int) -> bool:
        table = small(items)
        end = Candidates(table, nulls).unprotected
        some = [at for at in parameters["epsilon"] or [0.0, *_below(table, nulls)] if end is None or at < end]
        return any(
            Levels.at(table, at, nulls=nulls, most=k, **work.resources.keywords).withheld[k]
            <= demands.withhold_at_most * work.n
            for at in some
        )

    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if can(middle) else (low, middle)
    for items in dict.fromkeys((low, low // 2, low // 4)[:_SHRINKINGS]):
        if items < 1:
            return
        inner = _Work(small(items), work.rules, demands, work.seed, work.resources)
        epsilons = [one.epsilon for one in _distances(inner, parameters["epsilon"]) if one.protects]
        one = _coarse(inner, epsilons, parameters, [])
        if one is not None:
            words = f'release the {items} items with most ratings (`issues="top:{items}"`): '
            yield Remedy("items", words + sentence(one, work.n), float(items), one.method, one.k, one.epsilon)
            return


def _below(table: RatingTable, nulls: str) -> list[float]:
    """Return the largest distance that protects, if there is one."""
    known = Candidates(table, nulls)
    listed = [at for at in known.listed(_EVERY) or [] if known.unprotected is None or at < known.unprotected]
    return listed[-1:]
