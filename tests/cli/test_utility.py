"""``ratingpriv utility``: outputs, limits, pairings, refusals;
and what ``anonymize`` says of it.
"""

import json
import random

import pytest

import ratingpriv
from ratingpriv.base.keys import read_key
from ratingpriv.utility.measures import QUICK

_DRAW = random.Random(5)  # noqa: S311
SURVEY = "user,q1,q2,q3,pay\n" + "".join(
    f"p{i}," + ",".join(str(_DRAW.randint(1, 5)) for _ in range(4)) + "\n" for i in range(40)
)
READ = ("--scale", "1:5", "--sensitive", "pay")
STATED = ("value", "original", "worthless")
QUICKEST = ("--measure", "query_error", "--measure", "bias", "--measure", "information_loss")


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text(SURVEY, encoding="utf-8")
    return path


@pytest.fixture
def make(cli, survey, tmp_path):
    """Make a release of the survey, r.csv with r.key; gives what the command printed."""

    def run(*options, method="modify"):
        return cli(
            "anonymize", survey, *READ, "--k", 3, "--epsilon", 1, "--method", method, "--seed", 4,
            "-o", tmp_path / "r.csv", "--key", tmp_path / "r.key", "--set", "threads=1", *options,
            "--accept", "found",
        )  # fmt: skip

    return run


@pytest.fixture
def measure(cli, survey, tmp_path):
    """Measure r.csv beside the survey."""

    def run(*options):
        return cli("utility", survey, tmp_path / "r.csv", *READ, "--set", "threads=1", *options)

    return run


def words(ended):
    """What was printed, on one line and in small letters: a sentence begins with a capital."""
    return " ".join(ended.stdout.split()).lower()


def test_json_is_the_librarys(make, measure, survey, tmp_path):
    assert make().exit_code == 0
    ended = measure("--truth", tmp_path / "r.key", *QUICKEST, "--json", "--seed", 3)
    assert ended.exit_code == 0, ended.stderr
    said = {"scale": (1, 5), "sensitive": ["pay"]}
    tables = [ratingpriv.read(path, **said) for path in (survey, tmp_path / "r.csv")]
    expected = ratingpriv.utility(
        *tables, truth=read_key(tmp_path / "r.key"), rng=3,
        measures=["query_error", "bias", "information_loss"],
    ).to_dict()  # fmt: skip
    found = json.loads(ended.stdout)
    assert found == {**json.loads(json.dumps(expected)), "tool": found["tool"]}
    assert (found["pairing"], found["withheld"]) == ("key", 0)


def test_what_could_not_be_measured_keeps_no_limit(make, measure, tmp_path):
    make()
    ended = measure(*QUICKEST, "--require", "information_loss<=1")
    assert ended.exit_code == 1
    assert words(ended).startswith("failed")
    assert "it could not be measured" in words(ended)
    told = json.loads(measure(*QUICKEST, "--require", "information_loss<=1", "--json").stdout)
    assert told["gate"]["passed"] is False
    assert told["information_loss"]["value"] is None
    assert told["information_loss"]["reason"]
    assert told["query_error"]["value"] is not None  # needs no pairing
    for limit, code, verdict in (
        ("query_error>=0", 0, "PASSED: "),
        ("query_error<=0", 1, "FAILED: "),
    ):
        ended = measure(
            "--measure", "query_error", "--require", limit, "--junit", tmp_path / f"{code}.xml"
        )
        assert (ended.exit_code, ended.stdout[:8]) == (code, verdict)
        assert ("<failure" in (tmp_path / f"{code}.xml").read_text("utf-8")) is bool(code)


