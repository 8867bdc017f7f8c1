"""A few phrases that several columns share are proposed as a scale, in whatever language."""

import numpy as np
import pytest
from data.codebook.raw_columns import raw

from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.building import table_of
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.formats.describing import describe_raw

WORDS = ["aldrig någonsin", "nån gång", "då och då", "rätt ofta", "jämt"]


def survey(words, columns=4, n=200, more=()):
    rng = np.random.default_rng(3)
    mood = rng.normal(size=n)
    rows = [[f"v{at}" for at in "abcdef"[:columns]]]
    for person in mood:
        places = np.clip(
            np.rint((2 + person + rng.normal(0, 0.6, columns)) * (len(words) - 1) / 4),
            0,
            len(words) - 1,
        ).astype(int)
        rows.append([words[place] for place in places])
    return raw([*rows, *more])


def test_phrases_that_columns_share_are_proposed_in_an_order_to_confirm():
    described = describe_raw(survey(WORDS), ReadOptions())
    assert {one.role for one in described.columns} == {"rating"}
    assert all("confirm" in one.why for one in described.columns)
    labels = {one.spec.labels for one in described.columns}
    assert labels <= {tuple(WORDS), tuple(reversed(WORDS))}
    assert len(labels) == 1
    assert table_of(survey(WORDS), ReadOptions(codebook=described.codebook)).n_issues == 4


def test_reading_asks_for_the_order():
    with pytest.raises(DataError, match="labels in a codebook"):
        table_of(survey(WORDS), ReadOptions())


def test_a_missing_code_amid_words_is_none_of_them():
    described = describe_raw(survey(WORDS, more=[["-99"] * 4, ["-99", *WORDS[:3]]]), ReadOptions())
    assert {one.role for one in described.columns} == {"rating"}
    assert all(
        one.spec.missing == ("-99",) and "-99" not in one.spec.labels for one in described.columns
    )


def test_codes_of_answers_count_as_they_are_numbered():
    described = describe_raw(survey(["A2", "A10", "A1", "A3"]), ReadOptions())
    assert described.columns[0].spec.labels == ("A1", "A2", "A3", "A10")


@pytest.mark.parametrize("words", [["red", "blue"], list("abcdefghij")])
def test_two_things_or_many_are_no_scale(words):
    assert {one.role for one in describe_raw(survey(words), ReadOptions()).columns} == {"quasi"}


def test_two_columns_that_choose_among_the_same_are_none():
    assert {one.role for one in describe_raw(survey(WORDS, columns=2), ReadOptions()).columns} == {
        "quasi"
    }
