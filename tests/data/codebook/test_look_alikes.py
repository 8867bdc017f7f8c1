"""Columns that nobody has named: what looks like an identifier is refused by name,
and ratings are not.
"""

import numpy as np
import pytest
from data.codebook.raw_columns import raw
from hypothesis import given, settings
from hypothesis import strategies as st

from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.building import table_of
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.recognition.identifiers import sense_of
from ratingpriv.data.codebook.recognition.looks import look_of
from ratingpriv.data.codebook.recognition.worded import labelled_look


def refused(columns: dict[str, list], **said) -> DataError:
    with pytest.raises(DataError) as caught:
        table_of(table(columns), ReadOptions(**said))
    return caught.value


def table(columns: dict[str, list]):
    rows = [
        list(columns),
        *([str(cell) for cell in row] for row in zip(*columns.values(), strict=True)),
    ]
    return raw(rows)


def test_telephone_numbers_alone_are_refused():
    error = refused({"contact": [4915112345678, 4915112345679, 4917012345670]})
    assert error.total == 1
    message = str(error)
    assert "column contact" in message
    assert "long digit strings" in message
    for option in (
        "`drop=['contact']`",
        "`identifier`",
        "`quasi`",
        "`id`",
        "`ratings=['contact']`",
    ):
        assert option in message
    assert "49151" not in message
    assert table_of(table({"x": [1, 2], "contact": [1, 2]}), ReadOptions()).n_issues == 2


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 2**31), st.sampled_from(["digits", "sequence", "unique"]), st.integers(50, 300)
)
def test_generated_look_alikes_are_refused(seed, kind, n):
    rng = np.random.default_rng(seed)
    if kind == "digits":
        numbers = rng.integers(10_000, 10**12, n)
    elif kind == "sequence":
        numbers = rng.permutation(n) + int(rng.integers(0, 5000))
    else:
        numbers = rng.permutation(9_000)[:n] + 1_000
    ratings = rng.integers(1, 6, n)
    columns = {f"q{i}": ratings.tolist() for i in range(1, 6)} | {"q2": numbers.tolist()}
    error = refused(columns)
    assert error.total == 1
    assert "column q2" in str(error)
    assert table_of(table(columns), ReadOptions(ratings=("q2",))).n_issues == 5


@pytest.mark.parametrize(
    "name",
    (
        "ResponseId|respondent_id|student_id|PROLIFIC_PID|Phone2|zip|E-Mail-Adresse|IPAddress|"
        "LocationLatitude|weight|StartDate|Duration (in seconds)|What is your email address?|"
        "Wie lautet Ihre Telefonnummer?|Numéro de téléphone|Correo electrónico|CPF|Codice fiscale|"
        "Geboortedatum|PESEL|imię i nazwisko|Código postal|Teilnehmer-ID|panel id"
    ).split("|"),
)
def test_names_of_identifiers(name):
    sense = sense_of(name)
    assert sense is not None
    assert sense.role in ("identifier", "drop")
    columns = {"q1": [1, 5, 3], name: [47.25, 8.5, 13.125]}
    assert sense.category in str(
        refused(columns, id="1", drop=()).problems[0].found
    ) or "column" in str(refused(columns, id="1"))


@pytest.mark.parametrize(
    "name",
    (
        "date_night_quality|ip_is_fun|weighty|q1|Q2_1|candid|idea|time_management|mailroom|"
        "How important is your phone to "
        "you?|name_recognition|street_food|phone_calls_at_work|workload|"
        "emails per day are too many|Das Datum der Klausur war gut gewählt|issue 4|1|E1"
    ).split("|"),
)
def test_names_that_are_none(name):
    assert sense_of(name) is None
    look = look_of(sense_of(name), np.arange(1.0, 6.0), 5)
    assert (look.role, look.kind) == ("rating", "")


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3, 4, 5], [6, 1, 3], [0, 20, 5], [-2, -1, 0, 1, 2], [0.5, 4.5, 3], [7],
        [101, 102, 103, 104, 105],
        [-9.75, 9.5, 3.25], [0, 1], [10, 20, 30],
    ],
)  # fmt: skip
def test_few_units_are_ratings_however_few_the_records(values):
    assert look_of(sense_of("q"), np.array(sorted(values), dtype=float), len(values)).kind == ""


