"""``ratingpriv attack``: outputs, the gate, --aux, --release, and everything that it refuses."""

import json

import pytest

import ratingpriv
from ratingpriv.base.keys import Key, write_key

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
    kept = [
        line for line in lines if line[1] in ("common", "usual") and line[0] not in ("r0", "r1")
    ]
    path = tmp_path / "release.csv"
    rows = "".join(f"x{record},{issue},{rating},{date}\n" for record, issue, rating, date in kept)
    path.write_text("record,issue,rating,date\n" + rows, encoding="utf-8")
    ids = [f"r{record}" for record in range(12)]
    key = Key(tuple(ids), tuple(None if one in ("r0", "r1") else f"x{one}" for one in ids))
    write_key(key, tmp_path / "release.key")
    return path


def test_json_is_the_librarys(cli, rare):
    ended = cli("attack --known 3 --wrong 1 --seed 4 --date-error 3 --json --per-target", rare)
    assert ended.exit_code == 0
    table = ratingpriv.read(rare)
    expected = ratingpriv.attack(table, known=3, wrong=1, date_error=3, rng=4).to_dict(
        per_target=True
    )
    found = json.loads(ended.stdout)
    assert found == {**json.loads(json.dumps(expected)), "tool": found["tool"]}


@pytest.mark.parametrize(("limit", "code"), [("0.99", 1), ("0", 1)])
def test_the_gate(cli, rare, limit, code):
    asked = ("attack", rare, "--known", 3, "--known-items", "rarest", "--fail-above", limit)
    ended, page = cli(*asked, "--json"), cli(*asked).stdout
    assert ended.exit_code == code
    assert json.loads(ended.stdout)["gate"] == {"fail_above": float(limit), "passed": code == 0}
    assert page.startswith("100 % of 12 targets identified in ")
    assert ("\n  PASSED: " in page, "\n  FAILED: " in page) == (code == 0, code == 1)


def test_what_could_not_be_measured_does_not_pass(cli, rare):
    ended = cli("attack", rare, "--known", 7, "--fail-above", 0.99)
    assert ended.exit_code == 1
    assert ended.stdout.startswith("100 % of 12 records")  # by whoever knows every rating
    assert "knows 7 ratings of each target: nothing was measured" in " ".join(ended.stdout.split())
    assert "FAILED: nothing was measured" in ended.stdout
    assert "Not attacked: 12 of 12 targets" in " ".join(ended.stdout.split())
    ended = cli("attack", rare, "--known", 7, "--json")
    assert ended.exit_code == 0  # without a gate nothing was demanded
    told = json.loads(ended.stdout)
    assert (told["success"]["rate"], told["success"]["high"], told["could_not_attack"]) == (
        None,
        1.0,
        12,
    )


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
    rows = [" ".join(line.split()) for line in ended.stdout.splitlines()]
    for begun in ("r3 is r3 yes", "the boss is r5 not", "nobody one of several"):
        assert [row for row in rows if row.startswith(begun)]
    told = json.loads(cli("attack", rare, "--aux", known, "--json", "--show", 3).stdout)
    assert (told["targets"], told["success"]["rate"], told["parameters"]["aux"]) == (
        1,
        1,
        "known.csv",
    )
    correct = {row["target"]: row["correct"] for row in told["per_target"]}
    assert correct == {"r3": True, "the boss": None, "nobody": None}


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
    assert cli(*asked, "--fail-above", "0.5").exit_code == 0  # the gate looks at the release
    assert cli(*asked, "--fail-above", "0.1").exit_code == 1
    copy = tmp_path / "copy.csv"
    copy.write_text(RARE.replace("2020-01-01", "2020-01-02"), encoding="utf-8")
    kept = ("attack --known 3 --known-items rarest --truth ids --json", rare, "--release", copy)
    told = json.loads(cli(*kept).stdout)
    assert (told["release"]["success"]["rate"], told["difference"]["rate"]) == (1, 0)


def test_sweep_sparsity_and_plot(cli, rare, tmp_path):
    ended = cli(
        "attack", rare, "--sweep", "known=1,3", "--sweep", "date-error=none,3", "--sparsity",
        "--plot", tmp_path / "shape.svg", "--output", tmp_path / "result.json",
    )  # fmt: skip
    assert ended.exit_code == 0
    assert "What more or less knowledge does" in ended.stdout
    assert "Similarity of the records" in ended.stdout
    assert (tmp_path / "shape.svg").read_text(encoding="utf-8").count("<svg") == 1
    told = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    settings = [(row["known"], row["date_error"]) for row in told["sweep"]]
    assert settings == [(1, None), (1, 3), (3, None), (3, 3)]
    assert told["sparsity"]["records"] == 12
    assert told["theorem_1"][0]["known"] == 2


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            "--known 2 --algorithm scoreboard --rating-error 1",
            {"rating_tolerance": 1.0, "alpha": 0.0},
        ),
        ("--known 2 --algorithm entropic --set rho0=2 --set d0=9", {"rho0": 2.0, "d0": 9.0}),
        (
            "--known 2 --algorithm scoreboard-rh --set phi=3 --set interval=clopper-pearson "
            "--set confidence=0.9",
            {"phi": 3.0, "confidence": 0.9, "interval": "clopper-pearson"},
        ),
        ("--known 4 --set unrated=1 --set knows-count=0.5", {"unrated": 1, "knows_count": 0.5}),
        (
            # an option goes before the adversary
            "--adversary netflix --date-error none --wrong 0",
            {"adversary": "netflix", "known": 6, "wrong": 0, "date_error": None},
        ),
    ],
)
def test_options_reach_the_attack(cli, rare, asked, expected):
    told = json.loads(
        cli(f"attack {asked} --target r7 --target r2 --json --per-target", rare).stdout
    )
    assert {name: told["parameters"][name] for name in expected} == expected
    assert [row["target"] for row in told["per_target"]] == ["r7", "r2"]
