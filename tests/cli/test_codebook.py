"""``--codebook`` and ``--print-codebook`` on every command that reads data."""

import json
import shutil
from pathlib import Path

import pytest
from typer.main import get_command

from cli.test_help import ROOT
from ratingpriv.cli import app
from ratingpriv.data.codebook.files.toml_file import COMMANDS, read_codebook


@pytest.fixture
def survey(tmp_path):
    """A folder with a survey and a codebook that says what to do with it;
    gives a function that writes it.
    """
    (tmp_path / "survey.csv").write_text("id;q1;q2\na;1;2\nb;1;2\nc;2;0\n", encoding="utf-8")

    def write(text):
        path = tmp_path / "survey.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


DATA = '[data]\npath = "survey.csv"\ndelimiter = ";"\nmissing = [0]\nscale = "1:5"\n'


def of_data():
    return {
        name
        for name, command in get_command(app).commands.items()
        if "print_codebook" in {p.name for p in command.params}
    }


def test_its_commands_are_those_that_read_data():
    assert of_data() == set(COMMANDS)


def test_a_codebook_can_be_all_that_is_said(cli, survey):
    accept = 'accept = ["k-asks-nothing"]'
    path = survey(f"{DATA}\n[audit]\nk = 1\nepsilon = 0.5\njson = true\n{accept}\n")
    ended = cli("audit", "--codebook", path)
    result = json.loads(ended.stdout)
    assert (ended.exit_code, result["parameters"]["epsilon"]) == (0, 0.5)
    assert (result["dataset"]["ratings"], result["dataset"]["scale"]["max"]) == (5, 5)
    assert json.loads(cli("audit", "--codebook", path, "--k", 2).stdout)["parameters"]["k"] == 2


@pytest.mark.parametrize("command", sorted(of_data()))
def test_print_codebook_prints_what_is_read_to_the_same(cli, survey, command):
    path = survey(f'{DATA}\n[columns.age]\nrole = "quasi"\nband = 10\n\n[audit]\nk = 5\n')
    ended = cli(
        command, "--codebook", path, "--print-codebook", "--null", "-", "--quasi", "pay=0.5"
    )
    assert (ended.exit_code, ended.stderr) == (0, "")
    book = read_codebook(survey(ended.stdout))
    assert (book.columns["age"].band, book.columns["pay"].within) == (10, 0.5)
    assert book.missing == ("0", "-")
    assert (book.data["path"], book.commands["audit"]["k"]) == ("survey.csv", 5)
    again = cli(command, "--print-codebook", "--codebook", path)
    assert again.stdout == ended.stdout


def test_print_codebook_shows_options(cli, survey):
    data = survey("").parent / "survey.csv"
    words = "--k 3 --epsilon 0.5 --sensitive q1 --force --drop x_* --set sensitive-scale=q1=1:7"
    ended = cli(f"audit {words} --set csv-safe=no --print-codebook --format delimited", data)
    assert ended.exit_code == 0
    assert ended.stdout == (
        f'[data]\npath = "{data}"\nformat = "delimited"\ndrop = ["x_*"]\n\n'
        '[columns.q1]\nrole = "sensitive"\nscale = "1:7"\n\n'
        "[audit]\nk = 3\nepsilon = 0.5\ncsv-safe = false\n"
    )


def test_nothing_is_read_for_it(cli, tmp_path):
    assert cli("audit", tmp_path / "no.csv", "--print-codebook").exit_code == 0
    assert cli("audit", "--print-codebook", "--quasi", "a", "--sensitive", "a").exit_code == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[frontier]\nkk = 3\n", "survey.toml, line 2: found unknown key 'kk' ([frontier])"),
        ("[audit]\ncodebook = 'x'\n", "unknown key 'codebook'"),
        ("[columns.a]\nrole = 'x'\n", "line 2: found 'x' ([columns.a] role)"),
        ("[columns.q1]\nrole = 'sensitive'\n", "no-sensitive"),
    ],
)
def test_what_is_wrong(cli, survey, text, message):
    path = survey(text)
    options = ["--no-sensitive", "--k", 1] if "sensitive" in text else []
    options += [] if text.startswith("[audit]\nk ") else ["--k", 1]
    ended = cli("audit", path.parent / "survey.csv", "--epsilon", 1, "--codebook", path, *options)
    assert ended.exit_code == 2
    assert message in ended.stderr


