"""Keyed pseudonyms, and the file with the user's key."""

import hashlib
import hmac
import os
from pathlib import Path

import polars as pl
import pytest

from ratingpriv.base.errors import ParameterError
from ratingpriv_loaders.graph.slices import pseudonyms, read_key

KEY = b"0123456789abcdef"


def test_hmac_of_the_ids_text() -> None:
    found = pseudonyms(pl.Series("id", ["ann", "ben ∅"]), KEY).to_list()
    wanted = [hmac.new(KEY, id_.encode(), hashlib.sha256).hexdigest() for id_ in ("ann", "ben ∅")]
    assert found == [digits[:32] for digits in wanted]
    assert (
        pseudonyms(pl.Series("id", [7]), KEY).to_list()
        == pseudonyms(pl.Series("id", ["7"]), KEY).to_list()
    )


def test_a_private_key_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(KEY + b"\n\x00\xff")
    path.chmod(0o600)
    assert read_key(path) == KEY + b"\n\x00\xff"


@pytest.mark.skipif(os.name != "posix", reason="modes are a POSIX matter")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "key"
    path.write_bytes(KEY)
    path.chmod(mode)
    with pytest.raises(ParameterError, match="chmod 600"):
        read_key(path)


def test_a_key_file_that_is_none(tmp_path: Path) -> None:
    short = tmp_path / "short"
    short.write_bytes(KEY[:-1])
    short.chmod(0o600)
    for path in (tmp_path / "missing", tmp_path, short):
        with pytest.raises(ParameterError, match="pseudonymize"):
            read_key(path)
