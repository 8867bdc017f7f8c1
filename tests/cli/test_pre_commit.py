"""The pre-commit hook: every file, by its codebook, and the worst exit code."""

import signal
import sys

import pytest

from ratingpriv.cli import pre_commit
from ratingpriv.cli.pre_commit import run

GOOD = "id,q\na,1\nb,1\nc,5\nd,5\n"
BAD = "id,q\na,1\nb,9\nc,2\n"
MODEL = ("--k=2", "--epsilon=1", "--scale=1:9", "--quiet", "--set=threads=1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "good.csv": GOOD,
        "bad.csv": BAD,
        "--force.csv": GOOD,
        "none.csv": "id,q\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("files", "code"),
    [
        (["good.csv"], 0),
        (["good.csv", "good.csv"], 0),
        (["bad.csv", "good.csv"], 1),
        (["good.csv", "nowhere.csv", "bad.csv"], 2),
        (["none.csv", "good.csv"], 2),
        ([], 2),
    ],
)
def test_the_worst_exit_code_of_all_files_counts(folder, capsys, files, code):
    assert run([*MODEL, *files]) == code
    said = [
        line.partition(" is ")[0]
        for line in capsys.readouterr().out.splitlines()
        if "SATISFIED: " in line
    ]
    bad = {"bad.csv": "NOT SATISFIED: bad.csv", "good.csv": "SATISFIED: good.csv"}
    assert said == [bad[name] for name in files if name in bad]
    if files:
        assert run([*MODEL, "--", *files]) == code


def test_files_and_options_are_told_apart(folder):
    assert run([*MODEL, "--", "--force.csv"]) == 0
    assert run([*MODEL, "--force.csv", "good.csv"]) == 2
    assert run(["--k", "2", "--epsilon", "1", "--scale", "1:9", "--", "good.csv"]) == 0
    # 2 would be a file
    assert run(["--k", "2", "--epsilon", "1", "--scale", "1:9", "good.csv"]) == 2


def test_the_codebook_beside_a_file_counts(folder):
    assert run(["--quiet", "good.csv"]) == 2  # neither options nor a codebook: nothing is guessed
    (folder / "good.toml").write_text(
        '[data]\nscale = "1:9"\n[audit]\nk = 2\nepsilon = 1\n', encoding="utf-8"
    )
    assert run(["--quiet", "--set=threads=1", "good.csv"]) == 0
    # options win
    assert run(["--quiet", "--set=threads=1", "--k=3", "--epsilon=0", "good.csv"]) == 1
    (folder / "good.toml").write_text("[audit]\nk = 4\nepsilon = 0\n", encoding="utf-8")
    assert run(["--quiet", "--set=threads=1", "good.csv"]) == 1
    (folder / "other.toml").write_text("[audit]\nk = 1\nepsilon = 0\n", encoding="utf-8")
    asked = ["--quiet", "--set=threads=1", "--codebook=other.toml", "good.csv"]
    assert run(asked) == 1  # k = 1 asks for nothing
    assert run(["--accept=k-asks-nothing", *asked]) == 0
    (folder / "good.toml").write_text("[audit]\nkk = 4\n", encoding="utf-8")
    assert run([*MODEL, "good.csv"]) == 2


def test_the_hook_as_a_program(monkeypatch, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("id,a,b\nx,1,2\ny,1,2\nz,5,5\n")
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for k, code in ((1, 0), (2, 1)):
            with (tmp_path / "out").open("w") as given:
                monkeypatch.setattr(sys, "stdout", given)
                monkeypatch.setattr(
                    sys,
                    "argv",
                    ["hook", f"--k={k}", "--epsilon=1", "--accept=k-asks-nothing", str(data)],
                )
                with pytest.raises(SystemExit) as end:
                    pre_commit.main()
                sys.stdout.flush()
            assert end.value.code == code
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
