"""Inputs that once ended as none may, again; and a few new ones of every quick kind."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

import pytest

from fuzz import inputs
from fuzz.judging import Finding, judged
from fuzz.registry import dice, kinds

CORPUS = sorted(Path(__file__).with_name("corpus").glob("*.json"))
ELSEWHERE = {"signals", "certificates", "tables", "manifests"}
"""Kinds with tests of their own: of signals in tests/cli/test_endings.py."""


@pytest.mark.parametrize("path", CORPUS, ids=[path.stem for path in CORPUS])
def test_it_ends_with_a_message(tmp_path, monkeypatch, path):
    case = json.loads(path.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    for name, text in case["files"].items():
        Path(name).write_text(text, encoding="utf-8")
    for name, (before, piece, times) in case.get("repeated", {}).items():
        Path(name).write_text(before + piece * times, encoding="utf-8")
    for name, packed in case.get("base64", {}).items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(base64.b64decode(packed))
    assert judged(case["args"]).code == case["code"]


@pytest.mark.parametrize("kind", sorted(kinds().keys() - ELSEWHERE))
def test_a_few_of_every_kind(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        kinds()[kind].attempt(dice(kind, 0, number))


@pytest.mark.parametrize("name", inputs.COMMANDS)
def test_a_whole_file_is_read(tmp_path, monkeypatch, name):
    """Else its damage would show nothing."""
    monkeypatch.chdir(tmp_path)
    for file, content in inputs.files().items():
        Path(file).write_bytes(content)
    assert judged(inputs.COMMANDS[name].split(), outputs=inputs.OUTPUTS).code in (0, 1)


def test_the_judge_finds(tmp_path, monkeypatch):
    """What a broken command would do is found: a traceback's word, a file left, an input changed."""
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("id,q1\na,1\nb,2\n", encoding="utf-8")
    asked = ["audit", "d.csv", "--k", "1", "--epsilon", "1"]
    judged(asked)

    def broken(*_, **__):
        raise ZeroDivisionError

    def leaving(*_, **__):
        Path("left.partial").touch()
        raise MemoryError

    def changing(*_, **__):
        Path("d.csv").write_text("", encoding="utf-8")
        raise MemoryError

    for wrong, word in ((broken, "unexpected Zero"), (leaving, "left behind"), (changing, "was changed")):
        monkeypatch.setattr(sys.modules["ratingpriv.audit"], "audit", wrong)
        with pytest.raises(Finding, match=word):
            judged(asked)
