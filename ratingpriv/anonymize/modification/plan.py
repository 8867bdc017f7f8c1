"""A draft: who is grouped with whom, who is moved next to whom, and the release that this makes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification.anchoring import move_to_places
from ratingpriv.anonymize.modification.changes import changed_table, no_changes
from ratingpriv.anonymize.modification.clamping import clamp, plan
from ratingpriv.anonymize.modification.strategies import modify_as_the_paper
from ratingpriv.audit.result import AuditParameters, AuditResult
from ratingpriv.audit.verdict import audit
from ratingpriv.distortion.measure import Distortion, distortion_of
from ratingpriv.distortion.windows import Measure
from ratingpriv.partition.groups import Groups
from ratingpriv.progress import Progress
from ratingpriv.table import RatingTable

__all__ = ["Asked", "Draft", "Outcome", "carry_out"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What modify() is asked, checked.

    Attributes
    ----------
    target : k, ε, l and the rules for nulls
    strategy, grouping, fabricate, threads, memory, progress : as for modify()
    """

    target: AuditParameters
    strategy: str
    grouping: str
    fabricate: bool
    threads: int | None = None
    memory: int | None = None
    progress: Progress | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """What is to be done with every record.

    Attributes
    ----------
    labels : int64 (n,); its group, made a clique; negative where it is in none
    moved : int64 (m,), ascending; records in no group that move next to untouched ones
    target : float64 (m, p); what they become, NaN where null, in numbers of the Measure
    """

    labels: NDArray[np.int64]
    moved: NDArray[np.int64]
    target: NDArray[np.float64]

    @classmethod
    def of_groups(cls, labels: NDArray[np.int64]) -> Draft:
        """Return a draft of groups only; whoever is in none stays untouched."""
        return cls(labels, np.empty(0, dtype=np.int64), np.empty((0, 0)))


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The release that a draft makes.

    Attributes
    ----------
    draft, groups : the draft, and its groups numbered as they are
    table : the records after the modification
    audit : of ``table``
    distortion : from the original
    notes : what a publisher should know
    """

    draft: Draft
    groups: Groups
    table: RatingTable
    audit: AuditResult
    distortion: Distortion
    notes: tuple[str, ...]


def carry_out(table: RatingTable, by: Measure, draft: Draft, asked: Asked) -> Outcome:
    """Modify ``table`` as the ``draft`` says, and audit what comes out."""
    groups = Groups.of_labels(draft.labels)
    plans = plan(table, groups, by, fabricate=asked.fabricate, progress=asked.progress)
    changes = no_changes(table, by.numbers)
    notes: tuple[str, ...] = ()
    if asked.strategy == "paper":
        notes = modify_as_the_paper(table, plans, by, changes, fabricate=asked.fabricate).notes()
    else:
        clamp(table, plans, changes)
    if len(draft.moved):
        move_to_places(table, draft.moved, draft.target, changes)
    released = changed_table(table, changes, by.unit)
    target = asked.target
    found = audit(
        released, k=target.k, epsilon=target.epsilon, l=target.l, nulls=target.nulls,
        sensitive_nulls=target.sensitive_nulls, threads=asked.threads, memory=asked.memory,
        progress=asked.progress,
    )  # fmt: skip
    everybody = np.arange(table.n_records)
    return Outcome(draft, groups, released, found, distortion_of(table, released, everybody), notes)
