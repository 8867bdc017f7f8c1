"""What was not measured is no 0 in a picture, and no good news in its title."""

import pytest

from ratingpriv.base.errors import ParameterError
from ratingpriv.report.pictures import caption, finding, kinds, svg

NOTHING = "nothing was measured"


def measures_of(found):
    return [one for one in found.values() if isinstance(one, dict) and "worthless" in one]


def test_a_utility_without_a_value(document):
    found = document("utility")
    for one in measures_of(found):
        one["value"] = None
    assert finding(found, "utility") == "Nothing was measured"
    assert NOTHING in svg(found, kind="utility")
    assert "Not measured: " in caption(found, "utility")


def test_questions_and_loss_that_were_not_taken(document):
    found = document("utility")
    found["questions"]["questions"] = []
    with pytest.raises(ParameterError, match="questions was not taken"):
        svg(found, kind="questions")
    found["information_loss"] = None
    with pytest.raises(ParameterError, match="information loss was not measured"):
        svg(found, kind="loss")
    assert kinds(found) == ("utility",)


def test_a_sweep_without_a_rate(document):
    found = document("attack")
    for row in found["sweep"]:
        row["success"]["rate"] = None
    assert finding(found, "sweep") == "Nothing was measured: that is not safe"
    assert NOTHING in svg(found, kind="sweep")
    assert f"Not drawn: {len(found['sweep'])} settings" in caption(found, "sweep")


def question(name, before, after, moved):
    return {"name": name, "before": {"mean": before}, "after": {"mean": after}, "moved": moved}


@pytest.mark.parametrize(
    ("rows", "said", "drawn"),
    [
        (
            [question("a", 2.0, 2.5, 0.25), question("b$", 3.0, 1.0, None)],
            "The mean that changes most is that of b$: from 3 to 1",
            "25 %",
        ),
        (
            [question("a", 2.0, 2.5, 0.25), question("b", 3.0, None, None)],
            "1 item of 2 lost all ratings",
            "all ratings lost",
        ),
        ([question("a", 2.0, 2.0, 0.0)], "No mean of 1", "0 %"),
        ([question("a", None, None, None)], "Nothing was measured", NOTHING),
    ],
)
def test_questions(document, rows, said, drawn):
    found = document("utility")
    found["questions"]["questions"] = rows
    assert finding(found, "questions").startswith(said)
    assert drawn in svg(found, kind="questions")
