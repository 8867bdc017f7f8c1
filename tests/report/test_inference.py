"""What a page says about inference: demands, what is given away, and what to do."""

import pytest

from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render

pytestmark = pytest.mark.small

ROWS = [(1, 5)] * 3 + [(1, 1), (9, 2), (9, 2)]


def text_of(result):
    return " ".join(render(page_of(result, show=20)).split())


def test_demands_stand_in_the_headline_and_are_judged_one_by_one(result_of):
    text = text_of(result_of(ROWS, max_share=0.8, distinct=2, entropy=1.5))
    assert "is not (k = 2, epsilon = 1, max-share = 0.8, distinct = 2, entropy = 1.5)-anonymous." in text
    assert [
        text.count(f"{demand}: not met.") for demand in ("Largest share", "Distinct values", "Entropy")
    ] == [1] * 3
    assert "That does not hold in 2 neighbourhoods. The smallest share that holds: s: 1." in text
    assert "ratingpriv anonymize" not in text  # k and epsilon hold: it could do nothing
    assert text_of(result_of(ROWS, max_share=1, distinct=1, entropy=1)).count(": met.") == 4


def test_neighbourhoods_that_agree_are_said(result_of):
    said = "In 2 neighbourhoods of several records all known answers to s are the same: there the answer is"
    assert said in text_of(result_of(ROWS))
    assert "makes up at most 50 % of the known" in text_of(result_of([(1, 5), (1, 1)]))
    assert "makes up at most 33.4 % of the known" in text_of(result_of([(1, 5), (1, 1), (1, 2)]))
