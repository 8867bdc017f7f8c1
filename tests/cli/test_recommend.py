"""``ratingpriv recommend`` and ``ratingpriv experiment``: outputs, what is refused, interruption."""

import json
from pathlib import Path

import polars as pl
import pytest

ASKED = ("--k", 2, "--epsilon", 1, "--method", "suppress", "--scale", "1:7", "--sensitive", "issue 4", "-q")

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


def test_recommend(cli, table_file, tmp_path):
    output, plot = tmp_path / "c.csv", tmp_path / "c.svg"
    ended = cli("recommend", table_file(2), *ASKED, "-o", output, "--plot", plot)
    assert ended.exit_code == 0, ended.stderr
    assert "1 release measured, 1 on the front" in ended.stdout
    assert "ratingpriv anonymize" in ended.stdout
    frame = pl.read_csv(output)
    assert frame.filter(pl.col("measure") == "max_k")["value"].to_list() == [2.0]
    assert frame["front"].to_list() == [True] * len(frame)
    assert "<svg" in plot.read_text()
    ended = cli("recommend", table_file(2), *ASKED, "-o", output)
    assert ended.exit_code == 2
    assert "the file exists" in ended.stderr


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
