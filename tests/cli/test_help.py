"""Help, version, and what starting costs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

import ratingpriv
from ratingpriv.cli import app

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = [
    *(
        "desk",
        "describe",
        "audit",
        "explain",
        "frontier",
        "partition",
        "anonymize",
        "verify",
        "attack",
    ),
    *("utility", "recommend", "report", "run", "experiment", "reproduce", "ingest", "synthesize"),
    *("demo", "doctor", "schema", "version"),
]
GROUPS = {"query": ["list", "show", "run", "shell"], "store": ["status", "list", "export", "drop"]}


ALL = [[name] for name in COMMANDS] + [[group, name] for group in GROUPS for name in GROUPS[group]]


@pytest.mark.parametrize("command", [[], *([group] for group in GROUPS), *ALL], ids=" ".join)
def test_help_fits_a_plain_terminal(cli, command):
    ended = cli(*command, "--help", env={"COLUMNS": "80", "TERM": "dumb"})
    assert (ended.exit_code, cli(*command, "-h").exit_code) == (0, 0)
    lines = ended.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 52
    assert not re.search(r"[\x1b╭│╰]|\[/?(bold|dim|red)|\[\[", ended.stdout)


def test_help_lists_every_command(cli):
    listed = re.findall(
        r"^  ([a-z]+)  ", cli("--help").stdout.partition("Commands:")[2], re.MULTILINE
    )
    assert listed == [*COMMANDS, *GROUPS]
    assert "..." not in cli("--help").stdout.partition("Commands:")[2]


def test_the_list_says_of_a_command_what_its_own_help_says(cli):
    listed = cli("--help", env={"COLUMNS": "200"}).stdout.partition("Commands:")[2]
    for name, command in get_command(app).commands.items():
        assert f"  {name:10}  {command.short_help}" in listed.replace("\n" + 14 * " ", " ")


def test_the_list_is_written_without_importing_a_command():
    code = """import sys
from ratingpriv.__main__ import main
sys.argv[1:] = ["--help"]
try: main()
finally: print(*(set(sys.modules) & {f"ratingpriv.cli.{one}" for one in COMMANDS}))
"""
    names = [*(name for name in COMMANDS if name not in {"doctor", "schema", "version"}), *GROUPS]
    code = f"COMMANDS = {[*names, 'about']}\n{code}"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stdout.splitlines()[-1] == ""


@pytest.mark.parametrize("group", GROUPS)
def test_help_of_a_group(cli, group):
    shown = cli(group, "--help").stdout
    listed = re.findall(r"^  ([a-z]+)  ", shown.partition("Commands:")[2], re.MULTILINE)
    assert listed == GROUPS[group]
    for command in listed:
        text = cli(group, command, "--help").stdout
        assert "Global options:" in text
        assert ("Graph store:" in text) == (group == "store" or command in ("run", "shell"))


def test_every_command_is_in_the_table_of_the_reference():
    table = (ROOT / "docs" / "reference" / "index.md").read_text(encoding="utf-8")
    named = [*COMMANDS, *(f"{group} {command}" for group in GROUPS for command in GROUPS[group])]
    assert [command for command in named if f"`ratingpriv {command}" not in table] == []


def test_epsilon_is_told_apart_from_differential_privacy(cli):
    for args in (["--help"], ["audit", "--help"]):
        assert "not a differential-privacy budget" in " ".join(cli(*args).stdout.split())


def test_options_stand_in_sections(cli):
    sections = ["Arguments:", "Options:", "Graph store:", "Gates of a pipeline:", "Data:", "Rules:"]
    sections += ["Global options:", "Settings (--set NAME=VALUE, or in a codebook):", "Examples:"]
    own, shared = (
        [line for line in cli("audit", option).stdout.splitlines() if line in sections]
        for option in ("--help", "--help-data")
    )
    assert own == ["Arguments:", "Options:", "Graph store:", "Examples:"]
    assert [*own[:3], *shared, own[3]] == sections
    assert "  ratingpriv audit --help-data\n" in cli("audit", "--help").stdout


@pytest.mark.parametrize("args", [["version"], ["--version"]])
def test_version(cli, args):
    assert cli(*args).stdout == f"ratingpriv {ratingpriv.__version__}\n"


def test_without_a_command_the_help_is_shown(cli):
    ended = cli()
    assert ended.exit_code == 2
    assert "Commands:" in ended.stdout + ended.stderr


def test_the_installed_script_is_the_same_program(environment):
    script = Path(sys.executable).with_name("ratingpriv")
    if not script.exists():
        pytest.skip("ratingpriv is not installed beside this Python")
    shown = subprocess.run(
        [script, "version"], env=environment, capture_output=True, text=True, check=True
    )
    assert shown.stdout == f"ratingpriv {ratingpriv.__version__}\n"


WORDS = "ratingpriv audit x.csv --nulls w"


@pytest.mark.parametrize(
    ("shell", "asked"),
    [
        ("bash", {"COMP_WORDS": WORDS, "COMP_CWORD": "4"}),
        ("zsh", {"_TYPER_COMPLETE_ARGS": WORDS}),
        ("fish", {"_TYPER_COMPLETE_ARGS": WORDS, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}),
    ],
)
def test_shells_complete(process, environment, tmp_path, shell, asked):
    named = {
        **environment,
        "HOME": str(tmp_path),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    script = process("--show-completion", shell, env=named).stdout.strip()
    assert f"_RATINGPRIV_COMPLETE=complete_{shell}" in script
    assert process("--install-completion", shell, env=named).returncode == 0
    assert any(
        script in path.read_text() for path in tmp_path.rglob("*ratingpriv*") if path.is_file()
    )
    ended = process(env={**environment, **asked, "_RATINGPRIV_COMPLETE": f"complete_{shell}"})
    assert (ended.returncode, "wildcard" in ended.stdout, "strict" in ended.stdout) == (
        0,
        True,
        False,
    )


def test_options_are_few():
    """The data's are the same in every command; what few need is a setting."""
    for command, most in [*((name, 30) for name in COMMANDS), ("audit", 20)]:
        params = get_command(app).commands[command].params
        shown = [
            one
            for one in params
            if not (one.setting or one.hidden) and one.param_type_name == "option"
        ]
        own = [one for one in shown if one.rich_help_panel not in ("Data", "Graph store")]
        assert (len(own) <= most, len(shown) - len(own) <= 21) == (True, True), command
