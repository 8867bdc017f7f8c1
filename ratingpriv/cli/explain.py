"""``ratingpriv explain``: which few ratings narrow one record down; it names a person's ratings."""

from __future__ import annotations

import dataclasses
from typing import Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import together
from ratingpriv.cli import options
from ratingpriv.cli.options.results import Printed
from ratingpriv.cli.options.values import group, option, writes
from ratingpriv.cli.output.reporter import progress_bars


@group
class _Private(Printed):
    output: str | None = writes("Write .html, .pdf, .md, .json or .txt, for your eyes only.")


@group
class _Known:
    k: int = option("Fewer records than K may be left.", ..., metavar="K", min=1)
    epsilon: float = option("Records within E of each known rating remain.", ...)
    m: int = option("At most M of its ratings are known.", 3, "--known", metavar="M", min=1)


@together()
def run(
    data: str = options.DATA_FILE,
    *,
    record: str = option("The record, by its id.", ..., metavar="ID"),
    knowledge: _Known,
    blanks: bool = option("Also find ratings to suppress, and the records that this harms."),
    show: bool = option("Print the person's ratings on standard output."),
    results: _Private,
    limits: options.Resources,
    reading: options.Data,
) -> int:
    """Explain which few known ratings narrow one record down, and what to blank.

    Finds all sets of at most M ratings of the record that leave fewer than K records within E of
    them, and of which no rating can be left out. As it names a person's ratings it goes to a file
    (-o), and to standard output only with --show.

    Exits with 0; 2 if input is bad.

    Examples
    --------
    ratingpriv explain survey.csv --record r001 --k 3 --epsilon 1 -o why.html
    ratingpriv explain survey.csv --record r001 --k 5 --epsilon 0 --blanks --show
    """
    from ratingpriv.audit.known.identifying import identifying_sets, position_of
    from ratingpriv.base.compute.resources import Resources

    if not show and (results.output is None or results.as_json):
        raise ParameterError("show", None, "it, or only -o FILE: this names a person's ratings")
    results.check(rows="the sets are in .json")
    table = reading.read(data)
    how: dict[str, Any] = {**dataclasses.asdict(knowledge), "blanks": blanks}
    with progress_bars() as progress:
        position = position_of(table, record)
        resources = Resources(**limits.resources, progress=progress)
        sets = identifying_sets(table, position, **how, resources=resources)
    return results.deliver(sets, private=True, shown=show)
