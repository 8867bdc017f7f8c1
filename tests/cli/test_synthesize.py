"""``ratingpriv synthesize``: options become the model's parameters,
and the files can be read back.
"""

import pytest

import ratingpriv
from ratingpriv.data.formats import generating
from ratingpriv.data.formats.generating import Parameter, Written


class Recorder:
    """A generator that writes nothing and remembers what it was asked."""

    name, description = "recorder", "remembers"
    parameters = (
        Parameter("factors", 3, "how many"),
        Parameter("missing", 0.0, "share"),
        Parameter("patterns", None, "how many"),
        Parameter("dated", False, "whether"),
        Parameter("sensitive", ("a",), "names"),
    )

    def write(self, path, **asked):
        self.asked = {**asked, "path": path}
        return Written(
            path, "wide", asked["records"], asked["issues"], 7, (), asked["seed"], "none"
        )


@pytest.fixture
def recorder(monkeypatch):
    found = Recorder()
    monkeypatch.setattr(generating, "generators", lambda: {"recorder": found})
    return found


@pytest.fixture
def ask(cli, recorder):
    return lambda *options: cli("synthesize", "--model", "recorder", "-o", "x.csv", *options)


def test_options_become_parameters(ask, recorder):
    asked = [
        "--records",
        5,
        "--items",
        4,
        "--seed",
        3,
        "--layout",
        "long",
        "--force",
        "--set",
        "factors=2",
    ]
    asked += [
        "--set",
        "missing=0.25",
        "--set",
        "patterns=9",
        "--sensitive",
        "b",
        "--sensitive",
        "c",
    ]
    ended = ask(*asked, "--set", "dated=true")
    assert ended.exit_code == 0, ended.stderr
    recorder.asked.pop("progress")
    assert recorder.asked == {
        "path": "x.csv", "records": 5, "issues": 4, "seed": 3, "layout": "long", "force": True,
        "factors": 2,
        "missing": 0.25, "patterns": 9, "sensitive": ("b", "c"), "dated": True,
    }  # fmt: skip
    assert "wrote x.csv: 5 records, 4 items, 7 ratings" in ended.stderr
    assert ask().exit_code == 0  # what is not said is left to the model
    assert set(recorder.asked) == {
        "path",
        "records",
        "issues",
        "seed",
        "layout",
        "force",
        "progress",
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "levels=5"], "levels: found '5', expected a parameter of the model recorder"),
        (["--set", "dated=maybe"], "yes or no"),
        (["--set", "factors=1.5"], "factors: found '1.5'"),
        (["--set", "missing=some"], "missing: found 'some'"),
        (["--seed", "-1"], "seed: found '-1'"),
    ],
)
def test_wrong_usage(ask, options, message):
    ended = ask(*options)
    assert ended.exit_code == 2
    assert message in ended.stderr


def test_list(cli, recorder):
    assert cli("synthesize", "--list").stdout.splitlines() == [
        "recorder: remembers",
        "  factors: how many (default 3)",
        "  missing: share (default 0.0)",
        "  patterns: how many",
        "  dated: whether (default False)",
        "  sensitive: names (default a)",
    ]


# with the real models


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_survey_can_be_read_back_and_repeated(cli, tmp_path, suffix):
    asked = ("--records", 50, "--items", 4, "--sensitive", "income", "-q")
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        ended = cli("synthesize", "-o", tmp_path / f"{name}{suffix}", "--seed", seed, *asked)
        assert (ended.exit_code, ended.stdout, ended.stderr) == (0, "", "")
    tables = (ratingpriv.read(tmp_path / f"{name}{suffix}", sensitive=["income"]) for name in "abc")
    a, b, c = (table.to_wide("polars") for table in tables)
    assert a.equals(b)
    assert not a.equals(c)
    assert a.height == 50
