"""What a page suggests to do next can be pasted: it carries the data options that were given."""

import re
import shlex
import warnings

import pytest

from ratingpriv.cli.output.exits import say_error
from ratingpriv.cli.output.reporter import noting_warnings

ROWS = [f"p{n};{1 + n % 5};{1 + n // 5};{'-' if n % 7 else 2}" for n in range(25)]


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """A file that needs options to be read, under a name that needs quotes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "our survey.csv").write_text(
        "\n".join(["id;a b;c;income", *ROWS]) + "\n", encoding="utf-8"
    )
    words = "--set delimiter=; --null - --sensitive income --scale 1:5"
    return ["our survey.csv", *words.split()]


def commands_of(page):
    return [
        shlex.split(line)
        for line in re.findall(r"^ +(?:- [^:]*: +)?ratingpriv (.*)$", page, re.MULTILINE)
    ]


@pytest.mark.parametrize("nulls", ["strict", "known"])  # which the suggested commands do not have
def test_suggested_commands_run_as_they_stand(cli, odd, nulls):
    ended = cli(
        "audit",
        *odd,
        "--set",
        "header=yes",
        "--k",
        4,
        "--epsilon",
        0,
        "--nulls",
        nulls,
        "--verbose",
    )
    assert ended.exit_code == 1, ended.stderr
    suggested = commands_of(ended.stdout)
    # all 25 are unique: no release at this k and epsilon is proposed before a map is asked
    first = {"strict": ["recommend", "frontier"], "known": ["frontier", "anonymize"]}[nulls]
    assert [words[0] for words in suggested] == first
    for words in suggested:
        assert words[1] == "our survey.csv"
        assert {*odd, "header=yes"} <= {*words}
        assert "known" not in words
        again = cli(*words)
        assert again.exit_code in (0, 1), again.stderr


def test_options_of_a_file_and_repeated_ones_are_kept(cli, odd, tmp_path):
    (tmp_path / "options.toml").write_text(
        '[audit]\ndelimiter = ";"\nnull = "-"\nk = 99\n', encoding="utf-8"
    )
    asked = ["--codebook", "options.toml", "--epsilon", 0, "--drop", "c", "--drop", "income"]
    asked += ["--no-sensitive"]
    ended = cli("audit", odd[0], *asked)
    assert ended.exit_code == 1, ended.stderr
    data = (
        "--no-sensitive --codebook options.toml --drop c --drop income --null - --set delimiter=;"
    )
    for words in commands_of(ended.stdout):
        assert words[1:13] == [odd[0], *data.split()]


def test_what_the_library_says_of_parameters_is_said_of_options(capsys):
    say_error("found 'x'; name it with `null`, or leave out `header=False`")
    with noting_warnings():
        warnings.warn("take `scale=(1, 5)`", stacklevel=1)
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "ratingpriv: error: found 'x'; name it with --null, or leave out --set header=no",
        "ratingpriv: warning: take --scale 1:5",
    ]
