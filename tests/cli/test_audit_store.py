"""``ratingpriv audit --dataset``: the JSON of the file's audit, field by field,
from every store.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from cli.stores import embedded, on

__all__ = ["embedded", "on"]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SENSITIVE = ["--sensitive", "pay", "--sensitive", "mood", "--sensitive", "never", "--scale", "1:5",
             "--set", "sensitive-scale=pay=1:6"]  # fmt: skip


@pytest.fixture
def random_table(tmp_path: Path) -> Path:
    """80 records, null ratings, a sensitive issue on a decimal grid with nulls,
    one that nobody rates.
    """
    rng = np.random.default_rng(7)
    path = tmp_path / "random.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "a", "b", "c", "pay", "mood", "never"])
        for record in range(80):
            ratings = ["" if rng.random() < 0.2 else int(rng.integers(1, 6)) for _ in range(3)]
            pay = "" if rng.random() < 0.3 else f"{rng.integers(10, 60) / 10:.1f}"
            mood = "" if rng.random() < 0.3 else int(rng.integers(1, 4))
            writer.writerow([f"r{record}", *ratings, pay, mood, ""])
    return path


def compare(
    commands,
    cli,
    data: Path,
    epsilon: float,
    options: list[str],
    asked: list[str],
    nulls: str = "strict",
):
    """Audit the file and the dataset made of it; return both results without names and engines."""
    name = commands.ingest(data, data.stem, epsilon, *options, "--nulls", nulls)
    found, told = [], [option for option in options if option != "--ratings"]
    for ended in (
        cli("audit", data, *told, "--nulls", nulls, *asked, "--json", "-q"),
        commands("audit", "--dataset", name, *asked, "--json", "-q"),
    ):
        assert ended.exit_code in (0, 1), ended.stderr
        result = json.loads(ended.stdout)
        result["tool"].pop("command")
        found.append(
            (
                ended.exit_code,
                result,
                result["dataset"].pop("name"),
                result["parameters"].pop("engine"),
            )
        )
    (code, file, file_name, engine), (stored_code, stored, stored_name, stored_engine) = found
    assert file["dataset"].pop("multiline") == {"cells": 0, "longest": 0}
    assert stored["dataset"].pop("multiline") is None  # a store has no text
    assert (Path(file_name), engine) == (data, "slicing")
    assert (stored_name, stored_engine) == (name, "cypher")
    assert stored == file
    assert list(stored) == list(file)
    assert stored_code == code
    return file


@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
@pytest.mark.parametrize("rule", ["paper", "ignore"])
def test_on_a_random_table(on, cli, random_table, nulls, rule):
    k = {"strict": "4", "wildcard": "20"}[nulls]
    asked = [
        "--k",
        k,
        "--epsilon",
        "1",
        "--l",
        "0.7",
        "--set",
        f"sensitive-nulls={rule}",
        "--show",
        "100",
    ]
    asked += [
        "--set",
        "max-share=0.6",
        "--set",
        "distinct=3",
        "--set",
        "entropy=2.5",
        "--set",
        "t-closeness=0.2",
    ]
    found = compare(on, cli, random_table, 2, SENSITIVE, asked, nulls)
    assert found["violators"]
    assert any("missing sensitive ratings" in warning for warning in found["warnings"])


def test_known_ratings_from_a_store(on, cli, random_table):
    options = [*SENSITIVE, "--ratings"]
    for epsilon in ("0", "1", "7"):  # above the epsilon of the ingest, too: pairs are not used
        asked = ["--k", "2", "--epsilon", epsilon, "--l", "1", "--nulls", "known"]
        compare(on, cli, random_table, 0, options, asked)


def test_with_the_pairs_at_risk_only(embedded, cli, tmp_path):
    """Size and risk are those of the file; of sensitive questions nothing is said,
    and that it is not.
    """
    data, asked = EXAMPLES / "survey.csv", ["--k", "5", "--epsilon", "0.5"]
    options = ["--sensitive", "pay", "--scale", "1:5"]
    name = embedded.ingest(data, "some", 1, *options, "--edges", "at-risk", "--k", "4")
    whole = json.loads(cli("audit", data, *options, *asked, "--json", "-q", "--show", "9").stdout)
    ended = embedded("audit", "--dataset", name, *asked, "--json", "-q", "--show", "9")
    some = json.loads(ended.stdout)
    assert ended.exit_code == 1
    for key in ("k_epsilon", "risk", "neighbourhood_sizes", "satisfied"):
        assert some[key] == whole[key]
    for key in ("record", "size"):
        assert [one[key] for one in some["violators"]] == [one[key] for one in whole["violators"]]
    assert some["dataset"]["issues"] == whole["dataset"]["issues"]
    assert some["cautions"][0]["code"] == "sensitive-not-audited"
    assert "(pay) were not audited" in some["cautions"][0]["message"]
    page = " ".join(embedded("audit", "--dataset", name, *asked, "--show", "9").stdout.split())
    assert "sensitive: not audited" in page
    for demand in (
        ["--l", "1"],
        ["--set", "max-share=0.5"],
        ["--set", "distinct=2"],
        ["--set", "entropy=2"],
    ):
        refused = embedded("audit", "--dataset", name, *asked, *demand)
        assert refused.exit_code == 2
        said = demand[0][2:] if demand[0] == "--l" else demand[1].partition("=")[0]
        assert f"{said.replace('-', '_')}: found" in refused.stderr.replace(
            "max-share", "max_share"
        )
        assert "expected no demand on sensitive items" in refused.stderr
        assert "--edges all" in refused.stderr


def test_the_null_rule_is_the_datasets(embedded):
    name = embedded.ingest(EXAMPLES / "table2.csv", "two", 1, "--nulls", "wildcard")
    asked = ["audit", "--dataset", name, "--k", "2", "--epsilon", "1"]
    assert json.loads(embedded(*asked, "--json").stdout)["parameters"]["nulls"] == "wildcard"
    assert embedded(*asked, "--nulls", "wildcard").exit_code in (0, 1)
    for rule, said in (
        ("strict", "nulls: found 'strict', expected wildcard"),
        ("known", "expected a dataset with its non-sensitive ratings"),
    ):
        refused = embedded(*asked, "--nulls", rule)
        assert (refused.exit_code, said in refused.stderr) == (2, True)
    assert "ingest it again with --ratings" in refused.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--dataset", "nope"], "dataset: found 'nope', expected a dataset of this store ('two')"),
        (["--dataset", "two", "--epsilon", "3"], "epsilon: found 3.0, expected at most 1"),
        (["--dataset", "two", "--l", "1"], "data with a sensitive item"),
        (["--dataset", "two", "--engine", "pairwise"], "engine: found 'pairwise', expected cypher"),
        (["--dataset", "two", "--set", "threads=2"], "no --set threads"),
        (["--dataset", "two", "--exposure", "1"], "data file"),
    ],
)
def test_what_is_refused(embedded, args, said):
    embedded.ingest(EXAMPLES / "table2.csv", "two", 1, "--no-sensitive")
    ended = embedded("audit", "--k", "2", "--epsilon", "1", *args)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert said in ended.stderr


PEOPLE = """\
name,mail,region,age,q1,q2,pay
Ann Arbor,ann@example.org,north,23,1,2,3
Bob,bob@example.org,north,24,1,2,2
Cat,cat@example.org,south,31,2,2,1
Dan,dan@example.org,south,,2,3,5
Eve,eve@example.org,north,26,2,2,4
Flo,flo@example.org,south,33,2,1,1
"""
ROLES = ["--identifier", "name", "--identifier", "mail", "--quasi", "region", "--quasi", "age=2"]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Names and addresses, two attributes that others know, two questions, a sensitive one."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path / "people.csv"


def test_no_direct_identifier_gets_into_a_store(embedded, people, tmp_path, cli):
    secrets = ["Ann Arbor", "ann@", "Flo", "example.org", "mail"]
    given = [*ROLES, "--drop", "q2", "--sensitive", "pay", "--ratings"]
    assert embedded("ingest", people, "--dataset", "d", "--epsilon", 1, *given).exit_code == 0
    folder = ["--dataset", "d", "--epsilon", 1, *given, "--offline", tmp_path / "files"]
    assert cli("ingest", people, *folder, "-q").exit_code == 0
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path != people]
    assert any(path.suffix == ".grafeo" for path in written)
    assert sum("north" in path.read_text("latin-1") for path in written) >= 3  # it would be seen
    for path in written:
        text = path.read_text("latin-1")
        assert not [secret for secret in secrets if secret in text], path
    for query, more in (
        ("browse/overview", ()),
        ("quasi/at-risk", ("-p", "k=9", "-p", "epsilon=1")),
    ):
        shown = embedded("query", "run", query, "--dataset", "d", "--json", *more)
        assert shown.exit_code == 0
        assert not [secret for secret in secrets[:-1] if secret in shown.stdout]
