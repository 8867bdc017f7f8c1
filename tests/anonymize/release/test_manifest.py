"""The manifest: what it says, what it must not say, and how a bad one is refused."""

import pytest
from release_samples import FIVE, GONE, anonymized, edit, manifest_of, survey

from ratingpriv.anonymize.release.manifest import SCHEMA, manifest_path, read_manifest
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.formats.writing import Rereading


@pytest.fixture
def release(tmp_path):
    return write_release(anonymized(survey(tmp_path), FIVE, l=1), tmp_path / "r.csv").path


def test_what_it_says_and_what_it_does_not(release):
    content = manifest_of(release)
    versions, cost = content.pop("versions"), content.pop("distortion")
    assert {"ratingpriv", "python", "numpy", "polars"} <= set(versions)
    assert (cost["records_withheld"], cost["mean_before"], cost["mean_after"]) == (1, 4.1, 4.1)
    assert (
        content.pop("method").items() >= {"name": "suppress", "seed": 0, "optimal": False}.items()
    )
    assert len(content.pop("release")["sha256"]) == 64
    assert content.pop("verification") == {
        "satisfied": True, "read_from": "the written file", "largest_k": 5,
        "largest_l": {"age": pytest.approx(11.661903789690601)}, "highest_risk": 0.2,
        "average_risk": 0.2,
        "violators": 0,
    }  # fmt: skip
    # without a key
    assert content.pop("input").items() >= {"sha256": None, "commitment": None}.items()
    assert (
        content.pop("read").items()
        >= {"format": "delimited", "id": "user", "scale": [1, 5]}.items()
    )
    assert [one["code"] for one in content.pop("cautions")] == ["epsilon-covers-questions", "found"]
    assert content == {
        "schema": SCHEMA, "ids": "shuffle", "issues": 2, "sensitive": ["age"], "nominal": [],
        "quasi": [],
        "recoded": {}, "carried": [], "left_out": None, "accepted": [], "found_at_most": 0.09,
        "parameters": {"k": 3, "epsilon": 1, "l": 1, "nulls": "strict", "sensitive_nulls": "paper"},
        "records": {"released": 5, "withheld": 1},
    }  # fmt: skip


def test_what_is_read_is_what_was_written(release):
    content = manifest_of(release)
    found = read_manifest(manifest_path(release))
    assert (found.target.k, found.target.epsilon, found.target.l, found.records) == (3, 1.0, 1.0, 5)
    assert found.content == content


def test_a_scale_of_a_sensitive_issue_is_part_of_how_the_release_is_read(tmp_path):
    original = survey(tmp_path, sensitive_scale={"age": (18, 99)})
    write_release(anonymized(original, FIVE, l=1), tmp_path / "r.csv")
    read = manifest_of(tmp_path / "r.csv")["read"]
    assert read["sensitive_scale"] == {"age": [18, 99]}
    assert Rereading.from_dict(read).options.sensitive_scale == {"age": (18, 99)}
    assert verify(tmp_path / "r.csv").valid
    for wrong in ({"q1": [1, 2]}, {"age": [2, 1]}, {"age": [1]}, {"age": "1:2"}, [1, 2]):
        with pytest.raises(ParameterError, match="sensitive_scale"):
            Rereading.from_dict({**read, "sensitive_scale": wrong})


def test_keys_may_be_added_and_old_manifests_have_fewer(release):
    verify(edit(release, more=1)).to_dict()
    for section in (
        "release",
        "records",
        "distortion",
        "verification",
        "parameters",
        "method",
        "input",
    ):
        edit(release, (section, "more", 1))
    edit(
        release,
        ("distortion", "shares", "more", 1),
        *((name, GONE) for name in ("nominal", "accepted")),
    )
    found = verify(release)
    assert found.valid, found.problems
    assert found.to_dict()["stated_not_checked"]["more"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", "null", '"\\ud800"', "\ufeff{}", "[" * 100_000, "[" * 41 + "]" * 41,
        '{"schema": "ratingpriv.manifest/2"}', '{"schema": "ratingpriv.manifest/1"}',
        '{"schema": "ratingpriv.manifest/1", "schema": "ratingpriv.manifest/1"}',
        '{"a": NaN}', '{"a": -Infinity}', '{"a": 1e400}', '{"a": 1e-400}',
        '{"a": 9007199254740993}',
        '{"a": ' + "9" * 400 + "}", '{"a": "\xff"}',
    ],
)  # fmt: skip
def test_text_that_is_no_manifest_of_one_meaning(tmp_path, text):
    path = tmp_path / "m.json"
    path.write_bytes(text.encode("latin-1" if "\xff" in text else "utf-8"))
    with pytest.raises(DataError, match=r"m\.json: found .*expected a manifest"):
        read_manifest(path)


def test_no_number_is_rounded(release):
    path = manifest_path(release)
    more = path.read_text().replace('"epsilon": 1', '"epsilon": 1.00000000000000000001')
    path.write_text(more)
    with pytest.raises(DataError, match="a number that float64 does not keep"):
        read_manifest(path)


@pytest.mark.parametrize(
    ("place", "values"),
    [
        ("parameters k", ["3", True, 0, 2.0]),
        ("parameters epsilon", [None, -1, 1e16]),
        ("parameters l", ["1", 1e16]),
        ("parameters nulls", ["known"]),
        ("release sha256", [7, "0"]),
        ("records released", ["5", True, GONE]),
        ("records withheld", [-1]),
        ("distortion changed", [-1, 1.5]),
        ("distortion total", [-1]),
        ("distortion mean_after", ["3"]),
        ("distortion shares", [[]]),
        *((f"distortion quasi {name}", [-1, None, True, "1"])
          for name in ("cells", "changed", "erased", "records_touched", "withheld", "moved")),
        ("verification", [[], GONE]),
        ("verification highest_risk", [None]),
        ("verification satisfied", [1]),
        ("verification largest_l", [[], {"age": "11"}, {"age": True}, {"age": -1}]),
        ("read", [[]]),
        ("read format", [None]),
        ("read colour", ["red"]),
    ],
)  # fmt: skip
def test_values_of_a_wrong_kind(release, place, values):
    quasi = dict.fromkeys(("cells", "changed", "erased", "records_touched", "withheld", "moved"), 0)
    content = manifest_of(edit(release, ("distortion", "quasi", quasi)))
    assert read_manifest(manifest_path(release))
    for value in values:
        *way, name = place.split()
        with pytest.raises(DataError, match=r"r\.csv\.manifest\.json.*expected a manifest"):
            read_manifest(manifest_path(edit(release, (*way, name, value))))
        edit(release, **content)


def test_an_epsilon_and_an_l_up_to_2_to_the_53(release):
    found = read_manifest(
        manifest_path(edit(release, ("parameters", "epsilon", 2**53), ("parameters", "l", 2**53)))
    )
    assert (found.target.epsilon, found.target.l) == (2**53, 2**53)


def test_a_manifest_that_is_no_file(release):
    path = manifest_path(release)
    path.unlink()
    with pytest.raises(DataError, match="copy both"):
        read_manifest(path)
    path.mkdir()
    with pytest.raises(DataError, match="Is a directory"):
        read_manifest(path)
