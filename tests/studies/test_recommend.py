"""The map: exact stairs, a choice from coarse to fine, remedies, a journal;
and its page and JSON.
"""

import importlib
import itertools
import json
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from depth import DEPTH

import ratingpriv
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import OutputError, ParameterError
from ratingpriv.data.table import QuasiColumn, RatingTable
from ratingpriv.documents.contracts import fault
from ratingpriv.proximity.cores import Levels, equal_rows
from ratingpriv.report.pages import page_of, standing_of
from ratingpriv.report.text import render
from ratingpriv.studies.candidates import OF_MAP
from ratingpriv.studies.choice import Demands, least_scatter
from ratingpriv.studies.distances import K, distances_of
from ratingpriv.studies.trials import Trials

ONE = {"threads": 1}
DATA = Path(os.environ.get("RATINGPRIV_TEST_DATA", Path(__file__).parents[3] / "shared" / "data"))
EXAMPLES = Path(__file__).parents[2] / "examples"
EQUAL = tuple(name for name in OF_MAP if name in ("modify", "suppress"))


@pytest.fixture(autouse=True, scope="module")
def compiled():
    """Compiled kernels, which other tests load anyway: plain ones give the same,
    and take long here.
    """
    module = importlib.import_module("ratingpriv.studies.recommend")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PLAIN", 0)
        yield


def survey(n=40, seed=1, items=3, missing=0.0, sensitive=False, alike=0.0):
    """``alike``: the share of answers that are the person's first one."""
    rng = np.random.default_rng(seed)
    values = rng.integers(2, 5, (n, items)).astype(object)
    values = np.where(rng.random((n, items)) < alike, values[:, :1], values)
    values[rng.random((n, items)) < missing] = None
    frame = pl.DataFrame(
        {f"q{j}": pl.Series(values[:, j].tolist(), dtype=pl.Int64) for j in range(items)}
    )
    names = [*frame.columns]
    frame = frame.with_columns(pl.Series("id", range(n)), pl.Series("pay", rng.integers(1, 4, n)))
    more = {"sensitive": ["pay"]} if sensitive else {}
    frame = frame.select("id", *names, *more.get("sensitive", ()))
    return RatingTable.from_wide(frame, id="id", scale=(1, 5), **more)


SURVEY = survey(alike=0.6)  # of answers that go together: a release of chance is no release of it


def of_file(path, **options):
    if not path.exists():
        pytest.skip(f"no {path}")
    return ratingpriv.read(path, **options)


def personality(**options):
    dropped = ["race", "age", "engnat", "gender", "hand", "source", "country"]
    dropped += [f"{trait}{number}" for trait in "NACO" for number in range(1, 11)]
    return of_file(DATA / "op-big5/data.csv", drop=dropped, scale=(1, 5), null=["0"], **options)


VIEWS = """
[data]
encoding = "mac_roman"
missing = ["Unfamiliar (N/A)"]
keep = ["Q5_*"]
[columns."Q5_*"]
role = "rating"
"""


def stars(folder):
    (folder / "views.toml").write_text(VIEWS)
    return of_file(DATA / "exports/fivethirtyeight-star-wars.csv", codebook=folder / "views.toml")


REAL = {
    "survey": lambda: of_file(
        EXAMPLES / "survey.csv", sensitive=["pay"], scale=(1, 5), others="rating"
    ),
    "quasi": lambda: of_file(
        EXAMPLES / "survey.csv", quasi=["office"], sensitive=["pay"], scale=(1, 5)
    ),
    "films": lambda: of_file(DATA / "ml-100k/u.data", scale=(1, 5), issues="top:20"),
    "personality": lambda: personality(sample=2000),
    "all personality": personality,
}


@pytest.fixture(scope="module")
def found():
    return ratingpriv.recommend(SURVEY, found_at_most=0.3, method=EQUAL, **ONE)


def test_withheld_is_exact(found):
    table = SURVEY
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
    made = ratingpriv.anonymize(SURVEY, choice.method, k=choice.k, epsilon=choice.epsilon, rng=5)
    assert equal_rows(made.table).count <= choice.found.high * made.table.n_records
    assert made.satisfied


