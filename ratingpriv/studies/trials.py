"""The releases of a table that were tried so far, and the core numbers that say what is in vain."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ratingpriv.anonymize.modification.grouping import leaves_core
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.numbers import in_full
from ratingpriv.base.target import Target
from ratingpriv.data.table import AnswerRange, RatingTable
from ratingpriv.proximity.cores import MOST, Levels, equal_rows
from ratingpriv.proximity.reservations import idle_questions, of_written
from ratingpriv.studies.candidates import (
    SWAP,
    Candidate,
    Guess,
    Made,
    another,
    candidate,
    make,
    reserved_by,
    usefulness,
)
from ratingpriv.studies.cells import Journal, seed_of
from ratingpriv.studies.choice import Demands, least_scatter
from ratingpriv.studies.found import (
    NOTHING_KNOWN,
    Found,
    Originals,
    measured,
    of_modified,
    of_withheld,
)
from ratingpriv.utility.utility import References

_KEPT = 10_000_000  # ratings of all releases that are kept in memory
_DRAWS = 5  # of which none may be worthless, in tables of at most so many ratings:
_QUICK_SWAP, _QUICK_OTHER = 100_000, 5_000
COVERS = "it covers all ratings of some item, which no exchange changes"
"""Why there is no swap at a distance, see :meth:`Trials.covers_questions`."""

_COUNTED = 1 << 22  # questions times levels; of more it is not counted which answers are left


class Trials:
    """What is known of a table so far: core numbers at each distance, and the candidates."""

    def __init__(
        self,
        table: RatingTable,
        rules: Mapping[str, Any],
        demands: Demands,
        seed: int,
        resources: Resources,
    ) -> None:
        # dates are not released unless they are asked for, and are known to nobody here
        self.table = dataclasses.replace(table, timestamps=None)
        self.rules, self.demands, self.seed, self.resources = dict(rules), demands, seed, resources
        self.rows = equal_rows(self.table)
        # what the data leave open, of which no release is free
        self.reserved = tuple(one for one in of_written((), self.table) if one.reservation)
        self.cells: dict[tuple[str, int, float], Candidate] = {}
        self.on_cell: Callable[[int, Candidate], None] | None = None
        self.journal = Journal()
        self._levels: dict[tuple[float, str], Levels] = {}
        self._made: dict[tuple[Any, ...], Made] = {}
        self._varied: dict[str, AnswerRange] | None = None
        self._given_up: set[tuple[str, int, float]] = set()
        self._references: References = {}
        self._originals: Originals = {}

    @property
    def n(self) -> int:
        """How many records there are."""
        return self.table.n_records

    def target(self, k: int, epsilon: float) -> Target:
        """Return a target by the rules that were asked for."""
        return Target(k=k, epsilon=epsilon, **self.rules)

    def levels(self, epsilon: float, nulls: str | None = None) -> Levels:
        """Return the core numbers at a distance, found once."""
        key = (epsilon, nulls or self.rules["nulls"])
        if key not in self._levels:
            self._levels[key] = Levels.at(
                self.table, epsilon, nulls=key[1], most=MOST, **self.resources.keywords
            )
        return self._levels[key]

    def counted(self, method: str) -> bool:
        """Whether the releases of a method are known exactly, for every k, without being made."""
        return method == "suppress" and self.rules["l"] is None

    def in_vain(self, k: int, epsilon: float) -> bool:
        """Whether "modify" is proved to leave too many people to be re-identified."""
        return self.modified(k, epsilon).exceeds(self.demands.found_at_most)

    def modified(self, k: int, epsilon: float) -> Found:
        """Return what is known of a release by "modify" before it is made."""
        levels, target = self.levels(epsilon), self.target(k, epsilon)
        if not leaves_core(self.table, target, int(levels.withheld[k]), self.resources.memory):
            return NOTHING_KNOWN
        return of_modified(levels, self.rows, k)

    def suppressed(self, k: int, epsilon: float) -> Found | None:
        """Return what is known of the release of all but the fewest records, exactly.

        None: nobody is left.
        """
        return of_withheld(self.levels(epsilon), self.rows, k)

    def covers_questions(self, epsilon: float) -> bool:
        """Whether at a distance any swap that leaves out few enough
        has a question that tells nobody apart.

        All answers to it are within ε of each other, and an exchange adds none. Either everybody
        answered it, or two answers are left whoever goes: more gave another than the commonest than
        may be left out.
        """
        if self._varied is None:
            self._varied = self._left_varied()
        return bool(idle_questions(self._varied, epsilon))

    def _left_varied(self) -> dict[str, AnswerRange]:
        """Return the questions to which two answers are left, or all,
        in any release that leaves out few.
        """
        ranges, issues, levels = (
            self.table.answer_ranges,
            self.table.n_issues,
            len(self.table.levels),
        )
        others = np.zeros(issues, dtype=np.int64)
        if issues * levels <= _COUNTED:
            places = self.table.indices.astype(np.int64) * levels + self.table.codes
            counts = np.bincount(places, minlength=issues * levels).reshape(issues, levels)
            others[:] = counts.sum(axis=1) - counts.max(axis=1, initial=0)
        stay = others > self.demands.withhold_at_most * self.n
        names = {
            name for name, stays in zip(self.table.issues, stay.tolist(), strict=True) if stays
        }
        return {name: one for name, one in ranges.items() if one.complete or name in names}

    def least_left_out(self, method: str, k: int, epsilon: float) -> int:
        """Return how many records any release by a method leaves out at least (0:
        that is not known).
        """
        if method == "suppress":
            return int(self.levels(epsilon).withheld[k])
        # groups are cliques: their members have k neighbours, where a missing rating is near any
        # other
        return int(self.levels(epsilon, "wildcard").withheld[k]) if method == SWAP else 0

    def withheld(self, k: int, epsilon: float) -> Candidate:
        """Return the release of all but the fewest records, without making it."""
        return self.completed(self.outlined(k, epsilon))

    def outlined(self, k: int, epsilon: float) -> Candidate:
        """Return the same as far as core numbers say it:
        guesses and reservations are not counted yet.
        """
        left, found = int(self.levels(epsilon).withheld[k]), self.suppressed(k, epsilon)
        if found is None:
            reason = f"no record has {k} neighbours, itself included, at epsilon {in_full(epsilon)}"
            return Candidate("suppress", k, epsilon, reason=reason)
        return Candidate("suppress", k, epsilon, left, 0.0, 0.0, found=found, read=1.0)

    def completed(self, one: Candidate) -> Candidate:
        """Return a candidate of :meth:`outlined` with guesses and reservations;
        any other one as it is.
        """
        if one.left_out is None or not self.counted(one.method):
            return one
        core = self.levels(one.epsilon).core(one.k)
        rows = np.unique(self.rows.of[core], return_inverse=True)[1]
        released = self.table.take(np.flatnonzero(core))
        guessed = tuple(Guess.of(column, rows) for column in released.sensitive)
        reserved = self._beside(reserved_by(released, self.target(one.k, one.epsilon)))
        return dataclasses.replace(one, guessed=guessed, reserved=reserved)

    def gave_up(self, one: Candidate) -> bool:
        """Whether a swap was given up, or there can be none, as too many are in no group."""
        return (one.method, one.k, one.epsilon) in self._given_up

    def cell(
        self, method: str, k: int, epsilon: float, *, give_up_beyond: int | None = None
    ) -> Candidate:
        """Return a candidate; it is made where that was not done before,
        and attacked where it has to be.

        ``give_up_beyond`` : a swap is given up where more are in no group once groups are grown
        """
        key = (method, k, epsilon)
        if key not in self.cells or (give_up_beyond is None and key in self._given_up):
            self._given_up.discard(key)
            if self.counted(method):
                self.cells[key] = self.withheld(k, epsilon)
            else:
                self.resources.report("measuring releases", len(self.cells), None)
                before = len(self.journal.taken)
                name = self._name(
                    "cell", *key, *(() if give_up_beyond is None else (give_up_beyond,))
                )
                rows = self.journal.measured(name, lambda: [self._measured(*key, give_up_beyond)])
                one = self._attacked(Candidate.from_dict(rows[0]))
                taken = len(self.journal.taken) > before
                self.cells[key] = dataclasses.replace(one, from_journal=taken)
                if give_up_beyond is not None and one.left_out is None:
                    self._given_up.add(key)
            if self.on_cell is not None:
                self.on_cell(len(self.cells), self.cells[key])
        return self.cells[key]

    def _name(self, *parts: object) -> str:
        return json.dumps(parts)

    def _measured(
        self, method: str, k: int, epsilon: float, give_up_beyond: int | None
    ) -> dict[str, Any]:
        made = self._release(method, k, epsilon, give_up_beyond=give_up_beyond)
        self.resources.report("measuring releases", len(self.cells), None)
        one = candidate(self.table, method, self.target(k, epsilon), made)
        return dataclasses.replace(one, reserved=self._beside(one.reserved)).to_dict()

    def _beside(self, codes: Iterable[str]) -> tuple[str, ...]:
        """Return the codes of reservations that not every release of the data has."""
        return tuple(code for code in codes if code not in {one.code for one in self.reserved})

    def best(self) -> Candidate | None:
        """Return what keeps the demands with least scatter, with what it is good for.

        None: nothing does.
        """
        while (one := least_scatter(self.cells.values(), self.demands, self.n)) is not None:
            useful = self.useful(one)
            self.cells[one.method, one.k, one.epsilon] = useful
            if self.demands.keeps(useful, self.n):
                return useful
        return None

    def useful(self, one: Candidate) -> Candidate:
        """Return a candidate with what its release is good for.

        That is measured only of what matters.
        """
        key = (one.method, one.k, one.epsilon)
        if one.left_out is None or self.counted(one.method) or one.query_error is not None:
            return one

        for row in self.journal.measured(self._name("useful", *key), lambda: self._uses(*key)):
            uses = dict(row)
            lost = {"worthless"} if uses.pop("worthless") else set()
            one = dataclasses.replace(
                one, **uses, reserved=tuple(dict.fromkeys((*one.reserved, *lost)))
            )
        return one

    def _uses(self, *key: Any) -> list[dict[str, Any]]:
        """Return what a release is good for.

        Of several draws, where these are quick, the worst counts.

        Whoever makes the release draws anew: one that is good for something by luck is not to be
        promised.
        """
        made, (method, k, epsilon) = self._release(*key), key
        if isinstance(made, str):
            return []
        useful = usefulness(self.table, made, self.resources, self._references)
        quick = self.table.n_ratings <= (_QUICK_SWAP if method == SWAP else _QUICK_OTHER)
        for turn in range(1, _DRAWS if quick else 1):
            if useful["worthless"]:
                break
            how = (
                self.target(k, epsilon),
                made,
                seed_of(self.seed, "map", *key, turn),
                self.resources,
            )
            drawn = another(self.table, method, *how)
            if not isinstance(drawn, str):
                useful |= usefulness(self.table, drawn, self.resources, self._references, turn=turn)
        return [useful]

    def _release(self, *key: Any, give_up_beyond: int | None = None) -> Made | str:
        """Return a release; the last ones are kept,
        as their attacks and uses are asked for later.
        """
        if key not in self._made:
            method, k, epsilon = key
            seed = seed_of(self.seed, "map", *key)
            target, beyond = self.target(k, epsilon), {"give_up_beyond": give_up_beyond}
            made = make(self.table, method, target, seed, self.resources, **beyond)
            if isinstance(made, str):
                return made
            self._made[key] = made
            while (
                len(self._made) > 1
                and sum(one.table.n_ratings for one in self._made.values()) > _KEPT
            ):
                self._made.pop(next(iter(self._made)))
        return self._made[key]

    def _attacked(self, one: Candidate) -> Candidate:
        """Return the candidate with what an attack says where the bounds leave it open."""
        key = (one.method, one.k, one.epsilon)
        threshold = self.demands.found_at_most
        if one.left_out is None:
            return one
        found = one.found
        if one.method == "modify":
            found = found.within(self.modified(one.k, one.epsilon))
        if (
            found.keeps(threshold)
            or found.exceeds(threshold)
            or one.left_out > self.demands.withhold_at_most * self.n
        ):
            return dataclasses.replace(one, found=found)
        made = self._release(*key)
        if isinstance(made, str) or made.release is None:
            return dataclasses.replace(one, found=found)

        def keep(label: str, attack: Callable[[], list[dict[str, Any]]]) -> Any:
            return self.journal.measured(self._name("attack", *key, label), attack)

        attacked = measured(
            self.table,
            made.release,
            threshold,
            seed=seed_of(self.seed, "people"),
            resources=self.resources,
            keep=keep,
            originals=self._originals,
        )
        return dataclasses.replace(one, found=attacked.within(found))
