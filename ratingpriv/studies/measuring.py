"""One cell: a release is made in memory, and measured; what cannot be is a row with the reason.

Every cell gives a row a measure (and, of attacks, a row an attack), whatever became of it, so that
a table of cells has no holes: a value, or None and why there is none. None is never "safe".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ratingpriv.anonymize.methods import anonymize
from ratingpriv.anonymize.result import Anonymized
from ratingpriv.attack.algorithms.methods import options_of
from ratingpriv.attack.evaluation.experiments import Experiment, attack_each, place_of_strongest
from ratingpriv.attack.evaluation.paired import compare
from ratingpriv.attack.intervals import Judging, share
from ratingpriv.attack.knowledge import draw
from ratingpriv.attack.knowledge.adversaries import knowledge_of
from ratingpriv.attack.strongest import whole_record
from ratingpriv.attack.studies import TARGETS
from ratingpriv.audit.exposure.measure import exposure
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.demands import Rate
from ratingpriv.studies.cells import Cell, Plan, seed_of
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.utility import utility_of_pair

GROUPS: Mapping[str, tuple[str, ...]] = {
    "audit": ("max_k", "alone"),
    "distortion": ("records_suppressed", "ratings_kept", "ratings_imputed"),
    "exposure": ("exposure_expected", "exposure_worst", "exposure_certain"),
    "attack": ("attack_success", "profile_disclosed"),
}
"""Groups of measures and the measures in each.

========================  ======================================================================
max_k, alone              largest k that holds for the released records; share of those alone
records_suppressed        how many records are left out
ratings_kept              share of the original's ratings that are released as they were
ratings_imputed           ratings released that nobody gave, for each one of the original
exposure_expected         see :class:`ratingpriv.audit.exposure.result.Exposure`, of the released
                          records
exposure_worst            the fewest records found; low is 1 where there may be fewer
exposure_certain          records of which some knowledge fits nobody else; at least so many
attack_success            share of the *released* targets that the strongest attack names: a
                          suppressed one is no success of a release for those who are in it.
                          original: before. Of :data:`WHOLE` the share of all released records
profile_disclosed         share of the released targets whose whole profile the best candidates
                          disclose, identical as they are (most of all attacks)