def test_phone_on_a_scale_of_five_is_a_question_and_an_id_is_not():
    assert look_of(sense_of("phone"), np.arange(1.0, 6.0), 50).kind == ""
    assert look_of(sense_of("student_id"), np.arange(1.0, 6.0), 5).kind == "name"
    assert look_of(sense_of("student_id"), np.arange(1.0, 6.0), 5, scale=(1, 5)).kind == ""


@pytest.mark.parametrize("code", [99, -9, 999, 999999999, -99])
def test_a_lone_value_far_away_may_be_a_missing_code(code):
    columns = {"q1": [1, 2, 3, 4, 5, code], "q2": [1, 2, 3, 2, 1, 3]}
    message = str(refused(columns))
    assert "column q1" in message
    assert "missing code" in message
    assert "`null`" in message
    assert str(code) not in message.replace("made.csv", "")
    assert table_of(table(columns), ReadOptions(null=(str(code),))).n_ratings == 11
    assert table_of(table(columns), ReadOptions(scale=(-99, 10**9))).n_ratings == 12


def test_a_code_among_sensitive_numbers_would_look_like_diversity():
    columns = {"q1": [1, 2, 3, 4, 5, 1], "pay": [3, 3, 3, 3, 3, 999]}
    with pytest.raises(DataError, match=r"column pay: .* missing code"):
        table_of(table(columns), ReadOptions(sensitive=("pay",)))
    said = ReadOptions(sensitive=("pay",), sensitive_scale={"pay": (0, 1000)})
    assert table_of(table(columns), said).sensitive[0].values.max() == 999
    unanswered = table_of(table(columns), ReadOptions(sensitive=("pay",), null=("999",)))
    assert unanswered.sensitive[0].present.sum() == 5


def test_columns_of_one_kind_are_one_line_and_no_cell_is_shown():
    columns = {f"Q2_{n}": ["lorem", "ipsum", "dolor"] for n in range(1, 28)} | {"q": [1, 2, 3]}
    error = refused(columns)
    assert error.total == 1
    assert "27 columns of text: 'Q2_1', 'Q2_2' … 'Q2_27'" in str(error)
    assert "lorem" not in str(error)


@pytest.mark.parametrize(
    ("labels", "levels", "kind"),
    [
        (((1, "Yes"), (2, "No"), (9, "Refused")), [1, 2, 9], "missing-codes"),
        (((1, "Strongly disagree"), (5, "Strongly agree")), [1, 2, 3, 4, 5], None),
        (
            ((1, "Strongly disagree"), (2, "Disagree"), (3, "Agree"), (4, "Strongly agree")),
            [1, 4],
            None,
        ),
        (((1, "north"), (2, "south")), [1, 2], "labelled"),
    ],
)
def test_numbers_whose_values_have_words(labels, levels, kind):
    look = labelled_look(
        None, [(float(value), word) for value, word in labels], np.array(levels, dtype=float)
    )
    assert (None if look is None else look.kind) == kind


def test_what_numbers_look_like_beyond_the_steps():
    unique = np.arange(0, 300, 5.0)
    assert look_of(sense_of("x"), unique, 60).kind == "unique"
    assert look_of(sense_of("x"), np.arange(0, 200.0), 900).kind == "levels"
    assert look_of(sense_of("x"), np.arange(0, 60, 2.0), 900).role == "rating"
    assert look_of(sense_of("x"), np.append(np.arange(1.0, 6), 4000), 80).codes == (4000,)
    assert look_of(sense_of("x"), np.empty(0), 0).role == "rating"
    assert look_of(sense_of("age"), np.arange(18.0, 60), 900).role == "quasi"


