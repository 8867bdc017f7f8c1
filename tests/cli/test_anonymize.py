"""``ratingpriv anonymize``: options reach the library, the page says what happened,
exit codes are right.
"""

import json
import stat

import pytest

import ratingpriv
from ratingpriv.anonymize.release import releasing
from ratingpriv.base.errors import TargetNotReachedError
from ratingpriv.base.keys import read_key

ASKED = ("--sensitive", "issue 4", "--scale", "1:7", "--k", "2", "--epsilon", "1")
K2 = (*ASKED, "--accept", "epsilon-covers-questions")  # of 5 and 6 alone


@pytest.fixture
def ask(cli, table_file, tmp_path):
    """Anonymise Table 2 by suppression into release.csv."""
    data = table_file(2)

    def run(*options, asked=K2, method="suppress", output="release.csv"):
        accepted = ("--accept", "found", "--accept", "worthless")  # of six people
        words = (*asked, "--method", method, *accepted, "-o", tmp_path / output)
        return cli("anonymize", data, *words, *options)

    return run


def left(tmp_path):
    return sorted(path.name for path in tmp_path.iterdir() if path.name != "table2.csv")


def test_a_release(ask, tmp_path):
    ended = ask()
    assert ended.exit_code == 0, ended.stderr
    assert ended.stdout.splitlines()[0].startswith("WRITTEN WITH RESERVATION (accepted): ")
    assert ended.stdout.splitlines()[0].endswith("release.csv is (k = 2, epsilon = 1)-anonymous.")
    assert left(tmp_path) == ["release.csv", "release.csv.manifest.json"]
    rows = [
        sorted(row[1:] for row in table.to_wide("polars").fill_null(-1).iter_rows())
        for table in (ratingpriv.read(tmp_path / name) for name in ("release.csv", "table2.csv"))
    ]
    assert rows[0] == rows[1]


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
        content["release_sha256"]
        == ratingpriv.data.formats.sources.Source(tmp_path / "release.csv").sha256()
    )
    assert content["key"] == str(tmp_path / "release.key")
    assert stat.S_IMODE((tmp_path / "release.key").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("method", "asked", "said"),
    [
        ("suppress", ("--k", "7", "--epsilon", "1"), "k = 7 is more than the 6 records"),
        ("predictive", ("--k", "2", "--set", "diversity=1:9"), "out of reach, proved"),
    ],
)
def test_what_cannot_be_reached(ask, tmp_path, method, asked, said):
    ended = ask("--json", "--key", tmp_path / "k", method=method, asked=(*K2[:4], *asked))
    content = json.loads(ended.stdout)
    assert (ended.exit_code, content["satisfied"], content["release"]) == (1, False, None)
    assert content["message"] in ended.stderr
    assert said in content["message"]
    assert left(tmp_path) == []


def test_the_best_that_could_be_reached_is_in_the_json(ask, tmp_path, monkeypatch):
    def fails(made, *_, **__):
        raise TargetNotReachedError("not reached", best=made)

    monkeypatch.setattr(releasing, "write", fails)
    best = json.loads(ask("--json", "-q").stdout)["best"]
    assert (best["verification"]["largest_k"], best["verification"]["read_from"]) == (2, "memory")
    assert best["records"]["released"] == 6
    assert left(tmp_path) == []


def test_the_same_file_twice(ask, tmp_path):
    texts = []
    for name in ("a.csv", "b.csv"):
        ended = ask("--order-seed", "987654321012", "--key", tmp_path / f"{name}.key", output=name)
        assert "a person who guesses it" in " ".join(ended.stdout.split())
        texts.append((tmp_path / name).read_text())
        assert read_key(tmp_path / f"{name}.key").facts["seed"] == 987654321012
        assert "987654321012" not in (tmp_path / f"{name}.manifest.json").read_text()
    assert texts[0] == texts[1]


