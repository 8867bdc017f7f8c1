"""``ratingpriv attack``: outputs, the gate, --aux, --release, and everything that it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ratingpriv
from ratingpriv.base.keys import Key, write_key

SURVEY = Path(__file__).parents[2] / "examples" / "survey.csv"
RARE = "record,issue,rating,date\n" + "".join(
    f"r{record},{issue},{1 + (record + place) % 5},2020-01-{1 + record:02d}\n"
    for record in range(12)
    for place, issue in enumerate([*(f"own {record} {n}" for n in range(4)), "common", "usual"])
)


@pytest.fixture
def rare(tmp_path):
    """A file in which everybody can be found."""
    path = tmp_path / "rare.csv"
    path.write_text(RARE, encoding="utf-8")
    return path


@pytest.fixture
def release(rare, tmp_path):
    """Its release without the rare issues, of all but two records, and the key."""
    lines = [line.split(",") for line in RARE.splitlines()[1:]]
    kept = [line for line in lines if line[1] in ("common", "usual") and line[0] not in ("r0", "r1")]
    path = tmp_path / "release.csv"
    rows = "".join(f"x{record},{issue},{rating},{date}\n" for record, issue, rating, date in kept)
    path.write_text("record,issue,rating,date\n" + rows, encoding="utf-8")
    ids = [f"r{record}" for record in range(12)]
    key = Key(tuple(ids), tuple(None if one in ("r0", "r1") else f"x{one}" for one in ids))
    write_key(key, tmp_path / "release.key")
    return path


def test_json_is_the_librarys(cli, rare):
    ended = cli(
        "attack", rare, "--known", 3, "--wrong", 1, "--seed", 4, "--date-error", 3, "--json", "--per-target"
    )
    assert ended.exit_code == 0
    table = ratingpriv.read(rare)
    expected = ratingpriv.attack(table, known=3, wrong=1, date_error=3, rng=4).to_dict(per_target=True)
    found = json.loads(ended.stdout)
    assert found == {**json.loads(json.dumps(expected)), "tool": found["tool"]}


def test_the_page_says_what_was_assumed_and_what_it_does_not_prove(cli, rare):
    ended = cli("attack", rare, "--known", 3, "--known-items", "rarest", "--date-error", 3, "--wrong", 1)
    page = " ".join(ended.stdout.split())
    assert page.startswith("100 % of 12 targets identified in ")
    for words in (
        "95 % interval 75.8 % to 100 %",
        "3 ratings of each target, of the target's least answered questions, of which 1 is completely wrong",
        "with dates correct within 3 days",
        "A low number is no proof.",
        "by the strongest of 5 attacks (best-candidate)",
        "With the target's own record taken out",
        "seed 0",
    ):
        assert words in page


@pytest.mark.parametrize(("limit", "code"), [("1", 0), ("0.99", 1), ("0", 1)])
def test_the_gate(cli, rare, limit, code):
    ended = cli("attack", rare, "--known", 3, "--known-items", "rarest", "--fail-above", limit, "--json")
    assert ended.exit_code == code
    assert json.loads(ended.stdout)["gate"] == {"fail_above": float(limit), "passed": code == 0}


def test_what_could_not_be_measured_does_not_pass(cli, rare):
    ended = cli("attack", rare, "--known", 7, "--fail-above", 1)
    assert ended.exit_code == 1
    assert ended.stdout.startswith("NOT MEASURED")
    assert "FAILED: nothing was measured" in ended.stdout
    assert "12 of 12 targets could not be attacked" in " ".join(ended.stdout.split())
    ended = cli("attack", rare, "--known", 7, "--json")
    assert ended.exit_code == 0  # without a gate nothing was demanded; the headline says NOT MEASURED
    told = json.loads(ended.stdout)
    assert (told["success"]["rate"], told["success"]["high"], told["could_not_attack"]) == (None, 1.0, 12)


def test_the_gate_takes_the_strongest_attack(cli):
    """It passed at 1.3 % by Scoreboard-RH, on a page that said 81.4 % for the best candidate."""
    asked = ["attack", SURVEY, "--known", 6, "--fail-above", 0.05]
    ended = cli(*asked)
    assert ended.exit_code == 1
    assert ended.stdout.startswith("81.4 % of 298 targets identified in ")
    assert "by the strongest of 5 attacks (best-candidate)" in ended.stdout.splitlines()[0]
    assert "FAILED: the interval reaches up to 85.4 %" in ended.stdout
    alone = cli(*asked, "--algorithm", "scoreboard-rh")
    assert alone.exit_code == 1  # it names hardly anybody, and puts the targets' own records first
    assert alone.stdout.startswith("1.3 % of 298 targets identified in ")
    assert "FAILED: the interval of profile disclosure reaches up to" in alone.stdout
    told = json.loads(cli(*asked, "--json").stdout)
    assert [row["algorithm"] for row in told["suite"]] == [
        "scoreboard", "matching-set", "scoreboard-rh", "entropic", "best-candidate",
    ]  # fmt: skip
    assert told["success"] == told["suite"][-1]["success"]
    assert told["gate"] == {"fail_above": 0.05, "passed": False}


def test_known_fits_the_data_by_default(cli, rare):
    told = json.loads(cli("attack", rare, "--json").stdout)  # six ratings each, of fifty questions
    assert (told["parameters"]["known"], told["targets"]) == (6, 12)
    told = json.loads(cli("attack", rare, "--sweep", "rating-error=0,1", "--fail-above", 1, "--json").stdout)
    assert [row["known"] for row in told["sweep"]] == [6, 6]
    assert told["gate"]["passed"] is True


def test_points_that_were_not_measured_say_so(cli, rare):
    page = cli("attack", rare, "--sweep", "known=2,7,all").stdout
    rows = [line.split() for line in page.splitlines()]
    assert ["7", "not", "measured", "0", "12"] in rows
    assert any(row[:2] == ["all", "100.0"] for row in rows)


@pytest.mark.parametrize("name", ["colleague", "web-shop", "netflix", "everything"])
def test_adversaries(cli, rare, name):
    asked = ["attack", rare, "--adversary", name]
    if name == "netflix":
        ended = cli(*asked)  # the file spans 11 days: no date in it is wrong by more than 14
        assert ended.exit_code == 2
        assert "less than half of the 11 days" in ended.stderr
        asked += ["--date-error", 3]
    told = json.loads(cli(*asked, "--json").stdout)
    assert told["parameters"]["adversary"] == name
    assert told["targets"] == 12
    assert f"Adversary {name}: " in cli(*asked).stdout


def test_an_option_goes_before_the_adversary(cli, rare):
    asked = ["attack", rare, "--adversary", "netflix", "--date-error", "none", "--wrong", 0, "--json"]
    told = json.loads(cli(*asked).stdout)["parameters"]
    assert (told["adversary"], told["known"], told["wrong"], told["date_error"]) == ("netflix", 6, 0, None)


def test_aux_prints_verdicts_and_candidates(cli, rare, tmp_path):
    known = tmp_path / "known.csv"
    known.write_text(
        "target,issue,rating,date\nr3,own 3 0,4,2020-01-04\nr3,own 3 1,5,\n"
        "the boss,own 5 2,3,\nthe boss,common,1,\nnobody,usual,5,\n",
        encoding="utf-8",
    )
    ended = cli("attack", rare, "--aux", known)
    assert "the boss" not in ended.stdout
    assert "--show 20 lists" in " ".join(ended.stdout.split())
    ended = cli("attack", rare, "--aux", known, "--show", 20)
    assert ended.exit_code == 0
    rows = [line.split() for line in ended.stdout.splitlines()]
    assert any(row[:4] == ["r3", "is", "r3", "yes"] for row in rows)
    assert any(row[:5] == ["the", "boss", "is", "r5", "not"] for row in rows)
    assert any(row[:4] == ["nobody", "one", "of", "several"] for row in rows)
    told = json.loads(cli("attack", rare, "--aux", known, "--json", "--show", 3).stdout)
    assert told["targets"] == 1
    assert told["success"]["rate"] == 1
    assert [row["target"] for row in told["per_target"]] == ["r3", "the boss", "nobody"]
    assert [row["correct"] for row in told["per_target"]] == [True, None, None]
    assert told["parameters"]["aux"] == "known.csv"


def test_aux_about_strangers_measures_nothing(cli, rare, tmp_path):
    known = tmp_path / "known.csv"
    known.write_text("target,issue,rating\nstranger,common,2\n", encoding="utf-8")
    ended = cli("attack", rare, "--aux", known, "--fail-above", 1)
    assert ended.exit_code == 1
    assert "NOT MEASURED" in ended.stdout


def test_release_and_key(cli, rare, release, tmp_path):
    asked = ["attack", rare, "--release", release, "--truth", tmp_path / "release.key"]
    asked += ["--known", 3, "--known-items", "rarest"]
    told = json.loads(cli(*asked, "--json").stdout)
    assert told["success"]["rate"] == 1
    after = told["release"]
    assert (after["released"], after["withheld"], after["success"]["rate"]) == (10, 2, 0)
    assert after["lost_knowledge"] == {"ratings": 36, "of": 36, "targets": 12}
    assert told["difference"]["rate"] == -1
    assert told["difference"]["high"] < 0
    page = " ".join(cli(*asked).stdout.split())
    for words in (
        "0 % of 12 targets identified in",
        "Before, in",
        "changed by -100.0 points",
        "2 targets of 12",
    ):
        assert words in page
    assert cli(*asked, "--fail-above", "0.5").exit_code == 0  # the gate looks at the release
    assert cli(*asked, "--fail-above", "0.1").exit_code == 1


def test_a_release_that_kept_its_ids(cli, rare, tmp_path):
    copy = tmp_path / "copy.csv"
    copy.write_text(RARE.replace("2020-01-01", "2020-01-02"), encoding="utf-8")
    told = json.loads(
        cli(
            "attack",
            rare,
            "--release",
            copy,
            "--truth",
            "ids",
            "--known",
            3,
            "--known-items",
            "rarest",
            "--json",
        ).stdout
    )
    assert told["release"]["success"]["rate"] == 1
    assert told["difference"]["rate"] == 0


def test_sweep_sparsity_and_plot(cli, rare, tmp_path):
    ended = cli(
        "attack", rare, "--sweep", "known=1,3", "--sweep", "date-error=none,3", "--sparsity",
        "--plot", tmp_path / "shape.svg", "--output", tmp_path / "result.json",
    )  # fmt: skip
    assert ended.exit_code == 0
    assert "What more or less knowledge does" in ended.stdout
    assert "How alone the records are" in ended.stdout
    assert (tmp_path / "shape.svg").read_text(encoding="utf-8").count("<svg") == 1
    told = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert [(row["known"], row["date_error"]) for row in told["sweep"]] == [
        (1, None),
        (1, 3),
        (3, None),
        (3, 3),
    ]
    assert told["sparsity"]["records"] == 12
    assert told["theorem_1"][0]["known"] == 2


def test_plots_of_a_single_attack(cli, rare, release, tmp_path):
    cli("attack", rare, "--known", 3, "--plot", tmp_path / "one.png")
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    key = tmp_path / "release.key"
    ended = cli(
        "attack", rare, "--release", release, "--truth", key, "--known", 3, "--plot", tmp_path / "two.svg"
    )
    assert ended.exit_code == 0
    assert "12 targets identified in" in (tmp_path / "two.svg").read_text(encoding="utf-8")


def test_text_output_and_per_target(cli, rare, tmp_path):
    ended = cli("attack", rare, "--known", 3, "--per-target", "--show", 2, "--output", tmp_path / "page.txt")
    assert (tmp_path / "page.txt").read_text(encoding="utf-8").startswith(ended.stdout)
    assert "2 of 12 targets shown" in ended.stdout


def test_targets_by_id(cli, rare):
    told = json.loads(
        cli("attack", rare, "--known", 3, "--target", "r7", "--target", "r2", "--json", "--per-target").stdout
    )
    assert [row["target"] for row in told["per_target"]] == ["r7", "r2"]


def test_algorithms_and_parameters(cli, rare):
    for asked, expected in (
        (["--algorithm", "scoreboard", "--rating-error", 1], {"rating_tolerance": 1.0, "alpha": 0.0}),
        (["--algorithm", "entropic", "--set", "rho0=2", "--set", "d0=9"], {"rho0": 2.0, "d0": 9.0}),
        (
            [
                "--algorithm",
                "scoreboard-rh",
                "--set",
                "phi=3",
                "--set",
                "interval=clopper-pearson",
                "--set",
                "confidence=0.9",
            ],
            {"phi": 3.0, "confidence": 0.9},
        ),
    ):
        told = json.loads(cli("attack", rare, "--known", 2, *asked, "--json").stdout)
        assert {name: told["parameters"][name] for name in expected} == expected


def test_json_is_all_there_is_on_stdout(process, rare):
    ended = process("attack", rare, "--known", 3, "--json", "-v")
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["schema"] == "ratingpriv.attack/2"
    assert process("attack", rare, "--known", "3", "--json", "-q").stderr == ""


REFUSED = [
    (["--known", "0"], "known"),
    (["--known", "two"], "known"),
    (["--wrong", "9"], "wrong"),
    (["--rating-error", "-1"], "rating-error"),
    (["--date-error", "soon"], "date-error"),
    (["--known-items", "top:3"], "items"),
    (["--known-items", "not-top:99999"], "items"),
    (["--targets", "13"], "at most the table's 12 records"),  # fewer targets than asked
    (["--targets", "some"], "targets"),
    (["--target", "r99"], "ids of the 12 records"),  # a target that is not in the data
    (["--targets", "3", "--target", "r1"], "one of the two"),
    (["--known", "7", "--set", "short=refuse"], "fewer"),  # m larger than a target's ratings
    (["--set", "short=maybe"], "skip, refuse"),
    (["--algorithm", "guess"], "scoreboard-rh"),
    (["--algorithm", "best-candidate", "--set", "alpha=0.5"], "option of best-candidate"),
    (["--known", "most"], "a whole number >= 1, or all"),
    (["--known", "all", "--wrong", "1"], "0 where all ratings are known"),
    (["--adversary", "spy"], "colleague, web-shop, netflix, everything"),
    (["--aux", "x.csv", "--adversary", "netflix"], "with --aux"),
    (["--algorithm", "scoreboard", "--set", "phi=2"], "option of scoreboard"),
    (["--set", "rho0=0"], "rho0"),
    (["--fail-above", "5"], "a rate from 0 to 1"),
    (["--set", "confidence=95"], "confidence"),
    (["--set", "interval=wald"], "interval"),
    (["--sweep", "known"], "NAME=VALUE"),
    (["--sweep", "seed=1,2"], "known, wrong"),
    (["--sweep", "known=1,0"], "sweep known"),
    (["--sweep", "known=1", "--sweep", "known=2"], "another NAME"),
    (["--truth", "ids"], "--release"),
    (["--release", "no-such-file.csv"], "truth"),
    (["--release", "no-such-file.csv", "--truth", "ids"], "no-such-file.csv"),
    (["--plot", "figure.jpeg"], ".svg, .png or .pdf"),
    (["--plot", "figure.svg", "--set", "plot-kind=pie"], "one of tradeoff"),
    (["--plot", "figure.svg", "--set", "plot-kind=sweep"], "--sweep beside it"),
    (["--set", "plot-kind=attack"], "a --plot FILE"),
    (["--output", "-"], "--json"),
    (["--output", "nowhere/result.json"], "does not exist"),
    (["--set", "threads=0"], "threads"),
    (["--set", "memory=much"], "memory"),
    (["--aux", "no-such-aux.csv"], "no-such-aux.csv"),
    (["--aux", "x.csv", "--known", "3"], "with --aux"),
    (["--aux", "x.csv", "--set", "unrated=1"], "with --aux"),
    (["--aux", "x.csv", "--set", "knows-count=0.5"], "with --aux"),
    (["--set", "theta=1.5"], "a rate from 0 to 1"),
    (["--set", "unrated=-1"], "a whole number"),
    (["--set", "unrated=3"], "at most 2"),
    (["--set", "knows-count=1"], "from 0 up to but not including 1"),
    (["--aux", "x.csv", "--sweep", "known=3"], "with --aux"),
]


@pytest.mark.parametrize(
    ("asked", "words"), REFUSED, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_bad_usage(cli, rare, tmp_path, monkeypatch, asked, words):
    monkeypatch.chdir(tmp_path)
    known = [] if "--known" in asked or "--aux" in asked else ["--known", "3"]
    ended = cli("attack", rare, *known, *asked)
    assert ended.exit_code == 2
    assert words in " ".join(ended.stderr.split())
    assert ended.stdout == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rare.csv"]


def test_dates_asked_for_where_there_are_none(cli, tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("record,issue,rating\na,x,1\na,y,2\nb,x,2\n", encoding="utf-8")
    ended = cli("attack", path, "--known", 1, "--date-error", 3)
    assert ended.exit_code == 2
    assert "without timestamps" in ended.stderr


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["r1,no such issue,3"], "no such issue"),
        (["r1,common,9"], "on the scale 1..5"),
        (["r1,common,"], "no rating"),
        (["r1,common,many"], "found text ('many')"),
        ([], "no known rating"),
        (["r1,common,3,someday"], "found text ('someday')"),
        (["r1,common,3", "r1,common,4"], "again"),
        ([",common,3"], "no target"),
    ],
)
def test_bad_auxiliary_information(cli, rare, tmp_path, lines, words):
    known = tmp_path / "known.csv"
    rows = [line if line.count(",") == 3 else line + "," for line in lines]
    known.write_text("\n".join(["target,issue,rating,date", *rows]) + "\n", encoding="utf-8")
    ended = cli("attack", rare, "--aux", known, "--show-cells")
    assert ended.exit_code == 2
    assert words in ended.stderr
    if lines:
        assert f"known.csv, line {1 + len(lines)}" in ended.stderr


def test_a_key_of_another_release(cli, rare, release, tmp_path):
    key = tmp_path / "other.key"
    write_key(Key(("a", "b"), ("c", None)), key)
    ended = cli("attack", rare, "--release", release, "--truth", key, "--known", 3)
    assert ended.exit_code == 2
    assert "found 'a key without record no. 1', expected every original record" in ended.stderr
    ended = cli("attack", rare, "--release", release, "--truth", rare, "--known", 3)
    assert ended.exit_code == 2
    assert "a key file" in ended.stderr


def test_names_cannot_repaint_the_terminal(cli, tmp_path):
    path = tmp_path / "evil.csv"
    path.write_text(
        "record,issue,rating\n\x1b[2Jann,x,1\n\x1b[2Jann,y,2\nbob,y,2\nbob,z,2\n", encoding="utf-8"
    )
    ended = cli("attack", path, "--known", 2, "--per-target")
    assert "\x1b" not in ended.stdout


def twins(path, released=False):
    """100 identical pairs of records, each pair with one secret of its own."""
    lines = ["id," + ",".join(f"q{issue}" for issue in range(12)) + ",secret"]
    ratings = np.random.default_rng(3).integers(1, 6, (100, 12)).tolist()
    for record in range(200):
        pair = record // 2
        lines.append(f"{'x' if released else 'r'}{record}," + ",".join(map(str, (*ratings[pair], pair))))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_twins_with_equal_secrets_are_found_not_safe(cli, tmp_path):
    """Nobody can be told apart from the twin, and everything about everybody is learned."""
    asked = [
        "attack", twins(tmp_path / "twins.csv"), "--sensitive", "secret", "--known", 8, "--set", "theta=1",
        "--fail-above", 0.6,
    ]  # fmt: skip
    ended = cli(*asked)
    page = " ".join(ended.stdout.split())
    assert ended.exit_code == 1
    assert page.startswith("50 % of 200 targets identified in ")
    assert "Profile disclosure: for 100 % the records that fit best are identical" in page
    assert (
        "Attribute inference: secret is guessed correctly for 100 %; its commonest answer is correct for 1 %"
        in page
    )
    assert "FAILED: the interval of profile disclosure reaches up to 100 %; the limit is 60 %" in page
    assert "Success by similarity of 200 targets: 100 %" in page
    assert "Of 200 of 200 targets several records fit best and are identical" in page
    told = json.loads(cli(*asked, "--json").stdout)
    assert (told["success"]["rate"], told["profile"]["rate"], told["similar"]["rate"]) == (0.5, 1, 1)
    secret = told["inference"]["sensitive"]["secret"]
    assert (secret["correct"]["rate"], secret["baseline"]["rate"]) == (1, pytest.approx(0.01))
    assert told["gate"]["passed"] is False
    assert {"profile-disclosed", "inference-above-baseline"} <= {one["code"] for one in told["cautions"]}
    assert {row["algorithm"]: row["success"]["count"] for row in told["suite"]} == {
        "scoreboard": 0, "matching-set": 100, "scoreboard-rh": 0, "entropic": 0, "best-candidate": 100,
    }  # fmt: skip


def test_a_release_is_judged_by_what_is_true_of_the_people(cli, tmp_path):
    original = twins(tmp_path / "twins.csv")
    release = twins(tmp_path / "released.csv", released=True)
    text = release.read_text(encoding="utf-8").splitlines()
    wrong = [
        text[0],
        *(line.rpartition(",")[0] + f",{(place // 2 + 1) % 100}" for place, line in enumerate(text[1:])),
    ]
    release.write_text("\n".join(wrong) + "\n", encoding="utf-8")
    ids = tuple(f"r{record}" for record in range(200))
    write_key(Key(ids, tuple("x" + one[1:] for one in ids)), tmp_path / "r.key")
    told = json.loads(
        cli(
            "attack", original, "--sensitive", "secret", "--known", 8, "--release", release, "--truth",
            tmp_path / "r.key", "--json",
        ).stdout
    )  # fmt: skip
    assert told["inference"]["sensitive"]["secret"]["correct"]["rate"] == 1
    assert told["release"]["inference"]["sensitive"]["secret"]["correct"]["rate"] == 0
    assert told["release"]["profile"]["rate"] == 1


def test_unrated_and_counted_knowledge(cli, rare):
    told = json.loads(
        cli("attack", rare, "--known", 4, "--set", "unrated=1", "--set", "knows-count=0.5", "--json").stdout
    )
    assert (told["parameters"]["unrated"], told["parameters"]["knows_count"]) == (1, 0.5)
    page = " ".join(
        cli("attack", rare, "--known", 4, "--set", "unrated=1", "--set", "knows-count=0.5").stdout.split()
    )
    assert "4 ratings of each target, of any questions, 1 of questions that the target did not answer" in page
    assert "About how many questions each target answered is known, within 50 %" in page
    swept = cli(
        "attack", rare, "--known", 4, "--sweep", "unrated=0,1", "--sweep", "knows-count=none,0.5", "--json"
    )
    rows = json.loads(swept.stdout)["sweep"]
    assert [(row["unrated"], row["knows_count"]) for row in rows] == [
        (0, None),
        (0, 0.5),
        (1, None),
        (1, 0.5),
    ]
    assert all(row["both_right"]["of"] == 12 for row in rows)
