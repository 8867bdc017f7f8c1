"""``anonymize --method swap`` from file to verified release, its dangers and its refusals."""

import csv
import json
import shlex
import stat
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

SURVEY = Path(__file__).parents[2] / "examples" / "survey.csv"
SAID = ("--sensitive", "pay", "--others", "rating")
QUICK = ("--utility", "none")


def rows(path, names=None):
    with Path(path).open(encoding="utf-8", newline="") as file:
        return [{name: row[name] for name in names or row} for row in csv.DictReader(file)]


@pytest.fixture
def complete(tmp_path):
    """60 people of complete answers around three kinds, and a sensitive column."""
    path, rng = tmp_path / "complete.csv", np.random.default_rng(5)
    lines = ["id,q1,q2,q3,pay"]
    for n in range(72):
        answers = np.clip(n % 3 + 1 + rng.integers(0, 3, 3), 1, 5)
        lines.append(",".join(map(str, (f"p{n:02}", *answers, 1 + n % 4))))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def swapped(cli, data, folder, *more, name="r.csv", key="r.key"):
    folder.mkdir(exist_ok=True)
    release = folder / name
    how = ("--method", "swap", "-o", release, "--key", folder / key, *QUICK)
    return cli("anonymize", data, *SAID, *how, *more, "--accept", "found"), release, folder / key


def test_from_file_to_verified_release(cli, complete, tmp_path):
    ended, release, key = swapped(cli, complete, tmp_path / "out", "--k", 12, "--json")
    assert ended.exit_code == 0, ended.stderr
    content = json.loads(ended.stdout)
    assert content["parameters"]["nulls"] == "strict"
    assert content["swap"]["smallest"] >= 12
    assert cli("verify", release, "--accept", "found").exit_code == 0
    names = ("q1", "q2", "q3", "pay")
    before, after = rows(complete), rows(release)
    for name in names:  # of who is released: everybody
        assert Counter(row[name] for row in before) == Counter(row[name] for row in after)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_the_key_has_groups_and_permutation_and_the_release_has_nothing_of_them(
    cli, complete, tmp_path
):
    """A second judge, in plain loops: each group is a clique of k, and its tables stay."""
    ended, release, key = swapped(cli, complete, tmp_path / "out", "--k", 12, "--epsilon", 1)
    assert ended.exit_code == 0, ended.stderr
    kept = json.loads(key.read_text(encoding="utf-8"))
    assert kept["seed"] is None
    assert kept["method_seed"] is None
    before = {row["id"]: row for row in rows(complete)}
    after = {row["id"]: row for row in rows(release)}
    assert sorted(one for group in kept["groups"] for one in group["released"]) == sorted(after)
    pairs = [(one["original"], one["released"]) for one in kept["records"]]
    for group in kept["groups"]:
        assert len(group["original"]) >= 12
        for name in ("q1", "q2", "q3", "pay"):
            own = [before[person][name] for person in group["original"]]
            assert Counter(own) == Counter(after[number][name] for number in group["released"])
            if name != "pay":
                assert max(map(int, own)) - min(map(int, own)) <= 1
    for name, sources in kept["permutation"].items():
        released = [number for _, number in pairs if number is not None]
        for number, source in zip(released, sources, strict=True):
            assert after[number][name] == before[pairs[source][0]][name]
    manifest = json.loads((release.parent / "r.csv.manifest.json").read_text(encoding="utf-8"))
    text = json.dumps(manifest)
    assert not {"permutation", "answers_sha256"} & manifest.keys()
    assert "groups" not in manifest
    assert not any(
        person in text or person in release.read_text(encoding="utf-8") for person in before
    )
    cost = manifest["distortion"]  # functions of the input's rows: not given away
    assert {cost[name] for name in ("total", "changed", "filled", "erased", "records_touched")} == {
        None
    }