========================  ======================================================================
"""

ATTACKS = GROUPS["attack"]
"""The measures of which there is a row for each attack."""

WHOLE = "whole_record"
"""The attack that is always measured: an adversary who knows every rating, and which are
missing.
"""


class Row(NamedTuple):
    """One measure of a cell, as its source has it; "feasible" is 1 where a release was made,
    0 with why.

    ``original`` and ``worthless`` are the same of the data as they are, and of a release in which
    every rating is drawn from those of its issue; None where that means nothing. ``reason``: why
    there is no value.
    """

    measure: str
    value: float | None = None
    attack: str | None = None
    low: float | None = None
    high: float | None = None
    original: float | None = None
    worthless: float | None = None
    reason: str = ""


@dataclass(slots=True)
class Measurer:
    """Makes and measures the cells of one data set.

    What belongs to the data set alone is found once.
    """

    name: str
    table: RatingTable
    plan: Plan
    resources: Resources
    _attacked: dict[tuple[str, int], tuple[Experiment, ...]] = field(default_factory=dict)
    _whole_before: float | None = None

    def rows(self, cell: Cell) -> list[dict[str, Any]]:
        """Make the release of ``cell``, measure it, and return its rows.

        ResourceError where memory does not suffice: nothing is said of this cell, and the same run
        goes on with more.
        """
        return [row._asdict() for row in self._rows(cell)]

    def _rows(self, cell: Cell) -> Iterator[Row]:
        plan = self.plan
        method, options = plan.methods[cell.method]
        target: dict[str, Any] = {
            "k": cell.k,
            "epsilon": cell.epsilon,
            "l": cell.l,
            "nulls": plan.nulls,
        }
        target |= {"sensitive_nulls": plan.sensitive_nulls, **self.resources.keywords, **options}
        seed = self._seed("method", cell.method, cell.k, cell.epsilon, cell.l, cell.seed)
        try:
            made = anonymize(self.table, method, rng=seed, **target)
        except (TargetNotReachedError, ParameterError) as error:
            yield Row("feasible", 0.0, reason=str(error))
            for name in (name for group in plan.measures for name in GROUPS.get(group, (group,))):
                attacks: list[str | None] = [*plan.attacks] if name in ATTACKS else [None]
                attacks += [WHOLE] if name == "attack_success" else []
                yield from (
                    Row(name, attack=attack, reason=f"no release: {error}") for attack in attacks
                )
            return
        yield Row("feasible", 1.0)
        useful = [name for name in plan.measures if name not in GROUPS]
        if useful:  # beside the original's and a worthless release's
            pair, seed = (
                Pair(self.table, made.table, made.pairing, "key"),
                self._seed("utility", cell.seed),
            )
            measured = utility_of_pair(
                pair, useful, plan.utility, rng=seed, resources=self.resources
            )
        for group in plan.measures:
            if group in GROUPS:
                yield from _MEASURES[group](self, made, cell)
            else:
                found = measured[group]
                ends, references = (found.low, found.high), (found.original, found.worthless)
                yield Row(group, found.value, None, *ends, *references, found.reason)

    def _seed(self, *coordinates: object) -> int:
        return seed_of(self.plan.seed, self.name, *coordinates)

    def _audit(self, made: Anonymized, cell: Cell) -> Iterator[Row]:
        sizes = made.audit.sizes
        yield Row("max_k", float(made.audit.k_epsilon.max_k))
        yield Row("alone", float(np.count_nonzero(sizes == 1) / len(sizes)))

    def _distortion(self, made: Anonymized, cell: Cell) -> Iterator[Row]:
        cost = made.distortion
        yield Row("records_suppressed", float(cost.records_withheld))
        if not cost.ratings:
            yield from _unmeasured(("ratings_kept", "ratings_imputed"), "the data have no rating")
            return
        yield Row("ratings_kept", 1 - cost.ratings_lost / cost.ratings, original=1.0)
        yield Row("ratings_imputed", cost.filled / cost.ratings, original=0.0)

    def _exposure(self, made: Anonymized, cell: Cell) -> Iterator[Row]:
        error = cell.epsilon if self.plan.exposure is None else self.plan.exposure
        seed, nulls = self._seed("exposure", cell.seed), self.plan.nulls
        try:
            exposed = exposure(
                made.table, error=error, nulls=nulls, rng=seed, **self.resources.keywords
            )
        except ParameterError as refusal:
            yield from _unmeasured(GROUPS["exposure"], str(refusal))
            return
        yield Row(
            "exposure_expected",
            exposed.expected,
            low=exposed.expected_low,
            high=exposed.expected_high,
        )
        worst, certain = float(exposed.worst), float(exposed.certain)
        yield Row("exposure_worst", worst, low=worst if exposed.worst_exact else 1.0, high=worst)
        most = certain if exposed.certain_exact else float(exposed.of_records)
        yield Row("exposure_certain", certain, low=certain, high=most)

    def _attack(self, made: Anonymized, cell: Cell) -> Iterator[Row]:
        yield self._whole(made)
        key = made.key_of(self.table)
        for name in self.plan.attacks:
            try:
                before = self._before(name, cell.seed)
                pairs = compare(before, made.table, key, resources=self.resources)
            except ParameterError as error:
                yield from _unmeasured(ATTACKS, str(error), name)
                continue
            strongest = pairs[place_of_strongest([pair.after for pair in pairs])]
            original = before[place_of_strongest(before)].measures.success.rate
            yield _of_share("attack_success", name, strongest.of_released, original)
            profiles = [pair.after.measures.profile.count for pair in pairs]
            first = max(attack.measures.profile.rate or 0.0 for attack in before)
            known = share(max(profiles), strongest.released)
            yield _of_share("profile_disclosed", name, known, None if original is None else first)

    def _whole(self, made: Anonymized) -> Row:
        """Return what the strongest adversary finds:
        the attacks of the plan may all be weaker ones.
        """
        success = whole_record(self.table, made.table, made.pairing, self.resources).success
        if self._whole_before is None:
            self._whole_before = whole_record(self.table).success.rate
        reason = (
            "" if success.rate is not None else "the search is too dear; low and high are proved"
        )
        ends = (success.low, success.high)
        return Row("attack_success", success.rate, WHOLE, *ends, self._whole_before, reason=reason)

    def _before(self, attack: str, seed: int) -> tuple[Experiment, ...]:
        """Return the attack on the data as they are, made once for each replicate."""
        if (attack, seed) not in self._attacked:
            settings = dict(self.plan.attacks[attack])
            adversary = settings.pop("adversary", None)
            targets = settings.pop("targets", min(self.table.n_records, TARGETS))
            algorithms = options_of(settings.pop("algorithm", None), settings.pop("options", None))
            settings["targets"] = None if targets == "all" else min(targets, self.table.n_records)
            knowledge = knowledge_of(self.table, adversary, settings)
            drawn = draw(self.table, knowledge, rng=self._seed("attack", attack, seed))
            judging = Judging(false_positives=False, inference=False)
            self._attacked[attack, seed] = attack_each(
                self.table, drawn, algorithms, judging=judging, resources=self.resources
            )
        return self._attacked[attack, seed]


_MEASURES: Mapping[str, Callable[[Measurer, Anonymized, Cell], Iterator[Row]]] = {
    "audit": Measurer._audit,
    "distortion": Measurer._distortion,
    "exposure": Measurer._exposure,
    "attack": Measurer._attack,
}


def _unmeasured(measures: Sequence[str], reason: str, attack: str | None = None) -> Iterator[Row]:
    for measure in measures:
        yield Row(measure, attack=attack, reason=reason)


def _of_share(measure: str, attack: str, found: Rate, original: float | None) -> Row:
    """Return the row of a share; a target that was not attacked is not one that is safe."""
    if found.rate is None:
        reason = "no target that is released was attacked"
        return Row(measure, attack=attack, original=original, reason=reason)
    return Row(measure, found.rate, attack, found.low, found.high, original)