def test_what_a_codebook_names_is_not_written_over(cli, survey, tmp_path):
    (tmp_path / "h.csv").write_text("a,b\n")
    path = survey(f"{DATA}\n[columns.c]\nrole = 'quasi'\nmap = 'h.csv'\n")
    for name in ("h.csv", "survey.toml", "survey.csv"):
        ended = cli(
            "audit", "--codebook", path, "--k", 1, "--epsilon", 1, "-o", tmp_path / name, "--force"
        )
        assert (ended.exit_code, "this is the input" in ended.stderr) == (2, True)


@pytest.fixture
def people(tmp_path, monkeypatch):
    for name in ("people.csv", "people.toml", "cities.csv"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("people")
def test_a_release_is_attacked_and_measured_with_the_codebook_of_its_original(cli):
    how = ("--codebook", "people.toml", "--quiet")
    # all that are left are from 30 to 39
    accept = ("--accept", "found", "--accept", "quasi-asks-nothing")
    made = cli("anonymize --k 2 --epsilon 0 --method suppress -o r.csv --key r.key", *how, *accept)
    assert made.exit_code == 0, made.stderr
    assert "name" not in Path("r.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")
    attacked = cli("attack", "--known", 2, "--release", "r.csv", "--truth", "r.key", "--json", *how)
    assert attacked.exit_code == 0, attacked.stderr
    assert json.loads(attacked.stdout)["release"]["released"] == 4
    measured = cli("utility", "people.csv", "r.csv", "--truth", "r.key", "--json", *how)
    assert measured.exit_code == 0, measured.stderr


OUTSIDE = {
    "map": '[columns.city]\nrole = "quasi"\nmap = "{}"\n',
    "attributes": '[data]\nattributes = "{}"\n',
    "path": '[data]\npath = "{}"\n',
    "run": '[run]\ndata = "{}"\n',
}


@pytest.mark.parametrize("kind", OUTSIDE)
@pytest.mark.parametrize("place", ["../h.csv", "{}/h.csv", "link.csv", "below/../../h.csv"])
def test_files_that_a_codebook_names_stay_in_its_folder(cli, tmp_path, monkeypatch, kind, place):
    """A codebook may be another's, and messages quote what stands in a file that it names."""
    inside = tmp_path / "book"
    (inside / "below").mkdir(parents=True)
    monkeypatch.chdir(inside)
    (tmp_path / "h.csv").write_text("secret,line\nsecret,line\n")
    (inside / "h.csv").write_text("user,city,q1\na,x,1\nb,x,2\n")
    (inside / "link.csv").symlink_to("../h.csv")
    (inside / "b.toml").write_text(OUTSIDE[kind].format(place.format(tmp_path)))
    command = ["run", "b.toml"] if kind == "run" else ["describe", "h.csv", "--codebook", "b.toml"]
    ended = cli(*command)
    assert ended.exit_code == 2
    assert "a file outside of the folder of the codebook" in ended.stderr
    assert "--set anywhere=yes" in ended.stderr
    assert "secret" not in ended.stderr
    trusted = cli(*command, "--set", "anywhere=yes")
    assert "outside of the folder" not in trusted.stderr
    (inside / "b.toml").write_text(OUTSIDE[kind].format("h.csv"))
    assert "outside of the folder" not in cli(*command).stderr


def test_no_codebook_grants_itself_files_elsewhere(cli, tmp_path):
    (tmp_path / "h.csv").write_text("user,q1\na,1\nb,2\n")
    (tmp_path / "b.toml").write_text("[describe]\nanywhere = true\n")
    ended = cli("describe", tmp_path / "h.csv", "--codebook", tmp_path / "b.toml")
    assert (ended.exit_code, "unknown key" in ended.stderr) == (2, True)
