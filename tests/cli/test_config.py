"""Options from a codebook's table of the command, and settings of the command line."""

import json

import pytest


@pytest.fixture
def config(tmp_path):
    def write(text):
        path = tmp_path / "options.toml"
        path.write_text(f"[audit]\n{text}", encoding="utf-8")
        return path

    return write


def test_the_file_gives_what_the_command_line_does_not(cli, table_file, config):
    path = config(
        'k = 2\nepsilon = 5.0\nl = 2\nsensitive = ["issue 4"]\njson = true\nid = "id"\nquiet = '
        "true\n"
        'accept = ["epsilon-covers-range"]\n'
    )
    ended = cli("audit", table_file(1), "--codebook", path)
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["parameters"]["l"] == 2.0


@pytest.mark.parametrize(
    ("text", "options", "sensitive"),
    [
        ('sensitive = ["issue 4"]', ["--no-sensitive"], []),
        ("no-sensitive = true", ["--sensitive", "issue 4"], ["issue 4"]),
        ('sensitive = ["issue 3"]', ["--sensitive", "issue 4"], ["issue 4"]),
    ],
)
def test_the_command_line_wins_over_the_opposite_option(
    cli, table_file, config, text, options, sensitive
):
    ended = cli(
        "audit",
        table_file(1),
        "--k",
        1,
        "--epsilon",
        1,
        "--json",
        "--codebook",
        config(text),
        *options,
    )
    assert json.loads(ended.stdout)["dataset"]["sensitive"] == sensitive


def test_pairs_of_flags(cli, tmp_path, config):
    (tmp_path / "data.csv").write_text("1,2\n1,2\n")
    asked = (
        "audit --k 2 --epsilon 0 --json",
        tmp_path / "data.csv",
        "--codebook",
        config("header = false"),
    )
    assert json.loads(cli(*asked).stdout)["dataset"]["records"] == 2
    assert json.loads(cli(*asked, "--set", "header=yes").stdout)["dataset"]["records"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "kk = 2",
            "unknown key 'kk' ([audit]), expected an option of ratingpriv audit; did you mean k?",
        ),
        ("sensitive_nulls = 'paper'", "did you mean sensitive-nulls?"),
        ("k = ", "no TOML"),
        ("k = true", "k: True ([audit]), expected a text or a number"),
        ("json = 'yes'", "json: 'yes' ([audit]), expected true or false"),
        ("k = 2.5", "k: found '2.5', expected a whole number"),
        ("sensitive = 'a'\nno-sensitive = true\nk = 1", "no-sensitive"),
    ],
)
def test_what_is_wrong_in_the_file_is_said(cli, table_file, config, text, message):
    options = [] if text.startswith("k = 2") else ["--k", 2]
    ended = cli("audit", table_file(1), "--epsilon", 1, *options, "--codebook", config(text))
    assert ended.exit_code == 2
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


def test_settings_are_options_of_few(cli, table_file, config):
    asked = (
        "audit",
        table_file(2),
        "--k",
        2,
        "--epsilon",
        5,
        "--sensitive",
        "issue 4",
        "--l",
        1,
        "--json",
    )
    path = config('sensitive-nulls = "ignore"\n')
    for words, rule in (
        ((), "paper"),
        (("--codebook", path), "ignore"),
        (("--codebook", path, "--set", "sensitive-nulls=paper"), "paper"),
        (("--set", "sensitive-nulls=ignore"), "ignore"),
        (("--sensitive-nulls", "ignore"), "ignore"),  # as before it was a setting
    ):
        assert json.loads(cli(*asked, *words).stdout)["parameters"]["sensitive_nulls"] == rule
