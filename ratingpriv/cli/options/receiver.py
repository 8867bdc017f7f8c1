"""The options of ``verify`` by which a receiver says how a release is read, and counted for a demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from ratingpriv.cli.options.declare import DATA, RULES, option
from ratingpriv.cli.options.types import Scale
from ratingpriv.errors import ParameterError

__all__ = ["ReceiverOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiverOptions:
    """What the receiver says, whatever the manifest does."""

    sensitive: Annotated[
        tuple[str, ...],
        option("--sensitive", metavar="NAME", help="A sensitive item, to your demand (repeatable)."),
    ] = ()
    no_sensitive: Annotated[bool, option("--no-sensitive", help="No item is sensitive, to your demand.")] = (
        False
    )
    quasi: Annotated[
        tuple[str, ...],
        option(
            "--quasi",
            metavar="NAME[=W]",
            help="A quasi-identifier of your demand: equal, or within W of each other (repeatable).",
        ),
    ] = ()
    carry: Annotated[
        tuple[str, ...],
        option("--carry", metavar="NAME", help="An unaudited column that you accept (repeatable)."),
    ] = ()
    codebook: Annotated[
        str | None,
        option(
            "--codebook", metavar="FILE", place="input", help="What the columns are, to your demand, in TOML."
        ),
    ] = None
    scale: Annotated[
        tuple[float, float] | None,
        option("--scale", panel=DATA, kind=Scale(), help="The rating scale of your demand; else as found."),
    ] = None
    layout: Annotated[
        Literal["long", "wide"] | None,
        option(
            "--layout",
            panel=DATA,
            help="A row a rating (long) or a record (wide), if the file does not show it.",
        ),
    ] = None
    id: Annotated[
        str | None,
        option("--id", panel=DATA, metavar="COL", help="Column of record ids, if its name does not show it."),
    ] = None
    issue: Annotated[
        str | None, option("--issue", panel=DATA, metavar="COL", help="Column of items (long), likewise.")
    ] = None
    rating: Annotated[
        str | None, option("--rating", panel=DATA, metavar="COL", help="Column of ratings (long), likewise.")
    ] = None
    nulls: Annotated[
        Literal["strict", "wildcard"] | None,
        option("--nulls", panel=RULES, help="Your demand's rule for unanswered items; else strict."),
    ] = None
    sensitive_nulls: Annotated[
        Literal["paper", "ignore"] | None,
        option("--sensitive-nulls", panel=RULES, help="Likewise for sensitive ones; else paper."),
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
