"""What figures say that the papers say stands there: words, figure, panel and place."""

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
NEAR = 500
"""Letters between the words and the name of the figure that they are about."""
UNNAMED = {("ctwy10-4", "b")}
"""The text names Figure 4(a) and goes on to what only the picture beside it can show."""


def plain(text):
    """Letters alone: no blanks, no hyphens, formulas as they are read."""
    text = unicodedata.normalize("NFKC", text).replace(r"\epsilon", "ε").replace("’", "'")
    text = re.sub(r"\\frac\{(.*?)\}\{(.*?)\}", r"\1/\2", text)
    return re.sub(r"[\s$\-‐*]", "", text).lower()


def pages(paper, text):
    """The text of each page, where the extraction has kept page numbers."""
    if paper == "SWL10":  # at the head of a page
        heads = re.split(r"^(18[2-8])$", text, flags=re.M)
        return {"p. 181": heads[0]} | {f"p. {n}": body for n, body in itertools.batched(heads[1:], 2)}
    found, rest = {}, text
    for number in itertools.count(
        1
    ):  # at its foot, below words: below numbers it is one of a table or an axis
        foot = re.search(rf"(?:(?<=[^\d\n]\n)|(?<=[a-z])){number}$", rest, re.M)
        if foot is None:
            break
        found[f"p. {number}"], rest = rest[: foot.start()], rest[foot.end() :]
    return found


def sections(text):
    """The text of each section of two numbers; what is before the first heading belongs to the one before."""
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
    paper, which = re.fullmatch(r"\[(\w+), (?:Fig\. (\d+)|§5, table)\]", one.source).groups()
    text = papers[paper]
    whole = plain(text)
    places = pages(paper, text) if paper in ("SWL10", "NS08") else sections(text)
    for panel in one.panels:
        for quotation in panel.quotations:
            words = [plain(part) for part in quotation.words.split(" ... ")]
            at = where_in_order(whole, words)
            assert at is not None, f"{quotation.words} is not in [{paper}]"
            assert where_in_order(plain(places[quotation.place]), words) is not None, (
                f"{quotation.words}: not there"
            )
            near = whole[max(at - NEAR, 0) : at + len(words[0]) + NEAR]
            assert says_of(panel.name, name, which, near, whole), f"{quotation.words}: not of {panel.name}"
        for words in re.findall('"(.*?)"', panel.remark):
            assert plain(words) in whole, f"{words} in the remark is not in [{paper}]"


def says_of(panel, name, number, near, whole):
    """Whether the text around words names their figure, and, if it names panels of it, theirs."""
    if number is None:
        return "notinxmostrated" in near
    if name == "ns08-3":
        return "figs.2and3" in near
    figure = rf"figs?(?:ure|\.)?{number}"
    named = re.findall(rf"{figure}(?!\d)(?:\(?([a-d])\)?(?:and\(?([a-d])\)?)?)?", near)
    letters = {letter for pair in named for letter in pair} - {""}
    if letters or not panel:
        return bool(named) and (panel in letters or not panel or (name, panel) in UNNAMED)
    return bool(named) and re.search(rf"{figure}:.{{0,120}}\({panel}\)", whole) is not None  # its caption


def where_in_order(text, parts):
    """Where the first part begins, if they all follow each other."""
    first, end = None, 0
    for part in parts:
        at = text.find(part, end)
        if at < 0:
            return None
        first, end = at if first is None else first, at + len(part)
    return first


def test_what_only_another_figure_says_is_not_found(papers):
    """It was said of [SWL10, Fig. 2] and of [SWLZ11, Fig. 7], which do not say it."""
    assert plain("almost 3 times faster") not in plain(papers["SWL10"])
    assert plain(papers["SWLZ11"]).count(plain("almost 3 times faster")) == 1
    for name, rule in (("swl10-2", "S three times faster"), ("swlz11-7", "S half")):
        said = [quotation for panel in figure(name).panels for quotation in panel.quotations]
        assert rule not in [rule for quotation in said for rule in quotation.rules]
