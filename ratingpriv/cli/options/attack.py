"""The options of ``attack``: what the adversary knows, and by which algorithm it is used."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

from typer import Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.rules import ResourceOptions
from ratingpriv.cli.options.values import RULES, days, number, setting, text, whole, whole_or

__all__ = ["RATE", "AlgorithmOptions", "KnowledgeOptions", "sweep_values"]

RATE: dict[str, Any] = {"metavar": "RATE", "min": 0, "max": 1}
"""What options have that are a rate."""

_MANY = whole_or("all", "all")
_VARIED = {
    "known": _MANY, "wrong": whole(0), "unrated": whole(0), "rating-error": number(), "date-error": days,
    "items": text, "knows-count": number(1, none=None),
}  # fmt: skip


_knowledge = partial(Option, rich_help_panel="What the adversary knows")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeOptions:
    """Who is attacked, and what is known of them."""

    adversary: Annotated[
        Literal["colleague", "web-shop", "netflix", "everything"] | None,
        _knowledge(
            metavar="NAME",
            help="colleague (4 within 1), web-shop (8 with dates), netflix (8, 2 wrong, dates within 14), "
            "everything.",
        ),
    ] = None
    known: Annotated[
        int | str | None,
        _knowledge(metavar="M|all", parser=_MANY, help="How many ratings (8, or as many as there are)."),
    ] = None
    wrong: Annotated[int | None, _knowledge(metavar="W", help="How many are completely wrong (0).")] = None
    unrated: Annotated[
        int | None, setting(metavar="U", help="How many of the known the target did not rate (0).")
    ] = None
    knows_count: Annotated[
        float | None,
        setting(**RATE, help="Also how many ratings a target made, within RATE of it (0.5: ±50 %)."),
    ] = None
    knows: Annotated[
        str | None,
        _knowledge(metavar="NAMES", help="Quasi-identifiers: age,region (all), or none of them (none)."),
    ] = None
    rating_error: Annotated[
        float | None, _knowledge(metavar="E", help="The others are correct within E (0).")
    ] = None
    date_error: Annotated[
        float | str | None,
        _knowledge(
            metavar="DAYS|none", parser=number(none="none"), help="Dates too, correct within DAYS (none)."
        ),
    ] = None
    items: Annotated[
        str | None,
        _knowledge(
            "--known-items",
            metavar="KIND",
            help="Which items: uniform (default), not-top:N, rarest.",
            show_default=False,
        ),
    ] = None
    targets: Annotated[
        int | str | None, _knowledge(metavar="N|all", parser=_MANY, help="How many targets; else up to 1000.")
    ] = None
    target: Annotated[tuple[str, ...], _knowledge(metavar="ID", help="Attack this record (repeatable).")] = ()
    short: Annotated[
        Literal["skip", "refuse"] | None,
        setting(metavar="skip|refuse", help="Targets with fewer than M (skip)."),
    ] = None

    @property
    def drawing(self) -> dict[str, Any]:
        """What is known, and of whom, as the library takes it."""
        given = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {"target_ids": given.pop("target") or None, **given}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlgorithmOptions(ResourceOptions):
    """The algorithms and their parameters; what is not given is the paper's."""

    algorithm: Annotated[
        Literal["scoreboard", "matching-set", "scoreboard-rh", "entropic", "best-candidate"] | None,
        Option(
            rich_help_panel=RULES,
            help="Only this one; all are run otherwise. The only record that agrees with all that is known, "
            "or any that does; the best record if it stands out, unless two are, or in any case.",
        ),
    ] = None
    phi: Annotated[
        float | None, setting(metavar="X", help="Eccentricity that a match needs (1.5); RH only.")
    ] = None
    rho0: Annotated[float | None, setting(metavar="X", help="Width of the rating kernel (1.5).")] = None
    d0: Annotated[float | None, setting(metavar="DAYS", help="Width of the date kernel (30).")] = None
    alpha: Annotated[
        float | None, setting(metavar="X", help="Scoreboard's threshold on the similarity (0).")
    ] = None
    rating_tolerance: Annotated[
        float | None, setting(metavar="E", help="Scoreboard: ratings within E agree (the rating error).")
    ] = None
    date_tolerance: Annotated[
        float | None,
        setting(metavar="DAYS", help="Scoreboard: dates within so many days agree (the date error)."),
    ] = None
    interval: Annotated[
        Literal["wilson", "clopper-pearson"],
        setting(help="Wilson's interval, or the exact one, which is wider."),
    ] = "wilson"
    confidence: Annotated[float, setting(metavar="P", help="Confidence of the intervals.")] = 0.95

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters of the algorithm that were given; the library knows which it has."""
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
    for word in given:
        option, equals, listed = word.partition("=")
        name = option.replace("-", "_")
        if option not in _VARIED or not equals or not listed or name in swept:
            raise ParameterError(
                "sweep", word, f"NAME=VALUE,VALUE,... with another NAME each, of {', '.join(_VARIED)}"
            )
        kind = _VARIED[option]
        swept[name] = tuple(kind.of(f"sweep {option}", value.strip()) for value in listed.split(","))
    return swept
