"""What a table consists of: its arrays, scale, sensitive columns and origin, checked and frozen.

Everything that builds or selects works on :class:`Parts`;
:class:`ratingpriv.data.table.RatingTable` is one with the methods that users call, and nothing
below it needs to know it.

In a survey that everybody answered in full, ``indices`` is 0..p-1 once for each record: four bytes
a rating that say nothing. Such a table is made with :data:`EVERY_ISSUE` instead, and the array is
made, once, for whoever asks for it. Counting neighbours does not: rows of equal supports are
compared place by place.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError

_ROWS = 1 << 20  # looked at together: bounds the temporary arrays

EVERY_ISSUE: NDArray[np.int32] = np.empty(0, dtype=np.int32)
"""Says, by its identity, that every record rates every issue; it is no array of positions."""
EVERY_ISSUE.flags.writeable = False


@dataclass(frozen=True, slots=True)
class Scale:
    """The rating scale.

    Attributes
    ----------
    minimum, maximum : its smallest and largest rating. The maximum is the papers' r, the distance
        between a rating and a null [SWLZ11, Eq. 1]
    declared : whether a user declared it. If not, the maximum is the largest rating of the issues
        that are there, however the others were left out (before records were sampled): issues that
        are not audited do not decide what holds for those that are
    """

    minimum: float
    maximum: float
    declared: bool

    def to_dict(self) -> dict[str, int | float]:
        """Return both ends as the JSON contracts have them: a whole number is an int (1..5,
        not 1.0..5.0).
        """
        ends = {"min": self.minimum, "max": self.maximum}
        return {name: int(end) if end == int(end) else float(end) for name, end in ends.items()}


@dataclass(frozen=True, slots=True)
class SensitiveColumn:
    """One sensitive issue.

    Attributes
    ----------
    name : of the issue
    values : float64 (n_records,), 0.0 where they are not present
    present : bool (n_records,), whether a value is known
    labels : of a nominal column; ``labels[int(value)]`` is what a value means. None for numbers
    """

    name: str
    values: NDArray[np.float64]
    present: NDArray[np.bool_]
    labels: tuple[str, ...] | None = None

    @property
    def nominal(self) -> bool:
        """Whether the values are codes of categories, of which an SD says nothing."""
        return self.labels is not None


class AnswerRange(NamedTuple):
    """What the answers to one issue reach over, and whether every record has one."""

    least: float
    largest: float
    complete: bool


@dataclass(frozen=True, slots=True)
class QuasiRule:
    """What is said of a quasi-identifier beside its values.

    Attributes
    ----------
    name, within, recoded : as of :class:`QuasiColumn`
    """

    name: str
    within: float | None = None
    recoded: str = ""

    def __str__(self) -> str:
        """Return the rule in words: ``equal``, or ``within 5``."""
        return "equal" if self.within is None else f"within {self.within:.15g}"

    def to_dict(self) -> dict[str, Any]:
        """Return name, rule and recoding, as the JSON contracts have them."""
        within = {} if self.within is None else {"within": self.within}
        recoded = {"recoded": self.recoded} if self.recoded else {}
        return {"name": self.name, "rule": "within" if within else "equal", **within, **recoded}


@dataclass(frozen=True, slots=True, eq=False)
class QuasiColumn:
    """One quasi-identifier: a known attribute of the persons,
    which is no rating and has a rule of its own.

    Two records are indistinguishable only if they meet the rule of every quasi-identifier, whatever
    ε is. A null equals a null only, under the strict rule; under wildcard it matches anything;
    under known, what t does not have is unknown to the adversary, as for ratings [ours].

    Attributes
    ----------
    name : of the column
    codes : int32 (n_records,), positions in ``values``; -1 where null
    values : polars Series, distinct, without nulls: String (in order of first appearance, or as a
        codebook orders them), or Float64, finite, ascending
    within : None: two records must have equal values; else a number >= 0, the most by which they
        may differ (``values`` are numbers)
    recoded : how the values were made of what the data have, in words, as ``band=10``; empty: as
        read
    """

    name: str
    codes: NDArray[np.int32]
    values: pl.Series
    within: float | None = None
    recoded: str = ""

    @property
    def described(self) -> QuasiRule:
        """What is said of it."""
        return QuasiRule(self.name, self.within, self.recoded)

    @property
    def rule(self) -> str:
        """The rule in words, as messages and results have it."""
        return str(self.described)

    def check(self, records: int) -> None:
        """Refuse codes of no value, and values that cannot be within a number of one another."""
        if records and not -1 <= int(self.codes.min()) <= int(self.codes.max()) < len(self.values):
            raise ParameterError(f"quasi {self.name}", "codes", f"-1 or below {len(self.values)}")
        numbers = self.values.to_numpy() if self.values.dtype == pl.Float64 else np.array([np.nan])
        ascending = np.all(np.isfinite(numbers)) and np.all(np.diff(numbers) > 0)
        if self.within is not None and not (ascending and 0 <= self.within < math.inf):
            expected = "ascending, finite, distinct numbers to be within a finite number >= 0"
            raise ParameterError(f"quasi {self.name}", self.within, expected)

    def to_dict(self) -> dict[str, Any]:
        """Return name, rule and recoding, as the JSON contracts have them."""
        return self.described.to_dict()


@dataclass(frozen=True, slots=True)
class Roles:
    """What each column of the data was taken for, and by which codebook.

    Attributes
    ----------
    columns : (column, role) in the data's order; roles as in :mod:`ratingpriv.data.codebook.roles`
    codebook : SHA-256 of the codebook file, hexadecimal; None where roles come from options or the
        format
    guessed : columns that were taken for quasi-identifiers on nobody's word, as by their names
    """

    columns: tuple[tuple[str, str], ...]
    codebook: str | None = None
    guessed: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of every role and the codebook's hash,
        as the JSON contracts have them.
        """
        by_role: dict[str, list[str]] = {}
        for name, role in self.columns:
            by_role.setdefault(role, []).append(name)
        return {"columns": by_role, "codebook": self.codebook, "guessed": list(self.guessed)}


