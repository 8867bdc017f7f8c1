"""One release that could be published: what it costs, who of it can be re-identified,
what is guessed.

Nothing here decides. A candidate without a release has a reason, and is never taken for safe.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.methods import METHODS, anonymize
from ratingpriv.anonymize.result import Anonymized
from ratingpriv.anonymize.swapping.exchange import bits_of, exchange
from ratingpriv.anonymize.swapping.swapped import TOLD_AT_MOST
from ratingpriv.base.compute.ascending import among, merged
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable, SensitiveColumn
from ratingpriv.documents import recommend as documents
from ratingpriv.documents.making import document_of
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.near.near import near_groups
from ratingpriv.proximity.cores import equal_rows
from ratingpriv.proximity.reservations import has_missing, reservations
from ratingpriv.studies.found import (
    NOTHING_KNOWN,
    Found,
    cells_of,
    of_equal,
    of_groups,
    of_release,
    same_rows,
)
from ratingpriv.utility.comparing import worthless_caution
from ratingpriv.utility.measures import QUICK
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.utility import References, utility_of_pair

SWAP = "swap"
"""The method whose groups are made here: its changes are drawn from a secret seed, and no measure
needs them.
"""

OF_MAP = tuple(name for name in (SWAP, "modify", "predictive", "suppress") if name in METHODS)
"""Methods that a map compares, in the order that breaks ties; "blank" has a target of another
kind.
"""

# of the way from a random baseline to the original: what is less is no clear difference
_MARGIN = 0.1
_USES = {"query_error": "query_error", "correlations_moved": "questions"}
"""Measures of utility, by what a candidate calls them."""

type _Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Guess:
    """How often a sensitive value is guessed right by the commonest value: 0 to 1.

    Attributes
    ----------
    by_group : of the records that are not told apart, the person's own among them
    by_others : of these without the person's own
    by_commonest : of all released records: without any knowledge of the person
    """

    name: str
    by_group: float
    by_others: float
    by_commonest: float

    @classmethod
    def of(cls, column: SensitiveColumn, groups: _Ints) -> Self:
        """Return it for records in ``groups``, int64 (m,) 0..count-1.

        Missing values count as one value.
        """
        values = np.where(column.present, column.values, np.nan)
        codes = np.unique(values, return_inverse=True)[1]
        counts = np.zeros(
            (int(groups.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1), dtype=np.int64
        )
        np.add.at(counts, (groups, codes), 1)
        own, around = counts[groups, codes], counts[groups]
        around[np.arange(len(codes)), codes] -= 1  # without the person's own
        most = around.max(axis=1, initial=0)
        ties = np.count_nonzero(around == most[:, None], axis=1)
        others = np.where(own - 1 == most, 1 / np.maximum(ties, 1), 0.0)
        n = max(len(codes), 1)
        commonest = float(counts.sum(axis=0).max(initial=0)) / n
        # who is alone in a group is guessed by nobody else's value: as by the commonest
        others = np.where(most == 0, commonest, others)
        return cls(
            column.name,
            float(counts.max(axis=1, initial=0).sum()) / n,
            float(others.mean()),
            commonest,
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A release, as the map has it.

    Attributes
    ----------
    method, k, epsilon : what was asked
    left_out : how many records the release lacks; None: there is no release
    changed : share of the released people's answers that are not as they were; None: there is none
    scatter : squares of changes as a share of all squares, over items of standard deviation 1; of a
        method with groups, those within groups
    correlations_moved : mean change of the correlation of two items; None: not measured, as of what
        is not chosen
    query_error : mean relative error of counting queries; likewise
    found : who can be re-identified
    read : share of the released people all of whose answers are disclosed to whoever finds their
        group
    guessed : each sensitive column
    reserved : codes of the reservations that its release has, whatever is drawn, beside those of
        the data
    reason : why there is no release
    from_journal : whether its numbers were read from a journal
    """

    method: str
    k: int
    epsilon: float
    left_out: int | None = None
    changed: float | None = None
    scatter: float | None = None
    correlations_moved: float | None = None
    query_error: float | None = None
    found: Found = NOTHING_KNOWN
    read: float | None = None
    guessed: tuple[Guess, ...] = ()
    reserved: tuple[str, ...] = ()
    reason: str = ""
    from_journal: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object ``cells`` has of it."""
        return document_of(documents.MapCell, self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return what :meth:`to_dict` gave, as a journal has it."""
        guessed = tuple(Guess(**one) for one in content["guessed"])
        parts = {"found": Found(**content["found"]), "guessed": guessed}
        return cls(**{**content, **parts, "reserved": tuple(content.get("reserved", ()))})


