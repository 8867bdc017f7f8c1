"""Drawing auxiliary information from a table: who is attacked,
and what the adversary knows of them.

Implements Aux of [NS08, §3 and §5]: m of the target's ratings, right or ±e, w of them completely
wrong, with dates exact, ±3 or ±14 days, or none.

A seed fixes everything. Targets, issues, wrong ones, ratings and dates are drawn from streams of
their own: with one seed the same targets are attacked whatever is known of them, and the issues
that are known with a smaller ``known`` are among those that are known with a larger one. So are the
unrated ones.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.attack.dates import days_of, timestamps_of
from ratingpriv.attack.knowledge.adversaries import (
    ALL,
    Knowledge,
    default_known,
    eligible_issues,
    most_rated_left_out,
)
from ratingpriv.attack.knowledge.auxiliary import (
    Auxiliary,
    approximate_counts,
    attributes_of,
    count_bounds,
    entries_of,
    values_of,
)
from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import portions
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.selection import supports_of
from ratingpriv.proximity.levels import proximate_codes

_Parameter = float | int | str | bool | list[str] | None

_BLOCK = 1 << 22  # ratings read together. Another number gives other draws
_NOBODY = np.zeros(0, dtype=np.int64)
_NOTHING = np.zeros(0, dtype=bool)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What is known of the targets, how it came about, and the targets of whom too little is known.

    Attributes
    ----------
    auxiliary : what is known of the targets that can be attacked
    parameters : how it was drawn, the seed included; empty where it was not drawn
    reasons : how many could not be attacked, by reason
    skipped : int64 (could_not_attack,); their positions
    wrong : bool (M,); which entries of ``auxiliary`` are completely wrong; empty where it was not
        drawn
    unrated : bool (M,); which entries are of issues that the target did not rate, likewise
    """

    auxiliary: Auxiliary
    parameters: Mapping[str, _Parameter] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    skipped: NDArray[np.int64] = field(default_factory=lambda: _NOBODY)
    wrong: NDArray[np.bool_] = field(default_factory=lambda: _NOTHING)
    unrated: NDArray[np.bool_] = field(default_factory=lambda: _NOTHING)

    @property
    def could_not_attack(self) -> int:
        """How many targets have too few ratings; they are never counted as safe."""
        return sum(self.reasons.values())


