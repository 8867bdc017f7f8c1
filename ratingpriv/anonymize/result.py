"""What an anonymisation gives: the records to release, what was done to them, and the proof."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.predictive.homogenise import Claims
from ratingpriv.anonymize.swapping.swapped import Swapped
from ratingpriv.attack.strongest import found_caution, whole_record
from ratingpriv.audit.known.verdict import decide
from ratingpriv.audit.result import AuditResult
from ratingpriv.audit.verdict import audit
from ratingpriv.base import checks
from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.display import Result
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.base.numbers import in_full
from ratingpriv.base.reservations import FOUND_AT_MOST
from ratingpriv.base.target import ReleaseTarget, Target
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.attack import WholeRecord
from ratingpriv.documents.demands import Rate
from ratingpriv.documents.making import document_of
from ratingpriv.documents.release import Blanked as _Document
from ratingpriv.partition.distortion.measure import Distortion
from ratingpriv.partition.groups import Groups
from ratingpriv.proximity.demands import CountedDemands


@dataclass(frozen=True, slots=True)
class Blanked:
    """What is left of the ratings, by what they are.

    Attributes
    ----------
    blanks : how many ratings were left out
    kept : the share of the ratings that are left; None where there were none
    levels : each rating, how many had it, which share is left
    records_emptied : records that had ratings, and have none left
    issues_emptied : the same of issues
    """

    blanks: int
    kept: float | None
    levels: tuple[tuple[float, int, float], ...]
    records_emptied: int
    issues_emptied: int

    @classmethod
    def of(cls, table: RatingTable, mask: NDArray[np.bool_]) -> Self:
        """Return what is left where of the ratings of a table those of ``mask`` are,
        bool (n_ratings,).
        """
        before = np.bincount(table.codes, minlength=len(table.levels))
        left = np.bincount(table.codes[mask], minlength=len(table.levels))
        levels = zip(table.levels.tolist(), before.tolist(), left.tolist(), strict=True)
        records = np.repeat(np.arange(table.n_records), np.diff(table.indptr))
        return cls(
            blanks=int(np.count_nonzero(~mask)),
            kept=float(mask.mean()) if len(mask) else None,
            levels=tuple((level, had, has / had) for level, had, has in levels if had),
            records_emptied=len(np.unique(records)) - len(np.unique(records[mask])),
            issues_emptied=len(np.unique(table.indices)) - len(np.unique(table.indices[mask])),
        )

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """That some ratings went much sooner than others, where they did."""
        if not self.levels:
            return ()
        least, most = (choose(self.levels, key=lambda level: level[2]) for choose in (min, max))
        if 2 * least[2] >= most[2]:
            return ()
        left = (
            f"{100 * share:.3g} % of the ratings {in_full(rating)}"
            for rating, _, share in (least, most)
        )
        text = (
            f"suppression chose among the ratings: {' and '.join(left)} are left. Means, and all "
            "results from this release, lean towards common ratings"
        )
        return (Caution("selection", text),)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object ``blank`` of a release."""
        return document_of(_Document, self)


