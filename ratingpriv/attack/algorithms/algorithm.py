"""The registry of the attack algorithms: what each is called, names and takes.

It loads no kernel, and NumPy only where a value is checked: pages and the command line walk it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.parameter import Parameter


def _non_negative(name: str, value: object) -> float:
    from ratingpriv.base import checks  # and NumPy with it, which no help needs

    return checks.non_negative_number(name, value)


def _flag(name: str, value: object) -> bool:
    from ratingpriv.base import checks

    return checks.flag(name, value)


def _share(name: str, value: object) -> float:
    share = _non_negative(name, value)
    if share >= 1:
        raise ParameterError(name, value, "a number from 0 up to but not including 1")
    return share


def _positive(name: str, value: object) -> float:
    number = _non_negative(name, value)
    if number == 0:
        raise ParameterError(name, value, "a number > 0")
    return number


@dataclass(frozen=True, slots=True)
class Option:
    """A parameter of algorithms.

    Attributes
    ----------
    default : its value where none is given
    checked : takes its name and a value; ParameterError where that is out of range
    parameter : how the command line asks for it; None: it does not
    optional : whether None is a value, too
    """

    default: Any
    checked: Callable[[str, Any], Any]
    parameter: Parameter | None = None
    optional: bool = False


OPTIONS: Mapping[str, Option] = {
    "phi": Option(
        1.5,
        _non_negative,
        Parameter(words="Eccentricity that a match needs (1.5); RH only.", metavar="X"),
    ),
    "rho0": Option(
        1.5, _positive, Parameter(words="Width of the rating kernel (1.5).", metavar="X")
    ),
    "d0": Option(
        30.0, _positive, Parameter(words="Width of the date kernel (30).", metavar="DAYS")
    ),
    "alpha": Option(
        0.0,
        _share,
        Parameter(words="Scoreboard's threshold on the similarity (0).", metavar="X"),
    ),
    "rating_tolerance": Option(
        0.0,
        _non_negative,
        Parameter(words="Scoreboard: ratings within E agree."),
        optional=True,
    ),
    "date_tolerance": Option(
        None,
        _non_negative,
        Parameter(words="Scoreboard: dates within DAYS agree.", metavar="DAYS"),
        optional=True,
    ),
    "dates": Option(None, _flag, optional=True),
}
"""Every option, in the order of the help; see :func:`ratingpriv.attack.scoreboard` and
:func:`ratingpriv.attack.scoreboard_rh` for what they mean.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm:
    """An attack algorithm.

    Attributes
    ----------
    scores : by which of the two sets of scores it goes
    options : those of OPTIONS that it takes
    names : which record it names, as pages say it
    by_coin : whether it names any of equally good candidates
    """

    scores: Literal["scoreboard", "scoreboard-rh"]
    options: tuple[str, ...]
    names: str
    by_coin: bool = False


_MATCHING = ("alpha", "date_tolerance", "rating_tolerance")
_ROBUST = ("d0", "dates", "rho0")

ALGORITHMS: Mapping[str, Algorithm] = {
    "scoreboard": Algorithm(
        scores="scoreboard",
        options=_MATCHING,
        names="the only record that agrees with every known rating, or none",
    ),
    "matching-set": Algorithm(
        scores="scoreboard",
        options=_MATCHING,
        names="any of the records that agree with every known rating, by a coin",
        by_coin=True,
    ),
    "scoreboard-rh": Algorithm(
        scores="scoreboard-rh",
        options=(*_ROBUST, "phi"),
        names="the record that agrees best, if it stands out (robust to errors)",
    ),
    "entropic": Algorithm(
        scores="scoreboard-rh",
        options=_ROBUST,
        names="the record that agrees best, unless two do",
    ),
    "best-candidate": Algorithm(
        scores="scoreboard-rh",
        options=_ROBUST,
        names="the record that agrees best, of equals any, by a coin",
        by_coin=True,
    ),
}
"""Who is named, by two sets of scores.

* "scoreboard": the only record that agrees with all that is known, or nobody; "matching-set": one
  of those that do, by a coin, which is the paper's own best guess
  [NS08, §4 "Algorithm Scoreboard"].
* "scoreboard-rh": the best record if it stands out [NS08, §4 "Algorithm Scoreboard-RH"];
  "entropic": the likeliest, unless two are equally so [NS08, §4]; "best-candidate": the best, of
  equals one by a coin. It names somebody wherever the other two do, so that neither is ever more
  often correct.
"""
