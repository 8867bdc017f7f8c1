"""A verdict with a reservation is no yes, in the headline, in JSON,
in the exit code until it is accepted.
"""

import json
from pathlib import Path

import numpy as np
import pytest

QUESTIONS, WILDCARD, REPEATS = "epsilon-covers-questions", "nulls-wildcard", "identifier-repeats"


def csv(header, rows):
    return "".join(",".join(map(str, row)) + "\n" for row in (header, *rows))


def narrow(answers, wide=range(1, 5), questions=8, records=80, seed=1):
    """Some questions on few answers, one on more;
    enough records that every neighbourhood has some.
    """
    rng = np.random.default_rng(seed)
    names = [f"q{place}" for place in range(questions)]
    rows = [
        [one, *rng.choice(answers, questions), rng.choice(wide)] for one in range(1, records + 1)
    ]
    return csv(["id", *names, "overall"], rows)


def roles(questions):
    """Say that they are ratings, whatever would be proposed of them."""
    return [word for place in range(questions) for word in ("--rating", f"q{place}")]


NARROW = {
    "0 and 1": (narrow([0, 1]), []),
    "on a scale of all": (narrow([1, 2]), ["--scale", "1:5"]),
    "few records": (narrow([0, 1], records=24, questions=4), []),
}


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text, name="data.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write


def held_to(cli, code, *command):
    """A yes with a reservation: exit code 1, the code in the JSON; 0 once accepted;
    the word stays.
    """
    if command[0] in ("anonymize", "verify"):
        command = (*command, "--accept", "found")  # of few people
    asked = (*command, "--json")
    ended = cli(*asked)
    found = json.loads(ended.stdout)
    assert ended.exit_code == 1, ended.stdout
    assert code in [caution["code"] for caution in found["cautions"] if caution.get("but")]
    assert set(found["accepted"]) <= {"found"}
    other = WILDCARD if code != WILDCARD else QUESTIONS
    force = ["--force"] if command[0] == "anonymize" else []
    assert cli(*asked, *force, "--accept", other).exit_code == 1
    ended = cli(*asked, *force, "--accept", code, "--accept", other)
    assert (ended.exit_code, set(json.loads(ended.stdout)["accepted"]) - {"found"}) == (0, {code})
    page = cli(*command, *force, "--accept", code).stdout.splitlines()[0]
    assert " WITH RESERVATION (accepted)" in page
    return found


@pytest.mark.parametrize("kind", NARROW)
def test_questions_within_epsilon_are_no_yes(cli, data, kind):
    text, more = NARROW[kind]
    asked = ("--k", 2, "--epsilon", 1, *more, *roles(4 if kind == "few records" else 8))
    found = held_to(cli, QUESTIONS, "audit", data(text), *asked)
    assert found["satisfied"] is True
    assert found["equal"]["unique"] > 0


@pytest.mark.parametrize("command", ["audit", "partition", "anonymize", "frontier"])
def test_every_command_says_it(cli, data, command):
    epsilon = [] if command == "frontier" else ["--epsilon", 1]
    more = (
        ["--others", "rating", "--method", "suppress", "-o", "r.csv"]
        if command == "anonymize"
        else []
    )
    name = data(narrow([0, 1], questions=4))
    found = held_to(cli, QUESTIONS, command, name, *roles(4), "--k", 2, *epsilon, *more)
    assert found["equal"]["violators"] > 0
    if command == "anonymize":
        manifest = json.loads(Path("r.csv.manifest.json").read_text("utf-8"))
        assert set(manifest["accepted"]) == {QUESTIONS, "found"}
        found = held_to(cli, QUESTIONS, "verify", "r.csv")
        assert set(found["claimed"]["accepted"]) == {
            QUESTIONS,
            "found",
        }  # the publisher's word, not the receiver's
        assert found["found"]["equal"]["unique"] > 0


LACKING = {
    "a text": ("id,q,a\n1,1,x\n2,1,x\n3,5,y\n4,5,\n", ["--quasi", "a"]),
    "a number": ("id,q,a\n1,1,20\n2,1,20\n3,5,30\n4,5,\n", ["--quasi", "a"]),
    "a rating": ("id,q,r\n1,1,2\n2,1,2\n3,5,\n4,5,5\n", []),
}


