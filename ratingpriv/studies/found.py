"""How many people of a release can be re-identified: bounds that are proved,
and attacks between them.

A released record is told from others by what an adversary may know: ratings, which are missing, and
quasi-identifiers (:func:`ratingpriv.proximity.cores.equal_rows`). Records equal in these are in
random order, so that a pick among c of them is right with the chance 1/c. Hence

1. records *withheld*, the others as they are: exactly the distinct rows, over the records, are
   re-identified by who knows all of somebody's; equal records stay or go together;
2. *any* release: at most its distinct rows over its records;
3. *modify* leaves the (k-1)-core as it is, where
   :func:`ratingpriv.anonymize.modification.grouping.leaves_core` says so: of that at least the
   distinct rows less the people outside, each of whom can hide one of them;
4. *swap*: at most the groups over the records, against whoever knows the groups [ours].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.result import Anonymized
from ratingpriv.attack.algorithms.methods import options_of
from ratingpriv.attack.evaluation.experiments import Experiment, attack_each
from ratingpriv.attack.evaluation.paired import compare
from ratingpriv.attack.intervals import Judging, clopper_pearson
from ratingpriv.attack.knowledge import draw
from ratingpriv.attack.knowledge.adversaries import knowledge_of
from ratingpriv.attack.strongest import whole_record
from ratingpriv.base.compute.ascending import among
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.classes import Classes
from ratingpriv.proximity.cores import Levels, equal_rows

type Law = Literal["equal-records", "distinct-rows", "core", "groups", "attack", "none"]

type Originals = dict[tuple[str, bytes], tuple[Experiment, ...]]
"""Attacks on the original by what is known, and of whom: the same for every release."""

STEPS = (25, 100, 400, 1000)
"""So many people are attacked, in one drawn order, until the interval is on one side of the
threshold.
"""

CONFIDENCE = 1 - 0.05 / len(STEPS)
"""Of the interval at each step, so that all of them hold together in 95 of 100 cases."""

_KNOWLEDGE: Mapping[str, str | None] = {"everything": "everything", "default": None}


def cells_of(table: RatingTable) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the place of each rating, record * items + item, ascending, and the ratings."""
    record = np.repeat(np.arange(table.n_records), np.diff(table.indptr))
    return record * max(table.n_issues, 1) + table.indices, table.levels[table.codes].astype(
        np.float64
    )


