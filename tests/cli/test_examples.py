"""The examples at the end of every command's help run as they stand,
beside the survey of examples/.
"""

import json
import shlex
import shutil

import pytest

from cli.test_help import ALL, ROOT

SLOW = ("demo", "desk", "reproduce")  # their own tests run them


def examples_of(cli, command):
    text = cli(*command, "--help").stdout
    _, _, examples = text.partition("\nExamples:\n")
    return [line.strip() for line in examples.splitlines() if line.strip()]


@pytest.mark.documentation
@pytest.mark.parametrize("command", ALL, ids=" ".join)
def test_every_example_runs(cli, command, tmp_path, monkeypatch):
    folder = shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(folder)
    examples = examples_of(cli, command)
    assert 2 <= len(examples) <= 3
    assert any("ratingpriv " + " ".join(command) in line for line in examples)
    for line in examples:
        words = shlex.split(line)
        if command[0] in SLOW:
            continue
        said = f"{words[1]}\n" if words[0] == "echo" else None
        ended = cli(*words[words.index("ratingpriv") + 1 :], input=said)
        assert ended.exit_code in (0, 1), f"{line}\n{ended.stderr}"


def test_a_second_name_of_the_issues(cli, table_file):
    asked = ("audit", table_file(1), "--k", 2, "--epsilon", 1, "--json", "--sensitive", "issue 4")
    one, other = (json.loads(cli(*asked, name, "top:1").stdout) for name in ("--items", "--issues"))
    assert {**one, "tool": None} == {**other, "tool": None}
    for command in ("audit", "attack"):
        helped = cli(command, "--help-data").stdout
        assert ("--items SPEC" in helped, "--issues" in helped) == (True, False)
