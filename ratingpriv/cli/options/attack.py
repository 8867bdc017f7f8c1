"""The options of ``attack``: what the adversary knows, and by which algorithm it is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from ratingpriv.cli.options.declare import PARAMETERS, Declaration, option
from ratingpriv.cli.options.rules import ResourceOptions
from ratingpriv.cli.options.types import Days, Kind, Real, Whole
from ratingpriv.errors import ParameterError

__all__ = ["AlgorithmOptions", "KnowledgeOptions", "sweep_values"]

_VARIED: dict[str, Kind] = {
    "known": Whole(1), "wrong": Whole(0), "rating-error": Real(), "date-error": Days(), "items": Kind(),
}  # fmt: skip


def _knowledge(*names: str, help: str, **settings: Any) -> Declaration:  # noqa: A002
    return option(*names, help=help, panel="What the adversary knows", **settings)


def _algorithm(*names: str, help: str, **settings: Any) -> Declaration:  # noqa: A002
    return option(*names, help=help, panel=PARAMETERS, **settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeOptions:
    """Who is attacked, and what is known of them."""

    known: Annotated[int, _knowledge("--known", metavar="M", kind=Whole(1), help="How many ratings.")] = 8
    wrong: Annotated[int, _knowledge("--wrong", metavar="W", help="How many are completely wrong.")] = 0
    rating_error: Annotated[
        float, _knowledge("--rating-error", metavar="E", help="The others are correct within E.")
    ] = 0.0
    date_error: Annotated[
        float | None,
        _knowledge("--date-error", kind=Days(), help="Dates too, correct within DAYS."),
    ] = None
    items: Annotated[
        str,
        _knowledge(
            "--items",
            metavar="KIND",
            help="Which items: uniform (default), not-top:N, rarest.",
            show_default=False,
        ),
    ] = "uniform"
    targets: Annotated[
        str | None,
        _knowledge("--targets", metavar="N|all", help="How many targets; else up to 1000."),
    ] = None
    target: Annotated[
        tuple[str, ...], _knowledge("--target", metavar="ID", help="Attack this record (repeatable).")
    ] = ()
    short: Annotated[
        Literal["skip", "refuse"],
        _knowledge("--short", metavar="skip|refuse", help="Targets with fewer than M."),
    ] = "skip"

    def drawn(self) -> dict[str, Any]:
        """Return the arguments of the draw, but for the targets and the seed."""
        names = ("known", "wrong", "rating_error", "date_error", "items", "short")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlgorithmOptions(ResourceOptions):
    """The algorithm and its parameters; what is not given is the paper's."""

    algorithm: Annotated[
        Literal["scoreboard", "scoreboard-rh", "entropic"],
        _algorithm(
            "--algorithm",
            help="Every known rating must agree; robust, names a record that stands out; or always the "
            "likeliest.",
        ),
    ] = "scoreboard-rh"
    phi: Annotated[
        float | None, _algorithm("--phi", help="Eccentricity that a match needs (1.5); RH only.")
    ] = None
    rho0: Annotated[float | None, _algorithm("--rho0", help="Width of the rating kernel (1.5).")] = None
    d0: Annotated[float | None, _algorithm("--d0", metavar="DAYS", help="Width of the date kernel (30).")] = (
        None
    )
    alpha: Annotated[
        float | None, _algorithm("--alpha", help="Scoreboard's threshold on the similarity (0).")
    ] = None
    rating_tolerance: Annotated[
        float | None,
        _algorithm(
            "--rating-tolerance",
            metavar="E",
            help="Scoreboard: ratings within E agree (the rating error).",
        ),
    ] = None
    date_tolerance: Annotated[
        float | None,
        _algorithm(
            "--date-tolerance",
            metavar="DAYS",
            help="Scoreboard: dates within so many days agree (the date error).",
        ),
    ] = None
    interval: Annotated[
        Literal["wilson", "clopper-pearson"],
        _algorithm("--interval", help="Wilson's interval, or the exact one, which is wider."),
    ] = "wilson"
    confidence: Annotated[
        float, _algorithm("--confidence", metavar="P", help="Confidence of the intervals.")
    ] = 0.95

    def given(self) -> dict[str, float]:
        """Return the parameters of the algorithm that were given; the library knows which it has."""
        names = ("phi", "rho0", "d0", "alpha", "rating_tolerance", "date_tolerance")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


def sweep_values(given: tuple[str, ...]) -> dict[str, tuple[Any, ...]]:
    """Return the values of ``--sweep known=2,4,8``, by the library's names.

    Raises
    ------
    ParameterError
        A name that cannot be varied or is repeated, or a value that its option would refuse.
    """
    swept: dict[str, tuple[Any, ...]] = {}
    for text in given:
        option, equals, listed = text.partition("=")
        name = option.replace("-", "_")
        if option not in _VARIED or not equals or not listed or name in swept:
            raise ParameterError(
                "sweep", text, f"NAME=VALUE,VALUE,... with another NAME each, of {', '.join(_VARIED)}"
            )
        kind = _VARIED[option]
        swept[name] = tuple(kind.read(f"sweep {option}", value.strip()) for value in listed.split(","))
    return swept
