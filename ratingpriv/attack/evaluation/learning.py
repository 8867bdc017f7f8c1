"""All that follows from everybody who could be a target: one walk over the targets,
a few at a time.

An Attacked keeps a few candidates of each target. What all have in common, and what they give away,
follows from Π, the adversary's probabilities over all of them, exactly. Records made identical hide
from an attack that has to name one of them, and hide nothing: whoever finds them all has read
everything that is released about the target [CTWY10, Def. 5].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.arrays import Work
from ratingpriv.attack.algorithms.attacked import Attacked
from ratingpriv.attack.algorithms.driver import Scoring, work_of
from ratingpriv.attack.evaluation.inference import Inference, Inferring
from ratingpriv.attack.intervals import Judging
from ratingpriv.attack.knowledge.auxiliary import Persons, entries_of, fitting, places_of
from ratingpriv.base.compute.parallel import portions
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.cores import equal_rows

_EQUAL = 1e-12  # of the larger: scores that differ by less are equal, see Attacked
_ENTRIES = 1 << 20  # ratings looked at together
_TOGETHER = 32  # targets whose probabilities are held at a time
_MEMORY = 1 << 28  # bytes for them


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What the candidates of T targets give away.

    Attributes
    ----------
    disclosed : bool (T,); the best candidates are identical, and the target's own record is one of
        them
    ratings_disclosed : bool (T,); the same, sensitive values left aside
    several : bool (T,); the best candidates are more than one
    similarity : float64 (T,); Sim of the best candidate and the target's own record, of several the
        least, NaN where there is none; None without θ
    """

    disclosed: NDArray[np.bool_]
    ratings_disclosed: NDArray[np.bool_]
    several: NDArray[np.bool_]
    similarity: NDArray[np.float64] | None
    inference: Inference | None

    def similarity_of_named(self, attacked: Attacked) -> NDArray[np.float64] | None:
        """Return how similar the record that an algorithm names is to the target's, float64 (T,).

        Where several are best, any may be named: the least similar decides. NaN where none is
        named.
        """
        if self.similarity is None:
            return None
        return np.where(attacked.matched | self.several, self.similarity, np.nan)


def posterior(
    scoring: Scoring, work: Work, target: int, weights: NDArray[np.float64] | None
) -> NDArray[np.int32]:
    """Return the best candidates of a target, ascending,
    and write Π of every record to ``weights``.

    Π is not normalised. Of Scoreboard it is uniform over the matching set, and over all candidates
    where that is empty; else it is proportional to e^(score / σ), σ the standard deviation of all
    candidates' scores, zeros included, and uniform where σ is 0 [NS08, §4 and §5].
    """
    lists, targets = scoring.lists, scoring.targets
    count = scoring.kernels.score(lists, targets, target, scoring.rules, work)
    records = work.touched[:count].copy()
    scores = work.score[records]
    work.score[records] = 0.0
    work.stage[records] = 0
    most = float(scores.max(initial=0.0))
    if weights is not None:
        n = int(targets.candidates[target])
        least = float(scores.min()) if count == n > 0 else 0.0
        weight, rest = (
            np.ones(count),
            1.0,
        )  # of those who score above 0, and of each other candidate
        if scoring.algorithm == "scoreboard":
            rest = 0.0 if count else 1.0
        elif most - least > _EQUAL * most:
            relative = scores / most
            mean = float(relative.sum()) / n
            squares = float(((relative - mean) ** 2).sum()) + (n - count) * mean * mean
            steepness = 1 / float(np.sqrt(squares / n))
            weight, rest = np.exp((relative - 1) * steepness), float(np.exp(-steepness))
        weights[:] = rest
        weights[~fitting(lists.traits, targets.bounds[target])] = 0.0
        weights[records] = weight
    return np.sort(records[scores >= most * (1 - _EQUAL)])


