"""``ratingpriv describe``: a proposal for every column, whether or not the file can be audited as it is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.small

WORDS = ("Agree", "Neutral", "Strongly agree", "Disagree", "Strongly disagree")
SURVEY = "student_id,e-mail,mood,agreement,region,age,score,submitted\n" + "".join(
    f"{1000 + n},p{n}@example.org,{n % 5 + 1},{WORDS[n % 5]},"
    f"{('north', 'south')[n % 2]},{18 + n % 40},{(1, 2, 3, 99)[n % 4]},2024-03-{n % 28 + 1:02d}\n"
    for n in range(60)
)
ROLES = {
    "student_id": "id", "e-mail": "identifier", "mood": "rating", "agreement": "rating", "region": "quasi",
    "age": "quasi", "score": "rating", "submitted": "drop",
}  # fmt: skip


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.csv"
    path.write_text(SURVEY)
    return path


def test_every_column_gets_a_role_and_a_reason(cli, survey):
    ended = cli("describe", str(survey), "--json")
    assert ended.exit_code == 0, ended.output
    found = json.loads(ended.stdout)
    assert found["schema"] == "ratingpriv.describe/1"
    assert {one["name"]: one["role"] for one in found["columns"]} == ROLES
    by_name = {one["name"]: one for one in found["columns"]}
    assert by_name["age"]["range"] == [18, 57]
    assert by_name["student_id"]["range"] is None
    assert by_name["agreement"]["type"] == "words"
    assert "example.org" not in ended.stdout
    assert all(one["reason"] for one in found["columns"])


def test_values_are_shown_only_where_they_are_asked_for(cli, survey):
    for args in ((), ("--json",)):
        assert "example.org" not in cli("describe", str(survey), *args).stdout
        assert "p0@example.org" in cli("describe", str(survey), *args, "--examples").stdout


def test_the_proposal_is_a_codebook_that_audit_takes(cli, survey, tmp_path):
    written = tmp_path / "survey.toml"
    assert cli("audit", str(survey), "--k", "2", "--epsilon", "1").exit_code == 2
    assert cli("describe", str(survey), "-o", str(written)).exit_code == 0
    content = tomllib.loads(written.read_text())
    assert {name: one["role"] for name, one in content["columns"].items()} == ROLES
    assert content["columns"]["score"]["missing"] == ["99"]
    assert content["columns"]["agreement"]["labels"][0] == "Strongly disagree"
    assert "example.org" not in written.read_text()
    ended = cli("audit", str(survey), "--codebook", str(written), "--k", "2", "--epsilon", "1", "--json")
    assert ended.exit_code in (0, 1), ended.output
    dataset = json.loads(ended.stdout)["dataset"]
    assert dataset["roles"]["columns"]["identifier"] == ["e-mail"]
    assert "example.org" not in ended.output
    assert cli("describe", str(survey), "-o", str(written)).exit_code == 2  # it is there


def test_a_schema_in_the_exchange_format(cli, survey, tmp_path):
    written = tmp_path / "schema.json"
    ended = cli("describe", str(survey), "--format", "frictionless", "-o", str(written))
    assert ended.exit_code == 0, ended.output
    fields = {one["name"]: one for one in json.loads(written.read_text())["fields"]}
    assert {name: one["ratingpriv:role"] for name, one in fields.items()} == ROLES
    assert fields["age"]["type"] == "integer"
    ended = cli("audit", str(survey), "--codebook", str(written), "--k", "2", "--epsilon", "1", "--json")
    assert ended.exit_code in (0, 1), ended.output


def test_what_is_said_is_not_proposed_anew(cli, survey):
    ended = cli("describe", str(survey), "--quasi", "mood", "--identifier", "region", "--json")
    found = {one["name"]: one for one in json.loads(ended.stdout)["columns"]}
    assert (found["mood"]["role"], found["mood"]["said"]) == ("quasi", True)
    assert (found["region"]["role"], found["region"]["type"]) == ("identifier", "unread")


def test_rows_of_ratings_are_not_described(cli, tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("user,item,rating\na,x,1\nb,x,2\n")
    ended = cli("describe", str(path))
    assert ended.exit_code == 2
    assert "--layout wide" in ended.stderr
    assert cli("describe", str(path), "--format", "toml").exit_code == 2


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("fivethirtyeight-flying-etiquette.csv", "RespondentID"),
        ("fivethirtyeight-nonvoters.csv", "RespId"),
        ("qualtrics-sample.csv", "ResponseId"),
    ],
)
def test_real_exports(cli, test_data, name, record):
    ended = cli("describe", str(test_data / "exports" / name), "--json")
    assert ended.exit_code == 0, ended.output
    found = {one["name"]: one["role"] for one in json.loads(ended.stdout)["columns"]}
    assert found[record] == "id"
    for column, role in found.items():
        if column in ("IPAddress", "LocationLatitude", "RecipientEmail", "ExternalReference"):
            assert role == "identifier"
        if column in ("Gender", "Age", "gender", "race", "educ", "Household Income"):
            assert role == "quasi"
        if column in ("weight", "StartDate", "Duration (in seconds)"):
            assert role in ("drop", "identifier")
    assert "130.92.34.66" not in ended.output
