"""Options of every command: how much is reported, settings, how results are printed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.config import apply_settings
from ratingpriv.cli.options.values import GLOBAL, reads, setting
from ratingpriv.cli.output.reporter import Reporter

if TYPE_CHECKING:
    from ratingpriv.base.keys import Key

__all__ = ["CsvSafeOption", "ForceOption", "GlobalOptions", "JsonOption", "TruthOption", "truth_of"]

JsonOption = Annotated[bool, Option("--json", help="Print the result as JSON, nothing else.")]
CsvSafeOption = Annotated[bool, setting("--csv-safe/--no-csv-safe", help="Escape formulas in CSV (yes).")]
ForceOption = Annotated[bool, Option("--force", help="Replace output files that exist.")]
TruthOption = Annotated[
    str | None,
    reads(
        "--truth",
        metavar="KEY|ids",
        help="Which released record is whose: the release's key file, or ids if it kept them.",
    ),
]


def truth_of(text: str | None, release: str | None) -> Key | Literal["ids"] | None:
    """Return the key that ``--truth`` names, read; ids as they are; None where nothing was said."""
    if text is None:
        return None
    if release is None:
        raise ParameterError("truth", text, "a --release that it belongs to")
    if text == "ids":
        return "ids"
    from ratingpriv.base.keys import read_key

    return read_key(text)


_global = partial(Option, rich_help_panel=GLOBAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalOptions:
    """How much is reported on stderr, and settings."""

    setting: Annotated[
        tuple[str, ...],
        _global(
            "--set",
            metavar="NAME=VALUE",
            is_eager=True,
            callback=apply_settings,
            help="A setting that --help-data lists (repeatable).",
        ),
    ] = ()
    verbose: Annotated[
        bool, _global("--verbose", "-v", help="Report more; show the traceback of an error.")
    ] = False
    quiet: Annotated[bool, _global("--quiet", "-q", help="Report nothing on stderr but errors.")] = False
    show_cells: Annotated[
        bool,
        _global(
            "--show-cells", help="Let error messages show what stands in the data: cells and record ids."
        ),
    ] = False

    @property
    def reporter(self) -> Reporter:
        """What prints notes and progress."""
        return Reporter(quiet=self.quiet, verbose=self.verbose)
