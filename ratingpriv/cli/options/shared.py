"""Options that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ratingpriv.cli.options import values
from ratingpriv.cli.options.config import apply_config, overrules
from ratingpriv.cli.output.exits import keep_interruptible
from ratingpriv.cli.output.reporter import Talk
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.formats.reading import ReadOptions
    from ratingpriv.table import RatingTable

__all__ = [
    "DATA",
    "MODEL",
    "TALK",
    "DataOptions",
    "ForceOption",
    "JsonOption",
    "ModelOptions",
    "RuleOptions",
    "TalkOptions",
    "choices",
]

DATA = "Data"
MODEL = "Null rules and resources"
TALK = "Everywhere"


def choices(*names: str) -> Any:
    """Return an option's keyword arguments that show ``names`` in the help and complete them in the shell."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return {"metavar": "|".join(names), "autocompletion": complete}


def _data(*names: str, help: str, metavar: str | None = None, **more: Any) -> Any:  # noqa: A002
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=DATA, show_default=False, **more)


JsonOption = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON on standard output, nothing else.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace output files that exist.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """What the user says about the data, and which part of it to take."""

    format: Annotated[
        str | None,
        _data(
            "--format",
            metavar="NAME",
            help="Which loader reads the data (ratingpriv doctor lists them); else detected.",
        ),
    ] = None
    layout: Annotated[
        str | None,
        typer.Option(
            "--layout",
            help="A row a rating (long) or a row a record (wide).",
            rich_help_panel=DATA,
            **choices("long", "wide"),
        ),
    ] = None
    id: Annotated[
        str | None, _data("--id", metavar="COL", help="Column of record ids, by name or number from 1.")
    ] = None
    issue: Annotated[str | None, _data("--issue", metavar="COL", help="Column of issues (long).")] = None
    rating: Annotated[str | None, _data("--rating", metavar="COL", help="Column of ratings (long).")] = None
    timestamp: Annotated[
        str | None, _data("--timestamp", metavar="COL", help="Column of timestamps (long).")
    ] = None
    sensitive: Annotated[
        list[str] | None,
        _data(
            "--sensitive",
            metavar="NAME",
            help="A sensitive issue (repeatable).",
            callback=overrules("no_sensitive"),
        ),
    ] = None
    no_sensitive: Annotated[
        bool, _data("--no-sensitive", help="No issue is sensitive.", callback=overrules("sensitive"))
    ] = False
    issues: Annotated[
        str | None,
        _data(
            "--issues",
            metavar="SPEC",
            help="Keep only these issues: names a,b,c; top:20; random:20:SEED; @FILE.",
        ),
    ] = None
    drop: Annotated[
        list[str] | None, _data("--drop", metavar="NAME", help="Leave out an issue or column (repeatable).")
    ] = None
    scale: Annotated[
        str | None, _data("--scale", metavar="MIN:MAX", help="The rating scale; else as found.")
    ] = None
    null: Annotated[
        list[str] | None, _data("--null", metavar="TOKEN", help="Text that means not rated (repeatable).")
    ] = None
    delimiter: Annotated[
        str | None, _data("--delimiter", metavar="TEXT", help=r"Between columns; \t is a tab.")
    ] = None
    encoding: Annotated[
        str | None, _data("--encoding", metavar="NAME", help="Encoding of the text, else UTF-8.")
    ] = None
    header: Annotated[
        bool | None,
        _data("--header/--no-header", help="Whether the first line names the columns; else found out."),
    ] = None
    duplicates: Annotated[
        str | None,
        typer.Option(
            "--duplicates",
            help="What to do with a (record, issue) that stands twice; else refuse.",
            rich_help_panel=DATA,
            **choices("refuse", "first", "last", "mean"),
        ),
    ] = None
    sample: Annotated[
        str | None, _data("--sample", metavar="N|SHARE", help="Take a random sample of the records.")
    ] = None
    seed: Annotated[
        str, typer.Option("--seed", metavar="N", help="Seed for --sample and random:N.", rich_help_panel=DATA)
    ] = "0"

    def read(self, data: str, talk: Talk, *, timestamps: bool = False) -> RatingTable:
        """Read ``data`` as the options say; what was detected is said on stderr."""
        from ratingpriv.formats.reading import read

        keep_interruptible()
        with talk.progress() as progress:
            table = read(
                data,
                format=self.format,
                issues=self.issues,
                sample=None if self.sample is None else values.amount("sample", self.sample),
                rng=values.whole("seed", self.seed, 0),
                options=self._read_options(progress, timestamps),
                on_detect=lambda loader, claim: talk.note(f"reading {data} as {loader.name}: {claim.reason}"),
            )
        if self.sample is not None:
            talk.note(
                f"these are figures for a sample of {table.n_records} records (seed {self.seed}): in the "
                "whole data neighbourhoods are larger, and the other records were not looked at"
            )
        return table

    def _read_options(
        self, progress: Callable[[str, int, int | None], None] | None, timestamps: bool
    ) -> ReadOptions:
        from ratingpriv.formats.reading import ReadOptions

        if self.no_sensitive and self.sensitive:
            raise ParameterError("no-sensitive", "with --sensitive", "one of the two")
        given: dict[str, Any] = {} if self.duplicates is None else {"duplicates": self.duplicates}
        return ReadOptions(
            layout=self.layout,
            id=self.id,
            issue=self.issue,
            rating=self.rating,
            timestamp=self.timestamp,
            sensitive=tuple(self.sensitive or ()),
            drop=tuple(self.drop or ()),
            scale=None if self.scale is None else values.scale("scale", self.scale),
            null=tuple(self.null or ()),
            delimiter=None if self.delimiter is None else values.delimiter(self.delimiter),
            encoding=self.encoding,
            header=self.header,
            timestamps=timestamps,
            progress=progress,
            **given,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """How nulls count, and how much of the machine may be used."""

    nulls: Annotated[
        str,
        typer.Option(
            "--nulls",
            help="Is an unrated issue far from every rating, or does it match any?",
            rich_help_panel=MODEL,
            **choices("strict", "wildcard"),
        ),
    ] = "strict"
    sensitive_nulls: Annotated[
        str,
        typer.Option(
            "--sensitive-nulls",
            help="Does an unknown sensitive rating count as the mean squared in the SD "
            "(the papers' rule, Eq. 3), or not at all?",
            rich_help_panel=MODEL,
            **choices("paper", "ignore"),
        ),
    ] = "paper"
    threads: Annotated[
        str | None,
        typer.Option("--threads", metavar="N", help="Threads; else one a core.", rich_help_panel=MODEL),
    ] = None
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory",
            metavar="SIZE",
            help="Limit for the engine's working memory, such as 4GiB.",
            rich_help_panel=MODEL,
        ),
    ] = None

    def resources(self) -> tuple[int | None, int | None]:
        """Return the threads, and the bytes of memory, that the library may use; None is its default."""
        return (
            None if self.threads is None else values.whole("threads", self.threads, 1),
            None if self.memory is None else values.bytes_of("memory", self.memory),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions(RuleOptions):
    """How nulls count, and what computes."""

    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help="The compiled engine, or the papers' O(n²) baseline.",
            rich_help_panel=MODEL,
            **choices("slicing", "pairwise"),
        ),
    ] = "slicing"


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkOptions:
    """How much is said on stderr, and where options may come from."""

    config: Annotated[
        str | None,
        typer.Option(
            "--config",
            metavar="FILE.toml",
            is_eager=True,
            callback=apply_config,
            rich_help_panel=TALK,
            help="Take options from a TOML file (k = 5); the command line wins.",
        ),
    ] = None
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Say more; show the traceback of an error.", rich_help_panel=TALK
        ),
    ] = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing on stderr but errors.", rich_help_panel=TALK)
    ] = False

    @property
    def talk(self) -> Talk:
        """What prints notes and progress."""
        return Talk(quiet=self.quiet, verbose=self.verbose)
