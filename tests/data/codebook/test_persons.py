"""What is known of persons, and who they are, by names in many languages,
by shape and by values.
"""

import numpy as np
import polars as pl
import pytest
from data.codebook.raw_columns import raw

import ratingpriv
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.building import table_of
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.recognition.blocks import in_blocks
from ratingpriv.data.codebook.recognition.identifiers import (
    beside_coordinates,
    named_person,
    sense_of,
)
from ratingpriv.data.formats.describing import describe_raw
from ratingpriv.data.table.building.spelling import folded, same_ids

N = 120


def columns_of(columns):
    texts = {name: list(map(str, cells)) for name, cells in columns.items()}
    return raw([list(texts), *map(list, zip(*texts.values(), strict=True))])


def proposed(columns, **said):
    """Return the role that each column is proposed to have."""
    return {
        one.name: one.role for one in describe_raw(columns_of(columns), ReadOptions(**said)).columns
    }


def read(columns, **said):
    return table_of(columns_of(columns), ReadOptions(**said))


def answers(low=1, high=5, step=7, n=N):
    return np.random.default_rng(step).integers(low, high, n, endpoint=True).tolist()


def questions(n=4, **more):
    return {f"q{place}": answers(step=place + 4, **more) for place in range(1, n + 1)}


# ---- attributes


@pytest.mark.parametrize(
    "name",
    [
        "agegr", "dept_code", "n_kids", "sex_cod", "yrs_service", "edu_level", "Bildungsgrad",
        "age at survey", "Tenure_Years", "D1_age", "demo_sex",
        "race/ethnicity",
        "Which of these best describes your gender?", "What is your annual household income?",
        "How long have you worked here?",
        "In which country do you live?",
        "What is the highest level of education you have completed?",
        "Wie alt sind Sie?", "Höchster Schulabschluss", "Quel est votre âge ?",
        "¿Cuántos años tiene?",
        "Qual è la sua età?", "Hoe oud bent u?", "Staż pracy w firmie",
        "Укажите Ваш возраст: (Свободный ответ)",
        "Ваш вік", "Yaşınız", "Hur gammal är du?", "Hvad er dit køn?", "Ikänne", "Jaký je váš věk?",
        "Legmagasabb iskolai végzettség", "Care este vârsta dumneavoastră?",
        "Ποια είναι η ηλικία σας;",
        "あなたの性別を教えてください", "勤続年数", "您的年龄是?", "귀하의 연령은 어떻게 되십니까?",
        "كم عمرك؟",
        "מהו הגיל שלך", "आपकी आयु क्या है?", "Jenis kelamin", "Giới tính của bạn", "อายุ",
        "Населенный пункт",
    ],
)  # fmt: skip
def test_attributes_of_persons_in_many_languages(name):
    sense = sense_of(name)
    assert sense is not None
    assert sense.role == "quasi"


@pytest.mark.parametrize(
    "name",
    [
        "People of my age are respected", "How satisfied are you with your department?",
        "Gender equality matters",
        "My supervisor listens to me", "I learned a new language", "age discrimination",
        "Country music",
        "How important is your religion?", "年齢に関係なく評価される", "Я уважаю своих коллег",
        "workload", "pay",
        "service", "cleanliness", "post_1", "brand name recall", "Overall experience", "accuracy",
        "Work-life balance",
        "Ich bin mit meiner Abteilung zufrieden", "Je suis satisfait de mon salaire", "q1", "EXT1",
        "score", "mood", "I feel at home in this city", "Zufriedenheit mit dem Gehalt", "满意度",
        "How likely are you to stay in this position?", "working conditions",
        "teacher explains well",
        "Reading",
    ],
)  # fmt: skip
def test_questions_about_such_things_are_questions(name):
    assert sense_of(name) is None


