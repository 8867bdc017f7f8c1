"""What to know before relying on a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ratingpriv.audit.diversity import sd_ceiling
from ratingpriv.audit.judging import Aggregates
from ratingpriv.audit.result import AuditedDataset
from ratingpriv.base.cautions import Caution
from ratingpriv.base.numbers import in_full
from ratingpriv.base.target import Target
from ratingpriv.proximity.demands import in_words
from ratingpriv.proximity.levels import null_separates
from ratingpriv.proximity.reservations import Counted, reservations

__all__ = ["SPARSE_SHARE", "Caution", "cautions"]

SPARSE_SHARE = 0.1
"""From this share of records with a support of their own the table is called sparse."""


def cautions(
    table: Counted,
    dataset: AuditedDataset,
    target: Target,
    sums: Aggregates | None,
    *,
    k: int | None,
) -> Iterator[Caution]:
    """Yield the cautions of an audit, the weightiest first.

    ``sums`` is None where cautions on what was asked will do, ``k`` where none was asked for.
    """
    yield from reservations(table, target, k=k)
    alone = dataset.singleton_hamming_groups
    separates = null_separates(dataset.scale, target.epsilon, target.nulls)
    if separates and dataset.records > 1 and alone >= SPARSE_SHARE * dataset.records:
        equal = ", ".join(column.name for column in dataset.quasi if column.within is None)
        which = "rate a set of items that no other record rates"
        if equal:
            which = f"are the only ones that rate what they rate and have what they have on {equal}"
        yield Caution(
            "sparse-data",
            f"sparse data: {alone} of {dataset.records} records ({alone / dataset.records:.0%}) "
            f"{which}. Under the strict rule such a record has no neighbour, so no k above 1 can "
            "hold. That says little about re-identification: attack the data to measure it. "
            "`nulls='known'` counts the records that rated what a record rated, and "
            "`issues='top:20'` audits the items that an adversary is likeliest to know"
            + ("; coarser quasi-identifiers distinguish fewer records" if equal else ""),
        )
    if target.nulls == "known" and table.n_ratings != table.n_records * table.n_issues:
        yield Caution(
            "known-null-rule",
            "rule known: an adversary who knows that an item was not rated rules out more "
            "records (`nulls='strict'`)",
        )
    if sums is not None and sums.differing:
        verdicts = {
            rule: "not satisfied" if broken else "satisfied"
            for rule, broken in sums.by_rule.items()
        }
        rule = target.sensitive_nulls
        yield Caution.due(
            "sensitive-nulls-verdict",
            f"missing sensitive ratings: the two rules for them disagree on {sums.differing} "
            f"records (paper: {verdicts['paper']}, ignore: {verdicts['ignore']}; this result uses "
            f"{rule}). The paper's rule counts an unknown rating as if it added variety: 5, 5 and "
            "an unknown pass l=2",
            reservation=f"only by the rule {rule} for missing sensitive ratings, NOT by "
            + ("ignore" if rule == "paper" else "paper"),
        )
    if target.l is not None:
        yield from _of_l(table, target, target.l)


def _of_l(table: Counted, target: Target, l: float) -> Iterator[Caution]:  # noqa: E741
    """Yield that l cannot be reached, or says nothing of some column."""
    for column in table.sensitive:
        ceiling = math.inf
        if not column.nominal:
            ceiling = sd_ceiling(column, sensitive_nulls=target.sensitive_nulls)
        if l > ceiling * (1 + 1e-12):  # the ceiling is a rounded float64: no warning on a near-tie
            yield Caution(
                "unreachable-l",
                f"l = {in_full(l)} cannot be reached on {column.name!r}: no group of these ratings "
                f"has an SD above {in_full(ceiling)}, whatever epsilon and k are (Popoviciu; "
                f"Theorem 4.2)",
            )
    nominal = [column.name for column in table.sensitive if column.nominal]
    if nominal:
        yield Caution(
            "nominal-not-in-l",
            f"l = {in_full(l)} says nothing of {', '.join(nominal)}: the values are "
            f"categories, and "
            f"those have no standard deviation. An audit takes {in_words()} as "
            "demands on them, too",
        )
