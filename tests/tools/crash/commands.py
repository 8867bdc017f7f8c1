"""The commands that write, and what they may leave."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["COMMANDS", "Command"]

K = "--k 2 --epsilon 1 --scale 1:5"
SENSITIVE = "--sensitive pay"


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, run in a folder with inputs.

    Attributes
    ----------
    name : what the table calls it
    arguments : as typed
    outputs : names of what it writes, each with how it is judged: "same", "release", "key", "store",
        "folder", "journal", "record" (of a command of several steps, which leaves those that are done)
    before : commands that make what is there before
    code : the exit code of a run that is left in peace
    """

    name: str
    arguments: str
    outputs: dict[str, str]
    before: tuple[str, ...] = ()
    code: int = 0
    inputs: Callable[[Path], None] = field(default=lambda folder: write_inputs(folder))


def write_inputs(folder: Path) -> None:
    """Write wide.csv (12 records, 3 issues, one sensitive), long.csv of the same."""
    draw = random.Random(7)
    rows = [(f"p{i}", *(draw.randint(1, 3) for _ in range(3)), draw.randint(1, 5)) for i in range(12)]
    names = ("q1", "q2", "q3", "pay")
    lines = ["user," + ",".join(names), *(",".join(map(str, row)) for row in rows)]
    (folder / "wide.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    cells = [f"{row[0]},{name},{cell}" for row in rows for name, cell in zip(names, row[1:], strict=True)]
    (folder / "long.csv").write_text("\n".join(["user,item,rating", *cells]) + "\n", encoding="utf-8")


def write_experiment(folder: Path) -> None:
    """Write experiment.toml beside wide.csv: two cells."""
    write_inputs(folder)
    (folder / "experiment.toml").write_text(
        'k = 2\nepsilon = 1\nseeds = 2\nmeasures = ["audit"]\n[data.wide]\npath = "wide.csv"\n'
        "scale = [1, 5]\n[method.suppress]\n",
        encoding="utf-8",
    )


def write_run(folder: Path) -> None:
    """Write survey.toml beside wide.csv: an audit, a release and its verification."""
    write_inputs(folder)
    target = "k = 2\nepsilon = 1\n"
    (folder / "survey.toml").write_text(
        '[data]\nscale = "1:5"\n[run]\ndata = "wide.csv"\noutput = "."\ngates = ["anonymize"]\n'
        f'steps = ["audit", "anonymize", "verify"]\n[audit]\n{target}'
        f'[anonymize]\n{target}method = "suppress"\norder-seed = 5\n',
        encoding="utf-8",
    )


def write_query(folder: Path) -> None:
    """Write mark.cypher beside them."""
    write_inputs(folder)
    text = "MATCH (r:Record {dataset: $dataset})-[p:PROXIMATE]->(o) SET r.seen = true RETURN r, p, o"
    (folder / "mark.cypher").write_text(text, encoding="utf-8")


def _anonymize(
    name: str, data: str, release: str, more: str = "", *, method: str, replaced: bool = False
) -> Command:
    line = f"anonymize {data} {K} --method {method} -o {release} --order-seed 5 {more}"
    outputs = {release: "release", f"{release}.manifest.json": "manifest"}
    if "--key" in more:
        outputs["r.key"] = "key"
    old = f"anonymize {data} --k 1 --epsilon 1 --scale 1:5 --method suppress -o {release} --order-seed 5"
    if "--sensitive" in more:
        old += f" {SENSITIVE}"
    return Command(
        f"anonymize, {name}", line + (" --force" if replaced else ""), outputs, (old,) if replaced else ()
    )


_STORE = "--store embedded:s.grafeo"
_OFFLINE = {"import": "folder"}

COMMANDS = (
    Command(
        "audit -o", f"audit wide.csv {K} -o a.json --plot a.svg", {"a.json": "same", "a.svg": "same"}, code=1
    ),
    Command(
        "audit -o --per-record, replaced",
        f"audit wide.csv {K} {SENSITIVE} -o a.json --per-record b.parquet --force",
        {"a.json": "same", "b.parquet": "same"},
        ("audit wide.csv --k 1 --epsilon 2 --scale 1:5 -o a.json --per-record b.parquet",),
        code=1,
    ),
    Command(
        "verify --junit, replaced",
        "verify r.csv --junit j.xml --force",
        {"j.xml": "same", "r.csv": "release", "r.csv.manifest.json": "manifest"},
        (
            f"anonymize wide.csv {K} --method suppress -o r.csv --order-seed 5",
            "audit wide.csv --k 1 --epsilon 1 --scale 1:5 --junit j.xml",
        ),
    ),
    Command(
        "frontier -o --plot",
        "frontier wide.csv --scale 1:5 -o f.json --plot f.svg",
        {"f.json": "same", "f.svg": "same"},
    ),
    Command(
        "partition",
        "partition wide.csv --k 2 --epsilon 3 --scale 1:5 --groups g.csv --certificate c.json -o p.json"
        " --plot p.svg",
        {"g.csv": "same", "c.json": "same", "p.json": "same", "p.svg": "same"},
    ),
    _anonymize("new, wide, key", "wide.csv", "r.csv", f"--key r.key {SENSITIVE}", method="modify"),
    _anonymize(
        "replaced, wide, key", "wide.csv", "r.csv", f"--key r.key {SENSITIVE}", method="modify", replaced=True
    ),
    _anonymize("new, suppress, long, key", "long.csv", "r.csv", "--key r.key", method="suppress"),
    _anonymize("new, Parquet, key", "wide.csv", "r.parquet", "--key r.key", method="modify"),
    _anonymize("replaced, gz, key", "long.csv", "r.csv.gz", "--key r.key", method="suppress", replaced=True),
    Command(
        "attack -o",
        "attack wide.csv --adversary colleague --seed 1 --per-target -o t.json --plot t.svg"
        " --sweep known=1,2",
        {"t.json": "same", "t.svg": "same"},
    ),
    Command(
        "utility -o --questions",
        "utility wide.csv wide.csv --scale 1:5 --truth ids -o u.json --questions q.csv --plot u.svg",
        {"u.json": "same", "q.csv": "same", "u.svg": "same"},
    ),
    Command(
        "recommend -o --plot",
        "recommend wide.csv --k 2 --epsilon 1 --scale 1:5 --method suppress -o c.csv --plot c.svg",
        {"c.csv": "same", "c.svg": "same"},
    ),
    Command("report", f"report wide.csv {K} --skip attack -o t.html", {"t.html": "same"}, code=1),
    Command(
        "run",
        "run survey.toml --quiet",
        {
            **{f"{one}.txt": "same" for one in ("audit", "verify", "anonymize")},
            **{f"{one}.json": "record" for one in ("audit", "verify", "anonymize")},
            "release.csv": "release",
            "release.csv.manifest.json": "manifest",
            "release.key": "key",
            "run.json": "record",
        },
        inputs=write_run,
    ),
    Command(
        "experiment -o --intervals",
        "experiment experiment.toml -o e.csv --intervals m.parquet",
        {"e.csv": "same", "m.parquet": "same", "e.csv.journal": "journal"},
        inputs=write_experiment,
    ),
    Command(
        "reproduce -o",
        "reproduce ns08-2 --quick -o figures",
        {
            **{f"figures/ns08-2.{suffix}": "same" for suffix in ("svg", "pdf", "csv")},
            "figures/ns08-2.json": "record",
            "figures/figures.md": "same",
        },
    ),
    Command("synthesize .csv", "synthesize -o n.csv --records 50 --items 4", {"n.csv": "same"}),
    Command(
        "ingest --offline",
        "ingest wide.csv --epsilon 1 --scale 1:5 --dataset d --offline import",
        _OFFLINE,
    ),
    Command(
        "ingest embedded, new",
        f"ingest wide.csv --epsilon 1 --scale 1:5 --dataset d {_STORE}",
        {"s.grafeo": "store"},
    ),
    Command(
        "ingest embedded, replaced",
        f"ingest wide.csv --epsilon 2 --scale 1:5 --dataset d {_STORE}",
        {"s.grafeo": "store"},
        (f"ingest wide.csv --epsilon 1 --scale 1:5 --dataset d {_STORE}",),
    ),
    Command(
        "query run, own, writing, -o --picture",
        f"query run mark.cypher --dataset d --write {_STORE} -o q.parquet --picture q.svg",
        {"s.grafeo": "store", "q.parquet": "same", "q.svg": "same"},
        (f"ingest wide.csv --epsilon 1 --scale 1:5 --dataset d {_STORE}",),
        inputs=lambda folder: write_query(folder),
    ),
    Command(
        "store export",
        f"store export d -o d.graphml {_STORE}",
        {"s.grafeo": "store", "d.graphml": "same"},
        (f"ingest wide.csv --epsilon 1 --scale 1:5 --dataset d {_STORE}",),
    ),
    Command(
        "store drop",
        f"store drop d --yes {_STORE}",
        {"s.grafeo": "store"},
        (f"ingest wide.csv --epsilon 1 --scale 1:5 --dataset d {_STORE}",),
    ),
)