@dataclass(frozen=True, slots=True)
class Randomness:
    """The random numbers of one release: a given seed is told and can be repeated, no other is."""

    rng: np.random.Generator
    # that was given, which manifests tell; None where there was none, or a Generator
    seed: int | None
    secret: int | None  # from the operating system where none was given; for the private key alone

    @classmethod
    def of(cls, rng: int | np.random.Generator | None) -> Randomness:
        """Return the random numbers of a seed, of a Generator, or, without either,
        of a secret seed.
        """
        given = rng is not None and not isinstance(rng, np.random.Generator)
        seed = checks.seed(rng) if given else None
        secret = secrets.randbits(128) if rng is None else None
        return cls(checks.generator(rng if secret is None else secret), seed, secret)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a publisher should know of a seed that was given."""
        if self.seed is None:
            return ()
        return (
            f"the manifest states the seed {self.seed}: a person with the original can repeat the "
            "changes and link the records. Use a seed only to repeat a release",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnonymizeParameters(CountedDemands, ReleaseTarget):
    """The target, and how it was to be reached: options as the methods know them; None:
    it has none.

    Attributes
    ----------
    seed : as it was given; None where it was not, or nothing is random
    strategy, fabricate, fill : of "modify": how it moves ratings, whether it may impute some, and
        how
    grouping : the grouping that was taken
    scheme, labels, diversity, factors, centres : of "predictive", see :func:`ratingpriv.anonymize`
    bins : of "predictive"; "auto" where they were not given
    keep_at_least : of "blank": the share of the ratings that shall be left
    swap_nulls, withhold_at_most : of "swap": what becomes of missing values, and the share of the
        records that may be suppressed
    """

    seed: int | None = None
    strategy: str | None = None
    grouping: str | None = None
    fabricate: bool | None = None
    fill: str | None = None
    scheme: str | None = None
    labels: str | None = None
    diversity: tuple[int, int] | None = None
    factors: int | None = None
    bins: int | str | None = None
    centres: str | None = None
    keep_at_least: float | None = None
    swap_nulls: str | None = None
    withhold_at_most: float | None = None

    @classmethod
    def of(cls, target: Target, **how: Any) -> AnonymizeParameters:
        """Return the parameters of this target; ``how`` are those beside it."""
        return cls(**asdict(target), **how)


@dataclass(frozen=True, slots=True, eq=False)
class Anonymized(Result):
    """Records that may be released, in memory;
    :mod:`ratingpriv.anonymize.release.writing` writes them.

    Attributes
    ----------
    table : the records to release, in the original's order; issues, scale, sensitive columns,
        record ids and origin are the original's. Nothing is renamed here: that is done when the
        release is written
    kept : int64 (m,), ascending; the position in the original of each record of ``table``
    groups : groups of the *original's* records that were made ε-proximate, those that stayed as
        they are UNPLACED; None where the method makes none
    method : one of :data:`ratingpriv.anonymize.methods.METHODS`
    parameters : the target and how it was to be reached
    distortion : how far ``table`` is from the original
    optimal : whether nothing better exists, in the sense that ``statement`` gives
    statement : what is claimed of the result, in a sentence
    audit : the audit of ``table``; by neighbourhoods, the definition [SWLZ11, Def. 4.2-4.3]
    notes : what else a publisher should know, a sentence each
    secret_seed : the seed of the random numbers where none was given; for the private key and
        nothing else
    claims : what the ratings of a release by "predictive" give away, what "blank" left of each
        rating, what the groups of "swap" tell; None for other methods
    original : what was anonymised; None where nobody can say who is found
    """

    table: RatingTable
    kept: NDArray[np.int64]
    groups: Groups | None
    method: str
    parameters: AnonymizeParameters
    distortion: Distortion
    optimal: bool
    statement: str
    audit: AuditResult
    notes: tuple[str, ...] = ()
    secret_seed: int | None = None
    claims: Claims | Blanked | Swapped | None = None
    original: RatingTable | None = None
    _measured: dict[str, WholeRecord] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kept.shape != (self.table.n_records,):
            raise ParameterError(
                "kept", self.kept.shape, f"{self.table.n_records} positions, one per record"
            )
        self.kept.flags.writeable = False

    @property
    def pairing(self) -> NDArray[np.int64]:
        """For each record of the original its position in ``table``, int64;
        -1 where it was suppressed.
        """
        original = self.table.n_records + self.distortion.records_withheld
        positions = np.full(original, -1, dtype=np.int64)
        positions[self.kept] = np.arange(len(self.kept))
        return positions

    def key_of(self, original: RatingTable) -> Key:
        """Return which of these records is whose of ``original``,
        under the ids that they have there.
        """
        names = original.record_ids.to_list()
        return Key(
            tuple(names),
            tuple(names[before] if to >= 0 else None for before, to in enumerate(self.pairing)),
        )

    @property
    def satisfied(self) -> bool:
        """Whether the records meet the target, by their audit."""
        return self.audit.held is True

    @property
    def method_cautions(self) -> tuple[Caution, ...]:
        """What to know of how it was made."""
        return self.claims.cautions if isinstance(self.claims, Blanked | Swapped) else ()

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know beside what its audit says: how it was made, and who is found."""
        caution = self.found_caution()
        return (*self.method_cautions, *(() if caution is None else (caution,)))

    @property
    def standing(self) -> Standing:
        """What it comes to with its reservations."""
        cautions = (*self.audit.cautions, *self.cautions)
        return Standing.of(self.audit.held, cautions, self.audit.parameters.accept)

    @property
    def whole_record(self) -> WholeRecord | None:
        """What the strongest adversary finds, measured when it is first asked.

        None without ``original``.
        """
        if self.original is None:
            return None
        if "whole" not in self._measured:
            self._measured["whole"] = whole_record(self.original, self.table, self.pairing)
        return self._measured["whole"]

    def found_caution(self, at_most: float = FOUND_AT_MOST) -> Caution | None:
        """Return that more than ``at_most`` of the people are re-identified,
        or that nobody knows.
        """
        attack = self.whole_record
        if attack is None:
            return found_caution(Rate(None, 0.0, 1.0, 0, self.table.n_records), 1.0, at_most)
        return found_caution(attack.success, min(attack.at_most, self.proved_at_most), at_most)

    @property
    def proved_at_most(self) -> float:
        """The share of people that no adversary exceeds by the method; 1.0 where it proves none."""
        return self.claims.tables.found if isinstance(self.claims, Swapped) else 1.0

    def __repr__(self) -> str:
        return (
            f"<Anonymized by {self.method} ({self.parameters.model}): "
            f"{'satisfied' if self.satisfied else 'NOT satisfied'}, distortion "
            f"{self.distortion.total:g}, "
            f"{self.distortion.cells_touched} cells touched, "
            f"{self.distortion.records_withheld} records suppressed>"
        )


def audit_for(
    table: RatingTable, target: Target, resources: Resources, *, other_kernel: bool = False
) -> AuditResult:
    """Audit ``table`` for ``target``; ``other_kernel`` as
    :func:`ratingpriv.audit.known.verdict.decide`.
    """
    result = audit(table, **target.keywords, **resources.keywords)
    m = target.m if isinstance(target, ReleaseTarget) else None
    if m is None:
        return result
    return replace(result, known=decide(table, target, m, resources, other_kernel=other_kernel))
