"""What tells several steps at once: specifications of experiments, and journals of what is finished."""

from __future__ import annotations

import functools
import json
import os
import random
import tempfile
from pathlib import Path
from typing import Any

from fuzz.companions import samples
from fuzz.judging import Finding, judged, run
from fuzz.mutations import bent, damaged, edited

__all__ = ["KINDS", "SHARES"]

SHARES = {"spec": 0.3, "journal": 0.3}  # an experiment makes several releases

_SPEC: dict[str, Any] = {
    "seed": 1, "seeds": 1, "k": [2], "epsilon": [1], "l": [0.5], "exposure": 1, "nulls": "strict",
    "sensitive-nulls": "paper", "measures": ["audit", "distortion", "attack", "query_error"],
    "data": {"d": {"path": "d.csv", "sensitive": ["pay"]}},
    "method": {"suppress": {}, "median": {"method": "modify", "fill": "median"},
               "predictive": {"labels": "rounded", "scheme": "pure"}},
    "attack": {"few": {"known": 1, "targets": 2}}, "utility": {"queries": 10},
}  # fmt: skip
_JOURNALED = ["recommend", "d.csv", "--sensitive", "pay", "--k", "2", "--epsilon", "1", "--method",
              "suppress", "--method", "predictive", "--journal", "j.jsonl"]  # fmt: skip


def _toml(value: Any) -> str:
    """Return a value as TOML has it, or as something that looks like it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(str(key))} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return str(value)


def _spec(rng: random.Random) -> str:
    for name, content in samples().items():
        Path(name).write_bytes(content)
    document = edited(rng, _SPEC)
    lines = document.items() if isinstance(document, dict) else (("x", document),)
    text = "\n".join(f"{_toml(str(key))} = {_toml(value)}" for key, value in lines)
    data = text.encode("utf-8", "surrogatepass")
    Path("e.toml").write_bytes(damaged(rng, data) if rng.random() < 0.3 else data)
    more = rng.choice(([], ["--json"], ["--journal", "j.jsonl"]))
    args = ["experiment", "e.toml", "-o", "out.csv", *more]
    return judged(args, outputs=["out.csv", "out.csv.journal", "j.jsonl"]).word


@functools.cache
def _journal_sample() -> bytes:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("d.csv").write_bytes(samples()["d.csv"])
            ended = run(_JOURNALED)
            if ended.code:
                raise Finding(ended.stderr)
            return Path("j.jsonl").read_bytes()
        finally:
            os.chdir(before)


def _journal(rng: random.Random) -> str:
    Path("d.csv").write_bytes(samples()["d.csv"])
    lines = _journal_sample().splitlines(keepends=True)
    if rng.random() < 0.5:
        at = rng.randrange(len(lines))
        lines[at] = bent(rng, json.loads(lines[at])) + b"\n"
    data = b"".join(lines)
    Path("j.jsonl").write_bytes(damaged(rng, data) if rng.random() < 0.5 else data)
    return judged([*_JOURNALED, *rng.choice(([], ["--json"]))], outputs=["j.jsonl"]).word


KINDS = {"spec": _spec, "journal": _journal}