@pytest.mark.parametrize("seed", range(2 * DEPTH))
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_coarse_to_fine_is_as_good_as_every_proved_cell(seed, missing):
    table = survey(12, seed, 2, missing)
    asked = {"found_at_most": 0.4, "withhold_at_most": 0.1, "epsilon": 0, "method": EQUAL, **ONE}
    coarse, full = (ratingpriv.recommend(table, full=full, **asked) for full in (False, True))
    # where nothing is chosen, remedies have tried other methods, too
    proved = [c for c in full.cells.values() if c.found.by == "proof" and c.method in EQUAL]
    best = least_scatter(proved, full.demands, 12)
    assert (coarse.choice is None) == (best is None)
    if best is not None:
        assert coarse.choice.candidate.scatter <= best.scatter + 0.001
    assert coarse.keeps_more is None or not coarse.passes(coarse.keeps_more)


SURE = ("equal-records", "groups")  # laws that hold whatever is drawn when a release is made again


def check_coarse(table, **asked):
    """The coarse choice is the best of all cells that surely pass.

    Of swaps the first k at a distance.
    """
    coarse, full = (
        ratingpriv.recommend(table, full=full, **asked, **ONE) for full in (False, True)
    )
    sure = [one for one in full.cells.values() if full.passes(one) and one.found.law in SURE]
    first = {}
    for one in sorted(sure, key=lambda one: one.k):
        if one.method == "swap":
            first.setdefault(one.epsilon, one)
    sure = [one for one in sure if one.method != "swap" or one is first[one.epsilon]]
    best = least_scatter(sure, full.demands, table.n_records)
    assert coarse.choice is not None or best is None
    if best is not None:
        assert coarse.choice.candidate.scatter <= best.scatter + 0.001


def of_everything(table, asked):
    """The choice of every method, distance and k, none of them proved to be in vain."""
    rules = {"l": None, "nulls": "strict", "sensitive_nulls": "paper"}
    rules |= {name: asked[name] for name in rules if name in asked}
    demands = Demands(asked["found_at_most"], asked["withhold_at_most"])
    trials = Trials(table, rules, demands, 0, Resources(1))
    every = distances_of(trials, [float(at) for at in asked["epsilon"]])  # seeds are of its digits
    distances = [one.epsilon for one in every if one.protects]
    for method, at, k in itertools.product(OF_MAP, distances, asked["k"]):
        # its records are equal: at any other distance it is drawn again, and no other release
        if method != "predictive" or at == distances[0] or rules["l"]:
            trials.cell(method, k, at)
    return trials.best()


def check_full(table, **asked):
    """No release that is not made would have been chosen; and the page says of each why."""
    found = ratingpriv.recommend(table, full=True, **asked, **ONE)
    best = of_everything(table, asked)
    chosen = None if found.choice is None else found.choice.candidate
    assert (chosen and chosen.to_dict()) == (best and best.to_dict())
    if chosen is None:
        return 0  # remedies have tried other ones
    every = {*itertools.product(OF_MAP, asked["k"], [one.epsilon for one in found.epsilons
                                                     if one.protects])}  # fmt: skip
    left = every - {*found.cells}
    assert {*found.cells} <= every
    said = "; ".join(found.notes)
    assert all(f"{name} with k" in said for name, _, _ in left)
    assert found.notes if left else not found.notes
    return len(left)


DEEP = pytest.mark.deep


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[DEEP][: seed > 0])
                                  for seed in range(15 * DEPTH)])  # fmt: skip
def test_what_is_not_made_would_not_have_been_chosen(seed):
    """Of few records, and of as many as are sure to keep the core of a modification."""
    missing, sensitive = 0.15 * (seed % 3 == 1), seed % 4 == 3
    table = survey((14, 120)[seed % 2], seed, 2 + seed % 3, missing, sensitive, 0.7)
    if seed % 5 == 2:
        code = np.random.default_rng(seed).integers(0, 2, table.n_records).astype(np.int32)
        table = table.replace(quasi=(QuasiColumn("office", code, pl.Series(["a", "b"])),))
    more = {"l": 0.3} if sensitive and seed % 8 == 3 else {}
    k = [2, 3, 4, 5, 7] if seed else [3, 5]
    check_full(table, found_at_most=0.35, withhold_at_most=0.1, k=k, epsilon=[0, 1], **more)


def test_what_suppresses_just_as_many_as_may_be_is_made():
    answers = [1] * 10 + [2] * 9 + [5]
    table = RatingTable.from_wide(pl.DataFrame({"a": answers, "b": answers}), scale=(1, 5))
    asked = {"method": "suppress", "k": 2, "epsilon": 0, "found_at_most": 0.2}
    found = ratingpriv.recommend(table, full=True, withhold_at_most=0.05, **asked, **ONE)
    assert found.choice.candidate.left_out == 1
    fewer = ratingpriv.recommend(table, full=True, withhold_at_most=0.04, **asked, **ONE)
    assert fewer.choice is None


