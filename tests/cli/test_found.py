"""How many people are found: the worst number that was measured,
on every page of one release alike.
"""

import json
import shutil
from pathlib import Path

import pytest

from ratingpriv.report.found import worst_found
from ratingpriv.utility.comparing import ALWAYS, no_better, worthless_caution

SURVEY = Path(__file__).parents[2] / "examples" / "survey.csv"
SAID = ("--others", "rating", "--sensitive", "pay", "--scale", "1:5")
RUN = """
[data]
others = "rating"
[columns.pay]
role = "sensitive"
[run]
data = "survey.csv"
steps = ["anonymize", "attack", "report"]
gates = ["anonymize"]
[anonymize]
k = 5
epsilon = {epsilon}
method = "modify"
{more}
[attack]
adversary = "colleague"
[report]
k = 5
epsilon = {epsilon}
skip = ["exposure", "frontier", "utility", "verify"]
"""


@pytest.fixture
def survey(tmp_path, monkeypatch):
    shutil.copy(SURVEY, tmp_path / "survey.csv")
    monkeypatch.chdir(tmp_path)
    return "survey.csv"


@pytest.mark.deep
@pytest.mark.usefixtures("survey")
def test_pages_of_one_release_say_one_number_and_never_a_weaker_one(cli):
    Path("x.toml").write_text(RUN.format(epsilon=1, more=""), encoding="utf-8")
    ended = cli("run", "x.toml")
    assert ended.exit_code == 1, ended.stderr
    told = {
        name: json.loads(Path(f"out/{name}.json").read_text("utf-8"))
        for name in ("anonymize", "attack")
    }
    worst = worst_found(told, of_release=True)
    assert worst.success["count"] == told["anonymize"]["attack"]["success"]["count"]
    weak = told["attack"]["release"]["success_of_released"]["rate"]
    assert weak < 0.09 < worst.success["rate"]
    said = "252 of 300 records (84 %)"
    pages = [
        ended.stdout,
        *(Path(f"out/{name}.txt").read_text("utf-8") for name in ("anonymize", "report")),
    ]
    assert all(said in " ".join(page.split()) for page in pages)
    assert 'class="say good"' not in Path("out/report.html").read_text("utf-8")
    assert "about 255 of 300 records" in Path("out/report.html").read_text("utf-8")


@pytest.mark.deep
@pytest.mark.usefixtures("survey")
def test_what_is_accepted_for_the_release_is_accepted_by_the_report_of_it(cli):
    Path("x.toml").write_text(RUN.format(epsilon=1, more='accept = ["found"]'), encoding="utf-8")
    ended = cli("run", "x.toml")
    assert ended.exit_code == 0, ended.stdout
    assert "84 %" in ended.stdout  # said all the same
    assert (
        Path("out/report.txt")
        .read_text("utf-8")
        .startswith("SATISFIED WITH RESERVATION (accepted): ")
    )


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--k", 5, "--epsilon", 1), 1),
        (("--k", 5, "--epsilon", 1, "--accept", "found"), 0),
        # nobody who knows a few, and all the same
        (("--k", 5, "--epsilon", 1, "--utility", "none"), 1),
        (("--k", 5, "--epsilon", 1, "--utility", "none", "--set", "found-at-most=0.9"), 0),
        (("--k", 12, "--epsilon", 0), 0),  # 25 distinct rows of 300: proved
        (("--k", 12, "--epsilon", 0, "--set", "found-at-most=0.01"), 1),
    ],
)
def test_exit_codes_of_a_release(cli, survey, options, code):
    ended = cli("anonymize", survey, *SAID, "--method", "modify", *options, "-o", "r.csv", "--json")
    assert ended.exit_code == code, ended.stdout
    told = json.loads(ended.stdout)
    due = [one["code"] for one in told["cautions"] if one["code"] in ("found", "worthless")]
    assert due == (["found"] if code or "found" in options else [])


@pytest.mark.parametrize(
    ("lost", "due"), [(0, None), (3, None), (4, "worthless"), (6, "worthless")]
)
def test_worthless_is_on_most_of_the_measures_that_every_release_has(lost, due):
    measures = {
        name: {"value": 1.0 if place < lost else 0.2, "original": 0.0, "worthless": 1.0}
        for place, name in enumerate(ALWAYS)
    }
    others = {"recommender": {"value": 2.0, "original": 0.0, "worthless": 1.0}}  # of --utility all
    assert no_better(measures) == no_better(measures | others) == (tuple(ALWAYS[:lost]), 6)
    caution = worthless_caution(measures | others)
    assert (caution and caution.code) == due


@pytest.mark.deep
def test_the_block_that_describe_proposes_ends_with_what_is_found(cli, survey):
    assert cli("describe", survey, "-o", "x.toml").exit_code in (0, 1)
    head, start, proposed = Path("x.toml").read_text("utf-8").partition("# [run]")
    lines = (start + proposed).replace("\n# ", "\n").removeprefix("# ")
    assert "colleague" not in lines
    lines = lines.replace('"frontier", ', "").replace('"utility", ', "")  # dear, and no part of it
    Path("x.toml").write_text(head + lines, encoding="utf-8")
    ended = cli("run", "x.toml")
    assert ended.exit_code == 1, ended.stderr
    said = " ".join(ended.stdout.split())
    assert "GATE FAILED at anonymize" in said
    assert "of 300 records (92.6 %) are re-identified in the release" in said
