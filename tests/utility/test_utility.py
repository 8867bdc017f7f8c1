"""``ratingpriv.utility``: references, streams, selections, limits, and what is never guessed."""

import dataclasses
import sys

import numpy as np
import polars as pl
import pytest
from golden.tables import build

import ratingpriv
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, ResourceError
from ratingpriv.data.table import RatingTable
from ratingpriv.utility.comparing import no_better, worthless_caution
from ratingpriv.utility.measures import MEASURES, NAMES, Measure
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.result import Measured, not_measured
from ratingpriv.utility.tables import worthless
from ratingpriv.utility.utility import utility_of_pair


def draw(pair, *, rng, resources):
    """A measure that is nothing but chance."""
    return Measured(float(rng.random()))


def apart(pair, *, rng, resources, times=1):
    """The share of cells that differ from the paired original's."""
    if pair.pairing is None:
        return not_measured("no key")
    old, new = pair.original.to_wide(), pair.release.to_wide()
    places = np.flatnonzero(pair.pairing >= 0)
    differ = [
        (old[name].to_list()[i] != new[name].to_list()[pair.pairing[i]])
        for name in pair.original.issues
        for i in places
    ]
    return Measured(times * sum(differ) / max(1, len(differ)), of="share of cells")


def greedy(pair, *, rng, resources):
    """One that needs more than there is."""
    raise ResourceError("it takes 5 GiB")


FAKES = {
    "query_error": Measure(draw),
    "membership_change": Measure(apart, {"clusters": "times"}),
    "classification": Measure(greedy, {"target": "target"}),
    "bias": Measure(draw),
}


@pytest.fixture(autouse=True)
def fakes():
    """The registry with the fakes instead of what is in it."""
    kept = dict(MEASURES)
    MEASURES.clear()
    MEASURES.update(FAKES)
    yield
    MEASURES.clear()
    MEASURES.update(kept)


@pytest.fixture
def original():
    frame = pl.DataFrame(
        {"id": list("abcdef"), "q": [1, 2, 3, 4, 5, 1], "p": [5, 4, None, 2, 1, 5]}
    )
    return RatingTable.from_wide(frame, id="id", scale=(1, 5))


def test_each_measure_stands_beside_its_references(original):
    found = ratingpriv.utility(original, original, truth="ids", measures="membership_change")
    one = found["membership_change"]
    assert (one.value, one.original) == (0.0, 0.0)
    assert one.worthless > 0.2  # by the seed 0 some of eleven ratings are others
    again = ratingpriv.utility(
        original, original, truth="ids", measures="membership_change", clusters=2
    )
    assert again["membership_change"].worthless == 2 * one.worthless
    assert again.parameters.settings == {"clusters": 2}


def test_the_references_are_drawn_by_the_same_numbers(original):
    one = ratingpriv.utility(original, original, measures="bias")["bias"]
    assert one.value == one.original == one.worthless


def test_leaving_out_a_measure_changes_no_other(original):
    both = ratingpriv.utility(original, original, measures=["bias", "query_error"], rng=3)
    alone = ratingpriv.utility(original, original, measures=["bias"], rng=3)
    assert both["bias"].value == alone["bias"].value
    assert both["bias"].value != both["query_error"].value
    other = ratingpriv.utility(original, original, measures=["bias"], rng=4)
    assert other["bias"].value != alone["bias"].value
    # in the order of NAMES, however they are named
    assert tuple(both.measured) == ("query_error", "bias")


def test_a_measures_stream_is_of_its_place_in_the_fixed_order(original):
    expected = np.random.SeedSequence(3).spawn(1 + len(NAMES))[1 + NAMES.index("bias")]
    found = ratingpriv.utility(original, original, measures=["bias"], rng=3)
    assert found["bias"].value == np.random.default_rng(expected).random()
    assert NAMES[-1] == "questions"  # a new one goes behind it, or every stream changes


def test_a_pairing_is_never_guessed(original):
    found = ratingpriv.utility(original, original)
    assert found.paired_by is found.withheld is None
    one = found["membership_change"]
    assert (one.value, one.original, one.worthless) == (None, None, None)
    assert "key" in one.reason
    assert found["classification"].reason == "it takes 5 GiB"  # and the others are measured
    assert found["bias"].value is not None


def test_suppressed_records_are_counted(original):
    release = original.take(np.array([3, 0, 5, 1]))
    found = ratingpriv.utility(original, release, truth="ids", measures="membership_change")
    assert (found.withheld, found.paired_by, found["membership_change"].value) == (2, "ids", 0.0)


