"""``ratingpriv audit``: the verdict, who is at risk, what to do next."""

from __future__ import annotations

import dataclasses
from typing import Any

from ratingpriv.base.files import together
from ratingpriv.cli import options
from ratingpriv.cli.options.source import Source
from ratingpriv.cli.options.values import file_argument, group, items, option, share, writes
from ratingpriv.cli.output.reporter import wrote

_ROWS = "--per-record FILE.parquet has one row per record"


@group
class _Demand(options.Diversity):
    k: int = options.K
    epsilon: float = option("Largest distance of neighbours.", ...)
    l: float | None = options.L
    at_most: float | None = option("Tolerate this share of violators, such as 1%.", parser=share)
    accept: tuple[str, ...] = options.ACCEPT


@group
class _Listing:
    per_record: str | None = writes("Also write one row per record, .csv or .parquet.")
    show: int = option("Name at most N records at risk.", 0, show_default=False)


@group
class _Known:
    exposure: float | None = option("Exposure to knowledge with an error of up to E.")
    known: int | None = option(
        "Instead: do any M known ratings leave K records?", metavar="M", min=1
    )
    known_error: float | None = option("They are known with an error of up to E.")
    known_items: str | None = option(
        "Only of these items: a,b,c; top:20; not-top:20; @FILE.", parser=items
    )

    @property
    def words(self) -> dict[str, Any]:
        """What was said, as the library takes it."""
        return {
            name: value for name, value in dataclasses.asdict(self).items() if value is not None
        }

    @property
    def absent(self) -> dict[str, str]:
        """The pictures that need more to be said, and what."""
        kinds = {"exposure": "--exposure E", "known": "--known M"}
        return {kind: word for kind, word in kinds.items() if kind not in self.words}


@together()
def run(
    *,
    data: str | None = file_argument(
        "A file or folder of ratings; - is standard input. Or --dataset.", metavar="DATA"
    ),
    demand: _Demand,
    listing: _Listing,
    results: options.Results,
    knowledge: _Known,
    source: Source,
    reading: options.Data,
    model: options.AuditModel,
) -> int:
    """Audit a dataset for (k,ε)-anonymity and list records at risk.

    Decides exactly whether every record has at least K records (itself included) within a rating
    distance of E on every non-sensitive item; with --l, whether their sensitive ratings also have a
    standard deviation of at least L. ε is a distance between ratings, not a differential-privacy
    budget.

    Quasi-identifiers (--quasi, --help-data) have rules of their own, equal or within a number, that
    no ε moves; columns that are carried are not audited. An SD is no protection against inference:
    settings make other demands (--help-data). --dataset names, instead of DATA, what ratingpriv
    ingest put into a graph store. With --known M the exit code is that of another verdict: whether
    any at most M known ratings of a record leave K records within E of them.

    Exits with 0 if satisfied (or within --set at-most), 1 if not or with a reservation, 2 if the
    input is bad.

    Examples
    --------
    ratingpriv audit survey.csv --k 5 --epsilon 1
    ratingpriv audit survey.csv --k 3 --epsilon 1 --l 0.5 --sensitive pay
    ratingpriv audit survey.csv --k 5 --epsilon 1 --json --per-record risk.csv
    """
    from ratingpriv.report.tables import check_suffix, write_per_record

    # wrong usage is reported before a long read
    target, show = model.target(**dataclasses.asdict(demand)), listing.show
    on_spark = data is not None and model.engine == "spark"
    source.check(data, on_spark=on_spark)
    check_suffix(listing.per_record, folder=on_spark)
    rows = None if on_spark else listing.per_record  # Spark writes a folder itself
    results.check(rows=_ROWS if on_spark else "", absent=knowledge.absent, per_record=rows)
    result = source.audit(
        data, target, reading, model, knowledge.words, **dataclasses.asdict(listing)
    )
    if rows is not None:
        write_per_record(result, rows, force=results.force, csv_safe=results.csv_safe)
    if listing.per_record is not None:
        wrote(listing.per_record)
    unsaid = data is not None and not reading.no_sensitive
    knowledge_words = (
        f"{name} = {word}" for name, word in knowledge.words.items() if name != "exposure"
    )
    return results.deliver(
        result,
        document=result.to_dict(show),
        page={"data": reading.typed, "show": show, "sensitive_unsaid": unsaid},
        data=data,
        verdict=", ".join([result.parameters.model, *knowledge_words]),
        private=show > 0 or results.of_records,
    )