@pytest.mark.parametrize("kind", LACKING)
@pytest.mark.parametrize("command", ["audit", "partition", "anonymize", "frontier"])
def test_wildcard_is_said_wherever_something_is_missing(cli, data, kind, command):
    text, quasi = LACKING[kind]
    more = (
        ["--others", "rating", "--method", "suppress", "-o", "r.csv"]
        if command == "anonymize"
        else []
    )
    more += [] if command == "frontier" else ["--epsilon", 1]
    asked = (command, data(text), *quasi, "--k", 2, "--nulls", "wildcard", "--scale", "1:5", *more)
    held_to(cli, WILDCARD, *asked)
    again = ("--force",) if command == "anonymize" else ()
    assert " UNDER WILDCARD WITH RESERVATION: " in cli(*asked, *again).stdout.splitlines()[0]
    if command == "anonymize":
        assert cli("verify", "r.csv").stdout.startswith("VALID UNDER WILDCARD WITH RESERVATION: ")


def test_wildcard_is_not_said_where_nothing_is_missing(cli, data):
    asked = ("--quasi", "a", "--k", 2, "--epsilon", 1, "--nulls", "wildcard", "--scale", "1:5")
    ended = cli("audit", data("id,q,a\n1,1,x\n2,1,x\n3,5,y\n4,5,y\n"), *asked)
    assert (ended.exit_code, ended.stdout.startswith("SATISFIED: ")) == (0, True)


REPEATED = {
    "an e-mail": (
        "email",
        ["ann@example.org", "ann@example.org", "bob@example.org", "bob@example.org"],
    ),
    "written otherwise": ("E-Mail", ["Ann@Example.org ", "ann@example.org", "bob@example.org", ""]),
    "a full name": ("name", ["Ann Example", "Bob Example", "Ann Example", "Cy Example"]),
}
SHARED = {
    "a first name": ("first name", ["Ann", "Ann", "Bob", "Bob"]),
    "a network": ("ip", ["10.0.0.1"] * 4),
    "words": ("comment", ["none", "none", "fine", ""]),
}


@pytest.mark.parametrize("kind", [*REPEATED, *SHARED])
def test_a_direct_identifier_that_repeats(cli, data, kind):
    column, values = (REPEATED | SHARED)[kind]
    rows = [
        [record, value, q, q]
        for record, (value, q) in enumerate(zip(values, (3, 3, 1, 1), strict=True))
    ]
    name = data(csv(["rid", column, "q1", "q2"], rows))
    read = (name, "--id", "rid", "--identifier", column)
    asked = ("audit", *read, "--k", 2, "--epsilon", 1, "--scale", "1:5")
    described = json.loads(cli("describe", *read, "--json").stdout)
    if kind in SHARED:
        assert cli(*asked).exit_code == 0
        assert described["cautions"] == []
        return
    held_to(cli, REPEATS, *asked)
    assert kind == "written otherwise" or [one["code"] for one in described["cautions"]] == [
        REPEATS
    ]
    held_to(cli, REPEATS, "anonymize", *asked[1:], "--method", "suppress", "-o", "r.csv")
    held_to(cli, REPEATS, "verify", "r.csv")


def test_a_gate_fails_by_it_and_passes_once_it_is_accepted(cli, data):
    asked = (
        "audit",
        data("id,q\n1,3\n2,5\n"),
        "--k",
        1,
        "--epsilon",
        1,
        "--junit",
        "o.xml",
        "--force",
    )
    for more, bad in (((), True), (("--accept", "k-asks-nothing"), False)):
        assert cli(*asked, *more).exit_code == int(bad)
        assert ("<failure" in Path("o.xml").read_text("utf-8")) is bad


def test_sensitive_that_nobody_spoke_of_is_said_at_the_top(cli, data):
    asked = ("audit", data("id,q,s\n1,3,1\n2,3,2\n"), "--k", 2, "--epsilon", 0)
    said = "No sensitive item is declared"
    assert said in " ".join(cli(*asked).stdout.split("Who is at risk")[0].split())
    for more in (["--no-sensitive"], ["--sensitive", "s"]):
        assert said not in cli(*asked, *more).stdout
