"""The private key: what is written is read, its owner alone may read it,
and a bad one is refused.
"""

import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from ratingpriv.base.errors import DataError, OutputError
from ratingpriv.base.keys import SCHEMA, Key, read_key, write_key


def test_written_and_read(tmp_path: Path) -> None:
    key = Key(("ann", 2, "ü", "b"), (1, None, "x", None), {"seed": 7, "nonce": None})
    write_key(key, tmp_path / "key")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    found = read_key(tmp_path / "key")
    assert (found.original, found.released, found.facts) == (key.original, key.released, key.facts)
    with pytest.raises(OutputError, match="exists"):
        write_key(key, tmp_path / "key")
    write_key(Key((1,), (1,)), tmp_path / "key", force=True)
    assert read_key(tmp_path / "key").original == (1,)


def test_a_pair_for_every_record(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="shorter"):
        write_key(Key((1, 2), (1,)), tmp_path / "key")
    assert list(tmp_path.iterdir()) == []


def records(*pairs: tuple[object, object]) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "records": [{"original": one, "released": other} for one, other in pairs],
    }


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("{", "no JSON"),
        ([1], "no JSON object"),
        ({"schema": "other/1"}, "another schema"),
        ({"schema": SCHEMA}, "not pairs of original and released"),
        ({"schema": SCHEMA, "records": [{"original": 1}]}, "not pairs of original and released"),
        ({"schema": SCHEMA, "records": [3]}, "not pairs of original and released"),
        (records((1.5, 1)), "original id that is neither a whole number nor text"),
        (records((1, True)), "released id that is neither a whole number nor text"),
        (records((1, 1), (1, 2)), "the same original id twice"),
        (records((1, 1), (2, 1)), "the same released id twice"),
    ],
)
def test_a_bad_key_is_refused(tmp_path: Path, content: Any, found: str) -> None:
    path = tmp_path / "key"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    with pytest.raises(DataError, match=found):
        read_key(path)


def test_records_that_were_changed_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    write_key(Key(("ü", 2, "2"), (3, None, "1")), path)
    written = json.loads(path.read_text(encoding="utf-8"))
    # by sha256sum, of [["\u00fc",3],[2,null],["2","1"]]
    assert (
        written["records_sha256"]
        == "fe57c86c9e3d04d0b8ec2d76ca1ceb0e6a532b979cefcf83506443de4329d53a"
    )
    one, other = written["records"][0], written["records"][2]
    one["released"], other["released"] = other["released"], one["released"]
    for change, found in (
        (written, "changed after it was written"),
        ({**written, "records_sha256": None}, "older"),
    ):
        path.write_text(json.dumps(change), encoding="utf-8")
        with pytest.raises(DataError, match=found):
            read_key(path)
    write_key(Key((1, 2), (1, 2)), path, force=True)
    path.write_text(
        path.read_text(encoding="utf-8").replace('"released": 2', '"released": "2"'),
        encoding="utf-8",
    )
    with pytest.raises(DataError, match="changed after"):
        read_key(path)


@pytest.mark.skipif(os.name != "posix", reason="devices with a path")
def test_a_device_is_no_key(tmp_path: Path) -> None:
    """/dev/zero has no end, so no device is read at all; a pipe is."""
    with pytest.raises(DataError, match="No such file"):
        read_key(tmp_path / "key")
    with pytest.raises(DataError, match="/dev/null: found a device, expected a key file"):
        read_key("/dev/null")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    write_key(Key((1,), (2,)), tmp_path / "key")
    writer = threading.Thread(
        target=pipe.write_bytes, args=((tmp_path / "key").read_bytes(),), daemon=True
    )
    writer.start()
    assert read_key(pipe).released == (2,)
    writer.join()
