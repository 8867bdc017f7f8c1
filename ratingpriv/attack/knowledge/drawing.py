"""Drawing auxiliary information from a table: who is attacked, and what the adversary knows of them.

Implements Aux of [NS08, §3 and §5]: m of the target's ratings, right or ±e, w of them completely wrong, with
dates exact, ±3 or ±14 days, or none.

A seed fixes everything. Targets, issues, wrong ones, ratings and dates are drawn from streams of their own:
with one seed the same targets are attacked whatever is known of them, and the issues that are known with a
smaller ``known`` are among those that are known with a larger one. So are the unrated ones.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.attack.knowledge.counting import approximate_counts, check_count_error, count_bounds
from ratingpriv.attack.knowledge.inaccuracy import Dating, Rating
from ratingpriv.attack.knowledge.traits import attributes_of, values_of
from ratingpriv.attack.similarity import supports_of
from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import whole_number
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.selection import most_rated

__all__ = ["Drawn", "check_items", "check_numbers", "draw", "eligible_ratings", "positions_of"]

_Parameter = float | int | str | bool | list[str] | None

_BLOCK = 1 << 22  # ratings read together. Another number gives other draws
_ITEMS = "uniform, rarest, or not-top:N with N from 1 to the number of issues - 1"


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Auxiliary information that was drawn, and the targets for which there is none.

    Attributes
    ----------
    auxiliary : what is known of the targets that can be attacked
    wrong : bool (M,); which entries of it are completely wrong
    unrated : bool (M,); which entries are of issues that the target did not rate
    requested : how many targets were to be attacked
    could_not_attack : how many of them have too few ratings; they are never counted as safe
    skipped : int64 (could_not_attack,); their positions
    reasons : how many could not be attacked, by reason
    parameters : the arguments, the seed included
    """

    auxiliary: Auxiliary
    wrong: NDArray[np.bool_]
    unrated: NDArray[np.bool_]
    requested: int
    could_not_attack: int
    skipped: NDArray[np.int64]
    reasons: Mapping[str, int]
    parameters: Mapping[str, _Parameter]


