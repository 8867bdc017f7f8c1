"""The options of ``attack``: what the adversary knows, and by which algorithm it is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ratingpriv.cli.options import values
from ratingpriv.cli.options.shared import choices
from ratingpriv.errors import ParameterError

__all__ = ["AlgorithmOptions", "KnowledgeOptions", "days", "rate", "sweep_values"]

_KNOWLEDGE, _ALGORITHM = "What the adversary knows", "Algorithm"
_VARIED = {"known": "known", "wrong": "wrong", "rating-error": "rating_error", "date-error": "date_error",
           "items": "items"}  # fmt: skip


_PARSED: dict[str, Callable[[str], Any]] = {
    "known": lambda text: values.whole("sweep known", text, 1),
    "wrong": lambda text: values.whole("sweep wrong", text, 0),
    "rating-error": lambda text: values.real("sweep rating-error", text),
    "date-error": lambda text: days("sweep date-error", text),
    "items": str,
}


def _option(panel: str, *names: str, help: str, metavar: str) -> Any:  # noqa: A002
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=panel)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeOptions:
    """Who is attacked, and what is known of them."""

    known: Annotated[str, _option(_KNOWLEDGE, "--known", metavar="M", help="How many ratings.")] = "8"
    wrong: Annotated[
        str, _option(_KNOWLEDGE, "--wrong", metavar="W", help="How many of them are completely wrong.")
    ] = "0"
    rating_error: Annotated[
        str, _option(_KNOWLEDGE, "--rating-error", metavar="E", help="The other ratings are right within E.")
    ] = "0"
    date_error: Annotated[
        str,
        _option(
            _KNOWLEDGE, "--date-error", metavar="DAYS|none",
            help="Their dates are right within so many days; none: no date is known.",
        ),
    ] = "none"  # fmt: skip
    items: Annotated[
        str,
        _option(
            _KNOWLEDGE, "--items", metavar="uniform|not-top:N|rarest",
            help="Of which issues: any, any outside the N most rated, or the target's least rated.",
        ),
    ] = "uniform"  # fmt: skip
    targets: Annotated[
        str | None,
        _option(
            _KNOWLEDGE, "--targets", metavar="N|all", help="How many records are attacked; else up to 1000."
        ),
    ] = None
    target: Annotated[
        list[str] | None,
        _option(_KNOWLEDGE, "--target", metavar="ID", help="Attack this record (repeatable)."),
    ] = None
    short: Annotated[
        str,
        typer.Option(
            "--short",
            help="Targets with fewer than M such ratings: skip and count them, or refuse.",
            rich_help_panel=_KNOWLEDGE,
            **choices("skip", "refuse"),
        ),
    ] = "skip"

    def drawn(self) -> dict[str, Any]:
        """Return the arguments of the draw, but for the targets and the seed."""
        return {
            "known": values.whole("known", self.known, 1),
            "wrong": values.whole("wrong", self.wrong, 0),
            "rating_error": values.real("rating-error", self.rating_error),
            "date_error": days("date-error", self.date_error),
            "items": self.items,
            "short": self.short,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AlgorithmOptions:
    """The algorithm and its parameters; what is not given is the paper's."""

    algorithm: Annotated[
        str,
        typer.Option(
            "--algorithm",
            help="Every known rating must agree; robust, names a record that stands out; or always the "
            "likeliest.",
            rich_help_panel=_ALGORITHM,
            **choices("scoreboard", "scoreboard-rh", "entropic"),
        ),
    ] = "scoreboard-rh"
    phi: Annotated[
        str | None,
        _option(_ALGORITHM, "--phi", metavar="X", help="Eccentricity that a match needs (1.5); RH only."),
    ] = None
    rho0: Annotated[
        str | None, _option(_ALGORITHM, "--rho0", metavar="X", help="Width of the rating kernel (1.5).")
    ] = None
    d0: Annotated[
        str | None, _option(_ALGORITHM, "--d0", metavar="DAYS", help="Width of the date kernel (30).")
    ] = None
    alpha: Annotated[
        str | None,
        _option(_ALGORITHM, "--alpha", metavar="X", help="Scoreboard's threshold on the similarity (0)."),
    ] = None
    rating_tolerance: Annotated[
        str | None,
        _option(
            _ALGORITHM, "--rating-tolerance", metavar="E",
            help="Scoreboard: ratings within E agree (the rating error).",
        ),
    ] = None  # fmt: skip
    date_tolerance: Annotated[
        str | None,
        _option(
            _ALGORITHM, "--date-tolerance", metavar="DAYS",
            help="Scoreboard: dates within so many days agree (the date error).",
        ),
    ] = None  # fmt: skip
    interval: Annotated[
        str,
        typer.Option(
            "--interval",
            help="Wilson's interval, or the exact one, which is wider.",
            rich_help_panel=_ALGORITHM,
            **choices("wilson", "clopper-pearson"),
        ),
    ] = "wilson"
    confidence: Annotated[
        str, _option(_ALGORITHM, "--confidence", metavar="P", help="Confidence of the intervals.")
    ] = "0.95"
    threads: Annotated[
        str | None, _option(_ALGORITHM, "--threads", metavar="N", help="Threads; else one a core.")
    ] = None
    memory: Annotated[
        str | None,
        _option(_ALGORITHM, "--memory", metavar="SIZE", help="Limit for the working memory, such as 4GiB."),
    ] = None

    def given(self) -> dict[str, float]:
        """Return the parameters of the algorithm that were given; the library knows which it has."""
        named = ("phi", "rho0", "d0", "alpha", "rating_tolerance", "date_tolerance")
        texts = {name: getattr(self, name) for name in named}
        return {
            name: values.real(name.replace("_", "-"), text)
            for name, text in texts.items()
            if text is not None
        }

    def resources(self) -> dict[str, int | None]:
        """Return threads and memory as the library takes them."""
        return {
            "threads": None if self.threads is None else values.whole("threads", self.threads, 1),
            "memory": None if self.memory is None else values.bytes_of("memory", self.memory),
        }


def days(option: str, text: str) -> float | None:
    """Return a number of days >= 0, or None for ``none``."""
    return None if text.strip().lower() == "none" else values.real(option, text)


def rate(option: str, text: str) -> float:
    """Return a share from 0 to 1."""
    value = values.real(option, text)
    if value > 1:
        raise ParameterError(option, text, "a rate from 0 to 1, such as 0.05")
    return value


def sweep_values(given: list[str]) -> dict[str, tuple[Any, ...]]:
    """Return what ``--sweep known=2,4,8`` asks for, by the library's names.

    Raises
    ------
    ParameterError
        A name that cannot be varied or stands twice, or a value that its option would refuse.
    """
    wanted: dict[str, tuple[Any, ...]] = {}
    for text in given:
        option, equals, listed = text.partition("=")
        if option not in _VARIED or not equals or not listed or _VARIED[option] in wanted:
            raise ParameterError(
                "sweep", text, f"NAME=VALUE,VALUE,... with another NAME each, of {', '.join(_VARIED)}"
            )
        wanted[_VARIED[option]] = tuple(_PARSED[option](value.strip()) for value in listed.split(","))
    return wanted
