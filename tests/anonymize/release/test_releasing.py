"""A release in one call: what could not be written is refused early; it is measured and attacked."""

from __future__ import annotations

import pytest
from release_samples import survey

from ratingpriv.anonymize import Publish, make_release, verify
from ratingpriv.base.errors import OutputError, ParameterError
from ratingpriv.base.target import Target

TARGET = Target(k=2, epsilon=1.0)


def test_it_is_written_with_its_proof_and_what_it_is_good_for(tmp_path):
    publish = Publish(path=tmp_path / "r.csv", key=tmp_path / "r.key", order_seed=3, publish_utility=["all"])
    release = make_release(survey(tmp_path), "suppress", TARGET, publish)
    assert release.standing.passes
    assert release.attack is not None
    assert release.utility is not None
    assert sorted(publish.files) == sorted(path for path in tmp_path.iterdir() if path.name != "input.csv")
    assert verify(tmp_path / "r.csv").standing.passes
    again = Publish(path=tmp_path / "s.csv", order_seed=3, utility="none")
    bare = make_release(survey(tmp_path), "suppress", TARGET, again)
    assert (bare.utility, bare.attack) == (None, None)
    assert bare.sha256 == release.sha256


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"format": "none"}, "format"),
        ({"publish_utility": ["recommender"]}, "publish_utility"),
        ({"utility": "some"}, "utility"),
        ({"sign": "none.pem"}, "sign"),
        ({"key": "r.csv"}, "key"),
    ],
)
def test_what_could_not_be_written_is_refused_before_anything_is_made(tmp_path, monkeypatch, asked, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError) as caught:
        Publish(path="r.csv", **asked)
    assert caught.value.name == name
    assert list(tmp_path.iterdir()) == []


def test_no_release_is_replaced_unasked_and_none_by_predictive_has_timestamps(tmp_path):
    (tmp_path / "r.csv").touch()
    with pytest.raises(OutputError):
        Publish(path=tmp_path / "r.csv")
    publish = Publish(path=tmp_path / "r.csv", force=True, timestamps=True)
    with pytest.raises(ParameterError) as caught:
        make_release(survey(tmp_path), "predictive", TARGET, publish)
    assert caught.value.name == "timestamps"
    assert (tmp_path / "r.csv").read_bytes() == b""