def same_rows(original: RatingTable, release: RatingTable) -> NDArray[np.bool_]:
    """Return which records of two tables with the same records and
    items have the same ratings, bool (n,).
    """
    (before, values), (after, others) = cells_of(original), cells_of(release)
    n, p = original.n_records, max(original.n_issues, 1)
    differs = np.zeros(n, dtype=bool)
    both, still = among(after, before), among(before, after)
    differs[before[~both] // p] = True
    differs[after[~still] // p] = True
    apart = values[both] != others[still]
    differs[before[both][apart] // p] = True
    return ~differs


@dataclass(frozen=True, slots=True)
class Found:
    """The share of the released people that the strongest adversary re-identifies.

    Attributes
    ----------
    low, high : it is between these: by proof, or by the interval of an attack
    by : "proof" or "measured"
    law : which bound decides ``high``, or "attack"
    targets : how many people were attacked, 0 where none was
    """

    low: float
    high: float
    by: Literal["proof", "measured"]
    law: Law
    targets: int = 0

    def keeps(self, threshold: float) -> bool:
        """Whether it is surely at most ``threshold``."""
        return self.high <= threshold

    def exceeds(self, threshold: float) -> bool:
        """Whether it is surely more."""
        return self.low > threshold

    def within(self, other: Found) -> Found:
        """Return what both say."""
        upper = self if self.high <= other.high else other
        low = min(max(self.low, other.low), upper.high)
        return Found(low, upper.high, upper.by, upper.law, max(self.targets, other.targets))


NOTHING_KNOWN = Found(0.0, 1.0, "proof", "none")
"""What is known before anything is: nobody or everybody."""


def of_withheld(levels: Levels, rows: Classes, k: int) -> Found | None:
    """Return it of the records left for ``k``, exactly (law 1); None where nobody is left."""
    records = len(levels.of) - int(levels.withheld[k])
    if not records:
        return None
    share = int(levels.distinct(rows)[k]) / records
    return Found(share, share, "proof", "equal-records")


def of_release(release: RatingTable) -> Found:
    """Return what is known of any release whose records are in random order (law 2)."""
    return Found(0.0, equal_rows(release).count / release.n_records, "proof", "distinct-rows")


def of_equal(k: int) -> Found:
    """Return what is known of any release in which at least ``k``
    records are equal to each (law 2).

    It holds whatever is drawn when the release is made.
    """
    return Found(0.0, 1 / k, "proof", "equal-records")


def of_modified(levels: Levels, rows: Classes, k: int) -> Found:
    """Return what is known before a release by "modify" is made (law 3)."""
    outside = int(levels.withheld[k])
    least = (int(levels.distinct(rows)[k]) - outside) / len(levels.of)
    return Found(max(0.0, least), 1.0, "proof", "core")


def of_groups(groups: int, records: int) -> Found:
    """Return what is known of ``records`` whose answers were exchanged
    within ``groups`` (law 4).
    """
    return Found(0.0, groups / records, "proof", "groups")


def measured(
    table: RatingTable,
    made: Anonymized,
    threshold: float,
    *,
    seed: int,
    resources: Resources,
    keep: Callable[[str, Callable[[], list[dict[str, Any]]]], Any],
    originals: Originals,
) -> Found:
    """Attack a release of ``table`` until it is on one side of ``threshold``,
    or all STEPS are taken.

    The strongest adversary knows every answer and which are missing
    (:func:`ratingpriv.attack.strongest.whole_record`). Beside it the algorithms of the suite attack
    drawn people, of whom they know every answer, or as many as by default. The worst of all counts.

    ``keep`` : called with a name and what measures; returns the rows, from a journal if it has them
    ``originals`` : attacks on ``table``, kept for the next release
    """
    [row] = keep("strongest", partial(_strongest, table, made, resources))
    worst = Found(row["low"], row["high"], "measured", "attack", row["of"])
    order = np.random.default_rng(seed).permutation(made.kept)
    for name in _KNOWLEDGE:
        counts: dict[str, float] = {}
        asked = of = 0
        for step in STEPS:
            if worst.exceeds(threshold):
                return worst
            some = order[asked : min(step, len(order))]
            asked += len(some)
            rows = keep(
                f"{name} {asked}", partial(_attacked, table, made, some, name, resources, originals)
            )
            for row in rows:
                counts[row["algorithm"]] = counts.get(row["algorithm"], 0.0) + row["count"]
            of += rows[-1]["of"]
            low, high = _ends(max(counts.values()), of, whole=asked == len(order))
            if high <= threshold or low > threshold or asked == len(order):
                break
        if high > worst.high:
            worst = Found(max(low, worst.low), high, "measured", "attack", of)
    return worst


def _strongest(table: RatingTable, made: Anonymized, resources: Resources) -> list[dict[str, Any]]:
    """Return what the strongest adversary finds.

    What is too dear to be searched is what is proved.
    """
    success = whole_record(table, made.table, made.pairing, resources).success
    return [{"low": success.low, "high": success.high, "of": success.of}]


def _ends(count: float, of: int, *, whole: bool) -> tuple[float, float]:
    """Return the interval of a share; of everybody it is a point."""
    if not of:
        return 0.0, 1.0
    return (count / of,) * 2 if whole else clopper_pearson(count, of, confidence=CONFIDENCE)


def _attacked(
    table: RatingTable,
    made: Anonymized,
    targets: NDArray[np.int64],
    name: str,
    resources: Resources,
    originals: Originals,
) -> list[dict[str, Any]]:
    """Return for each algorithm how many of ``targets``, positions of released people,
    it re-identifies.

    Whoever too little is known of is not attacked, and is not counted; the strongest adversary
    attacks all.
    """
    people = np.sort(targets)
    key = (name, people.tobytes())
    knowledge = knowledge_of(table, _KNOWLEDGE[name], {"targets": people})
    try:
        if key not in originals:
            drawn = draw(table, knowledge, rng=0)
            judging = Judging(false_positives=False, inference=False)
            originals[key] = attack_each(
                table, drawn, options_of(None, None), judging=judging, resources=resources
            )
        pairs = compare(originals[key], made.table, made.key_of(table), resources=resources)
    except ParameterError:  # nobody of these can be attacked so
        return [{"algorithm": str(one), "count": 0.0, "of": 0} for one in options_of(None, None)]
    return [
        {
            "algorithm": str(pair.after.parameters["algorithm"]),
            "count": float(pair.of_released.count),
            "of": int(pair.of_released.of),
        }
        for pair in pairs
    ]