SENTENCES = {  # k, epsilon, answers that change, how far correlations move, who is found; the rest
    "survey": (11, 2, "37.5", "0.015", "9",
    "; pay is inferred correctly for 51.7 % (44.9 % without the person's "
               "value, 43.7 % by the commonest)"),
    "quasi": (11, 3, "43.1", "0.024", "8.4",
    "; pay is inferred correctly for 50.3 % (42.2 % without the person's "
              "value, 43.7 % by the commonest)"),
    "films": (12, 2, "64.2", "0.066", "8.3", ""),
    "all personality": (12, 2, "33.5", "0.0012", "8.3",
    "; all ratings of 2.8 % are disclosed to an adversary who knows "
                        "their group"),
    "stars": (12, 3, "36.8", "0.029", "8.2",
    "; all ratings of 1.4 % are disclosed to an adversary who knows "
              "their group"),
}  # fmt: skip


@pytest.mark.parametrize("name", [pytest.param(one, marks=[DEEP][: one not in ("survey", "quasi")])
                                  for one in SENTENCES])  # fmt: skip
def test_the_sentence_of_real_data(name, tmp_path):
    found = ratingpriv.recommend(stars(tmp_path) if name == "stars" else REAL[name](), **ONE)
    k, epsilon, changed, moved, share, more = SENTENCES[name]
    assert found.choice.words == (
        f"Exchange ratings among groups of at least {k} people within {epsilon} of each other: "
        f"no record is suppressed, {changed} % of the ratings change, correlations move by "
        f"{moved}, and at most {share} % can be re-identified by anybody, whatever they know of "
        f"the ratings (proved){more}."
    )


@pytest.mark.parametrize("seed", range(2 * DEPTH if DEPTH == 1 else 20 * DEPTH))
def test_coarse_to_fine_is_as_good_as_everything_that_is_sure(seed):
    table = survey(
        14, seed, 2 + seed % 2, 0.15 * (seed % 3 == 0), sensitive=seed % 4 == 0, alike=0.7
    )
    check_coarse(table, found_at_most=0.4, withhold_at_most=0.15, k=[3, 4, 5], epsilon=[0, 1])


@pytest.mark.deep
@pytest.mark.parametrize("name", ["survey", "films", "personality"])
def test_coarse_to_fine_on_real_data(name):
    asked = {"found_at_most": 0.09, "withhold_at_most": 0.01, "k": [12, 13, 14]}
    check_coarse(REAL[name](), method=["swap", "predictive", "suppress"], **asked)


