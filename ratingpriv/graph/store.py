"""What goes into a graph store, and what comes out of one
(:class:`ratingpriv.graph.running.GraphStore`).

A store holds datasets in the schema of :mod:`ratingpriv.graph.schema` (cypher/schema makes its keys
and indexes; docs/graph-schema.md draws it). The graph is a projection that can be rebuilt: the data
file stays the source of truth. There are two stores, :class:`ratingpriv.graph.neo4j.Neo4jStore` and
:class:`ratingpriv.graph.embedded.EmbeddedStore`; they pass the same contract tests.

What has a ``dataset`` is found by it: each of these labels has an index on it
(schema/record-dataset and so on), so that a question touches no other dataset. The embedded engine
takes care for it: behind a clause that writes it uses an index only inside
``CALL (x) { MATCH ... RETURN ... }``; of several equal conditions in one pattern it takes the first
one's index; an OPTIONAL MATCH behind a clause that writes or a WITH that aggregates goes through
all relationships of its type, of whatever dataset, unless its far end has ``{dataset: ...}`` or it
is inside such a CALL.

How a dataset is loaded (``begin_dataset``): every batch is one transaction that also moves the
counters of its ``Load`` node, so a batch is never applied twice and a broken load goes on where it
stopped. A dataset that is not there yet is loaded in place, with ``complete: false`` until the last
batch was counted; one that is complete stays as it is, fully queryable, while its successor is
loaded aside under a private key, and the two change places in one transaction.

Every record says how many records are in its neighbourhood [SWLZ11, Def. 4.2], itself included, at
each of the distances ``levels`` of its dataset: ``sizes[i]`` is |N(t)| within ``levels[i]``. They
are there for all records, whatever pairs are in the store. At an epsilon between two levels the
size is that of the level below where the dataset has ``everyLevel``: then no two records are any
distance in between apart.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import json_value

if TYPE_CHECKING:
    import polars as pl

    from ratingpriv.data.table import QuasiRule
    from ratingpriv.graph.catalogue import Query

Engine = Literal["neo4j", "embedded"]

Row = tuple[Any, ...]


class Runner(Protocol):
    """Runs a query of the catalogue inside a transaction."""

    def __call__(self, query_id: str, /, **params: Any) -> list[Row]:
        """Return the rows of a query."""


class Store(Protocol):
    """A property graph that answers queries, as those see it who ask.

    See :class:`.running.GraphStore`.
    """

    @property
    def engine(self) -> Engine:
        """The engine: ``neo4j`` or ``embedded``."""

    @property
    def uri(self) -> str:
        """Where it is, never with credentials."""

    @property
    def snapshots(self) -> bool:
        """Whether a statement sees all of another transaction or nothing of it."""

    @property
    def removal(self) -> tuple[str, ...]:
        """The statements by which a dataset is removed, a batch at a time."""

    def run(self, asked: Query | str, /, *, write: bool = False, **params: Any) -> Result:
        """Run a query, its parameters and what it is asked of checked before and after."""

    def one(self, query_id: str, /, **params: Any) -> list[Row]:
        """Run one statement of the catalogue in a transaction of its own,
        and look at nothing before.
        """

    def atomically[T](self, work: Callable[[Runner], T]) -> T:
        """Run ``work`` in one transaction; it is run again when a failure was transient."""

    def dataset(self, name: str) -> DatasetInfo:
        """Return one dataset; UnknownDatasetError names those that there are."""


@dataclass(frozen=True, slots=True)
class Result:
    """Rows of a query in the query's order.

    Attributes
    ----------
    columns : names of the columns, as the query's header declares them
    rows : plain Python values (int, float, str, bool, None, lists and dicts of these), one tuple a
        row. A node is ``{"labels": [...], "properties": {...}}``, a relationship
        ``{"type": ..., "properties": {...}}``, a path ``{"nodes": [...], "relationships": [...]}``;
        dates, times and durations are texts as in ISO 8601, bytes texts in hexadecimal, a point is
        a map
    types : the types of the columns, as the header declares them; empty where there is no header
    changes : what a statement that may write did, by its kind, such as ``nodes_created``; None for
        others
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    types: tuple[str, ...] = field(default=(), compare=False)
    changes: Mapping[str, int] | None = field(default=None, compare=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def dicts(self) -> list[dict[str, Any]]:
        """Return every row as a dictionary."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def column(self, name: str) -> list[Any]:
        """Return all values of one column; ParameterError if there is no such column."""
        if name not in self.columns:
            raise ParameterError("column", name, "one of " + ", ".join(self.columns))
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def single(self) -> tuple[Any, ...]:
        """Return the only row; ParameterError if there is not exactly one."""
        if len(self.rows) != 1:
            raise ParameterError("result", f"{len(self.rows)} rows", "exactly one row")
        return self.rows[0]

    def to_frame(self) -> pl.DataFrame:
        """Return the rows as a polars data frame.

        A column has the type that the header declares, else that of its values: Int64, Float64,
        Boolean or String. A cell that is none of these, such as a list or a node, is JSON text, and
        so is every cell of a column of several types but its texts.
        """
        import polars as pl

        types = {
            "INTEGER": pl.Int64,
            "FLOAT": pl.Float64,
            "BOOLEAN": pl.Boolean,
            "STRING": pl.String,
        }
        dtypes: dict[type | None, Any] = {
            int: pl.Int64,
            float: pl.Float64,
            bool: pl.Boolean,
            str: pl.String,
        }
        series = []
        for position, name in enumerate(self.columns):
            values = [row[position] for row in self.rows]
            kinds = {type(value) for value in values if value is not None}
            kind: type | None = next(iter(kinds)) if len(kinds) == 1 else None
            if kinds == {int, float}:
                kind = float
            declared = types.get(self.types[position].removesuffix("?")) if self.types else None
            if kinds == {int} and declared == pl.Float64:
                kind = float
            dtype = dtypes.get(kind, pl.String) if kind or kinds else declared or pl.Null
            if dtype == pl.String:
                values = [
                    value if isinstance(value, str | None) else _json_text(value)
                    for value in values
                ]
            series.append(pl.Series(name, values, dtype=dtype, strict=False))
        return pl.DataFrame(series)


def _json_text(value: object) -> str:
    return json.dumps(json_value(value), ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSpec:
    """What a dataset is going to be.

    Two loads with equal specs are the same load, and the second resumes it.

    Attributes
    ----------
    name : the dataset's name; any text of 1 to 200 characters
    records, groups, issues : how many records, Hamming groups and issues (sensitive ones included)
        are coming
    ratings, pairs : how many RATED and PROXIMATE relationships are coming
    epsilon_max : pairs of at most this distance are coming
    nulls : the null rule of the distances, ``strict`` or ``wildcard``
    edges : ``all`` proximate pairs, or only those in which a record with |N(t)| < ``k`` takes part
    k : the k of ``edges="at-risk"``, else None
    scale_min, scale_max : the rating scale, or None where there is none
    scale_declared : whether a user declared it
    rating_min, rating_max : the smallest and the largest non-sensitive rating, or None where there
        is none
    all_ratings : whether the non-sensitive ratings are coming too
    source_sha256 : of the data file, or None
    selection : which part of the data it is, as JSON text; None where nothing was left out
    reservations : what changes the verdicts about it, as JSON text
        (:func:`ratingpriv.proximity.reservations.reservations_of`); None: not known
    quasi : the quasi-identifiers: pairs are coming only of records that meet all their rules, too
    pseudonymized : whether ids were replaced
    tool : who writes, e.g. ``ratingpriv 0.1.0``
    levels : distances, ascending from 0 to ``epsilon_max``, at which every record has the size of
        its neighbourhood; empty where they have none
    every_level : whether ``levels`` has every distance up to ``epsilon_max`` that two records can
        be apart, so that the sizes at any epsilon in between are those of the level below
    fingerprint : anything else that must be equal for a load to be resumed; a hash of the records,
        by which a file that goes on from them is known (:mod:`ratingpriv.graph.appending`)
    """

    name: str
    records: int
    groups: int
    issues: int
    ratings: int
    pairs: int
    epsilon_max: float
    nulls: str = "strict"
    edges: str = "all"
    k: int | None = None
    scale_min: float | None = None
    scale_max: float | None = None
    scale_declared: bool = False
    rating_min: float | None = None
    rating_max: float | None = None
    all_ratings: bool = False
    source_sha256: str | None = None
    selection: str | None = None
    reservations: str | None = None
    quasi: tuple[QuasiRule, ...] = ()
    pseudonymized: bool = False
    tool: str = "ratingpriv"
    levels: tuple[float, ...] = ()
    every_level: bool = False
    fingerprint: str = ""

    def level_at(self, epsilon: float) -> int | None:
        """Return which of the levels has the sizes at ``epsilon``.

        None where none has exactly these.
        """
        has_level = bool(self.levels) and (self.every_level or epsilon in self.levels)
        if not has_level or not 0 <= epsilon <= self.epsilon_max:
            return None
        return sum(level <= epsilon for level in self.levels) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetInfo:
    """A dataset as the store has it.

    ``spec`` is what was announced; ``created_at`` (ISO 8601, UTC) is when the load began.
    ``complete`` is True only after everything was counted. ``loading`` is True while a load of this
    name is under way or broken off (then ``loaded`` tells how far, by kind: issues, groups,
    records, ratings, pairs); a dataset may be complete and have its successor loading. ``growing``
    is True while more records are added to it: ``spec`` is then what it was before. ``store`` is
    where it is: :func:`ratingpriv.audit` takes a dataset as it takes a table.
    """

    spec: DatasetSpec
    complete: bool
    created_at: str
    loading: bool = False
    loaded: Mapping[str, int] | None = None
    growing: bool = False
    store: Store = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class IssueBatch:
    """Issues, numbered on from those added before (0-based ``position``).

    ``labels`` has, for a nominal issue, what each value means (``labels[rating]``), else None; None
    altogether where all are of numbers.
    """

    names: Sequence[str]
    sensitive: Sequence[bool]
    labels: Sequence[Sequence[str] | None] | None = None


@dataclass(frozen=True, slots=True)
class GroupBatch:
    """Hamming groups, numbered on from those added before (0-based ``id``): int64 (n,) each.

    ``quasi`` has more properties, a column each, of the quasi-identifiers on which its records are
    equal; a None in it is no property.
    """

    sizes: NDArray[np.int64]
    support_sizes: NDArray[np.int64]
    quasi: Mapping[str, Sequence[Any]] | None = None


@dataclass(frozen=True, slots=True)
class RecordBatch:
    """Records in the order of their position, numbered on from those added before.

    Attributes
    ----------
    ids : n ids, all str or all int, as in the data
    groups : int64 (n,), the Hamming group of each
    at_risk : bool (n,), whether |N(t)| < k; None where edges are ``all``
    quasi : more properties, a column of n each, of the quasi-identifiers; a None in it is no
        property
    sizes : int32 or int64 (n, n_levels), |N(t)| at each of the dataset's levels; None where it has
        none
    """

    ids: Sequence[str] | Sequence[int]
    groups: NDArray[np.int64]
    at_risk: NDArray[np.bool_] | None = None
    quasi: Mapping[str, Sequence[Any]] | None = None
    sizes: NDArray[np.int32] | NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class GrownGroups:
    """Hamming groups that were there and have more records now: int64 (n,) each."""

    ids: NDArray[np.int64]
    sizes: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GrownRecords:
    """Records that were there and have other neighbourhoods now.

    ``positions`` is int64 (n,); ``sizes`` and ``quasi`` are those of a RecordBatch.
    """

    positions: NDArray[np.int64]
    sizes: NDArray[np.int32] | NDArray[np.int64]
    quasi: Mapping[str, Sequence[Any]] | None = None


@dataclass(frozen=True, slots=True)
class RatingBatch:
    """RATED relationships.

    Attributes
    ----------
    records, issues : int64 (n,), positions
    ratings : float64 (n,)
    timestamps : n texts or whole numbers, or None
    """

    records: NDArray[np.int64]
    issues: NDArray[np.int64]
    ratings: NDArray[np.float64]
    timestamps: Sequence[str] | Sequence[int] | None = None


class PairBatch(Protocol):
    """PROXIMATE relationships; :class:`ratingpriv.proximity.pairs.PairBlock` is one.

    ``left`` and ``right`` : int64 (n,), positions, left < right; ``distance`` : float64 (n,).
    """

    @property
    def left(self) -> NDArray[np.int64]:
        """Positions of the smaller ends."""

    @property
    def right(self) -> NDArray[np.int64]:
        """Positions of the larger ends."""

    @property
    def distance(self) -> NDArray[np.float64]:
        """Distances of the pairs."""
