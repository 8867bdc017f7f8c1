"""Options that say what the data are and which part of them is taken."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from ratingpriv.cli.options.config import apply_codebook, codebook_of, overrules
from ratingpriv.cli.options.parameters import current_context, lenient
from ratingpriv.cli.options.values import (
    DATA,
    amount,
    delimiter,
    input_file,
    items,
    named_scale,
    scale,
    setting,
)
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.step import end_of_trial
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.codebook.codebook import Codebook
    from ratingpriv.codebook.proposing import Description
    from ratingpriv.formats.reading import ReadOptions
    from ratingpriv.table import RatingTable

__all__ = ["DataArgument", "DataOptions"]

DataArgument = Annotated[
    str,
    Argument(metavar="DATA", parser=input_file, help="A file or directory of ratings; - is standard input."),
]


_data = partial(Option, rich_help_panel=DATA)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """What the user says about the data, and which part of it to take."""

    format: Annotated[
        str | None,
        _data(
            "--format",
            metavar="NAME",
            help="Which loader reads the data (ratingpriv doctor lists them); else auto-detected.",
        ),
    ] = None
    layout: Annotated[
        Literal["long", "wide"] | None,
        _data("--layout", help="A row a rating (long) or a row a record (wide)."),
    ] = None
    id: Annotated[
        str | None, _data("--id", metavar="COL", help="Column of record ids, by name or number from 1.")
    ] = None
    issue: Annotated[str | None, _data("--issue", metavar="COL", help="Column of items (long).")] = None
    rating: Annotated[
        tuple[str, ...],
        _data(
            "--rating",
            metavar="COL",
            help="Column of ratings (long), or one that is, whatever it looks like (wide; repeatable).",
        ),
    ] = ()
    timestamp: Annotated[
        str | None, setting("--timestamp", metavar="COL", help="Column of timestamps (long).")
    ] = None
    sensitive: Annotated[
        tuple[str, ...],
        _data(
            "--sensitive",
            metavar="NAME",
            help="A sensitive item (repeatable).",
            callback=overrules("no_sensitive"),
        ),
    ] = ()
    no_sensitive: Annotated[
        bool, _data("--no-sensitive", help="No item is sensitive.", callback=overrules("sensitive"))
    ] = False
    codebook: Annotated[
        str | None,
        _data(
            "--codebook",
            metavar="FILE",
            parser=input_file,
            is_eager=True,
            callback=apply_codebook,
            help="What each column is, in TOML or a Frictionless schema; options win over it.",
        ),
    ] = None
    print_codebook: Annotated[
        bool,
        _data(
            "--print-codebook",
            is_eager=True,
            callback=lenient,
            help="Print the codebook that is in force, as TOML, and exit.",
        ),
    ] = False
    quasi: Annotated[
        tuple[str, ...],
        _data(
            "--quasi",
            metavar="NAME[=W]",
            help="A quasi-identifier: records must be equal, or within W of each other (repeatable).",
        ),
    ] = ()
    identifier: Annotated[
        tuple[str, ...],
        _data("--identifier", metavar="NAME", help="A direct identifier, never released (repeatable)."),
    ] = ()
    carry: Annotated[
        tuple[str, ...],
        _data("--carry", metavar="NAME", help="A column to release unaudited (repeatable)."),
    ] = ()
    keep: Annotated[
        tuple[str, ...],
        setting("--keep", metavar="PATTERN", help="Keep only columns such as Q2_* (repeatable)."),
    ] = ()
    issues: Annotated[
        str | None,
        _data(
            "--items",
            metavar="SPEC",
            parser=items,
            help="Keep only these items: names a,b,c; top:20; random:20:SEED; @FILE.",
        ),
    ] = None
    drop: Annotated[
        tuple[str, ...],
        _data("--drop", metavar="PATTERN", help="Leave out an item or column, or Q2_* (repeatable)."),
    ] = ()
    scale: Annotated[
        tuple[float, float] | None,
        _data(
            "--scale",
            metavar="MIN:MAX",
            parser=scale,
            help="The rating scale, of sensitive items too; else as found.",
        ),
    ] = None
    sensitive_scale: Annotated[
        tuple[str, ...],
        setting(
            "--sensitive-scale",
            metavar="NAME=MIN:MAX",
            parser=named_scale,
            help="The scale of a sensitive item, where it is another (repeatable).",
        ),
    ] = ()
    null: Annotated[
        tuple[str, ...],
        _data("--null", metavar="TOKEN", help="Text that means unanswered too (repeatable)."),
    ] = ()
    only_null: Annotated[
        tuple[str, ...],
        setting("--only-null", metavar="TOKEN", help="The only such text beside an empty cell (repeatable)."),
    ] = ()
    delimiter: Annotated[
        str | None,
        setting("--delimiter", metavar="TEXT", parser=delimiter, help=r"Between columns; \t is a tab."),
    ] = None
    encoding: Annotated[
        str | None, setting("--encoding", metavar="NAME", help="Encoding of the text, else UTF-8.")
    ] = None
    header: Annotated[
        bool | None,
        setting("--header/--no-header", help="Whether the first line names the columns; else auto-detected."),
    ] = None
    decimal_comma: Annotated[
        bool | None,
        setting("--decimal-comma/--decimal-point", help="How decimals are written; else auto-detected."),
    ] = None
    sheet: Annotated[str | None, setting("--sheet", metavar="NAME", help="Which sheet of a workbook.")] = None
    attributes: Annotated[
        str | None,
        setting(
            "--attributes",
            metavar="FILE",
            parser=input_file,
            help="Attributes of the records, a row a record, beside ratings in rows (long).",
        ),
    ] = None
    duplicates: Annotated[
        Literal["refuse", "first", "last", "mean"] | None,
        setting("--duplicates", help="What to do with a duplicated (record, item); else refuse."),
    ] = None
    sample: Annotated[
        float | None,
        _data("--sample", metavar="N|SHARE", parser=amount, help="Take a random sample of the records."),
    ] = None
    seed: Annotated[
        int,
        _data(
            "--seed",
            metavar="N",
            help="Seed for --sample, random:N and anonymize; there else a secret one.",
        ),
    ] = 0

    def read(
        self,
        data: str,
        reporter: Reporter,
        *,
        timestamps: bool = False,
        with_levels: bool = False,
        released: bool = False,
    ) -> RatingTable:
        """Read ``data`` as the options say; what was detected is reported on stderr.

        ``with_levels`` : quasi-identifiers as they are, without the recodes that have levels
        ``released`` : they are a release of what the codebook is about
        """
        from ratingpriv.formats.reading import read

        options = self._read_options(timestamps, with_levels=with_levels)
        if released and options.codebook is not None:
            options = dataclasses.replace(options, codebook=options.codebook.of_release())
        end_of_trial()
        with reporter.progress() as progress:
            table = read(
                data,
                format=self.format,
                issues=self.issues,
                sample=self.sample,
                rng=self.seed,
                options=dataclasses.replace(options, progress=progress),
                on_detect=lambda loader, claim: reporter.note(
                    f"reading {data} as {loader.name}: {claim.reason}"
                ),
            )
        if self.sample is not None:
            reporter.note(
                f"these are figures for a sample of {table.n_records} records (seed {self.seed}): in the "
                "whole data neighbourhoods are larger, and the other records were not looked at"
            )
        reporter.detail(f"read {table!r}")
        return table

    def read_release(self, release: str, reporter: Reporter, *, timestamps: bool = False) -> RatingTable:
        """Read a release of the data, whole: identifiers are gone from it, and recodes have taken place."""
        whole = dataclasses.replace(
            self, sample=None, issues=None, drop=(), keep=(), identifier=(), sheet=None, attributes=None
        )
        return whole.read(release, reporter, timestamps=timestamps, released=True)

    @property
    def book(self) -> Codebook:
        """The codebook; ParameterError where there is none."""
        book = self._codebook()
        if book is None:
            raise ParameterError("codebook", None, "a codebook, whose hierarchies and bands are tried")
        return book

    def codebook_text(self, data: str | None, options: Mapping[str, Any], command: str) -> str:
        """Return the codebook that is in force: what options say, and else the file.

        Parameters
        ----------
        data : DATA, if it is given
        options : the values of the command's own options, by their long names, as texts
        """
        from ratingpriv.codebook.codebook import Codebook
        from ratingpriv.codebook.files.writing import as_written, toml_text

        book = (self._codebook() or Codebook()).effective(self._read_options())
        said = {} if self.format is None else {"format": self.format}
        if data is not None and data != "-":
            place = None if book.place is None else str(book.place.parent)
            said["path"] = data if place is None else os.path.relpath(data, place)
        commands = {**book.commands, **({command: as_written(options)} if options else {})}
        return toml_text(dataclasses.replace(book, data={**book.data, **said}, commands=commands))

    def _codebook(self) -> Codebook | None:
        if self.codebook is None:
            return None
        from ratingpriv.codebook.files.toml_file import read_codebook

        found = codebook_of(current_context())
        book = read_codebook(self.codebook) if found is None else found
        secret = [name for name, spec in book.columns.items() if spec.role == "sensitive"]
        if self.no_sensitive and secret:
            remedy = f"drop it (--drop {secret[0]}), or give it another role"
            raise ParameterError("no-sensitive", "with a codebook that has sensitive columns", "none", remedy)
        return book

    def describe(self, data: str, reporter: Reporter, *, examples: bool) -> Description:
        """Describe the columns of ``data``; what was detected is reported on stderr."""
        from ratingpriv.formats.describing import describe

        for name in ("issues", "sample"):
            if getattr(self, name) is not None:
                raise ParameterError(name, "with describe", f"no --{name}: columns are described as they are")
        options = self._read_options()
        end_of_trial()
        with reporter.progress() as progress:
            return describe(
                data,
                format=self.format,
                options=dataclasses.replace(options, progress=progress),
                examples=examples,
                on_detect=lambda loader, claim: reporter.note(
                    f"reading {data} as {loader.name}: {claim.reason}"
                ),
            )

    def words(self) -> dict[str, Any]:
        """Return what is said of the data as :func:`ratingpriv.read` takes it, beside ``issues``."""
        said: dict[str, Any] = {"format": self.format}
        options = self._read_options()
        fields = ((field.name, field.default) for field in dataclasses.fields(options))
        said |= {name: value for name, default in fields if (value := getattr(options, name)) != default}
        said.pop("timestamps", None)
        end_of_trial()
        return {name: value for name, value in said.items() if value not in (None, (), {})}

    def _read_options(self, timestamps: bool = False, *, with_levels: bool = False) -> ReadOptions:
        from ratingpriv.codebook.recodes.levels import as_it_is
        from ratingpriv.formats.reading import ReadOptions

        if self.no_sensitive and self.sensitive:
            raise ParameterError("no-sensitive", "with --sensitive", "one of the two")
        same = ("layout", "id", "issue", "timestamp", "sensitive", "drop", "scale", "null", "delimiter",
                "encoding", "header", "quasi", "identifier", "carry", "keep", "only_null", "sheet",
                "decimal_comma", "attributes")  # fmt: skip
        more: dict[str, Any] = {} if self.duplicates is None else {"duplicates": self.duplicates}
        scales: dict[str, Any] = dict(self.sensitive_scale)  # type: ignore[arg-type]
        if len(scales) < len(self.sensitive_scale):
            raise ParameterError("sensitive-scale", "a name a second time", "one scale a name")
        return ReadOptions(
            **{name: getattr(self, name) for name in same}, **more, ratings=self.rating,
            codebook=as_it_is(self.book) if with_levels else self._codebook(),
            sensitive_scale=scales, timestamps=timestamps,
        )  # fmt: skip
