"""The pages of a release and of its check: nothing in a name can rewrite a verdict, and it is one line."""

from __future__ import annotations

import pytest
from release_samples import anonymized, survey

from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.report.page import Page, Section
from ratingpriv.report.release import release_page, verification_page
from ratingpriv.report.text import render


@pytest.fixture
def release(tmp_path):
    return write_release(anonymized(survey(tmp_path), [0, 1, 2, 3, 4], l=1), tmp_path / "r\x1b[2K.csv")


def test_names_are_made_safe_and_the_verdict_is_one_line(release):
    for page in (release_page(release), verification_page(verify(release.path))):
        text = render(page)
        assert "\x1b" not in text
        assert r"\x1b[2K" in text
        assert text.splitlines()[0].endswith(".")
        prose = [line for line in text.splitlines()[1:] if not line.startswith("     ratingpriv ")]
        assert max(map(len, prose)) <= 80


def test_what_a_page_says(release):
    titles = [section.title for section in release_page(release).sections if section.items]
    assert titles == [
        "What was done",
        "What is proved",
        "Before you publish",
        "What to keep secret",
        "What to do next",
    ]
    text = " ".join(render(release_page(release)).split())
    assert "5 records of 6 released; 1 suppressed (16.7 %)" in text
    assert "the largest l that holds: age: 11.6619" in text


def test_a_suppression_that_loses_most_people_names_the_way_that_keeps_them(tmp_path):
    """It said what is to be done next as if nothing had happened."""
    for kept, named in (([0, 1, 2], False), ([0, 1], True)):
        made = write_release(anonymized(survey(tmp_path), kept, k=1), tmp_path / f"{len(kept)}.csv")
        assert ("--method modify" in render(release_page(made))) is named


def test_a_section_without_sentences_is_left_out():
    page = Page("GOOD: so.", ("Because.",), (Section("Empty", ()), Section("Full", ("it is",))), good=True)
    assert render(page) == "GOOD: so.\n  Because.\n\nFull\n - It is.\n"


def test_that_the_input_was_a_part_is_in_the_verdict(tmp_path):
    table = survey(tmp_path).select_issues(["q1"])
    made = write_release(anonymized(table, [0, 1, 2, 3, 4]), tmp_path / "p.csv")
    assert "p.csv (made from 1 of 2 questions) is (k = 3" in release_page(made).headline
    whole = write_release(anonymized(survey(tmp_path), [0, 1, 2, 3, 4]), tmp_path / "w.csv")
    assert "made from" not in release_page(whole).headline  # lou was suppressed, not left out before
