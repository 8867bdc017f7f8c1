"""What a program does otherwise than before is found, and what differs from run to run is not."""

import guard
import pytest
from cli.test_help import COMMANDS, GROUPS

AUDIT = "ratingpriv audit"
PROGRAM = """#!/bin/sh
printf '{"max_k": 3, "worst": [1, 2], "tool": {"version": "%s"}}' "$(date +%N)"
printf 'id,a\\n1,4\\n' > r.csv
printf '{"k": 5, "nonce": "%s"}' "$(date +%N)" > r.json
echo 'ratingpriv: error: so many' >&2
exit 1
"""


@pytest.fixture
def recorded(tmp_path):
    def recorded(program):
        place = tmp_path / "program" / "bin" / "ratingpriv"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(program, encoding="utf-8")
        place.chmod(0o755)
        examples = tmp_path / "examples"
        examples.mkdir(exist_ok=True)
        return guard.record(
            guard.Bench(place.parents[1], examples, tmp_path), {"a scenario": [AUDIT, "true"]}
        )

    return recorded


def test_nothing_differs_from_itself(recorded):
    assert guard.compare(recorded(PROGRAM), recorded(PROGRAM), []) == 0


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ('"max_k": 3', '"max_k": 4', "stdout.max_k"), ("[1, 2]", "[1]", "stdout.worst[1]"),
        ("exit 1", "exit 0", "exit"), ("1,4", "1,5", "r.csv: sha256"),
        ('"k": 5', '"k": 5.0', "r.json:.k"),
        ("so many", "too many", "error"), ("> r.json", "> /dev/null", "r.json:.k"),
    ],
)  # fmt: skip
def test_a_difference_is_found_and_may_be_explained(recorded, before, after, field):
    assert before in PROGRAM
    old, new = recorded(PROGRAM), recorded(PROGRAM.replace(before, after))
    assert guard.compare(old, new, []) == 1
    assert (
        guard.compare(
            old, new, [{"where": f"a scenario | {AUDIT} | {field.split('[')[0]}*", "why": "so"}]
        )
        == 0
    )


def test_every_command_is_guarded():
    lines = [
        line for wanted in guard.scenarios(guard.LINES.read_text()).values() for line in wanted
    ]
    names = {*COMMANDS, *(f"{group} {name}" for group in GROUPS for name in GROUPS[group])}
    # a tour of other commands, a server, and this machine's state
    left_out = {"demo", "desk", "doctor"}
    assert {
        name for name in names if not any(f"ratingpriv {name}" in line for line in lines)
    } == left_out
