"""Words on the command line: the options of every command as they are declared, with fit and odd values."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any
from unittest import mock

from fuzz.inputs import files
from fuzz.judging import judged
from fuzz.mutations import NUMBERS, TEXTS
from ratingpriv.base.errors import ParameterError

__all__ = ["KIND", "attempt"]

KIND = "arguments"

# demo and doctor are their own tests (they take seconds); of a store only the embedded one is tried here
COMMANDS = ("audit", "frontier", "partition", "anonymize", "verify", "attack", "utility", "synthesize",
            "describe", "recommend", "experiment", "ingest", "version", "schema",
            "query list", "query show", "query run", "store status", "store list", "store drop")  # fmt: skip
_WRITTEN = (
    *("output", "per_record", "journal", "questions", "plot", "groups", "certificate", "key", "offline"),
    "junit",
)
_FILES = ("d.csv", "r.csv", "k.json", "c.json", "aux.csv", "o.toml", "no.csv", ".", "")
_HUGE = ("records", "issues", "ratings", "levels", "factors", "patterns", "threads")  # what is made, not read
_FILE_OPTIONS = ("release", "truth", "aux", "config", "check", "pseudonymize")
_OUTPUTS = ("out.json", "out.txt", "out.csv", "out.svg", "out.parquet", "out.csv.gz", "out.zip", "out.xlsx",
"out", "",
            "-", ".", "no/out.json", "d.csv", "x" * 300, "a\nb.json", "o\x00ut", "\ud800.json")  # fmt: skip
_SPEC = 'k = 2\nepsilon = 1\nmeasures = ["audit"]\n[data.d]\npath = "d.csv"\n[method.suppress]\n'
_WORDS = ("q1", "q2", "pay", "user", "ann", "x", "1", "2", "all", "top:2", "random:1:5", "q1,q2",
"known=1,2", "wrong=0,1",
          "known=", "items=uniform,rarest", "not-top:1", "rarest", "utf-8", "cp1252", ",", ";", "tab", "ids",
          "delimited", "parquet", "survey", "sparse", "1GiB", "1", "0B", "missing=0.1",
          "age=0:99")  # fmt: skip


def _command(words: str) -> Any:
    from typer.main import get_command

    from ratingpriv.cli import app

    found: Any = get_command(app)
    for word in words.split():
        found = found.commands[word]
    return found


def _value(rng: random.Random, param: Any, odd: float) -> str:
    name = param.name or ""
    if name in _WRITTEN:
        return rng.choice(_OUTPUTS[:9]) if rng.random() > odd else rng.choice(_OUTPUTS)
    if name in _FILE_OPTIONS:
        return rng.choice(_FILES)
    if name == "store":
        return rng.choice(("embedded:s.grafeo", "embedded:", "embedded:d.csv", "embedded:.",
        "embedded:no/x", "x", "",
                           "embedded:\x00", "bolt://127.0.0.1:1", "neo4j://127.0.0.1:x",
                           "bolt://"))  # fmt: skip
    words = param.type_descriptor.choices or ()
    if words and rng.random() > odd:
        return rng.choice(words)
    if name in _HUGE:
        return rng.choice(("1", "2", "5", "20", "0", "-1", "x", "1_0", "٥", "", "1e3"))
    if rng.random() < odd:
        return rng.choice(NUMBERS + TEXTS)
    if rng.random() < 0.5:
        return rng.choice(("1", "2", "3", "0", "0.5"))
    return rng.choice(_WORDS)


def attempt(rng: random.Random) -> str:
    for name, content in files().items():
        Path(name).write_bytes(content)
    Path("aux.csv").write_text("target,issue,rating\nann,q1,4\n", encoding="utf-8")
    Path("o.toml").write_text("verbose = false\n", encoding="utf-8")
    Path("e.toml").write_text(_SPEC, encoding="utf-8")
    words = rng.choice(COMMANDS)
    command = _command(words)
    odd = rng.choice((0.0, 0.05, 0.3))
    args = words.split()
    for param in command.params:
        if param.param_type_name == "argument":
            if rng.random() > odd / 2:
                own = {"verify": ("r.csv",), "experiment": ("e.toml", "e.toml", "o.toml")}
                inputs = own.get(words, ("d.csv", "d.csv", "-", "r.csv", "no.csv", "."))
                args.append(rng.choice(inputs if rng.random() > odd else TEXTS))
            continue
        needed = param.required or param.name in ("k", "epsilon", "known")
        if rng.random() > (1 - odd / 4 if needed else 0.08):
            continue
        names = [name for name in (*param.opts, *param.secondary_opts) if name not in ("-v", "--verbose")]
        if not names:
            continue
        args.append(rng.choice(names))
        if not getattr(param, "is_flag", False):
            args.append(_value(rng, param, odd))
    if rng.random() < odd:
        rng.shuffle(args[1:])
        args.insert(rng.randrange(len(args) + 1), rng.choice(TEXTS))
    journals = [f"{name}.journal" for name in _OUTPUTS]
    outputs = [*_OUTPUTS, *journals, "s.grafeo", "s.grafeo.wal", "ratingpriv.grafeo", "ratingpriv.grafeo.wal"]
    no_spark = ParameterError("engine", "no pyspark", "pyspark 4 for the engine spark")
    # starts no machine
    with mock.patch("ratingpriv.spark.session.session.check_spark", side_effect=no_spark):
        return judged(args, stdin=files()["d.csv"], outputs=outputs).word
