"""How the attack algorithms score and name: the two by whose scores all go, and their options."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from ratingpriv.attack.algorithms import _scoreboard, _scoreboard_rh
from ratingpriv.attack.algorithms.algorithm import ALGORITHMS, OPTIONS
from ratingpriv.attack.algorithms.attacked import Attacked
from ratingpriv.attack.algorithms.driver import Scoring, arrays_of, attack_all
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.dates import INSTANT
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.levels import codes_within

type Algorithms = Mapping[str, Mapping[str, Any]]
"""The options of each of the algorithms that attack, in the order of the results."""


def scoreboard(
    data: RatingTable | Index,
    auxiliary: Auxiliary,
    *,
    alpha: float = 0.0,
    rating_tolerance: float | None = 0.0,
    date_tolerance: float | None = None,
    top: int = 10,
    resources: Resources = Resources(),
) -> Attacked:
    """Attack every target with Scoreboard: the matching set, and the uniform distribution over it.

    Implements [NS08, §4 "Algorithm Scoreboard"] with Sim of §5. Score(aux, r') is the least
    Sim(aux_i, r'_i) over what is known; a record that has not rated one of the issues has score 0.
    The matching set is {r' : Score > α}; if it is empty there is no match. Where the paper is
    silent:

    * The paper's best guess is any member of the matching set with the highest score. Here ``best``
      is named only where that is a single record; 2^-``entropy_bits`` is the chance of guessing
      right in the set.
    * A true record outside the matching set has Π = 0. Its ``entropy_bits`` are log2 n then, as in
      [NS08, Def. 4] for an adversary without a lineup; so are ``shannon_bits`` where the set is
      empty.

    Parameters
    ----------
    data : the table, or its Index where it is attacked more than once
    auxiliary : what is known
    alpha : α, from 0 up to but not including 1. It matters for a graded Sim only: else Score is 0
        or 1
    rating_tolerance : ratings within it are similar (Sim 1), others not (Sim 0), compared as
        decimals. None: Sim is graded, 1 - |ρ - ρ'| / (width of the scale)
    date_tolerance : dates farther apart than so many days make Sim 0, and so does a candidate's
        missing date; a date that is not known is not compared. None: dates are not compared
    top : how many best candidates to give for each target, >= 1
    resources : memory is 24 bytes a record and thread, for as many threads as fit

    Raises
    ------
    ParameterError
        A parameter is out of range; dates are wanted and there are none; or the auxiliary
        information names issues or records that the data does not have.
    """
    options = {
        "alpha": alpha,
        "rating_tolerance": rating_tolerance,
        "date_tolerance": date_tolerance,
    }
    scored = scoring("scoreboard", data, auxiliary, options_of("scoreboard", options)["scoreboard"])
    return attack_all(scored, top=top, resources=resources)


def scoreboard_rh(
    data: RatingTable | Index,
    auxiliary: Auxiliary,
    *,
    rho0: float = 1.5,
    d0: float = 30.0,
    phi: float = 1.5,
    dates: bool | None = None,
    top: int = 10,
    resources: Resources = Resources(),
) -> Attacked:
    """Attack every target with Scoreboard-RH, exactly:
    as if every record were scored for every target.

    Implements [NS08, §4 "Algorithm Scoreboard-RH" and §5]. Logarithms of weights are natural;
    another base multiplies all scores and changes neither the eccentricity nor Π. Where the paper
    is silent or its sections differ:

    * |supp(i)| = 1: the weight is 1 / ln 2, that of an issue with two raters. The target's own
      rating does not count while the target is absent.
    * σ is the standard deviation (division by n) of the scores of *all* candidates, zeros included.
    * A record is declared the target's if (max - max2) / σ >= φ (§4; §5 says >) and no other has
      the same score. With φ = 0 any single best is declared.
    * σ = 0 (all scores equal, as without any overlap): eccentricity 0, no match, Π uniform.
    * One candidate only: nothing to stand out from; eccentricity NaN, no match, Π = 1.
    * A date that is not known, or that the candidate lacks, adds nothing.

    Parameters
    ----------
    data : the table, or its Index where it is attacked more than once
    auxiliary : what is known
    rho0 : ρ0, the width of the rating kernel, in units of the ratings; > 0
    d0 : the width of the date kernel, in days; > 0
    phi : φ, the eccentricity from which on a match is declared
    dates : whether dates are compared; None: if both the data and what is known have them
    top : how many best candidates to give for each target, >= 1
    resources : memory is 24 bytes a record and thread, for as many threads as fit

    Raises
    ------
    ParameterError
        A parameter is out of range; dates are wanted and there are none; or the auxiliary
        information names issues or records that the data does not have.
    """
    options = {"rho0": rho0, "d0": d0, "phi": phi, "dates": dates}
    scored = scoring(
        "scoreboard-rh", data, auxiliary, options_of("scoreboard-rh", options)["scoreboard-rh"]
    )
    return attack_all(scored, top=top, resources=resources)


def scoring(
    algorithm: str, data: RatingTable | Index, auxiliary: Auxiliary, options: Mapping[str, Any]
) -> Scoring:
    """Return "scoreboard" or "scoreboard-rh" ready to score, by ``options`` that are checked.

    ParameterError where dates are wanted and missing, or what is known does not fit the data.
    """
    defaults = {name: OPTIONS[name].default for name in ALGORITHMS[algorithm].options}
    options = {**defaults, **options}
    dates = options["dates"] if "dates" in options else options["date_tolerance"] is not None
    if not isinstance(data, Index):
        data = Index.of(data, dates=dates if dates or auxiliary.dated else False)
    elif dates and not data.dated:
        raise ParameterError("dates", dates, "False: this Index was made without dates")
    if dates and not auxiliary.dated:
        raise ParameterError("dates", dates, "False: no date is known of any target")
    table = data.table
    for what, positions, most in (
        ("issues", auxiliary.issues, table.n_issues),
        ("records", auxiliary.targets, table.n_records),
    ):
        if len(positions) and not -1 <= positions.min() <= positions.max() < most:
            raise ParameterError(
                "auxiliary", int(positions.max()), f"positions of the {most} {what}"
            )
    compared = data.dated and auxiliary.dated and dates is not False
    arrays, settings = arrays_of(data, auxiliary, dated=compared), {**options, "dates": compared}
    if algorithm == "scoreboard-rh":
        robust = _scoreboard_rh.Rules(options["rho0"], options["d0"], options["phi"])
        return Scoring(data, *arrays, _scoreboard_rh, robust, algorithm, settings)
    width = 0.0
    low = high = np.zeros(len(auxiliary.ratings), dtype=np.int64)
    if options["rating_tolerance"] is None:
        width = 1.0 if table.scale is None else table.scale.maximum - table.scale.minimum
        width = width if width > 0 else 1.0
    else:
        low, high = codes_within(table.levels, auxiliary.ratings, options["rating_tolerance"])
    owner = np.repeat(np.arange(auxiliary.n_targets), auxiliary.known)
    order = np.lexsort((np.append(data.supports, 0)[auxiliary.issues], owner))
    reach = np.inf if options["date_tolerance"] is None else options["date_tolerance"] + INSTANT
    matching = _scoreboard.Rules(low, high, order, options["alpha"], width, reach)
    return Scoring(data, *arrays, _scoreboard, matching, algorithm, settings)


def options_of(algorithm: str | None, options: Mapping[str, Any] | None) -> Algorithms:
    """Return the options of the algorithm, checked; with None those that each of ALGORITHMS has."""
    run = (
        [*ALGORITHMS] if algorithm is None else [checks.choice("algorithm", algorithm, ALGORITHMS)]
    )
    names = sorted({name for each in run for name in ALGORITHMS[each].options})
    given = {}
    for name, value in (
        {} if options is None else checks.mapping("options", options, "values by name")
    ).items():
        if name not in names:
            whose = "one of the attacks" if algorithm is None else algorithm
            raise ParameterError(name, value, f"an option of {whose}: {', '.join(names)}")
        none = value is None and OPTIONS[name].optional
        given[name] = None if none else OPTIONS[name].checked(name, value)
    return {
        each: {name: value for name, value in given.items() if name in ALGORITHMS[each].options}
        for each in run
    }


def options_used(algorithm: str, parameters: Mapping[str, Any], *, dated: bool) -> dict[str, Any]:
    """Return the options with which an attack of these ``parameters``
    can be repeated on other data.

    Whether dates were compared is left out; so is how, where the other data are not ``dated``: no
    date that is known can be compared with anything then.
    """
    left_out = ("dates",) if dated else ("dates", "date_tolerance")
    options = ALGORITHMS[algorithm].options
    names = (name for name in options if name in parameters and name not in left_out)
    return {name: parameters[name] for name in names}


def fitting(algorithm: str, options: Mapping[str, Any], drawn: Mapping[str, Any]) -> dict[str, Any]:
    """Complete the options of an adversary who knows how far off the auxiliary information is.

    Scoreboard's tolerances, where not given, are the errors with which ratings and dates were
    ``drawn``: [NS08, Theorem 1] supposes that Sim accepts them.
    """
    errors = {"rating_tolerance": "rating_error", "date_tolerance": "date_error"}
    errors_drawn = {option: drawn[error] for option, error in errors.items() if error in drawn}
    return {
        option: value
        for option, value in errors_drawn.items()
        if option in ALGORITHMS[algorithm].options
    } | dict(options)


def index_of(table: RatingTable, *, dated: bool, algorithms: Algorithms | None = None) -> Index:
    """Return the inverted lists for any number of attacks,
    with dates if known dates are to be compared.

    ``dated``: whether dates are known; if not, the data's are left out unless the ``algorithms``
    want them.
    """
    every = (algorithms or {}).values()
    wanted = any(
        options.get("date_tolerance") is not None or bool(options.get("dates")) for options in every
    )
    return Index.of(table, dates=None if dated or wanted else False)


def scorings_of(algorithms: Algorithms, index: Index, auxiliary: Auxiliary) -> dict[str, Scoring]:
    """Return by their scores what the algorithms score:
    once for those that go by the same scores.
    """
    shared: dict[str, dict[str, Any]] = {}
    for algorithm, options in algorithms.items():
        shared.setdefault(ALGORITHMS[algorithm].scores, {}).update(options)
    return {
        scores: scoring(scores, index, auxiliary, options) for scores, options in shared.items()
    }


def named(algorithm: str, scored: Attacked) -> Attacked:
    """Return the answers of the algorithm that names a record by these scores,
    those of "scoreboard(-rh)".
    """
    if algorithm == scored.algorithm:
        return scored
    best = scored.best_candidate
    # a single candidate has no eccentricity (NaN), two equal ones have 0
    if algorithm == "entropic":
        best = np.where(scored.eccentricity == 0, -1, best)
    parameters = {name: value for name, value in scored.parameters.items() if name != "phi"}
    matching = scored.matching if algorithm == "matching-set" else (best >= 0).astype(np.int64)
    return dataclasses.replace(
        scored, best=best, matching=matching, algorithm=algorithm, parameters=parameters
    )
