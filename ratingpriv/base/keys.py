"""The private key of a release: which released record is which original one. Never published.

A JSON file of mode 0600,
``{"schema": "ratingpriv.key/1", …, "records": [{"original", "released"}, …]}``, one entry for every
original record in the order of the input; ``released`` is null where the record was suppressed. Ids
are numbers or text, as in the data. It holds everything that would undo a release: the pairing, the
hash of the input, the seeds of the order and of the method. ``records_sha256`` is the hash of the
pairing, so that a key that was edited or shuffled is refused: judged by it, an attack would fail
and look like safety.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.files import replacing
from ratingpriv.base.inputs import is_device

SCHEMA = "ratingpriv.key/1"
_OWN = ("schema", "records", "records_sha256")


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """What a publisher keeps: ids in the order of the input, and the id each has in the release,
    or None.

    ``facts`` are what else would undo the release (``input_sha256``, ``release_sha256``, ``seed``,
    …).
    """

    original: tuple[int | str, ...]
    released: tuple[int | str | None, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)


def write_key(key: Key, path: str | Path, *, force: bool = False) -> None:
    """Write ``key`` to ``path``, readable by its owner only, whole or not at all."""
    records = [
        {"original": original, "released": released}
        for original, released in zip(key.original, key.released, strict=True)
    ]
    content = {"schema": SCHEMA, **key.facts, "records_sha256": _sha256(key), "records": records}
    with (
        replacing(path, force=force, private=True) as temporary,
        temporary.open("w", encoding="utf-8") as file,
    ):
        json.dump(content, file, ensure_ascii=False)
        file.write("\n")


def _content(path: str | Path) -> dict[str, Any]:
    """Return the object in a key file, of our schema."""
    if is_device(path):
        raise _bad(path, "a device")
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise _bad(path, error.strerror or "no readable file") from error
    except json.JSONDecodeError as error:
        raise _bad(path, "no JSON", error.lineno, error.colno) from error
    except (ValueError, RecursionError) as error:
        raise _bad(path, "no JSON in UTF-8") from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise _bad(path, "another schema" if isinstance(content, dict) else "no JSON object")
    return content


def read_key(path: str | Path) -> Key:
    """Read a key file; DataError where it is none,
    or its records are not those that were written.
    """
    content = _content(path)
    try:
        original = tuple(record["original"] for record in content["records"])
        released = tuple(record["released"] for record in content["records"])
    except (KeyError, TypeError) as error:
        raise _bad(path, "records that are not pairs of original and released") from error
    present = tuple(own for own in released if own is not None)
    for name, ids in (("original", original), ("released", present)):
        if any(isinstance(one, bool) or not isinstance(one, int | str) for one in ids):
            raise _bad(path, f"an {name} id that is neither a whole number nor text")
        if len(set(ids)) != len(ids):
            raise _bad(path, f"the same {name} id twice")
    key = Key(
        original, released, {name: value for name, value in content.items() if name not in _OWN}
    )
    if content.get("records_sha256") != _sha256(key):
        older = content.get("records_sha256") is None
        fault = "records without their SHA-256 (an older version wrote none)"
        raise _bad(path, fault if older else "records that were changed after it was written")
    return key


def _sha256(key: Key) -> str:
    """Return the hash of the pairs as JSON without blanks: ``[[original,released],...]``,
    ASCII only.
    """
    pairs = [list(pair) for pair in zip(key.original, key.released, strict=True)]
    return hashlib.sha256(json.dumps(pairs, separators=(",", ":")).encode("ascii")).hexdigest()


def _bad(
    path: str | Path, found: str, line: int | None = None, column: int | None = None
) -> DataError:
    expected = f"a key file ({SCHEMA}), as it is written with a release (`key`)"
    remedy = "name the file that was written with the release"
    return DataError(Problem(str(path), found, expected, remedy, line, column))
