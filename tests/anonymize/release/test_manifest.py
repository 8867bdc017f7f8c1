"""The manifest: what it says, what it must not say, and how a bad one is refused."""

from __future__ import annotations

import json

import pytest
from release_samples import anonymized, manifest_of, survey

from ratingpriv.anonymize.release import manifest
from ratingpriv.anonymize.release.manifest import SCHEMA, manifest_path, read_manifests
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.formats.writing import Rereading


@pytest.fixture
def content(tmp_path):
    write_release(anonymized(survey(tmp_path), [0, 1, 2, 3, 4], l=1), tmp_path / "r.csv")
    return manifest_of(tmp_path / "r.csv")


def test_what_it_says(content):
    assert content["schema"] == SCHEMA == "ratingpriv.manifest/1"
    assert content["release"]["file"] == "r.csv"
    asked = {"k": 3, "epsilon": 1, "l": 1, "nulls": "strict", "sensitive_nulls": "paper"}
    assert content["parameters"] == asked
    assert content["method"]["name"] == "suppress"
    assert content["method"]["seed"] == 0
    assert content["records"] == {"released": 5, "withheld": 1}
    assert (content["issues"], content["sensitive"]) == (2, ["age"])
    assert content["distortion"]["records_withheld"] == 1
    assert content["verification"]["satisfied"] is True
    assert content["verification"]["largest_k"] == 5
    assert content["verification"]["largest_l"]["age"] == pytest.approx(11.661903789690601)
    assert content["read"]["format"] == "delimited"
    assert content["read"]["scale"] == [1, 5]
    assert content["ids"] == "shuffle"
    assert {"ratingpriv", "python", "numpy", "polars"} <= set(content["versions"])


def test_what_it_does_not_say(content):
    assert content["input"]["sha256"] is None
    assert content["input"]["commitment"] is None  # there is no key that could open it
    assert "seed" not in content  # the method's is there; the order's is in the key


def test_what_is_read_is_what_was_written(tmp_path, content):
    (found,) = read_manifests(manifest_path(tmp_path / "r.csv"))
    assert (found.target.k, found.target.epsilon, found.target.l, found.records) == (3, 1.0, 1.0, 5)
    assert found.content == content


def test_both_manifests_are_read(tmp_path, content):
    path = tmp_path / "both"
    path.write_text(json.dumps({**content, "replaces": {**content, "ids": "keep"}}))
    assert [one.content["ids"] for one in read_manifests(path)] == ["shuffle", "keep"]


def test_a_scale_of_a_sensitive_issue_is_part_of_how_the_release_is_read(tmp_path):
    original = survey(tmp_path, sensitive_scale={"age": (18, 99)})
    write_release(anonymized(original, [0, 1, 2, 3, 4], l=1), tmp_path / "r.csv")
    read = json.loads(manifest_path(tmp_path / "r.csv").read_text(encoding="utf-8"))["read"]
    assert read["sensitive_scale"] == {"age": [18, 99]}
    options = Rereading.from_dict(read).options
    assert options.sensitive_scale == {"age": (18, 99)}
    assert verify(tmp_path / "r.csv").valid
    for wrong in ({"q1": [1, 2]}, {"age": [2, 1]}, {"age": [1]}, {"age": "1:2"}, [1, 2]):
        with pytest.raises(ParameterError, match="sensitive_scale"):
            Rereading.from_dict({**read, "sensitive_scale": wrong})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no JSON"),
        ("[]", "no JSON object"),
        ("{}", "schema None"),
        ('{"schema": "ratingpriv.manifest/2"}', "schema 'ratingpriv.manifest/2'"),
        ('{"schema": "ratingpriv.manifest/1"}', "no 'parameters'"),
    ],
)
def test_what_is_no_manifest(tmp_path, text, message):
    path = tmp_path / "m.json"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_manifests(path)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("parameters", "k"), "3"),
        (("parameters", "k"), True),
        (("parameters", "epsilon"), None),
        (("parameters", "l"), "1"),
        (("release", "sha256"), 7),
        (("records", "released"), "5"),
        (("read", "format"), None),
        (("read", "colour"), "red"),
        (("verification",), []),
        (("read",), []),
        (("replaces",), 7),
    ],
)
def test_values_of_a_wrong_kind(tmp_path, content, place, value):
    inner = content
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    path = tmp_path / "m.json"
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"m\.json"):
        read_manifests(path)


@pytest.mark.parametrize("name", ["epsilon", "l"])
def test_an_epsilon_and_an_l_up_to_2_to_the_53(tmp_path, content, name):
    path = tmp_path / "m.json"
    content["parameters"][name] = 2**53
    path.write_text(json.dumps(content))
    assert getattr(read_manifests(path)[0].target, name) == 2**53
    content["parameters"][name] = 1e16
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"beyond 2\^53"):
        read_manifests(path)


def test_a_missing_manifest(tmp_path):
    with pytest.raises(DataError, match="copy both"):
        read_manifests(tmp_path / "r.csv.manifest.json")


@pytest.mark.parametrize(
    ("error", "said"),
    [(OSError(5, "Input/output error"), "Input/output error"), (OSError(), "no readable file")],
)
def test_a_manifest_that_cannot_be_read(tmp_path, monkeypatch, error, said):
    def failing(_):
        raise error

    monkeypatch.setattr(manifest, "_text", failing)
    with pytest.raises(DataError, match=f"found {said}"):
        read_manifests(tmp_path / "r.csv.manifest.json")


@pytest.mark.deep
@pytest.mark.parametrize(
    ("more", "problem"), [(0, r"no JSON \((?!more)"), (1, r"no JSON \(more than 64 MiB\)")]
)
def test_a_manifest_has_at_most_64_mebibytes(tmp_path, more, problem):
    path = tmp_path / "r.csv.manifest.json"
    with path.open("wb") as file:
        file.truncate((64 << 20) + more)
    with pytest.raises(DataError, match=problem):
        read_manifests(path)
