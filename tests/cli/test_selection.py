"""What was left out of the data is said wherever a result is,
and the scale is that of what is there.
"""

import csv
import json

import pytest

from cli.stores import embedded, on

__all__ = ["embedded", "on"]

CHOSEN = {"issues": 2, "of_issues": 3, "records": 3, "of_records": 4, "seed": 7, "dropped": []}


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("id,a,b,c\nx,1,2,10\ny,2,,9\nz,,1,10\nw,2,1,10\n")
    return path


def said(cli, *args):
    ended = cli(*args, "--json", "-q")
    assert ended.exit_code in (0, 1), ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.parametrize(
    "command",
    [
        ["audit", "--k", 2, "--epsilon", 1],
        ["frontier", "--k", 2],
        ["partition", "--k", 2, "--epsilon", 1],
        ["attack", "--known", 1],
    ],
)
def test_every_command_says_it(cli, data, command):
    name, *options = command
    part = ("--items", "a,b", "--sample", 3, "--seed", 7)
    assert said(cli, name, data, *options)["selection"] is None
    assert said(cli, name, data, *options, *part)["selection"] == CHOSEN
    page = cli(name, data, *options, *part, "-q").stdout
    assert "(2 of 3 items and 3 of 4 records)" in page.splitlines()[0]


def test_the_file_of_records_says_it(cli, data, tmp_path):
    path = tmp_path / "risk.csv"
    asked = ("--k", 2, "--epsilon", 1, "--drop", "c", "--per-record", path)
    assert cli("audit", data, *asked).exit_code in (0, 1)
    with path.open() as file:
        assert {row["selection"] for row in csv.DictReader(file)} == {"2 of 3 issues, without c"}


def test_a_dataset_in_a_store_says_it(on, cli, data):
    name = on.name("part")
    assert on("ingest", data, "--dataset", name, "--epsilon", 1, "--items", "a,b").exit_code == 0
    target = ("--k", 2, "--epsilon", 1)
    ended = on("audit", "--dataset", name, *target, "--json", "-q")
    expected = said(cli, "audit", data, *target, "--items", "a,b")
    assert json.loads(ended.stdout)["selection"] == expected["selection"]
    assert f"{name} (2 of 3 items)" in on("audit", "--dataset", name, *target, "-q").stdout
    assert on("ingest", data, "--dataset", name, "--epsilon", 1).exit_code == 0
    assert (
        json.loads(on("audit", "--dataset", name, *target, "--json", "-q").stdout)["selection"]
        is None
    )


def test_a_manifest_carries_no_extremes_of_columns_that_were_not_released(cli, data, tmp_path):
    for number, how in enumerate((("--items", "a,b"), ("--drop", "c"))):
        release = tmp_path / f"r{number}.csv"
        ended = cli(
            "anonymize", data, "--k", 2, "--epsilon", 1, "--method", "modify", "-o", release, *how,
            "-q",
            "--accept", "epsilon-covers-range", "--accept", "found", "--others", "rating",
        )  # fmt: skip
        assert ended.exit_code == 0, ended.stderr
        manifest = json.loads((tmp_path / f"r{number}.csv.manifest.json").read_text())
        assert manifest["read"]["scale"] == [1, 2]
        assert (
            cli(
                "verify", release, "--accept", "epsilon-covers-range", "--accept", "found"
            ).exit_code
            == 0
        )
