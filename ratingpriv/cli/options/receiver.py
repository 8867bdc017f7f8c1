"""The options of ``verify`` by which a receiver says how a release is read, and counted for a demand."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.values import DATA, RULES, declaring, input_file, scale, setting

__all__ = ["ReceiverOptions"]

_option, _data, _rule = declaring(), declaring(DATA), declaring(RULES)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiverOptions:
    """What the receiver says, whatever the manifest does."""

    sensitive: Annotated[
        tuple[str, ...], _option("--sensitive NAME", "A sensitive item, to your demand (repeatable).")
    ] = ()
    no_sensitive: Annotated[bool, _option("--no-sensitive", "No item is sensitive, to your demand.")] = False
    quasi: Annotated[
        tuple[str, ...],
        _option(
            "--quasi NAME[=W]",
            "A quasi-identifier of your demand: equal, or within W of each other (repeatable).",
        ),
    ] = ()
    carry: Annotated[
        tuple[str, ...], _option("--carry NAME", "An unaudited column that you accept (repeatable).")
    ] = ()
    codebook: Annotated[
        str | None,
        _option("--codebook FILE", "What the columns are, to your demand, in TOML.", parser=input_file),
    ] = None
    scale: Annotated[
        tuple[float, float] | None,
        _data("--scale MIN:MAX", "The rating scale of your demand; else as found.", parser=scale),
    ] = None
    layout: Annotated[
        Literal["long", "wide"] | None,
        _data("--layout", "A row a rating (long) or a record (wide), if the file does not show it."),
    ] = None
    id: Annotated[str | None, _data("--id COL", "Column of record ids, if its name does not show it.")] = None
    issue: Annotated[str | None, _data("--issue COL", "Column of items (long), likewise.")] = None
    rating: Annotated[str | None, _data("--rating COL", "Column of ratings (long), likewise.")] = None
    nulls: Annotated[
        Literal["strict", "wildcard"] | None,
        _rule("--nulls", "Your demand's rule for unanswered items; else strict."),
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
        said = dataclasses.asdict(self)
        said["sensitive"] = () if said.pop("no_sensitive") else self.sensitive or None
        return {**said, "quasi": self.quasi or None}
