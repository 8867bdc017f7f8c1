"""The manifest of a release: what is claimed of it, and how anybody checks that.

``RELEASE.manifest.json`` lies beside the release and is published with it. Its form is the contract
``ratingpriv.manifest/1`` (docs/json.md). What would undo the release is not in it: the order's
randomness, the old ids and the input's hash are for the private key (:mod:`ratingpriv.base.keys`).
A hash of the input would be enough to prove a guess of it; the manifest holds at most a commitment,
mute without the key.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from ratingpriv.base.cautions import Caution
from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.inputs import small_bytes
from ratingpriv.base.numbers import LARGEST, strict_json
from ratingpriv.base.reservations import FOUND_AT_MOST, RESERVATIONS
from ratingpriv.base.target import ReleaseTarget
from ratingpriv.data.formats.writing import Rereading
from ratingpriv.data.table import RatingTable
from ratingpriv.documents import data, demands, release
from ratingpriv.documents.data import QuasiIdentifier
from ratingpriv.documents.form import Count, Document
from ratingpriv.documents.release import StatedUtility

SCHEMA = "ratingpriv.manifest/1"
"""Name and version of the JSON contract; bumped whenever a key changes its meaning or goes away."""

SUFFIX = ".manifest.json"

OF_INPUT = (
    "attributes-missing",
    "found",
    "groups-agree",
    "identifier-repeats",
    "quasi-asks-nothing",
    "roles-guessed",
    "seed-known",
    "selection",
    "worthless",
)
"""Codes of cautions that need the input, or how it was changed: a reader of the release cannot find
them.
"""


def of_input(content: Mapping[str, Any]) -> tuple[Caution, ...]:
    """Return the cautions of a manifest that a reader of the release cannot find himself.

    The publisher's word counts where it is against the release: a reservation stays one whatever
    words, or none, the manifest has for it. That nobody measured how many are re-identified, or
    that the publisher's threshold is above :data:`ratingpriv.base.reservations.FOUND_AT_MOST`, is
    the reservation ``found``.
    """
    stated = [caution for caution in content["cautions"] if caution["code"] in OF_INPUT]
    threshold = content.get("found_at_most")
    if "found" not in {caution["code"] for caution in stated} and (
        threshold is None or threshold > FOUND_AT_MOST
    ):
        sentence = "the manifest does not state whether re-identification was measured"
        if threshold is not None:
            sentence = f"the publisher's threshold of re-identification is {threshold:.0%}"
        message = f"{sentence}: {RESERVATIONS['found'].when}"
        stated.append({"code": "found", "message": message, "but": sentence})
    contents = (caution | {"but": caution.get("but") or None} for caution in stated)
    return tuple(Caution.from_dict(caution).of_written() for caution in contents)


_TOOLS = ("ratingpriv", "numpy", "numba", "polars")


def _part(document: type[Document], **parts: Any) -> Any:
    """Return the type of a part of a stranger's manifest: versions to come may add keys to it."""
    fields: list[Any] = [
        (
            field.name,
            parts.get(field.name, field.type),
            *(() if field.required else (field.default,)),
        )
        for field in msgspec.structs.fields(document)
    ]
    return msgspec.defstruct(document.__name__, fields, kw_only=True)


