"""Answers in words, table-driven: what each set of words counts,
and which sets nobody may guess.
"""

import pytest
from data.codebook.raw_columns import raw

from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.building import table_of
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.recognition.text_scales import (
    all_scales,
    is_no_answer,
    numbers_beside_words,
    scale_of,
)
from ratingpriv.data.codebook.roles import ColumnSpec

SCALES = [
    "strongly  DISAGREE|Disagree|Neutral|agree|Strongly agree.",
    "Never|Rarely|Sometimes|Often|Always",
    "Not at all important|Slightly important|Moderately important|Important|Very important",
    "stimme überhaupt nicht zu|stimme eher nicht zu|teils/teils|stimme eher zu|stimme voll und "
    "ganz zu",
    "STIMME GAR NICHT ZU|Stimme nicht zu|weder noch|Stimme zu|Stimme voll zu",
    "sehr schlecht|schlecht|mittelmäßig|gut|sehr gut",
    "nein|ja",
    "Pas du tout d’accord|Pas d'accord|Ni d'accord ni pas d'accord|D'accord|Tout à fait d'accord",
    "Nunca|Casi nunca|A veces|Casi siempre|Siempre",
    "nunca|raramente|às vezes|frequentemente|sempre",
    "mai|raramente|a volte|spesso|sempre",
    "Helemaal mee oneens|Mee oneens|Neutraal|Mee eens|Helemaal mee eens",
    "nie|tak",
]
"""One a language, as people write them; all of them stand in scales.txt."""


@pytest.mark.parametrize("line", SCALES)
def test_a_whole_scale_counts_from_1(line):
    words = line.split("|")
    found = scale_of(words[::-1], 9)
    assert found is not None
    assert [found.values[word] for word in words] == list(range(1, len(words) + 1))
    assert found.words == tuple(words)


def test_every_scale_is_known_by_its_own_words_and_goes_one_way():
    for scale in all_scales():
        words = [place[0] for place in scale.places]
        found = scale_of(words, 1000)
        assert found is not None, words
        assert [found.values[word] for word in words] == list(range(1, len(words) + 1)), words


@pytest.mark.parametrize(
    ("words", "places", "length"),
    [
        (["Stimme voll zu", "Stimme nicht zu", "weder noch"], None, None),  # 5 or 7
        (["sehr gut", "schlecht"], [5, 2], 5),
        (["Never", "Rarely", "Always"], [1, 2, 5], 5),
        (["Siempre"], [5], 5),
        (["helemaal mee eens", "neutraal"], [5, 3], 5),
        # where many answer
        (["Strongly agree", "Agree", "Disagree", "Strongly disagree"], [4, 3, 2, 1], 4),
    ],
)
def test_part_of_a_scale_counts_by_its_full_length(words, places, length):
    found = scale_of(words, 100)
    if places is None:
        assert found is None
        return
    assert found is not None
    assert ([found.values[word] for word in words], len(found.words)) == (places, length)


@pytest.mark.parametrize(
    "words",
    [
        ["Agree", "Disagree"],  # of 3, 4, 5 or 7
        # a middle that few answers lack
        ["Strongly agree", "Agree", "Disagree", "Strongly disagree"],
        ["Agree", "Always"], ["Yes", "No", "Don't know"], ["male", "female"], ["north", "south"],
        ["often", "usually", "always"],
        ["ja", "yes"], ["18-29", "30-44"], [],
    ],
)  # fmt: skip
def test_what_nobody_may_guess(words):
    assert scale_of(words, 9) is None


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["5 - Strongly agree", "1 - Strongly disagree"], [5, 1]),
        (["5 – Stimme voll zu", "4", "1 — Stimme nicht zu"], [5, 4, 1]),
        (["(7)", "(1)", "3"], [7, 1, 3]),
        (["7 = very much", "1: not at all", "4. so so"], [7, 1, 4]),
        (["sehr gut (1)", "gut (2)", "mangelhaft [5]"], [1, 2, 5]),
        (["18 - young", "30 - old"], None),
        (["2 - yes", "2 - no"], None),
        (["1 - 2", "3 - 4"], None),
        (["6'3\"", "5'8\""], None),
        (["$0 - $24,999"], None),
        (["1", "2"], None),
        (["10 Downing Street", "5 Avenue"], None),
    ],
)
def test_numbers_beside_words(texts, numbers):
    found = numbers_beside_words(texts)
    assert (None if found is None else [found.values[text] for text in texts]) == numbers


