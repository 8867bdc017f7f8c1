"""Options of every command: how much is reported, where options may come from, how results are printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ratingpriv.cli.options.config import apply_config
from ratingpriv.cli.options.declare import GLOBAL, option
from ratingpriv.cli.output.reporter import Reporter

__all__ = ["CsvSafeOption", "ForceOption", "GlobalOptions", "JsonOption"]

JsonOption = Annotated[bool, option("--json", help="Print the result as JSON, nothing else.")]
CsvSafeOption = Annotated[
    bool,
    option("--csv-safe/--no-csv-safe", help="Escape formulas in CSV (the default)."),
]
ForceOption = Annotated[bool, option("--force", help="Replace output files that exist.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalOptions:
    """How much is reported on stderr, and where options may come from."""

    config: Annotated[
        str | None,
        option(
            "--config",
            metavar="FILE.toml",
            place="input",
            panel=GLOBAL,
            is_eager=True,
            callback=apply_config,
            help="Take options from a TOML file (k = 5); the command line wins.",
        ),
    ] = None
    verbose: Annotated[
        bool, option("--verbose", "-v", help="Report more; show the traceback of an error.", panel=GLOBAL)
    ] = False
    quiet: Annotated[
        bool, option("--quiet", "-q", help="Report nothing on stderr but errors.", panel=GLOBAL)
    ] = False
    show_cells: Annotated[
        bool,
        option(
            "--show-cells",
            help="Let error messages show what stands in the data: cells and record ids.",
            panel=GLOBAL,
        ),
    ] = False

    @property
    def reporter(self) -> Reporter:
        """What prints notes and progress."""
        return Reporter(quiet=self.quiet, verbose=self.verbose)
