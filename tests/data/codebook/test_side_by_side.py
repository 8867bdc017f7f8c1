"""Columns that look like ratings one by one: two values, off the others' scale,
attributes by name.
"""

import numpy as np
import polars as pl
import pytest
from data.codebook.raw_columns import raw
from hypothesis import given, settings
from hypothesis import strategies as st

import ratingpriv
from ratingpriv.anonymize import modify, suppress
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.building import table_of
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.recognition.identifiers import sense_of
from ratingpriv.data.formats.describing import describe_raw

N = 60


def answers(low: int, high: int, seed: int, n: int = N) -> list[int]:
    """Answers of which every step of a scale is one."""
    drawn = np.random.default_rng(seed).integers(low, high + 1, n)
    drawn[: high - low + 1] = np.arange(low, high + 1)[:n]
    drawn[-1] = high
    return drawn.tolist()


def questions(count: int = 3, low: int = 1, high: int = 5, n: int = N) -> dict[str, list]:
    return {f"q{at}": answers(low, high, at, n) for at in range(1, count + 1)}


def made(columns: dict[str, list]):
    rows = zip(*columns.values(), strict=True)
    return raw([list(columns), *([str(cell) for cell in row] for row in rows)])


def read(columns: dict[str, list], **said):
    return table_of(made(columns), ReadOptions(**said))


TWO = {
    "0/1": (0, 1), "1/2": (1, 2), "4/5": (4, 5), "-1/1": (-1, 1), "0/100": (0, 100),
    "yes/no": ("Yes", "No"),
    "true/false": ("true", "false"), "ja/nein": ("ja", "nein"), "oui/non": ("oui", "non"),
    "agree": ("Agree", "Disagree"),
}  # fmt: skip


@pytest.mark.parametrize("coded", TWO)
@pytest.mark.parametrize("wide", [1, 3])
def test_two_values_beside_wider_questions_have_to_be_equal(coded, wide):
    two = [TWO[coded][at % 2] for at in range(N)]
    columns = questions(wide) | {"owns": two, "uses": two[::-1]}
    table = read(columns)
    assert table.issues == tuple(questions(wide))
    assert [(one.name, one.within) for one in table.quasi] == [("owns", None), ("uses", None)]
    assert table.guessed == ("owns", "uses")
    description = describe_raw(made(columns), ReadOptions())
    assert [one.role for one in description.columns[-2:]] == ["quasi", "quasi"]
    assert description.columns[-1].spec.labels == ()


@pytest.mark.parametrize("coded", TWO)
def test_where_all_questions_have_two_values_they_are_the_scale(coded):
    columns = {f"q{at}": [TWO[coded][(at + row) % 2] for row in range(N)] for at in range(4)}
    assert (read(columns).n_issues, read(columns).guessed) == (4, ())
    assert all(one.role == "rating" for one in describe_raw(made(columns), ReadOptions()).columns)


