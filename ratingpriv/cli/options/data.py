"""Options that say what the data are and which part of them is taken."""

from __future__ import annotations

import dataclasses
import itertools
import shlex
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options import parameters, values
from ratingpriv.cli.options.config import apply_codebook, codebook_of, overrules
from ratingpriv.cli.options.values import DATA, GLOBAL, file_argument, group, option, reads
from ratingpriv.cli.output.invocation import invocation
from ratingpriv.cli.output.reporter import note, progress_bars
from ratingpriv.cli.output.step import end_of_trial

if TYPE_CHECKING:
    from ratingpriv.base.keys import Key
    from ratingpriv.data.codebook.codebook import Codebook
    from ratingpriv.data.formats.describing import Description
    from ratingpriv.data.formats.reading import ReadOptions
    from ratingpriv.data.table import RatingTable

DATA_FILE = file_argument("A file or folder of ratings; - is standard input.", ..., metavar="DATA")
TRUTH = reads("Links of released to original records: key file, or ids.", metavar="KEY|ids")


def truth_of(text: str | None, release: str | None) -> Key | Literal["ids"] | None:
    """Return the key that ``--truth`` names, read; ids as they are; None where nothing was said."""
    if text is not None and release is None:
        raise ParameterError("truth", text, "a --release that it belongs to")
    if text is None or text == "ids":
        return "ids" if text else None
    from ratingpriv.base.keys import read_key

    return read_key(text)


_data = partial(option, panel=DATA)


