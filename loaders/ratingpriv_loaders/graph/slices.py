"""The slicing loader: a table and its ε-proximate pairs, slice by slice, into a graph store.

The pairs come from the slicing engine [SWLZ11, §5.2] in slices of bounded size and go on at once,
so that memory does not grow with their number. They are counted exactly before anything is written.
The store applies a slice once, counts everything in the end, and shows the dataset as complete only
then; a load that broke off is taken up where it stopped when the same load is started again.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.provenance import VERSION
from ratingpriv.graph.appending import FORM, check_grows, check_options
from ratingpriv.graph.ingesting import IngestOptions, OfflineImport
from ratingpriv.graph.store import DatasetSpec
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.levels import decimal_grid, distance_levels, written_grid
from ratingpriv.proximity.neighbourhoods import neighbourhoods
from ratingpriv.proximity.pairs import count_pairs
from ratingpriv.proximity.reservations import reservations_of
from ratingpriv_loaders.graph.offline import write_offline
from ratingpriv_loaders.graph.prepared import SLICE, Prepared, StoredQuasi, plain

if TYPE_CHECKING:
    from ratingpriv.base.progress import Progress
    from ratingpriv.data.table import RatingTable

MAX_EDGES = 10_000_000
"""So many pairs are loaded without being asked twice."""

MINIMUM_KEY = 16
"""Bytes that a key must have at least; 32 random bytes are a good choice."""


_DIGITS = 32  # hexadecimal digits of a pseudonym, 128 bits


class Slices(Prepared):
    """A dataset that was counted, which is loaded or written as import files."""

    __slots__ = ()

    def write_offline(
        self, folder: str | Path, *, progress: Progress | None = None
    ) -> OfflineImport:
        """Write import files; see :func:`ratingpriv_loaders.graph.offline.write_offline`."""
        return write_offline(self, folder, progress=progress)


load = Slices.load


def slices(
    table: RatingTable,
    dataset: str,
    *,
    base: DatasetSpec | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Slices:
    """Count what a load of ``table`` is going to be; ``options`` are those of IngestOptions."""
    return counted(table, IngestOptions(dataset=dataset, **options), progress, base=base)


def counted(
    table: RatingTable,
    options: IngestOptions,
    progress: Progress | None = None,
    *,
    base: DatasetSpec | None = None,
) -> Slices:
    """Count what a load of ``table`` is going to be; nothing is written anywhere.

    ParameterError where there are more than ``options.max_edges`` pairs: with the numbers and the
    ways out; and where the table does not go on from ``base``, the dataset to which it is added.
    """
    if base is not None:
        check_options(
            base,
            epsilon=float(options.epsilon),
            nulls=options.nulls,
            edges=options.edges,
            ratings=options.ratings,
            pseudonymize=options.key is not None,
        )
    epsilon, nulls, k = float(options.epsilon), options.nulls, options.k
    near_at = functools.partial(  # |N(t)| [SWLZ11, Def. 4.2] at a distance, by the compiled engine
        neighbourhoods,
        table,
        nulls=nulls,
        sensitive=False,
        resources=Resources(options.threads, options.memory, progress),
    )
    near = near_at(epsilon=epsilon)
    at_risk, n_pairs = None, near.pairs
    # every neighbour of a record at risk is a pair, those between two of them once
    if k is not None:
        at_risk = near.sizes < k
        between = 0
        if at_risk.any():
            between = count_pairs(table.take(np.flatnonzero(at_risk)), epsilon, nulls=nulls)
        n_pairs = int((near.sizes[at_risk] - 1).sum()) - between
    if options.max_edges is not None and n_pairs > options.max_edges:
        _refuse(options, near.sizes, n_pairs)
    levels = distance_levels(table, epsilon, nulls)
    kind = np.int32 if table.n_records < 1 << 31 else np.int64
    sizes = np.empty((table.n_records, len(levels.levels)), dtype=kind)
    for place, level in enumerate(levels.levels[:-1]):
        sizes[:, place] = near_at(epsilon=level).sizes
    sizes[:, -1] = near.sizes
    groups = hamming_groups(table)
    sensitive = sum(int(np.count_nonzero(column.present)) for column in table.sensitive)
    spec = DatasetSpec(
        name=options.dataset,
        records=table.n_records,
        groups=len(groups.sizes),
        issues=table.n_issues + len(table.sensitive),
        ratings=sensitive + (table.n_ratings if options.ratings else 0),
        pairs=n_pairs,
        epsilon_max=epsilon,
        nulls=nulls,
        edges=options.edges,
        k=k,
        scale_min=None if table.scale is None else table.scale.minimum,
        scale_max=None if table.scale is None else table.scale.maximum,
        scale_declared=table.scale is not None and table.scale.declared,
        rating_min=float(table.levels[0]) if len(table.levels) else None,
        rating_max=float(table.levels[-1]) if len(table.levels) else None,
        all_ratings=options.ratings,
        source_sha256=table.origin.sha256,
        selection=None if table.selection is None else json.dumps(table.selection.to_dict()),
        # with ratings any epsilon may be asked
        reservations=reservations_of(table, None if options.ratings else epsilon),
        quasi=tuple(column.described for column in table.quasi),
        pseudonymized=options.key is not None,
        tool=f"ratingpriv {VERSION}",
        levels=levels.levels,
        every_level=levels.every,
        fingerprint=fingerprint(table, options),
    )
    if base is not None:
        check_grows(base, spec, fingerprint(table, options, min(base.records, spec.records)))
        if _exactness(table, base.records) != _exactness(table, spec.records):
            expected = "numbers of at most 15 digits, as those of the records before them"
            raise ParameterError("append", "longer numbers", expected, "ingest without `append`")
    ids = table.record_ids if options.key is None else pseudonyms(table.record_ids, options.key)
    quasi = StoredQuasi(table) if table.quasi else None
    return Slices(
        spec, table, ids, groups, sizes, at_risk, quasi, options.threads, options.memory, base
    )


def _refuse(options: IngestOptions, sizes: NDArray[np.int64], pairs: int) -> None:
    what = f"{pairs:,} pairs at epsilon {options.epsilon:g}"
    ways = [
        f"`max_edges={pairs}` to load them all the same",
        "a smaller `epsilon`",
        "fewer items (`issues='top:20'`)",
    ]
    if options.k is None:
        few = int((sizes[sizes < 5] - 1).sum())
        ways.append(f"`edges='at-risk'` (with `k=5` at most {few:,} pairs)")
    else:
        what += f" in which a record with fewer than {options.k} in its neighbourhood takes part"
        ways.append("a smaller `k`")
    ways.append("`offline`: files for neo4j-admin database import")
    raise ParameterError(
        "max_edges", what, f"at most {options.max_edges:,}", "ways out: " + "; ".join(ways)
    )


def fingerprint(table: RatingTable, options: IngestOptions, first: int | None = None) -> str:
    """Return a hash of everything that goes into the store,
    so that only the very same load is resumed.

    Of the ``first`` records: whatever comes after them changes only the part behind the semicolon,
    the codes of quasi-identifiers.
    """
    n = table.n_records if first is None else first
    most = int(table.indptr[n])
    digest = hashlib.sha256()

    def add(*parts: object) -> None:
        for part in parts:
            content = part.tobytes() if isinstance(part, np.ndarray) else json.dumps(part).encode()
            digest.update(len(content).to_bytes(8) + content)

    add(n, table.issues, [(column.name, column.labels) for column in table.sensitive])
    for start in range(0, n, SLICE):
        part = slice(start, min(start + SLICE, n))
        ids = table.record_ids[part].to_list()
        add(
            [type(id_).__name__ for id_ in ids[:1]],
            ids,
            np.diff(table.indptr[part.start : part.stop + 1]),
        )
        for column in table.sensitive:
            present = column.present[part]
            add(present, np.where(present, column.values[part], 0.0))
        for own in table.quasi:  # their names and rules are in the spec
            values = [*own.values.to_list(), None]
            add([values[code] for code in own.codes[part].tolist()])
    for start in range(0, most, SLICE):
        part = slice(start, min(start + SLICE, most))
        add(table.indices[part], table.levels[table.codes[part]])
        if options.ratings and table.timestamps is not None:
            add(plain(table.timestamps[part]))
    add("" if options.key is None else hashlib.sha256(b"pseudonyms" + options.key).hexdigest())
    coded = hashlib.sha256(json.dumps([own.values.to_list() for own in table.quasi]).encode())
    return f"{FORM} {digest.hexdigest()};{coded.hexdigest()}"


def _exactness(table: RatingTable, first: int) -> list[tuple[bool, bool]]:
    """Return by which rule numbers of the ``first`` records are compared,
    those of ratings and of rules.

    Decimals are compared as such; that depends on all the numbers that there are.
    """
    rated = table.levels[np.unique(table.codes[: int(table.indptr[first])])]
    numbers = [rated]
    for column in table.quasi:
        if column.within is not None:
            codes = np.unique(column.codes[:first])
            numbers.append(column.values.to_numpy()[codes[codes >= 0]])
    return [(decimal_grid(some) is None, written_grid(some) is None) for some in numbers]


def read_key(path: str | Path) -> bytes:
    """Read the user's key, all bytes of the file as they are.

    ParameterError where it is missing, no plain file, can be read by others than its owner, or is
    too short.
    """
    remedy = "make one: head -c 32 /dev/urandom > KEYFILE && chmod 600 KEYFILE"
    try:
        with Path(path).open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise ParameterError(
                    "pseudonymize", str(path), "a plain file that holds a key", remedy
                )
            if os.name == "posix" and mode & 0o077:
                value, expected = (
                    f"{path} with mode {stat.S_IMODE(mode):03o}",
                    "a key file that only its owner can read",
                )
                raise ParameterError("pseudonymize", value, expected, f"chmod 600 {path}")
            key = file.read()
    except OSError as error:
        raise ParameterError(
            "pseudonymize", str(path), f"a key file ({error.strerror})", remedy
        ) from error
    if len(key) < MINIMUM_KEY:
        value, expected = f"{path} with {len(key)} bytes", f"a key of {MINIMUM_KEY} bytes or more"
        raise ParameterError("pseudonymize", value, expected, remedy)
    return key


def pseudonyms(ids: pl.Series, key: bytes) -> pl.Series:
    """Return a String Series of the same length:
    32 hexadecimal digits of HMAC-SHA256 of each id's text.

    A plain hash of an id is no protection: ids are few and can be tried one by one; with a key that
    stays with the user they cannot. Pseudonyms hide ids, not ratings: they are no anonymisation. A
    number and the text that spells it have the same pseudonym. DataError where two ids have the
    same; with 128 bits that means that the data are not what they seem.
    """
    keyed = hmac.new(key, digestmod=hashlib.sha256)
    names = []
    for id_ in ids.to_list():
        keyed_copy = keyed.copy()
        keyed_copy.update(str(id_).encode())
        names.append(keyed_copy.hexdigest()[:_DIGITS])
    result = pl.Series(ids.name, names, dtype=pl.String)
    if result.n_unique() != len(result):
        actual = "two ids with one pseudonym"
        raise DataError(Problem("record ids", actual, "distinct pseudonyms", "use another key"))
    return result


class SlicingIngester:
    """Streams a table, slice by slice, with its ε-proximate pairs
    [SWLZ11, §5.2] into a graph store.
    """

    name = "slicing"
    description = "records and ε-proximate pairs from the compiled engine, slice by slice"
    max_edges = MAX_EDGES

    def read_key(self, path: str | Path) -> bytes:
        """Read a key for pseudonyms; see :func:`read_key`."""
        return read_key(path)

    def prepare(
        self,
        table: RatingTable,
        options: IngestOptions,
        *,
        base: DatasetSpec | None = None,
        progress: Progress | None = None,
    ) -> Slices:
        """Count what is coming; see :func:`counted`."""
        return counted(table, options, progress, base=base)