def test_movielens_keeps_its_layout_and_names_its_columns(cli, tmp_path):
    """The next step that the page names, an attack on the release, has to be able to read it."""
    data, release, key = tmp_path / "u.data", tmp_path / "r.data", tmp_path / "key.json"
    rows = (
        (user, film, (user + film) % 5 + 1, 881250949) for user in range(1, 9) for film in (1, 2, 3)
    )
    data.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    asked = (
        "anonymize",
        "--accept",
        "found",
        data,
        "--k",
        2,
        "--epsilon",
        1,
        "--method",
        "suppress",
        "-o",
    )
    content = json.loads(cli(*asked, tmp_path / "timed.data", "--keep-timestamps", "--json").stdout)
    assert content["read"]["format"] == "movielens"
    assert any("pick out a record" in warning for warning in content["warnings"])
    ended = cli(*asked, release, "--key", key)
    assert "has no place" in " ".join(ended.stdout.split())
    assert release.read_text(encoding="utf-8").splitlines()[0].split("\t") == [
        "userId",
        "movieId",
        "rating",
    ]
    attacked = cli("attack", data, "--release", release, "--truth", key, "--known", 2)
    assert attacked.exit_code == 0, attacked.stderr
    assert cli("verify", release).exit_code == 1  # what the publisher accepted binds nobody else
    assert cli("verify", release, "--accept", "found").exit_code == 0


def test_a_sample_is_not_told_from_the_seed(ask, tmp_path):
    sampled = ("--sample", "4", "--json")
    drawn = [
        ask(*sampled, asked=("--k", "1", "--epsilon", "1"), output=f"{n}.csv").stderr
        for n in range(3)
    ]
    assert len({text.partition("(seed ")[2] for text in drawn}) == 3
    told = ask(*sampled, "--seed", "5", asked=("--k", "1", "--epsilon", "1"), output="b.csv")
    assert "the manifest tells the seed" in told.stderr
    part = json.loads(told.stdout)["selection"]
    assert (part["records"], part["seed"]) == (4, None)  # with it, one knows who is in the sample


def test_predictive_and_its_options(ask, cli, tmp_path):
    """It needs no epsilon, and says what its ratings give away."""
    asked = ("--sensitive", "issue 4", "--scale", "1:7", "--k", "2", "--seed", "1")
    ended = ask("--labels", "exact", "--verbose", method="predictive", asked=asked)
    assert ended.exit_code == 0, ended.stderr
    assert "is (k = 2, epsilon = 0)-anonymous" in ended.stdout.splitlines()[0]
    text = " ".join(ended.stdout.split())
    assert "EXACT MEANS DISCLOSE RATERS" in text
    assert "scheme pure, labels exact" in text
    found = cli(
        "verify",
        tmp_path / "release.csv",
        "--k",
        2,
        "--epsilon",
        0,
        "--sensitive",
        "issue 4",
        *("--accept", "found", "--accept", "worthless"),
    )
    assert found.exit_code == 0, found.stdout
    content = json.loads(ask("--json", "-q", "--force", method="predictive", asked=asked).stdout)
    assert (content["method"]["labels"], content["method"]["bins"]) == ("rounded", "auto")
    assert content["predictive"]["exact_means"] is None
    assert content["predictive"]["link_confidence"]["real"] == 12
    options = {"scheme": "padded", "diversity": "2:2", "factors": 1, "bins": 2, "centres": "real"}
    words = [word for name, value in options.items() for word in ("--set", f"{name}={value}")]
    given = (*words, "--labels", "exact", "--labels", "numbers", "--force", "--json", "-q")
    content = json.loads(
        ask(*given, method="predictive", asked=(*asked[2:], "--epsilon", "1")).stdout
    )
    expected = {**options, "diversity": [2, 2], "labels": "exact"}
    assert {name: content["method"][name] for name in expected} == expected
    assert (content["parameters"]["epsilon"], content["cells"]["filled"]) == (1, 24 - 18)


def test_a_key_of_a_run_that_was_killed_says_how_to_go_on(ask, tmp_path):
    """The key is named first: where there is no release, it is of one that was never finished."""
    key = tmp_path / "r.key"
    assert ask("--key", key).exit_code == 0
    (tmp_path / "release.csv").unlink()
    (tmp_path / "release.csv.manifest.json").unlink()
    ended = ask("--key", key)
    assert ended.exit_code == 2
    assert "of a release that was never finished" in ended.stderr
    assert "remove the key and run the command again" in " ".join(ended.stderr.split())
    key.unlink()
    assert ask("--key", key).exit_code == 0
    ended = ask("--key", key, "--force")
    assert (ended.exit_code, "never replaced" in ended.stderr) == (2, True)
