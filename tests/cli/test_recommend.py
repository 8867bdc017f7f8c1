"""``ratingpriv recommend`` and ``ratingpriv experiment``: outputs,
what is refused, interruption.
"""

import hashlib
import json
import shlex
from pathlib import Path

import polars as pl
import pytest

from cli.stores import program

__all__ = ["program"]

ASKED = ("--found-at-most", 0.5, "--method", "modify", "--scale", "1:5", "--others", "rating")

SPEC = """
k = 2
epsilon = 1
measures = ["audit"]
[data.papers]
path = "table2.csv"
sensitive = ["issue 4"]
scale = [1, 7]
[method.suppress]
[method.modify]
"""


@pytest.fixture
def spec(table_file, tmp_path, monkeypatch):
    """A specification of two releases of Table 2, in the current folder."""
    monkeypatch.chdir(tmp_path)
    table_file(2)
    Path("s.toml").write_text(SPEC)
    return Path("s.toml")


@pytest.fixture
def people(tmp_path):
    """Sixty people, of whom every release that is made again is good for something."""
    rows = [f"r{place},{','.join(map(str, row))}" for place, row in enumerate(ROWS)]
    (tmp_path / "s.csv").write_text("\n".join(["id,work,team,tools", *rows]) + "\n")
    return tmp_path / "s.csv"


def test_recommend(cli, people, tmp_path):
    output, plot = tmp_path / "c.csv", tmp_path / "c.svg"
    ended = cli("recommend", people, *ASKED, "-o", output, "--plot", plot)
    assert ended.exit_code == 0, ended.stderr
    assert "Change ratings until those of at least" in ended.stdout
    assert "ratingpriv anonymize" in ended.stdout
    frame = pl.read_csv(output)
    assert frame["passes"].any()
    assert frame.filter(pl.col("passes"))["found.high"].max() <= 0.5
    assert "<svg" in plot.read_text()
    ended = cli("recommend", people, *ASKED, "-o", output)
    assert ended.exit_code == 2
    assert "the file exists" in ended.stderr


