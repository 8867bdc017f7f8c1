"""Quasi-identifiers, carried columns and identifiers from the input to
the release and its check.
"""

import csv
import re

import pytest

DATA = """id,surname,e_mail,age,region,q1,q2,note
1,Smith,ann@example.org,20-29,North,4,5,x
2,Brown,bob@example.org,20-29,North,4,4,y
3,Young,cyr@example.org,20-29,North,5,4,z
4,Jones,dia@example.org,30-39,South,1,2,x
5,Prince,edd@example.org,30-39,South,2,2,y
6,Wood,flo@example.org,30-39,South,1,2,z
7,Lonely,gus@example.org,80-89,South,1,2,z
"""

ASKED = ["--scale", "1:5", "--k", 3, "--epsilon", 1, "--method", "suppress", "--verbose"]
COLUMNS = [
    "--quasi",
    "age",
    "--quasi",
    "region",
    "--identifier",
    "surname",
    "--identifier",
    "e_mail",
]


def words_of(*texts: str) -> set[str]:
    return {word for text in texts for word in re.findall(r"[^\s,;\"':()\[\]{}]+", text)}


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text(DATA, encoding="utf-8")
    return path


def released(cli, data, folder, *options):
    out = folder / "out"
    out.mkdir()
    ended = cli(
        "anonymize",
        "--accept",
        "found",
        data,
        *ASKED,
        *options,
        "-o",
        out / "r.csv",
        "--key",
        out / "key",
    )
    assert ended.exit_code == 0, ended.stderr
    return ended, out / "r.csv"


def test_identifiers_are_in_nothing_that_is_written_or_said(cli, data, tmp_path):
    ended, release = released(cli, data, tmp_path, *COLUMNS, "--carry", "note")
    checked = cli("verify", release, "--accept", "found")
    assert checked.exit_code == 0
    texts = [path.read_text(encoding="utf-8") for path in release.parent.iterdir()]
    texts += [checked.stdout, checked.stderr, cli("verify", release, "--json").stdout]
    rows = list(csv.reader(DATA.splitlines()))
    said = words_of(*texts)
    assert not said & {row[column] for row in rows for column in (1, 2)}
    # the page for the publisher repeats the options of the next command, and they name columns
    assert not words_of(ended.stdout, ended.stderr) & {
        row[column] for row in rows[1:] for column in (1, 2)
    }
    assert {"age", "region", "20-29", "note"} <= said
    assert "2 direct identifiers" in " ".join(ended.stdout.split())
    assert "WITHOUT AN AUDIT" in ended.stdout
    assert "WITHOUT AN AUDIT" in checked.stdout
    assert "80-89" not in words_of(release.read_text(encoding="utf-8"))  # alone with it: suppressed