@dataclass(frozen=True, slots=True)
class Made:
    """A release in memory, and the groups of records of it that are not told apart."""

    release: Anonymized | None  # None: of "swap", which is drawn when it is written
    table: RatingTable
    kept: _Ints
    groups: _Ints
    scatter: float
    found: Found


def make(
    table: RatingTable,
    method: str,
    target: Target,
    seed: int,
    resources: Resources,
    *,
    give_up_beyond: int | None = None,
) -> Made | str:
    """Make a release of ``table``, or return why there is none.

    ``give_up_beyond``: of "swap", as of :func:`ratingpriv.partition.near_groups`
    """
    try:
        if method == SWAP:
            return _swapped(table, target, seed, resources, give_up_beyond)
        asked: dict[str, Any] = {
            "nulls": target.nulls,
            "sensitive_nulls": target.sensitive_nulls,
            "l": target.l,
        }
        made = anonymize(
            table,
            method,
            k=target.k,
            epsilon=target.epsilon,
            rng=seed,
            **asked,
            **resources.keywords,
        )
    except (TargetNotReachedError, ParameterError) as error:
        return str(error)
    rows, changed = equal_rows(made.table), scatter_of(table.take(made.kept), made.table)
    # another draw may have other rows, never fewer than k equal ones
    hidden = not target.epsilon and int(np.bincount(rows.of).min()) >= target.k
    found = of_equal(target.k) if hidden else of_release(made.table)
    return Made(made, made.table, made.kept, rows.of, changed, found)


def _swapped(
    table: RatingTable, target: Target, seed: int, resources: Resources, give_up_beyond: int | None
) -> Made:
    """Return the groups of a swap, and one draw of its release."""
    demand: dict[str, Any] = (
        {} if target.l is None else {"l": target.l, "sensitive_nulls": target.sensitive_nulls}
    )
    how: dict[str, Any] = {"withhold_at_most": 1.0, "give_up_beyond": give_up_beyond, **demand}
    near = near_groups(table, target.k, target.epsilon, **how, **resources.keywords)
    kept = np.flatnonzero(near.labels >= 0)
    if not len(kept):
        raise ParameterError(
            "epsilon", target.epsilon, f"one at which {target.k} records are a group"
        )
    bits = bits_of(np.random.default_rng(seed))
    drawn = exchange(table, near.groups, bits, resources=resources).table
    found = of_groups(near.groups.count, len(kept))
    return Made(None, drawn, kept, near.labels[kept], near.scatter, found)


def scatter_of(original: RatingTable, release: RatingTable) -> float:
    """Return the squares of changes as a share of all squares, over items of standard deviation 1.

    A missing rating counts as the item's mean, on either side. The tables have the same records.
    """
    keys, before = cells_of(original)
    other, after = cells_of(release)
    p = original.n_issues
    count = np.maximum(np.bincount(keys % p, minlength=p), 1)
    mean = np.bincount(keys % p, weights=before, minlength=p) / count
    square = np.bincount(keys % p, weights=(before - mean[keys % p]) ** 2, minlength=p)
    weight = np.divide(count, square, out=np.zeros(p), where=square > 0)
    every = merged(keys, other)
    changes = np.zeros(len(every))
    changes[np.searchsorted(every, keys)] += before - mean[keys % p]
    changes[np.searchsorted(every, other)] -= after - mean[other % p]
    total = float((square * weight).sum())
    return float((changes**2 * weight[every % p]).sum()) / total if total else 0.0


