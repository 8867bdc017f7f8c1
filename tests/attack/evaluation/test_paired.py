"""The same attack on an original and its release: pairing, lost knowledge,
withheld records, difference.
"""

import dataclasses

import numpy as np
import polars as pl
import pytest
from attack.attack_tables import compared, run
from attack.planting import crowd, rare_things

from ratingpriv import RatingTable
from ratingpriv.attack import Drawn
from ratingpriv.attack.evaluation.experiments import experiment
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key, read_key, write_key
from ratingpriv.partition.distortion.pairing import positions_in_release


def released(table, order, names):
    """The records at ``order`` under new names, and the key of that."""
    release = table.take(np.array(order)).replace(record_ids=pl.Series("record", names))
    given = dict(zip(order, names, strict=True))
    ids = tuple(table.record_ids.to_list())
    return release, Key(ids, tuple(given.get(position) for position in range(len(ids))))


def shuffled(table, seed=0):
    order = np.random.default_rng(seed).permutation(table.n_records).tolist()
    return released(table, order, [100 + place for place in range(len(order))])


def test_a_shuffled_release_changes_nothing():
    table = crowd(50, 25)
    release, key = shuffled(table)
    before = run(table, known=4, date_error=14)
    found = compared(before, release, key)
    assert found.before is before
    assert found.after.measures.success == before.measures.success
    assert found.after.measures.false_positive == before.measures.false_positive
    assert np.array_equal(found.after.succeeded, before.succeeded)
    change = found.difference
    assert (change.rate, change.before_only, change.after_only) == (0, 0, 0)
    assert change.low < 0 < change.high
    assert found.released == before.measures.targets
    assert (found.withheld, found.lost[0], found.unarmed) == (0, 0, 0)
    assert found.warnings == ()


def test_a_wrong_pairing_would_find_nobody():
    """The planted mistake: the same release with the pairing moved by one."""
    table = rare_things()
    release, key = shuffled(table)
    wrong = Key(key.original, (*key.released[1:], key.released[0]))
    found = compared(run(table, known=3, items="rarest"), release, wrong)
    assert found.after.measures.success.rate == 0
    assert any("not this release's" in warning for warning in found.warnings)
    assert [caution.code for caution in found.cautions] == ["pairing-implausible"]


def test_withheld_records_are_not_found_and_count():
    table = rare_things(10)
    release, key = released(table, [0, 2, 4, 6], ["a", "b", "c", "d"])
    found = compared(run(table, known=3, items="rarest"), release, key)
    assert (found.released, found.withheld) == (4, 6)
    assert (found.after.measures.targets, found.after.measures.success.count) == (10, 4)
    assert found.after.measures.no_match.count == 6
    assert (found.difference.before_only, found.difference.both) == (6, 4)
    assert found.difference.rate == pytest.approx(-0.6)
    assert found.difference.high < 0
    assert (found.of_released.count, found.of_released.of) == (4, 4)  # those released are no safer
    assert any("6 targets are not in the release" in warning for warning in found.warnings)
    assert [caution.code for caution in found.cautions] == ["targets-suppressed"]


def test_issues_that_are_gone_are_lost_knowledge():
    table = rare_things(10, each=4)
    release, key = shuffled(table.drop([name for name in table.issues if name.startswith("own")]))
    before = run(table, known=3, items="rarest")
    found = compared(before, release, key)
    assert before.measures.success.rate == 1
    assert found.lost == (30, 30)
    assert found.unarmed == 10
    assert found.after.measures.success.rate == 0
    assert found.after.measures.no_match.rate == 1
    assert any("Of 10 targets nothing was known" in warning for warning in found.warnings)
    assert "knowledge-lost" in [caution.code for caution in found.cautions]
    assert "issues-unknown" in [caution.code for caution in found.after.cautions]
    some = compared(run(table, known=6), release, key)
    assert (some.lost, some.unarmed) == ((40, 60), 0)


def test_issues_are_paired_by_name_not_by_place():
    table = crowd(40, 15)
    release, key = shuffled(table)
    turned = release.to_long().cast({"issue": pl.String}).sort("issue", descending=True)
    release = RatingTable.from_long(turned, record=turned.columns[0], timestamp="timestamp")
    assert release.issues != table.issues
    before = run(table, known=4, date_error=3)
    found = compared(before, release, key)
    assert np.array_equal(found.after.succeeded, before.succeeded)


