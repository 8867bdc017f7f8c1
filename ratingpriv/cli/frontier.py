"""``ratingpriv frontier``: which k, ε and l are within reach."""

from __future__ import annotations

import dataclasses
from typing import Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import together
from ratingpriv.base.numbers import in_full
from ratingpriv.cli import options
from ratingpriv.cli.options.values import group, option
from ratingpriv.cli.output.reporter import progress_bars


@group
class _Search:
    k: int | None = option("Find the smallest epsilon for this k.", metavar="K", min=1)
    l: float | None = option("Find every epsilon for this l.", metavar="L")
    epsilon: tuple[float, ...] = option("Only this distance; else all.")
    partition: bool = option(
        "Partitions too, which takes longer.", None, "--partition/--no-partition"
    )


@together()
def run(
    *,
    data: str = options.DATA_FILE,
    search: _Search,
    recode: bool = option("Also which levels of recodes reach K."),
    rows: int = option("Show at most N distances.", 100, min=2, show_default=False),
    accept: tuple[str, ...] = options.ACCEPT,
    results: options.Results,
    reading: options.Data,
    rules: options.Rules,
) -> int:
    """Find which k, ε and l are within reach of a dataset.

    For each distance ε at which anything changes: the largest k and the largest l that hold, how
    many records are isolated, and, with --partition, whether a partition into groups of k was
    found.

    With --k, the smallest ε; with --l, every ε that does; both exact. With --recode, also which
    levels of the hierarchies and bands of quasi-identifiers reach K, from which ε on, at which
    loss; all else, the exit code too, is about the data without them. A distance at which any two
    ratings are indistinguishable protects nothing, and is never the smallest ε. ε is a distance
    between ratings, not a differential-privacy budget.

    Exits with 0 if within reach, 1 if not or with a reservation, 2 if the input is bad.

    Examples
    --------
    ratingpriv frontier survey.csv
    ratingpriv frontier survey.csv --k 5
    ratingpriv frontier survey.csv --l 0.5 --sensitive pay
    """
    from ratingpriv.audit.frontier.frontier import check_recode, frontier
    from ratingpriv.audit.frontier.result import FrontierParameters
    from ratingpriv.data.codebook.recoding import as_it_is

    parameters: dict[str, Any] = {**dataclasses.asdict(search), **rules.words, "accept": accept}
    parameters |= {"epsilon": list(search.epsilon) or None}
    checked = FrontierParameters(**parameters)  # wrong usage is reported before a long read
    if recode:
        check_recode(checked)
    results.check(ungated=None if checked.has_target else "--k, --l or ")
    book = reading.book if recode else None
    if recode and book is None:
        raise ParameterError("codebook", None, "a codebook, whose hierarchies and bands are tried")
    table = reading.read(data, codebook=book and as_it_is(book))
    with progress_bars() as progress:
        result = frontier(
            table, **parameters, rows=rows, recode=book, **rules.resources, progress=progress
        )
    wanted = [
        f"{name} = {in_full(parameters[name])}" for name in "kl" if parameters[name] is not None
    ]
    return results.deliver(
        result, page={"data": reading.typed}, data=data, verdict=", ".join(wanted) or None
    )
