"""The pages of a release and of its check: nothing in a name can rewrite a verdict,
and it is one line.
"""

import dataclasses
import re
from pathlib import Path

import pytest
from release_samples import anonymized, survey

from ratingpriv import read
from ratingpriv.anonymize.release.releasing import usefulness
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.attack import study
from ratingpriv.report.page import Page, Section
from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def release(tmp_path):
    return write_release(
        anonymized(survey(tmp_path), [0, 1, 2, 3, 4], l=1), tmp_path / "r\x1b[2K.csv"
    )


def test_names_are_made_safe_and_the_verdict_is_one_line(release):
    for page in (page_of(release), page_of(verify(release.path))):
        text = render(page)
        assert "\x1b" not in text
        assert r"\x1b[2K" in text
        assert text.splitlines()[0].endswith(".")
        prose = [line for line in text.splitlines()[1:] if " ratingpriv " not in line]
        assert max(map(len, prose)) <= 80


def attacked(rate, read=0.0):
    def share(of):
        ends = {"low": max(0.0, of - 0.03), "high": min(1.0, of + 0.03)}
        return {"rate": of, **ends, "count": of * 100, "of": 100}

    return {"algorithm": "best-candidate", "algorithms": 5, "known": 6, "success": share(rate),
            "original": share(0.9), "profile": share(read), "not_attacked": 0, "at_most": 1.0,
            "threshold": 0.09}  # fmt: skip


def told_of(release, tmp_path, **measured):
    useful = usefulness(anonymized(survey(tmp_path), [0, 1, 2, 3, 4], l=1), survey(tmp_path))
    made = dataclasses.replace(release, **{"utility": useful, **measured})
    return " ".join(render(page_of(made)).split())


@pytest.mark.parametrize(("rate", "read"), [(0.2, 0.0), (0.07, 0.0), (0.0, 0.5)])
def test_a_release_in_which_people_are_found_is_not_to_be_published(release, tmp_path, rate, read):
    text = told_of(release, tmp_path, attack=attacked(rate, read))
    assert f"{100 * rate:g} of 100 records ({100 * rate:g} %;" in text
    assert "Do not publish it on this verdict" in text
    assert "Ask for a larger k" in text  # of so few records there is no map
    assert re.search(r"No better than the random baseline on \d of \d measures", text)


def test_what_was_not_measured_comes_before_publishing(release, tmp_path):
    for measured in ({}, {"utility": None, "attack": attacked(0.01)}, {"utility": None}):
        text = told_of(release, tmp_path, **measured)
        assert "Do not publish it yet" in text
    text = told_of(release, tmp_path, attack=attacked(0.01))
    assert "Do not publish" not in text


def test_a_draw_above_a_proved_bound_is_said_to_be_one(release, tmp_path):
    text = told_of(release, tmp_path, attack={**attacked(0.1), "at_most": 0.09})
    assert "on average over draws it is at most 9 % (proved)" in text
    assert "above it by chance" not in told_of(
        release, tmp_path, attack={**attacked(0.08), "at_most": 0.09}
    )


def test_a_section_without_sentences_is_left_out():
    page = Page(
        "GOOD: so.", ("Because.",), (Section("Empty", ()), Section("Full", ("it is",))), good=True
    )
    assert render(page) == "GOOD: so.\n  Because.\n\nFull\n - It is.\n"


def test_that_the_input_was_a_part_is_in_the_verdict(tmp_path):
    table = survey(tmp_path).select_issues(["q1"])
    made = write_release(anonymized(table, [0, 1, 2, 3, 4]), tmp_path / "p.csv")
    assert "p.csv (made from 1 of 2 items) is (k = 3" in page_of(made).headline
    whole = write_release(anonymized(survey(tmp_path), [0, 1, 2, 3, 4]), tmp_path / "w.csv")
    assert "made from" not in page_of(whole).headline  # lou was suppressed, not left out before


def test_cautions_of_the_original_are_told_apart_from_those_of_its_release():
    table = read(EXAMPLES / "survey.csv", scale=(1, 5))
    found = study(table, table.drop(["workload", "pay"]), truth="ids", known=6, targets=40)
    document = found.to_dict()
    before, after = document["warnings"], document["release"]["warnings"]
    assert set(before) - set(after)
    assert set(after) - set(before)
    title = "Before you rely on this"
    [section] = [one for one in page_of(found).sections if one.title == title]
    told = [item for item in section.items if isinstance(item, str)]
    for text in {*before, *after}:
        [item] = [item for item in told if text in item]
        assert item.startswith("Of the original data, ") == (text not in after)
