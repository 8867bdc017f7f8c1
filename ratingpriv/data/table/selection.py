"""Keeping some issues or some records of a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.inputs import small_text
from ratingpriv.base.numbers import whole_number
from ratingpriv.data.table.building.coding import Codes, Rows, narrowed, relevelled, without
from ratingpriv.data.table.parts import Parts, Scale, Selection

_BLOCK = 1 << 22  # ratings processed together: bounds the temporary arrays
_SPEC = "names separated by commas, top:N, not-top:N, low-entropy:N, random:N:SEED or @FILE"
_COMPUTED = ("top:", "not-top:", "low-entropy:", "random:", "@")


class Selecting(Parts):
    """What makes a smaller table of a table; each way is noted in ``selection``."""

    @checks.takes_random_state
    def select_issues(
        self,
        spec: str | Sequence[str],
        *,
        rng: int | np.random.Generator | None = None,
        random_state: checks.RandomState | None = None,
    ) -> Self:
        """Keep only some non-sensitive issues; all records and sensitive columns stay.

        A scale that was not declared becomes that of the issues kept.

        ``spec`` is a list of names, or text: ``a,b,c``, ``top:20`` (the most rated; ties by
        position), ``not-top:20`` (all but these), ``low-entropy:20`` (those whose ratings identify
        people least, see :func:`entropies_of`), ``random:20:SEED``, or ``@file`` with a name a
        line. ``rng`` (or ``random_state``) serves ``random:20`` without a seed.
        """
        drawn = isinstance(spec, str) and spec.startswith("random:") and spec not in self.issues
        if not isinstance(spec, str) or spec in self.issues:  # a name may hold a comma or a colon
            chosen = _positions(self, checks.texts("issues", spec, _SPEC))
        elif spec.startswith("top:"):
            chosen = most_rated(self, _count(spec, spec[4:], self))
        elif spec.startswith("not-top:"):
            chosen = np.setdiff1d(
                np.arange(self.n_issues), most_rated(self, _count(spec, spec[8:], self))
            )
            if len(chosen) == 0:
                raise ParameterError(
                    "issues", spec, f"fewer than the {self.n_issues} items that there are"
                )
        elif spec.startswith("low-entropy:"):
            least = np.argsort(entropies_of(self), kind="stable")
            chosen = least[: _count(spec, spec[12:], self)]
        elif drawn:
            number, _, seed = spec[7:].partition(":")
            if seed:
                try:
                    rng = checks.whole_number("issues", whole_number(seed), 0)
                except ValueError:
                    expected = "a seed that is a whole number >= 0 in random:N:SEED"
                    raise ParameterError("issues", spec, expected) from None
            size = _count(spec, number, self)
            chosen = checks.generator(rng).choice(self.n_issues, size=size, replace=False)
        elif spec.startswith("@"):
            try:
                lines = small_text(spec[1:]).splitlines()
            except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a NUL in the path
                why = getattr(error, "strerror", None) or str(error)
                expected = "a readable UTF-8 file with a name a line"
                raise ParameterError("issues", spec, expected, why) from error
            chosen = _positions_of_lines(self, spec[1:], lines)
        else:
            chosen = _positions(self, [name.strip() for name in spec.split(",")])
        return _noted(self, _keep_issues(self, chosen), drawn=drawn, rng=rng)

    @checks.takes_random_state
    def sample(
        self,
        amount: float,
        *,
        rng: int | np.random.Generator | None = None,
        random_state: checks.RandomState | None = None,
    ) -> Self:
        """Keep a uniform random sample of the records, in data order.

        ``amount`` is a number of records (a whole number >= 1) or a fraction of them (between 0 and
        1). ``random_state`` is ``rng`` by scikit-learn's name.
        """
        checks.non_negative_number("sample", amount)
        expected = f"a fraction between 0 and 1, or a whole number from 1 to {self.n_records}"
        size = round(amount * self.n_records) if 0 < amount < 1 else amount
        if size != int(size) or not 1 <= size <= self.n_records:
            raise ParameterError("sample", amount, expected)
        chosen = checks.generator(rng).choice(self.n_records, size=int(size), replace=False)
        taken = _take(self, np.sort(chosen))
        rows, levels = relevelled(
            Rows(taken.indptr, taken.indices, taken.codes, None), taken.levels
        )
        taken = dataclasses.replace(taken, codes=narrowed(rows.codes, len(levels)), levels=levels)
        return _noted(self, taken, drawn=True, rng=rng)

    def take(self, positions: NDArray[np.int64]) -> Self:
        """Keep the records at ``positions`` (distinct, 0..n-1), in that order."""
        return _noted(self, _take(self, positions))

    def drop(self, names: Sequence[str]) -> Self:
        """Leave out issues, sensitive or not, by name; ParameterError for a name that is not there.

        A scale that was not declared becomes that of the issues kept.
        """
        names_known = {*self.issues, *self.other_names}
        unknown = [name for name in names if name not in names_known]
        if unknown:
            raise ParameterError("drop", unknown[0], "the name of an item of the data")
        gone = set(names)
        stay = [position for position, name in enumerate(self.issues) if name not in gone]
        smaller = (
            _keep_issues(self, np.array(stay, dtype=np.int64))
            if len(stay) < self.n_issues
            else self
        )
        smaller = dataclasses.replace(
            smaller,
            sensitive=tuple(column for column in self.sensitive if column.name not in gone),
            quasi=tuple(column for column in self.quasi if column.name not in gone),
            carried=tuple(column for column in self.carried if column.name not in gone),
        )
        return _noted(self, smaller, dropped=names)


def most_rated(table: Parts, number: int) -> NDArray[np.int64]:
    """Positions of the ``number`` most rated issues; ties by position."""
    return np.argsort(-supports_of(table), kind="stable")[:number]


def supports_of(table: Parts) -> NDArray[np.int64]:
    """Return |supp(i)|, how many records rate each issue, int64 (n_issues,)."""
    counts = np.zeros(table.n_issues, dtype=np.int64)
    for first in range(0, table.n_ratings, _BLOCK):
        counts += np.bincount(table.indices[first : first + _BLOCK], minlength=table.n_issues)
    return counts


def entropies_of(table: Parts) -> NDArray[np.float64]:
    """Return the entropy of each issue, "missing" as a value of its own, per rating [ours].

    In bits, float64 (n_issues,): how far the rating of the issue, or that it is missing, narrows a
    person down on average, times records / ratings: of two issues that narrow equally, a release
    is better with the one of more ratings. Infinite for an issue without ratings.

        4 records. a: 1 1 2 2 has 1 bit; b: 1 1 1 2 has 0.81; c: 1 1 - - has 1 bit for half as
        many ratings: 2.
    """
    n, ratings = table.n_records, supports_of(table)
    frame = pl.DataFrame({"issue": table.indices, "code": table.codes})
    groups = frame.group_by("issue", "code").len()
    of = np.concatenate((groups["issue"].to_numpy(), np.arange(table.n_issues)))
    shares = np.concatenate((groups["len"].to_numpy(), n - ratings)) / max(n, 1)
    terms = -shares * np.log2(np.where(shares > 0, shares, 1))
    bits = np.bincount(of, weights=terms, minlength=table.n_issues)
    per_rating = np.where(ratings > 0, bits * n / np.maximum(ratings, 1), np.inf)
    return np.round(per_rating, 9)  # whatever the order in which the groups come


def is_computed(spec: str) -> bool:
    """Whether a text for :meth:`Selecting.select_issues` is more than names."""
    return spec.startswith(_COMPUTED)


def _take[T: Parts](table: T, positions: NDArray[np.int64]) -> T:
    positions = np.asarray(positions, dtype=np.int64)
    outside = (positions < 0) | (positions >= table.n_records)
    if outside.any() or len(np.unique(positions)) != len(positions):
        raise ParameterError(
            "positions", positions.tolist()[:5], f"distinct numbers from 0 to {table.n_records - 1}"
        )
    lengths = np.diff(table.indptr)[positions]
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    indices = np.empty(int(indptr[-1]), dtype=np.int32)
    codes: Codes = np.empty(len(indices), dtype=table.codes.dtype)
    timestamps = [] if table.timestamps is None else [table.timestamps.clear()]
    last, n = 0, len(positions)
    while (first := last) < n:  # records that have about _BLOCK ratings together; at least one
        last = int(np.searchsorted(indptr, indptr[first] + _BLOCK, side="right")) - 1
        last = min(max(last, first + 1), n)
        part = lengths[first:last]
        starts = table.indptr[positions[first:last]] - (indptr[first:last] - indptr[first])
        entries = np.repeat(starts, part) + np.arange(indptr[last] - indptr[first])
        here = slice(int(indptr[first]), int(indptr[last]))
        indices[here], codes[here] = table.indices[entries], table.codes[entries]
        if table.timestamps is not None:
            timestamps.append(table.timestamps.gather(entries))
    return dataclasses.replace(
        table,
        record_ids=table.record_ids.gather(positions),
        indptr=indptr,
        indices=indices,
        codes=codes,
        timestamps=pl.concat(timestamps) if timestamps else None,
        sensitive=tuple(
            dataclasses.replace(
                column, values=column.values[positions], present=column.present[positions]
            )
            for column in table.sensitive
        ),
        quasi=tuple(
            dataclasses.replace(quasi, codes=quasi.codes[positions]) for quasi in table.quasi
        ),
        carried=tuple(cells.gather(positions) for cells in table.carried),
    )


def _keep_issues[T: Parts](table: T, positions: NDArray[np.int64]) -> T:
    """Keep the issues at ``positions`` in the table's order,
    with a scale of their own unless declared.
    """
    positions = np.sort(positions)
    renumbered = np.full(table.n_issues, -1, dtype=np.int32)
    renumbered[positions] = np.arange(len(positions), dtype=np.int32)
    gone = np.empty(table.n_ratings, dtype=bool)
    for first in range(0, len(gone), _BLOCK):
        gone[first : first + _BLOCK] = renumbered[table.indices[first : first + _BLOCK]] < 0
    rows, levels = relevelled(
        without(Rows(table.indptr, table.indices, table.codes, None), gone), table.levels
    )
    scale = table.scale
    if scale is not None and not scale.declared:
        scale = Scale(float(levels[0]), float(levels[-1]), declared=False) if len(levels) else None
    return dataclasses.replace(
        table,
        issues=tuple(table.issues[position] for position in positions),
        indptr=rows.indptr,
        indices=renumbered[rows.indices],
        codes=narrowed(rows.codes, len(levels)),
        levels=levels,
        scale=scale,
        timestamps=None if table.timestamps is None else table.timestamps.filter(pl.Series(~gone)),
    )


def _noted[T: Parts](
    before: T,
    after: T,
    *,
    drawn: bool = False,
    rng: int | np.random.Generator | None = None,
    dropped: Sequence[str] = (),
) -> T:
    """Return ``after`` with what was left out of ``before``, and before that, as its selection."""
    selection: dict[str, Any] = {"of_issues": before.n_issues, "of_records": before.n_records}
    selection |= {"seed": None, "dropped": ()}
    was = selection if before.selection is None else dataclasses.asdict(before.selection)
    seed = was["seed"]
    if drawn and (after.n_issues, after.n_records) < (before.n_issues, before.n_records):
        given = int(rng) if isinstance(rng, int | np.integer) else None
        seed = given if before.selection is None or seed in (None, given) else None
    now = {"issues": after.n_issues, "records": after.n_records, "seed": seed}
    now["dropped"] = tuple(dict.fromkeys((*was["dropped"], *dropped)))
    return dataclasses.replace(after, selection=Selection.made(**{**was, **now}))


def _positions(table: Parts, names: Sequence[str]) -> NDArray[np.int64]:
    position_of = {name: position for position, name in enumerate(table.issues)}
    sensitive = {column.name for column in table.sensitive}
    for name in names:
        if name in sensitive:
            raise ParameterError(
                "issues", name, "non-sensitive items", "sensitive ones are always kept"
            )
        if name not in position_of:
            raise ParameterError(
                "issues",
                name,
                f"names of the table's {table.n_issues} non-sensitive items, or {_SPEC}",
            )
    return np.unique(np.array([position_of[name] for name in names], dtype=np.int64))


def _positions_of_lines(table: Parts, file: str, lines: Sequence[str]) -> NDArray[np.int64]:
    """Return the positions of the names in a file.

    It may be any file: what stands in it is not quoted.
    """
    named = [(number, line.strip()) for number, line in enumerate(lines, start=1) if line.strip()]
    for number, name in named:
        try:
            _positions(table, [name])
        except ParameterError as error:
            actual = "a line that is no such name"
            problem = Problem(file, actual, str(error.expected), error.remedy, number, cell=name)
            raise DataError(problem) from None
    return _positions(table, [name for _, name in named])


def _count(spec: str, text: str, table: Parts) -> int:
    try:
        number = whole_number(text)
    except ValueError:
        number = 0
    if number < 1:
        raise ParameterError("issues", spec, _SPEC)
    if number > table.n_issues:
        expected = f"at most the table's {table.n_issues} non-sensitive items"
        remedy = f"take top:{table.n_issues} or less, or leave it out to use all"
        raise ParameterError("issues", spec, expected, remedy)
    return number