def test_every_question_goes_to_a_file(cli, tmp_path):
    names = [f"q{n}" for n in range(25)] + ["=1+1"]
    rows = [",".join([f"p{i}", *(str(1 + (i * n + i) % 3) for n in range(26))]) for i in range(8)]
    data = tmp_path / "wide.csv"
    data.write_text("\n".join(["user," + ",".join(names), *rows]) + "\n", encoding="utf-8")
    asked = ["utility", data, data, "--scale", "1:3", "--measure", "questions"]
    ended = cli(*asked, "--questions", tmp_path / "q.csv")
    assert ended.exit_code == 0, ended.stderr
    assert "3 of 26 items; --questions file writes all" in words(ended)
    written = (tmp_path / "q.csv").read_text("utf-8").splitlines()
    assert written[0].startswith(
        "question,ratings_before,ratings_after,mean_before,mean_after,sd_before,"
    )
    assert "answers_1_before,answers_1_after," in written[0]
    assert len(written) == 27
    assert written[-1].startswith("'=1+1,8,8,")
    assert cli(*asked, "--questions", tmp_path / "q.csv").exit_code == 2


# ---- anonymize ----


def test_anonymize_measures_what_utility_measures(make, measure, tmp_path):
    told = json.loads(make("--json").stdout)
    found = told["attack"]["success"]
    assert 0 <= found["low"] <= found["rate"] <= found["high"] <= 1
    assert told["attack"]["algorithms"] == 6
    assert tuple(told["utility"]["parameters"]["measures"]) == QUICK
    names = [argument for name in QUICK for argument in ("--measure", name)]
    found = json.loads(measure("--truth", tmp_path / "r.key", *names, "--seed", 4, "--json").stdout)
    for name in QUICK:
        one, other = ([of[name][key] for key in STATED] for of in (told["utility"], found))
        assert one == pytest.approx(other)


def test_the_manifest_has_what_the_publisher_allows(make, cli, tmp_path):
    make()
    manifest = tmp_path / "r.csv.manifest.json"
    assert "utility" not in json.loads(manifest.read_text("utf-8"))
    ended = make("--force", "--publish-utility", "bias", "--key", tmp_path / "s.key")
    assert ended.exit_code == 0, ended.stderr
    stated = json.loads(manifest.read_text("utf-8"))["utility"]
    assert list(stated) == ["bias"]
    assert set(stated["bias"]) == {"value", "low", "high", "original", "worthless"}
    assert all(
        value == float(f"{value:.2g}") for value in stated["bias"].values() if value is not None
    )
    ended = cli(
        "verify", tmp_path / "r.csv", "--verbose", "--set", "threads=1", "--accept", "found"
    )
    assert ended.exit_code == 0
    assert "utility, bias: " in words(ended).partition("stated by the publisher, not checked")[2]
    told = json.loads(cli("verify", tmp_path / "r.csv", "--json", "--set", "threads=1").stdout)
    assert told["stated_not_checked"]["utility"] == stated


def test_what_is_published_is_not_drawn_by_a_seed_that_is_known(cli, survey, tmp_path):
    asked = ["anonymize", survey, *READ, "--k", 3, "--epsilon", 1, "--method", "suppress", "--json"]
    seeds = [
        json.loads(cli(*asked, "-o", tmp_path / f"{n}.csv", *more).stdout)["utility"]["parameters"][
            "seed"
        ]
        for n, more in enumerate(((), ("--publish-utility", "all")))
    ]
    assert seeds[0] == 0
    assert seeds[1] > 0


def test_a_release_without_ratings_is_attacked_by_its_attributes(cli, tmp_path):
    rows = "".join(f"p{place},{20 + place % 2},{'ns'[place % 2]}\n" for place in range(12))
    (tmp_path / "k.csv").write_text("id,age,town\n" + rows, encoding="utf-8")
    columns = ("--id", "id", "--quasi", "age", "--quasi", "town", "--no-sensitive", "--verbose")
    asked = ("--k", 2, "--epsilon", 0, "--method", "suppress", "-o", tmp_path / "r.csv")
    ended = cli("anonymize", tmp_path / "k.csv", *columns, *asked)
    assert ended.exit_code == 1, ended.stderr
    assert "re-identifies 2 of 12 records (16.7 %" in words(ended)
    ended = cli("attack", tmp_path / "k.csv", *columns)
    assert ended.exit_code == 0, ended.stderr
    assert ended.stdout.startswith("16.7 % of 12 records re-identified")