def test_a_search_is_cancelled_at_any_moment_and_goes_on(tmp_path):
    """What a progress callback raises ends the search.

    The same journal then gives the same choice.
    """
    table = survey(16, 4, 2, 0.1, alike=0.6)
    asked = {"found_at_most": 0.3, "k": [4, 5], "epsilon": 0, "method": EQUAL, **ONE}
    calls = []
    whole = ratingpriv.recommend(table, progress=lambda *_: calls.append(1), **asked)
    moments = 20 if DEPTH > 1 else 3
    for share in range(moments):
        left, journal = [*range(share * len(calls) // moments)], tmp_path / str(share)

        def cancel(*_, left=left):
            if not left:
                raise KeyboardInterrupt
            left.pop()

        with pytest.raises(KeyboardInterrupt):
            ratingpriv.recommend(table, progress=cancel, journal=journal, **asked)
        again = ratingpriv.recommend(table, journal=journal, **asked)
        assert repr(again) == repr(whole)
        assert [*again.cells] == [*whole.cells]


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
    table = survey(60, 3, 6, alike=0.8)
    result = ratingpriv.recommend(table, method="suppress", **ONE)
    assert result.choice is None
    kinds = [one.kind for one in result.nearest]
    assert kinds[-1] == "tables"
    assert len(set(kinds)) == len(kinds)
    by = {one.kind: one for one in result.nearest}
    assert by["method"].method != "suppress"
    if "items" in by:  # it does what it says
        fewer = table.select_issues(f"low-entropy:{int(by['items'].value)}")
        assert ratingpriv.recommend(fewer, method="suppress", **ONE).choice is not None
    if "found_at_most" in by:
        again = ratingpriv.recommend(
            table, method="suppress", found_at_most=by["found_at_most"].value, **ONE
        )
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
    assert "pay is inferred correctly for" in free.choice.words
    strict = ratingpriv.recommend(
        table, found_at_most=0.3, guessed_at_most=0.0, method=EQUAL, **ONE
    )
    assert strict.choice is None
    with pytest.raises(ParameterError, match="sensitive item"):
        ratingpriv.recommend(survey(), found_at_most=0.3, guessed_at_most=0.5, **ONE)


def test_an_l_is_asked_of_every_candidate():
    table = survey(20, 2, 2, sensitive=True)
    result = ratingpriv.recommend(table, found_at_most=0.3, l=0.3, epsilon=0, method=EQUAL, **ONE)
    for one in result.cells.values():
        if one.left_out is not None:
            made = ratingpriv.anonymize(table, one.method, k=one.k, epsilon=0, l=0.3, rng=0)
            assert made.satisfied


def test_distances_that_are_not_compared_have_a_reason():
    reasons = {
        one.epsilon: one.reason
        for one in ratingpriv.recommend(
            survey(), found_at_most=0.3, epsilon=[1, 1.5, 4], method="suppress", **ONE
        ).epsilons
    }
    assert reasons[1.0] == ""
    assert reasons[1.5].startswith("the same as epsilon 1")
    assert "protects" in reasons[4.0]


def test_a_journal_is_gone_on_with_whatever_the_demands(tmp_path):
    asked = {"epsilon": 0, "method": "modify", "journal": tmp_path / "j", **ONE}
    told, resumed = [], []
    first = ratingpriv.recommend(
        survey(), found_at_most=0.3, on_cell=lambda *one: told.append(one), **asked
    )
    assert [done for done, _ in told] == [*range(1, len(told) + 1)]
    again = ratingpriv.recommend(survey(), found_at_most=0.3, on_resume=resumed.append, **asked)
    assert resumed[0] >= len(told)
    assert [one.from_journal for one in again.cells.values()] == [True] * len(told)
    assert [{**one.to_dict(), "from_journal": False} for one in again.cells.values()] == [
        one.to_dict() for one in first.cells.values()
    ]
    assert first.cell("modify", 7, 0).correlations_moved is not None  # after its journal was closed
    ratingpriv.recommend(survey(), found_at_most=0.2, **asked)
    with pytest.raises(OutputError):
        ratingpriv.recommend(survey(seed=9), found_at_most=0.3, **asked)


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 1}, {"k": 51}, {"k": []}, {"epsilon": -1}, {"method": "blank"}, {"nulls": "known"},
        {"l": 1},
        {"full": 1}, {"found_at_most": 0}, {"found_at_most": 0.01}, {"withhold_at_most": 1},
        {"on_cell": 5},
    ],
)  # fmt: skip
def test_what_may_not_be_asked_for(wrong):
    with pytest.raises(ParameterError):
        ratingpriv.recommend(survey(), **wrong)


def test_what_every_release_of_the_data_leaves_open_is_said():
    ids = ["Ann", "ann", *"cdefghijklmn"]
    answers = {
        name: [place % steps + 1 for place in range(len(ids))]
        for name, steps in (("q1", 2), ("q2", 3))
    }
    table = RatingTable.from_wide(pl.DataFrame({"id": ids, **answers}), id="id")
    asked = {"method": "suppress", "found_at_most": 0.5, **ONE}
    found = ratingpriv.recommend(table, **asked)
    assert found.choice is not None
    assert not found  # no release of these data is a plain yes
    assert [one.code for one in found.cautions] == ["identifier-repeats"]
    assert standing_of(found.to_dict()).exit_code == 1
    page = render(page_of(found))
    assert "The exit code is 1" in page
    assert "Keep one record a person" in " ".join(page.split())
    accepted = ratingpriv.recommend(table, accept=["identifier-repeats"], **asked)
    assert accepted
    assert standing_of(accepted.to_dict()).exit_code == 0
    assert "--accept identifier-repeats" in render(page_of(accepted))


def test_a_distance_that_covers_a_question_is_not_proposed():
    """Its release has a reservation that only its publisher can accept."""
    rng = np.random.default_rng(0)
    answers = {
        "q1": rng.integers(1, 6, 60),
        "q2": rng.integers(1, 6, 60),
        "q3": rng.integers(1, 4, 60),
    }
    table = RatingTable.from_wide(pl.DataFrame({"id": range(60), **answers}), id="id", scale=(1, 5))
    found = ratingpriv.recommend(table, found_at_most=0.3, withhold_at_most=0.3, **ONE)
    by = {one.epsilon: one.reserved for one in found.cells.values() if one.left_out is not None}
    assert "epsilon-covers-questions" in by[3.0]
    assert "epsilon-covers-questions" in found.cell("suppress", 2, 2).reserved
    assert found.choice.epsilon < 2
    assert not found.choice.reserved
