"""``ratingpriv demo``: the tour runs, tells the truth, and its commands can be repeated."""

from __future__ import annotations

import json
import re
import shlex

import pytest


@pytest.fixture
def kept(cli, tmp_path):
    """The tour with its files kept."""
    ended = cli("demo", "--output", tmp_path / "tour")
    assert ended.exit_code == 0, ended.stderr
    return ended.stdout


def test_every_command_of_the_tour_gives_the_verdict_it_shows(cli, kept):
    steps = re.findall(r"\$ ratingpriv (audit .*)\n +(SATISFIED|NOT SATISFIED)", kept)
    assert len(steps) == 4
    assert {verdict for _, verdict in steps} == {
        "SATISFIED",
        "NOT SATISFIED",
    }  # a tour of one verdict is none
    for command, verdict in steps:
        assert cli(*shlex.split(command)).exit_code == (verdict != "SATISFIED")


def test_every_query_of_the_tour_gives_the_rows_it_shows(cli, kept):
    asked = re.findall(r"\$ ratingpriv (query run .*)\n((?:    .*\n)+)", kept)
    assert len(asked) == 3
    for command, shown in asked:
        ended = cli(*shlex.split(command), "--show", 5)
        assert ended.exit_code == 0, ended.stderr
        rows = [line.split() for line in ended.stdout.splitlines()]
        assert [line.split() for line in shown.splitlines()][:-1] == rows[:-1]
    alone = re.search(r"([\d,]+) (?:people have|person has) nobody within that", " ".join(kept.split()))[1]
    assert re.search(rf"{alone} (people are|person is) still alone", " ".join(kept.split()))


def test_its_releases_are_valid_and_can_be_made_again(cli, kept, tmp_path):
    made = re.findall(r"\$ ratingpriv (anonymize .*)\n +RELEASED, information loss \(L1\) (\S+)", kept)
    assert len(made) == 2
    for number, (command, distortion) in enumerate(made):
        words = shlex.split(command)
        release, key = words[words.index("-o") + 1], words[words.index("--key") + 1]
        assert cli("verify", release).exit_code == 0
        words[words.index(release)] = str(tmp_path / f"again-{number}.csv")
        words[words.index(key)] = str(tmp_path / f"again-{number}.key")
        again = cli(*words, "--json")
        assert again.exit_code == 0, again.stderr
        assert json.loads(again.stdout)["distortion"] == float(distortion)


def test_every_attack_of_the_tour_finds_what_it_shows(cli, kept):
    attacks = re.findall(r"\$ ratingpriv (attack .*)\n +(\S+) % identified", kept)
    assert len(attacks) == 3
    for command, shown in attacks:
        ended = cli(*shlex.split(command), "--json")
        assert ended.exit_code == 0, ended.stderr
        found = json.loads(ended.stdout)
        rate = found.get("release", found)["success"]["rate"]
        assert f"{100 * rate:.1f}" == shown


def test_what_it_keeps(kept, tmp_path):
    assert sorted(path.name for path in (tmp_path / "tour").iterdir()) == [
        "audit.json",
        "exact.csv",
        "exact.csv.manifest.json",
        "exact.key",
        "near.csv",
        "near.csv.manifest.json",
        "near.key",
        "per-record.csv",
        "survey.csv",
        "survey.grafeo",
    ]
    found = json.loads((tmp_path / "tour" / "audit.json").read_text(encoding="utf-8"))
    assert f"{found['k_epsilon']['violators']:,} people have fewer than 5 people" in " ".join(kept.split())


def test_epsilon_is_told_apart_from_differential_privacy(kept):
    assert "it is not the epsilon of differential privacy" in " ".join(kept.split())


def test_nothing_is_replaced_without_force(cli, tmp_path, kept):
    ended = cli("demo", "--output", tmp_path / "tour")
    assert ended.exit_code == 2
    assert "--force" in ended.stderr
    assert cli("demo", "--output", tmp_path / "tour", "--force").exit_code == 0


def test_a_file_in_the_place_of_the_folder(cli, tmp_path):
    (tmp_path / "tour").touch()
    assert cli("demo", "--output", tmp_path / "tour").exit_code == 2


def test_by_default_nothing_is_left(process, environment, tmp_path):
    ended = process("demo", env={**environment, "TMPDIR": str(tmp_path)}, cwd=tmp_path)
    assert ended.returncode == 0
    assert [path for path in tmp_path.iterdir() if "ratingpriv" in path.name] == []
    assert (
        max(
            len(line)
            for line in ended.stdout.splitlines()
            if "  ratingpriv " not in line and "$ ratingpriv" not in line
        )
        <= 80
    )
