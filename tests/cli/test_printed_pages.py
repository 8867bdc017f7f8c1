"""How much a terminal is told: a page of one screen, all of it by --verbose,
its headline by --quiet.
"""

import shutil

import pytest
from house.checkout import ROOT

SURVEY = "survey.csv"
DATA = ("--sensitive", "pay", "--others", "rating", "--scale", "1:5")
TARGET = ("--k", 5, "--epsilon", 1)
LINES = {"audit": 23, "anonymize": 29, "attack": 44, "verify": 29, "recommend": 32, "partition": 25}
"""What the page of each may have for the survey; a line for the prompt is left of 50."""


@pytest.fixture
def asked(tmp_path, monkeypatch, cli):
    """The arguments of a command about the survey, or about its release."""
    shutil.copy(ROOT / "examples" / "survey.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    made = "r.csv", "r.key"
    release = ("anonymize", SURVEY, *DATA, *TARGET, "--method", "modify", "--seed", 1)

    def arguments(command):
        if command == "anonymize":
            return (*release, "-o", made[0])
        if command in ("attack", "verify"):
            assert cli(*release, "-o", made[0], "--key", made[1]).exit_code == 1
        if command == "attack":
            return command, SURVEY, *DATA, "--release", made[0], "--truth", made[1]
        if command == "verify":
            return command, made[0]
        return command, SURVEY, *DATA, *(TARGET if command != "recommend" else ())

    return arguments


@pytest.mark.parametrize("command", LINES)
def test_a_page_is_one_screen_and_the_rest_is_asked_for(asked, cli, command):
    arguments = asked(command)
    again = ("--force",) if command == "anonymize" else ()
    said = cli(*arguments)
    lines = said.stdout.splitlines()
    assert len(lines) <= LINES[command]
    whole = cli(*arguments, *again, "--verbose")
    assert (whole.exit_code, whole.stdout.splitlines()[0]) == (said.exit_code, lines[0])
    # which has no details
    assert (len(whole.stdout.splitlines()) > len(lines)) == (command != "partition")
    short = cli(*arguments, *again, "--quiet")
    assert (short.exit_code, short.stdout.splitlines()) == (said.exit_code, lines[:1])


def test_a_file_has_the_whole_page(asked, cli, tmp_path):
    path = tmp_path / "page.txt"
    said = cli(*asked("audit"), "-o", path)
    written = path.read_text(encoding="utf-8").splitlines()
    assert len(written) > len(said.stdout.splitlines())
    assert written[0] == said.stdout.splitlines()[0]


@pytest.mark.parametrize("command", ["audit", "anonymize", "attack"])
def test_that_nothing_is_to_be_published_stands_above_all_details(asked, cli, command):
    told = cli(*asked(command)).stdout.split("\n\n")[0]
    assert "Do not publish" in told
