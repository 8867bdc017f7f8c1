"""What is not answered, written in more than one way: one null, and said;
and ``NA`` that may be Namibia.
"""

import polars as pl
import pytest

import ratingpriv
from ratingpriv.data.codebook.roles import NULL_TOKENS
from ratingpriv.data.formats.describing import describe

Q = "id,q1,q2,country\n"


def said(table, **rules):
    audited = ratingpriv.audit(table, k=2, epsilon=1, **rules)
    return [caution.message for caution in audited.cautions if caution.code == "null-spellings"]


def read(tmp_path, text, **options):
    path = tmp_path / "survey.csv"
    path.write_text(text, encoding="utf-8")
    return ratingpriv.read(path, **options)


@pytest.mark.parametrize("token", [*NULL_TOKENS[1:], " "])
def test_what_means_unanswered(tmp_path, token):
    table = read(tmp_path, f"id,q1,q2\n1,3,{token}\n2,3,4\n3,4,{token}\n")
    assert table.n_ratings == 4
    assert said(table) == []


@pytest.mark.parametrize(
    ("cells", "options", "ways"),
    [
        (["NA", "", "3", "4"], {}, ["an empty cell (1)", "NA (1)"]),
        (["N/A", "NA", "NA", "4"], {}, ["N/A (1)", "NA (2)"]),
        (
            ["-99", "-98", "", "4"],
            {"null": ("-99", "-98")},
            ["an empty cell (1)", "-98 (1)", "-99 (1)"],
        ),
        (["-99", "-99.0", "3", "4"], {"null": ("-99",)}, ["-99 (1)", "-99.0 (1)"]),
        (
            ["k.A.", "weiß nicht", "3", "4"],
            {"null": ("k.A.", "weiß nicht")},
            ["k.A. (1)", "weiß nicht (1)"],
        ),
        (
            ["refused", "", "", "4"],
            {"only_null": ("refused",)},
            ["an empty cell (2)", "refused (1)"],
        ),
        (["NA", "NA", "NA", "4"], {}, None),
        (["-99", "-99", "3", "4"], {"null": ("-99", "-98")}, None),
    ],
)
def test_several_spellings_are_one_null_and_are_said(tmp_path, cells, options, ways):
    rows = "".join(f"{at},3,{cell}\n" for at, cell in enumerate(cells))
    table = read(tmp_path, "id,q1,q2\n" + rows, **options)
    messages = said(table)
    assert bool(messages) == bool(ways)
    for way in ways or ():
        assert way in messages[0]
    long = read(tmp_path, "user,item,rating\n" + rows, **options)
    assert len(said(long)) == len(messages)


def test_they_are_said_of_every_result_and_of_columns_that_are_judged(tmp_path):
    text = "id,q1,q2,note\n1,3,NA,-\n2,3,,x\n3,3,4,\n4,3,4,NA\n"
    table = read(tmp_path, text, drop=("note",))
    assert "NA (1)" in said(table)[0]
    for result in (ratingpriv.frontier(table), ratingpriv.attack(table, targets=2)):
        assert "null-spellings" in str(result.to_dict()["cautions"])
    assert said(read(tmp_path, text.replace("NA", "3"), drop=("note",))) == []


@pytest.mark.parametrize(
    ("cells", "options", "told"),
    [
        (["NA", "NA", "DE", "FR"], {}, True),
        (["NA", "DE", "", "DE"], {}, True),
        (["NA", "Germany", "DE", "DE"], {}, False),
        (["NA", "1", "2", "2"], {}, False),
        (["NA", "DE", "DE", "FR"], {"only_null": ("-",)}, False),
        (["NA", "DE", "DE", "FR"], {"null": ("NA",)}, False),
        (["N/A", "DE", "DE", "FR"], {}, False),
    ],
)
def test_namibia(tmp_path, cells, options, told):
    rows = "".join(f"{at},3,4,{cell}\n" for at, cell in enumerate(cells))
    messages = said(read(tmp_path, Q + rows, quasi=("country",), **options))
    assert any("Namibia" in message for message in messages) == told


def test_frames_are_told_too():
    frame = pl.DataFrame(
        {
            "q1": [3, 3, -99, None],
            "q2": ["1", "NA", "N/A", None],
            "country": ["NA", "DE", "DE", "FR"],
        }
    )
    (message,) = said(
        ratingpriv.data.codebook.table_like.as_table(frame, quasi=("country",), null=("-99",))
    )
    for way in ("an empty cell (2)", "NA (2)", "N/A (1)", "-99 (1)", "Namibia"):
        assert way in message


@pytest.mark.parametrize(
    ("ratings", "ways"),
    [(("3", "4", "5", "3"), 2), (("NA", "", "5", "3"), 2), (("-", "", "5", "3"), 3)],
)
def test_attributes_are_told_with_the_ratings(tmp_path, ratings, ways):
    people = tmp_path / "people.csv"
    people.write_text("id,country\n1,NA\n2,\n3,DE\n4,FR\n")
    rows = "".join(f"{at},a,{one}\n" for at, one in enumerate(ratings, 1))
    table = read(
        tmp_path, "id,item,rating\n" + rows, attributes=people, quasi=("country",), null=("-",)
    )
    (message,) = said(table)
    assert f"written in {ways} ways" in message
    assert "Namibia" in message


def test_an_identifier_repeats_as_often_for_whoever_describes_the_data(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("id,email,q1\n1,ann@x.org,3\n2, Ann@X.org,4\n3,bob@x.org,4\n4,,3\n")
    table = ratingpriv.read(path, identifier=("email",), scale=(1, 5))
    audited = ratingpriv.audit(table, k=2, epsilon=1).cautions
    described = describe(path).cautions
    (one,), (other,) = (
        [c for c in found if c.code == "identifier-repeats"] for found in (audited, described)
    )
    assert one == other
    assert table.repeats == (("email", 2, 3),)