def test_missing_answers_are_exchanged_with_a_reservation_and_filled_without(cli, tmp_path):
    ended, release, _ = swapped(cli, SURVEY, tmp_path / "a", "--k", 12, "--json")
    content = json.loads(ended.stdout)
    assert ended.exit_code == 1
    assert content["parameters"]["nulls"] == "wildcard"
    assert "nulls-wildcard" in {one["code"] for one in content["cautions"]}
    assert cli("verify", release).exit_code == 1
    ended, release, _ = swapped(
        cli, SURVEY, tmp_path / "b", "--k", 12, "--set", "swap-nulls=fill", "--json"
    )
    assert ended.exit_code == 0, ended.stderr
    assert json.loads(ended.stdout)["parameters"]["nulls"] == "strict"
    assert cli("verify", release, "--accept", "found").exit_code == 0


def test_carried_columns_are_dropped_and_said(cli, complete, tmp_path):
    ended, release, _ = swapped(cli, complete, tmp_path / "a", "--k", 12, "--json", "--carry", "q3")
    assert ended.exit_code == 0, ended.stderr
    assert "q3" not in rows(release)[0]
    assert any("q3" in text for text in json.loads(ended.stdout)["warnings"])


def test_constant_quasi_identifiers_are_said(cli, complete, tmp_path):
    ended, _, _ = swapped(cli, complete, tmp_path / "a", "--k", 4, "--json", "--quasi", "q3")
    assert ended.exit_code in (0, 1)
    assert json.loads(ended.stdout)["swap"]["constant"] == ["q3"]


# ---- dangers


def without(path, folder, count):
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    fewer = folder / f"without{count}.csv"
    fewer.write_text("".join(lines[: len(lines) - count]), encoding="utf-8")
    return fewer


@pytest.mark.parametrize(("gone", "refused"), [(1, True), (11, True), (12, False)])
def test_two_releases_whose_people_differ_by_fewer_than_k_are_refused(
    cli, complete, tmp_path, gone, refused
):
    how = ("--k", 12, "--epsilon", 3)
    first, _, _ = swapped(cli, complete, tmp_path / "out", *how)
    assert first.exit_code == 0, first.stderr
    fewer = without(complete, tmp_path, gone)
    second, release, _ = swapped(cli, fewer, tmp_path / "out", *how, name="s.csv", key="s.key")
    assert second.exit_code == (2 if refused else 0), second.stderr
    assert release.exists() != refused


def test_two_releases_of_the_same_people_with_a_changed_answer_are_refused(cli, complete, tmp_path):
    assert swapped(cli, complete, tmp_path / "out", "--k", 12, "--epsilon", 2)[0].exit_code == 0
    changed = tmp_path / "changed.csv"
    lines = complete.read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1][:-1] + ("1" if lines[1][-1] != "1" else "2")
    changed.write_text("\n".join(lines) + "\n", encoding="utf-8")
    again = ("--k", 12, "--epsilon", 2)
    second, _, _ = swapped(cli, changed, tmp_path / "out", *again, name="s.csv", key="s.key")
    assert second.exit_code == 2
    assert "ratings" in second.stderr


@pytest.mark.parametrize("seed", [("--seed", 7), ("--set", "order-seed=7")])
def test_a_seed_is_refused(cli, complete, tmp_path, seed):
    words = seed if seed[0] == "--seed" else ("--order-seed", 7)
    ended, release, _ = swapped(cli, complete, tmp_path / "a", "--k", 12, *words)
    assert ended.exit_code == 2
    assert "leave it out" in ended.stderr
    assert not release.exists()


def test_a_codebooks_seed_is_refused(cli, complete, tmp_path):
    book = tmp_path / "book.toml"
    book.write_text("[anonymize]\nseed = 7\n", encoding="utf-8")
    ended, release, _ = swapped(cli, complete, tmp_path / "a", "--k", 12, "--codebook", book)
    assert ended.exit_code == 2
    assert not release.exists()


