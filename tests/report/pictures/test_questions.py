"""The pictures of questions and of what was lost: their titles say what a document says."""

from __future__ import annotations

from ratingpriv.report.pictures import caption, finding, svg


def question(name, before, after, moved):
    return {"name": name, "before": {"mean": before}, "after": {"mean": after}, "moved": moved}


def questions(document, *rows):
    found = document("utility")
    found["questions"]["questions"] = list(rows)
    return found


def test_the_mean_that_changes_most(document):
    found = questions(document, question("a", 2.0, 2.5, 0.25), question("b$", 3.0, 1.0, None))
    assert finding(found, "questions") == "The mean that changes most is that of b$: from 3 to 1"
    drawn = svg(found, kind="questions")
    assert "not known" in drawn
    assert "25 %" in drawn


def test_questions_that_lost_everything_come_first(document):
    found = questions(document, question("a", 2.0, 2.5, 0.25), question("b", 3.0, None, None))
    assert finding(found, "questions") == "1 question of 2 lost all ratings"
    assert "all ratings lost" in svg(found, kind="questions")


def test_nothing_changed_and_nothing_was_there(document):
    assert finding(questions(document, question("a", 2.0, 2.0, 0.0)), "questions").startswith("No mean of 1")
    unrated = questions(document, question("a", None, None, None))
    assert finding(unrated, "questions") == "Nothing was measured"
    assert "nothing was measured" in svg(unrated, kind="questions")


def test_what_was_lost(document):
    found = document("utility")
    found["information_loss"]["distortion"] = {
        "total": 7.5,
        "shares": {"changed": 0.25, "erased": 0.125, "withheld": 0.0, "filled": 0.5},
    }
    said = finding(found, "loss")
    assert said.startswith("62.5 % of the ratings are in the release as they were")
    assert "imputed ones, 50 %" in said
    assert "7.5 points" in caption(found, "loss")
