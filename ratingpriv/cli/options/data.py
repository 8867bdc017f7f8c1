"""Options that say what the data are and which part of them is taken."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.config import apply_codebook, codebook_of, overrules
from ratingpriv.cli.options.parameters import current_context, lenient
from ratingpriv.cli.options.values import (
    DATA,
    SETTINGS,
    amount,
    declaring,
    delimiter,
    input_file,
    items,
    named_scale,
    scale,
)
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.step import end_of_trial

if TYPE_CHECKING:
    from ratingpriv.data.codebook.codebook import Codebook
    from ratingpriv.data.codebook.proposing import Description
    from ratingpriv.data.formats.reading import ReadOptions
    from ratingpriv.data.table import RatingTable

__all__ = ["DataArgument", "DataOptions"]

DataArgument = Annotated[
    str,
    Argument(metavar="DATA", parser=input_file, help="A file or directory of ratings; - is standard input."),
]

_data, _setting = declaring(DATA), declaring(SETTINGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """What the user says about the data, and which part of it to take.

    What :class:`ratingpriv.data.formats.reading.ReadOptions` has, too, has its name there, but for
    ``rating``.
    """

    format: Annotated[
        str | None,
        _data(
            "--format NAME", "Which loader reads the data (ratingpriv doctor lists them); else auto-detected."
        ),
    ] = None
    layout: Annotated[
        Literal["long", "wide"] | None, _data("--layout", "A row a rating (long) or a row a record (wide).")
    ] = None
    id: Annotated[str | None, _data("--id COL", "Column of record ids, by name or number from 1.")] = None
    issue: Annotated[str | None, _data("--issue COL", "Column of items (long).")] = None
    rating: Annotated[
        tuple[str, ...],
        _data(
            "--rating COL",
            "Column of ratings (long), or one that is, whatever it looks like (wide; repeatable).",
        ),
    ] = ()
    timestamp: Annotated[str | None, _setting("--timestamp COL", "Column of timestamps (long).")] = None
    sensitive: Annotated[
        tuple[str, ...],
        _data("--sensitive NAME", "A sensitive item (repeatable).", callback=overrules("no_sensitive")),
    ] = ()
    no_sensitive: Annotated[
        bool, _data("--no-sensitive", "No item is sensitive.", callback=overrules("sensitive"))
    ] = False
    codebook: Annotated[
        str | None,
        _data(
            "--codebook FILE",
            "What each column is, in TOML or a Frictionless schema; options win over it.",
            parser=input_file,
            is_eager=True,
            callback=apply_codebook,
        ),
    ] = None
    print_codebook: Annotated[
        bool,
        _data(
            "--print-codebook",
            "Print the codebook that is in force, as TOML, and exit.",
            is_eager=True,
            callback=lenient,
        ),
    ] = False
    quasi: Annotated[
        tuple[str, ...],
        _data(
            "--quasi NAME[=W]",
            "A quasi-identifier: records must be equal, or within W of each other (repeatable).",
        ),
    ] = ()
    identifier: Annotated[
        tuple[str, ...], _data("--identifier NAME", "A direct identifier, never released (repeatable).")
    ] = ()
    carry: Annotated[
        tuple[str, ...], _data("--carry NAME", "A column to release unaudited (repeatable).")
    ] = ()
    keep: Annotated[
        tuple[str, ...], _setting("--keep PATTERN", "Keep only columns such as Q2_* (repeatable).")
    ] = ()
    issues: Annotated[
        str | None,
        _data(
            "--items SPEC", "Keep only these items: names a,b,c; top:20; random:20:SEED; @FILE.", parser=items
        ),
    ] = None
    drop: Annotated[
        tuple[str, ...], _data("--drop PATTERN", "Leave out an item or column, or Q2_* (repeatable).")
    ] = ()
    scale: Annotated[
        tuple[float, float] | None,
        _data("--scale MIN:MAX", "The rating scale, of sensitive items too; else as found.", parser=scale),
    ] = None
    sensitive_scale: Annotated[
        tuple[str, ...],
        _setting(
            "--sensitive-scale NAME=MIN:MAX",
            "The scale of a sensitive item, where it is another (repeatable).",
            parser=named_scale,
        ),
    ] = ()
    null: Annotated[
        tuple[str, ...], _data("--null TOKEN", "Text that means unanswered too (repeatable).")
    ] = ()
    only_null: Annotated[
        tuple[str, ...],
        _setting("--only-null TOKEN", "The only such text beside an empty cell (repeatable)."),
    ] = ()
    delimiter: Annotated[
        str | None, _setting("--delimiter TEXT", r"Between columns; \t is a tab.", parser=delimiter)
    ] = None
    encoding: Annotated[str | None, _setting("--encoding NAME", "Encoding of the text, else UTF-8.")] = None
    header: Annotated[
        bool | None,
        _setting("--header/--no-header", "Whether the first line names the columns; else auto-detected."),
    ] = None
    decimal_comma: Annotated[
        bool | None,
        _setting("--decimal-comma/--decimal-point", "How decimals are written; else auto-detected."),
    ] = None
    sheet: Annotated[str | None, _setting("--sheet NAME", "Which sheet of a workbook.")] = None
    attributes: Annotated[
        str | None,
        _setting(
            "--attributes FILE",
            "Attributes of the records, a row a record, beside ratings in rows (long).",
            parser=input_file,
        ),
    ] = None
    duplicates: Annotated[
        Literal["refuse", "first", "last", "mean"] | None,
        _setting("--duplicates", "What to do with a duplicated (record, item); else refuse."),
    ] = None
    sample: Annotated[
        float | None, _data("--sample N|SHARE", "Take a random sample of the records.", parser=amount)
    ] = None
    seed: Annotated[
        int, _data("--seed N", "Seed for --sample, random:N and anonymize; there else a secret one.")
    ] = 0

    def read(
        self, data: str, reporter: Reporter, *, timestamps: bool = False, codebook: Codebook | None = None
    ) -> RatingTable:
        """Read ``data`` as the options say; what was detected is reported on stderr.

        ``codebook`` : instead of the one that is in force
        """
        from ratingpriv.data.formats.reading import read

        options = self._read_options(codebook, timestamps=timestamps)
        taken = {"issues": self.issues, "sample": self.sample, "rng": self.seed}
        table: RatingTable = self._looked_at(read, data, options, reporter, **taken)
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
        book = self.book
        return whole.read(release, reporter, timestamps=timestamps, codebook=book and book.of_release())

    def describe(self, data: str, reporter: Reporter, *, examples: bool) -> Description:
        """Describe the columns of ``data``; what was detected is reported on stderr."""
        from ratingpriv.data.formats.describing import describe

        for name in ("issues", "sample"):
            if getattr(self, name) is not None:
                raise ParameterError(name, "with describe", f"no --{name}: columns are described as they are")
        described: Description = self._looked_at(
            describe, data, self._read_options(), reporter, examples=examples
        )
        return described

    def _looked_at(
        self, look: Callable[..., Any], data: str, options: ReadOptions, reporter: Reporter, **more: Any
    ) -> Any:
        end_of_trial()
        with reporter.progress() as progress:
            return look(
                data,
                format=self.format,
                options=dataclasses.replace(options, progress=progress),
                on_detect=lambda loader, claim: reporter.note(
                    f"reading {data} as {loader.name}: {claim.reason}"
                ),
                **more,
            )

    @property
    def book(self) -> Codebook | None:
        """The codebook, if there is one."""
        book = codebook_of(current_context())
        secret = [name for name, spec in book.columns.items() if spec.role == "sensitive"] if book else []
        if self.no_sensitive and secret:
            remedy = f"drop it (--drop {secret[0]}), or give it another role"
            raise ParameterError("no-sensitive", "with a codebook that has sensitive columns", "none", remedy)
        return book

    def codebook_text(self, data: str | None, options: Mapping[str, Any], command: str) -> str:
        """Return the codebook that is in force: what options say, and else the file.

        Parameters
        ----------
        data : DATA, if it is given
        options : the values of the command's own options, by their long names, as texts
        """
        from ratingpriv.data.codebook.files.writing import text_in_force

        said = {"format": self.format, "path": None if data == "-" else data}
        return text_in_force(self.book, self._read_options(), said, {command: options})

    def words(self) -> dict[str, Any]:
        """Return what is said of the data as :func:`ratingpriv.read` takes it, beside ``issues``."""
        options = self._read_options(timestamps=True)
        end_of_trial()
        fields = {field.name: field.default for field in dataclasses.fields(options)}
        said = {name: getattr(options, name) for name in fields}
        said = {name: value for name, value in said.items() if value not in (fields[name], None, (), {})}
        return said if self.format is None else {**said, "format": self.format}

    def _read_options(self, codebook: Codebook | None = None, *, timestamps: bool = False) -> ReadOptions:
        """Return what is said of the columns as the library takes it."""
        from ratingpriv.data.formats.reading import ReadOptions

        if self.no_sensitive and self.sensitive:
            raise ParameterError("no-sensitive", "with --sensitive", "one of the two")
        scales: dict[str, Any] = dict(self.sensitive_scale)  # type: ignore[arg-type]
        if len(scales) < len(self.sensitive_scale):
            raise ParameterError("sensitive-scale", "a name a second time", "one scale a name")
        said = {name: getattr(self, name, None) for name in ReadOptions.__slots__}
        said |= {"rating": None, "ratings": self.rating, "sensitive_scale": scales}
        said |= {"codebook": codebook or self.book, "timestamps": timestamps}
        return ReadOptions(**{name: value for name, value in said.items() if value is not None})
