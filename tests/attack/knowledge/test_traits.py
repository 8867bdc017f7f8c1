"""An adversary who knows quasi-identifiers: whoever has other values is no candidate."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from attack.attack_tables import assert_same, auxiliary, dated_table, draw, situations
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import attack as naive

from ratingpriv.attack import scoreboard, scoreboard_rh, study
from ratingpriv.attack.evaluation.paired import known_of_release
from ratingpriv.attack.knowledge.auxiliary import count_fitting, values_of
from ratingpriv.attack.knowledge.files import read_auxiliary
from ratingpriv.audit.exposure.measure import exposure
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.table import QuasiColumn

pytestmark = pytest.mark.small


def each(cells, count):
    return st.lists(cells, min_size=count, max_size=count)


def column(name, cells, within=None):
    values = sorted({cell for cell in cells if cell is not None})
    codes = np.array([-1 if cell is None else values.index(cell) for cell in cells], dtype=np.int32)
    kind = pl.String if within is None else pl.Float64
    return QuasiColumn(name, codes, pl.Series(values, dtype=kind), within=within)


def people(*cells, ratings=None, **more):
    records = [{0: (3, None), 1: (4, None)} for _ in cells] if ratings is None else ratings
    return dated_table(records, stamps="none").replace(quasi=(column("region", cells),), **more)


@settings(max_examples=100 * DEPTH, deadline=None)
@given(situations(), st.data())
def test_both_algorithms_are_the_naive_ones_among_those_who_fit(situation, data):
    records, targets, known = situation
    regions = data.draw(
        st.lists(st.sampled_from(["n", "s", None]), min_size=len(records), max_size=len(records))
    )
    ages = data.draw(
        st.lists(st.sampled_from([20, 30, None]), min_size=len(records), max_size=len(records))
    )
    table = dated_table(records).replace(
        quasi=(column("region", regions), column("age", ages, 5.0))
    )
    inside = np.array([max(target, 0) for target in targets], dtype=np.int64)
    plain = auxiliary(known, targets)
    armed = type(plain)(
        targets=plain.targets, indptr=plain.indptr, issues=plain.issues, ratings=plain.ratings,
        dates=plain.dates, attributes=("region", "age"),
        values=values_of(table, ("region", "age"), inside),
    )  # fmt: skip
    simple, robust = scoreboard(table, armed, rating_tolerance=1), scoreboard_rh(table, armed)
    for t, own in enumerate(inside.tolist()):
        fits = [
            (None in (region, regions[own]) or region == regions[own])
            and (None in (age, ages[own]) or age == ages[own])
            for region, age in zip(regions, ages, strict=True)
        ]
        mine = None if targets[t] < 0 else own
        assert_same(
            simple, t, naive.scoreboard(records, known[t], mine, rating_tolerance=1, fits=fits)
        )
        assert_same(robust, t, naive.scoreboard_rh(records, known[t], mine, fits=fits), phi=1.5)


def test_who_alone_is_of_a_region_is_found():
    table = people("north", "north", "south")
    told = study(
        table, known=2, knows="region", algorithm="scoreboard", false_positives=False
    ).attack
    assert told.measures.success.count == 1
    assert told.parameters["knows"] == ["region"]
    unaware = study(
        table, known=2, knows="none", algorithm="scoreboard", false_positives=False
    ).attack
    assert unaware.measures.success.count == 0


def test_all_quasi_identifiers_are_known_unless_said_otherwise():
    table = people("north", "north", "south")
    assert draw(table, known=1).auxiliary.attributes == ("region",)
    assert draw(table, known=1, knows="none").auxiliary.values is None
    assert draw(table, known=2, knows=["region"]).auxiliary.values.tolist() == [
        [[0, 0]],
        [[0, 0]],
        [[1, 1]],
    ]


def test_a_name_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="knows: found 'age'"):
        draw(people("north", "south"), known=1, knows="region,age")
    with pytest.raises(ParameterError, match="there is none"):
        draw(dated_table([{0: (1, None)}], stamps="none"), known=1, knows="region")


@settings(max_examples=100 * DEPTH, deadline=None)
@given(st.data(), st.integers(1, 3), st.integers(1, 8))
def test_counting_who_fits_is_comparing_all(data, q, n):
    cells = st.integers(-1, 3)
    traits = np.array(data.draw(each(each(cells, n), q)), dtype=np.int32)
    asked = data.draw(st.lists(each(st.tuples(cells, cells), q), min_size=1, max_size=4))
    bounds = np.array(asked, dtype=np.int64)

    def fits(record, one):
        return all(t < 0 or low <= t <= high for t, (low, high) in zip(record, one, strict=True))

    expected = [sum(fits(record, one) for record in traits.T.tolist()) for one in asked]
    assert count_fitting(traits, bounds).tolist() == expected


def test_in_a_release_values_are_found_again_by_what_they_are():
    table = people("north", "south", "west")
    release = people("south", None, "south")
    aux = draw(table, known=1).auxiliary
    there = known_of_release(aux, table, release, np.arange(3))
    assert count_fitting(np.stack([release.quasi[0].codes]), there.values).tolist() == [1, 3, 1]
    bare = known_of_release(aux, table, release.replace(quasi=()), np.arange(3))
    assert (bare.attributes, bare.values) == ((), None)


def test_a_number_may_have_been_moved_by_as_much_as_its_rule_allows():
    table = people("a", "b", "c").replace(quasi=(column("age", [20, 30, 41], 5.0),))
    release = table.replace(quasi=(column("age", [25, 26, 36], 5.0),))
    there = known_of_release(draw(table, known=1).auxiliary, table, release, np.arange(3))
    assert there.values.tolist() == [[[0, 0]], [[0, 1]], [[2, 2]]]


def test_a_file_tells_quasi_identifiers_by_their_names(tmp_path):
    table = people("north", "north", "south")
    file = tmp_path / "known.csv"
    file.write_text("target,issue,rating\nt2,i0,3\nt2,region,south\nt0,i0,3\n", encoding="utf-8")
    aux = read_auxiliary(file, table)
    assert aux.attributes == ("region",)
    assert scoreboard(table, aux).n_candidates.tolist() == [1, 3]
    for lines in (
        "t2,i0,3\nt2,region,west",
        "t2,i0,3\nt2,region,south\nt2,region,north",
        "t2,region,south",
    ):
        file.write_text("target,issue,rating\n" + lines, encoding="utf-8")
        with pytest.raises(DataError) as refused:
            read_auxiliary(file, table)
        assert "west" not in str(refused.value)


def test_exposure_refuses_what_it_does_not_measure():
    table = people("north", "north", "south")
    with pytest.raises(ParameterError, match="region"):
        exposure(table, error=0, nulls="wildcard")
    with pytest.raises(ParameterError, match="age"):
        exposure(table.replace(quasi=(column("age", [1, 2, 3], 1.0),)), error=0)


def test_what_does_not_fit_together_is_refused():
    table = people("north", "south")
    aux = draw(table, known=1).auxiliary
    for wrong in ({"attributes": ()}, {"values": None}, {"values": aux.values[:1]}):
        with pytest.raises(ParameterError, match="auxiliary"):
            dataclasses.replace(aux, **wrong)
    with pytest.raises(ParameterError, match="region"):
        scoreboard(table.replace(quasi=()), aux)
