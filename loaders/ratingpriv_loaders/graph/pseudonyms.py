"""Keyed pseudonyms for record ids: the same id and key give the same pseudonym.

A plain hash of an id is no protection: ids are few and can be tried one by one. HMAC-SHA256 with a key that
stays with the user cannot be tried without it. Pseudonyms hide ids, not ratings: they are no anonymisation.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from pathlib import Path

import polars as pl

from ratingpriv.base.errors import DataError, ParameterError, Problem

MINIMUM_KEY = 16
"""Bytes that a key must have at least; 32 random bytes are a good choice."""

_DIGITS = 32  # hexadecimal digits of a pseudonym, 128 bits


def read_key(path: str | Path) -> bytes:
    """Read the user's key, all bytes of the file as they are.

    ParameterError where it is missing, no plain file, can be read by others than its owner, or is too short.
    """
    remedy = "make one: head -c 32 /dev/urandom > KEYFILE && chmod 600 KEYFILE"
    try:
        with Path(path).open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise ParameterError("pseudonymize", str(path), "a plain file that holds a key", remedy)
            if os.name == "posix" and mode & 0o077:
                value, expected = (
                    f"{path} with mode {stat.S_IMODE(mode):03o}",
                    "a key file that only its owner can read",
                )
                raise ParameterError("pseudonymize", value, expected, f"chmod 600 {path}")
            key = file.read()
    except OSError as error:
        raise ParameterError("pseudonymize", str(path), f"a key file ({error.strerror})", remedy) from error
    if len(key) < MINIMUM_KEY:
        value, expected = f"{path} with {len(key)} bytes", f"a key of {MINIMUM_KEY} bytes or more"
        raise ParameterError("pseudonymize", value, expected, remedy)
    return key


def pseudonyms(ids: pl.Series, key: bytes) -> pl.Series:
    """Return a String Series of the same length: 32 hexadecimal digits of HMAC-SHA256 of each id's text.

    A number and the text that spells it have the same pseudonym. DataError where two ids have the same; with
    128 bits that means that the data are not what they seem.
    """
    keyed = hmac.new(key, digestmod=hashlib.sha256)
    names = []
    for id_ in ids.to_list():
        one = keyed.copy()
        one.update(str(id_).encode())
        names.append(one.hexdigest()[:_DIGITS])
    result = pl.Series(ids.name, names, dtype=pl.String)
    if result.n_unique() != len(result):
        found = "two ids with one pseudonym"
        raise DataError(Problem("record ids", found, "distinct pseudonyms", "use another key"))
    return result