def test_ids_and_order_of_the_input_are_refused(cli, complete, tmp_path):
    ended, release, _ = swapped(cli, complete, tmp_path / "a", "--k", 12, "--keep-ids")
    assert ended.exit_code == 2
    assert not release.exists()


def test_groups_of_a_key_are_for_the_same_people_and_answers(cli, complete, tmp_path):
    _, _, key = swapped(cli, complete, tmp_path / "a", "--k", 12, "--epsilon", 2)
    how = ("--k", 12, "--epsilon", 2, "--groups", key)
    again, _, other = swapped(cli, complete, tmp_path / "b", *how)
    assert again.exit_code == 0, again.stderr
    groups = [
        {
            frozenset(group["original"])
            for group in json.loads(path.read_text(encoding="utf-8"))["groups"]
        }
        for path in (key, other)
    ]
    assert groups[0] == groups[1]
    lines = complete.read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1][:-1] + ("1" if lines[1][-1] != "1" else "2")
    complete.write_text("\n".join(lines) + "\n", encoding="utf-8")
    changed, release, _ = swapped(cli, complete, tmp_path / "c", *how)
    assert changed.exit_code == 2
    assert not release.exists()


def test_groups_of_a_certificate_and_of_csv(cli, complete, tmp_path):
    found = (
        "--k",
        12,
        "--epsilon",
        3,
        "--groups",
        tmp_path / "g.csv",
        "--certificate",
        tmp_path / "c.json",
    )
    assert cli("partition", complete, *SAID, *found, "--quiet").exit_code in (0, 1)
    for name in ("g.csv", "c.json"):
        how = ("--k", 12, "--epsilon", 3, "--groups", tmp_path / name)
        ended, _, _ = swapped(cli, complete, tmp_path / name[0], *how)
        assert ended.exit_code == 0, ended.stderr


def test_figures_of_use_have_two_digits_wherever_they_are_told(cli, complete, tmp_path):
    """With all digits they would tell of the original's rows beyond the group tables."""
    folder, how = tmp_path / "a", ("--k", 12, "--epsilon", 2, "--utility", "all", "--json")
    folder.mkdir()
    release, key = folder / "r.csv", folder / "r.key"
    made = ("--method", "swap", "-o", release, "--key", key, "--publish-utility", "all", *how)
    ended = cli("anonymize", complete, *SAID, *made, "--accept", "found", "--quiet")
    told = [json.loads(ended.stdout)["utility"]]
    manifest = json.loads((folder / "r.csv.manifest.json").read_text(encoding="utf-8"))
    told.append(manifest["utility"])
    for whose in (("--truth", key), ()):  # without the key the manifest says how it was made
        ended = cli("utility", complete, release, *SAID, *whose, "--json")
        told.append(json.loads(ended.stdout))
    names = ("query_error", "questions", "standard_deviation", "centroid", "bias", "recommender")
    figures = [
        one for document in told for name in names for one in numbers(document.get(name, {}))
    ]
    assert len(figures) > 50
    assert [one for one in figures if one != float(f"{one:.2g}")] == []


def numbers(content, name=""):
    """Every fraction in a document but the levels of a scale."""
    if isinstance(content, float):
        yield content
    elif isinstance(content, dict):
        for key, one in content.items():
            yield from () if key == "levels" else numbers(one, key)
    elif isinstance(content, list):
        for one in content:
            yield from numbers(one, name)


# ---- refusals


@pytest.mark.parametrize(
    ("how", "code"),
    [
        (("--k", 1, "--epsilon", 1), 2),
        (("--k", 40, "--epsilon", 4), 2),
        (("--k", 20, "--epsilon", 0), 1),  # more than half would be left out
        (("--k", 12, "--epsilon", 2, "--set", "max-share=0.1"), 2),
        (("--k", 12, "--epsilon", 2, "--groups", SURVEY), 2),
        (("--k", 12, "--set", "swap-nulls=other"), 2),
    ],
)
def test_refusals_write_nothing_and_have_a_remedy(cli, complete, tmp_path, how, code):
    ended, release, key = swapped(cli, complete, tmp_path / "a", *how)
    assert ended.exit_code == code, ended.stderr
    assert ended.stderr
    assert not release.exists()
    assert not key.exists()


