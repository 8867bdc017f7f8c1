"""The map: exact stairs, a choice from coarse to fine, remedies, a journal; and its page and JSON."""

import json

import numpy as np
import polars as pl
import pytest
from depth import DEPTH

import ratingpriv
from ratingpriv.base.errors import OutputError, ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.contracts import fault
from ratingpriv.proximity.cores import Levels, equal_rows
from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render
from ratingpriv.studies.candidates import OF_MAP
from ratingpriv.studies.choice import least_scatter
from ratingpriv.studies.recommend import K

ONE = {"threads": 1}
EQUAL = tuple(name for name in OF_MAP if name in ("modify", "suppress"))


def survey(n=40, seed=1, items=3, missing=0.0, sensitive=False):
    rng = np.random.default_rng(seed)
    values = rng.integers(2, 5, (n, items)).astype(object)
    values[rng.random((n, items)) < missing] = None
    frame = pl.DataFrame({f"q{j}": pl.Series(values[:, j].tolist(), dtype=pl.Int64) for j in range(items)})
    names = [*frame.columns]
    frame = frame.with_columns(pl.Series("id", range(n)), pl.Series("pay", rng.integers(1, 4, n)))
    more = {"sensitive": ["pay"]} if sensitive else {}
    frame = frame.select("id", *names, *more.get("sensitive", ()))
    return RatingTable.from_wide(frame, id="id", scale=(1, 5), **more)


@pytest.fixture(scope="module")
def found():
    return ratingpriv.recommend(survey(), found_at_most=0.3, method=EQUAL, **ONE)


def test_withheld_is_exact(found):
    table = survey()
    rows = equal_rows(table)
    assert [one.epsilon for one in found.epsilons if one.protects] == [0.0, 1.0]
    for one in found.epsilons:
        if one.protects:
            levels = Levels.at(table, one.epsilon)
            assert list(one.withheld) == levels.withheld[K.start :].tolist()
            assert list(one.distinct_left) == levels.distinct(rows)[K.start :].tolist()
            assert found.withheld[5, one.epsilon] == levels.withheld[5]


def test_the_choice_keeps_the_demands_and_is_what_the_library_makes(found):
    choice = found.choice
    assert choice.found.high <= 0.3
    made = ratingpriv.anonymize(survey(), choice.method, k=choice.k, epsilon=choice.epsilon, rng=5)
    assert equal_rows(made.table).count <= choice.found.high * made.table.n_records
    assert made.satisfied


@pytest.mark.parametrize("seed", range(2 * DEPTH))
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_coarse_to_fine_is_as_good_as_every_proved_cell(seed, missing):
    table = survey(12, seed, 2, missing)
    asked = {"found_at_most": 0.4, "withhold_at_most": 0.1, "epsilon": 0, "method": EQUAL, **ONE}
    coarse, full = (ratingpriv.recommend(table, full=full, **asked) for full in (False, True))
    proved = [one for one in full.cells.values() if one.found.by == "proof"]
    best = least_scatter(proved, full.demands, 12)
    assert (coarse.choice is None) == (best is None)
    if best is not None:
        assert coarse.choice.candidate.scatter <= best.scatter + 0.001
    assert coarse.keeps_more is None or not coarse.passes(coarse.keeps_more)


def test_what_was_not_computed_is_on_demand(found):
    assert ("suppress", 4, 1.0) not in found.found
    one = found.cell("suppress", 4, 1)
    levels = Levels.at(survey(), 1)
    assert one.left_out == levels.withheld[4]
    assert found.found["suppress", 4, 1.0].law == "equal-records"
    with pytest.raises(ParameterError):
        found.cell("blank", 4, 1)


def test_the_document_and_the_frame(found):
    document = json.loads(json.dumps(found.to_dict()))
    assert fault(document) is None
    assert document["schema"] == "ratingpriv.recommend/2"
    frame = found.to_frame()
    assert len(frame) == len(found.cells)
    passing = frame.filter(pl.col("passes"))
    assert passing["found.high"].max() <= 0.3
    assert found.choice.words in " ".join(render(page_of(found)).split())


