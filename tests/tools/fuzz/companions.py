"""What stands beside the data: manifests, certificates, keys, known ratings, options, lists of items."""

from __future__ import annotations

import functools
import json
import os
import random
import tempfile
from pathlib import Path

from fuzz.judging import Finding, judged, run
from fuzz.mutations import NUMBERS, TEXTS, bent, damaged, either

__all__ = ["KINDS", "samples"]

DATA = "user,q1,q2,pay\nann,4,5,30\nbob,4,4,40\neve,4,5,50\njoe,3,4,60\n"
DATA += "kim,3,5,30\nlou,4,,20\nmax,4,4,30\nned,3,4,20\n"
_MADE = (
    ["anonymize", "d.csv", "--k", "2", "--epsilon", "1", "--method", "suppress", "-o", "r.csv", "--key",
    "k.json",
     "--order-seed", "1", "--sensitive", "pay"],
    ["partition", "d.csv", "--k", "2", "--epsilon", "1", "--certificate", "c.json", "--sensitive", "pay"],
)  # fmt: skip


@functools.cache
def samples() -> dict[str, bytes]:
    """Return the files of a release and a certificate, as ratingpriv writes them."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("d.csv").write_text(DATA, encoding="utf-8")
            for args in _MADE:
                ended = run(args)
                if ended.code not in (0, 1):
                    raise Finding(ended.stderr)
            return {path.name: path.read_bytes() for path in Path().iterdir()}
        finally:
            os.chdir(before)


def _placed(*names: str) -> None:
    for name in names:
        Path(name).write_bytes(samples()[name])


def _json(rng: random.Random) -> list[str]:
    return rng.choice(([], [], ["--json"]))


def _manifest(rng: random.Random) -> str:
    _placed("r.csv")
    document = json.loads(samples()["r.csv.manifest.json"])
    Path("r.csv.manifest.json").write_bytes(bent(rng, document))
    demands = rng.choice(
        ([], [], ["--k", "2"], ["--k", "2", "--epsilon", "1"], ["--epsilon", "0"], ["--l", "1"])
    )
    return judged(["verify", "r.csv", *demands, *_json(rng)]).word


def _certificate(rng: random.Random) -> str:
    _placed("d.csv")
    Path("c.json").write_bytes(bent(rng, json.loads(samples()["c.json"])))
    return judged(["partition", "d.csv", "--check", "c.json", "--sensitive", "pay", *_json(rng)]).word


def _key(rng: random.Random) -> str:
    _placed("d.csv", "r.csv", "r.csv.manifest.json")
    Path("k.json").write_bytes(bent(rng, json.loads(samples()["k.json"])))
    known = ["--known", "1", "--sensitive", "pay"]
    return judged(["attack", "d.csv", "--release", "r.csv", "--truth", "k.json", *known, *_json(rng)]).word


def _known_ratings(rng: random.Random) -> str:
    _placed("d.csv")
    header = ["target", "issue", "rating", "date"][: rng.choice((3, 4))]
    rows = [header]
    for _ in range(rng.randrange(5)):
        row = [
            rng.choice(("ann", "bob", "you")),
            rng.choice(("q1", "q2")),
            str(rng.randint(1, 5)),
            "2005-01-02",
        ]
        rows.append(
            [rng.choice(TEXTS + NUMBERS) if rng.random() < 0.1 else text for text in row[: len(header)]]
        )
    data = "\n".join(",".join(row) for row in rows).encode("utf-8", "surrogatepass")
    Path("aux.csv").write_bytes(damaged(rng, data) if rng.random() < 0.4 else data)
    more = rng.choice(
        ([], [], ["--rating-error", "1"], ["--algorithm", "scoreboard-rh"], ["--sensitive", "pay"])
    )
    return judged(["attack", "d.csv", "--aux", "aux.csv", *more, *_json(rng)]).word


_KEYS = ("k", "epsilon", "l", "sensitive", "scale", "null", "show", "per-record", "set", "help", "data",
"json",
         "verbose", "quiet", "encoding", "threads", "memory", "issues", "x", "no-header", "",
         "à")  # fmt: skip
_VALUES = (
    "3", "0", "-1", "1.5", "true", '"q1"', "[]", '["pay"]', "[[1]]", "[1, 'a']", "{a = 1}", "1e400", "inf",
    "nan",
    "2005-01-02", "07:00:00", '"""x\ny"""', "0x10", "9223372036854775808", "1_000", '"\\u0000"',
    '"\\uD800"', "'", "",
)  # fmt: skip


def _config(rng: random.Random) -> str:
    _placed("d.csv")
    lines = ["[audit]", "k = 2", "epsilon = 1"]
    lines += [f"{rng.choice(_KEYS)} = {rng.choice(_VALUES)}" for _ in range(rng.randrange(4))]
    if rng.random() < 0.1:
        lines.insert(rng.randrange(3), rng.choice(("[a]", "[[a]]", "a.b = 1", "k", "#" * 1000,
        "a" + ".a" * 2000 + " = 1",
                                                   "a = " + "[" * 3000, "\x00",
                                                   "k = " + "1" * 5000)))  # fmt: skip
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    Path("o.toml").write_bytes(damaged(rng, data) if rng.random() < 0.3 else data)
    return judged(["audit", "d.csv", "--codebook", "o.toml", *_json(rng)]).word


def _items(rng: random.Random) -> str:
    _placed("d.csv")
    names = [rng.choice(("q1", "q2", "pay", rng.choice(TEXTS))) for _ in range(rng.randrange(4))]
    data = "\n".join(names).encode("utf-8", "surrogatepass")
    name = either(
        rng, 9, "items.txt", 1, lambda: rng.choice(("", ".", "no", "x" * 300, "a\x00b", "items.txt/x"))
    )
    Path("items.txt").write_bytes(damaged(rng, data) if rng.random() < 0.5 else data)
    return judged(["audit", "d.csv", "--k", "2", "--epsilon", "1", "--items", f"@{name}", *_json(rng)]).word


KINDS = {
    "manifest": _manifest,
    "certificate": _certificate,
    "key": _key,
    "known": _known_ratings,
    "config": _config,
    "items": _items,
}