@pytest.mark.parametrize(
    ("levels", "answers", "codes"),
    [
        ([-5, 0, 1], 10, (-5,)),  # five units below a scale from 0 on
        ([-4, 0, 1], 10, ()),  # -4..4 may have been used from 0 on
        ([*range(21), 88], 10, (88,)),  # twice the span above
        ([*range(51), 66], 10, ()),
        ([-2, *range(8)], 25, (-2,)),  # thrice as far above 0 as the code is below
        ([-2, *range(7)], 25, ()),
        ([-2, *range(8)], 15, ()),  # too few answers
        ([1, 2, 3, 4, 7], 80, (7,)),  # two steps that nobody used
        ([1, 2, 3, 4, 5, 7], 80, ()),
        ([1, 2, 3, 50], 80, (50,)),
        ([1, 2, 50], 80, ()),  # none of three values is alone
        ([1, 2, 3, 50], 40, ()),  # too few records
    ],
)
def test_each_threshold_between_a_scale_and_a_code(levels, answers, codes):
    assert look_of(None, np.array(levels, dtype=float), answers).codes == codes


@pytest.mark.parametrize(
    ("name", "low", "high", "kind"),
    [
        ("v7", 10115, 10124, "digits"),  # postal codes of one town
        ("zip", 8001, 8010, "name"),
        ("v8", 20240101, 20240115, "digits"),
        ("contact", 7700900000, 7700900009, "digits"),
        ("joined", 1990, 2004, "years"),
        ("duration", 8, 18, "name"),
    ],
)
def test_numbers_where_no_rating_scale_is_are_none_however_few_units_they_span(
    name, low, high, kind
):
    levels = np.arange(float(low), high + 1)
    assert look_of(sense_of(name), levels, 60).kind == kind
    assert look_of(sense_of(name), levels, 5).kind == kind
    assert refused({"q1": [1, 2, 5], name: [low, high, low]}, id="q1").total >= 1
    inside = look_of(sense_of("v"), levels, 60, scale=(low, high))
    assert (inside.role, inside.kind) == ("rating", "")


def test_coordinates_and_weights_are_none_whatever_they_are_called():
    rng = np.random.default_rng(4)
    places = np.unique(np.round(48.1 + rng.random(60) * 0.3, 6))
    assert look_of(sense_of("v"), places, 60).kind == "unique"
    assert look_of(sense_of("v"), places[:40], 40).kind == ""  # too few to say
    # Jester's
    assert look_of(sense_of("v"), np.unique(np.round(rng.uniform(-10, 10, 60), 2)), 60).kind == ""


@pytest.mark.parametrize(
    ("levels", "answers", "codes"),
    [
        ([-9, 1, 2, 3, 4, 5, 6, 7], 60, (-9,)),
        ([-9, *range(11)], 60, (-9,)),
        ([-99, *range(101)], 300, (-99,)),
        ([-1, 1, 2, 3, 4, 5], 60, (-1,)),  # FiveThirtyEight's nonvoters
        ([-2, -1, 1, 2, 3, 4, 5], 60, (-2, -1)),
        ([-1, 0, 1, 2, 3, 4], 100, (-1,)),  # SUSHI
        ([1, 2, 3, 4, 5, 9], 60, (9,)),
        ([1, 2, 3, 4, 8, 9], 60, (8, 9)),
        ([*range(41), 99], 60, (99,)),
        ([-3, -2, -1, 0, 1, 2, 3], 60, ()),
        ([-1, 0, 1], 60, ()),
        ([-1, 0, 1, 2, 3], 60, ()),
        ([-1, 1, 3, 5], 10, ()),
        ([1, 2, 3, 4, 5, 7], 60, ()),
        ([1, 2, 3, 6, 7, 8, 9, 10], 60, ()),
        ([*range(101)], 300, ()),
    ],
)
def test_missing_codes_of_survey_tools(levels, answers, codes):
    assert look_of(sense_of("q"), np.array(levels, dtype=float), answers).codes == codes


def test_a_doubtful_name_is_one_problem_not_one_a_number():
    error = refused({"q1": [1, 2, 3], "weight": [f"0.{'3' * 17}", "1.5", "0.25"]})
    assert (error.total, "survey weight" in str(error)) == (1, True)


def test_a_second_row_of_names_is_one_problem():
    error = refused({"q1": ["How?", 1, 2, 5], "q2": ["Why?", 3, 3, 1], "q3": ["So?", 4, 4, 1]})
    assert error.total == 1
    assert "text in 3 columns whose other cells are numbers" in str(error)
    assert "How?" not in str(error)