_DISTORTION = _part(
    release.WholeDistortion,
    shares=_part(demands.Shares) | None,
    quasi=_part(release.QuasiCost) | msgspec.UnsetType,
)
_LOOKED_AT = msgspec.defstruct(
    "LookedAt",
    [
        ("release", _part(release.ManifestRelease)),
        ("parameters", _part(demands.ReleaseTarget)),
        ("method", msgspec.defstruct("Method", [("name", str), ("statement", str)])),
        ("ids", Literal["shuffle", "strip", "keep"]),
        ("records", _part(release.ManifestRecords)),
        ("issues", Count),
        ("sensitive", list[str]),
        ("distortion", _DISTORTION),
        ("verification", _part(release.ReleaseVerification)),
        ("read", dict[str, Any]),
        ("cautions", list[_part(data.Caution)]),  # type: ignore[misc]
        ("input", dict[str, Any]),
        ("versions", dict[str, Any]),
        # older versions say nothing of these
        ("nominal", list[str], []),
        ("quasi", list[_part(QuasiIdentifier)], []),  # type: ignore[misc]
        ("recoded", dict[str, str], {}),
        ("carried", list[str], []),
        ("left_out", _part(release.LeftOut) | None, None),
        ("utility", dict[str, _part(StatedUtility)], {}),  # type: ignore[misc]
        ("accepted", list[str], []),
        ("found_at_most", float | None, None),
    ],
)
"""What of a manifest is looked at, and of which types it has to be; other keys are the
publisher's.
"""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a manifest says that a check needs.

    Attributes
    ----------
    sha256 : of the file that was released, hexadecimal
    target : what is claimed of it
    records : how many it has
    read : how the file is read: the loader and its options
    claimed : what the writer's own check found (``largest_k``, ``largest_l``, ...)
    content : all that the manifest says, as JSON has it
    """

    sha256: str
    target: ReleaseTarget
    records: int
    read: Rereading
    claimed: Mapping[str, Any]
    content: Mapping[str, Any]

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Manifest:
        """Check all that is looked at; ValueError where it is not there or not right."""
        msgspec.convert(content, _LOOKED_AT)
        stated = content["parameters"]
        if ("m" in stated) != (stated.get("model", "k_epsilon") == "k_epsilon_m"):
            raise ValueError("a model that is not k_epsilon_m with an m")
        names = demands.Target.__struct_fields__
        target = ReleaseTarget(**{name: stated[name] for name in names}, m=stated.get("m"))
        if max(target.epsilon, target.l or 0) > LARGEST:
            raise ValueError("an epsilon or an l beyond 2^53")
        sha256, records = content["release"]["sha256"], content["records"]["released"]
        read = Rereading.from_dict(content["read"])
        return cls(sha256, target, records, read, content["verification"], content)


def manifest_path(release: str | Path) -> Path:
    """Return where the manifest of a release lies: beside it."""
    release = Path(release)
    return release.with_name(release.name + SUFFIX)


def read_manifest(path: str | Path) -> Manifest:
    """Read a manifest file; DataError where it is missing or no manifest."""
    path = Path(path)
    try:
        content = strict_json(small_bytes(path), exact=True)
    except FileNotFoundError as error:
        raise _bad(
            path, "no such file", "a release is published with its manifest: copy both"
        ) from error
    except OSError as error:
        raise _bad(path, error.strerror or "no readable file") from error
    except (ValueError, RecursionError) as error:
        raise _bad(path, f"no JSON ({error})") from error
    if not isinstance(content, dict):
        raise _bad(path, "no JSON object")
    if content.get("schema") != SCHEMA:
        raise _bad(path, f"schema {ascii(content.get('schema'))[:60]}")
    try:
        return Manifest.from_dict(content)
    except ValueError as error:  # as a ParameterError is
        raise _bad(path, str(error)) from error


def manifest_beside(release: str | Path) -> Manifest | None:
    """Return the manifest beside a release, unchecked; None where none can be read."""
    try:
        return read_manifest(manifest_path(release))
    except (DataError, OSError):
        return None


def stated_method(release: str | Path) -> str | None:
    """Return the method that the manifest beside a release states; None where none can be read."""
    claim = manifest_beside(release)
    return None if claim is None else str(claim.content["method"]["name"])


def commitment(nonce: str, input_sha256: str) -> str:
    """Return SHA-256 over nonce and hash: proves later which input it was,
    and tells nothing until then.
    """
    return hashlib.sha256(f"{nonce}:{input_sha256}".encode()).hexdigest()


def not_audited(table: RatingTable) -> str:
    """Return what is said of the carried columns of a release."""
    names = ", ".join(column.name for column in table.carried)
    return (
        f"the release has columns WITHOUT AN AUDIT: {names}. Nothing is claimed of them, and "
        "knowledge of one may distinguish records"
    )


@functools.cache
def versions() -> Mapping[str, str]:
    """Return the versions of what makes and checks a release."""
    return {name: importlib.metadata.version(name) for name in _TOOLS} | {
        "python": platform.python_version()
    }


def _bad(
    path: Path, found: str, remedy: str = "ask the publisher for the manifest of this release"
) -> DataError:
    expected = f"a manifest ({SCHEMA}), as ratingpriv anonymize writes it"
    return DataError(Problem(file=str(path), found=found, expected=expected, remedy=remedy))
