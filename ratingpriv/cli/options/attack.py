"""The options of ``attack``: what the adversary knows, and by which algorithm it is used."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from ratingpriv.cli.options.declare import PARAMETERS, Declaration, option
from ratingpriv.cli.options.rules import ResourceOptions
from ratingpriv.cli.options.types import Days, Kind, Rate, Real, Whole
from ratingpriv.errors import ParameterError

__all__ = ["AlgorithmOptions", "KnowledgeOptions", "sweep_values"]


class _Known(Whole):
    """How many ratings are known, or ``all`` of a target's."""

    name = "M|all"

    def __init__(self) -> None:
        super().__init__(1)
        self.expected = "a whole number >= 1, or all"

    def parse(self, text: str) -> int | str:  # type: ignore[override]
        """Return the number, or the word."""
        return "all" if text.strip().lower() == "all" else super().parse(text)


class _DateError(Days):
    """Days, where ``none`` was said rather than nothing."""

    def parse(self, text: str) -> float | str:  # type: ignore[override]
        """Return the days, or the word."""
        days = super().parse(text)
        return "none" if days is None else days


class _CountError(Rate):
    """How far off the number of a target's ratings is known, or ``none``."""

    def parse(self, text: str) -> float | None:  # type: ignore[override]
        """Return the share, None for the word."""
        return None if text.strip().lower() == "none" else super().parse(text)


_VARIED: dict[str, Kind] = {
    "known": _Known(), "wrong": Whole(0), "unrated": Whole(0), "rating-error": Real(), "date-error": Days(),
    "items": Kind(), "knows-count": _CountError(),
}  # fmt: skip


def _knowledge(*names: str, help: str, **settings: Any) -> Declaration:  # noqa: A002
    return option(*names, help=help, panel="What the adversary knows", **settings)


def _algorithm(*names: str, help: str, **settings: Any) -> Declaration:  # noqa: A002
    return option(*names, help=help, panel=PARAMETERS, **settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeOptions:
    """Who is attacked, and what is known of them."""

    adversary: Annotated[
        Literal["colleague", "web-shop", "netflix", "everything"] | None,
        _knowledge(
            "--adversary",
            metavar="NAME",
            help="colleague (4 within 1), web-shop (8 with dates), netflix (8, 2 wrong, dates within 14), "
            "everything.",
        ),
    ] = None
    known: Annotated[
        int | str | None,
        _knowledge("--known", kind=_Known(), help="How many ratings (8, or as many as there are)."),
    ] = None
    wrong: Annotated[
        int | None,
        _knowledge("--wrong", metavar="W", kind=Whole(0), help="How many are completely wrong (0)."),
    ] = None
    unrated: Annotated[
        int | None,
        _algorithm(
            "--unrated", metavar="U", kind=Whole(0), help="How many of the known the target did not rate (0)."
        ),
    ] = None
    knows_count: Annotated[
        float | None,
        _algorithm(
            "--knows-count",
            kind=Rate(),
            help="Also how many ratings a target made, within RATE of it (0.5: ±50 %).",
        ),
    ] = None
    knows: Annotated[
        str | None,
        _knowledge(
            "--knows", metavar="NAMES", help="Quasi-identifiers: age,region (all), or none of them (none)."
        ),
    ] = None
    rating_error: Annotated[
        float | None, _knowledge("--rating-error", metavar="E", help="The others are correct within E (0).")
    ] = None
    date_error: Annotated[
        float | str | None,
        _knowledge("--date-error", kind=_DateError(), help="Dates too, correct within DAYS (none)."),
    ] = None
    items: Annotated[
        str | None,
        _knowledge(
            "--items",
            metavar="KIND",
            help="Which items: uniform (default), not-top:N, rarest.",
            show_default=False,
        ),
    ] = None
    targets: Annotated[
        str | None,
        _knowledge("--targets", metavar="N|all", help="How many targets; else up to 1000."),
    ] = None
    target: Annotated[
        tuple[str, ...], _knowledge("--target", metavar="ID", help="Attack this record (repeatable).")
    ] = ()
    short: Annotated[
        Literal["skip", "refuse"] | None,
        _algorithm("--short", metavar="skip|refuse", help="Targets with fewer than M (skip)."),
    ] = None

    def drawn(self) -> dict[str, Any]:
        """Return the arguments of the draw that were given, but for the targets and the seed."""
        names = {field.name for field in dataclasses.fields(self)} - {"target", "targets"}
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlgorithmOptions(ResourceOptions):
    """The algorithms and their parameters; what is not given is the paper's."""

    algorithm: Annotated[
        Literal["scoreboard", "matching-set", "scoreboard-rh", "entropic", "best-candidate"] | None,
        _algorithm(
            "--algorithm",
            help="Only this one; all are run otherwise. The only record that agrees with all that is known, "
            "or any that does; the best record if it stands out, unless two are, or in any case.",
        ),
    ] = None
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
