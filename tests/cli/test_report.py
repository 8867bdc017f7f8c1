"""``ratingpriv report``: measured or taken from saved results, whole or not at all,
and its exit code.
"""

import json
import random
import stat

import pytest

HEAD = "user,q1,q2,q3,pay\n"
DATA = ["--sensitive", "pay", "--scale", "1:5", "--set", "threads=1", "--quiet"]
QUICK = ["--skip", "utility"]


def rows(records, seed=7):
    """People who are much alike, and one who is like nobody."""
    draw = random.Random(seed)  # noqa: S311
    answers = [[draw.randint(1, 3) for _ in range(3)] for _ in range(records - 1)]
    return [
        f"zq{i}x,{','.join(map(str, row))},{i % 5 + 1}"
        for i, row in enumerate([*answers, [5, 5, 5]])
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch, cli):
    """A survey of forty people, and a release of it with its manifest and key."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text(HEAD + "\n".join(rows(40)) + "\n", encoding="utf-8")
    made = cli(
        "anonymize s.csv --accept found --k 6 --epsilon 1 --method suppress -o r.csv --key r.key",
        *DATA,
    )
    assert made.exit_code == 0, made.stderr
    return tmp_path


def body(path):
    """The report without the section that says how it was made."""
    text = path.read_text(encoding="utf-8")
    return text.partition('<details id="checking"')[0].partition("<body>")[2]


def test_of_the_data_alone(cli, folder):
    ended = cli("report", "s.csv", *DATA, "--k", 6, "--epsilon", 1, "-o", "x.html")
    assert ended.exit_code == 1, ended.stderr  # as an audit
    assert ended.stdout.startswith("NOT SATISFIED: s.csv is not (k = 6, epsilon = 1)-anonymous")
    text = (folder / "x.html").read_text(encoding="utf-8")
    assert "No release was given" in text
    assert "zq" not in text
    assert len(text) < 1_000_000


FOUND = ("--accept", "found")


def test_of_a_release_and_from_what_was_saved(cli, folder):
    typed = (
        "report s.csv --release r.csv --truth r.key --k 6 --epsilon 1 --accept found -o direct.html"
    )
    ended = cli(typed, *DATA, *QUICK)
    assert (ended.exit_code, ended.stderr) == (0, "")
    saved = {
        "audit": ["audit", "s.csv", *DATA, "--k", 6, "--epsilon", 1, "--exposure", 1],
        "released": ["audit", "r.csv", *DATA, "--k", 6, "--epsilon", 1, "--exposure", 1],
        "frontier": ["frontier", "s.csv", *DATA, "--k", 6, "--no-partition"],
        "attack": ["attack", "s.csv", *DATA, "--release", "r.csv", "--truth", "r.key"],
        "verify": ["verify", "r.csv", "--set", "threads=1", "--quiet"],
        "recommend": ["recommend", "s.csv", *DATA],
    }
    for name, words in saved.items():
        (folder / f"{name}.json").write_text(cli(*words, "--json").stdout, encoding="utf-8")
    taken = [word for name in saved for word in ("--from", f"{name}.json")]
    # people are found
    assert cli("report", *taken, "-o", "reserved.html", "--quiet").exit_code == 1
    ended = cli("report", *taken, "--accept", "found", "-o", "saved.html", "--quiet")
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert body(folder / "direct.html") == body(folder / "saved.html")
    # saved ones beside the data are not measured again, and must be about them
    ended = cli(
        "report", "s.csv", "--release", "r.csv", *DATA, *QUICK, *taken, "-o", "beside.html", *FOUND
    )
    assert ended.exit_code == 0, ended.stderr
    assert body(folder / "beside.html") == body(folder / "saved.html")
    (folder / "t.csv").write_text(HEAD + "\n".join(rows(40, 8)) + "\n", encoding="utf-8")
    for words, why in (
        (["s.csv", *DATA, "--items", "q1,q2"], "another part of the data"),
        (["t.csv", *DATA], "audit of another file"),
        (["s.csv", *DATA, "--k", 4], "that of the saved audit, 6"),
        (["--k", 6], "saved results have theirs"),
    ):
        ended = cli("report", *words, *taken[:2], "-o", "y.html")
        assert (ended.exit_code, why in ended.stderr) == (2, True)
    assert not (folder / "y.html").exists()
    # what a report was made of makes it again
    ended = cli("report", *taken, "--json")
    document = json.loads(ended.stdout)
    assert sorted(document["documents"]) == [
        "attack", "audit", "audit_release", "frontier", "recommend", "verify"
    ]  # fmt: skip
    (folder / "report.json").write_text(ended.stdout, encoding="utf-8")
    assert (
        cli("report", "--from", "report.json", "-o", "again.html", "--quiet", *FOUND).exit_code == 0
    )
    assert body(folder / "again.html") == body(folder / "saved.html")


def test_a_report_for_the_team_is_its_owners_alone(cli, folder, monkeypatch):
    monkeypatch.setattr("ratingpriv.report.pictures.kinds", lambda document: ())  # they take long
    words = ["report", "s.csv", *DATA, "--k", 6, "--epsilon", 1, "--skip", "attack"]
    words += ["--skip", "frontier", "--skip", "recommend"]
    assert cli(*words, "--internal", "-o", "team.html").exit_code == 1
    assert stat.S_IMODE((folder / "team.html").stat().st_mode) == 0o600
    assert "zq" in (folder / "team.html").read_text(encoding="utf-8")
    assert cli(*words, "--threshold", 1, "-o", "one.html").exit_code == 1
    assert "zq" not in (folder / "one.html").read_text(encoding="utf-8")


def test_a_release_that_was_changed_is_no_good_news(cli, folder):
    text = (folder / "r.csv").read_text(encoding="utf-8").splitlines()
    (folder / "r.csv").write_text("\n".join(text[:-1]) + "\n", encoding="utf-8")
    ended = cli(
        "report s.csv --release r.csv --skip attack --k 1 --epsilon 1 -o x.html", *DATA, *QUICK
    )
    assert ended.exit_code == 1, ended.stderr
    assert "NOT VALID" in (folder / "x.html").read_text(encoding="utf-8")
