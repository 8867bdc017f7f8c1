"""The manifest of a release: what is claimed of it, and how anybody checks that.

``RELEASE.manifest.json`` lies beside the release and is published with it. Its form is the contract
``ratingpriv.manifest/1`` (docs/json.md). What would undo the release is not in it: the order's randomness,
the old ids and the input's hash are for the private key (:mod:`ratingpriv.keys`). A hash of the input would
be enough to prove a guess of it; the manifest holds at most a commitment, mute without the key.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratingpriv.errors import DataError, ParameterError, Problem
from ratingpriv.formats.writing import Rereading

__all__ = ["SCHEMA", "SUFFIX", "Manifest", "commitment", "manifest_path", "read_manifests", "versions"]

SCHEMA = "ratingpriv.manifest/1"
"""Name and version of the JSON contract; bumped whenever a key changes its meaning or goes away."""

SUFFIX = ".manifest.json"

_TOOLS = ("ratingpriv", "numpy", "numba", "polars", "pyarrow")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a manifest says that a check needs; all it says is in ``content``.

    Attributes
    ----------
    sha256 : of the release's bytes, hex
    k, epsilon, l, nulls, sensitive_nulls : what is claimed, as :func:`ratingpriv.audit` knows them
    records : how many records are released
    read : how the release is read
    claimed : what the writer's own check found (``largest_k``, ``largest_l``, ...)
    content : the whole manifest
    """

    sha256: str
    k: int
    epsilon: float
    l: float | None  # noqa: E741 -- the theory's word
    nulls: str
    sensitive_nulls: str
    records: int
    read: Rereading
    claimed: Mapping[str, Any]
    content: Mapping[str, Any]

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Manifest:
        """Check what is needed; KeyError, TypeError or ParameterError where it is not there or not right."""
        target, release = content["parameters"], content["release"]
        return cls(
            sha256=_of(str, release["sha256"]),
            k=_of(int, target["k"]),
            epsilon=float(_of(int | float, target["epsilon"])),
            l=None if target["l"] is None else float(_of(int | float, target["l"])),
            nulls=_of(str, target["nulls"]),
            sensitive_nulls=_of(str, target["sensitive_nulls"]),
            records=_of(int, content["records"]["released"]),
            read=Rereading.from_dict(content["read"]),
            claimed=_of(dict, content["verification"]),
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
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise _bad(path, "no such file", "a release is published with its manifest: copy both") from error
    except OSError as error:
        raise _bad(path, error.strerror or "no readable file") from error
    except ValueError as error:
        raise _bad(path, f"no JSON ({error})") from error
    found: list[Manifest] = []
    for one in (content, content.get("replaces") if isinstance(content, dict) else None):
        if one is None and found:
            continue
        if not isinstance(one, dict) or one.get("schema") != SCHEMA:
            schema = f"schema {one.get('schema')!r}" if isinstance(one, dict) else "no JSON object"
            raise _bad(path, schema)
        try:
            found.append(Manifest.from_dict(one))
        except KeyError as error:
            raise _bad(path, f"no {error.args[0]!r}") from error
        except (TypeError, ValueError, ParameterError) as error:
            raise _bad(path, str(error)) from error
    return found


def commitment(nonce: str, input_sha256: str) -> str:
    """Return SHA-256 over nonce and hash: proves later which input it was, and tells nothing until then."""
    return hashlib.sha256(f"{nonce}:{input_sha256}".encode()).hexdigest()


def versions() -> dict[str, str]:
    """Return the versions of what makes and checks a release."""
    return {name: importlib.metadata.version(name) for name in _TOOLS} | {"python": platform.python_version()}


def _of(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{value!r} where {kind} belongs")
    return value


def _bad(
    path: Path, found: str, remedy: str = "ask the publisher for the manifest of this release"
) -> DataError:
    expected = f"a manifest ({SCHEMA}), as ratingpriv anonymize writes it"
    return DataError(Problem(file=str(path), found=found, expected=expected, remedy=remedy))
