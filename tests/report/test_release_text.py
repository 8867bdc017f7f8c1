"""The pages of a release and of its check: nothing in a name can rewrite a verdict, and it is one line."""

from __future__ import annotations

import io

import pytest
from release_samples import anonymized, survey

from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.report.anonymize_text import print_release, release_page
from ratingpriv.report.page import Page, print_page
from ratingpriv.report.verify_text import print_verify


@pytest.fixture
def release(tmp_path):
    return write_release(anonymized(survey(tmp_path), [0, 1, 2, 3, 4], l=1), tmp_path / "r\x1b[2K.csv")


def text_of(printed, what):
    file = io.StringIO()
    printed(what, file)
    return file.getvalue()


def test_names_are_made_safe_and_the_verdict_is_one_line(release):
    for text in (text_of(print_release, release), text_of(print_verify, verify(release.path))):
        assert "\x1b" not in text
        assert r"\x1b[2K" in text
        assert text.splitlines()[0].endswith(".")
        assert max(map(len, text.splitlines()[1:])) <= 80


def test_what_a_page_says(release):
    titles = [title for title, sentences in release_page(release).sections if sentences]
    assert titles == [
        "What was done",
        "What is proved",
        "Before you publish",
        "What to keep secret",
        "What to do next",
    ]
    text = " ".join(text_of(print_release, release).split())
    assert "5 records of 6 released; 1 withheld (16.7 %)" in text
    assert "the largest l that holds: age: 11.6619" in text


def test_a_section_without_sentences_is_left_out():
    text = text_of(print_page, Page("GOOD: so.", True, ("Because.",), (("Empty", ()), ("Full", ("it is",)))))
    assert text == "GOOD: so.\n  Because.\n\nFull\n - It is.\n"
