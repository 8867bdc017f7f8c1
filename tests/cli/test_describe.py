"""``ratingpriv describe``: proposals for a person to read, without a cell of the data in them."""

import csv
import datetime
import json
from pathlib import Path

import polars as pl
import pytest

from ratingpriv import read
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.formats.describing import describe

SECRETS = ("ada@example.org", "+49 171 2345678", "Grace Hopper", "192.0.2.7")


@pytest.fixture
def survey(tmp_path):
    """An export as a survey tool might write it: 60 records."""
    file = tmp_path / "survey.csv"
    words = (
        "Strongly disagree",
        "Disagree",
        "Neither agree nor disagree",
        "Agree",
        "Strongly agree",
    )
    with file.open("w", encoding="utf-8", newline="") as lines:
        rows = csv.writer(lines)
        rows.writerow(
            [
                "ResponseId",
                "Email",
                "Phone",
                "Name",
                "IPAddress",
                "Q1",
                "Q2",
                "Q3",
                "Age",
                "Region",
                "StartDate",
                "mood",
            ]
        )
        for i in range(60):
            mail, phone, name, address = (
                SECRETS
                if i == 7
                else (f"p{i}@example.org", f"+49 30 {i:07}", f"P {i}", f"192.0.2.{100 + i}")
            )
            rows.writerow([
                f"R_{i:04}", mail, phone, name, address, 1 + i % 5, words[i % 5],
                99 if i % 9 == 0 else 1 + i % 4,
                20 + i % 40, ("north", "south", "west")[i % 3], f"2026-01-{1 + i % 28:02} 10:00:00",
                "",
            ])  # fmt: skip
    return file


def test_every_column_has_a_role_and_a_reason(survey):
    found = describe(survey)
    assert {column.name: column.role for column in found.columns} == {
        "ResponseId": "id", "Email": "identifier", "Phone": "identifier", "Name": "identifier",
        "IPAddress": "identifier", "Q1": "rating", "Q2": "rating", "Q3": "rating", "Age": "quasi",
        "Region": "quasi", "StartDate": "drop", "mood": "drop",
    }  # fmt: skip
    assert all(column.why for column in found.columns)
    by_name = {column.name: column for column in found.columns}
    assert by_name["Q2"].spec.labels[0] == "Strongly disagree"
    assert len(by_name["Q2"].spec.labels) == 5
    assert by_name["Q3"].spec.missing == ("99",)
    assert (by_name["Age"].minimum, by_name["Age"].maximum, by_name["Age"].distinct) == (20, 59, 40)
    assert (by_name["Phone"].minimum, by_name["Email"].minimum) == (None, None)


