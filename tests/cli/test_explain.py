"""Explain names a person's answers: to a file of the user's own,
and to standard output only if asked.
"""

import json
import stat

import json_contracts
import pytest

ASKED = ("--k", 3, "--epsilon", 1, "--sensitive", "issue 4")


def test_the_sets_and_the_blanks_of_one_record(cli, table_file):
    ended = cli(
        "explain", table_file(2), "--record", "t2", *ASKED, "--blanks", "--show", "--json", "-q"
    )
    content = json.loads(ended.stdout)
    assert json_contracts.faults(content) == []
    assert (ended.exit_code, content["record"], content["complete"]) == (0, "t2", True)
    assert content["sets"] == [{"issues": ["issue 1", "issue 2"], "left": 2}]
    assert [(one["rating"], one["share"]) for one in content["contribution"]] == [
        (2.0, 1.0),
        (5.0, 1.0),
    ]
    assert content["blanks"]["proved"]
    assert len(content["blanks"]["issues"]) == 1


def test_a_file_is_the_users_alone(cli, table_file, tmp_path):
    path = tmp_path / "t2.html"
    ended = cli("explain", table_file(2), "--record", "t2", *ASKED, "-o", path)
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "issue 1 = 2" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("record", ["t", "t22", "T2", ""])
def test_an_unknown_record_is_told_from_none_that_there_is(cli, table_file, tmp_path, record):
    ended = cli(
        "explain", table_file(2), "--record", record, *ASKED, "-o", tmp_path / "x.txt", "-v"
    )
    said = ended.stderr.replace(str(tmp_path), "")
    assert ended.exit_code == 2
    assert not any(f"t{number}" in said for number in (1, 2, 3, 4, 5, 6))
    assert not (tmp_path / "x.txt").exists()


def test_whom_the_blanks_would_harm_follows_the_protection(cli, tmp_path):
    (tmp_path / "four.csv").write_text("id,a,b\n1,3,1\n2,3,2\n3,2,2\n4,2,1\n", encoding="utf-8")
    asked = (
        "--record",
        2,
        "--k",
        2,
        "--epsilon",
        0,
        "--no-sensitive",
        "--known",
        2,
        "--blanks",
        "--show",
    )
    page = " ".join(cli("explain", tmp_path / "four.csv", *asked).stdout.split())
    assert "protected against any at most 2 known ratings" in page
    assert "fewer will not do. But 1 other record falls" in page
