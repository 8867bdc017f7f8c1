"""No page, docstring, help or report says more of risk than is so (docs/glossary.md,
its last section).

Each pattern of :data:`FALSE` is a way to say what the counterexamples in docs/models.md refute. A
text that quotes one to refute it writes ``False: "the sentence"``; the quotation is then not
searched.
"""

import re
from bisect import bisect
from itertools import accumulate
from pathlib import Path

import pytest
from house.checkout import ROOT
from typer.main import get_command
from typer.testing import CliRunner

from ratingpriv.base.cautions import WILDCARD
from ratingpriv.cli import app
from ratingpriv.report.templating import phrase

EPSILON = r"(?:ε|epsilon|¤+)"  # ¤ stands for what a program puts in
FALSE = {
    "knowledge within ε": (
        rf"\bknow(?:s|ing|n|ledge)?\b[^.!?]{{0,120}}\bto within (?:{EPSILON}|\d|N\b|it\b)"
    ),
    "whoever knows is left with": (
        r"\bwhoever knows\b(?![^.!?]*\bexactly\b)[^.!?]{0,160}\b(?:re-identifies|is left with)\b"
    ),
    "nobody can tell apart": r"\bnobody can tell apart who knows\b",
    "a chance of 1 in N": (
        r"\b(?:(?:re-?)?identified|picked out|singled out|recognised|found) with a "
        r"(?:chance|probability|risk) of (?:1 in|¤|\d)"
    ),
    "ε is how far off": rf"(?:{EPSILON}|\bit)[ |:,]{{1,4}}(?:(?:is|says|means) )?how far off\b",
    "an attacker who hardly knows": r"\b(?:attacker|adversary) who hardly knows\b",
    "with certainty": (
        r"\b(?:re-?identif\w+|singled out|singles out|recognised|picked out)\b[^.!?]{0,120}\bwith "
        r"certainty\b"
    ),
    "identifiable with 1/k": r"\bidentif\w+\b[^.!?]{0,80}\bprobability\b[^.!?]{0,60}\b1 ?/ ?k\b",
    "a promise against knowledge": r"\bpromis\w+ (?:something|nothing) against "
    r"(?:who|knowledge|exact)\w*",
    "wildcard as advice": r"\blet (?:a |the )?(?:nulls?|unanswered questions?) match any",
    "the pick without its condition": r"\bthe prosecutor's chance\b",
    "sound definitions": r"\bpapers' definitions are sound\b",
    "everything exact": r"\bevery answer is exact\b",
}
"""Name -> what must not be said, one blank between words."""


