"""Describing a file: its columns as they stand there, and what each of them seems to be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ratingpriv.base import checks
from ratingpriv.base.errors import DataError, Problem
from ratingpriv.data.codebook.checking import checked_options
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.proposing import Description, describe_raw
from ratingpriv.data.codebook.raw import RawData
from ratingpriv.data.formats.reading import Detection, Loader, chosen_loader, refuse_unsupported
from ratingpriv.data.formats.sources import Source, naming_source


@naming_source
def describe(
    path: str | Path | Source,
    *,
    format: str | None = None,  # noqa: A002 -- the word of --format
    options: ReadOptions | None = None,
    examples: bool = False,
    on_detect: Callable[[Loader, Detection], None] | None = None,
) -> Description:
    """Describe the columns of a file with a row a record, and propose a codebook.

    Parameters
    ----------
    path, format, options, on_detect : as for :func:`ratingpriv.read`; what they say of a column stays
    examples : whether the result has some values of each column; without, it has none but the words of known
        scales, what may be missing codes, and the least and the greatest number

    Raises
    ------
    DataError
        The file cannot be read, or has no columns of answers: it has a row a rating, or a layout of its own.
    ParameterError
        An option is unknown or does not fit.
    """
    options = checked_options(options, {})
    checks.flag("examples", examples)
    source = path if isinstance(path, Source) else Source(path)
    loader = chosen_loader(source, format, options, on_detect)
    read = getattr(loader, "raw", None)
    if read is None:
        expected = "a file with a row a record, to be described by column"
        remedy = "ratings in this format need no codebook: audit them"
        raise DataError(Problem(source.name, f"data of the format {loader.name}", expected, remedy))
    refuse_unsupported(loader, options)
    raw: RawData = read(source, options)
    source.refuse_changed()
    return describe_raw(raw, options, examples=examples)
