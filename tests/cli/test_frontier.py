"""``ratingpriv frontier``: the answers, the outputs, and what is refused."""

from __future__ import annotations

import json

import pytest

import ratingpriv
from ratingpriv.audit.frontier.frontier import frontier

SENSITIVE = ("--sensitive", "issue 4", "--scale", "1:7", "-q", "--no-partition")


@pytest.mark.parametrize(
    ("number", "asked", "code", "smallest"),
    [
        (1, ["--k", 2], 0, 4),
        (2, ["--k", 2, "--l", 2], 0, 2),
        (2, ["--k", 7], 1, None),
        (1, ["--l", 9], 1, None),
    ],
)
def test_golden_tables(cli, table_file, number, asked, code, smallest):
    ended = cli("frontier", table_file(number), *SENSITIVE, *asked, "--json")
    assert ended.exit_code == code, ended.stderr
    found = json.loads(ended.stdout)
    assert found["smallest_epsilon"]["neighbourhood"] == smallest
    table = ratingpriv.read(table_file(number), sensitive=["issue 4"], scale=(1, 7))
    named = dict(zip([name.lstrip("-") for name in asked[::2]], asked[1::2], strict=True))
    assert found == {**frontier(table, **named, partition=False).to_dict(), "tool": found["tool"]}
