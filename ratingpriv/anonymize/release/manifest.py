"""The manifest of a release: what is claimed of it, and how anybody checks that.

``RELEASE.manifest.json`` lies beside the release and is published with it. Its form is the contract
``ratingpriv.manifest/1`` (docs/json.md). What would undo the release is not in it: the order's randomness,
the old ids and the input's hash are for the private key (:mod:`ratingpriv.base.keys`). A hash of the input
would be enough to prove a guess of it; the manifest holds at most a commitment, mute without the key.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratingpriv.anonymize.release.figures import check_figures, typed
from ratingpriv.anonymize.release.publication import IDS
from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.numbers import LARGEST
from ratingpriv.base.target import Target
from ratingpriv.data.formats.strict_json import strict_json
from ratingpriv.data.formats.writing import Rereading

__all__ = [
    "OF_INPUT",
    "SCHEMA",
    "SUFFIX",
    "Manifest",
    "commitment",
    "manifest_path",
    "read_manifests",
    "versions",
]

SCHEMA = "ratingpriv.manifest/1"
"""Name and version of the JSON contract; bumped whenever a key changes its meaning or goes away."""

SUFFIX = ".manifest.json"

OF_INPUT = ("attributes-missing", "identifier-repeats")
"""Codes of cautions on the input that change what is claimed of a release, and that no release shows."""

_MOST_BYTES = 64 << 20  # of a manifest: a longer text is not looked at
_TOOLS = ("ratingpriv", "numpy", "numba", "polars", "pyarrow")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a manifest says that a check needs; all it says is in ``content``.

    Attributes
    ----------
    sha256 : of the release's bytes, hex
    target : what is claimed
    records : how many records are released
    read : how the release is read
    claimed : what the writer's own check found (``largest_k``, ``largest_l``, ...)
    content : the whole manifest
    """

    sha256: str
    target: Target
    records: int
    read: Rereading
    claimed: Mapping[str, Any]
    content: Mapping[str, Any]

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Manifest:
        """Check all that is looked at; KeyError, TypeError, ValueError where it is not there or not right."""
        said, release = content["parameters"], content["release"]
        check_figures(content)
        if typed(content["ids"], str) not in IDS:
            raise ValueError("an unknown word for ids")
        if not re.fullmatch("[0-9a-f]{64}", typed(release["sha256"], str)):
            raise ValueError("a hash that is no SHA-256")
        return cls(
            sha256=release["sha256"],
            target=Target(
                k=typed(said["k"], int),
                epsilon=_bounded(said["epsilon"]),
                l=None if said["l"] is None else _bounded(said["l"]),
                nulls=typed(said["nulls"], str),
                sensitive_nulls=typed(said["sensitive_nulls"], str),
            ),
            records=content["records"]["released"],
            read=Rereading.from_dict(typed(content["read"], dict)),
            claimed=content["verification"],
            content=content,
        )


def manifest_path(release: str | Path) -> Path:
    """Return where the manifest of a release lies: beside it."""
    release = Path(release)
    return release.with_name(release.name + SUFFIX)


def read_manifests(path: str | Path) -> list[Manifest]:
    """Read a manifest file: its manifest, then the one that it was about to replace, if that is in it still.

    The second is there only if writing broke off between the two renames of a replacement; each release finds
    its own by its hash.

    Raises
    ------
    DataError
        The file is missing or is no manifest.
    """
    path = Path(path)
    try:
        content = strict_json(_text(path), exact=True)
    except FileNotFoundError as error:
        raise _bad(path, "no such file", "a release is published with its manifest: copy both") from error
    except OSError as error:
        raise _bad(path, error.strerror or "no readable file") from error
    except (ValueError, RecursionError) as error:
        raise _bad(path, f"no JSON ({error})") from error
    found = []
    both = [content]
    if isinstance(content, dict) and content.get("replaces") is not None:
        both.append(content["replaces"])
    for one in both:
        if not isinstance(one, dict) or one.get("schema") != SCHEMA:
            schema = f"schema {_shown(one.get('schema'))}" if isinstance(one, dict) else "no JSON object"
            raise _bad(path, schema)
        try:
            found.append(Manifest.from_dict(one))
        except KeyError as error:
            raise _bad(path, f"no {error.args[0]!r}") from error
        except (TypeError, ValueError) as error:  # a ParameterError is a ValueError
            raise _bad(path, str(error)) from error
    return found


def commitment(nonce: str, input_sha256: str) -> str:
    """Return SHA-256 over nonce and hash: proves later which input it was, and tells nothing until then."""
    return hashlib.sha256(f"{nonce}:{input_sha256}".encode()).hexdigest()


@functools.cache
def versions() -> Mapping[str, str]:
    """Return the versions of what makes and checks a release."""
    return {name: importlib.metadata.version(name) for name in _TOOLS} | {"python": platform.python_version()}


def _text(path: Path) -> bytes:
    """Return the bytes of a file; ValueError where it is none, or too large for a manifest."""
    if path.exists() and not path.is_file():
        raise ValueError("no regular file")
    with path.open("rb") as file:
        text = file.read(_MOST_BYTES + 1)
    if len(text) > _MOST_BYTES:
        raise ValueError(f"more than {_MOST_BYTES >> 20} MiB")
    return text


def _shown(value: object) -> str:
    return ascii(value)[:60] if isinstance(value, str) or value is None else f"of type {type(value).__name__}"


def _bounded(value: Any) -> float:
    if typed(value, int, float) > LARGEST:
        raise ValueError("an epsilon or an l beyond 2^53")
    return float(value)


def _bad(
    path: Path, found: str, remedy: str = "ask the publisher for the manifest of this release"
) -> DataError:
    expected = f"a manifest ({SCHEMA}), as ratingpriv anonymize writes it"
    return DataError(Problem(file=str(path), found=found, expected=expected, remedy=remedy))
