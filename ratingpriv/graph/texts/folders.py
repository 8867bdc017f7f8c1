"""Folders of queries of the user's own, which stand beside the library."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from ratingpriv.base.errors import DataError, ParameterError, Problem

__all__ = ["ENVIRONMENT", "folders_of", "own_files"]

ENVIRONMENT = "RATINGPRIV_LIBRARY"


def folders_of(named: Iterable[str], environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the folders that were named, else those in ``RATINGPRIV_LIBRARY``, as in PATH."""
    environ = os.environ if environ is None else environ
    found = tuple(named) or tuple(environ.get(ENVIRONMENT, "").split(os.pathsep))
    return tuple(one for one in found if one)


def own_files(folders: Iterable[str], taken: Collection[str] = ()) -> dict[str, Path]:
    """Return the query files in folders by their names, sorted: the path in the folder without ``.cypher``.

    Raises
    ------
    DataError
        There is no such folder.
    ParameterError
        A name is one of ``taken``, those of the library, or two folders have it.
    """
    found: dict[str, Path] = {}
    for folder in folders:
        place = Path(folder).expanduser()
        if not place.is_dir():
            raise DataError(
                Problem(folder, "no folder", "a folder of .cypher files", "check the path of `library`")
            )
        for path in sorted(place.rglob("*.cypher")):
            inside = path.relative_to(place)
            if any(part.startswith(".") for part in inside.parts) or not path.is_file():
                continue
            name = inside.as_posix().removesuffix(".cypher")
            if name in found or name in taken:
                other = f"{found[name]} has it" if name in found else "the library has it"
                raise ParameterError(
                    "library", name, f"names that nothing else has: {other}", f"rename {path}"
                )
            found[name] = path
    return dict(sorted(found.items()))