def test_a_scale_and_other_ratings_are_no_role():
    assert read(questions(1) | {"owns": [0, 1] * (N // 2)}, ratings=("q1",)).guessed == ("owns",)
    assert read(questions() | {"owns": [1, 2] * (N // 2)}, scale=(1, 5)).guessed == ("owns",)


@pytest.mark.parametrize(
    "others", [{"a": [1, 2, 3] * 20, "b": [1, 2, 3] * 20}, {"a": [1, 3, 3] * 20}, {"a": [1] * N}]
)
def test_three_steps_are_no_wider_question(others):
    assert read(others | {"owns": [0, 1] * (N // 2)}).n_issues == len(others) + 1


OFF = {
    "course codes": answers(1, 13, 5), "age": answers(18, 24, 6), "tenure": answers(0, 20, 7),
    "another scale": answers(1, 7, 8), "from 0": answers(0, 10, 9),
    "region of six": answers(1, 6, 10),
    "children": answers(0, 4, 11), "centred": answers(-3, 3, 12),
    "thousands": [1000 * one for one in answers(1, 12, 13)],
}  # fmt: skip


@pytest.mark.parametrize("kind", OFF)
@pytest.mark.parametrize("count", [2, 6])
def test_what_is_off_the_scale_of_most_is_asked_for(kind, count):
    columns = questions(count) | {"v9": OFF[kind]}
    with pytest.raises(DataError) as caught:
        read(columns)
    assert caught.value.total == 1
    (problem,) = caught.value.problems
    assert "v9" in str(problem)
    if kind != "thousands":  # long digit strings, which is another doubt
        for option in ("`quasi=['v9']`", "`ratings=['v9']`", "`drop=['v9']`", "`scale`"):
            assert option in str(problem)
        assert describe_raw(made(columns), ReadOptions()).columns[-1].role == "quasi"
    assert "v9" in read(columns, ratings=("v9",)).issues
    assert [one.name for one in read(columns, quasi=("v9",)).quasi] == ["v9"]
    assert read(columns, drop=("v9",)).n_issues == count


PLAIN = {
    "not all of the scale": questions(4) | {"q9": answers(2, 4, 1), "q8": answers(1, 4, 2)},
    # Big Five: 0 is a page missed
    "a 0 now and then": questions(4) | {"q9": [0, *answers(1, 5, 1)[1:]]},
    "the top is rare": {f"q{at}": answers(0, 9, at) for at in range(5)}
    | {"q9": [10, *answers(0, 9, 9)[:-1]]},
    "half stars": {f"m{at}": [one / 2 for one in answers(2, 10, at)] for at in range(3)}
    | {"m9": [0.5, *[3, 4] * 29, 5]},
    "sliders": {name: answers(low, 97 + low, low, 600) for name,
    low in (("a", 0), ("b", 3), ("c", 0))},
    "no scale that most share": {"a": answers(1, 5, 1), "b": answers(1, 7, 2)},
    "words of a longer scale": questions(3)
    | {"w": [how + agree for how in ("Strongly ", "", "Somewhat ") for agree in ("disagree",
    "agree")] * 10},
}  # fmt: skip


@pytest.mark.parametrize("kind", PLAIN)
def test_plain_ratings_need_no_word(kind):
    table = read(PLAIN[kind])
    assert (table.n_issues, table.guessed) == (len(PLAIN[kind]), ())


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**31),
    st.integers(2, 12),
    st.integers(2, 6),
    st.sampled_from([(1, 5), (0, 5), (1, 7), (0, 10)]),
)
def test_small_tables_of_one_scale_need_no_word(seed, n, p, scale):
    drawn = np.random.default_rng(seed).integers(scale[0], scale[1] + 1, (n, p))
    table = read({f"q{at}": drawn[:, at].tolist() for at in range(p)})
    assert (table.n_issues, table.guessed) == (p, ())


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**31),
    st.integers(13, 29) | st.integers(60, 300),
    st.integers(3, 30),
    st.floats(0.2, 2),
)
def test_larger_tables_of_one_scale_need_no_word(seed, n, p, skew):
    shares = np.arange(1, 6) ** -skew
    drawn = np.random.default_rng(seed).choice(np.arange(1, 6), (n, p), p=shares / shares.sum())
    try:
        table = read({f"q{at}": drawn[:, at].tolist() for at in range(p)})
    except DataError as error:
        pytest.fail(str(error))
    if n >= 60:  # what everybody answers by the lowest two is told, and compared as equal
        assert len(table.guessed) <= p // 4


ATTRIBUTES = (
    "age at survey|Age Fixed|gender code|postal district|Tenure_Years|diagnosis|AGE_AT_INTERVIEW|"
    "sex (recoded)|Region Code|D1_age|Primary Diagnosis|education level (coded)|marital "
    "status code|"
    "Income bracket|Geschlecht_kodiert|Alter bei Befragung|sexo código|âge au moment de l'enquête|"
    "years of service|household_income_recode|ICD10|years at company"
).split("|")


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_are_known_by_words(name):
    sense = sense_of(name)
    assert sense is not None
    assert sense.role == "quasi"
    inside = read(questions() | {name: answers(1, 4, 3)})
    assert inside.guessed == (name,)
    with pytest.raises(DataError, match="off the scale"):
        read(questions() | {name: answers(18, 40, 3)})
    with pytest.raises(DataError, match="off the scale"):
        read(
            {key: column[:8] for key, column in (questions() | {name: answers(18, 25, 3)}).items()}
        )
    assert name in read(questions() | {name: answers(18, 40, 3)}, ratings=(name,)).issues


@pytest.mark.parametrize(
    "name",
    (
        "age_discrimination|gender equality|job satisfaction|city life|school climate|income "
        "fairness|"
        "team spirit|class participation|level|group work|course content|branch service"
    ).split("|"),
)
def test_questions_about_attributes_are_none(name):
    assert sense_of(name) is None
    assert read(questions() | {name: answers(1, 4, 3)}).guessed == ()


def test_an_attribute_is_one_before_its_far_values_are_missing_codes():
    columns = questions() | {"age at survey": [*answers(18, 40, 1)[:-1], 99]}
    described = describe_raw(made(columns), ReadOptions()).columns[-1]
    assert (described.role, described.spec.missing) == ("quasi", ())
    with pytest.raises(DataError, match="off the scale"):
        read(columns)


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Boolean, pl.Float64])
def test_frames_are_judged_alike(dtype):
    frame = pl.DataFrame(questions()).with_columns(pl.Series("owns", [0, 1] * (N // 2)).cast(dtype))
    audited = ratingpriv.audit(frame, k=2, epsilon=1)
    assert [one.name for one in audited.dataset.quasi] == ["owns"]
    assert [one.code for one in audited.cautions if one.code == "roles-guessed"]
    obeyed = ratingpriv.audit(frame, k=2, epsilon=1, ratings=["owns"])
    assert obeyed.dataset.quasi == ()
    with pytest.raises(DataError, match="off the scale"):
        ratingpriv.audit(frame.with_columns(v9=pl.Series(OFF["course codes"])), k=2, epsilon=1)


def test_a_matrix_and_from_wide_are_ratings_by_the_callers_word():
    frame = pl.DataFrame(questions()).with_columns(owns=pl.Series([0, 1] * (N // 2)))
    assert ratingpriv.RatingTable.from_wide(frame).n_issues == 4
    assert ratingpriv.audit(frame.to_numpy(), k=2, epsilon=1).dataset.issues == 4


@pytest.mark.parametrize("file", ["binary-kobo_dummies.csv", "yes-no.csv"])
def test_yes_or_no_beside_one_question_is_not_satisfied(test_data, file):
    table = ratingpriv.read(test_data / "cases" / file)
    assert table.n_issues == 1
    assert not ratingpriv.audit(table, k=3, epsilon=1).satisfied


# -- few answers


def test_a_step_that_few_people_use_is_on_the_scale():
    """20 people, of whom nobody takes the top but in one question."""
    columns = questions(5, high=4, n=20) | {"q9": [*answers(1, 4, 9, 16), 5, 5, 5, 5]}
    assert (read(columns).n_issues, read(columns).guessed) == (6, ())
    # which forty people would not leave to chance
    with pytest.raises(DataError, match="off the scale"):
        read({name: column * 2 for name, column in columns.items()})


@pytest.mark.parametrize("n", [16, 20, 24, 29])
@pytest.mark.parametrize("coded", [(0, 1), (1, 2), (0, 100), (-1, 1)])
def test_two_values_of_few_people_are_a_choice_where_chance_would_not_do(n, coded):
    table = read(questions(3, n=n) | {"owns": [coded[at % 2] for at in range(n)]})
    assert table.guessed == ("owns",)


@pytest.mark.parametrize("n", [6, 9])
@pytest.mark.parametrize("coded", [(1, 2), (4, 5)])
def test_two_values_of_fewer_are_ratings_and_never_a_plain_yes(n, coded):
    columns = {name: [1, 5] * (n // 2) + [1] * (n % 2) for name in ("q1", "q2")}
    columns = (
        {"w": [1, 4, 5, 2, 3, 1, 2, 3, 4][:n]}
        | columns
        | {"owns": [coded[at % 2] for at in range(n)]}
    )
    table = read(columns)
    assert "owns" in table.issues
    told = ratingpriv.audit(table, k=2, epsilon=1).cautions
    assert [one.code for one in told if one.reservation] == ["epsilon-covers-questions"]
    assert "owns" in next(one.message for one in told if one.reservation)


def test_questions_that_all_are_answered_high_make_no_choice_of_the_highest():
    high = np.random.default_rng(1).choice([3, 4, 5], (20, 6), p=[0.1, 0.5, 0.4])
    high[:2, :5] = [[1], [2]]
    columns = {f"q{at}": high[:, at].tolist() for at in range(5)} | {"q9": [4, 5] * 10}
    assert (read(columns).n_issues, read(columns).guessed) == (6, ())


@pytest.mark.parametrize(
    ("kind", "n", "refused"),
    [
        ("age", 15, True), ("age", 8, False), ("tenure", 20, True), ("another scale", 20, False),
        ("another scale", 40, True), ("children", 20, False), ("children", 40, True),
    ],
)  # fmt: skip
def test_what_is_off_the_scale_of_few_people(kind, n, refused):
    columns = questions(4, n=n) | {"v9": OFF[kind][:n]}
    if refused:
        with pytest.raises(DataError, match="off the scale"):
            read(columns)
    else:
        assert "v9" in read(columns).issues


# -- quasi-identifiers on nobody's word, which every result says


ROWS = "record,q1,q2,gender,age group\n" + "".join(
    f"r{i},{i % 5 + 1},{i % 3 + 1},{i % 2 + 1},{i % 4 + 1}\n" for i in range(60)
)


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text(ROWS)
    return path


def guessed(result):
    return [caution.message for caution in result.cautions if caution.code == "roles-guessed"]


def test_an_attribute_that_nobody_named_is_said(survey):
    table = ratingpriv.read(survey)
    assert table.guessed == ("gender", "age group")
    (message,) = guessed(ratingpriv.audit(table, k=2, epsilon=1))
    assert message.startswith(
        "'gender', 'age group': taken for quasi-identifiers and compared as equal"
    )
    assert table.issues == ("q1", "q2")
    assert "roles-guessed" in str(ratingpriv.attack(table, targets=5).to_dict()["cautions"])


@pytest.mark.parametrize(
    "said",
    [
        {"quasi": ("gender", "age group")},
        {"ratings": ("gender", "age group")},
        {"drop": ("gender", "age*")},
        {"only": ("q1", "gender")},
    ],
)
def test_a_word_settles_it(survey, said):
    assert not guessed(ratingpriv.audit(ratingpriv.read(survey, **said), k=2, epsilon=1))


@pytest.mark.parametrize("method", [suppress, modify])
def test_a_release_says_it_too(survey, tmp_path, method):
    made = method(ratingpriv.read(survey), k=2, epsilon=1)
    release = write_release(made, tmp_path / "release.csv")
    assert not guessed(release.audit)
    (message,) = [
        one["message"] for one in release.to_dict()["cautions"] if one["code"] == "roles-guessed"
    ]
    assert message in release.warnings
    assert verify(release.path).valid