@pytest.mark.parametrize(
    "text", ["Don't know", "N/A", "keine Angabe", "Prefiero no contestar", "nie dotyczy", "N.v.t."]
)
def test_no_answers(text):
    assert is_no_answer(text)


def test_words_become_ratings_and_are_kept_for_the_release():
    rows = [["q1", "q2", "age"], ["Agree", "5 - very", "3"], ["Strongly disagree", "1 - not", "2"],
            ["Neutral", "3", "1"], ["Strongly agree", "", "3"], ["disagree", "2", "3"]]  # fmt: skip
    table = table_of(raw(rows), ReadOptions())
    assert table.levels[table.codes[table.indices == 0]].tolist() == [4, 1, 3, 5, 2]
    assert table.levels[table.codes[table.indices == 1]].tolist() == [5, 1, 3, 2]
    assert table.origin.details["labels"] == {
        "q1": ("Strongly disagree", "disagree", "Neutral", "Agree", "Strongly agree")
    }
    only = table_of(raw(rows), ReadOptions(only=("q1",)))
    assert (only.scale.minimum, only.scale.maximum, only.scale.declared) == (1, 5, True)


def test_labels_of_a_codebook_count_in_their_order():
    rows = [["q"], ["warm"], ["Cold"], [""], ["hot"]]
    said = Codebook(
        columns={"q": ColumnSpec(role="rating", labels=("cold", "warm", "hot", "very hot"))}
    )
    table = table_of(raw(rows), ReadOptions(codebook=said))
    assert table.values.tolist() == [2, 1, 3]
    assert table.scale.maximum == 4
    wrong = Codebook(columns={"q": ColumnSpec(role="rating", labels=("cold", "warm"))})
    with pytest.raises(DataError):
        table_of(raw(rows), ReadOptions(codebook=wrong))


def test_words_for_no_answer_and_words_of_two_scales_have_to_be_said():
    rows = [["q"], *([word] for word in ("Yes", "No", "Don't know", "Yes"))]
    with pytest.raises(DataError, match="`null`") as caught:
        table_of(raw(rows), ReadOptions())
    assert "Don't" not in str(caught.value)
    assert table_of(raw(rows), ReadOptions(null=("Don't know",))).n_ratings == 3
    with pytest.raises(DataError, match="several scales"):
        table_of(raw([["q"], ["Agree"], ["Disagree"], ["Agree"]]), ReadOptions())


PAIN = ["None", "Mild", "Moderate", "Severe", "Very severe"]


def test_none_is_asked_for_where_it_is_a_step_of_the_scale():
    rows = [["q"], *([word] for word in PAIN * 4)]
    with pytest.raises(DataError, match="a step of their scale and means missing elsewhere"):
        table_of(raw(rows), ReadOptions())
    unanswered = table_of(raw(rows), ReadOptions(null=("None",)))
    assert (unanswered.n_ratings, unanswered.levels.tolist()) == (16, [2, 3, 4, 5])
    book = Codebook(columns={"q": ColumnSpec(role="rating", labels=tuple(PAIN))})
    whole = table_of(raw(rows), ReadOptions(codebook=book))
    assert (whole.n_ratings, whole.levels.tolist()) == (20, [1, 2, 3, 4, 5])
    said = Codebook(columns={"q": ColumnSpec(role="rating", labels=tuple(PAIN), missing=("None",))})
    assert table_of(raw(rows), ReadOptions(codebook=said)).n_ratings == 16


def test_numbers_beside_words_that_are_no_scale_are_asked_for():
    rows = [["q"], *([text] for text in ["1. Berlin", "2. Hamburg", "3. Bonn"] * 4)]
    with pytest.raises(DataError, match="words of no known scale"):
        table_of(raw(rows), ReadOptions())
    assert table_of(raw(rows), ReadOptions(ratings=("q",))).n_ratings == 12
    ends = [["q"], *([text] for text in ["1 - awful", "2", "3", "4 - super"] * 4)]
    assert table_of(raw(ends), ReadOptions()).n_ratings == 16
