"""What other people's pipelines start: the GitHub action,
the pre-commit hook and the Dockerfile.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from house.checkout import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
INPUTS = (
    "data",
    "codebook",
    "k",
    "epsilon",
    "l",
    "sensitive",
    "at-most",
    "accept",
    "args",
    "junit",
)
HOSTILE = "$(touch pwned) `touch pwned`; touch pwned & \"'\\ * --force ::set-output name=x::y é"


def step(name):
    (found,) = [one for one in ACTION["runs"]["steps"] if one.get("name") == name]
    return found


def test_no_input_is_put_into_a_shells_text():
    for one in ACTION["runs"]["steps"]:
        assert "${{" not in one.get("run", "")
    env = step("Audit")["env"]
    assert env == {
        f"INPUT_{name.upper().replace('-', '_')}": f"${{{{ inputs.{name} }}}}" for name in INPUTS
    }
    script = (ROOT / ".github" / "gate.sh").read_text(encoding="utf-8")
    assert set(re.findall(r"INPUT_[A-Z_]+", script)) == set(env)
    assert set(INPUTS) < ACTION["inputs"].keys()
    assert not re.search(r"\beval\b|\$\*|https?://", script)
    used = {one["uses"] for one in ACTION["runs"]["steps"] if "uses" in one}
    assert all(re.fullmatch(r"[\w-]+/[\w/-]+@v\d+", one) for one in used)


@pytest.fixture
def gate(tmp_path):
    """Run the action's step as the runner does, with a program in ratingpriv's place."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    work = tmp_path / "a work folder"
    work.mkdir()

    def run(program, **inputs):
        for name in ("output", "summary"):
            (tmp_path / name).write_text("", encoding="utf-8")
        stub = tmp_path / "program"
        stub.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
        stub.chmod(0o755)
        env = {
            "PATH": os.environ["PATH"], "RUNNER_TEMP": str(work), "RATINGPRIV": str(stub),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            **{f"INPUT_{name.upper()}": "" for name in INPUTS if "-" not in name},
            **{f"INPUT_{name.upper()}": value for name, value in inputs.items()},
        }  # fmt: skip
        script = [
            "bash",
            "--noprofile",
            "--norc",
            "-eo",
            "pipefail",
            str(ROOT / ".github" / "gate.sh"),
        ]
        ended = subprocess.run(
            script, cwd=work, env=env, capture_output=True, text=True, encoding="utf-8", check=False
        )
        told = dict(
            line.split("=", 1)
            for line in (tmp_path / "output").read_text("utf-8").splitlines()
            if line
        )
        assert not list(tmp_path.rglob("pwned"))
        return ended, told, (tmp_path / "summary").read_text("utf-8")

    return run


WORDS = (
    f"exec {shlex.quote(sys.executable)} -c 'import json, sys; "
    f'print(json.dumps(sys.argv[1:]))\' "$@"'
)


def test_every_input_is_one_word(gate):
    one_line = dict.fromkeys(("data", "codebook", "k", "epsilon", "l", "at_most"), HOSTILE)
    listed = {
        "sensitive": f"{HOSTILE}\n\npay",
        "accept": HOSTILE,
        "args": f"{HOSTILE}\n--scale=1:5\n",
    }
    ended, told, _ = gate(WORDS, **one_line, **listed)
    assert ended.returncode == 0, ended.stderr
    words = json.loads(told["verdict"])
    written = [word.partition("=")[0] for word in words if word.startswith("--junit=")]
    assert written == ["--junit"]
    assert [word for word in words if not word.startswith("--junit=")] == [
        "audit",
        *(
            f"--{name}={HOSTILE}"
            for name in ("codebook", "k", "epsilon", "l", "at-most", "sensitive")
        ),
        "--sensitive=pay",
        f"--accept={HOSTILE}",
        HOSTILE,
        "--scale=1:5",
        "--",
        HOSTILE,
    ]


def test_what_is_printed_is_no_command_and_no_markdown(gate):
    program = (
        "echo '::set-output name=x::y'; echo '<b>'; echo '```'; echo '::error::no' >&2; exit 1"
    )
    ended, told, summary = gate(program, data="a.csv")
    assert (ended.returncode, told["exit-code"]) == (1, "1")
    first, *between, last, end = ended.stdout.splitlines()
    token = first.removeprefix("::stop-commands::")
    assert re.fullmatch(r"[0-9a-f]{32}", token)
    assert f"::{token}::" in (last, end)
    assert {"::set-output name=x::y", "::error::no"} <= set(between)
    assert all(line.startswith("    ") for line in summary.splitlines()[2:] if line)
    assert gate("exit 3", data="a.csv", junit="a\nverdict=SATISFIED")[0].returncode == 2


@pytest.mark.deep
def test_the_gate_with_ratingpriv_itself(gate, tmp_path):
    data = tmp_path / "survey.csv"
    data.write_text(
        "id,q\n" + "".join(f"p{n},{n // 8 * 4 + 1}\n" for n in range(9)), encoding="utf-8"
    )
    asked = {"data": str(data), "k": "2", "epsilon": "1", "at_most": "12%"}
    asked["args"] = "--scale=1:5\n--threads=1"
    ended, told, summary = gate(f'exec {shlex.quote(sys.executable)} -m ratingpriv "$@"', **asked)
    assert ended.returncode == 0, ended.stdout
    assert told["verdict"].startswith("NOT SATISFIED: ")
    assert told["verdict"].endswith("within your tolerance of 12 %.")
    assert told["verdict"] in summary
    assert Path(told["junit"]).is_file()


def test_the_hook_starts_what_there_is():
    (hook,) = HOOKS
    python, flag, module = hook["entry"].split()
    assert (python, flag, hook["language"]) == ("python", "-m", "python")
    assert (ROOT / (module.replace(".", "/") + ".py")).is_file()
    for name, taken in {
        "data/a.csv": True,
        "a.tsv.gz": True,
        "a.toml": False,
        "csv.py": False,
    }.items():
        assert bool(re.search(hook["files"], name)) is taken


def test_the_image_is_pinned_and_runs_as_nobody_in_particular():
    assert re.search(r"^ARG PYTHON=\d+\.\d+\.\d+-slim-\w+$", DOCKERFILE, re.MULTILINE)
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) == ["python:${PYTHON}"] * 2
    _, _, after = DOCKERFILE.partition("\nUSER 10001:10001\n")
    assert after
    assert not re.search(r"^(RUN|ADD|EXPOSE|VOLUME|USER)\b", after, re.MULTILINE)
    assert not re.search(r"https?://|--index-url|--extra-index|curl|wget|apt", DOCKERFILE)