class Unsaid(NamedTuple):
    """Columns that were taken for ratings on nobody's word.

    ``mixed`` : whether other columns are in blocks of questions of like names, in which these are
    not
    """

    names: tuple[str, ...]
    mixed: bool

    @classmethod
    def of(cls, names: Sequence[str], *, mixed: bool) -> Self | None:
        """Return them; None where there are none."""
        return cls(tuple(names), mixed) if names else None


class Spellings(NamedTuple):
    """How data say that something is not answered, where that may mean more than one thing.

    ``counts`` : (text or number, how many cells), "" being an empty cell. ``countries`` :
    quasi-identifiers of two-letter codes in which ``NA`` is taken for unanswered.
    """

    counts: tuple[tuple[str, int], ...]
    countries: tuple[str, ...] = ()

    @classmethod
    def of(cls, counts: Mapping[str, int], countries: Sequence[str] = ()) -> Spellings | None:
        """Return them, None where "unanswered" is one thing."""
        return (
            cls(tuple(sorted(counts.items())), tuple(countries))
            if len(counts) > 1 or countries
            else None
        )

    @classmethod
    def of_both(cls, ratings: Spellings | None, attributes: Spellings | None) -> Spellings | None:
        """Return those of two files that became one table."""
        if ratings is None or attributes is None:
            return ratings or attributes
        counts = Counter(dict(ratings.counts)) + Counter(dict(attributes.counts))
        return cls(tuple(sorted(counts.items())), (*ratings.countries, *attributes.countries))


