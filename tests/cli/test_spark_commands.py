"""Commands with ``--engine spark``: what is handed on, refused and said. Spark is played by doubles.

What runs on Spark is in tests/spark.
"""

from __future__ import annotations

import contextlib
import json
from types import SimpleNamespace

import pytest
from typer.main import get_command

import ratingpriv.spark.session.work
from ratingpriv.audit.frontier.frontier import frontier
from ratingpriv.cautions import Caution
from ratingpriv.cli import app
from ratingpriv.cli.options.spark import ANSWERED, ONLY, OnSpark, SparkOptions
from ratingpriv.errors import ResourceError, TargetNotReachedError
from ratingpriv.formats.reading import read
from ratingpriv.spark.groups.grouping import Modification
from ratingpriv.spark.groups.methods import Done
from ratingpriv.spark.groups.releasing import Released
from ratingpriv.spark.groups.suppression import Suppression
from ratingpriv.target import Target

REFUSED_DATA = {"attributes", "decimal_comma", "duplicates", "sample", "seed", "sheet"}


@pytest.fixture
def played(monkeypatch):
    """Play a function of ``ratingpriv.spark``: gives what it was handed; no session is opened."""
    handed = SimpleNamespace(arguments=None, order=[])

    @contextlib.contextmanager
    def reading(self, data, reading, reporter):
        handed.order.append("session")
        yield OnSpark("the frame", {"issues": reading.issues, "name": data, **reading.words()})

    monkeypatch.setattr(SparkOptions, "reading", reading)

    def play(name, function):
        def double(df, **arguments):
            assert df == "the frame"
            handed.arguments = arguments
            return function(**arguments)

        monkeypatch.setattr(f"ratingpriv.spark.{name}", double, raising=False)
        return handed

    return play


@pytest.mark.parametrize("command", ANSWERED)
def test_every_option_is_answered_or_refused_by_name(command):
    """Whoever adds an option says here what it does on Spark: a new one is refused until then."""
    there = {param.name for param in get_command(app).commands[command].params} - {"help", "help_data"}
    assert ANSWERED[command] <= there
    assert there - ANSWERED[command] == REFUSED[command]
    assert set(ONLY.get(command, {})) <= ANSWERED[command]


REFUSED: dict[str, set[str]] = {
    "audit": REFUSED_DATA | {"threads", "exposure"},
    "frontier": REFUSED_DATA | {"threads", "recode", "rows"},
    "anonymize": (REFUSED_DATA - {"seed"}) | {
        "threads", "force", "plot", "plot_kind", "fill", "no_fabricate", "scheme",
        "diversity", "factors", "bins", "centres", "strip_ids", "keep_timestamps", "key", "sign",
        "order_seed", "csv_safe", "output_format", "output_layout", "labels", "utility", "publish_utility",
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("frontier", ["--recode"], "no --recode"),
        ("frontier", ["--rows", "5"], "no --rows"),
        ("frontier", ["--set", "threads=2"], "no --set threads"),
        ("frontier", ["--sample", "0.5"], "no --sample"),
        ("frontier", ["--partition"], "--no-partition with --engine spark"),
        ("frontier", ["--method", "paper"], "exact with --engine spark"),
    ],
)
def test_what_spark_has_no_answer_to(cli, table_file, command, options, words):
    ended = cli(command, table_file(1), "--engine", "spark", *options)
    assert ended.exit_code == 2
    assert words in ended.stderr


@pytest.mark.parametrize("command", sorted(set(ANSWERED) - {"audit"}))
@pytest.mark.parametrize("option", [("--set", "spark-master=local[2]"), ("--set", "work=w")])
def test_options_of_spark_without_it(cli, table_file, tmp_path, command, option):
    more = ("-o", tmp_path / "r.csv", "--method", "suppress") if command == "anonymize" else ()
    ended = cli(command, table_file(1), "--k", "2", "--epsilon", "1", *more, *option)
    assert ended.exit_code == 2
    assert "without --engine spark" in ended.stderr
    assert not (tmp_path / "r.csv").exists()


# ---- frontier ----


