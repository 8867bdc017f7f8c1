"""Every JSON document that ratingpriv writes during a test is held to its schema,
by the library jsonschema.

A document passes through ``json.dumps`` or ``json.dump``, called by a module of ratingpriv:
results, errors, manifests, keys and certificates. What the tests themselves write (a damaged
manifest) is not looked at.
"""

import contextlib
import functools
import json
import sys
from typing import Any

import jsonschema
from jsonschema.exceptions import best_match

from ratingpriv.documents import schema

__all__ = ["Watch", "faults", "hold_to_its_schema"]


@functools.cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """The validator of a contract; the schema itself is checked once."""
    found = schema(name)
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


def faults(document: dict[str, Any]) -> list[str]:
    """What is wrong with a document: its schema, the place, and the key."""
    name = document["schema"]
    errors = (best_match([one]) for one in validator(name).iter_errors(document))
    return [f"{name} at {one.json_path}: {one.message[:300]}" for one in errors]


class Watch:
    """Stands in for ``json.dumps`` or ``json.dump``,
    and keeps what was wrong with what went through.
    """

    found: list[str] = []  # noqa: RUF012 -- one list for both

    def __init__(self, write: Any) -> None:
        self.write = write

    def __call__(self, content: Any, *args: Any, **settings: Any) -> Any:
        module = sys._getframe(1).f_globals.get("__name__", "")
        ours = module.partition(".")[0] == "ratingpriv" and module != SIGNED
        if (
            ours
            and isinstance(content, dict)
            and str(content.get("schema")).startswith("ratingpriv.")
        ):
            # as a reader has it: tuples are lists then, and keys are texts
            self.found.extend(faults(json.loads(DUMPS(content))))
        return self.write(content, *args, **settings)


DUMPS = json.dumps
# makes the bytes that are signed, and writes no document
SIGNED = "ratingpriv.anonymize.release.signatures"


def hold_to_its_schema(printed: object) -> None:
    """Look at what another process printed, if that is a document of
    ratingpriv's and nothing else.
    """
    if isinstance(printed, str) and printed.startswith('{\n  "schema": "ratingpriv.'):
        with contextlib.suppress(json.JSONDecodeError):
            Watch.found.extend(faults(json.loads(printed)))