@group
class Data:
    """What the data are, by the names of :class:`ratingpriv.data.formats.reading.ReadOptions`."""

    format: str | None = _data("Which loader (ratingpriv doctor lists them); else auto-detected.")
    layout: Literal["long", "wide"] | None = _data(
        "One row per rating (long) or per record (wide)."
    )
    id: str | None = _data("Column of record ids, by name or number from 1.", metavar="COL")
    issue: str | None = _data("Column of items (long).", metavar="COL")
    rating: tuple[str, ...] = _data(
        "Column of ratings (long), or what surely is one.", metavar="COL"
    )
    timestamp: str | None = option("Column of timestamps (long).", metavar="COL")
    sensitive: tuple[str, ...] = _data("A sensitive item.", callback=overrules("no_sensitive"))
    no_sensitive: bool = _data("No item is sensitive.", callback=overrules("sensitive"))
    codebook: str | None = reads(
        "What each column is, in TOML or a Frictionless schema; options win.",
        panel=DATA,
        is_eager=True,
        callback=apply_codebook,
    )
    anywhere: bool = option("Files that a codebook names may be outside of its folder.")
    print_codebook: bool = _data(
        "Print the codebook in force, and exit.", is_eager=True, callback=parameters.lenient
    )
    quasi: tuple[str, ...] = _data("A quasi-identifier: equal, or within W.", metavar="NAME[=W]")
    identifier: tuple[str, ...] = _data("A direct identifier, never released.")
    carry: tuple[str, ...] = _data("A column to release unaudited.")
    others: Literal["rating"] | None = _data("All other columns are items.")
    keep: tuple[str, ...] = option("Keep only columns such as Q2_*.", metavar="PATTERN")
    issues: str | None = _data(
        "Items a,b,c; top:20; low-entropy:20; random:20:SEED; @FILE.",
        None,
        "--items",
        parser=values.items,
    )
    drop: tuple[str, ...] = _data("Omit an item or column, or Q2_*.", metavar="PATTERN")
    scale: tuple[float, float] | None = _data(
        "The scale, for sensitive items too; else as is.", parser=values.scale
    )
    sensitive_scale: tuple[str, ...] = option(
        "Scale of a sensitive item.", parser=values.named_scale
    )
    null: tuple[str, ...] = _data("Text that means missing, too.", metavar="TOKEN")
    only_null: tuple[str, ...] = option(
        "The only such text, beside an empty cell.", metavar="TOKEN"
    )
    delimiter: str | None = option(r"Between columns; \t is a tab.", parser=values.delimiter)
    encoding: str | None = option("Encoding of the text, else UTF-8.")
    header: bool | None = option(
        "The first line names columns; else detected.", None, "--header/--no-header"
    )
    decimal_comma: bool | None = option(
        "Else auto-detected.", None, "--decimal-comma/--decimal-point"
    )
    multiline: bool | None = option(
        "Quoted cells over lines that look like records are meant.",
        None,
        "--multiline/--no-multiline",
    )
    sheet: str | None = option("Which sheet of a workbook.")
    attributes: str | None = reads("Attributes, one row per record, beside long ratings.")
    duplicates: Literal["refuse", "first", "last", "mean"] | None = option(
        "Of a duplicated (record, item)."
    )
    sample: float | None = _data("Take a random sample of the records.", parser=values.amount)
    seed: int = _data("Seed for --sample, random:N and anonymize; there else a secret one.", 0)

    def read(
        self, data: str, *, timestamps: bool = False, codebook: Codebook | None = None
    ) -> RatingTable:
        """Read ``data`` as the options say; ``codebook`` instead of the one that is in force."""
        from ratingpriv.data.formats.reading import read

        columns = self._read_options(codebook, timestamps=timestamps)
        taken = {"issues": self.issues, "sample": self.sample, "rng": self.seed}
        table: RatingTable = self._looked_at(read, data, columns, **taken)
        _refuse_too_little(table)
        if self.sample is not None:
            note(
                f"these are figures for a sample of {table.n_records} records (seed {self.seed}): "
                f"in the "
                "whole data neighbourhoods are larger, and the other records were not looked at"
            )
        if invocation().verbose:
            note(f"read {table!r}")
        return table

    def read_release(
        self, release: str, original: RatingTable, *, timestamps: bool = False
    ) -> RatingTable:
        """Read a release of the data, whole: its columns are what they are in the ``original``."""
        from ratingpriv.anonymize.release.with_original import read_with_original

        reader = dataclasses.replace(
            self,
            sample=None,
            issues=None,
            drop=(),
            keep=(),
            identifier=(),
            sheet=None,
            attributes=None,
        )
        book = self.book
        options = reader._read_options(book and book.of_release(), timestamps=timestamps)

        look = partial(read_with_original, original=original)
        table: RatingTable = reader._looked_at(look, release, options)
        if invocation().verbose:
            note(f"read {table!r}")
        return table

    def describe(self, data: str, *, examples: bool) -> Description:
        """Describe the columns of ``data``."""
        from ratingpriv.data.formats.describing import describe

        for name in ("issues", "sample"):
            if getattr(self, name) is not None:
                raise ParameterError(
                    name, "with describe", f"no --{name}: columns are described as they are"
                )
        described: Description = self._looked_at(
            describe, data, self._read_options(), examples=examples
        )
        return described

    def _looked_at(
        self, look: Callable[..., Any], data: str, columns: ReadOptions, **more: Any
    ) -> Any:
        """Read or describe the data; what was detected is reported."""
        end_of_trial()
        with progress_bars() as progress:
            more["options"] = dataclasses.replace(columns, progress=progress)
            more["on_detect"] = lambda loader, claim: note(
                f"reading {data} as {loader.name}: {claim.reason}"
            )
            return look(data, format=self.format, **more)

    @property
    def book(self) -> Codebook | None:
        """The codebook, if there is one."""
        book = codebook_of(parameters.current_context())
        secret = (
            [name for name, spec in book.columns.items() if spec.role == "sensitive"]
            if book
            else []
        )
        if self.no_sensitive and secret:
            remedy = f"drop it (--drop {secret[0]}), or give it another role"
            raise ParameterError(
                "no-sensitive", "with a codebook that has sensitive columns", "none", remedy
            )
        return book

    def show_codebook(self) -> int:
        """Print the codebook in force, with the command's own options, as a file has them."""
        from ratingpriv.data.codebook.merging import text_in_force

        ctx = parameters.current_context()
        if ctx.params.get("as_json"):
            raise ParameterError(
                "json", "with --print-codebook", "one of the two: a codebook is TOML"
            )
        options = {
            parameters.names_of(param)[0]: text
            for param, text in parameters.all_written(ctx)
            if not (
                _is_of_data(param) or param.rich_help_panel == GLOBAL or parameters.place_of(param)
            )
            if param.name not in ("as_json", "force")
        }
        data = ctx.params.get("data")
        options_of_data = {"format": self.format, "path": None if data == "-" else data}
        sys.stdout.write(
            text_in_force(
                self.book, self._read_options(), options_of_data, {str(ctx.command.name): options}
            )
        )
        return 0

    @property
    def typed(self) -> str:
        """DATA and the data options as the user gave them, for a shell."""
        typed = parameters.all_written(parameters.current_context())
        words = [parameters.words_of(param, text) for param, text in typed if _is_of_data(param)]
        return shlex.join(itertools.chain(*words)) or "DATA"

    def words(self) -> dict[str, Any]:
        """Return what is said of the data as :func:`ratingpriv.read` takes it,
        beside ``issues``.
        """
        options = self._read_options(timestamps=True)
        end_of_trial()
        defaults = {field.name: field.default for field in dataclasses.fields(options)}
        words = {name: getattr(options, name) for name in defaults}
        words = {
            name: value
            for name, value in words.items()
            if value not in (defaults[name], None, (), {})
        }
        return words if self.format is None else {**words, "format": self.format}

    def _read_options(
        self, codebook: Codebook | None = None, *, timestamps: bool = False
    ) -> ReadOptions:
        """Return what is said of the columns as the library takes it."""
        from ratingpriv.data.formats.reading import ReadOptions

        if self.no_sensitive and self.sensitive:
            raise ParameterError("no-sensitive", "with --sensitive", "one of the two")
        scales: dict[str, Any] = dict(self.sensitive_scale)  # type: ignore[arg-type]
        if len(scales) < len(self.sensitive_scale):
            raise ParameterError("sensitive-scale", "a name a second time", "one scale a name")
        options = {name: getattr(self, name, None) for name in ReadOptions.__slots__}
        options |= {"rating": None, "ratings": self.rating, "sensitive_scale": scales}
        options |= {"codebook": codebook or self.book, "timestamps": timestamps}
        return ReadOptions(**{name: value for name, value in options.items() if value is not None})


_FIELDS = {field.name for field in dataclasses.fields(Data)}


def _is_of_data(param: Any) -> bool:
    """Return whether a parameter says what the data are."""
    return (
        param.param_type_name == "argument"
        or param.rich_help_panel == DATA
        or param.name in _FIELDS
    )


def _refuse_too_little(table: RatingTable) -> None:
    """Refuse a limit for working arrays that is below what the table alone holds:
    no computation keeps it.
    """
    memory = parameters.current_context().params.get("memory")
    held = sum(part.nbytes for part in (table.indptr, table.indices, table.codes, table.levels))
    if memory is not None and memory < held:
        raise ParameterError(
            "memory",
            f"{memory:,} bytes",
            f"at least the {held:,} bytes that the ratings themselves take: it is for working "
            f"arrays, beside "
            "the data and the program",
            "give more, or leave it out",
        )
