"""``ratingpriv.recommend``: what may be published, decided.

For each distance that protects and every k from 2 to 50 the map knows exactly how few records have
to be withheld, and who of the others can be re-identified. Releases that keep answers better are
made from coarse to fine: in each the first k at which the people are surely hidden. Of all that
keep the demands the one with least scatter is chosen.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from ratingpriv.base import checks
from ratingpriv.base.compute.compiling import pinned, telling
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.reservations import FOUND_AT_MOST, checked_codes
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.data.table.description import TableDescription
from ratingpriv.studies.candidates import OF_MAP, Candidate
from ratingpriv.studies.cells import journal_of
from ratingpriv.studies.choice import WITHHOLD_AT_MOST, Choice, Demands, refused_swap
from ratingpriv.studies.distances import Distance, K, distances_of
from ratingpriv.studies.effort import Effort
from ratingpriv.studies.exclusions import exclusion, words
from ratingpriv.studies.map import Map
from ratingpriv.studies.remedies import remedies
from ratingpriv.studies.search import coarse, keeps_more
from ratingpriv.studies.trials import Trials

_PLAIN = 1000  # ratings, up to which several releases are made sooner than compiled code is loaded


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
    accept: Sequence[str] = (),
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

    The adversary knows every rating of a person, which are missing, and the quasi-identifiers. Who
    can be re-identified is bounded by proof (:mod:`ratingpriv.studies.found`); where the bounds
    leave it open, the release is attacked. Dates are not released and not known.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    found_at_most : share of the released people who may be re-identified; by default 0.09, a
        convention
    withhold_at_most : share of the records that may be suppressed
    guessed_at_most : share of the released people whose sensitive value may be inferred correctly;
        a text ``commonest+0.1``: beyond the commonest value's; None: that is no demand
    k : one or several from 2 to 50; None: from the smallest that can do on
    epsilon : one or several distances; None: those at which anything changes and that protect, six
        at most
    l : the SD that every sensitive issue shall have; None asks for none
    method : one or several of :data:`ratingpriv.studies.candidates.OF_MAP`; None: all, "modify" and
        "predictive" of much data only where nothing else keeps the demands
    full : whether every k is computed, of every method and distance, but for those that a law
        proves to miss a demand (:mod:`ratingpriv.studies.exclusions`)
    accept : codes of reservations (:mod:`ratingpriv.base.reservations`) that every release of the
        data has and with which a choice is a yes to you
    nulls, sensitive_nulls : as for :func:`ratingpriv.anonymize`
    rng : seed, or a generator that one is drawn from
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    journal : where finished candidates are kept, so that a run that was interrupted goes on;
        whatever the demands are
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
    demands, accept = (
        Demands(found_at_most, withhold_at_most, guessed_at_most),
        checked_codes(accept),
    )
    rules = {"l": l, "nulls": nulls, "sensitive_nulls": sensitive_nulls}
    parameters = check_parameters(k=k, epsilon=epsilon, method=method, full=full, rng=rng, **rules)
    if journal is not None:
        checks.path("journal", journal)
    for name, function in (("on_resume", on_resume), ("on_cell", on_cell)):
        if function is not None:
            checks.function(name, function)
    target = Target(k=1, epsilon=0.0, l=l)
    target.check_data(
        table.n_records, sensitive=bool(table.sensitive), numeric=bool(table.numeric_sensitive)
    )
    demands.check_data(table.n_records)
    if demands.guessed_at_most is not None and not table.sensitive:
        expected, remedy = "data with a sensitive item", "name one with `sensitive`"
        raise ParameterError("guessed_at_most", guessed_at_most, expected, remedy)
    rules = {name: parameters[name] for name in rules}
    resources = Resources(threads, memory, progress)
    asked = {**rules, "seed": parameters["seed"]}
    form: Any = "compiled" if table.n_ratings > _PLAIN else None
    with (
        journal_of(journal, asked, {"data": table}) as opened,
        pinned(form),
        telling(progress),
    ):
        trials = Trials(table, rules, demands, parameters["seed"], resources)
        trials.on_cell, trials.journal = on_cell, opened
        if trials.journal.finished and on_resume is not None:
            on_resume(len(trials.journal.finished))
        distances = tuple(distances_of(trials, parameters["epsilon"]))
        found = decided(trials, distances, parameters, accept)
    trials.journal = trials.journal.copy()  # what the map is asked for later is kept in memory
    return found


def check_parameters(
    *,
    k: Any = None,
    epsilon: Any = None,
    method: Any = None,
    full: Any = False,
    rng: Any,
    **rules: Any,
) -> dict[str, Any]:
    """Return the parameters of :func:`recommend` as JSON's own types, checked;
    worth doing before reading.

    ``rules`` are ``l``, ``nulls`` and ``sensitive_nulls``. ParameterError for the first that is out
    of range.
    """
    target = Target(k=1, epsilon=0.0, **rules)
    sizes = sorted({checks.whole_number("k", value, K.start) for value in _several("k", k)})
    if sizes and sizes[-1] >= K.stop:
        raise ParameterError("k", sizes[-1], f"a whole number from {K.start} to {K.stop - 1}")
    distances = {
        checks.non_negative_number("epsilon", value) for value in _several("epsilon", epsilon)
    }
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


def decided(
    trials: Trials,
    distances: tuple[Distance, ...],
    parameters: Mapping[str, Any],
    accept: tuple[str, ...] = (),
) -> Map:
    """Return the map: exactly what withholding does, then candidates from coarse to fine,
    then the choice.

    ``distances`` are of :func:`ratingpriv.studies.distances.distances_of`, ``parameters`` of
    :func:`check_parameters`.
    """
    epsilons = [one.epsilon for one in distances if one.protects]
    notes: list[str] = []
    if parameters["full"]:
        chosen = _of_all(trials, epsilons, parameters, notes)
    else:
        chosen = coarse(trials, epsilons, Effort.of(trials, parameters), notes)
    return Map(
        dataset=TableDescription.of(trials.table),
        parameters={**parameters, **dataclasses.asdict(trials.demands)},
        epsilons=distances,
        cells=trials.cells,
        choice=None if chosen is None else _choice(trials, chosen),
        keeps_more=keeps_more(trials, epsilons, chosen),
        nearest=tuple(remedies(trials, epsilons, parameters)) if chosen is None else (),
        notes=tuple(notes),
        cautions=trials.reserved,
        accept=accept,
        demands=trials.demands,
        trials=trials,
    )


def _choice(trials: Trials, chosen: Candidate) -> Choice:
    """Return the choice, beside what was refused and tells less."""
    refused = refused_swap(chosen, trials.cells.values(), trials.demands, trials.n)
    return Choice(chosen, trials.demands, trials.n, refused)


def _of_all(
    trials: Trials, epsilons: Sequence[float], parameters: Mapping[str, Any], notes: list[str]
) -> Candidate | None:
    """Return the choice of every method, distance and k that no law excludes."""
    for method, at in itertools.product(parameters["method"] or OF_MAP, epsilons):
        excluded = {}
        for k in parameters["k"] or K:
            if k > trials.n:
                break
            if why := exclusion(trials, method, k, at, min(epsilons)):
                excluded[k] = why
            else:
                trials.cell(method, k, at)
        notes += words(trials, method, at, excluded)
    return trials.best()
