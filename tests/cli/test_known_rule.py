"""``--nulls known``: what audit says by it, from a file and from a store, and who refuses it and why."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import ratingpriv
from cli.stores import embedded, on
from ratingpriv.report.page import Command
from ratingpriv.report.pages import page_of

__all__ = ["embedded", "on"]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NESTED = "id,a,b,pay\nann,3,,5\nbob,3,4,1\ncyd,,4,\ndan,,,4\n"
ASKED = ("--sensitive", "pay", "--scale", "1:5")


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    """ann and cyd answered a part of what bob did, dan nothing."""
    path = tmp_path / "nested.csv"
    path.write_text(NESTED, encoding="utf-8")
    return path


@pytest.mark.parametrize("engine", ["slicing", "pairwise"])
def test_from_a_file(cli, nested, tmp_path, engine):
    asked = ["--k", 2, "--epsilon", 0, "--nulls", "known", "--engine", engine, *ASKED]
    ended = cli("audit", nested, *asked, "--json", "-q", "--show", 1, "--per-record", tmp_path / "each.csv")
    assert ended.exit_code == 1
    found = json.loads(ended.stdout)
    assert found["parameters"]["nulls"] == "known"
    assert found["neighbourhood_sizes"]["pairs"] is None
    assert found["k_epsilon"] == {"satisfied": False, "max_k": 1, "violators": 1}
    assert [one["record"] for one in found["violators"]] == ["bob"]
    assert [caution["code"] for caution in found["cautions"]] == ["known-null-rule", "inference"]
    with (tmp_path / "each.csv").open(newline="", encoding="utf-8") as file:
        assert [(row["record"], row["size"]) for row in csv.DictReader(file)] == [
            ("ann", "2"), ("bob", "1"), ("cyd", "2"), ("dan", "4"),
        ]  # fmt: skip


def test_what_to_do_next_can_be_done(cli, nested, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = ratingpriv.read(nested, sensitive=["pay"], scale=(1, 5))
    for k in (2, 9):
        result = ratingpriv.audit(table, k=k, epsilon=0, nulls="known")
        page = page_of(result, data=f"{nested} --sensitive pay --scale 1:5")
        commands = [one for section in page.sections for one in section.items if isinstance(one, Command)]
        assert commands
        for command in commands:
            assert "known" not in command.line
            ended = cli(*command.line.split()[1:], "-q")
            assert ended.exit_code in (0, 1), ended.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["partition", "DATA", "--k", "2", "--epsilon", "1"],
        ["frontier", "DATA"],
        ["anonymize", "DATA", "--method", "modify", "--k", "2", "--epsilon", "1", "-o", "release.csv"],
        ["ingest", "DATA", "--dataset", "d", "--epsilon", "1", "--store", "embedded:s.grafeo"],
    ],
)
def test_the_other_commands_refuse_it_with_the_reason(cli, nested, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    ended = cli(*[str(nested) if word == "DATA" else word for word in command], "--nulls", "known")
    assert ended.exit_code == 2
    assert "nulls: found 'known', expected one of strict, wildcard; known is asymmetric" in ended.stderr
    assert "audit and exposure know it" in ended.stderr
    assert not (tmp_path / "release.csv").exists()
    assert not (tmp_path / "s.grafeo").exists()


def compare(on, cli, data: Path, name: str, *, epsilon: str, l: str) -> None:  # noqa: E741
    """The store's result is the file's, but for names and engine."""
    asked = ("--k", "2", "--epsilon", epsilon, "--l", l, "--nulls", "known", "--json", "-q")
    ended = [cli("audit", data, *ASKED, *asked), on("audit", "--dataset", name, *asked)]
    assert ended[0].exit_code == ended[1].exit_code, ended[1].stderr
    results = [json.loads(one.stdout) for one in ended]
    for result in results:
        result["tool"].pop("command")
        result["dataset"].pop("name")
        result["parameters"].pop("engine")
    assert results[0] == results[1]


def test_from_a_store_with_ratings(on, cli, nested):
    name = on.ingest(nested, "nested", 0, *ASKED, "--ratings")
    for epsilon in ("0", "1", "7"):  # above the epsilon of the ingest, too: pairs are not used
        compare(on, cli, nested, name, epsilon=epsilon, l="1")


@pytest.mark.deep
def test_the_survey_from_a_store(embedded, cli):
    survey = EXAMPLES / "survey.csv"
    name = embedded.ingest(survey, "survey", 1, *ASKED, "--ratings", "--nulls", "wildcard")
    compare(embedded, cli, survey, name, epsilon="1", l="0.5")


def test_a_store_without_ratings_is_refused_with_the_remedy(embedded, nested):
    name = embedded.ingest(nested, "nested", 1, *ASKED)
    ended = embedded("audit", "--dataset", name, "--k", "2", "--epsilon", "1", "--nulls", "known")
    assert ended.exit_code == 2
    assert "expected a dataset with its non-sensitive ratings" in ended.stderr
    assert "ingest it again with --ratings" in ended.stderr
