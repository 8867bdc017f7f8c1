"""``ratingpriv recommend`` and ``ratingpriv experiment``: outputs, what is refused, interruption."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from ratingpriv.studies.measuring import Measurer

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


def flat(text):
    return " ".join(text.split())


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


def test_experiment(cli, table_file, tmp_path):
    table_file(2)
    spec, output, means = tmp_path / "s.toml", tmp_path / "e.csv", tmp_path / "m.parquet"
    spec.write_text(SPEC)
    ended = cli("experiment", spec, "-o", output, "--intervals", means)
    assert ended.exit_code == 0, ended.stderr
    assert f"2 cells, 6 rows in {output}" in flat(ended.stdout)
    before = output.read_bytes()
    assert pl.read_parquet(means)["of"].to_list() == [1] * 6
    ended = cli("experiment", spec, "-o", output)
    assert ended.exit_code == 2
    assert "the file exists" in ended.stderr
    ended = cli("experiment", spec, "-o", output, "--force", "--json")
    assert ended.exit_code == 0, ended.stderr
    assert "2 of 2 cells are in" in ended.stderr
    assert json.loads(ended.stdout)["cells"] == 2
    assert output.read_bytes() == before
    spec.write_text(SPEC.replace("k = 2", "k = 3"))
    ended = cli("experiment", spec, "-o", output, "--force")
    assert ended.exit_code == 2
    assert "delete the journal" in ended.stderr
    assert output.read_bytes() == before


def test_an_interrupted_experiment_ends_with_130_and_goes_on(cli, table_file, tmp_path, monkeypatch):
    table_file(2)
    spec, output = tmp_path / "s.toml", tmp_path / "e.csv"
    spec.write_text(SPEC)
    rows = Measurer.rows

    def interrupted(self, cell):
        if cell.method == "modify":
            raise KeyboardInterrupt
        return rows(self, cell)

    monkeypatch.setattr(Measurer, "rows", interrupted)
    ended = cli("experiment", spec, "-o", output)
    assert ended.exit_code == 130
    assert not output.exists()
    monkeypatch.undo()
    ended = cli("experiment", spec, "-o", output)
    assert "1 of 2 cells are in" in ended.stderr
    resumed = output.read_bytes()
    assert cli("experiment", spec, "-o", tmp_path / "whole.csv").exit_code == 0
    assert (tmp_path / "whole.csv").read_bytes() == resumed


def test_the_journal_of_an_experiment_is_no_output_of_it(cli, table_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table_file(2)
    Path("s.toml").write_text(SPEC)
    Path("link.csv").symlink_to("e.csv")
    for output in (["-o", "e.csv"], ["-o", "other.csv", "--intervals", "e.csv"]):
        for journal in ("e.csv", "./e.csv", "link.csv"):
            ended = cli("experiment", "s.toml", *output, "--journal", journal, "--force")
            assert ended.exit_code == 2, (output, journal)
            assert "another file than the outputs" in ended.stderr
    assert not Path("e.csv").exists()


def test_an_experiment_writes_over_none_of_its_data(cli, table_file, tmp_path):
    path = table_file(2)
    before = path.read_bytes()
    spec = tmp_path / "s.toml"
    spec.write_text(SPEC)
    for option in ("-o", "--intervals", "--journal"):
        words = [option, path] if option == "-o" else ["-o", tmp_path / "e.csv", option, path]
        ended = cli("experiment", spec, *words, "--force")
        assert ended.exit_code == 2, option
        assert "this is the input" in ended.stderr
        assert path.read_bytes() == before
