"""Options of the commands that look for something: how nulls count, and what may be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ratingpriv.cli import values
from ratingpriv.cli.options import choices

__all__ = ["RULES", "RuleOptions"]

RULES = "Null rules and resources"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """How nulls count, and how much of the machine may be used."""

    nulls: Annotated[
        str,
        typer.Option(
            "--nulls",
            help="Is an unrated issue far from every rating, or does it match any?",
            rich_help_panel=RULES,
            **choices("strict", "wildcard"),
        ),
    ] = "strict"
    sensitive_nulls: Annotated[
        str,
        typer.Option(
            "--sensitive-nulls",
            help="Does an unknown sensitive rating count as the mean squared in the SD "
            "(the papers' rule, Eq. 3), or not at all?",
            rich_help_panel=RULES,
            **choices("paper", "ignore"),
        ),
    ] = "paper"
    threads: Annotated[
        str | None,
        typer.Option("--threads", metavar="N", help="Threads; else one a core.", rich_help_panel=RULES),
    ] = None
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory",
            metavar="SIZE",
            help="Limit for the engine's working memory, such as 4GiB.",
            rich_help_panel=RULES,
        ),
    ] = None

    def resources(self) -> tuple[int | None, int | None]:
        """Return the threads, and the bytes of memory, that the library may use; None is its default."""
        return (
            None if self.threads is None else values.whole("threads", self.threads, 1),
            None if self.memory is None else values.bytes_of("memory", self.memory),
        )
