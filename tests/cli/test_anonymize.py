"""``ratingpriv anonymize``: options reach the library, the page says what happened, exit codes are right."""

from __future__ import annotations

import json
import stat

import pytest

import ratingpriv
from ratingpriv.base.errors import TargetNotReachedError
from ratingpriv.base.keys import read_key

K2 = ("--sensitive", "issue 4", "--scale", "1:7", "--k", "2", "--epsilon", "1")


@pytest.fixture
def ask(cli, table_file, tmp_path):
    """Anonymise Table 2 by suppression into release.csv."""
    data = table_file(2)

    def run(*options, asked=K2, method="suppress", output="release.csv"):
        return cli("anonymize", data, *asked, "--method", method, "-o", tmp_path / output, *options)

    return run


def left(tmp_path):
    return sorted(path.name for path in tmp_path.iterdir() if path.name != "table2.csv")


def test_a_release(ask, tmp_path):
    ended = ask()
    assert ended.exit_code == 0, ended.stderr
    assert ended.stdout.startswith(
        f"RELEASED: {tmp_path / 'release.csv'} is (k = 2, epsilon = 1)-anonymous.\n"
    )
    assert left(tmp_path) == ["release.csv", "release.csv.manifest.json"]
    assert cli_reads(tmp_path / "release.csv") == cli_reads(tmp_path / "table2.csv")


def cli_reads(path):
    table = ratingpriv.read(path, sensitive=["issue 4"])
    return sorted(row[1:] for row in table.to_wide("polars").fill_null(-1).iter_rows())


def test_json(ask, tmp_path):
    ended = ask("--json", "--l", "1.5", "-q", "--key", tmp_path / "release.key")
    assert ended.exit_code == 0
    assert ended.stderr == ""
    content = json.loads(ended.stdout)
    assert content["schema"] == "ratingpriv.anonymize/1"
    assert content["satisfied"] is True
    assert content["distortion"] == 0
    assert content["cells"] == {"total": 18, "rated": 12, "changed": 0, "filled": 0, "erased": 0}
    assert content["records"] == {"original": 6, "released": 6, "touched": 0, "withheld": 0}
    assert content["verification"]["largest_l"] == {"issue 4": 1.5}
    assert (
        content["release_sha256"] == ratingpriv.data.formats.sources.Source(tmp_path / "release.csv").sha256()
    )
    assert content["key"] == str(tmp_path / "release.key")
    assert stat.S_IMODE((tmp_path / "release.key").stat().st_mode) == 0o600


def test_what_cannot_be_reached(ask, tmp_path):
    ended = ask("--json", "--key", tmp_path / "k", asked=(*K2[:4], "--k", "7", "--epsilon", "1"))
    assert ended.exit_code == 1
    content = json.loads(ended.stdout)
    assert content["schema"] == "ratingpriv.anonymize/1"
    assert (content["satisfied"], content["release"]) == (False, None)
    assert content["message"] in ended.stderr
    assert left(tmp_path) == []


def test_the_best_that_could_be_reached_is_in_the_json(ask, tmp_path, monkeypatch):
    from ratingpriv.anonymize import methods
    from ratingpriv.anonymize.release import releasing as release

    def fails(made, *_, **__):
        raise TargetNotReachedError("not reached", best=made)

    monkeypatch.setattr(release, "write", fails)
    content = json.loads(ask("--json", "-q").stdout)
    assert content["best"]["verification"]["largest_k"] == 2
    assert content["best"]["verification"]["read_from"] == "memory"
    assert content["best"]["records"]["released"] == 6
    assert "suppress" in methods.METHODS
    assert left(tmp_path) == []


def test_ids(ask, tmp_path):
    assert ask("--keep-ids").exit_code == 0
    lines = (tmp_path / "release.csv").read_text().splitlines()
    assert [line.partition(",")[0] for line in lines] == ["id", *(f"t{place}" for place in range(1, 7))]
    assert ask("--strip-ids", output="b.csv").exit_code == 0
    assert (tmp_path / "b.csv").read_text().startswith("issue 1,")
    ended = ask("--strip-ids", "--keep-ids", output="c.csv")
    assert ended.exit_code == 2
    assert "keep-ids: found 'with --strip-ids', expected one of the two" in ended.stderr


