"""JUnit XML: read back by other readers, whatever names the data have."""

from xml.etree import ElementTree

import pytest

from ratingpriv.report.gates import Outcome, Run, junit_text
from ratingpriv.report.limits import NUMBERS

HOSTILE = "a\"'><&]]>\x1b[31m\x00\x08\ufffe\ud800‮{0}[x](http://y)\n.csv"
STATES = ("passed", "tolerated", "failed", "unmeasured")


def run(data="survey.csv", text="what was found"):
    found = [Outcome("require", f"{text} {state}", state, f"{state}: {text}") for state in STATES]
    return Run("audit", data, tuple(found))


@pytest.mark.parametrize("text", ["plain", HOSTILE])
def test_junit_is_read_back(text):
    root = ElementTree.fromstring(junit_text(run(text, text)))  # noqa: S314 -- our own
    assert root.tag == "testsuites"
    (suite,) = root
    assert [int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")] == [
        4,
        1,
        1,
        0,
    ]
    assert [len(suite.findall(f"testcase{part}")) for part in ("", "/failure", "/error")] == [
        4,
        1,
        1,
    ]
    assert len({case.get("name") for case in suite}) == len(STATES)
    said = ["".join(case.itertext()) + str([part.attrib for part in case]) for case in suite]
    for state, words in zip(STATES, said, strict=True):
        assert f"{state}: " in words
    assert all(char.isprintable() or char == "\n" for words in said for char in words)


def test_every_name_says_what_it_is():
    assert all(meaning for names in NUMBERS.values() for meaning in names.values())
    from ratingpriv.attack.algorithms.algorithm import ALGORITHMS
    from ratingpriv.utility.measures import MEASURES

    assert {f"success.{one}" for one in ALGORITHMS} <= NUMBERS["attack"].keys()
    assert set(NUMBERS["utility"]) == set(MEASURES)
