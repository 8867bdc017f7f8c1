"""Blanking: by brute force it holds and is maximal; golden examples; released,
verified, refused.
"""

import dataclasses
import json

import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from known_samples import CUBE, TABLE_1, TABLE_2, TABLE_3, N, table_of, tables
from naive import known as naive
from release_samples import edit

import ratingpriv
from ratingpriv import anonymize
from ratingpriv.anonymize import Publish, blank, make_release, verify, write_release
from ratingpriv.anonymize.suppression import blank as blanking
from ratingpriv.audit.known import known_ratings, search
from ratingpriv.base.compute.compiling import pinned
from ratingpriv.base.errors import DataError, ParameterError, TargetNotReachedError
from ratingpriv.base.target import ReleaseTarget

TARGET = ReleaseTarget(k=2, epsilon=1, nulls="known", m=2)


def holds(table, k, epsilon, m):
    return not any(naive.smallest(table, t, k, epsilon, m)[0] for t in range(table.n_records))


def cells(table):
    rows = np.repeat(np.arange(table.n_records), np.diff(table.indptr))
    names = [table.issues[issue] for issue in table.indices]
    return set(zip(rows.tolist(), names, table.values.tolist(), strict=True))


def with_cells(table, some):
    rows = [[N] * table.n_issues for _ in range(table.n_records)]
    for record, name, value in some:
        rows[record][table.issues.index(name)] = value
    return table_of(rows, (1, 7))


def made_of(table, k, epsilon, m):
    try:
        return blank(table, k=k, epsilon=epsilon, m=m).table
    except TargetNotReachedError:  # all of it would be blank
        return with_cells(table, ())


@pytest.mark.parametrize(
    ("rows", "k", "epsilon", "m", "blanks"),
    [
        (TABLE_1, 2, 1, 1, {(0, "q0"), (0, "q1")}),
        (TABLE_1, 2, 1, 2, {(0, "q0"), (0, "q1")}),
        (TABLE_2, 3, 1, 1, {(2, "q0"), (3, "q0"), (4, "q2"), (5, "q2")}),
        (TABLE_2, 3, 2, 2, 2),
        (TABLE_3, 3, 1, 2, 8),
        (TABLE_2, 3, 1, 2, 8),  # 6 would do: it is maximal, and no more than that
        (CUBE, 2, 0, 2, 0),
    ],
)
def test_golden_examples(rows, k, epsilon, m, blanks):
    table = table_of(rows, (1, 7))
    made = blank(table, k=k, epsilon=epsilon, m=m)
    gone = {(record, name) for record, name, _ in cells(table) - cells(made.table)}
    assert (gone if isinstance(blanks, set) else len(gone)) == blanks
    assert made.satisfied
    assert made.optimal == (m == 1 or not blanks)
    assert ("fewest" in made.statement) == (m == 1)
    assert made.claims.blanks == made.distortion.erased == len(gone)


@given(
    table=tables(),
    k=st.integers(1, 3),
    epsilon=st.sampled_from([0.0, 1.0, 2.0]),
    m=st.integers(1, 4),
)
@settings(max_examples=5 * DEPTH)
def test_it_holds_is_maximal_and_a_part_of_the_data(table, k, epsilon, m):
    check_laws(table, min(k, table.n_records), epsilon, m)


@pytest.mark.parametrize(("seed", "k", "m"), [(28, 3, 2), (51, 3, 3), (6, 4, 3)])
def test_so_it_is_where_much_goes_back(seed, k, m):  # in several rounds
    check_laws(random_table(10, 4, 0.8, seed), k, 1.0, m)


def check_laws(table, k, epsilon, m):
    left = made_of(table, k, epsilon, m)
    assert cells(left) == cells(made_of(table, k, epsilon, m))
    assert cells(left) <= cells(table)
    assert holds(left, k, epsilon, m)
    for cell in cells(table) - cells(left):
        assert not holds(with_cells(table, cells(left) | {cell}), k, epsilon, m), cell


@given(table=tables(), k=st.integers(2, 3), epsilon=st.sampled_from([0.0, 1.0, 2.0]))
@settings(max_examples=15 * DEPTH)
def test_against_one_known_rating_the_fewest_go(table, k, epsilon):
    k = min(k, table.n_records)
    left = cells(table)
    while weak := {
        (record, name, value)
        for record, name, value in left
        if sum(other == name and abs(its - value) <= epsilon for _, other, its in left) < k
    }:  # none of these can be in any part that will do
        left -= weak
    assert cells(made_of(table, k, epsilon, 1)) == left


def random_table(records=60, issues=8, share=0.5, seed=4):
    drawn = np.random.default_rng(seed)
    rated = drawn.random((records, issues)) < share
    rows = np.where(rated, drawn.integers(1, 5, rated.shape), 0)
    return table_of([[value or N for value in row] for row in rows.tolist()], (1, 5))


@pytest.mark.deep
def test_compiled_code_and_threads_change_nothing():
    found = []
    for form, threads in (("plain", 1), ("compiled", 1), ("compiled", 2)):
        with pinned(form):
            found.append(
                cells(blank(random_table(24, 5), k=3, epsilon=1, m=3, threads=threads).table)
            )
    assert found[0] == found[1] == found[2]


def test_what_is_left_of_each_rating_is_told():
    table = table_of([*[[5, 5]] * 6, [1, 1], [1, N], [N, 1]], (1, 5))
    made = blank(table, k=3, epsilon=0, m=1)
    told = made.claims.to_dict()
    assert told["levels"] == [
        {"rating": 1.0, "before": 4, "kept": 0.0},
        {"rating": 5.0, "before": 12, "kept": 1.0},
    ]
    assert (told["records_emptied"], told["issues_emptied"]) == (3, 0)
    assert [caution.code for caution in made.cautions] == ["selection", "found"]
    made = blank(table_of(CUBE), k=2, epsilon=0, m=2)
    assert [caution.code for caution in made.cautions] == ["found"]


