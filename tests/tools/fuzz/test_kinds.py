"""Every kind of input a few times; as often as asked for by ``make fuzz``;
and what once ended as none may.

``make fuzz FUZZ_ARGS='-k d.csv-25' SEED=1`` repeats the attempts from number 25 on, and keeps their
files in pytest's folder.
"""

import base64
import json
import os
import random
import sys
import traceback
from collections import Counter
from pathlib import Path

import pytest
from depth import DEPTH

import ratingpriv
from fuzz import certificates, inputs, manifests, tables
from fuzz.judging import judged
from ratingpriv.partition.partitioning import partition

KINDS = inputs.KINDS | {
    "tables": tables.attempt,
    "certificates": certificates.attempt,
    "manifests": manifests.attempt,
}
SHARES = {"e.toml": 0.3, "j.jsonl": 0.3, "manifests": 0.05}
"""The part of N that is tried, where attempts are slow."""
FEW = {"tables": 80 * DEPTH, "certificates": 10 * DEPTH, "manifests": 8 * DEPTH}
EXPECTED = {
    "tables": {"right"},
    "certificates": {"right", "wrong", "refused"},
    "manifests": {"valid", "invalid", "refused"},
}
PIECE = 25
CORPUS = sorted(Path(__file__).with_name("corpus").glob("*.json"))
N, SEED = int(os.environ.get("FUZZ_N", "0")), int(os.environ.get("FUZZ_SEED", "0"))
CHOSEN = [kind for kind in os.environ.get("FUZZ_KINDS", "").split(",") if kind] or list(KINDS)


def pieces():
    """Yield a kind, the number of the first attempt, and how many there are."""
    weight = sum(SHARES.get(kind, 1) for kind in CHOSEN)
    for kind in CHOSEN:
        count = max(1, round(N * SHARES.get(kind, 1) / weight)) if N else FEW.get(kind, 3)
        size = PIECE if N else max(count, 1)
        marks = [pytest.mark.deep] if kind in ("tables", "manifests") and not N else []
        for first in range(0, count, size):
            yield pytest.param(
                kind, first, min(size, count - first), id=f"{kind}-{first}", marks=marks
            )


@pytest.mark.parametrize(("kind", "first", "count"), list(pieces()))
def test_attempts(tmp_path, monkeypatch, kind, first, count):
    ends, findings = Counter(), []
    for number in range(first, first + count):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        try:
            ended = KINDS[kind](random.Random(f"{kind}:{SEED}:{number}"))
            ends.update([ended] if isinstance(ended, str) else ended)
        except AssertionError as error:
            findings.append(f"{number}: {error}")
        except Exception:
            findings.append(f"{number}: {traceback.format_exc()}")
    print(kind, dict(ends))
    assert not findings, "\n".join(findings)
    if not N:
        assert EXPECTED.get(kind, set()) <= ends.keys()
        assert ends["missed"] == 0
        assert ends["too strict"] < 0.06 * max(count, 1)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
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
    assert judged(case["args"]) == case["code"]


@pytest.mark.parametrize("name", inputs.COMMANDS)
def test_a_whole_file_is_read(tmp_path, monkeypatch, name):
    """Else its damage would show nothing."""
    monkeypatch.chdir(tmp_path)
    inputs.lay_out(name)
    assert judged(inputs.COMMANDS[name].split(), inputs.OUTPUTS) in (0, 1)


def test_the_judge_finds_what_a_broken_command_would_do(tmp_path, monkeypatch):
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

    for wrong, word in (
        (broken, "unexpected Zero"),
        (leaving, "left behind"),
        (changing, "was changed"),
    ):
        monkeypatch.setattr(sys.modules["ratingpriv.audit"], "audit", wrong)
        with pytest.raises(AssertionError, match=word):
            judged(asked)


# ---- manifests ----


@pytest.fixture(scope="module")
def releases():
    return {sample.name: sample for sample in manifests.released()}


@pytest.mark.parametrize(("l", "answers"), [(None, {"valid"}), (1e308, {"invalid", "refused"})])
def test_manifests(releases, l, answers):  # noqa: E741
    for sample in releases.values():
        more = {} if l is None else {"l": l}
        text = json.dumps(
            {**sample.manifest, "parameters": {**sample.manifest["parameters"], **more}}
        )
        assert manifests.trial(sample, text, {}, forge=False) in answers


def test_the_judge_of_manifests_knows_what_does_not_hold(releases):
    sample = releases["wide.csv"]
    target = {"epsilon": 1, "l": None, "nulls": "strict", "sensitive_nulls": "paper"}
    assert manifests.holds(sample, ["pay"], (1, 5), k=2, **target)
    assert not manifests.holds(sample, [], (1, 60), k=2, **target)
    assert not manifests.holds(sample, ["pay"], (1, 5), k=9, **target)
    assert not manifests.holds(sample, ["pay"], (1, 5), k=2, **target | {"l": 100})


# ---- what tables of odd numbers found ----

FAR = "id,q\na,100000000000000\nb,-0.001\nc,100000000000000\nd,-0.001\n"
"""Two ratings are 100000000000000.001 apart, and 100000000000000 in float64."""
TINY = "id,q\na,1234567.1\nb,-1e-10\nc,1234567.1\nd,-1e-10\n"
TIES = "id,q\na,2e-12\nb,3e-12\nc,1e-12\nd,4e-12\n"


@pytest.mark.parametrize(
    ("text", "epsilon", "largest_k"),
    [(FAR, 1e14, 2), (TINY, 1234567.1, 2), (TIES, 1e-12, 2), (TIES, 2e-12, 3)],
)
def test_decimals_whose_float64_difference_is_another(tmp_path, text, epsilon, largest_k):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    table = ratingpriv.read(
        tmp_path / "t.csv", format="delimited", layout="wide", id="id", ratings=["q"]
    )
    for engine in ("slicing", "pairwise"):
        result = ratingpriv.audit(table, k=2, epsilon=epsilon, engine=engine)
        assert (result.satisfied, result.k_epsilon.max_k) == (True, largest_k)
    if text != TIES:
        assert not partition(table, k=3, epsilon=epsilon).found
        found = ratingpriv.frontier(table, k=4, partition=False)
        # only where nothing is protected
        assert [row.epsilon for row in found.rows if row.satisfied] == []
