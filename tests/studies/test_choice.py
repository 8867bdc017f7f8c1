"""Demands, and what a choice may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv.base.errors import ParameterError
from ratingpriv.studies.candidates import Candidate, Guess
from ratingpriv.studies.choice import (
    Choice,
    Demands,
    least_scatter,
    percent,
    refused_swap,
    sentence,
)
from ratingpriv.studies.found import Found
from ratingpriv.studies.remedies import Remedy

shares = st.floats(0, 1)
founds = st.builds(
    lambda ends, by: Found(min(ends), max(ends), by, "attack"),
    st.tuples(shares, shares), st.sampled_from(["proof", "measured"]),
)  # fmt: skip
candidates = st.builds(
    Candidate, st.sampled_from(["modify", "suppress"]), st.integers(2, 50),
    st.sampled_from([0.0, 1.0, 2.5]),
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


@given(
    candidate=candidates, found=st.floats(0.02, 0.9), withheld=st.floats(0, 0.9),
    kind=st.sampled_from(["withhold_at_most", "found_at_most", "items", "method", "tables"]),
)  # fmt: skip
def test_no_remedy_is_above_what_it_names(candidate, found, withheld, kind):
    demands, items = Demands(found, withheld), 3 if kind == "items" else None
    if kind == "tables":
        assert (
            Remedy(kind, None, demands, 100).words == "publish tables of counts instead of records"
        )
        with pytest.raises(ValueError, match="has a release"):
            Remedy(kind, candidate, demands, 100)
    elif demands.keeps(candidate, 100):
        remedy = Remedy(kind, candidate, demands, 100, items)
        assert remedy.value == {
            "withhold_at_most": withheld,
            "found_at_most": found,
            "items": 3,
        }.get(kind)
        assert sentence(candidate, 100) in remedy.words
    else:
        with pytest.raises(ValueError, match="keeps the demands"):
            Remedy(kind, candidate, demands, 100, items)


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
        ({"withhold_at_most": -0.1}, "withhold_at_most"),
        ({"guessed_at_most": 1.1}, "guessed_at_most"),
        ({"guessed_at_most": "commonest"}, "guessed_at_most"),
        ({"guessed_at_most": "x"}, "guessed_at_most"),
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


@pytest.mark.parametrize(
    ("share", "smallest"), [(0.09, 11), (0.1, 9), (0.05, 19), (0.5, 2), (0.99, 2)]
)
def test_the_smallest_k_that_can_do(share, smallest):
    assert Demands(share).smallest_k == smallest


@pytest.mark.parametrize(
    ("reserved", "keeps"),
    [
        ((), True),
        (("nulls-wildcard",), True),
        (("groups-agree",), False),
        (("nulls-wildcard", "worthless"), False),
    ],
)
def test_what_only_its_publisher_can_accept_is_never_chosen(reserved, keeps):
    hidden = Found(0.0, 0.05, "proof", "groups")
    one = Candidate("swap", 12, 1.0, 0, scatter=0.1, found=hidden, reserved=reserved)
    other = Candidate("modify", 12, 0.0, 0, scatter=0.4, found=hidden)
    assert Demands().keeps(one, 300) is keeps
    assert least_scatter([one, other], Demands(), 300) is (one if keeps else other)


@pytest.mark.parametrize(("read", "said"), [(0.65, True), (0.27, True), (0.2, False)])
def test_what_tells_no_less_than_a_swap_that_was_refused_for_it_says_so(read, said):
    """Groups that agree are no reason to take a method whose groups
    agree by construction, unsaid.
    """
    hidden = Found(0.0, 0.05, "proof", "groups")
    swap = Candidate(
        "swap", 12, 2.0, 0, scatter=0.1, found=hidden, read=0.27, reserved=("groups-agree",)
    )
    far = Candidate(
        "swap", 12, 1.0, 99, scatter=0.1, found=hidden, read=0.1, reserved=("groups-agree",)
    )
    other = Candidate("modify", 12, 0.0, 0, scatter=0.4, found=hidden, read=read)
    assert least_scatter([swap, far, other], Demands(), 300) is other
    less = refused_swap(other, [swap, far, other], Demands(), 300)
    assert less is (swap if said else None)  # far leaves out too many, whatever it tells
    words = Choice(other, Demands(), 300, less).words
    assert ("its groups disclose all ratings of 27 % of the people" in words) is said
    assert (f"this discloses all ratings of {100 * read:g} %." in words) is said
    remedy = Remedy("found_at_most", other, Demands(), 300, refused=less)
    assert remedy.words.endswith(words)


def test_guesses_may_be_a_demand():
    hidden = Found(0.0, 0.05, "proof", "groups")
    guess = Guess("pay", 0.5, 0.4, 0.45)
    one = Candidate("modify", 12, 0.0, 0, scatter=0.2, found=hidden, read=0.25, guessed=(guess,))
    assert "all ratings of 25 % are disclosed to an adversary who knows their group" in sentence(
        one, 300
    )
    kept = {
        given: Demands(guessed_at_most=given).keeps(one, 300)
        for given in (0.5, "0.4", "commonest+0.1")
    }
    assert kept == {0.5: True, "0.4": False, "commonest+0.1": True}
    inferred = "for 50 % (40 % without the person's value, 45 % by the commonest)"
    assert inferred in sentence(one, 300)


@given(share=shares)
def test_a_percentage_that_is_a_bound_is_never_below_it(share):
    told = float(percent(share, up=True).removesuffix(" %"))
    assert 100 * share - 1e-6 <= told <= 100 * share + 0.1 + 1e-6
