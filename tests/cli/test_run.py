"""``ratingpriv run``: steps of one file, each the command itself; what is finished is kept."""

import dataclasses
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from crash.commands import write_inputs

from ratingpriv.cli.output.step import run_step

pytestmark = pytest.mark.usefixtures("inside")

STEPS = ["audit", "anonymize", "verify", "attack", "utility"]
BOOK = """\
[data]
scale = "1:5"

[columns.pay]
role = "sensitive"

[run]
data = "wide.csv"
steps = STEPS
gates = ["anonymize", "verify"]
seed = 3

[audit]
k = 2
epsilon = 1

[anonymize]
accept = ["found"]
k = 2
epsilon = 1
method = "suppress"

[attack]
known = 2
targets = 5
algorithm = "scoreboard"

[utility]
measure = ["standard_deviation"]

[verify]
accept = ["found"]
"""


@pytest.fixture
def book(tmp_path, monkeypatch):
    """Write a codebook beside wide.csv, some lines of it replaced, some tables with more;
    gives its name.
    """
    write_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)

    def write(steps=STEPS, more=None, **replaced):
        text = BOOK.replace("STEPS", json.dumps(steps))
        for old, new in replaced.items():
            line = next(one for one in text.splitlines() if one.startswith(f"{old} ="))
            text = text.replace(line, new)
        for table, line in (more or {}).items():
            text = text.replace(f"[{table}]\n", f"[{table}]\n{line}\n")
        Path("survey.toml").write_text(text, encoding="utf-8")
        return "survey.toml"

    return write


def record(folder="out"):
    return json.loads(Path(folder, "run.json").read_text(encoding="utf-8"))


def states(folder="out"):
    return {one["name"]: one["state"] for one in record(folder)["steps"]}


def test_every_step_is_the_command_that_is_recorded(cli, book):
    ended = cli("run", book())
    assert ended.exit_code == 0, ended.stderr
    assert ended.stdout.startswith("DONE: 5 of 5 steps of survey.toml are done\n")
    found = record()
    assert states() == dict.fromkeys(STEPS, "done")
    assert [one["exit_code"] for one in found["steps"]] == [1, 0, 0, 0, 0]
    for step in found["steps"]:
        if step["name"] == "anonymize":
            continue
        words = shlex.split(step["command"])
        assert words[0] == "ratingpriv"
        again = cli(*words[1:])
        assert again.exit_code == step["exit_code"], again.stderr
        assert again.stdout == Path("out", f"{step['name']}.txt").read_text(encoding="utf-8")
        assert again.stdout.partition("\n")[0] == step["verdict"]
        kept = json.loads(Path("out", f"{step['name']}.json").read_text(encoding="utf-8"))
        printed = json.loads(cli(*words[1:], "--json").stdout)
        assert {**kept, "tool": 0} == {**printed, "tool": 0}
        assert kept["tool"]["command"] == step["command"]
    attacked = json.loads(Path("out/attack.json").read_text(encoding="utf-8"))
    assert attacked["release"]["success"]["of"] == 5


def test_what_is_finished_and_unchanged_is_kept(cli, book):
    assert cli("run", book()).exit_code == 0
    release, key = Path("out/release.csv").read_bytes(), Path("out/release.key").read_bytes()
    ended = cli("run", book())
    assert (ended.exit_code, states()) == (0, dict.fromkeys(STEPS, "kept"))
    assert "unchanged, its results are kept" in ended.stderr
    assert cli("run", book(targets="targets = 6")).exit_code == 0
    assert states() == {**dict.fromkeys(STEPS, "kept"), "attack": "done"}
    assert (Path("out/release.csv").read_bytes(), Path("out/release.key").read_bytes()) == (
        release,
        key,
    )
    Path("wide.csv").write_text(Path("wide.csv").read_text() + "p99,1,1,1,1\n")
    assert cli("run", book(targets="targets = 6")).exit_code == 0
    assert states() == dict.fromkeys(STEPS, "done")
    before = next(Path("out/earlier").iterdir())
    assert ((before / "release.csv").read_bytes(), (before / "release.key").read_bytes()) == (
        release,
        key,
    )
    assert cli("run", book(targets="targets = 6"), "--step", "audit", "--force").exit_code == 0
    assert states() == {**dict.fromkeys(STEPS, "kept"), "audit": "done"}


