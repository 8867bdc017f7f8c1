"""What is asked for and what is promised is never rounded to something else."""

import re

import numpy as np
import pytest

EPSILON, L = "1.2345674", "0.9876547"
ROUNDED = re.compile(r"1\.2345(?!674)|0\.9876(?!547)")


@pytest.fixture
def survey(tmp_path):
    drawn = np.random.default_rng(3).integers(1, 6, (60, 4)).tolist()
    rows = [",".join(map(str, row)) for row in drawn]
    path = tmp_path / "survey.csv"
    path.write_text("a,b,c,pay\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


COMMANDS = [
    ("audit", "--k", "3", "--epsilon", EPSILON, "--l", L),
    tuple(
        f"audit --k 40 --epsilon {EPSILON} --l {L} --exposure {EPSILON} --set "
        f"max-share=0.9876547".split()
    ),
    ("frontier", "--k", "3", "--l", L, "--epsilon", EPSILON, "--epsilon", "2"),
    ("partition", "--k", "3", "--epsilon", EPSILON, "--l", L),
    ("recommend", "--k", "13", "--epsilon", EPSILON, "--l", L, "--method", "suppress"),
    (
        "anonymize",
        "--k",
        "3",
        "--epsilon",
        EPSILON,
        "--l",
        L,
        "--method",
        "suppress",
        "-o",
        "o.csv",
    ),
    ("anonymize", "--k", "3", "--epsilon", EPSILON, "--l", L, "--method", "modify", "-o", "o.csv"),
    ("attack", "--known", "2", "--rating-error", EPSILON, "--seed", "1"),
]


@pytest.mark.parametrize(
    "command", COMMANDS, ids=[f"{n} {one[0]}" for n, one in enumerate(COMMANDS)]
)
def test_an_epsilon_and_an_l_are_written_in_full(cli, survey, command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    ended = cli(command[0], survey.name, "--sensitive", "pay", *command[1:], env={"COLUMNS": "400"})
    said = ended.stdout + ended.stderr
    assert ended.exit_code in (0, 1), said
    assert EPSILON in said
    assert not ROUNDED.findall(said), said


@pytest.mark.deep
def test_a_release_and_its_report_say_them_in_full(cli, survey, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    asked = ("--k", "3", "--epsilon", EPSILON, "--l", L)
    columns = ("--sensitive", "pay", "--scale", "1:5", "--others", "rating")
    made = cli(
        "anonymize",
        "--accept",
        "found",
        survey.name,
        *columns,
        *asked,
        "--method",
        "modify",
        "--seed",
        "1",
        "-o",
        "r.csv",
    )
    assert made.exit_code == 0, made.stderr
    checked = cli("verify", "r.csv", "--accept", "found", env={"COLUMNS": "400"})
    assert (checked.exit_code, EPSILON in checked.stdout, ROUNDED.findall(checked.stdout)) == (
        0,
        True,
        [],
    )
    told = cli(
        "report",
        survey.name,
        "--release",
        "r.csv",
        *columns,
        *asked,
        "-o",
        "page.html",
        "--internal",
    )
    assert told.exit_code in (0, 1), told.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    text = re.sub(r"<svg.*?</svg>|<script.*?</script>", "", page, flags=re.DOTALL)
    assert EPSILON in text
    assert L in text
    assert not ROUNDED.findall(text), [
        text[m.start() - 80 : m.end() + 20] for m in ROUNDED.finditer(text)
    ]
