"""Files of every format, and what stands beside them, damaged: a command reads one,
and ends as it may.

Every attempt lays out whole files, spoils the one that its kind is called after, and runs the
kind's command.
"""

import contextlib
import functools
import gzip
import io
import json
import random
import re
import tempfile
import zipfile
from pathlib import Path

import polars as pl
import pyarrow as pa

from fuzz.judging import judged
from fuzz.mutations import NUMBERS, TEXTS, bent, damaged

__all__ = ["COMMANDS", "KINDS", "OUTPUTS", "lay_out"]

WIDE = (
    "user,q1,q2,pay\nann,4,5,30\nbob,4,4,40\neve,4,5,50\njoe,3,4,60\nkim,3,5,30\n"
    "lou,4,,20\nmia,4,4,30\n"
)
LONG = "user,item,rating,date\n" + "".join(
    f"u{user},i{item},{1 + user * item % 5},2005-09-0{1 + user}\n"
    for user in range(6)
    for item in range(4)
)
MOVIELENS = "".join(
    f"{u}\t{i}\t{1 + u * i % 5}\t88125094{u}\n" for u in range(1, 7) for i in range(1, 5)
)
NETFLIX = "".join(
    f"{i}:\n" + "".join(f"{u},3,2005-09-0{u}\n" for u in range(1, 7)) for i in range(1, 4)
)
CODEBOOK = (
    '[data]\npath = "d.csv"\nmissing = [9]\n[columns.user]\nrole = "id"\n[columns.q1]\nrole = '
    '"rating"\n'
    '[columns.pay]\nrole = "quasi"\nmap = "map.csv"\n[audit]\nk = 2\nepsilon = 1\nper-record = '
    '"p.csv"\n'
)
SPEC = """\
k = [2]
epsilon = [1]
measures = ["audit", "query_error"]
[data.d]
path = "d.csv"
sensitive = ["pay"]
[method.suppress]
[method.median]
method = "modify"
fill = "median"
"""
AUDIT = "--k 2 --epsilon 1"
JOURNALED = (
    f"recommend d.csv {AUDIT} --sensitive pay --found-at-most 0.9 --method modify --journal j.jsonl"
)
MADE = (
    f"anonymize d.csv {AUDIT} --method suppress -o r.csv --key k.json --order-seed 1 "
    f"--sensitive pay",
    f"partition d.csv {AUDIT} --certificate c.json --sensitive pay",
    JOURNALED,
)

COMMANDS = {
    "d.csv": f"audit d.csv {AUDIT} -o out.json",
    "long.csv": f"anonymize long.csv {AUDIT} --method modify -o out.csv",
    "u.data": "frontier u.data --k 2",
    "combined_data_1.txt": f"partition combined_data_1.txt {AUDIT} --groups out.csv",
    "d.csv.gz": f"audit d.csv.gz {AUDIT} --per-record out.parquet",
    "d.csv.zst": f"audit d.csv.zst {AUDIT}",
    "d.zip": f"audit d.zip {AUDIT}",
    "d.parquet": "attack d.parquet --known 2 -o out.json",
    "r.csv.manifest.json": "verify r.csv --k 2 --epsilon 1 --sensitive pay",
    "c.json": "partition d.csv --check c.json --sensitive pay",
    "k.json": "attack d.csv --release r.csv --truth k.json --known 1 --sensitive pay",
    "aux.csv": "attack d.csv --aux aux.csv",
    "attributes.csv": f"audit d.csv {AUDIT} --set attributes=attributes.csv --quasi age",
    "map.csv": "audit d.csv --codebook o.toml",
    "o.toml": "audit d.csv --codebook o.toml",
    "items.txt": f"audit d.csv {AUDIT} --items @items.txt",
    "e.toml": "experiment e.toml -o out.csv",
    "j.jsonl": JOURNALED,
}
"""The command that reads a file, by its name, which is the name of the kind."""
USUAL = ("1", "3", "5", "NA", "")
OUTPUTS = ("out.json", "out.csv", "out.parquet", "p.csv", "out.csv.journal", "j.jsonl")


@functools.cache
def files() -> dict[str, bytes]:
    """Return every file, whole; what ratingpriv writes as it writes it."""
    wide = WIDE.encode()
    table = pl.read_csv(wide)
    archive, parquet = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("d.csv", wide)
    table.write_parquet(parquet)
    texts = {
        "d.csv": WIDE, "long.csv": LONG, "u.data": MOVIELENS, "combined_data_1.txt": NETFLIX,
        "e.toml": SPEC,
        "o.toml": CODEBOOK, "items.txt": "q1\nq2\n",
        "aux.csv": "target,issue,rating\nann,q1,4\nbob,q2,4\n",
        "attributes.csv": "user,age\n" + "".join(f"{user},20\n" for user in table["user"]),
        "map.csv": "value,group\n" + "".join(f"{pay},some\n" for pay in table["pay"].unique()),
    }  # fmt: skip
    whole = {name: text.encode() for name, text in texts.items()} | {
        "d.csv.gz": gzip.compress(wide, mtime=0),
        "d.csv.zst": pa.compress(wide, "zstd", asbytes=True),
        "d.zip": archive.getvalue(), "d.parquet": parquet.getvalue(),
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("d.csv").write_bytes(wide)
        for line in MADE:
            assert judged(line.split(), [*OUTPUTS, "r.csv", "k.json", "c.json"]) in (0, 1), line
        return whole | {path.name: path.read_bytes() for path in Path().iterdir()}


def lay_out(name: str) -> None:
    """Write every file whole; the journal only for its own kind."""
    for file, content in files().items():
        if file != "j.jsonl" or name == file:
            Path(file).write_bytes(content)


def spoiled(rng: random.Random, name: str, content: bytes) -> bytes:
    """Damage bytes; of a document or a text, mostly, what stands in one of its places."""
    if rng.random() < 0.3:
        return damaged(rng, content)
    if name.endswith(".json"):
        return bent(rng, json.loads(content))
    if name.endswith(".jsonl"):
        lines = content.splitlines(keepends=True)
        place = rng.randrange(len(lines))
        return b"".join(
            [*lines[:place], bent(rng, json.loads(lines[place])), b"\n", *lines[place + 1 :]]
        )
    if not name.endswith((".csv", ".data", ".txt", ".toml")):
        return damaged(rng, content)
    cells = re.split(rb"([,;\t\n\"= ]+)", content)
    for _ in range(rng.choice((1, 1, 2))):
        odd = rng.choice((*USUAL * 12, *NUMBERS, *TEXTS))
        cells[rng.randrange(len(cells))] = odd.encode("utf-8", "surrogatepass")
    return b"".join(cells)


def attempt(rng: random.Random, *, name: str) -> str:
    lay_out(name)
    Path(name).write_bytes(spoiled(rng, name, files()[name]))
    more = rng.choice(([], [], [], [], ["--json"], ["--layout", "long"], ["--set", "header=no"]))
    command = COMMANDS[name].split()
    if command[0] in ("verify", "experiment"):  # which read no data of a layout
        more = more[:1] if more == ["--json"] else []
    return str(judged([*command, *more], OUTPUTS))


KINDS = {name: functools.partial(attempt, name=name) for name in COMMANDS}