def test_limits_which_nothing_that_was_not_measured_keeps(original):
    found = ratingpriv.utility(
        original, original, truth="ids", require=["membership_change<=0", "membership_change>=0"]
    )
    assert found.passed is True
    found = ratingpriv.utility(original, original, truth="ids", require="membership_change>=1e-9")
    assert found.passed is False
    assert ratingpriv.utility(original, original).passed is None
    for limit in ("membership_change<=1", "membership_change>=0"):
        found = ratingpriv.utility(original, original, require=limit)
        (one,) = found.judged
        assert (found.passed, one.met, one.value) == (False, False, None)
        assert "key" in one.reason


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"measures": "mean"}, "measure"),
        ({"measures": []}, "measure"),
        ({"measures": ["bias"], "require": "query_error<=1"}, "require"),
        ({"measures": ["bias"], "target": "q"}, "target"),
        ({"queries": 5}, "queries"),
        ({"rng": -1}, "rng"),
        ({"truth": "name"}, "truth"),
    ],
)
def test_what_would_be_ignored_is_refused(original, asked, named):
    with pytest.raises(ParameterError) as caught:
        ratingpriv.utility(original, original, **asked)
    assert caught.value.name == named


def test_a_measure_without_a_key_of_the_document_is_refused_not_dropped(original):
    """What was measured is in the JSON, or nothing is:
    a measure's key stands in the document's type.
    """
    found = ratingpriv.utility(original, original, truth="ids", measures=["bias"])
    extended = dataclasses.replace(found, measured={**found.measured, "nonsense": found["bias"]})
    for document in (extended.to_dict, extended.measures_dict):
        with pytest.raises(TypeError, match="no key for nonsense"):
            document()


@pytest.mark.parametrize(
    ("name", "value", "original", "worthless", "margin", "lost"),
    [
        ("query_error", 0.85, 0.0, 1.0, 0.1, False), ("query_error", 0.95, 0.0, 1.0, 0.1, True),
        ("query_error", 0.95, 0.0, 1.0, 0.0, False),
        ("standard_deviation", 1.85, 1.0, 2.0, 0.1, False),
        ("standard_deviation", 1.95, 1.0, 2.0, 0.1, True),
        ("query_error", 1.0, 0.0, 1.0, 0.0, True),
    ],
)  # fmt: skip
def test_what_is_hardly_better_than_a_random_baseline(
    name, value, original, worthless, margin, lost
):
    measures = {name: {"value": value, "original": original, "worthless": worthless}}
    assert no_better(measures, margin=margin) == ((name,) if lost else (), 1)
    assert (worthless_caution(measures, margin=margin) is not None) is lost


def test_references_are_measured_once_for_all_releases_of_an_original(monkeypatch):
    table = build([(1, 2), (3, 4), (5, 1), (2, 2), (4, 3)])
    worthless_of, calls = worthless, []

    def drawn(*arguments):
        calls.append(1)
        return worthless_of(*arguments)

    monkeypatch.setattr(sys.modules["ratingpriv.utility.utility"], "worthless", drawn)
    pairs = [
        Pair(table, other, np.arange(5), "key")
        for other in (build([(1, 1)] * 5), build([(1, 2), (3, 4), (5, 1), (2, 2), (1, 3)]))
    ]
    names, remembered = ["query_error", "membership_change"], {}
    apart_each = [utility_of_pair(pair, names, rng=3) for pair in pairs]
    calls.clear()
    together = [utility_of_pair(pair, names, rng=3, remembered=remembered) for pair in pairs]
    assert [one.measured for one in together] == [one.measured for one in apart_each]
    assert len(calls) == 1
    assert utility_of_pair(pairs[0], names, rng=4, remembered=remembered).measured == (
        utility_of_pair(pairs[0], names, rng=4).measured
    )


def test_every_table_that_is_measured_is_reported_before():
    """So that Ctrl-C is obeyed between the original, a worthless release and this one."""
    told, at = [], []

    def counts(pair, *, rng, resources):
        at.append(len(told))
        return Measured(0.5)

    MEASURES["query_error"] = MEASURES["bias"] = Measure(counts)
    pair = Pair(build([(1, 2), (3, 4)]), build([(1, 2), (3, 3)]), np.arange(2), "key")
    resources = Resources(progress=lambda what, done, total: told.append((done, total)))
    utility_of_pair(pair, ["query_error", "bias"], resources=resources)
    assert at == [1, 2, 3, 4, 5, 6]
    assert told == [(done, 6) for done in range(7)]
