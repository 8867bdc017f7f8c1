"""The options of ``verify`` by which a receiver says how a release is read, and counted for a demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from typer import Option

from ratingpriv.cli.options.values import DATA, RULES, input_file, scale, setting
from ratingpriv.errors import ParameterError

__all__ = ["ReceiverOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiverOptions:
    """What the receiver says, whatever the manifest does."""

    sensitive: Annotated[
        tuple[str, ...],
        Option("--sensitive", metavar="NAME", help="A sensitive item, to your demand (repeatable)."),
    ] = ()
    no_sensitive: Annotated[bool, Option("--no-sensitive", help="No item is sensitive, to your demand.")] = (
        False
    )
    quasi: Annotated[
        tuple[str, ...],
        Option(
            "--quasi",
            metavar="NAME[=W]",
            help="A quasi-identifier of your demand: equal, or within W of each other (repeatable).",
        ),
    ] = ()
    carry: Annotated[
        tuple[str, ...],
        Option("--carry", metavar="NAME", help="An unaudited column that you accept (repeatable)."),
    ] = ()
    codebook: Annotated[
        str | None,
        Option(
            "--codebook",
            metavar="FILE",
            parser=input_file,
            help="What the columns are, to your demand, in TOML.",
        ),
    ] = None
    scale: Annotated[
        tuple[float, float] | None,
        Option(
            "--scale",
            metavar="MIN:MAX",
            parser=scale,
            rich_help_panel=DATA,
            help="The rating scale of your demand; else as found.",
        ),
    ] = None
    layout: Annotated[
        Literal["long", "wide"] | None,
        Option(
            "--layout",
            rich_help_panel=DATA,
            help="A row a rating (long) or a record (wide), if the file does not show it.",
        ),
    ] = None
    id: Annotated[
        str | None,
        Option(
            "--id",
            metavar="COL",
            rich_help_panel=DATA,
            help="Column of record ids, if its name does not show it.",
        ),
    ] = None
    issue: Annotated[
        str | None,
        Option("--issue", metavar="COL", rich_help_panel=DATA, help="Column of items (long), likewise."),
    ] = None
    rating: Annotated[
        str | None,
        Option("--rating", metavar="COL", rich_help_panel=DATA, help="Column of ratings (long), likewise."),
    ] = None
    nulls: Annotated[
        Literal["strict", "wildcard"] | None,
        Option(
            "--nulls", rich_help_panel=RULES, help="Your demand's rule for unanswered items; else strict."
        ),
    ] = None
    sensitive_nulls: Annotated[
        Literal["paper", "ignore"] | None,
        setting("--sensitive-nulls", help="Likewise for sensitive ones; else paper."),
    ] = None

    @property
    def words(self) -> dict[str, Any]:
        """What was said, as the library takes it."""
        if self.no_sensitive and self.sensitive:
            raise ParameterError("no-sensitive", "with --sensitive", "one of the two")
        names = ("scale", "layout", "id", "issue", "rating", "nulls", "sensitive_nulls")
        given = self.sensitive or (() if self.no_sensitive else None)
        beside = {"quasi": self.quasi or None, "carry": self.carry, "codebook": self.codebook}
        return {"sensitive": given, **beside, **{name: getattr(self, name) for name in names}}
