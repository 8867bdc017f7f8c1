"""``ratingpriv describe``: proposals for a person to read, without a cell of the data in them."""

from __future__ import annotations

import csv
import json

import pytest

from ratingpriv import read
from ratingpriv.data.formats.describing import describe

SECRETS = ("ada@example.org", "+49 171 2345678", "Grace Hopper", "192.0.2.7")


@pytest.fixture
def survey(tmp_path):
    """An export as a survey tool might write it: 60 records."""
    file = tmp_path / "survey.csv"
    words = ("Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree")
    with file.open("w", encoding="utf-8", newline="") as lines:
        rows = csv.writer(lines)
        rows.writerow(["ResponseId", "Email", "Phone", "Name", "IPAddress", "Q1", "Q2", "Q3", "Age", "Region",
                       "StartDate", "mood"])  # fmt: skip
        for i in range(60):
            mail, phone, name, address = (
                SECRETS if i == 7 else (f"p{i}@example.org", f"+49 30 {i:07}", f"P {i}", f"192.0.2.{100 + i}")
            )
            rows.writerow([
                f"R_{i:04}", mail, phone, name, address, 1 + i % 5, words[i % 5],
                99 if i % 9 == 0 else 1 + i % 4,
                20 + i % 40, ("north", "south", "west")[i % 3], f"2026-01-{1 + i % 28:02} 10:00:00", "",
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
    told = cli("audit", "survey.csv", "--codebook", "survey.toml", "--k", "2", "--epsilon", "1", "--json")
    assert told.exit_code == 1
    roles = json.loads(told.stdout)["dataset"]["roles"]["columns"]
    assert roles["identifier"] == ["Email", "Phone", "Name", "IPAddress"]
    assert roles["rating"] == ["Q1", "Q2", "Q3"]
    table = read("survey.csv", codebook="survey.toml")
    assert [column.name for column in table.quasi] == ["Age", "Region"]
    assert table.issues == ("Q1", "Q2", "Q3")


def test_json_shows_no_cell_unless_examples_are_asked_for(survey, cli):
    plain, shown = (cli("describe", str(survey), "--json", *more) for more in ((), ("--examples",)))
    assert not [one for one in SECRETS if one in plain.stdout]
    content = json.loads(plain.stdout)
    assert content["roles"]["identifier"] == 4
    assert [column["name"] for column in content["columns"]][:2] == ["ResponseId", "Email"]
    assert content["columns"][5]["min"] == 1
    assert not any(column["examples"] for column in content["columns"])
    assert json.loads(shown.stdout)["columns"][9]["examples"] == ["north", "south", "west"]


def test_what_was_said_stays(survey):
    from ratingpriv.data.codebook.options import ReadOptions

    found = describe(survey, options=ReadOptions(sensitive=("Q1",), drop=("Q3",), quasi=("Age=5",)))
    by_name = {column.name: column for column in found.columns}
    assert [by_name[name].role for name in ("Q1", "Q3", "Age")] == ["sensitive", "drop", "quasi"]
    assert by_name["Age"].spec.within == 5


def test_a_file_that_is_refused_can_be_described(tmp_path, cli):
    file = tmp_path / "phones.csv"
    file.write_text(
        "a,b\n" + "".join(f"{i % 3 + 1},{4917000000 + 37 * i}\n" for i in range(80)), encoding="utf-8"
    )
    assert cli("audit", str(file), "--k", "2", "--epsilon", "1").exit_code == 2
    done = cli("describe", str(file))
    assert done.exit_code == 0
    assert "identifier" in done.stdout
    assert "4917" not in done.stdout


def test_nothing_is_replaced(survey, cli, tmp_path):
    there = tmp_path / "there.toml"
    there.write_text("mine", encoding="utf-8")
    assert cli("describe", str(survey), "-o", str(there)).exit_code == 2
    assert there.read_text(encoding="utf-8") == "mine"
    assert cli("describe", str(survey), "-o", str(survey), "--force").exit_code == 2
    assert cli("describe", str(survey), "-o", str(there), "--force").exit_code == 0


def test_what_options_say_of_the_file_stays_in_the_proposal(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "id;größe;q1;q2\n" + "".join(f"{i};x{i % 2};{i % 5 + 1};{i % 3 + 1}\n" for i in range(30))
    (tmp_path / "s.csv").write_bytes(text.encode("latin-1"))
    said = ("--set", "encoding=latin-1", "--set", "delimiter=;", "--scale", "1:5", "--null", "-9")
    assert cli("describe", "s.csv", "-o", "s.toml", *said).exit_code == 0
    told = cli("audit", "s.csv", *said, "--codebook", "s.toml", "--k", 2, "--epsilon", 1, "--json").stdout
    alone = cli("audit", "s.csv", "--codebook", "s.toml", "--k", 2, "--epsilon", 1, "--json").stdout
    assert {**json.loads(told), "tool": 0} == {**json.loads(alone), "tool": 0}


def test_the_proposal_ends_with_a_run_to_be_uncommented(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text("id,q1,q2\n" + "".join(f"{i},{i % 2},{i % 2}\n" for i in range(40)))
    assert cli("describe", "s.csv", "-o", "s.toml").exit_code == 0
    text = (tmp_path / "s.toml").read_text(encoding="utf-8")
    refused = cli("run", "s.toml")
    assert refused.exit_code == 2
    assert "[run]" in refused.stderr
    before, _, after = text.partition("# [run]")
    (tmp_path / "s.toml").write_text(before + ("# [run]" + after).replace("# ", ""), encoding="utf-8")
    ended = cli("run", "s.toml", "--dry-run")
    assert ended.exit_code == 0, ended.stderr
    assert "ratingpriv anonymize s.csv --codebook s.toml --output out/release.csv" in ended.stdout