@checks.takes_random_state
def draw(
    table: RatingTable,
    knowledge: Knowledge = Knowledge(),
    *,
    rng: int | np.random.Generator | None = None,
    random_state: checks.RandomState | None = None,
) -> Drawn:
    """Draw what an adversary knows of some records of ``table``.

    Implements [NS08, §5].

    Parameters
    ----------
    knowledge : how much, and of whom. Where all ratings are to be known, a record without any
        cannot be attacked
    rng : a seed or Generator; the seed that was used is in ``parameters``
    random_state : the same as ``rng``, by scikit-learn's name; one of the two

    Raises
    ------
    ParameterError
        Dates are wanted where the table has none; more targets are wanted than there are records;
        no wrong value exists; or ``short`` is "refuse" and a target has too few.
    """
    every = knowledge.known == ALL
    if knowledge.known is None:
        knowledge = dataclasses.replace(knowledge, known=default_known(table, knowledge.items))
    n_known, unrated = 1 if every else int(knowledge.known or 0), knowledge.unrated
    rated = n_known - unrated
    attributes = attributes_of(table, knowledge.knows)
    seed = checks.seed_from(rng)
    # a stream for each purpose: what is drawn for one does not move when another draws more
    (
        for_targets,
        for_items,
        for_wrong,
        for_ratings,
        for_dates,
        for_unrated,
        for_made_up,
        for_counts,
    ) = (np.random.default_rng(stream) for stream in np.random.SeedSequence(seed).spawn(8))
    dating = None
    if knowledge.date_error is not None:
        dating = Dating.of(table, knowledge.date_error, with_wrong=knowledge.wrong > 0)
    eligible, most = eligible_issues(table, knowledge.items), most_rated_left_out(knowledge.items)
    outside = f" outside the {most} most rated items" if most else ""
    rarity = supports_of(table) if knowledge.items == "rarest" else None
    positions = _targets(table, knowledge.targets, for_targets)

    # who is attacked: which of their ratings are known, entries of the table, and which issues that
    # they did not rate are believed known
    owner, entries = _choose(
        table, positions, None if every else rated, eligible, rarity, for_items
    )
    enough = np.bincount(owner, minlength=len(positions)) > 0
    others, left = _unrated(table, positions, eligible, unrated, for_unrated)
    lacking = {
        f"fewer than {rated} ratings{outside}": int(np.count_nonzero(~enough)),
        f"fewer than {unrated} unrated items{outside}": int(np.count_nonzero(enough & ~left)),
    }
    reasons = {reason: number for reason, number in lacking.items() if number}
    attacked = enough & left
    skipped = positions[~attacked]
    if len(skipped) and knowledge.short == "refuse":
        expected = f"no more than each target's ratings{outside}"
        raise ParameterError(
            "known",
            n_known,
            expected + (f", and {unrated} that it does not rate" if unrated else ""),
            f"record no. {int(skipped[0]) + 1} and {len(skipped) - 1} others have "
            f"{next(iter(reasons))}; "
            "lower `known`, or skip such targets (`short='skip'`)",
            cell=str(table.record_ids[int(skipped[0])]),
        )
    entries, owner = entries[attacked[owner]], (np.cumsum(attacked) - 1)[owner[attacked[owner]]]
    others, count = others[attacked].ravel(), int(attacked.sum())

    # what is known of each: right within the error, or completely wrong
    chance = for_wrong.random(len(entries))
    is_wrong = _places_among_own(owner, count, chance) < knowledge.wrong
    ratings = _known_ratings(table, entries, is_wrong, knowledge, for_ratings)
    made_up = table.levels[for_made_up.integers(0, max(len(table.levels), 1), len(others))]
    when, made_up_when = np.full(len(entries), np.nan), np.full(len(others), np.nan)
    if dating is not None:
        when = dating.known(entries, is_wrong, for_dates)
        made_up_when = dating.made_up(len(others), for_made_up)
    owner = np.concatenate([owner, np.repeat(np.arange(count), unrated)])
    order = np.argsort(owner, kind="stable")  # of each target the rated ones first

    def both(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
        joined: NDArray[Any] = np.concatenate([first, second])[order]
        return joined

    counts, error = None, knowledge.knows_count
    if error is not None:
        ratings_of = np.diff(table.indptr)[positions]
        counts = count_bounds(approximate_counts(ratings_of, error, for_counts)[attacked], error)
    auxiliary = Auxiliary(
        targets=positions[attacked],
        indptr=np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=count)))).astype(
            np.int64
        ),
        issues=both(table.indices[entries], others),
        ratings=both(ratings, made_up),
        dates=both(when, made_up_when),
        counts=counts,
        attributes=attributes,
        values=values_of(table, attributes, positions[attacked]),
    )
    names = ("known", "wrong", "rating_error", "date_error", "items", "unrated", "knows_count")
    parameters: dict[str, _Parameter] = {
        "targets": "all" if knowledge.targets is None else len(positions),
        **{name: getattr(knowledge, name) for name in names},
        "knows": list(attributes),
        "short": knowledge.short,
        "seed": seed,
    }
    none, some = np.zeros(len(entries), dtype=bool), np.ones(len(others), dtype=bool)
    return Drawn(auxiliary, parameters, reasons, skipped, both(is_wrong, ~some), both(none, some))