def learn(scoring: Scoring, persons: Persons, judging: Judging, resources: Resources) -> Learned:
    """Look at all candidates of every judged target.

    Algorithms that go by the same scores learn the same.
    """
    table, owns = scoring.index.table, scoring.targets.own
    work = work_of(scoring, 2)
    profile, ratings, several = np.zeros((3, len(owns)), dtype=bool)
    similar = np.full(len(owns), np.nan)
    places = None if judging.theta is None else places_of(persons.table, table)
    inferring = Inferring(scoring.index, persons) if judging.inference else None
    targets = np.flatnonzero(persons.judged)
    memory = _MEMORY if resources.memory is None else resources.memory
    together = max(1, min(_TOGETHER, memory // (16 * max(table.n_records, 1))))
    for first in range(0, len(targets), together):
        group = targets[first : first + together]
        weights = None if inferring is None else np.empty((len(group), table.n_records))
        for row, target in enumerate(group.tolist()):
            best = posterior(scoring, work, target, None if weights is None else weights[row])
            true_record = int(owns[target])
            ratings[target], profile[target] = disclosed(table, best, true_record)
            several[target] = len(best) > 1
            if places is not None and len(best):
                person = int(persons.records[target])
                similar[target] = least_similarity(persons.table, person, table, best, places)
        if inferring is not None and weights is not None:
            inferring.add(group, weights.T)
        resources.report("looking at all candidates", first + len(group), len(targets))
    inference = None if inferring is None else inferring.result(judging)
    return Learned(profile, ratings, several, None if places is None else similar, inference)


def disclosed(table: RatingTable, best: NDArray[np.int32], own: int) -> tuple[bool, bool]:
    """Return whether a target's ratings are disclosed, and whether its sensitive values are, too.

    They are where the ``best`` candidates are identical in them and one is the target's record,
    ``own`` (-1: it is not in the table). The homogeneity attack of [CTWY10, Def. 5] knows ratings
    only. Dates are left out: who rated what and how is disclosed by records that differ in them
    alone.
    """
    if own < 0 or not np.any(best == own):
        return False, False
    others = best[best != own].astype(np.int64)
    own_entries = slice(int(table.indptr[own]), int(table.indptr[own + 1]))
    length = own_entries.stop - own_entries.start
    if np.any(table.indptr[others + 1] - table.indptr[others] != length):
        return False, False
    step = max(1, _ENTRIES // max(length, 1))
    for first in range(0, len(others), step):
        entries = table.indptr[others[first : first + step], None] + np.arange(length)
        if np.any(table.indices[entries] != table.indices[own_entries]) or np.any(
            table.codes[entries] != table.codes[own_entries]
        ):
            return False, False
    return True, all(
        np.all(column.present[others] == column.present[own])
        and np.all(column.values[others] == column.values[own])
        for column in table.sensitive
    )


def identical_records(table: RatingTable) -> int:
    """Return how many records the smallest class of identical ones has; 1:
    some record is like no other.

    Identical in all ratings and quasi-identifiers; dates and sensitive values are left aside. 0
    without records.
    """
    return int(np.bincount(equal_rows(table).of).min(initial=table.n_records))


def least_similarity(
    original: RatingTable,
    person: int,
    table: RatingTable,
    records: NDArray[Any],
    places: NDArray[np.int64],
) -> float:
    """Return the least Sim(r, r') of record ``person`` of ``original``
    and of ``records`` of ``table``.

    Σ_i [both rate i, equally] / |supp(r) ∪ supp(r')| [NS08, §3]; ``places`` say where the table has
    each issue of the original. Two without any rating have similarity 0.
    """
    entries = slice(int(original.indptr[person]), int(original.indptr[person + 1]))
    issues = places[original.indices[entries]]
    row = np.full(table.n_issues + 1, np.nan)  # at the end, unread, what the table does not have
    row[issues] = original.levels[original.codes[entries]]
    least, lengths = 1.0, table.indptr[records + 1] - table.indptr[records]
    for first, last in portions(np.cumsum(lengths), _ENTRIES):
        part = lengths[first:last]
        owner, theirs = entries_of(table.indptr, records[first:last])
        codes = row[table.indices[theirs]]
        equal = np.bincount(owner[codes == table.levels[table.codes[theirs]]], minlength=len(part))
        common = np.bincount(owner[~np.isnan(codes)], minlength=len(part))
        union = len(issues) + part - common
        least = min(least, float((equal / np.maximum(union, 1)).min()))
    return least