def test_too_many_left_out_names_the_epsilon_that_would_do(cli, complete, tmp_path):
    ended, _, _ = swapped(cli, complete, tmp_path / "a", "--k", 20, "--epsilon", 0)
    named = ended.stderr.split("--epsilon ")[1].split()[0]
    ended, _, _ = swapped(cli, complete, tmp_path / "b", "--k", 20, "--epsilon", named)
    assert ended.exit_code in (0, 1)


def test_groups_that_are_no_cliques_are_refused(cli, complete, tmp_path):
    path = tmp_path / "g.csv"
    lines = [f"p{n:02},{n // 36}" for n in range(72)]
    path.write_text("record,group\n" + "\n".join(lines) + "\n", encoding="utf-8")
    ended, release, _ = swapped(
        cli, complete, tmp_path / "a", "--k", 12, "--epsilon", 1, "--groups", path
    )
    assert ended.exit_code == 2
    assert not release.exists()


def test_an_epsilon_over_the_range_has_its_reservation(cli, complete, tmp_path):
    ended, _, _ = swapped(cli, complete, tmp_path / "a", "--k", 12, "--epsilon", 5, "--json")
    assert ended.exit_code == 1
    assert "epsilon-covers-range" in {one["code"] for one in json.loads(ended.stdout)["cautions"]}


# ---- the publisher's own check


@pytest.mark.parametrize("nulls", ["exchange", "fill", "strict"])
def test_verify_counts_every_group_table_again(cli, tmp_path, nulls):
    how = ("--k", 12, "--epsilon", 3, "--set", f"swap-nulls={nulls}")
    _, release, key = swapped(cli, SURVEY, tmp_path / "a", *how)
    beside = ("--original", SURVEY, "--key", key)
    ended = cli("verify", release, *beside, "--accept", "nulls-wildcard", "--json")
    assert ended.exit_code == 0, ended.stdout
    again = json.loads(ended.stdout)["recounted"]
    assert again["tables"] == again["unchanged"] == 7 * again["groups"]


def test_verify_sees_groups_of_other_tables(cli, complete, tmp_path):
    _, release, key = swapped(cli, complete, tmp_path / "a", "--k", 12, "--epsilon", 2)
    content = json.loads(key.read_text(encoding="utf-8"))
    first, second = content["groups"][:2]
    first["released"][0], second["released"][0] = second["released"][0], first["released"][0]
    forged = tmp_path / "forged.key"
    forged.write_text(json.dumps(content), encoding="utf-8")
    beside = ("--original", complete, "--accept", "found", "--key")
    assert cli("verify", release, *beside, key).exit_code == 0
    ended = cli("verify", release, "--original", complete, "--key", forged, "--json")
    found = json.loads(ended.stdout)
    assert ended.exit_code == 1
    assert found["recounted"]["unchanged"] < found["recounted"]["tables"]


def test_verify_needs_both_and_a_key_of_swap(cli, complete, tmp_path):
    _, release, key = swapped(cli, complete, tmp_path / "a", "--k", 12, "--epsilon", 2)
    assert cli("verify", release, "--original", complete).exit_code == 2
    assert cli("verify", release, "--key", key).exit_code == 2
    other = tmp_path / "other.key"
    how = (
        "--k",
        2,
        "--epsilon",
        2,
        "--method",
        "suppress",
        "-o",
        tmp_path / "s.csv",
        "--key",
        other,
    )
    assert cli("anonymize", complete, *SAID, *how, *QUICK, "--accept", "found").exit_code == 0
    assert cli("verify", release, "--original", complete, "--key", other).exit_code == 2