def candidate(table: RatingTable, method: str, target: Target, made: Made | str) -> Candidate:
    """Return what a release, or its lack, comes to,
    before anybody is attacked and its use is measured.
    """
    if isinstance(made, str):
        return Candidate(method, target.k, target.epsilon, reason=made)
    original = table.take(made.kept)
    (before, values), (after, others) = cells_of(original), cells_of(made.table)
    same = among(after, before)
    same[same] = values[same] == others[among(before, after)]
    read = _read(original, made, swapped=method == SWAP)
    return Candidate(
        method=method,
        k=target.k,
        epsilon=target.epsilon,
        left_out=table.n_records - len(made.kept),
        changed=1 - float(same.mean()) if len(same) else 0.0,
        scatter=made.scatter,
        found=made.found,
        read=read,
        guessed=tuple(Guess.of(column, made.groups) for column in made.table.sensitive),
        reserved=_reserved(table, target, made, read),
    )


def another(
    table: RatingTable, method: str, target: Target, made: Made, seed: int, resources: Resources
) -> Made | str:
    """Return a release that is ``made`` again with other random numbers."""
    if method != SWAP:
        return make(table, method, target, seed, resources)
    labels = np.full(table.n_records, -1, dtype=np.int64)
    labels[made.kept] = made.groups
    bits = bits_of(np.random.default_rng(seed))
    drawn = exchange(table, Groups.of_labels(labels), bits, resources=resources)
    return dataclasses.replace(made, table=drawn.table)


def usefulness(
    table: RatingTable, made: Made, resources: Resources, remembered: References, *, turn: int = 0
) -> dict[str, Any]:
    """Return what a release is good for, by the names that a candidate has for it,
    and ``worthless``.

    That is whether it is no better than a random baseline on most of the measures that
    ``anonymize`` takes, or so little better that another draw may not be. A ``turn`` but the first
    has that alone. ``remembered`` keeps what is the same for every release of the table.
    """
    if not table.n_ratings:
        return {"worthless": False}
    pairing = np.full(table.n_records, -1, dtype=np.int64)
    pairing[made.kept] = np.arange(len(made.kept))
    pair = Pair(table, made.table, pairing, "key")
    quick = utility_of_pair(pair, QUICK, rng=turn, resources=resources, remembered=remembered)
    lost = worthless_caution(quick.measures_dict(), margin=_MARGIN) is not None
    if turn:
        return {"worthless": lost}
    more = [measure for measure in _USES.values() if measure not in QUICK]
    alone = utility_of_pair(pair, more, rng=0, resources=resources, references=False)
    measured = {**quick.measured, **alone.measured}
    useful: dict[str, Any] = {name: measured[measure].value for name, measure in _USES.items()}
    return useful | {"worthless": lost}


def reserved_by(table: RatingTable, target: Target) -> tuple[str, ...]:
    """Return the codes of the reservations that a verdict on released records has by its target."""
    found = (one.code for one in reservations(table, target, k=target.k) if one.reservation)
    return tuple(dict.fromkeys(found))


def _reserved(table: RatingTable, target: Target, made: Made, read: float) -> tuple[str, ...]:
    """Return the codes of the reservations of a release,
    whatever is drawn when it is made again.
    """
    if made.release is not None:
        cautions = (*made.release.audit.cautions, *made.release.method_cautions)
        return tuple(dict.fromkeys(one.code for one in cautions if one.reservation))
    missing = has_missing(table) or table.lacks_quasi
    target = dataclasses.replace(target, nulls="wildcard" if missing else "strict")
    due = {"nulls-wildcard": missing, "groups-agree": read > TOLD_AT_MOST}
    of_swap = (code for code, is_due in due.items() if is_due)
    return tuple(dict.fromkeys((*of_swap, *reserved_by(made.table, target))))


def _read(original: RatingTable, made: Made, *, swapped: bool) -> float:
    """Return the share of people all of whose answers are told by the records that are theirs."""
    rows = equal_rows(original).of
    if swapped:  # where a whole group agrees
        order = np.argsort(made.groups, kind="stable")
        starts = np.flatnonzero(np.diff(made.groups[order], prepend=-1))
        agree = np.minimum.reduceat(rows[order], starts) == np.maximum.reduceat(rows[order], starts)
        return float(agree[made.groups].mean())
    return float(same_rows(original, made.table).mean())