def plain(text: str) -> tuple[str, list[int], list[int]]:
    """Return the words of ``text``, one blank between; where each begins there; and its line."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    text = re.sub(r"""["']\s*\n\s*[rbf]{0,2}["']""", blank, text)  # strings that Python joins
    text = re.sub(r"\{[^{}\n]*\}", "¤", text)
    text = re.sub(
        r"^[ \t]*(?:#|//|>(?!>>)|\*)[ \t]?", blank, text, flags=re.MULTILINE
    )  # comments, quotations
    text = re.sub(r"\bFalse:\s*[\"“”][^\"“”]*[\"“”]", blank, text)
    words = list(re.finditer(r"\S+", re.sub(r"[`*_]", " ", text)))
    starts = [0, *accumulate(len(word[0]) + 1 for word in words)]
    lines = [text.count("\n", 0, word.start()) + 1 for word in words]
    return " ".join(word[0] for word in words), starts, lines


def false_sentences(text: str, where: str) -> list[str]:
    """Return "where:line: which pattern: the words" for each false sentence."""
    words, starts, lines = plain(text)
    found = [
        (lines[bisect(starts, match.start()) - 1], name, match[0])
        for name, pattern in FALSE.items()
        for match in re.finditer(pattern, words, re.IGNORECASE)
    ]
    return [f"{where}:{line}: {name}: {said}" for line, name, said in sorted(found)]


def rooms() -> dict[str, list[Path]]:
    """Return the texts by where they stand: pages, queries, and each package."""
    pages = [
        ROOT.glob("*.md"),
        *((ROOT / room).rglob("*.md") for room in ("docs", "docker", "examples", "benchmarks")),
    ]
    found = {
        "pages": [path for folder in pages for path in folder if path.name != "CHANGELOG.md"],
        "cypher": list((ROOT / "cypher").rglob("*.*")),
        "loaders": list((ROOT / "loaders").rglob("*.py")),
        "ratingpriv": list((ROOT / "ratingpriv").glob("*.py")),
        "templates": list((ROOT / "ratingpriv").rglob("*.jinja")),
    }
    for package in (ROOT / "ratingpriv").iterdir():
        if (package / "__init__.py").exists():
            found[f"ratingpriv/{package.name}"] = list(package.rglob("*.py"))
    return {room: sorted(paths) for room, paths in sorted(found.items())}


@pytest.mark.parametrize("room", rooms())
def test_no_text_says_what_is_false(room):
    paths = rooms()[room]
    assert paths
    found = [
        sentence
        for path in paths
        for sentence in false_sentences(
            path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        )
    ]
    assert not found, "\n".join(found)


def commands(command, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Return the words of every command and group."""
    inner = getattr(command, "commands", {})
    return [path, *(words for name, one in inner.items() for words in commands(one, (*path, name)))]


def test_no_help_says_what_is_false():
    helped = {
        words: CliRunner().invoke(app, [*words, "--help"]) for words in commands(get_command(app))
    }
    assert len(helped) > 15
    assert all(shown.exit_code == 0 for shown in helped.values())
    assert not [
        false
        for words, shown in helped.items()
        for false in false_sentences(shown.stdout, str(words))
    ]


@pytest.mark.deep
def test_the_tour_says_nothing_false(tmp_path):
    toured = CliRunner().invoke(app, ["demo", "--output", str(tmp_path / "tour")])
    assert toured.exit_code == 0, toured.stderr
    assert not false_sentences(toured.stdout, "demo")


OLD = [
    "whoever knows their ratings to within 1 re-identifies them with certainty.",
    "Nobody is unique: knowing someone's ratings to within 1 leaves several records.",
    "The most exposed record is re-identified with a chance of 1 in 3; on average the chance is "
    "3 %.",
    "Consider whether epsilon is small enough: it says how far off an adversary's knowledge is",
    "Epsilon is how far off that knowledge may be, a distance between ratings.",
    "| ε | How far off may an attacker's knowledge of a rating be? |",
    "Largest k: how many records, at least, nobody can tell apart who knows ratings to within "
    "epsilon.",
    "Unique: records that are re-identified with certainty.",
    "says little, because it assumes an attacker who hardly knows the ratings.",
    "At ε = 0, 215 respondents are re-identified with certainty.",
    "audit the issues that an adversary can know, or let a null match anything "
    "(`nulls='wildcard'`)",
    "Risk that an adversary who knows ratings to within ε picks the right record.",
    "ε = 1 promises something against knowledge that is off by one",
    "risk: FLOAT -- 1 / size, the prosecutor's chance to pick the right one of them",
    "no individual is identifiable with the probability greater than the probability of 1/k",
    "The papers' definitions are sound; some of their lemmas are not.",
    "Every answer is exact, on integer and real-valued ratings",
]
"""What earlier texts said."""


def sentences(number: str = "1") -> list[str]:
    """Return the glossary's list of what may be said,
    the quoted sentences with ``number`` in each place.
    """
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    section = page.partition("## What may be said of risk\n")[2].partition("What is never said")[0]
    assert re.findall(r"^(\d+)\. ", section, re.MULTILINE) == [
        str(number) for number in range(1, 12)
    ]
    found = re.findall(r'"([^"]+)"', section)
    return [" ".join(re.sub(r"\{\w+\}", number, said).split()) for said in found]


OTHER = [
    "How far off an adversary's knowledge is: within an error, or completely wrong [NS08, §5].",
    "it is not how far off an adversary may be: neighbourhoods are centred on the records "
    "themselves",
    "A few dates, known to within days, pick one record out of thousands.",
    "under wildcard a null matches anything",
]
"""What is said elsewhere, and is so."""


@pytest.mark.parametrize("sentence", OLD)
def test_an_old_sentence_is_found_however_it_is_broken(sentence):
    for between in (" ", "\n", "\n    # ", "\n// ", '"\n    f"', " `", "** "):
        assert false_sentences(re.sub(r"(?<=\w) (?=\w)", between, sentence), "here"), between


def test_what_is_so_may_be_said():
    assert [said for said in (*sentences(), *OTHER) if false_sentences(said, "here")] == []


def test_a_sentence_may_be_quoted_to_refute_it():
    quoted = 'False: "ε is how far off an adversary\'s knowledge is."'
    assert false_sentences(quoted, "here") == []
    assert false_sentences(quoted.removeprefix("False: "), "here")
    assert false_sentences(f"{quoted} Epsilon is how far off it is.", "here")


@pytest.mark.parametrize(
    "name", ["every_record", "what_it_means", "not_meant", "nobody_near", "pick"]
)
def test_reports_say_the_glossarys_sentences(name):
    said = phrase(name, {"k": 2, "epsilon": 2.0}, {"quasi": [], "issues": 1})
    assert any(said in sentence for sentence in sentences("2"))
    assert WILDCARD in sentences("2")