def test_attack_has_the_adversary_who_computes_the_groups(cli, complete, tmp_path):
    ended, release, key = swapped(
        cli, complete, tmp_path / "a", "--k", 12, "--epsilon", 2, "--json"
    )
    own = json.loads(ended.stdout)["swap"]["tables"]
    ended = cli("attack", complete, *SAID, "--release", release, "--truth", key, "--json")
    assert ended.exit_code == 0, ended.stderr
    found = json.loads(ended.stdout)["groups"]
    for name in ("people", "groups", "right_group", "found", "all_agree", "own_row", "agreeing"):
        assert found[name] == own[name]
    page = cli("attack", complete, *SAID, "--release", release, "--truth", key).stdout
    assert "Disclosure by the groups" in page


def test_groups_that_agree_on_everything_are_a_reservation(cli, tmp_path):
    path = tmp_path / "equal.csv"
    lines = [f"{n},{1 + n % 2},{3 + n % 2}" for n in range(24)]
    path.write_text("id,q1,q2\n" + "\n".join(lines) + "\n", encoding="utf-8")
    how = (
        "--k",
        6,
        "--epsilon",
        0,
        "--method",
        "swap",
        "--scale",
        "1:5",
        "--others",
        "rating",
        "--json",
    )
    ended = cli("anonymize", path, *how, "-o", tmp_path / "r.csv", *QUICK)
    assert ended.exit_code == 1
    assert "groups-agree" in {one["code"] for one in json.loads(ended.stdout)["cautions"]}
    assert cli("verify", tmp_path / "r.csv").exit_code == 1


def test_an_original_that_is_read_otherwise_is_no_verdict(cli, complete, tmp_path):
    text = complete.read_text(encoding="utf-8").splitlines()
    text[1] = text[1].rsplit(",", 2)[0] + ",9,1"
    complete.write_text("\n".join(text) + "\n", encoding="utf-8")
    book = tmp_path / "book.toml"
    book.write_text(
        '[data]\nmissing = ["9"]\n[columns.pay]\nrole = "sensitive"\n', encoding="utf-8"
    )
    how = (
        "--k",
        12,
        "--epsilon",
        3,
        "--codebook",
        book,
        "--method",
        "swap",
        "--others",
        "rating",
        *QUICK,
    )
    release, key = tmp_path / "r.csv", tmp_path / "r.key"
    ended = cli("anonymize", complete, *how, "-o", release, "--key", key)
    assert ended.exit_code == 1, ended.stderr
    beside = (
        "--original",
        complete,
        "--key",
        key,
        "--accept",
        "nulls-wildcard",
        "--accept",
        "found",
    )
    assert cli("verify", release, *beside).exit_code == 2
    ended = cli("verify", release, *beside, "--codebook", book, "--nulls", "wildcard", "--json")
    assert ended.exit_code == 0, ended.stdout + ended.stderr
    found = json.loads(ended.stdout)["recounted"]
    assert found["tables"] == found["unchanged"] > 0


