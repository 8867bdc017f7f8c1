"""The options of ``anonymize``: how records are changed, and how the release is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from ratingpriv.cli.options.declare import FORM, PARAMETERS, Declaration, option
from ratingpriv.cli.options.types import Whole, WholeOrAuto, WholePair
from ratingpriv.errors import ParameterError

__all__ = ["MethodOptions", "PublicationOptions"]


def _method(*names: str, help: str, **settings: Any) -> Declaration:  # noqa: A002
    return option(*names, help=help, panel=PARAMETERS, **settings)


def _publication(*names: str, help: str, **settings: Any) -> Declaration:  # noqa: A002
    return option(*names, help=help, panel="Publication", **settings)


def _form(*names: str, help: str, **settings: Any) -> Declaration:  # noqa: A002
    return option(*names, help=help, panel=FORM, **settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodOptions:
    """How the methods work."""

    strategy: Annotated[
        Literal["window", "paper"],
        _method("--strategy", help="modify: the least change for a given group, or the papers' rules."),
    ] = "window"
    grouping: Annotated[
        Literal["cheapest", "distortion", "partition", "paper"],
        _method(
            "--grouping",
            help="modify: groups made for little information loss, by partition, or as in the papers; or "
            "whichever of these costs least.",
        ),
    ] = "cheapest"
    fill: Annotated[
        Literal["metric", "median"],
        _method(
            "--fill",
            help="modify: impute what is cheapest in the papers' metric, which are low ratings, or medians.",
        ),
    ] = "metric"
    no_fabricate: Annotated[
        bool, _method("--no-fabricate", help="modify: never impute a rating where there was none.")
    ] = False
    scheme: Annotated[
        Literal["pure", "padded"],
        _method(
            "--scheme",
            help="predictive: a record gets the questions that some of its group answered, or all of them, "
            "with predicted ratings.",
        ),
    ] = "pure"
    diversity: Annotated[
        tuple[int, int] | None,
        _method(
            "--diversity",
            kind=WholePair(),
            help="predictive: any B questions that somebody answered together are in at least L groups.",
        ),
    ] = None
    factors: Annotated[
        int, _method("--factors", kind=Whole(0), help="predictive: factors of the model that predicts.")
    ] = 10
    bins: Annotated[
        int | None,
        _method("--bins", kind=WholeOrAuto(1), help="predictive: how many bins records are sorted into."),
    ] = None
    centres: Annotated[
        Literal["virtual", "real"],
        _method("--centres", help="predictive: the centre of a bin is a mean, or a record."),
    ] = "virtual"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationOptions:
    """What becomes of order, ids and times, and how the release is written."""

    shuffle: Annotated[bool, _publication("--shuffle", help="A random order and fresh ids: the default.")] = (
        False
    )
    strip_ids: Annotated[bool, _publication("--strip-ids", help="A random order and no ids.")] = False
    keep_ids: Annotated[
        bool, _publication("--keep-ids", help="The input's order and ids, which identify.")
    ] = False
    keep_timestamps: Annotated[
        bool, _publication("--keep-timestamps", help="Timestamps too, which are not anonymised.")
    ] = False
    key: Annotated[
        str | None,
        _publication(
            "--key", metavar="FILE", place="output", help="Keep privately which record became which."
        ),
    ] = None
    sign: Annotated[
        str | None,
        _publication(
            "--sign",
            metavar="FILE",
            place="input",
            help="Sign the manifest by this Ed25519 key (PEM).",
        ),
    ] = None
    order_seed: Annotated[
        int | None,
        _form("--order-seed", kind=Whole(0), help="A secret seed, to get the same file twice."),
    ] = None
    csv_safe: Annotated[
        bool,
        _form(
            "--csv-safe/--no-csv-safe",
            help="Refuse names and ids that a spreadsheet takes for formulas; off by default.",
        ),
    ] = False
    output_format: Annotated[
        str | None,
        _form("--output-format", metavar="NAME", help="Else by RELEASE's suffix, else the input's."),
    ] = None
    output_layout: Annotated[
        Literal["long", "wide"] | None, _form("--output-layout", help="Else the input's.")
    ] = None

    labels: Annotated[
        tuple[Literal["words", "numbers", "rounded", "exact"], ...],
        _form(
            "--labels",
            help="Answers on a scale of words are written as words (the default) or numbers. predictive: the "
            "means of groups are rounded to the scale (the default), or exact. May be repeated.",
        ),
    ] = ()

    @property
    def words(self) -> str:
        """How answers on a scale of words are written."""
        return self._label("words", "numbers") or "words"

    @property
    def means(self) -> str | None:
        """What becomes of the means of groups; None where that was not said."""
        return self._label("rounded", "exact")

    def _label(self, *either: str) -> str | None:
        chosen = [word for word in either if word in self.labels]
        if len(chosen) > 1:
            raise ParameterError("labels", ", ".join(chosen), "one of these two")
        return chosen[0] if chosen else None

    utility: Annotated[
        Literal["quick", "all", "none"],
        _publication(
            "--utility",
            help="Measures of use to take: quick ones, or all; none: no attack either.",
        ),
    ] = "quick"
    publish_utility: Annotated[
        tuple[str, ...],
        _publication(
            "--publish-utility",
            metavar="NAME|all",
            help="State this measure in the manifest, in two digits (repeatable); else none.",
        ),
    ] = ()

    @property
    def ids(self) -> str:
        """What becomes of order and ids."""
        flags = {"shuffle": self.shuffle, "strip": self.strip_ids, "keep": self.keep_ids}
        chosen = [name for name, is_given in flags.items() if is_given]
        if len(chosen) > 1:
            raise ParameterError("ids", chosen, "one of --shuffle, --strip-ids and --keep-ids")
        return chosen[0] if chosen else "shuffle"