@checks.takes_random_state
def draw(
    table: RatingTable,
    *,
    targets: int | Sequence[int] | NDArray[np.int64] | None = None,
    known: int = 8,
    wrong: int = 0,
    rating_error: float = 0.0,
    date_error: float | None = None,
    items: str = "uniform",
    absent: bool = False,
    short: str = "skip",
    unrated: int = 0,
    knows_count: float | None = None,
    knows: str | Sequence[str] | None = None,
    rng: int | np.random.Generator | None = None,
    random_state: checks.RandomState | None = None,
) -> Drawn:
    """Draw what an adversary knows of some records of ``table``.

    Implements [NS08, §5]. ``known`` is the paper's m′: the right, the wrong and the unrated together.

    Parameters
    ----------
    targets : None: every record; a whole number: a uniform sample of so many; else their positions (see
        :func:`positions_of` for ids)
    known : how many ratings of a target are known
    wrong : how many of those, drawn uniformly, are completely wrong (w): the rating is then a level that is
        not within ``rating_error`` of the right one, each such level equally likely, and the date (if dates
        are known) a time between the table's first and last date, not within ``date_error`` of the right one
    rating_error : e: a known rating is one of the levels within ±e of the right one, each equally likely
    date_error : None: no date is known; else days: a known date is within ± so many days of the right one,
        uniformly. Where the table has dates (not instants), errors are whole days
    items : which ratings are known: "uniform" (any), "not-top:100" (of issues that are not among the 100 most
        rated), "rarest" (of the target's least rated issues; ties at random)
    absent : whether a target's record is taken out while it is attacked
    short : what to do with targets that have fewer such ratings than the adversary has to know: "skip" them
        (and count them) or "refuse"
    unrated : how many of the known ones are of issues that the target did *not* rate [NS08, Fig. 10], drawn
        without replacement among the others that ``items`` allows, in proportion to |supp(i)|; their ratings
        are levels and their dates (if dates are known) times of the table, uniformly. A target that left too
        few issues unrated cannot be attacked so
    knows_count : h: the adversary also knows about how many ratings a target made [NS08, Fig. 12]:
        c̃ = c (1 + η), η uniform within ±h, c = |supp(target)|. Then only records with
        c̃ / (1 + h) <= |supp(r')| <= c̃ / (1 - h) are candidates. None: no idea
    knows : names of quasi-identifiers of the table that the adversary knows of each target, exactly: only
        records that have the same values, or do not tell them, are candidates. "none"; None: all of them
    rng : a seed or Generator; the seed that was used is in ``parameters``
    random_state : the same as ``rng``, by scikit-learn's name; one of the two

    Raises
    ------
    ParameterError
        An argument is out of range; dates are wanted where the table has none; more targets are wanted
        than there are records; no wrong value exists; or ``short`` is "refuse" and a target has too few.
    """
    known, wrong, unrated = check_numbers(known, wrong, unrated)
    knows_count = check_count_error(knows_count)
    attributes = attributes_of(table, knows)
    rated = known - unrated
    checks.choice("short", short, ("skip", "refuse"))
    absent = checks.flag("absent", absent)
    seed = checks.seed_from(rng)
    for_targets, for_items, for_wrong, for_ratings, for_dates, for_unrated, for_made_up, for_counts = (
        np.random.default_rng(stream) for stream in np.random.SeedSequence(seed).spawn(8)
    )
    rating = Rating.of(table, rating_error, with_wrong=wrong > 0)
    dating = None if date_error is None else Dating.of(table, date_error, with_wrong=wrong > 0)
    choosing = _Choosing.of(table, items)
    positions = _targets(table, targets, for_targets)

    chosen, enough = [], []
    for block in _blocks(table, positions):
        entries, good = choosing.choose(table, block, rated, for_items)
        chosen.append(entries)
        enough.append(good)
    attacked = np.concatenate(enough) if enough else np.zeros(0, dtype=bool)
    others, left = _unrated(table, positions, choosing.eligible, unrated, for_unrated)
    entries = np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)
    entries = entries.reshape(int(attacked.sum()), rated)[left[attacked]].ravel()
    reasons = {
        f"fewer than {rated} ratings{choosing.outside}": int(np.count_nonzero(~attacked)),
        f"fewer than {unrated} unrated issues{choosing.outside}": int(np.count_nonzero(attacked & ~left)),
    }
    attacked &= left
    others = others[attacked]
    skipped = positions[~attacked]
    if len(skipped) and short == "refuse":
        reason = next(reason for reason, count in reasons.items() if count)
        raise ParameterError(
            "known", known, f"no more than each target's ratings{choosing.outside}"
            + (f", and {unrated} that it does not rate" if unrated else ""),
            f"record no. {int(skipped[0]) + 1} and {len(skipped) - 1} others have {reason}; "
            "lower `known`, or skip such targets (`short='skip'`)",
            cell=str(table.record_ids[int(skipped[0])]),
        )  # fmt: skip
    count = len(positions) - len(skipped)
    is_wrong = _some_of_each(count, rated, wrong, for_wrong)
    of_rated = rating.known(table.codes[entries].astype(np.int64), is_wrong, for_ratings)
    of_unrated = rating.made_up(others.size, for_made_up)
    when, unrated_when = np.full(len(entries), np.nan), np.full(others.size, np.nan)
    if dating is not None:
        when = dating.known(entries, is_wrong, for_dates)
        unrated_when = dating.made_up(others.size, for_made_up)

    def both(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
        joined: NDArray[Any] = np.concatenate(
            [first.reshape(count, rated), second.reshape(count, unrated)], axis=1
        ).ravel()
        return joined

    counts = None
    if knows_count is not None:
        ratings_of = np.diff(table.indptr)[positions]
        counts = count_bounds(approximate_counts(ratings_of, knows_count, for_counts)[attacked], knows_count)
    none = np.zeros(others.size, dtype=bool)
    auxiliary = Auxiliary(
        targets=positions[attacked],
        indptr=np.arange(count + 1, dtype=np.int64) * known,
        issues=both(table.indices[entries], others),
        ratings=both(of_rated, of_unrated),
        dates=both(when, unrated_when),
        absent=absent,
        counts=counts,
        attributes=attributes,
        values=values_of(table, attributes, positions[attacked]),
    )
    parameters: dict[str, _Parameter] = {
        "targets": "all" if targets is None else len(positions),
        "known": known, "wrong": wrong, "rating_error": rating.error,
        "date_error": None if dating is None else dating.error, "items": items,
        "unrated": unrated, "knows_count": knows_count, "knows": list(attributes),
        "absent": absent, "short": short, "seed": seed,
    }  # fmt: skip
    return Drawn(
        auxiliary, both(is_wrong, none), both(np.zeros_like(is_wrong), ~none), len(positions), len(skipped),
        skipped, {reason: number for reason, number in reasons.items() if number}, parameters,
    )  # fmt: skip


def check_numbers(known: object, wrong: object, unrated: object) -> tuple[int, int, int]:
    """Return how many are known, wrong and unrated; ParameterError where that can be of no target."""
    known = checks.whole_number("known", known, 1)
    wrong = checks.whole_number("wrong", wrong, 0)
    if wrong > known:
        raise ParameterError("wrong", wrong, f"at most the {known} that are known")
    unrated = checks.whole_number("unrated", unrated, 0)
    most = known - max(wrong, 1)
    if unrated > most:
        raise ParameterError(
            "unrated", unrated, f"at most {most}: of the {known} that are known, {max(wrong, 1)} are rated"
        )
    return known, wrong, unrated


def check_items(items: object) -> int:
    """Return how many of the most rated issues ``items`` leaves out.

    Raises
    ------
    ParameterError
        It says so of no table.
    """
    if isinstance(items, str):
        if items in ("uniform", "rarest"):
            return 0
        kind, _, number = items.partition(":")
        with contextlib.suppress(ValueError):
            if kind == "not-top" and (most := whole_number(number)) >= 1:
                return most
    raise ParameterError("items", items, _ITEMS)


def positions_of(table: RatingTable, ids: Sequence[int | str]) -> NDArray[np.int64]:
    """Return the positions of records by their ids; an id may be given as the text it prints as.

    Raises
    ------
    ParameterError
        There is no record of that id.
    """
    listed = checks.several(ids)
    if listed is None:
        raise ParameterError("target_ids", ids, "a list of ids")
    place: dict[str | None, int] = {
        str(one): position for position, one in enumerate(table.record_ids.to_list())
    }
    found = [place.get(_printed(one), -1) for one in listed]
    if -1 in found:
        raise ParameterError("targets", listed[found.index(-1)], f"ids of the {table.n_records} records")
    return np.array(found, dtype=np.int64)


def _printed(one: object) -> str | None:
    try:
        return str(one)
    except ValueError:  # Python prints no number of thousands of digits
        return None


def eligible_ratings(table: RatingTable, items: str) -> NDArray[np.int64]:
    """Return how many ratings of each record can be known, ``items`` as in :func:`draw`; int64 (n,)."""
    eligible = _Choosing.of(table, items).eligible
    if eligible is None:
        return np.diff(table.indptr).astype(np.int64)
    before = np.concatenate(([0], np.cumsum(eligible[table.indices])))
    return (before[table.indptr[1:]] - before[table.indptr[:-1]]).astype(np.int64)


@dataclass(frozen=True, slots=True)
class _Choosing:
    """Which of a target's ratings are known.

    Attributes
    ----------
    eligible : bool (n_issues,), or None where any issue will do
    order : int64 (n_issues,); issues of lower order are known first, or None where that is up to chance
    outside : words for messages
    """

    eligible: NDArray[np.bool_] | None
    order: NDArray[np.int64] | None
    outside: str

    @classmethod
    def of(cls, table: RatingTable, items: str) -> _Choosing:
        most = check_items(items)
        if items == "uniform":
            return cls(None, None, "")
        if items == "rarest":
            return cls(None, supports_of(table), "")
        if most >= table.n_issues:
            raise ParameterError("items", items, _ITEMS)
        eligible = np.ones(table.n_issues, dtype=bool)
        eligible[most_rated(table, most)] = False
        return cls(eligible, None, f" outside the {most} most rated issues")

    def choose(
        self, table: RatingTable, targets: NDArray[np.int64], known: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return ``known`` entries of each target that has enough, and which have, bool (len(targets),)."""
        lengths = table.indptr[targets + 1] - table.indptr[targets]
        start = np.cumsum(lengths) - lengths
        owner = np.repeat(np.arange(len(targets)), lengths)
        entries = np.arange(len(owner)) - start[owner] + table.indptr[targets][owner]
        chance = rng.random(len(entries))
        if self.eligible is not None:
            good = self.eligible[table.indices[entries]]
            owner, entries, chance = owner[good], entries[good], chance[good]
        rarity = () if self.order is None else (self.order[table.indices[entries]],)
        order = np.lexsort((chance, *rarity, owner))
        counts = np.bincount(owner, minlength=len(targets))
        place = np.arange(len(order)) - (np.cumsum(counts) - counts)[owner]  # owner ascends, sorted or not
        enough: NDArray[np.bool_] = counts >= known
        taken = order[(place < known) & enough[owner]]
        return np.sort(entries[taken].reshape(-1, known), axis=1).ravel(), enough


def _targets(
    table: RatingTable, targets: int | Sequence[int] | NDArray[np.int64] | None, rng: np.random.Generator
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


def _blocks(table: RatingTable, positions: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Give the targets in runs that have about _BLOCK ratings together."""
    ends = np.cumsum(table.indptr[positions + 1] - table.indptr[positions])
    first = 0
    while first < len(positions):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + _BLOCK, side="right")))
        yield positions[first:last]
        first = last