def test_a_codebook_beside_the_original_says_how_it_is_read_and_demands_nothing(
    cli, complete, tmp_path
):
    """Roles are the release's: of what the codebook does not say, nothing is guessed anew."""
    lines = complete.read_text(encoding="utf-8").splitlines()
    lines = [f"{line},{'note' if number == 0 else number % 3}" for number, line in enumerate(lines)]
    lines[1] = f"p00,9,{lines[1].split(',', 2)[2]}"
    complete.write_text("\n".join(lines) + "\n", encoding="utf-8")
    book = tmp_path / "book.toml"
    book.write_text('[data]\nmissing = ["9"]\n', encoding="utf-8")
    how = ("--codebook", book, "--quasi", "q3", "--drop", "note")
    ended, release, key = swapped(cli, complete, tmp_path / "a", "--k", 4, "--epsilon", 4, *how)
    assert release.exists(), ended.stderr
    beside = (
        "--original",
        complete,
        "--key",
        key,
        "--codebook",
        book,
        "--accept",
        "found",
        "--json",
    )
    ended = cli(
        "verify", release, *beside, "--accept", "nulls-wildcard", "--accept", "groups-agree"
    )
    found = json.loads(ended.stdout)
    assert found["demanded"] is None  # by the strict rule the file would not hold
    assert found["valid"], found["problems"]
    assert found["recounted"]["tables"] == found["recounted"]["unchanged"] > 0
    asked = cli("verify", release, *beside, "--k", 4, "--sensitive", "pay")
    assert json.loads(asked.stdout)["demanded"] is not None, asked.stderr
    book.write_text('[data]\nmissing = ["9"]\n[columns.q1]\nrole = "sensitive"\n', encoding="utf-8")
    assert cli("verify", release, *beside).exit_code == 2  # another reading of the original


def test_items_and_a_sample_of_a_file_with_a_row_a_rating_are_verified_beside_the_file(
    cli, tmp_path
):
    rng, path = np.random.default_rng(3), tmp_path / "long.csv"
    lines = [
        f"u{n},i{item},{1 + (n + int(rng.integers(2))) % 3}" for n in range(60) for item in range(4)
    ]
    path.write_text("user,item,rating\n" + "\n".join(lines) + "\n", encoding="utf-8")
    part = ("--items", "top:3", "--sample", 40, "--no-sensitive", "--k", 4, "--epsilon", 1)
    release, key = tmp_path / "r.csv", tmp_path / "r.key"
    ended = cli("anonymize", path, *part, "--method", "swap", "-o", release, "--key", key, *QUICK)
    assert release.exists(), ended.stderr
    ended = cli("verify", release, "--original", path, "--key", key, "--json")
    found = json.loads(ended.stdout)["recounted"]
    assert found["tables"] == found["unchanged"] == 3 * found["groups"]
    assert len(json.loads(key.read_text(encoding="utf-8"))["records"]) == 40


@pytest.mark.parametrize("typed", [False, True])
def test_a_report_counts_a_release_by_the_rule_that_it_claims(cli, complete, tmp_path, typed):
    """As verify does; the rule of a codebook, or none, would make another verdict of it."""
    lines = complete.read_text(encoding="utf-8").splitlines()
    lines[1] = f"p00,,{lines[1].split(',', 2)[2]}"
    complete.write_text("\n".join(lines) + "\n", encoding="utf-8")
    _, release, key = swapped(cli, complete, tmp_path / "a", "--k", 12, "--epsilon", 2)
    book = tmp_path / "book.toml"
    book.write_text('[report]\nnulls = "strict"\n', encoding="utf-8")
    how = ("--release", release, "--truth", key, "--k", 12, "--epsilon", 2, "--codebook", book)
    skip = [
        word for part in ("exposure", "frontier", "attack", "utility") for word in ("--skip", part)
    ]
    rule = ("--nulls", "strict") if typed else ()
    ended = cli("report", complete, *SAID, *how, *skip, *rule, "-o", tmp_path / "r.html", "--quiet")
    assert ended.exit_code == 1, ended.stderr
    start = "NOT SATISFIED" if typed else "SATISFIED UNDER WILDCARD WITH RESERVATION"
    assert ended.stdout.startswith(start)