def test_nothing_reaches_the_demands():
    table = survey(30, 3, 6)
    result = ratingpriv.recommend(table, method="suppress", **ONE)
    assert result.choice is None
    kinds = [one.kind for one in result.nearest]
    assert kinds[-1] == "tables"
    assert len(set(kinds)) == len(kinds)
    by = {one.kind: one for one in result.nearest}
    assert by["method"].method != "suppress"
    if "items" in by:  # it does what it says
        fewer = table.select_issues(f"top:{int(by['items'].value)}")
        assert ratingpriv.recommend(fewer, method="suppress", **ONE).choice is not None
    if "found_at_most" in by:
        again = ratingpriv.recommend(table, method="suppress", found_at_most=by["found_at_most"].value, **ONE)
        assert again.choice is not None
    if "withhold_at_most" in by and by["withhold_at_most"].value < 1:
        again = ratingpriv.recommend(
            table, method="suppress", withhold_at_most=by["withhold_at_most"].value, **ONE
        )
        assert again.choice is not None
    assert "NOTHING TO PUBLISH" in render(page_of(result))


def test_sensitive_values_that_are_guessed():
    table = survey(20, 2, 2, sensitive=True)
    free = ratingpriv.recommend(table, found_at_most=0.3, method=EQUAL, **ONE)
    [guess] = free.choice.candidate.guessed
    assert guess.by_commonest <= guess.by_group <= 1
    assert "pay is guessed right in" in free.choice.words
    strict = ratingpriv.recommend(table, found_at_most=0.3, guessed_at_most=0.0, method=EQUAL, **ONE)
    assert strict.choice is None
    with pytest.raises(ParameterError, match="sensitive issue"):
        ratingpriv.recommend(survey(), found_at_most=0.3, guessed_at_most=0.5, **ONE)


def test_an_l_is_asked_of_every_candidate():
    table = survey(20, 2, 2, sensitive=True)
    result = ratingpriv.recommend(table, found_at_most=0.3, l=0.3, epsilon=0, method=EQUAL, **ONE)
    for one in result.cells.values():
        if one.left_out is not None:
            made = ratingpriv.anonymize(table, one.method, k=one.k, epsilon=0, l=0.3, rng=0)
            assert made.satisfied


def test_distances_that_are_not_compared_have_a_reason():
    reasons = {one.epsilon: one.reason for one in ratingpriv.recommend(
        survey(), found_at_most=0.3, epsilon=[1, 1.5, 4], method="suppress", **ONE).epsilons}  # fmt: skip
    assert reasons[1.0] == ""
    assert reasons[1.5].startswith("the same as epsilon 1")
    assert "protects" in reasons[4.0]


def test_a_journal_is_gone_on_with_whatever_the_demands(tmp_path):
    asked = {"epsilon": 0, "method": "modify", "journal": tmp_path / "j", **ONE}
    told, resumed = [], []
    first = ratingpriv.recommend(survey(), found_at_most=0.3, on_cell=lambda *one: told.append(one), **asked)
    assert [done for done, _ in told] == [*range(1, len(told) + 1)]
    again = ratingpriv.recommend(survey(), found_at_most=0.3, on_resume=resumed.append, **asked)
    assert resumed == [len(told)]
    assert [one.from_journal for one in again.cells.values()] == [True] * len(told)
    assert [{**one.to_dict(), "from_journal": False} for one in again.cells.values()] == [
        one.to_dict() for one in first.cells.values()
    ]
    ratingpriv.recommend(survey(), found_at_most=0.2, **asked)
    with pytest.raises(OutputError):
        ratingpriv.recommend(survey(seed=9), found_at_most=0.3, **asked)


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 1}, {"k": 51}, {"k": []}, {"epsilon": -1}, {"method": "blank"}, {"nulls": "known"}, {"l": 1},
        {"full": 1}, {"found_at_most": 0}, {"found_at_most": 0.01}, {"withhold_at_most": 1},
        {"on_cell": 5},
    ],
)  # fmt: skip
def test_what_may_not_be_asked_for(wrong):
    with pytest.raises(ParameterError):
        ratingpriv.recommend(survey(), **wrong)