def test_the_codebook_it_writes_is_one_that_every_command_takes(survey, cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = cli("describe", "survey.csv", "-o", "survey.toml")
    assert done.exit_code == 0
    text = (tmp_path / "survey.toml").read_text(encoding="utf-8")
    assert not [one for one in SECRETS if one in text + done.stdout + done.stderr]
    told = cli(
        "audit", "survey.csv", "--codebook", "survey.toml", "--k", "2", "--epsilon", "1", "--json"
    )
    assert told.exit_code == 1
    roles = json.loads(told.stdout)["dataset"]["roles"]["columns"]
    assert roles["identifier"] == ["Email", "Phone", "Name", "IPAddress"]
    assert roles["rating"] == ["Q1", "Q2", "Q3"]
    table = read("survey.csv", codebook="survey.toml")
    assert [column.name for column in table.quasi] == ["Age", "Region"]
    assert table.issues == ("Q1", "Q2", "Q3")


def test_a_file_that_is_refused_can_be_described(tmp_path, cli):
    file = tmp_path / "phones.csv"
    file.write_text(
        "a,b\n" + "".join(f"{i % 3 + 1},{4917000000 + 37 * i}\n" for i in range(80)),
        encoding="utf-8",
    )
    assert cli("audit", str(file), "--k", "2", "--epsilon", "1").exit_code == 2
    done = cli("describe", str(file))
    assert done.exit_code == 0
    assert "identifier" in done.stdout
    assert "4917" not in done.stdout


def test_json_shows_no_cell_unless_examples_are_asked_for(survey, cli):
    plain, shown = (cli("describe", survey, "--json", *more) for more in ((), ("--examples",)))
    assert not [one for one in SECRETS if one in plain.stdout]
    content = json.loads(plain.stdout)
    assert content["roles"]["identifier"] == 4
    assert [column["name"] for column in content["columns"]][:2] == ["ResponseId", "Email"]
    assert not any(column["examples"] for column in content["columns"])
    assert json.loads(shown.stdout)["columns"][9]["examples"] == ["north", "south", "west"]


def test_what_options_say_of_the_file_stays_and_a_run_can_be_uncommented(
    cli, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    text = "id;größe;q1;q2\n" + "".join(
        f"{i};x{i % 2};{i % 5 + 1};{i % 3 + 1}\n" for i in range(30)
    )
    Path("s.csv").write_bytes(text.encode("latin-1"))
    words = ("--set", "encoding=latin-1", "--set", "delimiter=;", "--scale", "1:5", "--null", "-9")
    assert cli("describe", "s.csv", "-o", "s.toml", *words).exit_code == 0
    asked = ("audit", "s.csv", "--codebook", "s.toml", "--k", 2, "--epsilon", 1, "--json")
    told, alone = (json.loads(cli(*asked, *more).stdout) for more in (words, ()))
    assert told | {"tool": 0} == alone | {"tool": 0}
    refused = cli("run", "s.toml")
    assert (refused.exit_code, "[run]" in refused.stderr) == (2, True)
    before, _, after = Path("s.toml").read_text(encoding="utf-8").partition("# [run]")
    Path("s.toml").write_text(f"{before}[run]" + after.replace("# ", ""), encoding="utf-8")
    ended = cli("run", "s.toml", "--dry-run")
    assert ended.exit_code == 0, ended.stderr
    assert "ratingpriv anonymize s.csv --codebook s.toml --output out/release.csv" in ended.stdout


@pytest.fixture
def typed(tmp_path):
    """A Parquet file with a column of every type."""
    n = 60
    columns = {
        "ResponseId": [f"R{i}" for i in range(n)],
        "q": [1 + i % 5 for i in range(n)],
        "half": [0.5 * (i % 4) for i in range(n)],
        "seen": [i % 2 == 0 for i in range(n)],
        "when": [datetime.date(2026, 1, 1) + datetime.timedelta(days=i) for i in range(n)],
        "region": [("north", "south", "NA")[i % 3] for i in range(n)],
        "empty": pl.Series([None] * n, dtype=pl.Float64),
        "minus": [-1 if i % 5 == 0 else 1 + i % 4 for i in range(n)],
    }
    pl.DataFrame(columns).write_parquet(tmp_path / "data.parquet")
    return tmp_path / "data.parquet"


def test_every_type(typed, cli, tmp_path):
    found = {
        column.name: column for column in describe(typed, format="parquet", examples=True).columns
    }
    assert {name: (column.role, column.kind) for name, column in found.items()} == {
        "ResponseId": ("id", "text"), "q": ("rating", "whole numbers"),
        "half": ("rating", "numbers"),
        "seen": ("quasi", "whole numbers"), "when": ("drop", "dates"), "region": ("quasi", "text"),
        "empty": ("drop", "empty"), "minus": ("rating", "whole numbers"),
    }  # fmt: skip
    assert found["minus"].spec.missing == ("-1",)
    assert (found["region"].answers, found["region"].missing) == (40, 20)
    assert found["half"].examples == ("0", "0.5", "1")
    assert found["when"].examples[0] == "2026-01-01"
    said = ReadOptions(drop=("q",), sensitive=("half",), quasi=("minus=5",))
    found = {column.name: column for column in describe(typed, options=said).columns}
    assert [found[name].role for name in ("half", "q", "minus")] == ["sensitive", "drop", "quasi"]
    assert (found["minus"].spec.within, found["q"].kind, found["q"].distinct) == (
        5,
        "not read",
        None,
    )
    done = cli("describe", typed, "-o", tmp_path / "a.json")  # Frictionless, by the suffix
    assert done.exit_code == 0, done.stderr
    fields = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["fields"]
    assert [field["name"] for field in fields][:2] == ["ResponseId", "q"]
