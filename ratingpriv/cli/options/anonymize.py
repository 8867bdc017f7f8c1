"""The options of ``anonymize``: how records are changed, and how the release is written."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.values import RULES, reads, setting, whole_or, whole_pair, writes

if TYPE_CHECKING:
    from ratingpriv.anonymize.release.releasing import Publish

__all__ = ["MethodOptions", "PublicationOptions"]


_PUBLICATION = "Publication"
_publication = partial(Option, rich_help_panel=_PUBLICATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodOptions:
    """How the methods work."""

    strategy: Annotated[
        Literal["window", "paper"],
        setting(help="modify: the least change for a given group, or the papers' rules."),
    ] = "window"
    grouping: Annotated[
        Literal["cheapest", "distortion", "partition", "paper"],
        setting(
            help="modify: groups made for little information loss, by partition, or as in the papers; or "
            "whichever of these costs least."
        ),
    ] = "cheapest"
    fill: Annotated[
        Literal["metric", "median"],
        setting(
            help="modify: impute what is cheapest in the papers' metric, which are low ratings, or medians."
        ),
    ] = "metric"
    no_fabricate: Annotated[
        bool, setting("--no-fabricate", help="modify: never impute a rating where there was none.")
    ] = False
    scheme: Annotated[
        Literal["pure", "padded"],
        setting(
            help="predictive: a record gets the questions that some of its group answered, or all of them, "
            "with predicted ratings."
        ),
    ] = "pure"
    diversity: Annotated[
        tuple[int, int] | None,
        setting(
            metavar="B:L",
            parser=whole_pair,
            help="predictive: any B questions that somebody answered together are in at least L groups.",
        ),
    ] = None
    factors: Annotated[int, setting(metavar="N", help="predictive: factors of the model that predicts.")] = 10
    bins: Annotated[
        int | None,
        setting(
            metavar="N|auto",
            parser=whole_or("auto", None),
            help="predictive: how many bins records are sorted into.",
        ),
    ] = None
    centres: Annotated[
        Literal["virtual", "real"], setting(help="predictive: the centre of a bin is a mean, or a record.")
    ] = "virtual"

    def chosen(self, given: Collection[str]) -> dict[str, Any]:
        """Return what the user chose, as the library takes it; the rest is up to the method."""
        names = [field.name for field in fields(self) if field.name in given]
        options = {name: getattr(self, name) for name in names}
        return options | ({"fabricate": False} if options.pop("no_fabricate", False) else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationOptions:
    """What becomes of order, ids and times, and how the release is written."""

    strip_ids: Annotated[bool, _publication("--strip-ids", help="A random order and no ids.")] = False
    keep_ids: Annotated[
        bool, _publication("--keep-ids", help="The input's order and ids, which identify.")
    ] = False
    keep_timestamps: Annotated[
        bool, _publication("--keep-timestamps", help="Timestamps too, which are not anonymised.")
    ] = False
    key: Annotated[
        str | None, writes(rich_help_panel=_PUBLICATION, help="Keep privately which record became which.")
    ] = None
    sign: Annotated[
        str | None, reads(rich_help_panel=_PUBLICATION, help="Sign the manifest by this Ed25519 key (PEM).")
    ] = None
    order_seed: Annotated[
        int | None, Option(rich_help_panel=RULES, metavar="N", help="A secret seed, for the same file again.")
    ] = None
    csv_safe: Annotated[
        bool,
        setting(
            "--csv-safe/--no-csv-safe",
            help="Refuse names and ids that a spreadsheet takes for formulas; off by default.",
        ),
    ] = False
    output_format: Annotated[
        str | None, setting(metavar="NAME", help="Else by RELEASE's suffix, else the input's.")
    ] = None
    output_layout: Annotated[Literal["long", "wide"] | None, setting(help="Else the input's.")] = None
    labels: Annotated[
        tuple[Literal["words", "numbers", "rounded", "exact"], ...],
        Option(
            rich_help_panel=RULES,
            help="Answers on a scale of words are written as words (the default) or numbers. predictive: the "
            "means of groups are rounded to the scale (the default), or exact. May be repeated.",
        ),
    ] = ()
    utility: Annotated[
        Literal["quick", "all", "none"],
        _publication(help="Measures of use to take: quick ones, or all; none: no attack either."),
    ] = "quick"
    publish_utility: Annotated[
        tuple[str, ...],
        _publication(
            metavar="NAME|all",
            help="State this measure in the manifest, in two digits (repeatable); else none.",
        ),
    ] = ()

    @property
    def means(self) -> dict[str, str]:
        """What becomes of the means of groups, where that was said."""
        means = self._label("rounded", "exact")
        return {} if means is None else {"labels": means}

    def of(self, path: str, *, force: bool, accept: tuple[str, ...]) -> Publish:
        """Return how the release is published, checked before a long read."""
        from ratingpriv.anonymize.release.releasing import Publish

        if self.strip_ids and self.keep_ids:
            raise ParameterError("keep-ids", "with --strip-ids", "one of the two")
        names = ("key", "order_seed", "csv_safe", "sign", "utility", "publish_utility")
        asked: dict[str, Any] = {name: getattr(self, name) for name in names}
        asked |= {"format": self.output_format, "layout": self.output_layout}
        asked["ids"] = "strip" if self.strip_ids else "keep" if self.keep_ids else "shuffle"
        labels, dated = self._label("words", "numbers") or "words", self.keep_timestamps
        return Publish(path=path, labels=labels, timestamps=dated, force=force, accept=accept, **asked)

    def _label(self, *either: str) -> str | None:
        chosen = [word for word in either if word in self.labels]
        if len(chosen) > 1:
            raise ParameterError("labels", ", ".join(chosen), "one of these two")
        return chosen[0] if chosen else None
