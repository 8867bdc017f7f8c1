"""The private key of a release: which released record is which original one. Never published.

A JSON file of mode 0600, ``{"schema": "ratingpriv.key/1", …, "records": [{"original", "released"}, …]}``, one
entry for every original record in the order of the input; ``released`` is null where the record was
suppressed. Ids are numbers or text, as in the data. It holds everything that would undo a release: the
pairing, the hash of the input, and the seed of the order.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ratingpriv.errors import DataError, Problem
from ratingpriv.files import replacing

__all__ = ["SCHEMA", "Key", "read_key", "write_key"]

SCHEMA = "ratingpriv.key/1"


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """What a publisher keeps.

    Attributes
    ----------
    original : ids of all original records, in the order of the input
    released : the id each has in the release, None where it was suppressed; distinct
    facts : what else would undo the release (``input_sha256``, ``release_sha256``, ``seed``, …)
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
    with replacing(path, force=force) as temporary:
        os.chmod(temporary, 0o600)  # noqa: PTH101 -- before anything is in it
        with temporary.open("w", encoding="utf-8") as file:
            json.dump({"schema": SCHEMA, **key.facts, "records": records}, file, ensure_ascii=False)
            file.write("\n")


def read_key(path: str | Path) -> Key:
    """Read a key file.

    Raises
    ------
    DataError
        The file cannot be read, is no key, or names a record twice.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise _bad(path, error.strerror or "no readable file") from error
    except (ValueError, RecursionError) as error:
        raise _bad(path, f"no JSON ({error})") from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise _bad(
            path, f"schema {content.get('schema')!r}" if isinstance(content, dict) else "no JSON object"
        )
    try:
        original = tuple(record["original"] for record in content["records"])
        released = tuple(record["released"] for record in content["records"])
    except (KeyError, TypeError) as error:
        raise _bad(path, "records that are not pairs of original and released") from error
    for name, ids in (
        ("original", original),
        ("released", tuple(one for one in released if one is not None)),
    ):
        if any(isinstance(one, bool) or not isinstance(one, int | str) for one in ids):
            raise _bad(path, f"an {name} id that is neither a whole number nor text")
        if len(set(ids)) != len(ids):
            raise _bad(path, f"the same {name} id twice")
    facts = {name: value for name, value in content.items() if name not in ("schema", "records")}
    return Key(original, released, facts)


def _bad(path: str | Path, found: str) -> DataError:
    return DataError(
        Problem(
            file=str(path),
            found=found,
            expected=f"a key file ({SCHEMA}), as it is written with a release (`key`)",
            remedy="name the file that was written with the release",
        )
    )