class Multiline(NamedTuple):
    """How many cells of a text span lines, and over how many lines the longest goes; 0:
    there is none.

    Whoever counts the lines of a file needs it to account for its records.
    """

    cells: int
    longest: int

    def and_also(self, cells: int, longest: int) -> Multiline:
        """Return this with so many cells more."""
        return Multiline(self.cells + cells, max(self.longest, longest)) if cells else self


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which part of the data a table is, where something was left out.

    A verdict on it is about that part.

    Attributes
    ----------
    issues, of_issues : how many issues it has, of how many non-sensitive ones of the data, dropped
        ones included
    records, of_records : the same of records
    seed : None where nothing was drawn, or not with one known seed
    dropped : names that were left out one by one
    """

    issues: int
    of_issues: int
    records: int
    of_records: int
    seed: int | None = None
    dropped: tuple[str, ...] = ()

    @classmethod
    def made(cls, **numbers: Any) -> Self | None:
        """Return the selection of these attributes, or None where nothing is left out."""
        made = cls(**numbers)
        complete = made.issues == made.of_issues and made.records == made.of_records
        return None if complete and not made.dropped else made

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Turn :meth:`to_dict` back; TypeError where it is none."""
        return cls(**{**content, "dropped": tuple(content["dropped"])})

    def __str__(self) -> str:
        """Return it in words: ``20 of 1682 issues, 100 of 943 records, without age``."""
        numbers = (
            ("issues", self.issues, self.of_issues),
            ("records", self.records, self.of_records),
        )
        parts = [f"{here} of {total} {name}" for name, here, total in numbers if here < total]
        return ", ".join(
            [*parts, *([f"without {', '.join(self.dropped)}"] if self.dropped else [])]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as the JSON contracts have them."""
        return {**dataclasses.asdict(self), "dropped": list(self.dropped)}


@dataclass(frozen=True, slots=True)
class Joined:
    """How the records that were read and those of a file of their attributes fit.

    Attributes
    ----------
    records, missing : how many were read, and how many of them are missing in that file
    rows, unused : how many that file has, and how many of them are of no record
    """

    records: int
    missing: int
    rows: int
    unused: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a table came from and how it was laid out.

    Enough to write a release that looks like its input.

    ``order`` lists all issue names, sensitive ones included, as the input had them (empty: not
    known). ``place`` is the file or folder that was read, which no writer replaces; no result and
    no file names it.
    """

    name: str = "table"
    sha256: str | None = None
    format: str = "dataframe"
    layout: str = "wide"
    record_name: str = "record"
    issue_name: str = "issue"
    rating_name: str = "rating"
    timestamp_name: str = "timestamp"
    order: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    place: Path | None = field(default=None, compare=False, repr=False)

    def spelled(self, found: Spellings | None) -> Origin:
        """Return this origin with how the data say "unanswered",
        where that is more than one thing.
        """
        return (
            self if found is None else replace(self, details={**self.details, "spellings": found})
        )

    def repeating(self, *found: tuple[str, int, int] | None) -> Origin:
        """Return this origin with more columns of which several records
        share a value (``Parts.repeats``).
        """
        more = tuple(repeat for repeat in found if repeat is not None)
        repeats = self.details.get("repeats", ())
        return (
            replace(self, details={**self.details, "repeats": (*repeats, *more)}) if more else self
        )


@dataclass(frozen=True, eq=False)
class Parts:
    """Ratings of n records on p issues, as compressed sparse rows, and q sensitive columns.

    The attributes are those of :class:`ratingpriv.data.table.RatingTable`, which says what each one
    is.
    """

    record_ids: pl.Series
    issues: tuple[str, ...]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    codes: NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]
    levels: NDArray[np.float64]
    scale: Scale | None
    sensitive: tuple[SensitiveColumn, ...] = ()
    timestamps: pl.Series | None = None
    origin: Origin = field(default_factory=Origin)
    selection: Selection | None = None
    quasi: tuple[QuasiColumn, ...] = ()
    carried: tuple[pl.Series, ...] = ()
    roles: Roles | None = None
    joined: Joined | None = None

    def __post_init__(self) -> None:
        implicit = self.indices is EVERY_ISSUE
        if implicit:  # what is not there is made by __getattr__
            del vars(self)["indices"]
        self._check_rows(implicit=implicit)
        columns = self._columns_by_kind()
        for kind, column in columns:
            if len(column) != self.n_records:
                raise ParameterError(kind, len(column), f"{self.n_records} values, one per record")
        if self.timestamps is not None and len(self.timestamps) != len(self.codes):
            expected = f"{len(self.codes)}, one for each rating"
            raise ParameterError("timestamps", len(self.timestamps), expected)
        names = Counter([*self.issues, *self.other_names])
        if names and names.most_common(1)[0][1] > 1:
            twice = next(name for name, times in names.items() if times > 1)
            raise ParameterError(
                "issues", twice, "every item once", "rename one of the two columns"
            )
        for quasi in self.quasi:
            quasi.check(self.n_records)
        arrays = [array for _, array in columns if isinstance(array, np.ndarray)]
        for array in (
            self.indptr,
            self.codes,
            self.levels,
            *([] if implicit else [self.indices]),
            *arrays,
        ):
            array.flags.writeable = False

    def _check_rows(self, *, implicit: bool) -> None:
        """Refuse rows that do not fit their entries; ``implicit`` :
        every record rates every issue.
        """
        n = len(self.record_ids)
        nnz = n * len(self.issues) if implicit else len(self.indices)
        if self.indptr.shape != (n + 1,) or len(self.codes) != nnz or int(self.indptr[-1]) != nnz:
            actual, expected = self.indptr.shape, f"indptr of {n + 1} and codes of {nnz} entries"
            raise ParameterError("RatingTable", actual, expected)
        blocks = (
            self.indptr[first : first + _ROWS + 1]
            for first in range(0, n if implicit else 0, _ROWS)
        )
        if implicit and not all(np.all(np.diff(block) == len(self.issues)) for block in blocks):
            raise ParameterError(
                "indices", "none", "positions, as not every record rates every item"
            )

    def _columns_by_kind(self) -> list[tuple[str, Any]]:
        """Return what has an entry a record, each with the role of its column."""
        return [
            *(
                ("sensitive", array)
                for column in self.sensitive
                for array in (column.values, column.present)
            ),
            *(("quasi", column.codes) for column in self.quasi),
            *(("carry", cells) for cells in self.carried),
        ]

    def __getattr__(self, name: str) -> NDArray[np.int32]:
        """Make ``indices``, once, where every record rates every issue."""
        if name != "indices":
            raise AttributeError(name)
        positions = np.tile(np.arange(self.n_issues, dtype=np.int32), self.n_records)
        positions.flags.writeable = False
        vars(self)["indices"] = positions  # two threads that ask at once both get a right array
        return positions

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some attributes replaced (names as in the docstring of RatingTable).

        Unlike ``dataclasses.replace`` it does not make ``indices`` where every record rates every
        issue.
        """
        arrays = {"indices": EVERY_ISSUE, **vars(self)}
        if (
            not changes.keys().isdisjoint(("issues", "indptr", "codes"))
            and "indices" not in changes
        ):
            arrays["indices"] = (
                self.indices
            )  # what it says is of the issues and rows that there were
        return type(self)(**{**arrays, **changes})

    @property
    def guessed(self) -> tuple[str, ...]:
        """Quasi-identifiers that are such on nobody's word."""
        roles = () if self.roles is None else self.roles.guessed
        return tuple(column.name for column in self.quasi if column.name in roles)

    @property
    def unsaid(self) -> Unsaid | None:
        """Columns that were taken for ratings on nobody's word, those that are left.

        None: there are none.
        """
        said: Unsaid | None = self.origin.details.get("unsaid")
        return said and Unsaid.of(
            [name for name in self.issues if name in said.names], mixed=said.mixed
        )

    @property
    def multiline(self) -> Multiline | None:
        """How many cells of the text that was read span lines; None: it was no text."""
        return self.origin.details.get("multiline")

    @property
    def spellings(self) -> Spellings | None:
        """How the data that were read say "unanswered", where in more ways than one; else None."""
        return self.origin.details.get("spellings")

    @property
    def uncounted(self) -> tuple[str, ...]:
        """Columns of the data that nothing here is about: direct identifiers,
        then what was dropped.
        """
        roles = () if self.roles is None else self.roles.columns
        return tuple(name for role in ("identifier", "drop") for name, its in roles if its == role)

    @property
    def repeats(self) -> tuple[tuple[str, int, int], ...]:
        """(column, different values, records) of ids and direct
        identifiers that stand in several records.

        So they do in the whole data that were read, dropped columns included.
        """
        found: tuple[tuple[str, int, int], ...] = self.origin.details.get("repeats", ())
        return found

    @property
    def answer_ranges(self) -> dict[str, AnswerRange]:
        """What the answers to each issue that was answered reach over, by its name.

        Whatever is declared.
        """
        return self.ranges_by(None, self.n_records)

    def ranges_by(self, answers: Mapping[str, int] | None, records: int) -> dict[str, AnswerRange]:
        """Return :attr:`answer_ranges` where each issue has so many ``answers``, by name,
        of ``records``.

        None: as they are counted here; others are those of data that this table is a sketch of.
        """
        n, p, codes = self.n_records, self.n_issues, self.codes
        least, largest = (
            np.full(p, len(self.levels), dtype=np.int64),
            np.full(p, -1, dtype=np.int64),
        )
        given = np.zeros(p, dtype=np.int64)
        if len(codes) == n * p:  # every record answers every issue
            rows = codes.reshape(n, p)
            if n:
                least[:], largest[:] = rows.min(axis=0), rows.max(axis=0)
            given += n
        else:
            for first in range(0, len(codes), _ROWS):
                # of other types than the results' the two calls take ten times as long
                where = self.indices[first : first + _ROWS].astype(np.intp)
                block = codes[first : first + _ROWS].astype(np.int64)
                np.minimum.at(least, where, block)
                np.maximum.at(largest, where, block)
                given += np.bincount(where, minlength=p)
        if answers is not None:
            given = np.array([answers[issue] for issue in self.issues], dtype=np.int64)
        return {
            self.issues[index]: AnswerRange(
                float(self.levels[least[index]]),
                float(self.levels[largest[index]]),
                complete=bool(given[index] == records),
            )
            for index in np.flatnonzero(given).tolist()
        }

    @property
    def lacks_quasi(self) -> bool:
        """Whether some record has no value on some quasi-identifier."""
        return any(bool((column.codes < 0).any()) for column in self.quasi)

    @property
    def other_names(self) -> list[str]:
        """Names of the columns that are no issues: sensitive ones, quasi-identifiers,
        carried ones.
        """
        columns: list[Any] = [*self.sensitive, *self.quasi, *self.carried]
        return [column.name for column in columns]

    @property
    def numeric_sensitive(self) -> tuple[SensitiveColumn, ...]:
        """The sensitive columns that have an SD: those that are numbers,
        not codes of categories.
        """
        return tuple(column for column in self.sensitive if not column.nominal)

    @property
    def n_records(self) -> int:
        """How many records there are (n); records without any rating count."""
        return len(self.record_ids)

    @property
    def n_issues(self) -> int:
        """How many non-sensitive issues there are (p)."""
        return len(self.issues)

    @property
    def n_ratings(self) -> int:
        """How many non-sensitive ratings there are."""
        return len(self.codes)

    @property
    def values(self) -> NDArray[np.float64]:
        """The ratings, float64 (n_ratings,); a new array each time."""
        return self.levels[self.codes]

    @property
    def integral(self) -> bool:
        """Whether every non-sensitive rating is a whole number."""
        return bool(np.all(self.levels == np.floor(self.levels)))
