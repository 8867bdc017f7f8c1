"""Whether a release is, byte for byte, what is written of the table that it is read as.

What a reader passes over tells records apart all the same, or says more than is counted: blanks, zeros behind
a number, quotes; a name inside a packed file, bytes between the parts of another. A release is not searched
for any of these. Its table is written again, and the bytes are compared.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from pathlib import Path

from ratingpriv.anonymize.release.manifest import Manifest, versions
from ratingpriv.anonymize.release.publication import arranged
from ratingpriv.anonymize.release.reading import Reading
from ratingpriv.base.errors import DataError, ParameterError, ResourceError
from ratingpriv.base.partial import partial_folder
from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.sources import Source
from ratingpriv.data.formats.writing import WriteOptions, write_table

_TEXTS = ("delimited", "movielens", "netflix")
"""Formats of text, whose bytes no library's version changes."""
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK")


def is_as_written(
    source: Source, reading: Reading, claim: Manifest, progress: Progress | None = None
) -> bool:
    """Return whether a release has the bytes that are written of the table that it was read as.

    Raises
    ------
    ResourceError
        There is no room for a second copy in the folder of temporary files.
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
                f"{temporary}: {error.strerror or error}; a release is written a second time there, to be "
                "compared: make room, or name another folder in TMPDIR"
            ) from error
        with again.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == source.sha256()


def bytes_are_certain(source: Source, claim: Manifest) -> bool:
    """Return whether other bytes can only be another's work: a text, or written by these very versions.

    Libraries of another version may pack the same table into other bytes.
    """
    plain = claim.read.format in _TEXTS and not source.head.startswith(_PACKED)
    return plain or dict(claim.content["versions"]) == dict(versions())