def test_a_release_by_swap_is_ingested_with_its_groups_and_without_links_to_people(
    cli, complete, tmp_path
):
    _, release, key = swapped(cli, complete, tmp_path / "a", "--k", 12, "--epsilon", 2)
    store = ("--store", f"embedded:{tmp_path / 'g.grafeo'}", "--quiet")
    assert cli("ingest", complete, *SAID, "--dataset", "d", "--ratings", *store).exit_code == 0
    ended = cli(
        "ingest", release, *SAID, "--release-of", "d", "--run", "s", "--key", key, *store, "--json"
    )
    assert ended.exit_code == 0, ended.stderr
    groups = len(json.loads(key.read_text())["groups"])
    found = json.loads(ended.stdout)["release"]
    assert (found["linked"], found["groups"], found["withheld"]) == (False, groups, 0)
    ended = cli("query", "run", "anonymize/swap-check", "--param", "dataset=d", *store, "--json")
    assert ended.exit_code == 0, ended.stderr
    (told,) = json.loads(ended.stdout)["rows"]
    assert (told["groups"], told["changed"]) == (groups, 0)
    assert told["farthest"] <= 2


@pytest.mark.parametrize("missing", [True, False])
def test_the_command_that_recommend_proposes_makes_the_release(cli, complete, tmp_path, missing):
    """Advice leads into no wall: what the proposed verdict has of reservations is said,
    and accepted.
    """
    if missing:
        lines = complete.read_text(encoding="utf-8").splitlines()
        lines[1] = ",".join(["p00", "", *lines[1].split(",")[2:]])
        complete.write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = ("--method", "swap", "--k", 12, "--epsilon", 2)
    ended = cli("recommend", complete, *SAID, *asked)
    assert ended.exit_code == 0, ended.stderr
    (line,) = [line for line in ended.stdout.splitlines() if "ratingpriv anonymize" in line]
    assert ("--accept nulls-wildcard" in line) is missing
    command = [*shlex.split(line)[1:-1], str(tmp_path / "r.csv")]
    made = cli(*command, "--quiet")
    assert made.exit_code == 0, made.stdout + made.stderr
    content = json.loads(cli("recommend", complete, *SAID, *asked, "--json").stdout)
    assert content["choice"]["reserved"] == (["nulls-wildcard"] if missing else [])


def test_groups_of_a_run_in_the_store(cli, complete, tmp_path, monkeypatch):
    """What was decomposed in Cypher becomes a release; of other data it does not."""
    monkeypatch.setenv("RATINGPRIV_STORE", f"embedded:{tmp_path / 'g.grafeo'}")
    assert (
        cli(
            "ingest", complete, *SAID, "--dataset", "d", "--epsilon", 2, "--ratings", "--quiet"
        ).exit_code
        == 0
    )
    run = ("query", "run", "partition/decompose", "-p", "dataset=d", "-p", "run=a", "-p", "k=6")
    assert cli(*run, "-p", "epsilon=2", "--quiet").exit_code == 0
    members = cli(
        "query", "run", "partition/members", "-p", "dataset=d", "-p", "run=a", "--json", "--quiet"
    )
    placed = [
        row["clique"] for row in json.loads(members.stdout)["rows"] if row["clique"] is not None
    ]
    ended, release, key = swapped(
        cli, complete, tmp_path / "a", "--k", 6, "--epsilon", 2, "--groups", "run:d/a", "--json"
    )
    assert release.exists(), ended.stdout + ended.stderr
    groups = json.loads(key.read_text())["groups"]
    assert sorted(len(one["original"]) for one in groups) == sorted(map(placed.count, set(placed)))
    for groups, how in (
        ("run:d/b", ("--epsilon", 2)), ("run:a", ("--epsilon", 2)), ("run:e/a", ("--epsilon", 2)),
        ("run:d/a", ("--epsilon", 0)),
    ):  # fmt: skip
        ended, release, _ = swapped(
            cli, complete, tmp_path / "b", "--k", 6, *how, "--groups", groups
        )
        assert (ended.exit_code, release.exists()) == (2, False), groups
    fewer = tmp_path / "fewer.csv"
    fewer.write_text("".join(complete.read_text().splitlines(keepends=True)[:-1]))
    ended, release, _ = swapped(
        cli, fewer, tmp_path / "c", "--k", 6, "--epsilon", 2, "--groups", "run:d/a"
    )
    assert (ended.exit_code, release.exists()) == (2, False)