def _known_ratings(
    table: RatingTable,
    entries: NDArray[np.int64],
    wrong: NDArray[np.bool_],
    knowledge: Knowledge,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return what is known of the ratings ``entries`` (M,), ``wrong`` where marked; float64 (M,).

    ParameterError where wrong ones are needed and there are none.
    """
    error, levels = knowledge.rating_error, table.levels
    first, last = proximate_codes(levels, error)  # the codes within the error of each, as decimals
    if knowledge.wrong and np.any(last - first + 1 == len(levels)):
        expected = "so little that for every rating another one of the table is wrong"
        raise ParameterError("rating_error", error, expected, "or `wrong=0`")
    codes = table.codes[entries].astype(np.int64)
    low, width = first[codes], (last - first + 1)[codes]
    near = low + rng.integers(0, width)
    far = rng.integers(0, np.maximum(len(levels) - width, 1))  # among the levels out of reach
    far += np.where(far >= low, width, 0)
    ratings: NDArray[np.float64] = levels[np.where(wrong, far, near)]
    return ratings


@dataclass(frozen=True, slots=True, eq=False)
class Dating:
    """Dates within ± ``error`` days; ``whole`` days where the table has days, not instants.

    ``first`` and ``last`` are the table's dates, days since 1970-01-01, ``stamps`` its timestamps.
    """

    error: float
    whole: bool
    first: float
    last: float
    stamps: pl.Series

    @classmethod
    def of(cls, table: RatingTable, error: float, *, with_wrong: bool) -> Dating:
        """Return the dates of a table.

        ParameterError where it has none, or no room for wrong ones.
        """
        stamps = timestamps_of(table)
        if stamps.dtype == pl.String:
            days = days_of(stamps, table.origin.name)
            first, last = float(np.nanmin(days)), float(np.nanmax(days))
        else:
            first, last = days_of(
                pl.Series([stamps.min(), stamps.max()], dtype=stamps.dtype)
            ).tolist()
        in_days = stamps.dtype == pl.Date
        # the date in the middle has the least room on its better side
        room = (
            math.ceil((last - first) / 2) > math.floor(error)
            if in_days
            else (last - first) / 2 > error
        )
        if with_wrong and not room:
            raise ParameterError(
                "date_error",
                error,
                f"less than half of the {last - first:.6g} days between the first and the "
                f"last date",
                "else a date has no wrong one; or `wrong=0`, or no `date_error`",
            )
        return cls(error, in_days, first, last, stamps)

    def known(
        self, entries: NDArray[np.int64], wrong: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return what is known of the dates of ratings ``entries`` (M,),
        NaN where they have none.
        """
        right = days_of(self.stamps.gather(entries))
        chance = rng.random((3, len(right)))
        reach = math.floor(self.error) if self.whole else self.error
        # so many days there are, or so long is the window
        near = chance[0] * (2 * reach + self.whole)
        near = right - reach + (np.floor(near) if self.whole else near)
        # whole: the days first .. right - reach - 1
        before = np.maximum(right - reach - self.first, 0)
        after = np.maximum(self.last - right - reach, 0)
        early = chance[1] * (before + after) < before
        offset = chance[2] * np.where(early, before, after)
        if self.whole:
            offset = np.floor(offset)
        # counted from the ends, so that neither side reaches the right date's window
        far = np.where(early, self.first + offset, self.last - offset)
        known: NDArray[np.float64] = np.where(wrong, far, near)
        return known

    def made_up(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return dates of what was never rated, float64 (count,):
        uniform from the first to the last date.
        """
        chance = rng.random(count)
        if self.whole:
            return self.first + np.floor(chance * (self.last - self.first + 1))
        return self.first + chance * (self.last - self.first)


def positions_of(table: RatingTable, ids: Sequence[int | str]) -> NDArray[np.int64]:
    """Return the positions of records by their ids; an id may be given as the text it prints as."""
    listed = checks.several(ids)
    if listed is None:
        raise ParameterError("target_ids", ids, "a list of ids")
    position = {str(name): row for row, name in enumerate(table.record_ids.to_list())}
    positions = []
    for given in listed:
        printed = ""  # Python prints no number of thousands of digits
        with contextlib.suppress(ValueError):
            printed = str(given)
        if printed not in position:
            raise ParameterError("targets", given, f"ids of the {table.n_records} records")
        positions.append(position[printed])
    return np.array(positions, dtype=np.int64)


def _choose(
    table: RatingTable,
    targets: NDArray[np.int64],
    known: int | None,
    eligible: NDArray[np.bool_] | None,
    rarity: NDArray[np.int64] | None,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (of which target each chosen entry is, the entries), both ascending within a target.

    ``known`` of each target that has so many, None: all. They are of ``eligible`` issues (None: of
    any), those of least ``rarity`` first (None: as chance has it).
    """
    chosen = [(_NOBODY, _NOBODY)]
    for first, last in portions(np.cumsum(np.diff(table.indptr)[targets]), _BLOCK):
        owner, entries = entries_of(table.indptr, targets[first:last])
        chance = rng.random(len(entries))
        if eligible is not None:
            good = eligible[table.indices[entries]]
            owner, entries, chance = owner[good], entries[good], chance[good]
        if known is not None:
            rare = () if rarity is None else (rarity[table.indices[entries]],)
            rank = _places_among_own(owner, last - first, chance, *rare)
            taken = (rank < known) & (np.bincount(owner, minlength=last - first) >= known)[owner]
            owner, entries = owner[taken], entries[taken]
        chosen.append((owner + first, entries))
    owners, chosen_entries = (np.concatenate(parts) for parts in zip(*chosen, strict=True))
    return owners, chosen_entries


def _places_among_own(
    owner: NDArray[np.int64], owners: int, *keys: NDArray[np.generic]
) -> NDArray[np.int64]:
    """Return the place of each entry among its owner's by ``keys``, the last one first.

    Owners ascend.
    """
    counts = np.bincount(owner, minlength=owners)
    rank = np.empty(len(owner), dtype=np.int64)
    rank[np.lexsort((*keys, owner))] = np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]
    return rank


def _targets(
    table: RatingTable,
    targets: int | Sequence[int] | NDArray[np.int64] | None,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Return positions, int64; a sample is in the order of the table."""
    if targets is None:
        return np.arange(table.n_records, dtype=np.int64)
    if isinstance(targets, int | float | np.integer | np.floating):
        size = checks.whole_number("targets", targets, 1)
        if size > table.n_records:
            raise ParameterError("targets", size, f"at most the table's {table.n_records} records")
        return np.sort(rng.choice(table.n_records, size=size, replace=False)).astype(np.int64)
    expected = f"distinct positions from 0 to {table.n_records - 1}"
    positions = np.asarray(targets)
    if positions.ndim != 1 or len(positions) == 0 or positions.dtype.kind not in "iu":
        raise ParameterError(
            "targets", targets, f"a number of records, or {expected}", "for ids, see positions_of()"
        )
    positions = positions.astype(np.int64)
    outside = (positions < 0) | (positions >= table.n_records)
    if outside.any() or len(np.unique(positions)) != len(positions):
        raise ParameterError("targets", positions.tolist()[:5], expected)
    return positions


def _unrated(
    table: RatingTable,
    positions: NDArray[np.int64],
    eligible: NDArray[np.bool_] | None,
    number: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return ``number`` issues that each target did not rate, int32 (T, number),
    and who left so many.

    Drawn one after the other in proportion to |supp(i)| of those that are left: the least of
    exponential variates of those rates [Efraimidis and Spirakis, Inf. Process. Lett. 97 (2006)
    181]. Ascending within a target; anything where there are too few.
    """
    issues = np.zeros((len(positions), number), dtype=np.int32)
    left = np.ones(len(positions), dtype=bool)
    if number == 0:
        return issues, left
    supports = supports_of(table)
    possible = supports > 0 if eligible is None else (supports > 0) & eligible
    candidates = np.flatnonzero(possible)
    if len(candidates) < number:
        return issues, ~left
    column = np.full(table.n_issues, -1)
    column[candidates] = np.arange(len(candidates))
    step = max(1, _BLOCK // len(candidates))
    for first in range(0, len(positions), step):
        block = positions[first : first + step]
        keys = rng.exponential(size=(len(block), len(candidates))) / supports[candidates]
        for row, target in enumerate(block.tolist()):
            rated = column[table.support(target)]
            keys[row, rated[rated >= 0]] = np.inf
        least = np.argpartition(keys, number - 1, axis=1)[:, :number]
        left[first : first + step] = np.isfinite(np.take_along_axis(keys, least, axis=1)).all(
            axis=1
        )
        issues[first : first + step] = np.sort(candidates[least], axis=1)
    return issues, left