def test_too_little_is_refused_with_what_can_be_kept():
    table = random_table()
    with pytest.raises(TargetNotReachedError) as refused:
        blank(table, k=4, epsilon=0, m=2, keep_at_least=0.9)
    nearest = refused.value.best
    assert (nearest.parameters.k, nearest.parameters.m) == (4, 1)
    assert nearest.claims.kept >= 0.9
    assert "k = 4 against any 1 " in str(refused.value)
    with pytest.raises(TargetNotReachedError) as refused:  # all blank
        blank(table_of([[1, 1], [3, 3], [5, 5]]), k=2, epsilon=1, m=1)
    assert refused.value.best is None


@pytest.mark.parametrize(
    "asked",
    [{"m": 5}, {"m": 0}, {"m": None}, {"l": 1.0}, {"nulls": "strict"}, {"k": 9}, {"epsilon": -1},
     {"keep_at_least": 1.5}],
)  # fmt: skip
def test_what_it_does_not_do_is_refused(asked):
    with pytest.raises(ParameterError) as refused:
        blank(table_of(TABLE_1), **{"k": 2, "epsilon": 1, "m": 2, **asked})
    assert [refused.value.name] == list(asked)


def test_quasi_identifiers_are_refused_and_sensitive_answers_stay():
    frame = pl.DataFrame({"age": [1, 1, 2], "q": [1, 1, 5], "pay": [1, 2, 3]})
    with pytest.raises(ParameterError):
        anonymize(frame, "blank", k=2, epsilon=0, m=1, quasi=["age"])
    made = anonymize(frame.drop("age"), "blank", k=2, epsilon=0, m=1, sensitive=["pay"])
    assert made.table.sensitive_column("pay").values.tolist() == [1, 2, 3]
    assert made.table.n_ratings == 2


def released(tmp_path, layout, **how):
    publish = Publish(path=tmp_path / "r.csv", order_seed=3, utility="none", layout=layout, **how)
    return make_release(random_table(40, 6), "blank", TARGET, publish)


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_a_release_is_proved_from_its_file(tmp_path, layout):
    release = released(tmp_path, layout)
    assert release.standing.held
    manifest = json.loads(release.manifest_path.read_text())
    assert manifest["parameters"]["model"] == "k_epsilon_m"
    assert manifest["parameters"]["m"] == 2
    assert manifest["verification"]["known"]["satisfied"]
    assert 0 < manifest["distortion"]["erased"] == release.anonymized.claims.blanks
    assert "levels" not in release.manifest_path.read_text()
    found = verify(release.path)
    assert found.valid
    assert found.audit.known.satisfied
    sha256 = release.sha256
    assert released(tmp_path, layout, force=True).sha256 == sha256


def test_a_demand_is_of_so_many_known_ratings_or_of_all(tmp_path):
    path = released(tmp_path, "wide").path
    assert verify(path, m=1).valid
    assert not verify(path, m=4).valid
    assert not verify(path, k=2).valid


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"m": 4}, None),
        ({"k": 3}, None),
        ({"m": 3, "model": "k_epsilon"}, DataError),
        ({"model": "k_epsilon_m2"}, DataError),
        ({"m": 0}, DataError),
        ({"nulls": "strict"}, DataError),
    ],
)
def test_a_manifest_that_claims_otherwise_is_not_valid(tmp_path, change, problem):
    path = edit(released(tmp_path, "wide").path, *(("parameters", *one) for one in change.items()))
    if problem is None:
        assert not verify(path).valid
    else:
        with pytest.raises(problem):
            verify(path)


def test_a_claim_is_not_valid_though_its_figures_are_as_counted(tmp_path):
    path = released(tmp_path, "wide").path
    counted = known_ratings(ratingpriv.read(path), k=2, epsilon=1, m=4).to_dict()
    assert not counted["satisfied"]
    assert not verify(edit(path, ("parameters", "m", 4), ("verification", "known", counted))).valid
    path = released(tmp_path, "wide", force=True).path
    assert not verify(edit(path, ("verification", "known", "without_ratings", 99))).valid


def test_records_without_a_rating_left_are_in_the_file(tmp_path):
    table = table_of([*[[5, 5]] * 3, [1, 3]], (1, 5))
    for layout in ("wide", "long"):
        made = blank(table, k=3, epsilon=0, m=2)
        path = tmp_path / f"{layout}.csv"
        write_release(made, path, layout=layout, accept=["epsilon-covers-questions"])
        found = verify(path)
        assert found.valid
        assert found.audit.dataset.records == 4
        assert found.audit.known.without_ratings == 1


@pytest.mark.parametrize("broken", ["by_record", "by_cell"])
def test_no_file_is_written_on_the_word_of_one_kernel(tmp_path, monkeypatch, broken):
    monkeypatch.setattr(search, broken, lambda *_: 0)  # finds nobody
    table = random_table()
    made = blank(table, k=2, epsilon=0, m=2)
    monkeypatch.setattr(blanking, "Search", None)
    if holds(made.table, 2, 0, 2):
        assert write_release(made, tmp_path / "r.csv").audit.held
        return
    assert made.satisfied  # as it says itself
    with pytest.raises(TargetNotReachedError):
        write_release(made, tmp_path / "r.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_release_is_no_yes_where_not_all_was_looked_at():
    made = blank(random_table(), k=2, epsilon=1, m=2)
    cut = dataclasses.replace(made.audit.known, proved_m=1)
    undecided = dataclasses.replace(made, audit=dataclasses.replace(made.audit, known=cut))
    assert not undecided.satisfied
