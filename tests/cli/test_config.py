"""Options from a TOML file."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def config(tmp_path):
    def write(text):
        path = tmp_path / "options.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_the_file_gives_what_the_command_line_does_not(cli, table_file, config):
    path = config(
        'k = 2\nepsilon = 5.0\nl = 2\nsensitive = ["issue 4"]\njson = true\nid = "id"\nquiet = true\n'
        'accept = ["epsilon-covers-range"]\n'
    )
    ended = cli("audit", table_file(1), "--config", path)
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["parameters"]["l"] == 2.0


@pytest.mark.parametrize(
    "text", ["l = 1e-400", "l = 1_0.5", "epsilon = inf", "k = 1.0", 'k = "٥"', "seed = 1e1000"]
)
def test_a_number_is_a_number_as_on_the_command_line(cli, table_file, config, text):
    ended = cli("audit", table_file(1), "--config", config(text + "\n"), *ASKED.get(text[0], ASKED["l"]))
    assert ended.exit_code == 2
    assert text.split(" = ")[0] + ": found" in ended.stderr


ASKED = {"k": ("--epsilon", 1), "e": ("--k", 2), "l": ("--k", 2, "--epsilon", 1, "--sensitive", "issue 4")}


def test_numbers_of_thousands_of_digits_are_refused(cli, table_file, config):
    ended = cli("audit", table_file(1), "--config", config("k = " + "9" * 5000 + "\n"))
    assert (ended.exit_code, "not a TOML file: a whole number of more than 4,300" in ended.stderr) == (
        2,
        True,
    )


def test_the_command_line_wins(cli, table_file, config):
    path = config('k = 99\nepsilon = 0\nsensitive = "issue 4"\njson = true\n')
    ended = cli("audit", table_file(1), "--k", 2, "--config", path, "--epsilon", 5)
    found = json.loads(ended.stdout)
    assert (found["parameters"]["k"], found["parameters"]["epsilon"]) == (2, 5.0)
    assert found["dataset"]["sensitive"] == ["issue 4"]


@pytest.mark.parametrize(
    ("text", "options", "sensitive"),
    [
        ('sensitive = ["issue 4"]', ["--no-sensitive"], []),
        ("no-sensitive = true", ["--sensitive", "issue 4"], ["issue 4"]),
        ('sensitive = ["issue 3"]', ["--sensitive", "issue 4"], ["issue 4"]),
    ],
)
def test_the_command_line_wins_over_the_opposite_option(cli, table_file, config, text, options, sensitive):
    ended = cli(
        "audit", table_file(1), "--k", 1, "--epsilon", 1, "--json", "--config", config(text), *options
    )
    assert json.loads(ended.stdout)["dataset"]["sensitive"] == sensitive


def test_pairs_of_flags(cli, tmp_path, config):
    (tmp_path / "data.csv").write_text("1,2\n1,2\n")
    asked = (
        "audit",
        tmp_path / "data.csv",
        "--k",
        2,
        "--epsilon",
        0,
        "--json",
        "--config",
        config("header = false"),
    )
    assert json.loads(cli(*asked).stdout)["dataset"]["records"] == 2
    assert json.loads(cli(*asked, "--header").stdout)["dataset"]["records"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kk = 2", "unknown key 'kk'; did you mean 'k'?"),
        ("sensitve = 'a'", "did you mean 'sensitive'?"),
        ("[audit]\nk = 2", "unknown key 'audit'"),
        ("config = 'x'", "unknown key 'config'"),
        ("help = true", "unknown key 'help'"),
        ("sensitive_nulls = 'paper'", "did you mean 'sensitive-nulls'?"),
        ("k = ", "not a TOML file"),
        ("k = true", "k: found True, expected a text or a number"),
        ("k = [1]", "k: found [1], expected a text or a number"),
        ("json = 'yes'", "json: found 'yes', expected true or false"),
        ("sensitive = [true]", "sensitive: found True"),
        ("k = 2.5", "k: found '2.5', expected a whole number"),
        ("sensitive = 'a'\nno-sensitive = true\nk = 1", "no-sensitive"),
    ],
)
def test_what_is_wrong_in_the_file_is_said(cli, table_file, config, text, message):
    options = [] if text.startswith("k = 2") else ["--k", 2]
    ended = cli("audit", table_file(1), "--epsilon", 1, *options, "--config", config(text))
    assert ended.exit_code == 2
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_file_that_is_not_there(cli, table_file, tmp_path):
    ended = cli("audit", table_file(1), "--config", tmp_path / "no.toml")
    assert ended.exit_code == 2
    assert "no.toml" in ended.stderr


def test_a_file_that_is_not_text(cli, table_file, tmp_path):
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe\0")
    assert "not a TOML file" in cli("audit", table_file(1), "--config", tmp_path / "x.toml").stderr


@pytest.mark.parametrize("said", ['"list"', '["violators<=0", "list"]'])
def test_a_list_of_names_is_no_gate(cli, table_file, config, said):
    """A pipeline would take its 0 for a verdict."""
    path = config(f"require = {said}\n")
    ended = cli("audit", table_file(1), "--k", 2, "--epsilon", 1, "--config", path)
    assert ended.exit_code == 2
    assert f"{path}: require: found 'list', expected limits; type --require list instead" in ended.stderr
    assert cli("audit", "--require", "list").exit_code == 0