def test_a_frontier_is_handed_on_and_printed_as_ever(cli, table_file, played):
    data = table_file(1)
    table = read(data)
    handed = played(
        "frontier",
        lambda **said: frontier(table, k=said["k"], epsilon=said["epsilon"], partition=False),
    )
    options = ("--k", "2", "--epsilon", "1", "--epsilon", "6", "--set", "memory=1MiB", "--set", "work=w")
    ended = cli("frontier", data, "--engine", "spark", *options, "--json")
    here = cli("frontier", data, "--k", "2", "--epsilon", "1", "--epsilon", "6", "--no-partition", "--json")
    assert ended.exit_code == here.exit_code
    mine, theirs = json.loads(ended.stdout), json.loads(here.stdout)
    del mine["tool"], theirs["tool"]
    assert mine == theirs
    said = handed.arguments
    assert (said["k"], said["epsilon"], said["work"], said["memory"]) == (2, [1, 6], "w", 1 << 20)
    assert len(said["sha256"]) == 64
    assert not {"method", "partition", "rows", "recode"} & set(said)


# ---- anonymize ----

ANONYMIZE = ("anonymize", "data.csv", "--k", "2", "--epsilon", "1", "--engine", "spark")


@pytest.fixture
def folder(tmp_path, table_file, monkeypatch):
    """Work in a folder with data.csv."""
    table_file(1).rename(tmp_path / "data.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--keep-ids"),
        (["--keep-ids", "--force"], "no --force"),
        (["--keep-ids", "--key", "k.json"], "no --key"),
        (["--keep-ids", "--utility", "all"], "no --utility"),
        (["--keep-ids", "--l", "1"], "no --l"),
        (["--keep-ids", "--set", "small=withhold"], "no --set small"),
        (["--keep-ids", "--seed", "1"], "no --seed"),
        (["--keep-ids", "--set", "strategy=paper"], "no --set strategy"),
        (["--keep-ids", "--output", "-"], "file or folder"),
        (["--keep-ids", "--output", "there"], "exists already"),
        (["--keep-ids", "--output", "no/where"], "does not exist"),
        (["--keep-ids", "--output", "data.csv"], "input"),
        (["--keep-ids", "--method", "predictive"], "suppress or modify"),
    ],
)
def test_a_release_that_spark_does_not_make(cli, folder, played, options, words):
    (folder / "there").mkdir()
    handed = played("suppress", lambda **said: pytest.fail("nothing was to be made"))
    before = sorted(folder.rglob("*"))
    ended = cli(*ANONYMIZE, "--method", "suppress", "-o", "r", *options)
    assert ended.exit_code == 2
    assert words in ended.stderr
    assert handed.order == []
    assert sorted(folder.rglob("*")) == before


def test_small_is_for_spark_alone(cli, folder):
    ended = cli(*ANONYMIZE[:-2], "--method", "modify", "-o", "r.csv", "--set", "small=withhold")
    assert ended.exit_code == 2
    assert "no --set small without --engine spark" in ended.stderr


def test_suppression_says_what_is_not_there(cli, folder, played):
    target = Target(k=2, epsilon=1.0)
    told = (Caution("sparse-data", "sparse data: few share a set of issues"),)
    made = Suppression(target, 5, 2, None, None, Released("r", 3, 3, told))
    handed = played("suppress", lambda **said: made)
    asked = (
        *ANONYMIZE,
        "--method",
        "suppress",
        "--keep-ids",
        "-o",
        "r",
        "--set",
        "work=w",
        "--set",
        "memory=1MiB",
    )
    ended = cli(*asked, "--json")
    assert ended.exit_code == 0
    said = {name: handed.arguments[name] for name in ("k", "epsilon", "nulls", "release", "work", "memory")}
    assert said == {
        "k": 2, "epsilon": 1.0, "nulls": "strict", "release": "r", "work": "w", "memory": 1 << 20,
    }  # fmt: skip
    content = json.loads(ended.stdout)
    assert content["schema"] == "ratingpriv.spark-release/1"
    assert (content["ids"], content["manifest"], content["key"]) == ("keep", None, None)
    assert content["records"] == {"original": 5, "released": 3, "withheld": 2}
    assert content["changes"] is None
    page = " ".join(cli(*asked).stdout.split())
    for words in (
        "WITH THE INPUT'S IDS", "(k = 2, epsilon = 1)-anonymous", "3 records of 5 released, 2 withheld",
        "replace them before anybody gets it", "There is no manifest", "There is no key", "exposure was not",
        "Sparse data", "largest k that holds at this epsilon is 3",
    ):  # fmt: skip
        assert words in page