ROWS = [
    (place // 12 + 1, (place + 1) // 13 + 1, min(5, place // 14 + place % 7 % 2 + 1))
    for place in range(60)
]


@pytest.mark.parametrize(
    ("repeated", "asked", "code"),
    [
        (False, ("--others", "rating"), 0),
        (False, ("--others", "rating", "--found-at-most", 0.2, "--method", "modify"), 0),
        (False, (), 1),  # nobody has said what the columns are
        (False, ("--accept", "roles-guessed"), 0),
        (True, ("--others", "rating"), 1),
        (True, ("--others", "rating", "--accept", "identifier-repeats"), 0),
    ],
)
def test_the_command_that_it_proposes_ends_as_it_says(cli, tmp_path, repeated, asked, code):
    ids = [
        "ANN" if repeated and place == 1 else "Ann" if place == 0 else f"r{place}"
        for place in range(60)
    ]
    rows = [f"{who},{','.join(map(str, row))}" for who, row in zip(ids, ROWS, strict=True)]
    (tmp_path / "s.csv").write_text("\n".join(["id,work,team,tools", *rows]) + "\n")
    found = () if "--found-at-most" in asked else ("--found-at-most", 0.5)
    ended = cli("recommend", tmp_path / "s.csv", "--scale", "1:5", *found, *asked)
    assert ended.exit_code == code, ended.stdout + ended.stderr
    command = ended.stdout.partition("ratingpriv anonymize ")[2].partition("\n")[0]
    words = shlex.split(command.replace("RELEASE.csv", str(tmp_path / "r.csv")))
    made = cli("anonymize", *words)
    assert made.exit_code == code, made.stdout + made.stderr
    assert (tmp_path / "r.csv").exists()


def test_nothing_to_publish_ends_with_1(cli, table_file):
    ended = cli(
        "recommend", table_file(2), "--found-at-most", 0.2, "--k", 2, "--method", "suppress"
    )
    assert ended.exit_code == 1, ended.stderr
    assert "NOTHING TO PUBLISH" in ended.stdout
    assert "What would do" in ended.stdout
    document = json.loads(
        cli(
            "recommend",
            table_file(2),
            "--found-at-most",
            0.2,
            "--k",
            2,
            "--method",
            "suppress",
            "--json",
        ).stdout
    )
    assert document["choice"] is None
    assert document["nearest"]


def test_a_share_that_no_release_keeps_is_refused(cli, table_file):
    ended = cli("recommend", table_file(2))
    assert ended.exit_code == 2
    assert "no release of 6 records" in ended.stderr


def test_experiment(cli, spec):
    asked, output = ("experiment", spec, "-o", "e.csv"), Path("e.csv")
    ended = cli(*asked, "--intervals", "m.parquet")
    assert ended.exit_code == 0, ended.stderr
    assert "2 cells, 6 rows in e.csv" in " ".join(ended.stdout.split())
    before = output.read_bytes()
    assert pl.read_parquet("m.parquet")["of"].to_list() == [1] * 6
    ended = cli(*asked)
    assert (ended.exit_code, "the file exists" in ended.stderr) == (2, True)
    ended = cli(*asked, "--force", "--json")
    assert ended.exit_code == 0, ended.stderr
    assert "2 of 2 cells are in" in ended.stderr
    assert json.loads(ended.stdout)["cells"] == 2
    spec.write_text(SPEC.replace("k = 2", "k = 3"))
    ended = cli(*asked, "--force")
    assert (ended.exit_code, "delete the journal" in ended.stderr) == (2, True)
    assert output.read_bytes() == before


def forge(path):
    """Change a number of the first cell, and its hash with it."""
    head, line, *others = Path(path).read_text().splitlines()
    content = json.loads(line)
    content.pop("sha256")
    row = next(one for one in content["rows"] if one["measure"] == "max_k")
    row["value"] = 4711.0
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    Path(path).write_text(
        "\n".join([head, json.dumps({**content, "sha256": digest}), *others]) + "\n"
    )


def test_which_rows_a_journal_gave_is_said(cli, spec):
    """Whoever can write a journal can forge its hashes:
    what was measured here is told from what was not.
    """
    fresh = cli("experiment", spec, "-o", "e.csv", "--json")
    assert json.loads(fresh.stdout)["from_journal"] == []
    forge("e.csv.journal")
    ended = cli("experiment", spec, "-o", "e.csv", "--force", "--json")
    taken = json.loads(ended.stdout)["from_journal"]
    assert [one["method"] for one in taken] == ["suppress", "modify"]
    assert taken[0] == {
        "data": "papers", "method": "suppress", "k": 2, "epsilon": 1.0, "l": None, "seed": 0
    }  # fmt: skip
    said = " ".join(cli("experiment", spec, "-o", "e.csv", "--force").stdout.split())
    assert "not measured in this run: 2 of 2 cells" in said
    assert "A journal is no proof" in said


STOP = """
import os, signal
from ratingpriv.studies.trials import Trials
def cell(self, *key, before=Trials.cell):
    if len(self.cells) == 2:
        os.kill(os.getpid(), signal.SIGINT)
        [None for _ in range(10**9)]
    return before(self, *key)
Trials.cell = cell
"""


def test_an_interrupted_search_says_what_it_knows_and_goes_on(program, cli, tmp_path):
    rows = [f"r{place},{','.join(map(str, row))}" for place, row in enumerate(ROWS)]
    (tmp_path / "s.csv").write_text("\n".join(["id,work,team,tools", *rows]) + "\n")
    asked = ["recommend", tmp_path / "s.csv", "--scale", "1:5", "--others", "rating", "-q"]
    journal = tmp_path / "j"
    asked += [
        "--journal",
        journal,
        "--method",
        "modify",
        "--method",
        "suppress",
        "--found-at-most",
        0.3,
    ]
    asked += ["--full", "--epsilon", 0, "--k", 4, "--k", 5, "--k", 6]
    ended = program(STOP, *asked)
    assert (ended.returncode, ended.stdout) == (130, "")
    known, last = ended.stderr.splitlines()
    assert "So far this keeps the demands with least scatter: modify, k = 4, epsilon = 0" in known
    assert known.endswith("The same command continues with " + str(journal) + ".")
    assert last == "ratingpriv: interrupted"
    again = cli(*asked, "--json")
    assert again.exit_code == 0, again.stderr
    cells = json.loads(again.stdout)["cells"]
    assert [one["from_journal"] for one in cells if one["method"] == "modify"] == [
        True,
        True,
        False,
    ]


def test_which_releases_of_a_map_a_journal_gave_is_said(cli, people, tmp_path):
    journal = tmp_path / "j"
    asked = ("recommend", people, *ASKED, "--journal", journal)
    assert "from the journal" not in cli(*asked).stdout
    head, line, *others = journal.read_text().splitlines()
    content = json.loads(line)
    content.pop("sha256")
    content["rows"][0]["scatter"] = 0.4711
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    journal.write_text("\n".join([head, json.dumps({**content, "sha256": digest}), *others]) + "\n")
    ended = json.loads(cli(*asked, "--json").stdout)
    assert [one["from_journal"] for one in ended["cells"]] == [True]
    assert ended["cells"][0]["scatter"] == 0.4711
    assert "A journal is no proof" in " ".join(cli(*asked).stdout.split())


def test_the_journal_of_an_experiment_is_no_output_of_it(cli, spec):
    Path("link.csv").symlink_to("e.csv")
    for output in (["-o", "e.csv"], ["-o", "other.csv", "--intervals", "e.csv"]):
        for journal in ("e.csv", "./e.csv", "link.csv"):
            ended = cli("experiment", spec, *output, "--journal", journal, "--force")
            assert ended.exit_code == 2, (output, journal)
            assert "another file than the outputs" in ended.stderr
    assert not Path("e.csv").exists()


def test_an_experiment_writes_over_none_of_its_data(cli, spec):
    path = Path("table2.csv")
    before = path.read_bytes()
    for option in ("-o", "--intervals", "--journal"):
        words = [option, path] if option == "-o" else ["-o", "e.csv", option, path]
        ended = cli("experiment", spec, *words, "--force")
        assert ended.exit_code == 2, option
        assert "this is the input" in ended.stderr
        assert path.read_bytes() == before