def _unrated(
    table: RatingTable,
    positions: NDArray[np.int64],
    eligible: NDArray[np.bool_] | None,
    number: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return ``number`` issues that each target did not rate, and which targets left so many.

    Drawn one after the other in proportion to |supp(i)| of those that are left: the least of exponential
    variates of those rates [Efraimidis and Spirakis, Inf. Process. Lett. 97 (2006) 181].

    Returns
    -------
    int32 (len(positions), number), ascending within a target (anything where there are too few), and
    bool (len(positions),)
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
    place = np.full(table.n_issues, -1)
    place[candidates] = np.arange(len(candidates))
    step = max(1, _BLOCK // len(candidates))
    for first in range(0, len(positions), step):
        block = positions[first : first + step]
        keys = rng.exponential(size=(len(block), len(candidates))) / supports[candidates]
        for row, target in enumerate(block.tolist()):
            rated = place[table.support(target)]
            keys[row, rated[rated >= 0]] = np.inf
        least = np.argpartition(keys, number - 1, axis=1)[:, :number]
        left[first : first + step] = np.isfinite(np.take_along_axis(keys, least, axis=1)).all(axis=1)
        issues[first : first + step] = np.sort(candidates[least], axis=1)
    return issues, left


def _some_of_each(count: int, known: int, some: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Mark ``some`` of every target's ``known`` entries, uniformly; bool (count * known,)."""
    marked = np.zeros((count, known), dtype=bool)
    which = np.argsort(rng.random((count, known)), axis=1)[:, :some]
    np.put_along_axis(marked, which, True, axis=1)
    return marked.ravel()
