"""Whether what was read back is what was to be written, and a release what is written of its table.

The first compares tables by ids and names, not by positions. The second compares bytes: what a
reader passes over tells records apart all the same, or says more than is counted (blanks, zeros
behind a number, quotes; a name inside a packed file, bytes between the parts of another). A release
is not searched for any of these. Its table is written again, and the bytes have to be the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.anonymize.release.manifest import Manifest, versions
from ratingpriv.anonymize.release.publication import arranged
from ratingpriv.anonymize.release.reading import Reading
from ratingpriv.base.errors import DataError, ParameterError, ResourceError
from ratingpriv.base.partial import partial_folder
from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.sources import Source
from ratingpriv.data.formats.writing import WriteOptions, write_table
from ratingpriv.data.table import RatingTable
from ratingpriv.utility.tables import columns_beside_ratings

_ENTRIES = 1 << 22  # ratings compared together, about
_TEXTS = ("delimited", "movielens")  # formats whose bytes no library's version changes
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK")


def difference(meant: RatingTable, read: RatingTable, *, by_position: bool = False) -> str | None:
    """Return the first way in which ``read`` is not ``meant``, in words.

    None if they hold the same.

    Records are matched by id (as text: a text file knows no other), or ``by_position`` where the
    file has no ids; issues by name. Their order, the types of ids and levels that no rating has do
    not count.
    """
    described = [_said(table) for table in (meant, read)]
    for what, stated in described[0].items():
        if stated != described[1][what]:
            return f"other {what}"
    order = np.arange(meant.n_records)
    if not by_position:
        positions = pl.DataFrame({"id": read.record_ids.cast(pl.String), "place": order})
        wanted = pl.DataFrame({"id": meant.record_ids.cast(pl.String)})
        places = wanted.join(positions, on="id", how="left", maintain_order="left")["place"]
        order = places.fill_null(-1).to_numpy().astype(np.int64)
        if not np.array_equal(np.sort(order), np.arange(meant.n_records)):  # each is there once
            return "other record ids"
    columns = columns_beside_ratings(read)
    for name, values in columns_beside_ratings(meant).items():
        if not _same_values(values, columns[name].gather(order)):
            return f"other values of {name!r}"
    for records in np.array_split(np.arange(meant.n_records), meant.n_ratings // _ENTRIES + 1):
        before, after = (
            _ratings(meant, records, meant.issues),
            _ratings(read, order[records], meant.issues),
        )
        if not before.equals(after, null_equal=True):
            return "other ratings or timestamps"
    return None


def _said(table: RatingTable) -> dict[str, object]:
    """Return what is said of a table, by what it is called: how many records, which columns,
    which scale.
    """
    # without a rating there is nothing to be far from
    scale = table.scale if table.n_ratings else None
    return {
        "records": table.n_records,
        "issues": {*table.issues},
        "sensitive items": {column.name: column.nominal for column in table.sensitive},
        "quasi-identifiers": {column.name: column.within for column in table.quasi},
        "carried columns": {column.name for column in table.carried},
        "scale": scale and (scale.minimum, scale.maximum),
        "timestamps": table.timestamps is None,
    }


def _same_values(meant: pl.Series, read: pl.Series) -> bool:
    """Whether two columns hold the same, and tell records apart in the same way.

    Texts that all spell numbers come back as numbers: they may, if 1 and 01 were not two texts.
    """
    if not (meant.is_null() == read.is_null()).all():
        return False
    if meant.dtype != read.dtype:
        if meant.n_unique() != read.n_unique():
            return False
        kind = pl.Float64 if pl.Float64 in (meant.dtype, read.dtype) else pl.String
        meant, read = meant.cast(kind, strict=False), read.cast(kind, strict=False)
    # a text that is no number is null by now, and no number is
    return bool(meant.eq_missing(read).all())


def _ratings(
    table: RatingTable, records: NDArray[np.int64], issues: tuple[str, ...]
) -> pl.DataFrame:
    """Return the ratings of these records, by record and ``issues``: of which each is, what,
    and when.
    """
    part, number = table.take(records), {name: position for position, name in enumerate(issues)}
    issue = np.array([number[name] for name in table.issues], dtype=np.int64)[part.indices]
    cells = np.repeat(np.arange(part.n_records), np.diff(part.indptr)) * len(issues) + issue
    rows = pl.DataFrame({"cell": cells, "rating": part.values})
    times = part.timestamps
    if times is not None:
        if isinstance(times.dtype, pl.Datetime):  # whatever the width of its type
            times = times.dt.cast_time_unit("us")
        kind = pl.Float64 if times.dtype.is_float() else pl.Int64
        rows = rows.with_columns(when=times.to_physical().cast(kind))
    return rows.sort("cell")


def is_as_written(
    source: Source, reading: Reading, claim: Manifest, progress: Progress | None = None
) -> bool:
    """Return whether a release has the bytes that are written of the table that it was read as.

    ResourceError where there is no room for a second copy in the folder of temporary files.
    """
    columns, temporary = reading.columns, Path(tempfile.gettempdir())
    name = str(claim.content["release"]["file"])  # its suffix says how it was packed
    options = WriteOptions(layout=columns.layout, record_ids=columns.record is not None, name=name)
    table = arranged(reading.table, columns.layout)
    with contextlib.ExitStack() as stack:
        try:
            again = stack.enter_context(partial_folder(temporary / "ratingpriv")) / "release"
            write_table(table, again, format=reading.format, options=options, progress=progress)
        except (DataError, ParameterError):  # no release is written of such a table
            return False
        except OSError as error:
            raise ResourceError(
                f"{temporary}: {error.strerror or error}; a release is written a second time "
                f"there, to be "
                "compared: make room, or name another folder in TMPDIR"
            ) from error
        with again.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == source.sha256()


def bytes_are_certain(source: Source, claim: Manifest) -> bool:
    """Return whether other bytes can only be another's work: a text,
    or written by these very versions.

    Libraries of another version may pack the same table into other bytes.
    """
    plain = claim.read.format in _TEXTS and not source.head.startswith(_PACKED)
    return plain or dict(claim.content["versions"]) == dict(versions())
