"""The search from coarse to fine: what is not tried, and that this is said."""

from types import SimpleNamespace

import pytest

from ratingpriv.studies.candidates import Candidate
from ratingpriv.studies.choice import Demands, least_scatter
from ratingpriv.studies.found import Found
from ratingpriv.studies.search import coarse


class Swaps:
    """Trials in which a swap leaves out so many records at each distance."""

    def __init__(self, left_out):
        self.left_out, self.cells, self.n, self.demands = left_out, {}, 100, Demands(0.5, 0.01)
        self.table = SimpleNamespace(n_ratings=10_000)

    def least_left_out(self, *_):
        return 0

    def counted(self, _):
        return False

    def best(self):
        return least_scatter(self.cells.values(), self.demands, self.n)

    def cell(self, method, k, at):
        found = Found(0.0, 1 / k, "proof", "groups")
        one = Candidate(method, k, at, self.left_out[at], scatter=at / 10, found=found)
        return self.cells.setdefault((method, k, at), one)


@pytest.mark.parametrize(
    ("left_out", "tried", "chosen"),
    [
        ({0.0: 0, 1.0: 0, 2.0: 0}, [2.0, 1.0, 0.0], 0.0),
        ({0.0: 80, 1.0: 5, 2.0: 0}, [2.0, 1.0, 0.0], 2.0),
        ({0.0: 80, 1.0: 40, 2.0: 0}, [2.0, 1.0], 2.0),
        ({0.0: 99, 1.0: 80, 2.0: 40}, [2.0], None),
    ],
)
def test_a_swap_is_not_tried_where_a_larger_distance_leaves_out_far_too_many(left_out, tried, chosen):
    trials, notes = Swaps(left_out), []
    found = coarse(trials, [*left_out], {"method": ["swap"], "k": None, "epsilon": None}, notes)
    assert [at for _, _, at in trials.cells] == tried
    assert len(notes) == 3 - len(tried)
    assert (found and found.epsilon) == chosen


def test_a_share_that_only_larger_k_than_there_are_would_keep():
    trials = Swaps({0.0: 0, 1.0: 0})
    trials.demands = Demands(0.01, 0.01)
    assert coarse(trials, [0.0, 1.0], {"method": ["swap"], "k": None, "epsilon": None}, []) is None
    assert not trials.cells
