"""Demands, and what a choice may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv.base.errors import ParameterError
from ratingpriv.studies.candidates import Candidate, Guess
from ratingpriv.studies.choice import Choice, Demands, least_scatter, percent, sentence
from ratingpriv.studies.found import Found

shares = st.floats(0, 1)
founds = st.builds(
    lambda ends, by: Found(min(ends), max(ends), by, "attack"),
    st.tuples(shares, shares), st.sampled_from(["proof", "measured"]),
)  # fmt: skip
candidates = st.builds(
    Candidate, st.sampled_from(["modify", "suppress"]), st.integers(2, 50), st.sampled_from([0.0, 1.0, 2.5]),
    left_out=st.none() | st.integers(0, 100), scatter=shares, found=founds,
)  # fmt: skip


@given(candidate=candidates, found=st.floats(0.02, 0.9), withheld=st.floats(0, 0.9))
def test_no_choice_is_above_the_threshold(candidate, found, withheld):
    demands = Demands(found, withheld)
    if (
        candidate.left_out is not None
        and candidate.found.high <= found
        and candidate.left_out <= 100 * withheld
    ):
        choice = Choice(candidate, demands, 100)
        assert choice.proof == (candidate.found.by == "proof")
        assert choice.words.endswith(".")
        return
    with pytest.raises(ValueError, match="keeps the demands"):
        Choice(candidate, demands, 100)


@given(some=st.lists(candidates, max_size=8))
def test_the_choice_has_least_scatter(some):
    demands = Demands(0.4, 0.5)
    chosen = least_scatter(some, demands, 100)
    good = [one for one in some if demands.keeps(one, 100)]
    assert (chosen is None) == (not good)
    for one in good:
        assert chosen.scatter <= one.scatter + 0.001


@pytest.mark.parametrize(
    ("demands", "name"),
    [
        ({"found_at_most": 0}, "found_at_most"), ({"found_at_most": 1}, "found_at_most"),
        ({"found_at_most": "a"}, "found_at_most"), ({"withhold_at_most": 1}, "withhold_at_most"),
        ({"withhold_at_most": -0.1}, "withhold_at_most"), ({"guessed_at_most": 1.1}, "guessed_at_most"),
        ({"guessed_at_most": "commonest"}, "guessed_at_most"), ({"guessed_at_most": "x"}, "guessed_at_most"),
        ({"guessed_at_most": "commonest+2"}, "guessed_at_most"),
    ],
)  # fmt: skip
def test_what_may_not_be_demanded(demands, name):
    with pytest.raises(ParameterError) as refused:
        Demands(**demands)
    assert refused.value.name == name


def test_a_share_that_no_release_of_so_few_keeps():
    Demands(0.1).check_data(10)
    with pytest.raises(ParameterError, match="no release of 9 records"):
        Demands(0.1).check_data(9)


@pytest.mark.parametrize(("share", "smallest"), [(0.09, 11), (0.1, 9), (0.05, 19), (0.5, 2), (0.99, 2)])
def test_the_smallest_k_that_can_do(share, smallest):
    assert Demands(share).smallest_k == smallest


def test_guesses_may_be_a_demand():
    hidden = Found(0.0, 0.05, "proof", "groups")
    guess = Guess("pay", 0.5, 0.4, 0.45)
    one = Candidate("modify", 12, 0.0, 0, scatter=0.2, found=hidden, read=0.25, guessed=(guess,))
    assert "all answers of 25 % are told to whoever finds their group" in sentence(one, 300)
    kept = {given: Demands(guessed_at_most=given).keeps(one, 300) for given in (0.5, "0.4", "commonest+0.1")}
    assert kept == {0.5: True, "0.4": False, "commonest+0.1": True}
    assert (
        "pay is guessed right in 50 % (40 % without the person's answer, 45 % by the commonest)"
        in sentence(one, 300)
    )


@given(share=shares)
def test_a_percentage_that_is_a_bound_is_never_below_it(share):
    told = float(percent(share, up=True).removesuffix(" %"))
    assert 100 * share - 1e-6 <= told <= 100 * share + 0.1 + 1e-6
