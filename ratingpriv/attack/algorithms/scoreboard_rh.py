"""Scoreboard-RH, the robust algorithm of the Netflix study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ratingpriv.attack.algorithms import _scoreboard_rh as kernels
from ratingpriv.attack.algorithms.driver import Scoring, arrays_of, attack_all, index_for
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.algorithms.result import Attacked
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable


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
    """Attack every target with Scoreboard-RH, exactly: as if every record were scored for every target.

    Implements [NS08, §4 "Algorithm Scoreboard-RH" and §5]. Logarithms of weights are natural; another base
    multiplies all scores and changes neither the eccentricity nor Π. Where the paper is silent or its
    sections differ:

    * |supp(i)| = 1: the weight is 1 / ln 2, that of an issue with two raters. The target's own rating does
      not count while the target is absent.
    * σ is the standard deviation (division by n) of the scores of *all* candidates, zeros included.
    * A record is declared the target's if (max - max2) / σ >= φ (§4; §5 says >) and no other has the same
      score. With φ = 0 any single best is declared.
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
    resources : memory is 20 bytes a record and thread, for as many threads as fit

    Raises
    ------
    ParameterError
        A parameter is out of range; dates are wanted and there are none; or the auxiliary information names
        issues or records that the data does not have.
    """
    given = {"rho0": rho0, "d0": d0, "phi": phi, "dates": dates}
    options = {name: OPTION_CHECKS[name](name, value) for name, value in given.items()}
    return attack_all(scoring(data, auxiliary, **options), top=top, resources=resources)


class _Rules(NamedTuple):
    """What the kernels go by."""

    rho0: float
    d0: float
    phi: float
    dates: bool


def scoring(
    data: RatingTable | Index,
    auxiliary: Auxiliary,
    *,
    rho0: float = 1.5,
    d0: float = 30.0,
    phi: float = 1.5,
    dates: bool | None = None,
) -> Scoring:
    """Return Scoreboard-RH ready to score; parameters as :func:`scoreboard_rh`, checked."""
    index, compared = index_for(data, auxiliary, dates)
    rules = _Rules(rho0, d0, phi, compared)
    arrays, told = arrays_of(index, auxiliary), rules._asdict()
    return Scoring(index, auxiliary, *arrays, kernels, rules, False, "scoreboard-rh", told)


def _positive(name: str, value: object) -> float:
    number = checks.non_negative_number(name, value)
    if number == 0:
        raise ParameterError(name, value, "a number > 0")
    return number


OPTION_CHECKS: Mapping[str, Callable[[str, object], Any]] = {
    "rho0": _positive,
    "d0": _positive,
    "phi": checks.non_negative_number,
    "dates": lambda name, value: None if value is None else checks.flag(name, value),
}
"""What refuses a value of an option, by the option's name."""