@pytest.mark.parametrize(
    "algorithm", ["scoreboard", "matching-set", "scoreboard-rh", "best-candidate"]
)
def test_dates_that_were_not_released_are_not_compared(algorithm):
    table = crowd(40, 15)
    release, key = shuffled(table)
    undated = release.replace(timestamps=None)
    dated = compared(run(table, known=4, date_error=3, algorithm=algorithm), undated, key)
    without = compared(run(table, known=4, algorithm=algorithm), undated, key)
    assert np.array_equal(dated.after.succeeded, without.after.succeeded)


def test_in_a_release_of_other_ratings_the_paired_record_is_the_true_one():
    """A hand-made release: two groups, each of one middle value; nobody stands out any more."""
    wide = pl.DataFrame({"id": list("abcdef"), "x": [1, 2, 3, 5, 4, 5], "y": [1, 1, 2, 5, 5, 4]})
    table = RatingTable.from_wide(wide, id="id", scale=(1, 5))
    merged = wide.with_columns(x=pl.Series([2, 2, 2, 5, 5, 5]), y=pl.Series([1, 1, 1, 5, 5, 5]))
    release, key = shuffled(RatingTable.from_wide(merged, id="id", scale=(1, 5)))
    before = run(table, known=2, algorithm="scoreboard")
    wider = {**before.parameters, "rating_tolerance": 1}
    found = compared(dataclasses.replace(before, parameters=wider), release, key)
    assert before.measures.success.rate == 1
    assert found.after.measures.success.rate == 0
    assert np.all(found.after.attacked.matching == 3)
    assert found.after.measures.expected_risk.rate == pytest.approx(1 / 3)
    assert found.difference.rate == -1


def test_ids_that_were_kept_are_a_truth():
    table = crowd(40, 20)
    found = compared(run(table, known=3), table.take(np.arange(39, -1, -1)), "ids")
    assert np.array_equal(found.after.succeeded, found.before.succeeded)
    fewer = compared(run(table, known=3), table.take(np.arange(39, 0, -1)), "ids")
    assert fewer.withheld == int(np.count_nonzero(fewer.before.auxiliary.targets == 0))


@pytest.mark.parametrize("number", [True, False])
def test_ids_may_be_numbers_or_text(tmp_path, number):
    table = crowd(20, 15, 0.5)
    ids = list(range(20)) if number else [str(i) for i in range(20)]
    table = table.replace(record_ids=pl.Series("record", ids))
    release, key = shuffled(table)
    write_key(key, tmp_path / "release.key")
    back = read_key(tmp_path / "release.key")
    text = release.replace(record_ids=release.record_ids.cast(pl.String))
    expected = positions_in_release(table, release, key).tolist()
    for one in (release, text):
        assert positions_in_release(table, one, back).tolist() == expected


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda key: Key(key.original[1:], key.released[1:]), "without record no. 1"),
        (
            lambda key: Key(key.original, ("nobody", *key.released[1:])),
            "released record that is not there",
        ),
        (lambda key: Key(key.original, (None, *key.released[1:])), "without released record no."),
        (lambda key: Key(key.original, key.released, {"input_sha256": "00"}), "original"),
        (lambda key: Key(key.original, key.released, {"release_sha256": "00"}), "release"),
        (lambda key: "keys", "'ids'"),
    ],
)
def test_a_truth_that_does_not_fit(change, words):
    table = crowd(20, 15)
    table = table.replace(origin=dataclasses.replace(table.origin, sha256="11"))
    release, key = shuffled(table)
    with pytest.raises(ParameterError, match=words):
        compared(run(table, known=2), release, change(key))


def test_unknown_people_stay_unknown():
    table = rare_things(6)
    release, key = shuffled(table)
    known = run(table, known=3, items="rarest").auxiliary
    strangers = dataclasses.replace(
        known, targets=np.array([0, 1, -1, -1, 4, 5]), labels=tuple("abcdef")
    )
    found = compared(experiment(table, Drawn(strangers)), release, key)
    assert (found.before.measures.targets, found.after.measures.targets, found.withheld) == (
        4,
        4,
        0,
    )
    assert found.after.persons.names == tuple("abcdef")
