"""The search from coarse to fine: what is not tried, and that this is said."""

from types import SimpleNamespace

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import tables

from ratingpriv.base.compute.resources import Resources
from ratingpriv.studies.candidates import Candidate
from ratingpriv.studies.choice import Demands, least_scatter
from ratingpriv.studies.effort import Effort
from ratingpriv.studies.found import Found
from ratingpriv.studies.search import coarse
from ratingpriv.studies.trials import Trials


class Swaps:
    """Trials in which a swap leaves out so many records at each distance."""

    def __init__(self, left_out):
        self.left_out, self.cells, self.n, self.demands = left_out, {}, 100, Demands(0.5, 0.01)
        self.covering, self.patience = (), []
        self.table = SimpleNamespace(n_ratings=10_000)

    def least_left_out(self, *_):
        return 0

    def counted(self, _):
        return False

    def covers_questions(self, at):
        return at in self.covering

    def gave_up(self, one):
        return one.left_out is None

    def best(self):
        return least_scatter(self.cells.values(), self.demands, self.n)

    def cell(self, method, k, at, *, give_up_beyond=None):
        self.patience.append(give_up_beyond)
        found = Found(0.0, 1 / k, "proof", "groups")
        one = Candidate(method, k, at, self.left_out[at], scatter=at / 10, found=found)
        if give_up_beyond is not None and self.left_out[at] > give_up_beyond:
            one = Candidate(method, k, at, reason="given up: too many")
        return self.cells.setdefault((method, k, at), one)


def effort(trials, *, k=None, epsilon=None, **less):
    return Effort.of(trials, {"method": ["swap"], "k": k, "epsilon": epsilon}, **less)


@pytest.mark.parametrize(
    ("left_out", "tried", "chosen"),
    [
        ({0.0: 0, 1.0: 0, 2.0: 0}, [2.0, 1.0, 0.0], 0.0),
        ({0.0: 80, 1.0: 5, 2.0: 0}, [2.0, 1.0, 0.0], 2.0),
        ({0.0: 80, 1.0: 40, 2.0: 0}, [2.0, 1.0], 2.0),
        ({0.0: 99, 1.0: 80, 2.0: 40}, [2.0], None),
    ],
)
def test_a_swap_is_not_tried_where_a_larger_distance_leaves_out_far_too_many(
    left_out, tried, chosen
):
    trials, notes = Swaps(left_out), []
    found = coarse(trials, [*left_out], effort(trials), notes)
    assert [at for _, _, at in trials.cells] == tried
    assert len([note for note in notes if "was not tried" in note]) == 3 - len(tried)
    assert (found and found.epsilon) == chosen


def test_a_share_that_only_larger_k_than_there_are_would_keep():
    trials = Swaps({0.0: 0, 1.0: 0})
    trials.demands = Demands(0.01, 0.01)
    assert coarse(trials, [0.0, 1.0], effort(trials), []) is None
    assert not trials.cells


@pytest.mark.parametrize(
    ("patient", "patience", "said"),
    [
        (True, [None, 10], "swap with k = 2 at epsilon 1 was given up"),
        (False, [10, 10], "given up"),
    ],
)
def test_a_swap_beside_the_first_is_given_up_where_far_too_many_are_in_no_group(
    patient, patience, said
):
    trials, notes = Swaps({0.0: 99, 1.0: 80, 2.0: 0}), []
    asked = effort(trials, k=[2], whole_swap=patient)
    found = coarse(trials, [0.0, 1.0, 2.0], asked, notes)
    assert found.epsilon == 2.0
    assert trials.patience == patience
    assert said in notes[0]
    assert notes[1].startswith("swap was not tried at epsilon 0")


@pytest.mark.parametrize(
    ("named", "tried"), [(None, [1.0, 0.0]), ([0.0, 1.0, 2.0], [2.0, 1.0, 0.0])]
)
def test_a_distance_that_covers_a_question_is_swapped_at_where_it_is_named(named, tried):
    trials, notes = Swaps({0.0: 0, 1.0: 0, 2.0: 0}), []
    trials.covering = (2.0,)
    coarse(trials, [0.0, 1.0, 2.0], effort(trials, k=[2], epsilon=named), notes)
    assert [at for _, _, at in trials.cells] == tried
    assert bool(notes) is (named is None)


@pytest.mark.parametrize(
    ("left_out", "tried"),
    [({0.0: 0, 1.0: 0, 2.0: 0}, [2.0]), ({0.0: 0, 1.0: 0, 2.0: 2}, [2.0, 1.0])],
)
def test_the_search_for_a_remedy_ends_at_the_first_that_keeps_the_demands(left_out, tried):
    trials = Swaps(left_out)
    found = coarse(trials, [0.0, 1.0, 2.0], effort(trials, k=[2], one_is_enough=True), [])
    assert [at for _, _, at in trials.cells] == tried
    assert found.epsilon == tried[-1]


RULES = {"l": None, "nulls": "strict", "sensitive_nulls": "paper"}


@given(
    table=tables(most_records=12), k=st.integers(2, 3), epsilon=st.sampled_from([0.0, 1.0, 2.0]),
    share=st.sampled_from([0.0, 0.2, 0.5]),
)  # fmt: skip
@settings(max_examples=60 * DEPTH)
def test_a_swap_at_a_distance_that_covers_a_question_has_its_reservation(table, k, epsilon, share):
    """The law by which no such swap is made: of any that leaves out
    few enough it would not be proposed.
    """
    trials = Trials(table, RULES, Demands(0.5, share), 0, Resources(threads=1))
    if not trials.covers_questions(epsilon) or table.n_records < 2 * k:
        return
    one = trials.cell("swap", k, epsilon)
    if one.left_out is not None and one.left_out <= share * table.n_records:
        covering = {"epsilon-covers-questions", "epsilon-covers-range"}
        assert covering & {*one.reserved, *(of_data.code for of_data in trials.reserved)}


def test_a_swap_that_was_given_up_is_made_when_it_is_asked_for():
    answers = np.random.default_rng(1).integers(1, 6, (30, 6)).tolist()
    trials = Trials(build(answers), RULES, Demands(0.5), 0, Resources(threads=1))
    given_up = trials.cell("swap", 4, 2.0, give_up_beyond=0)
    assert trials.gave_up(given_up)
    assert given_up.left_out is None
    whole = trials.cell("swap", 4, 2.0)
    assert whole.left_out > 0
    assert not trials.gave_up(whole)
    assert trials.cell("swap", 4, 2.0, give_up_beyond=0) is whole


@pytest.mark.parametrize("method", ["swap", "predictive"])
@pytest.mark.parametrize("lost", [None, 0, 3])
def test_what_is_worthless_in_one_of_five_draws_is_not_promised(monkeypatch, method, lost):
    """Whoever makes the release draws anew."""
    turns, tables = [], []

    def usefulness(table, made, resources, known, *, turn=0):
        turns.append(turn)
        tables.append(made.table.codes.tolist())
        return {"worthless": turn == lost}

    monkeypatch.setattr("ratingpriv.studies.trials.usefulness", usefulness)
    answers = np.random.default_rng(1).integers(1, 6, (30, 3)).tolist()
    trials = Trials(build(answers), RULES, Demands(0.5), 0, Resources(threads=1))
    useful = trials.useful(trials.cell(method, 3, 3.0 if method == "swap" else 0.0))
    assert ("worthless" in useful.reserved) is (lost is not None)
    assert turns == [*range(5)][: None if lost is None else lost + 1]
    assert method == "predictive" or len({str(one) for one in tables}) == len(tables)
