"""``ratingpriv verify``: 0 valid, 1 not valid, 2 unreadable."""

from __future__ import annotations

import json
import shutil

import pytest


@pytest.fixture
def release(cli, table_file, tmp_path):
    data = table_file(2)
    path = tmp_path / "release.csv"
    asked = ["--sensitive", "issue 4", "--scale", "1:7", "--k", 2, "--epsilon", 1, "--l", 1.5]
    ended = cli("anonymize", data, *asked, "--method", "suppress", "-o", path)
    assert ended.exit_code == 0
    data.unlink()  # nothing of the input is needed
    return path


def test_valid(cli, release):
    ended = cli("verify", release)
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.split())
    assert text.startswith(f"VALID: {release} is (k = 2, epsilon = 1, l = 1.5)-anonymous")
    assert "not who wrote it" in text
    assert "sensitive: issue 4" in text


def test_json(cli, release):
    content = json.loads(cli("verify", release, "--json").stdout)
    assert content["schema"] == "ratingpriv.verify/1"
    assert content["valid"] is True
    assert content["found"]["largest_l"] == {"issue 4": 1.5}


@pytest.mark.parametrize("demand", [("--k", 3), ("--epsilon", 0), ("--l", 1.6)])
def test_demands(cli, release, demand):
    asked = ("--sensitive", "issue 4")
    ended = cli("verify", release, *demand)
    assert ended.exit_code == 2  # the manifest alone would take an issue out of the demand
    assert "--sensitive 'issue 4'" in ended.stderr
    assert "--no-sensitive" in ended.stderr
    ended = cli("verify", release, *demand, *asked)
    assert ended.exit_code == 1
    assert ended.stdout.startswith("NOT VALID")
    assert "not as anonymous as demanded" in " ".join(ended.stdout.split())
    assert cli("verify", release, "--k", 2, "--epsilon", 1, "--l", 1.5, *asked).exit_code == 0


def test_changed(cli, release):
    release.write_text(release.read_text() + "\n")
    ended = cli("verify", release)
    assert ended.exit_code == 1
    assert "not the file that the manifest speaks of" in " ".join(ended.stdout.split())
    assert json.loads(cli("verify", release, "--json").stdout)["valid"] is False


def test_elsewhere(cli, release, tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    for path in (release, release.with_name("release.csv.manifest.json")):
        shutil.move(path, there / path.name)
    assert cli("verify", there / "release.csv").exit_code == 0


def test_unreadable(cli, release):
    assert cli("verify", release.with_name("no.csv")).exit_code == 2
    release.with_name("release.csv.manifest.json").write_text("{")
    ended = cli("verify", release)
    assert ended.exit_code == 2
    assert "expected a manifest (ratingpriv.manifest/1)" in ended.stderr
    assert cli("verify", release, "--k", "none").exit_code == 2
