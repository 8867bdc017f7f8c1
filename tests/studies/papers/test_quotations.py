"""What figures say that the papers say stands there: words and place."""

import itertools
import re
import unicodedata

import pytest

from ratingpriv.studies.papers.figure import figure, figure_names

PAPERS = {
    "SWL10": "sun2010-satisfying-privacy-requirements-pakdd.txt",
    "SWLZ11": "sun2011-satisfying-privacy-requirements-computer-journal.txt",
    "SWLP10": "sun2010-publishing-anonymous-survey-rating-data-dmkd.txt",
    "NS08": "narayanan2008-robust-deanonymization.txt",
    "CTWY10": "chang2010-predictive-anonymization-excerpt.txt",
}


def plain(text):
    """Letters alone: no blanks, no hyphens, formulas as they are read."""
    text = unicodedata.normalize("NFKC", text).replace(r"\epsilon", "ε").replace("’", "'")
    text = re.sub(r"\\frac\{(.*?)\}\{(.*?)\}", r"\1/\2", text)
    return re.sub(r"[\s$\-‐*]", "", text).lower()


def pages(paper, text):
    """The text of each page, where the extraction has kept page numbers."""
    if paper == "SWL10":  # at the head of a page
        heads = re.split(r"^(18[2-8])$", text, flags=re.M)
        return {"p. 181": heads[0]} | {
            f"p. {n}": body for n, body in itertools.batched(heads[1:], 2)
        }
    found, rest = {}, text
    for number in itertools.count(1):  # at its foot, below words: else it is of a table or an axis
        foot = re.search(rf"(?:(?<=[^\d\n]\n)|(?<=[a-z])){number}$", rest, re.M)
        if foot is None:
            break
        found[f"p. {number}"], rest = rest[: foot.start()], rest[foot.end() :]
    return found


def sections(text):
    """The text of each section of two numbers.

    What is before the first heading belongs to the one before.
    """
    parts = re.split(r"^(?:#+ )?(\d)\.(\d)\.? (?=[A-Z])", text, flags=re.M)
    found = {f"§{a}.{b}": body for a, b, body in itertools.batched(parts[1:], 3)}
    if len(parts) > 1:
        found.setdefault(f"§{parts[1]}.{int(parts[2]) - 1}", parts[0])
    return found


@pytest.fixture(scope="module")
def papers(test_data):
    folder = test_data.parent / "papers"
    if not folder.is_dir():
        pytest.skip("the papers' texts are not there: they may not be redistributed")
    return {name: (folder / file).read_text(encoding="utf-8") for name, file in PAPERS.items()}


@pytest.mark.parametrize("name", figure_names())
def test_what_is_quoted_stands_in_the_paper(name, papers):
    one = figure(name)
    paper = re.match(r"\[(\w+), ", one.source)[1]
    text = papers[paper]
    whole = plain(text)
    places = pages(paper, text) if paper in ("SWL10", "NS08") else sections(text)
    for panel in one.panels:
        for quotation in panel.quotations:
            words = [plain(part) for part in quotation.words.split(" ... ")]
            assert where_in_order(whole, words) is not None, (
                f"{quotation.words} is not in [{paper}]"
            )
            assert where_in_order(plain(places[quotation.place]), words) is not None, (
                f"{quotation.words}: not there"
            )
        for words in re.findall('"(.*?)"', panel.remark):
            assert plain(words) in whole, f"{words} in the remark is not in [{paper}]"


def where_in_order(text, parts):
    """Where the first part begins, if they all follow each other."""
    first, end = None, 0
    for part in parts:
        at = text.find(part, end)
        if at < 0:
            return None
        first, end = at if first is None else first, at + len(part)
    return first