def test_the_same_file_twice(ask, tmp_path):
    texts = []
    for name in ("a.csv", "b.csv"):
        ended = ask("--order-seed", "987654321012", "--key", tmp_path / f"{name}.key", output=name)
        assert "whoever guesses it" in " ".join(ended.stdout.split())
        texts.append((tmp_path / name).read_text())
        assert read_key(tmp_path / f"{name}.key").facts["seed"] == 987654321012
        assert "987654321012" not in (tmp_path / f"{name}.manifest.json").read_text()
    assert texts[0] == texts[1]


def test_another_format(ask, tmp_path):
    assert ask("--set", "output-format=parquet", "--set", "output-layout=long", output="r").exit_code == 0
    assert (tmp_path / "r").read_bytes()[:4] == b"PAR1"
    assert ask(output="r.csv.gz").exit_code == 0
    assert (tmp_path / "r.csv.gz").read_bytes()[:2] == b"\x1f\x8b"


def test_movielens_keeps_its_layout_with_times(cli, tmp_path):
    lines = [
        f"{user}\t{movie}\t{3 + movie % 2}\t88125094{user}\n" for user in range(1, 5) for movie in (7, 9)
    ]
    (tmp_path / "u.data").write_text("".join(lines))
    asked = ("--k", 2, "--epsilon", 1, "--method", "suppress")
    ended = cli(
        "anonymize", tmp_path / "u.data", *asked, "-o", tmp_path / "r.data", "--keep-timestamps", "--json"
    )
    content = json.loads(ended.stdout)
    assert content["read"]["format"] == "movielens"
    assert any("pick out a record" in warning for warning in content["warnings"])
    ended = cli("anonymize", tmp_path / "u.data", *asked, "-o", tmp_path / "s.data")
    assert "has no place" in " ".join(ended.stdout.split())
    assert (tmp_path / "s.data").read_text().splitlines()[:2] == ["userId\tmovieId\trating", "1\t7\t4"]


def test_a_sample_is_not_told_from_the_seed(ask, tmp_path):
    sampled = ("--sample", "4", "--json")
    drawn = [ask(*sampled, asked=("--k", "1", "--epsilon", "1"), output=f"{n}.csv").stderr for n in range(3)]
    assert len({text.partition("(seed ")[2] for text in drawn}) == 3
    told = ask(*sampled, "--seed", "5", asked=("--k", "1", "--epsilon", "1"), output="b.csv")
    assert "the manifest tells the seed" in told.stderr
    part = json.loads(told.stdout)["selection"]
    assert (part["records"], part["seed"]) == (4, None)  # with it, one knows who is in the sample


K3 = (*K2[:4], "--k", "3", "--epsilon", "2")


def test_small_data_are_grouped_in_every_way_and_the_manifest_says_which(ask, tmp_path):
    """Table 2 at k = 3, ε = 2: 8, by trying every grouping; it was 21."""
    content = json.loads(ask("--json", "-q", method="modify", asked=K3).stdout)
    assert content["distortion"] == 8
    manifest = json.loads((tmp_path / "release.csv.manifest.json").read_text())
    for told in (content, manifest):
        assert told["method"]["grouping"] == "distortion"
        assert told["method"]["fill"] == "metric"
    assert manifest["distortion"]["shares"] == content["shares"]
    assert manifest["distortion"]["mean_before"] == float(f"{content['means']['before']:.2g}")
    named = ask("--json", "-q", "--set", "strategy=paper", "--force", method="modify", asked=K3)
    assert json.loads(named.stdout)["method"]["grouping"] == "paper"


