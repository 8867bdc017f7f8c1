"""Reading a release beside its original: by the form that the manifest
states and the original's roles.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ratingpriv.anonymize.release.manifest import manifest_path, read_manifest
from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.inherited import as_in_original, completed_roles, inherited_roles
from ratingpriv.data.codebook.options import checked_options
from ratingpriv.data.formats.reading import Detection, Loader, ReadOptions, chosen_loader, read
from ratingpriv.data.formats.sources import Source, naming_source
from ratingpriv.data.formats.writing import Rereading
from ratingpriv.data.table import RatingTable


@naming_source
def read_with_original(
    release: str | Path | Source,
    *,
    original: RatingTable,
    format: str | None = None,  # noqa: A002 -- the word of --format
    options: ReadOptions | None = None,
    on_detect: Callable[[Loader, Detection], None] | None = None,
    drop_others: bool = False,
) -> RatingTable:
    """Read a ``release`` of ``original``: every column that the original has is what it is there.

    How the file is laid out says its manifest where one lies beside it that names this very file;
    else ``format`` and ``options``, which are about the original, and what the file itself shows.
    Roles, the words of scales and the scale are the original's: a release has fewer different
    ratings, by which nothing is guessed. ``drop_others``: columns that the original does not have
    are left out; so an original can be read beside its release.

    Raises
    ------
    DataError, ParameterError, ResourceError
        As :func:`ratingpriv.read`.
    """
    source = release if isinstance(release, Source) else Source(release)
    options = checked_options(options, {})
    stated = _stated(source)
    words: dict[str, Any] = {}
    if stated is not None:
        stated_options, format = stated.complete(source), stated.format  # noqa: A001
        if stated_options.codebook is not None:
            words = {
                name: spec.labels
                for name, spec in stated_options.codebook.columns.items()
                if spec.labels
            }
        settings: dict[str, Any] = {
            "timestamps": options.timestamps,
            "progress": options.progress,
            "scale": None,
        }
        options = dataclasses.replace(stated_options, **settings)
    loader = chosen_loader(source, format, options, on_detect)
    columns = loader.columns(source, options)
    if columns.layout == "wide" and "codebook" in getattr(loader, "takes", ()):
        names = [name for name in columns.names if name != columns.record]
        dropped: tuple[str, ...] = ()
        if drop_others:
            original_names = {*original.issues, *original.other_names}
            dropped = tuple(name for name in names if name not in original_names)
            names = [name for name in names if name in original_names]
        options = dataclasses.replace(
            inherited_roles(options, original, names, words), drop=dropped
        )
    elif stated is not None:
        secret = tuple(column.name for column in original.sensitive)
        options = dataclasses.replace(options, sensitive=secret, sensitive_scale={})
    return as_in_original(read(source, format=loader.name, options=options), original)


def read_original(
    original: str | Path, release: RatingTable, codebook: Codebook | None = None
) -> RatingTable:
    """Read the data that a ``release`` was made of: what its columns are, the release shows.

    Nothing is guessed anew: a column of both is what it is in the release, another one is left out.
    ``codebook`` says how the original is read, where that is more than its columns show: texts that
    mean unanswered, words of scales, recodes. Of a file with a row a rating the released items are
    kept.

    Raises
    ------
    DataError, ParameterError, ResourceError
        As :func:`ratingpriv.read`.
    """
    table = _read_original(original, release, codebook)
    release_names = set(release.issues)
    if release_names < set(table.issues):  # some items were released, of a file with a row a rating
        table = table.select_issues([name for name in table.issues if name in release_names])
    return table


def _read_original(
    original: str | Path, release: RatingTable, codebook: Codebook | None
) -> RatingTable:
    if codebook is None:
        return read_with_original(original, original=release, drop_others=True)
    source = Source(original)
    options = checked_options(None, {"codebook": codebook})
    loader = chosen_loader(source, None, options, None)
    columns = loader.columns(source, options)
    if columns.layout == "wide":
        names = [name for name in columns.names if name != columns.record]
        options = dataclasses.replace(options, codebook=completed_roles(codebook, release, names))
    return read(source, format=loader.name, options=options)


def _stated(source: Source) -> Rereading | None:
    """Return how the manifest beside a file has it read.

    None without one, or where it is another file's.
    """
    if source.is_dir or source.is_stdin:
        return None
    for path in (source.path, source.path.resolve()):
        if manifest_path(path).exists():
            try:
                claim = read_manifest(manifest_path(path))
            except DataError:
                return None
            return claim.read if claim.sha256 == source.sha256() else None
    return None
