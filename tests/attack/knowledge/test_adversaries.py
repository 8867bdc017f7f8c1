"""Adversaries by name, how much is known where nothing is said, and all of a target's ratings."""

from pathlib import Path

import numpy as np
import pytest
from attack.attack_tables import draw
from attack.planting import crowd, long_table

import ratingpriv
from ratingpriv.attack import Knowledge, study
from ratingpriv.attack.knowledge.adversaries import (
    ADVERSARIES,
    ALL,
    default_known,
    eligible_ratings,
    knowledge_of,
)
from ratingpriv.base.errors import ParameterError

SURVEY = Path(__file__).parents[3] / "examples" / "survey.csv"


def uneven(records=30):
    """Record i rates the first 1 + i % 6 of 12 issues."""
    rows = [
        (f"r{i}", f"i{j}", 1 + (i * j) % 5, 100 * i)
        for i in range(records)
        for j in range(1 + i % 6)
    ]
    rows += [("none", f"i{j}", None, 0) for j in range(6, 12)]
    return long_table(rows)


def test_known_defaults_to_eight_or_what_the_fullest_record_has():
    assert study(crowd(40, 20, 0.6), targets=20).attack.parameters["known"] == 8
    assert study(ratingpriv.read(SURVEY)).attack.parameters["known"] == 7
    found = study(uneven(), fail_above=0.99)
    assert found.attack.parameters["known"] == 6
    assert found.attack.measures.targets == 5  # somebody is attacked, and who is not is counted
    assert found.attack.could_not_attack == 26
    assert "targets-not-attacked" in [caution.code for caution in found.attack.cautions]
    assert any("attack with a lower `known`, too" in warning for warning in found.attack.warnings)
    assert not any(
        "lower `known`" in warning for warning in study(uneven(), known=2).attack.warnings
    )


def test_a_sweep_needs_no_known_of_its_own():
    found = study(uneven(), sweep={"rating_error": (0, 1)})
    assert found.attack.measures.measured
    assert [point.setting["known"] for point in found.sweep] == [6, 6]
    some = study(uneven(), sweep={"known": (2, 9, "all")})
    assert [point.measures.measured for point in some.sweep] == [True, False, True]
    assert some.attack.measures.measured


def test_the_default_counts_only_what_may_be_known():
    table = uneven()
    lengths = eligible_ratings(table, "not-top:2")
    assert lengths.max() == 4
    assert default_known(table, "not-top:2") == 4
    assert lengths.tolist()[:7] == [0, 0, 1, 2, 3, 4, 0]
    assert eligible_ratings(table, "rarest").tolist() == np.diff(table.indptr).tolist()


def test_presets_are_their_parts():
    table = crowd(40, 20, 0.6)
    for name, parts in ADVERSARIES.items():
        found = study(table, adversary=name, targets=30, rng=3)
        assert found.to_dict()["parameters"].pop("adversary") == name
        alone = study(table, **parts, targets=30, rng=3)
        assert found.attack.measures.to_dict() == alone.attack.measures.to_dict()
        for part, value in parts.items():
            assert found.attack.parameters[part] == value


def test_without_dates_no_date_is_known():
    table = crowd(40, 20, 0.6).replace(timestamps=None)
    for name in ADVERSARIES:
        assert study(table, adversary=name, targets=20).attack.parameters["date_error"] is None
    with pytest.raises(ParameterError, match="timestamps"):
        study(table, adversary="netflix", date_error=3)


def test_what_is_said_goes_before_the_preset():
    table = crowd(40, 20, 0.6)
    found = knowledge_of(
        table, "netflix", {"wrong": 0, "date_error": "none", "known": 5, "items": None}
    )
    assert found == Knowledge(known=5)
    assert knowledge_of(table, None, {"date_error": "none"}) == Knowledge()
    assert knowledge_of(table, None, {"rating_error": 1.0}) == Knowledge(rating_error=1.0)


def test_a_preset_is_cut_to_the_data_in_proportion():
    table = ratingpriv.read(SURVEY)  # seven questions
    netflix = knowledge_of(table, "netflix", {})
    assert (netflix.known, netflix.wrong) == (7, 1)
    assert knowledge_of(uneven(), "netflix", {"items": "not-top:2"}).known == 4


@pytest.mark.parametrize("items", ["uniform", "rarest", "not-top:2"])
def test_everything_is_every_rating(items):
    table = uneven()
    found = draw(table, known=ALL, items=items, rng=5)
    lengths = eligible_ratings(table, items)
    assert found.auxiliary.targets.tolist() == np.flatnonzero(lengths > 0).tolist()
    assert found.auxiliary.known.tolist() == lengths[lengths > 0].tolist()
    assert found.could_not_attack == np.count_nonzero(lengths == 0)
    for t, target in enumerate(found.auxiliary.targets.tolist()):
        entries = slice(found.auxiliary.indptr[t], found.auxiliary.indptr[t + 1])
        row = slice(table.indptr[target], table.indptr[target + 1])
        right = dict(
            zip(table.indices[row].tolist(), table.levels[table.codes[row]].tolist(), strict=True)
        )
        for issue, rating in zip(
            found.auxiliary.issues[entries].tolist(),
            found.auxiliary.ratings[entries].tolist(),
            strict=True,
        ):
            assert right[issue] == rating
    assert found.parameters["known"] == ALL
    assert found.parameters["seed"] == 5


def test_everything_of_some_targets_with_errors_is_the_same_again():
    table = uneven()
    asked = {"known": ALL, "targets": 12, "rating_error": 1, "date_error": 2, "rng": 5}
    one, two = draw(table, **asked), draw(table, **asked)
    assert np.array_equal(one.auxiliary.ratings, two.auxiliary.ratings)
    assert np.array_equal(
        one.auxiliary.targets, draw(table, known=1, targets=12, rng=5).auxiliary.targets
    )
    plain = draw(table, known=ALL, targets=12, rng=5).auxiliary
    off = np.abs(one.auxiliary.ratings - plain.ratings)
    assert off.max() == 1
    assert 0 < np.count_nonzero(off) < len(off)