def test_an_answer_of_0_that_is_suppressed_is_said(cli, tmp_path):
    """The papers' metric is 0: both were told "no information was lost" by the number alone."""
    data = tmp_path / "input.csv"
    data.write_text("who,a,b\nann,0,3\nbob,,3\n")
    ended = cli(
        "anonymize", data, "--id", "who", "--scale", "0:5", "--k", "2", "--epsilon", "1",
        "--method", "modify", "-o", tmp_path / "release.csv",
    )  # fmt: skip
    text = " ".join(ended.stdout.split())
    assert "1 suppressed (33.3 %)" in text
    assert "to suppress or impute a 0, as here in 1 cell, adds nothing to it, but is a change" in text
    assert "no rating of a released record was changed" not in text


def test_what_stands_in_for_movielens_names_its_columns(cli, tmp_path):
    """The next step that the page names, an attack on the release, has to be able to read it."""
    data, release, key = tmp_path / "u.data", tmp_path / "release.csv", tmp_path / "key.json"
    rows = [
        (user, film, (user + film) % 5 + 1, 881250949 + film) for user in range(1, 9) for film in (1, 2, 3)
    ]
    data.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    made = cli(
        "anonymize", data, "--method", "suppress", "--k", 2, "--epsilon", 1, "-o", release, "--key", key
    )
    assert made.exit_code == 0, made.stderr
    assert release.read_text(encoding="utf-8").splitlines()[0].split("\t") == ["userId", "movieId", "rating"]
    attacked = cli("attack", data, "--release", release, "--truth", key, "--known", 2)
    assert attacked.exit_code == 0, attacked.stderr
    assert cli("verify", release).exit_code == 0


def test_predictive_needs_no_epsilon_and_says_what_its_ratings_give_away(ask, cli, tmp_path):
    asked = ("--sensitive", "issue 4", "--scale", "1:7", "--k", "2", "--seed", "1")
    ended = ask("--labels", "exact", method="predictive", asked=asked)
    assert ended.exit_code == 0, ended.stderr
    assert "is (k = 2, epsilon = 0)-anonymous" in ended.stdout.splitlines()[0]
    text = " ".join(ended.stdout.split())
    assert "EXACT MEANS GIVE RATERS AWAY" in text
    found = cli("verify", tmp_path / "release.csv", "--k", 2, "--epsilon", 0, "--sensitive", "issue 4")
    assert found.exit_code == 0, found.stdout
    assert "scheme pure, labels exact" in text
    content = json.loads(ask("--json", "-q", "--force", method="predictive", asked=asked).stdout)
    assert (content["method"]["labels"], content["method"]["bins"]) == ("rounded", "auto")
    assert content["predictive"]["exact_means"] is None
    assert content["predictive"]["link_confidence"]["real"] == 12
    rounded = " ".join(ask("--force", method="predictive", asked=asked).stdout.split())
    assert "EXACT MEANS" not in rounded


def test_options_of_predictive_reach_it(ask, tmp_path):
    asked = ("--scale", "1:7", "--k", "2", "--epsilon", "1", "--seed", "1")
    options = ("--set", "scheme=padded", "--labels", "exact", "--labels", "numbers", "--set", "diversity=2:2",
               "--set", "factors=1", "--set", "bins=2", "--set", "centres=real")  # fmt: skip
    content = json.loads(ask("--json", "-q", *options, method="predictive", asked=asked).stdout)
    how = content["method"]
    assert [how[name] for name in ("scheme", "labels", "diversity", "factors", "bins", "centres")] == [
        "padded", "exact", [2, 2], 1, 2, "real",
    ]  # fmt: skip
    assert content["parameters"]["epsilon"] == 1
    assert content["cells"]["filled"] == 24 - 18
    assert ask("--force", "--set", "bins=auto", method="predictive", asked=asked).exit_code == 0


def test_a_diversity_that_cannot_be_had_is_not_released(ask, tmp_path):
    ended = ask("--json", "--set", "diversity=1:9", method="predictive", asked=("--k", "2", "--scale", "1:7"))
    assert ended.exit_code == 1
    assert "out of reach, proved" in json.loads(ended.stdout)["message"]
    assert left(tmp_path) == []


def test_medians_are_imputed(ask):
    content = json.loads(ask("--json", "-q", "--set", "fill=median", method="modify", asked=K3).stdout)
    assert (content["method"]["fill"], content["satisfied"]) == ("median", True)
    assert content["distortion"] == 10