def test_an_attribute_is_no_rating_whatever_its_codes():
    """A missing code, "prefer not to say", or answers on the questions' own scale."""
    codes = {"Ваш возраст": [*answers(n=N - 2), 99, 99], "gender": [1, 2, 9] * (N // 3)}
    roles = proposed(questions() | codes)
    assert {name for name, role in roles.items() if role == "quasi"} == set(codes)
    assert read(questions() | {"agegr": answers(step=11)}).guessed == ("agegr",)


def test_a_country_among_genres_is_a_question():
    genres = ["Dance", "Folk", "Pop", "Rock", "Country", "Jazz", "Opera", "Punk", "Latin", "Techno"]
    columns = {name: answers(step=place + 4) for place, name in enumerate(genres)}
    assert read(columns).guessed == ()
    assert read(questions(8) | {"country": answers(step=30)}).guessed == ("country",)
    assert read(
        {("Age" if name == "Country" else name): of for name, of in columns.items()}
    ).guessed == ("Age",)


def test_a_location_that_is_rated_among_other_things_is_a_question():
    rated = ["value", "service", "rooms", "sleep quality", "location", "cleanliness"]
    columns = {name: answers(step=place + 4) for place, name in enumerate(rated)}
    assert read(columns).guessed == ()
    assert proposed(columns)["location"] == "rating"
    # too few to say
    assert read({name: columns[name] for name in rated[2:]}).guessed == ("location",)
    at_the_end = {name: columns[name] for name in sorted(rated, key="location".__eq__)}
    assert read(at_the_end).guessed == ("location",)


def test_altitude_and_accuracy_beside_coordinates():
    names = ["_gps_latitude", "_gps_longitude", "_gps_precision", "accuracy", "q1"]
    assert beside_coordinates(names) == {"_gps_precision"}
    place = {"lat": answers(), "accuracy": answers(step=5)}
    assert proposed(questions() | place)["accuracy"] == "identifier"
    assert proposed(questions() | {"accuracy": answers(step=5)})["accuracy"] == "rating"


# ---- persons


@pytest.mark.parametrize(
    "name",
    [
        "What name do you go by?", "Wie heißt du?", "Name/Vorname", "imię", "имя",
        "Nombre completo",
        "isim", "naam", "名前",
        "姓名",
        "Name of your supervisor", "Parent/guardian", "Teacher", "Contact person",
        "Nom du responsable", "이름",
        "Имя руководителя", "Öğretmeninizin adı", "Jméno a příjmení", "Klassenlehrer", "Họ và tên",
        "नाम",
    ],
)  # fmt: skip
def test_names_by_their_headers(name):
    few = ["Anna", "Eva", "Carla", "Lea"] * (N // 4)
    assert proposed(questions() | {name: few})[name] == "identifier"


@pytest.mark.parametrize(
    "name", ["How often do you see your teacher?", "Student status", "How did you hear of us?"]
)
def test_a_person_in_a_question_is_none_who_is_named(name):
    assert named_person(name) is None


def test_a_brand_whose_name_is_recalled_is_rated():
    assert proposed(questions() | {"brand name recall": answers()})["brand name recall"] == "rating"
    agreed = ["Strongly agree", "Agree", "Disagree", "Strongly disagree"] * (N // 4)
    assert (
        proposed(questions() | {"The name fits the product": agreed})["The name fits the product"]
        == "rating"
    )


@pytest.mark.parametrize(
    "shape", ["{b}, {a}", "{a} {b}", "{a} van {b}", "Dr. {a} {b}"]
)  # fmt: skip
def test_names_by_the_shape_of_their_values(shape):
    first, last = (
        ["Anna", "Ève", "Łucja", "Olga", "Åse", "Ζωή"],
        ["Öz", "Kim", "Ruiz", "Иванова", "O'Neill", "Smith-Roy"],
    )
    full = [shape.format(a=first[at % 6], b=last[at // 6 % 6]) for at in range(36)]
    assert proposed({"v1": full + full[:12], "q1": answers(n=48)})["v1"] == "identifier"
    jobs = ["Sales Manager", "Nurse", "Software Engineer", "Head of Office"] * 12
    assert proposed({"v1": jobs, "q1": answers(n=48)})["v1"] == "quasi"


def test_free_text_by_its_length_in_few_rows():
    said = [
        f"The {word} was better than I had expected from what others told me" for word in "abcdefgh"
    ]
    assert proposed({"v1": [*said, said[0]], "q1": answers(n=9)})["v1"] == "identifier"
    # a choice among long options
    assert proposed({"v1": said[:3] * 9, "q1": answers(n=27)})["v1"] == "quasi"


# ---- by shape, whatever the scales


def asked(columns, **said):
    with pytest.raises(DataError) as caught:
        read(columns, **said)
    return str(caught.value)


def mixed():
    """Questions on scales of their own, of which none is that of most."""
    return {
        "a0": answers(1, 6),
        "a1": answers(1, 6, 5),
        "b0": answers(1, 5),
        "c0": answers(0, 10),
        "c1": answers(1, 10, 5),
    }


def test_a_range_that_stands_apart_is_asked_about():
    assert read(mixed()).n_issues == 5
    message = asked(mixed() | {"d2": answers(19, 51, 13)})
    assert "column d2" in message
    assert "`quasi=['d2']`" in message
    assert "`ratings=['d2']`" in message
    assert "stands apart" in asked(mixed() | {"d2": answers(21, 30, 13)})
    assert read(mixed() | {"d2": answers(19, 51, 13)}, ratings=("d2",)).n_issues == 6


def test_many_values_are_a_scale_where_others_have_the_like():
    sliders = {f"s{place}": answers(0, 60, place + 5) for place in range(4)}
    assert read(sliders).n_issues == 4
    assert "off the scale" in asked(questions() | {"v": answers(0, 30, 13)})
    assert "more different values" in asked(mixed() | {"v": answers(0, 30, 13)})


def test_ids_of_choices_are_asked_about():
    ids = np.array([2, 4, 5, 6, 7, 8, 9])
    blocks = {f"Q1_{place}": ids[np.array(answers(0, 6, place + 4))].tolist() for place in range(4)}
    assert "ids of choices" in asked(blocks)
    for levels in ([1, 3, 5, 7], [1, 2, 4, 5], [0, 25, 50, 75, 100], [1, 2, 3, 4, 5]):
        steps = np.array(levels)
        even = {
            name: steps[np.array(answers(0, len(steps) - 1, at + 4))].tolist()
            for at, name in enumerate(blocks)
        }
        assert read(even).n_issues == 4


def test_what_says_the_same_as_an_attribute_is_asked_about():
    program = [f"programme {'abcd'[at % 4]}" for at in answers()]
    code = [at % 4 + 1 for at in answers()]
    assert "those of 'program'" in asked(
        questions() | {"program": program, "v": code}, quasi=("program",)
    )
    assert (
        read(questions() | {"program": program, "v": answers(1, 4, 5)}, quasi=("program",)).n_issues
        == 5
    )


def test_a_scale_that_was_seen_from_2_on_is_not_stated():
    rng = np.random.default_rng(1)
    seldom = {
        f"v{at}": [str(rng.integers(2, 6)) if rng.random() < 0.4 else "" for _ in range(60)]
        for at in "abc"
    }
    assert read({"w": rng.integers(1, 6, 60).tolist()} | seldom).n_issues == 4


# ---- who said what columns are


def test_a_block_of_like_names_is_said_and_what_stands_outside_is_guessed():
    assert in_blocks(["q1", "q2", "Q3_1", "issue 1", "issue 2", "wave", "d2"]) == {
        "q1",
        "q2",
        "Q3_1",
        "issue 1",
        "issue 2",
    }
    assert in_blocks(["Food [taste]", "Food [price]", "age1", "age2"]) == {
        "Food [taste]",
        "Food [price]",
    }
    assert read(questions()).unsaid is None
    table = read(questions() | {"wave": answers(1, 5, 11)})
    assert (table.unsaid.names, table.unsaid.mixed) == (("wave",), True)
    assert read(questions() | {"wave": answers(1, 5, 11)}, others="rating").unsaid is None
    assert read(questions() | {"wave": answers(1, 5, 11)}, ratings=("wave",)).unsaid is None
    assert table.select_issues(["q1", "q2"]).unsaid is None


def test_others_says_that_what_is_called_like_an_attribute_is_a_question():
    columns = questions() | {"region": answers(step=11), "owns": [0, 1] * (N // 2)}
    assert read(columns).guessed == ("region", "owns")
    assert (read(columns, others="rating").guessed, read(columns, others="rating").n_issues) == (
        (),
        6,
    )
    assert "telephone" in asked(
        columns | {"phone": [41795550100 + at for at in range(N)]}, others="rating"
    )
    assert read(columns, others="rating", quasi=("region",)).n_issues == 5
    assert set(proposed(columns, others="rating").values()) == {"rating"}
    assert proposed(columns, others="rating", quasi=("region",))["region"] == "quasi"


@pytest.mark.parametrize(
    ("said", "reserved"),
    [
        ({}, True),
        ({"others": "rating"}, False),
        ({"ratings": ("mood", "food")}, False),
        ({"ratings": ("mood",)}, True),
    ],
)
def test_a_release_says_whose_roles_were_guessed(tmp_path, said, reserved):
    table = read({"mood": [3, 3, 3, 4], "food": [1, 1, 1, 1]}, **said)
    release = write_release(
        ratingpriv.anonymize(table, k=3, epsilon=1, method="suppress"), tmp_path / "r.csv"
    )
    assert ("roles-guessed" in release.standing.reserved) is reserved
    assert ("roles-guessed" in verify(release.path).standing.reserved) is reserved
    audited = ratingpriv.audit(table, k=3, epsilon=1)
    assert "roles-guessed" not in audited.standing.reserved


# ---- one person twice


@pytest.mark.parametrize(
    ("values", "different"),
    [
        (
            [
                "+41 79 555 01 01",
                "0041795550101",
                "079 555 01 01",
                "+41 (0)79 555 01 01",
                "795550101",
            ],
            1,
        ),
        (["+41 79 555 01 01", "+41 79 555 01 02"], 2),
        (["+1 (555) 123-4567", "555-123-4567", "15551234567"], 1),
        (
            [
                "Ann@Example.org ",
                "ann@example.org",
                "mailto:ann@example.org",
                "ann\u200b@example.org",
            ],
            1,
        ),
        (["Ａｎｎ  Lee", "ann lee"], 1),
        (["ann1@example.org", "ann@example.org"], 2),
    ],
)
def test_spellings_of_one_identifier(values, different):
    assert folded(pl.Series(values), telephones=True).n_unique() == different


def test_ids_that_differ_by_spelling_only():
    assert same_ids(pl.Series(["anna", "ann\u200ba", " Bob", "bob"])) == (2, 4)
    assert same_ids(pl.Series(["a1", "a2"])) is None
    assert same_ids(pl.Series([1, 2])) is None
    assert same_ids(pl.Series(["01000001", "1000001", "X"])) is None  # no telephone numbers


@pytest.mark.parametrize("said", [{"identifier": ("phone",)}, {"drop": ("phone",)}])
def test_an_identifier_that_repeats_is_told_even_where_it_was_dropped(tmp_path, said):
    path = tmp_path / "a.csv"
    path.write_text(
        "rid,phone,q1,q2\n1,+41 79 555 01 01,3,4\n2,0041795550101,3,4\n3,+41 79 555 01 02,5,5\n",
        "utf-8",
    )
    table = ratingpriv.read(path, id="rid", **said)
    assert table.repeats == (("phone", 2, 3),)
    assert "identifier-repeats" in ratingpriv.audit(table, k=1, epsilon=1).standing.reserved
    assert table.n_issues == 2


def test_ids_of_a_row_a_rating_are_compared_too(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("user,item,rating\nanna,1,3\nAnna ,1,3\nbob,1,4\n", "utf-8")
    assert ratingpriv.read(path, layout="long").repeats == (("user", 2, 3),)
