"""JUnit XML and SARIF: read back by other readers, whatever names the data have."""

from __future__ import annotations

import json
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest

from ratingpriv.report.gates.junit import junit_text, write_junit
from ratingpriv.report.gates.numbers import NUMBERS, names
from ratingpriv.report.gates.outcome import Outcome, Place, Run
from ratingpriv.report.gates.rules import RULES
from ratingpriv.report.gates.sarif import sarif_content, write_sarif

HOSTILE = "a\"'><&]]>\x1b[31m\x00\x08\ufffe\ud800‮{0}[x](http://y)\n.csv"
STATES = ("passed", "tolerated", "failed", "unmeasured")

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
SARIF = {  # what OASIS's schema of 2.1.0 says of the objects that there are
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "items": {
                "required": ["tool"],
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {"items": {"required": ["executionSuccessful"]}},
                    "tool": {
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "required": ["name"],
                                "properties": {
                                    "rules": {
                                        "uniqueItems": True,
                                        "items": {
                                            "required": ["id"],
                                            "properties": {
                                                "shortDescription": TEXT,
                                                "fullDescription": TEXT,
                                                "help": TEXT,
                                            },
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "results": {
                        "items": {
                            "required": ["message"],
                            "properties": {
                                "message": TEXT,
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "partialFingerprints": {"additionalProperties": {"type": "string"}},
                                "locations": {
                                    "items": {
                                        "properties": {
                                            "physicalLocation": {
                                                "required": ["artifactLocation"],
                                                "properties": {
                                                    "region": {
                                                        "properties": {
                                                            "startLine": {"type": "integer", "minimum": 1}
                                                        }
                                                    }
                                                },
                                            }
                                        }
                                    }
                                },
                            },
                        }
                    },
                },
            }
        },
    },
}


def run(data="survey.csv", text="what was found"):
    found = [Outcome("require", f"{text} {state}", state, f"{state}: {text}") for state in STATES]
    return Run("audit", data, 1, tuple(found))


@pytest.mark.parametrize("text", ["plain", HOSTILE])
def test_junit_is_read_back(text):
    root = ElementTree.fromstring(junit_text(run(text, text)))  # noqa: S314 -- our own
    assert root.tag == "testsuites"
    (suite,) = root
    counted = {
        "tests": len(suite.findall("testcase")),
        "failures": len(suite.findall("testcase/failure")),
        "errors": len(suite.findall("testcase/error")),
        "skipped": 0,
    }
    assert {name: int(suite.get(name)) for name in counted} == counted
    assert list(counted.values()) == [4, 1, 1, 0]
    assert len({case.get("name") for case in suite}) == len(STATES)
    said = ["".join(case.itertext()) + str([part.attrib for part in case]) for case in suite]
    for state, words in zip(STATES, said, strict=True):
        assert f"{state}: " in words
    assert all(char.isprintable() or char == "\n" for words in said for char in words)


@pytest.mark.parametrize("text", ["plain", HOSTILE])
def test_sarif_is_what_its_schema_says(text):
    content = json.loads(json.dumps(sarif_content(run("survey.csv", text))))
    jsonschema.Draft7Validator(SARIF).validate(content)
    (only,) = content["runs"]
    assert [one["level"] for one in only["results"]] == ["note", "error", "error"]
    assert "](" not in json.dumps(only["results"])
    for one in only["results"]:
        assert only["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"]
    hashes = {one["partialFingerprints"]["primaryLocationLineHash"] for one in only["results"]}
    assert len(hashes) == 3
    assert sarif_content(run("survey.csv", text)) == sarif_content(run("survey.csv", text))


@pytest.mark.parametrize(
    ("data", "uri"),
    [
        ("data/a b#1.csv", "data/a%20b%231.csv"),
        ("./x/../survey.csv", "survey.csv"),
        ("../outside/survey.csv", "survey.csv"),
        ("/somewhere/else/survey.csv", "survey.csv"),
        ("http:evil.csv", "http%3Aevil.csv"),
    ],
)
def test_a_file_is_named_from_the_working_folder(data, uri, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (first, *_) = sarif_content(run(data))["runs"][0]["results"]
    (place,) = first["locations"]
    assert place["physicalLocation"] == {"artifactLocation": {"uri": uri}, "region": {"startLine": 1}}
    assert unquote(uri).isprintable()


def test_standard_input_has_no_place():
    assert all("locations" not in one for one in sarif_content(run(None))["runs"][0]["results"])


def test_each_problem_is_a_result_at_its_line():
    places = (Place("a.csv", 7), Place("a.csv", 9))
    found = sarif_content(Run("audit", "a.csv", 2, (Outcome("input", "it", "unmeasured", "no", places),)))
    (only,) = found["runs"]
    lines = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in only["results"]]
    assert lines == [7, 9]
    assert only["invocations"] == [{"executionSuccessful": False, "exitCode": 2}]


@pytest.mark.parametrize("write", [write_junit, write_sarif])
def test_a_file_is_replaced_only_if_that_is_said(write, tmp_path):
    path = tmp_path / "x"
    write(run(), path)
    before = path.read_bytes()
    with pytest.raises(OSError, match="exists"):
        write(run("other.csv"), path)
    assert path.read_bytes() == before
    write(run("other.csv"), path, force=True)
    assert path.read_bytes() != before


def test_every_name_says_what_it_is():
    for command in (*NUMBERS, "utility"):
        assert all(names(command).values())
    from ratingpriv.attack.algorithms.methods import ALGORITHMS
    from ratingpriv.utility.measures import MEASURES

    assert {f"success.{one}" for one in ALGORITHMS} <= NUMBERS["attack"].keys()
    assert set(names("utility")) == set(MEASURES)
    assert set(RULES) == {"verdict", "fail-above", "require", "input"}