def test_a_dry_run_prints_commands_and_writes_nothing(cli, book, tmp_path):
    path = book()
    before = sorted(tmp_path.iterdir())
    ended = cli("run", path, "--dry-run")
    assert ended.exit_code == 0, ended.stderr
    assert sorted(tmp_path.iterdir()) == before
    lines = [
        line.strip() for line in ended.stdout.splitlines() if line.strip().startswith("ratingpriv ")
    ]
    assert [line.split()[1] for line in lines] == STEPS
    assert "--release out/release.csv --truth out/release.key" in lines[3]
    for line in lines[:2]:
        Path("out").mkdir(exist_ok=True)
        assert cli(*shlex.split(line)[1:]).exit_code in (0, 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"k": "kk = 2"}, "unknown key"),
        ({"k": ""}, "[audit]: --k: not given, expected --k K"),
        ({"measure": 'measure = ["men"]'}, "[utility]: "),
        ({"known": "known = 2\njson = true"}, "([attack])"),
        ({"data": 'data = "none.csv"'}, "none.csv: found no such file"),
        ({"data": ""}, "no data"),
        ({"steps": ["audit", "verify"]}, "verify without anonymize before it"),
        ({"steps": ["audit", "audit"]}, "expected a list of different steps"),
        ({"gates": 'gates = ["report"]'}, "report, which is none of the steps"),
        ({"seed": "seed = -1"}, "whole number"),
        ({"seed": 'shell = "rm"'}, "unknown key"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(cli, book, line, said):
    ended = cli("run", book(**line))
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert not Path("out").exists()


def test_a_codebook_without_run(cli, book):
    path = Path(book())
    path.write_text(path.read_text(encoding="utf-8").partition("[run]")[0], encoding="utf-8")
    ended = cli("run", path)
    assert (ended.exit_code, "no table [run]" in ended.stderr) == (2, True)
    assert cli("run", "none.toml").exit_code == cli("run", "none/none.toml").exit_code == 2


def test_a_failed_gate_is_recorded_and_the_rest_goes_on(cli, book):
    path = book(["audit", "anonymize", "verify"], gates='gates = ["audit"]')
    ended = cli("run", path)
    assert (ended.exit_code, states()) == (
        1,
        {"audit": "done", "anonymize": "done", "verify": "done"},
    )
    assert ended.stdout.startswith("GATE FAILED at audit: 3 of 3 steps")
    assert record()["exit_code"] == 1
    assert cli("run", path).exit_code == 1
    # every step is a gate
    assert cli("run", book(["audit"], gates=""), "--output", "b").exit_code == 1
    gated = {"audit": 'junit = "c/audit.xml"\nat-most = "99%"'}
    for more, state in (({}, "done"), ({}, "kept"), ({"data": "missing = [9]"}, "done")):
        path = book(["audit"], gated | more, gates="")  # of which missing texts are a part
        assert cli("run", path, "--output", "c").exit_code == 0
        assert states("c") == {"audit": state}
        assert "c/audit.xml" in {one["file"] for one in record("c")["steps"][0]["files"]}


def test_without_a_release_what_needs_it_is_left_out(cli, book):
    assert cli("run", book()).exit_code == 0
    path = Path(book(gates='gates = ["verify"]'))
    path.write_text(
        path.read_text().replace('[anonymize]\naccept = ["found"]\nk = 2', "[anonymize]\nk = 99"),
        encoding="utf-8",
    )
    ended = cli("run", path)
    assert ended.exit_code == 1  # what could not be looked at is not passed
    assert states() == {
        "audit": "kept", "anonymize": "done", "verify": "left_out", "attack": "left_out",
        "utility": "left_out",
    }  # fmt: skip
    assert "skipped: there is no release" in ended.stdout
    names = {path.name for path in Path("out").iterdir()}
    assert "release.csv" not in names  # the one of before is no result of this run
    assert "verify.json" not in names
    assert json.loads(Path("out/anonymize.json").read_text())["satisfied"] is False
    assert record()["steps"][1]["verdict"] in ended.stderr.replace("\n", " ")


def test_an_error_stops(cli, book):
    Path("wide.csv").write_text("user,q1\na,x\n")
    ended = cli("run", book(), "--json")
    assert ended.exit_code == 2
    assert [one["state"] for one in json.loads(ended.stdout)["steps"]][:2] == ["failed", "planned"]
    assert json.loads(ended.stdout) == record() | {"tool": json.loads(ended.stdout)["tool"]}
    assert len([line for line in ended.stderr.splitlines() if "error: " in line]) == 1


def test_some_steps_only(cli, book):
    path = book()
    refused = cli("run", path, "--step", "verify")
    assert refused.exit_code == 2
    assert "run the step anonymize first" in refused.stderr
    assert cli("run", path, "--from-step", "anonymize").exit_code == 0
    assert states() == {**dict.fromkeys(STEPS, "done"), "audit": "planned"}
    assert cli("run", path, "--step", "audit", "--step", "verify").exit_code == 0
    assert states() == {**dict.fromkeys(STEPS, "kept"), "audit": "done"}
    ended = cli("run", book(method='method = "modify"'), "--step", "anonymize")
    assert states() == {
        "audit": "kept", "anonymize": "done", "verify": "stale", "attack": "stale",
        "utility": "stale",
    }  # fmt: skip
    assert "ratingpriv run survey.toml --from-step verify" in ended.stdout
    assert ended.exit_code == 1
    assert ended.stdout.startswith("GATE NOT DECIDED at verify")
    assert cli("run", path, "--step", "sing").exit_code == 2
    assert cli("run", path, "--step", "audit", "--from-step", "audit").exit_code == 2


def test_a_gate_without_a_verdict_on_what_is_there_has_not_passed(cli, book):
    path = book(["describe", "audit"], gates='gates = ["audit"]', k="k = 9")
    ended = cli("run", path, "--step", "describe")
    assert (ended.exit_code, record()["exit_code"]) == (1, 1)
    assert ended.stdout.startswith("GATE NOT DECIDED at audit")
    assert cli("run", path).stdout.startswith("GATE FAILED at audit")
    *lines, _ = Path("wide.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("wide.csv").write_text("".join(lines), encoding="utf-8")
    ended = cli("run", path, "--step", "describe")
    assert states() == {"describe": "done", "audit": "stale"}
    assert (ended.exit_code, record()["exit_code"]) == (1, 1)
    assert ended.stdout.startswith("GATE NOT DECIDED at audit")


def test_no_file_of_others_and_no_input_is_replaced(cli, book):
    Path("out").mkdir()
    Path("out/audit.json").write_text("mine")
    path = book(["audit"], gates="")
    refused = cli("run", path)
    assert refused.exit_code == 2
    assert (
        "out/audit.json: the file exists and is none that this run wrote; use --force"
        in refused.stderr
    )
    assert Path("out/audit.json").read_text() == "mine"
    cli("run", path, "--force")
    assert states() == {"audit": "done"}
    Path("out/audit.txt").write_text("my notes")
    refused = cli("run", path)
    assert "was changed since" in refused.stderr
    data = Path("wide.csv").read_bytes()
    for name in ("wide.csv", "survey.toml"):
        again = book(["audit"], gates="", epsilon=f'epsilon = 1\nper-record = "{name}"')
        content = Path(name).read_bytes()
        assert cli("run", again, "--force").exit_code == 2
        assert Path(name).read_bytes() == content
    Path("c").mkdir()
    Path("c/audit.json").symlink_to(Path("wide.csv").resolve())
    assert cli("run", book(["audit"], gates=""), "--output", "c", "--force").exit_code == 2
    assert Path("wide.csv").read_bytes() == data


@pytest.mark.parametrize(
    "more",
    [
        {"anonymize": 'key = "out/run.json"'},
        {"anonymize": 'key = "./out/../out/anonymize.txt"'},
        {"audit": 'per-record = "out/release.csv"'},
        # one that failed, and one not
        {"audit": 'junit = "gate.xml"', "verify": 'junit = "./gate.xml"'},
    ],
)
def test_no_step_writes_over_what_it_or_another_one_wrote(cli, book, more):
    path = book(more=more)
    for force in ((), ("--force",)):
        ended = cli("run", path, *force)
        assert (ended.exit_code, "would be written twice, by " in ended.stderr) == (2, True)
        assert not Path("out").exists()


def test_paths_are_the_codebooks(cli, book, tmp_path, monkeypatch):
    book(["audit"], gates="")
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    ended = cli("run", "../survey.toml", "--output", "here")
    assert ended.exit_code == 1, ended.stderr
    assert "from the folder .." in ended.stdout
    assert record("here")["output"] == "elsewhere/here"
    cli("run", "../survey.toml")
    assert states(tmp_path / "out") == {"audit": "done"}
    assert Path.cwd().name == "elsewhere"


STOPPING = """
import os, signal, sys
from ratingpriv.base import unfinished
run = unfinished.run_child
def child(command, *, env, **more):
    if "audit" in command:
        WHOM
    return run(command, env=env, **more)
unfinished.run_child = child
sys.argv = ["ratingpriv", "run", "survey.toml", "--quiet"]
from ratingpriv.__main__ import main
main()
"""
STEP = "error: audit: its process was ended by signal 9"


@pytest.mark.deep
@pytest.mark.parametrize(("stop", "code", "said"), [
    ("os.kill(os.getpid(), signal.SIGTERM)", 143, "terminated"),
    ('command = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]', 3, STEP),
    ('command = [sys.executable, "-c", "exit(143)"]', 143, "terminated"),  # the step says so itself
], ids=["the run", "its step", "its step, which says so"])  # fmt: skip
def test_a_signal_is_recorded_and_the_run_goes_on(cli, book, environment, stop, code, said):
    book(["describe", "audit"], gates="")
    program = STOPPING.replace("WHOM", stop)
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout == "", ended.stderr) == (
        code,
        code > 3,
        f"ratingpriv: {said}\n",
    )
    assert states() == {"describe": "done", "audit": "interrupted" if code > 3 else "failed"}
    assert record()["exit_code"] == code
    cli("run", "survey.toml")
    assert states() == {"describe": "kept", "audit": "done"}


@pytest.mark.deep
def test_processes_do_the_same_as_this_one(process, cli, book):
    path = book(["describe", "audit"], gates="")
    for folder, run in (("a", process), ("b", cli)):
        run("run", path, "--output", folder, "--quiet")
    names = {one.name for one in Path("a").iterdir()}
    assert names == {one.name for one in Path("b").iterdir()}
    for name in names - {"run.json"}:
        one, other = (Path(folder, name) for folder in "ab")
        assert (one.read_text(), one.stat().st_mode) == (other.read_text(), other.stat().st_mode)
    assert [step["exit_code"] for step in record("a")["steps"]] == [0, 1]
    assert states("a") == states("b")


def test_a_run_that_was_killed_goes_on(cli, book):
    path = book(["audit"], gates="")
    cli("run", path)
    content = record()
    content["steps"][0] |= {"state": "running", "exit_code": None, "verdict": None}
    content["steps"][0]["files"] = [one | {"sha256": None} for one in content["steps"][0]["files"]]
    Path("out/run.json").write_text(json.dumps(content))
    Path("out/audit.txt").write_text("half")
    cli("run", path)
    assert states() == {"audit": "done"}
    Path("out/run.json").write_text('{"schema": "ratingpriv.run/2"}')
    assert cli("run", path).exit_code == 2


@pytest.mark.parametrize("edited", [
    {"exit_code": 0},
    {"exit_code": 0, "verdict": "SATISFIED"},
    {"exit_code": None},
    {"exit_code": 7},
    {"exit_code": 0, "state": "kept"},
    {"exit_code": 0, "state": "stale"},
    {"exit_code": 0, "files": []},
    {"exit_code": 0, "state": "planned"},
    {"exit_code": 0, "fingerprint": "0" * 64},
], ids=str)  # fmt: skip
def test_the_record_is_not_believed_where_the_result_lies_beside_it(cli, book, edited):
    path = book(["describe", "audit"], gates="")
    assert cli("run", path).exit_code == 1
    content, verdict = record(), record()["steps"][1]["verdict"]
    content["steps"][1] |= edited
    content["exit_code"] = 0
    Path("out/run.json").write_text(json.dumps(content))
    if not {"files", "fingerprint"} & set(edited) and edited.get("state") != "planned":
        assert cli("run", path, "--step", "describe").exit_code == 1  # audit is not even asked for
    ended = cli("run", path, *(["--force"] if "files" in edited else []))
    assert (ended.exit_code, record()["exit_code"]) == (1, 1)
    assert (record()["steps"][1]["exit_code"], record()["steps"][1]["verdict"]) == (1, verdict)
    assert ended.stdout.startswith("GATE FAILED at audit")


def test_a_record_that_is_worse_than_the_result_has_the_step_run_again(cli, book):
    path = book(["describe"], gates="")
    assert cli("run", path).exit_code == 0
    content = record()
    content["steps"][0]["exit_code"] = 1
    Path("out/run.json").write_text(json.dumps(content))
    assert (cli("run", path).exit_code, states()) == (0, {"describe": "done"})


@pytest.mark.parametrize(("steps", "code"), [
    (["describe", "frontier"], 0),
    (["audit", "partition", "recommend"], 1),
    ([*STEPS, "report"], 0),
])  # fmt: skip
def test_what_is_kept_has_the_exit_code_that_its_command_had(cli, book, steps, code):
    text = Path(
        book(steps, gates="" if "attack" not in steps else 'gates = ["verify"]')
    ).read_text()
    text += "\n[partition]\nk = 9\nepsilon = 1\n[recommend]\nk = 2\nepsilon = 1\n"
    if "report" in steps:
        text += '\n[report]\nskip = ["exposure", "frontier", "attack", "utility"]\n'
    Path("survey.toml").write_text(text)
    assert cli("run", "survey.toml").exit_code == code
    codes = [one["exit_code"] for one in record()["steps"]]
    content = record()
    for one in content["steps"]:
        one["exit_code"] = 0
    Path("out/run.json").write_text(json.dumps(content))
    ended = cli("run", "survey.toml")
    assert (ended.exit_code, states()) == (code, dict.fromkeys(steps, "kept"))
    assert [one["exit_code"] for one in record()["steps"]] == codes


@pytest.mark.parametrize("mask", [0, 0o022, 0o377])
def test_what_is_for_the_holder_alone_is_private_whatever_the_umask(cli, book, mask):
    path = book()
    before = os.umask(mask)
    Path("out").mkdir(mode=0o700)
    Path("out").chmod(0o700)
    try:
        assert cli("run", path).exit_code == 0
    finally:
        os.umask(before)
    public = {"release.csv", "release.csv.manifest.json"}
    rights = {one.name: one.stat().st_mode & 0o777 for one in Path("out").iterdir()}
    assert {name: mode for name, mode in rights.items() if name not in public} == dict.fromkeys(
        rights.keys() - public, 0o600
    )
    assert {rights[name] for name in public} == {0o666 & ~mask}


@pytest.mark.parametrize(("code", "left", "message"), [
    (3, '{"document": {"schem', None),
    (3, "", None),
    (0, '{"document"', "it ended without a result"),
])  # fmt: skip
def test_a_step_whose_disk_is_full_is_a_step_that_failed(
    cli, book, monkeypatch, code, left, message
):
    """What it left is half a document: its exit code says how it ended."""

    def failing(command, *, env, **more):
        Path(env["RATINGPRIV_STEP"]).write_text(left)
        return code, b"", b""

    monkeypatch.setattr("ratingpriv.base.unfinished.run_child", failing)
    ended = cli("run", book(["audit"], gates=""))
    assert (ended.exit_code, states()) == (3, {"audit": "failed"})
    assert "Traceback" not in ended.stderr
    assert "JSON" not in ended.stderr
    assert (message or "STOPPED at audit") in ended.stderr + ended.stdout


def test_secrets_stay_in_the_codebook(cli, book):
    path = book(["anonymize"], gates="", method='method = "suppress"\norder-seed = 271828')
    assert cli("run", path).exit_code == 0
    told = {path.name for path in Path("out").iterdir() if "271828" in path.read_text()}
    assert told == {"anonymize.json", "anonymize.txt", "release.key"}
    assert {Path("out", name).stat().st_mode & 0o777 for name in told} == {0o600}
    first = Path("out/release.csv").read_bytes()
    assert cli("run", path, "--output", "again").exit_code == 0
    assert Path("again/release.csv").read_bytes() == first  # it was used all the same
    assert "--seed" not in Path("out/run.json").read_text()  # the run's seed is not a release's


def test_the_report_is_made_of_the_steps(cli, book):
    skipped = (
        'accept = ["found"]\n[report]\nskip = ["exposure", "frontier", "attack", '
        '"utility"]\nthreshold = 3'
    )
    path = book(["audit", "anonymize", "verify", "report"], {"verify": skipped})
    ended = cli("run", path)
    assert ended.exit_code == 0, ended.stderr
    made = record()["steps"][-1]
    words = shlex.split(made["command"])
    assert words[1:3] == ["report", "wide.csv"]
    assert words[words.index("--release") + 1] == "out/release.csv"
    assert [words[at + 1] for at, word in enumerate(words) if word == "--from"] == [
        "out/audit.json",
        "out/anonymize.json",
        "out/verify.json",
    ]
    assert "out/report.html" in {one["file"] for one in made["files"]}
    assert "<html" in Path("out/report.html").read_text(encoding="utf-8")
    assert cli("run", path).exit_code == 0
    assert states()["report"] == "kept"
    assert "Read out/report.html" in ended.stdout


def test_a_step_without_a_result_has_not_passed(cli, book, monkeypatch):
    def lost(*args, **settings):
        return dataclasses.replace(run_step(*args, **settings), document=None)

    monkeypatch.setattr("ratingpriv.cli.running.run_step", lost)
    ended = cli("run", book(["audit"], gates=""))
    assert ended.exit_code == 3
    assert "audit: it ended without a result" in ended.stderr
    assert states() == {"audit": "failed"}


@pytest.mark.parametrize("said", ['"list"', '["violators<=0", "list"]'])
def test_a_list_of_names_is_no_gate(cli, book, said):
    """It ends with 0 and has audited nothing, in a run and with the same file as a codebook."""
    path = book(["audit"], {"audit": f"require = {said}"}, gates="")
    for ended in (
        cli("run", path),
        cli("run", path, "--dry-run"),
        cli("audit", "wide.csv", "--codebook", path, "--k", 2, "--epsilon", 1),
    ):
        assert ended.exit_code == 2
        assert "require: 'list' ([audit]), expected limits" in ended.stderr
    assert not Path("out").exists()


def test_the_seed_of_the_run_reaches_the_steps_that_draw(cli, book):
    assert cli("run", book()).exit_code == 0
    commands = {one["name"]: one["command"] for one in record()["steps"]}
    assert {name for name, command in commands.items() if "--seed 3" in command} == {
        "attack",
        "utility",
    }
    first = json.loads(Path("out/utility.json").read_text(encoding="utf-8"))
    assert first["parameters"]["seed"] == 3
    cli("run", book(seed="seed = 4"), "--step", "utility")
    assert (
        json.loads(Path("out/utility.json").read_text(encoding="utf-8"))["parameters"]["seed"] == 4
    )
