"""``--at-most``, ``--require`` and ``--junit``: what a pipeline goes by."""

import json
import random
from pathlib import Path
from xml.etree import ElementTree

import pytest

_DRAW = random.Random(3)  # noqa: S311
ROWS = [[_DRAW.randint(1, 3) for _ in range(3)] + [_DRAW.randint(1, 5)] for _ in range(60)]
READ = ("--scale", "1:5", "--sensitive", "pay", "--set", "threads=1")


@pytest.fixture
def survey(tmp_path, monkeypatch):
    """60 records of which the last two are far from everybody."""
    monkeypatch.chdir(tmp_path)
    path = Path("survey.csv")
    rows = [*ROWS[:58], [5, 1, 1, 1], [1, 5, 5, 2]]
    lines = [f"person{n}," + ",".join(map(str, row)) for n, row in enumerate(rows)]
    path.write_text("id,q1,q2,q3,pay\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def cases_of(path):
    return list(ElementTree.parse(path).iter("testcase"))  # noqa: S314 -- our own


@pytest.fixture
def gate(cli, survey, tmp_path):
    """Run a command that reports to a server; gives the result and the test cases."""

    def run(command, *options, data=survey):
        path = tmp_path / "out.xml"
        asked = (*(READ if command != "verify" else ()), *options, "--force", "--junit", path)
        ended, cases = cli(command, data, *asked), cases_of(path)
        assert any(state(case) != "passed" for case in cases) == (ended.exit_code != 0)
        assert "person" not in path.read_text("utf-8")
        return ended, cases

    return run


def state(case):
    return next((part.tag for part in case if part.tag in ("failure", "error")), "passed")


@pytest.mark.parametrize(
    ("at_most", "code", "said"),
    [
        ("4%", 0, "2 of 60 records (3.3 %) break it; within your tolerance of 4 %."),
        ("3.3%", 1, "more than your tolerance of 3.3 %."),
        ("0%", 1, "-anonymous."),
    ],
)
def test_a_tolerance_changes_the_exit_code_and_never_the_verdict(gate, at_most, code, said):
    ended, cases = gate("audit", "--k", 2, "--epsilon", 1, "--at-most", at_most)
    assert ended.exit_code == code, ended.stderr
    headline = ended.stdout.splitlines()[0]
    assert headline.startswith("NOT SATISFIED: survey.csv is not (k = 2, epsilon = 1)-anonymous")
    assert headline.endswith(said)
    assert ("protects none of the records" in " ".join(ended.stdout.split())) == (code == 0)
    assert [state(case) for case in cases] == ["passed" if code == 0 else "failure"]
    assert headline in "".join(cases[0].itertext())
    ended, _ = gate(
        "audit", "--k", 1, "--epsilon", 1, "--at-most", at_most, "--accept", "k-asks-nothing"
    )
    unneeded = ended.stdout.splitlines()[0].partition("; your tolerance of ")[2]
    assert unneeded.endswith("% was not needed.") or at_most == "0%"


LIMITS = [
    (
        "audit --k 2 --epsilon 1 --at-most 4%",
        "share_violators<=0.5",
        "n_violators<=1",
        "exposure_worst>=1",
    ),
    ("frontier --k 2 --no-partition", "smallest_epsilon<=4", "smallest_epsilon<=0.5", "max_k>=2"),
    ("partition --k 2 --epsilon 3", "min_size>=2", "groups<=1", None),
    ("attack --known 2 --targets 20", "success.scoreboard<=0.99", "success<=0.01", "similar<=0.99"),
]


@pytest.mark.parametrize(("asked", "kept", "missed", "unmeasured"), LIMITS)
def test_limits(gate, asked, kept, missed, unmeasured):
    command, *options = asked.split()
    limits = {kept: "passed", missed: "failure"} | ({unmeasured: "error"} if unmeasured else {})
    required = [word for limit in limits for word in ("--require", limit)]
    ended, cases = gate(command, *options, *required)
    assert ended.exit_code == 1, ended.stderr
    assert {
        case.get("name"): state(case) for case in cases if case.get("name").startswith("require: ")
    } == {f"require: {limit}": expected for limit, expected in limits.items()}
    told = json.loads(gate(command, *options, *required, "--json")[0].stdout)["gate"]
    assert told["passed"] is False
    assert [one["met"] for one in told["required"]] == [True, False, False][: len(limits)]
    ended, _ = gate(command, *options, "--require", kept)
    assert "kept (" in ended.stdout


def test_a_release_and_its_manifest(gate, cli, survey, tmp_path):
    release = tmp_path / "r.csv"
    made = ("--k", 2, "--epsilon", 1, "--method", "suppress", "-o", release, "--strip-ids")
    assert cli("anonymize", "--accept", "found", survey, *READ, *made).exit_code == 0
    asked = ("verify", "--require", "max_k>=2", "--require", "n_violators<=0")
    # what the publisher accepted binds nobody else
    assert gate(*asked, data=release)[0].exit_code == 1
    ended, cases = gate(*asked, "--accept", "found", data=release)
    assert ended.exit_code == 0, ended.stdout
    assert [state(case) for case in cases] == ["passed"] * 3
    release.write_text(release.read_text("utf-8") + "\n", encoding="utf-8")
    ended, cases = gate("verify", data=release)
    assert (ended.exit_code, [state(case) for case in cases]) == (1, ["failure"])


def test_an_attacks_own_limit_is_reported_in_the_same_way(gate):
    for limit, code in ((0.99, 0), (0.01, 1)):
        ended, cases = gate("attack", "--known", 2, "--targets", 20, "--fail-above", limit)
        assert (ended.exit_code, [case.get("name") for case in cases]) == (
            code,
            [f"fail-above: {limit}"],
        )
    ended, cases = gate(
        "attack", "--known", 2, "--targets", 20, "--fail-above", 0.99, "--require", "success<=0"
    )
    assert [state(case) for case in cases] == ["passed", "failure"]


@pytest.mark.parametrize(
    ("command", "limit"),
    [
        ("attack --known 2", ["--fail-above", 1]),
        ("attack --known 2", ["--require", "success<=1"]),
        ("audit --k 2 --epsilon 1", ["--require", "max_k>=1"]),
        ("audit --k 2 --epsilon 1", ["--require", "share_below_k<=100"]),
        ("partition --k 2 --epsilon 3", ["--require", "share_withheld<=1"]),
    ],
)
def test_a_limit_that_cannot_fail_is_refused(cli, survey, command, limit):
    name, *asked = command.split()
    ended = cli(name, survey, *READ, *asked, *limit)
    assert ended.exit_code == 2
    assert f"{limit[0].removeprefix('--')}: found" in ended.stderr


@pytest.mark.parametrize(
    "command", ["audit", "frontier", "partition", "verify", "attack", "utility"]
)
def test_names_are_listed(cli, command):
    from ratingpriv.report.limits import names

    listed = cli(command, "--require", "list")
    assert listed.exit_code == 0
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(names(command))
    files = ["x", "y"] if command == "utility" else ["x"]
    model = ["--k", 1, "--epsilon", 1] if command in ("audit", "partition") else []
    wrong = cli(command, *files, *model, "--require", "charm<=1")
    assert wrong.exit_code == 2
    assert f"found 'charm', expected one of {', '.join(names(command))}" in wrong.stderr


def test_an_input_that_is_bad_is_an_outcome_too(cli, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("id,q1,q2\na,1,2\nb,secret,2\nc,1,oops\n", encoding="utf-8")
    asked = (
        "audit",
        bad,
        "--k",
        2,
        "--epsilon",
        1,
        "--scale",
        "1:5",
        "--rating",
        "q1",
        "--rating",
        "q2",
    )
    files = ("--junit", tmp_path / "x.xml", "-o", tmp_path / "x.json")
    ended = cli(*asked, *files)
    assert ended.exit_code == 2
    (case,) = cases_of(tmp_path / "x.xml")
    assert (case.get("name"), state(case)) == ("input: it can be read", "error")
    assert not (tmp_path / "x.json").exists()
    assert "secret" not in (tmp_path / "x.xml").read_text("utf-8")
    assert "secret" in cli(*asked, *files, "--force", "--show-cells").stderr
    assert "secret" in (tmp_path / "x.xml").read_text("utf-8")
