"""``ratingpriv ingest --release-of`` and the decomposition on a store, from the command line."""

from __future__ import annotations

import json

import pytest

from cli.stores import embedded, on
from ratingpriv.base.keys import Key, write_key

__all__ = ["embedded", "on"]

TABLE = ("--sensitive", "issue 4", "--scale", "1:7", "--epsilon", 3)
RELEASE = "id,issue 1,issue 2,issue 3,issue 4\n1,3,6,,6\n2,4,6,,4\n3,5,6,,1\n4,1,,5,1\n5,1,2,5,1\n"
KEY = Key(tuple(f"t{i}" for i in range(1, 7)), (1, None, 2, 3, 5, 4))


@pytest.fixture
def files(tmp_path):
    """A release of table 2, and its key."""
    (tmp_path / "release.csv").write_text(RELEASE)
    write_key(KEY, tmp_path / "release.key")
    return tmp_path / "release.csv", tmp_path / "release.key"


def rows(commands, query, *params):
    ended = commands("query", "run", query, "--json", *params)
    assert ended.exit_code == 0, ended.stderr
    return json.loads(ended.stdout)["rows"]


def test_before_and_after(on, table_file, files):
    name = on.ingest(table_file(2), "original", 3, "--sensitive", "issue 4", "--scale", "1:7", "--ratings")
    release = ("ingest", files[0], *TABLE, "--release-of", name, "--run", "one")
    ended = on(*release, "--key", files[1], "--json")
    assert ended.exit_code == 0, ended.stderr
    said = json.loads(ended.stdout)
    assert said["dataset"]["name"] == f"{name}/one"
    wanted = {"of": name, "run": "one", "dataset": f"{name}/one", "records": 5, "linked": True, "withheld": 1}
    assert said["release"] == {**wanted, "distortion_known": True}
    (found,) = rows(on, "anonymize/distortion", "--dataset", name, "-p", "run=one")
    assert [found[key] for key in ("distortion", "changed", "filled", "erased")] == [5.0, 3, 1, 0]
    ended = on(*release, "-q")
    assert "no links to the original" in ended.stdout
    refused = on("query", "run", "anonymize/distortion", "--dataset", name, "-p", "run=one")
    assert (refused.exit_code, "with its key" in refused.stderr) == (2, True)
    assert on("store", "drop", name, "--yes").exit_code == 0
    assert f"{name}/one" not in on("store", "list").stdout


def test_an_original_that_is_not_there(embedded, table_file, files):
    embedded.ingest(table_file(2), "original", 3, "--sensitive", "issue 4")
    ended = embedded("ingest", files[0], *TABLE, "--release-of", "other", "--run", "one")
    assert (ended.exit_code, "'original'" in ended.stderr) == (2, True)