def test_an_epsilon_that_protects_nothing_is_in_the_headline(cli, folder, played):
    told = (Caution("epsilon-covers-range", "any two ratings are indistinguishable"),)
    made = Suppression(Target(k=2, epsilon=9.0), 5, 0, 1, None, Released("r", 5, 5, told))
    played("suppress", lambda **said: made)
    headline = cli(*ANONYMIZE, "--method", "suppress", "--keep-ids", "-o", "r").stdout.splitlines()[0]
    assert "protects nothing" in headline.lower() or "indistinguishable" in headline


def test_modification(cli, folder, played):
    done = Done(hamming_groups=2, records=5, withheld=1, changed=4, touched=2, total=[2.5, 1.0])
    made = Modification(Target(k=2, epsilon=1.0, l=0.5), done, Released("r", 4, 2), 7)
    handed = played("modify", lambda **said: made)
    asked = (*ANONYMIZE, "--method", "modify", "--keep-ids", "-o", "r", "--l", "0.5", "--seed", "7")
    more = ("--set", "small=withhold", "--set", "strategy=paper", "--sensitive", "issue 4")
    ended = cli(*asked, *more, "--json")
    assert ended.exit_code == 0
    said = handed.arguments
    assert [said[name] for name in ("l", "rng", "small", "strategy", "grouping", "release")] == [
        0.5, 7, "withhold", "paper", "cheapest", "r",
    ]  # fmt: skip
    content = json.loads(ended.stdout)
    assert content["changes"] == {"changed": 4, "touched": 2, "distortion": 3.5}
    page = " ".join(cli(*asked, *more).stdout.split())
    assert "this is the least change is not claimed" in page
    assert "4 ratings changed, in 2 records; information loss (L1) 3.5" in page
    assert "standard deviation of at least 0.5" in page
    cli(*ANONYMIZE, "--method", "modify", "--keep-ids", "-o", "r")
    assert (handed.arguments["rng"], handed.arguments["small"]) == (None, "refuse")


def test_a_target_that_is_not_reached(cli, folder, played):
    def refuse(**said):
        raise TargetNotReachedError("nobody can be released, proved: k is too large", None)

    played("suppress", refuse)
    ended = cli(*ANONYMIZE, "--method", "suppress", "--keep-ids", "-o", "r", "--json")
    assert ended.exit_code == 1
    content = json.loads(ended.stdout)
    assert (content["satisfied"], content["release"]) == (False, None)
    assert "proved" in content["message"]
    ended = cli(*ANONYMIZE, "--method", "suppress", "--keep-ids", "-o", "r")
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert not (folder / "r").exists()


class Rows:
    """Rows of Spark that write two parts, or fail after ``parts`` of them."""

    def __init__(self, parts):
        self.parts, self.write = parts, self

    def parquet(self, place):
        scheme, place = place[:7], place[7:]  # neither Spark's own folder nor its file system decides
        assert (scheme, ratingpriv.spark.session.work.Path(place).is_absolute()) == ("file://", True)
        ratingpriv.spark.session.work.Path(place).mkdir()
        for number in range(self.parts):
            ratingpriv.spark.session.work.Path(place, f"part-{number}.parquet").touch()
        if self.parts < 2:
            raise OSError(28, "No space left on device")


class Session:
    """A session of Spark that reads a row of each part."""

    def __init__(self):
        self.read = self

    def parquet(self, place):
        self.rows = len([*ratingpriv.spark.session.work.Path(place[7:]).glob("*.parquet")])
        return self

    def count(self):
        return self.rows


def test_rows_that_other_machines_kept_are_missed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ResourceError, match=r"found 2 of 3 rows .* every executor"):
        ratingpriv.spark.session.work.write_whole(Session(), Rows(2), "r", 3)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("parts", [0, 1, 2])
def test_a_folder_is_there_whole_or_not_at_all(tmp_path, monkeypatch, parts):
    monkeypatch.chdir(tmp_path)
    with contextlib.suppress(OSError):
        ratingpriv.spark.session.work.write_whole(Session(), Rows(parts), "r", parts)
    left = sorted(one.name for one in tmp_path.rglob("*"))
    assert left == (["part-0.parquet", "part-1.parquet", "r"] if parts == 2 else [])
